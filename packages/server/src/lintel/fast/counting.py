"""The number of rows in a queryset: a compiled count over what the number depends on."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet
from django.db.models.expressions import Col
from django.db.models.sql import Query
from django.db.models.sql.constants import INNER
from django.db.models.sql.datastructures import BaseTable, Join

from lintel.fast.backends import writes_itself
from lintel.fast.originals import COUNT, JOINED
from lintel.fast.plain import PLAIN, Plain
from lintel.fast.relations import always_finds, may_hide_rows
from lintel.fast.selections import Selection, joining, without_conditions
from lintel.fast.statements import Origin, kept
from lintel.fast.vocabulary import counted_tables, may_name_tables


def count_of(queryset: QuerySet[Any]) -> int | Plain:
    if not COUNT.may_be_replaced():
        return PLAIN
    query, tables = queryset.query, counted_tables(queryset)
    if tables is None or (tables and not JOINED.may_be_replaced()):
        return PLAIN
    connection = connections[queryset.db]
    key = (query.model, "count", tables)
    make = partial(_counting, query if tables else None, connection)
    counting = kept(connection, key, make, Origin.of if tables else Origin.of_table)
    if counting is None:
        return PLAIN
    rows = counting.rows(query, connection)
    return int(rows[0][0]) if rows else 0


def _counting(
    joined: Query | None, connection: BaseDatabaseWrapper, origin: Origin
) -> Selection | None:
    """Write the count before its conditions, as Django does; ``joined`` has several tables."""
    name, table = map(connection.ops.quote_name, ("__count", origin.model._meta.db_table))
    tables, whole = [table], joining(origin, joined) if joined else origin
    if joined:
        compiler = without_conditions(joined).get_compiler(connection=connection)
        tables, parameters = compiler.get_from_clause()
        whole = None if parameters else whole
    if whole is None:
        return None
    return Selection(" ".join(["SELECT COUNT(*) AS", name, "FROM", *tables]), "", [], whole)


def countable(queryset: QuerySet[Any]) -> QuerySet[Any]:
    """Return a queryset with as many rows, without annotations and joins that no filter needs.

    An inner join stays, because it hides rows without a match, unless the database prevents them.
    Return the same queryset if the number of rows might change.
    """
    query = queryset.query
    if not query.annotations or not COUNT.may_be_replaced() or _is_composite(queryset):
        return queryset
    connection = connections[queryset.db]
    if not writes_itself(connection) or may_name_tables(query):
        return queryset
    may_hide = may_hide_rows(connection)
    needed = _tables(query, _aliases([query.where]) | _inner(query, may_hide))
    grouping = _aliases(
        annotation for annotation in query.annotations.values() if not annotation.contains_aggregate
    )
    if any(map(_multiplies, [*needed.values(), *_tables(query, grouping).values()])):
        return queryset
    result = queryset.order_by()
    result.query.annotations = {}
    result.query.set_annotation_mask(None)
    result.query.group_by = None
    result.query.select_related = False
    for alias in result.query.alias_map.keys() - needed.keys() - {query.get_initial_alias()}:
        result.query.alias_refcount[alias] = 0
    return result


def _is_composite(queryset: Any) -> bool:
    """Return whether rows are combined in a way that hides their origin."""
    query = queryset.query
    has_groups = queryset._fields is not None or isinstance(query.group_by, tuple)
    is_combined = query.distinct or query.combinator or query.is_sliced or query.extra
    where = query.where
    filters_results = where.contains_aggregate or where.contains_over_clause
    sets = any(
        getattr(annotation, "set_returning", False) for annotation in query.annotations.values()
    )
    return bool(has_groups or is_combined or query._filtered_relations or filters_results or sets)


def _aliases(expressions: Iterable[object]) -> set[str]:
    return {column.alias for column in _columns(expressions)}


def _columns(expressions: Iterable[object]) -> Iterator[Col]:
    for expression in expressions:
        if isinstance(expression, Col):
            yield expression
        elif isinstance(expression, Query):
            yield from expression.get_external_cols()
        elif hasattr(expression, "get_source_expressions"):
            yield from _columns(expression.get_source_expressions())


def _inner(query: Query, may_hide: bool) -> set[str]:
    used = query.alias_refcount
    return {
        alias
        for alias, join in query.alias_map.items()
        if join.join_type == INNER
        and used.get(alias)
        and (may_hide or not always_finds(getattr(join, "join_field", None)))
    }


def _tables(query: Query, aliases: set[str]) -> dict[str, BaseTable | Join]:
    tables: dict[str, BaseTable | Join] = {}
    for alias in aliases:
        place: str | None = alias
        while place in query.alias_map and place not in tables:
            tables[place] = query.alias_map[place]
            place = tables[place].parent_alias
    return tables


def _multiplies(table: BaseTable | Join) -> bool:
    field = getattr(table, "join_field", None)
    return field is not None and not (field.many_to_one or field.one_to_one)
