"""Whatever a client sends, validation ends soon with a value or an error, without a crash."""

import datetime
import decimal
import inspect
import json
import signal
import uuid
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest
from contract_replay import pending, support
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lintel.exceptions
import lintel.fields
import lintel.relations
import lintel.renderers
import lintel.serializers

pytestmark = [
    pytest.mark.contract("errors_bounded"),
    pytest.mark.django_db,
    pytest.mark.usefixtures("fixture_rows", "watchdog"),
    # a UUID made of True, which is an integer to Python
    pytest.mark.filterwarnings("ignore:__int__ returned non-int:DeprecationWarning"),
]

SECONDS = 20
"""Far more than any input needs here; what takes longer grows faster than its input."""

FIELDS = {
    "BooleanField": "BooleanField(allow_null=True)",
    "CharField": "CharField(max_length=50)",
    "EmailField": "EmailField()",
    "RegexField": "RegexField('^(a|b)+$')",
    "SlugField": "SlugField(allow_unicode=True)",
    "URLField": "URLField()",
    "UUIDField": "UUIDField()",
    "IPAddressField": "IPAddressField()",
    "IntegerField": "IntegerField(min_value=-5, max_value=5)",
    "BigIntegerField": "BigIntegerField()",
    "FloatField": "FloatField(min_value=-5, max_value=5)",
    "DecimalField": "DecimalField(max_digits=5, decimal_places=2, max_value=3)",
    "DateTimeField": "DateTimeField()",
    "DateTimeField in another zone": "DateTimeField(default_timezone=NEW_YORK)",
    "DateField": "DateField()",
    "TimeField": "TimeField()",
    "DurationField": "DurationField(max_value=timedelta(days=1))",
    "ChoiceField": "ChoiceField(choices=['a', 1, (2.5, 'two and a half')])",
    "MultipleChoiceField": "MultipleChoiceField(choices=['a', 1])",
    "FilePathField": "FilePathField(path=HERE)",
    "FileField": "FileField(max_length=10)",
    "ImageField": "ImageField()",
    "ListField": "ListField(child=IntegerField())",
    "ListField of anything": "ListField()",
    "DictField": "DictField(child=DecimalField(max_digits=5, decimal_places=2))",
    "HStoreField": "HStoreField()",
    "JSONField": "JSONField()",
    "JSONField of text": "JSONField(binary=True)",
    "ModelField": "ModelField(model_field=models.IntegerField())",
    "ModelField of bytes": "ModelField(model_field=models.BinaryField())",
    "PrimaryKeyRelatedField": "PrimaryKeyRelatedField(queryset=Tag.objects.all())",
    "PrimaryKeyRelatedField with a field": (
        "PrimaryKeyRelatedField(queryset=Tag.objects.all(), pk_field=UUIDField())"
    ),
    "SlugRelatedField": "SlugRelatedField(slug_field='name', queryset=Tag.objects.all())",
    "SlugRelatedField to many rows": (
        "SlugRelatedField(slug_field='owner__username', queryset=Snippet.objects.all())"
    ),
    "HyperlinkedRelatedField": (
        "HyperlinkedRelatedField(view_name='tag-pk', queryset=Tag.objects.all())"
    ),
    "ManyRelatedField": "PrimaryKeyRelatedField(many=True, queryset=Tag.objects.all())",
    "Serializer": "LineSerializer()",
    "ListSerializer": "PathSerializer(many=True)",
    "ModelSerializer": "EverythingSerializer()",
    "ModelSerializer with relations": "SnippetSerializer()",
}
NO_INPUT = {
    *("Field", "ReadOnlyField", "HiddenField", "SerializerMethodField", "StringRelatedField"),
    *("HyperlinkedIdentityField", "RelatedField", "CompositeKeyField"),
}
"""Classes that take nothing from a client, and bases."""


