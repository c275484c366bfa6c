"""One request and its response, as test clients report them to observers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from django.test.client import FakePayload


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and the project's response. Header names are in lower case.

    ``response_body`` is None if the response is a stream, which only its reader may consume.
    ``renderer`` is that of an API view's response.
    """

    method: str
    path: str
    query: str
    request_headers: Mapping[str, str]
    request_body: bytes
    status: int
    response_headers: Mapping[str, str]
    response_body: bytes | None
    renderer: Any = None


#: Called with each exchange of APIClient, AsyncAPIClient and RequestsClient, and of Django's own
#: clients if the plugin is configured so, while the settings of the test are active.
observers: list[Callable[[Exchange], None]] = []


def note(exchange: Exchange) -> None:
    for observe in observers:
        observe(exchange)


def kept_body(request: dict[str, Any], key: str) -> bytes:
    """Return the body under a key of a WSGI environment or an ASGI scope, which stays readable."""
    payload = request.get(key)
    if payload is None:
        return b""
    body: bytes = payload.read()
    # The body of Django's clients fails if read beyond its end; others may too.
    request[key] = FakePayload(body) if isinstance(payload, FakePayload) else BytesIO(body)
    return body


def note_wsgi(environ: Mapping[str, Any], body: bytes, response: Any) -> None:
    """Report the exchange of a WSGI environment and a Django response."""
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): str(value)
        for name, value in environ.items()
        if name.startswith("HTTP_") or name in ("CONTENT_TYPE", "CONTENT_LENGTH")
    }
    request = (environ.get("REQUEST_METHOD", "GET"), _path_of(environ))
    _note(*request, str(environ.get("QUERY_STRING", "")), headers, body, response)


def _path_of(environ: Mapping[str, Any]) -> str:
    """Return the path of a WSGI environment, which holds its bytes as Latin-1 text (PEP 3333)."""
    path = str(environ.get("PATH_INFO", "/"))
    return path.encode("latin-1").decode("utf-8", "replace")


def note_asgi(scope: Mapping[str, Any], body: bytes, response: Any) -> None:
    """Report the exchange of an ASGI scope and a Django response."""
    headers = {
        name.decode("latin-1").lower(): value.decode("latin-1")
        for name, value in scope.get("headers", ())
    }
    query = scope.get("query_string", b"")
    query = query.decode("latin-1") if isinstance(query, bytes) else str(query)
    _note(scope["method"], scope["path"], query, headers, body, response)


def _note(
    method: str, path: str, query: str, headers: dict[str, str], body: bytes, response: Any
) -> None:
    note(
        Exchange(
            method=method,
            path=path,
            query=query,
            request_headers=headers,
            request_body=body,
            status=response.status_code,
            response_headers={name.lower(): value for name, value in response.items()},
            response_body=None if response.streaming else response.content,
            renderer=getattr(response, "accepted_renderer", None),
        )
    )
