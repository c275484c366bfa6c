"""How a field describes its values, in the keywords of OpenAPI 3.0 (``nullable: true``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableMapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol

from lintel.compatible import keeps
from lintel_document import schemas as coreschema

if TYPE_CHECKING:
    from lintel.fields.base import Field
    from lintel.fields.choices import ChoiceField

Schema = dict[str, Any]

#: Describes a field inside another one in the native schema.
DescribeNative = Callable[[Any], coreschema.Schema]

#: Integers beyond these need 64 bits.
INT32_RANGE = (-(2**31), 2**31 - 1)


class DocumentForm(Protocol):
    """What a field may ask about the document that it is described for."""

    @property
    def receives(self) -> bool:
        """Whether clients receive the values, or send them."""

    def map_bounds(self, schema: Any, field: Field, described: Schema) -> None: ...

    def choices(self, schema: Any, field: ChoiceField) -> Schema: ...

    def returned(self, schema: Any, function: Callable[..., Any], field: Field) -> Schema | None:
        """Return what the annotation of a function says of its result; None without one."""

    def method_values(self, schema: Any, field: Field, name: str) -> Schema: ...


class ViewSchema(Protocol):
    """The schema object of a view, as far as fields need it."""

    @property
    def document_form(self) -> DocumentForm: ...

    def map_field(self, field: Any) -> Schema: ...

    def map_serializer(self, serializer: Any) -> Schema: ...

    def get_reference(self, serializer: Any) -> Schema: ...


def choice_type(choices: Iterable[Any]) -> str | None:
    """Return the type that all ``choices`` share; None if they differ or it has no name."""
    values = list(choices)
    if set(map(type, values)) == {str}:
        return "string"
    candidates: list[tuple[str, Any]] = [
        ("boolean", bool),
        ("integer", int),
        ("number", (int, float, Decimal)),
        ("string", str),
    ]
    for name, kinds in candidates:
        if all(isinstance(value, kinds) for value in values):
            return name
    return None


def map_bounds(field: Any, schema: MutableMapping[str, Any]) -> None:
    if field.max_value is not None:
        schema["maximum"] = field.max_value
    if field.min_value is not None:
        schema["minimum"] = field.min_value


def map_integer_size(schema: MutableMapping[str, Any]) -> None:
    lowest, highest = INT32_RANGE
    bounds = [schema[name] for name in ("minimum", "maximum") if name in schema]
    is_low = any(bound < lowest for bound in bounds) and not keeps("schema-bounds")
    if is_low or any(bound > highest for bound in bounds):
        schema["format"] = "int64"


def map_digits(
    max_digits: int | None, decimal_places: int | None, schema: MutableMapping[str, Any]
) -> None:
    if decimal_places:
        schema["multipleOf"] = float(f"1e-{decimal_places}")
    if max_digits is not None and decimal_places is not None and max_digits > decimal_places:
        schema["maximum"] = 10 ** (max_digits - decimal_places)
        schema["minimum"] = -schema["maximum"]
