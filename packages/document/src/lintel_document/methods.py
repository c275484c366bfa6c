"""Which methods promise to change nothing, and which names promise the same."""

import re

__all__ = ["SAFE_METHODS", "is_safe", "reads_safe"]

SAFE_METHODS = frozenset({"get", "head", "options", "query"})
"""The safe methods (RFC 9110, 9.2.1) except TRACE, which returns the credentials of a request."""

# The verbs of reading at the start of names, such as those that our own naming uses.
_READING = frozenset(
    {
        *("read", "list", "get", "show", "retrieve", "head", "options"),
        *("view", "fetch", "describe", "detail", "details", "info"),
    }
)
_FIRST_WORD = re.compile(r"[^A-Za-z0-9]*([A-Z]?[a-z]+|[A-Z]+)")


def is_safe(method: str) -> bool:
    """Return whether a method changes nothing; an empty one is GET."""
    return (method or "get").lower() in SAFE_METHODS


def reads_safe(name: str) -> bool:
    """Return whether a name begins with a verb of reading, so that nobody expects it to write."""
    found = _FIRST_WORD.match(name)
    return found is not None and found[1].lower() in _READING
