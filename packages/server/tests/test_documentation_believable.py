"""Samples look like the values of a real service, and fit their descriptions."""

import json
import re
from pathlib import Path

import pytest
from django.urls import path
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

from lintel import serializers
from lintel.documentation.believable import BY_FORMAT, NUMBERS, TEXTS, words_of
from lintel.documentation.examples import Examples
from lintel.documentation.patterns import text_of
from lintel.generics import ListCreateAPIView
from lintel.schemas.openapi import SchemaGenerator

TESTS = Path(__file__).parent
STORED = TESTS.parents[1] / "contract" / "tests" / "data" / "descriptions"


#: Times of Django have no offset, which RFC 3339 wants.
FORMATS = FormatChecker(set(FormatChecker.checkers) - {"time"})


def problems(document: dict) -> list[str]:
    """Return the components whose sample does not fit, with the reason."""
    document = json.loads(json.dumps(document, default=str).replace(r"\\z", r"\\Z"))
    components = document["components"]["schemas"]
    examples, found = Examples(components), []
    for name in components:
        reference = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": components}}
        validator = Draft202012Validator(reference, format_checker=FORMATS)
        sample = examples.of({"$ref": reference["$ref"]}, depth=12)
        found += [
            f"{name}: {error.json_path}: {error.message[:200]}"
            for error in validator.iter_errors(sample)
        ]
    return found


def documents():
    yield "ecosystem", json.loads((TESTS / "ecosystem_document.json").read_text())
    for stored in sorted(STORED.glob("*.json")):
        yield stored.stem, json.loads(stored.read_text())
    cases = json.loads((TESTS / "contract" / "openapi_cases.json").read_text())["cases"]
    for number, case in enumerate(cases):
        output = case["output"] if isinstance(case.get("output"), dict) else {}
        if output.get("components", {}).get("schemas"):
            yield f"case-{number}", output


@pytest.mark.parametrize(
    ("name", "document"), [pytest.param(*each, id=each[0]) for each in documents()]
)
def test_samples_fit_every_description_that_the_tests_have(name, document):
    assert problems(document) == []


class EverythingSerializer(serializers.Serializer):
    email = serializers.EmailField(max_length=40)
    website = serializers.URLField()
    price = serializers.DecimalField(max_digits=6, decimal_places=2, min_value=0)
    tiny = serializers.DecimalField(max_digits=2, decimal_places=2)
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()
    opens = serializers.TimeField()
    lasts = serializers.DurationField()
    identity = serializers.UUIDField()
    slug = serializers.SlugField(max_length=8)
    iban = serializers.RegexField(r"^[A-Z]{2}\d{2}[A-Z\d]{11,30}$")
    year = serializers.IntegerField(min_value=1888, max_value=1999)
    share = serializers.FloatField(min_value=0.1, max_value=0.4)
    first_name = serializers.CharField(max_length=3)
    note = serializers.CharField(min_length=60)
    address = serializers.IPAddressField()
    scores = serializers.ListField(child=serializers.IntegerField(min_value=3), min_length=2)
    kind = serializers.ChoiceField(choices=["", "a"])
    kinds = serializers.MultipleChoiceField(choices=["a", "b"])
    extra = serializers.DictField(child=serializers.EmailField())


class Everything(ListCreateAPIView):
    serializer_class = EverythingSerializer
    queryset: list = []


@pytest.mark.parametrize("version", ["3.0.2", "3.0.3", "3.1", "3.2"])
def test_samples_fit_what_serializers_describe(settings, version):
    settings.REST_FRAMEWORK = {"OPENAPI_VERSION": version}
    document = SchemaGenerator(patterns=[path("everything/", Everything.as_view())]).get_schema()
    assert document["components"]["schemas"]
    assert problems(document) == []


def example(name: str, schema: dict, **beside: dict) -> object:
    made = Examples({}).of({"type": "object", "properties": {name: schema, **beside}})
    assert isinstance(made, dict)
    return made[name]


TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("name", "schema", "value"),
    [
        ("email", TEXT, "jane@example.com"),
        ("billing_email", TEXT, "jane@example.com"),
        ("billingEmail", TEXT, "jane@example.com"),
        ("title", TEXT, "Getting started"),
        ("film_title", TEXT, "Getting started"),
        ("title", {"type": "string", "maxLength": 5}, "text"),
        ("film_id", TEXT, "1"),
        ("price", TEXT, "19.50"),
        ("price", {"type": "number"}, 19.5),
        ("price", {"type": "integer"}, 20),
        ("price", {"type": "number", "maximum": 5}, 1),
        ("price", {"type": "string", "format": "decimal", "pattern": r"^\d(\.\d)?$"}, "1.5"),
        ("year", {"type": "integer"}, 2026),
        ("year", {"type": "integer", "maximum": 1999, "minimum": 1888}, 1888),
        ("starts_at", {"type": "string", "format": "date-time"}, "2026-01-31T12:30:00Z"),
        ("ends_at", {"type": "string", "format": "date-time"}, "2026-01-31T14:30:00Z"),
        ("email", {"type": "string", "format": "uuid"}, BY_FORMAT["uuid"]),
        ("author", {"type": "string", "format": "uri"}, "https://example.com/authors/1/"),
        ("parent_tags", {"type": "string", "format": "uri-reference"}, "/parent-tags/1/"),
        ("url", {"type": "string", "format": "uri"}, "https://example.com/"),
        ("author", {"type": "string", "format": "uri", "maxLength": 25}, "https://example.com/"),
        ("colours", {"type": "array", "items": {"enum": ["red", "blue"]}}, ["red"]),
        ("unheard_of", TEXT, "text"),
        ("unheard_of", {"type": "integer"}, 1),
    ],
)
def test_names_choose_values_that_fit(name, schema, value):
    assert example(name, schema) == value


def test_a_name_beside_an_address_is_that_of_a_person():
    assert example("name", TEXT) == "Riverside"
    assert example("name", TEXT, email=TEXT) == "Jane Doe"


def test_lists_have_as_many_items_as_they_need():
    of = Examples({}).of
    assert of({"type": "array", "minItems": 2, "items": TEXT}) == ["text", "text"]
    assert of({"type": "array", "minItems": 2, "uniqueItems": True, "items": TEXT}) == [
        "text",
        "text2",
    ]
    choices = {"type": "array", "minItems": 2, "uniqueItems": True, "items": {"enum": [1, 2, 3]}}
    assert of(choices) == [1, 2]
    assert of({"type": "array", "maxItems": 0, "items": TEXT}) == []
    assert len(json.dumps(of({"type": "array", "minItems": 10**9, "items": TEXT}))) < 2_000


def test_samples_name_nobody_and_no_real_address():
    texts = [*TEXTS.values(), *BY_FORMAT.values()]
    hosts = re.findall(r"[\w-]+\.(?:com|org|net|io|dev)\b", " ".join(texts))
    assert set(hosts) == {"example.com"}
    assert all(words == "_".join(words_of(words)) for words in {*TEXTS, *NUMBERS})


@pytest.mark.parametrize(
    "pattern",
    [
        r"^\d{3}$",
        r"[^a-z\d]+",
        r"(?P<a>x|y){2,3}?\1$",
        r"^(a{9}b){3}$",
        r"^[^\w]$",
        r"\S+@\S+",
        r"^a\Z",
    ],
)
def test_patterns_are_given_a_text(pattern):
    assert re.search(pattern, text_of(pattern))


@pytest.mark.parametrize(
    "pattern", ["[", r"\p{L}+", "(?P<x>a)(?(x)b|c)", "((a{999}){999}){999}", r"[^\s\S]", 5]
)
def test_patterns_of_no_use_do_no_harm(pattern):
    assert len(example("x", {"type": "string", "pattern": pattern})) <= 200


NUMBER = st.integers(-9, 9) | st.floats(-9, 9).map(lambda value: round(value, 2))
LIMITED = st.fixed_dictionaries(
    {"type": st.sampled_from(["integer", "number"])},
    optional={
        "minimum": NUMBER,
        "exclusiveMinimum": NUMBER,
        "maximum": NUMBER.map(lambda value: value + 20),
        "exclusiveMaximum": NUMBER.map(lambda value: value + 20),
        "multipleOf": st.sampled_from([1, 2, 0.5, 0.25]),
    },
)


@given(LIMITED, st.sampled_from(sorted(NUMBERS)))
def test_numbers_keep_to_their_limits(schema, name):
    assert Draft202012Validator(schema).is_valid(Examples({}).of(schema, name=name))


@given(
    st.integers(0, 30),
    st.none() | st.integers(0, 30),
    st.sampled_from([*sorted(TEXTS), "unheard_of", "", "_", "É"]),
)
def test_texts_keep_to_their_lengths(shortest, more, name):
    schema = {"type": "string", "minLength": shortest}
    if more is not None:
        schema["maxLength"] = shortest + more
    assert Draft202012Validator(schema).is_valid(Examples({}).of(schema, name=name))
