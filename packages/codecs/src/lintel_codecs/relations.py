"""Link relations as keys: short, unique, and independent of their order in a file."""

import re
from collections.abc import Iterable

from lintel_document.links import Link
from lintel_document.methods import is_safe, reads_safe

__all__ = ["Names", "honest", "short_relation", "slug"]

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_OTHERS = re.compile(r"[^0-9A-Za-z\u0080-\U0010ffff]+")
_LONGEST = 80


def short_relation(relation: str) -> str:
    """Return a relation without its CURIE prefix, or the last segment of a URL."""
    if _URL.match(relation):
        tail = re.split(r"[/#]", relation.rstrip("/#"))[-1]
    else:
        tail = relation.partition(":")[2]
    return tail or relation


def slug(text: str) -> str:
    """Return the words of a text joined by underscores, in lower case, at most 80 characters."""
    return _OTHERS.sub("_", text).strip("_").lower()[:_LONGEST]


def honest(key: str, link: Link) -> str:
    """Return a key of a link; where it would hide a write, the method stands first.

    A relation says what is at the URL, not what the link does there: "list" of a DELETE is
    "delete_list".
    """
    return key if is_safe(link.action) or not reads_safe(key) else f"{link.action.lower()}_{key}"


class Names:
    """Names in use; ``unused`` appends a number, from 2, to one that is taken."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._taken

    def unused(self, key: str, joint: str = "_") -> str:
        """Return an unused name, and record it; ``joint`` precedes the number."""
        free = key
        while free in self._taken:
            self._numbers[key] = self._numbers.get(key, 1) + 1
            free = f"{key}{joint}{self._numbers[key]}"
        self._taken.add(free)
        return free
