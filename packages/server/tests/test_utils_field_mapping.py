from typing import Any

import pytest
from django.core.validators import MaxValueValidator, MinLengthValidator, MinValueValidator
from django.db import models
from django.test.utils import isolate_apps

from lintel.utils import field_mapping
from lintel.utils.field_mapping import ClassLookupDict, get_field_kwargs, get_unique_validators
from lintel.validators import UniqueValidator


@pytest.fixture
def column() -> Any:
    """A function that puts a column on a model of its own."""

    def attach(column: Any, **meta: Any) -> Any:
        with isolate_apps("contract_project"):
            options = type("Meta", (), {"app_label": "contract_project", **meta})
            attributes = {"__module__": __name__, "Meta": options, "code": column}
            attributes["other"] = models.IntegerField()
            model = type("Sample", (models.Model,), attributes)
        return model._meta.get_field("code")  # type: ignore[attr-defined]

    return attach


def kwargs_of(column: Any) -> dict[str, Any]:
    kwargs = get_field_kwargs("code", column)
    assert kwargs.pop("model_field") is column
    return kwargs


def test_bounds_and_lengths_come_from_validators(column: Any) -> None:
    bounded = column(models.FloatField(validators=[MinValueValidator(1), MaxValueValidator(5)]))
    assert kwargs_of(bounded) == {"min_value": 1, "max_value": 5}
    text = column(models.CharField(max_length=9, validators=[MinLengthValidator(3)]))
    assert kwargs_of(text) == {"max_length": 9, "min_length": 3}


def test_choices_keep_the_validators_of_the_column(column: Any) -> None:
    chosen = column(models.EmailField(choices=[("a@b.c", "A")]))
    assert [type(one).__name__ for one in kwargs_of(chosen)["validators"]] == ["EmailValidator"]


def test_read_only_columns_stop_early(column: Any) -> None:
    hidden = column(models.CharField(max_length=9, editable=False, unique=True, null=True))
    assert kwargs_of(hidden) == {"allow_null": True, "read_only": True}


def test_label_only_where_the_verbose_name_says_more(column: Any) -> None:
    assert "label" not in kwargs_of(column(models.IntegerField(default=0)))
    assert kwargs_of(column(models.JSONField(verbose_name="the code")))["label"] == "The code"


def test_conditions_on_the_column_limit_the_rows(column: Any) -> None:
    rule = models.UniqueConstraint(
        fields=["code"], condition=models.Q(code__gt=3), name="big_codes_once"
    )
    found = list(get_unique_validators("code", column(models.IntegerField(), constraints=[rule])))
    assert [type(validator) for validator in found] == [UniqueValidator]
    assert "WHERE" in str(found[0].queryset.query)


def test_conditions_on_other_columns_are_no_rule_of_this_one(column: Any) -> None:
    rule = models.UniqueConstraint(
        fields=["code"], condition=models.Q(other=3), name="code_once_where_three"
    )
    assert (
        list(get_unique_validators("code", column(models.IntegerField(), constraints=[rule]))) == []
    )


def test_equal_promises_are_checked_once(column: Any) -> None:
    rules = [models.UniqueConstraint(fields=["code"], name=f"code_{n}") for n in range(2)]
    found = list(
        get_unique_validators("code", column(models.IntegerField(unique=True), constraints=rules))
    )
    assert len(found) == 1


def test_the_validator_class_can_be_imported_from_here() -> None:
    assert field_mapping.UniqueValidator is UniqueValidator
    with pytest.raises(AttributeError, match="nothing_here"):
        _ = field_mapping.nothing_here


def test_class_lookup_takes_the_nearest_class() -> None:
    lookup = ClassLookupDict({models.Field: "any", models.CharField: "text"})
    assert lookup[models.SlugField()] == "text"
    assert lookup[models.IntegerField()] == "any"
    lookup[models.IntegerField] = "number"
    assert lookup[models.BigIntegerField()] == "number"
    with pytest.raises(KeyError, match="Class int not found"):
        lookup[5]
