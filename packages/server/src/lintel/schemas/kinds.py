"""The full description of fields by their kind: what each reads and writes, by direction.

The form of the contract is in ``lintel.schemas.openapi.fields``. Here, nested
serializers are references, choices are named, and unknown values are not constrained.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from django.conf import settings
from django.utils.functional import cached_property as django_cached_property

from lintel import serializers
from lintel.fields import _UnvalidatedField
from lintel.iso8601 import is_iso
from lintel.provenance import is_class_of_ours, is_ours, reached
from lintel.schemas import constraints
from lintel.schemas.annotations import return_type, serializer_type, type_schema
from lintel.schemas.columns import column_at, column_schema
from lintel.schemas.enums import enum_reference
from lintel.schemas.markers import NamedOverride, field_override
from lintel.settings import api_settings

Schema = dict[str, Any]


class Kind(NamedTuple):
    """The facts about all fields of a class.

    ``override``: the argument of ``@extend_schema_field``. ``converts``: whether its conversion may
    be project code. ``describe``: how its values are described, None if nothing fits.
    """

    override: Any
    converts: bool
    describe: Callable[[Any, Any], Schema] | None


def describe_field(schema: Any, field: Any) -> Schema:
    """Return the schema of a field's values."""
    kind = kind_of(type(field))
    if kind.override is not None:
        return override_schema(schema, kind.override, field)
    if kind.converts:
        found = _own_conversion(schema, field)
        if found is not None:
            return found
    return {} if kind.describe is None else kind.describe(schema, field)


def kind_of(cls: type) -> Kind:
    """Return the facts about a class of fields."""
    describe = next((each for kinds, each in FIELDS if issubclass(cls, kinds)), None)
    converts = not is_class_of_ours(cls) and not issubclass(cls, serializers.BaseSerializer)
    return Kind(field_override(cls), converts, describe)


def override_schema(schema: Any, override: Any, field: Any) -> Schema:
    """Return what ``@extend_schema_field`` gives: a schema, a serializer, a field or a type."""
    if isinstance(override, NamedOverride):
        inner = override_schema(schema, override.described, field)
        return dict(schema.document_form.add_shared(override.component_name, inner))
    if isinstance(override, Mapping):
        return dict(override)
    if isinstance(override, serializers.BaseSerializer) or _is_class(
        override, serializers.BaseSerializer
    ):
        return serializer_type(schema, override)
    if isinstance(override, serializers.Field) or _is_class(override, serializers.Field):
        bound = override() if isinstance(override, type) else override
        return dict(schema.map_field(bound))
    return type_schema(schema, override, *places_of(schema, field))


def _is_class(value: Any, base: type) -> bool:
    return isinstance(value, type) and issubclass(value, base)


def places_of(schema: Any, field: Any) -> tuple[Any, ...]:
    """Return the view, the serializer and the field, for a warning."""
    places = (schema.document_form.endpoint.view, field.parent, field)
    return tuple(place for place in places if place is not None)


def _own_conversion(schema: Any, field: Any) -> Schema | None:
    """Return the schema of a conversion in project code: its annotation, else anything.

    None if the conversion is known.
    """
    name = "to_representation" if schema.document_form.receives else "to_internal_value"
    method = reached(type(field), name)
    if is_ours(method) and not _is_abstract(field):
        return None
    found = (
        return_type(schema.document_form.inspection, method, *places_of(schema, field))
        if method is not None
        else Any
    )
    # The parsed value is a Python object, whose type says nothing about the input.
    if name == "to_representation" and found is not inspect.Signature.empty and found is not Any:
        return type_schema(schema, found, *places_of(schema, field))
    if name == "to_representation":
        schema.document_form.inspection.warn(
            "nothing is known about the values it writes. Annotate what to_representation() "
            "returns, or use @extend_schema_field",
            *places_of(schema, field),
            type(field),
        )
    return {}


def _is_abstract(field: Any) -> bool:
    return not any(isinstance(field, kinds) for kinds, _ in FIELDS)


# Kinds of fields


def _reference(schema: Any, field: Any) -> Schema:
    if _is_made_by_depth(type(field)):
        return dict(schema.map_serializer(field))
    return dict(schema.get_reference(field))


def _is_made_by_depth(cls: type) -> bool:
    """Return whether ``Meta.depth`` made a serializer: all have one name but other fields."""
    return is_class_of_ours(cls) and cls.__name__ == "NestedSerializer"


def _serializers(schema: Any, field: Any) -> Schema:
    found = {"type": "array", "items": schema.map_field(field.child)}
    if getattr(field, "allow_empty", True) is False:
        found["minItems"] = 1
    return found


