"""What one name of ``filter_fields`` compares: a column or annotation, by a lookup, with a value.

Keys of other rows are read as values and never looked up: a key of a row that belongs to somebody
else matches as little as one that nobody has.
"""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeAlias, cast

from django.core.exceptions import ImproperlyConfigured
from django.db import models
from django.db.models import QuerySet
from django.db.models.constants import LOOKUP_SEP
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from lintel import fields
from lintel.exceptions import ValidationError
from lintel.fields.columns import column_schema
from lintel.fields.describing import Schema, choice_type
from lintel.filters.columns import REGEX_LOOKUPS, TEXT_LOOKUPS, fields_along
from lintel.serializers import ModelSerializer
from lintel.utils.field_mapping import ClassLookupDict

#: Databases take integers of 64 bits; SQLite keeps spans of time as so many microseconds.
LEAST, GREATEST = -(2**63), 2**63 - 1
SPANS = [datetime.timedelta(microseconds=number) for number in (LEAST, GREATEST)]

#: Transforms whose values become dates, which Python has in these years; another zone may be a day
#: apart.
YEARS = frozenset(["year", "iso_year"])
FIRST_YEAR, LAST_YEAR = 2, 9998

#: Lookups that take several values, with the number that they need.
SEVERAL: dict[str, int | None] = {"in": None, "range": 2}

#: How descriptions and labels call the lookups; others by their names.
PHRASES = {
    "gt": "above",
    "gte": "from",
    "lt": "below",
    "lte": "up to",
    "in": "one of, separated by commas",
    "range": "from and up to, separated by a comma",
    "isnull": "is missing",
    "iexact": "in any case",
    "contains": "contains",
    "icontains": "contains, in any case",
    "startswith": "begins with",
    "istartswith": "begins with, in any case",
    "endswith": "ends with",
    "iendswith": "ends with, in any case",
}


#: Columns of one value: texts, and what has a form of its own.
TEXTS = (models.CharField, models.TextField, models.FileField, models.FilePathField)
WHOLE = (models.IntegerField, models.AutoField)
OTHERS = (
    *(models.BooleanField, models.DateField, models.DecimalField, models.DurationField),
    *(models.FloatField, models.GenericIPAddressField, models.TimeField, models.UUIDField),
)

#: A column, a relation or the field of an annotation.
AnyColumn: TypeAlias = Any

#: Stand for columns of their type. Each new one would count in its class, and so have everything
#: compared again that rests on the classes of columns.
_TEXT: AnyColumn = models.CharField()
_WHOLE: AnyColumn = models.IntegerField()
_TRUTH: AnyColumn = models.BooleanField()

#: Choices that a form offers for no value.
_NO_VALUE = ("", None)


@dataclass(frozen=True, slots=True)
class Comparison:
    """``lookup``: as ``QuerySet.filter`` takes it; ``kind``: its last part, or "exact".

    ``path``: the names of columns in it, with the columns; ``value``: what is compared, behind all
    relations and transforms; ``reader``: reads one value from text.
    """

    lookup: str
    kind: str
    path: Sequence[tuple[str, AnyColumn]]
    transforms: Sequence[str]
    value: AnyColumn
    reader: fields.Field

    @property
    def title(self) -> str:
        words = [str(getattr(field, "verbose_name", None) or name) for name, field in self.path]
        words += self.transforms
        return capfirst(" ".join(words).replace("_", " "))

    @property
    def description(self) -> str:
        if self.kind == "exact":
            return self.title
        return f"{self.title}: {PHRASES.get(self.kind, self.kind.replace('_', ' '))}"

    @property
    def has_fixed_choices(self) -> bool:
        """Whether the choices, if there are any, are known without code of the project."""
        return isinstance(getattr(self.value, "choices", None), list | tuple | None)


def comparison_of(queryset: QuerySet[Any], lookup: str) -> Comparison:
    """Take a lookup apart. Raises ImproperlyConfigured if it names no field, or no lookup of it."""
    parts = lookup.split(LOOKUP_SEP)
    path = list(zip(parts, fields_along(queryset, parts), strict=False))
    if not path:
        raise _unusable(queryset, lookup, f"has no field '{parts[0]}'", parts[0])
    *transforms, kind = parts[len(path) :] or ["exact"]
    column = _transformed(_compared(path[-1][1]), transforms)
    if column is not None and not _finds(column, "get_lookup", kind):
        transforms, kind, column = [*transforms, kind], "exact", _transformed(column, [kind])
    if column is None:
        raise _unusable(queryset, lookup, f"has no lookup '{LOOKUP_SEP.join(transforms)}'")
    value = _behind_relations(column)
    reader = None if kind in REGEX_LOOKUPS else _reader(value, kind, transforms)
    if reader is None:
        raise _unusable(queryset, lookup, "cannot be filtered by a text in this way")
    return Comparison(lookup, kind, path, transforms, value, reader)


def _unusable(
    queryset: QuerySet[Any], lookup: str, reason: str, name: str = ""
) -> ImproperlyConfigured:
    names = [field.name for field in queryset.model._meta.get_fields()] if name else []
    near = get_close_matches(name, names, 1)
    advice = f"; did you mean '{near[0]}'?" if near else ""
    return ImproperlyConfigured(
        f"filter_fields has '{lookup}', but {queryset.model.__name__} {reason}{advice}"
        if name
        else f"filter_fields has '{lookup}', which {reason}"
    )


def _compared(column: AnyColumn) -> AnyColumn:
    """Return what has the lookups of a column: of many to many, the key in the table between."""
    return column.path_infos[-1].join_field if column.many_to_many else column


