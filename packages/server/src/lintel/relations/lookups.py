"""Looking up one related object by a key of any kind and size."""

from decimal import Decimal
from functools import singledispatch
from typing import Any, NoReturn

from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import DataError

from lintel import fast
from lintel.composite_keys import column_behind, parsed_key, parts_of
from lintel.fields.base import Field, get_error_detail
from lintel.fields.special import MAX_DIGITS
from lintel.fields.types import Native


def sole_object(queryset: object, name: str, key: object) -> Native:
    """Raises what ``get`` raises; ValueError or OverflowError for what cannot be looked up."""
    if isinstance(key, Decimal) and key.is_finite() and key.adjusted() > MAX_DIGITS:
        raise ValueError("This number takes too long to write out.")
    try:
        return _get(queryset, name, key)
    except (ArithmeticError, DataError, RecursionError) as error:
        # Numbers out of range, text that a database cannot hold, nested containers.
        raise ValueError(f"A {type(key).__name__} like this cannot be looked up.") from error


def _get(queryset: object, name: str, key: object) -> Native:
    try:
        if name == "pk" and parts_of(getattr(queryset, "model", None)):
            key = _whole_key(queryset, key)
        return fast.row(queryset, name, key)
    except DjangoValidationError as error:
        # Formatting the message converts the key to text, which fails for some keys.
        get_error_detail(error)
        raise


def _whole_key(queryset: Any, key: object) -> object:
    """Return a composite key as a lookup takes it; ValueError for anything else."""
    key = parsed_key(queryset.model, key)
    columns = parts_of(queryset.model)
    if not isinstance(key, list | tuple) or len(key) != len(columns):
        raise ValueError(f"A key of {len(columns)} parts is needed.")
    return tuple(
        column_behind(column).to_python(part) for column, part in zip(columns, key, strict=True)
    )


@singledispatch
def fail_missing(field: Field, key: object) -> NoReturn:
    field.fail("does_not_exist")
