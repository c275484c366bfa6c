"""Requests to authorization servers, as steps. Nothing a server sends can be long or take long."""

import json
import time
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from lintel_client.building import USER_AGENT
from lintel_client.errors import OAuth2Error, RequestTimeout
from lintel_client.headers import Headers
from lintel_client.messages import Collected, Request
from lintel_client.origins import without_query
from lintel_client.steps import AnyResponse, Call, Close, Receive
from lintel_document.controls import printable
from lintel_document.hiding import HIDDEN

__all__ = ["fetched", "posted", "probed", "refusal"]

LIMIT = 256 * 1024
SECONDS = 60.0
"""How long a whole response may take to arrive."""
LONGEST_MESSAGE = 300

Answer = tuple[int, Mapping[str, Any]]


def fetched(url: str) -> Call[Mapping[str, Any] | None]:
    """Return the JSON object at a URL, None if there is nothing.

    Raises OAuth2Error for a redirect, an error of the server, and for anything but a JSON object.
    """
    response = yield _request("GET", url)
    if 400 <= response.status < 500:
        yield Close(response)
        return None
    status, answer = yield from _read(response, url)
    if status >= 400:
        raise OAuth2Error(f"{without_query(url)} answered with status {status}")
    return answer


def posted(
    url: str,
    form: Mapping[str, str],
    fields: Iterable[tuple[str, str]] = (),
    may_be_empty: bool = False,
) -> Call[Answer]:
    """Post a form; return the status and the JSON object of the response, as ``fetched`` does.

    A response that ``may_be_empty`` need not be a JSON object.
    """
    headers = [("Content-Type", "application/x-www-form-urlencoded"), *fields]
    response = yield _request("POST", url, headers, urlencode(form).encode())
    return (yield from _read(response, url, may_be_empty))


def probed(url: str) -> Call[Headers]:
    """Return the headers with which a URL answers a request without credentials."""
    response = yield _request("GET", url)
    yield Close(response)
    headers: Headers = response.headers
    return headers


def refusal(
    answer: Mapping[str, Any], status: int, url: str, secrets: Iterable[str]
) -> OAuth2Error:
    """Return the error for a refusal (RFC 6749, 5.2), without the secrets that were sent."""
    hidden = tuple(filter(None, secrets))
    code, about = (_text(answer.get(name), hidden) for name in ("error", "error_description"))
    said = ": ".join(filter(None, [code or f"status {status}", about]))
    return OAuth2Error(f"{without_query(url)} gave no token ({said})", code)


def _text(value: Any, secrets: Iterable[str]) -> str:
    text = value if isinstance(value, str) else ""
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return printable(text)[:LONGEST_MESSAGE]


def _request(
    method: str, url: str, fields: Iterable[tuple[str, str]] = (), body: bytes | None = None
) -> Request:
    headers = [("Accept", "application/json"), ("User-Agent", USER_AGENT), *fields]
    return Request(method, url, Headers(headers), body, home=url, bare=True)


def _read(response: AnyResponse, url: str, may_be_empty: bool = False) -> Call[Answer]:
    place = without_query(url)
    if 300 <= response.status < 400:
        yield Close(response)
        raise OAuth2Error(f"{place} redirects, which is not followed where tokens are obtained")
    content = yield from _body(response, place)
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        answer = None
    if isinstance(answer, dict):
        return response.status, answer
    if response.status >= 400 or may_be_empty:
        return response.status, {}
    raise OAuth2Error(f"{place} did not answer with a JSON object")


def _body(response: AnyResponse, place: str) -> Call[bytes]:
    collected, end = Collected(LIMIT, place), time.monotonic() + SECONDS

    def write(chunk: bytes) -> None:
        if time.monotonic() > end:
            raise RequestTimeout(f"{place} did not answer in time")
        collected.write(chunk)

    yield Receive(response, write)
    return collected.content()
