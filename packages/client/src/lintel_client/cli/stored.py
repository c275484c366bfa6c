"""The form in which the command line keeps a document: JSON that loses nothing of the model.

Objects of the model are JSON objects whose "_" names the class, with the attributes that differ
from the default. A JSON Schema is kept as it was written, with the number of its scope, in which
its references are looked up; all that is referred to stands once, in `scopes`.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import lintel_document
from lintel_document import schemas
from lintel_document.corejson import CoreJSONCodec
from lintel_document.document import Array, Document, Error, Node, Object
from lintel_document.errors import ParseError
from lintel_document.jsonschema import JSONSchema
from lintel_document.links import Link

__all__ = ["packed", "unpacked"]

_DOCUMENT = (
    *("url", "title", "description", "media_type", "version"),
    *("servers", "security_schemes", "issues"),
)
_LINK = tuple(name.removeprefix("_") for name in Link.__slots__)


def packed(document: Document, answers: bool = True) -> bytes:
    """Return a document in its stored form, in one line; `answers` off leaves those out."""
    packer = _Packer(answers)
    tree = packer.value(document)
    # Packing what is referred to may refer to more.
    stored = {"document": tree, "scopes": packer.scopes()}
    return json.dumps(stored, ensure_ascii=True, separators=(",", ":"), default=str).encode()


def unpacked(content: bytes) -> Any:
    """Return what was stored, in this form or in Core JSON. Raises ParseError."""
    try:
        stored = json.loads(content)
        if not isinstance(stored, dict) or "scopes" not in stored:
            return CoreJSONCodec().decode(content)
        return _Unpacker(stored["scopes"]).value(stored["document"])
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise ParseError(f"This is no stored document: {error}") from error


class _Packer:
    """Packs values, and remembers which references each scope has to answer."""

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
            names = [name for name in _LINK if self._answers or name != "answers"]
            attributes = {name: getattr(value, name) for name in names}
            return {"_": "Link", **self._some(attributes, Link())}
        items = {key: self.value(each) for key, each in value.items()}
        packed: dict[str, Any] = {"_": type(value).__name__, "items": items}
        if isinstance(value, Document):
            packed |= self._some({name: getattr(value, name) for name in _DOCUMENT}, Document())
        elif isinstance(value, Error):
            packed["title"] = value.title
        return packed

    def _some(self, attributes: dict[str, Any], default: Any) -> dict[str, Any]:
        """The attributes that differ from those of a default."""
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


class _Unpacker:
    """Makes values of what was packed; references are looked up when they are asked for."""

    def __init__(self, scopes: list[dict[str, Any]]) -> None:
        self._scopes = scopes
        self._lookups = [self._lookup(scope) for scope in scopes]

    def value(self, value: Any) -> Any:
        """Return the value that a JSON value stands for."""
        if isinstance(value, list):
            return [self.value(each) for each in value]
        if not isinstance(value, dict):
            return value
        kind = value["_"]
        if kind == "JSONSchema":
            scope = value.get("scope")
            return JSONSchema(value["source"], None if scope is None else self._lookups[scope])
        attributes = {
            name: self.value(each) for name, each in value.items() if name not in ("_", "items")
        }
        if "items" in value and kind in _CONTAINERS:
            return self._container(kind, value["items"], attributes)
        return _class(kind)(**attributes)

    def _container(self, kind: str, items: Any, attributes: dict[str, Any]) -> Any:
        if kind in ("tuple", "Array"):
            made = [self.value(each) for each in items]
            return tuple(made) if kind == "tuple" else Array(made)
        content = {key: self.value(each) for key, each in items.items()}
        return content if kind == "dict" else _CONTAINERS[kind](content, attributes)

    def _lookup(self, scope: dict[str, Any]) -> Callable[[str], Any]:
        return lambda reference: self.value(scope.get(reference))


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


def _class(name: str) -> Any:
    """The class of the model with this name. Raises AttributeError for any other."""
    if name.startswith("schemas."):
        found = getattr(schemas, name.removeprefix("schemas."))
    else:
        found = getattr(lintel_document, name)
    if not (found is Link or is_dataclass(found)):
        raise AttributeError(f"{name} is no class of the document model")
    return found


def _references(source: Any) -> Iterator[str]:
    """The values of `$ref` at any depth."""
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
