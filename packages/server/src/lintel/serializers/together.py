"""Many objects of one serializer class: validated with few queries, saved by few statements.

Each object has a serializer of its own, with its own input and, in an update, its own instance. An
error belongs to its object: what an input breaks, alone or together with the others, and what the
database refuses.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack

from django.core.exceptions import PermissionDenied
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import IntegrityError, router, transaction
from django.db.models import ProtectedError, RestrictedError
from django.http import Http404

from lintel import fast, status
from lintel.exceptions import APIException, NotFound, ValidationError
from lintel.exceptions import PermissionDenied as APIPermissionDenied
from lintel.fields import Field
from lintel.fields.types import Native
from lintel.serializers.nested_writes import raise_errors_on_nested_writes
from lintel.serializers.related_keys import Related, related_of, related_values
from lintel.serializers.storing import (
    are_columns,
    can_insert,
    insert,
    stores_together,
    update,
)
from lintel.serializers.types import Options
from lintel.serializers.uniqueness import broken_rules
from lintel.settings import api_settings
from lintel.validators import UniqueTogetherValidator, UniqueValidator, values_together

#: The errors of objects by their position.
Errors = dict[int, APIException]


# ---- validation ----


def check_together(serializers: Sequence[Native]) -> Errors:
    """Validate the input of each; return the errors of those that are invalid."""
    errors: Errors = {}
    with known_together(serializers, [each.initial_data for each in serializers]):
        for position, each in enumerate(serializers):
            try:
                each.is_valid(raise_exception=True)
            except ValidationError as error:
                errors[position] = error
    valid = [place for place in range(len(serializers)) if place not in errors]
    for place, repeated in _repeated([serializers[each] for each in valid]).items():
        errors[valid[place]] = repeated
    return errors


def known_together(
    serializers: Sequence[Native], rows: Sequence[object]
) -> AbstractContextManager[object]:
    """Return a context in which related keys and unique values in the rows are known."""
    stack = ExitStack()
    if len(serializers) > 1:
        for one in _known_keys(serializers, rows):
            stack.enter_context(one)
        for validator, name, values in _unique_values(serializers[0], rows):
            stack.enter_context(fast.prefetch_unique_values(validator.queryset, name, values))
    return stack


def _known_keys(
    serializers: Sequence[Native], rows: Sequence[object]
) -> Iterator[AbstractContextManager[object]]:
    first = related_of(_fields_of(serializers[0]))
    if not first:
        return
    places = [list(_flat(related_of(_fields_of(each)))) for each in serializers]
    if len(set(map(len, places))) > 1:
        return  # code of the project gives each other fields
    for number, (field, values) in enumerate(related_values(first, rows)):
        twins = [place[number] for place in places]
        yield fast.prefetch_keys(field, values, twins)


def _fields_of(serializer: Native) -> Iterable[Field]:
    try:
        return fast.current_fields(serializer).values()
    except Exception:  # of the project: that error counts where it is made
        return ()


def _flat(related: Related) -> Iterator[Field]:
    yield from (getattr(one, "child", None) or one for one in related.keys)
    for _, inside in related.nested:
        yield from _flat(inside)


def _unique_values(
    serializer: Native, rows: Iterable[object]
) -> Iterator[tuple[UniqueValidator, str, list[object]]]:
    dicts = [row for row in rows if type(row) is dict]
    for field in _fields_of(serializer):
        converts = fast.conversion(field, "to_internal_value") is not None
        if field.read_only or not converts:
            continue
        for validator in field.validators:
            if type(validator) is UniqueValidator and len(field.source_attrs) == 1:
                yield validator, field.source_attrs[0], list(_converted(field, dicts))


def _converted(field: Field, rows: Iterable[Options]) -> Iterator[object]:
    for row in rows:
        if field.field_name in row:
            try:
                yield field.to_internal_value(row[field.field_name])
            except (ValidationError, DjangoValidationError, TypeError, ValueError):
                continue


# ---- duplicates among the objects ----


def _repeated(serializers: Sequence[Native]) -> Errors:
    """Return errors of objects that have the same values as one before them, where one may."""
    errors: Errors = {}
    seen: set[Hashable] = set()
    for place, each in enumerate(serializers):
        found: Options = {}
        for rule, where, error in _identities(each):
            try:
                if rule in seen:
                    found.setdefault(where, error)
                seen.add(rule)
            except TypeError:
                continue  # values of the project that cannot be compared
        if found:
            errors[place] = ValidationError({name: error.detail for name, error in found.items()})
    return errors


def _identities(serializer: Native) -> Iterator[tuple[Hashable, str, ValidationError]]:
    values = serializer.validated_data
    if not isinstance(values, dict):
        return
    for field in _fields_of(serializer):
        if field.read_only or field.source not in values or values[field.source] is None:
            continue
        for validator in field.validators:
            if type(validator) is UniqueValidator:
                value = values[field.source]
                if validator.lookup.startswith("i") and isinstance(value, str):
                    value = value.casefold()
                rule = field.source, validator.lookup, value
                yield rule, field.field_name, ValidationError([validator.message], "unique")
    yield from _joint_identities(serializer, values)


def _joint_identities(
    serializer: Native, values: Options
) -> Iterator[tuple[Hashable, str, ValidationError]]:
    for validator in getattr(serializer, "validators", ()):
        if type(validator) is not UniqueTogetherValidator or validator.condition is not None:
            continue
        held = values_together(validator.fields, values, serializer)
        if validator.nulls_distinct is not False and None in held.values():
            continue
        if held:
            text = validator.message.format(field_names=", ".join(validator.fields))
            error = ValidationError([text], code=validator.code)
            yield tuple(held.items()), api_settings.NON_FIELD_ERRORS_KEY, error


# ---- saving ----


def save_together(serializers: Sequence[Native], values: Options) -> Errors:
    """Save the object of each valid serializer, with more values; return the errors of some.

    One statement saves all of them if no code of the project takes part. Those that the database
    refuses are saved one at a time, each in a savepoint, so that each error has its object.
    """
    if len(serializers) > 1 and _can_save_together(serializers, values):
        model = serializers[0].Meta.model
        try:
            with transaction.atomic(using=router.db_for_write(model)):
                _save_all(model, serializers, values)
            return {}
        except (IntegrityError, TypeError):
            pass
    return save_each(serializers, lambda each: each.save(**values))


def _can_save_together(serializers: Sequence[Native], values: Options) -> bool:
    first = serializers[0]
    if not stores_together(first) or any(type(each) is not type(first) for each in serializers):
        return False
    model = first.Meta.model
    if first.instance is None:
        return can_insert(model)
    databases = {router.db_for_write(model, instance=each.instance) for each in serializers}
    names = {name for each in serializers for name in {**each.validated_data, **values}}
    return len(databases) == 1 and are_columns(model, names)


def _save_all(model: Native, serializers: Sequence[Native], values: Options) -> None:
    wanted = [{**each.validated_data, **values} for each in serializers]
    for each, own in zip(serializers, wanted, strict=True):
        name = "create" if each.instance is None else "update"
        raise_errors_on_nested_writes(name, each, own)
    if serializers[0].instance is not None:
        update(model, [each.instance for each in serializers], wanted)
        return
    for each, instance in zip(serializers, insert(model, wanted), strict=True):
        each.instance = instance


def save_each(serializers: Sequence[Native], save: Callable[[Native], object]) -> Errors:
    """Save one at a time; return the errors of those that are refused, and of which no row is."""
    errors: Errors = {}
    for place, each in enumerate(serializers):
        refused = refusal(each, save, each)
        if refused is not None:
            errors[place] = refused
    return errors


def refusal(serializer: Native, act: Callable[..., object], *args: object) -> APIException | None:
    """Call ``act(*args)`` in a savepoint; return the error of the input, if there is one.

    What the database refuses because of the values is one. Raises what is none: IntegrityError.
    """
    model = getattr(getattr(serializer, "Meta", None), "model", None)
    instance = getattr(serializer, "instance", None)
    try:
        with transaction.atomic(using=None if model is None else router.db_for_write(model)):
            act(*args)
    except APIException as error:
        return error
    except Http404 as error:
        return NotFound(*error.args)
    except PermissionDenied as error:
        return APIPermissionDenied(*error.args)
    except (ProtectedError, RestrictedError) as error:
        return _in_use(error)
    except IntegrityError as error:
        details = {} if model is None else broken_rules(serializer, instance, error)
        if not details:
            raise
        return ValidationError(details)
    return None


def _in_use(error: Exception) -> APIException:
    conflict = ValidationError("Other objects refer to this one.", code="protected")
    conflict.status_code = status.HTTP_409_CONFLICT
    return conflict
