"""Core JSON, the native format: JSON in which ``_type`` marks documents, links and errors.

Reading is lenient: a value of the wrong type counts as missing. Content without any document
(bad JSON or UTF-8, NaN and Infinity, no object at the top, nesting beyond MAX_DEPTH) is a
ParseError. Data keys ``_type`` and ``_meta`` are written with one more leading underscore.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from lintel_document import schemas
from lintel_document.codec import Codec
from lintel_document.document import Array, Document, Error, Object
from lintel_document.errors import EncodeError, ParseError
from lintel_document.extension import (
    EXTENSION,
    SCOPES,
    Remainder,
    completed_document,
    completed_link,
    uncompleted_link,
)
from lintel_document.jsontext import parse_json
from lintel_document.links import Field, Link
from lintel_document.stored import LINK_ATTRIBUTES, Unpacker
from lintel_document.urls import relative, resolve

__all__ = ["MAX_DEPTH", "CoreJSONCodec"]

# Deeper trees are rejected in both directions: all code that walks a tree recurses.
MAX_DEPTH = 100

_RESERVED = re.compile(r"_+(?:type|meta)\Z")


class CoreJSONCodec(Codec):
    """Reads and writes Core JSON."""

    media_type = "application/coreapi+json"
    media_types: tuple[str, ...] = ("application/coreapi+json", "application/vnd.coreapi+json")
    format = "corejson"

    def decode(self, content: bytes, **options: Any) -> Any:
        """Return the Document or Error in the bytes; URLs resolve against ``base_url``.

        A plain object at the top becomes the content of a Document without a URL. Raises
        ParseError, see the module.
        """
        base_url = options.get("base_url") or ""
        raw = parse_json(content)
        tree = _Reader(_scopes(raw)).value(raw, base_url, 0)
        if isinstance(tree, Object):
            return Document(media_type=self.media_type, content=tree)
        if not isinstance(tree, Document | Error):
            raise ParseError("The top level of Core JSON must be a document or an error")
        return tree

    def encode(self, document: Any, **options: Any) -> bytes:
        """Return the tree as UTF-8, compact, or indented by 4 spaces if ``indent`` is true.

        What Core JSON cannot express is written in the extension ``x-lintel`` of ``_meta`` and of
        links that come from a richer description: those with attributes, or fields with attributes,
        that Core JSON never had. The option ``extensions``, true or false, sets it for all links or
        none; why a link cannot be called is always written.
        """
        indented = bool(options.get("indent"))
        extensions = options.get("extensions")
        remainder = None if extensions is False else Remainder()
        writer = _Writer(remainder, _is_described if extensions is None else lambda link: True)
        primitives = writer.whole(document)
        try:
            text = json.dumps(
                primitives,
                ensure_ascii=False,
                allow_nan=False,
                indent=4 if indented else None,
                separators=(",", ": ") if indented else (",", ":"),
            )
        except (TypeError, ValueError) as error:
            raise EncodeError(f"Core JSON cannot represent this tree: {error}") from error
        return _utf8(text)


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        # UTF-8 cannot encode a lone surrogate, but a JSON escape can represent it.
        return re.sub(
            "[\ud800-\udfff]", lambda match: f"\\u{ord(match.group()):04x}", text
        ).encode()


# Reading: JSON text -> dictionaries and lists -> document.


def _scopes(raw: Any) -> Any:
    meta = _mapping(raw, "_meta") if isinstance(raw, dict) else {}
    return _mapping(meta, EXTENSION).get(SCOPES)


class _Reader:
    """Reads values; ``scopes`` resolve references of schemas in extensions."""

    def __init__(self, scopes: Any) -> None:
        self._unpacker = Unpacker(scopes)

    def value(self, raw: Any, base_url: str, depth: int) -> Any:
        if type(raw) is dict:
            _check_depth(depth, ParseError)
            kind = raw.get("_type")
            if kind == "link":
                return self._link(raw, base_url)
            if kind == "document":
                return self._document(raw, base_url, depth)
            content = self._content(raw, base_url, depth)
            if kind == "error":
                return Error(_string(_mapping(raw, "_meta"), "title"), content)
            return Object._of(content)
        if type(raw) is list:
            _check_depth(depth, ParseError)
            return Array._of([self.value(item, base_url, depth + 1) for item in raw])
        return raw

    def _content(self, raw: dict[str, Any], base_url: str, depth: int) -> dict[str, Any]:
        content = {}
        for key, value in raw.items():
            if key.startswith("_") and _RESERVED.match(key):
                if key[1] != "_":
                    continue
                key = key[1:]
            content[key] = self.value(value, base_url, depth + 1)
        return content

    def _document(self, raw: dict[str, Any], base_url: str, depth: int) -> Document:
        meta = _mapping(raw, "_meta")
        url = resolve(base_url, _string(meta, "url"))
        document = Document(
            url=url,
            title=_string(meta, "title"),
            description=_string(meta, "description"),
            media_type=CoreJSONCodec.media_type,
            content=self._content(raw, url, depth),
        )
        if EXTENSION not in meta:
            return document
        with suppress(ParseError):
            return completed_document(document, meta[EXTENSION], self._unpacker)
        return document

    def _link(self, raw: dict[str, Any], base_url: str) -> Link:
        link = _read_link(raw, base_url)
        if EXTENSION not in raw:
            return link
        # A damaged extension counts as missing, like every value of the wrong type.
        with suppress(ParseError):
            return completed_link(link, raw[EXTENSION], self._unpacker)
        return uncompleted_link(link, raw[EXTENSION])


def _read_link(raw: dict[str, Any], base_url: str) -> Link:
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


# Writing: document -> dictionaries and lists.


class _Writer:
    """Writes values; what links omit although it ``extends`` them goes to the ``remainder``."""

    def __init__(
        self, remainder: Remainder | None = None, extends: Callable[[Link], bool] = bool
    ) -> None:
        self._remainder = remainder
        self._extends = extends

    def whole(self, value: Any) -> Any:
        """Return the outermost value, including what extensions refer to."""
        written = self.value(value, "", 0)
        scopes = self._remainder.scopes() if self._remainder else []
        if scopes:
            written.setdefault("_meta", {}).setdefault(EXTENSION, {})[SCOPES] = scopes
        return written

    def value(self, value: Any, base_url: str, depth: int) -> Any:
        if value is None or isinstance(value, str | int | float):
            return value
        _check_depth(depth, EncodeError)
        if isinstance(value, Link):
            return self._link(value, base_url)
        if isinstance(value, Document):
            return self._document(value, base_url, depth)
        if isinstance(value, Error):
            head = {"_type": "error", **_meta(title=value.title)}
            return self._with_content(head, value, base_url, depth)
        if isinstance(value, Mapping):
            return self._with_content({}, value, base_url, depth)
        if isinstance(value, Array | list | tuple):
            return [self.value(item, base_url, depth + 1) for item in value]
        raise EncodeError(f"Core JSON cannot represent a value of type {type(value).__name__}")

    def _document(self, document: Document, base_url: str, depth: int) -> dict[str, Any]:
        # The outermost document has no base to be relative to.
        url = relative(base_url, document.url) if base_url else document.url
        meta = _meta(url=url, title=document.title, description=document.description)
        if self._remainder:
            again = Document(document.url, document.title, document.description)
            left = self._remainder.of_document(document, again)
            if left:
                meta.setdefault("_meta", {})[EXTENSION] = left
        head = {"_type": "document", **meta}
        return self._with_content(head, document, document.url or base_url, depth)

    def _with_content(
        self, head: dict[str, Any], content: Mapping[str, Any], base_url: str, depth: int
    ) -> dict[str, Any]:
        for key, value in content.items():
            if not isinstance(key, str):
                raise EncodeError(f"Core JSON cannot represent the key {key!r}: keys are strings")
            if key.startswith("_") and _RESERVED.match(key):
                key = "_" + key
            head[key] = self.value(value, base_url, depth + 1)
        return head

    def _link(self, link: Link, base_url: str) -> dict[str, Any]:
        written = _link_primitives(link, base_url)
        if self._remainder and self._extends(link):
            absolute = link.replace(url=resolve(base_url, link.url))
            left = self._remainder.of_link(absolute, _read_link(written, base_url))
            if left:
                written[EXTENSION] = left
        elif link.problem:
            # Without it, a client would call what it must not.
            written[EXTENSION] = {"problem": link.problem}
        return written


def _meta(**texts: str) -> dict[str, Any]:
    given = {name: text for name, text in texts.items() if text}
    return {"_meta": given} if given else {}


_PLAIN_LINK, _PLAIN_FIELD = Link(), Field("")
_LINK_EXTRAS = tuple(
    name
    for name in LINK_ATTRIBUTES
    if name not in ("url", "action", "encoding", "transform", "title", "description", "fields")
)
_FIELD_EXTRAS = (
    *("style", "explode", "allow_reserved", "content_type", "headers", "deprecated", "wire_name"),
    "examples",
)


def _is_described(link: Link) -> bool:
    """Return whether a link has attributes that only a richer description provides."""
    return any(getattr(link, name) != getattr(_PLAIN_LINK, name) for name in _LINK_EXTRAS) or any(
        getattr(field, name) != getattr(_PLAIN_FIELD, name)
        for field in link.fields
        for name in _FIELD_EXTRAS
    )


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
    return [_Writer().value(value, "", 1) for value in values]


def _check_depth(depth: int, error: type[Exception]) -> None:
    if depth > MAX_DEPTH:
        raise error(f"nested too deeply: more than {MAX_DEPTH} levels")
