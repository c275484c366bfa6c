"""Errors of databases, caches and disks that are away, full or busy: the code is not wrong.

With SERVICE_ERRORS these become 503 with Retry-After. Whether a write was carried out is unknown
after some of them, as after any lost connection: Idempotency-Key makes it safe to repeat one.
Writes that row security refuses become 403.
"""

import errno
import logging
from collections.abc import Iterator

from django.db import Error, OperationalError

from lintel.settings import api_settings

logger = logging.getLogger("lintel.outages")

#: Seconds after which a client may try again.
RETRY_AFTER = 2

#: Classes of SQLSTATE (appendix A of PostgreSQL's manual): lost connections, conflicts of
#: transactions, missing resources (memory, disk, connections), shutdown, and errors of the system.
CLASSES = ("08", "40", "53", "57P", "58")

#: Read-only after a failover; a lock, and a statement, that took longer than the project allows.
STATES = frozenset(["25006", "55P03", "57014"])

#: SQLite: locked by another process, disk full, unreadable, not there, read-only.
SQLITE_ERRORS = frozenset(
    ["BUSY", "LOCKED", "FULL", "IOERR", "CANTOPEN", "READONLY"],
)

#: MySQL: no connection, too many, lost; locks and deadlocks.
MYSQL_ERRORS = frozenset([1040, 1205, 1213, 2002, 2003, 2006, 2013])

#: Errors of client libraries of caches, by their class, and that of our deadlines.
CACHE_ERRORS = frozenset(
    [
        "lintel.throttling.deadlines.NoAnswer",
        *(
            f"{library}.exceptions.{name}"
            for library in ("redis", "valkey")
            for name in ("ConnectionError", "TimeoutError", "ReadOnlyError", "OutOfMemoryError")
        ),
    ]
)


#: No room for what is uploaded, on the disk or for the user.
DISK_ERRORS = frozenset([errno.ENOSPC, errno.EDQUOT])

#: The function of PostgreSQL that refuses rows by its rules, since the message is translated, and
#: its SQLSTATE, which missing privileges have as well.
_RULES, _REFUSED = "ExecWithCheckOptions", "42501"

#: The class of errors of which a driver knows no more.
_ANY = "DatabaseError"


def is_outage(error: BaseException) -> bool:
    """Return whether an error, or one that it was raised from, means that a server is away."""
    is_away = (_is_of_driver, _is_of_cache, _is_of_disk)
    return any(is_of(cause) for cause in _causes(error) for is_of in is_away)


def takes_for_outage(error: BaseException) -> bool:
    """Return the same if SERVICE_ERRORS is on, and log it, since nobody else will."""
    if not api_settings.SERVICE_ERRORS or not is_outage(error):
        return False
    logger.error("%s: %r", type(error).__name__, str(error))
    return True


def is_refused_row(error: BaseException) -> bool:
    """Return whether SERVICE_ERRORS is on and a rule of PostgreSQL's row security refuses a row."""
    return api_settings.SERVICE_ERRORS and any(map(_is_of_rules, _causes(error)))


def takes_for_refusal(error: BaseException) -> bool:
    """Return the same, and log it: the project may have meant to refuse the row itself."""
    if not is_refused_row(error):
        return False
    logger.warning("%s: %r", type(error).__name__, str(error))
    return True


def _is_of_rules(error: BaseException) -> bool:
    state = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
    told = getattr(error, "diag", None)
    return state == _REFUSED and getattr(told, "source_function", None) == _RULES


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in seen:
        seen.append(cause)
        yield cause
        # Django refuses what comes after a lost connection without naming it as the cause.
        context = cause.__context__ if isinstance(cause, Error) else None
        cause = cause.__cause__ or context


def _is_of_driver(error: BaseException) -> bool:
    """Whether it is an error of a database's driver, or Django's whose driver tells no state."""
    for state in ("sqlstate", "pgcode"):  # psycopg 3 and 2
        if hasattr(error, state):
            return _is_of_state(getattr(error, state), error)
    name = getattr(error, "sqlite_errorname", None)
    if name is not None:
        return str(name).removeprefix("SQLITE_").partition("_")[0] in SQLITE_ERRORS
    is_of_database = isinstance(error, OperationalError)
    return is_of_database and bool(error.args) and error.args[0] in MYSQL_ERRORS


def _is_of_state(state: str | None, error: BaseException) -> bool:
    """Without a state no server has answered: the connection could not be made, or broke.

    A pooler that gives up a connection may answer a statement twice, an InternalError of psycopg.
    """
    if state is None:
        names = [cls.__name__ for cls in type(error).__mro__]
        return not {"OperationalError", "InternalError"}.isdisjoint(names) or names[0] == _ANY
    return state in STATES or state.startswith(CLASSES)


def _is_of_disk(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno in DISK_ERRORS


def _is_of_cache(error: BaseException) -> bool:
    names = (f"{cls.__module__}.{cls.__qualname__}" for cls in type(error).__mro__)
    return not CACHE_ERRORS.isdisjoint(names)
