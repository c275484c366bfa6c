"""A search among the rows that a relation may refer to, for tables too large for a select.

A form sends ``OPTIONS`` to its own URL with the header ``Lintel-Choices``, which contains the
method of the form, the field, the words and the page. So the request passes everything that the
view checks for any request of this caller: authentication, permissions, throttles. It is answered
if the caller would be given that form with that field, from the rows that the field itself
accepts; otherwise the response is that of a plain OPTIONS request.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from inspect import signature
from typing import Any
from urllib.parse import parse_qsl

from django.core.exceptions import FieldError, ValidationError
from django.db import models
from django.db.models import Model
from django.template import loader
from django.utils.html import escape

from lintel import exceptions, serializers
from lintel.cycle.steps import complete
from lintel.fields import Field
from lintel.overrides import OURS, is_overridden, package_of
from lintel.relations import (
    HyperlinkedRelatedField,
    PrimaryKeyRelatedField,
    RelatedField,
    SlugRelatedField,
)
from lintel.renderers.data import RendererContext, View
from lintel.renderers.forms.disclosure import REFUSALS, lookup_of
from lintel.request import Request, is_form_media_type, override_method
from lintel.scoping import offered_rows, rows_of
from lintel.serializers import BaseSerializer

#: The header as WSGI and ASGI pass it.
HEADER = "HTTP_LINTEL_CHOICES"

#: The methods whose forms have such fields, and the names of their forms in the context of a
#: page: if there is one for PUT, it serves PATCH as well.
FORMS = {"POST": ["post_form"], "PUT": ["put_form"], "PATCH": ["patch_form", "put_form"]}

#: Rows per page; limits for pages and words; maximum length of the header.
PAGE_SIZE = 20
MOST_PAGES = 500
MOST_WORDS = 8
LONGEST = 2000

#: Templates of fields that list rows; any other may have been chosen to list none.
LISTING = ("select.html", "select_multiple.html", "radio.html", "checkbox_multiple.html")

_INDEX = re.compile(r"\[\d+\]")
_PAGE_NUMBER = re.compile(r"[0-9]{1,5}")


def found_choices(
    renderer: Any, context: RendererContext, serializer_of: Callable[..., BaseSerializer]
) -> str | None:
    """Return one page of a search as HTML; None if it is no search, or not allowed."""
    request, response, view = context["request"], context["response"], context["view"]
    header = request.META.get(HEADER)
    if not header or request.method != "OPTIONS" or response.status_code != 200:
        return None
    query = dict(parse_qsl(header[:LONGEST]))
    if query.get("method") not in FORMS:
        return None
    relation = _relation(renderer, view, request, query, serializer_of)
    if relation is None or not _is_in_form(renderer, context, query["method"], relation):
        return None
    number = query.get("page", "")
    page = min(int(number), MOST_PAGES - 1) if _PAGE_NUMBER.fullmatch(number) else 0
    search, start = query.get("search", ""), page * PAGE_SIZE
    choices = _described(relation, _rows(relation, search)[start : start + PAGE_SIZE + 1], search)
    following = page + 1 if len(choices) > PAGE_SIZE and page + 1 < MOST_PAGES else None
    content = {"choices": [pair for pair in choices[:PAGE_SIZE] if pair], "following": following}
    return loader.get_template("rest_framework/choices.html").render(content)


def is_searchable(field: Field) -> bool:
    relation, view = getattr(field, "child_relation", field), field.context.get("view")
    return (
        isinstance(relation, serializers.RelatedField)
        and not field.read_only
        and "template" not in field.style
        and field.style.get("base_template", "select.html") in LISTING
        and not any(
            is_overridden(part, "get_choices", "iter_options") for part in (relation, field)
        )
        and "OPTIONS" in getattr(view, "allowed_methods", ())
        and getattr(view, "metadata_class", None) is not None
    )


def name_of(field: Field) -> str:
    """Return the name of a field in its form's serializer: ``author``, ``lines.product``."""
    names = []
    while getattr(field, "parent", None) is not None:
        names.append(field.field_name)
        field = field.parent
    return ".".join(name for name in reversed(names) if name)


def _relation(
    renderer: Any,
    view: View,
    request: Request,
    query: Mapping[str, str],
    serializer_of: Callable[..., BaseSerializer],
) -> RelatedField | None:
    method = query["method"]
    with override_method(view, request, method) as overridden:
        if not renderer.show_form_for_method(view, method, overridden, None):
            return None
        if not any(is_form_media_type(parser.media_type) for parser in view.parser_classes):
            return None
        row = None
        if method != "POST" and hasattr(view, "get_object"):
            row = _row(view)
            if row is None or not renderer.show_form_for_method(view, method, overridden, row):
                return None
        serializer = serializer_of(renderer, view, method, overridden, row)
        if isinstance(serializer, serializers.ListSerializer):
            return None
        field = _field(serializer, _INDEX.sub("", query.get("field", "")))
        if field is None or not is_searchable(field):
            return None
        relation = getattr(field, "child_relation", field)
        return relation if isinstance(rows_of(relation), models.QuerySet) else None


