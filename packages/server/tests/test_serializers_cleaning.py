"""``Meta.full_clean``: the rules of the model in validation."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps.registry import Apps
from django.core.exceptions import ValidationError
from django.db import connection, models

from lintel import serializers


class Room(models.Model):
    name = models.CharField(max_length=20)
    slug = models.CharField(max_length=20, blank=True)
    floor = models.IntegerField(default=0)
    seats = models.IntegerField(default=1)
    owner = models.CharField(max_length=20)

    class Meta:
        apps = Apps(["contract_project"])
        app_label = "contract_project"
        db_table = "cleaned_rooms"
        unique_together = [("owner", "slug")]
        constraints = [
            models.CheckConstraint(condition=models.Q(seats__lt=100), name="few_seats"),
        ]

    def clean(self) -> None:
        self.slug = self.slug or self.name.lower()
        if self.floor > 9:
            raise ValidationError({"floor": "No such floor.", "owner": "Unknown here."})
        if self.name == "all":
            raise ValidationError("Not %(name)s.", params={"name": "all"}, code="odd")

    def clean_fields(self, exclude: Any = None) -> None:
        super().clean_fields(exclude)
        self.seen = sorted(exclude or ())


class RoomSerializer(serializers.ModelSerializer):
    storey = serializers.IntegerField(source="floor", required=False)

    class Meta:
        model = Room
        fields = ["id", "name", "slug", "storey", "seats"]
        full_clean = True


@pytest.fixture(autouse=True)
def _table(transactional_db: None) -> Iterator[None]:
    with connection.schema_editor() as editor:
        editor.create_model(Room)
    yield
    with connection.schema_editor() as editor:
        editor.delete_model(Room)


def validated(data: Any, instance: Any = None, **options: Any) -> Any:
    serializer = RoomSerializer(instance, data=data, **options)
    return serializer.validated_data if serializer.is_valid() else serializer.errors


def test_errors_are_those_of_the_fields_that_write_the_columns() -> None:
    assert validated({"name": "a", "storey": 10}) == {
        "storey": ["No such floor."],
        "non_field_errors": ["Unknown here."],
    }
    errors = validated({"name": "all"})["non_field_errors"]
    assert (errors, errors[0].code) == (["Not all."], "odd")
    found = validated({"name": "a", "seats": 100})
    assert found == {"non_field_errors": ["Constraint “few_seats” is violated."]}


def test_what_clean_changes_is_stored() -> None:
    assert validated({"name": "Blue"}) == {"name": "Blue", "slug": "blue"}
    serializer = RoomSerializer(data={"name": "Blue"})
    serializer.is_valid(raise_exception=True)
    assert serializer.save(owner="me").slug == "blue"


def test_columns_that_are_not_written_are_not_cleaned() -> None:
    # owner is required by the model, and comes from save(owner=...).
    assert "owner" not in validated({"name": "a"})
    seen: list[Any] = []

    class Spying(RoomSerializer):
        class Meta(RoomSerializer.Meta):
            fields = ["name", "storey"]

    original = Room.clean_fields
    Room.clean_fields = lambda self, exclude=None: seen.append(exclude)  # type: ignore[method-assign]
    try:
        Spying(data={"name": "a", "storey": 2}).is_valid(raise_exception=True)
    finally:
        Room.clean_fields = original  # type: ignore[method-assign]
    assert seen == [{"id", "owner", "seats", "slug"}]


def test_an_update_checks_the_row_with_its_stored_values_and_leaves_the_row_alone() -> None:
    first = Room.objects.create(name="a", slug="a", owner="me")
    second = Room.objects.create(name="b", slug="b", owner="me", floor=3)
    found = validated({"slug": "a"}, second, partial=True)
    assert found == {"non_field_errors": ["Room with this Owner and Slug already exists."]}
    assert validated({"slug": "b"}, second, partial=True) == {"slug": "b"}
    assert validated({"storey": 11}, first, partial=True)["storey"] == ["No such floor."]
    assert (first.floor, second.slug) == (0, "b")


def test_lists_and_parts_of_others() -> None:
    class House(serializers.Serializer):
        room = RoomSerializer()

    many = RoomSerializer(data=[{"name": "a"}, {"name": "all"}], many=True)
    assert not many.is_valid()
    assert many.errors == {1: {"non_field_errors": ["Not all."]}}
    Room.objects.create(name="c", slug="c", owner="")
    house = House("house", data={"room": {"name": "c", "storey": 12}})
    assert not house.is_valid()
    assert set(house.errors["room"]) == {"storey", "non_field_errors"}


def test_without_the_option_the_model_is_not_asked() -> None:
    class Plain(RoomSerializer):
        class Meta(RoomSerializer.Meta):
            full_clean = False

    assert Plain(data={"name": "all", "storey": 10}).is_valid()


@pytest.mark.django_db
def test_async_validation_asks_the_model_too() -> None:
    from asgiref.sync import async_to_sync

    serializer = RoomSerializer(data={"name": "all"})
    assert not async_to_sync(serializer.ais_valid)()
