"""Fields whose value is a date, a time, a datetime or a duration.

Formats are ``strftime`` formats, or "iso-8601" for ISO 8601 (RFC 3339 for datetimes). A
field without a format follows the settings, whenever they are read.
"""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Callable, Iterable
from operator import methodcaller
from typing import Any, Literal, TypeVar, get_args

from django.conf import settings
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime, parse_duration, parse_time
from django.utils.duration import duration_iso_string, duration_string
from django.utils.translation import gettext_lazy as _

from lintel import DJANGO_DURATION_FORMAT, ISO_8601
from lintel.exceptions import ValidationError
from lintel.fields.base import Field, developer_error, empty
from lintel.fields.describing import Schema, ViewSchema
from lintel.fields.numbers import BoundedField
from lintel.fields.types import Native, Primitive
from lintel.iso8601 import datetime_text, is_iso
from lintel.marks import inlinable
from lintel.settings import SettingDefault
from lintel.utils import humanize_datetime
from lintel.utils.timezone import datetime_ambiguous, datetime_exists
from lintel_document import schemas as coreschema

Gap = Literal["accept", "shift", "reject"]
Fold = Literal["first", "second", "reject"]
_GAPS, _FOLDS = get_args(Gap), get_args(Fold)

_Moment = TypeVar("_Moment", datetime.datetime, datetime.date, datetime.time)
_Text = TypeVar("_Text", bound=str)

_isoformat = methodcaller("isoformat")


def _text_of(field: Field, value: _Moment, iso_text: Callable[[_Moment], str]) -> str:
    """Return ``value`` in the field's format, which is not None. Raises TypeError for others."""
    format: object = getattr(field, "format", None)
    if is_iso(format):
        return iso_text(value)
    if not isinstance(format, str):
        raise _wrong_format(field, "format", format)
    return value.strftime(format)


def _wrong_format(field: Field, name: str, format: object) -> TypeError:
    return TypeError(
        f"{type(field).__name__} '{field.field_name}': {name} must be text, such as 'iso-8601' or "
        f"'%Y-%m-%d', and not {type(format).__name__} ({format!r}). Look for it among the "
        "arguments of the field, on its class, and in the setting REST_FRAMEWORK."
    )


def _parsed(
    field: _FormattedField,
    data: Primitive,
    iso_parser: Callable[[str], _Moment | None],
    listed: Callable[[Any], str],
) -> _Moment:
    for format in field.input_formats if isinstance(data, str) else ():
        if not isinstance(format, str):
            raise _wrong_format(field, "each of input_formats", format)
        try:
            value = iso_parser(data) if is_iso(format) else field.datetime_parser(data, format)
        except (ValueError, TypeError, OverflowError):
            continue
        if value is not None:
            return value
    return field.fail("invalid", format=listed(field.input_formats))


def _is_iso(field: _FormattedField, schema: ViewSchema) -> bool:
    if schema.document_form.receives:
        return field.format is None or is_iso(field.format)
    return any(is_iso(format) for format in field.input_formats)


class _FormattedField(Field):
    """Base of dates, times and datetimes: values that are read and written in given formats."""

    datetime_parser: Any = datetime.datetime.strptime
    format: Any
    input_formats: Any

    def __init__(
        self, format: Any = empty, input_formats: Iterable[str] | None = None, **kwargs: Any
    ) -> None:
        if format is not empty:
            self.format = format
        if input_formats is not None:
            self.input_formats = input_formats
        super().__init__(**kwargs)


