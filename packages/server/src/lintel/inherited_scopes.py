"""Which scope relations of a view have: its own, or that of the view above it in nested URLs."""

from typing import Any, TypeAlias

from lintel.annotations import AnyView

#: A subclass of RowScope, or None.
ScopeClass: TypeAlias = Any

#: The module of the base class that follows the setting.
_DEFAULTS = "lintel.generics"


def scope_of_relations(view: AnyView) -> ScopeClass:
    """Return the scope of what a view refers to: its own; where it says nothing, its parent's."""
    scope_class = getattr(view, "scope_class", None)
    route = getattr(view, "parent_route", None)
    if scope_class is not None or route is None:
        return scope_class
    cls = view if isinstance(view, type) else type(view)
    said_by = next((base for base in cls.__mro__ if "scope_class" in vars(base)), None)
    is_said = said_by is not None and said_by.__module__ != _DEFAULTS
    return None if is_said else scope_of_relations(route.viewset)
