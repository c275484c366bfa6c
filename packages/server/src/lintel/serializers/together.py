"""Many objects of one serializer class: validated with few queries, saved by few statements.

Each object has a serializer of its own, with its own input and, in an update, its own instance. An
error belongs to its object: what an input breaks, alone or together with the others, and what the
database refuses.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial

from django.db import DataError, IntegrityError, ProgrammingError, connections, router
from django.db.models import Model

from lintel import fast
from lintel.exceptions import APIException, NotFound, ValidationError
from lintel.fields import Field
from lintel.fields.types import Native
from lintel.outages import is_refused_row
from lintel.serializers.deadlocks import repeated, written
from lintel.serializers.nested_writes import raise_errors_on_nested_writes
from lintel.serializers.parts import declares_parts, named_together, read_rows, unique_values_below
from lintel.serializers.refusals import refusal
from lintel.serializers.related_keys import (
    Related,
    fields_inside,
    related_of,
    related_values,
    unique_values,
)
from lintel.serializers.repeats import repetition
from lintel.serializers.storing import (
    RowsAreGone,
    are_columns,
    can_insert,
    insert,
    lock_keys,
    stores_together,
    update,
)
from lintel.serializers.trees import write_trees
from lintel.serializers.types import Options

#: The errors of objects by their position.
Errors = dict[int, APIException]


# ---- validation ----


def check_together(serializers: Sequence[Native]) -> Errors:
    """Validate the input of each; return the errors of those that are invalid."""
    errors: Errors = {}
    read_rows(
        [(serializer.instance, serializer, serializer.initial_data) for serializer in serializers]
    )
    with known_together(serializers, [serializer.initial_data for serializer in serializers]):
        for position, serializer in enumerate(serializers):
            try:
                serializer.is_valid(raise_exception=True)
            except ValidationError as error:
                errors[position] = error
    seen: set[Hashable] = set()
    for position, serializer in enumerate(serializers):
        if position not in errors and isinstance(serializer.validated_data, dict):
            repeated = repetition(serializer, serializer.validated_data, seen)
            if repeated is not None:
                errors[position] = repeated
    return errors


def known_together(
    serializers: Sequence[Native], rows: Sequence[object]
) -> AbstractContextManager[object]:
    """Return a context in which related keys and unique values in the rows are known."""
    stack = ExitStack()
    if len(serializers) > 1:
        for context in _known_keys(serializers, rows):
            stack.enter_context(context)
        stack.enter_context(named_together(serializers, rows))
        unique = [*unique_values(serializers[0], rows), *unique_values_below(serializers[0], rows)]
        for validator, name, values in unique:
            stack.enter_context(fast.prefetch_unique_values(validator.queryset, name, values))
    return stack


def _known_keys(
    serializers: Sequence[Native], rows: Sequence[object]
) -> Iterator[AbstractContextManager[object]]:
    members = [_by_name(serializer) for serializer in serializers]
    first = related_of(members[0].values(), rows)
    if not first or any(fields.keys() != members[0].keys() for fields in members):
        return  # code of the project may give each other fields
    places = [list(_alike(first, fields)) for fields in members]
    for number, (field, values) in enumerate(related_values(first, rows)):
        twins = [place[number] for place in places if place[number] is not None]
        yield fast.prefetch_keys(field, values, twins)


def _by_name(serializer: Native) -> dict[str, Field]:
    return {field.field_name: field for field in fields_inside(serializer)}


def _alike(related: Related, fields: Mapping[str, Field]) -> Iterator[Field | None]:
    """Yield the fields of another serializer that are called like those."""
    for key in related.keys:
        twin = fields.get(key.field_name)
        yield getattr(twin, "child", None) or twin
    for field, inside in related.nested:
        nested = fields.get(field.field_name)
        yield from _alike(inside, _by_name(getattr(nested, "child", nested)))


# ---- saving ----


def save_together(serializers: Sequence[Native], values: Options) -> Errors:
    """Save the object of each valid serializer, with more values; return the errors of some.

    One statement saves all of them if no code of the project takes part. Those that the database
    refuses are saved one at a time, each in a savepoint, so that each error has its object.
    """
    if len(serializers) > 1 and _can_save_together(serializers, values):
        model = serializers[0].Meta.model
        try:
            stored = written(
                router.db_for_write(model),
                lambda: _saved_all(model, serializers, values),
                [values, *(serializer.validated_data for serializer in serializers)],
            )
        except (DataError, IntegrityError, OverflowError, RowsAreGone, TypeError, APIException):
            pass  # whose fault it is shows one at a time
        except ProgrammingError as error:
            if not is_refused_row(error):
                raise
        else:
            # A database may refuse them at the end of the transaction: they are no objects then.
            for serializer, instance in zip(serializers, stored, strict=True):
                serializer.instance = instance
            return {}
    return save_each(serializers, lambda serializer: _save_if_there(serializer, values))


def _save_if_there(serializer: Native, values: Options) -> None:
    """Save an object. Raises NotFound if its row is gone: saving would bring it back."""
    row = serializer.instance
    if isinstance(row, Model) and row.pk is not None and not row._state.adding:
        database = router.db_for_write(type(row), instance=row)
        may_lock = connections[database].in_atomic_block
        if may_lock and not lock_keys(type(row), database, [row.pk]):
            raise NotFound
    serializer.save(**values)


def _can_save_together(serializers: Sequence[Native], values: Options) -> bool:
    first = serializers[0]
    if not stores_together(first) or any(
        type(serializer) is not type(first) for serializer in serializers
    ):
        return False
    model = first.Meta.model
    if first.instance is None or declares_parts(first):
        return can_insert(model)
    databases = {
        router.db_for_write(model, instance=serializer.instance) for serializer in serializers
    }
    names = {name for serializer in serializers for name in {**serializer.validated_data, **values}}
    return len(databases) == 1 and are_columns(model, names)


def _saved_all(model: Native, serializers: Sequence[Native], values: Options) -> list[Native]:
    """Save the objects of all serializers, and return them in their order."""
    wanted = [{**serializer.validated_data, **values} for serializer in serializers]
    if declares_parts(serializers[0]):
        return write_trees(serializers, wanted)
    for serializer, item in zip(serializers, wanted, strict=True):
        name = "create" if serializer.instance is None else "update"
        raise_errors_on_nested_writes(name, serializer, item)
    if serializers[0].instance is None:
        return insert(model, wanted)
    instances = [serializer.instance for serializer in serializers]
    update(model, instances, wanted)
    return instances


def save_each(serializers: Sequence[Native], save: Callable[[Native], object]) -> Errors:
    """Save one at a time; return the errors of those that are refused, and of which no row is."""
    errors: Errors = {}
    for place, serializer in enumerate(serializers):
        refused = _refusal_of(serializer, save)
        if refused is not None:
            errors[place] = refused
    return errors


def _refusal_of(serializer: Native, save: Callable[[Native], object]) -> APIException | None:
    model = getattr(getattr(serializer, "Meta", None), "model", None)
    act = partial(refusal, serializer, save, serializer)
    if model is None:
        return act()
    return repeated(router.db_for_write(model), act, serializer.validated_data)
