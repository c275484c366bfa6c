"""Walks by keys on real databases: each row once, despite ties, nulls and other writers."""

import re
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.apps.registry import Apps
from django.db import connections, models
from django.db.models import F, Value
from django.db.models.functions import Coalesce, Lower
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from servers import everything_in, tables_of

from lintel.exceptions import NotFound
from lintel.pagination import CursorPagination
from lintel.request import Request

ROWS = 5000
START = datetime(2026, 1, 1, tzinfo=UTC)
FACTORY = RequestFactory()


class Sample(models.Model):
    created = models.DateTimeField(default=START)
    name = models.CharField(max_length=20, default="Name")
    score = models.IntegerField(null=True)
    rank = models.FloatField(null=True)
    parent = models.ForeignKey("self", models.SET_NULL, null=True)

    class Meta:
        abstract = True
        apps = Apps(["contract_project"])
        app_label = "contract_project"
        indexes = [models.Index(fields=["created", "id"], name="%(class)s_created")]


class Alike(Sample):
    """5,000 rows of one moment."""


class Varied(Sample):
    """Rows with few values and many nulls; some have parents."""


class Row(Sample):
    """Rows of a single test."""


@pytest.fixture(scope="module", params=["sqlite_file", "postgresql"])
def alias(request: pytest.FixtureRequest, django_db_blocker: Any) -> Iterator[str]:
    """A database with the tables."""
    name = request.getfixturevalue(request.param)
    with everything_in(name, django_db_blocker), tables_of(name, (Alike, Varied, Row)):
        yield name


@pytest.fixture
def rows(alias: str) -> Iterator[Any]:
    """An empty table."""
    yield Row.objects
    Row.objects.all().delete()


def style(size: int, *ordering: Any) -> type[CursorPagination]:
    return type("Pages", (CursorPagination,), {"page_size": size, "ordering": ordering})


def page(rows: Any, made: type[CursorPagination], url: str = "/") -> tuple[Any, list[Any]]:
    paginator = made()
    return paginator, paginator.paginate_queryset(rows, Request(FACTORY.get(url)))


def walk(rows: Any, size: int, *ordering: Any) -> tuple[list[int], list[int]]:
    """The keys of the rows from the first page to the last, and from there back to the first."""
    made = style(size, *ordering)
    paginator, found = page(rows.all(), made)
    there = [row.pk for row in found]
    back = [found]
    while (url := paginator.get_next_link()) is not None:
        paginator, found = page(rows.all(), made, url)
        there += [row.pk for row in found]
        back = [found]
    while (url := paginator.get_previous_link()) is not None:
        paginator, found = page(rows.all(), made, url)
        back.insert(0, found)
    return there, [row.pk for found in back for row in found]


# ---- every row exactly once ----


@pytest.fixture(scope="module")
def alike(alias: str) -> list[int]:
    """The keys of 5,000 rows of one moment."""
    Alike.objects.bulk_create(Alike() for _ in range(ROWS))
    return list(Alike.objects.order_by("pk").values_list("pk", flat=True))


@pytest.mark.parametrize("sizes", [[1], [2, 3], range(4, 11), range(11, 61)], ids=str)
def test_rows_of_one_moment_are_shown_once(alike: list[int], sizes: Any) -> None:
    # Fewer rows than below: these are the pages of sixty sizes, there and back.
    some = alike[:361]
    rows = Alike.objects.filter(pk__lte=some[-1])
    for size in sizes:
        there, back = walk(rows, size, "created")
        assert there == some, size
        assert back == some, size


@pytest.mark.parametrize(("size", "count"), [(7, 361), (60, ROWS)])
def test_the_direction_of_time_is_not_that_of_the_key(
    alike: list[int], size: int, count: int
) -> None:
    some = alike[:count]
    rows = Alike.objects.filter(pk__lte=some[-1])
    assert walk(rows, size, "-created") == (some, some)
    assert walk(rows, size, "-created", "-id") == (some[::-1], some[::-1])


