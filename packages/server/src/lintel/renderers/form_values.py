"""The values of form inputs: datetimes as browsers read them, errors as lines of text."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime, parse_time

from lintel.renderers.disclosure import has_errors
from lintel.renderers.secret_input import errors_of
from lintel.settings import api_settings

#: Input types with a fixed format in HTML, whatever format the API writes.
MOMENTS = ("datetime-local", "date", "time")


def moment(bound: Any, input_type: str) -> Any:
    """Return a bound field's value as ``input_type`` takes it: ISO 8601 in the field's time zone.

    Other text is returned unchanged.
    """
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


def _on_the_clock(value: datetime.datetime, field: Any) -> datetime.datetime:
    """Return the datetime without its zone, as the field would read it when sent back."""
    try:
        if hasattr(field, "enforce_timezone"):
            value = field.enforce_timezone(value)
        elif timezone.is_aware(value):
            value = timezone.localtime(value)
    except Exception:  # a datetime at the end of the calendar keeps its own zone
        return value.replace(tzinfo=None)
    return value.replace(tzinfo=None)


def _native(bound: Any) -> Any:
    """Return the date or time itself; the text in the API's format may have lost parts."""
    moments = (datetime.date, datetime.time)
    for source in (bound.value, _from_the_source(bound._field)):
        if isinstance(source, moments):
            return source
    return _parsed(bound.value, bound._field) if isinstance(bound.value, str) else None


def _from_the_source(field: Any) -> Any:
    """Return the field's value from the form's object; None for a form of raw input."""
    chain = []
    while getattr(field, "parent", None) is not None:
        chain.append(field)
        field = field.parent
    source = getattr(field, "instance", None)
    if has_errors(field) or source is None:
        return None
    try:
        for each in reversed(chain):
            source = each.get_attribute(source)
    except Exception:  # the form shows the written text instead
        return None
    return source


def _parsed(text: str, field: Any) -> Any:
    for parse in (field.to_internal_value, parse_datetime, parse_date, parse_time):
        try:
            value = parse(text)
        except Exception:  # noqa: S112 -- any text may have been sent
            continue
        if isinstance(value, datetime.date | datetime.time):
            return value
    return None


def error_lines(bound: Any) -> list[str]:
    """Return the errors to show beside one field, as lines of text.

    Errors of the fields of a nested serializer are shown beside those fields.
    """
    errors = errors_of(bound)
    if isinstance(errors, dict) and hasattr(bound._field, "fields"):
        errors = {name: error for name, error in errors.items() if name not in bound._field.fields}
    return [f"{place}: {text}" if place else text for place, text in lines_of(errors)]


def lines_of(errors: Any, place: str = "") -> Iterator[tuple[str, str]]:
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


def _inside(place: str, key: Any) -> str:
    return f"{place}.{key}" if place else str(key)
