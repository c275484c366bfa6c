"""Functions that generated text calls for every case it does not handle itself."""

from collections.abc import Callable, Iterable, Mapping

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Model, QuerySet
from django.db.models.manager import BaseManager

from lintel.fast.compiler.protocols import (
    AcceptDict,
    CompiledField,
    CompiledSerializer,
    ReadObject,
    Values,
)
from lintel.fast.prefetched import rows_in

#: Errors of reading a missing attribute or key; the plain path then decides.
ABSENT = (AttributeError, KeyError, ObjectDoesNotExist)


class SKIPPED:
    """Stands for an omitted field. A class, so that no test takes it for a plain value."""


def without_skipped(values: Values) -> Values:
    return {name: value for name, value in values.items() if value is not SKIPPED}


class Unwalkable(KeyError):
    """A step of a dotted source is a key or a call: ``owner`` is reached, ``rest`` remains."""

    def __init__(self, owner: object, rest: tuple[str, ...]) -> None:
        super().__init__(rest)
        self.owner = owner
        self.rest = rest


class Doubt(KeyError):
    """Input that may be invalid; a KeyError, because that of a missing key means the same."""


def accepted(accept: AcceptDict, data: object) -> Values | None:
    try:
        return accept(data)
    except KeyError:
        return None


def accepted_items(accept: AcceptDict, items: list[object]) -> list[Values] | None:
    """None if one of the items is in doubt."""
    try:
        return list(map(accept, items))
    except KeyError:
        return None


def finish(
    serializer: CompiledSerializer, name: str, instance: object, attribute: object
) -> object:
    """Do what the field does; it reads the attribute again only if that has to be called."""
    if attribute is None or attribute is SKIPPED:
        return attribute
    field = serializer._lintel_fields[name]
    if callable(attribute):
        attribute = field.get_attribute(instance)
    return None if attribute is None else field.to_representation(attribute)


def finish_item(child: CompiledField, item: object) -> object:
    return None if item is None else child.to_representation(item)


def related_items(instance: Model, name: str, cache_name: str) -> Iterable[Model]:
    """Return the objects of a to-many relation; prefetched ones without making a manager."""
    prefetched = instance.__dict__.get("_prefetched_objects_cache")
    if prefetched is not None and cache_name in prefetched:
        rows: Iterable[Model] = rows_in(prefetched, cache_name)
        return rows
    return getattr(instance, name).all()


def saved_items(instance: Model, name: str, cache_name: str) -> Iterable[Model]:
    """The same, but none for an instance that has no key yet."""
    return () if instance.pk is None else related_items(instance, name, cache_name)


def dispatcher(
    bind: Callable[[CompiledSerializer, type], ReadObject], serializer: CompiledSerializer
) -> ReadObject:
    """Return a function that reads instances of any type, each with the text for its type."""
    bound: dict[type, ReadObject] = {}

    def read(instance: object) -> object:
        kind = type(instance)
        read_kind = bound.get(kind)
        if read_kind is None:
            read_kind = bound[kind] = bind(serializer, kind)
        return read_kind(instance)

    return read


def walkable(owner: object, rest: tuple[str, ...]) -> object:
    """Raise Unwalkable for a step that the plain path would read by key or call."""
    if callable(owner) or isinstance(owner, Mapping):
        raise Unwalkable(owner, rest)
    return owner


def rows_of(value: object) -> Iterable[object] | None:
    """None if a list serializer has to decide itself what it iterates over."""
    if isinstance(value, list | tuple | QuerySet):
        return value
    return value.all() if isinstance(value, BaseManager) else None
