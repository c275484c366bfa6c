"""View classes whose methods are actions (``list``, ``retrieve``, …) instead of HTTP methods.

A router turns a viewset into a view with a map from methods to actions::

    view = UserViewSet.as_view({"get": "list", "post": "create"})

Subclasses of the ``Async…`` classes have the same actions on the event loop.
"""

import functools
from collections.abc import Mapping
from inspect import getmembers
from typing import Any

from asgiref.sync import markcoroutinefunction
from django.http import HttpRequest
from django.urls import NoReverseMatch
from django.utils.decorators import classonlymethod
from django.views.decorators.csrf import csrf_exempt as csrf_exempt

from lintel import generics, mixins, views
from lintel.annotations import AnyView, HookResult, Setting
from lintel.compat import ModelT
from lintel.cycle.loop import handlers_are_async
from lintel.cycle.steps import on_the_loop
from lintel.decorators import Function, FunctionT, MethodMapper
from lintel.nesting import parent_steps
from lintel.request import Request
from lintel.reverse import in_namespace, reverse

MISSING_ACTIONS = (
    "The `actions` argument must be provided when calling `.as_view()` on a ViewSet. For example "
    "`.as_view({'get': 'list'})`"
)


def _is_extra_action(attribute: object) -> bool:
    return isinstance(getattr(attribute, "mapping", None), MethodMapper)


def _checked_name(method: FunctionT, name: str) -> FunctionT:
    """Return the extra action if it has its attribute's name, by which its view looks it up."""
    result = method.__name__
    if result != name:
        raise AssertionError(
            f"Expected function (`{result}`) to match its attribute name (`{name}`). If using a "
            f"decorator, ensure the inner function is decorated with `functools.wraps`, or that "
            f"`{result}.__name__` is otherwise set to `{name}`."
        )
    return method


class ViewSetMixin:
    """Makes a view class take a map from HTTP methods to actions."""

    # Attributes that a router sets through ``as_view``; the class must declare them.
    name: str | None = None
    description: str | None = None
    suffix: str | None = None
    detail: bool | None = None
    basename: str | None = None
    #: Where a router has nested this viewset, and the rows above, outermost first.
    parent_route: Setting = None
    parents: tuple[Any, ...] = ()

    #: The name of the running action; None if the method has no action.
    action: str | None
    action_map: dict[str, str]

    @classonlymethod
    def as_view(cls, actions: Mapping[str, str] | None = None, **initkwargs: Setting) -> Function:
        """Raises TypeError without a mapping of ``actions``, and for unknown ``initkwargs``."""
        if not actions or not hasattr(actions, "items"):
            given = f" Got {actions!r}." if actions else ""
            raise TypeError(MISSING_ACTIONS + given)
        _check_initkwargs(cls, initkwargs)
        return _make_view(cls, dict(actions), initkwargs)  # type: ignore[arg-type]

    def initialize_request(self, request: HttpRequest, *args: object, **kwargs: object) -> Request:
        wrapped = super().initialize_request(request, *args, **kwargs)  # type: ignore[misc]
        method = str(request.method).lower()
        # The metadata class handles OPTIONS of every view.
        self.action = "metadata" if method == "options" else self.action_map.get(method)
        return wrapped

    def check_parents(self, request: Request) -> None:
        """Find the rows above a nested viewset in its URL, by the views of these rows.

        Raises Http404, NotAuthenticated or PermissionDenied, as these views do.
        """
        parent_steps.run(self, request)

    acheck_parents = on_the_loop(parent_steps, check_parents)

    def reverse_action(self, url_name: str, *args: Any, **kwargs: Any) -> str:
        """Return the absolute URL of an action of this viewset; its path with ``request=None``."""
        request = getattr(self, "request", None)
        kwargs.setdefault("request", request)
        return reverse(in_namespace(f"{self.basename}-{url_name}", request), *args, **kwargs)

    @classmethod
    def get_extra_actions(cls) -> list[Any]:
        return [_checked_name(method, name) for name, method in getmembers(cls, _is_extra_action)]

    def get_extra_action_url_map(self) -> dict[str, str]:
        """Return URLs of the other extra actions for this one, by title; only reachable ones."""
        url_map: dict[str, str] = {}
        for action in () if self.detail is None else self.get_extra_actions():
            if action.detail == self.detail:
                _add_action_url(self, url_map, action)
        return url_map


