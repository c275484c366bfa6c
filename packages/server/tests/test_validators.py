"""Validators that look at the database, used on serializers without a model."""

import datetime
from typing import Any

import pytest
from contract_project.models import Article, Badge, Membership, Tag
from django.db.models import Q

from lintel import fields, serializers
from lintel.exceptions import ValidationError
from lintel.validators import (
    BaseUniqueForValidator,
    ProhibitSurrogateCharactersValidator,
    UniqueForDateValidator,
    UniqueForMonthValidator,
    UniqueForYearValidator,
    UniqueTogetherValidator,
    UniqueValidator,
    qs_exists,
    qs_exists_with_condition,
    qs_filter,
)

pytestmark = pytest.mark.django_db

DAY = datetime.date(2024, 4, 10)


def serializer(validators: list[Any], **members: fields.Field) -> Any:
    meta = type("Meta", (), {"validators": validators})
    return type("Checked", (serializers.Serializer,), {**members, "Meta": meta})


def errors(cls: Any, data: Any, instance: Any = None, **options: Any) -> Any:
    checked = cls(instance, data=data, **options)
    checked.is_valid()
    return checked.errors


# ---- helpers ----


def test_values_that_no_column_can_hold_are_found_nowhere() -> None:
    rows = Membership.objects.all()
    assert not qs_exists(qs_filter(rows, number="many"))
    assert not qs_exists(qs_filter(rows, number=10**40))
    assert not qs_filter(rows, number=object()).exists()


def test_condition_holds_for_rows_and_for_new_values() -> None:
    Membership.objects.create(team="a", number=1)
    rows, condition = Membership.objects.all(), Q(number__gt=0)
    assert qs_exists_with_condition(rows, None, {})
    assert qs_exists_with_condition(rows, condition, {"number": 5})
    assert not qs_exists_with_condition(rows, condition, {"number": -5})
    assert not qs_exists_with_condition(rows, Q(number__gt=1), {"number": 5})
    assert not qs_exists_with_condition(rows, Q(nothing=1), {"number": 5})


# ---- one field ----


class Named(serializers.Serializer):
    name = fields.CharField(validators=[UniqueValidator(Tag.objects.all(), lookup="iexact")])
    renamed = fields.CharField(
        source="tag.name",
        validators=[UniqueValidator(Tag.objects.all(), message="Taken.")],
        required=False,
    )


def test_unique() -> None:
    tag = Tag.objects.create(name="red")
    assert errors(Named, {"name": "RED"})["name"][0].code == "unique"
    assert errors(Named, {"name": "RED"}, instance=tag) == {}
    assert errors(Named, {"name": "blue"}) == {}


def test_unique_looks_at_the_last_part_of_the_source() -> None:
    Tag.objects.create(name="red")
    assert errors(Named, {"name": "x", "renamed": "red"}) == {"renamed": ["Taken."]}


def test_unique_value_that_the_column_cannot_hold() -> None:
    validator = UniqueValidator(Membership.objects.all())
    cls = serializer([], number=fields.CharField(validators=[validator]))
    assert errors(cls, {"number": "many"}) == {}


# ---- several fields ----


def member(**options: Any) -> Any:
    validator = UniqueTogetherValidator(Membership.objects.all(), ("team", "number"), **options)
    return serializer(
        [validator],
        team=fields.CharField(required=False),
        number=fields.IntegerField(required=False, allow_null=True),
    )


def test_unique_together() -> None:
    row = Membership.objects.create(team="a", number=1)
    assert errors(member(), {"team": "a", "number": 1}) == {
        "non_field_errors": ["The fields team, number must make a unique set."]
    }
    assert errors(member(), {"team": "a", "number": 1}, instance=row) == {}
    assert errors(member(), {"team": "a", "number": 2}) == {}


def test_unique_together_makes_fields_required_for_new_rows() -> None:
    assert errors(member(), {"team": "a"}) == {"number": ["This field is required."]}
    row = Membership.objects.create(team="a", number=1)
    assert errors(member(), {"team": "a"}, instance=row) == {}


def test_update_takes_what_it_does_not_change_from_the_row() -> None:
    Membership.objects.create(team="a", number=1)
    row = Membership.objects.create(team="b", number=1)
    assert "non_field_errors" in errors(member(), {"team": "a"}, instance=row, partial=True)
    assert errors(member(), {"number": 1}, instance=row, partial=True) == {}


def test_none_equals_none_only_on_request() -> None:
    Membership.objects.create(team="a", number=None)
    given = {"team": "a", "number": None}
    assert errors(member(), given) == {}
    assert errors(member(nulls_distinct=True), given) == {}
    assert "non_field_errors" in errors(member(nulls_distinct=False), given)


def test_own_message_and_code() -> None:
    Membership.objects.create(team="a", number=1)
    checked = member(message="{field_names}?", code="taken")(data={"team": "a", "number": 1})
    assert not checked.is_valid()
    detail = checked.errors["non_field_errors"][0]
    assert (str(detail), detail.code) == ("team, number?", "taken")


