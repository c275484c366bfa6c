"""One row by a unique column: the same query repeatedly, compiled once.

``row_of(queryset, name, value)`` returns what ``queryset.get(name=value)`` does. Django spends nine
tenths of the time of such a query on writing its SQL; here the SQL is kept for the
database for which it was made. Only plain querysets qualify, everything else goes to ``get``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections, models, router
from django.db.models import query as query_module
from django.db.models.manager import BaseManager
from django.db.models.query import MAX_GET_RESULTS, RelatedPopulator, get_related_populators
from django.db.models.sql.constants import GET_ITERATOR_CHUNK_SIZE

from lintel.fast.backends import joins_itself
from lintel.fast.moments import has_moments, hasten
from lintel.fast.originals import JOINED
from lintel.fast.plain import PLAIN
from lintel.fast.prefetching import prefetch
from lintel.fast.statements import Origin, kept, selects_columns
from lintel.fast.unique_columns import VALUE_TYPES, unique_column
from lintel.fast.vocabulary import fetch_modes


def row_of(queryset: Any, name: str, value: Any) -> Any:
    """Return what ``queryset.get(name=value)`` does, or raise the same."""
    row = known_row(queryset, name, value)
    if row is PLAIN:
        return queryset.get(**{name: value})
    if row is None:
        model = queryset.model
        raise model.DoesNotExist(f"{model._meta.object_name} matching query does not exist.")
    return row


def known_row(queryset: Any, name: str, value: Any) -> Any:
    """Return the row found with a kept statement; None if there is none.

    PLAIN if only ``queryset.get()`` knows.

    A manager stands for ``get()`` of its querysets, which are then not made; an ``all()`` or a
    ``get()`` of its own plays no part. Raises what the column raises for invalid values.
    """
    column = unique_column(queryset, name) if type(value) in VALUE_TYPES else None
    if column is None:
        return PLAIN
    # What ``queryset.db`` finds without routers.
    database = queryset._db or (
        queryset.db if router.routers or queryset._hints else DEFAULT_DB_ALIAS
    )
    connection = connections[database]
    prepared = column.get_prep_value(value)
    # Which column "pk" stands for may change.
    statement = _statement(connection, queryset, column.name, value)
    if statement is None or not statement.fits(prepared):
        return PLAIN
    rows = statement.rows(connection, column.get_db_prep_value(prepared, connection, prepared=True))
    if len(rows) != 1:  # two, if the table lacks the constraint
        return PLAIN if rows else None
    instance = statement.instance(connection, database, list(rows[0]))
    if lookups := getattr(queryset, "_prefetch_related_lookups", ()):
        prefetch([instance], lookups)
    return instance


@dataclass(frozen=True, slots=True)
class _Statement:
    """A compiled query, and how its rows become instances."""

    origin: Origin
    sql: str
    columns: slice
    names: list[str]
    model: Any
    modes: list[Any]
    related: list[RelatedPopulator]
    converters: list[tuple[int, list[Callable[..., Any]], Any]]
    has_moments: bool
    #: The range of numbers that the column holds.
    lowest: int | None
    highest: int | None

    @classmethod
    def of(
        cls, connection: Any, queryset: Any, name: str, value: Any, origin: Origin
    ) -> _Statement | None:
        """Compile; return None for a query with parameters or lookups of its own."""
        column = unique_column(queryset, name)
        queryset = queryset.all()
        query = queryset.filter(**{name: value}).order_by().query
        query.set_limits(high=MAX_GET_RESULTS)
        compiler = query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        if len(params) != 1 or compiler.annotation_col_map:
            return None
        lowest, highest = bounds(column, connection)
        if not joins_itself(query):
            return None
        whole = origin.joined([*_related_models(compiler.klass_info)])
        if whole is None or not selects_columns(compiler):
            return None
        chosen = compiler.klass_info["select_fields"]
        names = [compiler.select[position][0].target.attname for position in chosen]
        converters = compiler.get_converters([selected[0] for selected in compiler.select])
        modes = fetch_modes(queryset)
        populators = get_related_populators(
            compiler.klass_info, compiler.select, connection.alias, *modes
        )
        return cls(
            origin=whole,
            sql=sql,
            columns=slice(chosen[0], chosen[0] + len(chosen)),
            names=names,
            model=compiler.klass_info["model"],
            modes=modes,
            related=populators,
            converters=[(position, *converter) for position, converter in converters.items()],
            has_moments=has_moments([selected[0] for selected in compiler.select], connection),
            lowest=lowest,
            highest=highest,
        )

    def fits(self, value: Any) -> bool:
        """Return whether the value can be sent to the database: others find nothing, or fail."""
        lowest, highest = self.lowest, self.highest
        return (lowest is None or lowest <= value) and (highest is None or value <= highest)

    def rows(self, connection: Any, value: Any) -> list[Any]:
        with connection.cursor() as cursor:
            if self.has_moments:
                hasten(cursor)
            cursor.execute(self.sql, (value,))
            # As Django reads them; the query has a limit.
            return list(cursor.fetchmany(GET_ITERATOR_CHUNK_SIZE))

    def instance(self, connection: Any, database: str, row: list[Any]) -> Any:
        for position, converters, expression in self.converters:
            for convert in converters:
                row[position] = convert(row[position], expression, connection)
        make = _with_fetch_mode(self.model, *self.modes) if self.modes else self.model.from_db
        instance = make(database, self.names, row[self.columns])
        for populator in self.related:
            populator.populate(row, instance)
        return instance


#: Since Django 6.1 a queryset passes on how instances fetch what they lack.
_with_fetch_mode: Any = getattr(query_module, "_get_from_db", None)


def _related_models(chosen: Any) -> Iterator[Any]:
    for info in chosen.get("related_klass_infos", ()):
        yield info["model"]
        yield from _related_models(info)


def _statement(connection: Any, queryset: Any, name: str, value: Any) -> _Statement | None:
    related = None if isinstance(queryset, BaseManager) else queryset.query.select_related
    if related and not JOINED.may_be_replaced():
        return None
    key = (queryset.model, name, repr(related) if related else None)
    make = partial(_Statement.of, connection, queryset, name, value)
    try:
        return kept(connection, key, make)
    except EmptyResultSet:  # Django knows that no row has this value
        return None


def bounds(column: Any, connection: Any) -> tuple[int | None, int | None]:
    """Return the range of numbers that a column holds; None for other columns."""
    if not isinstance(column, models.IntegerField):
        return None, None
    lowest, highest = connection.ops.integer_field_range(column.get_internal_type())
    return lowest, highest
