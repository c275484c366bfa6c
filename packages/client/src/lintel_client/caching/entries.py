"""What a cache keeps of a response, and how long that is fresh (RFC 9111, section 4.2)."""

import re
from dataclasses import dataclass, replace
from datetime import UTC
from email.utils import parsedate_to_datetime

from lintel_client.headers import Headers
from lintel_client.messages import Request

__all__ = ["Entry", "directives_of", "is_fresh"]

# Fields of one connection, and of a body that a 304 does not have (RFC 9111, section 3.2).
_OWN = frozenset(
    {
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "te"),
        *("trailer", "upgrade", "transfer-encoding", "age"),
        *("content-length", "content-encoding", "content-range", "content-type"),
    }
)
# A jar must not see old cookies again.
_DROPPED = frozenset({"set-cookie", "set-cookie2", "connection", "transfer-encoding"})
_DIRECTIVE = re.compile(r'([^\s=,;"]+)\s*(?:=\s*(?:"([^"]*)"|([^\s,;"]*)))?')
_LONGEST = 2**31


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored response: its headers and body, and when it was asked for and received.

    ``varying`` are the values of those request headers named by Vary that the key leaves out.
    """

    headers: Headers
    body: bytes
    requested: float
    received: float
    varying: tuple[tuple[str, str], ...] = ()

    def age(self, now: float) -> float:
        """Return the age in seconds; a clock that went back makes it endless."""
        if now < self.received:
            return _LONGEST
        apparent = max(0.0, self.received - _seconds(self.headers.get("Date"), self.received))
        corrected = _number(self.headers.get("Age", "")) + self.received - self.requested
        return max(apparent, corrected) + now - self.received

    def lifetime(self) -> float:
        """Return for how many seconds the response is fresh; it is never guessed."""
        directives = directives_of(self.headers)
        if "no-cache" in directives:
            return 0
        if "max-age" in directives:
            return _number(directives["max-age"])
        if "Expires" not in self.headers:
            return 0
        date = _seconds(self.headers.get("Date"), self.received)
        return max(0, _seconds(self.headers["Expires"], 0) - date)

    def conditions(self) -> list[tuple[str, str]]:
        """Return the header fields that ask whether the response is still the current one."""
        named = (("If-None-Match", "ETag"), ("If-Modified-Since", "Last-Modified"))
        return [(name, self.headers[of]) for name, of in named if of in self.headers]

    def renewed(self, headers: Headers, requested: float, received: float) -> "Entry | None":
        """Return the entry with the headers of a 304; None if that is about another response."""
        tag, named = self.headers.get("ETag"), headers.get("ETag")
        if tag and named and tag.removeprefix("W/") != named.removeprefix("W/"):
            return None
        new = [(name, value) for name, value in headers.pairs() if name.lower() not in _OWN]
        replaced = {name.lower() for name, _ in new} | {"age"}
        old = [pair for pair in self.headers.pairs() if pair[0].lower() not in replaced]
        merged = kept_headers(Headers([*old, *new]))
        return replace(self, headers=merged, requested=requested, received=received)


def kept_headers(headers: Headers) -> Headers:
    """Return the headers to store."""
    return Headers([pair for pair in headers.pairs() if pair[0].lower() not in _DROPPED])


def directives_of(headers: Headers) -> dict[str, str]:
    """Return the directives of Cache-Control in lower case; of one given twice, the first."""
    found: dict[str, str] = {}
    for name, quoted, plain in _DIRECTIVE.findall(headers.get("Cache-Control", "")):
        found.setdefault(name.lower(), quoted or plain)
    if "Cache-Control" not in headers and "no-cache" in headers.get("Pragma", "").lower():
        found["no-cache"] = ""
    return found


def is_fresh(entry: Entry, request: Request, now: float) -> bool:
    """Return whether a stored response may answer a request without asking the server."""
    asked, age, lifetime = directives_of(request.headers), entry.age(now), entry.lifetime()
    own = directives_of(entry.headers)
    if "no-cache" in asked or "no-cache" in own:
        return False
    if "max-age" in asked and age > _number(asked["max-age"]):
        return False
    if lifetime > age + _number(asked.get("min-fresh", "")):
        return True
    if "max-stale" not in asked or "must-revalidate" in own:
        return False
    return age - lifetime <= (_number(asked["max-stale"]) if asked["max-stale"] else _LONGEST)


def _number(text: str) -> float:
    """Return seconds; what is no number counts as none, so that the response is stale."""
    return min(int(text), _LONGEST) if text.isascii() and text.isdigit() and len(text) < 99 else 0


def _seconds(date: str | None, otherwise: float) -> float:
    """Return a date as seconds since 1970, ``otherwise`` for none and for an invalid one."""
    try:
        found = parsedate_to_datetime(date) if date else None
        return found.replace(tzinfo=found.tzinfo or UTC).timestamp() if found else otherwise
    except (ValueError, TypeError, OverflowError):
        return otherwise
