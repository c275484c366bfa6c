"""Values of ``timestamptz`` columns of PostgreSQL, parsed by Python's own parser.

Up to Django 6.0 a class in Python loads them, at 3.5 µs each: as much as all else in a list of
rows. Only cursors of :mod:`lintel.fast` load them in another way; what a project reads is loaded
by Django. All that is not plainly a moment in UTC (BC, infinity, another zone) goes to Django too.
"""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, TypeAlias

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import DateTimeField
from django.db.models.expressions import BaseExpression

from lintel.overrides import package_of
from lintel.trust.store import Store

#: The number of the type in any PostgreSQL (``pg_type.dat``), and psycopg's for the text format.
TIMESTAMPTZ, TEXT = 1184, 0

#: What psycopg hands over: bytes, a bytearray or a memoryview.
Buffer: TypeAlias = Any


class UTCLoader:
    """A loader as psycopg wants it, in place of ``django``."""

    format = TEXT
    django: ClassVar[Any]
    __slots__ = ("_connection", "_oid")

    def __init__(self, oid: int, context: Any) -> None:
        self._oid, self._connection = oid, context.connection

    def load(self, data: Buffer) -> datetime:
        """Return the moment; raises what Django's loader raises."""
        # 2026-05-17 08:30:15.123456+00
        if data[-3:] == b"+00" and data[4:5] == b"-" and data[10:11] == b" ":
            return datetime.fromisoformat(str(data, "ascii"))
        loaded: datetime = self.django(self._oid, self._connection).load(data)
        return loaded


def has_moments(columns: Iterable[BaseExpression], connection: BaseDatabaseWrapper) -> bool:
    """Return whether :func:`hasten` gains anything for a statement with these columns."""
    return connection.vendor == "postgresql" and any(
        isinstance(column.output_field, DateTimeField) for column in columns
    )


#: By class of a loader: what is known of it, if it is Django's.
_loaders: Store[type, "_Origin | None"] = Store()


@dataclass(frozen=True, slots=True)
class _Origin:
    """A loader of Django: whether psycopg still loads behind it, and ours in its place.

    None where Django's is as quick.
    """

    is_over_psycopg: Callable[[], bool]
    quick: type[UTCLoader] | None = None


def hasten(cursor: Any) -> None:
    """Have a new cursor of Django's load moments quickly where Django's class would load them."""
    # psycopg2 has none, and a cursor of the project may hide that of the driver.
    adapters: Any = getattr(getattr(cursor, "cursor", None), "adapters", None)
    if adapters is None:
        return
    origin = _origin_of(adapters.get_loader(TIMESTAMPTZ, TEXT))
    if origin is not None and origin.quick is not None:
        adapters.register_loader(TIMESTAMPTZ, origin.quick)


def loads_utc(loader: Any) -> bool:
    """Return whether a loader is one of Django's, with psycopg's own behind it, and sets UTC."""
    return _origin_of(loader) is not None


def _origin_of(loader: Any) -> _Origin | None:
    origin = _loaders[loader] if loader in _loaders else _found(loader)
    if origin is None or loader.timezone is not UTC or not origin.is_over_psycopg():
        return None
    return origin if _METHODS.isdisjoint(vars(loader)) else None


#: What a class of the project would define; Django's functions belong to the warrant of a database.
_METHODS = {"__new__", "__init__", "__getattribute__", "load", "format"}


def _found(django: Any) -> _Origin | None:
    # Any class with its methods is a loader: it may have no bases.
    bases = django.__mro__[1:3]
    names = [(cls.__module__, cls.__qualname__) for cls in bases]
    origin = None
    if names == _BASES:
        origin = _origin_in_python(django, bases[1])
    elif names[:1] == _BASES[:1]:
        origin = _origin_in_c(vars(sys.modules[bases[0].__module__]))
    _loaders.keep(django, origin)
    return origin


def _origin_in_python(django: Any, psycopg: Any) -> _Origin | None:
    """Up to Django 6.0, its class inherits from that of psycopg in Python."""
    load = psycopg.load
    if load.__globals__["__name__"] != psycopg.__module__:
        return None
    quick = type("UTCLoader", (UTCLoader,), {"__slots__": (), "django": django})
    return _Origin(lambda: psycopg.load is load, quick)


def _origin_in_c(module: dict[str, Any]) -> _Origin | None:
    """From Django 6.1 on, its class calls the one that psycopg had registered."""
    psycopg = module.get(_BEHIND)
    return _Origin(lambda: module[_BEHIND] is psycopg) if is_compiled(psycopg) else None


_BEHIND = "orig_tz_loader_cls"
_BASES = [
    ("django.db.backends.postgresql.psycopg_any", "BaseTzLoader"),
    ("psycopg.types.datetime", "TimestamptzLoader"),
]

#: Of ``type.__flags__``: a class made at run time, whose methods can be replaced.
_HEAP_TYPE = 1 << 9


def is_compiled(loader: Any) -> bool:
    """Return whether a class is one of psycopg's in C."""
    return (
        isinstance(loader, type)
        and package_of(loader) in ("psycopg_binary", "psycopg_c")
        and not loader.__flags__ & _HEAP_TYPE
    )
