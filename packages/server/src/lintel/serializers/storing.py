"""Rows of one model, stored by few statements where nothing of the project would notice.

The functions do for many objects what ``create()`` and ``update()`` of a model serializer do for
each. A project notices if it overrides a method that takes part, or listens to a signal of it:
then :func:`stores_together` is false, and each object is saved by its own serializer.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from django.db import connections, models, router
from django.db.models import F, QuerySet

from lintel import fast
from lintel.fields.types import Native
from lintel.overrides import is_overridden
from lintel.serializers.types import Options, ReadValues
from lintel.utils import model_meta

#: Keys in one statement that locks rows.
CHUNK_SIZE = 5000

#: A model class, a manager or queryset, a column: their classes are Django's or the project's.
ModelClass: TypeAlias = Any
Rows: TypeAlias = Any
Column: TypeAlias = Any


class RowsAreGone(Exception):
    """Fewer rows have been changed than there were objects: others have deleted some meanwhile."""


def split_values(model: type[models.Model], values: ReadValues) -> tuple[Options, Options]:
    """Return the values of columns, and those of to-many relations."""
    to_many = model_meta.to_many_relations(model)
    columns = dict(values)
    if to_many.isdisjoint(values):
        return columns, {}
    return columns, {name: columns.pop(name) for name in values if name in to_many}


def stores_together(serializer: Native) -> bool:
    """Return whether no code of the project takes part if the serializer saves an object."""
    model = getattr(getattr(serializer, "Meta", None), "model", None)
    return (
        model is not None
        and is_of_model_serializer(serializer, "save", "create", "update")
        and fast.django_stores(model)
    )


def is_of_model_serializer(serializer: object, *names: str) -> bool:
    """Return whether methods of a serializer are those of ModelSerializer."""
    return hasattr(serializer, "build_field") and not is_overridden(serializer, *names)


def can_insert(model: type[models.Model]) -> bool:
    """Return whether the database tells the keys of many new rows."""
    database = router.db_for_write(model)
    return bool(connections[database].features.can_return_rows_from_bulk_insert)


def insert(model: ModelClass, values: Sequence[ReadValues]) -> list[Native]:
    """Store new objects and their to-many relations; return them in order."""
    split = [split_values(model, item) for item in values]
    made = [model(**columns) for columns, _ in split]
    model._default_manager.bulk_create(made)
    _set_many(made, [many for _, many in split], are_new=True)
    return made


def update(model: ModelClass, instances: Sequence[Native], values: Sequence[ReadValues]) -> None:
    """Write the values to stored objects: one statement for all, and few for each relation.

    Raises RowsAreGone if some are not stored any more.
    """
    split = [split_values(model, item) for item in values]
    names: dict[str, None] = {}
    for instance, (columns, _) in zip(instances, split, strict=True):
        for name, value in columns.items():
            setattr(instance, name, value)
            names[name] = None
    changed = _columns_named(model, names)
    if changed:
        database = router.db_for_write(model, instance=instances[0])
        for column in changed:
            _prepare(column, instances)
        # In one transaction, and in as many statements as the database has parameters for.
        rows = model._base_manager.using(database)
        keys = {row.pk for row in instances}  # two items may name one row
        if rows.bulk_update(instances, [item.name for item in changed]) < len(keys):
            raise RowsAreGone
    _set_many(instances, [many for _, many in split], are_new=False)


def are_columns(model: ModelClass, names: Iterable[str]) -> bool:
    """Return whether all are names of columns other than the key, or of to-many relations."""
    allowed = {column.name for column in model._meta.concrete_fields if not column.primary_key}
    allowed.update(model_meta.to_many_relations(model))
    return allowed.issuperset(names)


def _columns_named(model: ModelClass, names: Iterable[str]) -> list[Column]:
    chosen = set(names)
    return [
        column
        for column in model._meta.concrete_fields
        if column.name in chosen or getattr(column, "auto_now", False)
    ]


def _prepare(column: Column, instances: Sequence[Native]) -> None:
    if getattr(column, "auto_now", False):
        for instance in instances:
            column.pre_save(instance, add=False)


# ---- locks ----


def lock(rows: QuerySet[Any], *columns: str) -> list[tuple[Native, ...]]:
    """Lock rows until the end of the transaction; return their keys and columns as they are then.

    Databases without locks of rows, such as SQLite, lock as soon as something is written.
    """
    if connections[rows.db].features.has_select_for_update:
        rows = rows.select_for_update()
    else:
        _touch(rows)
    return list(rows.values_list("pk", *columns))


def _touch(rows: QuerySet[Any]) -> None:
    for column in rows.model._meta.local_concrete_fields:
        if not column.primary_key and not getattr(column, "generated", False):
            rows.update(**{column.attname: F(column.attname)})
            return


def lock_keys(
    model: ModelClass, database: str, keys: Iterable[object], *columns: str
) -> dict[Native, tuple[Native, ...]]:
    """Lock the rows with these keys, in an order that all requests share; return their columns."""
    ordered, values = list(dict.fromkeys(keys)), dict[Native, tuple[Native, ...]]()
    for start in range(0, len(ordered), CHUNK_SIZE):
        # A manager of the project may join what cannot be locked.
        rows: Rows = QuerySet(model, using=database).filter(
            pk__in=ordered[start : start + CHUNK_SIZE]
        )
        values.update((row[0], row[1:]) for row in lock(rows.order_by("pk"), *columns))
    return values


# ---- to-many relations ----


def _set_many(instances: Sequence[Native], many: Sequence[ReadValues], are_new: bool) -> None:
    for name in dict.fromkeys(name for item in many for name in item):
        wanted = [
            (row, item[name]) for row, item in zip(instances, many, strict=True) if name in item
        ]
        set_related(name, wanted, are_new)


def set_related(name: str, wanted: Sequence[tuple[Native, Native]], are_new: bool = False) -> None:
    """Set a to-many relation of objects, each to its related objects: few statements for all."""
    field = _plain_links(type(wanted[0][0]), name)
    if field is None:
        for instance, related in wanted:
            getattr(instance, name).set(related)
    else:
        _set_links(field, wanted, are_new)


def _plain_links(model: ModelClass, name: str) -> Native:
    """Return the many-to-many field if its rows hold two keys, and nobody listens to changes."""
    field = next((item for item in model._meta.many_to_many if item.name == name), None)
    if field is None or field.remote_field.symmetrical:
        return None
    return field if fast.django_links(field) else None


def _set_links(field: Column, wanted: Sequence[tuple[Native, Native]], are_new: bool) -> None:
    through = field.remote_field.through
    owner = through._meta.get_field(field.m2m_field_name())
    target = through._meta.get_field(field.m2m_reverse_field_name())
    links: dict[tuple[Native, Native], None] = {}
    for instance, related in wanted:
        key = getattr(instance, owner.target_field.attname)
        links.update(((key, _key_of(target, item)), None) for item in related)
        getattr(instance, "_prefetched_objects_cache", {}).pop(field.name, None)
    rows = through._base_manager.using(router.db_for_write(through, instance=wanted[0][0]))
    if not are_new:
        _remove_others(rows, owner, target, [row for row, _ in wanted], links)
    rows.bulk_create(through(**{owner.attname: row, target.attname: other}) for row, other in links)


def _key_of(target: Column, related: Native) -> Native:
    column = target.target_field
    if isinstance(related, models.Model):
        return getattr(related, column.attname)
    return column.to_python(related)


def _remove_others(
    rows: Rows,
    owner: Column,
    target: Column,
    owners: Sequence[Native],
    links: dict[tuple[Native, Native], None],
) -> None:
    """Delete stored links that are not wanted; take those that are stored out of ``links``."""
    keys = [getattr(instance, owner.target_field.attname) for instance in owners]
    stored = rows.filter(**{f"{owner.attname}__in": keys})
    gone = []
    for key, owner_key, target_key in stored.values_list("pk", owner.attname, target.attname):
        if (owner_key, target_key) in links:
            del links[owner_key, target_key]
        else:
            gone.append(key)
    if gone:
        rows.filter(pk__in=gone).delete()
