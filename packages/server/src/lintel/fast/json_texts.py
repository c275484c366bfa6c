"""JSON by the fast library, used only if its result equals that of the standard library.

For a value or a text that the library would treat differently, the plain way uses the standard
library. ``docs/internals/json.md`` lists the differences, and the cost of each check.
"""

import math
import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from operator import attrgetter, is_
from types import FunctionType
from typing import Any
from uuid import UUID

import orjson

from lintel.exceptions import ErrorDetail
from lintel.fast.plain import PLAIN, Plain
from lintel.settings import api_settings, blocks_without, is_off
from lintel.utils.encoders import JSONEncoder
from lintel.utils.json import MAX_DEPTH, escape_separators, too_deep
from lintel.utils.serializer_helpers import ReturnDict, ReturnList

_INFINITY = float("inf")
_SCALARS = frozenset([str, int, bool, type(None)])
_CONTAINERS = (dict, list, tuple)
#: From this number of rows on it is faster to check them by column.
_MANY = 8
#: Bytes of text per value of a row from which on it is faster to check the values.
_WORDY = 20
#: Up to this size, searching the text is faster than checking its rows.
_SHORT = 2048

#: This many digits may be an integer of more than 64 bits, which orjson turns into a float.
_LONG_NUMBER = b"0" * 19
_DIGITS_TO_ZERO = bytes.maketrans(b"123456789", b"000000000")

# These types are passed to ``_convert``, which knows the form of the contract.
_OPTIONS = (
    orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)
_ENCODER = JSONEncoder()

#: The exponent of a small number, at the end of a value.
_EXPONENT = re.compile(rb"e-\d{1,3}(?:[,\]}]|\Z)")
#: The start of a small number without exponent, and what may precede it.
_SMALL = b"0.0000"
_BEFORE_A_NUMBER = b":,[-"
_LOOKALIKES = 50


#: Types that are written without calling methods of a project.
_KNOWN = frozenset(
    [datetime, date, time, timedelta, Decimal, UUID, ErrorDetail, ReturnDict, ReturnList]
)


#: Everything that affects the output of an encoder.
_methods_of = attrgetter("__init__", "default", "encode", "iterencode")


def _is_original(method: object) -> bool:
    return type(method) is FunctionType and method.__globals__["__name__"] in _MODULES


_MODULES = ("json.encoder", JSONEncoder.__module__)

#: None for one that had been replaced before: it is called.
_METHODS = [method if _is_original(method) else None for method in _methods_of(JSONEncoder)]


def _may_replace(encoder: object) -> bool:
    """Return whether an encoder is ours, with its original methods and those of the library."""
    # By identity: a proxy of the project may be equal to the function that it wraps.
    is_same = encoder is JSONEncoder and all(map(is_, _methods_of(JSONEncoder), _METHODS))
    return is_same and not blocks_without and bool(api_settings.SHORTCUTS)


class Unfit(Exception):
    """The fast library would differ from the standard one here, or does not support the value."""


def parsed(body: bytes) -> object:
    """Return the value of JSON in UTF-8; PLAIN also for errors, which ``json`` explains better."""
    if _may_hold_long_numbers(body) or is_off():
        return PLAIN
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError:
        return PLAIN
    return PLAIN if _may_be_deep(body) and too_deep(data) else data


def _may_hold_long_numbers(body: bytes) -> bool:
    # Of 19 digits in a row, four are at every fourth place: few bodies have to be read whole.
    places = body[::4].translate(_DIGITS_TO_ZERO)
    return b"0000" in places and _LONG_NUMBER in body.translate(_DIGITS_TO_ZERO)


def _may_be_deep(body: bytes) -> bool:
    """Return whether brackets that open, each of which is closed, are enough for the depth."""
    if len(body) <= 2 * MAX_DEPTH:
        return False
    # What is replaced is found by the C library; count() compares each byte.
    rest = len(body.replace(b"[", b"")) + len(body.replace(b"{", b""))
    return 2 * len(body) - rest > MAX_DEPTH


def text(data: object, encoder: object = JSONEncoder) -> bytes | Plain:
    """Return compact JSON in UTF-8, byte for byte what the encoder gives; PLAIN for another."""
    if not _may_replace(encoder):
        return PLAIN
    try:
        # orjson asks ``_convert`` for a ReturnDict, and most data are one.
        text = _encoded(dict(data) if type(data) is ReturnDict else data)
        is_wordy = len(text) > _SHORT and _is_wordy(data, text)
        searched = is_wordy or _may_hold_odd_floats(text, data)
        odd = _odd_floats(data) if searched else []
        if odd:
            if not all(map(math.isfinite, odd)):
                return PLAIN
            text = _encoded(_spelled(data))
    except Unfit:
        return PLAIN
    return text if text.isascii() else escape_separators(text)


def known_text(data: object) -> bytes | Plain:
    """Return the data as JSON if no code of a project, not even of a lazy object, is involved."""
    try:
        return orjson.dumps(data, default=_convert_known, option=_OPTIONS)
    except TypeError:
        return PLAIN


