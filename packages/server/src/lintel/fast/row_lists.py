"""Whether rows can replace instances, and the rows of querysets and relations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.db import connections

from lintel.fast.answers import Answer
from lintel.fast.relations import Path, ToMany, may_hide_rows, selects_all
from lintel.fast.vocabulary import (
    is_of_one_table,
    is_plain_query,
    is_plain_queryset,
    may_name_tables,
    reads_all_columns,
)
from lintel.fast.wires import Wires

#: Keys in one query if the database states no limit.
MANY_KEYS = 30_000


def needs_instances(
    queryset: Any, relations: frozenset[str], paths: frozenset[Path] = frozenset()
) -> bool:
    """Return whether a queryset is more than a plain, unfetched selection of rows.

    ``relations``: names that ``prefetch_related()`` may contain; these are read anyway, as are the
    columns at the end of ``paths``.
    """
    if not is_plain_queryset(queryset):
        return True
    lookups = queryset._prefetch_related_lookups
    if any(type(lookup) is not str or lookup not in relations for lookup in lookups):
        return True
    query = queryset.query
    if not is_plain_query(query) or not reads_all_columns(query) or query.is_empty():
        return True
    if query.select_related and may_name_tables(query):
        return True
    if not query.select_related:
        return False
    joined = _with_steps(paths) if may_hide_rows(connections[queryset.db]) else None
    return not selects_all(queryset.model, query.select_related, joined)


def _with_steps(paths: frozenset[Path]) -> frozenset[Path]:
    return frozenset(path[:end] for path in paths for end in range(1, len(path) + 1))


def are_certain(queryset: Any, relation: ToMany, paths: frozenset[Path]) -> bool:
    """Return whether one query can find the rows of a relation for many parents.

    ``queryset``: what the manager of the related rows returns. If it joins the table of a
    many-to-many relation itself, a column of that table could belong to either join.
    """
    if needs_instances(queryset, frozenset(), paths) or not relation.is_blind():
        return False
    return not relation.is_joined or is_of_one_table(queryset.query)


def paths_of(lookups: Iterable[str]) -> frozenset[Path]:
    """Return the paths to columns of other tables."""
    return frozenset(tuple(lookup.split("__")[:-1]) for lookup in lookups if "__" in lookup)


def comes_in_another_order(queryset: Any, paths: frozenset[Path]) -> bool:
    """Return whether unordered rows would follow joins that instances do without."""
    if not paths or queryset.ordered:
        return False
    selected = queryset.query.select_related
    return not all(_is_selected(selected, path) for path in paths)


def _is_selected(selected: Any, path: Path) -> bool:
    """Return whether ``select_related()`` names all relations of a path."""
    for name in path:
        if not isinstance(selected, dict) or name not in selected:
            return False
        selected = selected[name]
    return True


def rows(queryset: Any, columns: tuple[str, ...], wires: Wires) -> Iterable[tuple[Any, ...]]:
    """Return the rows of a queryset, converted as the attributes of instances would be.

    A column that has a wire may contain the text that its field makes of these attributes.
    """
    answer = Answer(queryset, columns, wires)
    return answer.converted(answer.fetch())


def related_rows(
    queryset: Any,
    relation: ToMany,
    lists: dict[Any, Any],
    columns: tuple[str, ...],
    wires: Wires,
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows related to all parents in ``lists``, each starting with its parent's key."""
    keys = [key for key in lists if key is not None]
    limit = connections[queryset.db].features.max_query_params or MANY_KEYS
    for start in range(0, len(keys), limit):
        chosen = {f"{relation.lookup}__in": keys[start : start + limit]}
        yield from rows(relation.rows(queryset).filter(**chosen), columns, wires)
