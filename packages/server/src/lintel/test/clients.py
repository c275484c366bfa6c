"""Clients that send requests through the whole project: middleware, URLs, views."""

from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.test.client import AsyncClient, AsyncClientHandler, Client, ClientHandler

from lintel.annotations import AnyUser
from lintel.test.factories import (
    APIRequestFactory,
    APIRequestMixin,
    SendsData,
    force_authenticate,
    named_method,
    query_environ,
    set_renderers,
)


class ForceAuthClientHandler(ClientHandler):
    """A handler that applies ``force_authenticate()`` to each request."""

    _force_user: object = None
    _force_token: object = None

    def get_response(self, request: HttpRequest) -> HttpResponseBase:
        force_authenticate(request, self._force_user, self._force_token)
        return super().get_response(request)


class AsyncForceAuthClientHandler(AsyncClientHandler):
    _force_user: object = None
    _force_token: object = None

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        force_authenticate(request, self._force_user, self._force_token)
        return await super().get_response_async(request)


#: Data, the format to encode it in, and the content type if it is encoded.
Body = tuple[object, str | None, str | None]


def _sending(method: str, send: Callable[..., object]) -> object:
    def request(
        self: object,
        path: str,
        data: object = None,
        format: str | None = None,
        content_type: str | None = None,
        follow: bool = False,
        **extra: object,
    ) -> object:
        return send(self, method, path, (data, format, content_type), follow, extra)

    if iscoroutinefunction(send):
        markcoroutinefunction(request)
    return named_method(method, request)


def _send(
    client: Any, method: str, path: str, body: Body, follow: bool, extra: dict[str, object]
) -> object:
    response = getattr(super(APIClient, client), method.lower())(path, *body, **extra)
    return _followed(client, response, body, extra) if follow else response


def _followed(client: Any, response: object, body: Body, extra: dict[str, object]) -> object:
    return client._handle_redirects(response, **_again(body), **extra)


def _again(body: Body) -> dict[str, object]:
    """Return arguments for a redirect that keeps the method (307, 308), and with it the body."""
    data, format, content_type = body
    named = {} if format is None else {"format": format}
    return {"data": data, "content_type": content_type, **named}


class APIClient(APIRequestFactory, Client):  # type: ignore[misc]
    """Django's test client with the formats of the API, ``credentials()`` and forced users."""

    def __init__(self, enforce_csrf_checks: bool = False, **defaults: Any) -> None:
        super().__init__(**defaults)
        self.handler: Any = ForceAuthClientHandler(enforce_csrf_checks)
        self._credentials: dict[str, object] = {}

    def credentials(self, **kwargs: object) -> None:
        """Send these WSGI variables, such as HTTP_AUTHORIZATION, with each further request."""
        self._credentials = kwargs

    def force_authenticate(self, user: AnyUser = None, token: AnyUser = None) -> None:
        """Use ``user`` and ``token`` for each further request; without both, log out."""
        self.handler._force_user = user
        self.handler._force_token = token
        if user is None and token is None:
            self.logout()

    def request(self, **kwargs: Any) -> Any:
        kwargs.update(self._credentials)
        return super().request(**kwargs)

    def get(self, path: str, data: Any = None, follow: bool = False, **extra: Any) -> Any:  # type: ignore[override]
        response = super().get(path, data=data, **extra)
        return _followed(self, response, (data, None, None), extra) if follow else response

    post: SendsData = _sending("POST", _send)  # type: ignore[assignment]
    put: SendsData = _sending("PUT", _send)  # type: ignore[assignment]
    patch: SendsData = _sending("PATCH", _send)  # type: ignore[assignment]
    delete: SendsData = _sending("DELETE", _send)  # type: ignore[assignment]
    options: SendsData = _sending("OPTIONS", _send)  # type: ignore[assignment]

    def logout(self) -> None:
        self._credentials = {}
        self.handler._force_user = None
        self.handler._force_token = None
        if self.session:
            super().logout()


async def _asend(
    client: Any, method: str, path: str, body: Body, follow: bool, extra: dict[str, Any]
) -> object:
    encoded, encoded_type = client._encode_data(*body)
    extra = {name.removeprefix("HTTP_"): value for name, value in extra.items()}
    response = await client.generic(method, path, encoded, encoded_type or "", **extra)
    extra.pop("QUERY_STRING", None)
    if not follow:
        return response
    return await client._ahandle_redirects(response, **_again(body), **extra)


class AsyncAPIClient(APIRequestMixin, AsyncClient):
    """APIClient on the event loop: every method that sends is awaited."""

    def __init__(self, enforce_csrf_checks: bool = False, **defaults: Any) -> None:
        set_renderers(self)
        super().__init__(**defaults)
        self.handler: Any = AsyncForceAuthClientHandler(enforce_csrf_checks)
        self._credentials: dict[str, str] = {}

    def credentials(self, **kwargs: str) -> None:
        """Send these headers, which may have WSGI names, with each further request."""
        self._credentials = {name.removeprefix("HTTP_"): text for name, text in kwargs.items()}

    def force_authenticate(self, user: AnyUser = None, token: AnyUser = None) -> None:
        """Use ``user`` and ``token`` for each further request; without both, stop."""
        self.handler._force_user = user
        self.handler._force_token = token

    async def request(self, **request: Any) -> Any:
        accepted = [
            (name.lower().replace("_", "-").encode("ascii"), value.encode("latin-1"))
            for name, value in self._credentials.items()
        ]
        names = {name for name, _ in accepted}
        sent = [header for header in request.get("headers", []) if header[0] not in names]
        scope = {**request, "headers": sent + accepted}
        response = await super().request(**scope)
        # Django follows redirects by WSGI names.
        response.request.update(REQUEST_METHOD=request["method"], PATH_INFO=request["path"])
        return response

    async def get(self, path: str, data: Any = None, follow: bool = False, **extra: Any) -> Any:  # type: ignore[override]
        extra = {**query_environ(path, data), **extra}
        return await _asend(self, "GET", path, (None, None, None), follow, extra)

    post: SendsData = _sending("POST", _asend)  # type: ignore[assignment]
    put: SendsData = _sending("PUT", _asend)  # type: ignore[assignment]
    patch: SendsData = _sending("PATCH", _asend)  # type: ignore[assignment]
    delete: SendsData = _sending("DELETE", _asend)  # type: ignore[assignment]
    options: SendsData = _sending("OPTIONS", _asend)  # type: ignore[assignment]
