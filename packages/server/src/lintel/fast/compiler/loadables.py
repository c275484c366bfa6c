"""A relation that is read from many objects, and which of them lack it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.db.models import Model

from lintel.fast.prefetched import PREFETCHED, rows_in
from lintel.fast.relations import finds_all, may_load_together


@dataclass(slots=True)
class Loadable:
    """A relation of a model, and the relations of the related objects.

    ``column`` holds the key of a to-one relation; it is empty for a to-many one. ``cache`` is
    the name under which Django caches the loaded objects.
    """

    name: str
    cache: str
    column: str
    model: type[Model]
    inside: dict[str, Loadable] = field(default_factory=dict)

    def missing(self, instances: Iterable[Model]) -> list[Model]:
        cache, column = self.cache, self.column
        if column:
            new = [instance for instance in instances if cache not in instance._state.fields_cache]
            return [instance for instance in new if instance.__dict__.get(column) is not None]
        saved = [instance for instance in instances if not instance._state.adding]
        return [row for row in saved if cache not in row.__dict__.get(PREFETCHED, ())]

    def may_be_loaded(self, instances: Sequence[Model]) -> bool:
        if self.column:
            # A row hidden by a base manager raises an error of its own and is not None.
            return finds_all(self.model._base_manager)
        return may_load_together(instances, self.name, self.model)

    def objects(self, instances: Iterable[Model]) -> list[Model]:
        if self.column:
            caches = [instance._state.fields_cache for instance in instances]
            return [cache[self.cache] for cache in caches if cache.get(self.cache) is not None]
        loaded = (instance.__dict__.get(PREFETCHED) or {} for instance in instances)
        return [related for caches in loaded for related in rows_in(caches, self.cache) or ()]
