"""What the annotations of a query compute: those of one shape have the same SQL.

Only columns and the plain aggregates over columns have a shape. Others may hold values, conditions
or queries, so Django writes them each time.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Avg, Count, Max, Min, Sum
from django.db.models.expressions import Col, Star
from django.db.models.sql import Query

#: Aggregates whose text follows from their column; those of :mod:`lintel.fast.participants`.
AGGREGATES = frozenset([Avg, Count, Max, Min, Sum])

#: What an aggregate holds if it is one of all values of a column, maybe of different ones.
_HELD = frozenset(
    [
        *("_constructor_args", "distinct", "filter", "default", "order_by", "extra"),
        *("source_expressions", "is_summary", "identity", "output_field"),
        *("_output_field_or_none", "contains_aggregate", "contains_over_clause"),
    ]
)
_NOTHING = ("filter", "default", "order_by", "extra", "is_summary")

#: The identity of what a query computes, beside its tables.
Shape = tuple[object, ...]


def shape_of(query: Query, fields: list[Any]) -> Shape | None:
    """Return the shape of all annotations, and add the fields in it; None if it is unknown."""
    shape: list[object] = [query.group_by, _frozen(query.annotation_select_mask)]
    for name, expression in query.annotations.items():
        part = _part(expression, fields)
        if part is None:
            return None
        shape.append((name, part))
    return tuple(shape)


def _frozen(names: Any) -> object:
    return None if names is None else frozenset(names)


def _part(expression: Any, fields: list[Any]) -> Shape | None:
    kind = type(expression)
    if kind is Col:
        return _column(expression, fields)
    held = vars(expression)
    if kind not in AGGREGATES or not held.keys() <= _HELD or any(map(held.get, _NOTHING)):
        return None
    sources = [source for source in expression.get_source_expressions() if source is not None]
    if len(sources) != 1:
        return None
    source = sources[0]
    inside = (Star,) if type(source) is Star else _column(source, fields)
    output = _kind_of(expression.output_field, fields)
    return None if inside is None or output is None else (kind, held["distinct"], inside, output)


def _column(column: Any, fields: list[Any]) -> Shape | None:
    if type(column) is not Col:
        return None
    fields += (column.target, column.output_field)
    return Col, column.alias, id(column.target), id(column.output_field)


def _kind_of(field: Any, fields: list[Any]) -> Shape | None:
    """Return what converts the results: a column of a model, or any field of its class."""
    if hasattr(field, "model"):
        fields.append(field)
        return (id(field),)
    kind = type(field)
    is_usual = kind.__module__ == "django.db.models.fields" and not hasattr(field, "decimal_places")
    return (kind,) if is_usual else None