class DateTimeField(_FormattedField):
    """A datetime; aware in the zone of the field if USE_TZ is on, else naive.

    ``format``: of the output, None for the ``datetime`` itself. ``input_formats``: tried in order.
    ``default_timezone``: default the current zone. ``gap``: local times that the clock skips are
    kept ("accept"), moved forward by the skipped hour ("shift") or rejected ("reject").
    ``fold``: which of two equal local times is meant ("first", "second"), or
    "reject". An offset in the input leaves nothing to decide.
    """

    metadata_type = "datetime"
    form_style = {"base_template": "input.html", "input_type": "datetime-local"}
    native_type = coreschema.String(format="date-time")
    schema_format = "date-time"
    column_types = ["DateTimeField"]

    default_error_messages = {
        "invalid": _("Datetime has wrong format. Use one of these formats instead: {format}."),
        "date": _("Expected a datetime but got a date."),
        "make_aware": _('Invalid datetime for the timezone "{timezone}".'),
        "overflow": _("Datetime value out of range."),
    }
    format = SettingDefault("DATETIME_FORMAT")
    input_formats = SettingDefault("DATETIME_INPUT_FORMATS")
    #: Set only if the field was given one: other packages use ``getattr`` with a default.
    timezone: Any

    def __init__(
        self,
        format: Any = empty,
        input_formats: Iterable[str] | None = None,
        default_timezone: datetime.tzinfo | None = None,
        **kwargs: Any,
    ) -> None:
        if default_timezone is not None:
            self.timezone = default_timezone
        self.gap: Gap = _one_of("gap", kwargs.pop("gap", "accept"), _GAPS)
        self.fold: Fold = _one_of("fold", kwargs.pop("fold", "first"), _FOLDS)
        super().__init__(format, input_formats, **kwargs)

    @inlinable("datetime", "timezone", "default_timezone", "gap", "fold")
    def enforce_timezone(self, value: datetime.datetime) -> datetime.datetime:
        """Return ``value`` in the zone of the field; naive without one. Raises ValidationError."""
        zone = getattr(self, "timezone", None)
        if zone is None:
            zone = self.default_timezone()
        try:
            if zone is None:
                aware = timezone.is_aware(value)
                return timezone.make_naive(value, datetime.UTC) if aware else value
            if timezone.is_aware(value):
                return value.astimezone(zone)
            return _located(self, value, zone)
        except OverflowError:
            return self.fail("overflow")

    @inlinable("datetime")
    def default_timezone(self) -> datetime.tzinfo | None:
        return timezone.get_current_timezone() if settings.USE_TZ else None

    @inlinable("datetime", "input_formats", "datetime_parser", "enforce_timezone")
    def to_internal_value(self, value: Primitive) -> datetime.datetime:
        if isinstance(value, datetime.datetime):
            return _within_range(self, self.enforce_timezone(value))
        if isinstance(value, datetime.date):
            self.fail("date")
        parsed = _parsed(self, value, parse_datetime, humanize_datetime.datetime_formats)
        return _within_range(self, self.enforce_timezone(parsed))

    @inlinable("datetime", "format", "enforce_timezone", "timezone", "default_timezone")
    def to_representation(self, value: Native) -> Primitive:
        if not value:
            return None
        if self.format is None or isinstance(value, str):
            return value
        if not hasattr(value, "astimezone"):
            raise TypeError(
                f"DateTimeField '{self.field_name}' got a {type(value).__name__} to write: its "
                "source must be a datetime."
            )
        # A stored datetime at the end of the calendar is shown in its own zone.
        with contextlib.suppress(ValidationError):
            value = self.enforce_timezone(value)
        return _text_of(self, value, datetime_text)

    def describe_values(self, schema: ViewSchema) -> Schema:
        # RFC 3339 requires an offset, which times with a known zone have.
        is_standard = _is_iso(self, schema) and settings.USE_TZ
        return {"type": "string", **({"format": "date-time"} if is_standard else {})}


def _one_of(name: str, value: _Text, allowed: tuple[str, ...]) -> _Text:
    if value not in allowed:
        developer_error(f"DateTimeField({name}={value!r}) must be one of {', '.join(allowed)}.")
    return value


class DateField(_FormattedField):
    """A date. ``format``: of the output, None for the ``date`` itself."""

    metadata_type = "date"
    form_style = {"base_template": "input.html", "input_type": "date"}
    native_type = coreschema.String(format="date")
    schema_format = "date"
    column_types = ["DateField"]

    default_error_messages = {
        "invalid": _("Date has wrong format. Use one of these formats instead: {format}."),
        "datetime": _("Expected a date but got a datetime."),
    }
    format = SettingDefault("DATE_FORMAT")
    input_formats = SettingDefault("DATE_INPUT_FORMATS")

    @inlinable("date", "input_formats", "datetime_parser")
    def to_internal_value(self, value: Primitive) -> datetime.date:
        if isinstance(value, datetime.datetime):
            self.fail("datetime")
        if isinstance(value, datetime.date):
            return value
        parsed = _parsed(self, value, parse_date, humanize_datetime.date_formats)
        return parsed.date() if isinstance(parsed, datetime.datetime) else parsed

    @inlinable("date", "format")
    def to_representation(self, value: Native) -> Primitive:
        if not value:
            return None
        if self.format is None or isinstance(value, str):
            return value
        if isinstance(value, datetime.datetime):
            _refuse_datetime("date")
        return _text_of(self, value, _isoformat)

    def describe_values(self, schema: ViewSchema) -> Schema:
        return {"type": "string", **({"format": "date"} if _is_iso(self, schema) else {})}


