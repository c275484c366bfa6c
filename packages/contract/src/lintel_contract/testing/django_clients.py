"""Makes Django's test clients, and clients derived from them, report their exchanges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

from asgiref.sync import sync_to_async
from django.test.client import AsyncClient, Client, FakePayload

from lintel_contract.testing.exchanges import Exchange, note

_send: Any = Client.request
_send_async: Any = AsyncClient.request


def listen(is_heard: Callable[[Any], bool] = lambda client: True) -> Callable[[], None]:
    """Listen to Client and AsyncClient, if ``is_heard(client)``; call the result to stop."""
    before: tuple[Any, Any] = (Client.request, AsyncClient.request)

    def send(client: Any, **request: Any) -> Any:
        if not is_heard(client):
            return _send(client, **request)
        body = take_body(request, "wsgi.input")
        response = _send(client, **request)
        note_wsgi({**client.defaults, **request}, body, response)
        return response

    async def send_async(client: Any, **request: Any) -> Any:
        if not is_heard(client):
            return await _send_async(client, **request)
        body = take_body(request, "_body_file")
        response = await _send_async(client, **request)
        await sync_to_async(note_asgi)(request, body, response)
        return response

    _install(send, send_async)
    return lambda: _install(*before)


def _install(send: Any, send_async: Any) -> None:
    clients: tuple[tuple[Any, Any], ...] = ((Client, send), (AsyncClient, send_async))
    for client, request in clients:
        client.request = request


def take_body(request: dict[str, Any], key: str) -> bytes:
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
    note(Exchange(**described_request(environ, body), **_described_response(response)))


def described_request(environ: Mapping[str, Any], body: bytes) -> dict[str, Any]:
    """Return the members of an exchange that a WSGI environment holds."""
    return {
        "method": environ.get("REQUEST_METHOD", "GET"),
        "path": _path_of(environ),
        "query": str(environ.get("QUERY_STRING", "")),
        "request_headers": {
            name.removeprefix("HTTP_").replace("_", "-").lower(): str(value)
            for name, value in environ.items()
            if name.startswith("HTTP_") or name in ("CONTENT_TYPE", "CONTENT_LENGTH")
        },
        "request_body": body,
    }


def _path_of(environ: Mapping[str, Any]) -> str:
    """Return the path of a WSGI environment, which holds its bytes as Latin-1 text (PEP 3333)."""
    path = str(environ.get("PATH_INFO", "/"))
    return path.encode("latin-1").decode("utf-8", "replace")


def note_asgi(scope: Mapping[str, Any], body: bytes, response: Any) -> None:
    """Report the exchange of an ASGI scope and a Django response."""
    query = scope.get("query_string", b"")
    note(
        Exchange(
            method=scope["method"],
            path=scope["path"],
            query=query.decode("latin-1") if isinstance(query, bytes) else str(query),
            request_headers={
                name.decode("latin-1").lower(): value.decode("latin-1")
                for name, value in scope.get("headers", ())
            },
            request_body=body,
            **_described_response(response),
        )
    )


def _described_response(response: Any) -> dict[str, Any]:
    return {
        "status": response.status_code,
        "response_headers": {name.lower(): value for name, value in response.items()},
        "response_body": None if response.streaming else response.content,
        "response": response,
    }
