"""The three pagination styles, one for each list."""

from lintel.pagination import CursorPagination, LimitOffsetPagination, PageNumberPagination


class StationPages(PageNumberPagination):
    """``?page=2``."""

    page_size = 10


class BikeWindows(LimitOffsetPagination):
    """``?limit=25&offset=50``."""

    default_limit = 25
    max_limit = 100


class TripCursors(CursorPagination):
    """``?cursor=...``: as fast at the end as at the start, even while rows are added or deleted."""

    page_size = 50
    ordering = ("-started", "-id")
    signed = True
