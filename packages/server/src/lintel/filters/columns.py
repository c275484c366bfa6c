"""What the names of filters stand for: columns, annotations and lookups."""

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.db.models.constants import LOOKUP_SEP
from django.db.models.manager import BaseManager

from lintel import fast
from lintel.fast import PLAIN

REGEX_LOOKUPS = frozenset(["regex", "iregex"])


#: Lookups that compare as text, whatever the column is.
TEXT_LOOKUPS = REGEX_LOOKUPS | frozenset(
    [
        *("contains", "icontains", "startswith", "istartswith", "endswith", "iendswith"),
        *("iexact", "search"),
    ]
)


def queryset_of(rows: Any) -> Any:
    """Return the queryset of a manager; anything else unchanged."""
    return rows.all() if isinstance(rows, BaseManager) else rows


def filtered(rows: Any, condition: models.Q) -> Any:
    """Return ``rows.filter(condition)``."""
    result = fast.filtered(rows, condition)
    return rows.filter(condition) if result is PLAIN else result


def annotations_of(queryset: object) -> Any:
    return getattr(getattr(queryset, "query", None), "annotations", {})


def ends_in_lookup(field_name: str, queryset: Any) -> bool:
    """Return whether a path ends in a lookup: ``title__iendswith``, ``created__year__exact``."""
    path, _, last = field_name.rpartition(LOOKUP_SEP)
    field = field_at_start(queryset, path.split(LOOKUP_SEP))
    return field is not None and bool(field.get_lookup(last))


def leads_to_many(field_name: str, queryset: Any) -> bool:
    return cross_many(fields_along(queryset, field_name.split(LOOKUP_SEP)))


def cross_many(fields: Iterable[Any]) -> bool:
    """Return whether a path over these fields leads to several rows."""
    return any(step.m2m for field in fields for step in getattr(field, "path_infos", ()))


def field_at_start(queryset: Any, path: Iterable[str]) -> Any:
    """Return the annotation or model field at the end of a path's relations, or None."""
    return [None, *fields_along(queryset, path)][-1]


def fields_along(queryset: Any, path: Iterable[str]) -> Iterator[Any]:
    """Yield the annotation or the model fields that a path consists of, as far as it has any."""
    annotations = annotations_of(queryset)
    options = queryset.model._meta
    for part in path:
        if part in annotations:
            yield _value_of(annotations[part])
            return
        try:
            field = options.pk if part == "pk" else options.get_field(part)
        except FieldDoesNotExist:
            return
        yield field
        if not getattr(field, "path_infos", None):
            return
        annotations, options = {}, field.path_infos[-1].to_opts


def _value_of(annotation: Any) -> Any:
    """Return the field of an annotation; what is computed from a column may exceed its limits."""
    field = annotation.output_field
    is_plain_column = getattr(annotation, "target", None) is not None
    if is_plain_column:
        return field
    computed: Any = copy(field)
    computed.choices = None
    if isinstance(field, models.DecimalField):
        computed.max_digits = computed.decimal_places = None
    return computed
