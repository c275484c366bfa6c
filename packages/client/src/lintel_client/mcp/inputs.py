"""The parameters of an operation as JSON Schema, and conversion of arguments."""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from lintel_client.controls import printable
from lintel_client.errors import ParameterError
from lintel_client.files import File
from lintel_client.parameters import OCTET_STREAM, distinguished
from lintel_document.jsonschema import json_schema
from lintel_document.links import Field, Link
from lintel_document.uritemplates import variables

__all__ = ["CURSOR", "Inputs", "shortened"]

CURSOR = "answer_cursor"
"""The argument that asks for what a cut answer left out."""

# The agent must not choose its identity: credentials are stored, and sent only to their host.
_OWN_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "idempotency-key"})
_TEXTS = frozenset({"title", "description", "$comment"})
_NOT_NAME = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST_NAME = 64
_LONGEST_SCHEMA = 8_000
_LONGEST_TEXT = 1_000
_MANY_CHOICES = 40
_SHOWN_CHOICES = 20
_FILE = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "content_type": {"type": "string"},
        "text": {"type": "string"},
        "base64": {"type": "string"},
    },
    "description": "A file: its name, and its content as text or in base64",
}
_CURSOR_SCHEMA = {
    "type": "string",
    "description": "The cursor of a truncated result, to continue it; nothing is sent again",
}


@dataclass(frozen=True, slots=True)
class _Input:
    """One argument: its name for agents, its name for the client, and the field behind it."""

    name: str
    parameter: str
    field: Field
    is_file: bool


class Inputs:
    """The input of an operation. ``fields`` are those of the link that an agent may set."""

    def __init__(self, link: Link) -> None:
        link = distinguished(link)
        self.fields: list[Field] = [field for field in link.fields if not _is_own(field)]
        self._inputs = _named(_with_url_fields(link, self.fields), link)
        self._by_name = {each.name: each for each in self._inputs}
        self.cursor = CURSOR
        while self.cursor in self._by_name:
            self.cursor += "_"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the arguments, with all referenced schemas inside."""
        definitions: dict[str, Any] = {}
        properties = {each.name: _property(each, definitions) for each in self._inputs}
        required = [each.name for each in self._inputs if each.field.required]
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {**properties, self.cursor: _CURSOR_SCHEMA},
            "additionalProperties": False,
        }
        if required:
            schema["required"] = required
        whole = {**schema, "$defs": definitions} if definitions else schema
        cleaned: dict[str, Any] = _without_controls(whole)
        return cleaned

    def parameters(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of the client. Raises ParameterError for unknown arguments."""
        unknown = [name for name in arguments if name not in self._by_name]
        if unknown:
            known = ", ".join(self._by_name) or "none"
            raise ParameterError(
                dict.fromkeys(unknown, f"Unknown argument; known arguments: {known}")
            )
        return {
            self._by_name[name].parameter: _value(self._by_name[name], value)
            for name, value in arguments.items()
        }

    def argument(self, parameter: str) -> str:
        """Return the argument for a parameter name of the client or of the wire."""
        found = sorted(self._inputs, key=lambda each: each.parameter != parameter)
        for each in found:
            if parameter in (each.parameter, each.field.name, each.field.sent_name):
                return each.name
        return parameter

    def takes(self, name: str) -> bool:
        """Return whether an argument stands for a name on the wire."""
        return name in self._by_name or self.argument(name) != name

    @property
    def body(self) -> str:
        """Return the argument that is the whole body, empty if there is none."""
        found = [each.name for each in self._inputs if each.field.location == "body"]
        return found[0] if found else ""


def shortened(schema: Any) -> Any:
    """Return a JSON Schema in which long lists of choices are truncated."""
    if isinstance(schema, list):
        return [shortened(inner) for inner in schema]
    if not isinstance(schema, Mapping):
        return schema
    short = {key: shortened(inner) for key, inner in schema.items()}
    choices = short.get("enum")
    if isinstance(choices, list) and len(choices) > _MANY_CHOICES:
        del short["enum"]
        first = ", ".join(str(choice) for choice in choices[:_SHOWN_CHOICES])
        told = printable(f"One of {len(choices)} values: {first}, ...")
        short["description"] = " ".join(filter(None, [str(short.get("description", "")), told]))
    return short


