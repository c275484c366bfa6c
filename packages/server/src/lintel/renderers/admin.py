"""The browsable interface for editors: tables in place of raw data."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.urls import NoReverseMatch
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext

from lintel.renderers.browsable import BrowsableAPIRenderer, remember, results_of
from lintel.renderers.data import Context, RendererContext, TemplateContext, View
from lintel.renderers.forms.disclosure import (
    has_errors,
    may_get,
    model_of,
    shown_errors,
    single_serializer,
)
from lintel.renderers.orders import orders_of
from lintel.renderers.tables import Table, fields_of, label_of, table_of
from lintel.request import Request
from lintel.settings import api_settings
from lintel.utils.breadcrumbs import get_breadcrumbs

#: The name of a form that is shown again with errors.
TITLES = {"POST": "Create", "PUT": "Edit", "PATCH": "Edit"}


class AdminRenderer(BrowsableAPIRenderer):
    """A page for editors: lists as tables, objects as definition lists, and forms.

    After a change it redirects the browser to a page that shows the result.
    """

    template = "rest_framework/admin.html"
    format: str | None = "admin"

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Context = None
    ) -> str:
        """Return the page; nothing if the response becomes a redirect (303)."""
        context = remember(self, accepted_media_type, renderer_context)
        response = context["response"]
        address = _address_after_change(self, data, context["view"], context["request"], response)
        if address is None:
            return super().render(data, accepted_media_type, renderer_context)
        response.status_code = 303
        response["Location"] = address
        return ""

    def get_context(
        self, data: Any, accepted_media_type: str | None, renderer_context: RendererContext
    ) -> TemplateContext:
        context = super().get_context(data, accepted_media_type, renderer_context)
        view = context["view"]
        results = results_of(shown_errors(data), view)
        is_list = isinstance(results, list)
        rows = [(_address_of(self, row, view), row) for row in results] if is_list else []
        columns = _columns(results if is_list else [results])
        fields = fields_of(results)
        if is_list:
            results = [
                {"url": address, **row} if address and isinstance(row, Mapping) else row
                for address, row in rows
            ]
        context.update(
            style="list" if is_list else "detail",
            columns=columns,
            details=columns,
            results={} if results is None else results,
            rows=rows,
            table=_table(self, rows, columns, fields, context) if is_list else None,
            facts=_facts(results, columns, fields),
            **_refused_form(self, data, view, context["request"]),
        )
        return context

    def get_result_url(self, result: Any, view: View) -> str | None:
        """Return the URL of a row of a list, by the lookup field of its viewset, or None."""
        if not hasattr(view, "reverse_action") or not hasattr(view, "lookup_field"):
            return None
        key = getattr(view, "lookup_url_kwarg", None) or view.lookup_field
        try:
            return str(view.reverse_action("detail", kwargs={key: result[view.lookup_field]}))
        except (KeyError, NoReverseMatch):
            return None


def _refused_form(
    renderer: AdminRenderer, data: object, view: View, request: Request
) -> dict[str, object]:
    if request.method not in TITLES or not has_errors(single_serializer(data)):
        return {"error_form": None, "error_title": None}
    method = "PUT" if request.method == "PATCH" else request.method
    form = renderer.get_rendered_html_form(data, view, method, request)
    return {"error_form": form, "error_title": gettext(TITLES[request.method])}


def _columns(rows: list[Any]) -> list[object]:
    """The keys of the rows, each once: rows of several kinds have several sets of them."""
    url_field = api_settings.URL_FIELD_NAME
    result: dict[object, None] = {}
    for row in rows:
        if isinstance(row, Mapping):
            # Only a URL of this API is a hyperlink; any other is an ordinary value.
            is_linked = getattr(row.get(url_field), "is_hyperlink", False)
            result |= dict.fromkeys(key for key in row if not (is_linked and key == url_field))
    return list(result)


def _table(
    renderer: AdminRenderer,
    rows: list[tuple[str | None, object]],
    columns: list[object],
    fields: Mapping[object, object],
    context: TemplateContext,
) -> Table:
    view, request = context["view"], context["request"]
    shown = {key: fields[key] for key in columns if key in fields}
    may_order = may_get(renderer, view, request)
    orders = orders_of(view, request, shown) if may_order else {}
    return table_of(rows, columns, fields, orders)


def _facts(
    results: object, columns: list[object], fields: Mapping[object, object]
) -> list[tuple[object, object]]:
    if not isinstance(results, Mapping):
        return []
    return [(label_of(key, fields), results[key]) for key in columns]


def _address_of(renderer: AdminRenderer, row: object, view: object) -> str | None:
    if not isinstance(row, Mapping):
        return None
    address = row.get(api_settings.URL_FIELD_NAME)
    if getattr(address, "is_hyperlink", False):
        return str(address)
    model = model_of(view)
    name = "pk" if model is None else model._meta.pk.name
    return renderer.get_result_url({"pk": row[name], **row} if name in row else row, view)


def _address_after_change(
    renderer: AdminRenderer, data: object, view: object, request: Request, response: HttpResponse
) -> str | None:
    if response.status_code == 201 and "Location" in response:
        location = response["Location"]
        is_own = isinstance(data, Mapping) and location == str(
            data.get(api_settings.URL_FIELD_NAME)
        )
        if not is_own or url_has_allowed_host_and_scheme(location, request.get_host()):
            return str(location)
        # A field of that name holds what the client sent, such as a bookmark: go to the row.
        return _address_of(renderer, data, view)
    if response.status_code != 204:
        return None
    above = get_breadcrumbs(request.path, request)[:-1]
    return above[-1][1] if above else str(request.get_full_path())
