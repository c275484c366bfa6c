"""Routes below a row: ``/rooms/{room_pk}/bookings/``, as routers register them with ``parent``.

Before the handler of the child runs, the view of the parent finds the row at its part of the URL,
as if it were read by itself: with its rows, scope, filters and permissions. The child has only
rows of that parent, and what it saves gets it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from django.core.exceptions import ImproperlyConfigured
from django.http import QueryDict

from lintel.annotations import AnyRequest, AnyView, Instance
from lintel.cycle.chains import chain
from lintel.cycle.steps import Steps, hook
from lintel.request import clone_request

#: The class of a viewset, a model, or a column.
ViewSetClass: TypeAlias = Any
Model: TypeAlias = Any


@dataclass(frozen=True, slots=True, eq=False)
class ParentRoute:
    """Where the rows of a nested viewset hang.

    ``viewset`` is that of the parent, ``basename`` its name in the router, ``lookup`` the argument
    of the URL that holds the parent's key, ``field`` the lookup that leads from a child to its
    parent.
    """

    viewset: ViewSetClass
    basename: str
    lookup: str
    field: str

    @property
    def outer(self) -> ParentRoute | None:
        """Where the parent hangs itself."""
        route: ParentRoute | None = getattr(self.viewset, "parent_route", None)
        return route

    @property
    def lookup_field(self) -> str:
        return str(getattr(self.viewset, "lookup_field", "pk"))

    def levels(self) -> Iterator[ParentRoute]:
        """Yield the routes from the outermost parent to the nearest one."""
        if self.outer is not None:
            yield from self.outer.levels()
        yield self

    def paths(self) -> Iterator[tuple[str, str]]:
        """Yield arguments of the URL, each with the attributes that lead from a child to it."""
        path = self.field.replace("__", ".")
        yield self.lookup, f"{path}.{self.lookup_field.replace('__', '.')}"
        if self.outer is not None:
            yield from ((name, f"{path}.{rest}") for name, rest in self.outer.paths())


@chain
def parent_steps(view: AnyView, request: AnyRequest) -> Steps[None]:
    """Find the rows above those of a view, outermost first; raise as their own views do."""
    view.parents = ()
    for route in view.parent_route.levels():
        above = _view_above(view, route, request)
        yield hook(above, "check_permissions", above.request)
        view.parents = (*view.parents, (yield hook(above, "get_object")))


def _view_above(view: AnyView, route: ParentRoute, request: AnyRequest) -> AnyView:
    """Return the view that reads a parent, as a router makes it for GET of the parent's URL."""
    above = route.viewset(suffix="Instance", basename=route.basename, detail=True)
    key = getattr(above, "lookup_url_kwarg", None) or route.lookup_field
    above.args, above.kwargs = view.args, {**view.kwargs, key: view.kwargs[route.lookup]}
    above.parents = view.parents
    above.format_kwarg, above.headers = view.format_kwarg, {}
    above.action_map, above.action = {"get": "retrieve"}, "retrieve"
    above.request = _reading(request)
    return above


def _reading(request: AnyRequest) -> AnyRequest:
    """Return a request that reads a parent: query parameters and body are for the child."""
    above = clone_request(request, "GET")
    above._request = copy.copy(above._request)
    above._request.GET = QueryDict("")
    return above


def joined(view: AnyView, serializer: Instance) -> Instance:
    """Let a serializer save what it creates or changes below the parent of the URL."""
    values = parent_values(view, serializer)
    if values:
        serializer.save = partial(serializer.save, **values)
    return serializer


def parent_values(view: AnyView, serializer: Instance) -> dict[str, Instance]:
    """Return what a nested view adds to the values that a serializer saves."""
    column = _column(getattr(view, "parent_route", None), serializer)
    if column is None or not view.parents:
        return {}
    if not column.many_to_many:
        return {column.name: view.parents[-1]}
    # A row that exists has this parent, and may have others.
    return {column.name: [view.parents[-1]]} if serializer.instance is None else {}


def _column(route: ParentRoute | None, serializer: Any) -> Any:
    """Return the relation of the saved model that leads to the parent; None for a longer path."""
    if route is None:
        return None
    model = getattr(getattr(getattr(serializer, "child", serializer), "Meta", None), "model", None)
    names = {} if model is None else {field.name: field for field in model._meta.get_fields()}
    column = names.get(route.field)
    return column if getattr(column, "concrete", False) else None


# ---- what a router is told ----


def nested(viewset: ViewSetClass, route: ParentRoute) -> ViewSetClass:
    """Return a subclass that every router, whatever it does, serves below the parent only."""
    names = {name: getattr(viewset, name) for name in ("__module__", "__qualname__", "__doc__")}
    return type(viewset)(viewset.__name__, (viewset,), {**names, "parent_route": route})


def nested_route(
    viewset: ViewSetClass,
    above: tuple[str, ViewSetClass, str],
    field: str | None,
    lookup: str | None,
) -> ParentRoute:
    """Return the route below a registered viewset. Raises ImproperlyConfigured."""
    _prefix, parent, basename = above
    if not hasattr(parent, "get_object"):
        raise ImproperlyConfigured(
            f"{parent.__name__} cannot be a parent of routes: it has no `get_object()`."
        )
    key = str(getattr(parent, "lookup_field", "pk"))
    route = ParentRoute(
        viewset=parent,
        basename=basename,
        lookup=lookup or f"{_name_of_rows(parent, basename)}_{key}",
        field=field or _field_between(viewset, parent),
    )
    _check_variables(route, viewset)
    return route


def _field_between(viewset: ViewSetClass, parent: ViewSetClass) -> str:
    """Return the only relation from the rows of a viewset to those of its parent.

    Raises ImproperlyConfigured if there is none, or more than one.
    """
    child, above = _model_of(viewset), _model_of(parent)
    if child is None or above is None:
        raise ImproperlyConfigured(
            f"`parent_field` is needed to register {viewset.__name__} below {parent.__name__}: "
            f"one of them has no `queryset` that tells the model of its rows."
        )
    result = [
        field.name
        for field in child._meta.get_fields()
        if field.is_relation and field.concrete and _leads_to(field, above)
    ]
    if len(result) != 1:
        said = f"has {' and '.join(result)}" if result else "has no relation"
        raise ImproperlyConfigured(
            f"{child._meta.label} {said} to {above._meta.label}: register {viewset.__name__} with "
            f"`parent_field`, the lookup that leads from its rows to those of {parent.__name__}."
        )
    return result[0]


def _leads_to(field: Any, model: Model) -> bool:
    related = field.related_model
    return isinstance(related, type) and issubclass(model, related)


def _model_of(viewset: ViewSetClass) -> Model:
    return getattr(getattr(viewset, "queryset", None), "model", None)


def _name_of_rows(viewset: ViewSetClass, basename: str) -> str:
    """Return how arguments of URLs call a row: by its model, else by the name in the router."""
    model = _model_of(viewset)
    name = basename if model is None else model._meta.model_name
    return "".join(character if character.isalnum() else "_" for character in name)


def _check_variables(route: ParentRoute, viewset: ViewSetClass) -> None:
    """Raise ImproperlyConfigured if two parts of a URL have the same name."""
    variable = getattr(viewset, "lookup_url_kwarg", None) or getattr(viewset, "lookup_field", "pk")
    names = [*(level.lookup for level in route.levels()), str(variable)]
    if len(set(names)) < len(names):
        raise ImproperlyConfigured(
            f"The URLs of {viewset.__name__} would have the arguments {', '.join(names)}: register "
            "it with another `parent_lookup`."
        )
