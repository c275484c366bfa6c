"""Nested serializers that write: what ``Meta.nested`` declares, and which row an item is about.

``Meta.nested = {"lines": Nested(match="id", missing="delete")}`` lets a model serializer create,
update and remove the rows of a relation together with its own. Here each item finds its row, so
that it is validated as a change of that row; :mod:`lintel.serializers.trees` writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from django.core.exceptions import FieldDoesNotExist, ImproperlyConfigured
from django.db import models, router
from django.db.models import prefetch_related_objects
from django.db.models.manager import BaseManager
from django.utils.translation import gettext

from lintel import fast
from lintel.exceptions import ErrorDetail, ValidationError
from lintel.fields import Field, empty
from lintel.fields.base import WHOLE
from lintel.fields.types import Native, Primitive
from lintel.scoping import within
from lintel.serializers.item_keys import KeyOfItems
from lintel.serializers.related_keys import unique_values
from lintel.serializers.repeats import repetition
from lintel.serializers.storing import Column, ModelClass, Rows
from lintel.serializers.types import AnySerializer, Values
from lintel.serializers.unknown import notices_unknown
from lintel.settings import api_settings
from lintel.validators import UniqueValidator

DELETE, KEEP, ERROR = "delete", "keep", "error"

#: Where a row of a scoped view says whether it is within the scope.
IN_SCOPE = "lintel_in_scope"

#: Where a nested field has the rows outside of its relation that input names.
_NAMED = "lintel_named_rows"

#: For each item its row, None for a new one, or the error of its key.
Targets: TypeAlias = list[Native]


@dataclass(frozen=True, slots=True)
class Nested:
    """How a nested serializer of a model serializer writes.

    ``match``: the field of an item that names its row among those of the parent; None: every item
    is a new row. ``missing``: what happens to rows that no item names: "delete" removes them (from
    a many-to-many relation, only their link), "keep" leaves them, "error" refuses the input.
    ``queryset``: further rows that items of a forward or many-to-many relation may name.
    ``max_items``: the most items in one list; None: as many as the body holds.
    """

    match: str | None = "pk"
    missing: str = KEEP
    queryset: Rows = None
    max_items: int | None = 1000

    def __post_init__(self) -> None:
        if self.missing not in (DELETE, KEEP, ERROR):
            raise ImproperlyConfigured(
                f'`missing` of Nested is {self.missing!r}. Use "delete", "keep" or "error".'
            )

    def mistakes(self, model: ModelClass, name: str, field: Field) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with this declaration for a field, and what to do about it."""
        child = getattr(field, "child", field)
        if not hasattr(child, "build_field"):
            yield f"{name!r} is no nested model serializer.", "Declare one of that name."
            return
        if field.read_only:
            yield f"{name!r} is read-only.", "Remove `read_only=True`, or the name."
        relation = relation_of(model, field.source or name)
        if relation is None:
            yield "Its source is no relation of the model.", "Name a relation in `source`."
            return
        if relation.is_many is not hasattr(field, "child"):
            word = "many objects" if relation.is_many else "one object"
            yield f"The relation holds {word}.", "Set or remove `many=True`."
        yield from mistakes_of_model(child, relation)
        yield from mistakes_of_options(self, relation, name)


def mistakes_of_model(child: Native, relation: Relation) -> Iterator[tuple[str, str]]:
    cls, related = getattr(getattr(child, "Meta", None), "model", None), relation.model
    if cls is not None and not issubclass(cls._meta.concrete_model, related._meta.concrete_model):
        text = f"The relation leads to {related._meta.label}, and the serializer is for"
        yield f"{text} {cls._meta.label}.", "Nest a serializer of the related model."


def mistakes_of_options(nested: Nested, relation: Relation, name: str) -> Iterator[tuple[str, str]]:
    if relation.is_forward and nested.missing != KEEP:
        text = f"`missing` is {nested.missing!r}, but others may refer to the row of {name!r}."
        yield text, 'Leave it at "keep": the object then refers to another row, or to none.'
    if nested.queryset is not None and relation.is_reverse:
        text = "`queryset` is for forward and many-to-many relations."
        yield text, "Remove it: rows of a reverse relation belong to their parent."
    if nested.match is not None and _column(relation.model, nested.match) is None:
        yield f"`match` is {nested.match!r}, no column of the related model.", "Name a column."