def _without_controls(schema: Any) -> Any:
    """Return a JSON Schema whose texts do not act on their surroundings; values stay."""
    if isinstance(schema, list):
        return [_without_controls(inner) for inner in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        key: printable(inner)
        if key in _TEXTS and isinstance(inner, str)
        else _without_controls(inner)
        for key, inner in schema.items()
    }


def _is_own(field: Field) -> bool:
    if field.location == "cookie":
        return True
    return field.location == "header" and field.sent_name.lower() in _OWN_HEADERS


def _with_url_fields(link: Link, fields: list[Field]) -> list[Field]:
    """Return the fields, and one for each variable of the URL that no field describes."""
    described = {field.sent_name for field in fields if field.location == "path"}
    found = {each.name: each for each in variables(link.url) if each.name not in described}
    implied = [Field(name, not each.optional, "path") for name, each in found.items()]
    return [*implied, *(field for field in fields if field.name)]


def _named(fields: list[Field], link: Link) -> list[_Input]:
    """Return inputs with distinct names; the location distinguishes fields with the same name."""
    shared = [field.name for field in fields]
    made: dict[str, _Input] = {}
    for field in fields:
        alone = shared.count(field.name) == 1 or not field.location
        parameter = field.name if alone else f"{field.location}.{field.name}"
        name = _NOT_NAME.sub("_", parameter)[:_LONGEST_NAME].strip("_") or "value"
        free, number = name, 1
        while free in made:
            number += 1
            free = f"{name[: _LONGEST_NAME - 4]}_{number}"
        made[free] = _Input(free, parameter, _described(field), _is_file(field, link))
    return list(made.values())


def _described(field: Field) -> Field:
    text = field.description or getattr(field.schema, "description", "") or ""
    return replace(field, description=text[:_LONGEST_TEXT])


def _is_file(field: Field, link: Link) -> bool:
    if field.location not in ("form", "body", ""):
        return False
    is_upload = link.encoding == OCTET_STREAM and field.location != ""
    return is_upload or getattr(field.schema, "format", None) == "binary"


def _property(each: _Input, definitions: dict[str, Any]) -> dict[str, Any]:
    if each.is_file:
        return _FILE
    schema = json_schema(each.field.schema)
    if len(json.dumps(schema, default=str)) > _LONGEST_SCHEMA:
        kind = getattr(each.field.schema, "type_name", "")
        schema = {"type": kind} if kind in ("object", "array", "string") else {}
    schema = _hoisted(schema, each.name, definitions)
    if not schema.get("type") and isinstance(each.field.type, str) and not schema:
        schema = {"type": each.field.type} if each.field.type in _TYPES else {}
    if each.field.description:
        schema = {**schema, "description": each.field.description}
    if each.field.deprecated:
        schema = {**schema, "deprecated": True}
    return schema


_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object"})


def _hoisted(schema: dict[str, Any], name: str, definitions: dict[str, Any]) -> dict[str, Any]:
    """Move the definitions of one argument to the common ones, under unique names."""
    own = schema.pop("$defs", None)
    if not isinstance(own, Mapping):
        return schema
    prefix = f"{name}."
    definitions.update({prefix + inner: _renamed(value, prefix) for inner, value in own.items()})
    moved: dict[str, Any] = _renamed(schema, prefix)
    return moved


def _renamed(value: Any, prefix: str) -> Any:
    if isinstance(value, Mapping):
        return {
            key: f"#/$defs/{prefix}{inner[len('#/$defs/') :]}"
            if key == "$ref" and isinstance(inner, str) and inner.startswith("#/$defs/")
            else _renamed(inner, prefix)
            for key, inner in value.items()
        }
    return [_renamed(inner, prefix) for inner in value] if isinstance(value, list) else value


def _value(each: _Input, value: Any) -> Any:
    """Return the value for the client: files are made from the agent's text, never from a path."""
    if not each.is_file or not isinstance(value, Mapping):
        return value.encode() if each.is_file and isinstance(value, str) else value
    name = value.get("name")
    kind = value.get("content_type")
    return File(
        name if isinstance(name, str) else each.field.sent_name,
        _content(each, value),
        kind if isinstance(kind, str) else None,
    )


def _content(each: _Input, value: Mapping[str, Any]) -> bytes:
    text, encoded = value.get("text"), value.get("base64")
    if isinstance(text, str):
        return text.encode()
    try:
        return base64.b64decode(encoded if isinstance(encoded, str) else "?", validate=True)
    except (binascii.Error, ValueError):
        raise ParameterError(
            {each.parameter: "A file needs its content as `text` or `base64`"}
        ) from None
