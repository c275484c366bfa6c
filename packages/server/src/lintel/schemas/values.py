"""The full description of serializers: their objects, by direction and property."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any

from django.db.models import Model
from django.utils.encoding import force_str
from django.utils.functional import Promise

from lintel import serializers
from lintel.fields import Field, empty
from lintel.fields.columns import column_of
from lintel.fields.describing import Schema
from lintel.schemas.columns import may_be_blank, reads_null
from lintel.schemas.components import add_direction
from lintel.schemas.enums import camel_case, typed
from lintel.schemas.inspection import Inspection
from lintel.schemas.overrides import serializer_options
from lintel.schemas.parts import add_keys_of_parts
from lintel.schemas.texts import docstring_of, title_of
from lintel.serializers import Serializer
from lintel.serializers.unknown import forbids_unknown
from lintel.utils import json
from lintel.utils.encoders import JSONEncoder

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema


def describe_serializer(schema: AutoSchema, serializer: Serializer) -> Schema:
    if isinstance(serializer, serializers.UnionSerializer):
        return describe_union(schema, serializer)
    receives = schema.document_form.receives
    options = serializer_options(serializer)
    excluded = options.get("exclude_fields", ())
    travelling = [
        field
        for field in serializer.fields.values()
        if _travels(field, receives) and field.field_name not in excluded
    ]
    deprecated = options.get("deprecate_fields", ())
    fields: dict[str, Field] = {}
    properties: dict[str, Schema] = {}
    for member in travelling:
        said = describe_property(schema, member, receives, member.field_name in deprecated)
        if said is not None:
            name = schema.get_field_name(member)
            fields[name], properties[name] = member, said
    if not receives and getattr(getattr(serializer, "Meta", None), "nested", None):
        add_keys_of_parts(schema, serializer, properties)
    described: Schema = {"type": "object", "properties": properties}
    demands = demands_of(serializer, receives)
    required = [name for name, field in fields.items() if demands(field)]
    if required:
        described["required"] = required
    if not receives and forbids_unknown(serializer):
        described["additionalProperties"] = False
    text = options.get("description") or docstring_of(type(serializer))
    if text:
        described["description"] = force_str(text)
    described.update(options.get("extensions", {}))
    examples = [example.value for example in options.get("examples", ()) if example.fits(receives)]
    return {**described, **({"examples": examples} if examples else {})}


def describe_union(schema: AutoSchema, union: serializers.UnionSerializer) -> Schema:
    form = schema.document_form
    base = form.around[type(union)]
    mapping = {}
    for kind, member in union.members.items():
        value = kind.value if isinstance(kind, Enum) else kind
        described = describe_kind(schema, member, union.discriminator, value)
        name = f"{base}{camel_case(str(value))}"
        reference = add_direction(form.inspection, form.direction, name, described)
        mapping[str(value)] = reference["$ref"]
    return {
        "oneOf": [{"$ref": reference} for reference in dict.fromkeys(mapping.values())],
        "discriminator": {"propertyName": union.discriminator, "mapping": mapping},
    }


def describe_kind(schema: AutoSchema, member: Any, discriminator: str, value: object) -> Schema:
    described = schema.map_serializer(member) if hasattr(member, "fields") else {}
    name = {**typed([value]), "enum": [value]}
    required = [key for key in described.get("required", ()) if key != discriminator]
    properties = {**described.get("properties", {}), discriminator: name}
    return {
        **described,
        "type": "object",
        "properties": {discriminator: name, **properties},
        "required": [discriminator, *required],
    }


def _travels(field: Field, receives: bool) -> bool:
    return field.is_exchanged and not (field.write_only if receives else field.read_only)


def demands_of(serializer: Serializer, receives: bool) -> Callable[[Field], bool]:
    if not receives:
        return lambda field: field.required and not serializer.partial
    if type(serializer).to_representation is not Serializer.to_representation:
        return lambda field: False
    return lambda field: _always_written(field, serializer)


def _always_written(field: Field, serializer: Serializer) -> bool:
    if field.required or field.allow_null or field.source == "*":
        return True
    model = getattr(getattr(serializer, "Meta", None), "model", None)
    if model is None:
        return bool(field.read_only) or field.default is not empty
    # No default stands for what an object lacks in the response to a PATCH.
    return _leads_on(model, field.source.split("."))


def _leads_on(model: type[Model] | None, names: list[str]) -> bool:
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


def describe_property(
    schema: AutoSchema, field: Field, receives: bool, is_deprecated: bool
) -> Schema | None:
    """Return the schema of a property; None if the project leaves it out."""
    said: Schema | None = schema.map_field(field)
    if said is None:
        return None
    described = dict(said)
    if described and field.allow_null:
        described.setdefault("nullable", True)
    described |= _notes(schema, field, described)
    if is_deprecated:
        described["deprecated"] = True
    if schema.document_form.reader is not None:  # a map_field() that has seen the notes
        described |= {word: value for word, value in said.items() if word in NOTES}
    return _with_limits(schema, field, described, receives)


def _with_limits(schema: AutoSchema, field: Field, described: Schema, receives: bool) -> Schema:
    if _REFERRING.isdisjoint(described):
        schema.map_field_validators(field, described)
    if not _BOUNDS.isdisjoint(described):
        _drop_unwritable(described)
    blank = described.get("type") == "string" and may_be_blank(field)
    if "default" in described and not agrees(described, field, blank):
        del described["default"]
    if blank and described.keys() & _DEMANDS:
        described = or_blank(described)
    # Rows may have null in a field that does not accept it.
    if receives and described and "nullable" not in described and reads_null(field):
        described["nullable"] = True
    return described


def _notes(schema: AutoSchema, field: Field, described: Schema) -> Schema:
    """Return :func:`notes_of` a field, once for both directions: texts are translated each time."""
    inspection: Inspection = schema.document_form.inspection
    kind = described.get("type")
    key = notes_of, "$ref" in described, kind if type(kind) is str else None
    return inspection.once_for(field, key, notes_of, field, described)


#: Keywords of referring schemas, to which validators add nothing.
_REFERRING = frozenset(["$ref", "oneOf", "anyOf"])


#: Keywords about a value that constrain nothing.
NOTES = frozenset(["title", "description", "default", "deprecated", "readOnly", "writeOnly"])


def notes_of(field: Field, described: Schema) -> Schema:
    """Return what the field says of its values beside their type and their limits."""
    notes: Schema = {}
    is_named = field.label == str(field.field_name).replace("_", " ").capitalize()
    if not is_named and "$ref" not in described and (title := title_of(field)):
        notes["title"] = title
    kinds = _kinds_of(described, (str, bool, int, float))
    if field.read_only:
        notes["readOnly"] = True
    if field.write_only:
        notes["writeOnly"] = True
    if _shows_default(field) and _can_be_written(default := _plain(field, kinds)):
        notes["default"] = default
    if field.help_text:
        notes["description"] = force_str(field.help_text)
    return notes


def _drop_unwritable(described: Schema) -> None:
    for word in _BOUNDS & described.keys():
        if not _can_be_written(described[word]):
            del described[word]
    if isinstance(described.get("multipleOf"), float):
        # Validators divide binary numbers: to them, 4.35 is no multiple of 0.01.
        del described["multipleOf"]


_BOUNDS = frozenset(["minimum", "maximum", "multipleOf"])


def _can_be_written(value: object) -> bool:
    if isinstance(value, str | int):
        return True
    try:
        json.dumps(value, cls=JSONEncoder)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


#: Constraints that the empty text may violate.
_DEMANDS = frozenset(["format", "minLength", "pattern", "not"])


def or_blank(described: Schema) -> Schema:
    """Return the schema, or the empty text, which no other constraint applies to."""
    demands = {key: said for key, said in described.items() if key in _TEXT_WORDS}
    notes = {key: said for key, said in described.items() if key not in _TEXT_WORDS}
    return {"anyOf": [demands, {"type": "string", "maxLength": 0}], **notes}


#: Keywords about the text itself.
_TEXT_WORDS = _DEMANDS | {"type", "maxLength", "enum"}


def _shows_default(field: Field) -> bool:
    default = field.default
    if default is None or default is empty or callable(default) or isinstance(default, Promise):
        return False
    # Values that clients may not read may be secrets.
    return not field.write_only and field.style.get("input_type") != "password"


def agrees(described: Schema, field: Field, blank: bool) -> bool:
    """Return whether a default meets the limits beside it; servers do not validate defaults."""
    value = described["default"]
    if value == "" and blank:
        return True
    choices = getattr(field, "choice_strings_to_values", None)
    if choices is not None and not isinstance(value, list | set):
        return str(value) in choices or (value == "" and getattr(field, "allow_blank", False))
    kinds = _kinds_of(described, (object,))
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        return False
    return _is_within(described, value)


def _kinds_of(described: Schema, unknown: tuple[type, ...]) -> tuple[type, ...]:
    kind = described.get("type")
    return _KINDS.get(kind, unknown) if isinstance(kind, str) else unknown


def _is_within(described: Schema, value: object) -> bool:
    if isinstance(value, str):
        is_empty = value == "" and not _DEMANDS.isdisjoint(described)
        fits = _is_between(described, len(value), "minLength", "maxLength")
        return fits and not is_empty and _has_format(described.get("format"), value)
    if isinstance(value, list | tuple):
        return _is_between(described, len(value), "minItems", "maxItems")
    if isinstance(value, int | float):
        return _is_between(described, value, "minimum", "maximum")
    return True


def _has_format(name: object, text: str) -> bool:
    """Return whether a text is a date or a moment, if it has to be one (RFC 3339)."""
    if name not in ("date", "date-time"):
        return True
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return ("T" in text) is (name == "date-time")


def _is_between(described: Schema, size: float, least: str, most: str) -> bool:
    return described.get(least, size) <= size <= described.get(most, size)


#: The classes of defaults by type, as they are in the document.
_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (Mapping,),
}


def _plain(field: Field, kinds: tuple[type, ...]) -> object:
    default = field.default
    if type(default) in kinds and type(default) in (str, bool, int, float):
        return default
    try:
        return field.to_representation(default)
    except Exception:  # project code, and a default that may not have the type of the field
        return default
