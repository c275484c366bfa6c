"""One inspection of the views: what it has found so far, and the operation it is at.

Version 3.0.2 has the form of the contract: one component for both directions, only the success
response. Later versions give the full description.
"""

import inspect
import linecache
import re
import warnings
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import FunctionType
from typing import Any, TypeVar

from django.core.exceptions import ImproperlyConfigured

from lintel.annotations import AnyView
from lintel.authentication import BaseAuthentication
from lintel.decorators import api_view
from lintel.fields.describing import Schema
from lintel.mixins import UpdateModelMixin
from lintel.overrides import OURS, is_overridden
from lintel.permissions import BasePermission
from lintel.schemas import tree
from lintel.schemas.handlers import may_read_body
from lintel.schemas.named import Known
from lintel.schemas.standins import lacks_serializer_class, serializer_if_any, serializer_of
from lintel.schemas.tree import ResponseDescription, SecurityScheme
from lintel.views import APIView

ResultT = TypeVar("ResultT")

#: The version with the form of the contract, not a full description.
CONTRACT_VERSION = "3.0.2"

_UNKNOWN: Any = object()

#: The first version of full descriptions.
FIRST_FULL = (3, 0, 3)


class MissingLibrary(ImproperlyConfigured):
    """A library that every operation needs is not installed: there is no point in going on."""


@dataclass
class Inspection:
    """What one inspection of the views has found so far; all its operations share it."""

    version: str = CONTRACT_VERSION
    #: The version of the API that is described, None for all.
    api_version: str | None = None
    #: The converters of the routes of each callback, by name.
    routes: Mapping[object, Mapping[str, object]] = field(default_factory=dict)
    #: Schemas by component name, then by direction; under None for any direction.
    components: dict[str, dict[str | None, tree.Schema]] = field(default_factory=dict)
    #: What each component was made from, and the names of those being described.
    sources: dict[str, object] = field(default_factory=dict)
    unfinished: set[str] = field(default_factory=set)
    #: The names of choices that the settings give, by their values.
    enum_names: Mapping[frozenset[object], str] = field(default_factory=dict)
    #: How many segments all paths share, and the pattern of what a setting calls their prefix.
    shared_segments: int = 0
    path_prefix: str | None = None
    #: What identifiers of operations leave out of the path; None if they come from models.
    id_prefix: str | None = None
    #: The only classes of authentication to describe; None: all.
    authentication: Collection[object] | None = None
    #: What docstrings of views with several operations say, by class, and of which tags.
    shared_texts: Mapping[type, str] = field(default_factory=dict)
    tag_texts: dict[str, str] = field(default_factory=dict)
    #: Whether there are extensions by class.
    is_extended: bool = False
    #: The kinds of extensions that classes do not have.
    unextended: set[tuple[type, object]] = field(default_factory=set)
    #: Serializers whose fields have been there since their view made them, by id.
    changed: dict[int, object] = field(default_factory=dict)
    #: References to the components of classes that annotations name.
    objects: dict[type, Schema] = field(default_factory=dict)
    #: What projects define in classes, by the names of the members.
    members: Known = field(default_factory=dict)
    #: What was found out once for all operations, by what it depends on.
    memo: dict[Hashable, Any] = field(default_factory=dict)
    responses: dict[str, ResponseDescription] = field(default_factory=dict)
    #: References to those of errors, by media types and status.
    errors: dict[tuple[tuple[str, ...], int, bool], ResponseDescription] = field(
        default_factory=dict
    )
    security_schemes: dict[str, SecurityScheme] = field(default_factory=dict)
    warned: set[Hashable] = field(default_factory=set)
    #: False for pages, which show what is known and leave warnings to the document.
    warns: bool = True
    #: False for lists of operations, which show no values: neither serializers nor parameters
    #: and errors are described.
    shows_values: bool = True
    #: Whether views without a serializer_class are described in the form of the contract too.
    keeps_going: bool = False

    @cached_property
    def is_full(self) -> bool:
        return is_full(self.version)

    def once(self, key: Hashable, make: Callable[..., ResultT], *given: object) -> ResultT:
        """Return what ``make`` returns the first time, for all operations with this key."""
        result: ResultT = self.memo.get(key, _UNKNOWN)
        if result is _UNKNOWN:
            result = self.memo[key] = make(*given)
        return result

    def once_for(
        self, part: object, key: Hashable, make: Callable[..., ResultT], *given: object
    ) -> ResultT:
        """Return the same for an object itself, which may be equal to others, or have no hash."""
        place = id(part), key
        pair: tuple[object, ResultT] | None = self.memo.get(place)
        if pair is None:
            # It is kept as well, so that nothing else gets its id.
            pair = self.memo[place] = part, make(*given)
        return pair[1]

    def replaces(self, owner: object, name: str) -> bool:
        """Whether a project has put a method in the place of that of our view or schema."""
        cls = type(owner)
        return self.once((is_overridden, cls, name), lambda: is_overridden(cls, name))

    def warn(self, message: str, *places: object) -> None:
        """Warn once about a part without a description; ``places``: its view, serializer, field.

        The warning names the file and the line of the first of them that has one.
        """
        named = [name for name in map(_name, places) if name]
        # Files are searched for the line only if this has not been said of these places.
        key = message, *named, *map(_owner, places)
        if not self.warns or key in self.warned:
            return
        text = f"{': '.join([*named, message])}{_source(places)}"
        if text not in self.warned:
            warnings.warn(text, stacklevel=3)
        self.warned |= {key, text}


