"""Values of forms: URL-encoded pairs, and parts of multipart bodies."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lintel_client.files import File, is_file
from lintel_client.nested_forms import NestedValue, document_part, nested_texts, nested_value
from lintel_client.styles import form_pairs, is_json
from lintel_client.values import as_text, as_texts, is_list, json_text
from lintel_document.links import Field

__all__ = ["FORM", "MULTIPART", "FormPart", "Pairs", "essence", "form_value"]

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


@dataclass(frozen=True, slots=True)
class FormPart:
    """One part of a multipart body with its own media type, headers or name."""

    content: Any
    content_type: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The names and values of one property of a URL-encoded form."""

    pairs: list[tuple[str, str]]


def essence(media_type: str) -> str:
    """Return a media type without its parameters, in lower case."""
    return media_type.partition(";")[0].strip().lower()


def form_value(encoding: str, value: Any, field: Field | None) -> Any:
    """Return the form value of a property: text, files, lists of them, parts or pairs.

    ``field`` belongs to a described form, which may contain objects: they are sent as JSON. Raises
    ValueError for values that a form cannot represent.
    """
    if essence(encoding) == FORM:
        return _pairs(value, field) if field else _texts(value)
    if field:
        return _parts(value, field)
    if is_file(value):
        return value
    if is_list(value):
        return [item if is_file(item) else as_text(item) for item in value]
    return as_text(value)


def _texts(value: Any) -> Any:
    return as_texts(value) if is_list(value) else as_text(value)


def _pairs(value: Any, field: Field) -> Pairs:
    name = field.sent_name
    if value is None:
        return Pairs([])
    if is_json(field.content_type):
        return Pairs([(name, json_text(value))])
    if field.style or field.explode is not None:
        return Pairs(form_pairs(field, value))
    values = value if is_list(value) else [value]
    return Pairs([(name, _text_or_json(item)) for item in values if item is not None])


def _text_or_json(value: Any) -> str:
    return json_text(value) if isinstance(value, Mapping) or is_list(value) else as_text(value)


def _parts(value: Any, field: Field) -> list[FormPart] | list[NestedValue]:
    document = document_part(field.style)
    if document:
        return [nested_value(document, field.sent_name, value)]
    if value is None:
        return []
    if document is not None:
        found = nested_texts(field.sent_name, value)
        return [FormPart(content, name=name) for name, content in found]
    if field.style or field.explode is not None:
        pairs = form_pairs(field, value)
        return [FormPart(text, headers=_headers(field), name=name) for name, text in pairs]
    whole = is_json(field.content_type) and not _has_items(field)
    values = value if is_list(value) and not whole else [value]
    return [_part(item, field) for item in values if item is not None]


def _has_items(field: Field) -> bool:
    """Return whether the media type of a list applies to each item (OpenAPI 3.1.1, 4.8.15)."""
    return getattr(field.schema, "type_name", "") == "array"


def _part(value: Any, field: Field) -> FormPart:
    headers = _headers(field)
    if is_file(value) or isinstance(value, bytes | bytearray):
        file = File("", bytes(value)) if isinstance(value, bytes | bytearray) else value
        return FormPart(file, _file_type(field.content_type), headers)
    if is_json(field.content_type):
        return FormPart(json_text(value), field.content_type, headers)
    if isinstance(value, Mapping) or is_list(value):
        return FormPart(json_text(value), field.content_type or "application/json", headers)
    return FormPart(as_text(value), _file_type(field.content_type), headers)


def _file_type(described: str) -> str:
    """Return the described media type, if it is a single one."""
    return "" if "," in described or "*" in described else described


def _headers(field: Field) -> tuple[tuple[str, str], ...]:
    """Return headers of a part with a fixed value: a constant, a default, an example."""
    found = []
    for header in field.headers:
        values: list[Any] = list(getattr(header.schema, "enum", ()))
        default = getattr(header.schema, "default", None)
        value = values[0] if default is None and len(values) == 1 else default
        value = header.example if value is None and header.required else value
        if value is not None:
            found.append((header.sent_name, as_text(value)))
    return tuple(found)
