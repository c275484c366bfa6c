"""Dates, times, datetimes and durations.

``fields/dates.py`` is the plain path for them; ``iso8601`` holds what both share.
"""

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import TypeVar
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime, parse_time
from django.utils.duration import duration_string

from lintel import DJANGO_DURATION_FORMAT
from lintel.fast.compiler.kinds.base import (
    Accepted,
    Converting,
    Kind,
    Shape,
    Shaping,
    TypeEncoder,
    accepts,
    exactly,
    json_texts,
    text_in_utc,
    type_name,
)
from lintel.fast.compiler.plan import Conversion
from lintel.fast.compiler.protocols import ColumnValues, CompiledSerializer, Encoder
from lintel.fast.compiler.runtime import finish
from lintel.iso8601 import datetime_text, is_iso
from lintel.trust.source import Source

Parsed = TypeVar("Parsed")

#: Longer text is not a date.
MAX_DATE_TEXT = 1000

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
#: Since then all UTC offsets are whole minutes; the JSON library writes no seconds in them.
_WHOLE_MINUTES = datetime.datetime(1973, 1, 1, tzinfo=datetime.UTC)
_zone_of_moment = attrgetter("tzinfo")
#: Zones that are Python's own, and have an offset for any datetime.
_ZONES = (datetime.timezone, ZoneInfo)


def _writes_iso(conversion: Conversion) -> bool:
    return is_iso(conversion.option("format"))


def _reads_iso(writing: Conversion) -> bool:
    formats = writing.option("input_formats")
    return isinstance(formats, list | tuple) and bool(formats) and is_iso(formats[0])


def _parsed(source: Source, value: str, parse: Callable[..., object], *more: str) -> Accepted:
    parsed = source.local("parsed")
    call = f"{source.bind(parse.__name__, parse)}({', '.join([value, *more])})"
    return [f"type({value}) is str", f"({parsed} := {call}) is not None"], parsed


# ---- zones ----


def current_zone() -> datetime.tzinfo | None:
    """None without ``USE_TZ``."""
    return timezone.get_current_timezone() if settings.USE_TZ else None


def zone_of(zone_given: datetime.tzinfo | None) -> datetime.tzinfo | None:
    """Return the zone in which a field writes; all names of UTC give the same object."""
    zone = current_zone() if zone_given is None else zone_given
    return datetime.UTC if getattr(zone, "key", None) == "UTC" else zone


# ---- datetimes ----


def _shape_datetime(source: Source, conversion: Conversion, value: str) -> Shape | None:
    """Return the shape of datetimes in the field's zone; finish_datetime handles UTC ones."""
    if not _writes_iso(conversion):
        return None
    timezone = source.bind("own_zone", conversion.option("timezone"))
    zone = source.hoist("zone", f"{source.bind('zone_of', zone_of)}({timezone})")
    utc, in_utc = source.bind("utc", datetime.UTC), source.bind("text_in_utc", text_in_utc)
    other = source.bind("datetime_text", datetime_text)
    text = source.hoist("text_of_datetime", f"{in_utc} if {zone} is {utc} else {other}")
    kind = type_name(source, datetime.datetime)
    return Shape(
        f"type({value}) is {kind} and {value}.tzinfo is {zone}",
        f"{text}({value})",
        source.bind("finish_datetime", finish_datetime),
        f", {zone}",
    )


def finish_datetime(
    serializer: CompiledSerializer,
    name: str,
    instance: object,
    value: object,
    zone: datetime.tzinfo | None,
) -> object:
    """Do what ``finish`` does, without making the field for a datetime in a well-known zone.

    Databases return UTC; input has been put in the zone of the field, which may be called UTC.
    """
    if zone is not None and type(value) is datetime.datetime and type(value.tzinfo) in _ZONES:
        try:
            return datetime_text(value.astimezone(zone))
        except OverflowError:
            pass
    return finish(serializer, name, instance, value)


def _convert_datetime(source: Source, writing: Conversion, value: str) -> Accepted | None:
    if not _reads_iso(writing):
        return None
    timezone = writing.option("timezone")
    current = f"{source.bind('current_zone', current_zone)}()"
    zone = source.hoist("zone", current if timezone is None else source.bind("own_zone", timezone))
    return _parsed(source, value, aware_datetime, zone)


