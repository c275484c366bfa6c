"""The origin of a URL, and the domains that a credential is meant for.

The code that sends a request must see the same host as the code that decides on credentials, so
URLs that parsers could read differently are rejected.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from lintel_client.errors import NetworkError

__all__ = ["Domain", "Origin", "origin_of", "same_home", "without_query"]

_DEFAULT_PORTS = {"http": 80, "https": 443}
_AMBIGUOUS = re.compile(r"[\x00-\x1f\x7f\\\ud800-\udfff]")
_AUTHORITY = re.compile(r"[^\s\x00-\x1f<>\"{}|^`%,;/?#\\]+")
_DOMAIN = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\s:/@\[\]*?#\\]+)(?::(?P<port>\d{1,5}))?")


class Origin(NamedTuple):
    """Scheme, host and port, in lower case and with the port filled in (RFC 6454)."""

    scheme: str
    host: str
    port: int


def origin_of(url: str) -> Origin:
    """Return the origin of an absolute URL.

    Raises NetworkError for a URL without scheme or host, with user information (which would
    be stored with the URL), or with characters that make its host uncertain.
    """
    if _AMBIGUOUS.search(url):
        raise NetworkError(f"The URL {url!r} contains a backslash or a control character")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise NetworkError(f"The URL {url!r} is not valid: {error}") from None
    if not parts.scheme or not parts.hostname:
        raise NetworkError(f"The URL {url!r} must be absolute, such as https://example.org/")
    if "@" in parts.netloc:
        raise NetworkError(
            "A URL must not contain a user name or password: use credentials instead"
        )
    if not _AUTHORITY.fullmatch(parts.netloc):
        raise NetworkError(f"The URL {url!r} has a host that is not valid")
    scheme = parts.scheme.lower()
    return Origin(scheme, _host(parts.hostname), port or _DEFAULT_PORTS.get(scheme, 0))


def without_query(url: str) -> str:
    """Return a URL for messages, without its query, which may hold credentials."""
    return url.partition("?")[0]


def same_home(target: Origin, home: Origin) -> bool:
    """Return whether ``target`` may see data of ``home``: same origin, or its https upgrade."""
    if target == home:
        return True
    upgraded = target.scheme == "https" and target.port == 443
    return upgraded and home == Origin("http", target.host, 80)


@dataclass(frozen=True, slots=True)
class Domain:
    """The hosts that credentials or headers are bound to.

    "example.org" is this host on any port, "example.org:8000" only this port,
    "*.example.org" all subdomains but not example.org itself, "*" every host.
    """

    host: str
    port: int | None = None
    subdomains: bool = False

    @classmethod
    def parse(cls, text: str) -> "Domain":
        """Read a domain. Raises ValueError for a URL, a path, or a ``*`` anywhere else."""
        if text == "*":
            return cls("", None, True)
        subdomains = text.startswith("*.")
        found = _DOMAIN.fullmatch(text[2:] if subdomains else text)
        if not found or int(found["port"] or 0) > 65535:
            raise ValueError(
                f"{text!r} is not a domain: give a host such as example.org, example.org:8000 or "
                "*.example.org"
            )
        return cls(_host(found["host"].strip("[]")), _port(found["port"]), subdomains)

    @property
    def precision(self) -> tuple[bool, int, bool]:
        """Return a sort key for domains of one host: pattern, then host, then host and port."""
        return not self.subdomains, len(self.host), self.port is not None

    def matches(self, origin: Origin) -> bool:
        """Return whether the origin's host, and the port if one is given, belong to the domain."""
        if self.port not in (None, origin.port):
            return False
        if not self.subdomains:
            return origin.host == self.host
        # An IP address has no subdomains.
        is_below = origin.host.endswith("." + self.host) and not origin.host[-1].isdigit()
        return is_below or not self.host


def _host(name: str) -> str:
    lowered = name.lower().rstrip(".")
    try:
        return lowered if lowered.isascii() else lowered.encode("idna").decode()
    except UnicodeError:
        return lowered


def _port(digits: str | None) -> int | None:
    return int(digits) if digits else None
