"""Many rows of one table: the same query repeatedly, compiled once.

Django writes the SQL anew for each query: the columns, the table, the order. Here these
stay with the connection; Django compiles only the conditions and limits each time.
Queries over more than one table, and those with more than conditions and an order, do not
qualify: :func:`selection_of` returns None for them.
"""

from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

from django.core.exceptions import EmptyResultSet, FullResultSet
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, QuerySet
from django.db.models.expressions import OrderBy
from django.db.models.sql import Query
from django.db.models.sql.compiler import SQLCompiler
from django.db.models.sql.constants import GET_ITERATOR_CHUNK_SIZE

from lintel.fast.columns import Column, columns_of
from lintel.fast.compiler.protocols import Row
from lintel.fast.moments import has_moments, hasten
from lintel.fast.statements import Origin, kept, selects_columns
from lintel.fast.vocabulary import is_plain_selection


@dataclass(frozen=True, slots=True)
class Selection:
    """The SQL of a query around its conditions and limits, and how each column is converted."""

    head: str
    tail: str
    columns: list[Column]
    origin: Origin
    has_moments: bool = False

    def rows(self, query: Query, connection: BaseDatabaseWrapper) -> list[Row]:
        """Return the rows as the database returns them; none if none can meet the conditions."""
        try:
            sql, parameters = self.statement(query, connection)
        except EmptyResultSet:
            return []
        return fetched(connection, sql, parameters, self.has_moments)

    def statement(self, query: Query, connection: BaseDatabaseWrapper) -> tuple[str, Row]:
        """Return the whole SQL. Raises EmptyResultSet if no row can meet the conditions."""
        conditions, parameters = _conditions_of(query, connection)
        limit = ""
        if query.is_sliced:
            limit = f" {connection.ops.limit_offset_sql(query.low_mark, query.high_mark)}"
        return f"{self.head}{conditions}{self.tail}{limit}", parameters


def fetched(
    connection: BaseDatabaseWrapper, sql: str, parameters: Row, with_moments: bool
) -> list[Row]:
    with connection.cursor() as cursor:
        if with_moments:
            hasten(cursor)
        cursor.execute(sql, parameters)
        # As Django reads them: a cursor of the project may change what it hands out.
        rows: list[Row] = []
        while part := cursor.fetchmany(GET_ITERATOR_CHUNK_SIZE):
            rows += part
        return rows


def read_by_django(compiler: SQLCompiler) -> tuple[list[Column], list[Row]] | None:
    """Return the columns and rows of a query as Django writes it.

    None if several columns make up one field; no columns if no row can meet the conditions.
    """
    try:
        sql, parameters = compiler.as_sql()
    except EmptyResultSet:
        return [], []
    columns = columns_of(compiler)
    if columns is None:
        return None
    connection = compiler.connection
    moments = has_moments(map(_EXPRESSION_OF, columns), connection)
    return columns, fetched(connection, sql, parameters, moments)


_EXPRESSION_OF = attrgetter("expression")


def selection_of(
    queryset: QuerySet, columns: tuple[str, ...], connection: BaseDatabaseWrapper
) -> Selection | None:
    """Return how to read these columns of a queryset; None if only Django knows."""
    query = queryset.query
    if not is_plain_selection(query):
        return None
    order = _order_of(query)
    if order is None:
        return None
    key = (query.model, columns, order, query.standard_ordering)
    return kept(connection, key, partial(_made, queryset, columns, connection))


def _made(
    queryset: QuerySet, columns: tuple[str, ...], connection: BaseDatabaseWrapper, origin: Origin
) -> Selection | None:
    query = Query(queryset.model)
    query.order_by = queryset.query.order_by
    query.default_ordering = queryset.query.default_ordering
    query.standard_ordering = queryset.query.standard_ordering
    query.set_values(columns)
    compiler = query.get_compiler(connection=connection)
    whole, parameters = compiler.as_sql()
    query.clear_ordering(force=True)
    head, _ = query.get_compiler(connection=connection).as_sql()
    tail = whole.removeprefix(head)
    table = connection.ops.quote_name(queryset.model._meta.db_table)
    of_one_table = head.endswith(f" FROM {table}") and tail[:10] in ("", " ORDER BY ")
    if parameters or not of_one_table:
        return None
    converted = columns_of(compiler)
    if compiler.has_extra_select or converted is None or not selects_columns(compiler):
        return None
    moments = has_moments(map(_EXPRESSION_OF, converted), connection)
    return Selection(head, tail, converted, origin, moments)


def _conditions_of(query: Query, connection: BaseDatabaseWrapper) -> tuple[str, Row]:
    """Return the conditions as SQL with their parameters. Raises EmptyResultSet."""
    if not query.where.children:
        return "", ()
    try:
        sql, parameters = query.get_compiler(connection=connection).compile(query.where)
    except FullResultSet:
        return "", ()
    return (f" WHERE {sql}" if sql else ""), tuple(parameters)


def _order_of(query: Query) -> tuple[object, ...] | None:
    """Return the order as a key; None if it uses more than columns of the table."""
    terms = query.order_by
    options = query.get_meta()
    if not terms and query.default_ordering:
        terms = options.ordering or ()
    columns = options.concrete_fields
    names = {"pk", "?", *[column.attname for column in columns]}
    # The options of another model decide the order of a relation.
    names.update([column.name for column in columns if not column.remote_field])
    order = tuple([_term(term, names) for term in terms])
    return None if None in order else order


def _term(term: object, names: set[str]) -> object:
    if type(term) is str:
        return term if term.removeprefix("-") in names else None
    if type(term) is not OrderBy or type(term.expression) is not F:
        return None
    column: Any = term.expression
    name = column.name
    return (name, term.descending, term.nulls_first, term.nulls_last) if name in names else None
