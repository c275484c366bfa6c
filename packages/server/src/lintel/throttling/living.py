"""Objects that threads share for as long as one of them holds them: locks and windows."""

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")

_living: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()
_making = threading.Lock()


def shared(key: Hashable, make: Callable[[], T]) -> T:
    """Return the object that somebody holds under ``key``, or else a new one."""
    with _making:
        value: T | None = _living.get(key)
        if value is None:
            value = _living[key] = make()
        return value