def _column(model: ModelClass, name: str) -> Column | None:
    try:
        column = model._meta.pk if name == "pk" else model._meta.get_field(name)
    except FieldDoesNotExist:
        return None
    return column if getattr(column, "concrete", False) else None


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of a model: the accessor of its rows, its name in lookups, its column back."""

    name: str
    model: ModelClass
    is_many: bool
    is_reverse: bool
    #: The column of the related model that holds the parent, of a reverse relation.
    back: Column = None
    lookup: str = ""

    @property
    def is_forward(self) -> bool:
        return not (self.is_many or self.is_reverse)


def relation_of(model: ModelClass, name: str) -> Relation | None:
    for field in model._meta.get_fields():
        accessor = field.get_accessor_name() if hasattr(field, "get_accessor_name") else field.name
        if accessor != name or not field.is_relation or field.related_model is None:
            continue
        if isinstance(field, models.ManyToManyField | models.ManyToManyRel):
            return Relation(name, field.related_model, True, False, lookup=field.name)
        if isinstance(field, models.ForeignObjectRel):
            many = field.one_to_many
            return Relation(name, field.related_model, bool(many), True, field.field)
        if isinstance(field, models.ForeignKey):
            return Relation(name, field.related_model, False, False)
    return None


class Part(dict[str, Native]):
    """The validated values of an item, with the row that they change; None for a new one."""

    def __init__(self, values: Values, instance: Native = None) -> None:
        super().__init__(values)
        self.instance = instance

    def copy(self) -> Part:
        return Part(self, self.instance)


@dataclass(frozen=True, slots=True)
class Place:
    """A nested field that writes."""

    field: Native
    nested: Nested
    relation: Relation

    @property
    def child(self) -> Native:
        return getattr(self.field, "child", self.field)


def declared(serializer: Native) -> Mapping[str, Nested]:
    nested: Mapping[str, Nested] | None = getattr(getattr(serializer, "Meta", None), "nested", None)
    return nested or {}


def declares_parts(serializer: Native) -> bool:
    return bool(getattr(getattr(serializer, "Meta", None), "nested", None))


def places_of(serializer: Native) -> list[Place]:
    """Return the nested fields that write. Raises ImproperlyConfigured for a wrong declaration."""
    return [_place(serializer, name, nested) for name, nested in declared(serializer).items()]


def _place(serializer: Native, name: str, nested: Nested) -> Place:
    cls = type(serializer)
    field = serializer.fields.get(name)
    for text, hint in nested.mistakes(cls.Meta.model, name, cls._declared_fields.get(name, field)):
        where = f"{cls.__module__}.{cls.__qualname__}.Meta.nested[{name!r}]"
        raise ImproperlyConfigured(f"{where}: {text} {hint}")
    relation = relation_of(cls.Meta.model, field.source)
    if relation is None:
        raise ImproperlyConfigured(f"{cls.__qualname__}.{name}: its source is not a relation.")
    return Place(field, nested, relation)


# ---- validation ----


def validate_with_parts(
    serializer: Native, data: Mapping[str, object], validate: Callable[..., Values]
) -> Values:
    """Validate input whose nested items are about rows of the serializer's instance."""
    instance = serializer.instance
    if not isinstance(instance, models.Model):
        instance = None
    places = [place for place in places_of(serializer) if not place.field.read_only]
    sent = {place.field.field_name: place.field.get_value(data) for place in places}
    is_root = not _is_inside(serializer)
    if is_root:
        read_rows([(instance, serializer, data)])
    with ExitStack() as stack:
        if is_root:
            stack.enter_context(named_together([serializer], [data]))
        for validator, name, values in unique_values_below(serializer, [data]) if is_root else ():
            stack.enter_context(fast.prefetch_unique_values(validator.queryset, name, values))
        for place in places:
            raw = sent[place.field.field_name]
            targets = targets_of(place, instance, raw)
            stack.enter_context(_aimed(place, targets, instance))
        return validate(serializer, data, {}, {})


