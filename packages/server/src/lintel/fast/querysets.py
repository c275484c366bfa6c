"""What may be done to a queryset beside Django: reading rows in place of instances, one more
condition, limits.
"""

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any

from django.db import connections
from django.db.models import Field, Prefetch, QuerySet
from django.db.models.sql import AND, Query

from lintel.fast.originals import ONE
from lintel.fast.relations import Path, ToMany, may_hide_rows, selects_all
from lintel.fast.vocabulary import (
    READING,
    SLICING,
    is_compared_plainly,
    is_of_one_table,
    is_plain_queryset,
    may_name_tables,
)
from lintel.trust.originals import is_known

#: What ``prefetch_related()`` was given.
lookups_of: Callable[[Any], tuple[Any, ...]] = attrgetter("_prefetch_related_lookups")


def needs_instances(
    queryset: Any, relations: frozenset[str], columns: Iterable[str], paths: frozenset[Path]
) -> bool:
    """Return whether a queryset is more than a plain, unfetched selection of rows.

    ``relations``: names that ``prefetch_related()`` may contain; these are read anyway, as are
    ``columns``, some of them at the end of ``paths``.
    """
    if not is_plain_queryset(queryset, columns) or (paths and _changes_order(queryset, paths)):
        return True
    lookups = lookups_of(queryset)
    if lookups and any(_name_of(lookup) not in relations for lookup in lookups):
        return True
    query = queryset.query
    if query.is_empty() or (query.select_related and may_name_tables(query)):
        return True
    if not query.select_related:
        return False
    joined = None
    if may_hide_rows(connections[queryset.db]):
        joined = frozenset(path[:end] for path in paths for end in range(1, len(path) + 1))
    return not selects_all(queryset.model, query.select_related, joined)


def _name_of(lookup: Any) -> str | None:
    """Return the relation that a lookup loads; None if the rows are kept in an attribute."""
    if type(lookup) is str:
        return lookup
    is_plain = type(lookup) is Prefetch and lookup.prefetch_to == lookup.prefetch_through
    return lookup.prefetch_through if is_plain else None


def chosen_rows(queryset: Any) -> dict[str, QuerySet[Any]] | None:
    """Return the querysets in ``Prefetch``, by name; None if a relation is named twice."""
    lookups = lookups_of(queryset)
    chosen = {
        lookup.prefetch_through: lookup.queryset for lookup in lookups if type(lookup) is Prefetch
    }
    if chosen and len({*map(_name_of, lookups)}) < len(lookups):
        return None
    return {name: rows for name, rows in chosen.items() if rows is not None}


def is_whole(queryset: Any, columns: Iterable[str]) -> bool:
    """Return whether instances of a queryset are its rows with all their columns, and no more."""
    query = queryset.query
    is_more = query.select_related or query.deferred_loading[0] or query.is_sliced
    return not (is_more or query.annotations) and not needs_instances(
        queryset, frozenset(), columns, frozenset()
    )


def can_read_related(
    queryset: QuerySet[Any], relation: ToMany, columns: Iterable[str], paths: frozenset[Path]
) -> bool:
    """Return whether one query can find the rows of a relation for many parents.

    ``queryset``: what the manager of the related rows returns, or ``Prefetch`` chooses. If it joins
    the table of a many-to-many relation itself, a column of that table could belong to either join.
    """
    is_part_or_more = queryset.query.is_sliced or queryset.query.annotations
    if (
        is_part_or_more
        or needs_instances(queryset, frozenset(), columns, paths)
        or not relation.is_blind()
    ):
        return False
    return not relation.is_joined or is_of_one_table(queryset.query)


def paths_of(lookups: Iterable[str]) -> frozenset[Path]:
    return frozenset(tuple(lookup.split("__")[:-1]) for lookup in lookups if "__" in lookup)


def _changes_order(queryset: QuerySet[Any], paths: frozenset[Path]) -> bool:
    """Return whether unordered rows would follow joins that instances do without."""
    if queryset.ordered:
        return False
    selected = queryset.query.select_related
    return not all(_is_selected(selected, path) for path in paths)


def _is_selected(selected: object, path: Path) -> bool:
    for name in path:
        if not isinstance(selected, dict) or name not in selected:
            return False
        selected = selected[name]
    return True


def add_condition(
    queryset: QuerySet[Any],
    make: Callable[[Query], Any],
    columns: Iterable[Field],
    lookups: Iterable[str],
) -> bool:
    """Add ``make(query)`` to the conditions of a new queryset; False if filter() is needed.

    ``make`` returns a resolved expression made of ``lookups`` of ``columns``, or None if it has
    none for this query.
    """
    query = queryset.query
    if type(query) is not Query or query.is_sliced or query.combinator:
        return False
    if not ONE.may_be_replaced() or not READING.are_of_django(type(queryset)):
        return False
    if not all(is_compared_plainly(column, name) for column in columns for name in lookups):
        return False
    condition = make(query)
    if condition is None:
        return False
    query.where.add(condition, AND)
    return True


def cut(queryset: QuerySet[Any], start: int, stop: int) -> QuerySet[Any]:
    """Return some rows of a new queryset, maybe as the same object."""
    is_plain = isinstance(queryset, QuerySet) and is_known()
    if is_plain and SLICING.are_of_django(type(queryset)):
        queryset.query.set_limits(start, stop)
        return queryset
    return queryset[start:stop]
