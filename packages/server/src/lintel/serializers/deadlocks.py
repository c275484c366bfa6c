"""Writes of many rows that a database undoes because another transaction waits for them in a ring.

No order of locks avoids this: Django's deletions begin at the deepest rows, writes of trees at the
root. What was undone is written again, when the other transaction has what it waited for.
"""

import random
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

from django.core.files.base import File
from django.db import OperationalError, connections, transaction

T = TypeVar("T")

#: Seconds before each repetition: whoever was waiting for the rows has to get them first.
PAUSES = (0.1, 0.4)

#: PostgreSQL by SQLSTATE; MySQL and Oracle by number.
_DEADLOCKS = frozenset(["40P01", 1213, 60])


def written(database: str, write: Callable[[], T], values: object = None) -> T:
    """Call ``write()`` in a transaction; again if it has been undone for a deadlock."""

    def write_all() -> T:
        with transaction.atomic(using=database):
            return write()

    return repeated(database, write_all, values)


def repeated(database: str, write: Callable[[], T], values: object = None) -> T:
    """Call what has a transaction of its own; again if this has been undone for a deadlock.

    Not if the values contain files, which may have been moved to their storage, nor inside of a
    transaction where the database cannot undo a part of one. Raises OperationalError then.
    """
    connection = connections[database]
    is_part = connection.in_atomic_block and connection.vendor != "postgresql"
    for pause in PAUSES:
        try:
            return write()
        except OperationalError as error:
            if is_part or not is_deadlock(error) or _has_files(values):
                raise
        time.sleep(pause * random.uniform(0.5, 1))  # noqa: S311 - only spreads the waiting
    return write()


def is_deadlock(error: OperationalError) -> bool:
    number = error.args[0] if error.args else None
    code = getattr(error.__cause__, "sqlstate", None) or getattr(number, "code", number)
    return code in _DEADLOCKS


def _has_files(values: object) -> bool:
    if isinstance(values, Mapping):
        values = list(values.values())
    if isinstance(values, list | tuple | set):
        return any(map(_has_files, values))
    return isinstance(values, File)
