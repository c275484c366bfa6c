"""The inputs of a form: initial values, values as browsers read them, options, ids, errors.

A form for a new object starts with the defaults that would be stored without it. A select lists at
most ``html_cutoff`` options, and always the current value: without it a browser would select the
first one, and saving a title would change the author.
"""

import datetime
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from django.db import models
from django.db.models import NOT_PROVIDED, Model
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime, parse_time

from lintel import serializers
from lintel.fields import empty
from lintel.fields.choices import Option
from lintel.fields.columns import column_of
from lintel.renderers.forms.choices import is_searchable, name_of
from lintel.renderers.forms.disclosure import errors_of, has_errors
from lintel.serializers import BaseSerializer
from lintel.settings import api_settings
from lintel.utils.serializer_helpers import BoundField

# Initial values


#: Defaults that are called: only an empty container is the same for every new object.
_CONTAINERS = (dict, list)


def start_from_defaults(serializer: BaseSerializer | None) -> None:
    """Let the fields of a form for a new object start with their declared defaults.

    A default of the serializer field takes precedence over one of the model or of its column in the
    database. A field with its own ``initial`` value keeps it, and computed defaults
    are left to be computed when the object is stored.
    """
    if not isinstance(serializer, serializers.Serializer) or serializer.instance is not None:
        return
    model = getattr(getattr(serializer, "Meta", None), "model", None)
    for field in serializer.fields.values():
        if field.read_only or field.initial is not type(field).initial:
            continue
        default = _declared(field, model)
        if default is not empty:
            field.initial = default


def _declared(field: serializers.Field, model: type[Model] | None) -> object:
    if field.default is not empty:
        return field.default if not callable(field.default) else empty
    column = column_of(model, field.source)
    is_value = isinstance(column, models.Field) and column.remote_field is None
    return _stored(field, column) if is_value else empty


def _stored(field: serializers.Field, column: models.Field) -> object:
    default = column.default
    if default is NOT_PROVIDED:
        expression = getattr(column, "db_default", NOT_PROVIDED)
        default = getattr(expression, "value", expression)
    if default in _CONTAINERS:
        default = default()
    if default is NOT_PROVIDED or callable(default) or hasattr(default, "resolve_expression"):
        return empty
    try:
        return default if default is None else field.to_representation(default)
    except Exception:  # a default of a different type than the field shows
        return empty


# Values


#: Input types with a fixed format in HTML, whatever format the API writes.
MOMENTS = ("datetime-local", "date", "time")


def moment(bound: BoundField, input_type: str) -> object:
    """Return ISO 8601 in the field's zone for an ``input_type``; other text unchanged."""
    value = None if bound.value is None else _native(bound)
    if isinstance(value, datetime.datetime):
        value = _on_the_clock(value, bound._field)
        if input_type == "date":
            return value.date().isoformat()
        return _iso(value.time() if input_type == "time" else value)
    if isinstance(value, datetime.date):
        return f"{value.isoformat()}T00:00" if input_type == "datetime-local" else value.isoformat()
    return _iso(value.replace(tzinfo=None)) if isinstance(value, datetime.time) else bound.value


def _iso(value: datetime.datetime | datetime.time) -> str:
    """Return ISO 8601 without the fraction, or with milliseconds: browsers take no more digits."""
    return value.isoformat(timespec="milliseconds" if value.microsecond else "seconds")


def _on_the_clock(value: datetime.datetime, field: object) -> datetime.datetime:
    """Without its zone, as the field would read it when sent back."""
    with suppress(Exception):  # a datetime at the end of the calendar keeps its own zone
        if hasattr(field, "enforce_timezone"):
            value = field.enforce_timezone(value)
        elif timezone.is_aware(value):
            value = timezone.localtime(value)
    return value.replace(tzinfo=None)


def _native(bound: BoundField) -> object:
    """Return the date or time itself; the text in the API's format may have lost parts."""
    moments = (datetime.date, datetime.time)
    for source in (bound.value, _from_the_source(bound._field)):
        if isinstance(source, moments):
            return source
    return _parsed(bound.value, bound._field) if isinstance(bound.value, str) else None


def _from_the_source(field: Any) -> object:
    chain = []
    while getattr(field, "parent", None) is not None:
        chain.append(field)
        field = field.parent
    source = getattr(field, "instance", None)
    if has_errors(field) or source is None:
        return None
    try:
        for part in reversed(chain):
            source = part.get_attribute(source)
    except Exception:  # the form shows the written text instead
        return None
    return source


def _parsed(text: str, field: serializers.Field) -> datetime.date | datetime.time | None:
    for parse in (field.to_internal_value, parse_datetime, parse_date, parse_time):
        try:
            value = parse(text)
        except Exception:  # noqa: S112 -- any text may have been sent
            continue
        if isinstance(value, datetime.date | datetime.time):
            return value
    return None


def error_lines(bound: BoundField) -> list[str]:
    """Return the lines beside a field; those of a nested serializer's fields stand there."""
    errors = errors_of(bound)
    if isinstance(errors, dict) and hasattr(bound._field, "fields"):
        errors = {name: error for name, error in errors.items() if name not in bound._field.fields}
    return [f"{place}: {text}" if place else text for place, text in lines_of(errors)]


