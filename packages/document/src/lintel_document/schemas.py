"""Descriptions of field values: small classes, one for each JSON type.

These are not the containers of a document (``lintel_document.Object`` and ``Array``), so import the
module, not the names: ``from lintel_document import schemas``, then ``schemas.Array(...)``.

Core JSON contains the type, title, description and the values of an Enum; limits, defaults, items
and properties are for readers in the same process.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

from lintel_document.document import Object as FrozenMapping

__all__ = [
    "Anything",
    "Array",
    "Boolean",
    "Enum",
    "Integer",
    "Null",
    "Number",
    "Object",
    "Schema",
    "String",
    "BY_TYPE_NAME",
    "type_name",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """Base of all descriptions. Texts may be given as None or lazily; they are stored as str."""

    type_name: ClassVar[str] = "anything"

    title: str = ""
    description: str = ""
    default: Any = field(default=None, hash=False)

    def __post_init__(self) -> None:
        for name in ("title", "description"):
            value: object = getattr(self, name)
            if type(value) is not str:
                object.__setattr__(self, name, "" if value is None else str(value))


@dataclass(frozen=True, slots=True)
class Object(Schema):
    """A JSON object; ``properties`` and ``pattern_properties`` map names to schemas."""

    type_name: ClassVar[str] = "object"

    properties: Mapping[str, Any] | None = field(default=None, hash=False)
    required: Iterable[str] | None = None
    max_properties: int | None = None
    min_properties: int | None = None
    pattern_properties: Mapping[str, Any] | None = field(default=None, hash=False)
    additional_properties: Any = field(default=True, hash=False)

    def __post_init__(self) -> None:
        Schema.__post_init__(self)
        object.__setattr__(self, "properties", _frozen_mapping(self.properties))
        object.__setattr__(self, "pattern_properties", _frozen_mapping(self.pattern_properties))
        object.__setattr__(self, "required", tuple(self.required or ()))


@dataclass(frozen=True, slots=True)
class Array(Schema):
    """A JSON array; ``items`` is the schema of each item, or a list of schemas by position."""

    type_name: ClassVar[str] = "array"

    items: Any = field(default=None, hash=False)
    max_items: int | None = None
    min_items: int | None = None
    unique_items: bool = False
    additional_items: Any = field(default=True, hash=False)

    def __post_init__(self) -> None:
        Schema.__post_init__(self)
        if self.items is None:
            object.__setattr__(self, "items", Anything())
        elif isinstance(self.items, list):
            object.__setattr__(self, "items", tuple(self.items))


@dataclass(frozen=True, slots=True)
class Number(Schema):
    """A JSON number within optional limits."""

    type_name: ClassVar[str] = "number"

    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: bool = False
    exclusive_maximum: bool = False
    multiple_of: float | None = None


@dataclass(frozen=True, slots=True)
class Integer(Number):
    """A JSON number without a fraction."""

    type_name: ClassVar[str] = "integer"


@dataclass(frozen=True, slots=True)
class String(Schema):
    """A JSON string; lengths are counted in characters, ``format`` is a hint such as "date".

    ``is_file`` tells HTML forms to ask for a file; comparisons ignore it.
    """

    type_name: ClassVar[str] = "string"

    max_length: int | None = None
    min_length: int | None = None
    pattern: str | None = None
    format: str | None = None
    is_file: bool = field(default=False, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Boolean(Schema):
    """True or false."""

    type_name: ClassVar[str] = "boolean"


@dataclass(frozen=True, slots=True)
class Null(Schema):
    """Null."""

    type_name: ClassVar[str] = "null"


@dataclass(frozen=True, slots=True)
class Enum(Schema):
    """One of the values listed in ``enum``."""

    type_name: ClassVar[str] = "enum"

    enum: Iterable[Any] = field(default=(), hash=False)

    def __post_init__(self) -> None:
        Schema.__post_init__(self)
        object.__setattr__(self, "enum", tuple(self.enum))


@dataclass(frozen=True, slots=True)
class Anything(Schema):
    """Any JSON value."""


BY_TYPE_NAME: Mapping[str, type[Schema]] = MappingProxyType(
    {
        schema.type_name: schema
        for schema in (Object, Array, Number, Integer, String, Boolean, Null, Enum, Anything)
    }
)


def type_name(schema: Any) -> str:
    """Return the wire name of a schema's type.

    Schema objects of other libraries are recognised by the name of their class or of a base of it.
    """
    if isinstance(schema, Schema):
        return schema.type_name
    # The last base is Python's own `object`, whose name says nothing.
    names = [base.__name__.lower() for base in type(schema).__mro__[:-1]]
    return next((name for name in names if name in BY_TYPE_NAME), "anything")


def _frozen_mapping(value: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    return None if value is None else FrozenMapping(value)
