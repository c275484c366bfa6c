"""Whether classes have changed since they were last compared, as one question.

CPython gives a class a version when a name is looked up on it, and takes the version away from the
class and its subclasses when it changes. A *watcher* is a subclass of some classes on which nothing
but this module looks anything up: while it has a version, none of them has changed. Its flags say
so (``Py_TPFLAGS_VALID_VERSION_TAG``). An interpreter that keeps versions elsewhere, as Python 3.13
does, never gives the flag; the classes are then compared each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import RLock
from typing import Any

from lintel.provenance import package_of

_HAS_VERSION = 1 << 19
_flags_of: Callable[[type], int] = type.__dict__["__flags__"].__get__
_mro_of: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__


class _Watching(type):
    """Leads look-ups to the first watched class: the watcher must not get a version by them."""

    def __getattribute__(cls, name: str) -> Any:
        return getattr(_mro_of(cls)[2], name)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return _mro_of(cls)[2](*args, **kwargs)


class _Silent:
    """First base of watchers: hooks of the watched classes are not told about a subclass."""

    looked_up = True

    def __init_subclass__(cls) -> None:
        """Stand before the hooks."""


def is_watchable(cls: type) -> bool:
    """Return whether a class of Django may be watched: it does not change by being used.

    Fields and managers count their instances in the class.
    """
    return (
        type(cls) is type and package_of(cls) == "django" and not hasattr(cls, "creation_counter")
    )


def watched(classes: Iterable[type], compare: Callable[[], bool]) -> Callable[[], bool]:
    """Return a function that calls ``compare`` only if one of the classes may have changed.

    ``compare`` returns whether the classes hold what they held when it was made.
    """
    watchers = _watchers([*classes]) if GIVES_FLAGS else []
    if not watchers:
        return compare
    lock = RLock()
    is_equal = False

    def still_holds() -> bool:
        # In this order: whoever gives a watcher its version takes the answer back before.
        for watcher in watchers:
            if not _flags_of(watcher) & _HAS_VERSION:
                return compared()
        return is_equal or compared()

    def compared() -> bool:
        nonlocal is_equal
        if not lock.acquire(blocking=False):
            return compare()
        try:
            is_equal = False
            for watcher in watchers:
                _look_up(watcher)
            is_equal = compare()
            return is_equal
        finally:
            lock.release()

    return still_holds


def _look_up(watcher: type) -> None:
    """Give a watcher a version; what changes from here on takes it away."""
    type.__getattribute__(watcher, "looked_up")


def _watchers(classes: list[type]) -> list[type]:
    """Return as few watchers as the orders of bases allow."""
    result: list[type] = []
    together: list[type] = []
    for cls in classes:
        if any(issubclass(other, cls) for other in classes if other is not cls):
            continue
        try:
            watcher = _watcher([*together, cls])
        except TypeError:
            together, watcher = [], _watcher([cls])
        else:
            result = result[:-1] if together else result
        together.append(cls)
        result.append(watcher)
    return result


def _watcher(classes: Iterable[type]) -> type:
    return _Watching("Watcher", (_Silent, *classes), {})


def _gives_flags() -> bool:
    """Try it: whether a version is given by a look-up here, and taken away by a change alone."""
    base: Any = type("Base", (), {"held": 1})
    cls: Any = type("Watched", (base,), {})
    watcher = _watcher([cls])
    _look_up(watcher)
    gives = bool(_flags_of(watcher) & _HAS_VERSION)
    base.held = 2
    reads = cls.held, cls().held, base.held, watcher.held  # type: ignore[attr-defined]
    return gives and reads == (2,) * 4 and not _flags_of(watcher) & _HAS_VERSION


#: Whether this interpreter shows versions in the flags of classes.
GIVES_FLAGS = _gives_flags()
