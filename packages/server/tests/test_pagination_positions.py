import datetime
from base64 import b64decode, b64encode
from typing import Any
from urllib.parse import parse_qs, urlparse

import pytest
from contract_project.models import Entry
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from lintel import generics
from lintel.exceptions import NotFound
from lintel.filters import OrderingFilter, SearchFilter
from lintel.pagination import (
    Cursor,
    CursorPagination,
    LimitOffsetPagination,
    PageNumberPagination,
)
from lintel.pagination.positions import cursor_beside
from lintel.request import Request

factory = RequestFactory()


class Row:
    def __init__(self, pk: int, rank: Any) -> None:
        self.pk, self.rank = pk, rank


class Rows:
    """What packages that chain querysets offer: the methods of a queryset, and nothing beside."""

    model = Entry

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows

    def order_by(self, *names: str) -> "Rows":
        """Rows that are alike come in the opposite order when all is turned round."""
        name = names[0]
        key = name.lstrip("-")
        turned = name.startswith("-")
        return Rows(sorted(self.rows, key=lambda row: (getattr(row, key), row.pk), reverse=turned))

    def filter(self, **conditions: str) -> "Rows":
        ((lookup, value),) = conditions.items()
        name, _, comparison = lookup.partition("__")
        sign = {"gt": 1, "lt": -1}[comparison]
        return Rows([row for row in self.rows if (getattr(row, name) - int(value)) * sign > 0])

    def count(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: slice) -> "Rows":
        return Rows(self.rows[place])

    def __iter__(self) -> Any:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def request(query: str = "") -> Request:
    return Request(factory.get(f"/rows/?{query}"))


def page(made: Any, rows: Any, url: str = "") -> Any:
    paginator = made()
    paginator.rows = paginator.paginate_queryset(rows, request(url.partition("?")[2]))
    return paginator


def keys(paginator: Any) -> list[int]:
    return [row.pk for row in paginator.rows]


class ByRank(CursorPagination):
    ordering = "rank"
    page_size = 3


def ranked(*ranks: int) -> Rows:
    return Rows([Row(pk, rank) for pk, rank in enumerate(ranks)])


def test_a_chain_of_querysets_is_walked_by_cursors() -> None:
    rows = ranked(1, 1, 1, 1, 2, 2, 3)
    first = page(ByRank, rows)
    second = page(ByRank, rows, first.get_next_link())
    third = page(ByRank, rows, second.get_next_link())
    assert [keys(each) for each in (first, second, third)] == [[0, 1, 2], [3, 4, 5], [6]]
    assert (first.get_previous_link(), third.get_next_link()) == (None, None)
    back = page(ByRank, rows, third.get_previous_link())
    assert keys(back) == [3, 4, 5]


def test_cursors_into_chains_are_those_that_all_servers_share() -> None:
    link = page(ByRank, ranked(1, 1, 2, 2, 3)).get_next_link()
    text = b64decode(parse_qs(urlparse(link).query)["cursor"][0]).decode()
    assert text == "o=1&p=1"


@given(st.lists(st.integers(0, 6), max_size=24).map(sorted), st.integers(1, 5))
def test_going_forward_shows_every_row_once(ranks: list[int], size: int) -> None:
    made = type("Style", (ByRank,), {"page_size": size})
    rows = ranked(*ranks)
    current = page(made, rows)
    seen = keys(current)
    while link := current.get_next_link():
        current = page(made, rows, link)
        seen += keys(current)
    assert seen == list(range(len(ranks)))


@given(st.lists(st.integers(0, 100), max_size=24, unique=True).map(sorted), st.integers(1, 5))
def test_going_back_shows_every_row_once(ranks: list[int], size: int) -> None:
    made = type("Style", (ByRank,), {"page_size": size})
    rows = ranked(*ranks)
    current = page(made, rows)
    while link := current.get_next_link():
        current = page(made, rows, link)
    seen = keys(current)
    while link := current.get_previous_link():
        current = page(made, rows, link)
        seen = keys(current) + seen
    assert seen == list(range(len(ranks)))


def test_a_page_of_like_rows_is_passed_by_its_length() -> None:
    came_by = Cursor(2, False, "1")
    assert cursor_beside(["5", "5"], ("1", "5"), came_by, False) == Cursor(4, False, "1")
    assert cursor_beside(["5", "5"], ("5", None), came_by, True) == Cursor(2, True, None)
    assert cursor_beside(["5", "5"], ("5", "7"), came_by, True) == Cursor(2, True, "7")
    assert cursor_beside(["5", "5"], ("5", "5"), came_by, True) == Cursor(0, True, "5")
    assert cursor_beside([], (None, None), came_by, True) == Cursor(0, True, None)


def test_a_key_of_rows_is_no_cursor_into_a_chain() -> None:
    token = b64encode(b"k=[1]&v=1&b=0").decode()
    with pytest.raises(NotFound):
        page(ByRank, ranked(1), f"?cursor={token}")


