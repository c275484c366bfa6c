"""The browsable interface: a page around the response, with links and forms for next steps."""

import json
from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpResponse
from django.template import loader
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from lintel import VERSION, exceptions, serializers
from lintel.compat import pygments_css
from lintel.negotiation import parser_classes_of, writes_many
from lintel.renderers.data import (
    BaseRenderer,
    Context,
    RendererContext,
    TemplateContext,
    View,
    encodable,
    header_name,
)
from lintel.renderers.filter_controls import (
    clear_address,
    controls_beside_errors,
    controls_of,
    is_refused_list,
    page_of_controls,
)
from lintel.renderers.forms.choices import found_choices
from lintel.renderers.forms.disclosure import (
    callable_actions,
    has_errors,
    instance_here,
    is_allowed,
    may_get,
    queryset_here,
    row_to_edit,
    show_only,
    shown_errors,
    single_serializer,
    was_sent,
    without_secrets,
)
from lintel.renderers.forms.inputs import start_from_defaults
from lintel.renderers.html import HTMLFormRenderer
from lintel.renderers.notices import as_curl, is_deleted, notice_of
from lintel.renderers.titles import titled
from lintel.request import Request, is_form_media_type, override_method
from lintel.serializers import BaseSerializer
from lintel.settings import api_settings
from lintel.utils.breadcrumbs import get_breadcrumbs

#: A word that Django translates.
CLEAR = "Clear"

CHANGES = ("PUT", "PATCH")

#: Names in the template context of forms that change something.
EDIT_FORMS = (
    *("put_form", "patch_form", "post_form", "raw_data_put_form", "raw_data_post_form"),
    *("raw_data_patch_form", "raw_data_put_or_patch_form"),
)


