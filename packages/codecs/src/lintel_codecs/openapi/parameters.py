"""Parameters of an operation, and how each becomes text."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lintel_codecs.issues import pointer
from lintel_codecs.openapi.description import Description, Part, as_list, as_mapping, as_text
from lintel_codecs.openapi.examples import read_examples
from lintel_codecs.openapi.references import Place
from lintel_codecs.openapi.swagger import TAB_DELIMITED, new_parameter
from lintel_document.fields import Field

__all__ = ["merged_parameters", "read_parameters"]

# Header parameters of these names must be ignored (OpenAPI 3.1.1, 4.8.12.1).
IGNORED_HEADERS = frozenset({"accept", "content-type", "authorization"})
# These frame the message or name the host; callers cannot set them.
FRAMING_HEADERS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "upgrade"}
)
BODIES = frozenset({"body", "formData"})

_DELIMITED = ("spaceDelimited", "pipeDelimited", TAB_DELIMITED)
STYLES = {
    "path": ("simple", "label", "matrix", *_DELIMITED),
    "query": ("form", "deepObject", *_DELIMITED),
    "header": ("simple", *_DELIMITED),
    "cookie": ("form", "cookie"),
    "querystring": ("form",),
}
"""The styles of each location, the default first."""

_VARIABLE = re.compile(r"\{([^{}/]+)\}")


def merged_parameters(
    description: Description, sources: Iterable[tuple[Any, Place, str]], problems: list[str]
) -> list[Part]:
    """Return the parameters of an operation, then those of its path that it does not override.

    Says in ``problems`` which ones cannot be read.
    """
    found: dict[tuple[str, str], Part] = {}
    for nodes, place, at in sources:
        own: set[tuple[str, str]] = set()
        if nodes is not None and not isinstance(nodes, list):
            description.note(at, "Parameters must be a list")
        for number, node in enumerate(as_list(nodes)):
            part = _parameter(description, node, place, pointer(at, number), problems)
            if part is None:
                continue
            key = (part.node["in"], part.node["name"])
            if key in own:
                description.note(part.at, "The parameter is described twice", key[1])
            own.add(key)
            found.setdefault(key, part)
    return list(found.values())


def read_parameters(description: Description, parts: Iterable[Part], path: str) -> list[Field]:
    """Return the fields of all parameters outside the body, with one for each path variable.

    A variable that no parameter describes becomes a required field.
    """
    fields = [
        field
        for part in parts
        if part.inner("in") not in BODIES
        for field in _fields(description, part, path)
    ]
    described = {field.name for field in fields if field.location == "path"}
    for name in dict.fromkeys(_VARIABLE.findall(path)):
        if name not in described:
            fields.append(Field(name, True, "path", style="simple", explode=False))
    return fields


def _parameter(
    description: Description, node: Any, place: Place, at: str, problems: list[str]
) -> Part | None:
    part = description.part(node, place, at, "parameter", problems=problems)
    if part is None:
        return None
    name, location = part.inner("name"), part.inner("in")
    if not isinstance(name, str) or not name:
        description.note(at, "A parameter must have a name")
        return None
    legal = STYLES.keys() | (BODIES if description.is_old else set())
    if not isinstance(location, str) or location not in legal:
        description.note(at, f"A parameter cannot be sent in {location!r}", name)
        return None
    return part


def _fields(description: Description, part: Part, path: str) -> Iterator[Field]:
    name, location = part.node["name"], part.node["in"]
    if location == "header" and name.lower() in IGNORED_HEADERS:
        return
    if location == "header" and name.lower() in FRAMING_HEADERS:
        description.note(part.at, "Callers cannot set this header", name)
        return
    if location == "path" and f"{{{name}}}" not in path:
        description.note(part.at, f"The path {path} has no place for the parameter", name)
        return
    raw = new_parameter(part.node) if description.is_old else part.node
    content_type, media = _content(raw)
    example, examples = read_examples(description, media or raw, part)
    style, explode = _style(description, part, raw, location)
    yield Field(
        name=name,
        required=location == "path" or raw.get("required") is True,
        location=location,
        schema=description.schema(media.get("schema") if media else raw.get("schema"), part.place),
        description=as_text(raw.get("description")) or None,
        example=example,
        examples=examples,
        style=style,
        explode=explode,
        allow_reserved=raw.get("allowReserved") is True,
        content_type=content_type,
        deprecated=raw.get("deprecated") is True,
    )


def _content(raw: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    for media_type, media in as_mapping(raw.get("content")).items():
        return str(media_type), as_mapping(media)
    return "", {}


def _style(
    description: Description, part: Part, raw: Mapping[str, Any], location: str
) -> tuple[str, bool]:
    legal = STYLES[location]
    style = raw.get("style", legal[0])
    if style not in legal:
        message = f"The style {style!r} does not fit the location {location}: {legal[0]} is used"
        description.note(part.at, message, part.node["name"])
        style = legal[0]
    explode = raw.get("explode")
    return style, explode if isinstance(explode, bool) else style in (
        "form",
        "cookie",
        "deepObject",
    )
