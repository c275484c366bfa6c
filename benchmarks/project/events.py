"""Lists of many events, by cursor and by offset, and the same page without a paginator."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.core.management import call_command
from django.test import RequestFactory

from benchmarks.project.models import Event
from lintel import generics, serializers
from lintel.pagination import (
    Cursor,
    CursorPagination,
    LimitOffsetPagination,
    PageNumberPagination,
)
from lintel.pagination.cursors import RowKey
from lintel.pagination.keysets import Keyset
from lintel.request import Request

PAGE_SIZE = 100


class EventSerializer(serializers.ModelSerializer):
    class Meta:
        model = Event
        fields = ["id", "name", "created"]


class Cursors(CursorPagination):
    page_size = PAGE_SIZE
    ordering = ("created", "id")


class Offsets(LimitOffsetPagination):
    default_limit = PAGE_SIZE


class Numbers(PageNumberPagination):
    page_size = PAGE_SIZE


class ByCursor(generics.ListAPIView):
    queryset = Event.objects.all()
    serializer_class = EventSerializer
    pagination_class = Cursors


class ByOffset(ByCursor):
    queryset = Event.objects.order_by("created", "id")
    pagination_class = Offsets


class ByNumber(ByOffset):
    pagination_class = Numbers


class CountedByHand(ByOffset):
    """The two queries of a page, and nothing of a paginator."""

    pagination_class = None

    def get_queryset(self) -> Any:
        rows = Event.objects.order_by("created", "id")
        rows.count()
        return rows[PAGE_SIZE : 2 * PAGE_SIZE]


class SoughtByHand(ByOffset):
    """The query of a page by cursor, and nothing of a paginator."""

    pagination_class = None

    #: That rows come after the first page.
    condition: Any = None

    def get_queryset(self) -> Any:
        return Event.objects.order_by("created", "id").filter(self.condition)[:PAGE_SIZE]


def load(rows: int) -> None:
    """Make the tables, and rows of which seven share each moment."""
    call_command("migrate", run_syncdb=True, verbosity=0)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    moments = (start + timedelta(seconds=number // 7) for number in range(rows))
    Event.objects.bulk_create(Event(name="event", created=each) for each in moments)
    last = Event.objects.get(pk=PAGE_SIZE)
    keys = Keyset(Event.objects.all(), Cursors.ordering)
    SoughtByHand.condition = keys.after([last.created, last.pk], is_reversed=False)


def cursor_at(depth: int) -> str:
    """The query for the page after so many rows; nothing for the first page."""
    if depth == 0:
        return ""
    row = Event.objects.order_by("created", "id")[depth - 1]
    paginator = Cursors()
    paginator.request = Request(RequestFactory().get("/events/"))
    paginator.base_url = "/events/"
    key = RowKey(Keyset(Event.objects.all(), Cursors.ordering).dump([row.created, row.pk]))
    return urlsplit(paginator.encode_cursor(Cursor(0, False, key))).query