class BrowsableAPIRenderer(BaseRenderer):
    """An HTML page that shows the response as another renderer of the view makes it.

    Around it: the description of the view, breadcrumbs, the allowed methods and formats, forms for
    what the user may do. ``template`` and ``filter_template`` and every hook may be replaced.
    """

    media_type: str | None = "text/html"
    format: str | None = "api"
    template = "rest_framework/api.html"
    filter_template = "rest_framework/filters/base.html"
    code_style = "emacs"
    form_renderer_class: Any = HTMLFormRenderer
    #: The renderers of the parts of a page.
    accepted_media_type: str | None = None
    renderer_context: RendererContext = {}

    def get_default_renderer(self, view: View) -> Any:
        """Return the first renderer that is neither page nor template, to show the data."""
        candidates = [
            renderer
            for renderer in view.renderer_classes
            if not issubclass(renderer, BrowsableAPIRenderer)
        ]
        plain = [renderer for renderer in candidates if not hasattr(renderer, "get_template_names")]
        chosen = plain or candidates
        return chosen[0]() if chosen else None

    def get_content(
        self,
        renderer: BaseRenderer,
        data: Any,
        accepted_media_type: str | None,
        renderer_context: TemplateContext,
    ) -> str:
        if not renderer:
            return "[No renderers were found]"
        renderer_context["indent"] = 4
        content = renderer.render(data, accepted_media_type, renderer_context)
        if getattr(renderer, "render_style", "text") == "binary":
            return f"[{len(content or b'')} bytes of binary content]"
        if isinstance(content, bytes):
            return content.decode(renderer.charset or "utf-8", errors="replace")
        return "" if content is None else str(content)

    def show_form_for_method(self, view: View, method: str, request: Request, obj: Any) -> bool:
        """Return whether the user may use ``method`` here, on ``obj`` if there is one."""
        return method in view.allowed_methods and is_allowed(view, request, obj)

    def _get_serializer(
        self,
        serializer_class: Any,
        view_instance: object,
        request: Request,
        *args: object,
        **kwargs: object,
    ) -> object:
        kwargs["context"] = {
            "request": request,
            "format": getattr(view_instance, "format_kwarg", None),
            "view": view_instance,
        }
        return serializer_class(*args, **kwargs)

    def get_rendered_html_form(self, data: Any, view: View, method: str, request: Request) -> Any:
        """Return the form of a method as HTML; True for one without fields, None for no form."""
        if writes_many(view, method):
            return None  # a form is about one object; DELETE needs a list of keys
        serializer = single_serializer(data)
        row = row_to_edit(self, serializer, view, request) if method in CHANGES else None
        with override_method(view, request, method) as overridden:
            instance = instance_here(serializer, view)
            if not self.show_form_for_method(view, method, overridden, instance):
                return None
            if method in ("DELETE", "OPTIONS"):
                return True
            sources = ("get_serializer", "serializer_class")
            if not any(getattr(view, name, None) for name in sources):
                return None
            if not any(is_form_media_type(parser.media_type) for parser in view.parser_classes):
                return None
            if not was_sent(serializer, method, request):
                serializer = serializer_of(self, view, method, overridden, row)
                show_only(serializer, data, row)
            return self.render_form_for_serializer(serializer)

    def render_form_for_serializer(self, serializer: BaseSerializer) -> SafeString:
        """Return the form of one serializer, in the horizontal template pack."""
        if isinstance(serializer, serializers.ListSerializer):
            return mark_safe("")
        if hasattr(serializer, "initial_data"):
            serializer.is_valid()
        context = {"style": {"template_pack": "rest_framework/horizontal"}}
        html = self.form_renderer_class().render(serializer.data, self.media_type, context)
        return mark_safe(html)  # noqa: S308 -- made by templates, which escape

    def get_raw_data_form(self, data: Any, view: View, method: str, request: Request) -> Any:
        """Return a form with one field for the body and one for its content type; None for none."""
        if writes_many(view, method):
            return None  # a form is about one object; DELETE needs a list of keys
        serializer = single_serializer(data)
        row = row_to_edit(self, serializer, view, request) if method in CHANGES else None
        with override_method(view, request, method) as overridden:
            instance = instance_here(serializer, view)
            if not self.show_form_for_method(view, method, overridden, instance):
                return None
            if not (has_errors(serializer) and was_sent(serializer, method, request)):
                serializer = serializer_of(self, view, method, overridden, row)
                show_only(serializer, data, row)
            content = _body_to_start_from(self, view, overridden, serializer)
            # PUT and PATCH have one form.
            used = "PATCH" if method == "PUT" and "PATCH" in view.allowed_methods else method
            media_types = [parser.media_type for parser in parser_classes_of(view, used)]
            return _raw_data_form(media_types, content)

    def get_name(self, view: View) -> str:
        return str(view.get_view_name())

    def get_description(self, view: View, status_code: int) -> str:
        if status_code in (401, 403):
            return ""
        return view.get_view_description(html=True)

    def get_breadcrumbs(self, request: Request) -> list[tuple[str, str]]:
        return get_breadcrumbs(request.path, request)

    def get_extra_actions(self, view: View, status_code: int) -> Any:
        if status_code in (401, 403) or not hasattr(view, "get_extra_action_url_map"):
            return None
        return view.get_extra_action_url_map()

    def get_filter_form(self, data: Any, view: View, request: Request) -> str | None:
        """Return the controls of the view's filters, for a list, also a refused one; or None."""
        if not hasattr(view, "get_queryset") or not hasattr(view, "filter_backends"):
            return None
        is_list = isinstance(data, list) or results_of(data, view) is not data
        is_refused = is_refused_list(view, request, self.renderer_context.get("response"))
        if not (is_list or is_refused) or not may_get(self, view, request):
            return None
        queryset = queryset_here(view)
        shown = controls_beside_errors if is_refused else controls_of
        controls = [] if queryset is None else list(shown(view, request, queryset))
        if not controls:
            return None
        page = page_of_controls(controls, clear_address(view, request))
        return loader.get_template(self.filter_template).render({**page, "clear": gettext(CLEAR)})

    def get_context(
        self, data: Any, accepted_media_type: str | None, renderer_context: RendererContext
    ) -> TemplateContext:
        view = renderer_context["view"]
        request = renderer_context["request"]
        response = renderer_context["response"]
        renderer = self.get_default_renderer(view)
        headers = dict(sorted(response.items()))
        if content_type := _content_type(renderer):
            headers["Content-Type"] = content_type
        edit_forms = _edit_forms(self, data, view, request, response)
        html_form, is_gone = self.get_rendered_html_form, is_deleted(request, response)
        user = _user(request)
        paginator = getattr(view, "paginator", None)
        has_controls = getattr(paginator, "display_page_controls", False)
        title, crumbs = titled(self.get_name(view), self.get_breadcrumbs(request), data, view)
        return {
            "content": self.get_content(
                renderer, shown_errors(data), accepted_media_type, dict(renderer_context)
            ),
            "code_style": pygments_css(self.code_style),
            "view": view,
            "request": request,
            "response": response,
            "user": user,
            "description": self.get_description(view, response.status_code),
            "name": title,
            "version": VERSION,
            "paginator": paginator if has_controls else None,
            "breadcrumblist": crumbs,
            "allowed_methods": view.allowed_methods,
            # Renderers may share a format and differ in their media type.
            "available_formats": list(dict.fromkeys(cls.format for cls in view.renderer_classes)),
            "response_headers": headers,
            "delete_form": None if is_gone else html_form(data, view, "DELETE", request),
            "options_form": html_form(data, view, "OPTIONS", request),
            "extra_actions": callable_actions(
                self, self.get_extra_actions(view, response.status_code), data, view, request
            ),
            "filter_form": self.get_filter_form(data, view, request),
            **edit_forms,
            "notice": notice_of(request, response, user, map(edit_forms.get, EDIT_FORMS)),
            "request_as_curl": as_curl(request, getattr(renderer, "media_type", None)),
            "api_settings": api_settings,
            "csrf_cookie_name": settings.CSRF_COOKIE_NAME,
            "csrf_header_name": header_name(settings.CSRF_HEADER_NAME),
        }

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Context = None
    ) -> str:
        context = remember(self, accepted_media_type, renderer_context)
        choices = found_choices(self, context, serializer_of)
        if choices is not None:
            return str(encodable(choices))
        page = self.get_context(data, accepted_media_type or "", context)
        html = loader.get_template(self.template).render(page, request=context["request"])
        response = context["response"]
        if response.status_code == 204:
            # For "no content" a browser would stay on the old page.
            response.status_code = 200
        return str(encodable(html))


