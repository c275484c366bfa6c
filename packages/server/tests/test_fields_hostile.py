"""Whatever a client sends, a field returns a value or raises a ValidationError."""

import datetime
import decimal
import json
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import models
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from lintel import fields
from lintel.exceptions import ValidationError

WEST = datetime.timezone(datetime.timedelta(hours=-12))


def nested(depth: int, wrap: Any) -> Any:
    value: Any = None
    for _ in range(depth):
        value = wrap(value)
    return value


class WeirdEquality:
    __hash__ = None

    def __eq__(self, other: object) -> bool:
        raise TypeError("not comparable")


class NoText:
    def __str__(self) -> str:
        raise ValueError("no text")

    __repr__ = __str__


FIELDS = {
    "boolean": lambda: fields.BooleanField(allow_null=True),
    "char": lambda: fields.CharField(max_length=50, min_length=2),
    "email": fields.EmailField,
    "regex": lambda: fields.RegexField("^a+$"),
    "slug": lambda: fields.SlugField(allow_unicode=True),
    "url": fields.URLField,
    "uuid": fields.UUIDField,
    "ip": fields.IPAddressField,
    "ipv6": lambda: fields.IPAddressField(protocol="ipv6"),
    "integer": lambda: fields.IntegerField(min_value=1, max_value=9),
    "big integer": fields.BigIntegerField,
    "float": lambda: fields.FloatField(min_value=0.5),
    "decimal": lambda: fields.DecimalField(max_digits=9, decimal_places=2, min_value=1),
    "open decimal": lambda: fields.DecimalField(max_digits=None, decimal_places=None),
    "cents": lambda: fields.DecimalField(max_digits=None, decimal_places=2),
    "local decimal": lambda: fields.DecimalField(9, 2, localize=True),
    "datetime": fields.DateTimeField,
    "strict datetime": lambda: fields.DateTimeField(gap="reject", fold="reject"),
    "formatted datetime": lambda: fields.DateTimeField(input_formats=["%d.%m.%Y %H:%M"]),
    "date": fields.DateField,
    "time": fields.TimeField,
    "duration": lambda: fields.DurationField(max_value=datetime.timedelta(1)),
    "choice": lambda: fields.ChoiceField(choices=["a", 1, (None, "none")]),
    "multiple": lambda: fields.MultipleChoiceField(choices=["a", 1], allow_empty=False),
    "file": lambda: fields.FileField(max_length=9),
    "image": fields.ImageField,
    "list": fields.ListField,
    "list of lists": lambda: fields.ListField(
        child=fields.ListField(child=fields.IntegerField()), allow_empty=False, max_length=3
    ),
    "dict": lambda: fields.DictField(child=fields.CharField(), allow_empty=False),
    "hstore": fields.HStoreField,
    "json": fields.JSONField,
    "binary json": lambda: fields.JSONField(binary=True),
    "hidden": lambda: fields.HiddenField(default=1),
    "model": lambda: fields.ModelField(model_field=models.IntegerField()),
    "model bytes": lambda: fields.ModelField(model_field=models.BinaryField(), max_length=5),
    "model date": lambda: fields.ModelField(model_field=models.DateTimeField()),
    "model decimal": lambda: fields.ModelField(
        model_field=models.DecimalField(max_digits=5, decimal_places=2)
    ),
    "model json": lambda: fields.ModelField(model_field=models.JSONField()),
    "model uuid": lambda: fields.ModelField(model_field=models.UUIDField()),
}

INPUTS = {
    "long digits": "9" * 10_000,
    "long fraction": "0." + "9" * 10_000,
    "many digits": 10**10_000,
    "huge exponent": "1e999999",
    "tiny exponent": "1e-999999",
    "huge decimal": decimal.Decimal("1e999999"),
    "signalling": decimal.Decimal("sNaN"),
    "NaN": float("nan"),
    "infinity": float("-inf"),
    "infinity in text": "Infinity",
    "null character": "a\x00b",
    "surrogate": "\ud800",
    "surrogates": ["\ud800", {"\udfff": "\ud800"}],
    "long text": "a" * 100_000,
    "long blanks": " " * 100_000,
    "dots": ".0" * 5_000,
    "colons": ":" * 5_000,
    "brackets": "http://[" + "[" * 1_000,
    "at signs": "@" * 5_000,
    "deep list": nested(1_000, lambda value: [value]),
    "deeper list": nested(100_000, lambda value: [value]),
    "deep dict": nested(1_000, lambda value: {"a": value}),
    "deep JSON": "[" * 100_000,
    "bytes": b"\xff\xfe",
    "digits in bytes": b"12",
    "mapping of numbers": {1: 2, None: 3},
    "tuple keys": {(1, 2): 3},
    "set": {1, "a"},
    "range": range(3),
    "object": object(),
    "class": int,
    "function": len,
    "weird equality": WeirdEquality(),
    "list of weird": [WeirdEquality()],
    "no text": NoText(),
    "list without text": [NoText()],
    "date of year 1": "0001-01-01T00:00:00+14:00",
    "last date": "9999-12-31T23:59:59.999999-14:00",
    "no such date": "2021-02-30",
    "many days": "99999999999999 00:00:00",
    "ISO days": "P99999999999999999999D",
    "timestamp": 10**20,
    "negative": -(10**20),
    "first moment": datetime.datetime.min,
    "last moment": datetime.datetime.max.replace(
        tzinfo=datetime.timezone(datetime.timedelta(-0.5))
    ),
    "longest": datetime.timedelta.max,
    "form": QueryDict("a=1&[0]=x&.b=2&[0]c=3"),
    "lists": MultiValueDict({"[0]": [], "": ["x"], "[99999999999999999999999999]": [1]}),
    "half a file": SimpleNamespace(name="a.png"),
    "odd file": SimpleNamespace(name="a.png", size=-1),
    "nothing": "",
    "zero": 0,
    "true": True,
}


def refusal(field: fields.Field, given: Any) -> Any:
    """What the error says, None for a value; any other exception passes through."""
    try:
        field.run_validation(given)
    except ValidationError as error:
        return error.get_full_details()
    except DjangoValidationError as error:
        return ValidationError(fields.get_error_detail(error)).get_full_details()
    return None


@pytest.mark.parametrize("given", INPUTS.values(), ids=INPUTS)
@pytest.mark.parametrize("make", FIELDS.values(), ids=FIELDS)
def test_answers_with_a_value_or_a_validation_error(make: Any, given: Any) -> None:
    details = refusal(make(), given)
    assert details is None or json.dumps(details)


@pytest.mark.parametrize(
    "field",
    [fields.ListField(child=fields.IntegerField()), fields.DictField(child=fields.IntegerField())],
    ids=["list", "dict"],
)
def test_every_one_of_many_members_is_named(field: fields.Field) -> None:
    given = dict.fromkeys(map(str, range(100_000)), "x")
    with pytest.raises(ValidationError) as caught:
        field.run_validation(given if isinstance(field, fields.DictField) else list(given.values()))
    assert len(caught.value.detail) == 100_000


def test_form_with_endless_index() -> None:
    field = fields.ListField()
    field.bind("rows", None)
    value = field.get_value(QueryDict(f"rows[{'9' * 5_000}]=1&rows[1]=2"))
    assert value == ["2"]
