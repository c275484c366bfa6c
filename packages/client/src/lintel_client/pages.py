"""The items of all pages of a list, fetched page by page while they are read."""

import warnings
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from lintel_client.errors import IncompleteList, NetworkError
from lintel_client.messages import Request
from lintel_client.origins import Origin, origin_of, same_home
from lintel_client.paging import (
    TOKEN_PARAMETERS,
    items_of,
    next_parameters,
    next_url,
    sign_of_more,
    total_of,
)
from lintel_client.redirects import BODY_HEADERS, PUBLIC_HEADERS
from lintel_client.steps import AnyResponse, Call
from lintel_document.links import Link
from lintel_document.operations import Pagination
from lintel_document.urls import resolve

__all__ = ["AsyncPages", "Pages", "Walk", "WalkStart"]

Parameters = Mapping[str, Any]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class WalkStart:
    """How a walk over pages begins, and how its requests are made and sent."""

    link: Link
    params: Parameters
    pagination: Pagination | None
    build: Callable[[Parameters], Request]
    fetch: Callable[[Request], Call[tuple[AnyResponse, Any]]]


class Walk:
    """One walk over all pages, from the first one on. It ends if a page repeats."""

    def __init__(self, start: WalkStart) -> None:
        self._start = start
        self._params = dict(start.params)
        self._first = start.build(start.params)
        self._following: Request | None = self._first
        self._seen: set[tuple[str, str, Any]] = set()
        self.total: int | None = None

    @property
    def more(self) -> bool:
        """Return whether there is another page."""
        return self._following is not None

    def page(self) -> Call[Sequence[Any]]:
        """Fetch the next page and return its items."""
        request = self._following
        if request is None:
            return []
        self._seen.add(_identity(request))
        response, result = yield from self._start.fetch(request)
        hint = self._start.pagination
        total = total_of(result, response.headers, hint)
        self.total = self.total if total is None else total
        following = self._next(response, result)
        if following is None and request is self._first:
            self._warn(sign_of_more(result, response.headers, self._params, hint))
        repeated = following is not None and _identity(following) in self._seen
        self._following = None if repeated else following
        return items_of(result, hint)

    def _next(self, response: AnyResponse, result: Any) -> Request | None:
        start = self._start
        hint = start.pagination
        by_parameter = bool(hint and hint.parameter)
        url = next_url(result, response.headers, hint, tokens=by_parameter or _has_cursor(start))
        if url is not None:
            return self._following_link(response.url, url)
        changed = next_parameters(result, response.headers, start.link, self._params, hint)
        if changed is None:
            return None
        self._params.update(changed)
        return start.build(self._params)

    def _warn(self, sign: str) -> None:
        if sign:
            message = (
                f"The first page says that there are more items ({sign}), but not how to get them: "
                "say so, with pagination=Pagination(...)"
            )
            warnings.warn(message, IncompleteList, stacklevel=2)

    def _following_link(self, base: str, link: str) -> Request:
        """Return the request for a link in a response. Secrets stay on the origin of the call."""
        url = resolve(base, link).partition("#")[0]
        home = origin_of(self._first.home or self._first.url)
        target = origin_of(url)
        if target.scheme not in ("http", "https"):
            raise NetworkError(f"The next page is a {target.scheme} URL, which is not followed")
        if home == Origin("https", target.host, 443) and target[::2] == ("http", 80):
            # Behind a proxy that terminates TLS, services write http links.
            url, target = "https" + url[len("http") :], home
        first = self._first
        if same_home(target, origin_of(first.url)) or same_home(target, home):
            return replace(first, url=url)
        public = [name for name in PUBLIC_HEADERS if name not in BODY_HEADERS]
        headers = first.headers.keeping(public)
        return replace(first, method="GET", url=url, headers=headers, body=None)


class _Pages:
    """The shared part of Pages and AsyncPages."""

    def __init__(self, start: WalkStart, take: Callable[[Call[Any]], Any]) -> None:
        self._start = start
        self._take = take
        self._walk = Walk(start)
        self._begun = False
        # What turns the data of an item into what is yielded.
        self.read_item: Callable[[Any], Any] | None = None

    @property
    def total(self) -> int | None:
        """Return the total of items; None before the first page, and if no page states it."""
        return self._walk.total

    def _walking(self) -> Walk:
        """Return a walk from the first page on, a new one each time."""
        if self._begun:
            self._walk = Walk(self._start)
        self._begun = True
        return self._walk


class Pages(_Pages, Generic[Item]):
    """All items of a list, page after page. Each iteration starts at the first page."""

    def __iter__(self) -> Iterator[Item]:
        walk = self._walking()
        while walk.more:
            items = self._take(walk.page())
            yield from items if self.read_item is None else map(self.read_item, items)


class AsyncPages(_Pages, Generic[Item]):
    """All items of a list, page after page, for ``async for``."""

    async def __aiter__(self) -> AsyncIterator[Item]:
        walk = self._walking()
        while walk.more:
            for item in await self._take(walk.page()):
                yield item if self.read_item is None else self.read_item(item)


def _identity(request: Request) -> tuple[str, str, Any]:
    return request.method, request.url, request.body


def _has_cursor(start: WalkStart) -> bool:
    from_link = {field.name for field in start.link.fields}
    return bool(from_link & set(TOKEN_PARAMETERS))