@pytest.mark.parametrize(
    ("made", "query", "expected"),
    [
        (type("Style", (PageNumberPagination,), {"page_size": 2}), "page=2", [2, 3]),
        (LimitOffsetPagination, "limit=2&offset=1", [1, 2]),
    ],
)
def test_other_styles_page_through_chains(made: Any, query: str, expected: list[int]) -> None:
    found = page(made, ranked(1, 2, 3, 4, 5), f"?{query}")
    assert keys(found) == expected
    assert found.get_paginated_response([]).data["count"] == 5


def test_filters_leave_chains_to_themselves() -> None:
    view = generics.ListAPIView()
    view.ordering_fields = ["rank"]
    ordered = OrderingFilter().filter_queryset(request("ordering=-rank"), ranked(1, 3, 2), view)
    assert [row.rank for row in ordered] == [3, 2, 1]
    view.search_fields = ["name", "=created__year"]
    asked: list[Any] = []

    class Searched(Rows):
        def filter(self, *conditions: Any) -> Rows:  # type: ignore[override]
            asked.extend(conditions)
            return self

    SearchFilter().filter_queryset(request("search=2024"), Searched([]), view)
    assert str(asked) == (
        "[<Q: (OR: ('name__icontains', '2024'), ('created__year__iexact', '2024'))>]"
    )


@pytest.fixture
def entries(db: None) -> None:
    for number in range(1, 8):
        moment = datetime.datetime(2024, 3, number, tzinfo=datetime.UTC)
        Entry.objects.create(id=number, name=f"entry-{number}", created=moment, score=number % 3)


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize(
    "made",
    [
        type("Style", (CursorPagination,), {"ordering": "id", "page_size": 3}),
        type("Style", (PageNumberPagination,), {"page_size": 3}),
        type("Style", (LimitOffsetPagination,), {"default_limit": 3}),
        type("Style", (PageNumberPagination,), {"page_size": 3, "counting": "none"}),
        type("Style", (LimitOffsetPagination,), {"default_limit": 3, "counting": "cached"}),
    ],
)
@pytest.mark.filterwarnings("ignore::django.core.paginator.UnorderedObjectListWarning")
def test_a_manager_stands_for_all_its_rows(made: Any) -> None:
    first = page(made, Entry.objects)
    assert len(first.rows) == 3
    assert len(page(made, Entry.objects, first.get_next_link()).rows) == 3


@pytest.mark.usefixtures("entries")
def test_a_manager_is_searched_and_ordered() -> None:
    view = generics.ListAPIView()
    view.search_fields = ["name", "=id"]
    view.ordering_fields = "__all__"
    found = SearchFilter().filter_queryset(request("search=entry-3"), Entry.objects, view)
    assert [row.pk for row in found] == [3]
    found = OrderingFilter().filter_queryset(request("ordering=-id"), Entry.objects, view)
    assert found.first().pk == 7
    assert SearchFilter().filter_queryset(request(), Entry.objects, view) is Entry.objects


@pytest.mark.parametrize("rows", [[], None, Rows([])])
def test_the_ordering_is_known_without_rows(rows: Any) -> None:
    view = generics.ListAPIView()
    view.filter_backends = [OrderingFilter]
    view.ordering_fields = ["rank"]
    asked = request("ordering=-rank,nope")
    assert ByRank().get_ordering(asked, rows, view) == ("-rank",)
    assert ByRank().get_ordering(request(), rows, generics.ListAPIView()) == ("rank",)


def test_a_position_is_known_of_any_row() -> None:
    """Packages ask before there is a page, and with another ordering than that of the page."""
    style = ByRank()
    assert style._get_position_from_instance(Row(1, 5), ("-rank", "pk")) == "5"
    assert style._get_position_from_instance({"rank": None}, ["rank"]) is None


def test_links_of_a_page_that_a_subclass_found_by_itself() -> None:
    class Own(ByRank):
        def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> Any:
            self.request, self.base_url = request, request.build_absolute_uri()
            self.cursor = self.decode_cursor(request)
            self.ordering = self.get_ordering(request, queryset, view)
            self.page = list(queryset.order_by(*self.ordering)[:3])
            self.has_next, self.has_previous = True, False
            self.next_position = self._get_position_from_instance(queryset[3:4].rows[0], ("rank",))
            return self.page

    found = page(Own, ranked(1, 2, 2, 2))
    text = b64decode(parse_qs(urlparse(found.get_next_link()).query)["cursor"][0]).decode()
    assert (text, found.get_previous_link()) == ("o=2&p=1", None)


def test_positions_of_several_values_stand_one_after_the_other() -> None:
    style = ByRank()
    style.request = request()
    style.base_url = "http://testserver/"
    made = style.encode_cursor(Cursor(1, True, (0, "a&b")))  # type: ignore[arg-type]
    text = b64decode(parse_qs(urlparse(made).query)["cursor"][0]).decode()
    assert text == "o=1&r=1&p=0&p=a%26b"
