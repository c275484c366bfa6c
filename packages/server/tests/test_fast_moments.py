"""Moments that PostgreSQL returns are those that Django's own loader makes of them."""

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import django
import pytest
from django.db import connections
from django.test import override_settings
from psycopg.types.datetime import TimestamptzLoader

from lintel.fast import moments
from lintel.fast.selections import fetched

SEED = 20
TIMESTAMPTZ, TEXT = 1184, 0

MOMENTS = [
    "2026-05-17 08:30:15.123456+00",
    "2026-05-17 08:30:15.12+00",
    "2026-05-17 08:30:15+00",
    "0001-01-01 00:00:00+00",
    "9999-12-31 23:59:59.999999+00",
    "1970-01-01 00:00:00.000001+00",
    "2024-02-29 12:00:00-07:30",
    "1890-06-01 12:00:00+00:19:32",
]
BEYOND_PYTHON = ["0044-03-15 12:00:00+00 BC", "infinity", "-infinity", "10000-01-01 00:00:00+00"]


Session = Callable[..., Any]


@pytest.fixture
def session(postgresql: str, django_db_blocker: Any) -> Iterator[Session]:
    """A function that connects anew, with these settings of the database."""

    def connect(**settings: str) -> Any:
        connection.close()
        with connection.cursor() as cursor:
            for name, value in settings.items():
                cursor.execute(f"SET {name} TO '{value}'")
        return connection

    connection = connections[postgresql]
    with django_db_blocker.unblock():
        yield connect
        connection.close()
        connection.__dict__.pop("timezone", None)


def read(connection: Any, texts: list[str], quickly: bool) -> list[Any]:
    """The outcomes: each a value with its type of zone, or an exception's class and text."""
    outcomes: list[Any] = []
    for text in texts:
        with connection.cursor() as cursor:
            if quickly:
                moments.hasten(cursor)
            cursor.execute(f"SELECT x::timestamptz FROM (VALUES ('{text}'), (NULL)) AS t(x)")
            try:
                rows = cursor.fetchall()
            except Exception as error:
                outcomes.append((type(error), str(error)))
            else:
                outcomes.append([(value, str(value)) for (value,) in rows])
    return outcomes


@pytest.mark.parametrize("zone", ["UTC", "Europe/London", "Asia/Kathmandu", "Africa/Monrovia"])
def test_values_and_errors_are_those_of_django_in_each_zone_of_a_session(
    session: Session, zone: str
) -> None:
    connection = session(timezone=zone)
    texts = [*MOMENTS, *BEYOND_PYTHON, "2025-10-26 00:30:00+00", "2025-10-26 01:30:00+00"]
    assert read(connection, texts, True) == read(connection, texts, False)


@pytest.mark.parametrize("style", ["SQL, DMY", "German", "Postgres"])
def test_other_styles_of_dates_fail_as_with_django(session: Session, style: str) -> None:
    connection = session(datestyle=style)
    assert read(connection, MOMENTS, True) == read(connection, MOMENTS, False)


def test_any_moment_is_read_as_by_django(session: Session) -> None:
    chance = random.Random(SEED)
    start = datetime(1, 1, 1, tzinfo=UTC)
    span = datetime(9999, 12, 31, tzinfo=UTC) - start
    texts = [str(start + span * chance.random()) for _ in range(200)]
    texts += [str(start + timedelta(seconds=chance.randrange(10**9))) for _ in range(50)]
    connection = session()
    assert read(connection, texts, True) == read(connection, texts, False)


@override_settings(USE_TZ=False)
def test_without_zones_values_stay_without_a_zone(session: Session) -> None:
    connection = session()
    connection.__dict__.pop("timezone", None)
    quick = read(connection, MOMENTS, True)
    assert quick == read(connection, MOMENTS, False)
    assert quick[0][0][0].tzinfo is None


def test_a_loader_of_the_project_goes_on_to_load(session: Session) -> None:
    connection = session()
    django_loader = connection.connection.adapters.get_loader(TIMESTAMPTZ, TEXT)

    class Masking(django_loader):
        timezone = UTC

        def load(self, data: Any) -> datetime:
            return super().load(data).replace(second=0)

    connection.connection.adapters.register_loader("timestamptz", Masking)
    ((value, _), _) = read(connection, MOMENTS[:1], True)[0]
    assert value == datetime(2026, 5, 17, 8, 30, 0, 123456, tzinfo=UTC)


def test_a_loader_without_a_base_goes_on_to_load(session: Session) -> None:
    class Alone:
        format, timezone = TEXT, UTC

        def __init__(self, oid: int, context: Any = None) -> None: ...

        def load(self, data: Any) -> datetime:
            return datetime(1999, 1, 1, tzinfo=UTC)

    connection = session()
    connection.connection.adapters.register_loader("timestamptz", Alone)
    ((value, _), _) = read(connection, MOMENTS[:1], True)[0]
    assert value == datetime(1999, 1, 1, tzinfo=UTC)


class Hiding:
    """A cursor of the project with no more than what Django calls."""

    def __init__(self, cursor: Any) -> None:
        self.execute, self.fetchmany, self.close = cursor.execute, cursor.fetchmany, cursor.close

    def __enter__(self) -> "Hiding":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def test_a_cursor_may_hide_that_of_the_driver(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = session()
    cursor = connection.cursor
    monkeypatch.setattr(connection, "cursor", lambda: Hiding(cursor()))
    statement = f"SELECT '{MOMENTS[0]}'::timestamptz"
    rows, sent = fetched(connection, statement, (), with_moments=True, numbers=[TIMESTAMPTZ])
    assert sent == {}
    assert rows == [(datetime(2026, 5, 17, 8, 30, 15, 123456, tzinfo=UTC),)]


def test_a_patched_loader_of_psycopg_goes_on_to_load(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = session()
    load = TimestamptzLoader.load
    monkeypatch.setattr(
        TimestamptzLoader, "load", lambda self, data: load(self, data).replace(second=0)
    )
    ((value, _), _) = read(connection, MOMENTS[:1], True)[0]
    assert value.second == (0 if django.VERSION < (6, 1) else 15)


def test_the_project_s_own_cursors_keep_the_loader_of_django(session: Session) -> None:
    connection = session()
    with connection.cursor() as cursor:
        moments.hasten(cursor)
        quick = cursor.cursor.adapters.get_loader(TIMESTAMPTZ, TEXT)
    with connection.cursor() as cursor:
        loader = cursor.cursor.adapters.get_loader(TIMESTAMPTZ, TEXT)
    assert loader.__module__ == "django.db.backends.postgresql.psycopg_any"
    # Django 6.1 loads by psycopg's C code itself.
    assert issubclass(quick, moments.UTCLoader) == (django.VERSION < (6, 1))