def _add_action_url(view: AnyView, url_map: dict[str, str], action: AnyView) -> None:
    name = in_namespace(f"{view.basename}-{action.url_name}", view.request)
    try:
        url = reverse(name, view.args, view.kwargs, request=view.request)
    except NoReverseMatch:
        return
    url_map[type(view)(**action.kwargs).get_view_name()] = url


def _check_initkwargs(cls: AnyView, initkwargs: Mapping[str, Setting]) -> None:
    for key in initkwargs:
        if key in cls.http_method_names:
            raise TypeError(
                f"You tried to pass in the {key} method name as a keyword argument to "
                f"{cls.__name__}(). Don't do that."
            )
        if not hasattr(cls, key):
            raise TypeError(
                f"{cls.__name__}() received an invalid keyword {key!r}. as_view() and @action() "
                f"take names of attributes that the class has: write {key} = None into its body."
            )
    if "name" in initkwargs and "suffix" in initkwargs:
        raise TypeError(
            f"{cls.__name__}() received both `name` and `suffix`, which are mutually exclusive "
            "arguments."
        )


def _make_view(
    cls: type[views.APIView], actions: dict[str, str], initkwargs: dict[str, Setting]
) -> Function:
    is_async = handlers_are_async(cls, actions.values())
    action_map = dict(actions)
    if "get" in actions:
        action_map.setdefault("head", actions["get"])

    def view(request: HttpRequest, *args: object, **kwargs: object) -> HookResult:
        instance: AnyView = cls(**initkwargs)
        instance._lintel_is_async = is_async
        instance.action_map = action_map
        for method, action in action_map.items():
            if method != "query":  # a viewset may have an attribute of this name
                setattr(instance, method, getattr(instance, action))
        instance.request = request
        instance.args = args
        instance.kwargs = kwargs
        return instance.dispatch(request, *args, **kwargs)

    functools.update_wrapper(view, cls, updated=())
    functools.update_wrapper(view, cls.dispatch, assigned=())
    views.mark_view(view, cls, initkwargs)
    view.actions = actions  # type: ignore[attr-defined]
    if is_async:
        markcoroutinefunction(view)
    return view


class ViewSet(ViewSetMixin, views.APIView):
    """Base of viewsets without a queryset."""


class GenericViewSet(ViewSetMixin, generics.GenericAPIView[ModelT]):
    """Base of viewsets over a queryset; defines no actions."""


class ReadOnlyModelViewSet(
    mixins.RetrieveModelMixin, mixins.ListModelMixin, GenericViewSet[ModelT]
):
    """``list`` and ``retrieve``."""


class ModelViewSet(
    mixins.CreateModelMixin,
    mixins.RetrieveModelMixin,
    mixins.UpdateModelMixin,
    mixins.DestroyModelMixin,
    mixins.ListModelMixin,
    GenericViewSet[ModelT],
):
    """``list``, ``create``, ``retrieve``, ``update``, ``partial_update`` and ``destroy``."""


class AsyncReadOnlyModelViewSet(ReadOnlyModelViewSet[ModelT]):
    """``list`` and ``retrieve`` on the event loop."""

    list = generics.AsyncListAPIView.get
    retrieve = generics.AsyncRetrieveAPIView.get


class AsyncModelViewSet(ModelViewSet[ModelT]):
    """All actions of ModelViewSet on the event loop."""

    list = generics.AsyncListAPIView.get
    create = generics.AsyncCreateAPIView.post
    retrieve = generics.AsyncRetrieveAPIView.get
    update = generics.AsyncUpdateAPIView.put
    partial_update = generics.AsyncUpdateAPIView.patch
    destroy = generics.AsyncDestroyAPIView.delete
