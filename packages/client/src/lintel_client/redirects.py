"""Redirects: which request follows a response (RFC 9110, section 15.4)."""

from dataclasses import replace

from lintel_client.errors import NetworkError
from lintel_client.messages import AsyncResponse, Request, Response
from lintel_client.origins import origin_of, same_home
from lintel_document.urls import resolve

__all__ = ["redirected"]

REDIRECTS = frozenset({301, 302, 303, 307, 308})
# The only request headers that another host may see.
PUBLIC_HEADERS = (
    "Accept",
    "User-Agent",
    "Content-Type",
    "Content-Disposition",
    "Accept-Encoding",
    "Range",
    "If-Range",
)
BODY_HEADERS = ("Content-Type", "Content-Disposition")


def redirected(request: Request, response: Response | AsyncResponse) -> Request | None:
    """Return the request to send next, None if the response is the final one.

    303 turns every request into GET, 301 and 302 do so with POST, as browsers do. Headers other
    than PUBLIC_HEADERS are not sent to other origins. Raises NetworkError for a redirect to
    anything but an http or https URL.
    """
    location = response.headers.get("Location")
    if response.status not in REDIRECTS or not location:
        return None
    url = resolve(request.url, location).partition("#")[0]
    target = origin_of(url)
    if target.scheme not in ("http", "https"):
        raise NetworkError(f"The server redirects to {target.scheme}, which is not followed")
    headers = request.headers
    if not same_home(target, origin_of(request.url)):
        headers = headers.keeping(PUBLIC_HEADERS)
    following = replace(request, url=url, headers=headers)
    return _as_get(following) if _becomes_get(request.method, response.status) else following


def _becomes_get(method: str, status: int) -> bool:
    if status == 303:
        return method != "HEAD"
    return status in (301, 302) and method == "POST"


def _as_get(request: Request) -> Request:
    kept = [name for name in request.headers if name.title() not in BODY_HEADERS]
    return replace(request, method="GET", headers=request.headers.keeping(kept), body=None)
