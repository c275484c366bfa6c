import threading
from contextlib import nullcontext
from typing import Any

import pytest
from contract_project.models import Profile, Reservation, Tag
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, connection, models, transaction
from django.test.utils import isolate_apps

from lintel import serializers
from lintel.exceptions import ValidationError
from lintel.serializers.uniqueness import unique_together_constraints


def serializer_for(model: Any, fields: list[str], **data: Any) -> Any:
    meta = type("Meta", (), {"model": model, "fields": fields})
    cls = type("SampleSerializer", (serializers.ModelSerializer,), {"Meta": meta})
    made = cls(data=data)
    made.is_valid(raise_exception=True)
    return made


def race(status: int | None, settings: Any) -> None:
    settings.REST_FRAMEWORK = {"UNIQUE_RACE_STATUS": status}


# ---- rules of a model ----


@isolate_apps("contract_project")
def test_rules_of_parents_count() -> None:
    class Seat(models.Model):
        row = models.IntegerField()
        number = models.IntegerField()

        class Meta:
            app_label = "contract_project"
            unique_together = [("row", "number")]

    class Sofa(Seat):
        colour = models.IntegerField()

        class Meta:
            app_label = "contract_project"
            constraints = [
                models.UniqueConstraint(
                    fields=["colour"], condition=models.Q(width=1), name="one_narrow"
                ),
                models.UniqueConstraint(models.F("colour") + 1, name="expression"),
            ]

        width = models.IntegerField()

    rules = [(tuple(rule[0]), rule[2]) for rule in unique_together_constraints(Sofa)]
    assert rules == [(("colour",), ["width"]), (("row", "number"), [])]


def test_two_fields_for_one_column_are_ambiguous() -> None:
    class Twice(serializers.ModelSerializer):
        place = serializers.CharField(source="room")

        class Meta:
            model = Reservation
            fields = ["room", "place", "slot"]

    with pytest.raises(AssertionError, match=r"several fields \(room, place\)"):
        _ = Twice().validators


# ---- races ----


@pytest.mark.django_db
@pytest.mark.parametrize("status", [400, 409])
def test_a_duplicate_that_came_meanwhile_is_an_error_of_the_input(
    status: int, settings: Any
) -> None:
    race(status, settings)
    first = serializer_for(Tag, ["name"], name="red")
    second = serializer_for(Tag, ["name"], name="red")
    first.save()
    with pytest.raises(ValidationError) as caught:
        second.save()
    assert caught.value.status_code == status
    assert caught.value.get_codes() == {"name": ["unique"]}
    assert Tag.objects.filter(name="red").count() == 1


@pytest.mark.django_db
def test_rules_over_several_fields_use_their_own_error(settings: Any) -> None:
    race(409, settings)
    first = serializer_for(Reservation, ["room", "slot"], room="A", slot=1)
    second = serializer_for(Reservation, ["room", "slot"], room="A", slot=1)
    first.save()
    with pytest.raises(ValidationError) as caught:
        second.save()
    assert caught.value.detail == {
        "non_field_errors": ["The fields room, slot must make a unique set."]
    }


@pytest.mark.django_db
def test_rules_that_only_the_database_checks_are_named(settings: Any) -> None:
    race(400, settings)
    user = User.objects.create(username="ann")
    Profile.objects.create(user=user)
    serializer = serializer_for(Profile, ["bio"], bio="again")
    with pytest.raises(ValidationError) as caught:
        serializer.save(user=user)
    assert list(caught.value.detail) == ["user"]


@pytest.mark.django_db
def test_updates_collide_as_well(settings: Any) -> None:
    race(409, settings)
    tag = Tag.objects.create(name="blue")
    meta = type("Meta", (), {"model": Tag, "fields": ["name"]})
    cls = type("TagSerializer", (serializers.ModelSerializer,), {"Meta": meta})
    serializer = cls(tag, data={"name": "red"})
    serializer.is_valid(raise_exception=True)
    Tag.objects.create(name="red")
    with pytest.raises(ValidationError):
        serializer.save()
    tag.refresh_from_db()
    assert tag.name == "blue"


