"""What every view carries as its attribute ``schema``: an object that describes the view.

A ViewInspector is made once, in the class body of the view; reading it through an instance of the
view binds it to that instance, so that its methods find it as ``self.view``. The classes that
know an output format stand in ``lintel.schemas``.
"""

from __future__ import annotations

import re
import threading
from typing import Any
from weakref import WeakKeyDictionary

from django.utils.encoding import smart_str

from lintel.provenance import CALL_ENABLE, is_of_other_framework
from lintel.settings import api_settings
from lintel.utils import formatting

NOT_BOUND = (
    "Schema generation REQUIRES a view instance. "
    "(Hint: you accessed `schema` from the view class rather than an instance.)"
)


OWN_PACKAGE = __name__.partition(".")[0]

_ASSIGNED = "_lintel_assigned"


class _BoundView(threading.local):
    """The view an inspector was last read through, one for each thread.

    One inspector serves all requests of a class: schemas made at the same time in two threads
    must not see the views of each other.
    """

    view: Any = None

    def __reduce__(self) -> tuple[type[_BoundView], tuple[()]]:
        return _BoundView, ()


class ViewInspector:
    """Describes the operations of a view; base class of all schema classes.

    Assigning to the attribute of a view *instance* replaces the inspector for that instance
    alone. Raises AssertionError when ``view`` is used before the inspector was read through an
    instance of a view.
    """

    #: A line that opens a section of a docstring: ``list: Text``.
    header_regex: re.Pattern[str] = re.compile(r"^[a-zA-Z][0-9A-Za-z_]*:")

    def __init__(self) -> None:
        self._lintel_bound = _BoundView()

    @property
    def instance_schemas(self) -> WeakKeyDictionary[Any, Any]:
        """The inspectors assigned to single instances of the view."""
        # In one step, because two threads may assign at the same time.
        found: WeakKeyDictionary[Any, Any]
        found = self.__dict__.setdefault(_ASSIGNED, WeakKeyDictionary())
        return found

    def __get__(self, instance: Any, owner: type | None) -> Any:
        assigned = self.__dict__.get(_ASSIGNED)
        if assigned is not None and instance is not None and instance in assigned:
            return assigned[instance]
        self.view = instance
        return self

    def __set__(self, instance: Any, other: Any) -> None:
        self.instance_schemas[instance] = other
        if isinstance(other, ViewInspector):
            other.view = instance

    @property
    def view(self) -> Any:
        """The view instance that is being described."""
        view = self._lintel_bound.view
        if view is None:
            raise AssertionError(NOT_BOUND)
        return view

    @view.setter
    def view(self, value: Any) -> None:
        self._lintel_bound.view = value

    def get_description(self, path: str, method: str) -> str:
        """Text for one operation, without indentation; empty when there is none.

        The docstring of the method that handles it comes first. Otherwise the description of the
        view speaks: its section named after the action (``list: Text``), or what stands before
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
    """Texts by the name of their section; what comes before the first one is under ``""``."""
    lines: dict[str, list[str]] = {"": []}
    current = ""
    for line in description.splitlines():
        if header_regex.match(line):
            current, _, line = line.partition(":")
            lines[current] = []
        lines[current].append(line)
    return {name: "\n".join(texts).strip() for name, texts in lines.items()}


def _docstring_of_project(method: Any) -> str:
    """The docstring of a handler; empty for those of ours, which speak to developers."""
    if method is None:  # which has a docstring of its own
        return ""
    package = (getattr(method, "__module__", None) or "").partition(".")[0]
    return "" if package == OWN_PACKAGE else getattr(method, "__doc__", None) or ""


class DefaultSchema(ViewInspector):
    """Stands for whatever class the setting DEFAULT_SCHEMA_CLASS names when it is read.

    Raises AssertionError when that class is not a ViewInspector.
    """

    def __get__(self, instance: Any, owner: type | None) -> Any:
        result = super().__get__(instance, owner)
        if result is not self:
            return result
        inspector_class = api_settings.DEFAULT_SCHEMA_CLASS
        if not issubclass(inspector_class, ViewInspector):
            advice = f". {CALL_ENABLE}" if is_of_other_framework(inspector_class) else ""
            raise AssertionError(
                "DEFAULT_SCHEMA_CLASS must be set to a ViewInspector "
                f"(usually an AutoSchema) subclass{advice}"
            )
        return inspector_class().__get__(instance, owner)
