"""The bounded store of everything that is kept per class, model or connection."""

from typing import TypeVar

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")
DefaultT = TypeVar("DefaultT")

#: Maximum of entries. More would keep classes and models that were made at run time.
MAX_KEPT = 1024

_MISSING: object = object()


class Store(dict[KeyT, ValueT]):
    """A dictionary that stays within bounds.

    What is read by :meth:`recall` stays longest; ``get`` leaves the order alone. Threads may share
    a store: an entry dropped by another thread is made again.
    """

    __slots__ = ()

    def recall(self, key: KeyT, default: DefaultT) -> ValueT | DefaultT:
        """Return the entry of a key and mark it as the most recently used."""
        value = self.pop(key, _MISSING)
        if value is _MISSING:
            return default
        self[key] = value  # type: ignore[assignment]
        return self[key]

    def keep(self, key: KeyT, value: ValueT) -> None:
        """Store an entry; if there are too many, drop an eighth of them, the oldest first."""
        while len(self) >= MAX_KEPT:
            for oldest in list(self)[: max(1, MAX_KEPT // 8)]:
                self.pop(oldest, None)
        self[key] = value
