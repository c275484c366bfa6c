"""The fast JSON library, used only where its result equals that of the standard library.

The one module that imports ``orjson``. Both functions raise :class:`Unfit` for a value or a text
that the library would treat in another way; the caller then takes the standard library. What
differs, and what each check costs, stands in ``docs/internals/json.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from typing import Any

import orjson

from lintel.utils.encoders import JSONEncoder

#: Deeper input is refused: whatever handles the data later recurses too.
MAX_DEPTH = 500

_INFINITY = float("inf")
_SCALARS = frozenset([str, int, bool, type(None)])
_PARSED_CONTAINERS = frozenset([dict, list])

#: A run of this many digits may be an integer of more than 64 bits, which orjson makes a float.
_LONG_NUMBER = b"0" * 19
_DIGITS_TO_ZERO = bytes.maketrans(b"123456789", b"000000000")

# What is passed through comes back to ``_convert``, which knows the form of the contract.
_OPTIONS = (
    orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)
_ENCODER = JSONEncoder()

#: The exponent of a small number, at the end of a value.
_EXPONENT = re.compile(rb"e-\d{1,3}(?:[,\]}]|\Z)")
#: How a small number begins that is written out, and what may stand before it.
_SMALL = b"0.0000"
_BEFORE_A_NUMBER = b":,[-"
_LOOKALIKES = 50


class Unfit(Exception):
    """The fast library would differ here from the standard one, or does not know the value."""


def loads(body: bytes) -> Any:
    """Read JSON in UTF-8. Raises Unfit also for malformed text: ``json`` explains it better."""
    if _LONG_NUMBER in body.translate(_DIGITS_TO_ZERO):
        raise Unfit
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise Unfit from None
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and too_deep(data):
        raise Unfit
    return data


def too_deep(data: Any) -> bool:
    """Whether lists and dicts are nested deeper than MAX_DEPTH."""
    level = [data]
    for _ in range(MAX_DEPTH + 1):
        level = [item for item in level if type(item) in _PARSED_CONTAINERS]
        if not level:
            return False
        level = list(_children(level))
    return True


def dumps(data: Any) -> bytes:
    """Compact JSON in UTF-8, byte for byte what ``JSONEncoder`` gives."""
    try:
        text = orjson.dumps(data, default=_convert, option=_OPTIONS)
    except TypeError:  # orjson.JSONEncodeError is one
        raise Unfit from None
    if _may_hold_odd_floats(text) and not _floats_fit(data):
        raise Unfit
    return escape_separators(text)


def escape_separators(text: bytes) -> bytes:
    """Escape U+2028 and U+2029, which end a line in older JavaScript."""
    # A text of ASCII alone is told at once, and most are.
    if text.isascii() or b"\xe2\x80" not in text:
        return text
    return text.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")


def _convert(value: Any) -> Any:
    """What to write for a value that orjson does not know. Raises Unfit for an odd float in it."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, dict):
        return dict(value.items())
    if isinstance(value, list | tuple):
        return list(value)
    if hasattr(value, "__next__"):
        raise Unfit  # it can be read once only, and the standard library may have to do it
    converted = _ENCODER.default(value)
    if not isinstance(converted, str) and not _floats_fit([converted]):
        raise Unfit
    return converted


def _may_hold_odd_floats(text: bytes) -> bool:
    """Whether a float may have been written in another way than Python writes it.

    NaN and the infinities became ``null``; numbers below 0.0001 are written out or have an
    exponent of one digit. The answer may be a mistaken yes: texts and None look alike.
    """
    if b"null" in text or _EXPONENT.search(text) is not None:
        return True
    # Times of day look alike, with a digit before: 08:30:00.000012. Many of them take longer to
    # tell apart than the floats of the data.
    start = text.find(_SMALL)
    for _ in range(_LOOKALIKES):
        if start <= 0 or text[start - 1] in _BEFORE_A_NUMBER:
            break
        start = text.find(_SMALL, start + 1)
    return start >= 0


def _floats_fit(data: Any) -> bool:
    """Whether both libraries write every float in ``data`` alike.

    Ends for what orjson has written, which holds no circle.
    """
    pending = [data if isinstance(data, dict | list | tuple) else (data,)]
    while pending:
        container = pending.pop()
        for item in container.values() if isinstance(container, dict) else container:
            kind = type(item)
            if kind is float:
                # NaN fails every comparison.
                if not (1e-4 <= item < _INFINITY or -_INFINITY < item <= -1e-4 or item == 0):
                    return False
            elif kind not in _SCALARS and isinstance(item, dict | list | tuple):
                pending.append(item)
    return True


def _children(level: list[Any]) -> Iterable[Any]:
    return chain.from_iterable([item.values() if type(item) is dict else item for item in level])
