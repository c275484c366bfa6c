"""What a page may show and offer to its reader.

A page tells its readers nothing that they could not fetch with a request of their own: forms are
filled with a row only if the response shows that row, and menus list what permissions allow.
Rendering checks permissions; it runs no handler and no throttle, which would count a request.
Neither forms nor error messages repeat write-only input.
"""

import re
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.paginator import Page
from django.db.models import Model, QuerySet
from django.http import Http404

from lintel import exceptions
from lintel.cycle.steps import complete
from lintel.exceptions import ErrorDetail
from lintel.fields import Field
from lintel.fields.base import HIDDEN, is_secret, takes_secrets
from lintel.overrides import is_ours, is_overridden, reached
from lintel.renderers.data import View
from lintel.request import Request, clone_request, override_method
from lintel.serializers import BaseSerializer
from lintel.utils.serializer_helpers import BoundField, ReturnDict, ReturnList

REFUSALS = (exceptions.APIException, Http404, PermissionDenied)


def is_allowed(view: View, request: Any, obj: object) -> bool:
    """Return whether permissions pass, those about an object too if there is one."""
    # OPTIONS itself finds no object, unless a project says otherwise.
    has_object = request.method != "OPTIONS" or is_overridden(view, "options")
    try:
        complete(view.check_permissions(request))
        if obj is not None and has_object:
            complete(view.check_object_permissions(request, obj))
    except REFUSALS:
        return False
    except Exception:
        # The data of a view without rows may be nothing that its permissions understand.
        if obj is None or model_of(view) is not None:
            raise
        return False
    return True


def single_serializer(data: object) -> Any:
    serializer = getattr(data, "serializer", None)
    return None if serializer is None or getattr(serializer, "many", False) else serializer


def instance_here(serializer: BaseSerializer | None, view: View) -> object:
    """Return the object at the view's URL; an extra action may return another, without forms."""
    instance = getattr(serializer, "instance", None)
    if instance is None or isinstance(instance, Page):
        return None
    model = model_of(view)
    # The options of a model of another library are unknown.
    is_row = model is None or (
        isinstance(instance, Model) and isinstance(instance, model._meta.concrete_model)
    )
    return instance if is_row and _is_named(instance, view) else None


_MODEL = "_lintel_model"


def model_of(view: object) -> Any:
    queryset = getattr(view, "queryset", None)
    if queryset is not None or not hasattr(view, "get_queryset"):
        return getattr(queryset, "model", None)
    # A page needs it often, and get_queryset() of a project may query or count its calls.
    held = vars(view)
    if _MODEL not in held:
        held[_MODEL] = getattr(queryset_here(view), "model", None)
    return held[_MODEL]


def has_rows(view: View) -> bool:
    """Return whether a view says which rows it is about."""
    if getattr(view, "queryset", None) is not None:
        return True
    return hasattr(view, "get_queryset") and not is_ours(reached(view, "get_queryset"))


def queryset_here(view: View) -> QuerySet[Any] | None:
    if not has_rows(view):
        return None
    try:
        return complete(view.get_queryset())
    except REFUSALS:
        return None


def lookup_of(view: View) -> str | None:
    """The argument of the URL that names a view's object; None if its own code finds this."""
    if is_overridden(view, "get_object"):
        return None
    return view.lookup_url_kwarg or view.lookup_field


def _is_named(instance: object, view: View) -> bool:
    """True for views that do not look rows up in the usual way."""
    name = lookup_of(view) if hasattr(view, "lookup_field") else None
    arguments = getattr(view, "kwargs", None) or {}
    if name is None or name not in arguments:
        return True
    value = instance
    for part in view.lookup_field.split("__"):
        if not hasattr(value, part):
            return True  # a lookup such as ``iexact``, which is not an attribute
        value = getattr(value, part)
    return str(value) == str(arguments[name])


def row_to_edit(
    renderer: Any, serializer: BaseSerializer | None, view: View, request: Request
) -> object:
    """A row that GET would show; none beside the errors of a change."""
    instance = instance_here(serializer, view)
    if instance is None or has_errors(serializer):
        return None
    if request.method in ("GET", "HEAD"):
        return instance
    return instance if may_get(renderer, view, request, instance) else None


def may_get(renderer: Any, view: View, request: Request, instance: object = None) -> bool:
    with override_method(view, request, "GET") as get_request:
        return bool(renderer.show_form_for_method(view, "GET", get_request, instance))


def show_only(serializer: Any, data: object, row: object) -> None:
    """Omit values that the response does not show: the form may read more, or in full."""
    if row is None or not hasattr(serializer, "fields") or not isinstance(data, Mapping):
        return
    values = serializer.data
    serializer._data = {key: value for key, value in values.items() if _is_shown(key, value, data)}


def _is_shown(name: str, value: object, data: Mapping[str, object]) -> bool:
    is_other_text = isinstance(value, str) and isinstance(data.get(name), str)
    return name in data and not (is_other_text and value != data[name])


def has_errors(serializer: BaseSerializer | None) -> bool:
    return bool(getattr(serializer, "_errors", None))


def was_sent(serializer: BaseSerializer | None, method: str, request: Request) -> bool:
    if not hasattr(serializer, "initial_data"):
        return False
    changes = ("PUT", "PATCH")
    return method == request.method or (method in changes and request.method in changes)


