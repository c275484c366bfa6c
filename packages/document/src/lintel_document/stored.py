"""Lossless JSON for the model: for storage on disk, and for what formats cannot express.

Objects of the model are JSON objects whose "_" names the class, with the attributes that differ
from the default. A JSON Schema is stored unchanged, with the number of its scope, in which
its references are looked up; everything referred to is stored once, in ``scopes``.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from lintel_document import operations, schemas
from lintel_document.document import Array, Document, Error, Node, Object
from lintel_document.errors import ParseError
from lintel_document.fields import Example, Field
from lintel_document.jsonschema import JSONSchema
from lintel_document.links import Link
from lintel_document.typecheck import checked_attributes

__all__ = [
    "DOCUMENT_ATTRIBUTES",
    "LINK_ATTRIBUTES",
    "Packer",
    "Unpacker",
    "made",
    "packed",
    "unpacked",
]

DOCUMENT_ATTRIBUTES = (
    *("url", "title", "description", "media_type", "version"),
    *("servers", "security_schemes", "issues", "tags"),
)
LINK_ATTRIBUTES = tuple(name.removeprefix("_") for name in Link.__slots__)


def packed(document: Document, answers: bool = True) -> bytes:
    """Return a document in its stored form, in one line; ``answers=False`` omits those."""
    packer = Packer(answers)
    tree = packer.value(document)
    # Packing referenced schemas may add further references.
    stored = {"document": tree, "scopes": packer.scopes()}
    return json.dumps(stored, ensure_ascii=True, separators=(",", ":"), default=str).encode()


def unpacked(content: bytes) -> Any:
    """Return the stored value. Raises ParseError."""
    try:
        stored = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"This is not a stored document: {error}") from error
    if not isinstance(stored, dict) or "scopes" not in stored:
        raise ParseError("This is not a stored document: there are no scopes")
    return Unpacker(stored["scopes"], checks=False).value(stored.get("document"))


class Packer:
    """Packs values, and records which references each scope must resolve."""

    def __init__(self, answers: bool) -> None:
        self._answers = answers
        self._numbers: dict[Callable[[str], Any], int] = {}
        self._lookups: list[Callable[[str], Any]] = []
        self._wanted: list[tuple[int, str]] = []

    def value(self, value: Any) -> Any:
        """Return a value of any kind as JSON."""
        if value is None or isinstance(value, str | bool | int | float):
            return value
        if isinstance(value, JSONSchema):
            return self._schema(value)
        if isinstance(value, Node | Link):
            return self._model(value)
        if is_dataclass(value):
            return {"_": _class_name(value), **self._attributes(value)}
        if isinstance(value, Mapping):
            return {
                "_": "dict",
                "items": {str(key): self.value(each) for key, each in value.items()},
            }
        if isinstance(value, Array | tuple):
            items = [self.value(each) for each in value]
            return {"_": "Array" if isinstance(value, Array) else "tuple", "items": items}
        return [self.value(each) for each in value] if isinstance(value, list) else str(value)

    def scopes(self) -> list[dict[str, Any]]:
        """Return, for each scope, what its references lead to."""
        found: dict[tuple[int, str], Any] = {}
        while self._wanted:
            scope, reference = self._wanted.pop()
            if (scope, reference) in found:
                continue
            target = self._lookups[scope](reference)
            if target is not None and not isinstance(target, JSONSchema):
                target = JSONSchema(target, self._lookups[scope])
            found[scope, reference] = None
            found[scope, reference] = self.value(target)
        scopes: list[dict[str, Any]] = [{} for _ in self._lookups]
        for (scope, reference), target in found.items():
            scopes[scope][reference] = target
        return scopes

    def _schema(self, schema: JSONSchema) -> dict[str, Any]:
        if schema.definitions is None:
            return {"_": "JSONSchema", "source": schema.source}
        number = self._numbers.setdefault(schema.definitions, len(self._lookups))
        if number == len(self._lookups):
            self._lookups.append(schema.definitions)
        self._wanted += [(number, reference) for reference in _references(schema.source)]
        return {"_": "JSONSchema", "source": schema.source, "scope": number}

    def _model(self, value: Any) -> dict[str, Any]:
        if isinstance(value, Link):
            names = [name for name in LINK_ATTRIBUTES if self._answers or name != "answers"]
            attributes = {name: getattr(value, name) for name in names}
            return {"_": "Link", **self._some(attributes, Link())}
        items = {key: self.value(each) for key, each in value.items()}
        packed: dict[str, Any] = {"_": type(value).__name__, "items": items}
        if isinstance(value, Document):
            packed |= self._some(
                {name: getattr(value, name) for name in DOCUMENT_ATTRIBUTES}, Document()
            )
        elif isinstance(value, Error):
            packed["title"] = value.title
        return packed

    def _some(self, attributes: dict[str, Any], default: Any) -> dict[str, Any]:
        """Return the attributes that differ from the defaults."""
        return {
            name: self.value(value)
            for name, value in attributes.items()
            if value != getattr(default, name)
        }

    def _attributes(self, value: Any) -> dict[str, Any]:
        return {
            each.name: self.value(getattr(value, each.name))
            for each in fields(value)
            if getattr(value, each.name) is not each.default or each.default is MISSING
        }


class Unpacker:
    """Restores packed values; references are resolved on demand.

    With ``checks``, for content from others, the types of all attributes are checked.
    """

    def __init__(self, scopes: Any, checks: bool = True) -> None:
        self._make = made if checks else _made
        listed = scopes if isinstance(scopes, list) else []
        self._lookups = [self._lookup(scope) for scope in listed]

    def value(self, value: Any) -> Any:
        """Return the value that a JSON value represents. Raises ParseError if it is invalid."""
        try:
            return self._value(value)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            raise ParseError(f"This is not the stored form of a value: {error}") from error

    def _value(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._value(each) for each in value]
        if not isinstance(value, dict):
            return value
        kind = value["_"]
        if kind == "JSONSchema":
            scope = value.get("scope")
            return JSONSchema(value["source"], None if scope is None else self._lookups[scope])
        # Members of containers are `items`; so is an attribute of other classes.
        unread = ("_", "items") if kind in _CONTAINERS else ("_",)
        attributes = {name: self._value(each) for name, each in value.items() if name not in unread}
        if kind in _CONTAINERS:
            return self._container(kind, value["items"], attributes)
        return self._make(_CLASSES[kind], attributes)

    def _container(self, kind: str, items: Any, attributes: dict[str, Any]) -> Any:
        if kind in ("tuple", "Array"):
            values = [self._value(each) for each in items]
            return tuple(values) if kind == "tuple" else Array(values)
        content = {key: self._value(each) for key, each in items.items()}
        return content if kind == "dict" else _CONTAINERS[kind](content, attributes)

    def _lookup(self, scope: Any) -> Callable[[str], Any]:
        def found(reference: str) -> Any:
            target = scope.get(reference) if isinstance(scope, dict) else None
            if not isinstance(target, dict) or target.get("_") != "JSONSchema":
                return None
            # Resolved on demand; a damaged schema then counts as a missing one.
            with suppress(ParseError):
                return self.value(target)
            return None

        return found


_CONTAINERS: dict[str, Callable[[Any, Any], Any]] = {
    "Document": lambda content, rest: Document(content=content, **rest),
    "Error": lambda content, rest: Error(content=content, **rest),
    "Object": lambda content, rest: Object(content),
    "dict": lambda content, rest: content,
    "tuple": lambda content, rest: content,
    "Array": lambda content, rest: content,
}


def _class_name(value: Any) -> str:
    name = type(value).__name__
    return f"schemas.{name}" if isinstance(value, schemas.Schema) else name


_CLASSES: dict[str, Any] = {
    "Link": Link,
    "Field": Field,
    "Example": Example,
    **{name: getattr(operations, name) for name in operations.__all__},
    **{f"schemas.{kind.__name__}": kind for kind in schemas.BY_TYPE_NAME.values()},
}


def made(kind: Any, attributes: Mapping[str, Any]) -> Any:
    """Return an object of the model. Raises TypeError for attributes that it cannot have."""
    return kind(**checked_attributes(kind, attributes))


def _made(kind: Any, attributes: Mapping[str, Any]) -> Any:
    return kind(**attributes)


def _references(source: Any) -> Iterator[str]:
    """Return the values of ``$ref`` at any depth."""
    waiting = [source]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            reference = value.get("$ref")
            if isinstance(reference, str):
                yield reference
            waiting += value.values()
        elif isinstance(value, list | tuple):
            waiting += value
