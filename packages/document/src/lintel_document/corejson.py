"""Core JSON, the native format: JSON in which `_type` tells documents, links and errors.

Reading is forgiving: a value of the wrong type counts as missing. What no document can come from
(bad JSON or UTF-8, NaN and Infinity, no object at the top, nesting beyond MAX_DEPTH) is a
ParseError. The keys `_type` and `_meta` of data travel with one more leading underscore.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lintel_document import schemas
from lintel_document.codec import Codec
from lintel_document.document import Array, Document, Error, Object
from lintel_document.errors import EncodeError, ParseError
from lintel_document.jsontext import parse_json
from lintel_document.links import Field, Link
from lintel_document.urls import relative, resolve

__all__ = ["MAX_DEPTH", "CoreJSONCodec"]

# Deeper trees are refused in both directions: all code that walks a tree recurses.
MAX_DEPTH = 100

_RESERVED = re.compile(r"_+(?:type|meta)\Z")


class CoreJSONCodec(Codec):
    """Reads and writes Core JSON."""

    media_type = "application/coreapi+json"
    media_types = ("application/coreapi+json", "application/vnd.coreapi+json")
    format = "corejson"

    def decode(self, content: bytes, **options: Any) -> Any:
        """Return the Document or Error that the bytes hold; URLs resolve against `base_url`.

        A plain object at the top becomes the content of a Document without a URL. Raises
        ParseError, see the module.
        """
        base_url = options.get("base_url") or ""
        tree = _value(parse_json(content), base_url, 0)
        if isinstance(tree, Object):
            return Document(media_type=self.media_type, content=tree)
        if not isinstance(tree, Document | Error):
            raise ParseError("Core JSON must hold a document or an error at the top")
        return tree

    def encode(self, document: Any, **options: Any) -> bytes:
        """Return the tree as UTF-8, compact, or with 4 spaces of `indent` when that is true."""
        indented = bool(options.get("indent"))
        primitives = _primitives(document, "", 0)
        try:
            text = json.dumps(
                primitives,
                ensure_ascii=False,
                allow_nan=False,
                indent=4 if indented else None,
                separators=(",", ": ") if indented else (",", ":"),
            )
        except (TypeError, ValueError) as error:
            raise EncodeError(f"Core JSON cannot hold this tree: {error}") from error
        return _utf8(text)


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair has no UTF-8 form; the escape of JSON carries it.
        return re.sub(
            "[\ud800-\udfff]", lambda match: f"\\u{ord(match.group()):04x}", text
        ).encode()


# Reading: JSON text -> dictionaries and lists -> document.


def _value(raw: Any, base_url: str, depth: int) -> Any:
    if type(raw) is dict:
        _check_depth(depth, ParseError)
        kind = raw.get("_type")
        reader = _READERS.get(kind) if isinstance(kind, str) else None
        if reader is None:
            return Object._of(_content(raw, base_url, depth))
        return reader(raw, base_url, depth)
    if type(raw) is list:
        _check_depth(depth, ParseError)
        return Array._of([_value(item, base_url, depth + 1) for item in raw])
    return raw


def _content(raw: dict[str, Any], base_url: str, depth: int) -> dict[str, Any]:
    content = {}
    for key, value in raw.items():
        if key.startswith("_") and _RESERVED.match(key):
            if key[1] != "_":
                continue
            key = key[1:]
        content[key] = _value(value, base_url, depth + 1)
    return content


def _read_document(raw: dict[str, Any], base_url: str, depth: int) -> Document:
    meta = _mapping(raw, "_meta")
    url = resolve(base_url, _string(meta, "url"))
    return Document(
        url=url,
        title=_string(meta, "title"),
        description=_string(meta, "description"),
        media_type=CoreJSONCodec.media_type,
        content=_content(raw, url, depth),
    )


def _read_error(raw: dict[str, Any], base_url: str, depth: int) -> Error:
    title = _string(_mapping(raw, "_meta"), "title")
    return Error(title=title, content=_content(raw, base_url, depth))


def _read_link(raw: dict[str, Any], base_url: str, depth: int) -> Link:
    fields = raw.get("fields")
    return Link(
        url=resolve(base_url, _string(raw, "url")),
        action=_string(raw, "action"),
        encoding=_string(raw, "encoding"),
        transform=_string(raw, "transform"),
        title=_string(raw, "title"),
        description=_string(raw, "description"),
        fields=[_read_field(field) for field in fields if isinstance(field, dict)]
        if isinstance(fields, list)
        else None,
    )


def _read_field(raw: dict[str, Any]) -> Field:
    schema = raw.get("schema")
    return Field(
        name=_string(raw, "name"),
        required=raw.get("required") is True,
        location=_string(raw, "location"),
        schema=_read_schema(schema) if isinstance(schema, dict) else None,
    )


def _read_schema(raw: dict[str, Any]) -> schemas.Schema:
    kind = schemas.BY_TYPE_NAME.get(_string(raw, "_type"), schemas.Anything)
    texts = {"title": _string(raw, "title"), "description": _string(raw, "description")}
    if kind is schemas.Enum:
        values = raw.get("enum")
        return schemas.Enum(enum=values if isinstance(values, list) else (), **texts)
    return kind(**texts)


def _string(raw: dict[str, Any], key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else ""


def _mapping(raw: dict[str, Any], key: str) -> dict[str, Any]:
    value = raw.get(key)
    return value if isinstance(value, dict) else {}


_READERS: dict[str, Callable[[dict[str, Any], str, int], Any]] = {
    "document": _read_document,
    "link": _read_link,
    "error": _read_error,
}


# Writing: document -> dictionaries and lists.


def _primitives(value: Any, base_url: str, depth: int) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    _check_depth(depth, EncodeError)
    if isinstance(value, Link):
        return _link_primitives(value, base_url)
    if isinstance(value, Document):
        return _document_primitives(value, base_url, depth)
    if isinstance(value, Error):
        head = {"_type": "error", **_meta(title=value.title)}
        return _with_content(head, value, base_url, depth)
    if isinstance(value, Mapping):
        return _with_content({}, value, base_url, depth)
    if isinstance(value, Array | list | tuple):
        return [_primitives(item, base_url, depth + 1) for item in value]
    raise EncodeError(f"Core JSON has no form for a value of type {type(value).__name__}")


def _document_primitives(document: Document, base_url: str, depth: int) -> dict[str, Any]:
    # The outermost document has nothing to be relative to.
    url = relative(base_url, document.url) if base_url else document.url
    head = {
        "_type": "document",
        **_meta(url=url, title=document.title, description=document.description),
    }
    return _with_content(head, document, document.url or base_url, depth)


def _meta(**texts: str) -> dict[str, Any]:
    given = {name: text for name, text in texts.items() if text}
    return {"_meta": given} if given else {}


def _with_content(
    head: dict[str, Any], content: Mapping[str, Any], base_url: str, depth: int
) -> dict[str, Any]:
    for key, value in content.items():
        if not isinstance(key, str):
            raise EncodeError(f"Core JSON has no form for the key {key!r}: keys are strings")
        if key.startswith("_") and _RESERVED.match(key):
            key = "_" + key
        head[key] = _primitives(value, base_url, depth + 1)
    return head


def _link_primitives(link: Link, base_url: str) -> dict[str, Any]:
    written: dict[str, Any] = {"_type": "link"}
    url = relative(base_url, link.url)
    for name, text in (
        ("url", url),
        ("action", link.action),
        ("encoding", link.encoding),
        ("transform", link.transform),
        ("title", link.title),
        ("description", link.description),
    ):
        if text:
            written[name] = text
    if link.fields:
        written["fields"] = [_field_primitives(field) for field in link.fields]
    return written


def _field_primitives(field: Field) -> dict[str, Any]:
    written: dict[str, Any] = {"name": field.sent_name}
    if field.required:
        written["required"] = True
    if field.location:
        written["location"] = field.location
    if field.schema is not None:
        written["schema"] = _schema_primitives(field.schema)
    return written


def _schema_primitives(schema: Any) -> dict[str, Any]:
    written = {
        "_type": schemas.type_name(schema),
        "title": schema.title or "",
        "description": schema.description or "",
    }
    if written["_type"] == "enum":
        written["enum"] = _enum_values(schema.enum)
    return written


def _enum_values(values: Iterable[Any]) -> list[Any]:
    return [_primitives(value, "", 1) for value in values]


def _check_depth(depth: int, error: type[Exception]) -> None:
    if depth > MAX_DEPTH:
        raise error(f"nested too deeply: more than {MAX_DEPTH} levels")
