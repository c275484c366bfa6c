"""The exchange for one request: redirects, credentials and hooks, without input or output."""

from collections.abc import Sequence
from typing import Any, Protocol

from lintel_client.auth import Auth
from lintel_client.errors import TooManyRedirects
from lintel_client.messages import Request
from lintel_client.origins import without_query
from lintel_client.redirects import redirected
from lintel_client.refusals import note_refusal
from lintel_client.steps import AnyResponse, Call, Close, Invoke

__all__ = ["MAX_REDIRECTS", "Hook", "exchange", "with_credentials"]

MAX_REDIRECTS = 20


class Hook(Protocol):
    """Callbacks around each request that is sent, including redirects and retries.

    Both methods are optional, and may be ``async def`` for an AsyncClient.
    """

    def before(self, request: Request) -> Any:
        """Inspect the request before credentials are added; return another one to send instead."""

    def after(self, request: Request, response: Any) -> Any:
        """Inspect the request that was sent and its response, whose body is unread."""


def exchange(request: Request, auth: Auth | None, hooks: Sequence[Any] = ()) -> Call[AnyResponse]:
    """Yield the requests of one call, deciding on credentials each time; return the last response.

    A request whose credentials are refused is sent once more if the authentication has new ones.
    Raises TooManyRedirects after MAX_REDIRECTS, NetworkError for an invalid redirect.
    """
    may_recover = auth is not None
    for _ in range(MAX_REDIRECTS + 1):
        request = yield from _announced(request, hooks)
        sent, response = yield from _sending(request, auth, hooks)
        following = redirected(request, response)
        if response.status == 401 and auth and may_recover:
            may_recover = False
            following = request if (yield from auth.recovering(sent, response)) else None
        if following is None:
            return response
        yield Close(response)
        request = following
    place = without_query(request.url)
    raise TooManyRedirects(f"More than {MAX_REDIRECTS} redirects, the last one to {place}")


def with_credentials(request: Request, auth: Auth | None) -> Request:
    """Return a request with authentication."""
    return request if auth is None else auth.prepared(request)


def _sending(
    request: Request, auth: Auth | None, hooks: Sequence[Any]
) -> Call[tuple[Request, AnyResponse]]:
    """Send a request; return it with its credentials, and the response."""
    if auth:
        yield from auth.readying(request)
    sent = with_credentials(request, auth)
    response = yield sent
    if auth:
        auth.observe(sent, response)
        if sent.url != request.url or sent.headers.pairs() != request.headers.pairs():
            note_refusal(sent, response)
    for hook in hooks:
        if hasattr(hook, "after"):
            yield Invoke(hook.after, (sent, response))
    return sent, response


def _announced(request: Request, hooks: Sequence[Any]) -> Call[Request]:
    for hook in hooks:
        if hasattr(hook, "before"):
            request = (yield Invoke(hook.before, (request,))) or request
    return request
