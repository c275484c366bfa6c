"""What a page may show and offer to its reader.

A page tells its readers nothing that they could not fetch with a request of their own: forms are
filled with a row only if the response shows that row, and menus list what permissions allow.
Rendering checks permissions; it runs no handler and no throttle, which would count a request.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.paginator import Page
from django.db import models
from django.http import Http404

from lintel import exceptions
from lintel.cycle.steps import complete
from lintel.provenance import reaches_ours
from lintel.request import clone_request, override_method

REFUSALS = (exceptions.APIException, Http404, PermissionDenied)


def single_serializer(data: Any) -> Any:
    """Return the serializer behind the data of a response, unless it has ``many=True``."""
    serializer = getattr(data, "serializer", None)
    return None if serializer is None or getattr(serializer, "many", False) else serializer


def instance_here(serializer: Any, view: Any) -> Any:
    """Return the object behind a response, if it is the object at the view's URL.

    An extra action may return something else, which the view's permissions do not cover
    and which its forms would not change.
    """
    instance = getattr(serializer, "instance", None)
    if instance is None or isinstance(instance, Page):
        return None
    return instance if _is_of(instance, model_of(view)) and _is_named(instance, view) else None


def model_of(view: Any) -> Any:
    """Return the model of the rows of a view; None if it is unknown."""
    queryset = getattr(view, "queryset", None)
    if queryset is None and hasattr(view, "get_queryset"):
        if reaches_ours(view, "get_queryset"):
            return None
        try:
            queryset = complete(view.get_queryset())
        except REFUSALS:
            return None
    return getattr(queryset, "model", None)


def _is_of(instance: Any, model: Any) -> bool:
    if model is None:
        return True
    if not isinstance(instance, models.Model):
        return False
    concrete: Any = instance._meta.concrete_model
    return issubclass(concrete, model._meta.concrete_model)


def _is_named(instance: Any, view: Any) -> bool:
    """Return whether the URL names this row, if the view looks rows up in the usual way."""
    if not hasattr(view, "lookup_field") or not reaches_ours(view, "get_object"):
        return True
    name = view.lookup_url_kwarg or view.lookup_field
    arguments = getattr(view, "kwargs", None) or {}
    if name not in arguments:
        return True
    found = instance
    for part in view.lookup_field.split("__"):
        if not hasattr(found, part):
            return True  # a lookup such as ``iexact``, which is not an attribute
        found = getattr(found, part)
    return str(found) == str(arguments[name])


def is_allowed(view: Any, request: Any, obj: Any) -> bool:
    """Return whether the permissions of a view let a request pass, on ``obj`` if there is one."""
    try:
        complete(view.check_permissions(request))
        if obj is not None:
            complete(view.check_object_permissions(request, obj))
    except REFUSALS:
        return False
    except Exception:
        # The data of a view without rows may be nothing that its permissions understand.
        if obj is None or model_of(view) is not None:
            raise
        return False
    return True


def row_to_edit(renderer: Any, serializer: Any, view: Any, request: Any) -> Any:
    """Return the row to fill forms with: one that the response shows and that GET would show.

    The errors of a rejected change show no row.
    """
    instance = instance_here(serializer, view)
    if instance is None or has_errors(serializer):
        return None
    if request.method in ("GET", "HEAD"):
        return instance
    with override_method(view, request, "GET") as get_request:
        allowed = renderer.show_form_for_method(view, "GET", get_request, instance)
    return instance if allowed else None


def show_only(serializer: Any, data: Any, row: Any) -> None:
    """Omit values that a serializer reads from a row and the response does not show.

    The serializer of a form may have more fields than that of the response, or show in full what
    the response shortens.
    """
    if row is None or not hasattr(serializer, "fields") or not isinstance(data, Mapping):
        return
    values = serializer.data
    serializer._data = {key: each for key, each in values.items() if _is_shown(key, each, data)}


def _is_shown(name: str, value: Any, data: Mapping[str, Any]) -> bool:
    is_other_text = isinstance(value, str) and isinstance(data.get(name), str)
    return name in data and not (is_other_text and value != data[name])


def has_errors(serializer: Any) -> bool:
    """Return whether the data of a response are the errors of its input."""
    return bool(getattr(serializer, "_errors", None))


def was_sent(serializer: Any, method: str, request: Any) -> bool:
    """Return whether the serializer holds what the user has just sent with this method."""
    if not hasattr(serializer, "initial_data"):
        return False
    changes = ("PUT", "PATCH")
    return method == request.method or (method in changes and request.method in changes)


def callable_actions(renderer: Any, url_map: Any, view: Any, request: Any, instance: Any) -> Any:
    """Return the URLs of the extra actions that the caller may use with some method."""
    if not url_map or not hasattr(view, "get_extra_actions"):
        return url_map
    others = [action for action in view.get_extra_actions() if action.detail == view.detail]
    refused = {
        str(type(view)(**action.kwargs).get_view_name())
        for action in others
        if not _may_use(renderer, action, view, request, instance)
    }
    return {name: url for name, url in url_map.items() if str(name) not in refused}


def _may_use(renderer: Any, action: Any, view: Any, request: Any, instance: Any) -> bool:
    for method, name in action.mapping.items():
        try:
            twin = _view_of_action(action, view)
            twin.request = clone_request(request, method.upper())
            twin.action = name
            if renderer.show_form_for_method(twin, method.upper(), twin.request, instance):
                return True
        except Exception:  # noqa: S112 -- asked outside of its own request, it cannot say yes
            continue
    return False


def _view_of_action(action: Any, view: Any) -> Any:
    """Return a view as the router creates it for an extra action of this one."""
    initkwargs = {"basename": view.basename, "detail": view.detail, **action.kwargs}
    twin = type(view)(**initkwargs)
    twin.action_map = dict(action.mapping)
    for method, name in action.mapping.items():
        setattr(twin, method, getattr(twin, name))
    twin.args, twin.kwargs = view.args, view.kwargs
    twin.format_kwarg = getattr(view, "format_kwarg", None)
    twin.headers = {}
    return twin