def callable_actions(
    renderer: Any, url_map: Mapping[str, str] | None, data: object, view: View, request: Request
) -> object:
    if not url_map or not hasattr(view, "get_extra_actions"):
        return url_map
    instance = instance_here(single_serializer(data), view)
    others = [action for action in view.get_extra_actions() if action.detail == view.detail]
    refused = {
        str(type(view)(**action.kwargs).get_view_name())
        for action in others
        if not _may_use(renderer, action, view, request, instance)
    }
    return {name: url for name, url in url_map.items() if str(name) not in refused}


def _may_use(renderer: Any, action: Any, view: View, request: Request, instance: object) -> bool:
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


def _view_of_action(action: Any, view: View) -> Any:
    """As the router creates it."""
    initkwargs = {"basename": view.basename, "detail": view.detail, **action.kwargs}
    twin = type(view)(**initkwargs)
    twin.action_map = dict(action.mapping)
    for method, name in action.mapping.items():
        setattr(twin, method, getattr(twin, name))
    twin.args, twin.kwargs = view.args, view.kwargs
    twin.format_kwarg = getattr(view, "format_kwarg", None)
    twin.headers = {}
    return twin


# Write-only input


def without_secrets(serializer: Any, values: Mapping[str, object]) -> dict[str, object]:
    """Return raw input of a serializer to refill a form; secrets must be entered again."""
    fields = serializer.fields
    return {name: _kept(fields[name], value) for name, value in values.items() if name in fields}


def _kept(field: Any, value: object) -> object:
    if takes_secrets(field):
        return field.get_initial()
    child = getattr(field, "child", None)
    if hasattr(field, "fields") and isinstance(value, Mapping):
        return without_secrets(field, value)
    if hasattr(child, "fields") and isinstance(value, list):
        return [_kept(child, item) for item in value]
    return value


def shown_errors(data: object) -> Any:
    """Return errors of a serializer without ``write_only`` input repeated in their texts."""
    serializer = getattr(data, "serializer", None)
    if serializer is None or not has_errors(serializer) or not hasattr(serializer, "initial_data"):
        return data
    hidden = _without_input(serializer, serializer.initial_data, data)
    if isinstance(data, dict):
        return ReturnDict(hidden, serializer=serializer)
    return ReturnList(hidden, serializer=serializer)


def errors_of(bound: BoundField) -> object:
    field = bound._field
    if is_secret(field):
        return hide(bound.errors, sent_to(field))
    is_list = hasattr(getattr(field, "child", None), "fields")
    return _without_input(field, sent_to(field), bound.errors) if is_list else bound.errors


def sent_to(field: Field) -> object:
    parent = getattr(field, "parent", None)
    if parent is None:
        return getattr(field, "initial_data", None)
    around = sent_to(parent)
    return field.get_value(around) if isinstance(around, Mapping) else None


_WORD = re.compile(r"\w+")
_WHOLE = re.compile(r".+", re.DOTALL)

#: Beyond so many characters to look for, messages are hidden whole: the search is not linear.
_MOST_SOUGHT = 10_000


def hide(errors: object, value: object) -> object:
    """Return errors whose texts contain nothing of ``value``."""
    words = {word for text in _texts(errors) for word in _WORD.findall(text)}
    repeated = {text for text in _texts(value) if text and words.issuperset(_WORD.findall(text))}
    if not repeated:
        return errors
    if sum(map(len, repeated)) > _MOST_SOUGHT:
        return _replaced(errors, _WHOLE)
    texts = sorted(repeated, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, texts))})(?!\w)")
    return _replaced(errors, pattern)


def _without_input(serializer: BaseSerializer, sent: object, errors: object) -> object:
    child = getattr(serializer, "child", None)
    if child is not None and isinstance(sent, list):
        return _without_items(child, sent, errors)
    if not isinstance(errors, dict) or not isinstance(sent, Mapping):
        return errors
    hidden = dict(errors)
    for name, field in getattr(serializer, "fields", {}).items():
        if name in hidden:
            hidden[name] = _errors_of_part(field, field.get_value(sent), hidden[name])
    return hidden


def _without_items(child: BaseSerializer, sent: list[object], errors: object) -> object:
    if isinstance(errors, list) and len(errors) == len(sent):
        return [_without_input(child, *pair) for pair in zip(sent, errors, strict=True)]
    if not isinstance(errors, dict):
        return errors
    items = dict(enumerate(sent))
    return {key: _without_input(child, items.get(key), error) for key, error in errors.items()}


def _errors_of_part(field: Any, sent: object, errors: object) -> object:
    if takes_secrets(field):
        return hide(errors, sent)
    is_nested = hasattr(field, "fields") or hasattr(getattr(field, "child", None), "fields")
    return _without_input(field, sent, errors) if is_nested else errors


def _texts(value: object) -> list[str]:
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list | tuple | set):
        return [text for item in value for text in _texts(item)]
    return [] if value is None or isinstance(value, type) else [str(value)]


def _replaced(errors: object, pattern: re.Pattern[str]) -> object:
    if isinstance(errors, Mapping):
        return {key: _replaced(value, pattern) for key, value in errors.items()}
    if isinstance(errors, list | tuple):
        return [_replaced(value, pattern) for value in errors]
    if not isinstance(errors, str):
        return errors
    return ErrorDetail(pattern.sub(HIDDEN, str(errors)), code=getattr(errors, "code", None))
