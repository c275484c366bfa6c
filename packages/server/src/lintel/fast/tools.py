"""What the shortcuts need of the layers above, which lend it once when they are imported."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lintel.fast.compiler.protocols import (
    AnyField,
    CompiledField,
    CompiledSerializer,
    Errors,
    Fields,
    Values,
)


@dataclass(frozen=True, slots=True)
class Tools:
    """Classes and functions of fields and serializers.

    ``field`` is the base of all fields, ``prototype`` makes a serializer of a class without code of
    the project, ``known_names`` returns the keys that input for some fields may have. Copies of
    fields share defaults of ``shared_defaults`` and have validators of ``own_validators`` for
    themselves; ``remade`` copies a validator. ``fail_missing`` raises the error of
    a relation for a key that no object has; ``key_at_url`` returns the key in a URL of a relation,
    or raises ValueError.

    ``empty`` marks absent input, ``skip`` is raised to omit a field, ``error`` to reject
    input; ``represent`` turns an attribute into a primitive unless it is None or a key of None.

    ``plain(serializer, instance)`` reads without generated text, and ``validate`` validates a
    dict; both go on with given values and the fields of given names. ``check`` validates one field
    without generated text, ``store`` passes an accepted value to ``validate_<field>``; both fill
    the values or the errors. ``forbids_unknown`` and ``is_partial`` consider the outer serializers
    as well.
    ``stored(serializer, name, instance)`` reads one attribute through its field; ``absent`` does
    so after a first attempt failed, without a second one. ``check_whole`` runs what concerns all
    values of an input; ``makes_usual_lists`` tells whether ``many=True`` makes a ListSerializer
    whose items the project does not see.
    """

    field: type
    prototype: Callable[[type], AnyField]
    known_names: Callable[[Fields], frozenset[str]]
    shared_defaults: tuple[type, ...]
    own_validators: tuple[type, ...]
    remade: Callable[[Any], object]
    fail_missing: Callable[[AnyField, object], object]
    key_at_url: Callable[[AnyField, object], object]
    empty: object
    skip: type[Exception]
    error: type[Exception]
    represent: Callable[[CompiledField, object], object]
    plain: Callable[..., object]
    validate: Callable[..., object]
    check: Callable[[CompiledSerializer, str, object, Values, Errors], None]
    store: Callable[[CompiledSerializer, str, object, Values, Errors], None]
    refuse_unknown: Callable[[CompiledSerializer, Mapping[str, object], Errors], None]
    forbids_unknown: Callable[[CompiledSerializer], bool]
    is_partial: Callable[[CompiledSerializer], bool]
    stored: Callable[[CompiledSerializer, str, object], object]
    check_whole: Callable[[AnyField, object], object]
    makes_usual_lists: Callable[[type], bool]
    absent: Callable[[CompiledSerializer, str, object, Exception], object]


#: Set before anything is used.
lent: Tools


def lend(tools: Tools) -> None:
    """Set the tools. Called by :mod:`lintel.serializers`."""
    global lent
    lent = tools
