"""The controls of a view's filters: each preserves the others' values, and none loads a table.

Filter backends of this package and of others make their HTML, so common parts
are added afterwards. A search and an order stand in the open, other filters are folded away.
"""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from typing import Any, NamedTuple

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.html import escape, format_html_join
from django.utils.translation import gettext

from lintel.renderers.data import View
from lintel.request import Request
from lintel.scoping import scope_choices
from lintel.settings import api_settings
from lintel.utils.urls import remove_query_param

_FORM = re.compile(r"<form\b[^>]*>", re.IGNORECASE)
_METHOD = re.compile(r"""\bmethod\s*=\s*["']?(\w+)""", re.IGNORECASE)
_LINK = re.compile(r"""(?<=\shref=")[^"]*(?=")""")
_NAME = re.compile(r"""\sname\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)

#: What filters have that stand in the open: the names of a search and of an order.
_OPEN = ("search_param", "ordering_param")

_HIDDEN = '<input type="hidden" name="{}" value="{}">'

#: The attributes of paginators that name their parameters for position and size.
_PLACES = ("page_query_param", "offset_query_param", "cursor_query_param")
_LENGTHS = ("page_size_query_param", "limit_query_param")


class Control(NamedTuple):
    """The HTML of one filter, whether it stands in the open, and whether it is in use."""

    html: str
    is_open: bool
    is_used: bool


def controls_of(view: View, request: Request, queryset: QuerySet[Any]) -> Iterator[Control]:
    for backend_class in view.filter_backends:
        backend = backend_class()
        if not hasattr(backend, "to_html"):
            continue
        if hasattr(backend, "get_filterset"):
            _bound(backend, request, queryset, view)
        html = backend.to_html(request, queryset, view)
        if html:
            is_open = any(hasattr(backend, name) for name in _OPEN)
            query = request.query_params
            names = _NAME.findall(str(html))
            # Links have no names that say whether they are in use.
            is_used = any(map(query.get, names)) if names else bool(query)
            yield Control(_with_the_others(str(html), view, request), is_open, is_used)


def is_refused_list(view: object, request: Request, response: object) -> bool:
    """Tell whether a list was refused for its parameters, which its filters can correct."""
    if getattr(response, "status_code", None) != 400 or request.method not in ("GET", "HEAD"):
        return False
    action = getattr(view, "action", None)
    return action == "list" if action else hasattr(view, "list") and not getattr(view, "kwargs", 0)


def controls_beside_errors(view: View, request: Request, queryset: QuerySet[Any]) -> list[Control]:
    """Give the controls for what was refused; none where a filter cannot even show it."""
    try:
        return list(controls_of(view, request, queryset))
    except Exception:
        return []


def page_of_controls(controls: list[Control], clear: str | None) -> dict[str, object]:
    """Give templates ``elements``, and the same as those ``open`` and those ``folded`` away."""
    folded = [control for control in controls if not control.is_open]
    return {
        "elements": [control.html for control in controls],
        "open": [control.html for control in controls if control.is_open],
        "folded": [control.html for control in folded],
        "is_unfolded": any(control.is_used for control in folded),
        "clear_address": clear,
    }


def address_with(view: object, request: Request, name: str, value: str) -> str:
    """Write the query of the page with one parameter set, at the first page of the list."""
    query: QueryDict = request.query_params.copy()
    for place in _names(view, _PLACES):
        query.pop(place, None)
    query[name] = value
    return f"?{query.urlencode()}"


def clear_address(view: object, request: Request) -> str | None:
    query: QueryDict = request.query_params.copy()
    for name in _names(view, _PLACES):
        query.pop(name, None)
    remaining = {api_settings.URL_FORMAT_OVERRIDE, *_names(view, _LENGTHS)}
    remaining.add(getattr(request.versioning_scheme, "version_param", None))
    filters = [name for name in query if name not in remaining]
    for name in filters:
        del query[name]
    if not filters:
        return None
    return f"{request.path}?{query.urlencode()}" if query else str(request.path)


def _names(view: object, attributes: Iterable[str]) -> set[str]:
    paginator = getattr(view, "paginator", None)
    return {name for attribute in attributes if (name := getattr(paginator, attribute, None))}


def _with_the_others(html: str, view: object, request: Request) -> str:
    """Add inputs for parameters without a control: submitting a form replaces the query."""
    places = _names(view, _PLACES)
    html = _LINK.sub(lambda link: escape(_without(unescape(link[0]), places)), html)
    pieces, end = [], 0
    for form in _FORM.finditer(html):
        method = _METHOD.search(form[0])
        if method is None or method[1].lower() == "get":
            inside = html[form.end() :].partition("</form")[0]
            names = set(_NAME.findall(inside)) | places
            others = [
                (name, value)
                for name, values in request.query_params.lists()
                for value in values
                if name not in names
            ]
            pieces += [html[end : form.end()], format_html_join("", _HIDDEN, others)]
            end = form.end()
    return "".join([*pieces, html[end:]])


def _without(address: str, names: Iterable[str]) -> str:
    for name in names:
        if f"{name}=" in address:
            address = remove_query_param(address, name)
    return address


def _bound(backend: Any, request: object, queryset: object, view: View) -> None:
    """Keep a backend like that of django-filter from showing selects with more rows than set."""
    filterset = backend.get_filterset(request, queryset, view)
    cutoff = api_settings.HTML_SELECT_CUTOFF
    form = getattr(filterset, "form", None)
    if form is None:
        return
    scope_choices(filterset, view)
    backend.get_filterset = lambda request, queryset, view: filterset
    if cutoff is None:
        return
    for name, field in form.fields.items():
        if isinstance(field, forms.ModelChoiceField):
            _shorten(form, name, field, int(cutoff))


def _shorten(form: forms.BaseForm, name: str, field: forms.ModelChoiceField, cutoff: int) -> None:
    """Use an input for the key of one row; multiple choices keep a select of the first rows."""
    rows: Any = field.queryset
    if rows is None or not rows.all()[cutoff : cutoff + 1].exists():
        return
    if not isinstance(field, forms.ModelMultipleChoiceField):
        field.widget = forms.TextInput(attrs={"placeholder": gettext("Key")})
        return
    key = field.to_field_name or "pk"
    listed = [(getattr(row, key), field.label_from_instance(row)) for row in rows[:cutoff]]
    shown = {str(value) for value, label in listed}
    chosen = form[name].value() or []
    field.widget.choices = [*listed, *((pk, pk) for pk in chosen if str(pk) not in shown)]
