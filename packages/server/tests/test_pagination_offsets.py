from typing import Any

import pytest
from contract_project.models import Entry
from django.test import RequestFactory, override_settings
from django.utils import timezone

from lintel.pagination import LimitOffsetPagination
from lintel.request import Request

factory = RequestFactory()


class Offsets(LimitOffsetPagination):
    default_limit = 5
    max_limit = 9


def page(query: str = "", rows: Any = range(12), style: Any = Offsets) -> Any:
    paginator = style()
    paginator.rows = paginator.paginate_queryset(rows, Request(factory.get(f"/rows/?{query}")))
    return paginator


def test_the_envelope() -> None:
    middle = page("limit=3&offset=4", list(range(12)))
    assert middle.get_paginated_response(middle.rows).data == {
        "count": 12,
        "next": "http://testserver/rows/?limit=3&offset=7",
        "previous": "http://testserver/rows/?limit=3&offset=1",
        "results": [4, 5, 6],
    }
    assert (
        page("offset=3", list(range(12))).get_previous_link() == "http://testserver/rows/?limit=5"
    )
    assert page("offset=7", list(range(12))).get_next_link() is None


def test_the_page_after_one_of_no_rows_starts_where_that_one_did() -> None:
    class Counted(LimitOffsetPagination):
        default_limit = 0

    next_link = page("", list(range(3)), Counted).get_next_link()
    assert next_link == "http://testserver/rows/?limit=0&offset=0"


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("", [0, 1, 2, 3, 4]),
        ("limit=2", [0, 1]),
        ("limit=99", list(range(9))),
        ("limit=0", [0, 1, 2, 3, 4]),
        ("limit=-1", [0, 1, 2, 3, 4]),
        ("limit=x", [0, 1, 2, 3, 4]),
        ("limit=" + "9" * 5000, [0, 1, 2, 3, 4]),
        ("offset=-1", [0, 1, 2, 3, 4]),
        ("offset=x", [0, 1, 2, 3, 4]),
        ("offset=11", [11]),
        ("offset=12", []),
        ("offset=13", []),
        ("offset=" + "9" * 30, []),
    ],
)
def test_limits_and_offsets(query: str, rows: list[int]) -> None:
    assert page(query, list(range(12))).rows == rows


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["n=" + "9" * 40, "n=5&offset=" + "9" * 40, "n=" + str(2**63)])
def test_huge_numbers_reach_no_database(query: str) -> None:
    class Free(LimitOffsetPagination):
        limit_query_param = "n"

    Entry.objects.create(name="one", created=timezone.now())
    made = page(query, Entry.objects.order_by("id"), Free)
    assert len(made.rows) == (0 if "offset" in query else 1)
    made.get_html_context()


def test_without_a_limit_there_are_no_pages() -> None:
    assert page(style=LimitOffsetPagination).rows is None
    with override_settings(REST_FRAMEWORK={"PAGE_SIZE": 4}):
        assert page(rows=list(range(12)), style=LimitOffsetPagination).rows == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("limit=3", [(1, None), (2, 3), (3, 6), (4, 9)]),
        ("limit=3&offset=4", [(1, None), (2, 1), (3, 4), (4, 7), (5, 10)]),
        ("limit=3&offset=100", [(1, None), (2, 91), (3, 94), (4, 97), (5, 100)]),
    ],
)
def test_pages_are_counted_from_the_current_one(query: str, expected: Any) -> None:
    links = page(query, list(range(12))).get_html_context()["page_links"]
    found = [
        (link.number, int(link.url.rpartition("offset=")[2]) if "offset" in link.url else None)
        for link in links
    ]
    assert found == expected
    assert sum(link.is_active for link in links) == 1


def test_an_empty_list_has_one_page() -> None:
    made = page(rows=[])
    assert made.rows == []
    assert [link.number for link in made.get_html_context()["page_links"]] == [1]


def test_schemas() -> None:
    names = [each["name"] for each in Offsets().get_schema_operation_parameters(None)]
    assert names == ["limit", "offset"] == [each.name for each in Offsets().get_schema_fields(None)]
    assert Offsets().get_paginated_response_schema({})["required"] == ["count", "results"]
