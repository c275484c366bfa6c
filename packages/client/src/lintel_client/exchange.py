"""The conversation about one request: redirects, credentials and hooks, without input or output."""

from collections.abc import Sequence
from typing import Any, Protocol

from lintel_client.auth import Auth
from lintel_client.errors import TooManyRedirects
from lintel_client.messages import Request
from lintel_client.origins import without_query
from lintel_client.redirects import redirected
from lintel_client.steps import AnyResponse, Call, Close, Invoke

__all__ = ["MAX_REDIRECTS", "Hook", "exchange", "with_credentials"]

MAX_REDIRECTS = 20


class Hook(Protocol):
    """What a client calls around each request that it sends, redirects and retries included.

    Both methods may be missing, and may be ``async def`` for an AsyncClient.
    """

    def before(self, request: Request) -> Any:
        """Look at a request before credentials are added; return another one to send it instead."""

    def after(self, request: Request, response: Any) -> Any:
        """Look at the request that was sent and at its response, whose body is unread."""


def exchange(request: Request, auth: Auth | None, hooks: Sequence[Any] = ()) -> Call[AnyResponse]:
    """Yield the requests of one call, credentials decided anew for each; return the last response.

    Raises TooManyRedirects after MAX_REDIRECTS, NetworkError for a redirect that leads nowhere.
    """
    for _ in range(MAX_REDIRECTS + 1):
        request = yield from _announced(request, hooks)
        sent = with_credentials(request, auth)
        response = yield sent
        if auth:
            auth.observe(sent, response)
        for hook in hooks:
            if hasattr(hook, "after"):
                yield Invoke(hook.after, (sent, response))
        following = redirected(request, response)
        if following is None:
            return response
        yield Close(response)
        request = following
    place = without_query(request.url)
    raise TooManyRedirects(f"More than {MAX_REDIRECTS} redirects, the last one to {place}")


def with_credentials(request: Request, auth: Auth | None) -> Request:
    """Return a request with what proves who is asking."""
    return request if auth is None else auth.prepared(request)


def _announced(request: Request, hooks: Sequence[Any]) -> Call[Request]:
    for hook in hooks:
        if hasattr(hook, "before"):
            request = (yield Invoke(hook.before, (request,))) or request
    return request
