"""Fixtures of the server tests, and handling of contract groups that are not built yet."""

from collections import Counter
from collections.abc import Iterator
from os import environ
from typing import Any

import database_states
import pytest
import served_clients
from contract_replay import isolation, pending, target
from django.db import transaction
from hypothesis import settings
from servers import Redis, postgresql_database, running_redis, sqlite_database

# How long an example takes depends more on the machine than on the code.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

if environ.get("LINTEL_SERVING") == "on":
    served_clients.install()

PENDING = pytest.StashKey[Counter[tuple[str, str]]]()
MOST_NAMED = 8


@pytest.fixture(scope="module")
def fixture_rows(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Load the rows of the sample project for a whole module; each case undoes its own changes."""
    with django_db_blocker.unblock(), isolation.rolled_back():
        target.load_rows()
        yield


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Redis]:
    """A Redis server for all tests of this process."""
    with running_redis() as server:
        yield server


@pytest.fixture(scope="session")
def postgresql(django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """The alias of a database on a PostgreSQL server, for all tests of this process."""
    with postgresql_database("postgresql", django_db_blocker, database_states.reached) as alias:
        yield alias


@pytest.fixture(scope="session")
def sqlite_file(django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """The alias of an SQLite database in a file, for all tests of this process."""
    with sqlite_database("sqlite_file", django_db_blocker) as alias:
        yield alias


@pytest.fixture(params=["sqlite_file", "postgresql"])
def alias(request: Any, django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """A database with rows for look-ups, on both systems; nothing of them stays."""
    from orm_lookups import add_rows  # its models need the set-up project

    name = request.param
    request.getfixturevalue(name)
    with django_db_blocker.unblock(), transaction.atomic(name):
        add_rows(name)
        yield name
        transaction.set_rollback(True, using=name)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--pending", action="store_true", help="run pending groups of the contract too"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the cases of groups that are not built yet; the summary counts them."""
    is_off = environ.get("LINTEL_SHORTCUTS") == "off"
    if is_off or environ.get("LINTEL_ORM_SHORTCUTS") == "off":
        for item in items:
            if item.get_closest_marker("shortcuts"):
                item.add_marker(pytest.mark.skip(reason="there are no shortcuts"))
            if item.get_closest_marker("fast_way"):
                item.add_marker(pytest.mark.skip(reason="the ORM is not known"))
    if is_off or environ.get("LINTEL_COMPILE_SERIALIZERS") == "never":
        for item in items:
            if item.get_closest_marker("compiled") or item.get_closest_marker("fast_way"):
                item.add_marker(pytest.mark.skip(reason="serializers are not compiled"))
    if "LINTEL_DATABASE_STATE" in environ:
        others = [item for item in items if not uses_postgresql(item)]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in set(others)]
    if config.getoption("--pending"):
        return
    groups = {item: group_of(item) for item in items}
    left_out = [item for item, group in groups.items() if group in pending.groups()]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]
    config.stash[PENDING] = Counter(groups[item] for item in left_out)


def uses_postgresql(item: pytest.Item) -> bool:
    """Whether a test has the shared database on PostgreSQL, which a state is about."""
    names = getattr(item, "fixturenames", ())
    params = item.callspec.params if hasattr(item, "callspec") else {}
    return "postgresql" in names or "postgresql" in [params.get(name) for name in names]


def group_of(item: pytest.Item) -> tuple[str, str] | None:
    """Return file and group of a contract test, or the field that a property test searches."""
    marker = item.get_closest_marker("contract")
    params = item.callspec.params if hasattr(item, "callspec") else {}
    if marker is None or not marker.args or not {"case", "name"} & set(params):
        return None
    return marker.args[0], params["case"].group if "case" in params else params["name"]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Report how much of the contract is left out."""
    counts = config.stash.get(PENDING, Counter())
    for name in sorted({name for name, _ in counts}):
        here = {group: count for (file, group), count in counts.items() if file == name}
        groups = ", ".join(here) if len(here) <= MOST_NAMED else f"({len(here)} groups)"
        total = sum(here.values())
        terminalreporter.write_line(f"contract: {total} cases pending in {name}: {groups}")
