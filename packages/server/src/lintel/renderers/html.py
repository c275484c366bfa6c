"""HTML forms for serializers, from the templates of a template pack."""

from collections.abc import Mapping
from typing import Any

from django.template import loader
from django.utils.html import format_html

from lintel.fields.base import is_secret
from lintel.fields.lookup import FieldLookup
from lintel.renderers.data import BaseRenderer, Context, encodable
from lintel.renderers.forms.disclosure import errors_of
from lintel.renderers.forms.inputs import (
    MOMENTS,
    marks_of,
    moment,
    options_of,
    prefix_of,
    problems_of,
    search_of,
)
from lintel.renderers.forms.lists import editor_of
from lintel.settings import FALSE, api_settings
from lintel.utils.field_mapping import ClassLookupDict
from lintel.utils.serializer_helpers import BoundField

#: Style options that a field inherits from its form or list.
PASSED_ON = ("id_prefix", "list_depth", "listed")


class HTMLFormRenderer(BaseRenderer):
    """Fills the templates of ``template_pack``, one for each kind of field.

    The ``style`` of a field controls how it is shown: ``base_template`` names another template
    of the pack, ``template`` one of the project, ``input_type`` the type of an input;
    ``placeholder``, ``autofocus``, ``rows``, ``hide_label``, ``inline`` are used by the templates.
    """

    media_type: str | None = "text/html"
    format: str | None = "form"
    template_pack = "rest_framework/vertical/"
    base_template = "form.html"
    default_style: ClassLookupDict = FieldLookup("form_style")

    def render_field(self, field: Any, parent_style: Mapping[str, Any]) -> str:
        if not field.is_exchanged:
            return ""
        style = {**self.default_style[field], **field.style}
        if "template_pack" not in style:
            style["template_pack"] = parent_style.get("template_pack", self.template_pack)
        style["renderer"] = self
        form_field = _with_value(field, style).as_form_field()
        form_field.errors = errors_of(field)
        style |= {name: parent_style[name] for name in PASSED_ON if name in parent_style}
        style.setdefault("id_prefix", "form")
        style["says_false"] = api_settings.ABSENT_CHECKBOX != FALSE
        options = options_of(form_field, style.get("listed", {}))
        page = {
            "field": form_field,
            "style": style,
            "options": options,
            "item_label": parent_style.get("item_label"),
            **marks_of(form_field, style["id_prefix"]),
            **search_of(form_field, style, options),
            **editor_of(self, form_field, style),
        }
        pack = style["template_pack"].strip("/")
        name = style.get("template") or f"{pack}/{style['base_template']}"
        return loader.get_template(name).render(page)

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Context = None
    ) -> str:
        """Return the form of the serializer of ``data``, with the ``style`` of the context."""
        context = renderer_context or {}
        style = dict(context.get("style", {}))
        style.setdefault("template_pack", self.template_pack)
        style["renderer"] = self
        name = f"{style['template_pack'].strip('/')}/{self.base_template}"
        form = getattr(data, "serializer", None)
        if form is None:  # an error, or other data without a serializer
            message = data.get("detail", data) if isinstance(data, Mapping) else data
            return format_html('<p class="field-error" role="alert">{}</p>', message)
        prefix = style.setdefault("id_prefix", prefix_of(form))
        style["listed"] = {}
        errors = getattr(form, "_errors", None)
        whole = errors.get(api_settings.NON_FIELD_ERRORS_KEY) if isinstance(errors, dict) else None
        page = {
            "form": form,
            "style": style,
            "errors": whole,
            "problems": problems_of(form, prefix),
        }
        return str(encodable(loader.get_template(name).render(page)))


def _with_value(bound: BoundField, style: Mapping[str, Any]) -> BoundField:
    value, field = bound.value, bound._field
    if is_secret(field) and hasattr(field.root, "initial_data"):
        value = field.get_initial()
    elif style.get("input_type") in MOMENTS:
        value = moment(bound, style["input_type"])
    return bound if value is bound.value else type(bound)(field, value, bound.errors, bound._prefix)