def _custom_serializer(schema: Any, field: Any) -> Schema:
    method = reached(type(field), "to_representation")
    found = (
        return_type(schema.document_form.inspection, method)
        if schema.document_form.receives
        else inspect.Signature.empty
    )
    if found in (inspect.Signature.empty, Any):
        return {}
    return type_schema(schema, found, type(field))


def _related_many(schema: Any, field: Any) -> Schema:
    return {"type": "array", "items": schema.map_field(field.child_relation)}


def _primary_key(schema: Any, field: Any) -> Schema:
    if getattr(field, "pk_field", None):
        return dict(schema.map_field(field.pk_field))
    model = _model_of_relation(field)
    return {} if model is None else column_schema(model._meta.pk)


def _model_of_relation(field: Any) -> Any:
    """Return the related model of a relation; for a read-only one, through the serializer."""
    model = getattr(field.queryset, "model", None)
    if model is not None:
        return model
    relation = field.parent if isinstance(field.parent, serializers.ManyRelatedField) else field
    owner = getattr(getattr(relation.parent, "Meta", None), "model", None)
    column = column_at(owner, relation.source or "")
    return None if column is None else getattr(column, "related_model", None)


def _slug(schema: Any, field: Any) -> Schema:
    model = _model_of_relation(field)
    column = None if model is None else column_at(model, field.slug_field.replace("__", "."))
    return {} if column is None else column_schema(column)


def _read_only(schema: Any, field: Any) -> Schema:
    model = getattr(getattr(field.parent, "Meta", None), "model", None)
    if model is None or not field.source:
        return {}
    column = column_at(model, field.source)
    if column is not None:
        found = column_schema(column)
        return {**found, "nullable": True} if found and _may_be_null(model, field.source) else found
    *way, name = field.source.split(".")
    if way:
        last = column_at(model, ".".join(way))
        model = getattr(last, "related_model", None)
    return _of_attribute(schema, field, model, name)


def _may_be_null(model: Any, source: str) -> bool:
    return bool(getattr(column_at(model, source), "null", False))


def _of_attribute(schema: Any, field: Any, model: Any, name: str) -> Schema:
    """Return the annotated type of a model's property or method."""
    found = inspect.getattr_static(model, name, None) if model is not None else None
    if isinstance(found, property):
        found = found.fget
    elif isinstance(found, cached_property | django_cached_property):
        found = found.func
    if not callable(found):
        return {}
    kind = return_type(schema.document_form.inspection, found, *places_of(schema, field))
    if kind is inspect.Signature.empty:
        return {}
    return type_schema(schema, kind, *places_of(schema, field))


def _method(schema: Any, field: Any) -> Schema:
    method = getattr(type(field.parent), field.method_name or "", None)
    if method is None:
        schema.document_form.inspection.warn(
            f"there is no method {field.method_name}()", *places_of(schema, field)
        )
        return {}
    override = field_override(method)
    if override is not None:
        return override_schema(schema, override, field)
    kind = return_type(schema.document_form.inspection, method, *places_of(schema, field))
    if kind is inspect.Signature.empty:
        schema.document_form.inspection.warn(
            f"nothing is known about its values. Annotate what {field.method_name}() returns, "
            "or use @extend_schema_field",
            *places_of(schema, field),
        )
        return {}
    return type_schema(schema, kind, *places_of(schema, field))


def _model_field(schema: Any, field: Any) -> Schema:
    return column_schema(field.model_field)


def _many_choices(schema: Any, field: Any) -> Schema:
    found: Schema = {"type": "array", "items": enum_reference(schema, field)}
    if not field.allow_empty:
        found["minItems"] = 1
    return found


def _list(schema: Any, field: Any) -> Schema:
    anything = isinstance(field.child, _UnvalidatedField)
    return {"type": "array", "items": {} if anything else _child(schema, field.child)}


def _dict(schema: Any, field: Any) -> Schema:
    anything = isinstance(field.child, _UnvalidatedField)
    values = {} if anything else _child(schema, field.child)
    return {"type": "object", "additionalProperties": values}


def _child(schema: Any, child: Any) -> Schema:
    """Return the schema of the values in a list or object."""
    found = dict(schema.map_field(child))
    return {**found, "nullable": True} if found and child.allow_null else found


def _json(schema: Any, field: Any) -> Schema:
    return {"type": "string"} if field.binary else {}


