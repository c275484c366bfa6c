"""Requests and responses as text, with all secrets hidden."""

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from lintel_client.codecs import media_type_of
from lintel_client.forms import FORM, MULTIPART
from lintel_client.headers import Headers
from lintel_client.messages import Request, Response
from lintel_document.hiding import HIDDEN, without_members

__all__ = [
    "hidden_credentials",
    "redacted",
    "secret_names",
    "shown_head",
    "shown_request",
    "shown_response",
    "shown_url",
]

LONGEST_BODY = 10_000

_SECRET_NAME = re.compile(
    r"auth(?!ors?(?:$|_))|cookie|token|secret|passw|pwd|credential|session|signature|csrf|xsrf"
    r"|(?:^|[_.-])(?:api|access|private)?[_.-]?key$|^(?:device_code|code_verifier)$",
    re.IGNORECASE,
)
_PART = re.compile(rb'form-data; name="([^"]*)"')
# These name the scheme, not the credentials.
_PUBLIC_HEADERS = frozenset({"www-authenticate", "proxy-authenticate"})


def shown_request(request: Request, secret_headers: Iterable[str] = ()) -> str:
    """Return a request as text. ``secret_headers`` names headers to hide besides the usual ones."""
    secrets = secret_names(request, secret_headers)
    lines = [f"{request.method} {shown_url(request.url, secrets)}"]
    lines += _header_lines(request.headers, secrets)
    content_type = request.headers.get("Content-Type", "")
    return "\n".join([*lines, *_body_lines(request.content, content_type)])


def shown_response(response: Response, body: bytes | None) -> str:
    """Return a response as text; None is a body that was not read."""
    if body is None:
        return "\n".join([shown_head(response), "", "(binary content)"])
    lines = _body_lines(body, response.headers.get("Content-Type", ""))
    return "\n".join([shown_head(response), *lines])


def redacted(request: Request, secret_headers: Iterable[str] = ()) -> Request:
    """Return a request with all secrets replaced.

    Raises ValueError for a form whose parts cannot be replaced one by one.
    """
    secrets = secret_names(request, secret_headers)
    fields = [(name, _shown_header(name, text, secrets)) for name, text in request.headers.pairs()]
    body = request.body
    if body:
        body = _redacted_body(request.content, request.headers.get("Content-Type", ""))
    headers = Headers(fields)
    return replace(request, url=shown_url(request.url, secrets), headers=headers, body=body)


def shown_head(response: Response) -> str:
    """Return status and headers of a response as text."""
    status = f"{response.status} {response.reason}".strip()
    return "\n".join([status, *_header_lines(response.headers, ())])


def shown_url(url: str, secrets: Collection[str] = ()) -> str:
    """Return a URL with the secrets of its query hidden; ``secrets`` adds more names of them."""
    parts = urlsplit(url)
    if not any(_is_hidden(name, secrets) for name, _ in parse_qsl(parts.query)):
        return url
    return parts._replace(query=_shown_form(parts.query, secrets)).geturl()


def hidden_credentials(value: str) -> str:
    """Return an Authorization value with only its scheme readable."""
    scheme, space, _ = value.partition(" ")
    return f"{scheme} {HIDDEN}" if space else HIDDEN


def secret_names(request: Request, headers: Iterable[str] = ()) -> set[str]:
    """Return the lower-case names of headers and keys to hide in addition to the usual ones."""
    keys = {
        scheme.parameter
        for alternative in request.security or ()
        for scheme in alternative
        if scheme.type == "apiKey"
    }
    return {name.lower() for name in {*headers, *keys}}


def _is_hidden(name: str, secrets: Collection[str]) -> bool:
    return name.lower() in secrets or bool(_SECRET_NAME.search(name))


def _header_lines(headers: Headers, secrets: Collection[str]) -> list[str]:
    return [f"{name}: {_shown_header(name, value, secrets)}" for name, value in headers.pairs()]


def _shown_header(name: str, value: str, secrets: Collection[str]) -> str:
    lowered = name.lower()
    if lowered in _PUBLIC_HEADERS:
        return value
    if lowered == "authorization":
        return hidden_credentials(value)
    if _is_hidden(name, secrets):
        return HIDDEN
    return shown_url(value) if lowered == "location" else value


def _shown_form(text: str, secrets: Collection[str] = ()) -> str:
    pairs = parse_qsl(text, keep_blank_values=True)
    if ("grant_type", "authorization_code") in pairs:
        secrets = [*secrets, "code"]  # as good as a token
    shown = [(name, HIDDEN if _is_hidden(name, secrets) else value) for name, value in pairs]
    return urlencode(shown, quote_via=quote, safe="*")


def _body_lines(body: bytes, content_type: str) -> list[str]:
    if not body:
        return []
    return ["", _shown_body(body, media_type_of(content_type))]


def _shown_body(body: bytes, media_type: str) -> str:
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return f"({len(body)} bytes)"
    if media_type == MULTIPART or (media_type and not _is_text(media_type)):
        return f"({len(body)} bytes)"
    if media_type == FORM:
        text = _shown_form(text)
    elif media_type.endswith("json"):
        text = _shown_json(text)
    if len(text) > LONGEST_BODY:
        return f"{text[:LONGEST_BODY]} ({len(text) - LONGEST_BODY} more characters)"
    return text


def _is_text(media_type: str) -> bool:
    return media_type.startswith("text/") or media_type.endswith("json") or media_type == FORM


def _redacted_body(body: bytes, content_type: str) -> bytes:
    media_type = media_type_of(content_type)
    if media_type == MULTIPART:
        if any(_SECRET_NAME.search(name.decode(errors="replace")) for name in _PART.findall(body)):
            raise ValueError("The form holds a secret in one of its parts; --reveal shows it")
        return body
    try:
        if media_type == FORM:
            return _shown_form(body.decode()).encode()
        if media_type.endswith("json"):
            loaded = json.loads(body)
            hidden = _without_secrets(loaded)
            return (
                body
                if hidden == loaded
                else json.dumps(hidden, ensure_ascii=False, separators=(",", ":")).encode()
            )
    except (ValueError, RecursionError):
        pass
    return body


def _shown_json(text: str) -> str:
    try:
        return json.dumps(_without_secrets(json.loads(text)), ensure_ascii=False, indent=4)
    except (ValueError, RecursionError):
        return text


def _without_secrets(value: Any) -> Any:
    return without_members(value, lambda name: _SECRET_NAME.search(name) is not None)
