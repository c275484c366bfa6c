"""The system check for cursors whose order names a column that the rows lack."""

from typing import Any

import pytest
from contract_project.models import Snippet, Tag
from django.db.models import Count, QuerySet
from django.urls import path

from lintel import generics, serializers
from lintel.pagination import CursorPagination, PageNumberPagination
from lintel.pagination.order_checks import orders_check


class Newest(CursorPagination):
    page_size = 2
    ordering = ("-created", "-id")


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["name"]


def found(settings: Any, base: Any = generics.ListAPIView, **view: Any) -> list[str]:
    given = {"queryset": Tag.objects.all(), "pagination_class": Newest}
    cls = type("Tags", (base,), {"serializer_class": TagSerializer, **given, **view})
    settings.ROOT_URLCONF = type("Urls", (), {"urlpatterns": [path("tags/", cls.as_view())]})
    return [f"{each.obj.__name__}: {each.msg} {each.hint}" for each in orders_check(None)]


def test_a_column_that_the_rows_lack_is_reported(settings: Any) -> None:
    (message,) = found(settings)
    assert message.startswith("Tags: Cursors of Newest are in the order ('-created', '-id'), which")
    assert "Tag does not have: Cannot resolve keyword 'created'" in message
    assert "Set pagination_class on the view" in message


@pytest.mark.parametrize("ordering", ["name", ("name", "-id"), "-snippets__created"])
def test_columns_and_paths_are_not(ordering: Any, settings: Any) -> None:
    style = type("Style", (CursorPagination,), {"page_size": 2, "ordering": ordering})
    assert found(settings, pagination_class=style) == []


def test_what_comes_from_elsewhere_is_not(settings: Any) -> None:
    assert found(settings, queryset=Tag.objects.annotate(created=Count("snippets"))) == []
    assert found(settings, get_queryset=lambda self: Snippet.objects.all()) == []
    assert found(settings, ordering="name") == []
    assert found(settings, pagination_class=PageNumberPagination) == []
    assert found(settings, generics.CreateAPIView) == []
    assert found(settings, pagination_class=None) == []


def test_rows_that_are_there_only_for_requests_are_not(settings: Any) -> None:
    class Guarded(QuerySet):
        def all(self) -> Any:
            raise LookupError("Choose a tenant first.")

    assert found(settings, queryset=Guarded(Tag)) == []
