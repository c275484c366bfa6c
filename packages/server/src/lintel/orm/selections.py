"""Many rows of one table, and how many there are: the same query again and again, compiled once.

What Django makes anew for each query is its text: the columns, the table, the order. Here these
stay with the connection; the conditions are compiled each time, by Django, and so are the limits.
Queries of more than one table, and those that are more than conditions and an order, do not
qualify: :func:`selection_of` and :func:`count_of` answer None for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import Any

from django.core.exceptions import EmptyResultSet, FullResultSet
from django.db import connections
from django.db.models import F, QuerySet
from django.db.models.expressions import OrderBy
from django.db.models.sql import Query

from lintel.orm.statements import Origin, kept, methods_of_django


@dataclass(frozen=True, slots=True)
class Selection:
    """The text of a query around its conditions, and what becomes of each column."""

    head: str
    tail: str
    #: Each column with the converters of Django for its values.
    columns: list[tuple[Any, list[Any]]]
    origin: Origin
    #: What others make of the columns.
    memory: dict[Any, Any] = field(default_factory=dict)

    def rows(self, query: Any, connection: Any) -> list[Any]:
        """The rows that a query finds, as the database hands them out."""
        try:
            sql, parameters = self.statement(query, connection)
        except EmptyResultSet:
            return []
        with connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            found: list[Any] = cursor.fetchall()
            return found

    def statement(self, query: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        """The whole text. Raises EmptyResultSet for conditions that nothing can meet."""
        conditions, parameters = _conditions(query, connection)
        limit = ""
        if query.is_sliced:
            limit = f" {connection.ops.limit_offset_sql(query.low_mark, query.high_mark)}"
        return f"{self.head}{conditions}{self.tail}{limit}", parameters


def selection_of(queryset: Any, columns: tuple[str, ...]) -> Selection | None:
    """How to read these columns of a queryset; None where only Django knows."""
    query = queryset.query
    if not _is_plain(query):
        return None
    order = _order_of(query)
    if order is None:
        return None
    connection: Any = connections[queryset.db]
    key = (query.model, columns, order, query.standard_ordering)
    return kept(connection, key, partial(_made, queryset, columns, connection), "SQLCompiler")


def count_of(queryset: Any) -> int | None:
    """What ``queryset.count()`` asks the database for; None where only Django knows how."""
    query = queryset.query
    if (type(queryset).count,) != _COUNTING or query.is_sliced or not _is_plain(query):
        return None
    connection: Any = connections[queryset.db]
    make = partial(Counting.of, connection)
    counting = kept(connection, (query.model, "count"), make, "SQLCompiler")
    return None if counting is None else counting.rows(query, connection)


_COUNTING = methods_of_django(QuerySet, "count")


@dataclass(frozen=True, slots=True)
class Counting:
    """The text of a query for the number of rows, before its conditions."""

    head: str
    origin: Origin

    @classmethod
    def of(cls, connection: Any, origin: Origin) -> Counting:
        """Write it as Django does."""
        name, table = map(connection.ops.quote_name, ("__count", origin.table))
        return cls(" ".join(["SELECT COUNT(*) AS", name, "FROM", table]), origin)

    def rows(self, query: Any, connection: Any) -> int:
        """How many rows meet the conditions of a query."""
        try:
            conditions, parameters = _conditions(query, connection)
        except EmptyResultSet:
            return 0
        with connection.cursor() as cursor:
            cursor.execute(self.head + conditions, parameters)
            return int(cursor.fetchone()[0])


def _made(
    queryset: Any, columns: tuple[str, ...], connection: Any, origin: Origin
) -> Selection | None:
    query = Query(queryset.model)
    query.order_by = queryset.query.order_by
    query.default_ordering = queryset.query.default_ordering
    query.standard_ordering = queryset.query.standard_ordering
    query.set_values(columns)
    compiler = query.get_compiler(connection=connection)
    whole, parameters = compiler.as_sql()
    fields = [selected[0] for selected in compiler.select]
    query.clear_ordering(force=True)
    head, _ = query.get_compiler(connection=connection).as_sql()
    tail = whole.removeprefix(head)
    table = connection.ops.quote_name(origin.table)
    of_one_table = head.endswith(f" FROM {table}") and tail[:10] in ("", " ORDER BY ")
    if parameters or not of_one_table:
        return None
    if compiler.has_extra_select or _is_composite(compiler, fields):
        return None
    converters = compiler.get_converters(fields)
    return Selection(
        head=head,
        tail=tail,
        columns=[
            (each, converters[place][0] if place in converters else [])
            for place, each in enumerate(fields)
        ],
        origin=origin,
    )


def _is_composite(compiler: Any, fields: list[Any]) -> bool:
    """Whether several columns make up one value; possible since Django 5.2."""
    return bool(compiler.has_composite_fields(fields))


def _conditions(query: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
    """The conditions as text with their parameters. Raises EmptyResultSet."""
    if not query.where.children:
        return "", ()
    try:
        sql, parameters = query.get_compiler(connection=connection).compile(query.where)
    except FullResultSet:
        return "", ()
    return (f" WHERE {sql}" if sql else ""), tuple(parameters)


def _is_plain(query: Any) -> bool:
    """Whether a query is about one table, and has nothing but conditions, an order and limits."""
    if type(query) is not Query or any(_choices_of(query)):
        return False
    model: Any = query.model
    table = model._meta.db_table
    if any(uses and alias != table for alias, uses in query.alias_refcount.items()):
        return False
    where = query.where
    return not (where.children and (where.contains_aggregate or where.contains_over_clause))


#: Attributes of a query that are empty as long as nothing else was asked of it.
_choices_of = attrgetter(
    "annotations",
    "combinator",
    "distinct",
    "distinct_fields",
    "explain_info",
    "extra",
    "extra_order_by",
    "extra_tables",
    "group_by",
    "select",
    "select_for_update",
    "subquery",
    "_filtered_relations",
)


def _order_of(query: Any) -> tuple[Any, ...] | None:
    """The order as a key; None where it has expressions."""
    terms = query.order_by
    if not terms and query.default_ordering:
        terms = query.get_meta().ordering or ()
    found = tuple(_terms(terms))
    return None if None in found else found


def _terms(terms: Any) -> Iterator[Any]:
    for term in terms:
        if type(term) is str:
            yield term
        elif type(term) is OrderBy and type(term.expression) is F:
            column: Any = term.expression
            yield column.name, term.descending, term.nulls_first, term.nulls_last
        else:
            yield None
