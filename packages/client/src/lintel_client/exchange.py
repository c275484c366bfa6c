"""The conversation about one call, without any input or output.

`exchange` is a generator: it yields each request to send and is sent the response of each, so
that a synchronous and an asynchronous shell differ in how they send alone.
"""

from collections.abc import Generator
from dataclasses import replace

from lintel_client.auth import Auth
from lintel_client.errors import TooManyRedirects
from lintel_client.messages import Request, Response
from lintel_client.redirects import redirected

__all__ = ["MAX_REDIRECTS", "exchange"]

MAX_REDIRECTS = 20


def exchange(request: Request, auth: Auth | None) -> Generator[Request, Response, Response]:
    """Yield the requests of one call, credentials decided anew for each; return the last response.

    Raises TooManyRedirects after MAX_REDIRECTS, NetworkError for a redirect that leads nowhere.
    """
    for _ in range(MAX_REDIRECTS + 1):
        sent = replace(
            request, headers=request.headers.setting(auth.headers(request) if auth else [])
        )
        response = yield sent
        if auth:
            auth.observe(sent, response)
        following = redirected(request, response)
        if following is None:
            return response
        response.close()
        request = following
    raise TooManyRedirects(f"More than {MAX_REDIRECTS} redirects, the last one to {request.url}")
