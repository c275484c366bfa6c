"""Dates, UUIDs and decimals in answers, as their schemas describe them."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from functools import cached_property
from typing import Any
from uuid import UUID

from lintel_client.forms import essence
from lintel_document.jsonschema import MAX_REFERENCES, JSONSchema, json_schema
from lintel_document.links import Link
from lintel_document.operations import Answer
from lintel_document.schemas import Schema

__all__ = ["parsed"]

_DATE = r"\d{4}-\d\d-\d\d"
# Without what Python would cut off: its times have six digits after the second.
_TIME = r"\d\d:\d\d:\d\d(?:\.\d{1,6})?"
_ZONE = r"(?:Z|[+-]\d\d:\d\d)?"


def _strict(pattern: str, parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a function that raises ValueError for other spellings, which ``parse`` may accept."""
    fits = re.compile(pattern, re.ASCII | re.IGNORECASE).fullmatch

    def parsed(text: str) -> Any:
        if not fits(text):
            raise ValueError(text)
        return parse(text)

    return parsed


_PARSERS: Mapping[str, Callable[[str], Any]] = {
    "date": _strict(_DATE, date.fromisoformat),
    "date-time": _strict(f"{_DATE}[T ]{_TIME}{_ZONE}", datetime.fromisoformat),
    "decimal": _strict(r"-?\d+(?:\.\d+)?", Decimal),
    "time": _strict(_TIME + _ZONE, time.fromisoformat),
    "uuid": _strict("-".join(rf"[\da-f]{{{n}}}" for n in (8, 4, 4, 4, 12)), UUID),
}
_COMBINING = ("allOf", "anyOf", "oneOf")


def parsed(data: Any, link: Link, status: int, content_type: str) -> Any:
    """Return an answer with values for its texts of known formats, which JSON cannot tell apart.

    A text stays as it is where its schema, or the value itself, leaves the type open.
    """
    schema = _schema_of(link, status, content_type)
    return data if schema is None else _Shape([schema]).parse(data)


def _schema_of(link: Link, status: int, content_type: str) -> JSONSchema | None:
    answers = {answer.status.upper(): answer for answer in link.answers}
    names = (str(status), f"{status // 100}XX", "DEFAULT")
    answer = next((answers[name] for name in names if name in answers), None)
    schema = _content_of(answer, essence(content_type)) if answer else None
    if isinstance(schema, Schema) and not isinstance(schema, JSONSchema):
        return JSONSchema(json_schema(schema))
    return schema


def _content_of(answer: Answer, kind: str) -> Any:
    content = {essence(name): schema for name, schema in answer.content.items()}
    names = (kind, f"{kind.partition('/')[0]}/*", "*/*")
    return next((content[name] for name in names if name in content), None)


class _Shape:
    """All that schemas say of one place in the data."""

    def __init__(self, schemas: list[JSONSchema]) -> None:
        self._schemas = list(_parts(schemas))
        self._inner: dict[str, _Shape] = {}

    def parse(self, data: Any) -> Any:
        """Return a copy of the data with values for texts."""
        if isinstance(data, dict):
            return {name: self._at(name).parse(value) for name, value in data.items()}
        if isinstance(data, list):
            return [self._items.parse(item) for item in data]
        return self._value(data) if isinstance(data, str) and self._parser else data

    def _value(self, text: str) -> Any:
        try:
            return self._parser(text) if self._parser else text
        except ValueError:
            return text

    @cached_property
    def _parser(self) -> Callable[[str], Any] | None:
        """How to read a text here; None if the schemas differ."""
        texts = [each.source for each in self._schemas if _is_text(each.source)]
        formats = {source.get("format") for source in texts}
        return _PARSERS.get(str(formats.pop())) if len(formats) == 1 else None

    @cached_property
    def _items(self) -> "_Shape":
        return _Shape([_inner(each, each.source.get("items")) for each in self._schemas])

    def _at(self, name: str) -> "_Shape":
        if name not in self._inner:
            self._inner[name] = _Shape([_member(each, name) for each in self._schemas])
        return self._inner[name]


def _parts(schemas: list[JSONSchema]) -> Iterator[JSONSchema]:
    """Yield the schemas with those that they combine, each once."""
    seen: set[int] = set()
    waiting = [each.resolved for each in schemas]
    while waiting and len(seen) < MAX_REFERENCES * 4:
        schema = waiting.pop(0)
        if schema.source and id(schema.source) not in seen:
            seen.add(id(schema.source))
            yield schema
            listed = [schema.source.get(keyword) for keyword in _COMBINING]
            combined = [part for parts in listed if isinstance(parts, list) for part in parts]
            waiting += [_inner(schema, part).resolved for part in combined]


def _is_text(source: Mapping[str, Any]) -> bool:
    kind = source.get("type")
    return "string" in kind if isinstance(kind, list) else kind == "string"


def _member(schema: JSONSchema, name: str) -> JSONSchema:
    properties = schema.source.get("properties")
    if isinstance(properties, Mapping) and name in properties:
        return _inner(schema, properties[name])
    return _inner(schema, schema.source.get("additionalProperties"))


def _inner(schema: JSONSchema, source: Any) -> JSONSchema:
    return JSONSchema(source, schema.definitions)
