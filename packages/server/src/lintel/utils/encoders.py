"""The JSON encoder for values that JSON cannot represent."""

import datetime
import decimal
import json
import uuid
from collections.abc import Callable
from enum import Enum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from operator import attrgetter
from typing import Any

from django.db.models import QuerySet
from django.utils.encoding import force_str
from django.utils.functional import Promise

from lintel.iso8601 import datetime_text


def _time_text(value: datetime.time) -> str:
    if value.utcoffset() is not None:
        raise ValueError("JSON can't represent timezone-aware times.")
    return value.isoformat()


def _duration_text(value: datetime.timedelta) -> str:
    return str(value.total_seconds())


#: How values of each type are written. A datetime is a date too, so it comes first.
CONVERSIONS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (Promise, force_str),
    (datetime.datetime, datetime_text),
    (datetime.date, datetime.date.isoformat),
    (datetime.time, _time_text),
    (datetime.timedelta, _duration_text),
    (decimal.Decimal, float),
    (uuid.UUID, str),
    ((IPv4Address, IPv6Address, IPv4Network, IPv6Network), str),
    (QuerySet, tuple),
    (bytes, bytes.decode),
    # orjson does the same. Members that are texts or integers as well never come here.
    (Enum, attrgetter("value")),
)


class JSONEncoder(json.JSONEncoder):
    """Encodes dates, times, durations, decimals, UUIDs, IP addresses, lazy texts and QuerySets.

    A member of an Enum is written as its value. Any other object is written with its ``tolist()``
    (NumPy), as a mapping if it is one, or as an array if it can be iterated. Raises TypeError for
    the rest.
    """

    def default(self, obj: Any) -> Any:
        for types, convert in CONVERSIONS:
            if isinstance(obj, types):
                return convert(obj)
        if hasattr(obj, "tolist"):
            return obj.tolist()
        if isinstance(obj, list | tuple):
            return list(obj)
        if hasattr(obj, "__getitem__"):
            try:
                return dict(obj)
            except Exception:
                return super().default(obj)
        if hasattr(obj, "__iter__"):
            return tuple(obj)
        return super().default(obj)


class CustomScalar:
    """A YAML representer that writes durations as JSON does: seconds, as text."""

    @classmethod
    def represent_timedelta(cls, dumper: Any, data: datetime.timedelta) -> Any:
        return dumper.represent_scalar("tag:yaml.org,2002:str", _duration_text(data))


def is_encodable(value: str) -> bool:
    """Return whether text has no lone surrogate, which UTF-8 cannot encode (RFC 3629)."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
