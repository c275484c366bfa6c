"""What is noticed of statements while objects that were read together are in use."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from contract_project.models import Tag
from django.db import connection, connections
from django.db.models import Count, F, Q
from django.db.models.functions import Lower
from servers import another_alias, wrappers

from lintel.fast.watching import only_reads, watching

pytestmark = pytest.mark.django_db


@contextmanager
def noticed() -> Iterator[list[None]]:
    found: list[None] = []
    with watching(lambda: found.append(None)):
        yield found


def raw(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


READING = {
    "rows": lambda: list(Tag.objects.filter(pk__in=[1, 2]).order_by("name")),
    "condition": lambda: Tag.objects.filter(Q(name="a") | ~Q(pk=2, name__in=["b"])).exists(),
    "counts": lambda: list(Tag.objects.annotate(n=Count("snippets")).values_list("n")),
    "functions": lambda: list(Tag.objects.annotate(low=Lower("name"))),
    "streamed": lambda: list(Tag.objects.filter(name=F("name")).iterator()),
    "union": lambda: list(Tag.objects.filter(pk=1).union(Tag.objects.filter(pk=2))),
}


@pytest.mark.parametrize("name", READING)
def test_reading_passes(name: str) -> None:
    with noticed() as found:
        READING[name]()
    assert found == []


WRITING = {
    "row": lambda: Tag.objects.get_or_create(name="new")[0].delete(),
    "update": lambda: Tag.objects.filter(pk=-1).update(name="new"),
    "cursor": lambda: raw("SELECT 1"),
    "cursor alone": lambda: connection.cursor().close(),
}


@pytest.mark.parametrize("name", WRITING)
def test_writing_is_noticed(name: str) -> None:
    with noticed() as found:
        WRITING[name]()
    assert found
    found.clear()
    WRITING[name]()
    assert found == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT set_config('search_path', 'b', false)",
        'SELECT "write" (1)',
        "SELECT public.write(1)",
        "SELECT write/**/(1)",
        "SELECT `write`(1)",
        "SELECT 1; DELETE FROM tag",
        "SELECT * INTO other FROM tag",
        "SELECT * FROM tag FOR UPDATE",
        "WITH gone AS (DELETE FROM tag RETURNING *) SELECT * FROM gone",
        "SELECT 1 /*!50000 , write(1) */",
        "SELECT 1 -- */",
        "SAVEPOINT a",
        "SELECTED",
        "",
    ],
)
def test_what_may_write(sql: str) -> None:
    assert not only_reads(sql)


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT "tag"."id" FROM "tag" WHERE ("tag"."id" IN (%s, %s) AND NOT (EXISTS(SELECT 1)))',
        " (select count(*) from tag) union (select 1)",
        "SELECT 1 /*traceparent='00-1'*/",
        "SELECT (1 + (2)) * (3)",
        f"SELECT '{'a' * 1_000_000}'",
    ],
)
def test_what_only_reads(sql: str) -> None:
    assert only_reads(sql)


def test_blocks_inside_of_blocks() -> None:
    with noticed() as outer:
        with noticed() as inner:
            Tag.objects.create(name="a")
        Tag.objects.create(name="b")
    assert (len(inner), len(outer)) == (1, 2)


def test_connections_are_left_as_they_were() -> None:
    connection = connections["default"]
    own = connection.cursor
    vars(connection)["cursor"] = own
    wrapped: list[str] = []

    def wrapper(execute: Any, sql: Any, *args: Any) -> Any:
        wrapped.append(sql)
        return execute(sql, *args)

    try:
        with noticed() as found, connection.execute_wrapper(wrapper):
            Tag.objects.count()
        assert (len(wrapped), found) == (1, [])
        assert vars(connection)["cursor"] is own
    finally:
        del vars(connection)["cursor"]
    assert "chunked_cursor" not in vars(connection)
    assert wrappers(connection) == []
    with noticed():
        vars(connection)["cursor"] = own  # somebody else's from now on
    assert vars(connection).pop("cursor") is own


def test_blocks_of_the_project_that_end_meanwhile() -> None:
    def through(execute: Any, *args: Any) -> Any:
        return execute(*args)

    block = connection.execute_wrapper(through)
    block.__enter__()
    with noticed() as found:
        block.__exit__(None, None, None)
        WRITING["update"]()
        assert found
    assert wrappers(connection) == []


def test_connections_opened_again(sqlite_file: str, django_db_blocker: Any) -> None:
    with another_alias(sqlite_file) as alias, django_db_blocker.unblock():
        there = connections[alias]
        Tag.objects.using(alias).count()
        with noticed():
            there.close()
            Tag.objects.using(alias).count()
            assert len(wrappers(there)) == 1
        assert wrappers(there) == []
        assert vars(there).keys().isdisjoint(["cursor", "chunked_cursor"])


def test_connections_opened_meanwhile(sqlite_file: str, django_db_blocker: Any) -> None:
    with another_alias(sqlite_file) as alias, django_db_blocker.unblock():
        with noticed() as found:
            Tag.objects.using(alias).count()
            assert len(found) == 1
            Tag.objects.using(alias).count()
            assert len(found) == 1
            Tag.objects.using(alias).filter(pk=-1).delete()
            assert len(found) == 2
        assert wrappers(connections[alias]) == []


def test_other_threads_have_their_own() -> None:
    found_there: list[Any] = []

    def work() -> None:
        with noticed() as found:
            found_there.append(found)
            connection.connect()
            connection.close()

    with noticed() as found:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert found == []
    assert found_there == [[None]]