def remember(
    renderer: BrowsableAPIRenderer, accepted_media_type: str | None, renderer_context: Context
) -> TemplateContext:
    renderer.accepted_media_type = accepted_media_type
    context = renderer.renderer_context = dict(renderer_context or {})
    return context


def _edit_forms(
    renderer: BrowsableAPIRenderer,
    data: object,
    view: object,
    request: Request,
    response: HttpResponse,
) -> dict[str, object]:
    """Return the forms that change something; none after a refusal, since they show choices."""
    if response.status_code in (403, 429) or is_deleted(request, response):
        return {**dict.fromkeys(EDIT_FORMS), "display_edit_forms": False}
    html, raw = renderer.get_rendered_html_form, renderer.get_raw_data_form
    raw_put, raw_patch = (raw(data, view, method, request) for method in ("PUT", "PATCH"))
    put = html(data, view, "PUT", request)
    return {
        "display_edit_forms": True,
        "put_form": put,
        "patch_form": None if put else html(data, view, "PATCH", request),
        "post_form": html(data, view, "POST", request),
        "raw_data_put_form": raw_put,
        "raw_data_post_form": raw(data, view, "POST", request),
        "raw_data_patch_form": raw_patch,
        "raw_data_put_or_patch_form": raw_put or raw_patch,
        "raw_data_query_form": _query_form(renderer, view, request),
    }


