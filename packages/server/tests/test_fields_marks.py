"""Marks: generated code may replace the methods of built-in fields, and no others."""

import types
from typing import Any

import pytest
from django.db import models
from django.test import override_settings

from lintel import fields
from lintel.fast.compiler.plan import conversion
from lintel.fields.composite import _UnvalidatedField

STANDARD = {
    "get_attribute": "attribute",
    "get_value": "standard",
    "get_default": "standard",
    "validate_empty_values": "standard",
    "run_validation": "standard",
    "run_validators": "standard",
}

# field, kind of to_internal_value, kind of to_representation, methods with a mark of their own
KINDS: list[tuple[fields.Field, str | None, str | None, dict[str, str]]] = [
    (fields.BooleanField(), "boolean", "boolean", {}),
    (fields.CharField(), "text", "text", {"run_validation": "text"}),
    (fields.EmailField(), "text", "text", {"run_validation": "text"}),
    (fields.RegexField("a"), "text", "text", {"run_validation": "text"}),
    (fields.SlugField(), "text", "text", {"run_validation": "text"}),
    (fields.URLField(), "text", "text", {"run_validation": "text"}),
    (fields.IPAddressField(), "ip_address", "text", {"run_validation": "text"}),
    (fields.UUIDField(), "uuid", "uuid", {}),
    (fields.IntegerField(), "integer", "integer", {}),
    (fields.BigIntegerField(), "integer", "big_integer", {}),
    (fields.FloatField(), "float", "float", {}),
    (fields.DecimalField(5, 2), "decimal", "decimal", {"validate_empty_values": "decimal"}),
    (fields.DateTimeField(), "datetime", "datetime", {}),
    (fields.DateField(), "date", "date", {}),
    (fields.TimeField(), "time", "time", {}),
    (fields.DurationField(), "duration", "duration", {}),
    (fields.ChoiceField(choices=["a"]), "choice", "choice", {}),
    (
        fields.MultipleChoiceField(choices=["a"]),
        "many_choices",
        "many_choices",
        {"get_value": "many_choices"},
    ),
    (fields.FileField(), "file", "file", {}),
    (fields.ImageField(), "image", "file", {}),
    (fields.ListField(), "list", "list", {"get_value": "list"}),
    (fields.DictField(), "dict", "dict", {"get_value": "dict"}),
    (fields.HStoreField(), None, "dict", {"get_value": "dict"}),
    (fields.JSONField(), "json", "json", {"get_value": "json"}),
    (fields.ReadOnlyField(), None, "as_is", {}),
    (fields.HiddenField(default=1), "as_is", None, {"get_value": "hidden"}),
    (fields.SerializerMethodField(), None, "method", {}),
    (fields.CompositeKeyField(), None, None, {}),
    (
        fields.ModelField(model_field=models.IntegerField()),
        "model_field",
        "model_field",
        {"get_attribute": "model_field"},
    ),
    (_UnvalidatedField(), "as_is", "as_is", {}),
]


def kind(field: fields.Field, method: str) -> str | None:
    found = conversion(field, method)
    return None if found is None else found.kind


@pytest.mark.parametrize("case", KINDS, ids=lambda case: type(case[0]).__name__)
def test_methods_of_built_in_fields_are_marked(case: Any) -> None:
    field, writing, reading, own = case
    assert kind(field, "to_internal_value") == writing
    assert kind(field, "to_representation") == reading
    assert {method: kind(field, method) for method in STANDARD} == {**STANDARD, **own}


def test_every_public_field_is_in_the_table() -> None:
    public = {
        value
        for value in vars(fields).values()
        if isinstance(value, type) and issubclass(value, fields.Field)
    }
    special = {fields.Field, fields.FilePathField}
    assert {type(case[0]) for case in KINDS} == public - special


@pytest.mark.parametrize("method", [*STANDARD, "to_internal_value", "to_representation"])
def test_an_override_has_no_mark(method: str) -> None:
    replaced = type("Own", (fields.CharField,), {method: lambda self, *args: None})
    assert conversion(replaced(), method) is None
    mixin = type("Mixin", (), {method: lambda self, *args: None})
    assert conversion(type("Mixed", (mixin, fields.CharField), {})(), method) is None


def test_monkeypatches_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    field = fields.EmailField()
    monkeypatch.setattr(fields.CharField, "to_representation", lambda self, value: "patched")
    assert conversion(field, "to_representation") is None


def test_methods_of_one_instance_are_noticed() -> None:
    field = fields.IntegerField()
    field.to_representation = types.MethodType(lambda self, value: value, field)  # type: ignore[method-assign]
    assert conversion(field, "to_representation") is None


@pytest.mark.parametrize(
    ("base", "options", "helper", "method"),
    [
        (fields.DateTimeField, {}, "enforce_timezone", "to_representation"),
        (fields.DateTimeField, {}, "default_timezone", "to_internal_value"),
        (
            fields.DecimalField,
            {"max_digits": 5, "decimal_places": 2},
            "quantize",
            "to_representation",
        ),
        (
            fields.DecimalField,
            {"max_digits": 5, "decimal_places": 2},
            "validate_precision",
            "to_internal_value",
        ),
        (fields.ListField, {}, "run_child_validation", "to_internal_value"),
        (fields.DictField, {}, "run_child_validation", "to_internal_value"),
    ],
)
def test_override_of_a_helper_counts_for_the_method_that_calls_it(
    base: type[fields.Field], options: dict[str, Any], helper: str, method: str
) -> None:
    assert conversion(base(**options), method) is not None
    own = type("Own", (base,), {helper: lambda self, *args: None})
    assert conversion(own(**options), method) is None


def test_descriptions_follow_late_settings() -> None:
    field = fields.DateField()
    with override_settings(REST_FRAMEWORK={"DATE_FORMAT": "%Y"}):
        found = conversion(field, "to_representation")
    assert found is not None
    assert found.option("format") == "%Y"
    again = conversion(field, "to_representation")
    assert again is not None
    assert again.option("format") == "iso-8601"


def test_equal_fields_have_equal_descriptions() -> None:
    first, second = (fields.DecimalField(5, 2, localize=True) for _ in range(2))
    other = fields.DecimalField(5, 3, localize=True)
    described = [conversion(field, "to_representation") for field in (first, second, other)]
    assert described[0] == described[1] != described[2]
