"""What OpenAPI has no words for, in the extension `x-lintel-link`: written and read here.

URL templates beyond plain variables, fields without a location, transforms, and in version 2.0 all
that came after it. Other readers see an operation as near to it as OpenAPI can say.
"""

from collections.abc import Callable, Mapping
from typing import Any

from lintel_codecs.openapi.description import Description, Part, as_list, as_mapping, as_text
from lintel_document.fields import Field
from lintel_document.jsonschema import JSONSchema
from lintel_document.links import Link
from lintel_document.operations import Body

__all__ = ["EXTENSION", "read_native", "write_native"]

EXTENSION = "x-lintel-link"

_TEXTS = ("url", "action", "encoding", "transform", "path")
_FIELD_TEXTS = ("location", "style", "content_type", "wire_name")
_FIELD_FLAGS = ("required", "allow_reserved", "deprecated")


def write_native(link: Link, url: str, schema: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a link as it is, with an absolute URL; `schema` writes the schemas of fields."""
    texts = {name: getattr(link, name) for name in _TEXTS if getattr(link, name)}
    bodies = [
        {
            "media_type": body.media_type,
            "required": body.required,
            "fields": [_field(field, schema) for field in body.fields],
        }
        for body in link.bodies
    ]
    fields = [_field(field, schema) for field in link.fields]
    return {**texts, "url": url, "fields": fields, **({"bodies": bodies} if bodies else {})}


def read_native(description: Description, part: Part, link: Link) -> Link:
    """Return a link with what its extension says in place of what OpenAPI could say of it."""
    raw = part.inner(EXTENSION)
    if not isinstance(raw, Mapping):
        return link
    bodies = [
        Body(
            as_text(body.get("media_type")),
            _fields(description, part, body.get("fields")),
            body.get("required") is True,
        )
        for body in map(as_mapping, as_list(raw.get("bodies")))
    ]
    fields = _fields(description, part, raw.get("fields"))
    texts = {name: as_text(raw.get(name)) for name in _TEXTS}
    servers = link.servers if texts["path"] else ()
    return link.replace(**texts, bodies=bodies, fields=fields, servers=servers)


def _field(field: Field, schema: Callable[[Any], Any]) -> dict[str, Any]:
    written: dict[str, Any] = {"name": field.name}
    for name in (*_FIELD_TEXTS, *_FIELD_FLAGS, "description", "type", "example"):
        if getattr(field, name) not in (None, "", False):
            written[name] = getattr(field, name)
    if field.explode is not None:
        written["explode"] = field.explode
    if field.schema is not None:
        written["schema"] = schema(field.schema)
    if field.headers:
        written["headers"] = [_field(header, schema) for header in field.headers]
    return written


def _fields(description: Description, part: Part, raw: Any, depth: int = 0) -> tuple[Field, ...]:
    found = [as_mapping(field) for field in as_list(raw)] if depth < 2 else []
    return tuple(
        Field(
            schema=_schema(description, part, field.get("schema")),
            example=field.get("example"),
            explode=field["explode"] if isinstance(field.get("explode"), bool) else None,
            headers=_fields(description, part, field.get("headers"), depth + 1),
            **_plain_attributes(field),
        )
        for field in found
    )


def _schema(description: Description, part: Part, raw: Any) -> JSONSchema | None:
    if not isinstance(raw, Mapping):
        return None
    return JSONSchema(raw, description.references.definitions(part.place))


def _plain_attributes(field: Mapping[str, Any]) -> dict[str, Any]:
    texts = {name: as_text(field.get(name)) for name in ("name", *_FIELD_TEXTS)}
    optional = {name: as_text(field.get(name)) or None for name in ("description", "type")}
    return {**texts, **optional, **{name: field.get(name) is True for name in _FIELD_FLAGS}}
