"""Dates of SQLite as it stores them: as text.

The driver makes a date of every value in a column declared as one, with a call in Python. A
column with a sign in front is an expression and has no declared type. So a wire gets the text, and
code that needs dates makes them as the driver does.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models.expressions import Col
from django.utils.dateparse import parse_date, parse_datetime

from lintel.provenance import is_of_django, reaches_django

#: Django's type of a column → the driver's name for it, and how Django reads it.
_READ: dict[str, tuple[str, Callable[[str], Any]]] = {
    "DateField": ("DATE", parse_date),
    "DateTimeField": ("DATETIME", parse_datetime),
}

#: Called with the value, the expression and the connection.
Converter = Callable[[Any, Any, Any], Any]

_ORDERED_BY_PLACE = re.compile(r"\b(\d+) (?:ASC|DESC)\b")


def readers() -> tuple[object, ...]:
    """Return the driver's date converters, which a project may replace."""
    return tuple(sqlite3.converters.get(name) for name, _ in _READ.values())


@dataclass(frozen=True, slots=True)
class Undeclared:
    """A query whose dates come as text. ``first``: by position, the step before all converters."""

    head: str
    first: dict[int, list[Converter]]


def undeclared(head: str, tail: str, columns: Sequence[Any], connection: Any) -> Undeclared:
    """Return the start of a query, up to its table, with a sign before date columns.

    ``tail`` is the order. Columns ordered by position stay unchanged: an index holds
    the column, not an expression.
    """
    if connection.vendor != "sqlite":
        return Undeclared(head, {})
    ordered = {int(place) - 1 for place in _ORDERED_BY_PLACE.findall(tail)}
    first: dict[int, list[Converter]] = {}
    for place, parse in _dates(columns):
        text = f"{connection.ops.quote_name(columns[place].alias)}."
        text += connection.ops.quote_name(columns[place].target.column)
        if place not in ordered and head.count(text) == 1:
            head = head.replace(text, f"+{text}")
            first[place] = [_reader(parse)]
    return Undeclared(head, first)


def _dates(columns: Sequence[Any]) -> Iterator[tuple[int, Callable[[str], Any]]]:
    for place, column in enumerate(columns):
        if type(column) is Col and column.target is column.output_field:
            name, parse = _READ.get(_plain_type(column.target), ("", parse_date))
            if name and is_of_django(sqlite3.converters.get(name)):
                yield place, parse


def _plain_type(field: models.Field[Any, Any]) -> str:
    """Return Django's type of a column if the field is Django's own, else an empty text."""
    names = ("get_internal_type", "db_type", "get_db_converters", "rel_db_type")
    usual = reaches_django(type(field), *names) and not hasattr(field, "from_db_value")
    # Columns created by other programs may be declared in any way.
    return field.get_internal_type() if usual and field.model._meta.managed else ""


def _reader(parse: Callable[[str], Any]) -> Converter:
    def read(value: Any, expression: Any, connection: Any) -> Any:
        """Return what the driver makes of a column that is declared as a date."""
        if value is None:
            return None
        return parse(value.decode() if isinstance(value, bytes) else str(value))

    return read
