"""What has been made once, within bounds: what was used last stays longest."""

from __future__ import annotations

from typing import Any

#: Statements that one connection keeps, and what is kept for classes made at run time.
MAX_KEPT = 256

_MISSING: Any = object()


def recall(kept: dict[Any, Any], key: Any, default: Any = None) -> Any:
    """What is kept under a key, which becomes the last one to go."""
    found = kept.pop(key, _MISSING)
    if found is _MISSING:
        return default
    kept[key] = found
    return found


def keep(kept: dict[Any, Any], key: Any, made: Any) -> None:
    """Keep what was made; where there is too much, what was not used for longest goes.

    Dictionaries may be shared by threads: what another thread takes away meanwhile is made again.
    """
    while len(kept) >= MAX_KEPT:
        for oldest in list(kept)[: max(1, MAX_KEPT // 8)]:
            kept.pop(oldest, None)
    kept[key] = made
