"""The styles in docs/server/pagination.md: their code runs here."""

import re
from pathlib import Path
from typing import Any

import pytest
from contract_project.models import Entry
from django.test import RequestFactory, override_settings
from django.utils import timezone

from lintel import generics, serializers, viewsets
from lintel.pagination import (
    CursorPagination,
    LimitOffsetPagination,
    PageNumberPagination,
)
from lintel.renderers import BrowsableAPIRenderer, JSONRenderer
from lintel.response import Response
from lintel.schemas.openapi import AutoSchema
from lintel.views import APIView

PAGE = Path(__file__).parents[3] / "docs" / "server" / "pagination.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)

factory = RequestFactory()

pytestmark = pytest.mark.django_db


class EntrySerializer(serializers.ModelSerializer):
    class Meta:
        model = Entry
        fields = ["id", "name"]


class EntryList(generics.ListAPIView):
    queryset = Entry.objects.order_by("id")
    serializer_class = EntrySerializer
    renderer_classes = [JSONRenderer]


@pytest.fixture(autouse=True)
def entries() -> None:
    moment = timezone.now()
    Entry.objects.bulk_create(
        Entry(id=number, name=f"entry-{number}", created=moment) for number in range(1, 6)
    )


def recipe(name: str) -> Any:
    """The class of this name, from the block of the page that defines it."""
    names = {
        "APIView": APIView,
        "CursorPagination": CursorPagination,
        "PageNumberPagination": PageNumberPagination,
        "Response": Response,
    }
    for code in BLOCK.findall(PAGE.read_text()):
        if f"class {name}(" in code:
            for needed in re.findall(r"\b(Pages)\(\)", code):
                names[needed] = type("Pages", (PageNumberPagination,), {"page_size": 50})
            exec(compile(code, str(PAGE), "exec"), names)
            return names[name]
    raise LookupError(f"{PAGE} shows no class {name}")


def get(query: str = "", **attributes: Any) -> Any:
    view = type("Own", (EntryList,), attributes)
    return view.as_view()(factory.get(f"/rows/?{query}"))


def small(style: Any) -> Any:
    return type("Small", (style,), {"page_size": 2})


def test_links_below_links() -> None:
    style = small(recipe("NestedLinks"))
    assert get("page=2", pagination_class=style).data == {
        "links": {
            "next": "http://testserver/rows/?page=3",
            "previous": "http://testserver/rows/",
        },
        "count": 5,
        "results": [{"id": 3, "name": "entry-3"}, {"id": 4, "name": "entry-4"}],
    }
    schema = style().get_paginated_response_schema({"type": "array"})
    assert set(schema["properties"]) == set(schema["required"]) == {"links", "count", "results"}
    assert set(schema["properties"]["links"]["properties"]) == {"next", "previous"}


def test_links_in_the_header() -> None:
    style = small(recipe("HeaderLinks"))
    response = get("page=2", pagination_class=style)
    assert response.data == [{"id": 3, "name": "entry-3"}, {"id": 4, "name": "entry-4"}]
    assert response.headers["Link"] == (
        '<http://testserver/rows/?page=3>; rel="next", <http://testserver/rows/>; rel="prev"'
    )
    assert "Link" not in get(pagination_class=recipe("HeaderLinks")).headers
    assert style().get_paginated_response_schema({"type": "array"}) == {"type": "array"}


@pytest.mark.urls("contract_project.urls")
@pytest.mark.parametrize("name", ["NestedLinks", "HeaderLinks"])
def test_recipes_have_page_controls(name: str) -> None:
    style = small(recipe(name))
    response = get(pagination_class=style, renderer_classes=[BrowsableAPIRenderer])
    assert "?page=2" in response.render().content.decode()


@pytest.mark.parametrize("name", ["NestedLinks", "HeaderLinks"])
def test_recipes_stand_in_the_schema(name: str) -> None:
    view = type("Own", (EntryList,), {"pagination_class": recipe(name)})()
    view.request, view.format_kwarg, view.kwargs = None, None, {}
    inspector = AutoSchema()
    inspector.view = view
    content = inspector.get_responses("/rows/", "GET")["200"]["content"]["application/json"]
    assert content["schema"]["type"] == ("object" if name == "NestedLinks" else "array")


def test_a_plain_view_calls_the_paginator() -> None:
    view = recipe("Numbers")
    response = view.as_view()(factory.get("/numbers/?page=20"))
    assert response.data["count"] == 1000
    assert response.data["results"][-1] == 999
    assert response.data["next"] is None


@pytest.mark.parametrize("name", ["Newest"])
def test_the_other_styles_of_the_page_run(name: str) -> None:
    style = recipe(name)
    assert (style.page_size, style.ordering) == (50, ("-created", "title"))


# Where pagination is applied

