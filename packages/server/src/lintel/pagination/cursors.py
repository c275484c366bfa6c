"""Pages by a cursor into the order of the rows: no row is skipped or shown twice.

A cursor is opaque to clients. If the rows around it differ in the first column of the order, it
holds only the value of that column; otherwise it holds the whole key of the row
(see :mod:`lintel.pagination.keysets`). Both are conditions on rows, so that a distant page costs
as little as the first one. Cursors with an offset, as other servers send them, are read too;
:mod:`lintel.pagination.cursor_tokens` describes all forms.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.core.exceptions import FieldError, ValidationError
from django.db import DataError
from django.db.models import Q, QuerySet
from django.db.models.manager import BaseManager
from django.utils.translation import gettext_lazy as _

from lintel.exceptions import NotFound
from lintel.fast import LazyPage, cut
from lintel.fields.describing import Schema
from lintel.marks import finds
from lintel.overrides import is_ours
from lintel.pagination.base import SizedPagination, envelope_schema, linked
from lintel.pagination.cursor_tokens import Cursor, RowKey, read_cursor, write_cursor
from lintel.pagination.keysets import InvalidKey, Key, Keyset, plain_text
from lintel.pagination.positions import cursor_beside, first_position, rows_at
from lintel.problems.places import about_parameter
from lintel.request import Request
from lintel.response import Response
from lintel.settings import SettingDefault

#: The start of the rows.
START = Cursor(0, False, None)

#: Errors of a query with an invalid cursor.
UNUSABLE = (ValueError, OverflowError, ValidationError, DataError, FieldError)


@dataclass(slots=True)
class Place:
    """The position of a page among rows with a key.

    ``start``: the values of the cursor. ``is_plain``: whether rows provide their own keys.
    ``ends``: the keys of the first and the last row of the page, ``following``: that of the row
    after it, in the direction of the cursor. ``firsts``: the first values of all rows, if a
    subclass uses its own cursors.
    """

    keyset: Keyset
    start: Key | None
    is_plain: bool
    ends: tuple[Key, Key] | None = None
    following: Key | None = None
    firsts: list[str | None] | None = None


def find_cursor_page(
    style: CursorPagination, rows: object, request: Request, view: object
) -> object:
    style.request = request
    style.page_size = style.get_page_size(request)
    if not style.page_size:
        return None
    rows = rows.all() if isinstance(rows, BaseManager) else rows
    style.base_url = request.build_absolute_uri()
    style.ordering = style.get_ordering(request, rows, view)
    style.cursor = style.decode_cursor(request)
    style._lintel_place = None
    for name in ("next_position", "previous_position"):
        vars(style).pop(name, None)
    if not isinstance(rows, QuerySet):
        return _page_of_positions(style, rows)
    keyset = Keyset(rows, style.ordering)
    style._lintel_place = place = Place(
        keyset, _start(style, keyset), is_ours(style._get_position_from_instance)
    )
    queryset = _checked(style, place.start is None, lambda: _rows(style, place))
    key = keyset.key if place.is_plain else None
    page = LazyPage(
        queryset,
        lambda fetch, key_of: _cut_out(style, place, fetch, key_of),
        key,
        lambda row: _key_of(style, place, row),
    )
    style.page = page
    return page


def _refusal(style: CursorPagination) -> NotFound:
    return about_parameter(NotFound(style.invalid_cursor_message), style.cursor_query_param)


def _page_of_positions(style: CursorPagination, rows: Any) -> list[Any]:
    cursor = style.cursor or START
    if isinstance(cursor.position, RowKey):
        raise _refusal(style)
    selected = _checked(
        style,
        cursor.position is None,
        lambda: rows_at(rows, style.ordering, cursor, style.page_size),
    )
    page, following = selected[: style.page_size], selected[style.page_size :]
    _tell_neighbours(style, bool(following), cursor.position is not None or cursor.offset > 0)
    beyond = style._get_position_from_instance(following[0], style.ordering) if following else None
    around = (beyond, cursor.position)
    style.next_position, style.previous_position = around[::-1] if cursor.reverse else around
    style.page = page[::-1] if cursor.reverse else page
    return list(style.page)


def _tell_neighbours(style: CursorPagination, has_following: bool, came_from: bool) -> None:
    beyond = (has_following, came_from)
    is_reversed = (style.cursor or START).reverse
    style.has_next, style.has_previous = beyond[::-1] if is_reversed else beyond
    if (style.has_previous or style.has_next) and style.template is not None:
        style.display_page_controls = True


def _start(style: CursorPagination, keyset: Keyset) -> Key | None:
    position = style.cursor.position if style.cursor else None
    if position is None:
        return None
    try:
        if isinstance(position, RowKey):
            return keyset.load(position)
        return [keyset.columns[0].parse(position)]
    except InvalidKey as error:
        raise _refusal(style) from error


def _rows(style: CursorPagination, place: Place) -> Any:
    """One row more tells whether there are others."""
    offset, is_reversed, _position = style.cursor or START
    if place.start is None:
        queryset = place.keyset.ordered(is_reversed)
    else:
        queryset = place.keyset.beyond(place.start, is_reversed)
    # No database counts beyond 63 bits.
    start = min(offset, sys.maxsize)
    stop = min(start + style.page_size + 1, sys.maxsize)
    return cut(queryset, start, stop)


def _checked(style: CursorPagination, is_trusted: bool, step: Callable[[], object]) -> Any:
    """Return the result of a step. Raises NotFound if an invalid cursor makes it fail."""
    try:
        return step()
    except UNUSABLE as error:
        if is_trusted:
            raise
        raise _refusal(style) from error


def _cut_out(
    style: CursorPagination,
    place: Place,
    fetch: Callable[[], list[Any]],
    key_of: Callable[[object], Key],
) -> list[Any]:
    """Cut the page out of the rows; record its ends and what lies beyond."""
    rows = _checked(style, place.start is None, fetch)
    offset, is_reversed, _position = style.cursor or START
    page, following = rows[: style.page_size], rows[style.page_size :]
    if is_reversed:
        page.reverse()
    place.ends = (key_of(page[0]), key_of(page[-1])) if page else None
    place.following = key_of(following[0]) if following else None
    if not all(map(is_ours, (style.encode_cursor, style.decode_cursor))):
        place.firsts = [_text(key_of(row)[0]) for row in page]
    _tell_neighbours(style, bool(following), place.start is not None or offset > 0)
    return place.keyset.visible(page)


def _key_of(style: CursorPagination, place: Place, row: object) -> Key:
    if place.is_plain:
        return place.keyset.values(row)
    others = [column.value(row) for column in place.keyset.columns[1:]]
    return [style._get_position_from_instance(row, style.ordering), *others]


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _neighbour_text(style: CursorPagination, is_before: bool) -> str | None:
    cursor, place = style.cursor or START, style._lintel_place
    if place is None:
        return cursor.position
    key = place.following if cursor.reverse is is_before else place.start
    return None if key is None else plain_text(key[0])


def _link(style: CursorPagination, is_reversed: bool) -> str:
    place = style._lintel_place
    if place is None or place.firsts:
        # A cursor that is not written and read here has no place for a key.
        return style.encode_cursor(_cursor_by_positions(style, is_reversed))
    if place.ends is None:
        position = _position_of_nothing(style, place)
    else:
        values = place.ends[0 if is_reversed else 1]
        position = _position_beside(style, place, values, is_reversed)
    return style.encode_cursor(Cursor(0, is_reversed, position))


def _cursor_by_positions(style: CursorPagination, is_reversed: bool) -> Cursor:
    place = style._lintel_place
    values = (place.firsts if place else None) or [
        style._get_position_from_instance(row, style.ordering) for row in style.page
    ]
    before = style.previous_position if style.has_previous else None
    after = style.next_position if style.has_next else None
    return cursor_beside(values, (before, after), style.cursor or START, is_reversed)


def _position_beside(style: CursorPagination, place: Place, values: Key, is_reversed: bool) -> str:
    """Return the position of a row: its first value, if its neighbour has a different one."""
    is_known, neighbour = _neighbour(style, place, is_reversed)
    if len(values) == 1 or (is_known and values[0] != neighbour):
        text = plain_text(values[0])
        if text is not None:
            return text
    return RowKey(place.keyset.dump(values))


def _neighbour(style: CursorPagination, place: Place, is_reversed: bool) -> tuple[bool, object]:
    """Return whether the first value of the row beyond the page is known, and the value.

    The row at the cursor lies behind the page only if its position says so: rows skipped
    by an offset may have equal values.
    """
    if not place.is_plain:
        return False, None
    cursor = style.cursor or START
    if cursor.reverse is is_reversed and place.following is not None:
        return True, place.following[0]
    if cursor.offset or place.start is None:
        return False, None
    return True, place.start[0]


def _position_of_nothing(style: CursorPagination, place: Place) -> str | None:
    """None, the end of the rows, unless the row at the cursor has been deleted as well."""
    if place.start is None or style.cursor is None:
        return None
    at_cursor = Q()
    for column, value in zip(place.keyset.columns, place.start, strict=False):
        at_cursor &= column.equals(value)
    is_there = place.keyset.queryset.filter(at_cursor).exists()
    return None if is_there else style.cursor.position


class CursorPagination(SizedPagination):
    """Pages before and after a position in the order of the rows.

    ``ordering`` is a name, a list of names, or of expressions; an OrderingFilter of the view
    overrides it. The primary key is always the last column, so it need not be unique.
    """

    may_miss_page = True
    cursor_query_param = "cursor"
    cursor_query_description: Any = _("The pagination cursor value.")
    invalid_cursor_message: Any = _("Invalid cursor")
    ordering: Any = "-created"
    template: str | None = "rest_framework/pagination/previous_and_next.html"

    #: The largest offset accepted in a cursor from another server.
    offset_cutoff: int | None = 1000

    #: Whether cursors must have a signature for this list, ordering and filter.
    signed: Any = SettingDefault("SIGN_CURSORS")

    described_parameters = {"cursor": ("Cursor", "string"), "page_size": ("Page size", "integer")}
    base_url: str
    cursor: Cursor | None
    page: Sequence[Any]
    has_next: bool
    has_previous: bool

    _lintel_place: Place | None = None
    _lintel_mark: tuple[object, str] | None = None

    @finds(find_cursor_page)
    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> Any:
        """Return the rows of the page. Raises NotFound for an invalid cursor."""
        page = find_cursor_page(self, queryset, request, view)
        if type(page) is LazyPage:
            self.page = page.instances()
        return None if page is None else self.page

    def _get_position_from_instance(
        self, instance: object, ordering: Sequence[object]
    ) -> str | None:
        """Return the value that the database orders by, as text; subclasses may override this."""
        place = self._lintel_place
        if place is None or ordering != self.ordering:
            return first_position(instance, ordering)
        return _text(place.keyset.columns[0].value(instance))

    @cached_property
    def next_position(self) -> str | None:
        return _neighbour_text(self, False) if self.has_next else None

    @cached_property
    def previous_position(self) -> str | None:
        return _neighbour_text(self, True) if self.has_previous else None

    def get_next_link(self) -> str | None:
        return _link(self, is_reversed=False) if self.has_next else None

    def get_previous_link(self) -> str | None:
        return _link(self, is_reversed=True) if self.has_previous else None

    def get_ordering(self, request: Request, queryset: Any, view: Any) -> tuple[Any, ...]:
        """Return the order of the OrderingFilter, else ``ordering``; AssertionError for none."""
        backends = getattr(view, "filter_backends", ())
        backend = next((cls for cls in backends if hasattr(cls, "get_ordering")), None)
        chosen = None if backend is None else backend().get_ordering(request, queryset, view)
        ordering = chosen or self.ordering
        if ordering is None:
            raise AssertionError(
                "Using cursor pagination, but no ordering attribute was declared on the "
                "pagination class."
            )
        if isinstance(ordering, Sequence) and not isinstance(ordering, str):
            return tuple(ordering)
        return (ordering,)

    def decode_cursor(self, request: Request) -> Cursor | None:
        """Return the cursor of the request, or None. Raises NotFound for an invalid one."""
        given = request.query_params.get(self.cursor_query_param)
        if given is None:
            return None
        try:
            return read_cursor(self, given, request)
        except ValueError as error:
            raise _refusal(self) from error

    def encode_cursor(self, cursor: Cursor) -> str:
        return linked(self, {self.cursor_query_param: write_cursor(self, cursor)}, self.base_url)

    def get_paginated_response(self, data: Any) -> Response:
        links = {"next": self.get_next_link(), "previous": self.get_previous_link()}
        return Response({**links, "results": data})

    def get_paginated_response_schema(self, schema: Schema) -> Schema:
        address = f"http://api.example.org/accounts/?{self.cursor_query_param}="
        return envelope_schema(
            schema, f'{address}cD00ODY%3D"', f"{address}cj0xJnA9NDg3", counted=False
        )

    def get_html_context(self) -> dict[str, Any]:
        return {"previous_url": self.get_previous_link(), "next_url": self.get_next_link()}
