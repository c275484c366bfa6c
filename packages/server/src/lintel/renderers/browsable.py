"""The browsable interface: a page around the response, with links and forms to go on from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page
from django.http import Http404
from django.template import loader
from django.urls import NoReverseMatch
from django.utils.safestring import SafeString, mark_safe

from lintel import VERSION, exceptions, serializers
from lintel.compat import pygments_css
from lintel.cycle.steps import complete
from lintel.renderers.data import BaseRenderer
from lintel.renderers.html import HTMLFormRenderer
from lintel.request import is_form_media_type, override_method
from lintel.settings import api_settings
from lintel.utils.breadcrumbs import get_breadcrumbs


class BrowsableAPIRenderer(BaseRenderer):
    """An HTML page that shows the response as another renderer of the view makes it.

    Around it: the description of the view, breadcrumbs, the allowed methods and formats, forms for
    what the user may do. ``template`` and ``filter_template`` may be replaced; so may every hook.
    """

    media_type = "text/html"
    format = "api"
    template = "rest_framework/api.html"
    filter_template = "rest_framework/filters/base.html"
    code_style = "emacs"
    charset = "utf-8"
    form_renderer_class: Any = HTMLFormRenderer
    #: What the page is made with.
    accepted_media_type: str | None = None
    renderer_context: Mapping[str, Any] = {}

    def get_default_renderer(self, view: Any) -> Any:
        """The renderer that shows the data: the first that is neither page nor template."""
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
        renderer: Any,
        data: Any,
        accepted_media_type: str | None,
        renderer_context: dict[str, Any],
    ) -> str:
        """The response as text, indented where the renderer can do that."""
        if not renderer:
            return "[No renderers were found]"
        renderer_context["indent"] = 4
        content = renderer.render(data, accepted_media_type, renderer_context)
        if getattr(renderer, "render_style", "text") == "binary":
            return f"[{len(content or b'')} bytes of binary content]"
        if isinstance(content, bytes):
            return content.decode(renderer.charset or "utf-8", errors="replace")
        return "" if content is None else str(content)

    def show_form_for_method(self, view: Any, method: str, request: Any, obj: Any) -> bool:
        """Whether the user may use ``method`` here, on ``obj`` if there is one."""
        if method not in view.allowed_methods:
            return False
        try:
            view.check_permissions(request)
            if obj is not None:
                view.check_object_permissions(request, obj)
        except (exceptions.APIException, Http404, PermissionDenied):
            return False
        return True

    def _get_serializer(
        self, serializer_class: Any, view_instance: Any, request: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """A serializer of a given class in the context of the view."""
        kwargs["context"] = {
            "request": request,
            "format": getattr(view_instance, "format_kwarg", None),
            "view": view_instance,
        }
        return serializer_class(*args, **kwargs)

    def get_rendered_html_form(self, data: Any, view: Any, method: str, request: Any) -> Any:
        """The form of a method as HTML; True for one without fields, None for no form."""
        serializer = _single_serializer(data)
        instance = _instance_of(serializer)
        existing = serializer if _was_sent(serializer, method, request) else None
        with override_method(view, request, method) as overridden:
            if not self.show_form_for_method(view, method, overridden, instance):
                return None
            if method in ("DELETE", "OPTIONS"):
                return True
            has_serializer = getattr(view, "get_serializer", None) or getattr(
                view, "serializer_class", None
            )
            if not has_serializer or not _reads_forms(view.parser_classes):
                return None
            if existing is not None:
                return self._form_of_existing(existing)
            return self._form_of_new(view, method, request, instance)

    def _form_of_existing(self, serializer: Any) -> Any:
        try:
            return self.render_form_for_serializer(serializer)
        except TypeError:  # a list cannot be shown as one form
            return None

    def _form_of_new(self, view: Any, method: str, request: Any, instance: Any) -> Any:
        arguments = {"instance": instance} if method in ("PUT", "PATCH") else {}
        if hasattr(view, "get_serializer"):
            serializer = view.get_serializer(**arguments)
        else:
            serializer = self._get_serializer(view.serializer_class, view, request, **arguments)
        return self.render_form_for_serializer(serializer)

    def render_form_for_serializer(self, serializer: Any) -> SafeString:
        """The form of one serializer, in the horizontal template pack."""
        if isinstance(serializer, serializers.ListSerializer):
            return mark_safe("")
        if hasattr(serializer, "initial_data"):
            serializer.is_valid()
        renderer = self.form_renderer_class()
        html = renderer.render(
            serializer.data,
            self.media_type,
            {"style": {"template_pack": "rest_framework/horizontal"}},
        )
        return mark_safe(html)  # noqa: S308 -- made by templates, which escape

    def get_raw_data_form(self, data: Any, view: Any, method: str, request: Any) -> Any:
        """A form with one field for the body and one for its content type; None for none."""
        instance = _instance_of(_single_serializer(data))
        with override_method(view, request, method) as overridden:
            if not self.show_form_for_method(view, method, overridden, instance):
                return None
            content = self._sample(view, method, overridden, instance)
            media_types = [parser.media_type for parser in view.parser_classes]
            return _raw_data_form(media_types, content)

    def _sample(self, view: Any, method: str, request: Any, instance: Any) -> str | None:
        """The body to start from, in the first parser's format.

        Its renderer gets what the page itself was made with: renderers of other packages look
        for the response, and for every field of the serializer.
        """
        renderer_class = _renderer_of_first_parser(view.parser_classes)
        if not renderer_class or not hasattr(view, "get_serializer"):
            return None
        if method in ("PUT", "PATCH"):
            serializer = view.get_serializer(instance=instance)
        else:
            serializer = view.get_serializer()
        if not hasattr(serializer, "fields"):
            return None
        context = {"view": view, "request": request, **self.renderer_context, "indent": 4}
        accepted = self.accepted_media_type
        content = renderer_class().render(serializer.data.copy(), accepted, context)
        return content.decode() if isinstance(content, bytes) else str(content)

    def get_name(self, view: Any) -> str:
        """The title of the page."""
        return str(view.get_view_name())

    def get_description(self, view: Any, status_code: int) -> Any:
        """The text under the title; nothing for somebody who may not be here."""
        if status_code in (401, 403):
            return ""
        return view.get_view_description(html=True)

    def get_breadcrumbs(self, request: Any) -> list[tuple[str, str]]:
        """``(name, address)`` of the views above this one."""
        return get_breadcrumbs(request.path, request)

    def get_extra_actions(self, view: Any, status_code: int) -> Any:
        """Names and addresses of further actions of a viewset."""
        if status_code in (401, 403) or not hasattr(view, "get_extra_action_url_map"):
            return None
        return view.get_extra_action_url_map()

    def get_filter_form(self, data: Any, view: Any, request: Any) -> Any:
        """The controls of the view's filters, for a list; None for none."""
        if not hasattr(view, "get_queryset") or not hasattr(view, "filter_backends"):
            return None
        if not _is_list(data, view):
            return None
        queryset = complete(view.get_queryset())
        controls = [
            backend().to_html(request, queryset, view)
            for backend in view.filter_backends
            if hasattr(backend, "to_html")
        ]
        elements = [control for control in controls if control]
        if not elements:
            return None
        return loader.get_template(self.filter_template).render({"elements": elements})

    def get_context(
        self, data: Any, accepted_media_type: str | None, renderer_context: Mapping[str, Any]
    ) -> dict[str, Any]:
        """What the template gets to know."""
        view = renderer_context["view"]
        request = renderer_context["request"]
        response = renderer_context["response"]
        renderer = self.get_default_renderer(view)
        raw_put = self.get_raw_data_form(data, view, "PUT", request)
        raw_post = self.get_raw_data_form(data, view, "POST", request)
        raw_patch = self.get_raw_data_form(data, view, "PATCH", request)
        headers = dict(sorted(response.items()))
        renderer_content_type = _content_type(renderer)
        if renderer_content_type:
            headers["Content-Type"] = renderer_content_type
        return {
            "content": self.get_content(
                renderer, data, accepted_media_type, dict(renderer_context)
            ),
            "code_style": pygments_css(self.code_style),
            "view": view,
            "request": request,
            "response": response,
            "user": _user(request),
            "description": self.get_description(view, response.status_code),
            "name": self.get_name(view),
            "version": VERSION,
            "paginator": _paginator_with_controls(view),
            "breadcrumblist": self.get_breadcrumbs(request),
            "allowed_methods": view.allowed_methods,
            "available_formats": [renderer.format for renderer in view.renderer_classes],
            "response_headers": headers,
            "put_form": self.get_rendered_html_form(data, view, "PUT", request),
            "post_form": self.get_rendered_html_form(data, view, "POST", request),
            "delete_form": self.get_rendered_html_form(data, view, "DELETE", request),
            "options_form": self.get_rendered_html_form(data, view, "OPTIONS", request),
            "extra_actions": self.get_extra_actions(view, response.status_code),
            "filter_form": self.get_filter_form(data, view, request),
            "raw_data_put_form": raw_put,
            "raw_data_post_form": raw_post,
            "raw_data_patch_form": raw_patch,
            "raw_data_put_or_patch_form": raw_put or raw_patch,
            "display_edit_forms": response.status_code != 403,
            "api_settings": api_settings,
            "csrf_cookie_name": settings.CSRF_COOKIE_NAME,
            "csrf_header_name": _header_name(settings.CSRF_HEADER_NAME),
        }

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> str:
        """The page."""
        context = self._remember(accepted_media_type, renderer_context)
        page = self.get_context(data, accepted_media_type or "", context)
        html = loader.get_template(self.template).render(page, request=context["request"])
        response = context["response"]
        if response.status_code == 204:
            # A browser would stay on the old page for "no content".
            response.status_code = 200
        return html

    def _remember(
        self, accepted_media_type: str | None, renderer_context: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        self.accepted_media_type = accepted_media_type
        self.renderer_context = dict(renderer_context or {})
        return self.renderer_context


class AdminRenderer(BrowsableAPIRenderer):
    """A page for editors: lists as tables, objects as definition lists, forms in dialogs."""

    template = "rest_framework/admin.html"
    format = "admin"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> str:
        """The page; after a change, a redirect to where its result is shown."""
        context = self._remember(accepted_media_type, renderer_context)
        request, response, view = context["request"], context["response"], context["view"]
        self.error_form: Any = None
        self.error_title: Any = None
        if response.status_code == 400:
            data = self._keep_errors(data, view, request, context)
        page = self.get_context(data, accepted_media_type or "", context)
        html = loader.get_template(self.template).render(page, request=request)
        _redirect_after_change(request, response)
        return html

    def _keep_errors(self, data: Any, view: Any, request: Any, context: dict[str, Any]) -> Any:
        """Remember the form with its errors, and show the page the user came from."""
        self.error_form = self.get_rendered_html_form(data, view, request.method, request)
        titles = {"POST": "Create", "PUT": "Edit"}
        self.error_title = titles.get(request.method, "Errors")
        with override_method(view, request, "GET") as get_request:
            # Who may write may still not be somebody who may read.
            if not self.show_form_for_method(view, "GET", get_request, None):
                return data
            try:
                answer = complete(view.get(get_request, *view.args, **view.kwargs))
            except (exceptions.APIException, Http404, PermissionDenied):
                return data
        context["response"].data = answer.data
        return answer.data

    def get_context(
        self, data: Any, accepted_media_type: str | None, renderer_context: Mapping[str, Any]
    ) -> dict[str, Any]:
        """What the template gets to know, with the results as columns."""
        context = super().get_context(data, accepted_media_type, renderer_context)
        view = context["view"]
        results = _results(data, view)
        is_list = isinstance(results, list)
        rows: Any = {} if results is None else results
        header = (rows[0] if rows else {}) if is_list else rows
        columns = [key for key in header if key != "url"] if isinstance(header, Mapping) else []
        context.update(
            style="list" if is_list else "detail",
            columns=columns,
            details=columns,
            results=self._with_urls(rows, view) if is_list else rows,
            error_form=getattr(self, "error_form", None),
            error_title=getattr(self, "error_title", None),
        )
        return context

    def _with_urls(self, rows: Iterable[Any], view: Any) -> list[Any]:
        shown = []
        for row in rows:
            url = self.get_result_url(row, view) if isinstance(row, Mapping) else None
            shown.append({**row, "url": url} if url and isinstance(row, Mapping) else row)
        return shown

    def get_result_url(self, result: Any, view: Any) -> str | None:
        """The address of one row of a list: its URL field, else by the view's lookup field."""
        if not hasattr(view, "reverse_action") or not hasattr(view, "lookup_field"):
            found = result.get(api_settings.URL_FIELD_NAME)
            return str(found) if found else None
        key = getattr(view, "lookup_url_kwarg", None) or view.lookup_field
        try:
            return str(view.reverse_action("detail", kwargs={key: result[view.lookup_field]}))
        except (KeyError, NoReverseMatch):
            return None


def _single_serializer(data: Any) -> Any:
    """The serializer that the data comes from, unless it is one of many objects."""
    serializer = getattr(data, "serializer", None)
    return None if serializer is None or getattr(serializer, "many", False) else serializer


def _instance_of(serializer: Any) -> Any:
    instance = getattr(serializer, "instance", None)
    return None if isinstance(instance, Page) else instance


def _was_sent(serializer: Any, method: str, request: Any) -> bool:
    """Whether the serializer holds what the user has just sent by this very method."""
    return serializer is not None and method == request.method


def _reads_forms(parsers: Iterable[Any]) -> bool:
    return any(is_form_media_type(parser.media_type) for parser in parsers)


def _renderer_of_first_parser(parsers: Iterable[Any]) -> Any:
    for parser in parsers:
        return getattr(parser, "renderer_class", None)
    return None


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


def _is_list(data: Any, view: Any) -> bool:
    return isinstance(data, list) or _results(data, view) is not data


def _results(data: Any, view: Any) -> Any:
    """The rows of a page; data that is no page of the view's paginator comes back itself."""
    paginator = getattr(view, "paginator", None)
    if paginator is None or data is None:
        return data
    try:
        return paginator.get_results(data)
    except (TypeError, KeyError):
        return data


def _paginator_with_controls(view: Any) -> Any:
    """The paginator of the view, if it says that there are pages to choose from."""
    paginator = getattr(view, "paginator", None)
    return paginator if getattr(paginator, "display_page_controls", False) else None


def _user(request: Any) -> Any:
    """Who asks; nobody on the page of an error that came before a failing authentication."""
    try:
        return request.user
    except exceptions.APIException:
        return getattr(request, "_user", None)


def _content_type(renderer: Any) -> str:
    if not renderer:
        return ""
    media_type = renderer.media_type or ""
    return f"{media_type}; charset={renderer.charset}" if renderer.charset else media_type


def _header_name(setting: str) -> str:
    """``HTTP_X_CSRFTOKEN`` of the settings as the name that travels: ``X-CSRFTOKEN``."""
    return setting.removeprefix("HTTP_").replace("_", "-")


def _redirect_after_change(request: Any, response: Any) -> None:
    if response.status_code == 201 and "Location" in response:
        response.status_code = 303
    elif response.status_code == 204:
        response.status_code = 303
        try:
            response["Location"] = get_breadcrumbs(request.path, request)[-2][1]
        except IndexError:
            response["Location"] = request.get_full_path()
