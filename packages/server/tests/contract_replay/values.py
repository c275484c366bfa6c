"""Conversion between Python values and the notation of the facts.

A plain form is JSON extended by Python's integers and by text of any kind: what
`plain` makes of a recorded value and `encode` of an observed one can be compared.
"""

import datetime
import decimal
import enum
import ipaddress
import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.core.files.base import File
from django.db.models import Model, QuerySet
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from contract_replay import support, target

TAG = "$type"


# ---- recorded to Python ----


def decode(value: Any) -> Any:
    """Return the Python value that a recorded value stands for."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if TAG in value:
        return DECODERS[value[TAG]](value)
    return {key: decode(item) for key, item in value.items()}


def decode_datetime(tagged: dict[str, Any]) -> datetime.datetime:
    moment = datetime.datetime.fromisoformat(tagged["value"])
    return moment.replace(tzinfo=zone(tagged), fold=tagged.get("fold", 0))


def zone(tagged: dict[str, Any]) -> datetime.tzinfo | None:
    """Return the zone of a tagged datetime or time; other names mean a fixed offset."""
    name = tagged.get("zone")
    if name is None:
        return None
    if name == "UTC":
        return datetime.UTC
    if "/" in name:
        return ZoneInfo(name)
    return datetime.timezone(datetime.timedelta(seconds=tagged["offset_seconds"]))


def decode_time(tagged: dict[str, Any]) -> datetime.time:
    return datetime.time.fromisoformat(tagged["value"]).replace(tzinfo=zone(tagged))


def decode_instance(tagged: dict[str, Any]) -> Model:
    return support.namespace()[tagged["model"]].objects.get(pk=decode(tagged["pk"]))


def decode_lists(tagged: dict[str, Any]) -> MultiValueDict:
    lists = tagged.get("lists", tagged.get("items", tagged.get("value")))
    pairs = lists.items() if isinstance(lists, dict) else lists
    return MultiValueDict({key: decode(items) for key, items in pairs})


def decode_timedelta(tagged: dict[str, Any]) -> datetime.timedelta:
    return datetime.timedelta(tagged["days"], tagged["seconds"], tagged["microseconds"])


def decode_text(tagged: dict[str, Any]) -> str:
    return tagged["escaped"].encode("ascii").decode("unicode_escape")


def empty(tagged: dict[str, Any] | None = None) -> Any:
    """The package's marker for a value that was not given."""
    return target.current.module("fields").empty


DECODERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "str": decode_text,
    "repeat": lambda tagged: decode(tagged["text"]) * tagged["times"],
    "concat": lambda tagged: "".join(decode(part) for part in tagged["parts"]),
    "int": lambda tagged: int(tagged["value"]),
    "float": lambda tagged: float(tagged["value"]),
    "decimal": lambda tagged: decimal.Decimal(tagged["value"]),
    "uuid": lambda tagged: uuid.UUID(tagged["value"]),
    "bytes": lambda tagged: bytes.fromhex(tagged["hex"]),
    "datetime": decode_datetime,
    "date": lambda tagged: datetime.date.fromisoformat(tagged["value"]),
    "time": decode_time,
    "timedelta": decode_timedelta,
    "tuple": lambda tagged: tuple(decode(tagged["items"])),
    "set": lambda tagged: set(decode(tagged["items"])),
    "dict": lambda tagged: {decode(key): decode(item) for key, item in tagged["items"]},
    "querydict": lambda tagged: QueryDict(decode(tagged["value"])),
    "multivaluedict": decode_lists,
    "empty": empty,
    "expr": lambda tagged: support.evaluate(tagged["expr"]),
    "instance": decode_instance,
    "ipaddress": lambda tagged: ipaddress.ip_address(tagged["value"]),
}


# ---- recorded to plain ----


def plain(value: Any) -> Any:
    """Return a recorded value with texts and integers written out, in any notation."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get(TAG) in ("str", "repeat", "concat", "int"):
        return decode(value)
    written = {key: plain(item) for key, item in value.items()}
    if value.get(TAG) == "set":
        written["items"].sort(key=repr)
    return written


# ---- Python to plain ----


def encode(value: Any) -> Any:
    """Plain form of an observed Python value."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value).replace(str(target.current.project), "{PROJECT}")
    for kinds, encoder in ENCODERS:
        if isinstance(value, kinds):
            return encoder(value)
    if value is empty():
        return {TAG: "empty"}
    return encode_object(value)