def _uuid(schema: Any, field: Any) -> Schema:
    if field.uuid_format == "int":
        return {"type": "integer"}
    if field.uuid_format == "hex_verbose":
        return {"type": "string", "format": "uuid"}
    return {"type": "string"}


def _hyperlink(schema: Any, field: Any) -> Schema:
    # Clients may omit the host.
    is_sent = not (field.read_only or schema.document_form.receives)
    return {"type": "string", "format": "uri-reference" if is_sent else "uri"}


def _file(schema: Any, field: Any) -> Schema:
    if not schema.document_form.receives:
        return {"type": "string", "format": "binary"}
    described: Schema = {"type": "string"}
    if field.use_url:
        described["format"] = "uri"
    # A row without a file has no URL.
    return {**described, "nullable": True} if not field.required else described


def _decimal(schema: Any, field: Any) -> Schema:
    if getattr(field, "coerce_to_string", api_settings.COERCE_DECIMAL_TO_STRING):
        return {"type": "string", "format": "decimal"}
    described: Schema = {"type": "number"}
    constraints.map_digits(field.max_digits, field.decimal_places, described)
    constraints.map_bounds(field, described)
    return described


def _float(schema: Any, field: Any) -> Schema:
    described: Schema = {"type": "number"}
    constraints.map_bounds(field, described)
    return described


def _integer(schema: Any, field: Any) -> Schema:
    described: Schema = {"type": "integer"}
    constraints.map_bounds(field, described)
    constraints.map_integer_size(described)
    return described


def _big_integer(schema: Any, field: Any) -> Schema:
    if field.coerce_to_string:
        return {"type": "string", "pattern": "^-?[0-9]+$"}
    return _integer(schema, field)


def _datetime(schema: Any, field: Any) -> Schema:
    # RFC 3339 requires an offset, which times with a known zone have.
    is_standard = _is_iso(schema, field) and settings.USE_TZ
    return {"type": "string", "format": "date-time"} if is_standard else {"type": "string"}


def _date(schema: Any, field: Any) -> Schema:
    return {"type": "string", "format": "date"} if _is_iso(schema, field) else {"type": "string"}


def _is_iso(schema: Any, field: Any) -> bool:
    if schema.document_form.receives:
        return field.format is None or is_iso(field.format)
    return any(is_iso(each) for each in field.input_formats)


def _ip_address(schema: Any, field: Any) -> Schema:
    if field.protocol.lower() in ("ipv4", "ipv6"):
        return {"type": "string", "format": field.protocol.lower()}
    return {"type": "string"}


def _text(schema: Any, field: Any) -> Schema:
    described: Schema = {"type": "string"}
    if not field.allow_blank and not field.read_only:
        described["minLength"] = 1
    return described


def _of_format(name: str) -> Callable[[Any, Any], Schema]:
    return lambda schema, field: {**_text(schema, field), "format": name}


#: Kinds of fields and their descriptions; the first match applies.
FIELDS: list[tuple[Any, Callable[[Any, Any], Schema]]] = [
    (serializers.ListSerializer, _serializers),
    (serializers.Serializer, _reference),
    (serializers.BaseSerializer, _custom_serializer),
    (serializers.ManyRelatedField, _related_many),
    (serializers.PrimaryKeyRelatedField, _primary_key),
    (serializers.SlugRelatedField, _slug),
    (serializers.HyperlinkedRelatedField, _hyperlink),
    (serializers.StringRelatedField, lambda schema, field: {"type": "string"}),
    (serializers.MultipleChoiceField, _many_choices),
    # Its choices are names of files on the server.
    (serializers.FilePathField, lambda schema, field: {"type": "string"}),
    (serializers.ChoiceField, enum_reference),
    (serializers.ListField, _list),
    (serializers.DictField, _dict),
    (serializers.JSONField, _json),
    (serializers.DateTimeField, _datetime),
    (serializers.DateField, _date),
    ((serializers.TimeField, serializers.DurationField), lambda schema, field: {"type": "string"}),
    (serializers.EmailField, _of_format("email")),
    (serializers.URLField, _of_format("uri")),
    (serializers.UUIDField, _uuid),
    (serializers.IPAddressField, _ip_address),
    (serializers.CharField, _text),
    (serializers.DecimalField, _decimal),
    (serializers.FloatField, _float),
    (serializers.BigIntegerField, _big_integer),
    (serializers.IntegerField, _integer),
    (serializers.FileField, _file),
    (serializers.BooleanField, lambda schema, field: {"type": "boolean"}),
    (serializers.SerializerMethodField, _method),
    (serializers.ReadOnlyField, _read_only),
    (serializers.ModelField, _model_field),
]