@contextmanager
def _aimed(place: Place, targets: Targets, instance: Native) -> Iterator[None]:
    """Let a nested field validate its items as changes of their rows."""
    original, held = place.field.run_validation, place.field.__dict__

    def run_validation(data: Primitive = empty) -> Native:
        check_number(place, data)
        if place.relation.is_many or not isinstance(data, Mapping):
            result = original(data)
        else:
            result = with_targets(place, targets, original)(data)
        if data is not empty:
            check_missing(place, instance, result if isinstance(result, list) else [result])
        return result

    held["run_validation"] = run_validation
    if place.relation.is_many:
        held["run_child_validation"] = with_targets(
            place, targets, place.field.run_child_validation
        )
    try:
        yield
    finally:
        held.pop("run_child_validation", None)
        del held["run_validation"]


def _is_inside(serializer: Native) -> bool:
    """Return whether a serializer around this one has read the rows already."""
    outer = serializer.parent
    while outer is not None:
        if declared(outer):
            return True
        outer = outer.parent
    return False


def unique_values_below(
    serializer: Native, rows: Sequence[Native]
) -> Iterator[tuple[UniqueValidator, str, list[object]]]:
    """Yield the unique values of items at any depth, so that each column takes one query."""
    for place, items in _items_below(serializer, rows):
        yield from unique_values(place.child, items)
        yield from unique_values_below(place.child, items)


def _items_below(
    serializer: Native, rows: Sequence[Native]
) -> Iterator[tuple[Place, list[Primitive]]]:
    """Yield the places one level below, each with the items for it in all rows of input."""
    for place in places_of(serializer) if declares_parts(serializer) else ():
        inputs = [place.field.get_value(row) for row in rows if isinstance(row, Mapping)]
        items = [item for sent in inputs for item in items_of(place, sent)]
        if not place.field.read_only and items:
            yield place, items


@contextmanager
def named_together(serializers: Sequence[Native], rows: Sequence[Native]) -> Iterator[None]:
    """Read the rows outside of relations that items name, at any depth: a query for each place.

    ``serializers``: of one class; ``rows``: the input of each.
    """
    fields = []
    try:
        for path, place, items in _every_item_below(serializers[0], rows):
            if _reads_others(place):
                by_key = _named(place, key_at(place), _values_in(key_at(place), items))
                for serializer in serializers:
                    fields.append(_field_at(serializer, path))
                    fields[-1].__dict__[_NAMED] = by_key
        yield
    finally:
        for field in fields:
            field.__dict__.pop(_NAMED, None)


def _every_item_below(
    serializer: Native, rows: Sequence[Native], outer: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Place, list[Primitive]]]:
    for place, items in _items_below(serializer, rows):
        path = (*outer, place.field.field_name)
        yield path, place, items
        yield from _every_item_below(place.child, items, path)


def _field_at(serializer: AnySerializer, path: Iterable[str]) -> AnySerializer:
    for name in path:
        inner: AnySerializer = getattr(serializer, "child", serializer)
        serializer = inner.fields[name]
    return serializer


def _reads_others(place: Place) -> bool:
    is_known = _NAMED in vars(place.field)
    return not is_known and place.nested.queryset is not None and place.nested.match is not None


def key_at(place: Place) -> KeyOfItems:
    database = router.db_for_read(place.relation.model)
    return KeyOfItems(place.nested.match or "pk", place.relation.model, database, place.child)


def read_rows(roots: Iterable[tuple[Native, Native, object]]) -> None:
    """Read the rows that input is about: one query for each relation, at any depth.

    ``roots``: objects, None for new ones, with their serializers and their input.
    """
    instances, places = [], dict[str, Place]()
    for instance, serializer, data in roots:
        if isinstance(instance, models.Model):
            instances.append(instance)
            places.update(_paths(serializer, data, ""))
    if places:
        prefetch_related_objects(instances, *places)
    for path, place in places.items():
        rows = instances
        for name in path.split("__"):
            rows = [row for owner in rows for row in _rows_under(owner, name)]
        mark_scope(place, rows)


