"""Finds the description of an API behind a URL that is none itself."""

import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from itertools import islice
from threading import Thread
from typing import Any

from lintel_client.cli.failures import Failure
from lintel_client.cli.output import note
from lintel_client.discovery import CATALOG, USUAL_PATHS, catalogued, is_root, linked
from lintel_client.errors import LintelError, NetworkError
from lintel_client.messages import Request, Response
from lintel_client.origins import origin_of, same_home
from lintel_client.retries import Retry
from lintel_document.document import Document
from lintel_document.urls import resolve

__all__ = ["described"]

SECONDS = 1.0
"""How long to look for a description; one that is named may take longer to arrive."""

MAX_NAMED = 16
"""How many descriptions that a catalog names are tried."""

Place = tuple[str, str, float | None]
"""What names a description, its URL, and the seconds to wait for it, None for no special limit."""


def described(client: Any, url: str, page: Response | None) -> Document | None:
    """Return the description that a page, or its host, has elsewhere; None without one.

    Says where it was. Only the host of ``url`` is asked, and the one where the page was found: what
    is sent there is not for others. Raises Failure if there is a description on another host alone.
    """
    homes = _Homes(url, page)
    hooks, client.hooks = client.hooks, (*client.hooks, homes)
    try:
        return _described(client, url, page, homes)
    finally:
        client.hooks = hooks


def _described(client: Any, url: str, page: Response | None, homes: "_Homes") -> Document | None:
    elsewhere: dict[str, str] = {}
    for place, target, seconds in _Search(client, url, page).targets():
        if not homes.have(target):
            elsewhere.setdefault(target, place)
            continue
        found = _content(client, target, seconds)
        if isinstance(found, Document):
            note(f"Found by {place}: {found.url or target}")
            return found
    for target, place in elsewhere.items():
        if _is_http(target):
            raise Failure(f"{place} names a description on another host: lintel get {target}")
    return None


class _Homes:
    """The hosts that may be asked: the one that the user named, and the one that it led to.

    As a hook it stops redirects to all others.
    """

    def __init__(self, url: str, page: Response | None) -> None:
        self._origins = [origin_of(each) for each in (url, page.url if page else url)]

    def have(self, target: str) -> bool:
        try:
            origin = origin_of(target)
        except LintelError:
            return False
        return any(same_home(origin, each) for each in self._origins)

    def before(self, request: Request) -> None:
        if not self.have(request.url):
            raise NetworkError(f"It leads to another host, {origin_of(request.url).host}")


class _Search:
    """The places where a description may be, the surest first, until the time is over."""

    def __init__(self, client: Any, url: str, page: Response | None) -> None:
        self._client = client
        self._url = url
        self._page = page
        self._end = time.monotonic() + SECONDS

    def targets(self) -> Iterator[Place]:
        """Yield the places one after the other."""
        target = linked(self._page.headers, self._page.url) if self._page else None
        if target:
            yield "the Link header of the page", target, None
        if not is_root(self._url):
            return
        yield from self._of_catalog(resolve(self._url, CATALOG))
        for path in USUAL_PATHS:
            if self._left <= 0:
                note(f"The host took longer than {SECONDS:.0f} s; give the URL of its description.")
                return
            yield "its usual path", resolve(self._url, path), self._left

    def _of_catalog(self, catalog: str) -> Iterator[Place]:
        named = dict.fromkeys(catalogued(_content(self._client, catalog, self._left), catalog))
        for target in islice(named, MAX_NAMED):
            yield f"the catalog {catalog}", target, None
        if len(named) > MAX_NAMED:
            note(f"The catalog {catalog} names {len(named)} descriptions; {MAX_NAMED} were tried.")

    @property
    def _left(self) -> float:
        return self._end - time.monotonic()


def _content(client: Any, url: str, seconds: float | None) -> Any:
    """Return what is at a URL, None if it does not answer in time, or with an error."""
    if seconds is None:
        return _fetched(client, url, None)
    # The time limits of a request begin again with each byte, so a thread may be left behind.
    limit = max(seconds, 0.01)
    found: Future[Any] = Future()
    work = partial(copy_context().run, _fulfil, found, client, url, limit)
    Thread(target=work, daemon=True).start()
    try:
        return found.result(limit)
    except TimeoutError:
        return None


def _fulfil(found: Future[Any], client: Any, url: str, limit: float) -> None:
    try:
        found.set_result(_fetched(client, url, limit))
    except BaseException as error:
        found.set_exception(error)


def _fetched(client: Any, url: str, limit: float | None) -> Any:
    try:
        return client.get(url, timeout=limit, retry=Retry(total=0))
    except LintelError:
        return None


def _is_http(target: str) -> bool:
    try:
        return origin_of(target).scheme in ("http", "https")
    except LintelError:
        return False