def tagged(name: str, /, **parts: Any) -> dict[str, Any]:
    return {TAG: name, **parts}


def encode_float(value: float) -> Any:
    if value != value or value in (float("inf"), float("-inf")):
        return tagged("float", value=str(value))
    return float(value)


def encode_zone(value: datetime.datetime | datetime.time) -> dict[str, Any]:
    if value.tzinfo is None:
        return {"fold": 1} if value.fold else {}
    offset = value.utcoffset()
    parts: dict[str, Any] = {"zone": str(value.tzinfo)}
    if offset is not None:
        parts["offset_seconds"] = offset.total_seconds()
    return parts | ({"fold": 1} if value.fold else {})


def encode_datetime(value: datetime.datetime) -> Any:
    wall = value.replace(tzinfo=None, fold=0)
    return tagged("datetime", value=wall.isoformat(), **encode_zone(value))


def encode_time(value: datetime.time) -> Any:
    wall = value.replace(tzinfo=None, fold=0)
    return tagged("time", value=wall.isoformat(), **encode_zone(value))


def encode_timedelta(value: datetime.timedelta) -> Any:
    return tagged(
        "timedelta", days=value.days, seconds=value.seconds, microseconds=value.microseconds
    )


def encode_mapping(value: Mapping[Any, Any]) -> Any:
    if all(isinstance(key, str) for key in value):
        return {str(key): encode(item) for key, item in value.items()}
    return tagged("dict", items=[[encode(key), encode(item)] for key, item in value.items()])


def encode_set(value: set[Any] | frozenset[Any]) -> Any:
    return tagged("set", items=sorted((encode(item) for item in value), key=repr))


def encode_lists(value: MultiValueDict) -> Any:
    if isinstance(value, QueryDict):
        return tagged("querydict", value=value.urlencode())
    return tagged("multivaluedict", lists={key: encode(items) for key, items in value.lists()})


def encode_queryset(value: QuerySet) -> Any:
    return tagged("queryset", model=value.model.__name__, items=[encode(item) for item in value])


def encode_file(value: File) -> Any:
    kind = getattr(value, "content_type", None)
    return tagged("file", name=value.name, size=value.size, content_type=kind)


def encode_object(value: Any) -> Any:
    return tagged("object", **{"class": type(value).__name__}, repr=shown(value))


def shown(value: Any) -> str:
    """`repr` without memory addresses."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))


IPADDRESSES = (ipaddress.IPv4Address, ipaddress.IPv6Address)
ENCODERS: list[tuple[Any, Callable[[Any], Any]]] = [
    (enum.Enum, lambda value: tagged("enum", name=value.name, value=encode(value.value))),
    (int, int),
    (float, encode_float),
    (decimal.Decimal, lambda value: tagged("decimal", value=str(value))),
    (uuid.UUID, lambda value: tagged("uuid", value=str(value))),
    (bytes, lambda value: tagged("bytes", hex=value.hex())),
    (datetime.datetime, encode_datetime),
    (datetime.date, lambda value: tagged("date", value=value.isoformat())),
    (datetime.time, encode_time),
    (datetime.timedelta, encode_timedelta),
    (MultiValueDict, encode_lists),
    (Mapping, encode_mapping),
    (list, lambda value: [encode(item) for item in value]),
    (tuple, lambda value: tagged("tuple", items=[encode(item) for item in value])),
    ((set, frozenset), encode_set),
    (QuerySet, encode_queryset),
    (Model, lambda value: tagged("instance", model=type(value).__name__, pk=encode(value.pk))),
    (File, encode_file),
    (IPADDRESSES, lambda value: tagged("ipaddress", value=str(value))),
]


def encode_errors(detail: Any) -> Any:
    """Return the plain form of error details: each leaf becomes its message and code."""
    if isinstance(detail, Mapping):
        if all(isinstance(key, str) for key in detail):
            return {str(key): encode_errors(item) for key, item in detail.items()}
        items = [[encode(key), encode_errors(item)] for key, item in detail.items()]
        return tagged("dict", items=items)
    if isinstance(detail, (list, tuple)):
        return [encode_errors(item) for item in detail]
    return {"message": encode(str(detail)), "code": getattr(detail, "code", None)}


def form_text(pairs: Mapping[str, Any]) -> str:
    """Urlencoded text of a mapping."""
    return urlencode(pairs, doseq=True)
