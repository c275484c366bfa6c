"""Names of value types, for places without a serializer."""

import datetime
import decimal
import enum
import ipaddress
import uuid
from collections.abc import Collection, Mapping
from typing import Any

#: Schemas of plain types; the first that fits a class counts.
PLAIN: list[tuple[type, dict[str, Any]]] = [
    (bool, {"type": "boolean"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (str, {"type": "string"}),
    (bytes, {"type": "string", "format": "byte"}),
    (datetime.datetime, {"type": "string", "format": "date-time"}),
    (datetime.date, {"type": "string", "format": "date"}),
    (datetime.time, {"type": "string"}),
    (datetime.timedelta, {"type": "string"}),
    (decimal.Decimal, {"type": "string", "format": "decimal"}),
    (uuid.UUID, {"type": "string", "format": "uuid"}),
    (ipaddress.IPv4Address, {"type": "string", "format": "ipv4"}),
    (ipaddress.IPv6Address, {"type": "string", "format": "ipv6"}),
    (type(None), {"nullable": True, "enum": [None]}),
    (Mapping, {"type": "object", "additionalProperties": {}}),
    (Collection, {"type": "array", "items": {}}),
]


class OpenApiTypes(enum.Enum):
    """Types by the names known from drf-spectacular; ``value`` is the schema."""

    NUMBER = ("number",)
    FLOAT = ("number", "float")
    DOUBLE = ("number", "double")
    BOOL = ("boolean",)
    STR = ("string",)
    BYTE = ("string", "byte")
    BINARY = ("string", "binary")
    PASSWORD = ("string", "password")
    INT = ("integer",)
    INT32 = ("integer", "int32")
    INT64 = ("integer", "int64")
    UINT16 = ("integer", "uint16")
    UINT32 = ("integer", "uint32")
    UINT64 = ("integer", "uint64")
    UUID = ("string", "uuid")
    URI = ("string", "uri")
    URI_REF = ("string", "uri-reference")
    URI_TPL = ("string", "uri-template")
    IRI = ("string", "iri")
    IRI_REF = ("string", "iri-reference")
    IP4 = ("string", "ipv4")
    IP6 = ("string", "ipv6")
    HOSTNAME = ("string", "hostname")
    IDN_HOSTNAME = ("string", "idn-hostname")
    DECIMAL = ("string", "decimal")
    DATETIME = ("string", "date-time")
    DATE = ("string", "date")
    TIME = ("string", "time")
    DURATION = ("string", "duration")
    EMAIL = ("string", "email")
    IDN_EMAIL = ("string", "idn-email")
    JSON_PTR = ("string", "json-pointer")
    JSON_PTR_REL = ("string", "relative-json-pointer")
    REGEX = ("string", "regex")
    OBJECT = ("object",)
    ANY = ()
    NONE = ("null",)


def named_type(value: object) -> object:
    if value is OpenApiTypes.ANY:
        return {}
    if value is OpenApiTypes.NONE:
        return {"nullable": True, "enum": [None]}
    if value is OpenApiTypes.OBJECT:
        return {"type": "object", "additionalProperties": {}}
    if isinstance(value, OpenApiTypes):
        return dict(zip(("type", "format"), value.value, strict=False))
    return value
