"""Where an instance keeps prefetched rows: their querysets are made when somebody looks at them.

Django makes a manager and a queryset for each relation of each instance of a list, which takes
longer than the rows. Code that only shows the rows needs neither.
"""

from collections.abc import Callable
from threading import RLock
from typing import Any

from django.db.models import Model, QuerySet

#: Where Django keeps the objects of relations to many.
PREFETCHED = "_prefetched_objects_cache"

#: What makes the queryset of a relation, without its rows.
MakeQuerySet = Callable[[], QuerySet[Any]]

_MAKING = RLock()


def _after_all(name: str) -> Any:
    method = getattr(dict, name)

    def call(self: "Prefetched", *args: Any, **kwargs: Any) -> Any:
        self.settle()
        return method(self, *args, **kwargs)

    return call


class Prefetched(dict[str, Any]):
    """The cache that Django would have filled with querysets, one for each relation."""

    __slots__ = ("_makers",)

    def __init__(self) -> None:
        super().__init__()
        #: By name in the cache, which has bare rows meanwhile.
        self._makers: dict[str, MakeQuerySet] = {}

    def keep(self, name: str, rows: list[Model], make: MakeQuerySet) -> None:
        self._makers[name] = make
        super().__setitem__(name, rows)

    def settle(self) -> None:
        """Make all querysets."""
        for name in tuple(self._makers):
            self._settle(name)

    def _settle(self, name: str) -> None:
        with _MAKING:
            make = self._makers.get(name)
            if make is None:
                return
            if make is _looks:
                # The manager that is asked for a new queryset looks whether there is one.
                raise KeyError(name)
            self._makers[name] = _looks
            try:
                queryset = make()
            except BaseException:
                self._makers[name] = make
                raise
            _fill(queryset, super().__getitem__(name))
            super().__setitem__(name, queryset)
            del self._makers[name]

    def __getitem__(self, name: str) -> Any:
        if name in self._makers:
            self._settle(name)
        return super().__getitem__(name)

    def __reduce__(self) -> tuple[object, ...]:
        return dict, (dict(self),)

    get = _after_all("get")
    pop = _after_all("pop")
    popitem = _after_all("popitem")
    setdefault = _after_all("setdefault")
    update = _after_all("update")
    clear = _after_all("clear")
    copy = _after_all("copy")
    items = _after_all("items")
    values = _after_all("values")
    __iter__ = _after_all("__iter__")
    __reversed__ = _after_all("__reversed__")
    __setitem__ = _after_all("__setitem__")
    __delitem__ = _after_all("__delitem__")
    __eq__ = _after_all("__eq__")
    __ne__ = _after_all("__ne__")
    __or__ = _after_all("__or__")
    __ror__ = _after_all("__ror__")
    __ior__ = _after_all("__ior__")
    __repr__ = _after_all("__repr__")


def _looks() -> QuerySet[Any]:
    """Stand for what makes a queryset while it does."""
    raise KeyError


def _fill(queryset: Any, rows: list[Model]) -> None:
    queryset._result_cache, queryset._prefetch_done = rows, True


def keep(
    instance: Model,
    cache_name: str,
    rows: list[Model],
    make: Callable[[Any], QuerySet[Any]],
    name: str,
) -> None:
    """Keep prefetched rows; ``make(manager)`` makes their queryset."""
    held = vars(instance)
    cache = held.get(PREFETCHED)
    if type(cache) is not Prefetched and not cache:
        cache = held[PREFETCHED] = Prefetched()

    def made() -> QuerySet[Any]:
        return make(getattr(instance, name))

    if type(cache) is Prefetched:
        cache.keep(cache_name, rows, made)
        return
    queryset = made()
    _fill(queryset, rows)
    cache[cache_name] = queryset


def rows_in(cache: Any, name: str) -> Any:
    """Return what a cache holds: a queryset, or the bare rows of one; None for nothing."""
    return dict.get(cache, name) if type(cache) is Prefetched else cache.get(name)


def drop(cache: Any, name: str) -> None:
    if type(cache) is Prefetched and name in cache._makers:
        del cache._makers[name]
        dict.__delitem__(cache, name)
    else:
        cache.pop(name, None)


def are_rows(cached: Any, rows: object) -> bool:
    """Return whether what a cache holds now is, or was made from, what it held."""
    return cached is rows or (isinstance(cached, QuerySet) and cached._result_cache is rows)
