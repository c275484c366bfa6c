"""Where an API may have its description: what links and catalogs say, and the usual paths."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from lintel_client.headers import Headers
from lintel_client.weblinks import link_with_relation
from lintel_document.urls import resolve

__all__ = ["CATALOG", "USUAL_PATHS", "catalogued", "is_root", "linked"]

SERVICE_DESC = "service-desc"

CATALOG = "/.well-known/api-catalog"
"""The catalog of the APIs of a host (RFC 9727)."""

USUAL_PATHS = (
    "/openapi.json",
    "/schema/",
    "/api/schema/",
    "/openapi.yaml",
    "/api/openapi.json",
    "/swagger.json",
    "/v3/api-docs",
    "/swagger/v1/swagger.json",
)


def linked(headers: Headers, url: str) -> str | None:
    """Return the description that the Link header of a page names (RFC 8631), None without one."""
    target = link_with_relation(headers, SERVICE_DESC)
    return None if target is None else resolve(url, target)


def catalogued(linkset: Any, url: str) -> Iterator[str]:
    """Yield the descriptions that a catalog names: a linkset in JSON (RFC 9264, 4.2)."""
    contexts = linkset.get("linkset") if isinstance(linkset, Mapping) else None
    for context in contexts if isinstance(contexts, list) else ():
        targets = context.get(SERVICE_DESC) if isinstance(context, Mapping) else None
        for target in targets if isinstance(targets, list) else ():
            href = target.get("href") if isinstance(target, Mapping) else None
            if isinstance(href, str):
                yield resolve(url, href)


def is_root(url: str) -> bool:
    """Return whether a URL names no more than a host, as opposed to one page of it."""
    parts = urlsplit(url)
    return parts.path in ("", "/") and not parts.query
