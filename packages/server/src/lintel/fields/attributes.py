"""How a field finds its value on an object: keys, attributes, simple callables."""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType, MethodType
from typing import Any, TypeGuard

from django.core.exceptions import ObjectDoesNotExist

from lintel.fields.types import Native


class BuiltinSignatureError(Exception):
    """A source leads to a built-in function, whose arguments cannot be inspected."""


def is_simple_callable(obj: object) -> TypeGuard[Callable[[], Any]]:
    """Return whether this is a function or method that can be called without arguments.

    Classes and objects with ``__call__`` are values, not simple callables. Raises
    BuiltinSignatureError for a built-in function.
    """
    if not callable(obj):
        return False
    if inspect.isbuiltin(obj):
        raise BuiltinSignatureError(
            "Built-in function signatures are not inspectable. "
            "Wrap the function call in a simple, pure Python function."
        )
    if not isinstance(obj, FunctionType | MethodType | functools.partial):
        return False
    function = getattr(obj, "__func__", obj)
    if isinstance(function, FunctionType) and not function.__dict__:
        return _needs_no_arguments(function, bound=hasattr(obj, "__func__"))
    return all(
        parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        or parameter.default is not parameter.empty
        for parameter in inspect.signature(obj).parameters.values()
    )


def _needs_no_arguments(function: FunctionType, bound: bool) -> bool:
    """Do what ``inspect.signature`` does, which takes thirty times as long."""
    code = function.__code__
    required = code.co_argcount - len(function.__defaults__ or ()) - bound
    keywords = code.co_kwonlyargcount - len(function.__kwdefaults__ or ())
    return required <= 0 and keywords <= 0


def get_attribute(instance: Native, attrs: Iterable[str]) -> Native:
    """Walk ``attrs`` from ``instance``: keys of mappings, attributes of anything else.

    Simple callables on the way are called. A missing related object ends the walk with None.
    Raises KeyError or AttributeError if a step is missing, ValueError if a called function
    raised one of these itself.
    """
    for attr in attrs:
        try:
            instance = instance[attr] if isinstance(instance, Mapping) else getattr(instance, attr)
        except ObjectDoesNotExist:
            return None
        if callable(instance):
            instance = called(instance, attr)
    return instance


def called(value: object, attr: str = "") -> Native:
    if not is_simple_callable(value):
        return value
    try:
        return value()
    except (AttributeError, KeyError) as error:
        # Unchanged, these would read as "the attribute is missing".
        raise ValueError(
            f'Exception raised in callable attribute "{attr}"; original exception was: {error}'
        ) from error