def read_again(serializer: Native, instance: Native) -> None:
    """Read the rows that an answer shows after a write: one query for each relation."""
    if declares_parts(serializer) and isinstance(instance, models.Model):
        prefetch_related_objects([instance], *_paths_shown(serializer, ""))


def _paths_shown(serializer: Native, prefix: str) -> Iterator[str]:
    for place in places_of(serializer):
        if not place.field.write_only:
            path = f"{prefix}{place.relation.name}"
            yield path
            yield from _paths_shown(place.child, f"{path}__")


def _paths(serializer: Native, data: object, prefix: str) -> Iterator[tuple[str, Place]]:
    if not isinstance(data, Mapping) or not declared(serializer):
        return
    for place in places_of(serializer):
        raw = place.field.get_value(data)
        if raw is None or raw is empty or place.field.read_only:
            continue
        path = f"{prefix}{place.relation.name}"
        yield path, place
        for item in items_of(place, raw):
            yield from _paths(place.child, item, f"{path}__")


def targets_of(place: Place, instance: Native, raw: Primitive) -> Targets:
    """Return the row of each item, None for a new one, or the ValidationError of its key."""
    items = [] if raw is empty else items_of(place, raw)
    rows = rows_at(place, instance) if items else []
    if place.nested.match is None:
        return [None] * len(items)
    key = key_at(place)
    inside = {getattr(row, key.column.attname): row for row in rows}
    by_key = {**inside, **_others(place, key, items, inside)}
    single = rows[0] if rows and not place.relation.is_many else None
    seen: set[object] = set()
    return [_target(key, item, by_key, seen, single) for item in items]


def _target(
    key: KeyOfItems, item: object, rows: Mapping[object, Native], seen: set[object], single: Native
) -> object:
    if not isinstance(item, Mapping) or not key.is_in(item):
        # The one row of a relation needs no key.
        return single
    sent, value = key.value_in(item)
    if sent is None:
        return single
    if value is not None and value in seen:
        return key.repeated()
    seen.add(value)
    if value is not None and value in rows:
        return rows[value]
    return None if key.is_written else key.missing(sent)


def _others(
    place: Place, key: KeyOfItems, items: Iterable[object], inside: Mapping[object, Native]
) -> Mapping[Native, Native]:
    """Return rows outside of the relation that items may name."""
    if place.nested.queryset is None:
        return {}
    values = _values_in(key, items).difference(inside)
    already = vars(place.field).get(_NAMED)
    if already is None:
        return _named(place, key, values)
    return {value: already[value] for value in values if value in already}


def _values_in(key: KeyOfItems, items: Iterable[object]) -> set[object]:
    named = [item for item in items if isinstance(item, Mapping) and key.is_in(item)]
    return {key.value_in(item)[1] for item in named} - {None}


def _named(place: Place, key: KeyOfItems, values: Iterable[object]) -> Mapping[Native, Native]:
    wanted, result = list(values), dict[Native, Native]()
    if wanted:
        rows = within(place.child, place.nested.queryset.all())
        chosen = rows.filter(**{f"{key.lookup}__in": wanted})
        result.update((getattr(row, key.column.attname), row) for row in chosen)
    return result


def rows_at(place: Place, instance: Native) -> list[Native]:
    """Return the rows of a relation that an object has, within the scope of the request."""
    rows = every_row_at(place, instance)
    mark_scope(place, rows)
    return [row for row in rows if getattr(row, IN_SCOPE, True)]


def every_row_at(place: Place, instance: Native) -> list[Native]:
    if instance is None or instance.pk is None:
        return []
    return _rows_under(instance, place.relation.name)


def _rows_under(instance: Native, name: str) -> list[Native]:
    held: Native = getattr(instance, name, None)
    if isinstance(held, BaseManager):
        return list(held.all())
    return [] if held is None else [held]


def mark_scope(place: Place, rows: Iterable[Native]) -> None:
    """Note on rows that have no note yet whether the request may refer to them: in one query."""
    new = {row.pk: row for row in rows if IN_SCOPE not in vars(row)}
    every = place.relation.model._base_manager.all()
    chosen = within(place.child, every) if new else every
    if chosen is every:
        return
    in_scope = set(chosen.filter(pk__in=list(new)).values_list("pk", flat=True))
    for row in rows:
        row.__dict__.setdefault(IN_SCOPE, row.pk in in_scope)


