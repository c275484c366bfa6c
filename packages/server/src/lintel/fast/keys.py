"""Many keys, one query: related objects are fetched before each key is validated.

A list of keys is validated key by key, each with ``queryset.get(...)``. Inside
:func:`prefetch_keys` the objects have been fetched in bulk, and a key that was found costs no
query. Nothing else changes: a key that was not found, is of another type, or is ambiguous is
looked up in the database as before, so all errors and their order stay the same.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from threading import get_ident
from typing import Any, TypeVar

from django.core.exceptions import FieldDoesNotExist, ObjectDoesNotExist
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import connections
from django.db.models import Field, IntegerField, Model, QuerySet

from lintel.exceptions import ValidationError
from lintel.fast import tools
from lintel.fast.compiler.plan import conversion
from lintel.fast.compiler.protocols import AnyField, CompiledSerializer, Errors, Find
from lintel.fast.originals import ONE
from lintel.fast.plain import PLAIN
from lintel.fast.rows import bounds, known_row
from lintel.fast.unique_columns import COLUMN_TYPES, VALUE_TYPES, unique_column
from lintel.fast.vocabulary import (
    GETTING,
    PREPARING,
    finds_each_alone,
    is_plain_model,
    reads_columns,
)
from lintel.fast.watching import watching
from lintel.overrides import package_of
from lintel.scoping import is_scoped

ModelT = TypeVar("ModelT", bound=Model)

#: Keys in one query: below the 999 parameters of old SQLite, with room for other filters.
CHUNK_SIZE = 500

#: What fields take for an error of the key, even if code of the project raises it while related
#: rows are prefetched: only the field itself knows the message.
_FAILURES = (ObjectDoesNotExist, TypeError, ValueError)

_KEYED_KINDS = ("primary_key", "slug_related", "hyperlinked_related")


def _can_be_copied(model: type[Model]) -> bool:
    getstate: Any = model.__getstate__
    return is_plain_model(model) and getstate is Model.__getstate__


def _copy_of(instance: ModelT) -> ModelT:
    """Return another instance of the same row, as a second query would make it."""
    copy = object.__new__(type(instance))
    copy.__dict__.update(Model.__getstate__(instance))
    return copy


class FoundObjects:
    """The objects of one relation that were fetched in bulk, by key."""

    __slots__ = ("_are_copied", "_column", "_objects", "forget", "thread")

    def __init__(self, column: Field, objects: dict[Hashable, Model], hold_others: bool) -> None:
        self._column = column
        self._objects = objects
        self.thread = get_ident()
        #: Later items must see what the project writes in the meantime.
        self.forget = objects.clear
        # Copies would share the rows that were prefetched.
        self._are_copied = not hold_others and all(
            map(_can_be_copied, set(map(type, objects.values())))
        )

    def take(self, key: object) -> Model | None:
        """Return an object of a key that no other caller gets, like a freshly read row; or None."""
        value = prepared(self._column, key)
        if value is None or value not in self._objects or self.thread != get_ident():
            return None
        return _copy_of(self._objects[value]) if self._are_copied else self._objects.pop(value)


_Active = Mapping[int, FoundObjects]
_active: ContextVar[_Active | None] = ContextVar("lintel_prefetched_keys", default=None)


def found_object(field: AnyField, key: object) -> Model | None:
    """Return the prefetched object that ``field`` would look up for ``key``, else None."""
    active = _active.get()
    objects = None if active is None else active.get(id(field))
    return None if objects is None else objects.take(key)


def finder(name: str, source: Any, key_name: str, follows_view: bool) -> Find | None:
    """Return what looks up the keys of the field ``name``; None if only the field itself can.

    ``follows_view``: the view of the serializer may have a scope, which the field knows.
    """
    column = unique_column(source, key_name)
    if column is None:
        return None
    takes_int = isinstance(column, IntegerField)

    def find(serializer: CompiledSerializer, key: Any, errors: Errors) -> object:
        if key == "" or _active.get() is not None or (follows_view and is_scoped(serializer)):
            return tools.lent.empty
        if not (takes_int and type(key) is int) and prepared(column, key) is None:
            return tools.lent.empty
        try:
            row = known_row(source, key_name, key)
        except _FAILURES:
            return tools.lent.empty
        if row is None:
            errors[name] = _missing(serializer._lintel_fields[name], key)
        return tools.lent.empty if row is PLAIN else row

    return find


def _missing(field: AnyField, key: object) -> object:
    try:
        tools.lent.fail_missing(field, key)
    except ValidationError as error:
        return error.detail
    return None


def prefetch_keys(
    field: AnyField, values: Iterable[object], twins: Iterable[AnyField] = ()
) -> AbstractContextManager[None]:
    """Fetch the objects that ``values``, raw input for ``field``, will look up.

    ``field`` is a relation by primary key, slug or URL, or a ManyRelatedField around one, whose
    values are lists. While the context is open, validation with this field uses the fetched
    objects, and so do its ``twins``, the same field of other serializers. Any other field, and one
    whose lookup is overridden, is unaffected; so it is always safe to call. Values may be of any
    kind: those that are not keys are ignored.
    """
    child = getattr(field, "child_relation", None)
    if child is not None:
        values = [item for value in values if isinstance(value, list | tuple) for item in value]
        field = child
    if not is_keyed(field) or id(field) in (_active.get() or {}):
        return nullcontext()
    objects = _fetch(field, field.get_queryset(), values)
    if objects is None:
        return nullcontext()
    alike = [getattr(twin, "child_relation", None) or twin for twin in twins]
    return _opened([field, *filter(is_keyed, alike)], objects)


@contextmanager
def _opened(fields: Sequence[AnyField], objects: FoundObjects) -> Iterator[None]:
    by_field = dict.fromkeys(map(id, fields), objects)
    token = _active.set({**(_active.get() or {}), **by_field})
    try:
        with watching(objects.forget):
            yield
    finally:
        _active.reset(token)


def is_keyed(field: AnyField) -> bool:
    """Return whether every part of the field's lookup is the one of this package."""
    lookup = conversion(field, "to_internal_value")
    return lookup is not None and lookup.kind in _KEYED_KINDS


