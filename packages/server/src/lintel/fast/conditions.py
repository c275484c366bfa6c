"""The conditions of a query: written once for each shape, with other values each time.

The *shape* is what Django makes their text from: how they are connected, and of each lookup its
class, its column and the placeholders of its values. Values are prepared by the lookups of Django
each time. Only lookups of columns with values qualify; all others are compiled by Django.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.core.exceptions import EmptyResultSet, FullResultSet
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import lookups
from django.db.models.expressions import Col
from django.db.models.fields import related_lookups
from django.db.models.sql import Query
from django.db.models.sql.where import WhereNode

from lintel.fast.compiler.protocols import Row
from lintel.fast.statements import Origin, kept

#: Lookups whose text follows from the column, the placeholders and, if it is a truth value, the
#: value; those of :mod:`lintel.fast.participants`.
LOOKUPS = frozenset(
    [
        *(lookups.Exact, lookups.IExact, lookups.In, lookups.IsNull),
        *(lookups.GreaterThan, lookups.GreaterThanOrEqual),
        *(lookups.LessThan, lookups.LessThanOrEqual),
        *(lookups.IntegerFieldExact, lookups.IntegerGreaterThan),
        *(lookups.IntegerGreaterThanOrEqual, lookups.IntegerLessThan),
        *(lookups.IntegerLessThanOrEqual, lookups.Contains, lookups.IContains),
        *(lookups.StartsWith, lookups.IStartsWith, lookups.EndsWith, lookups.IEndsWith),
        *(related_lookups.RelatedExact, related_lookups.RelatedIn),
    ]
)

#: Longer texts are not kept: clients choose how many values they send.
MAX_PARAMETERS = 100


def conditions_of(query: Query, connection: BaseDatabaseWrapper) -> tuple[str, Row]:
    """Return the conditions of a query, which has some, as SQL with their parameters.

    Raises EmptyResultSet.
    """
    parameters: list[Any] = []
    fields: list[Any] = []
    try:
        shape = _shape_of(query.where, connection, parameters, fields)
    except (EmptyResultSet, FullResultSet):
        shape = None
    if shape is None or len(parameters) > MAX_PARAMETERS:
        return _compiled(query, connection)
    make = partial(_made, query, connection, tuple(parameters), fields)
    conditions = kept(connection, (query.model, "conditions", shape), make)
    if conditions is None:
        return _compiled(query, connection)
    return conditions.text, tuple(parameters)


def _compiled(query: Query, connection: BaseDatabaseWrapper) -> tuple[str, Row]:
    try:
        sql, parameters = query.get_compiler(connection=connection).compile(query.where)
    except FullResultSet:
        return "", ()
    return (f" WHERE {sql}" if sql else ""), tuple(parameters)


@dataclass(frozen=True, slots=True)
class _Conditions:
    """The text of one shape."""

    origin: Origin
    text: str
    #: The shape contains their identities, so they are kept with it.
    fields: list[Any]


def _made(
    query: Query,
    connection: BaseDatabaseWrapper,
    parameters: Row,
    fields: list[Any],
    origin: Origin,
) -> _Conditions | None:
    """None if the text does not follow from the shape alone."""
    whole = origin.reading([*{field.model: None for field in fields}])
    try:
        text, sent = _compiled(query, connection)
    except EmptyResultSet:
        return None
    return _Conditions(whole, text, fields) if whole and sent == parameters else None


def _shape_of(
    where: WhereNode, connection: BaseDatabaseWrapper, parameters: list[Any], fields: list[Any]
) -> tuple[object, ...] | None:
    """Return the shape, and add the values as they are sent, and the fields; None if unknown.

    Raises what Django does for a value that no row has, or every one.
    """
    shape: list[object] = [where.connector, where.negated, where.resolved]
    children: list[Any] = where.children
    for child in children:
        kind = type(child)
        if kind is WhereNode:
            part = _shape_of(child, connection, parameters, fields)
        elif kind in LOOKUPS:
            part = _shape_of_lookup(child, kind, connection, parameters, fields)
        else:
            return None
        if part is None:
            return None
        shape.append(part)
    return tuple(shape)


def _shape_of_lookup(
    lookup: Any,
    kind: type,
    connection: BaseDatabaseWrapper,
    parameters: list[Any],
    fields: list[Any],
) -> tuple[object, ...] | None:
    column, value = lookup.lhs, lookup.rhs
    if not compares_column(lookup):
        return None
    target, output = column.target, column.output_field
    fields += (target, output)
    if type(value) is bool:
        return kind, column.alias, id(target), id(output), value
    if type(value) is list and len(value) > MAX_PARAMETERS:
        return None
    # Values need no compiler.
    placeholders, prepared = lookup.process_rhs(None, connection)
    parameters += prepared
    return kind, column.alias, id(target), id(output), placeholders


def compares_column(lookup: Any) -> bool:
    """Return whether a known lookup compares a column with values."""
    if type(lookup) not in LOOKUPS or type(lookup.lhs) is not Col:
        return False
    return not lookup.bilateral_transforms and not hasattr(lookup.rhs, "as_sql")