ORDERINGS = [
    ("score",),
    ("-score",),
    ("score", "-rank"),
    ("-score", "rank", "-created"),
    (F("score").asc(nulls_last=True), "rank"),
    (F("score").desc(nulls_first=True), F("rank").desc(nulls_last=True)),
    (F("score").asc(nulls_first=True), "-id"),
    (Lower("name"), "-score"),
    (Coalesce("score", Value(0)).desc(), "created"),
    ("parent__score", "-parent__name", "rank"),
    ("parent", "score"),
    ("parent_id", "-rank"),
]


def mixed(number: int) -> dict[str, Any]:
    """Values that many other rows have in common, and often none at all."""
    return {
        "created": START + timedelta(microseconds=number % 3),
        "name": "ABcab"[number % 5],
        "score": None if number % 4 == 0 else number % 7 - 3,
        "rank": None if number % 3 == 0 else (number % 5) / 3,
    }


@pytest.fixture(scope="module")
def varied(alias: str) -> None:
    """Rows with few values and many nulls; some have parents."""
    made = Varied.objects.bulk_create(Varied(**mixed(number)) for number in range(160))
    for number, row in enumerate(made):
        row.parent = made[number // 16] if number % 5 else None
    Varied.objects.bulk_update(made, ["parent"])


@pytest.mark.parametrize("ordering", ORDERINGS, ids=str)
@pytest.mark.usefixtures("varied")
def test_nulls_directions_and_expressions(ordering: tuple[Any, ...]) -> None:
    expected = [row.pk for row in Varied.objects.order_by(*ordering, "pk")]
    for size in (1, 3, 17):
        assert walk(Varied.objects, size, *ordering) == (expected, expected), size


@pytest.mark.usefixtures("varied")
def test_nulls_at_every_page_size() -> None:
    expected = [row.pk for row in Varied.objects.order_by("-score", "rank", "pk")]
    for size in range(1, 61):
        assert walk(Varied.objects, size, "-score", "rank") == (expected, expected), size


@pytest.mark.usefixtures("varied")
def test_no_statement_skips_rows_by_number(alias: str) -> None:
    for ordering in ORDERINGS:
        with CaptureQueriesContext(connections[alias]) as statements:
            walk(Varied.objects, 60, *ordering)
        assert not [each["sql"] for each in statements if "OFFSET" in each["sql"].upper()]


# ---- while others write ----


@contextmanager
def writing(alias: str, keys: list[int]) -> Iterator[list[int]]:
    """Another connection inserts and deletes rows of these keys all the time; counts the rounds."""
    is_over = threading.Event()
    rounds = [0]

    def write() -> None:
        try:
            while not is_over.is_set():
                some = keys[rounds[0] % 50 :: 50]
                Row.objects.bulk_create(Row(id=key, **mixed(key // 3)) for key in some)
                Row.objects.filter(pk__in=some).delete()
                rounds[0] += 1
        finally:
            connections[alias].close()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield rounds
    finally:
        is_over.set()
        thread.join()


@pytest.mark.parametrize("ordering", [("created",), ("-score", "rank")], ids=str)
@pytest.mark.parametrize("size", [3, 20])
def test_rows_that_stay_are_shown_once_while_others_come_and_go(
    rows: Any, alias: str, ordering: tuple[str, ...], size: int
) -> None:
    stay = range(0, 4000, 2)
    rows.bulk_create(Row(id=key, **mixed(key // 2)) for key in stay)
    expected = [row.pk for row in rows.order_by(*ordering, "pk")]
    with writing(alias, list(range(1, 4000, 2))) as rounds:
        there, back = walk(rows, size, *ordering)
    assert rounds[0] > 0
    assert [key for key in there if key in stay] == expected
    assert [key for key in back if key in stay] == expected


# ---- what the database does ----


def plan(alias: str, statement: str) -> str:
    """How the database answers a statement, as one text."""
    prefix = "EXPLAIN QUERY PLAN" if alias == "sqlite_file" else "EXPLAIN"
    with connections[alias].cursor() as cursor:
        cursor.execute(f"ANALYZE {Row._meta.db_table}")
        cursor.execute(f"{prefix} {statement}")
        return "\n".join(str(line) for line in cursor.fetchall())


def second_statement(alias: str, rows: Any, *ordering: Any) -> str:
    """The SELECT behind the first next link."""
    made = style(21, *ordering)
    paginator, _ = page(rows.all(), made)
    with CaptureQueriesContext(connections[alias]) as statements:
        page(rows.all(), made, paginator.get_next_link())
    assert len(statements) == 1
    return statements[0]["sql"]


@pytest.mark.parametrize(
    ("ordering", "condition"),
    [
        (("created",), "ROW(created, id) > ROW("),
        (("-created", "-id"), "ROW(created, id) < ROW("),
        (("-created",), "created <= "),
    ],
    ids=str,
)
def test_an_index_finds_the_page(
    rows: Any, alias: str, ordering: tuple[str, ...], condition: str
) -> None:
    rows.bulk_create(Row(created=START + timedelta(hours=number // 4)) for number in range(ROWS))
    found = plan(alias, second_statement(alias, rows, *ordering))
    if alias == "sqlite_file":
        comparison = ">" if ordering == ("created",) else "<"
        assert (
            f"SEARCH {Row._meta.db_table} USING INDEX row_created (created{comparison}?)" in found
        )
    else:
        assert re.search(r"Index Scan (Backward )?using row_created", found)
        assert f"Index Cond: ({condition}" in found
    # Only an order that the index does not have needs sorting, and of equal times alone.
    sorting = re.findall(r"TEMP B-TREE FOR[^']*|(?:Incremental )?Sort  ", found)
    expected = ["TEMP B-TREE FOR RIGHT PART OF ORDER BY", "Incremental Sort  "]
    assert sorting == ([expected[alias == "postgresql"]] if ordering == ("-created",) else [])


# ---- cursors that were not made here ----


def foreign(**tokens: str) -> str:
    return "/?" + urlencode({"cursor": b64encode(urlencode(tokens).encode()).decode()})


@pytest.mark.parametrize(
    ("ordering", "tokens"),
    [
        (("created",), {"p": "no time"}),
        (("created",), {"p": "2026-13-45 99:00"}),
        (("created",), {"p": "0"}),
        (("score",), {"p": "2026-01-01 00:00:00+00:00"}),
        (("rank",), {"p": "nan"}),
        (("name",), {"p": "a\0b"}),
        (("created",), {"k": "[]"}),
        (("created",), {"k": '["2026-01-01T00:00:00+00:00"]'}),
        (("created",), {"k": '["2026-01-01T00:00:00+00:00",null]'}),
        (("created",), {"k": '["2026-01-01T00:00:00+00:00",{"a":1}]'}),
        (("created",), {"k": '["2026-01-01T00:00:00+00:00",1,2]'}),
        (("created", "name"), {"k": '["2026-01-01T00:00:00+00:00",1]'}),
        (("created",), {"k": '[null,"1"]'}),
        (("created",), {"k": "[" * 5000}),
    ],
    ids=str,
)
@pytest.mark.parametrize("is_reversed", [False, True])
def test_cursors_of_others_are_not_found(
    rows: Any, ordering: tuple[str, ...], tokens: dict[str, str], is_reversed: bool
) -> None:
    rows.create()
    direction = {"r": "1"} if is_reversed else {}
    with pytest.raises(NotFound, match="Invalid cursor"):
        page(rows.all(), style(2, *ordering), foreign(**tokens, **direction))
    assert page(rows.all(), style(2, *ordering))[1]


def test_a_changed_cursor_is_a_page_or_not_found(alike: list[int]) -> None:
    paginator, _ = page(Alike.objects.all(), style(20, "created"))
    url = paginator.get_next_link()
    start = url.index("cursor=") + len("cursor=")
    for place in range(start, len(url)):
        for letter in "A0z%":
            changed = url[:place] + letter + url[place + 1 :]
            try:
                found = page(Alike.objects.all(), style(20, "created"), changed)[1]
            except NotFound:
                continue
            assert len(found) <= 20