@pytest.mark.parametrize("status", [400, 409])
@pytest.mark.django_db(transaction=True)
@isolate_apps("contract_project")
def test_a_constraint_on_one_foreign_key_is_named(status: int, settings: Any) -> None:
    race(status, settings)

    class Desk(models.Model):
        owner = models.ForeignKey(User, on_delete=models.CASCADE, db_constraint=False)

        class Meta:
            app_label = "contract_project"
            constraints = [models.UniqueConstraint(fields=["owner"], name="one_desk")]

    with connection.schema_editor() as editor:
        editor.create_model(Desk)
    try:
        owner = User.objects.create(username="ann").pk
        first = serializer_for(Desk, ["owner"], owner=owner)
        second = serializer_for(Desk, ["owner"], owner=owner)
        first.save()
        with pytest.raises(ValidationError) as caught:
            second.save()
    finally:
        with connection.schema_editor() as editor:
            editor.delete_model(Desk)
    assert caught.value.status_code == status
    assert caught.value.get_codes() == {"owner": ["unique"]}


@pytest.mark.django_db
def test_without_the_setting_the_error_of_the_database_passes() -> None:
    first = serializer_for(Tag, ["name"], name="red")
    second = serializer_for(Tag, ["name"], name="red")
    first.save()
    with pytest.raises(IntegrityError), transaction.atomic():
        second.save()


@pytest.mark.django_db
def test_other_integrity_errors_pass(settings: Any) -> None:
    race(400, settings)
    serializer = serializer_for(Profile, ["bio"], bio="nobody's")
    with pytest.raises(IntegrityError):
        serializer.save()


@pytest.mark.django_db
def test_other_statuses_are_refused(settings: Any) -> None:
    race(418, settings)
    with pytest.raises(ImproperlyConfigured, match="UNIQUE_RACE_STATUS is 418"):
        serializer_for(Tag, ["name"], name="red").save()


