"""How the URLs of a document relate to its own URL (RFC 3986, section 5).

``relative`` is the inverse of ``resolve``: whatever it shortens, ``resolve`` restores to the
letter.
"""

import re
from functools import lru_cache
from urllib.parse import urljoin

__all__ = ["joined", "relative", "resolve"]

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ORIGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")


def resolve(base: str, url: str) -> str:
    """Return ``url`` as seen from ``base``; an empty one is ``base`` itself.

    URLs that cannot be resolved come back as they are, so that reading never fails on one.
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

    That is nothing for ``base`` itself, the path and query on the same scheme and host, and ``url``
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

    Slashes are not doubled where the two meet.
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
    """Whether appending the path to an origin is all there is to resolving it."""
    return path.startswith("/") and not path.startswith("//") and "/." not in path