def _fetch(field: AnyField, queryset: object, values: Iterable[object]) -> FoundObjects | None:
    """None if single queries are as good or better."""
    if not isinstance(queryset, QuerySet) or not _finds_many(queryset):
        return None
    if package_of(type(connections[queryset.db])) != "django":
        # A backend of the project may lead to other rows at any time, by a mere attribute.
        return None
    name = field.lookup_field if hasattr(field, "lookup_field") else field.key_name
    column = _column(queryset.model, name)
    if column is None or not reads_columns(queryset.query, [name]):
        return None
    keys = _keys(field, column, values)
    if len(keys) < 2:
        return None
    lowest, highest = bounds(column, connections[queryset.db])
    if lowest is not None and highest is not None:
        keys = [key for key in keys if lowest <= key <= highest]
    try:
        objects = _objects(queryset, name, column, keys)
    except _FAILURES:
        return None
    return FoundObjects(column, objects, bool(vars(queryset)["_prefetch_related_lookups"]))


def _finds_many(queryset: QuerySet[Any]) -> bool:
    return (
        ONE.may_be_replaced()
        and GETTING.are_of_django(type(queryset))
        and finds_each_alone(queryset)
    )


def _column(model: type[Model], name: str) -> Any:
    try:
        column: Any = model._meta.pk if name == "pk" else model._meta.get_field(name)
    except FieldDoesNotExist:
        return None
    while name == "pk" and column.remote_field:
        column = column.target_field
    if not isinstance(column, COLUMN_TYPES) or column.remote_field:
        return None
    return column if PREPARING.are_of_django_on(column) else None


def _key_in(field: AnyField, value: object) -> object:
    if hasattr(field, "lookup_field"):
        return tools.lent.key_at_url(field, value)
    return field.to_key(value)


def _keys(field: AnyField, column: Field, values: Iterable[object]) -> list[Any]:
    result: dict[Hashable, None] = {}
    for value in values:
        try:
            key = prepared(column, _key_in(field, value))
        except (ValidationError, DjangoValidationError, TypeError, ValueError, ArithmeticError):
            continue
        if key is not None:
            result[key] = None
    return list(result)


def prepared(column: Field, key: object) -> Hashable:
    """Return the key as the database compares it; None if it may fail in a query of many."""
    if type(key) not in VALUE_TYPES:
        return None
    try:
        value = column.get_prep_value(key)
        if isinstance(value, str):
            value.encode()
    except (TypeError, ValueError, OverflowError, DjangoValidationError):
        return None
    return None if isinstance(value, str) and "\x00" in value else value


def _objects(
    queryset: QuerySet[Any], name: str, column: Field, keys: Sequence[Hashable]
) -> dict[Hashable, Model]:
    result: dict[Hashable, Model] = {}
    ambiguous = set()
    for start in range(0, len(keys), CHUNK_SIZE):
        chunk = keys[start : start + CHUNK_SIZE]
        for instance in queryset.filter(**{f"{name}__in": chunk}):
            value = column.get_prep_value(getattr(instance, name))
            if value in result:
                ambiguous.add(value)
            result[value] = instance
    # Several rows for one key are a separate error, which the single lookup raises.
    return {value: instance for value, instance in result.items() if value not in ambiguous}
