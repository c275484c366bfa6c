from typing import Any

import pytest
from contract_project.models import Entry, Snippet, Tag
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.core.paginator import Paginator
from django.db import connection
from django.db.models import Count, Exists, F, Max, OuterRef, Q, Value
from django.db.models.functions import Concat
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from lintel.exceptions import NotFound
from lintel.fast.counting import countable
from lintel.pagination import LimitOffsetPagination, PageNumberPagination
from lintel.pagination.counts import count_key, estimated_count, exact_count
from lintel.request import Request
from lintel.test import APIRequestFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh() -> None:
    cache.clear()


def style(base: Any, counting: str, **attributes: Any) -> Any:
    return type("Counting", (base,), {"counting": counting, **attributes})


class Pages(PageNumberPagination):
    page_size = 4


class Offsets(LimitOffsetPagination):
    default_limit = 4


def page(made: Any, query: str = "", rows: Any = None) -> dict[str, Any]:
    """The body of a page; its rows as their numbers."""
    paginator = made()
    rows = Entry.objects.order_by("score") if rows is None else rows
    found = paginator.paginate_queryset(rows, Request(APIRequestFactory().get(f"/{query}")))
    return paginator.get_paginated_response([row.score for row in found]).data


def entries(count: int) -> None:
    now = timezone.now()
    Entry.objects.bulk_create(Entry(name="e", created=now, score=n) for n in range(count))


# ---- exact counts ----


@pytest.fixture
def _snippets() -> None:
    users = [User.objects.create(username=name) for name in "ab"]
    tags = [Tag.objects.create(name=name) for name in "xyz"]
    for number in range(12):
        made = Snippet.objects.create(title=str(number % 5), owner=users[number % 2])
        made.tags.set(tags[: number % 4])


TAGGED = Tag.objects.filter(snippets=OuterRef("pk"))
LEAN = {
    "a count": lambda: Snippet.objects.annotate(n=Count("tags")).order_by("-n"),
    "two counts": lambda: Snippet.objects.annotate(n=Count("tags"), m=Max("owner__id")),
    "a column elsewhere": lambda: Snippet.objects.annotate(o=F("owner__username")),
    "an expression": lambda: Snippet.objects.annotate(t=Concat("title", Value("!"))),
    "a filter by another annotation": lambda: Snippet.objects.annotate(
        o=F("owner__username"), n=Count("tags")
    ).filter(o="a"),
    "a filter elsewhere": lambda: Snippet.objects.filter(
        Q(owner__username="a") | Q(title="1")
    ).annotate(n=Count("tags")),
    "a filter by a subquery": lambda: Snippet.objects.annotate(
        e=Exists(TAGGED), n=Count("tags")
    ).filter(e=True),
    "an exclusion": lambda: Snippet.objects.exclude(tags__name="x").annotate(n=Count("tags")),
}
UNCHANGED = {
    "no annotation": lambda: Snippet.objects.filter(tags__name="x"),
    "rows made several": lambda: Snippet.objects.annotate(t=F("tags__name")),
    "rows made several and counted": lambda: Snippet.objects.annotate(
        t=F("tags__name"), n=Count("owner")
    ),
    "a filter to many": lambda: Snippet.objects.filter(tags__name__in="xy").annotate(
        n=Count("tags")
    ),
    "a filter by a count": lambda: Snippet.objects.annotate(n=Count("tags")).filter(n__gt=1),
    "groups": lambda: Snippet.objects.values("title").annotate(n=Count("id")),
    "distinct": lambda: Snippet.objects.annotate(t=F("tags__name")).distinct(),
    "a slice": lambda: Snippet.objects.annotate(n=Count("tags"))[2:5],
    "a union": lambda: (
        Snippet.objects.order_by()
        .annotate(n=Count("tags"))
        .union(Snippet.objects.order_by().annotate(n=Value(9)))
    ),
}


@pytest.mark.usefixtures("_snippets")
@pytest.mark.parametrize("name", [*LEAN, *UNCHANGED])
def test_exact_counts_are_those_of_the_rows(name: str) -> None:
    queryset = {**LEAN, **UNCHANGED}[name]()
    assert exact_count(queryset) == len(list(queryset)) > 0


@pytest.mark.fast_way
@pytest.mark.parametrize("name", LEAN)
def test_counts_carry_nothing_that_is_not_needed(name: str) -> None:
    with CaptureQueriesContext(connection) as statements:
        exact_count(LEAN[name]())
    sql = statements[0]["sql"]
    assert "ORDER BY" not in sql
    assert "GROUP BY" not in sql
    # Only what a filter asks about another table needs a join.
    joins = 1 if name in ("a filter by another annotation", "a filter elsewhere") else 0
    assert sql.partition(" WHERE ")[0].count("JOIN") == joins