SETTINGS = override_settings(
    REST_FRAMEWORK={
        "DEFAULT_PAGINATION_CLASS": "lintel.pagination.PageNumberPagination",
        "PAGE_SIZE": 2,
    }
)


@SETTINGS
def test_generic_views_and_viewsets_have_pages() -> None:
    assert len(get().data["results"]) == 2
    viewset = type(
        "Entries",
        (viewsets.ReadOnlyModelViewSet,),
        {"queryset": Entry.objects.order_by("id"), "serializer_class": EntrySerializer},
    )
    response = viewset.as_view({"get": "list"})(factory.get("/rows/?page=3"))
    assert (response.data["count"], len(response.data["results"])) == (5, 1)


@SETTINGS
def test_none_turns_pages_off() -> None:
    assert len(get(pagination_class=None).data) == 5


@SETTINGS
def test_plain_views_have_none() -> None:
    class Plain(APIView):
        def get(self, request: Any) -> Any:
            return Response(list(range(5)))

    assert Plain.as_view()(factory.get("/")).data == [0, 1, 2, 3, 4]


@override_settings(
    REST_FRAMEWORK={"DEFAULT_PAGINATION_CLASS": "lintel.pagination.PageNumberPagination"}
)
def test_without_a_page_size_there_are_no_pages() -> None:
    assert len(get().data) == 5


# Every attribute of the tables

SIZED = {"page_size_query_param": "size", "max_page_size": 3}


@pytest.mark.parametrize(
    ("style", "attributes", "query", "rows"),
    [
        (PageNumberPagination, {"page_size": 3}, "page=2", [4, 5]),
        (PageNumberPagination, {"page_size": 3, "page_query_param": "p"}, "p=2", [4, 5]),
        (PageNumberPagination, {"page_size": 3}, "page=last", [4, 5]),
        (PageNumberPagination, {"page_size": 3, "last_page_strings": ("end",)}, "page=end", [4, 5]),
        (PageNumberPagination, {"page_size": 1, **SIZED}, "size=2", [1, 2]),
        (PageNumberPagination, {"page_size": 1, **SIZED}, "size=99", [1, 2, 3]),
        (PageNumberPagination, {"page_size": 1}, "size=2", [1]),
        (LimitOffsetPagination, {"default_limit": 2}, "", [1, 2]),
        (LimitOffsetPagination, {}, "limit=1&offset=4", [5]),
        (LimitOffsetPagination, {"max_limit": 2}, "limit=4", [1, 2]),
        (LimitOffsetPagination, {"limit_query_param": "n"}, "n=1", [1]),
        (LimitOffsetPagination, {"offset_query_param": "o"}, "limit=1&o=1", [2]),
        (CursorPagination, {"page_size": 2, "ordering": "-id"}, "", [5, 4]),
        (CursorPagination, {"page_size": 2, "ordering": ["name", "id"]}, "", [1, 2]),
        (CursorPagination, {"page_size": 2}, "", [1, 2]),
        (CursorPagination, {"page_size": 1, **SIZED}, "size=9", [1, 2, 3]),
        (
            CursorPagination,
            {"page_size": 2, "ordering": "id", "cursor_query_param": "c"},
            "c=cD0z",
            [4, 5],
        ),
    ],
)
def test_attributes(style: Any, attributes: Any, query: str, rows: list[int]) -> None:
    response = get(query, pagination_class=type("Own", (style,), attributes))
    assert [row["id"] for row in response.data["results"]] == rows


@override_settings(REST_FRAMEWORK={"PAGE_SIZE": 3})
@pytest.mark.parametrize("style", [PageNumberPagination, LimitOffsetPagination, CursorPagination])
def test_sizes_follow_the_setting(style: Any) -> None:
    assert len(get(pagination_class=style).data["results"]) == 3


@pytest.mark.parametrize(
    ("style", "query", "text"),
    [
        (PageNumberPagination, "page=9", "No page {page_number}: {message}"),
        (CursorPagination, "cursor=x", "No such place"),
    ],
)
def test_messages(style: Any, query: str, text: str) -> None:
    attributes = {"page_size": 2, "invalid_page_message": text, "invalid_cursor_message": text}
    response = get(query, pagination_class=type("Own", (style,), attributes))
    assert response.status_code == 404
    assert str(response.data["detail"]).startswith(text.partition(" {")[0])


@pytest.mark.urls("contract_project.urls")
@pytest.mark.parametrize("style", [PageNumberPagination, LimitOffsetPagination, CursorPagination])
def test_controls_of_the_page_and_none_without_template(style: Any) -> None:
    attributes = {"page_size": 2, "default_limit": 2}
    for template, is_shown in ((style.template, True), (None, False)):
        own = type("Own", (style,), {**attributes, "template": template})
        response = get(pagination_class=own, renderer_classes=[BrowsableAPIRenderer])
        html = response.render().content.decode()
        assert ('class="pages"' in html) is is_shown
