"""What ``ready`` asks. A check is any callable without arguments that raises if it fails.

Each runs in a thread of its own, with database connections of its own, which are closed after it.
"""

import secrets
from collections.abc import Callable
from typing import TypeAlias

from django.conf import settings
from django.core.cache import caches as django_caches
from django.core.cache.backends.dummy import DummyCache
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

Check: TypeAlias = Callable[[], object]

#: The prefix of the keys that the checks use in caches.
PREFIX = "lintel-health-"

#: How long a cache keeps what a check has not removed.
STORED_SECONDS = 60

#: How many migrations an error names.
MOST_NAMED = 3


class Failed(Exception):
    """A check has failed; the text says why, for operators."""


def name_of(check: Check) -> str:
    """The name of a check in answers and logs: ``name``, or that of the function."""
    return str(getattr(check, "name", None) or getattr(check, "__name__", type(check).__name__))


def databases() -> None:
    """Every database of DATABASES opens a connection and answers."""
    for alias in connections:
        with connections[alias].cursor() as cursor:
            cursor.execute("SELECT 1")


def caches() -> None:
    """Every cache of CACHES returns what it is given, but those that store nothing."""
    for alias in settings.CACHES:
        cache, key = django_caches[alias], PREFIX + secrets.token_hex(8)
        if isinstance(cache, DummyCache):
            continue
        cache.set(key, alias, timeout=STORED_SECONDS)
        if cache.get(key) != alias:
            raise Failed(f"the cache {alias!r} does not return what it is given")
        cache.delete(key)


class Migrations:
    """Every migration of this code has been applied; asked until it is so, then no more."""

    name = "migrations"

    def __init__(self) -> None:
        self.passed = False

    def __call__(self) -> None:
        if not self.passed:
            for alias in connections:
                _check_migrations(alias)
            self.passed = True


migrations = Migrations()


def _check_migrations(alias: str) -> None:
    executor = MigrationExecutor(connections[alias])
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        names = ", ".join(f"{step.app_label}.{step.name}" for step, _ in plan[:MOST_NAMED])
        raise Failed(f"{len(plan)} migrations of {alias!r} are not applied: {names}")


def beat(name: str, seconds: float, cache: str = "default") -> None:
    """Say that a worker of this name lives; it counts as dead after these seconds without a beat.

    Call it in the loop of a worker, in any process that shares the cache.
    """
    django_caches[cache].set(PREFIX + name, "alive", timeout=seconds)


class Heartbeat:
    """A check: a worker of this name has called :func:`beat` in time."""

    def __init__(self, worker: str, cache: str = "default") -> None:
        self.worker = worker
        self.cache = cache
        self.name = f"worker {worker}"

    def __call__(self) -> None:
        if django_caches[self.cache].get(PREFIX + self.worker) is None:
            raise Failed(f"no sign of life from the worker {self.worker!r}")