def _row(view: View) -> object:
    lookup = lookup_of(view)
    if lookup is None:
        # A handler may pass values that only it knows, such as parts of the URL.
        parameters = signature(view.get_object).parameters.values()
        if any(
            part.default is part.empty and part.kind < part.VAR_POSITIONAL for part in parameters
        ):
            return None
    elif lookup not in view.kwargs:
        return None
    try:
        return complete(view.get_object())
    except (*REFUSALS, exceptions.ValidationError):
        return None


#: What a renderer makes forms with.
_MAKING_FORMS = ("get_rendered_html_form", "render_form_for_serializer", "get_context")


def _is_in_form(renderer: Any, context: RendererContext, method: str, relation: Field) -> bool:
    replaced = {name for name in _MAKING_FORMS if is_overridden(renderer, name)}
    if not replaced and package_of(renderer.form_renderer_class) == OURS:
        return True
    data = getattr(context["response"], "data", None)
    if "get_context" not in replaced:
        view, request = context["view"], context["request"]
        forms = [renderer.get_rendered_html_form(data, view, method, request)]
    else:
        page = renderer.get_context(data, renderer.accepted_media_type or "", context)
        forms = [page.get(name) for name in FORMS[method] if page.get("display_edit_forms")]
    mark = f'data-choices="{escape(name_of(relation))}"'
    return any(mark in form for form in forms if isinstance(form, str))


def _field(serializer: BaseSerializer, name: str) -> Any:
    result = serializer
    for part in name.split("."):
        child = getattr(result, "child", None)
        fields = getattr(result, "fields", None) or getattr(child, "fields", {})
        if part not in fields or fields[part].read_only:
            return None
        result = fields[part]
    return result


def _rows(relation: RelatedField, search: str) -> models.QuerySet[Any]:
    """Return the rows that the relation accepts and that contain the words, in a stable order."""
    rows = offered_rows(relation)
    words = [word for word in search.split() if "\0" not in word][:MOST_WORDS]
    if words and not (rows.query.is_sliced or rows.query.combinator):
        columns = _columns(relation, rows.model)
        condition = models.Q(*(_any_of(columns, word) for word in words))
        key = _key(relation, rows.model, " ".join(words))
        # A slug that is not a text column cannot be filtered by: the text of each row decides.
        with suppress(FieldError):
            rows = rows.filter(condition if key is None else condition | models.Q(pk=key))
    return rows if rows.ordered or rows.query.is_sliced else rows.order_by("pk")


def _any_of(columns: list[str], word: str) -> models.Q:
    if not columns:
        return models.Q(pk__in=[])
    return models.Q(*((f"{column}__icontains", word) for column in columns), _connector=models.Q.OR)


def _key(relation: object, model: type[Model], text: str) -> object:
    if not isinstance(relation, PrimaryKeyRelatedField | HyperlinkedRelatedField):
        return None
    try:
        return model._meta.pk.to_python(text)
    except (ValidationError, ValueError, TypeError, ArithmeticError):
        return None


def _columns(relation: RelatedField, model: type[Model]) -> list[str]:
    named = relation.style.get("search_fields")
    if named is not None:
        return list(named)
    shown = _shown_columns(relation, model)
    if isinstance(relation, SlugRelatedField) and relation.slug_field not in shown:
        return [relation.slug_field, *shown]
    return shown


def _shown_columns(relation: RelatedField, model: type[Model]) -> list[str]:
    """Return the text columns that are visible in the text of a row.

    They are found with an unsaved row that has a marker in each column. Values that no text shows,
    such as the hash of a password, cannot be found out by searching.
    """
    columns = [
        column
        for column in model._meta.concrete_fields
        if isinstance(column, models.CharField | models.TextField) and not column.choices
    ]
    marks = {column.attname: f"\ue000{number}\ue001" for number, column in enumerate(columns)}
    try:
        text = str(relation.display_value(model(**marks)))
    except Exception:  # the project's text may need a saved row
        return []
    return [column.name for column in columns if marks[column.attname] in text]


def _described(relation: RelatedField, rows: Iterable[object], search: str) -> list[object]:
    """Return ``(value, text)`` of each row; None for one that matched a value it does not show."""
    words = [] if "search_fields" in relation.style else search.casefold().split()
    described: list[object] = []
    for row in rows:
        value, text = str(relation.to_representation(row)), str(relation.display_value(row))
        seen = f"{text} {value}".casefold()
        is_shown = all(word in seen for word in words[:MOST_WORDS])
        described.append((value, text) if is_shown else None)
    return described