def lines_of(errors: object, place: str = "") -> Iterator[tuple[str, str]]:
    """Return each text with the path to its value: ``0.name``."""
    if isinstance(errors, dict):
        for key, error in errors.items():
            of_all = key == api_settings.NON_FIELD_ERRORS_KEY
            yield from lines_of(error, place if of_all else _inside(place, key))
    elif isinstance(errors, list | tuple):
        for index, error in enumerate(errors):
            is_text = not isinstance(error, dict | list | tuple)
            yield from lines_of(error, place if is_text else _inside(place, index))
    elif errors:
        yield place, str(errors)


def _inside(place: str, key: object) -> str:
    return f"{place}.{key}" if place else str(key)


# Options


#: Template packs with a search input for tables that are too large for a select.
PACKS = ("rest_framework/horizontal", "rest_framework/vertical", "rest_framework/inline")


def options_of(bound: BoundField, listed_before: dict[int, list[object]]) -> list[object]:
    """Return options with the current values; ``listed_before``: items of a list share theirs."""
    field = bound._field
    if not hasattr(field, "iter_options"):
        return []
    if id(field) not in listed_before:
        listed_before[id(field)] = list(bound.iter_options())
    options = listed_before[id(field)]
    listed = {str(option.value) for option in options if type(option) is Option}
    left_out = [value for value in _chosen(bound.value) if str(value) not in listed]
    if not left_out:
        return options
    added = [
        Option(value=value, display_text=text)
        for value, text in zip(left_out, _texts(field, left_out), strict=True)
    ]
    # The line that says how many are listed stays last.
    has_note = bool(options) and getattr(options[-1], "disabled", False)
    place = len(options) - 1 if has_note else len(options)
    return [*options[:place], *added, *options[place:]]


def search_of(bound: BoundField, style: dict[str, Any], options: list[object]) -> dict[str, object]:
    """Return context for a search; a single choice becomes an input, which changes ``style``."""
    is_cut_off = bool(options) and getattr(options[-1], "disabled", False)
    if not is_cut_off or "template" in style or not is_searchable(bound._field):
        return {}
    context: dict[str, object] = {"searched_field": name_of(bound._field)}
    is_ours = style["template_pack"].strip("/") in PACKS
    if style["base_template"] == "select.html" and is_ours:
        style["base_template"] = "relation.html"
        context["chosen_text"] = _text_of(bound.value, options)
    return context


def _text_of(value: object, options: list[object]) -> str:
    for option in options:
        if type(option) is Option and not option.disabled and str(option.value) == str(value):
            return "" if option.display_text == option.value else str(option.display_text)
    return ""


def _chosen(value: object) -> list[object]:
    values = value if isinstance(value, list | tuple | set) else [value]
    return [item for item in values if item not in (None, "") and not isinstance(item, dict | list)]


def _texts(field: serializers.Field, values: list[object]) -> list[str]:
    relation = getattr(field, "child_relation", field)
    if not isinstance(relation, serializers.RelatedField):
        return [str(value) for value in values]
    many = relation is not field
    try:
        # Looked up like input, so nobody sees a row that could not be chosen.
        rows = field.to_internal_value(values) if many else [field.to_internal_value(values[0])]
        return [relation.display_value(row) for row in rows]
    except Exception:  # saving will report what is wrong with the value
        return [str(value) for value in values]


# Ids, descriptions of inputs, a summary of errors


class Problem(NamedTuple):
    """One line of the summary of a form's errors; ``target`` is the id of an input, or empty."""

    target: str
    label: str
    text: str


def prefix_of(form: object) -> str:
    """Return the prefix of a form's ids: its method, so that they are unique on the page."""
    view = (getattr(form, "context", None) or {}).get("view")
    method = getattr(getattr(view, "request", None), "method", None)
    return str(method or "form").lower()


def marks_of(bound: BoundField, prefix: str) -> dict[str, object]:
    input_id = _id_of(bound, prefix)
    texts = [f"{input_id}-error"] if error_lines(bound) else []
    if getattr(bound, "help_text", None):
        texts.append(f"{input_id}-help")
    return {
        "input_id": input_id,
        "described_by": " ".join(texts),
        "is_required": _is_required(bound),
    }


def _id_of(bound: BoundField, prefix: str) -> str:
    return re.sub(r"[^\w-]+", "-", f"{prefix}-{bound.name}")


def _is_required(bound: BoundField) -> bool:
    """An unchecked box is a valid value."""
    field = bound._field
    if not field.required or isinstance(field, serializers.BooleanField):
        return False
    root = field.root if hasattr(field, "root") else field
    may_be_empty = ("allow_null", "allow_blank", "allow_empty")
    return not (
        getattr(root, "partial", False) or any(getattr(field, name, False) for name in may_be_empty)
    )


def problems_of(form: Any, prefix: str) -> list[Problem]:
    errors = getattr(form, "_errors", None)
    if not isinstance(errors, Mapping):
        return []
    names = {name for name, field in form.fields.items() if is_shown(field)}
    rest = {name: error for name, error in errors.items() if name not in names}
    whole = rest.pop(api_settings.NON_FIELD_ERRORS_KEY, [])
    of_the_form = [*lines_of(whole), *lines_of(rest)]
    return [Problem("", *line) for line in of_the_form] + list(_problems(form, prefix))


def _problems(form: Any, prefix: str) -> Iterator[Problem]:
    for bound in form:
        if not is_shown(bound._field):
            continue
        target, label = _id_of(bound, prefix), str(bound.label or bound.name)
        yield from (Problem(target, label, text) for text in error_lines(bound))
        if hasattr(bound._field, "fields"):
            yield from _problems(bound, prefix)


def is_shown(field: serializers.Field) -> bool:
    return field.is_exchanged and not field.read_only
