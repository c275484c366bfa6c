"""The shape of a schema: references followed, ``allOf`` joined, dialects unified.

OpenAPI 2.0, 3.0 and 3.1 write null, exclusive bounds and single values differently; a shape
has one form for all, so that a new version of the format alone is not a change.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lintel_contract.places import Document, Place

#: Maximum joins of one schema; a longer chain of allOf is a mistake or an attack.
MOST_PARTS = 2_000

Places = tuple[Place, ...]

_INFERRED = {"properties": "object", "additionalProperties": "object", "items": "array"}


#: Keywords that do not restrict values, except whether null fits.
_WORDS = {"title", "description", "example", "examples", "externalDocs", "nullable", "x-nullable"}


#: Keywords that restrict nothing, by themselves.
_ANNOTATIONS = frozenset([*_WORDS, "default", "deprecated", "readOnly", "writeOnly"])

#: Keywords of a schema that does nothing but list values.
_OF_LISTS = frozenset([*_WORDS, "$ref", "type", "enum", "const"])


def identity(value: Any) -> str:
    """Return a text that is the same for two JSON values only if they are equal.

    True is not 1, 1 is 1.0.
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, sort_keys=True, default=str)


@dataclass(frozen=True)
class Bound:
    """A lower or upper bound of numbers; ``exclusive`` if the bound itself is excluded."""

    value: float
    exclusive: bool


class Shape:
    """The constraints of a schema, from all of its parts."""

    def __init__(self, document: Document, places: Places, step: Callable[[int], None]) -> None:
        self.document = document
        self._step = step
        self.parts: Places = tuple(_parts(document, places, step))
        self.key: tuple[str, ...] = tuple(part.pointer for part in self.parts)

    @property
    def place(self) -> Place | None:
        """Return its place for messages."""
        return self.parts[0] if self.parts else None

    def values(self, keyword: str) -> list[Any]:
        return [part.value[keyword] for part in self.parts if part.has(keyword)]

    def first(self, keyword: str) -> Any:
        """Return the value of a keyword in the first part that has it."""
        return next(iter(self.values(keyword)), None)

    def flag(self, keyword: str) -> bool:
        """Return whether a keyword is true in some part."""
        return any(value is True for value in self.values(keyword))

    @property
    def is_anything(self) -> bool:
        """Return whether every value fits: ``true``, ``{}``, or annotations alone."""
        return all(part.value in (True, None) or _says_nothing(part) for part in self.parts)

    @cached_property
    def types(self) -> frozenset[str] | None:
        """Return the types except null; None if any type fits."""
        stated = [types for types in map(_types, self.parts) if types is not None]
        if stated:
            return _joined_types(stated) - {"null"}
        if self.choices is not None:
            return frozenset(map(_type_of, self.choices.values()))
        for keyword, name in _INFERRED.items():
            if self.values(keyword):
                return frozenset({name})
        return None

    @cached_property
    def allows_null(self) -> bool | None:
        """Return whether null fits; None if there is no type."""
        if any(_is_nullable(self.document, part) for part in self.parts):
            return True
        return None if self.types is None else False

    @cached_property
    def choices(self) -> dict[str, Any] | None:
        """Return the allowed values except null, by identity; None if any value is allowed."""
        lists = [value for value in self.values("enum") if isinstance(value, list)]
        lists += [[value] for value in self.values("const")]
        lists += self._listed
        if not lists:
            return None
        choices = {identity(value): value for value in lists[0] if value is not None}
        for further in lists[1:]:
            allowed = {identity(value) for value in further}
            choices = {key: value for key, value in choices.items() if key in allowed}
        return choices

    @cached_property
    def _listed(self) -> list[list[Any]]:
        """The values of each ``oneOf`` and ``anyOf`` whose alternatives only list values."""
        every = [
            _values_of(self.document, part, keyword)
            for part in self.parts
            for keyword in ("oneOf", "anyOf")
        ]
        lists = [values for values in every if values is not None]
        self._step(sum(map(len, lists)))
        return lists

    @cached_property
    def properties(self) -> dict[str, Places]:
        """Return the schemas of each property, from all parts."""
        properties: dict[str, Places] = {}
        for part in self.parts:
            for name, place in part.members("properties").items():
                properties[name] = (*properties.get(name, ()), place)
        return properties

    @cached_property
    def required(self) -> set[str]:
        lists = [value for value in self.values("required") if isinstance(value, list)]
        return {name for names in lists for name in names if isinstance(name, str)}

    @property
    def is_closed(self) -> bool:
        """Return whether further properties are excluded."""
        keywords = ("additionalProperties", "unevaluatedProperties")
        return any(value is False for keyword in keywords for value in self.values(keyword))

    def schemas(self, keyword: str) -> Places:
        """Return the schemas that a keyword contains, in all parts."""
        return tuple(
            part.at(keyword)
            for part in self.parts
            if part.has(keyword) and isinstance(part.value[keyword], dict | bool)
        )

    @cached_property
    def variants(self) -> list[Place]:
        """Return the alternatives of ``oneOf`` and ``anyOf``, except null and lists of values."""
        variants = [
            variant
            for part in self.parts
            for keyword in ("oneOf", "anyOf")
            if _values_of(self.document, part, keyword) is None
            for variant in part.elements(keyword)
            if not _is_null(self.document, variant)
        ]
        return variants if len(variants) > 1 else []

    def bound(self, upper: bool) -> Bound | None:
        """Return the tightest lower or upper bound of numbers."""
        ends = [end for part in self.parts for end in _ends(part, upper)]
        if not ends:
            return None
        sign = -1 if upper else 1
        return max(ends, key=lambda end: (sign * end.value, end.exclusive))

    def number(self, keyword: str, narrowest: Callable[[Iterable[float]], float]) -> float | None:
        """Return the tightest number of a keyword."""
        numbers = [value for value in self.values(keyword) if _is_number(value)]
        return narrowest(numbers) if numbers else None