def knows(data: object, encoder: object) -> bool:
    """Return whether ``text`` runs no code of a project; the values are not written."""
    if not _may_replace(encoder):
        return False
    try:
        orjson.dumps(data, default=_stand_in, option=_OPTIONS)
    except TypeError:
        return False
    return True


def _stand_in(value: object) -> object:
    # Only types count, and orjson goes through them faster than a loop.
    if type(value) not in _KNOWN:
        raise TypeError
    if isinstance(value, dict):
        return dict(value)
    return list(value) if isinstance(value, list) else None


def _convert_known(value: object) -> object:
    kind = type(value)
    # By its type: a lazy object asks code of the project when isinstance() asks for its class.
    if kind not in _KNOWN and not issubclass(kind, str):
        raise TypeError
    return _convert(value)


def _encoded(data: object) -> bytes:
    try:
        return orjson.dumps(data, default=_convert, option=_OPTIONS)
    except TypeError:  # orjson.JSONEncodeError is one
        raise Unfit from None


def _convert(value: object) -> object:
    """Return what to write for a type unknown to orjson. Raises Unfit for an odd float in it."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, dict):
        return dict(value.items())
    if isinstance(value, list | tuple):
        return list(value)
    if hasattr(value, "__next__"):
        raise Unfit  # it can be read only once, and the standard library may have to do that
    converted = _ENCODER.default(value)
    if not isinstance(converted, str) and _odd_floats(converted):
        raise Unfit
    return converted


def _is_wordy(data: object, text: bytes) -> bool:
    """Return whether rows have so much text that it is faster to check their values."""
    members = data.values() if isinstance(data, dict) else [data]
    lists = [member for member in members if isinstance(member, list) and member]
    rows = lists[0] if lists else [None]
    first = rows[0]
    return type(first) is dict and len(text) > _WORDY * len(rows) * len(first)


def _may_hold_odd_floats(text: bytes, data: object) -> bool:
    """Return whether a float may be written differently from Python.

    NaN and the infinities became ``null``; numbers below 0.0001 are written out or have an
    exponent of one digit. May be true by mistake: some texts and None inside of rows look alike.
    """
    nulls = text.count(b"null")
    if nulls and nulls != _count_of_none(data):
        return True
    if b"e-" in text and _EXPONENT.search(text) is not None:
        return True
    # Times of day look alike, with a digit before: 08:30:00.000012.
    start = text.find(_SMALL)
    for _ in range(_LOOKALIKES):
        if start <= 0 or text[start - 1] in _BEFORE_A_NUMBER:
            break
        start = text.find(_SMALL, start + 1)
    return start >= 0


def _count_of_none(data: object) -> int:
    """Return how many entries of the outermost object, such as the links of a page, are None."""
    if type(data) is not dict and type(data) is not ReturnDict:
        return 0
    return sum([value is None for value in data.values()])


def _odd_floats(data: object) -> list[float]:
    """Return the floats in ``data`` that the two libraries write differently.

    Terminates for anything that orjson has written, because it has no cycles.
    """
    odd: list[float] = []
    level = [data]
    while level:
        floats = [value for value in level if type(value) is float]
        # NaN fails every comparison.
        odd += [
            value
            for value in floats
            if not (1e-4 <= value < _INFINITY or -_INFINITY < value <= -1e-4 or value == 0)
        ]
        if len(floats) == len(level):
            break
        containers = [value for value in level if isinstance(value, _CONTAINERS)]
        has_others = len(floats) + len(containers) < len(level)
        # orjson writes the values of members without asking.
        values = [item.value for item in level if isinstance(item, Enum)] if has_others else []
        level = values + _members(containers)
    return odd


def _members(containers: list[Any]) -> list[object]:
    if len(containers) >= _MANY and set(map(type, containers)) == {dict}:
        with suppress(ValueError):  # rows of different lengths
            columns = list(zip(*map(dict.values, containers), strict=True))
            mixed = [column for column in columns if not _SCALARS.issuperset(map(type, column))]
            return [value for column in mixed for value in column if type(value) not in _SCALARS]
    return [
        value
        for container in containers
        for value in _values(container)
        if type(value) not in _SCALARS
    ]


def _values(container: Any) -> Iterable[object]:
    if type(container) is dict:
        return container.values()
    # The entries that a subclass yields are what is written.
    return [value for _, value in container.items()] if isinstance(container, dict) else container


def _spelled(value: Any) -> object:
    kind = type(value)
    if kind is float:
        is_small = -1e-4 < value < 1e-4 and value
        return orjson.Fragment(float.__repr__(value).encode()) if is_small else value
    if kind in _SCALARS or not isinstance(value, _CONTAINERS):
        return value
    if isinstance(value, dict):
        return {key: _spelled(item) for key, item in value.items()}
    return [_spelled(item) for item in value]
