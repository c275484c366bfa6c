"""Which validators the copies of a template field share, and which each copy has for itself.

Making a field anew makes the validators of its limits anew, so that a serializer may change
those of its fields. Validators that were passed to a declared field or belong to a column are
shared by all serializers; those in ``Meta.extra_kwargs`` are copied for each.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from lintel.fast.compiler.protocols import Fields
from lintel.fast.compiler.validator_expressions import is_inlined
from lintel.fast.field_templates import inside
from lintel.fast.tools import lent

#: A validator of a template field, and how each copy of the field gets its own.
Made = tuple[Any, Callable[[Any], Any]]


def settle_validators(owner: Any, fields: Fields) -> list[Any]:
    """Record in template fields how their validators are copied.

    Return those of the project whose values generated text contains.
    """
    found: list[Any] = []
    extra_kwargs = getattr(getattr(owner, "Meta", None), "extra_kwargs", None) or {}
    for name, field in fields.items():
        if name in owner._declared_fields:
            _settle(field, {})
        else:
            _settle(field, _originals(field, extra_kwargs.get(name, {})), lent().own_validators)
        made: tuple[Made, ...] = field.__dict__.get("_lintel_validators", ())
        found += [one for one, how in made if how is not lent().remade and is_inlined(one)]
    return found


def _settle(field: Any, originals: dict[int, Any], owned: tuple[type, ...] = ()) -> None:
    state = field.__dict__
    for member in inside(field):
        _settle(member, {}, owned)
    if type(state.get("_validators")) is list:
        given = {id(one) for one in _given(field) if type(one) not in owned}
        state["_lintel_validators"] = tuple(
            _made(one, originals, given) for one in state.pop("_validators")
        )


def _given(field: Any) -> Iterator[Any]:
    """Yield the validators that the field did not make by itself."""
    yield from field.default_validators
    passed = field._kwargs.get("validators", ())
    yield from passed if isinstance(passed, list | tuple) else field.__dict__["_validators"]


def _made(validator: Any, originals: dict[int, Any], given: set[int]) -> Made:
    if id(validator) in originals:
        return originals[id(validator)], copy.deepcopy
    is_shared = id(validator) in given or type(validator) is FunctionType
    return validator, (_shared if is_shared else lent().remade)


def _shared(validator: Any) -> Any:
    return validator


def _originals(field: Any, extra: Any) -> dict[int, Any]:
    """Return the validators in ``extra_kwargs`` by the identity of their copies."""
    passed, given = field._kwargs.get("validators"), extra.get("validators")
    if not (isinstance(passed, list | tuple) and isinstance(given, list | tuple)):
        return {}
    return {id(one): original for one, original in zip(passed, given, strict=False)}
