"""The fast JSON library, used only where its result equals that of the standard library.

The one module that imports ``orjson``. Both functions raise :class:`Unfit` for a value or a text
that the library would treat in another way; the caller then takes the standard library. What
differs, and what each check costs, stands in ``docs/internals/json.md``.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import ipaddress
import uuid
from collections.abc import Iterable, Mapping
from itertools import chain
from operator import attrgetter
from typing import Any
from zoneinfo import ZoneInfo

import orjson
from django.utils.functional import Promise

from lintel.utils.encoders import JSONEncoder

#: Deeper input is refused: whatever handles the data later recurses too.
MAX_DEPTH = 500

#: A run of this many digits may be an integer of more than 64 bits, which orjson makes a float.
_LONG_NUMBER = b"0" * 19
_DIGITS_TO_ZERO = bytes.maketrans(b"123456789", b"000000000")

_OPTIONS = orjson.OPT_UTC_Z | orjson.OPT_PASSTHROUGH_DATACLASS
_ENCODER = JSONEncoder()

# How the library writes the values of a type.
_PLAIN, _FLOAT, _MOMENT, _TIME, _MAPPING, _SEQUENCE, _UNFIT = range(7)
_CONTAINERS = (_MAPPING, _SEQUENCE)

#: Types written as they are, or by the ``default`` of the encoder.
_PLAIN_TYPES = frozenset(
    [
        type(None),
        datetime.date,
        datetime.timedelta,
        decimal.Decimal,
        uuid.UUID,
        bytes,
        ipaddress.IPv4Address,
        ipaddress.IPv6Address,
        ipaddress.IPv4Network,
        ipaddress.IPv6Network,
    ]
)


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
        level = [item for item in level if isinstance(item, dict | list)]
        if not level:
            return False
        level = list(_children(level))
    return True


def dumps(data: Any) -> bytes:
    """Compact JSON in UTF-8, byte for byte what ``JSONEncoder`` gives."""
    _check(data)
    try:
        text = orjson.dumps(data, default=_convert, option=_OPTIONS)
    except TypeError:  # orjson.JSONEncodeError is one
        raise Unfit from None
    return escape_separators(text)


def escape_separators(text: bytes) -> bytes:
    """Escape U+2028 and U+2029, which end a line in older JavaScript."""
    if b"\xe2\x80" not in text:
        return text
    return text.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")


def _convert(value: Any) -> Any:
    converted = _ENCODER.default(value)
    if type(converted) is float and not _is_plain_float(converted):
        raise Unfit
    return converted


def _check(data: Any) -> None:
    """Raise Unfit unless every value in ``data`` is written as it has to be.

    Goes level by level and looks at types rather than values, so that a level of a thousand rows
    takes a few passes at the speed of C.
    """
    level = [data]
    seen: set[int] = set()
    while level:
        kinds = {kind: _kind_code(kind) for kind in set(map(type, level))}
        codes = kinds.values()
        if _UNFIT in codes:
            raise Unfit
        if _FLOAT in codes and not all(map(_is_plain_float, _of_type(level, float))):
            raise Unfit
        if _MOMENT in codes and not _are_plain_moments(_of_type(level, datetime.datetime)):
            raise Unfit
        # orjson 3.13 drops the leading zero of hundredths of a second, in times alone.
        if _TIME in codes and any(value.microsecond for value in _of_type(level, datetime.time)):
            raise Unfit
        level = _containers(level, kinds)
        ids = set(map(id, level))
        if not seen.isdisjoint(ids):  # may be a circle
            raise Unfit
        seen |= ids
        level = list(_children(level))


def _containers(level: list[Any], kinds: Mapping[type, int]) -> list[Any]:
    wanted = {kind for kind, code in kinds.items() if code in _CONTAINERS}
    if len(wanted) == len(kinds):
        return level
    return [item for item in level if type(item) in wanted] if wanted else []


def _children(level: list[Any]) -> Iterable[Any]:
    if all(isinstance(item, dict) for item in level):
        return chain.from_iterable(map(dict.values, level))
    return chain.from_iterable(item.values() if isinstance(item, dict) else item for item in level)


def _of_type(level: list[Any], kind: type) -> list[Any]:
    return [item for item in level if type(item) is kind]


def _is_plain_float(value: float) -> bool:
    """Whether both libraries write this number alike; never NaN or an infinity."""
    return 1e-4 <= value < 1e16 or -1e16 < value <= -1e-4 or value == 0


def _are_plain_moments(values: list[datetime.datetime]) -> bool:
    """Whether the offsets from UTC are whole minutes: the library rounds others."""
    zones = set(map(attrgetter("tzinfo"), values))
    if zones <= {None, datetime.UTC}:
        return True
    if not all(zone is None or type(zone) in (datetime.timezone, ZoneInfo) for zone in zones):
        return False
    return not any((value.utcoffset() or _NO_OFFSET) % _MINUTE for value in values)


_NO_OFFSET = datetime.timedelta(0)
_MINUTE = datetime.timedelta(minutes=1)
_codes: dict[type, int] = {}


def _kind_code(kind: type) -> int:
    code = _codes.get(kind)
    if code is None:
        code = _classify(kind)
        if len(_codes) < 1000:  # types made on the fly must not pile up
            _codes[kind] = code
    return code


def _classify(kind: type) -> int:
    if issubclass(kind, enum.Enum):
        return _UNFIT
    if kind in _PLAIN_TYPES or issubclass(kind, str | int | Promise):
        return _PLAIN
    if kind is float:
        return _FLOAT
    if kind is datetime.datetime:
        return _MOMENT
    if kind is datetime.time:
        return _TIME
    return _classify_container(kind)


def _classify_container(kind: type) -> int:
    """The library reads the storage of a container: overridden access would go unseen."""
    if issubclass(kind, dict):
        names: tuple[str, ...] = ("__iter__", "items", "keys", "values", "__getitem__")
        untouched = all(getattr(kind, name) is getattr(dict, name) for name in names)
        return _MAPPING if untouched else _UNFIT
    if issubclass(kind, list):
        return _SEQUENCE if kind.__iter__ is list.__iter__ else _UNFIT
    return _SEQUENCE if kind is tuple else _UNFIT
