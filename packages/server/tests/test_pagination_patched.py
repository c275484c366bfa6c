"""Methods and attributes of paginators and filters that change after their first use."""

import asyncio
import functools
from typing import Any

import pytest
from contract_project.models import Tag
from django.test import RequestFactory

from lintel import filters, generics, pagination, serializers

factory = RequestFactory()

pytestmark = pytest.mark.django_db(transaction=True)


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["name"]


class Plain(generics.ListAPIView):
    queryset = Tag.objects.order_by("id")
    serializer_class = TagSerializer
    authentication_classes: list[Any] = []
    search_fields = ["name"]


class Async(Plain, generics.AsyncListAPIView):
    pass


@pytest.fixture(autouse=True)
def rows() -> None:
    Tag.objects.bulk_create(Tag(name=name) for name in "abcdef")


@pytest.fixture(params=[Plain, Async])
def view_class(request: pytest.FixtureRequest) -> Any:
    return type("View", (request.param,), {"__module__": __name__})


def listed(view_class: Any, query: str = "") -> Any:
    answer = view_class.as_view()(factory.get(f"/?{query}"))
    return (asyncio.run(_awaited(answer)) if asyncio.iscoroutine(answer) else answer).data


async def _awaited(answer: Any) -> Any:
    return await answer


def names(data: Any) -> str:
    return "".join(row["name"] for row in (data["results"] if isinstance(data, dict) else data))


def styles() -> dict[str, Any]:
    return {
        "page": type("Pages", (pagination.PageNumberPagination,), {"page_size": 2}),
        "limit": type("Limits", (pagination.LimitOffsetPagination,), {"default_limit": 2}),
        "cursor": type(
            "Cursors", (pagination.CursorPagination,), {"page_size": 2, "ordering": "id"}
        ),
    }


@pytest.mark.parametrize(
    ("style", "method", "changed", "expected"),
    [
        ("page", "get_page_size", lambda self, request: 3, "abc"),
        ("page", "get_page_number", lambda self, request, paginator: 2, "cd"),
        ("page", "paginate_queryset", lambda self, queryset, request, view=None: None, "abcdef"),
        ("limit", "get_limit", lambda self, request: 4, "abcd"),
        ("limit", "get_offset", lambda self, request: 3, "de"),
        ("limit", "get_count", lambda self, queryset: 0, ""),
        ("cursor", "get_ordering", lambda self, request, queryset, view: ("-id",), "fe"),
        ("cursor", "get_page_size", lambda self, request: 1, "a"),
        ("cursor", "decode_cursor", lambda self, request: pagination.Cursor(1, False, None), "bc"),
    ],
)
@pytest.mark.parametrize("on_base", [True, False])
def test_patched_methods_of_paginators_are_called(
    view_class: Any,
    style: str,
    method: str,
    changed: Any,
    expected: str,
    on_base: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = view_class.pagination_class = styles()[style]
    assert names(listed(view_class)) == "ab"
    monkeypatch.setattr(made.__mro__[1] if on_base else made, method, changed)
    assert names(listed(view_class)) == expected


@pytest.mark.parametrize("style", ["page", "limit", "cursor"])
def test_wrapped_methods_of_paginators_see_their_rows(
    view_class: Any, style: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = view_class.pagination_class = styles()[style]
    plain = made.paginate_queryset
    assert names(listed(view_class)) == "ab"

    @functools.wraps(plain)
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = plain(self, *args, **kwargs)
        return [row for row in found if row.name != "a"]

    monkeypatch.setattr(made, "paginate_queryset", wrapped)
    assert names(listed(view_class)) == "b"


@pytest.mark.parametrize("style", ["page", "limit", "cursor"])
def test_paginators_that_are_patched_one_by_one(view_class: Any, style: str) -> None:
    class Own(view_class):
        @property
        def paginator(self) -> Any:
            if "_paginator" not in vars(self):
                self._paginator = styles()[style]()
                self._paginator.paginate_queryset = lambda rows, request, view=None: list(rows)[4:]
                self._paginator.get_paginated_response = lambda data: _response(data)
            return self._paginator

    assert names(listed(Own)) == "ef"


def _response(data: Any) -> Any:
    from lintel.response import Response

    return Response(data)


def test_sizes_and_classes_may_change(view_class: Any) -> None:
    made = view_class.pagination_class = styles()["page"]
    assert names(listed(view_class)) == "ab"
    made.page_size = 4
    assert names(listed(view_class)) == "abcd"
    view_class.pagination_class = styles()["limit"]
    assert names(listed(view_class, "limit=1")) == "a"
    view_class.pagination_class = None
    assert names(listed(view_class)) == "abcdef"


def test_a_size_that_the_view_sets(view_class: Any) -> None:
    class Own(view_class):
        pagination_class = styles()["page"]

        def get_queryset(self) -> Any:
            self.paginator.page_size = 5
            return super().get_queryset()

    assert names(listed(Own)) == "abcde"


@pytest.mark.parametrize("wrapped", [True, False])
@pytest.mark.parametrize(
    ("backend", "query"),
    [(filters.SearchFilter, "search=a"), (filters.OrderingFilter, "ordering=name")],
)
def test_patched_filters_are_called_and_may_ask_the_database(
    view_class: Any, backend: Any, query: str, wrapped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    view_class.filter_backends = [backend]
    listed(view_class, query)
    plain = backend.filter_queryset

    def filter_queryset(self: Any, request: Any, queryset: Any, view: Any) -> Any:
        first = queryset.first()
        return queryset.exclude(pk=first.pk)

    changed = functools.wraps(plain)(filter_queryset) if wrapped else filter_queryset
    monkeypatch.setattr(backend, "filter_queryset", changed)
    assert names(listed(view_class, query)) == "bcdef"
