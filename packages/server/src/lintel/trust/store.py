"""Bounded caches of what was made for connections, and of what was found out about classes."""

from __future__ import annotations

from typing import Any

#: Maximum of statements per connection.
MAX_KEPT = 256
#: Maximum of entries for classes and models. More would keep those that were made at run time.
MAX_CLASSES = 1024

_MISSING: Any = object()


def recall(kept: dict[Any, Any], key: Any, default: Any = None) -> Any:
    """Return the entry of a key and mark it as the most recently used."""
    found = kept.pop(key, _MISSING)
    if found is _MISSING:
        return default
    kept[key] = found
    return found


def keep(kept: dict[Any, Any], key: Any, made: Any) -> None:
    """Store an entry; if there are too many, drop the first.

    These are the least recently used where :func:`recall` reads, else the oldest. Threads may
    share a dictionary: an entry dropped by another thread is made again.
    """
    _keep(kept, key, made, MAX_KEPT)


def keep_of_class(kept: dict[Any, Any], key: Any, made: Any) -> None:
    """Store what was found out about a class, which is one of many."""
    _keep(kept, key, made, MAX_CLASSES)


def _keep(kept: dict[Any, Any], key: Any, made: Any, most: int) -> None:
    while len(kept) >= most:
        for first in list(kept)[: max(1, most // 8)]:
            kept.pop(first, None)
    kept[key] = made