def _finds(column: AnyColumn, way: str, name: str) -> Any:
    find = getattr(column, way, None)
    return find and find(name)


def _transformed(column: AnyColumn, names: Iterable[str]) -> AnyColumn:
    for name in names:
        transform = _finds(column, "get_transform", name)
        if transform is None:
            return None
        column = transform(models.Value(None, output_field=column)).output_field
    return column


def _behind_relations(column: AnyColumn) -> AnyColumn:
    while getattr(column, "is_relation", False) and getattr(column, "path_infos", None):
        column = column.path_infos[-1].target_fields[0]
    return column


def _reader(value: AnyColumn, kind: str, transforms: Sequence[str]) -> fields.Field | None:
    """Choose what reads one text; None if the column holds more than a text can say."""
    if kind == "isnull":
        return _field(_TRUTH)
    reader = reader_of(value)
    if reader is not None and kind in TEXT_LOOKUPS:
        # PostgreSQL has no upper case of numbers and dates.
        return None if kind == "iexact" and not isinstance(value, TEXTS) else text_reader()
    if YEARS.intersection(transforms) and isinstance(value, models.IntegerField):
        return _field(value, min_value=FIRST_YEAR, max_value=LAST_YEAR)
    return reader


def _field(column: models.Field, **limits: object) -> fields.Field:
    """Make the field that serializers have for a column."""
    made: fields.Field = ClassLookupDict(ModelSerializer.serializer_field_mapping)[column](**limits)
    return made


def text_reader() -> fields.Field:
    return _field(_TEXT, allow_blank=True, trim_whitespace=False)


def reader_of(column: AnyColumn) -> fields.Field | None:
    if isinstance(column, models.GeneratedField):
        return reader_of(column.output_field)
    if getattr(column, "choices", None) and not isinstance(column, models.BooleanField):
        choices = [choice for choice in column.flatchoices if choice[0] not in _NO_VALUE]
        of_choices: Any = ModelSerializer.serializer_choice_field
        return cast("fields.Field", of_choices(choices=choices))
    if isinstance(column, TEXTS):
        return text_reader()
    if isinstance(column, WHOLE):
        return _field(_WHOLE, min_value=LEAST, max_value=GREATEST)
    return _field(column, **_limits(column)) if isinstance(column, OTHERS) else None


def _limits(column: AnyColumn) -> dict[str, object]:
    """Return the arguments that keep a value within what databases take."""
    if isinstance(column, models.DecimalField):
        return {"max_digits": column.max_digits, "decimal_places": column.decimal_places}
    if isinstance(column, models.GenericIPAddressField):
        return {"protocol": column.protocol}
    if isinstance(column, models.DurationField):
        return dict(zip(("min_value", "max_value"), SPANS, strict=True))
    return {}


# ---- values ----

#: Those of lists in serializers.
MESSAGES = {
    "min_length": _("Ensure this field has at least {min_length} elements."),
    "max_length": _("Ensure this field has no more than {max_length} elements."),
}


def value_of(comparison: Comparison, texts: Sequence[str], most: int, length: int) -> object:
    """Return what ``filter()`` takes for the texts of a parameter.

    Several values come in one text with commas, or in several texts. Raises ValidationError for
    texts that are no such values, or more than ``most`` of them, or longer than ``length``.
    """
    if comparison.kind not in SEVERAL:
        _check_number(len(texts), 1, 1)
        return _read(comparison.reader, texts[0], length)
    parts = [part for text in texts for part in text.split(",")]
    exactly = SEVERAL[comparison.kind]
    _check_number(len(parts), exactly or 1, exactly or most)
    return [_read(comparison.reader, part, length) for part in parts]


def _check_number(count: int, least: int, most: int) -> None:
    if least <= count <= most:
        return
    code, limit = ("max_length", most) if count > most else ("min_length", least)
    raise ValidationError([MESSAGES[code].format(**{code: limit})], code=code)


def _read(reader: fields.Field, text: str, length: int) -> object:
    if len(text) > length:
        message = text_reader().error_messages["max_length"]
        raise ValidationError([message.format(max_length=length)], code="max_length")
    value = reader.run_validation(text)
    if isinstance(value, datetime.datetime) and not FIRST_YEAR <= value.year <= LAST_YEAR:
        reader.fail("overflow")
    return value


# ---- descriptions ----


def described(comparison: Comparison) -> Schema:
    """Return the schema of a parameter, and how several values are written."""
    schema_of_one = _one_value(comparison)
    if comparison.kind not in SEVERAL:
        return {"schema": schema_of_one}
    count = SEVERAL[comparison.kind]
    limits = {} if count is None else {"minItems": count, "maxItems": count}
    return {"schema": {"type": "array", "items": schema_of_one, **limits}, "explode": False}


def _one_value(comparison: Comparison) -> Schema:
    reader: Any = comparison.reader
    kind = reader.metadata_type
    if kind == "choice":
        return _enumeration(list(reader.choices))
    if kind == "boolean":
        return {"type": kind}
    if kind == "integer":
        is_wide = reader.max_value == GREATEST
        limits = {"minimum": reader.min_value, "maximum": reader.max_value}
        return {"type": kind, **({"format": "int64"} if is_wide else limits)}
    of_column = comparison.kind not in TEXT_LOOKUPS
    return column_schema(comparison.value) if of_column else {"type": "string"}


def _enumeration(choices: list[object]) -> Schema:
    kind = choice_type(choices)
    if kind in ("string", "integer"):
        return {"type": kind, "enum": choices}
    return {"type": "string", "enum": [str(choice) for choice in choices]}
