"""The current description: what the schema objects of views add to while they are asked.

Without one, or with one of version 3.0.2, schema objects answer in the form of the contract: one
component for both directions, only the success response. Later versions give the
full description.
"""

from __future__ import annotations

import inspect
import linecache
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from lintel.schemas.tree import RESPONSE, ResponseDescription, SecurityScheme

#: The version with the form of the contract, not a full description.
CONTRACT_VERSION = "3.0.2"

#: The first version of full descriptions.
FIRST_FULL = (3, 0, 3)


class MissingLibrary(ImproperlyConfigured):
    """A library that every operation needs is not installed: there is no point in going on."""


@dataclass
class Inspection:
    """The results so far, and the current position of the inspection."""

    version: str = CONTRACT_VERSION
    #: The version of the API that is described, None for all.
    api_version: str | None = None
    direction: str = RESPONSE
    #: The converters of the routes of each callback, and those of the current route, by name.
    routes: Mapping[Any, Mapping[str, Any]] = field(default_factory=dict)
    converters: Mapping[str, Any] = field(default_factory=dict)
    path: str = ""
    method: str = ""
    view: Any = None
    #: The schema object of the view.
    schema: Any = None
    #: The serializer of the current operation, once its view was asked.
    view_serializers: list[Any] = field(default_factory=list)
    #: Schemas by component name, then by direction; under None for any direction.
    components: dict[str, dict[str | None, Any]] = field(default_factory=dict)
    #: What each component was made from.
    sources: dict[str, Any] = field(default_factory=dict)
    #: The components being described, by serializer class: those inside them refer to them.
    around: dict[type, str] = field(default_factory=dict)
    #: Shared responses by name.
    responses: dict[str, ResponseDescription] = field(default_factory=dict)
    security_schemes: dict[str, SecurityScheme] = field(default_factory=dict)
    #: References to the components of classes that annotations name.
    objects: dict[type, dict[str, Any]] = field(default_factory=dict)
    warned: set[str] = field(default_factory=set)
    #: False for pages, which show what is known and leave warnings to the document.
    warns: bool = True
    #: False for lists of operations, which show no values: serializers are not described.
    shows_values: bool = True
    #: The version as numbers, so that 3.10 comes after 3.9; empty for other text of the project.
    number: tuple[int, ...] = field(init=False)
    #: Whether everything is described, not only what the contract has.
    is_full: bool = field(init=False)

    def __post_init__(self) -> None:
        self.number = number_of(self.version)
        self.is_full = FIRST_FULL <= self.number < (4,)


def number_of(version: str) -> tuple[int, ...]:
    """Return ``3.1.0`` as (3, 1, 0); empty for anything but a version of OpenAPI."""
    found = re.match(r"\d+(?:\.\d+)+", version)
    return tuple(map(int, found.group().split("."))) if found else ()


_current: ContextVar[Inspection | None] = ContextVar("lintel_inspection", default=None)
_full: ContextVar[Inspection | None] = ContextVar("lintel_full_inspection", default=None)

#: Returns the current full description, None if there is none. Called for each value.
current: Callable[[], Inspection | None] = _full.get


@contextmanager
def under_way(inspection: Inspection) -> Iterator[Inspection]:
    """Make this the current description, which schema objects add to."""
    token = _current.set(inspection)
    full = _full.set(inspection if inspection.is_full else None)
    try:
        yield inspection
    finally:
        _full.reset(full)
        _current.reset(token)


def under_way_or_new(version: str) -> Inspection:
    """Return the current description, of any version.

    If there is none, start one.
    """
    found = _current.get()
    return found if found is not None else Inspection(version=version)


@contextmanager
def towards(direction: str) -> Iterator[None]:
    """Describe values that are sent in this direction."""
    inspection = current()
    if inspection is None:
        yield
        return
    before, inspection.direction = inspection.direction, direction
    try:
        yield
    finally:
        inspection.direction = before


def warn_of(message: str, *places: Any) -> None:
    """Warn once about a part without a description; ``places`` are its view, serializer, field.

    The warning names the file and the line of the first of them that has one.
    """
    named = [name for name in map(_name, places) if name]
    text = f"{': '.join([*named, message])}{_source(places)}"
    inspection = _current.get()
    if inspection is not None:
        if text in inspection.warned or not inspection.warns:
            return
        inspection.warned.add(text)
    warnings.warn(text, stacklevel=3)


def _name(place: Any) -> str:
    field_name = getattr(place, "field_name", None)
    if isinstance(field_name, str) and field_name:
        return field_name
    owner = place if isinstance(place, type) or callable(place) else type(place)
    return str(getattr(owner, "__qualname__", ""))


def _source(places: tuple[Any, ...]) -> str:
    for place in places:
        owner = place if isinstance(place, type) or inspect.isroutine(place) else type(place)
        owner = _function_behind(owner) or owner
        try:
            file = inspect.getsourcefile(owner)
        except (OSError, TypeError):
            continue
        line = _line_of(owner, file)
        if line:
            return f" ({file}:{line})"
    return ""


def _line_of(owner: Any, file: str | None) -> int:
    """Return the line where a class or a function begins; 0 if unknown.

    ``inspect`` parses the whole file for each class, which takes a second for many views
    in one file.
    """
    code = getattr(inspect.unwrap(owner), "__code__", None)
    if code is not None:
        return int(code.co_firstlineno)
    begins = re.compile(rf"\s*class\s+{re.escape(getattr(owner, '__name__', ''))}\b")
    lines = linecache.getlines(file or "")
    return next((number for number, line in enumerate(lines, 1) if begins.match(line)), 0)


def _function_behind(owner: Any) -> Any:
    """Return the function of a function view, whose class is in no file."""
    members = vars(owner).values() if isinstance(owner, type) else ()
    cells = (cell for each in members for cell in getattr(each, "__closure__", None) or ())
    for cell in cells:
        found = cell.cell_contents
        if inspect.isfunction(found) and found.__name__ == owner.__name__:
            return found
    return None


def is_reference(schema: Any) -> bool:
    """Return whether a schema is nothing but a reference to a component."""
    return isinstance(schema, Mapping) and len(schema) == 1 and "$ref" in schema


def is_received() -> bool:
    """Return whether the described values are received by clients."""
    inspection = current()
    return inspection is None or inspection.direction == RESPONSE
