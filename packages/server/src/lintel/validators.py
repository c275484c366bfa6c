"""Validators of database rules, and of text that UTF-8 cannot encode.

A validator is called with the value. One with ``requires_context = True`` is called with the
value and the field or serializer that it belongs to.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.core.exceptions import FieldError
from django.db import DataError
from django.db.models import Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from lintel.exceptions import ValidationError
from lintel.fast import PLAIN, holders_of
from lintel.marks import inlinable
from lintel.scoping import unique_among
from lintel.utils.representation import smart_repr

#: Validated values, by source.
Values = Mapping[str, Any]

_SURROGATE = re.compile("[\ud800-\udfff]")

# Errors of a lookup for a value that its column can never hold: no row has that value.
_NOT_STORABLE = (TypeError, ValueError, OverflowError, DataError)


def _fields(serializer: Any) -> Mapping[str, Any]:
    """Return the fields of a serializer without recording that they may have been changed."""
    fields: Mapping[str, Any] | None = getattr(serializer, "_lintel_current_fields", None)
    return serializer.fields if fields is None else fields


def qs_exists(queryset: QuerySet[Any]) -> bool:
    """Return whether a row is found; false for values that the column cannot hold."""
    try:
        return queryset.exists()
    except _NOT_STORABLE:
        return False


def qs_exists_with_condition(
    queryset: QuerySet[Any], condition: Q | None, against: Mapping[str, object]
) -> bool:
    """Return whether a row meets the condition and the new values (``against``) do, too."""
    if condition is None:
        return qs_exists(queryset)
    try:
        result = qs_exists(queryset.filter(condition))
        return result and condition.check(dict(against), using=queryset.db)
    except (*_NOT_STORABLE, FieldError):
        return False


def qs_filter(queryset: QuerySet[Any], **kwargs: object) -> QuerySet[Any]:
    """Return the filtered queryset; an empty one for values that the column cannot hold."""
    try:
        return queryset.filter(**kwargs)
    except _NOT_STORABLE:
        return queryset.none()


def check_instance(validator: object, serializer: object, instance: object) -> None:
    """Raise if the instance is a whole list: which of its rows an item belongs to is unknown."""
    outer: Any = getattr(serializer, "parent", None)
    if instance is not None and getattr(outer, "many", False) and instance is outer.instance:
        raise RuntimeError(
            f"`{type(validator).__name__}` cannot determine the current instance during a multiple "
            "update. Override `ListSerializer.run_child_validation()` to set `child.instance` "
            "before validation."
        )


class _EqualByValues:
    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and vars(self) == vars(other)


class UniqueValidator(_EqualByValues):
    """No other row of ``queryset`` has this value. ``lookup``: how to compare, e.g. "iexact"."""

    message: Any = _("This field must be unique.")
    requires_context = True

    def __init__(self, queryset: QuerySet[Any], message: Any = None, lookup: str = "exact") -> None:
        self.queryset = queryset
        # A lazy text exists, whatever it is in the current language.
        self.message = message if isinstance(message, Promise) else message or self.message
        self.lookup = lookup

    def filter_queryset(
        self, value: Any, queryset: QuerySet[Any], field_name: str
    ) -> QuerySet[Any]:
        return qs_filter(queryset, **{f"{field_name}__{self.lookup}": value})

    def exclude_current_instance(self, queryset: QuerySet[Any], instance: Any) -> QuerySet[Any]:
        return queryset if instance is None else queryset.exclude(pk=instance.pk)

    def __call__(self, value: object, serializer_field: Any) -> None:
        # The last part of a dotted source is the column; the parts before it lead to the row.
        field_name = serializer_field.source_attrs[-1]
        instance = getattr(serializer_field.parent, "instance", None)
        check_instance(self, serializer_field.parent, instance)
        rows = unique_among(serializer_field, self.queryset)
        holders = _holders(self, rows, field_name, value)
        if holders is not PLAIN:
            if not holders <= {getattr(instance, "pk", None)}:
                raise ValidationError(self.message, code="unique")
            return
        queryset = self.filter_queryset(value, rows, field_name)
        if qs_exists(self.exclude_current_instance(queryset, instance)):
            raise ValidationError(self.message, code="unique")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}(queryset={smart_repr(self.queryset)})>"


def _holders(validator: UniqueValidator, rows: Any, name: str, value: object) -> Any:
    """Return the keys of the rows that have a value, if they were read before; else PLAIN."""
    if type(validator) is not UniqueValidator or validator.lookup != "exact":
        return PLAIN
    return holders_of(rows, name, value)


class _SerializerValidator(_EqualByValues):
    """Base of the validators that receive all values of a serializer."""

    missing_message: Any = _("This field is required.")
    requires_context = True

    def exclude_current_instance(
        self, attrs: Values, queryset: QuerySet[Any], instance: Any
    ) -> QuerySet[Any]:
        return queryset if instance is None else queryset.exclude(pk=instance.pk)


class UniqueTogetherValidator(_SerializerValidator):
    """No other row of ``queryset`` has the same values in all of ``fields``.

    ``fields``: names of serializer fields. ``condition`` with ``condition_fields``: only rows that
    meet it count. ``nulls_distinct=False``: None equals None; otherwise a row with a None in it
    is never a duplicate. ``code``: of the error.
    """

    message: Any = _("The fields {field_names} must make a unique set.")
    code: str = "unique"

    def __init__(
        self,
        queryset: QuerySet[Any],
        fields: Collection[str],
        message: Any = None,
        condition_fields: Iterable[str] | None = None,
        condition: Q | None = None,
        code: str | None = None,
        nulls_distinct: bool | None = None,
    ) -> None:
        self.queryset = queryset
        self.fields = fields
        self.message = message or self.message
        self.condition_fields: Iterable[str] = [] if condition_fields is None else condition_fields
        self.condition = condition
        self.code = code or self.code
        self.nulls_distinct = nulls_distinct

    def enforce_required_fields(self, attrs: Values, serializer: Any) -> None:
        """Require all fields when a row is created, because the check needs them."""
        if serializer.instance is not None:
            return
        names = (*self.fields, *self.condition_fields)
        missing = [name for name in names if _fields(serializer)[name].source not in attrs]
        if missing:
            raise ValidationError(dict.fromkeys(missing, self.missing_message), code="required")

    def filter_queryset(
        self, attrs: Values, queryset: QuerySet[Any], serializer: Any
    ) -> QuerySet[Any]:
        return qs_filter(queryset, **values_together(self.fields, attrs, serializer))

    def __call__(self, attrs: Values, serializer: Any) -> None:
        check_instance(self, serializer, serializer.instance)
        self.enforce_required_fields(attrs, serializer)
        queryset = self.filter_queryset(attrs, unique_among(serializer, self.queryset), serializer)
        queryset = self.exclude_current_instance(attrs, queryset, serializer.instance)
        if not _to_check(self, attrs, serializer):
            return
        against = values_together(self.condition_fields, attrs, serializer)
        if qs_exists_with_condition(queryset, self.condition, against):
            field_names = ", ".join(self.fields)
            message = self.message.format(field_names=field_names)
            raise ValidationError(message, code=self.code)

    def __repr__(self) -> str:
        parts = [f"queryset={smart_repr(self.queryset)}", f"fields={smart_repr(self.fields)}"]
        if self.condition is not None:
            parts.append(f"condition={smart_repr(self.condition)}")
        if self.nulls_distinct is not None:
            parts.append(f"nulls_distinct={smart_repr(self.nulls_distinct)}")
        return f"<{type(self).__name__}({', '.join(parts)})>"


def values_together(names: Iterable[str], attrs: Values, serializer: Any) -> dict[str, object]:
    """Return values of serializer fields by source: new ones, else those of the updated row."""
    values: dict[str, object] = {}
    for name in names:
        source = _fields(serializer)[name].source
        if source in attrs:
            values[source] = attrs[source]
        elif serializer.instance is not None:
            values[source] = getattr(serializer.instance, source)
    return values


class ProhibitSurrogateCharactersValidator:
    """No lone surrogates (U+D800 to U+DFFF), which UTF-8 cannot encode (RFC 3629, section 3)."""

    message: Any = _("Surrogate characters are not allowed: U+{code_point:X}.")
    code = "surrogate_characters_not_allowed"

    @inlinable("no_surrogates")
    def __call__(self, value: object) -> None:
        if not isinstance(value, str) or value.isascii():
            return
        match = _SURROGATE.search(value)
        if match is not None:
            message = self.message.format(code_point=ord(match[0]))
            raise ValidationError(message, code=self.code)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return False
        return bool((self.message, self.code) == (other.message, other.code))


class BaseUniqueForValidator(_SerializerValidator):
    """Base: no other row has the value of ``field`` in the same period of ``date_field``."""

    message: Any = None

    def __init__(
        self, queryset: QuerySet[Any], field: str, date_field: str, message: Any = None
    ) -> None:
        self.queryset = queryset
        self.field = field
        self.date_field = date_field
        self.message = message or self.message

    def enforce_required_fields(self, attrs: Values) -> None:
        """Require both fields, in updates as well."""
        missing = [name for name in (self.field, self.date_field) if name not in attrs]
        if missing:
            raise ValidationError(dict.fromkeys(missing, self.missing_message), code="required")

    def filter_queryset(
        self, attrs: Values, queryset: QuerySet[Any], field_name: str, date_field_name: str
    ) -> QuerySet[Any]:
        raise NotImplementedError(
            f"`filter_queryset` must be implemented. {type(self).__name__} does not."
        )

    def __call__(self, attrs: Values, serializer: Any) -> None:
        check_instance(self, serializer, serializer.instance)
        names = (self.field, self.date_field)
        attrs = _by_field_name(names, attrs, serializer)
        self.enforce_required_fields(attrs)
        if attrs[self.field] is None or attrs[self.date_field] is None:
            return
        columns = [_fields(serializer)[name].source_attrs[-1] for name in names]
        rows = unique_among(serializer, self.queryset)
        queryset = self.filter_queryset(attrs, rows, *columns)
        queryset = self.exclude_current_instance(attrs, queryset, serializer.instance)
        if qs_exists(queryset):
            message = self.message.format(date_field=self.date_field)
            raise ValidationError({self.field: message}, code="unique")

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__}(queryset={smart_repr(self.queryset)}, "
            f"field={smart_repr(self.field)}, date_field={smart_repr(self.date_field)})>"
        )


def _by_field_name(names: Iterable[str], attrs: Values, serializer: object) -> Mapping[str, object]:
    renamed = {
        name: attrs[_fields(serializer)[name].source]
        for name in names
        if name not in attrs and _fields(serializer)[name].source in attrs
    }
    return {**attrs, **renamed}


class _UniqueForPeriodValidator(BaseUniqueForValidator):
    """Compares parts of the date, as Django's ``unique_for_month`` and the like do."""

    date_parts: tuple[str, ...]

    def filter_queryset(
        self, attrs: Values, queryset: QuerySet[Any], field_name: str, date_field_name: str
    ) -> QuerySet[Any]:
        day = attrs[self.date_field]
        period = {f"{date_field_name}__{part}": getattr(day, part) for part in self.date_parts}
        return qs_filter(queryset, **{field_name: attrs[self.field]}, **period)


