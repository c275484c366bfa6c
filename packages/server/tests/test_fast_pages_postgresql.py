"""Pages of columns are the pages of instances on PostgreSQL, with its own types of rows."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from contract_project.models import Entry
from django.test import RequestFactory
from servers import everything_in

from lintel import generics, serializers
from lintel.pagination import CursorPagination, LimitOffsetPagination, PageNumberPagination
from lintel.renderers import JSONRenderer

factory = RequestFactory()


class EntrySerializer(serializers.ModelSerializer):
    class Meta:
        model = Entry
        fields = ["id", "created", "score"]


class Careful(EntrySerializer):
    """Gets instances, since nobody knows what it does with them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)


@pytest.fixture
def _entries(postgresql: str, django_db_blocker: Any) -> Iterator[None]:
    with everything_in(postgresql, django_db_blocker):
        Entry.objects.bulk_create(
            Entry(
                name=f"entry {number}",
                created=datetime(2024, 3, 1 + number // 5, microsecond=number // 3, tzinfo=UTC),
                score=number % 4 or None,
            )
            for number in range(30)
        )
        yield
        Entry.objects.all().delete()


def walk(style: Any, serializer_class: Any) -> list[Any]:
    """All pages from the first to the last, and back again."""
    attributes = {
        "queryset": Entry.objects.order_by("created", "id"),
        "serializer_class": serializer_class,
        "pagination_class": style,
        "renderer_classes": [JSONRenderer],
    }
    view = type("View", (generics.ListAPIView,), attributes).as_view()
    view(factory.get("/")).render()
    bodies = [json.loads(view(factory.get("/")).render().content)]
    for direction in ("next", "previous"):
        while bodies[-1][direction]:
            bodies.append(json.loads(view(factory.get(bodies[-1][direction])).render().content))
    return bodies


@pytest.mark.usefixtures("_entries")
@pytest.mark.parametrize(
    "style",
    [
        type("Numbers", (PageNumberPagination,), {"page_size": 7}),
        type("Offsets", (LimitOffsetPagination,), {"default_limit": 7}),
        type("Keys", (CursorPagination,), {"page_size": 7, "ordering": ("created", "id")}),
        type("Newest", (CursorPagination,), {"page_size": 7, "ordering": "-created"}),
        type("Scores", (CursorPagination,), {"page_size": 7, "ordering": "-score"}),
    ],
)
def test_pages_of_columns_are_those_of_instances(style: Any) -> None:
    assert walk(style, EntrySerializer) == walk(style, Careful)
