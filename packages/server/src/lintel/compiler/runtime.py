"""What generated text calls: the slow side of each decision, written once and by hand."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import orjson
from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Manager, QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime, parse_time

#: What reading an attribute or a key raises where there is none; the plain path decides then.
ABSENT = (AttributeError, KeyError, ObjectDoesNotExist)


#: Longer text is no date.
MAX_DATE_TEXT = 1000


def finish(serializer: Any, name: str, instance: Any, attribute: Any) -> Any:
    """Turn an attribute that is not of the expected type into a primitive, as its field would.

    ``attribute`` has been read already; it is read again only where it has to be called, because
    reading may cost a query.
    """
    if attribute is None:
        return None
    field = serializer._own_fields[name]
    if callable(attribute):
        attribute = field.get_attribute(instance)
    return None if attribute is None else field.to_representation(attribute)


def finish_item(child: Any, item: Any) -> Any:
    """The same for one item of a list or mapping."""
    return None if item is None else child.to_representation(item)


def related_items(instance: Any, name: str, cache_name: str) -> Any:
    """The objects of a to-many relation: the prefetched ones without making a manager."""
    prefetched = instance.__dict__.get("_prefetched_objects_cache")
    if prefetched is not None and cache_name in prefetched:
        return prefetched[cache_name]
    return getattr(instance, name).all()


def saved_items(instance: Any, name: str, cache_name: str) -> Any:
    """The same; an object that has no key yet has no related objects either."""
    return () if instance.pk is None else related_items(instance, name, cache_name)


def dispatcher(reading: Any, serializer: Any) -> Callable[[Any], Any]:
    """A function that reads instances of any type, each by the text made for its type."""
    bound: dict[type, Callable[[Any], Any]] = {}

    def read(instance: Any) -> Any:
        kind = type(instance)
        read_kind = bound.get(kind)
        if read_kind is None:
            read_kind = bound[kind] = reading.bind(serializer, kind)
        return read_kind(instance)

    return read


def is_mapping(kind: type) -> bool:
    """Whether instances of ``kind`` are read by key."""
    return issubclass(kind, Mapping)


def decimal_context(max_digits: int) -> decimal.Context:
    """The context of this thread, limited to the digits of a field."""
    context = decimal.getcontext().copy()
    context.prec = max_digits
    return context


def walkable(owner: Any) -> Any:
    """Hand back a step of a dotted source that is read by attribute.

    Raises KeyError for what the plain path reads by key or calls, so that it takes over.
    """
    if callable(owner) or isinstance(owner, Mapping):
        raise KeyError(owner)
    return owner


def rows_of(value: Any) -> Any:
    """What a list serializer iterates over for an attribute; None where it has to decide itself."""
    if isinstance(value, list | tuple | QuerySet):
        return value
    return value.all() if isinstance(value, Manager) else None


# ---- dates and times ----


def current_zone() -> datetime.tzinfo | None:
    """The zone that datetimes without one of their own are in; None without USE_TZ."""
    return timezone.get_current_timezone() if settings.USE_TZ else None


def zone_of(own: datetime.tzinfo | None) -> datetime.tzinfo | None:
    """The zone in which a field writes; UTC is the same object under all of its names."""
    zone = current_zone() if own is None else own
    return datetime.UTC if getattr(zone, "key", None) == "UTC" else zone


def aware_datetime(text: str, zone: datetime.tzinfo | None) -> datetime.datetime | None:
    """The moment that ISO 8601 text with an offset names, in ``zone``; None if in doubt."""
    if zone is None or len(text) > MAX_DATE_TEXT:
        return None
    try:
        found = parse_datetime(text)
        return None if found is None or found.tzinfo is None else found.astimezone(zone)
    except (ValueError, TypeError, OverflowError):
        return None


def iso_date(text: str) -> datetime.date | None:
    """The date that ISO 8601 text names; None if in doubt."""
    return _parse(parse_date, text)


def iso_time(text: str) -> datetime.time | None:
    """The time of day that ISO 8601 text names; None if in doubt."""
    return _parse(parse_time, text)


def _parse(parse: Callable[[str], Any], text: str) -> Any:
    if len(text) > MAX_DATE_TEXT:
        return None
    try:
        return parse(text)
    except (ValueError, TypeError, OverflowError):
        return None


def iso_text(zone: datetime.tzinfo | None) -> Callable[[datetime.datetime], str]:
    """The function that writes datetimes of one zone as ISO 8601, with ``Z`` for UTC."""
    return _utc_text if zone is datetime.UTC else _offset_text


def _utc_text(value: datetime.datetime) -> str:
    # The JSON library writes the same text in a third of the time.
    return orjson.dumps(value, None, orjson.OPT_UTC_Z)[1:-1].decode()


def uuid_text(value: uuid.UUID) -> str:
    """``str(value)``, in a third of the time."""
    return orjson.dumps(value)[1:-1].decode()


def _offset_text(value: datetime.datetime) -> str:
    text = value.isoformat()
    return f"{text[:-6]}Z" if text.endswith("+00:00") else text


def finish_datetime(
    serializer: Any, name: str, instance: Any, value: Any, zone: datetime.tzinfo | None
) -> Any:
    """What :func:`finish` does; moments in UTC, as databases give them, take a short way."""
    if type(value) is datetime.datetime and value.tzinfo is datetime.UTC and zone is not None:
        try:
            return _offset_text(value.astimezone(zone))
        except OverflowError:
            pass
    return finish(serializer, name, instance, value)
