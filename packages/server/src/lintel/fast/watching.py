"""Notice what is asked of the databases while objects that were read together are in use.

Code of the project runs between the reading and the use. A statement of it that may do more than
read makes the objects outdated, on whatever connection of the thread: two aliases may lead to one
database, and ``SELECT set_config()`` leads to other tables. Statements that only read pass.

Not noticed is what avoids Django's cursors (the connection of the driver) or this thread.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created


class _Held(threading.local):
    """What this thread watches, and whom it tells."""

    def __init__(self) -> None:
        self.forgetting: list[Callable[[], None]] = []
        self.watched: list[_Watched] = []


@contextmanager
def watching(forget: Callable[[], None]) -> Iterator[None]:
    """Call ``forget`` before each statement inside the block that may do more than read."""
    _held.forgetting.append(forget)
    try:
        if len(_held.forgetting) == 1:
            _held.watched = [
                _Watched(connection) for connection in connections.all(initialized_only=True)
            ]
        yield
    finally:
        _held.forgetting.remove(forget)
        if not _held.forgetting:
            watched, _held.watched = _held.watched, []
            for connection in watched:
                connection.end()


def _notice() -> None:
    for forget in tuple(_held.forgetting):
        forget()


def _execute(
    execute: Callable[..., object], sql: object, params: object, many: bool, context: object
) -> object:
    if not only_reads(str(sql)):
        _notice()
    return execute(sql, params, many, context)


class _Watched:
    """A connection that tells what is executed, and when other code than Django's takes a cursor.

    Such code may call a procedure or copy rows, which passes by the wrappers of statements.
    """

    _NAMES = ("cursor", "chunked_cursor")

    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self.connection = connection
        self._own = {name: vars(connection).get(name) for name in self._NAMES}
        self._given = {name: _noticed(getattr(connection, name)) for name in self._NAMES}
        vars(connection).update(self._given)
        # First, because Django ends the wrapper of a block by taking the last one off.
        connection.execute_wrappers.insert(0, _execute)

    def end(self) -> None:
        """Leave the connection as it was, and what others have done to it meanwhile."""
        if _execute in self.connection.execute_wrappers:
            self.connection.execute_wrappers.remove(_execute)
        held = vars(self.connection)
        for name, given in self._given.items():
            if held.get(name) is given:
                del held[name]
                if self._own[name] is not None:
                    held[name] = self._own[name]


def _noticed(cursor: Callable[..., object]) -> Callable[..., object]:
    def take(*args: object, **kwargs: object) -> object:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if caller.partition(".")[0] not in _CAREFUL:
            _notice()
        return cursor(*args, **kwargs)

    return take


#: They use cursors for nothing but statements, which are looked at one by one.
_CAREFUL = ("django", "lintel")


def _opened(sender: object, connection: BaseDatabaseWrapper, **kwargs: object) -> None:
    if _held.forgetting:
        _notice()
        if all(watched.connection is not connection for watched in _held.watched):
            _held.watched.append(_Watched(connection))


_held = _Held()
connection_created.connect(_opened, dispatch_uid=__name__)


# What only reads


@lru_cache(maxsize=256)
def only_reads(sql: str) -> bool:
    """Return whether a statement is a SELECT without locks that calls only well-known functions."""
    sql = _LAST_COMMENT.sub("", sql)
    if not _SELECT.match(sql) or _MORE.search(sql):
        return False
    names = map(str.upper, _BEFORE_PARENTHESES.findall(sql))
    # Django gives functions of its own to SQLite.
    return all(name in _HARMLESS or name.startswith("DJANGO_") for name in names)


_SELECT = re.compile(r"[\s(]*SELECT\b", re.IGNORECASE)
#: As tools for tracing add it to each statement; MySQL executes those that begin with "!".
_LAST_COMMENT = re.compile(r"/\*[^*!+][^*]*\*/\s*$")
#: Further statements, comments that might hide something, and clauses that write or lock.
_MORE = re.compile(r";|--|/\*|#|\b(?:INTO|FOR|LOCK|PROCEDURE)\b", re.IGNORECASE)
#: Found in linear time: each word is looked at once, from its beginning.
_BEFORE_PARENTHESES = re.compile(r"(?<![\w.$\"`\]])([\w.$\"`\]]++)\s*+\(")
#: Keywords, and functions of the standard and of Django that change nothing.
_HARMLESS = frozenset(
    re.findall(
        r"\w+",
        """
ALL AND ANY AS BETWEEN BY CASE DISTINCT ELSE EXCEPT EXISTS FILTER FROM HAVING IN INTERSECT IS JOIN
LATERAL LIKE LIMIT NOT OFFSET ON OR OVER PARTITION SELECT SOME THEN UNION USING VALUES WHEN WHERE

ABS ARRAY_AGG AVG CAST CEIL CEILING CHAR_LENGTH COALESCE CONCAT CONCAT_WS COUNT DATE DATE_PART
DATE_TRUNC DENSE_RANK EXTRACT FIRST_VALUE FLOOR GREATEST GROUP_CONCAT IFNULL JSON JSON_AGG
JSON_EXTRACT JSON_TYPE JSONB_AGG LAG LAST_VALUE LEAD LEAST LEFT LENGTH LOWER LTRIM MAX MIN MOD NOW
NTILE NULLIF NUMERIC POWER RANK REPLACE RIGHT ROUND ROW_NUMBER RTRIM SQRT STDDEV_POP STDDEV_SAMP
STRFTIME STRING_AGG SUBSTR SUBSTRING SUM TRIM UPPER VAR_POP VAR_SAMP VARCHAR
""",
    )
)