@dataclass(frozen=True)
class Endpoint:
    inspection: Inspection
    path: str
    method: str
    view: Any

    @property
    def converters(self) -> Mapping[str, object]:
        callback = getattr(self.view, "_lintel_callback", None)
        return self.inspection.routes.get(callback, {})

    @cached_property
    def handler(self) -> Any:
        """The function of a project that answers; None if it is ours."""
        name, cls = getattr(self.view, "action", None) or self.method.lower(), type(self.view)
        handler = getattr(cls, name, None)
        if handler is UpdateModelMixin.partial_update:
            handler = getattr(cls, "update", None)  # which it calls
        module = str(getattr(handler, "__module__", ""))
        if module == api_view.__module__:
            cells = getattr(handler, "__closure__", None) or ()
            handler = next((cell.cell_contents for cell in cells), None)
        elif module.partition(".")[0] == OURS:
            return None
        return handler if isinstance(handler, FunctionType) else None

    @cached_property
    def serializer(self) -> Any:
        """The serializer of the view, whose class may differ each time; None if that fails."""
        return self.serializer_if_any[0]

    @cached_property
    def has_no_serializer(self) -> bool:
        """Whether a generic view neither has a serializer nor makes one, which is no failure."""
        return self.serializer_if_any[1]

    @cached_property
    def serializer_if_any(self) -> tuple[Any, bool]:
        view, warn = self.view, self.inspection.warn
        if not hasattr(view, "get_serializer"):
            return None, False
        if not self.inspection.is_full:
            return self.inspected(serializer_of(view, warn)), False
        if lacks_serializer_class(view) and not self.inspection.replaces(view, "get_serializer"):
            return None, True  # what this leaves open is warned of
        result, is_without = serializer_if_any(view, warn)
        return self.inspected(result), is_without

    def inspected(self, serializer: Any) -> Any:
        """Remember a serializer whose fields have been there since the view made it."""
        single = getattr(serializer, "child", serializer)
        if "fields" in getattr(single, "__dict__", ()):
            self.inspection.changed[id(single)] = single
        return serializer

    @cached_property
    def authenticators(self) -> list[BaseAuthentication]:
        failed = "get_authenticators() failed without a request"
        return _asked(self, lambda: list(self.view.get_authenticators()), failed) or []

    @cached_property
    def permission_classes(self) -> list[Any]:
        """The permissions of the view; if its own code chooses them, the current ones."""
        if type(self.view).get_permissions is APIView.get_permissions:
            return list(self.view.permission_classes)
        failed = "get_permissions() failed without a request"
        # Combined permissions are created by objects, all others by their classes.
        result = _asked(self, lambda: list(map(type, self.view.get_permissions())), failed)
        return [BasePermission] if result is None else result


def _asked(endpoint: Endpoint, ask: Callable[[], ResultT], failed: str) -> ResultT | None:
    try:
        return ask()
    except Exception as error:  # project code, which may expect a request
        endpoint.inspection.warn(f"{failed}: {error!r}", type(endpoint.view))
        return None


def body_is_read(inspection: Inspection, view: AnyView) -> bool:
    """Say whether an operation may read a body, once for each action of a class."""
    key = may_read_body, type(view), getattr(view, "action", None), hasattr(view, "action_map")
    return inspection.once(key, may_read_body, view)


def number_of(version: str) -> tuple[int, ...]:
    match = re.match(r"\d+(?:\.\d+)+", version)
    return tuple(map(int, match.group().split("."))) if match else ()


def is_full(version: str) -> bool:
    return FIRST_FULL <= number_of(version) < (4,)


def warn_of(message: str, *places: object) -> None:
    Inspection().warn(message, *places)


def _name(place: object) -> str:
    field_name = getattr(place, "field_name", None)
    if isinstance(field_name, str) and field_name:
        return field_name
    owner = place if isinstance(place, type) or callable(place) else type(place)
    return str(getattr(owner, "__qualname__", ""))


def _owner(place: Any) -> Any:
    return place if isinstance(place, type) or inspect.isroutine(place) else type(place)


def _source(places: tuple[object, ...]) -> str:
    for place in places:
        owner = _function_behind(_owner(place)) or _owner(place)
        try:
            file = inspect.getsourcefile(owner)
        except (OSError, TypeError):
            continue
        line = _line_of(owner, file)
        if line:
            return f" ({file}:{line})"
    return ""


def _line_of(owner: Callable[..., object], file: str | None) -> int:
    """Return the first line; ``inspect`` parses the whole file for each class, which is slow."""
    code = getattr(inspect.unwrap(owner), "__code__", None)
    if code is not None:
        return int(code.co_firstlineno)
    name, text = re.escape(getattr(owner, "__name__", "")), "".join(linecache.getlines(file or ""))
    # By its first word, because lines that begin with blanks are searched for slowly.
    for match in re.finditer(rf"class\s+{name}\b", text):
        if not text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip(" \t"):
            return text.count("\n", 0, match.start()) + 1
    return 0


def _function_behind(owner: Callable[..., object]) -> FunctionType | None:
    members = vars(owner).values() if isinstance(owner, type) else ()
    cells = (cell for member in members for cell in getattr(member, "__closure__", None) or ())
    for cell in cells:
        result = cell.cell_contents
        if inspect.isfunction(result) and result.__name__ == owner.__name__:
            return result
    return None


def is_reference(schema: object) -> bool:
    return isinstance(schema, Mapping) and len(schema) == 1 and "$ref" in schema
