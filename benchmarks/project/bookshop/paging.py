"""The envelope of a page, where a framework leaves this to its users."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode


def envelope(
    address: str, query: Mapping[str, object], page: int, size: int, count: int, results: object
) -> dict[str, object]:
    """Return a page of results with links to its neighbours."""
    return {"count": count, **links(address, query, page, size, count), "results": results}


def links(
    address: str, query: Mapping[str, object], page: int, size: int, count: int
) -> dict[str, str | None]:
    """Return the links to the next page and to the previous one; None where there is none."""
    return {
        "next": link(address, query, page + 1) if page * size < count else None,
        "previous": link(address, query, page - 1) if page > 1 else None,
    }


def link(address: str, query: Mapping[str, object], page: int) -> str:
    others = {name: value for name, value in query.items() if name != "page"}
    parameters = sorted({**others, **({"page": page} if page > 1 else {})}.items())
    return f"{address}?{urlencode(parameters)}" if parameters else address


def is_beyond(page: int, size: int, count: int) -> bool:
    """Return whether there is no such page; the first one always exists."""
    return page < 1 or (page > 1 and (page - 1) * size >= count)
