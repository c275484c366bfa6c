"""Dates of SQLite as it keeps them: as text.

The driver makes a date of every value of a column that is declared as one, by a call of Python. A
column behind a sign is an expression, which has no declared type. So a wire gets the text, and
where something else wants dates, they are made as the driver makes them.
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

from lintel.orm.vocabulary import is_plain_sqlite
from lintel.provenance import is_of_django, reaches_django

#: What Django calls a column → the name under which the driver knows it, and how Django reads it.
_READ: dict[str, tuple[str, Callable[[str], Any]]] = {
    "DateField": ("DATE", parse_date),
    "DateTimeField": ("DATETIME", parse_datetime),
}

#: From the value, the expression and the connection.
Converter = Callable[[Any, Any, Any], Any]

_ORDERED_BY_PLACE = re.compile(r"\b(\d+) (?:ASC|DESC)\b")


def readers() -> tuple[object, ...]:
    """Who makes dates in the driver: a project may put functions of its own there."""
    return tuple(sqlite3.converters.get(name) for name, _ in _READ.values())


@dataclass(frozen=True, slots=True)
class Undeclared:
    """A query whose dates come as text. ``first``: by place, what comes before all converters."""

    head: str
    first: dict[int, list[Converter]]


def undeclared(head: str, tail: str, columns: Sequence[Any], connection: Any) -> Undeclared:
    """Return the start of a query, up to its table, with a sign before date columns.

    ``tail`` is the order. What it orders by the place of a column stays as it is: an index holds
    the column, and no expression.
    """
    if not is_plain_sqlite(connection):
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
    """What Django calls the column of a field of its own making; else empty."""
    names = ("get_internal_type", "db_type", "get_db_converters", "rel_db_type")
    usual = reaches_django(type(field), *names) and not hasattr(field, "from_db_value")
    # What another program has made may be declared in any way.
    return field.get_internal_type() if usual and field.model._meta.managed else ""


def _reader(parse: Callable[[str], Any]) -> Converter:
    def read(value: Any, expression: Any, connection: Any) -> Any:
        """What the driver hands out for a column that is declared as a date."""
        if value is None:
            return None
        return parse(value.decode() if isinstance(value, bytes) else str(value))

    return read