def test_what_may_change_the_number_is_left() -> None:
    for make in UNCHANGED.values():
        queryset = make()
        assert countable(queryset) is queryset


def test_lists_and_loaded_rows_are_counted_as_they_are(django_assert_num_queries: Any) -> None:
    entries(3)
    loaded = Entry.objects.all()
    assert len(loaded) == 3
    with django_assert_num_queries(0):
        assert exact_count(loaded) == exact_count([1, 2, 3]) == exact_count("abc") == 3


def test_a_paginator_that_counts_by_itself_is_asked() -> None:
    class Many(Paginator):
        count = 1000

    entries(3)
    assert page(type("Own", (Pages,), {"django_paginator_class": Many}))["count"] == 1000


# ---- no counts ----


@pytest.mark.parametrize("base", [Pages, Offsets])
def test_without_counting_the_rows_decide(base: Any) -> None:
    entries(10)
    made = style(base, "none")
    second = "?page=2" if base is Pages else "?limit=4&offset=4"
    third = "?page=3" if base is Pages else "?limit=4&offset=8"
    with CaptureQueriesContext(connection) as statements:
        bodies = [page(made, query) for query in ("", second, third)]
    assert [body["count"] for body in bodies] == [None] * 3
    assert [body["results"] for body in bodies] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert [body["next"] is None for body in bodies] == [False, False, True]
    assert [body["previous"] is None for body in bodies] == [True, False, False]
    assert bodies[0]["next"].partition("/?")[2] == second[1:]
    assert len(statements) == 3
    assert not [each["sql"] for each in statements if "COUNT(" in each["sql"]]


def test_pages_beyond_the_rows_are_not_found() -> None:
    entries(8)
    for value in ("3", "0", "-1", "x", "last", "1.5", "9" * 30):
        with pytest.raises(NotFound):
            page(style(Pages, "none"), f"?page={value}")
    body = page(style(Offsets, "none"), "?offset=400")
    assert (body["results"], body["next"], body["previous"] is None) == ([], None, False)


@pytest.mark.parametrize("base", [Pages, Offsets])
@pytest.mark.parametrize("counting", ["none", "cached", "estimated"])
def test_no_rows_are_one_page(base: Any, counting: str) -> None:
    body = page(style(base, counting))
    assert (body["next"], body["previous"], body["results"]) == (None, None, [])
    assert body["count"] == (None if counting == "none" else 0)


def test_the_schema_says_that_the_count_may_be_missing() -> None:
    for base in (Pages, Offsets):
        for counting in ("none", "exact"):
            schema = style(base, counting)().get_paginated_response_schema({})
            assert schema["properties"]["count"].get("nullable", False) is (counting == "none")


# ---- remembered counts ----


@pytest.mark.parametrize("base", [Pages, Offsets])
def test_cached_counts_are_asked_for_once(base: Any) -> None:
    entries(6)
    made = style(base, "cached")
    with CaptureQueriesContext(connection) as statements:
        assert [page(made)["count"] for _ in range(3)] == [6] * 3
    assert len([each for each in statements if "COUNT(" in each["sql"]]) == 1


def test_an_old_count_hides_no_rows() -> None:
    entries(4)
    made = style(Pages, "cached")
    assert page(made)["next"] is None
    entries(6)
    first = page(made)
    assert (first["count"], first["next"] is None) == (5, False)
    assert page(made, "?page=3")["count"] == 10
    Entry.objects.all().delete()
    assert page(made)["count"] == 0


def test_other_rows_have_another_count() -> None:
    entries(6)
    made = style(Pages, "cached")
    for score, count in ((2, 2), (4, 4), (2, 2)):
        assert (
            page(made, rows=Entry.objects.filter(score__lt=score).order_by("pk"))["count"] == count
        )
    keys = {count_key(rows) for rows in (Entry.objects.all(), Entry.objects.order_by("name"))}
    assert len(keys) == 1
    assert len(keys.pop()) < 100


def test_cached_counts_end_after_their_time() -> None:
    entries(2)
    made = style(Pages, "cached", count_timeout=0)
    assert page(made)["count"] == 2
    Entry.objects.filter(score=0).delete()
    assert page(made)["count"] == 1


def test_the_last_page_is_counted_out() -> None:
    entries(6)
    made = style(Pages, "cached")
    assert page(made)["count"] == 6
    entries(5)
    assert len(page(made, "?page=last")["results"]) == 3


def test_unknown_ways_of_counting_are_told() -> None:
    for base in (Pages, Offsets):
        with pytest.raises(ImproperlyConfigured, match=r"counting is 'exactly'.*'estimated'"):
            page(style(base, "exactly"))


# ---- estimates ----


def test_other_databases_count_exactly() -> None:
    entries(6)
    assert estimated_count(Entry.objects.all()) is None
    assert page(style(Pages, "estimated"))["count"] == 6