def test_condition_of_a_constraint() -> None:
    Badge.objects.create(code="b", zone="north", active=False)
    Badge.objects.create(code="c", zone="north", active=True)
    validator = UniqueTogetherValidator(
        Badge.objects.all(), ("code",), condition=Q(active=True), condition_fields=["active"]
    )
    cls = serializer(
        [validator], code=fields.CharField(), active=fields.BooleanField(required=False)
    )
    assert errors(cls, {"code": "b", "active": True}) == {}
    assert "non_field_errors" in errors(cls, {"code": "c", "active": True})
    assert errors(cls, {"code": "c", "active": False}) == {}
    assert errors(cls, {"code": "c"}) == {"active": ["This field is required."]}


# ---- periods ----


def article(validator: type[BaseUniqueForValidator], **options: Any) -> Any:
    return serializer(
        [validator(Article.objects.all(), "slug", "published", **options)],
        slug=fields.CharField(required=False, allow_null=True),
        published=fields.DateField(required=False, allow_null=True),
    )


@pytest.mark.parametrize(
    ("validator", "same", "other"),
    [
        (UniqueForDateValidator, "2024-04-10", "2024-04-11"),
        (UniqueForMonthValidator, "2020-04-01", "2024-05-10"),
        (UniqueForYearValidator, "2024-12-31", "2025-04-10"),
    ],
)
def test_unique_in_a_period(validator: Any, same: str, other: str) -> None:
    row = Article.objects.create(published=DAY, slug="s", series="x", column="y")
    cls = article(validator)
    assert errors(cls, {"slug": "s", "published": same})["slug"][0].code == "unique"
    assert errors(cls, {"slug": "s", "published": same}, instance=row) == {}
    assert errors(cls, {"slug": "s", "published": other}) == {}
    assert errors(cls, {"slug": "t", "published": same}) == {}


def test_both_fields_of_a_period_are_required() -> None:
    required = ["This field is required."]
    cls = article(UniqueForDateValidator)
    assert errors(cls, {}) == {"slug": required, "published": required}


@pytest.mark.parametrize("data", [{"slug": None}, {"published": None}])
def test_nothing_is_never_a_duplicate(data: dict[str, None]) -> None:
    cls = article(UniqueForDateValidator)
    assert errors(cls, {"slug": "s", "published": "2024-04-10", **data}) == {}


def test_fields_of_a_period_may_have_another_source() -> None:
    Article.objects.create(published=DAY, slug="s", series="x", column="y")
    cls = serializer(
        [UniqueForDateValidator(Article.objects.all(), "short", "day", message="On {date_field}")],
        short=fields.CharField(source="slug"),
        day=fields.DateField(source="published"),
    )
    assert errors(cls, {"short": "s", "day": "2024-04-10"}) == {"short": ["On day"]}


def test_base_of_periods_has_no_period() -> None:
    with pytest.raises(NotImplementedError, match="filter_queryset"):
        errors(article(BaseUniqueForValidator), {"slug": "s", "published": "2024-04-10"})


# ---- text ----


@pytest.mark.parametrize("value", ["plain", "\N{GRINNING FACE}", "", 5, None])
def test_text_that_can_be_encoded(value: Any) -> None:
    ProhibitSurrogateCharactersValidator()(value)


def test_lone_surrogate_is_named() -> None:
    with pytest.raises(ValidationError, match=r"U\+DFFF"):
        ProhibitSurrogateCharactersValidator()("a\udfffb")


# ---- values ----


def test_validators_compare_by_what_they_check() -> None:
    rows = Tag.objects.all()
    assert UniqueValidator(rows) == UniqueValidator(rows)
    assert UniqueValidator(rows) != UniqueValidator(rows, lookup="iexact")
    assert UniqueTogetherValidator(rows, ("a",)) == UniqueTogetherValidator(rows, ("a",))
    assert UniqueTogetherValidator(rows, ("a",)) != UniqueTogetherValidator(rows, ("b",))
    assert UniqueForDateValidator(rows, "a", "b") != UniqueForMonthValidator(rows, "a", "b")
    assert ProhibitSurrogateCharactersValidator() == ProhibitSurrogateCharactersValidator()
    assert UniqueValidator(rows) != 5


def test_validators_show_what_they_check() -> None:
    rows = Tag.objects.none()
    together = UniqueTogetherValidator(rows, ("a", "b"), condition=Q(a=1), nulls_distinct=False)
    assert repr(UniqueValidator(rows)) == "<UniqueValidator(queryset=<QuerySet []>)>"
    assert repr(together) == (
        "<UniqueTogetherValidator(queryset=<QuerySet []>, fields=('a', 'b'), "
        "condition=<Q: (AND: ('a', 1))>, nulls_distinct=False)>"
    )
    assert repr(UniqueForDateValidator(rows, "a", "b")) == (
        "<UniqueForDateValidator(queryset=<QuerySet []>, field='a', date_field='b')>"
    )
