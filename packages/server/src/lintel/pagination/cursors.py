"""Pages by a cursor into the order of the rows: nothing is skipped or shown twice.

A cursor is opaque to clients. Where the rows around it differ in the first column of the order it
holds the value of that column alone; where they agree there, it holds the whole key of the row
(see :mod:`lintel.pagination.keysets`). Both are conditions on rows, so that a page far away costs
as little as the first one. Cursors with an offset, as other servers hand them out, are read too.

A cursor is the base64 of a query string with these tokens:

* ``o``, ``r``, ``p``: offset, direction and first value. No other token: the form without version,
  which every server of this interface reads and hands out.
* ``k``: the whole key, in place of ``p``. ``v``: the version of the form, 1. ``b``: a hash of the
  list, its ordering and its filters, which has to be that of the request. ``s``: in place of ``b``,
  a signature over all of that; with ``signed`` every cursor has one, and is refused without it.
"""

from __future__ import annotations

import hashlib
import re
import sys
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple
from urllib import parse

from django.core.exceptions import FieldError, ValidationError
from django.core.signing import BadSignature, Signer
from django.db import DataError
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from lintel.compiler.pages import LatePage
from lintel.compiler.plan import inlinable
from lintel.exceptions import NotFound
from lintel.pagination.base import (
    BasePagination,
    HTMLControlsMixin,
    absolute_address,
    encoded,
    encoded_base64,
    envelope_schema,
    integer_field,
    positive_number,
    query_parameter,
    string_field,
)
from lintel.pagination.keysets import InvalidKey, Keyset, cut, plain_text
from lintel.response import Response
from lintel.settings import SettingDefault, api_settings
from lintel_document import Field


class Cursor(NamedTuple):
    """A place between two rows. ``position`` is a value of the first column, or a RowKey."""

    offset: int
    reverse: bool
    position: str | None


class RowKey(str):
    """A position that is the whole key of a row, as the text of a JSON list."""

    __slots__ = ()


#: Where the rows begin.
START = Cursor(0, False, None)

#: The form of cursors that say one; those without are of the form that all servers share.
VERSION = "1"

#: Where an object is kept is no part of an ordering.
MEMORY_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")

SIGNER_SALT = "lintel.pagination.cursors"


def _named(term: Any) -> str:
    """A term of an ordering as text that is the same in every process."""
    return term if isinstance(term, str) else MEMORY_ADDRESS.sub("", repr(term))


