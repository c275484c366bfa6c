"""The parameters of an operation as JSON Schema, and the arguments of a call."""

import base64
import binascii
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import islice
from typing import Any
from urllib.parse import unquote

from lintel_document.agents.messages import MAX_MESSAGES
from lintel_document.controls import printable
from lintel_document.jsonschema import json_schema
from lintel_document.links import Field, Link
from lintel_document.methods import is_safe
from lintel_document.uritemplates import variables

__all__ = ["CURSOR", "GivenFile", "Input", "Inputs", "closest", "given_file", "near", "shortened"]

CURSOR = "answer_cursor"
"""The argument that asks for what a cut answer left out."""

# The agent must not choose its identity: credentials are stored, and sent only to their host. Nor
# may a tool that reads become one that writes.
_OWN_HEADERS = frozenset(
    {
        *("authorization", "proxy-authorization", "cookie", "idempotency-key"),
        *("x-http-method-override", "x-http-method", "x-method-override"),
    }
)
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


OCTET_STREAM = "application/octet-stream"
_BODY = ("form", "body")
_QUERY = ("query", "querystring")
_LOCATIONS = frozenset({"path", "header", "cookie", *_BODY, *_QUERY})
# Locations whose values become part of the path.
_PATH_OPERATORS = frozenset({"", "+", "/", ".", ";"})
_MAX_ENCODINGS = 5
_LONGEST_KEY = 200


@dataclass(frozen=True, slots=True)
class Input:
    """One argument: its name for agents, its name for clients, and the field behind it."""

    name: str
    parameter: str
    field: Field
    is_file: bool


class Inputs:
    """The input of an operation. ``fields`` are those of the link that an agent may set."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.fields: list[Field] = [field for field in link.fields if not _is_own(field)]
        self.inputs = _named(_with_url_fields(link, self.fields), link)
        self._by_name = {each.name: each for each in self.inputs}
        self.cursor = CURSOR
        while self.cursor in self._by_name:
            self.cursor += "_"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the arguments, with all referenced schemas inside."""
        definitions: dict[str, Any] = {}
        properties = {each.name: _property(each, definitions) for each in self.inputs}
        required = [each.name for each in self.inputs if each.field.required]
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

    def __getitem__(self, name: str) -> Input:
        """Return the input of an argument. Raises KeyError for an unknown one."""
        return self._by_name[name]

    def unknown(self, arguments: Mapping[str, Any]) -> dict[str, str]:
        """Return a message for each argument that the operation does not take, and not for all."""
        known = ", ".join(self._by_name) or "none"
        unknown = (name for name in arguments if name not in self._by_name)
        return {
            name: f"Unknown argument{near(name, self._by_name)}; known arguments: {known}"
            for name in islice(unknown, MAX_MESSAGES)
        }

    def missing(self, arguments: Mapping[str, Any]) -> dict[str, str]:
        """Return a message for each required argument that is not given."""
        return {
            each.name: "This parameter is required."
            for each in self.inputs
            if each.field.required and each.name not in arguments
        }

    def misplaced(self, arguments: Mapping[str, Any]) -> dict[str, str]:
        """Return a message for each argument with dot segments in the path, however encoded.

        Percent-encoded slashes keep values in place, but some servers decode those first.
        """
        templated = variables(self.link.url)
        names = {each.name for each in templated if each.operator in _PATH_OPERATORS}
        return {
            name: "This argument must not contain dot segments."
            for name, value in arguments.items()
            if name in self._by_name
            and self._by_name[name].field.sent_name in names
            and self._by_name[name].field.location in ("path", "")
            and any(map(_leaves, _parts(value)))
        }

    def argument(self, parameter: str) -> str:
        """Return the argument for a parameter name of the client or of the wire."""
        found = sorted(self.inputs, key=lambda each: each.parameter != parameter)
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
        found = [each.name for each in self.inputs if each.field.location == "body"]
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


def closest(name: str, known: Iterable[str]) -> list[str]:
    """Return at most three names that are spelt alike, the nearest first."""
    return get_close_matches(name[:_LONGEST_KEY], list(known), n=3)


