"""Fields that are read only, hidden, computed, or of a model field."""

import re
from typing import Any

import pytest
from contract_project.models import Snippet, Tag
from django.db import models

from lintel import fields, serializers
from lintel.exceptions import ValidationError


def test_read_only_field_is_never_written() -> None:
    field = fields.ReadOnlyField(read_only=False)
    assert field.read_only
    with pytest.raises(fields.SkipField):
        field.run_validation(1)
    marker = object()
    assert field.to_representation(marker) is marker


def test_hidden_field_needs_a_default() -> None:
    with pytest.raises(AssertionError, match="default is a required argument"):
        fields.HiddenField()


def test_hidden_field_does_not_look_at_the_input() -> None:
    field = fields.HiddenField(default="secret")
    field.bind("f", None)
    assert field.get_value({"f": "given"}) is fields.empty
    assert field.run_validation() == "secret"


class Report(serializers.Serializer):
    total = fields.SerializerMethodField()
    named = fields.SerializerMethodField(method_name="total_of")

    def get_total(self, row: dict[str, Any]) -> int:
        return sum(row.values())

    def total_of(self, row: dict[str, Any]) -> str:
        return f"total {self.get_total(row)}"


def test_methods_get_the_whole_object() -> None:
    assert Report({"a": 1, "b": 2}).data == {"total": 3, "named": "total 3"}


def test_method_that_is_missing() -> None:
    holder = type("Holder", (serializers.Serializer,), {"f": fields.SerializerMethodField()})
    with pytest.raises(AttributeError, match="get_f"):
        holder({}).data  # noqa: B018 - the property does the work


def test_model_field_converts_by_itself() -> None:
    field = fields.ModelField(model_field=Tag._meta.get_field("name"))
    assert field.run_validation(5) == "5"
    assert field.to_representation(Tag(name="red")) == "red"


def test_model_field_of_a_relation_takes_its_key() -> None:
    field = fields.ModelField(model_field=Snippet._meta.get_field("owner"))
    assert field.run_validation("5") == 5


@pytest.mark.parametrize(
    ("model_field", "given", "message"),
    [
        (models.IntegerField(), "x", "value must be an integer"),
        (models.IntegerField(), float("inf"), "Invalid input"),
        (models.BinaryField(), "not base 64", "Invalid input|not a valid binary value"),
    ],
)
def test_input_that_a_model_field_refuses(model_field: Any, given: Any, message: str) -> None:
    members = {"f": fields.ModelField(model_field=model_field)}
    holder = type("Holder", (serializers.Serializer,), members)(data={"f": given})
    assert not holder.is_valid()
    assert [error.code for error in holder.errors["f"]] == ["invalid"]
    assert re.search(message, holder.errors["f"][0])


def test_length_of_model_values() -> None:
    field = fields.ModelField(model_field=models.CharField(), max_length=2)
    with pytest.raises(ValidationError, match="no more than 2 characters"):
        field.run_validation("abc")
