"""``Meta.full_clean``: what the model itself says about values, as errors of the serializer.

Django calls ``Model.full_clean()`` for forms only. Here it is called with a copy of the object
that holds the validated values, and without the columns that the serializer does not write: their
values may still come from ``save(owner=...)``.
"""

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS, FieldDoesNotExist
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db.models import Model
from django.db.models.expressions import DatabaseDefault

from lintel import fast
from lintel.exceptions import ValidationError
from lintel.fields.base import detail_for
from lintel.serializers.types import AnySerializer, Errors, ReadValues, Values
from lintel.settings import api_settings


def cleaned(serializer: AnySerializer, values: Values) -> Values:
    """The values, with what ``clean()`` has changed. Raises ValidationError by field."""
    model = serializer.Meta.model
    stored = stored_row(serializer)
    candidate = candidate_of(model, stored, values)
    before = dict(vars(candidate))
    written = {name for name in values if name in _columns(model)}
    # Which row a part of an existing object is, is unknown: it would be its own duplicate.
    has_rules = stored is not None or getattr(serializer.root, "instance", None) is None
    errors = _errors_of(candidate, _others(model, written), stored, has_rules)
    if errors:
        raise ValidationError(named_by_field(serializer, errors))
    return _with_changes(candidate, before, values)


def stored_row(serializer: AnySerializer) -> Model | None:
    row = serializer.instance
    return row if isinstance(row, serializer.Meta.model) else None


def candidate_of(model: type[Model], stored: Model | None, values: ReadValues) -> Model:
    """The object that would be stored, without relations to many and nested input."""
    candidate = model() if stored is None else _twin(stored)
    names = _columns(model)
    for name, value in values.items():
        field = names.get(name)
        if field is not None and not (field.is_relation and isinstance(value, dict | list)):
            setattr(candidate, name, value)
    return candidate


def _twin(row: Model) -> Model:
    """A copy whose changes the row does not see; pickling would look its class up."""
    twin = row.__class__.__new__(row.__class__)
    vars(twin).update(vars(row))
    twin._state = copy.copy(row._state)
    twin._state.fields_cache = dict(row._state.fields_cache)
    return twin


def _columns(model: type[Model]) -> dict[str, Any]:
    # Private fields are relations to rows of any model.
    return {field.name: field for field in (*model._meta.fields, *model._meta.private_fields)}


def _others(model: type[Model], written: Iterable[str]) -> set[str]:
    return {field.name for field in model._meta.fields}.difference(written)


def _errors_of(
    candidate: Model, unwritten: set[str], stored: Model | None, has_rules: bool
) -> dict[str, list[Any]]:
    errors: dict[str, list[Any]] = {}
    names = set() if stored is not None else unwritten
    names |= candidate.get_deferred_fields()
    try:
        candidate.full_clean(exclude=unwritten, validate_unique=False, validate_constraints=False)
    except DjangoValidationError as error:
        _collect(errors, error)
    # As Django does: a value with an error takes part in no rule.
    left_out = names | errors.keys()
    for rule in (candidate.validate_unique, candidate.validate_constraints) if has_rules else ():
        try:
            rule(exclude=left_out)
        except DjangoValidationError as error:
            _collect(errors, error)
    return errors


def _collect(errors: dict[str, list[Any]], error: DjangoValidationError) -> None:
    by_field = getattr(error, "error_dict", None) or {NON_FIELD_ERRORS: error.error_list}
    for name, messages in by_field.items():
        errors.setdefault(name, []).extend(messages)


def named_by_field(serializer: AnySerializer, errors: Mapping[str, list[Any]]) -> Errors:
    """Return errors of a model by the names of fields; of columns not shown, as the whole's."""
    fields = {shown.source: shown for shown in fast.current_fields(serializer).values()}
    named: Errors = {}
    for source, messages in errors.items():
        field = fields.get(source)
        name = api_settings.NON_FIELD_ERRORS_KEY
        if field is not None and field.is_exchanged:
            name = field.field_name
        details = detail_for(field, DjangoValidationError(messages))
        named.setdefault(name, []).extend(details)
    return named


def _with_changes(candidate: Model, before: ReadValues, values: Values) -> Values:
    changed: Values = {}
    for name, value in vars(candidate).items():
        if name in before and (value is before[name] or value == before[name]):
            continue
        try:
            field: Any = candidate._meta.get_field(name)
        except FieldDoesNotExist:
            continue
        if field.concrete and not isinstance(value, DatabaseDefault):
            changed[field.name] = getattr(candidate, field.name)
    return {**values, **changed} if changed else values
