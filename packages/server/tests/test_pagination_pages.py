from typing import Any

import pytest
from contract_project.models import Entry
from django.template import engines
from django.test import RequestFactory, override_settings
from django.utils import timezone

from lintel.exceptions import NotFound
from lintel.pagination import PAGE_BREAK, BasePagination, PageNumberPagination
from lintel.request import Request

factory = RequestFactory()


def request(query: str = "") -> Request:
    return Request(factory.get(f"/rows/?{query}"))


class Pages(PageNumberPagination):
    page_size = 5


class Sized(PageNumberPagination):
    page_size = 5
    page_size_query_param = "size"
    max_page_size = 8
    last_page_strings = ("last", "end")


def page(query: str = "", rows: Any = range(12), style: Any = Pages) -> Any:
    paginator = style()
    paginator.rows = paginator.paginate_queryset(list(rows), request(query))
    return paginator


def test_the_envelope() -> None:
    middle = page("page=2&x=%C3%A9")
    assert middle.get_paginated_response(middle.rows).data == {
        "count": 12,
        "next": "http://testserver/rows/?page=3&x=%C3%A9",
        "previous": "http://testserver/rows/?x=%C3%A9",
        "results": [5, 6, 7, 8, 9],
    }
    assert page("page=3").get_next_link() is None
    assert page().get_previous_link() is None


@pytest.mark.parametrize(
    ("value", "rows"), [("last", [10, 11]), ("", [0, 1, 2, 3, 4]), ("+2", None)]
)
def test_page_values(value: str, rows: Any) -> None:
    if rows is None:
        assert page("page=%2B2").rows == [5, 6, 7, 8, 9]
    else:
        assert page(f"page={value}").rows == rows


@pytest.mark.parametrize("value", ["0", "-1", "4", "x", "1.5", "9" * 30, "9" * 5000, "%00", "end"])
def test_pages_that_there_are_not(value: str) -> None:
    with pytest.raises(NotFound) as caught:
        page(f"page={value}")
    assert caught.value.detail == "Invalid page."


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ("3", 3),
        ("8", 8),
        ("9", 8),
        ("0", 5),
        ("-1", 5),
        ("x", 5),
        ("", 5),
        ("9" * 30, 8),
        ("9" * 5000, 5),
    ],
)
def test_clients_choose_the_size_within_bounds(value: str, size: int) -> None:
    assert len(page(f"size={value}", style=Sized).rows) == size


@pytest.mark.django_db
def test_a_size_without_bound_is_no_error() -> None:
    class Unbounded(PageNumberPagination):
        page_size_query_param = "size"

    Entry.objects.create(name="one", created=timezone.now())
    rows = Unbounded().paginate_queryset(Entry.objects.order_by("id"), request("size=" + "9" * 40))
    assert len(rows) == 1


def test_without_a_size_there_are_no_pages() -> None:
    assert page(style=PageNumberPagination).rows is None
    with override_settings(REST_FRAMEWORK={"PAGE_SIZE": 4}):
        assert page(style=PageNumberPagination).rows == [0, 1, 2, 3]


def numbers(total: int, current: int) -> str:
    class Single(PageNumberPagination):
        page_size = 1

    made = page(f"page={current}", range(total), Single)
    links = made.get_html_context()["page_links"]
    return " ".join(
        "…" if link == PAGE_BREAK else f"[{link.number}]" if link.is_active else str(link.number)
        for link in links
    )


@pytest.mark.parametrize(
    ("total", "current", "shown"),
    [
        (1, 1, "[1]"),
        (5, 3, "1 2 [3] 4 5"),
        (6, 1, "[1] 2 3 … 6"),
        (6, 3, "1 2 [3] 4 5 6"),
        (7, 4, "1 2 3 [4] 5 6 7"),
        (9, 5, "1 … 4 [5] 6 … 9"),
        (10, 4, "1 2 3 [4] 5 … 10"),
        (10, 7, "1 … 6 [7] 8 9 10"),
        (11, 11, "1 … 9 10 [11]"),
    ],
)
def test_rows_of_page_numbers(total: int, current: int, shown: str) -> None:
    assert numbers(total, current) == shown


def test_links_of_the_page_controls() -> None:
    context = page("page=2&a=1").get_html_context()
    assert context["previous_url"] == "http://testserver/rows/?a=1"
    assert context["next_url"] == "http://testserver/rows/?a=1&page=3"
    assert [link.url for link in context["page_links"]] == [
        "http://testserver/rows/?a=1",
        "http://testserver/rows/?a=1&page=2",
        "http://testserver/rows/?a=1&page=3",
    ]


def test_controls_are_shown_where_there_is_more_than_one_page() -> None:
    assert page().display_page_controls is True
    assert page(rows=range(3)).display_page_controls is False
    assert page(style=type("Bare", (Pages,), {"template": None})).display_page_controls is False
    assert engines["django"] is not None
    assert "?page=2" in page().to_html()


def test_schemas() -> None:
    schema = Pages().get_paginated_response_schema({"type": "array"})
    assert schema["required"] == ["count", "results"]
    assert schema["properties"]["results"] == {"type": "array"}
    names = [each["name"] for each in Sized().get_schema_operation_parameters(None)]
    assert names == ["page", "size"]
    assert [field.name for field in Sized().get_schema_fields(None)] == ["page", "size"]


def test_the_base_class() -> None:
    base = BasePagination()
    assert base.get_paginated_response_schema("x") == "x"
    assert base.get_results({"results": [1]}) == [1]
    assert base.get_schema_operation_parameters(None) == base.get_schema_fields(None) == []
    for call in (
        lambda: base.paginate_queryset([], None),
        lambda: base.get_paginated_response([]),
        base.to_html,
    ):
        with pytest.raises(NotImplementedError):
            call()
