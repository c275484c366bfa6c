"""Bounded caches that drop the least recently used entry."""

from __future__ import annotations

from typing import Any

#: Maximum of statements per connection, and of entries for classes made at run time.
MAX_KEPT = 256

_MISSING: Any = object()


def recall(kept: dict[Any, Any], key: Any, default: Any = None) -> Any:
    """Return the entry of a key and mark it as the most recently used."""
    found = kept.pop(key, _MISSING)
    if found is _MISSING:
        return default
    kept[key] = found
    return found


def keep(kept: dict[Any, Any], key: Any, made: Any) -> None:
    """Store an entry; if there are too many, drop the least recently used.

    Threads may share a dictionary: an entry dropped by another thread is made again.
    """
    while len(kept) >= MAX_KEPT:
        for oldest in list(kept)[: max(1, MAX_KEPT // 8)]:
            kept.pop(oldest, None)
    kept[key] = made
