"""Rows with all columns of their model, what is joined to them, and annotations: compiled once.

These are the statements of ``select_related()``, ``only()``, ``defer()`` and ``annotate()``, as
Django writes them for instances, and which column of them holds what.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model
from django.db.models.expressions import Col
from django.db.models.query import RelatedPopulator, get_related_populators
from django.db.models.sql import Query
from django.db.models.sql.compiler import SQLCompiler

from lintel.fast.annotations import shape_of
from lintel.fast.columns import Column, columns_of
from lintel.fast.compiler.protocols import Row
from lintel.fast.originals import ANNOTATED, JOINED
from lintel.fast.selections import (
    Selection,
    compiled_rows,
    have_moments,
    joining,
    order_of,
    without_conditions,
)
from lintel.fast.statements import Origin, kept
from lintel.fast.vocabulary import columns_of_model, fetch_modes, selects_instances, tables_of


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a row has what: ``columns`` are those of the attributes with ``names``.

    ``places``: by lookup, as in ``values_list()``.
    """

    names: tuple[str, ...]
    columns: slice
    related: list[RelatedPopulator]
    annotations: dict[str, int]
    places: dict[str, int]


@dataclass(frozen=True, slots=True)
class Whole:
    """A statement, and the layout of its rows. The key contains the identities of ``fields``."""

    selection: Any
    layout: Layout
    fields: list[Any]
    is_kept: bool = True

    @property
    def origin(self) -> Origin:
        origin: Origin = self.selection.origin
        return origin

    @property
    def read_columns(self) -> list[Column]:
        columns: list[Column] = self.selection.columns
        return columns

    def rows(self, query: Query, connection: BaseDatabaseWrapper) -> list[Row]:
        rows: list[Row] = self.selection.rows(query, connection)
        return rows


def whole_of(queryset: Any, connection: BaseDatabaseWrapper) -> Whole | None:
    """Return how to read instances of a queryset; None if only Django can make them.

    The statement is kept if it can be, and belongs to this queryset otherwise.
    """
    query: Query = queryset.query
    fields: list[Any] = []
    key = _key(query, fields)
    if key is not None:
        whole = kept(connection, key, partial(_made, queryset, connection, fields))
        if whole is not None:
            return whole
    return _made_for_once(queryset, connection)


def _key(query: Any, fields: list[Any]) -> tuple[object, ...] | None:
    where = query.where
    if not selects_instances(query) or not JOINED.may_be_replaced():
        return None
    if where.children and (where.contains_aggregate or where.contains_over_clause):
        return None
    computed = None
    if query.annotations:
        computed = shape_of(query, fields) if ANNOTATED.may_be_replaced() else None
        if computed is None:
            return None
    order = order_of(query, query.annotations)
    names, is_deferred = query.deferred_loading
    chosen = (repr(query.select_related), query.max_depth, frozenset(names), is_deferred, computed)
    key = (query.model, "whole", order, query.standard_ordering, tables_of(query), chosen)
    return None if order is None else key


def _made(
    queryset: Any, connection: BaseDatabaseWrapper, fields: list[Any], origin: Origin
) -> Whole | None:
    query = without_conditions(queryset.query)
    compiler = query.get_compiler(connection=connection)
    # What is joined to the rows becomes part of the query, until the end of ``as_sql()``.
    compiler.pre_sql_setup()
    tables, of_tables = compiler.get_from_clause()
    whole_origin = joining(origin, query)
    compiler = query.get_compiler(connection=connection)
    sql, parameters = compiler.as_sql()
    columns, layout = columns_of(compiler), layout_of(compiler, queryset)
    around = _around_conditions(sql, f" FROM {' '.join(tables)}")
    if of_tables or parameters or around is None or compiler.has_extra_select:
        return None
    if whole_origin is None or columns is None or layout is None or not _are_columns(compiler):
        return None
    selection = Selection(*around, columns, whole_origin, have_moments(columns, connection))
    return Whole(selection, layout, fields)


def _around_conditions(sql: str, tables: str) -> tuple[str, str] | None:
    """Return the text before and after the place of conditions, which is behind the tables."""
    head, place, tail = sql.partition(tables)
    is_usual = bool(place) and place not in tail and tail[:10] in ("", " ORDER BY ", " GROUP BY ")
    return (head + place, tail) if is_usual else None


def _are_columns(compiler: Any) -> bool:
    """Return whether all but annotations are columns, as Django writes them."""
    computed = set(compiler.annotation_col_map.values())
    return all(
        place in computed or type(selected[0]) is Col
        for place, selected in enumerate(compiler.select)
    )


@dataclass(frozen=True, slots=True)
class _Once:
    """The statement of one queryset, with its parameters."""

    columns: list[Column]
    sql: str
    parameters: Row

    def rows(self, query: Query, connection: BaseDatabaseWrapper) -> list[Row]:
        return compiled_rows(connection, self.sql, self.parameters, self.columns)


@dataclass(frozen=True, slots=True)
class _Nothing:
    """No row can meet the conditions."""

    columns: tuple[Column, ...] = ()

    def rows(self, query: Query, connection: BaseDatabaseWrapper) -> list[Row]:
        return []


def _made_for_once(queryset: Any, connection: BaseDatabaseWrapper) -> Whole | None:
    compiler = queryset.query.get_compiler(connection.alias)
    try:
        sql, parameters = compiler.as_sql()
    except EmptyResultSet:
        return Whole(_Nothing(), Layout((), slice(0, 0), [], {}, {}), [], is_kept=False)
    columns, layout = columns_of(compiler), layout_of(compiler, queryset)
    if columns is None or layout is None:
        return None
    return Whole(_Once(columns, sql, tuple(parameters)), layout, [], is_kept=False)


# ---- where a row has what ----


def layout_of(compiler: SQLCompiler, queryset: Any) -> Layout | None:
    """None if a column is that of another attribute than the select says."""
    info: Any = compiler.klass_info
    select: Any = compiler.select
    chosen = info["select_fields"]
    columns = slice(chosen[0], chosen[-1] + 1)
    names = names_of(queryset.query.model, [selected[0] for selected in select[columns]])
    if names is None:
        return None
    database = compiler.connection.alias
    related = get_related_populators(info, select, database, *fetch_modes(queryset))
    annotations: dict[str, int] = {**compiler.annotation_col_map}
    places = {**dict(_places(info, select, "")), **annotations}
    return Layout(names, columns, related, annotations, places)


def names_of(model: type[Model], columns: list[Any]) -> tuple[str, ...] | None:
    """Return the attributes of selected columns, as Django's ``from_db`` finds them."""
    names = columns_of_model(model)
    if len(columns) != len(names):
        selected = {column.target.attname for column in columns}
        names = tuple([name for name in names if name in selected])
    # A field of the project may select another one's column.
    return names if len(names) == len(columns) else None


def _places(info: Any, select: Any, prefix: str) -> Iterator[tuple[str, int]]:
    for place in info["select_fields"]:
        target = select[place][0].target
        yield f"{prefix}{target.attname}", place
        yield f"{prefix}{target.name}", place
        if target.primary_key:
            yield f"{prefix}pk", place
    for inner in info.get("related_klass_infos", ()):
        if not inner["reverse"]:
            yield from _places(inner, select, f"{prefix}{inner['field'].name}__")