def _query_form(renderer: BrowsableAPIRenderer, view: View, request: Request) -> forms.Form | None:
    """Return a form with the parameters of the page as JSON, if the view answers QUERY."""
    if "QUERY" not in view.allowed_methods:
        return None
    with override_method(view, request, "QUERY") as asking:
        asking.method = "GET"  # as permissions see it
        if not is_allowed(view, asking, None):
            return None
    parameters = {
        name: values[0] if len(values) == 1 else values
        for name, values in request.query_params.lists()
        if name != api_settings.URL_FORMAT_OVERRIDE
    }
    media_types = [parser.media_type for parser in view.parser_classes]
    media_types.sort(key=lambda media_type: not media_type.endswith("json"))
    return _raw_data_form(media_types, json.dumps(parameters, indent=4, ensure_ascii=False))


def serializer_of(
    renderer: BrowsableAPIRenderer, view: View, method: str, request: Request, row: object
) -> Any:
    arguments = {"instance": row} if method in CHANGES else {}
    serializer = None
    if hasattr(view, "get_serializer"):
        serializer = view.get_serializer(**arguments)
    elif getattr(view, "serializer_class", None):
        serializer = renderer._get_serializer(view.serializer_class, view, request, **arguments)
    if method == "POST":
        start_from_defaults(serializer)
    return serializer


def _body_to_start_from(
    renderer: BrowsableAPIRenderer, view: View, request: Request, serializer: BaseSerializer | None
) -> str | None:
    """Return the text of a raw form, written with the context of the page; None if impossible."""
    renderer_class = getattr(next(iter(view.parser_classes), None), "renderer_class", None)
    if not renderer_class or not hasattr(view, "get_serializer"):
        return None
    context = {"view": view, "request": request, **renderer.renderer_context, "indent": 4}
    sample = _sample(serializer)
    if sample is None:
        return None
    if writes_many(view, request.method) and isinstance(sample, dict):
        sample = [sample]
    try:
        content = renderer_class().render(sample, renderer.accepted_media_type, context)
    except (TypeError, ValueError):
        if has_errors(serializer):  # a file, or another value that this format cannot represent
            return None
        raise
    return content.decode() if isinstance(content, bytes) else str(content)


def _sample(serializer: BaseSerializer | None) -> object:
    if isinstance(serializer, serializers.ListSerializer):
        child = serializer.child
        return [child.get_initial()] if hasattr(child, "fields") else None
    if serializer is None or not hasattr(serializer, "fields"):
        return None
    values = serializer.data.copy()
    return without_secrets(serializer, values) if has_errors(serializer) else values


def _raw_data_form(media_types: list[str], content: str | None) -> forms.Form:
    class GenericContentForm(forms.Form):
        _content_type = forms.ChoiceField(
            label="Media type",
            choices=[(media_type, media_type) for media_type in media_types],
            initial=media_types[0] if media_types else None,
            widget=forms.Select(attrs={"data-override": "content-type"}),
        )
        _content = forms.CharField(
            label="Content",
            widget=forms.Textarea(attrs={"data-override": "content"}),
            initial=content,
            required=False,
        )

    return GenericContentForm()


def results_of(data: object, view: object) -> Any:
    paginator = getattr(view, "paginator", None)
    if paginator is None or data is None:
        return data
    try:
        return paginator.get_results(data)
    except (TypeError, KeyError):
        return data


def _user(request: Request) -> object:
    try:
        return request.user
    except exceptions.APIException:
        return getattr(request, "_user", None)


def _content_type(renderer: BrowsableAPIRenderer) -> str:
    if not renderer:
        return ""
    media_type = renderer.media_type or ""
    return f"{media_type}; charset={renderer.charset}" if renderer.charset else media_type
