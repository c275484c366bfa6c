"""Makes Django's own test clients report their exchanges, as ours do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asgiref.sync import sync_to_async
from django.test.client import AsyncClient, Client

from lintel.test import exchanges
from lintel.test.factories import APIRequestMixin

_send: Any = Client.request
_send_async: Any = AsyncClient.request


def listen() -> Callable[[], None]:
    """Listen to Django's Client and AsyncClient; call the result to stop."""
    _put(_request, _request_async)
    return lambda: _put(_send, _send_async)


def _put(send: Any, send_async: Any) -> None:
    clients: tuple[tuple[Any, Any], ...] = ((Client, send), (AsyncClient, send_async))
    for client, request in clients:
        client.request = request


def _request(client: Any, **request: Any) -> Any:
    if isinstance(client, APIRequestMixin):  # which reports its exchanges itself
        return _send(client, **request)
    body = exchanges.kept_body(request, "wsgi.input")
    response = _send(client, **request)
    exchanges.note_wsgi({**client.defaults, **request}, body, response)
    return response


async def _request_async(client: Any, **request: Any) -> Any:
    if isinstance(client, APIRequestMixin):
        return await _send_async(client, **request)
    body = exchanges.kept_body(request, "_body_file")
    response = await _send_async(client, **request)
    await sync_to_async(exchanges.note_asgi)(request, body, response)
    return response