def with_targets(
    place: Place, targets: Iterable[Native], validate: Callable[[Native], Native]
) -> Callable[[Native], Native]:
    """Return what validates one item after the other, each with its row as the instance."""
    left, seen, names = iter(targets), set[Hashable](), _names_of_key_alone(place)

    def validate_next(item: object) -> Native:
        rest = without(names, item)
        return validated_for(place.child, next(left), validate, rest, seen)

    return validate_next


def _names_of_key_alone(place: Place) -> set[str]:
    """Return the names of the key that no field has, if the serializer minds unknown names."""
    if place.nested.match is None or not notices_unknown(place.child):
        return set()
    key = KeyOfItems(place.nested.match, place.relation.model, "", place.child)
    return set(key.names).difference(place.child.fields)


def without(names: set[str], item: Native) -> Native:
    if not isinstance(item, dict) or names.isdisjoint(item):
        return item
    left = item.copy()
    for name in names:
        left.pop(name, None)
    return left


def validated_for(
    child: Native,
    target: Native,
    validate: Callable[[Native], Native],
    item: object,
    seen: set[Hashable],
) -> Native:
    """Validate an item as a change of its row, or as a new one, which is never partial.

    ``seen``: what items before it have, and only one row may.
    """
    if isinstance(target, ValidationError):
        raise target
    with _changing(child, target):
        values = validate(item)
        if values is None:
            child.fail("null")  # an item of a list is a row
        if not isinstance(values, dict):
            return values
        repeated = repetition(child, values, seen)
    if repeated is not None:
        raise repeated
    return Part(values, target)


@contextmanager
def _changing(child: Native, target: Native) -> Iterator[None]:
    """Let a serializer change a row, or make a whole one."""
    state = child.__dict__
    is_made_whole = target is None and not child.partial and WHOLE not in state
    with about(child, target):
        if is_made_whole:
            state[WHOLE] = True
        try:
            yield
        finally:
            if is_made_whole:
                del state[WHOLE]


@contextmanager
def about(child: Native, row: Native) -> Iterator[None]:
    """Let a row be the instance of a nested serializer, where code of projects looks for it."""
    held, child.instance = child.instance, row
    try:
        yield
    finally:
        child.instance = held


def items_of(place: Place, raw: Primitive) -> list[Primitive]:
    """Return the items of input: none of a list that is too long, for which nothing is read."""
    if not isinstance(raw, list):
        return [raw]
    return [] if _is_too_long(place, raw) else raw


def _is_too_long(place: Place, raw: Primitive) -> bool:
    most = place.nested.max_items
    return isinstance(raw, list) and most is not None and len(raw) > most


def check_number(place: Place, items: Primitive) -> None:
    """Raise ValidationError for a list that is too long, before anything is done for its items."""
    if _is_too_long(place, items):
        most = place.nested.max_items
        text = place.field.error_messages["max_length"].format(max_length=most)
        raise ValidationError({api_settings.NON_FIELD_ERRORS_KEY: [text]}, code="max_length")


def check_missing(place: Place, instance: Native, parts: Iterable[Native]) -> None:
    """Raise ValidationError if rows that must be named are not, or cannot be without an owner."""
    gone = left_out(place, instance, parts)
    relation, missing = place.relation, place.nested.missing
    if not gone:
        return
    if missing == ERROR:
        keys = ", ".join(str(row.pk) for row in gone[:20])
        text = gettext("These objects may not be left out: {keys}.").format(keys=keys)
        raise ValidationError([ErrorDetail(text, "missing")])
    is_kept = missing == KEEP and relation.back is not None and not relation.is_many
    if is_kept and not relation.back.null:
        place.field.fail("null")


def left_out(place: Place, instance: Native, parts: Iterable[Native]) -> list[Native]:
    keys = {part.instance.pk for part in parts if getattr(part, "instance", None) is not None}
    return [row for row in rows_at(place, instance) if row.pk not in keys]