@pytest.mark.django_db(transaction=True)
def test_of_many_writers_one_wins(settings: Any) -> None:
    race(409, settings)
    ready = threading.Barrier(2)
    # The database in memory has no lock to wait for; the race is between check and write.
    write_lock = threading.Lock()
    outcomes: list[Any] = []

    def write() -> None:
        try:
            serializer = serializer_for(Tag, ["name"], name="contested")
            ready.wait(timeout=10)
            with write_lock:
                serializer.save()
            outcomes.append(201)
        except ValidationError as error:
            outcomes.append(error.status_code)
        finally:
            connection.close()

    threads = [threading.Thread(target=write) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert sorted(outcomes) == [201, 409]


# ---- check constraints ----


@pytest.fixture
def stay() -> Any:
    """A model whose table demands that a stay ends after it starts."""
    with isolate_apps("contract_project"):

        class Stay(models.Model):
            room = models.IntegerField(unique=True)
            starts = models.IntegerField()
            ends = models.IntegerField()

            class Meta:
                app_label = "contract_project"
                constraints = [
                    models.CheckConstraint(
                        condition=models.Q(ends__gt=models.F("starts")),
                        name="ends_after_start",
                        violation_error_message="A stay ends after it starts.",
                        violation_error_code="order",
                    ),
                    models.CheckConstraint(condition=models.Q(room__gt=0), name="room_number"),
                ]

        class LoudManager(models.Manager):
            def create(self, loud: bool = False, **values: Any) -> Any:
                return super().create(**values)

        class LongStay(Stay):
            bill = models.IntegerField(default=0)
            objects = LoudManager()

            class Meta:
                app_label = "contract_project"

        class SameStay(Stay):
            class Meta:
                app_label = "contract_project"
                proxy = True

        Stay.long, Stay.same = LongStay, SameStay
        with connection.schema_editor() as editor:
            editor.create_model(Stay)
            editor.create_model(LongStay)
        yield Stay
        with connection.schema_editor() as editor:
            editor.delete_model(LongStay)
            editor.delete_model(Stay)


STAY = ["room", "starts", "ends"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("status", [None, 400, 409])
@pytest.mark.parametrize("is_atomic", [False, True])
def test_broken_check_constraints_are_bad_input(
    stay: Any, settings: Any, status: int | None, is_atomic: bool
) -> None:
    race(status, settings)
    with transaction.atomic() if is_atomic else nullcontext():
        with pytest.raises(ValidationError) as caught:
            serializer_for(stay, STAY, room=1, starts=2, ends=1).save()
        assert caught.value.status_code == 400
        assert caught.value.detail == {"non_field_errors": ["A stay ends after it starts."]}
        assert caught.value.get_codes() == {"non_field_errors": ["order"]}
        kept = serializer_for(stay, STAY, room=1, starts=1, ends=2).save()
        changed = serializer_for(stay, STAY, room=3, starts=1, ends=2)
        changed.instance = kept
        changed.validated_data["ends"] = 0
        with pytest.raises(ValidationError):
            changed.save()
        assert stay.objects.values_list("room", "ends").get() == (1, 2)


@pytest.mark.django_db(transaction=True)
def test_a_duplicate_in_a_table_with_checks_is_still_a_race(stay: Any, settings: Any) -> None:
    for status, raised in ((None, IntegrityError), (409, ValidationError)):
        race(status, settings)
        late = serializer_for(stay, STAY, room=5, starts=1, ends=2)
        stay.objects.create(room=5, starts=1, ends=2)
        with pytest.raises(raised) as caught:
            late.save()
        assert getattr(caught.value, "status_code", None) == status
        stay.objects.all().delete()


ORDER = {"non_field_errors": ["A stay ends after it starts."]}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["long", "same"])
def test_check_constraints_of_parents_and_of_proxied_models_count(stay: Any, kind: str) -> None:
    model = getattr(stay, kind)
    with pytest.raises(ValidationError) as caught:
        serializer_for(model, STAY, room=1, starts=2, ends=1).save()
    assert caught.value.detail == ORDER
    kept = serializer_for(model, STAY, room=1, starts=1, ends=2).save()
    with pytest.raises(ValidationError) as caught:
        serializer_for(model, STAY, room=2, starts=1, ends=2).update(kept, {"ends": 0})
    assert caught.value.detail == ORDER


@pytest.mark.django_db(transaction=True)
def test_arguments_that_only_the_manager_knows_do_not_hide_a_broken_check(stay: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        serializer_for(stay.long, STAY, room=1, starts=2, ends=1).save(loud=True)
    assert caught.value.detail == ORDER


class AskingRouter:
    """A router that relies on what Django hands it: an instance, or no such hint."""

    def db_for_write(self, model: Any, **hints: Any) -> str | None:
        return hints["instance"]._state.db if "instance" in hints else None


@pytest.mark.django_db(transaction=True)
def test_routers_get_no_instance_where_there_is_none(stay: Any, settings: Any) -> None:
    settings.DATABASE_ROUTERS = [AskingRouter()]
    kept = serializer_for(stay, STAY, room=1, starts=1, ends=2).save()
    with pytest.raises(ValidationError):
        serializer_for(stay, STAY, room=2, starts=2, ends=1).save()
    assert serializer_for(stay, STAY, room=3, starts=1, ends=2).update(kept, {"ends": 9}).ends == 9


@pytest.mark.django_db(transaction=True)
def test_the_child_of_a_list_saves_each_object_with_its_checks(stay: Any) -> None:
    for room in (1, 2):
        stay.objects.create(room=room, starts=1, ends=5)

    class Stays(serializers.ListSerializer):
        def update(self, instance: Any, validated_data: Any) -> Any:
            pairs = zip(instance, validated_data, strict=True)
            return [self.child.update(one, values) for one, values in pairs]

    class StaySerializer(serializers.ModelSerializer):
        class Meta:
            model = stay
            fields = ["ends"]
            list_serializer_class = Stays

    def save(*ends: int) -> None:
        rows, data = stay.objects.order_by("room"), [{"ends": end} for end in ends]
        serializer = StaySerializer(rows, data=data, many=True)
        serializer.is_valid(raise_exception=True)
        serializer.save()

    save(3, 4)
    assert list(stay.objects.order_by("room").values_list("ends", flat=True)) == [3, 4]
    with pytest.raises(ValidationError) as caught:
        save(6, 0)
    assert caught.value.detail == ORDER
    assert stay.objects.get(room=2).ends == 4