def _parts(document: Document, places: Places, step: Callable[[int], None]) -> list[Place]:
    waiting = list(reversed(places))
    parts: dict[str, Place] = {}
    while waiting and len(parts) < MOST_PARTS:
        place = waiting.pop()
        step(_weight(place.value))
        target = document.follow(place)
        if target is not place:
            waiting.append(target)
            if not document.has_siblings or len(place.value) == 1:
                continue
            rest = {key: value for key, value in place.value.items() if key != "$ref"}
            place = Place(place.pointer, rest)
        if place.pointer in parts:
            continue
        parts[place.pointer] = place
        waiting.extend(reversed([*place.elements("allOf"), *_only_variant(document, place)]))
    return list(parts.values())


def _weight(value: Any) -> int:
    """Return the cost of inspecting a schema: its members, and theirs."""
    members = value.values() if isinstance(value, dict) else ()
    return 1 + sum(len(member) for member in members if isinstance(member, dict | list))


def _only_variant(document: Document, place: Place) -> list[Place]:
    """Return the only alternative beside null, if there is one: its constraints apply."""
    for keyword in ("oneOf", "anyOf"):
        variants = [each for each in place.elements(keyword) if not _is_null(document, each)]
        if len(variants) == 1:
            return variants
    return []


def _values_of(document: Document, place: Place, keyword: str) -> list[Any] | None:
    """Return the values of all alternatives; None if one of them is more than a list of values."""
    listed = [_listed_by(document, variant) for variant in place.elements(keyword)]
    values = [value for values in listed for value in values or ()]
    return None if None in listed or values.count(None) == len(values) else values


def _listed_by(document: Document, place: Place) -> list[Any] | None:
    target = document.follow(place)
    is_list = all(
        isinstance(each.value, dict) and each.value.keys() <= _OF_LISTS for each in (place, target)
    )
    if _is_null(document, place) or not is_list:
        return [None] if is_list else None
    place = target
    return [place.value["const"]] if place.has("const") else place.get("enum", list)


def has_null(document: Document, place: Place) -> bool:
    """Return whether null is one of the alternatives of a schema."""
    variants = (*place.elements("oneOf"), *place.elements("anyOf"))
    return any(_is_null(document, each) for each in variants)


def bare(place: Place) -> str:
    """Return a text that is the same for two schemas that differ only in null and annotations."""
    if not isinstance(place.value, dict):
        return identity(place.value)
    keywords = {key: value for key, value in place.value.items() if key not in _WORDS}
    types = keywords.get("type")
    if isinstance(types, list):
        others = [name for name in types if name != "null"]
        keywords["type"] = others[0] if len(others) == 1 else others
    return identity(keywords)


def _says_nothing(place: Place) -> bool:
    return isinstance(place.value, dict) and place.value.keys() <= _ANNOTATIONS


def _is_null(document: Document, place: Place) -> bool:
    # Generators share one component for null.
    place = document.follow(place)
    return place.get("type") in ("null", ["null"]) or place.get("enum", list) == [None]


def _is_nullable(document: Document, place: Place) -> bool:
    if place.get("nullable") is True or place.get("x-nullable") is True:
        return True
    types = _types(place)
    is_listed = types is None and None in place.get("enum", list, ())
    return is_listed or "null" in (types or ()) or has_null(document, place)


def _types(place: Place) -> frozenset[str] | None:
    stated = place.get("type", (str, list))
    if stated is None:
        return None
    names = [stated] if isinstance(stated, str) else stated
    return frozenset(name for name in names if isinstance(name, str))


def _joined_types(alternatives: list[frozenset[str]]) -> frozenset[str]:
    joined = alternatives[0]
    for types in alternatives[1:]:
        both = joined & types
        if "integer" in joined | types and "number" in joined | types:
            both |= {"integer"}
        joined = both
    return joined


_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}


def _type_of(value: Any) -> str:
    return _TYPES.get(type(value), "object")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def _ends(place: Place, upper: bool) -> list[Bound]:
    name, exclusive_name = (
        ("maximum", "exclusiveMaximum") if upper else ("minimum", "exclusiveMinimum")
    )
    bounds = []
    value, exclusive = place.get(name), place.get(exclusive_name)
    if _is_number(value):
        bounds.append(Bound(value, exclusive is True))
    if _is_number(exclusive):
        bounds.append(Bound(exclusive, True))
    return bounds
