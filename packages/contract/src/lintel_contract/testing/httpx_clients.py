"""Makes the clients of httpx and httpx2, and test clients derived from them, report exchanges."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

from lintel_contract.testing.exchanges import Exchange, note


def listen(library: ModuleType) -> Callable[[], None]:
    """Listen to Client and AsyncClient of httpx or httpx2; call the result to stop."""
    send, send_async = library.Client.send, library.AsyncClient.send

    @wraps(send)
    def heard(client: Any, *args: Any, **kwargs: Any) -> Any:
        response = send(client, *args, **kwargs)
        _note_all(library, response)
        return response

    @wraps(send_async)
    async def heard_async(client: Any, *args: Any, **kwargs: Any) -> Any:
        response = await send_async(client, *args, **kwargs)
        _note_all(library, response)
        return response

    _install(library, heard, heard_async)
    return lambda: _install(library, send, send_async)


def _install(library: Any, send: Any, send_async: Any) -> None:
    library.Client.send, library.AsyncClient.send = send, send_async


def _note_all(library: ModuleType, response: Any) -> None:
    """Report a response, and before it the redirects and challenges that led to it."""
    for step in (*response.history, response):
        note(_exchange(library, step))


def _exchange(library: ModuleType, response: Any) -> Exchange:
    request = response.request
    return Exchange(
        method=request.method.upper(),
        path=request.url.path,
        query=request.url.query.decode("latin-1"),
        request_headers=dict(request.headers),
        request_body=_content(request, library.RequestNotRead),
        status=response.status_code,
        response_headers=dict(response.headers),
        response_body=_content(response, library.ResponseNotRead),
        response=response,
    )


def _content(message: Any, is_stream: type[Exception]) -> bytes | None:
    try:
        content: bytes = message.content
    except is_stream:
        return None
    return content
