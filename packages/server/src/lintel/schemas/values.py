"""The full description of values: what fields of serializers read and write, by direction.

What follows for the contract's form stands in ``lintel.schemas.openapi``. Here, nested serializers
are references, choices are named, and what is not known is not constrained.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cached_property
from typing import Any

from django.conf import settings
from django.core.validators import RegexValidator
from django.utils.encoding import force_str
from django.utils.functional import Promise
from django.utils.functional import cached_property as django_cached_property

from lintel import serializers
from lintel.fields import _UnvalidatedField, empty
from lintel.iso8601 import is_iso
from lintel.provenance import is_class_of_ours, is_ours, reached
from lintel.schemas import constraints
from lintel.schemas.annotations import return_type, serializer_type, type_schema
from lintel.schemas.columns import (
    column_at,
    column_of,
    column_schema,
    may_be_blank,
    reads_null,
)
from lintel.schemas.components import add_direction, add_shared, fields_of
from lintel.schemas.enums import camel_case, enum_reference
from lintel.schemas.inspection import Inspection, current, memory, warn_of
from lintel.schemas.markers import NamedOverride, field_override, serializer_options
from lintel.schemas.tree import RESPONSE
from lintel.serializers.unknown import forbids_unknown
from lintel.settings import api_settings
from lintel.utils import json
from lintel.utils.encoders import JSONEncoder

Schema = dict[str, Any]


def is_response(inspection: Inspection | None) -> bool:
    """Whether values are described that clients receive."""
    return inspection is None or inspection.direction == RESPONSE


# ---- serializers ----


def describe_serializer(schema: Any, serializer: Any) -> Schema:
    """The objects that a serializer reads, or writes, by the direction of the description."""
    if isinstance(serializer, serializers.UnionSerializer):
        return describe_union(schema, serializer)
    receives = is_response(current())
    options = serializer_options(serializer)
    excluded = options.get("exclude_fields", ())
    fields = [
        each
        for each in fields_of(serializer).values()
        if _travels(each, receives) and each.field_name not in excluded
    ]
    names = {id(each): schema.get_field_name(each) for each in fields}
    described: Schema = {
        "type": "object",
        "properties": {names[id(each)]: known_property(schema, each) for each in fields},
    }
    required = [names[id(each)] for each in _demanded(serializer, fields, receives)]
    if required:
        described["required"] = required
    if not receives and forbids_unknown(serializer):
        described["additionalProperties"] = False
    described.update(options.get("extensions", {}))
    examples = [each.value for each in options.get("examples", ()) if each.fits(receives)]
    return {**described, **({"examples": examples} if examples else {})}


def describe_union(schema: Any, union: Any) -> Schema:
    """Objects of several kinds: one component for each, told apart by the discriminator."""
    base = schema.get_component_name(union)
    mapping = {}
    for kind, member in union.members.items():
        value = kind.value if isinstance(kind, Enum) else kind
        described = describe_kind(schema, member, union.discriminator, value)
        mapping[str(value)] = add_direction(f"{base}{camel_case(str(value))}", described)["$ref"]
    return {
        "oneOf": [{"$ref": reference} for reference in dict.fromkeys(mapping.values())],
        "discriminator": {"propertyName": union.discriminator, "mapping": mapping},
    }


def describe_kind(schema: Any, member: Any, discriminator: str, value: Any) -> Schema:
    """The objects of one kind, with the key that names it."""
    described = schema.map_serializer(member) if hasattr(member, "fields") else {}
    name = {**typed([value]), "enum": [value]}
    required = [each for each in described.get("required", ()) if each != discriminator]
    properties = {**described.get("properties", {}), discriminator: name}
    return {
        **described,
        "type": "object",
        "properties": {discriminator: name, **properties},
        "required": [discriminator, *required],
    }


def typed(values: list[Any]) -> Schema:
    """The type that values share, if they do."""
    kind = constraints.choice_type(values)
    return {"type": kind} if kind else {}


def _travels(field: Any, receives: bool) -> bool:
    if isinstance(field, serializers.HiddenField):
        return False
    return not (field.write_only if receives else field.read_only)


def _demanded(serializer: Any, fields: list[Any], receives: bool) -> list[Any]:
    """The fields that an object has to have."""
    if not receives:
        return [each for each in fields if each.required and not serializer.partial]
    if not _writes_fields(serializer):
        return []
    return [each for each in fields if _always_written(each, serializer)]


def _always_written(field: Any, serializer: Any) -> bool:
    """Whether an output without this field would be an error."""
    if field.required or field.allow_null or field.default is not empty or field.source == "*":
        return True
    model = getattr(getattr(serializer, "Meta", None), "model", None)
    if model is None:
        return bool(field.read_only)
    return _leads_on(model, field.source.split("."))


def _writes_fields(serializer: Any) -> bool:
    """Whether the output is made from the fields, and not by code of the project."""
    return is_ours(reached(type(serializer), "to_representation"))


def _leads_on(model: Any, names: list[str]) -> bool:
    """Whether an instance has a value under a dotted name, whatever its row is."""
    for number, name in enumerate(names):
        column = column_of(model, name)
        if column is None:
            return number == len(names) - 1 and hasattr(model, name)
        if number == len(names) - 1:
            return not getattr(column, "one_to_one", False) or bool(column.concrete)
        if not getattr(column, "many_to_one", False) or column.null:
            return False
        model = column.related_model
    return True


# ---- fields ----


#: Fields whose values look alike in both directions, whatever their settings.
ALIKE = frozenset(
    [
        serializers.BooleanField,
        serializers.CharField,
        serializers.ChoiceField,
        serializers.DecimalField,
        serializers.EmailField,
        serializers.FloatField,
        serializers.IntegerField,
        serializers.PrimaryKeyRelatedField,
        serializers.SlugField,
        serializers.URLField,
        serializers.UUIDField,
    ]
)


def known_property(schema: Any, field: Any) -> Schema:
    """A field with all that is said about it, once for both directions where they are alike."""
    inspection = current()
    if inspection is None or type(field) not in ALIKE or field.read_only or field.write_only:
        return describe_property(schema, field)
    known = inspection.properties
    if id(field) not in known:
        # The field is kept as well: its number is its own as long as it lives.
        known[id(field)] = field, describe_property(schema, field)
    return known[id(field)][1]


def describe_property(schema: Any, field: Any) -> Schema:
    """A field with all that is said about it."""
    described = dict(schema.map_field(field))
    receives = is_response(current())
    if field.read_only:
        described["readOnly"] = True
    if field.write_only:
        described["writeOnly"] = True
    if described and (field.allow_null or (receives and reads_null(field))):
        described.setdefault("nullable", True)
    _add_notes(field, described)
    if not described.keys() & {"$ref", "oneOf", "anyOf"}:
        schema.map_field_validators(field, described)
    _drop_unwritable(described)
    return or_blank(described) if may_be_blank(field) else described


def _add_notes(field: Any, described: Schema) -> None:
    """Add what is said about a field and not about its values."""
    if _shows_default(field) and _can_be_written(default := _plain(field, field.default)):
        described["default"] = default
    if field.help_text:
        described["description"] = force_str(field.help_text)
    if field.field_name in serializer_options(field.parent).get("deprecate_fields", ()):
        described["deprecated"] = True


def _drop_unwritable(described: Schema) -> None:
    for word in _BOUNDS & described.keys():
        if not _can_be_written(described[word]):
            del described[word]


_BOUNDS = frozenset(["minimum", "maximum", "multipleOf"])


def _can_be_written(value: Any) -> bool:
    """Whether JSON has words for a value of the project: not for infinity, or for any object."""
    if isinstance(value, str | int):
        return True
    try:
        json.dumps(value, cls=JSONEncoder)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


#: What the empty text may fall short of.
_DEMANDS = frozenset(["format", "minLength", "pattern", "not"])


def or_blank(described: Schema) -> Schema:
    """The values, or the empty text, which no other demand is made of."""
    if described.get("type") != "string" or not described.keys() & _DEMANDS:
        return described
    demands = {key: said for key, said in described.items() if key in _TEXT_WORDS}
    notes = {key: said for key, said in described.items() if key not in _TEXT_WORDS}
    return {"anyOf": [demands, {"type": "string", "maxLength": 0}], **notes}


#: Words about the text itself.
_TEXT_WORDS = _DEMANDS | {"type", "maxLength", "enum"}


def _shows_default(field: Any) -> bool:
    """Defaults are shown unless the value is a secret: what is only ever sent may be one."""
    default = field.default
    if default is None or default is empty or callable(default) or isinstance(default, Promise):
        return False
    return not field.write_only and not _is_password(field)


def _is_password(field: Any) -> bool:
    return bool(field.style.get("input_type") == "password")


def _plain(field: Any, default: Any) -> Any:
    """The default as it travels."""
    if isinstance(default, str | bool | int | float) and type(default) in (str, bool, int, float):
        return default
    try:
        return field.to_representation(default)
    except Exception:  # project code, and a default that need not be of the type of the field
        return default


def describe_field(schema: Any, field: Any) -> Schema:
    """The values of a field."""
    override = field_override(field)
    if override is not None:
        return override_schema(schema, override, field)
    found = _own_conversion(schema, field)
    if found is not None:
        return found
    describe = _description_of(type(field))
    return {} if describe is None else describe(schema, field)


def _description_of(cls: type) -> Callable[[Any, Any], Schema] | None:
    """How fields of a class are described, looked up once for each class."""
    known = memory()
    key = "kind", cls
    if key not in known:
        known[key] = next((each for kinds, each in FIELDS if issubclass(cls, kinds)), None)
    found: Callable[[Any, Any], Schema] | None = known[key]
    return found


def override_schema(schema: Any, override: Any, field: Any) -> Schema:
    """What ``@extend_schema_field`` said: a schema, a serializer, a field or a type."""
    if isinstance(override, NamedOverride):
        inner = override_schema(schema, override.described, field)
        return add_shared(override.component_name, inner)
    if isinstance(override, Mapping):
        return dict(override)
    if isinstance(override, serializers.BaseSerializer) or _is_class(
        override, serializers.BaseSerializer
    ):
        return serializer_type(schema, override)
    if isinstance(override, serializers.Field) or _is_class(override, serializers.Field):
        bound = override() if isinstance(override, type) else override
        return dict(schema.map_field(bound))
    return type_schema(schema, override, *places_of(field))


def _is_class(value: Any, base: type) -> bool:
    return isinstance(value, type) and issubclass(value, base)


def places_of(field: Any) -> tuple[Any, ...]:
    """The view, the serializer and the field, for a warning."""
    inspection = current()
    view = None if inspection is None else inspection.view
    return tuple(each for each in (view, field.parent, field) if each is not None)


def _own_conversion(schema: Any, field: Any) -> Schema | None:
    """What a field converts by code of the project: what that is annotated with, else anything.

    None where the conversion is known.
    """
    if is_class_of_ours(type(field)) or isinstance(field, serializers.BaseSerializer):
        return None
    name = "to_representation" if is_response(current()) else "to_internal_value"
    method = reached(type(field), name)
    if is_ours(method) and not _is_abstract(field):
        return None
    found = return_type(method, *places_of(field)) if method is not None else Any
    # What is read becomes an object of Python, whose type says nothing about the input.
    if name == "to_representation" and found is not inspect.Signature.empty and found is not Any:
        return type_schema(schema, found, *places_of(field))
    if name == "to_representation":
        warn_of(
            "nothing is known of the values it writes. Annotate what to_representation() returns, "
            "or use @extend_schema_field",
            *places_of(field),
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
    """Whether ``Meta.depth`` made a serializer: each field has another one, all of one name."""
    return is_class_of_ours(cls) and cls.__name__ == "NestedSerializer"


def _serializers(schema: Any, field: Any) -> Schema:
    found = {"type": "array", "items": schema.map_field(field.child)}
    if getattr(field, "allow_empty", True) is False:
        found["minItems"] = 1
    return found


def _custom_serializer(schema: Any, field: Any) -> Schema:
    method = reached(type(field), "to_representation")
    found = return_type(method) if is_response(current()) else inspect.Signature.empty
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
    """The model that a relation leads to; of one that only reads, by way of the serializer."""
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
    """The type that a property or method of a model is annotated with."""
    found = inspect.getattr_static(model, name, None) if model is not None else None
    if isinstance(found, property):
        found = found.fget
    elif isinstance(found, cached_property | django_cached_property):
        found = found.func
    if not callable(found):
        return {}
    kind = return_type(found, *places_of(field))
    if kind is inspect.Signature.empty:
        return {}
    return type_schema(schema, kind, *places_of(field))


def _method(schema: Any, field: Any) -> Schema:
    method = getattr(type(field.parent), field.method_name or "", None)
    if method is None:
        warn_of(f"there is no method {field.method_name}()", *places_of(field))
        return {}
    override = field_override(method)
    if override is not None:
        return override_schema(schema, override, field)
    kind = return_type(method, *places_of(field))
    if kind is inspect.Signature.empty:
        warn_of(
            f"nothing is known of its values. Annotate what {field.method_name}() returns, or use "
            "@extend_schema_field",
            *places_of(field),
        )
        return {}
    return type_schema(schema, kind, *places_of(field))


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
    """The values inside a list or an object."""
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


def _file(schema: Any, field: Any) -> Schema:
    if not is_response(current()):
        return {"type": "string", "format": "binary"}
    described: Schema = {"type": "string"}
    if field.use_url:
        described["format"] = "uri"
    # A row without a file has no address.
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
    # RFC 3339 asks for an offset, which times have that know their zone.
    is_standard = _is_iso(field) and settings.USE_TZ
    return {"type": "string", "format": "date-time"} if is_standard else {"type": "string"}


def _date(schema: Any, field: Any) -> Schema:
    return {"type": "string", "format": "date"} if _is_iso(field) else {"type": "string"}


def _is_iso(field: Any) -> bool:
    if is_response(current()):
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


#: Kinds of fields and how each is described; the first that fits counts.
FIELDS: list[tuple[Any, Callable[[Any, Any], Schema]]] = [
    (serializers.ListSerializer, _serializers),
    (serializers.Serializer, _reference),
    (serializers.BaseSerializer, _custom_serializer),
    (serializers.ManyRelatedField, _related_many),
    (serializers.PrimaryKeyRelatedField, _primary_key),
    (serializers.SlugRelatedField, _slug),
    (
        serializers.HyperlinkedRelatedField,
        lambda schema, field: {"type": "string", "format": "uri"},
    ),
    (serializers.StringRelatedField, lambda schema, field: {"type": "string"}),
    (serializers.MultipleChoiceField, _many_choices),
    # Its choices are the names of files of the server.
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


# ---- validators ----

_UNKNOWN_TO_ECMA = re.compile(r"\(\?[aiLmsux-]+[:)]|\(\?P[=>]|\(\?#|\(\?\(|\\[bB]\{")


def ecma_pattern(pattern: str) -> str | None:
    """A regular expression of Python in the dialect of ECMA 262; None where it has no words."""
    if _UNKNOWN_TO_ECMA.search(pattern):
        return None
    return (
        pattern.replace("(?P<", "(?<").replace("\\Z", "$").replace("\\z", "$").replace("\\A", "^")
    )


def describe_validators(field: Any, described: Schema) -> None:
    """Add what the validators of a field demand, in words that fit the type of the values."""
    added: Schema = {}
    constraints.map_validators(field, added)
    _describe_patterns(field, added)
    kind = described.get("type")
    for word, value in added.items():
        if WORDS.get(word) in (kind, None) or (kind == "integer" and WORDS[word] == "number"):
            described[word] = _number(value) if WORDS.get(word) == "number" else value


def _describe_patterns(field: Any, added: Schema) -> None:
    """Put the pattern in words that mean the same to readers; leave out what has none."""
    added.pop("pattern", None)
    for validator in field.validators:
        if not isinstance(validator, RegexValidator):
            continue
        regex: Any = validator.regex
        if regex.flags & ~re.UNICODE or (pattern := ecma_pattern(regex.pattern)) is None:
            continue
        if not validator.inverse_match:
            added["pattern"] = pattern
        else:
            added["not"] = {"pattern": pattern}


#: The type of values that a word is about; None for any.
WORDS = {
    "minLength": "string",
    "maxLength": "string",
    "pattern": "string",
    "not": "string",
    "format": "string",
    "minItems": "array",
    "maxItems": "array",
    "minimum": "number",
    "maximum": "number",
    "multipleOf": "number",
}


def _number(value: Any) -> Any:
    return value if isinstance(value, int | float) else float(value)