def near(name: str, known: Mapping[str, Any] | list[str]) -> str:
    """Return the suggestion of names that are spelt alike, empty without any."""
    found = closest(name, known)
    return f" (did you mean {' or '.join(found)}?)" if found else ""


def _parts(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [str(part) for pair in value.items() for part in pair]
    return [str(part) for part in value] if isinstance(value, list) else [str(value)]


def _leaves(text: str) -> bool:
    for _ in range(_MAX_ENCODINGS):
        if {".", ".."} & set(text.replace("\\", "/").split("/")):
            return True
        decoded = unquote(text)
        if decoded == text:
            return False
        text = decoded
    # Legitimate values are not encoded this often.
    return True


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


def _named(fields: list[Field], link: Link) -> list[Input]:
    """Return inputs with distinct names; the location distinguishes fields with the same name.

    What a write takes in both its query and its body is the value to write.
    """
    yielding = _yielding(fields, link)
    shared = Counter(field.name for at, field in enumerate(fields) if at not in yielding)
    made: dict[str, Input] = {}
    for at, field in enumerate(fields):
        alone = shared[field.name] == 1 or not field.location
        place = yielding.get(at) or ("" if alone else field.location)
        parameter = f"{place}.{field.name}" if place else field.name
        name = _free(parameter, made)
        about = f"In the query; {field.name} is in the body. " if at in yielding else ""
        made[name] = Input(name, parameter, _described(field, about), _is_file(field, link))
    return list(made.values())


def _yielding(fields: list[Field], link: Link) -> dict[int, str]:
    """Return where in the query a field is sent whose name a write has in its body, by position."""
    if is_safe(link.action):
        return {}
    templated = {each.name for each in variables(link.url) if each.operator in ("?", "&")}
    places = [_place(field, link, templated) for field in fields]
    in_body = {field.name for field, at in zip(fields, places, strict=True) if at in _BODY}
    return {
        at: place
        for at, (field, place) in enumerate(zip(fields, places, strict=True))
        if field.name in in_body and place in _QUERY
    }


def _place(field: Field, link: Link, templated: set[str]) -> str:
    if field.location == "path" and field.sent_name in templated:
        return "query"
    if field.location in _LOCATIONS:
        return field.location
    return "query" if link.action.lower() == "delete" else "form"


def _free(parameter: str, made: Mapping[str, Input]) -> str:
    """Return a name for an argument that no other has."""
    name = _NOT_NAME.sub("_", parameter)[:_LONGEST_NAME].strip("_") or "value"
    free, number = name, 1
    while free in made:
        number += 1
        free = f"{name[: _LONGEST_NAME - 4]}_{number}"
    return free


def _described(field: Field, about: str) -> Field:
    """Return a field with what is said of it, after ``about``, in a text that is not too long."""
    text = field.description or getattr(field.schema, "description", "") or ""
    return replace(field, description=f"{about}{text}".strip()[:_LONGEST_TEXT])


def _is_file(field: Field, link: Link) -> bool:
    if field.location not in ("form", "body", ""):
        return False
    is_upload = link.encoding == OCTET_STREAM and field.location != ""
    return is_upload or getattr(field.schema, "format", None) == "binary"


def _property(each: Input, definitions: dict[str, Any]) -> dict[str, Any]:
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


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file made of an agent's text, never read from a path."""

    name: str
    content: bytes
    content_type: str | None = None


def given_file(each: Input, value: Any) -> GivenFile | bytes | Any:
    """Return the file that an agent means, text as bytes, and anything else unchanged.

    Raises ValueError for a file without content.
    """
    if not isinstance(value, Mapping):
        return value.encode() if isinstance(value, str) else value
    name, kind = value.get("name"), value.get("content_type")
    return GivenFile(
        name if isinstance(name, str) else each.field.sent_name,
        _content(value),
        kind if isinstance(kind, str) else None,
    )


def _content(value: Mapping[str, Any]) -> bytes:
    text, encoded = value.get("text"), value.get("base64")
    if isinstance(text, str):
        return text.encode()
    try:
        return base64.b64decode(encoded if isinstance(encoded, str) else "?", validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("A file needs its content as `text` or `base64`") from None
