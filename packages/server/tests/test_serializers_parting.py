"""Lists are freed with their response, unless somebody keeps a part of them."""

import gc
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import RequestFactory

from lintel import serializers
from lintel.generics import ListAPIView
from lintel.pagination import PageNumberPagination
from lintel.renderers import JSONRenderer
from lintel.response import Response

# Closing a response looks at the connections to databases.
pytestmark = pytest.mark.django_db

ROWS = [SimpleNamespace(name=name, tags=[name], at=SimpleNamespace(name="x")) for name in "abc"]


@pytest.fixture(autouse=True)
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


class Place(serializers.Serializer[Any]):
    name = serializers.CharField()


class Flat(serializers.Serializer[Any]):
    name = serializers.CharField()


class Computed(serializers.Serializer[Any]):
    name = serializers.CharField()
    shout = serializers.SerializerMethodField()
    tags = serializers.ListField(child=serializers.CharField())
    at = Place()
    all = serializers.SerializerMethodField()

    def get_shout(self, row: Any) -> str:
        return str(self.fields["name"].to_representation(row.name)).upper()

    def get_all(self, row: Any) -> Any:
        return Place([row.at], many=True, context=self.context).data


class Pages(PageNumberPagination):
    page_size = 2


class Enveloped(Pages):
    def get_paginated_response(self, data: Any) -> Response:
        return Response(OrderedDict(rows=data, more=None))


class Rows(ListAPIView[Any]):
    renderer_classes = [JSONRenderer]
    queryset: Any = ROWS

    def get_queryset(self) -> Any:
        return ROWS


def answer(serializer: Any, pages: Any = None, keep: Callable[[Any], Any] = id) -> Any:
    """Answer a request and close the response; return what ``keep`` made of the serializer."""
    view = Rows.as_view(serializer_class=serializer, pagination_class=pages)
    response = view(RequestFactory().get("/")).render()
    data = response.data
    rows = data if isinstance(data, list) else next(v for v in data.values() if type(v) is not int)
    rows = data["results"] if pages is Pages else rows
    kept = keep(rows.serializer)
    del data, rows
    response.close()
    return kept


@pytest.mark.parametrize("pages", [None, Pages, Enveloped])
@pytest.mark.parametrize("serializer", [Flat, Computed])
def test_lists_are_freed_when_the_response_is(serializer: Any, pages: Any) -> None:
    answer(serializer, pages)
    assert answer(serializer, pages, weakref.ref)() is None


@pytest.mark.parametrize("serializer", [Flat, Computed])
def test_the_serializer_of_data_that_are_kept_works(serializer: Any) -> None:
    view = Rows.as_view(serializer_class=serializer)
    response = view(RequestFactory().get("/")).render()
    response.close()
    made = response.data.serializer
    child = made.child
    assert child.root.many
    assert child.context is made.context
    assert [item["name"] for item in made.to_representation(ROWS)] == ["a", "b", "c"]
    assert {field.context["format"] for field in child.fields.values()} == {None}


@pytest.mark.parametrize(
    "keep",
    [
        lambda made: made,
        lambda made: made.child,
        lambda made: made.child.fields,
        lambda made: made.child.fields["name"],
        lambda made: made.child.fields["tags"].child,
        lambda made: made.child.fields["at"].fields["name"],
    ],
    ids=["list", "child", "fields", "field", "item", "nested"],
)
def test_a_part_that_somebody_keeps_still_finds_its_parents(keep: Callable[[Any], Any]) -> None:
    kept = answer(Computed, Pages, keep)
    field = kept["name"] if hasattr(kept, "keys") else kept
    assert type(field.root) is serializers.ListSerializer
    assert "request" in field.context
