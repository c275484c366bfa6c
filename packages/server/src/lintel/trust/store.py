"""The bounded store of everything that is kept per class, model or connection."""

from typing import TypeVar

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")

#: Maximum of entries. More would keep classes and models that were made at run time.
MAX_KEPT = 1024


class Store(dict[KeyT, ValueT]):
    """A dictionary that stays within bounds. Another thread may drop an entry at any time."""

    __slots__ = ()

    def keep(self, key: KeyT, value: ValueT) -> None:
        """Store an entry; if there are too many, drop an eighth of them, the oldest first."""
        while len(self) >= MAX_KEPT:
            for oldest in list(self)[: max(1, MAX_KEPT // 8)]:
                self.pop(oldest, None)
        self[key] = value
