"""Many rows: the same query repeatedly, compiled once.

Django writes the SQL anew for each query: the columns, the joined tables, the order. Here these
are kept for the database, as are the conditions (:mod:`lintel.fast.conditions`).
Queries with more than conditions and an order by columns of the model do not qualify:
:func:`selection_of` returns None for them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, QuerySet
from django.db.models.constants import LOOKUP_SEP
from django.db.models.expressions import OrderBy
from django.db.models.sql import Query
from django.db.models.sql.compiler import SQLCompiler
from django.db.models.sql.constants import GET_ITERATOR_CHUNK_SIZE
from django.db.models.sql.datastructures import BaseTable, Join
from django.db.models.sql.where import WhereNode

from lintel.fast.backends import joins_itself
from lintel.fast.columns import Column, columns_of, numbers_of
from lintel.fast.compiler.protocols import Encoders, Row
from lintel.fast.conditions import conditions_of
from lintel.fast.moments import TIMESTAMPTZ, has_moments, hasten
from lintel.fast.originals import JOINED
from lintel.fast.sent import NOTHING_SENT, SentColumns, keep_texts, loaded, sent_columns
from lintel.fast.statements import Origin, kept, selects_columns
from lintel.fast.vocabulary import selected_tables


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
        return fetched(connection, sql, parameters, self.has_moments)[0]

    def rows_as_sent(
        self, query: Query, connection: BaseDatabaseWrapper, encoders: Encoders
    ) -> tuple[list[Row], SentColumns]:
        """Return the same, with text where these encoders need no values of PostgreSQL's types."""
        numbers = numbers_of(self.columns, encoders)
        if not numbers:
            return self.rows(query, connection), NOTHING_SENT
        try:
            sql, parameters = self.statement(query, connection)
        except EmptyResultSet:
            return [], NOTHING_SENT
        rows, sent = fetched(connection, sql, parameters, self.has_moments, numbers)
        return self._with_values(rows, sent, encoders)

    def _with_values(
        self, rows: list[Row], sent: SentColumns, encoders: Encoders
    ) -> tuple[list[Row], SentColumns]:
        """A column may be of another type in the database than in the model."""
        shown = zip(self.columns, encoders, strict=False)
        needed = [
            place
            for place, (column, encoder) in enumerate(shown)
            if place in sent
            and (column.converters or not encoder or encoder.number != sent[place].number)
        ]
        if not needed:
            return rows, sent
        rest = {place: column for place, column in sent.items() if place not in needed}
        return loaded(rows, sent, needed), rest

    def statement(self, query: Query, connection: BaseDatabaseWrapper) -> tuple[str, Row]:
        """Return the whole SQL. Raises EmptyResultSet if no row can meet the conditions."""
        conditions = ""
        parameters: Row = ()
        if query.where.children:
            conditions, parameters = conditions_of(query, connection)
        limit = ""
        if query.is_sliced:
            limit = f" {connection.ops.limit_offset_sql(query.low_mark, query.high_mark)}"
        return f"{self.head}{conditions}{self.tail}{limit}", parameters


def fetched(
    connection: BaseDatabaseWrapper,
    sql: str,
    parameters: Row,
    with_moments: bool,
    numbers: Sequence[int] = (),
) -> tuple[list[Row], SentColumns]:
    """Return the rows, and those columns of PostgreSQL's types ``numbers`` that stayed text."""
    with connection.cursor() as cursor:
        replaced = keep_texts(cursor, numbers) if numbers else {}
        if with_moments and TIMESTAMPTZ not in replaced:
            hasten(cursor)
        cursor.execute(sql, parameters)
        sent = sent_columns(cursor, replaced, connection) if replaced else NOTHING_SENT
        # As Django reads them: a cursor of the project may change what it hands out.
        rows: list[Row] = []
        while part := cursor.fetchmany(GET_ITERATOR_CHUNK_SIZE):
            rows += part
        return rows, sent


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
    return columns, compiled_rows(compiler.connection, sql, parameters, columns)


def compiled_rows(
    connection: BaseDatabaseWrapper, sql: str, parameters: Row, columns: list[Column]
) -> list[Row]:
    return fetched(connection, sql, parameters, have_moments(columns, connection))[0]


def have_moments(columns: list[Column], connection: BaseDatabaseWrapper) -> bool:
    return has_moments(map(_EXPRESSION_OF, columns), connection)


_EXPRESSION_OF = attrgetter("expression")


def selection_of(
    queryset: QuerySet[Any], columns: tuple[str, ...], connection: BaseDatabaseWrapper
) -> Selection | None:
    """Return how to read these columns of a queryset; None if only Django knows."""
    query = queryset.query
    tables = selected_tables(query)
    order = None if tables is None else order_of(query)
    if tables is None or order is None:
        return None
    is_joined = bool(tables) or LOOKUP_SEP in "".join(columns)
    if is_joined and not JOINED.may_be_replaced():
        return None
    key = (query.model, columns, order, query.standard_ordering, tables)
    return kept(connection, key, partial(_made, query, columns, is_joined, connection))


def without_conditions(query: Query) -> Query:
    """Return the query of all rows, with the joins that its conditions need."""
    query = query.chain()
    query.where = WhereNode()
    query.clear_limits()
    return query


def joining(origin: Origin, query: Query) -> Origin | None:
    """Return the origin of a statement with all joins of a query; None if Django lacks a part."""
    used = [table for alias, table in query.alias_map.items() if query.alias_refcount[alias]]
    joins: list[Any] = [table for table in used if type(table) is not BaseTable]
    if not joins:
        return origin
    if any(type(join) is not Join for join in joins) or not joins_itself(query):
        return None
    fields = [join.join_field for join in joins]
    models = {model: None for field in fields for model in (field.model, field.related_model)}
    # A table may be joined to itself alone.
    return origin.joined([model for model in models if model is not origin.model] or [origin.model])


def _made(
    query: Query,
    columns: tuple[str, ...],
    is_joined: bool,
    connection: BaseDatabaseWrapper,
    origin: Origin,
) -> Selection | None:
    query = without_conditions(query)
    query.set_values(columns)
    compiler = query.get_compiler(connection=connection)
    whole, parameters = compiler.as_sql()
    origin_of_all = joining(origin, query)
    if parameters or origin_of_all is None or (origin_of_all is not origin and not is_joined):
        return None
    around = _around_conditions(whole, query, connection)
    converted = columns_of(compiler)
    if around is None or converted is None:
        return None
    if compiler.has_extra_select or not selects_columns(compiler):
        return None
    moments = have_moments(converted, connection)
    return Selection(*around, converted, origin_of_all, moments)


def _around_conditions(
    whole: str, query: Query, connection: BaseDatabaseWrapper
) -> tuple[str, str] | None:
    """Return the text before and after the place of conditions, which is behind the tables."""
    query = query.chain()
    query.clear_ordering(force=True)
    compiler = query.get_compiler(connection=connection)
    head, _ = compiler.as_sql()
    tables, _ = compiler.get_from_clause()
    tail = whole.removeprefix(head)
    is_usual = head.endswith(f" FROM {' '.join(tables)}") and tail[:10] in ("", " ORDER BY ")
    return (head, tail) if is_usual else None


def order_of(query: Query, computed: Iterable[str] = ()) -> tuple[object, ...] | None:
    """Return the order as a key; None if it uses more than columns of the table.

    ``computed``: names of annotations, which are columns of the query.
    """
    terms = query.order_by
    options = query.get_meta()
    if not terms and query.default_ordering:
        terms = options.ordering or ()
    columns = options.concrete_fields
    names = {"pk", "?", *computed, *[column.attname for column in columns]}
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
