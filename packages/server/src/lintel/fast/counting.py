"""The number of rows in a queryset: a compiled count over what the number depends on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models.expressions import Col
from django.db.models.sql import Query
from django.db.models.sql.constants import INNER

from lintel.fast.backends import finds_itself
from lintel.fast.originals import COUNT, is_itself
from lintel.fast.plain import PLAIN, Plain
from lintel.fast.relations import always_finds, may_hide_rows
from lintel.fast.selections import conditions_of, is_plain_selection
from lintel.fast.statements import Origin, kept
from lintel.fast.vocabulary import COUNTING, may_name_tables


def count_of(queryset: Any) -> int | Plain:
    query = queryset.query
    if (
        not is_itself(COUNT)
        or not COUNTING.are_of_django(type(queryset))
        or query.is_sliced
        or not is_plain_selection(query)
    ):
        return PLAIN
    connection: Any = connections[queryset.db]
    key = (query.model, "count")
    counting = kept(connection, key, partial(Counting.of, connection), Origin.of_table)
    return PLAIN if counting is None else counting.rows(query, connection)


@dataclass(frozen=True, slots=True)
class Counting:
    """The SQL that counts rows, before its conditions."""

    head: str
    origin: Origin

    @classmethod
    def of(cls, connection: Any, origin: Origin) -> Counting:
        """Write it as Django does."""
        name, table = map(connection.ops.quote_name, ("__count", origin.model._meta.db_table))
        return cls(" ".join(["SELECT COUNT(*) AS", name, "FROM", table]), origin)

    def rows(self, query: Any, connection: Any) -> int:
        try:
            conditions, parameters = conditions_of(query, connection)
        except EmptyResultSet:
            return 0
        with connection.cursor() as cursor:
            cursor.execute(self.head + conditions, parameters)
            return int(cursor.fetchone()[0])


def countable(queryset: Any) -> Any:
    """Return a queryset with as many rows, without annotations and joins that no filter needs.

    An inner join stays, because it hides rows without a match, unless the database prevents them.
    Return the same queryset if the number of rows might change.
    """
    query = queryset.query
    if not query.annotations or not finds_itself(COUNT, queryset.db) or _is_composite(queryset):
        return queryset
    if may_name_tables(query):
        return queryset
    may_hide = may_hide_rows(connections[queryset.db])
    joined = _with_parents(query, _aliases([query.where]) | _inner(query, may_hide))
    grouping = _aliases(
        annotation for annotation in query.annotations.values() if not annotation.contains_aggregate
    )
    if any(_multiplies(query, alias) for alias in joined | grouping):
        return queryset
    result = queryset.order_by()
    result.query.annotations = {}
    result.query.set_annotation_mask(None)
    result.query.group_by = None
    result.query.select_related = False
    for alias in result.query.alias_map.keys() - joined - {query.get_initial_alias()}:
        result.query.alias_refcount[alias] = 0
    return result


def _is_composite(queryset: Any) -> bool:
    """Return whether rows are combined in a way that hides their origin."""
    query = queryset.query
    has_groups = queryset._fields is not None or isinstance(query.group_by, tuple)
    is_combined = query.distinct or query.combinator or query.is_sliced or query.extra
    joins_conditionally = bool(query._filtered_relations)
    where = query.where
    filters_results = where.contains_aggregate or where.contains_over_clause
    sets = any(
        getattr(annotation, "set_returning", False) for annotation in query.annotations.values()
    )
    return bool(has_groups or is_combined or joins_conditionally or filters_results or sets)


def _aliases(expressions: Iterable[Any]) -> set[str]:
    """Return the tables whose columns the expressions use, also in subqueries."""
    return {column.alias for column in _columns(expressions)}


def _columns(expressions: Iterable[Any]) -> Iterator[Col]:
    for expression in expressions:
        if isinstance(expression, Col):
            yield expression
        elif isinstance(expression, Query):
            yield from expression.get_external_cols()
        elif hasattr(expression, "get_source_expressions"):
            yield from _columns(expression.get_source_expressions())


def _inner(query: Any, may_hide: bool) -> set[str]:
    """Return the tables that a query joins in a way that may hide rows."""
    used = query.alias_refcount
    return {
        alias
        for alias, join in query.alias_map.items()
        if join.join_type == INNER
        and used.get(alias)
        and (may_hide or not always_finds(join.join_field))
    }


def _with_parents(query: Any, aliases: set[str]) -> set[str]:
    """Return the tables, and those through which they are joined."""
    tables: set[str] = set()
    for alias in aliases & query.alias_map.keys():
        place: str | None = alias
        while place is not None and place not in tables:
            tables.add(place)
            place = query.alias_map[place].parent_alias
    return tables


def _multiplies(query: Any, alias: str) -> bool:
    """Return whether a join leads from one row to several, itself or through one before it."""
    place: str | None = alias
    while place is not None:
        join = query.alias_map.get(place)
        field = getattr(join, "join_field", None)
        if field is not None and not (field.many_to_one or field.one_to_one):
            return True
        place = getattr(join, "parent_alias", None)
    return False