class CursorPagination(HTMLControlsMixin, BasePagination):
    """Pages before and after a place in the order of the rows.

    ``ordering`` is a name, a list of names, or of expressions; an OrderingFilter of the view takes
    its place. The primary key is always its last column, so it need not be unique.
    """

    cursor_query_param = "cursor"
    cursor_query_description: Any = _("The pagination cursor value.")
    page_size: Any = SettingDefault("PAGE_SIZE")
    invalid_cursor_message: Any = _("Invalid cursor")
    ordering: Any = "-created"
    template: str | None = "rest_framework/pagination/previous_and_next.html"

    page_size_query_param: str | None = None
    page_size_query_description: Any = _("Number of results to return per page.")
    max_page_size: int | None = None

    #: The greatest offset of a cursor from another server.
    offset_cutoff: int | None = 1000

    #: Whether only cursors count that carry a signature for this list, ordering and filter.
    signed: Any = SettingDefault("SIGN_CURSORS")

    request: Any
    base_url: str
    cursor: Cursor | None
    page: Sequence[Any]
    has_next: bool
    has_previous: bool
    _ends: tuple[Sequence[Any], Sequence[Any]] | None
    _following: Sequence[Any] | None
    _known_mark: tuple[Any, str] | None = None

    @inlinable("_late_page")
    def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> Any:
        """The rows of the page. Raises NotFound for a cursor that nobody handed out."""
        page = self._late_page(queryset, request, view)
        if page is None:
            return None
        self.page = page.instances()
        return self.page

    def _late_page(self, queryset: Any, request: Any, view: Any) -> LatePage | None:
        self.request = request
        self.page_size = self.get_page_size(request)
        if not self.page_size:
            return None
        self.base_url = absolute_address(request)
        self.ordering = self.get_ordering(request, queryset, view)
        self.cursor = self.decode_cursor(request)
        self._keyset = Keyset(queryset, self.ordering)
        self._start = self._read_position()
        rows = self._checked(self._rows)
        key = self._keyset.key if self._is_read_plainly() else None
        late = LatePage(rows, self._take, key, self._values)
        self.page = late
        return late

    def _get_position_from_instance(self, instance: Any, ordering: Sequence[Any]) -> str | None:
        """The first value of a row as text; a subclass may take it from somewhere else.

        What it says must be what the database orders by.
        """
        value = self._keyset.columns[0].value(instance)
        return None if value is None else str(value)

    def _is_read_plainly(self) -> bool:
        own = type(self)._get_position_from_instance
        return own is CursorPagination._get_position_from_instance

    def _values(self, row: Any) -> Sequence[Any]:
        """The key of an instance."""
        if self._is_read_plainly():
            return self._keyset.values(row)
        others = [column.value(row) for column in self._keyset.columns[1:]]
        return [self._get_position_from_instance(row, self.ordering), *others]

    def _read_position(self) -> list[Any] | None:
        """The values of the cursor: a whole key, the first value of one, or None."""
        position = self.cursor.position if self.cursor else None
        if position is None:
            return None
        try:
            if isinstance(position, RowKey):
                return self._keyset.load(position)
            return [self._keyset.columns[0].parse(position)]
        except InvalidKey as error:
            raise NotFound(self.invalid_cursor_message) from error

    def _rows(self) -> Any:
        """The rows after the cursor, and one more to know whether that is all."""
        offset, is_reversed, _position = self.cursor or START
        if self._start is None:
            queryset = self._keyset.ordered(is_reversed)
        else:
            queryset = self._keyset.beyond(self._start, is_reversed)
        # No database counts further than 63 bits.
        start = min(offset, sys.maxsize)
        stop = min(start + self.page_size + 1, sys.maxsize)
        return cut(queryset, start, stop)

    def _checked(self, step: Callable[[], Any]) -> Any:
        """The outcome of a step. Raises NotFound where the cursor is to blame for its failure."""
        try:
            return step()
        except (ValueError, OverflowError, ValidationError, DataError, FieldError) as error:
            if self._start is None:
                raise
            raise NotFound(self.invalid_cursor_message) from error

    def _take(
        self, fetch: Callable[[], list[Any]], key_of: Callable[[Any], Sequence[Any]]
    ) -> list[Any]:
        """Cut the page out of the rows; keep what is known of its ends and of what is beyond."""
        rows = self._checked(fetch)
        offset, is_reversed, _position = self.cursor or START
        came_from_somewhere = self._start is not None or offset > 0
        page, following = rows[: self.page_size], rows[self.page_size :]
        if is_reversed:
            page.reverse()
        self._ends = (key_of(page[0]), key_of(page[-1])) if page else None
        self._following = key_of(following[0]) if following else None
        beyond = (bool(following), came_from_somewhere)
        self.has_next, self.has_previous = beyond[::-1] if is_reversed else beyond
        if (self.has_previous or self.has_next) and self.template is not None:
            self.display_page_controls = True
        return self._keyset.visible(page)

    @cached_property
    def next_position(self) -> str | None:
        """The first value of the row after the page, as text."""
        return self._neighbour_text() if self.has_next else None

    @cached_property
    def previous_position(self) -> str | None:
        """The first value of the row before the page, as text."""
        return self._neighbour_text() if self.has_previous else None

    def _neighbour_text(self) -> str | None:
        if self._following is not None:
            return plain_text(self._following[0])
        return self.cursor.position if self.cursor else None

    def get_page_size(self, request: Any) -> Any:
        """Rows in a page; None or 0 for no pages."""
        if self.page_size_query_param:
            try:
                return positive_number(
                    request.query_params[self.page_size_query_param],
                    strict=True,
                    cutoff=self.max_page_size,
                )
            except (KeyError, ValueError):
                pass
        return self.page_size

    def get_next_link(self) -> str | None:
        """Address of the page after this one."""
        return self._link(is_reversed=False) if self.has_next else None

    def get_previous_link(self) -> str | None:
        """Address of the page before this one."""
        return self._link(is_reversed=True) if self.has_previous else None

    def _link(self, is_reversed: bool) -> str:
        if self._ends is not None:
            position: str | None = self._position_beside(
                self._ends[0 if is_reversed else 1], is_reversed
            )
        else:
            position = self._position_of_nothing(is_reversed)
        return self.encode_cursor(Cursor(0, is_reversed, position))

    def _position_beside(self, values: Sequence[Any], is_reversed: bool) -> str:
        """The position that a row is at: its first value, if its neighbour has another one."""
        known, neighbour = self._neighbour(is_reversed)
        if len(values) == 1 or (known and values[0] != neighbour):
            text = plain_text(values[0])
            if text is not None:
                return text
        return RowKey(self._keyset.dump(values))

    def _neighbour(self, is_reversed: bool) -> tuple[bool, Any]:
        """Whether the first value of the row beyond the page is known, and that value.

        Behind the page lies the row at the cursor, if only its position says so: rows skipped by
        an offset may be alike.
        """
        if not self._is_read_plainly():
            return False, None
        cursor = self.cursor or START
        if cursor.reverse is is_reversed and self._following is not None:
            return True, self._following[0]
        if cursor.offset or self._start is None:
            return False, None
        return True, self._start[0]

    def _position_of_nothing(self, is_reversed: bool) -> str | None:
        """The position for turning round where there are no rows any more.

        None, the end of the rows, unless the row at the cursor has gone as well.
        """
        if self._start is None or self.cursor is None:
            return None
        at_cursor = Q()
        for column, value in zip(self._keyset.columns, self._start, strict=False):
            at_cursor &= column.equals(value)
        is_there = self._keyset.queryset.filter(at_cursor).exists()
        return None if is_there else self.cursor.position

    def get_ordering(self, request: Any, queryset: Any, view: Any) -> tuple[Any, ...]:
        """The order of the rows, from the OrderingFilter of the view or from ``ordering``.

        Raises AssertionError where there is none.
        """
        ordering = self._filter_ordering(request, queryset, view) or self.ordering
        if ordering is None:
            raise AssertionError(
                "Using cursor pagination, but no ordering attribute was declared on the "
                "pagination class."
            )
        if isinstance(ordering, Sequence) and not isinstance(ordering, str):
            return tuple(ordering)
        return (ordering,)

    def _filter_ordering(self, request: Any, queryset: Any, view: Any) -> Any:
        for backend in getattr(view, "filter_backends", ()):
            if hasattr(backend, "get_ordering"):
                return backend().get_ordering(request, queryset, view)
        return None

    def decode_cursor(self, request: Any) -> Cursor | None:
        """The cursor of the request, or None. Raises NotFound for text that is none."""
        given = request.query_params.get(self.cursor_query_param)
        if given is None:
            return None
        try:
            text = a2b_base64(given).decode("ascii")
            tokens = _tokens(text)
            self._check(tokens, request)
            offset = positive_number(tokens["o"], cutoff=self.offset_cutoff) if "o" in tokens else 0
            is_reversed = bool(int(tokens["r"])) if "r" in tokens else False
        except ValueError as error:
            raise NotFound(self.invalid_cursor_message) from error
        position = RowKey(tokens["k"]) if "k" in tokens else tokens.get("p")
        return Cursor(offset, is_reversed, position)

    def _check(self, tokens: dict[str, str], request: Any) -> None:
        """Raises ValueError for a cursor of another list, or one that was changed."""
        proof = tokens.pop("s" if self.signed else "b", None)
        if proof is None and not self.signed and tokens.keys().isdisjoint(("k", "v", "s")):
            return
        if proof is None or tokens.get("v") != VERSION:
            raise ValueError("The cursor has no proof of where it comes from.")
        if self.signed:
            _check_signature(self._signed_text(tokens, request), proof)
        elif proof != self._mark(request):
            raise ValueError("The cursor belongs to another list.")

    def _scope(self, request: Any) -> str:
        """What a cursor is bound to: the list, its order, its filters."""
        ordering = self.ordering
        if isinstance(ordering, str) or not isinstance(ordering, Sequence):
            ordering = (ordering,)
        own = (
            self.cursor_query_param,
            self.page_size_query_param,
            api_settings.URL_FORMAT_OVERRIDE,
        )
        filters = sorted([pair for pair in request.query_params.lists() if pair[0] not in own])
        path = getattr(request, "_request", request).path_info
        return repr([path, [_named(term) for term in ordering], filters])

    def _mark(self, request: Any) -> str:
        """The scope as a hash: it tells lists apart, and is no protection against making it up."""
        key = (request, self.ordering)
        if self._known_mark is None or self._known_mark[0] != key:
            scope = self._scope(request).encode()
            self._known_mark = key, hashlib.blake2b(scope, digest_size=6).hexdigest()
        return self._known_mark[1]

    def _signed_text(self, tokens: dict[str, str], request: Any) -> str:
        return f"{self._scope(request)} {sorted(tokens.items())!r}"

    def encode_cursor(self, cursor: Cursor) -> str:
        """The address of a page, with a cursor in it."""
        tokens = {}
        if cursor.offset != 0:
            tokens["o"] = str(cursor.offset)
        if cursor.reverse:
            tokens["r"] = "1"
        if cursor.position is not None:
            tokens["k" if isinstance(cursor.position, RowKey) else "p"] = str(cursor.position)
        if self.signed or "k" in tokens:
            self._prove(tokens)
        query = "&".join([f"{name}={_inside(name, text)}" for name, text in tokens.items()])
        text = b2a_base64(query.encode("ascii"), newline=False).decode("ascii")
        address = self._address_of(self.base_url)
        before, after = address.around(self.cursor_query_param)
        return f"{before}{encoded_base64(text)}{after}"

    def _prove(self, tokens: dict[str, str]) -> None:
        """Bind a cursor to this list."""
        tokens["v"] = VERSION
        if self.signed:
            text = self._signed_text(tokens, self.request)
            tokens["s"] = Signer(salt=SIGNER_SALT).signature(text)
        else:
            tokens["b"] = self._mark(self.request)

    def get_paginated_response(self, data: Any) -> Response:
        """Links and rows."""
        return Response(
            {
                "next": self.get_next_link(),
                "previous": self.get_previous_link(),
                "results": data,
            }
        )

    def get_paginated_response_schema(self, schema: Any) -> Any:
        """The JSON Schema of a page."""
        address = f"http://api.example.org/accounts/?{self.cursor_query_param}="
        return envelope_schema(
            schema, f'{address}cD00ODY%3D"', f"{address}cj0xJnA9NDg3", counted=False
        )

    def get_html_context(self) -> dict[str, Any]:
        """The links of the page controls."""
        return {"previous_url": self.get_previous_link(), "next_url": self.get_next_link()}

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """The query parameters of this style, for OpenAPI."""
        parameters = [
            query_parameter(self.cursor_query_param, self.cursor_query_description, "string")
        ]
        if self.page_size_query_param is not None:
            description = self.page_size_query_description
            parameters.append(query_parameter(self.page_size_query_param, description, "integer"))
        return parameters

    def get_schema_fields(self, view: Any) -> list[Field]:
        """The query parameters of this style, for the native schema."""
        fields = [string_field(self.cursor_query_param, "Cursor", self.cursor_query_description)]
        if self.page_size_query_param is not None:
            description = self.page_size_query_description
            fields.append(integer_field(self.page_size_query_param, "Page size", description))
        return fields


def _check_signature(text: str, signature: str) -> None:
    """Raises ValueError. Keys of SECRET_KEY_FALLBACKS count as well."""
    try:
        Signer(salt=SIGNER_SALT).unsign(f"{text}:{signature}")
    except BadSignature as error:
        raise ValueError("The signature of the cursor is wrong.") from error


def _inside(name: str, text: str) -> str:
    """The text of a token. Keys of ours are JSON in ASCII and need little of percent-encoding."""
    if name not in ("k", "p"):
        return text
    if name == "p" or not text.isascii():
        return encoded(text)
    return text.replace("%", "%25").replace("&", "%26").replace("+", "%2B")


def _tokens(text: str) -> dict[str, str]:
    """The tokens of a cursor; the first of each name counts."""
    tokens: dict[str, str] = {}
    for part in text.split("&"):
        name, _, value = part.partition("=")
        if "%" in part or "+" in part:
            name, value = parse.unquote_plus(name), parse.unquote_plus(value)
        tokens.setdefault(name, value)
    return tokens
