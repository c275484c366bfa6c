"""Values that only one row may have, and several items of one input do."""

from collections.abc import Hashable, Iterator

from lintel.exceptions import ValidationError
from lintel.fields.types import Native
from lintel.serializers.related_keys import fields_inside
from lintel.serializers.types import Options
from lintel.settings import api_settings
from lintel.validators import (
    UNIQUE_FOR_PERIODS,
    UniqueTogetherValidator,
    UniqueValidator,
    value_in_period,
    values_together,
)


def repetition(serializer: Native, values: Options, seen: set[Hashable]) -> ValidationError | None:
    """Return the error of an item with values that one before it has.

    Otherwise add its own to ``seen``: an item with an error is not written, and excludes no other.

    ``values``: the validated ones of the item; the instance of the serializer has the others.
    """
    errors: Options = {}
    identities: set[Hashable] = set()
    for rule, where, error in _identities(serializer, values):
        try:
            identities.add(rule)
            if rule in seen:
                errors.setdefault(where, error)
        except TypeError:
            continue  # values of the project that cannot be compared
    if errors:
        return ValidationError({name: error.detail for name, error in errors.items()})
    seen |= identities
    return None


def _identities(
    serializer: Native, values: Options
) -> Iterator[tuple[Hashable, str, ValidationError]]:
    for field in fields_inside(serializer):
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
    yield from _identities_in_periods(serializer, values)


def _identities_in_periods(
    serializer: Native, values: Options
) -> Iterator[tuple[Hashable, str, ValidationError]]:
    for validator in getattr(serializer, "validators", ()):
        if type(validator) in UNIQUE_FOR_PERIODS:
            rule = value_in_period(validator, values, serializer)
            if rule is not None:
                text = validator.message.format(date_field=validator.date_field)
                yield rule, validator.field, ValidationError([text], code="unique")
