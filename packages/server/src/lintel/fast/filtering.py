"""Conditions on columns of a model, added as ``QuerySet.filter()`` adds them.

Django looks for relations, transforms, annotations and expressions in each name and value, which
takes ten times as long as the comparison of a column with a value.
"""

import datetime
from decimal import Decimal
from typing import Any, TypeAlias
from uuid import UUID

from django.core.exceptions import FieldDoesNotExist
from django.db.models import Field, Q, QuerySet
from django.db.models.constants import LOOKUP_SEP
from django.db.models.sql import AND, OR, Query
from django.db.models.sql.where import WhereNode

from lintel.fast.originals import ONE
from lintel.fast.plain import PLAIN, Plain
from lintel.fast.vocabulary import PREPARING, is_compared_plainly, is_unfetched

#: Values that are no expressions, and that Django does not take apart.
_VALUES = {
    *(bool, int, float, str, bytes, Decimal, UUID),
    *(datetime.datetime, datetime.date, datetime.time, datetime.timedelta),
}

_get_col = Field.get_col

#: A column, its lookup and the value, or several of them with how they are connected.
Comparison: TypeAlias = tuple[Any, Any, object]
Tree: TypeAlias = "Comparison | tuple[str, list[Tree]]"


class _Uncertain(Exception):
    """Only Django knows what a condition says."""


def filtered(queryset: Any, condition: Q) -> QuerySet[Any] | Plain:
    """Return ``queryset.filter(condition)``; PLAIN unless it compares columns with values.

    Raises what ``filter()`` raises for values that a column cannot have.
    """
    if not ONE.may_be_replaced() or not _takes_filters(queryset):
        return PLAIN
    try:
        tree = _tree(queryset.model, condition)
    except _Uncertain:
        return PLAIN
    rows: QuerySet[Any] = queryset._chain()
    # ``filter(condition)`` has the condition inside of another one.
    rows.query.where.add(_clause(rows.query, (AND, [tree])), AND)
    return rows


def _takes_filters(queryset: Any) -> bool:
    if not is_unfetched(queryset) or queryset._defer_next_filter:
        return False
    query = queryset.query
    has_other_names = query.annotations or query._filtered_relations
    is_whole = not query.is_sliced and not query.combinator and query.alias_cols
    return is_whole and not has_other_names and query.model is queryset.model


def _tree(model: Any, condition: Any) -> Tree:
    if type(condition) is tuple:
        return _comparison(model, *condition)
    if type(condition) is not Q or condition.negated or condition.connector not in (AND, OR):
        raise _Uncertain
    return condition.connector, [_tree(model, child) for child in condition.children]


def _comparison(model: Any, name: str, value: object) -> Comparison:
    column_name, _, lookup_name = name.partition(LOOKUP_SEP)
    lookup_name = lookup_name or "exact"
    column = _column(model, column_name)
    # Oracle knows no empty text.
    if type(value) not in _VALUES or value == "" or not is_compared_plainly(column, lookup_name):
        raise _Uncertain
    return column, column.get_class_lookups()[lookup_name], value


def _column(model: Any, name: str) -> Any:
    try:
        column = model._meta.get_field(name)
    except FieldDoesNotExist:
        raise _Uncertain from None
    if not column.concrete or column.is_relation or column.model is not model:
        raise _Uncertain
    is_plain = PREPARING.are_of_django(type(column)) and type(column).get_col is _get_col
    if not is_plain or "get_lookup" in column.__dict__ or "get_col" in column.__dict__:
        raise _Uncertain
    return column


def _clause(query: Query, tree: Any) -> WhereNode:
    """Make the clause as Django does, and count how often it uses the table."""
    if len(tree) == 3:
        column, lookup, value = tree
        table = query.get_initial_alias()
        query.used_aliases.add(table)
        return WhereNode([lookup(column.get_col(table), value)], AND)
    connector, parts = tree
    clause = WhereNode(connector=connector)
    for part in parts:
        if inside := _clause(query, part):
            clause.add(inside, connector)
    return clause
