"""The full description of values: what the project says of them, else what the field says.

The project says it in ``@extend_schema_field``, in annotations of methods, and in classes.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any

from lintel import serializers
from lintel.fields import Field
from lintel.fields.describing import Schema
from lintel.overrides import OURS, is_ours, package_of, reached
from lintel.schemas.enums import class_name, typed
from lintel.schemas.extending import NamedOverride
from lintel.schemas.inspection import Inspection
from lintel.schemas.openapi_types import PLAIN, named_type
from lintel.schemas.overrides import converted, field_override
from lintel.schemas.shown_values import shown_values

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema

#: What stands around the type of a value.
QUALIFIERS: list[object] = [typing.Annotated, typing.ClassVar, typing.Final]
QUALIFIERS += [typing.NotRequired, typing.Required]


class Unknown(Exception):
    """The annotation has no schema."""


def described_value(schema: AutoSchema, value: object, *places: object) -> Schema:
    """Return the schema that a mapping, a serializer, a field or a type stands for."""
    value = named_type(value)
    if isinstance(value, type) and issubclass(value, serializers.Field):
        value = value()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, serializers.BaseSerializer):
        return serializer_type(schema, value)
    if isinstance(value, serializers.Field):
        return _or_null(dict(schema.map_field(value)), schema, value)
    return type_schema(schema, value, *places)


def type_schema(schema: AutoSchema, annotation: object, *places: object) -> Schema:
    """Return the schema of an annotation; an unknown type causes a warning, and may be anything."""
    inspection: Inspection = schema.document_form.inspection
    try:
        return _described(schema, annotation)
    except Unknown:
        message = f"the type {annotation!r} cannot be described, so any value is allowed"
        inspection.warn(message, *places)
    except Exception as error:  # annotations are project code
        inspection.warn(f"the annotation cannot be read: {error!r}", *places)
    return {}


def return_type(inspection: Inspection, function: Callable[..., object], *places: object) -> object:
    function = inspect.unwrap(getattr(function, "__func__", function))
    if "return" not in getattr(function, "__annotations__", {}):
        return inspect.Signature.empty
    try:
        return typing.get_type_hints(function).get("return", inspect.Signature.empty)
    except Exception as error:
        inspection.warn(f"the annotation of its method cannot be read: {error!r}", *places)
        return Any


def _described(schema: AutoSchema, annotation: object) -> Schema:
    if annotation is Any or annotation is object:
        return {}
    if annotation is None:
        annotation = type(None)
    origin = typing.get_origin(annotation)
    if origin is not None:
        return _generic(schema, origin, typing.get_args(annotation))
    if isinstance(annotation, str) or not isinstance(annotation, type):
        return _of_name(schema, annotation)
    return _of_class(schema, annotation)


def _of_name(schema: AutoSchema, annotation: object) -> Schema:
    named = named_type(converted(annotation))
    if isinstance(named, Mapping):
        return dict(named)
    supertype = getattr(annotation, "__supertype__", None)  # typing.NewType
    value = getattr(annotation, "__value__", None)  # type X = …
    if supertype is None and value is None:
        raise Unknown
    return _described(schema, supertype if supertype is not None else value)


def _of_class(schema: AutoSchema, cls: type) -> Schema:
    if issubclass(cls, serializers.BaseSerializer):
        return serializer_type(schema, cls)
    if issubclass(cls, Enum):
        values = [member.value for member in cls]
        return schema.document_form.add_shared(class_name(cls), {**typed(values), "enum": values})
    if typing.is_typeddict(cls):
        return _typed_dict(schema, cls)
    if dataclasses.is_dataclass(cls):
        return _dataclass(schema, cls)
    for kind, described in PLAIN:
        if issubclass(cls, kind):
            return dict(described)
    raise Unknown


def serializer_type(schema: AutoSchema, serializer: object) -> Schema:
    if isinstance(serializer, type):
        serializer = serializer()
    if isinstance(serializer, serializers.ListSerializer):
        items = described_value(schema, serializer.child)  # a field, in some decorators
        return _or_null({"type": "array", "items": items}, schema, serializer)
    if isinstance(serializer, serializers.Serializer):
        described = dict(schema.document_form.type_reference(schema, serializer))
        return _or_null(described, schema, serializer)
    return {}


def _or_null(described: Schema, schema: AutoSchema, field: Field) -> Schema:
    is_nullable = field.allow_null and described and schema.document_form.is_full
    return {**described, "nullable": True} if is_nullable else described


def _generic(schema: AutoSchema, origin: object, arguments: tuple[object, ...]) -> Schema:
    if origin in (typing.Union, types.UnionType):
        return _union(schema, arguments)
    if origin is typing.Literal:
        return _literal(arguments)
    if origin in QUALIFIERS:
        return _described(schema, arguments[0])
    if isinstance(origin, type) and issubclass(origin, Mapping):
        values = _described(schema, arguments[1]) if len(arguments) > 1 else {}
        return {"type": "object", "additionalProperties": values}
    if origin is tuple and Ellipsis not in arguments:
        return _fixed_list(schema, arguments)
    if isinstance(origin, type) and issubclass(origin, Collection | Iterable):
        return {"type": "array", "items": _described(schema, arguments[0])}
    raise Unknown


def _fixed_list(schema: AutoSchema, arguments: tuple[object, ...]) -> Schema:
    items = [_described(schema, argument) for argument in arguments]
    same = all(item == items[0] for item in items)
    items_schema = items[0] if same else {"anyOf": items}
    return {"type": "array", "items": items_schema, "minItems": len(items), "maxItems": len(items)}


def _union(schema: AutoSchema, arguments: tuple[object, ...]) -> Schema:
    proper = [argument for argument in arguments if argument is not type(None)]
    schemas = [_described(schema, part) for part in proper]
    schema_of_part = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    if len(proper) == len(arguments) or not schema_of_part:
        return schema_of_part
    return {**schema_of_part, "nullable": True}


def _literal(values: tuple[object, ...]) -> Schema:
    kind = typed([value for value in values if value is not None])
    proper = [value.value if isinstance(value, Enum) else value for value in values]
    plain = [value for value in proper if value is not None]
    return {**kind, "enum": plain, **({"nullable": True} if len(plain) < len(values) else {})}


def _typed_dict(schema: AutoSchema, cls: Any) -> Schema:
    hints = typing.get_type_hints(cls, include_extras=True)
    # Annotations as text hide NotRequired from the class itself.
    required = [
        name
        for name, hint in hints.items()
        if name in cls.__required_keys__ and typing.get_origin(hint) is not typing.NotRequired
    ]
    return _object(schema, cls, hints, required)


def _dataclass(schema: AutoSchema, cls: Any) -> Schema:
    hints = typing.get_type_hints(cls)
    names = [field.name for field in dataclasses.fields(cls)]
    return _object(schema, cls, {name: hints[name] for name in names}, names)


def _object(
    schema: AutoSchema, cls: type, hints: Mapping[str, object], required: list[str]
) -> Schema:
    form = schema.document_form
    objects: dict[type, Schema] = form.inspection.objects
    if cls in objects:
        return dict(objects[cls])
    described: Schema = {"type": "object", "properties": {}}
    if required:
        described["required"] = required
    # Registered before its properties: without components, one inside itself is any object.
    objects[cls] = form.reserve_shared(cls.__name__, described)
    described["properties"] = {name: _described(schema, hint) for name, hint in hints.items()}
    return dict(objects[cls]) if form.is_full else objects.pop(cls) | described


def describe_field(schema: AutoSchema, field: Field) -> Schema:
    cls, described = type(field), None
    inspection: Inspection = schema.document_form.inspection
    override, speaks = inspection.once((describe_field, cls), _said_by_class, cls)
    if override is not None:
        return override_schema(schema, override, field)
    if not speaks:
        described = _own_conversion(schema, field)
    return dict(field.describe_values(schema)) if described is None else described


def _said_by_class(cls: type[Field]) -> tuple[object, bool]:
    """Return what a decorator says of a class of fields, and whether the class describes itself."""
    is_known = package_of(cls) == OURS or issubclass(cls, serializers.BaseSerializer)
    return field_override(cls), is_known or not is_ours(reached(cls, "describe_values"))


def override_schema(schema: AutoSchema, override: object, field: Field) -> Schema:
    if isinstance(override, NamedOverride):
        inner = override_schema(schema, override.described, field)
        return dict(schema.document_form.add_shared(override.component_name, inner))
    return described_value(schema, override, *places_of(schema, field))


def places_of(schema: AutoSchema, field: Field) -> tuple[object, ...]:
    places = (schema.document_form.endpoint.view, field.parent, field)
    return tuple(place for place in places if place is not None)


def _own_conversion(schema: AutoSchema, field: Field) -> Schema | None:
    """Return the schema of a conversion in project code; None if the conversion is ours."""
    form, places = schema.document_form, places_of(schema, field)
    method = reached(type(field), "to_representation" if form.receives else "to_internal_value")
    is_abstract = type(field).describe_values is serializers.Field.describe_values
    if is_ours(method) and not is_abstract:
        return None
    if not form.receives:
        return {}  # the parsed value is a Python object, whose type says nothing about the input
    annotation = return_type(form.inspection, method, *places)
    if annotation is not inspect.Signature.empty and annotation is not Any:
        return type_schema(schema, annotation, *places)
    shown = shown_values(schema, method, field, field)
    if shown is not None:
        return shown
    form.inspection.warn(
        "nothing is known about the values it writes. Annotate what to_representation() "
        "returns, or use @extend_schema_field",
        type(field),
    )
    return {}


def returned(schema: AutoSchema, function: Callable[..., object], field: Field) -> Schema | None:
    places = places_of(schema, field)
    kind = return_type(schema.document_form.inspection, function, *places)
    if kind is inspect.Signature.empty:
        return None
    return type_schema(schema, kind, *places)


def method_values(schema: AutoSchema, field: Field, name: str) -> Schema:
    warn = schema.document_form.inspection.warn
    method = getattr(type(field.parent), name, None)
    if method is None:
        warn(f"there is no method {name}()", *places_of(schema, field))
        return {}
    override = field_override(method)
    if override is not None:
        return override_schema(schema, override, field)
    described = returned(schema, method, field)
    if described is None:
        plain = reached(type(field.parent), name)
        described = shown_values(schema, plain, field.parent, field)
    if described is None:
        warn(
            f"nothing is known about its values. Annotate what {name}() returns, "
            "or use @extend_schema_field",
            *places_of(schema, field),
        )
    return described or {}
