"""The attribute ``schema`` of every view: an object that describes the view.

A ViewInspector is created once, in the class body of the view; reading it through an instance of
the view binds it to that instance, so that its methods use ``self.view``. The classes for
particular output formats are in ``lintel.schemas``.
"""

from __future__ import annotations

import re
import threading
from typing import Any
from weakref import WeakKeyDictionary

from django.utils.encoding import smart_str

from lintel.other_framework import CALL_ENABLE, extends_other
from lintel.settings import api_settings
from lintel.utils import formatting
from lintel_document import Field
from lintel_document import schemas as field_schemas

NOT_BOUND = (
    "Schema generation REQUIRES a view instance. "
    "(Hint: you accessed `schema` from the view class rather than an instance.)"
)


def query_parameter(name: str, description: object, kind: str = "string") -> dict[str, Any]:
    return {
        "name": name,
        "required": False,
        "in": "query",
        "description": str(description),
        "schema": {"type": kind},
    }


def query_field(name: str, title: object, description: object, kind: str = "string") -> Field:
    schema = field_schemas.BY_TYPE_NAME[kind](title=str(title), description=str(description))
    return Field(name=name, required=False, location="query", schema=schema)


OWN_PACKAGE = __name__.partition(".")[0]

_ASSIGNED = "_lintel_assigned"


class _BoundView(threading.local):
    """The view of an inspector, which serves all requests of a class: one per thread."""

    view: Any = None

    def __reduce__(self) -> tuple[type[_BoundView], tuple[()]]:
        return _BoundView, ()


class ViewInspector:
    """Describes the operations of a view; base class of all schema classes.

    Assigning to the attribute of a view *instance* replaces the inspector only for that
    instance. Raises AssertionError if ``view`` is used before the inspector was read through an
    instance of a view.
    """

    #: A line that starts a section of a docstring: ``list: Text``.
    header_regex: re.Pattern[str] = re.compile(r"^[a-zA-Z][0-9A-Za-z_]*:")

    def __init__(self) -> None:
        self._lintel_bound = _BoundView()

    @property
    def instance_schemas(self) -> WeakKeyDictionary[object, object]:
        # In one step, because two threads may assign at the same time.
        return self.__dict__.setdefault(_ASSIGNED, WeakKeyDictionary())

    def __get__(self, instance: Any, owner: type | None) -> Any:
        assigned = self.__dict__.get(_ASSIGNED)
        if assigned is not None and instance is not None and instance in assigned:
            return assigned[instance]
        self.view = instance
        return self

    def __set__(self, instance: object, other: object) -> None:
        self.instance_schemas[instance] = other
        if isinstance(other, ViewInspector):
            other.view = instance

    @property
    def view(self) -> Any:
        view = self._lintel_bound.view
        if view is None:
            raise AssertionError(NOT_BOUND)
        return view

    @view.setter
    def view(self, value: Any) -> None:
        self._lintel_bound.view = value

    def get_description(self, path: str, method: str) -> str:
        """Return the text for one operation, without indentation; empty if there is none.

        The docstring of the handler method takes precedence. Otherwise the description of the
        view is used: its section named after the action (``list: Text``), or the text before
        the first section.
        """
        view = self.view
        name = getattr(view, "action", None) or method.lower()
        docstring = _docstring_of_project(getattr(view, name, None))
        if docstring:
            text = formatting.dedent(docstring)
            return self._get_description_section(view, method.lower(), text)
        return self._get_description_section(view, name, view.get_view_description())

    def _get_description_section(self, view: Any, header: str, description: str) -> str:
        if not description:
            return ""
        sections = _sections(self.header_regex, smart_str(description))
        for name in (header, api_settings.SCHEMA_COERCE_METHOD_NAMES.get(header)):
            if name in sections:
                return sections[name]
        return sections[""]


def _sections(header_regex: re.Pattern[str], description: str) -> dict[str, str]:
    lines: dict[str, list[str]] = {"": []}
    current = ""
    for line in description.splitlines():
        if header_regex.match(line):
            current, _, line = line.partition(":")
            lines[current] = []
        lines[current].append(line)
    return {name: "\n".join(texts).strip() for name, texts in lines.items()}


def _docstring_of_project(method: object) -> str:
    """Return a handler's docstring; empty for those of ours, which address developers."""
    if method is None:  # which has its own docstring
        return ""
    package = (getattr(method, "__module__", None) or "").partition(".")[0]
    return "" if package == OWN_PACKAGE else getattr(method, "__doc__", None) or ""


class DefaultSchema(ViewInspector):
    """Follows DEFAULT_SCHEMA_CLASS. Raises AssertionError if that is not a ViewInspector."""

    def __get__(self, instance: Any, owner: type | None) -> Any:
        result = super().__get__(instance, owner)
        if result is not self:
            return result
        inspector_class = api_settings.DEFAULT_SCHEMA_CLASS
        if not issubclass(inspector_class, ViewInspector):
            advice = f". {CALL_ENABLE}" if extends_other(inspector_class) else ""
            raise AssertionError(
                "DEFAULT_SCHEMA_CLASS must be set to a ViewInspector "
                f"(usually an AutoSchema) subclass{advice}"
            )
        return inspector_class().__get__(instance, owner)
