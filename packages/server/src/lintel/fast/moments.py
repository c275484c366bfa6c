"""Values of ``timestamptz`` columns of PostgreSQL, parsed by Python's own parser.

Up to Django 6.0 a class in Python loads them, at 3.5 µs each: as much as all else in a list of
rows. Only cursors of :mod:`lintel.fast` load them in another way; what a project reads is loaded
by Django. All that is not plainly a moment in UTC (BC, infinity, another zone) goes to Django too.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, ClassVar, TypeAlias

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import DateTimeField
from django.db.models.expressions import BaseExpression

from lintel.trust.store import Store

#: The number of the type in any PostgreSQL (``pg_type.dat``), and psycopg's for the text format.
_TIMESTAMPTZ, _TEXT = 1184, 0

#: What psycopg hands over: bytes, a bytearray or a memoryview.
Buffer: TypeAlias = Any


class UTCLoader:
    """A loader as psycopg wants it, in place of ``django``, which inherits from ``psycopg``."""

    format = _TEXT
    django: ClassVar[Any]
    psycopg: ClassVar[Any]
    replaced: ClassVar[Any]
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


#: Our class for each of Django's; None where theirs is as quick.
_quick: Store[type, type[UTCLoader] | None] = Store()


def hasten(cursor: Any) -> None:
    """Have a new cursor of Django's load moments quickly where Django's class would load them."""
    # psycopg2 has none, and a cursor of the project may hide that of the driver.
    adapters: Any = getattr(getattr(cursor, "cursor", None), "adapters", None)
    if adapters is None:
        return
    django = adapters.get_loader(_TIMESTAMPTZ, _TEXT)
    quick = _quick[django] if django in _quick else _found(django)
    if not quick or django.timezone is not UTC:
        return
    if quick.psycopg.load is quick.replaced and _METHODS.isdisjoint(vars(django)):
        adapters.register_loader(_TIMESTAMPTZ, quick)


#: What a class of the project would define; Django's functions belong to the warrant of a database.
_METHODS = {"__new__", "__init__", "__getattribute__", "load", "format"}


def _found(django: Any) -> type[UTCLoader] | None:
    # Any class with its methods is a loader: it may have no bases.
    bases = django.__mro__[1:3]
    quick = None
    if [(cls.__module__, cls.__qualname__) for cls in bases] == _BASES:
        load = bases[1].load
        if load.__globals__["__name__"] == bases[1].__module__:
            names = {"__slots__": (), "django": django, "psycopg": bases[1], "replaced": load}
            quick = type("UTCLoader", (UTCLoader,), names)
    _quick.keep(django, quick)
    return quick


_BASES = [
    ("django.db.backends.postgresql.psycopg_any", "BaseTzLoader"),
    ("psycopg.types.datetime", "TimestamptzLoader"),
]
