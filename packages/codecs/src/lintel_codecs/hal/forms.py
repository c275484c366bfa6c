"""The forms of HAL-FORMS (``_templates``) as links with fields, and back."""

import re
from collections.abc import Mapping
from typing import Any

from lintel_codecs.hal.links import extended, read_accept, template_fields, written_plainly
from lintel_codecs.issues import Issues, pointer
from lintel_document import schemas
from lintel_document.extension import Remainder
from lintel_document.links import Field, Link
from lintel_document.urls import resolve

__all__ = ["read_form", "written_form"]

JSON = "application/json"
_METHOD = re.compile(r"[A-Za-z][A-Za-z-]{0,30}")
_WITHOUT_BODY = frozenset({"get", "head", "delete"})
_NUMBERS = frozenset({"number", "range"})
_FORMATS = {
    "date": "date",
    "datetime-local": "date-time",
    "time": "time",
    "email": "email",
    "url": "uri",
    "password": "password",
}
_TYPES = {form: kind for kind, form in _FORMATS.items()}


def read_form(raw: Any, base_url: str, place: str, issues: Issues) -> Link | None:
    """Return a form as a link; None, with an issue, for an invalid one.

    Properties are sent in the body, or in the query of GET, HEAD and DELETE.
    """
    if not isinstance(raw, Mapping):
        issues.add(place, "The form must be an object")
        return None
    method = raw.get("method", "get")
    if not isinstance(method, str) or not _METHOD.fullmatch(method):
        issues.add(pointer(place, "method"), "This is not an HTTP method, so GET is used")
        method = "get"
    target = raw.get("target")
    url = resolve(base_url, target if isinstance(target, str) else "")
    location = "query" if method.lower() in _WITHOUT_BODY else "form"
    fields = (*template_fields(url), *_fields(raw, location, place, issues))
    encoding = JSON if any(field.location == "form" for field in fields) else ""
    return Link(
        url=url,
        action=method.lower(),
        encoding=_first_text(raw, ("encoding", "contentType"), encoding),
        transform=_text(raw, "transform"),
        title=_text(raw, "title"),
        description=_text(raw, "description"),
        fields=fields,
        deprecated=bool(raw.get("deprecation")),
        accept=read_accept(raw),
    )


def _fields(raw: Mapping[str, Any], location: str, place: str, issues: Issues) -> list[Field]:
    properties = raw.get("properties", [])
    if not isinstance(properties, list):
        issues.add(pointer(place, "properties"), "The properties of the form must be a list")
        return []
    found = []
    for at, each in enumerate(properties):
        if not isinstance(each, Mapping) or not isinstance(each.get("name"), str):
            where = pointer(place, "properties", at)
            issues.add(where, "The property of the form has no name")
        elif each.get("readOnly") is not True:
            found.append(_field(each, location))
    return found


def _field(raw: Mapping[str, Any], location: str) -> Field:
    prompt = _text(raw, "prompt")
    return Field(
        raw["name"], raw.get("required") is True, location, _schema(raw, prompt), prompt or None
    )


def _schema(raw: Mapping[str, Any], title: str) -> schemas.Schema:
    options = raw.get("options")
    values = options.get("inline") if isinstance(options, Mapping) else None
    default = raw.get("value")
    if isinstance(values, list):
        choices = [each.get("value") if isinstance(each, Mapping) else each for each in values]
        return schemas.Enum(enum=choices, title=title, default=default)
    kind = _text(raw, "type")
    if kind in _NUMBERS:
        return schemas.Number(
            minimum=_number(raw, "min"),
            maximum=_number(raw, "max"),
            title=title,
            default=default,
        )
    if kind == "checkbox":
        return schemas.Boolean(title=title, default=default)
    return schemas.String(
        format=_FORMATS.get(kind),
        pattern=_text(raw, "regex") or None,
        max_length=_length(raw, "maxLength"),
        min_length=_length(raw, "minLength"),
        title=title,
        default=default,
    )


def written_form(link: Link, base_url: str, remainder: Remainder) -> dict[str, Any]:
    """Return a form for a link that is not fetched with GET."""
    plain = written_plainly(link, base_url)
    written = {"method": (link.action or "get").upper(), "target": plain["href"]}
    for name in ("templated", "title", "description", "type", "accept", "deprecation"):
        if plain.get(name):
            written[name] = plain[name]
    if link.description:
        written["description"] = link.description
    if link.encoding:
        written["contentType"] = link.encoding
    elif any(field.location == "form" for field in link.fields):
        # Readers of HAL-FORMS use JSON by default.
        written["encoding"] = ""
    listed = [_property(field) for field in link.fields if field.location in ("", "form")]
    if listed:
        written["properties"] = listed
    return extended(written, link, base_url, read_form, remainder)


def _property(field: Field) -> dict[str, Any]:
    written: dict[str, Any] = {"name": field.sent_name}
    if field.required:
        written["required"] = True
    schema = field.schema
    prompt = field.description or getattr(schema, "title", "")
    if prompt:
        written["prompt"] = prompt
    values = getattr(schema, "enum", ())
    if values:
        written["options"] = {"inline": list(values)}
    kind = _input_type(schema)
    if kind:
        written["type"] = kind
    return written


def _input_type(schema: Any) -> str:
    kind = getattr(schema, "type_name", "")
    if kind in ("number", "integer"):
        return "number"
    if kind == "boolean":
        return "checkbox"
    return _TYPES.get(getattr(schema, "format", None) or "", "")


def _text(raw: Mapping[str, Any], name: str) -> str:
    value = raw.get(name)
    return value if isinstance(value, str) else ""


def _first_text(raw: Mapping[str, Any], names: tuple[str, ...], default: str) -> str:
    return next((raw[name] for name in names if isinstance(raw.get(name), str)), default)


def _number(raw: Mapping[str, Any], name: str) -> float | None:
    value = raw.get(name)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _length(raw: Mapping[str, Any], name: str) -> int | None:
    value = raw.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
