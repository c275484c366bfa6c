"""Request bodies: one per media type, with its fields."""

from collections.abc import Iterator, Mapping
from typing import Any

from lintel_codecs.issues import pointer
from lintel_codecs.openapi.description import Description, Part, as_mapping, as_text
from lintel_codecs.openapi.examples import read_examples
from lintel_document.fields import Field
from lintel_document.jsonschema import JSONSchema
from lintel_document.operations import Body

__all__ = ["NESTED", "read_bodies"]

NESTED = "x-lintel-nested"
"""The extension of an encoding for objects in forms: the part that takes them as JSON, or ``""``
for names that lead to their values (``lines[0].photo``)."""

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
MAX_FIELDS = 2000
"""The most properties of a body that become fields of their own."""
MAX_ALL_FIELDS = 300_000
"""The most of all bodies together, those that share a schema counted once."""


def read_bodies(
    description: Description, part: Part, taken: set[str], problems: list[str]
) -> tuple[Body, ...]:
    """Return the bodies of a request, JSON first, then forms, then all others.

    ``taken`` are the names of the other parameters, which the name of the whole body avoids.
    ``problems`` says if a required body has no media type.
    """
    content = part.inner("content")
    required = part.inner("required") is True
    if not isinstance(content, Mapping) or not content:
        message = "A request body must have a media type"
        description.note(pointer(part.at, "content"), message)
        problems += [message] if required else []
        return ()
    bodies = [
        _body(description, part, media_type, media, required, taken)
        for media_type, media in _named_types(description, part, content).items()
    ]
    return tuple(sorted(bodies, key=lambda body: _rank(body.media_type)))


def _named_types(
    description: Description, part: Part, content: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return the media types of a body. One without a name is JSON if it is the only one."""
    if "" in content:
        description.note(pointer(part.at, "content", ""), "A media type has no name")
    named = {str(media_type): media for media_type, media in content.items() if media_type}
    return named or {"application/json": content[""]}


def is_json(media_type: str) -> bool:
    essence = media_type.partition(";")[0].strip().lower()
    return essence == "application/json" or essence.endswith("+json")


def _rank(media_type: str) -> int:
    if is_json(media_type):
        return 0
    return 1 if media_type.partition(";")[0].strip().lower() in FORMS else 2


def _body(
    description: Description,
    part: Part,
    media_type: str,
    media: Any,
    required: bool,
    taken: set[str],
) -> Body:
    at = pointer(part.at, "content", media_type)
    found = description.part(media, part.place, at, "media type", media_type)
    if found is None:
        return Body(media_type, (Field(_name(taken), required, "body"),), required)
    schema = description.schema(found.inner("schema"), found.place)
    properties = _shared_properties(description, found, schema, required, _rank(media_type))
    example, examples = read_examples(description, found.node, found)
    whole = Field(
        name=_name(taken | {field.name for field in properties}),
        required=required and not properties,
        location="body",
        schema=schema,
        description=as_text(part.inner("description")) or None,
        example=example,
        examples=examples,
    )
    return Body(media_type, (*properties, whole), required)


def _name(taken: set[str]) -> str:
    """Return the name of the whole body: ``body``, or another one if that is taken."""
    name = "body"
    while name in taken:
        name = f"whole_{name}"
    return name


def _shared_properties(
    description: Description, media: Part, schema: JSONSchema | None, required: bool, rank: int
) -> tuple[Field, ...]:
    """Return the fields of a body; bodies with the same schema share them."""
    if schema is None or rank > 1:
        return ()
    resolved = schema.resolved
    key = (id(resolved.source), required)
    if media.inner("encoding") or key not in description.bodies:
        found = tuple(_properties(description, media, resolved, required))
        if media.inner("encoding"):
            return (*found, *_undeclared(description, media, resolved)) if rank == 1 else found
        # The schema is kept with its fields, so that its id is not reused.
        description.bodies[key] = (resolved.source, found)
    return description.bodies[key][1]


def _properties(
    description: Description, media: Part, schema: JSONSchema, body_required: bool
) -> Iterator[Field]:
    required = set(schema.required) if body_required else set()
    encodings = as_mapping(media.inner("encoding"))
    for number, (name, inner) in enumerate(schema.properties.items()):
        description.fields += 1
        if number >= MAX_FIELDS or description.fields > MAX_ALL_FIELDS:
            description.note(
                media.at, "There are too many properties: they are sent only as the whole `body`"
            )
            return
        if name and inner.get("readOnly") is not True:
            encoding = as_mapping(encodings.get(name))
            yield _property(description, media, name, inner, encoding, name in required)


def _undeclared(description: Description, media: Part, schema: JSONSchema) -> Iterator[Field]:
    """Yield the properties whose encoding a form describes, but which its schema does not name."""
    anything = JSONSchema({}, description.references.definitions(media.place))
    for name, encoding in as_mapping(media.inner("encoding")).items():
        if name and name not in schema.properties:
            yield _property(description, media, str(name), anything, as_mapping(encoding), False)


def _property(
    description: Description,
    media: Part,
    name: str,
    schema: JSONSchema,
    encoding: Mapping[str, Any],
    required: bool,
) -> Field:
    explode = encoding.get("explode")
    headers = as_mapping(encoding.get("headers"))
    content_type = as_text(encoding.get("contentType"))
    return Field(
        name=name,
        required=required,
        location="form",
        schema=schema,
        description=schema.description or None,
        style=_style(encoding),
        explode=explode if isinstance(explode, bool) else None,
        allow_reserved=encoding.get("allowReserved") is True,
        content_type=content_type or as_text(schema.get("contentMediaType")),
        headers=tuple(_headers(description, media, headers)) if headers else (),
        deprecated=schema.get("deprecated") is True,
    )


def _style(encoding: Mapping[str, Any]) -> str:
    """Return the style of a property; ``nested:json`` for nested values in a part ``json``."""
    nested = encoding.get(NESTED)
    if not isinstance(nested, str):
        return as_text(encoding.get("style"))
    return f"nested:{nested}" if nested else "nested"


def _headers(description: Description, media: Part, headers: Mapping[str, Any]) -> Iterator[Field]:
    for name, node in headers.items():
        at = pointer(media.at, "encoding", name)
        part = description.part(node, media.place, at, "header", name)
        if part and name.lower() != "content-type":
            example, examples = read_examples(description, part.node, part)
            yield Field(
                name,
                part.inner("required") is True,
                "header",
                description.schema(part.inner("schema"), part.place),
                example=example,
                examples=examples,
            )