def aware_datetime(text: str, zone: datetime.tzinfo | None) -> datetime.datetime | None:
    """ISO 8601 text with an offset, in ``zone``; None if in doubt."""
    if zone is None or len(text) > MAX_DATE_TEXT:
        return None
    try:
        result = parse_datetime(text)
        return None if result is None or result.tzinfo is None else result.astimezone(zone)
    except (ValueError, TypeError, OverflowError):
        return None


def _datetime_encoder(conversion: Conversion) -> Encoder | None:
    return DatetimeEncoder(conversion.option("timezone")) if _writes_iso(conversion) else None


@dataclass(frozen=True, slots=True)
class DatetimeEncoder:
    """Convert datetimes to the zone of the field, or the current one."""

    zone: datetime.tzinfo | None
    column_type: str = "DateTimeField"
    number: int = 1184

    def sent_texts(self, texts: ColumnValues) -> list[str] | None:
        """Parse what says YYYY-MM-DD HH:MM:SS, and is not BC or in another zone than UTC."""
        if set(map(type, texts)) != {str} or {text[4:17:6] for text in texts} != {"- :"}:
            return None
        try:
            return self.texts(list(map(datetime.datetime.fromisoformat, texts)))
        except ValueError:
            return None

    def texts(self, values: ColumnValues) -> list[str] | None:
        """Return text for datetimes in UTC, which is where Django's converters put them."""
        if not settings.USE_TZ or set(map(type, values)) != {datetime.datetime}:
            return None
        if set(map(_zone_of_moment, values)) != {datetime.UTC}:
            return None
        zone = zone_of(self.zone)
        if zone is datetime.UTC:
            return json_texts(values)
        try:
            local = _local(values, zone)
        except OverflowError:
            return None
        if type(zone) is ZoneInfo and min(local) > _WHOLE_MINUTES:
            return json_texts(local)
        return list(map(datetime_text, local))


def _local(values: ColumnValues, zone: datetime.tzinfo | None) -> list[datetime.datetime]:
    """Adding the offset sets the zone in a twentieth of the time of ``replace()``."""
    if type(zone) is ZoneInfo:
        # The result of astimezone(), without its detours.
        epoch, from_utc = _EPOCH.replace(tzinfo=zone), zone.fromutc
        return [from_utc(epoch + (value - _EPOCH)) for value in values]
    return [value.astimezone(zone) for value in values]


# ---- dates and times ----


def _shape_iso(kind: type) -> Shaping:
    shaping = exactly(kind, "{value}.isoformat()")
    return lambda source, conversion, value: (
        shaping(source, conversion, value) if _writes_iso(conversion) else None
    )


def _convert_iso(parse: Callable[[str], object]) -> Converting:
    return lambda source, writing, value: (
        _parsed(source, value, parse) if _reads_iso(writing) else None
    )


def iso_date(text: str) -> datetime.date | None:
    return _parse(parse_date, text)


def iso_time(text: str) -> datetime.time | None:
    return _parse(parse_time, text)


def _parse(parse: Callable[[str], Parsed | None], text: str) -> Parsed | None:
    if len(text) > MAX_DATE_TEXT:
        return None
    try:
        return parse(text)
    except (ValueError, TypeError, OverflowError):
        return None


def _date_encoder(conversion: Conversion) -> Encoder | None:
    is_iso = _writes_iso(conversion)
    return TypeEncoder(datetime.date, "DateField", 1082, _are_dates) if is_iso else None


def _are_dates(sent: ColumnValues) -> bool:
    """Return whether all are YYYY-MM-DD, not infinite, BC or in another style of PostgreSQL's."""
    return set(map(type, sent)) == {str} and {text[4:11:3] for text in sent} == {"--"}


# ---- durations ----


def _shape_duration(source: Source, conversion: Conversion, value: str) -> Shape | None:
    form = conversion.option("format")
    if not isinstance(form, str) or form.lower() != DJANGO_DURATION_FORMAT:
        return None
    text = source.bind("duration_string", duration_string)
    return exactly(datetime.timedelta, f"{text}({{value}})")(source, conversion, value)


KINDS = {
    "datetime": Kind(
        shape=_shape_datetime, accept=accepts(_convert_datetime), encoder=_datetime_encoder
    ),
    "date": Kind(
        shape=_shape_iso(datetime.date),
        accept=accepts(_convert_iso(iso_date)),
        encoder=_date_encoder,
    ),
    "time": Kind(shape=_shape_iso(datetime.time), accept=accepts(_convert_iso(iso_time))),
    "duration": Kind(shape=_shape_duration),
}
