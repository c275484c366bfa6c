"""Validators as expressions: for some exact classes, the test that valid values pass.

A validator of any other class may do anything, so its field takes the plain path.
"""

import re
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import TypeVar

from django.core import validators
from django.core.exceptions import ValidationError

from lintel.fast.compiler.plan import Validator
from lintel.marks import inlinable_as
from lintel.trust.originals import reaches_django
from lintel.trust.source import Source
from lintel.utils.encoders import is_encodable

ValidatorT = TypeVar("ValidatorT")

#: The expression for a validator of one class; None if it depends on more than the value.
Check = Callable[[Source, ValidatorT, str], "str | None"]

#: Attributes that a validator's class may look up on itself.
VALIDATOR_METHODS = ("__call__", "compare", "clean")


def checks(source: Source, called: Iterable[Validator], value: str) -> list[str] | None:
    """Return one expression per validator, in order; None if one of them is unknown."""
    tests = [_check(source, validator, value) for validator in called]
    inlined = [test for test in tests if test is not None]
    return inlined if len(inlined) == len(tests) else None


def _check(source: Source, validator: Callable[[object], object], value: str) -> str | None:
    mark = inlinable_as(type(validator), "__call__")
    if mark is not None and mark.kind == "no_surrogates":
        text = _as_text(value)
        return f"({text}.isascii() or {source.bind('is_encodable', is_encodable)}({text}))"
    check = CHECKS.get(type(validator))
    if check is not None:
        return check(source, validator, value) if _compares_as_django(validator) else None
    # The globals of a function: a wrapper copies the name of its module.
    is_function = isinstance(validator, FunctionType)
    home = validator.__globals__ if is_function else {"__name__": type(validator).__module__}
    if home.get("__name__") == validators.__name__:  # Django's own: depends only on its value
        name = getattr(validator, "__name__", type(validator).__name__)
        return f"{source.bind('passes', passes)}({source.bind(name, validator)}, {value})"
    return None


def _compares_as_django(validator: object) -> bool:
    """Return whether nobody has replaced a method, of the object or of its class."""
    kind = type(validator)
    methods = [name for name in VALIDATOR_METHODS if hasattr(kind, name)]
    return vars(validator).keys().isdisjoint(VALIDATOR_METHODS) and reaches_django(kind, *methods)


def passes(validator: Callable[[object], object], value: object) -> bool:
    try:
        validator(value)
    except ValidationError:
        return False
    return True


def _limit(text: str) -> Check[validators.BaseValidator]:
    def check(source: Source, validator: validators.BaseValidator, value: str) -> str | None:
        if callable(validator.limit_value):
            return None
        return text.format(value=value, limit=source.bind("limit", validator.limit_value))

    return check


def _no_null(source: Source, validator: object, value: str) -> str:
    return f'"\\0" not in {_as_text(value)}'


def _regex(source: Source, validator: validators.RegexValidator, value: str) -> str | None:
    if not isinstance(validator.regex, re.Pattern):  # the validator compiled it when it was made
        return None
    search = source.bind("search", validator.regex.search)
    test = "is None" if validator.inverse_match else "is not None"
    return f"{search}({_as_text(value)}) {test}"


def _as_text(value: str) -> str:
    """Return the expression for ``str(value)``; an f-string hands on text without a call."""
    return f'f"{{{value}!s}}"' if value.isidentifier() else f"str({value})"


#: By class of the validator: texts contain its values in place of a call.
CHECKS: dict[type, Check] = {
    validators.MaxLengthValidator: _limit("len({value}) <= {limit}"),
    validators.MinLengthValidator: _limit("len({value}) >= {limit}"),
    validators.MaxValueValidator: _limit("{value} <= {limit}"),
    validators.MinValueValidator: _limit("{value} >= {limit}"),
    validators.ProhibitNullCharactersValidator: _no_null,
    validators.RegexValidator: _regex,
}