class UniqueForDateValidator(_UniqueForPeriodValidator):
    """No other row of the same day has the value."""

    message: Any = _('This field must be unique for the "{date_field}" date.')
    date_parts = ("day", "month", "year")


class UniqueForMonthValidator(_UniqueForPeriodValidator):
    """No other row of the same month, of any year, has the value."""

    message: Any = _('This field must be unique for the "{date_field}" month.')
    date_parts = ("month",)


class UniqueForYearValidator(_UniqueForPeriodValidator):
    """No other row of the same year has the value."""

    message: Any = _('This field must be unique for the "{date_field}" year.')
    date_parts = ("year",)


#: The validators whose rule :func:`value_in_period` knows; not those of a project.
UNIQUE_FOR_PERIODS = (UniqueForDateValidator, UniqueForMonthValidator, UniqueForYearValidator)


def value_in_period(
    validator: _UniqueForPeriodValidator, attrs: Values, serializer: Any
) -> tuple[object, ...] | None:
    """What no two objects may have alike; None for one without value or date."""
    attrs = _by_field_name((validator.field, validator.date_field), attrs, serializer)
    value, day = attrs.get(validator.field), attrs.get(validator.date_field)
    if value is None or day is None:
        return None
    parts = tuple([getattr(day, part) for part in validator.date_parts])
    return validator.field, validator.date_parts, value, parts


def _to_check(validator: UniqueTogetherValidator, attrs: Values, serializer: Any) -> bool:
    """Return whether the values can be a duplicate: not if an update leaves them unchanged."""
    values = values_together(validator.fields, attrs, serializer)
    if validator.nulls_distinct is not False and None in values.values():
        return False
    if serializer.instance is None:
        return bool(values)
    names = {*values, *values_together(validator.condition_fields, attrs, serializer)}
    return any(attrs[name] != getattr(serializer.instance, name) for name in names if name in attrs)