class TimeField(_FormattedField):
    """A time of day. ``format``: of the output, None for the ``time`` itself."""

    metadata_type = "time"
    form_style = {"base_template": "input.html", "input_type": "time"}
    column_types = ["TimeField"]

    default_error_messages = {
        "invalid": _("Time has wrong format. Use one of these formats instead: {format}."),
    }
    format = SettingDefault("TIME_FORMAT")
    input_formats = SettingDefault("TIME_INPUT_FORMATS")

    @inlinable("time", "input_formats", "datetime_parser")
    def to_internal_value(self, value: Primitive) -> datetime.time:
        if isinstance(value, datetime.time):
            return value
        parsed = _parsed(self, value, parse_time, humanize_datetime.time_formats)
        return parsed.time() if isinstance(parsed, datetime.datetime) else parsed

    @inlinable("time", "format")
    def to_representation(self, value: Native) -> Primitive:
        if value in (None, ""):
            return None
        if self.format is None or isinstance(value, str):
            return value
        if isinstance(value, datetime.datetime):
            _refuse_datetime("time")
        return _text_of(self, value, _isoformat)

    def describe_values(self, schema: ViewSchema) -> Schema:
        return {"type": "string"}


def _refuse_datetime(wanted: str) -> None:
    developer_error(
        f"Expected a `{wanted}`, but got a `datetime`. Refusing to coerce, as this may mean losing "
        "timezone information. Use a custom read-only field and deal with timezone issues "
        f"explicitly. Which {wanted} it is depends on the zone."
    )


class DurationField(BoundedField):
    """A duration, read as ``1 02:03:04.5`` or as ISO 8601 (``P1DT02H03M04.5S``).

    ``format``: of the output, "django", "iso-8601", or None for the ``timedelta`` itself.
    """

    metadata_type = "duration"
    column_types = ["DurationField"]

    default_error_messages = {
        "invalid": _("Duration has wrong format. Use one of these formats instead: {format}."),
        "max_value": _("Ensure this value is less than or equal to {max_value}."),
        "min_value": _("Ensure this value is greater than or equal to {min_value}."),
        "overflow": _("The number of days must be between {min_days} and {max_days}."),
    }
    format: Any = SettingDefault("DURATION_FORMAT")

    def __init__(self, *, format: Any = empty, **kwargs: Any) -> None:
        if format is not empty:
            self.format = _duration_format(format)
        super().__init__(**kwargs)

    @inlinable("duration")
    def to_internal_value(self, value: Primitive) -> datetime.timedelta:
        """Return a ``timedelta``; a number is in seconds."""
        if isinstance(value, datetime.timedelta):
            return value
        parsed = None
        # The text of a container may be long and is never a duration.
        if not isinstance(value, list | tuple | dict | set | bytes):
            try:
                parsed = parse_duration(str(value))
            except OverflowError:
                limits = datetime.timedelta.min.days, datetime.timedelta.max.days
                self.fail("overflow", min_days=limits[0], max_days=limits[1])
            except ValueError:
                pass
        if parsed is None:
            self.fail("invalid", format="[DD] [HH:[MM:]]ss[.uuuuuu]")
        return parsed

    @inlinable("duration", "format")
    def to_representation(self, value: Native) -> Primitive:
        form = _duration_format(self.format, self.field_name)
        if form is None:
            return value
        return duration_iso_string(value) if is_iso(form) else duration_string(value)

    def describe_values(self, schema: ViewSchema) -> Schema:
        return {"type": "string"}


def _duration_format(format: object, name: str | None = None) -> str | None:
    where = "" if name is None else f" Look at DurationField '{name}' and at DURATION_FORMAT."
    if format is None:
        return None
    if not isinstance(format, str):
        kind = type(format).__name__
        raise TypeError(f"duration format must be either str or `None`, not {kind}.{where}")
    if format.lower() not in (ISO_8601, DJANGO_DURATION_FORMAT):
        raise ValueError(
            f"Unknown duration format provided, got '{format}' while expecting 'django', "
            f"'iso-8601' or `None`.{where}"
        )
    return format


def _located(
    field: DateTimeField, value: datetime.datetime, zone: datetime.tzinfo
) -> datetime.datetime:
    if field.fold == "second":
        value = value.replace(fold=1)
    aware = timezone.make_aware(value, zone)
    if field.fold == "reject" and datetime_ambiguous(aware):
        field.fail("make_aware", timezone=zone)
    if field.gap != "accept" and not datetime_exists(aware):
        if field.gap == "reject":
            field.fail("make_aware", timezone=zone)
        return aware.replace(fold=0).astimezone(datetime.UTC).astimezone(zone)
    return aware


def _within_range(field: DateTimeField, value: datetime.datetime) -> datetime.datetime:
    """Reject datetimes that do not exist in UTC, because databases and clients convert them."""
    try:
        if value.tzinfo is not None:
            value.astimezone(datetime.UTC)
    except OverflowError:
        field.fail("overflow")
    return value
