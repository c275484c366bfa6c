"""The URLs of a document relative to its own URL (RFC 3986, section 5).

``relative`` is the inverse of ``resolve``: whatever it shortens, ``resolve`` restores
exactly.
"""

import re
from functools import lru_cache
from urllib.parse import urljoin

__all__ = ["joined", "relative", "resolve"]

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ORIGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")


def resolve(base: str, url: str) -> str:
    """Return ``url`` resolved against ``base``; an empty one is ``base`` itself.

    URLs that cannot be resolved are returned unchanged, so that reading never fails on one.
    """
    if not url:
        return base
    if _ABSOLUTE.match(url):
        return url
    origin = _origin(base)
    if origin and _is_plain_path(url):
        return origin + url
    try:
        return urljoin(base, url)
    except ValueError:
        return url


def relative(base: str, url: str) -> str:
    """Return the shortest form in which a document at ``base`` can write ``url``.

    That is empty for ``base`` itself, the path and query on the same scheme and host, and ``url``
    elsewhere.
    """
    if url == base:
        return ""
    origin = _origin(base)
    if origin and url.startswith(origin):
        path = url[len(origin) :]
        if _is_plain_path(path):
            return path
    return url


def joined(server: str, path: str) -> str:
    """Return the URL of a path below the URL of a server, whose query stays at the end.

    Slashes are not doubled at the joint.
    """
    base, _, query = server.partition("#")[0].partition("?")
    url = base.removesuffix("/") + path if path.startswith("/") else base + path
    if not query:
        return url
    return f"{url}{'&' if '?' in url else '?'}{query}"


@lru_cache(maxsize=128)
def _origin(url: str) -> str:
    found = _ORIGIN.match(url)
    return found.group() if found else ""


def _is_plain_path(path: str) -> bool:
    """Return whether the URL is just the origin with the path appended."""
    return path.startswith("/") and not path.startswith("//") and "/." not in path
