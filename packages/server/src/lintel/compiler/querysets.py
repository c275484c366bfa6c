"""What is certain about a model, a queryset and a relation, so that rows may stand for instances.

Whatever the project may have changed about how instances come to be makes a model *special*, and
a queryset that is more than rows of one table in some order *needs instances*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from django.db import connections, models, router
from django.db.models import signals
from django.db.models.fields import related_descriptors
from django.db.models.query import ModelIterable

from lintel.compiler.columns import Answer
from lintel.orm.statements import methods_of_django
from lintel.orm.wires import Wires

#: Keys in one query where the database names no limit of its own.
MANY_KEYS = 30_000

_QUERYSET_METHODS = (
    "__iter__",
    "_fetch_all",
    "iterator",
    "values_list",
    "_values",
    "_clone",
    "_chain",
    "filter",
    "using",
)
_methods_of = attrgetter(*_QUERYSET_METHODS)
_USUAL_METHODS = methods_of_django(models.QuerySet, *_QUERYSET_METHODS)
_METHOD_NAMES = frozenset(_QUERYSET_METHODS)

_INIT = models.Model.__init__
_FROM_DB = vars(models.Model)["from_db"].__func__


def is_special(model: Any) -> bool:
    """Whether making an instance is more than setting its columns."""
    return (
        model.__init__ is not _INIT
        or model.from_db.__func__ is not _FROM_DB
        or model.__getattribute__ is not object.__getattribute__
        or signals.pre_init.has_listeners(model)
        or signals.post_init.has_listeners(model)
    )


def needs_instances(queryset: Any, relations: frozenset[str]) -> bool:
    """Whether a queryset is more than a plain selection of rows that nobody has fetched yet.

    ``relations``: names that ``prefetch_related()`` may have; these are read anyway.
    """
    if queryset._result_cache is not None or queryset._iterable_class is not ModelIterable:
        return True
    if _methods_of(type(queryset)) != _USUAL_METHODS:
        return True
    # The queryset of a view refuses to be evaluated, by a method of its own.
    if not _METHOD_NAMES.isdisjoint(queryset.__dict__):
        return True
    if queryset._known_related_objects or queryset._fields is not None:
        return True
    lookups = queryset._prefetch_related_lookups
    if any(type(lookup) is not str or lookup not in relations for lookup in lookups):
        return True
    return _is_unusual(queryset.query)


def _is_unusual(query: Any) -> bool:
    return bool(
        query.annotations
        or query.combinator
        or query.distinct
        or query.extra
        or query.select_for_update
        or query.deferred_loading != (frozenset(), True)
        or query.is_empty()
    )


#: Relations on the way to a column.
Path = tuple[str, ...]


def paths_of(lookups: Iterable[str]) -> frozenset[Path]:
    """The ways to columns of other tables."""
    return frozenset(tuple(lookup.split("__")[:-1]) for lookup in lookups if "__" in lookup)


def comes_in_another_order(queryset: Any, paths: frozenset[Path]) -> bool:
    """Whether rows without an order would follow from joins that instances do without."""
    if not paths or queryset.ordered:
        return False
    selected = queryset.query.select_related
    return not all(_is_selected(selected, path) for path in paths)


def _is_selected(selected: Any, path: Path) -> bool:
    """Whether ``select_related()`` was asked for all relations of a path, by their names."""
    for name in path:
        if not isinstance(selected, dict) or name not in selected:
            return False
        selected = selected[name]
    return True


def rows(queryset: Any, columns: tuple[str, ...], wires: Wires) -> Iterable[tuple[Any, ...]]:
    """The rows of a queryset, converted as the attributes of instances would be.

    A column that has a wire may consist of the text that its field makes of these attributes.
    """
    answer = Answer(queryset, columns, wires)
    return answer.converted(answer.fetch())


@dataclass(frozen=True, slots=True)
class ToMany:
    """A to-many relation as a query of its own: the model, and the lookup back to the parent."""

    model: Any
    lookup: str

    def rows(self, queryset: Any) -> Any:
        """What the relation of an instance starts from, in the database of ``queryset``."""
        return self.model._default_manager.using(queryset.db)


def related_rows(
    queryset: Any,
    relation: ToMany,
    lists: dict[Any, Any],
    columns: tuple[str, ...],
    wires: Wires,
) -> Iterator[tuple[Any, ...]]:
    """The rows behind a relation of all parents in ``lists``, the key of the parent first."""
    keys = [key for key in lists if key is not None]
    limit = connections[queryset.db].features.max_query_params or MANY_KEYS
    for start in range(0, len(keys), limit):
        chosen = {f"{relation.lookup}__in": keys[start : start + limit]}
        yield from rows(relation.rows(queryset).filter(**chosen), columns, wires)


def has_own_manager(model: Any) -> bool:
    """Whether the default manager of a model may not be what its relations start from."""
    manager = type(model._default_manager)
    return manager.all is not models.Manager.all or (
        manager.__init__ is not models.Manager.__init__
    )


def is_routed() -> bool:
    """Whether the project decides by instance which database a relation is read from."""
    return bool(router.routers)


def _many_to_many(descriptor: Any) -> tuple[Any, str, Any] | None:
    """The related model, the lookup back, and the column of the parent that the rows point to."""
    rel = descriptor.rel
    if not rel.through._meta.auto_created:
        # A table of the project's own may point to other columns than the keys.
        return None
    if descriptor.reverse:
        return rel.related_model, rel.field.name, rel.model._meta.pk
    return rel.model, rel.field.related_query_name(), rel.related_model._meta.pk


def _reverse(descriptor: Any) -> tuple[Any, str, Any] | None:
    return descriptor.rel.related_model, descriptor.field.name, descriptor.field.target_field


TO_MANY: dict[type, Callable[[Any], tuple[Any, str, Any] | None]] = {
    related_descriptors.ManyToManyDescriptor: _many_to_many,
    related_descriptors.ReverseManyToOneDescriptor: _reverse,
}