@pytest.fixture
def watchdog() -> Iterator[None]:
    """End a test that hangs with an error that says where; a busy machine is given its time."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"still running after {SECONDS} seconds of CPU time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


def test_every_field_class_is_searched() -> None:
    found = {
        name
        for module in (lintel.fields, lintel.relations)
        for name, member in vars(module).items()
        if inspect.isclass(member) and issubclass(member, lintel.fields.Field)
    }
    public = {name for name in found if not name.startswith("_")}
    assert public - NO_INPUT <= {name.split()[0] for name in FIELDS}


def test_pending_fields_are_searched_otherwise() -> None:
    assert {field for name, field in pending.groups() if name == "errors_bounded"} <= set(FIELDS)


# ---- what clients send ----

TEXTS = [
    *("", " ", "\x00", "a\x00b", "\ud800", "\udfff1", "\ufeff", "NaN", "-inf", "1e999999"),
    *("1e-999999", "0x10", "½", "٣", "𝟙", "--1", "1_000", "null", "true", "[", '{"a":', "[[[["),
    *("0000-01-01", "2020-02-30", "10000-01-01", "0001-01-01T00:00:00+14:00"),
    *("9999-12-31T23:59:59-14:00", "2020-03-08T02:30:00", "24:00", "P1Y", "-999999999 0:0:0"),
    *("999999999999 00:00:00", "http://[", "http://[::1", "http://testserver/\x00/", "//", "/%ff/"),
    *("a@b@c", "::ffff:1.2.3.4.5", "%s%n", "{x}", "{0.__class__}", "../../etc/passwd", "a" * 5000),
]
NUMBERS = [
    *(float("nan"), float("inf"), float("-inf"), -0.0, 1e308, 5e-324, 10**400, -(10**4000)),
    *(decimal.Decimal("sNaN"), decimal.Decimal("Infinity"), decimal.Decimal("1E+999999")),
    *(decimal.Decimal("1E-999999"), 2**63, -(2**63) - 1, True, False),
]
OBJECTS = [
    *(None, b"", b"\xff", b"1", b"not base64", bytearray(b"x"), frozenset({1}), {1}, (1, 2)),
    *(datetime.datetime.min, datetime.datetime.max, datetime.date.max, datetime.time.max),
    *(datetime.datetime.max.replace(tzinfo=datetime.UTC), datetime.timedelta.max, uuid.UUID(int=1)),
    *(QueryDict("f=1&f=2&f[0]=3&f.a=4"), SimpleUploadedFile("x" * 300, b"\xff"), range(3)),
    SimpleUploadedFile("x.png", b"\x89PNG\r\n\x1a\n"),
]

ODD = [*TEXTS, *NUMBERS, *OBJECTS]

keys = st.one_of(st.sampled_from(["x", "y", "f", "name", "start", "points", ""]), st.text())
odd_keys = st.one_of(keys, st.none(), st.integers(), st.floats(), st.binary(), st.booleans())
scalars = st.one_of(
    st.sampled_from(ODD),
    st.text(st.characters(exclude_categories=())),
    st.integers(),
    st.floats(),
    st.decimals(),
    st.datetimes(timezones=st.none() | st.timezones()),
)
inputs = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(keys, inner, max_size=4),
        st.dictionaries(odd_keys, inner, max_size=3),
        st.tuples(inner, inner),
    ),
    max_leaves=8,
)


def nested(depth: int, wrap: Any) -> Any:
    """A value so many containers deep."""
    value: Any = 1
    for _ in range(depth):
        value = wrap(value)
    return value


HUGE = {
    "10,000 digits": "9" * 10_000,
    "a number of 10,000 digits": 10**10_000,
    "a decimal of 10,000 digits": decimal.Decimal("9" * 10_000),
    "a huge exponent": "1e999999",
    "a huge decimal exponent": decimal.Decimal("1e999999"),
    "1,000,000 characters": "a" * 1_000_000,
    "1,000,000 spaces": " " * 1_000_000 + "x",
    "1,000,000 NUL": "\x00" * 1_000_000,
    "a text of brackets": "[" * 100_000,
    "text that makes patterns retry": "a" * 50_000 + "!",
    "dots and ats": "@.-" * 50_000,
    "lists 1,000 deep": nested(1_000, lambda value: [value]),
    "dictionaries 1,000 deep": nested(1_000, lambda value: {"x": value}),
    "points 1,000 deep": nested(1_000, lambda value: {"points": [value], "start": 1}),
    "100,000 unknown keys": {f"key {number}": number for number in range(100_000)},
    "100,000 items": [0] * 100_000,
    "100,000 wrong items": ["x"] * 100_000,
    "100,000 form fields": QueryDict(mutable=True),
}
HUGE["100,000 form fields"].update({f"f[{number}]x": "1" for number in range(100_000)})


# ---- what must come of it ----


def validated(expression: str, value: Any) -> Any:
    """Validate a value as the field `f` of a serializer and return the serializer."""
    base = support.namespace()["Serializer"]
    holder = type("Holder", (base,), {"f": support.evaluate(expression)})
    serializer = holder(data=value if isinstance(value, QueryDict) else {"f": value})
    serializer.is_valid()
    return serializer


def assert_answerable(errors: Any) -> None:
    """Errors can be sent: they render as JSON and are not larger than a page or so an item."""
    content = lintel.renderers.JSONRenderer().render(errors)
    json.loads(content)


@pytest.mark.parametrize("name", FIELDS)
@settings(
    max_examples=50,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(value=inputs)
def test_any_input_gives_a_value_or_an_error(name: str, value: Any) -> None:
    serializer = validated(FIELDS[name], value)
    assert_answerable(serializer.errors)


@pytest.mark.parametrize("name", FIELDS)
def test_odd_input_gives_a_value_or_an_error(name: str) -> None:
    crashes = []
    for value in [*ODD, *([each] for each in ODD), *({"x": each} for each in ODD)]:
        try:
            assert_answerable(validated(FIELDS[name], value).errors)
        except Exception as error:
            crashes.append(f"{repr(value)[:60]}: {repr(error)[:120]}")
    assert not crashes, "\n".join(crashes)


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("size", HUGE)
def test_huge_input_gives_a_value_or_an_error(name: str, size: str) -> None:
    serializer = validated(FIELDS[name], HUGE[size])
    assert_answerable(serializer.errors)


@pytest.mark.parametrize("place", range(len(ODD)))
@pytest.mark.parametrize("many", [False, True])
def test_any_input_at_the_top_gives_a_value_or_an_error(place: int, many: bool) -> None:
    serializer = support.evaluate("PathSerializer")(data=ODD[place], many=many)
    serializer.is_valid()
    assert_answerable(serializer.errors)
