"""Two successive worlds never mix: what a project computes is always computed again.

Each test reads or validates in one world, then in another, with everything kept from the
first, and compares with the plain path, which keeps nothing (``COMPILE_SERIALIZERS = "never"``).
"""

import contextlib
import datetime
import functools
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from contract_project.models import Snippet, Tag, User
from django.core import validators
from django.db import models
from django.test import override_settings
from django.utils import timezone, translation
from django.utils.functional import classproperty
from django.utils.translation import gettext_lazy as _
from hypothesis import given, settings
from hypothesis import strategies as st

from lintel import serializers
from lintel.metadata import SimpleMetadata

pytestmark = pytest.mark.django_db

PLAIN = {"COMPILE_SERIALIZERS": "never", "READ_FROM_ROWS": "never"}

#: What the overrides below read: different in each world.
WORLD: ContextVar[str] = ContextVar("world", default="first")
WORLDS = ("first", "second")


def is_second() -> bool:
    return WORLD.get() == "second"


@contextlib.contextmanager
def world(name: str) -> Iterator[None]:
    """A world: its name, language, zone and the user in the context of its serializers."""
    token = WORLD.set(name)
    zone = datetime.timezone(datetime.timedelta(hours=5 if name == "second" else 0))
    language = "de" if name == "second" else "en"
    try:
        with translation.override(language), timezone.override(zone):
            yield
    finally:
        WORLD.reset(token)


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return "value", repr(call())
    except serializers.ValidationError as error:
        return "refused", repr(error.get_full_details())
    except Exception as error:
        return type(error).__name__, str(error)


def context() -> dict[str, Any]:
    return {"user": WORLD.get()}


def read(cls: Any, instance: Any, **kwargs: Any) -> Any:
    return outcome(lambda: cls(instance, context=context(), **kwargs).data)


def write(cls: Any, data: Any, **kwargs: Any) -> Any:
    def validated() -> Any:
        serializer = cls(data=data, context=context(), **kwargs)
        serializer.is_valid(raise_exception=True)
        return serializer.validated_data

    return outcome(validated)


def plainly(call: Callable[[], Any]) -> Any:
    with override_settings(REST_FRAMEWORK=PLAIN):
        return call()


def assert_worlds_differ_or_not(call: Callable[[], Any], names: Any = WORLDS) -> None:
    """Check that results in successive worlds equal those of the plain path there."""
    expected = {}
    for name in set(names):
        with world(name):
            expected[name] = plainly(call)
    for name in names:
        with world(name):
            assert call() == expected[name]


# ---- overrides: each makes a field class or a serializer class that looks at the world ----


def hidden_by_property(base: Any) -> Any:
    class Field(base):
        @property
        def write_only(self) -> bool:
            return self.context.get("user") == "second"

        @write_only.setter
        def write_only(self, value: bool) -> None: ...

    return Field


def read_only_by_property(base: Any) -> Any:
    class Field(base):
        read_only = property(lambda self: is_second(), lambda self, value: None)

    return Field


def required_by_property(base: Any) -> Any:
    class Field(base):
        required = property(lambda self: is_second(), lambda self, value: None)

    return Field


def bound_by_world(base: Any) -> Any:
    class Field(base):
        def bind(self, field_name: str, parent: Any) -> None:
            super().bind(field_name, parent)
            if self.context.get("user") == "second":
                self.source_attrs = ["other"]

    return Field


def wrapped_bind(base: Any) -> Any:
    def bind(self: Any, *args: Any, **kwargs: Any) -> None:
        base.bind(self, *args, **kwargs)
        self.source_attrs = ["other"] if is_second() else self.source_attrs

    return type("Field", (base,), {"bind": functools.wraps(base.bind)(bind)})


def made_by_world(base: Any) -> Any:
    class Field(base):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.write_only = is_second()

    return Field


def copied_by_world(base: Any) -> Any:
    class Field(base):
        def __deepcopy__(self, memo: Any) -> Any:
            copied = super().__deepcopy__(memo)
            copied.write_only = is_second()
            return copied

    return Field


def looked_up_by_world(base: Any) -> Any:
    class Field(base):
        def __getattribute__(self, name: str) -> Any:
            if name == "write_only" and is_second():
                return True
            return super().__getattribute__(name)

    return Field


def attribute_by_world(base: Any) -> Any:
    class Field(base):
        def get_attribute(self, instance: Any) -> Any:
            return super().get_attribute(instance) if not is_second() else 7

    return Field


def represented_by_world(base: Any) -> Any:
    class Field(base):
        def to_representation(self, value: Any) -> Any:
            return f"{super().to_representation(value)} {WORLD.get()}"

        def to_internal_value(self, data: Any) -> Any:
            return f"{super().to_internal_value(data)} {WORLD.get()}"

    return Field


def validated_by_world(base: Any) -> Any:
    class Field(base):
        def get_validators(self) -> list[Any]:
            limit = 2 if is_second() else 9
            return [*super().get_validators(), validators.MaxLengthValidator(limit)]

    return Field


FIELDS = (
    hidden_by_property,
    read_only_by_property,
    required_by_property,
    bound_by_world,
    wrapped_bind,
    made_by_world,
    copied_by_world,
    looked_up_by_world,
    attribute_by_world,
    represented_by_world,
    validated_by_world,
)


def readable_by_world(base: Any) -> Any:
    class Inner(base):
        @property
        def _readable_fields(self) -> Any:
            return [one for one in super()._readable_fields if not is_second()]

    return Inner


def writable_by_world(base: Any) -> Any:
    class Inner(base):
        @property
        def _writable_fields(self) -> Any:
            return [one for one in super()._writable_fields if not is_second()]

    return Inner


def initialised_by_world(base: Any) -> Any:
    class Inner(base):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            if is_second():
                self.fields.pop("name")

    return Inner


def fields_by_world(base: Any) -> Any:
    class Inner(base):
        def get_fields(self) -> Any:
            fields = super().get_fields()
            if is_second():
                fields["name"].write_only = True
            return fields

    return Inner


def cached_fields_by_world(base: Any) -> Any:
    class Inner(base):
        @property
        def fields(self) -> Any:
            fields = super().fields
            if is_second():
                fields.pop("name", None)
            return fields

    return Inner


def whole_by_world(base: Any) -> Any:
    class Inner(base):
        def to_representation(self, instance: Any) -> Any:
            return {**super().to_representation(instance), "world": WORLD.get()}

        def to_internal_value(self, data: Any) -> Any:
            return {**super().to_internal_value(data), "world": WORLD.get()}

    return Inner


def made_new_by_world(base: Any) -> Any:
    class Inner(base):
        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            made = super().__new__(cls, *args, **kwargs)
            made.hidden = is_second()
            return made

        @property
        def _readable_fields(self) -> Any:
            return (one for one in super()._readable_fields if not self.hidden)

    return Inner


SERIALIZERS = (
    readable_by_world,
    writable_by_world,
    initialised_by_world,
    fields_by_world,
    cached_fields_by_world,
    whole_by_world,
    made_new_by_world,
)


# ---- places: where the class stands ----


def at_root(cls: Any) -> tuple[Any, Any, Any]:
    return cls, ITEM, DATA


def in_list(cls: Any) -> tuple[Any, Any, Any]:
    return functools.partial(cls, many=True), [ITEM, ITEM], [DATA, DATA]


def nested(cls: Any) -> tuple[Any, Any, Any]:
    outer = type("Outer", (serializers.Serializer,), {"inner": cls()})
    return outer, SimpleNamespace(inner=ITEM), {"inner": DATA}


def nested_list(cls: Any) -> tuple[Any, Any, Any]:
    outer = type("Outer", (serializers.Serializer,), {"inner": cls(many=True)})
    return outer, SimpleNamespace(inner=[ITEM, ITEM]), {"inner": [DATA, DATA]}


def whole(cls: Any) -> tuple[Any, Any, Any]:
    return type("Outer", (serializers.Serializer,), {"inner": cls(source="*")}), ITEM, DATA


def child_of_list(cls: Any) -> tuple[Any, Any, Any]:
    field = serializers.ListField(child=cls())
    outer = type("Outer", (serializers.Serializer,), {"inner": field})
    return outer, SimpleNamespace(inner=[ITEM]), {"inner": [DATA]}


def child_of_dict(cls: Any) -> tuple[Any, Any, Any]:
    field = serializers.DictField(child=cls())
    outer = type("Outer", (serializers.Serializer,), {"inner": field})
    return outer, SimpleNamespace(inner={"a": ITEM}), {"inner": {"a": DATA}}


def three_deep(cls: Any) -> tuple[Any, Any, Any]:
    middle, instance, data = nested_list(cls)
    outer = type("Outermost", (serializers.Serializer,), {"middle": middle()})
    outer = type("List", (serializers.Serializer,), {"outer": outer(many=True)})
    one = SimpleNamespace(middle=instance)
    return outer, SimpleNamespace(outer=[one, one]), {"outer": [{"middle": data}]}


PLACES = (
    at_root,
    in_list,
    nested,
    nested_list,
    whole,
    child_of_list,
    child_of_dict,
    three_deep,
)

ITEM = SimpleNamespace(name="some", other="another", number=3)
DATA = {"name": "some", "other": "another", "number": 3}


def sample(**fields: Any) -> Any:
    declared = {"name": serializers.CharField(), "number": serializers.IntegerField(), **fields}
    return type("Sample", (serializers.Serializer,), declared)


@given(
    st.sampled_from(FIELDS),
    st.sampled_from(SERIALIZERS),
    st.sampled_from(("field", "child", "serializer", "both")),
    st.sampled_from(PLACES),
    st.lists(st.sampled_from(WORLDS), min_size=2, max_size=4),
    st.sampled_from(({}, {"required": False}, {"allow_null": True})),
)
@settings(max_examples=200, deadline=None)
def test_each_world_is_that_of_the_plain_path(
    of_field: Any, of_serializer: Any, which: str, place: Any, names: Any, flags: Any
) -> None:
    fields = {}
    if which in ("field", "both"):
        fields["name"] = of_field(serializers.CharField)(**flags)
    if which == "child":
        fields["name"] = serializers.ListField(child=of_field(serializers.CharField)(), **flags)
    cls = sample(**fields)
    if which in ("serializer", "both"):
        cls = of_serializer(cls)
    outer, instance, data = place(cls)
    assert_worlds_differ_or_not(lambda: read(outer, instance), names)
    assert_worlds_differ_or_not(lambda: write(outer, data), names)
    assert_worlds_differ_or_not(lambda: write(outer, {}), names)


# ---- classes that change ----


def patched_method(original: Any) -> Any:
    def method(self: Any, value: Any) -> Any:
        return f"patched {original(self, value)}"

    return functools.wraps(original)(method)


def patched_bind(original: Any) -> Any:
    def bind(self: Any, field_name: str, parent: Any) -> None:
        original(self, field_name, parent)
        self.source_attrs = ["other"] if field_name == "name" else self.source_attrs

    return functools.wraps(original)(bind)


def patched_init(original: Any) -> Any:
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        self.write_only = not self.read_only

    return functools.wraps(original)(init)


def patched_flag(original: Any) -> Any:
    return property(lambda self: True, lambda self, value: None)


PATCHES = {
    "to_representation": patched_method,
    "to_internal_value": patched_method,
    "get_attribute": patched_method,
    "bind": patched_bind,
    "__init__": patched_init,
    "write_only": patched_flag,
    "allow_null": patched_flag,
}


@given(st.sampled_from(PLACES), st.sampled_from(sorted(PATCHES)), st.sampled_from((0, 1, 2)))
@settings(max_examples=60, deadline=None)
def test_a_class_may_be_patched_between_two_worlds(place: Any, name: str, level: int) -> None:
    class Name(serializers.CharField):
        pass

    owner = (Name, serializers.CharField, serializers.Field)[level]
    outer, instance, data = place(sample(name=Name()))
    before = read(outer, instance), write(outer, data)
    with pytest.MonkeyPatch.context() as patch:
        original = getattr(owner, name, None)
        patch.setattr(owner, name, PATCHES[name](original), raising=False)
        assert_worlds_differ_or_not(lambda: read(outer, instance), WORLDS)
        assert_worlds_differ_or_not(lambda: write(outer, data), WORLDS)
    assert (read(outer, instance), write(outer, data)) == before


@pytest.mark.parametrize(
    ("field", "name", "value"),
    [
        (serializers.DateTimeField, "format", "%Y"),
        (serializers.DateTimeField, "input_formats", ["%Y"]),
        (serializers.DecimalField, "coerce_to_string", False),
        (serializers.BooleanField, "TRUE_VALUES", {"some"}),
        (serializers.CharField, "default_error_messages", {"required": "Missing."}),
        (serializers.Serializer, "_readable_fields", property(lambda self: ())),
    ],
)
def test_an_option_may_be_assigned_to_the_class(
    monkeypatch: Any, field: Any, name: str, value: Any
) -> None:
    arguments = {"max_digits": 4, "decimal_places": 1} if "Decimal" in field.__name__ else {}
    moment = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)
    given_value = {"DateTimeField": moment, "DecimalField": Decimal("1.5")}
    value_read = given_value.get(field.__name__, "some")
    cls = sample(name=field(**arguments)) if field is not serializers.Serializer else sample()
    instance = SimpleNamespace(name=value_read, number=1)
    calls = [lambda: read(cls, instance), lambda: write(cls, {"name": "2026"})]
    for call in calls:
        assert call() == plainly(call)
    monkeypatch.setattr(field, name, value)
    for call in calls:
        assert call() == plainly(call)


# ---- models and managers ----


class TenantManager(models.Manager):
    def get_queryset(self) -> Any:
        return super().get_queryset().filter(name__startswith=WORLD.get())


class Room(models.Model):
    name = models.CharField(max_length=20)
    code = models.CharField(max_length=20)
    objects = TenantManager()

    class Meta:
        app_label = "contract_project"
        db_table = "worlds_room"
        constraints = [
            models.UniqueConstraint(
                fields=["code"], condition=~models.Q(code=""), name="unique_code_of_rooms"
            )
        ]


class Visit(models.Model):
    room = models.ForeignKey(Room, models.CASCADE, limit_choices_to={"code__startswith": "open"})
    title = models.CharField(max_length=20, choices=[("a", "A"), ("b", "B")], default="a")

    class Meta:
        app_label = "contract_project"
        db_table = "worlds_visit"


@pytest.fixture
def rooms() -> None:
    rows = [("first room", "open 1"), ("second room", "open 2"), ("second attic", "x")]
    Room._base_manager.bulk_create([Room(name=name, code=code) for name, code in rows])


def of_model(model: Any, **options: Any) -> Any:
    meta = type("Meta", (), {"model": model, "fields": "__all__", **options})
    return type("OfModel", (serializers.ModelSerializer,), {"Meta": meta})


def test_rows_and_choices_are_those_of_the_tenant(rooms: None) -> None:
    visits = of_model(Visit)
    keys = [one.pk for one in Room._base_manager.all()]

    def choices() -> Any:
        return repr(dict(visits().fields["room"].choices))

    assert_worlds_differ_or_not(choices, WORLDS * 2)
    for key in keys:
        assert_worlds_differ_or_not(lambda key=key: write(visits, {"room": key}), WORLDS * 2)
    some = [{"room": key} for key in keys]
    assert_worlds_differ_or_not(lambda: write(visits, some, many=True), WORLDS * 2)


def test_uniqueness_is_that_of_the_tenant(rooms: None) -> None:
    cls = of_model(Room)
    for code in ("open 1", "open 2", "x", ""):
        data = {"name": "new", "code": code}
        assert_worlds_differ_or_not(lambda data=data: write(cls, data), WORLDS * 2)


class Suite(Room):
    """Its rules are those of its parent, whose manager filters."""

    beds = models.IntegerField(default=1)
    objects = models.Manager()

    class Meta:
        app_label = "contract_project"


def test_uniqueness_of_a_parent_is_that_of_the_tenant(rooms: None) -> None:
    cls = of_model(Suite)
    for code in ("open 1", "open 2", "x", ""):
        data = {"name": "new", "code": code}
        assert_worlds_differ_or_not(lambda data=data: write(cls, data), WORLDS * 2)


class Rows(models.QuerySet[Any]): ...


class RowsManager(models.Manager.from_queryset(Rows)): ...  # type: ignore[misc]


class Desk(models.Model):
    name = models.CharField(max_length=20)
    objects = RowsManager()

    class Meta:
        app_label = "contract_project"
        db_table = "worlds_desk"


class Seat(models.Model):
    desk = models.ForeignKey(Desk, models.CASCADE, limit_choices_to={"name__contains": " "})

    class Meta:
        app_label = "contract_project"
        db_table = "worlds_seat"


def of_tenant(method: Any) -> Any:
    def find(self: Any, *args: Any, **kwargs: Any) -> Any:
        return method(self, *args, **kwargs) & Desk._base_manager.filter(
            name__startswith=WORLD.get()
        )

    return find


OWNERS_OF_LIMITS = [
    (Rows, "_filter_or_exclude"),
    (Rows, "complex_filter"),
    (RowsManager, "complex_filter"),
    (None, "complex_filter"),
]


def let_tenants_see_their_own(monkeypatch: Any, owner: Any, name: str) -> None:
    """Replace a method of a class or, for None, of the manager that Django has made by now."""
    is_manager = owner is None
    owner = Desk.objects if is_manager else owner
    find = of_tenant(getattr(RowsManager if is_manager else owner, name))
    monkeypatch.setattr(owner, name, functools.partial(find, owner) if is_manager else find)


@pytest.fixture
def desks(db: None) -> None:
    Desk._base_manager.bulk_create([Desk(name=f"{name} desk") for name in WORLDS])


@pytest.mark.parametrize(("owner", "name"), OWNERS_OF_LIMITS)
def test_limits_are_those_of_the_tenant_whose_manager_applies_them(
    owner: Any, name: str, monkeypatch: Any, desks: None
) -> None:
    let_tenants_see_their_own(monkeypatch, owner, name)
    seats = of_model(Seat)
    assert_worlds_differ_or_not(lambda: repr(dict(seats().fields["desk"].choices)), WORLDS * 2)


@pytest.mark.parametrize(("owner", "name"), OWNERS_OF_LIMITS)
def test_a_manager_may_apply_limits_in_another_way_after_the_first_use(
    owner: Any, name: str, monkeypatch: Any, desks: None
) -> None:
    seats = of_model(Seat)
    for _time in range(3):
        assert len(seats().fields["desk"].choices) == len(WORLDS)
    let_tenants_see_their_own(monkeypatch, owner, name)
    for tenant in WORLDS * 2:
        with world(tenant):
            (shown,) = seats().fields["desk"].choices
            assert Desk._base_manager.get(pk=shown).name == f"{tenant} desk"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("choices", [("c", "C")]),
        ("validators", [validators.MinLengthValidator(3)]),
        ("null", True),
        ("blank", True),
        ("max_length", 1),
        ("help_text", "Another help."),
        ("verbose_name", "Another name"),
    ],
)
def test_a_column_may_change_after_the_first_use(monkeypatch: Any, name: str, value: Any) -> None:
    cls = type(
        "OfVisit",
        (serializers.ModelSerializer,),
        {"Meta": type("Meta", (), {"model": Visit, "fields": ["title"]})},
    )
    calls = [
        lambda: repr(cls()),
        *(lambda text=text: write(cls, {"title": text}) for text in ("a", "c", "", None)),
        lambda: read(cls, Visit(title="c")),
    ]
    for call in calls:
        assert call() == plainly(call)
    monkeypatch.setattr(Visit._meta.get_field("title"), name, value)
    for call in calls:
        assert call() == plainly(call)


def test_validators_of_a_column_may_be_added(monkeypatch: Any) -> None:
    cls = of_model(Tag)
    assert write(cls, {"name": "short"})[0] == "value"
    column = Tag._meta.get_field("name")
    monkeypatch.setattr(
        column, "validators", [*column.validators, validators.RegexValidator("^long")]
    )
    assert write(cls, {"name": "short"})[0] == "refused"
    column.validators.pop()
    assert write(cls, {"name": "short"})[0] == "value"


def test_a_column_may_become_a_property_of_the_model(monkeypatch: Any) -> None:
    cls = of_model(Tag, fields=["name"])

    class Shop(Tag):
        class Meta:
            proxy = True
            app_label = "contract_project"

    assert cls(Shop(name="some")).data == {"name": "some"}
    monkeypatch.setattr(Shop, "name", property(lambda self: "changed"), raising=False)
    assert cls(Shop.__new__(Shop)).data == {"name": "changed"}


def test_a_queryset_that_was_looked_through_is_not_kept(django_assert_num_queries: Any) -> None:
    user = User.objects.create(username="some")

    class Keys(serializers.Serializer):
        user = serializers.PrimaryKeyRelatedField(queryset=User.objects.filter(is_staff=False))

    class Outer(serializers.Serializer):
        inner = Keys()

    for make in (lambda: Keys(), lambda: Outer().fields["inner"]):
        assert user in make().fields["user"].queryset
        other = User.objects.create(username=f"other {make}")
        assert other in make().fields["user"].queryset
        other.delete()
        assert other not in make().fields["user"].queryset


def test_labels_follow_the_language() -> None:
    class Named(models.Model):
        address = models.CharField(_("email address"), max_length=9, unique=True)
        password = models.CharField(_("password"), max_length=9)

        class Meta:
            app_label = "contract_project"

    cls = of_model(Named, fields=["address", "password"])

    def labels() -> Any:
        fields = cls().fields.values()
        return repr(cls()), [str(one.label) for one in fields]

    for first in (WORLDS, WORLDS[::-1]):
        assert_worlds_differ_or_not(labels, first * 2)


def test_messages_of_uniqueness_follow_the_language() -> None:
    user = User.objects.create(username="some")
    cls = of_model(User, fields=["username"])
    for first in (WORLDS, WORLDS[::-1]):
        assert_worlds_differ_or_not(lambda: write(cls, {"username": user.username}), first * 2)


def test_a_meta_may_compute_its_options() -> None:
    class Meta:
        model = Tag

        @classproperty
        def fields(cls) -> list[str]:
            return ["id"] if is_second() else ["id", "name"]

    cls = type("Computed", (serializers.ModelSerializer,), {"Meta": Meta})
    assert_worlds_differ_or_not(lambda: read(cls, Tag(name="some")), WORLDS * 2)


def test_choices_may_be_an_object_of_the_project() -> None:
    class Choices:
        def __iter__(self) -> Iterator[Any]:
            return iter([WORLD.get()])

    cls = sample(name=serializers.ChoiceField(choices=Choices()))
    data = {"name": "second", "number": 1}
    assert_worlds_differ_or_not(lambda: write(cls, data), WORLDS * 2)


def test_choices_may_be_a_list_that_grows() -> None:
    choices = ["a"]
    cls = sample(name=serializers.ChoiceField(choices=choices))
    assert write(cls, {"name": "b", "number": 1})[0] == "refused"
    choices.append("b")
    assert write(cls, {"name": "b", "number": 1})[0] == "value"


def test_a_field_may_need_the_context_to_be_bound() -> None:
    class Field(serializers.CharField):
        def bind(self, field_name: str, parent: Any) -> None:
            super().bind(field_name, parent)
            self.source_attrs = [self.context["user"]]

    cls = sample(name=Field())
    instance = SimpleNamespace(first="one", second="two", number=1)
    assert_worlds_differ_or_not(lambda: read(cls, instance), WORLDS * 2)


def test_lists_from_rows_ask_the_fields_in_each_world() -> None:
    user = User.objects.create(username="some")
    Snippet.objects.create(title="one", code="1", owner=user)
    meta = type("Meta", (), {"model": Snippet, "fields": ["id", "title"]})
    declared = {"title": hidden_by_property(serializers.CharField)(), "Meta": meta}
    cls = type("Rows", (serializers.ModelSerializer,), declared)
    rows = lambda: read(cls, Snippet.objects.all(), many=True)  # noqa: E731
    assert_worlds_differ_or_not(rows, WORLDS * 2)


def test_a_model_may_get_another_column() -> None:
    class Growing(models.Model):
        first = models.CharField(max_length=9)

        class Meta:
            app_label = "contract_project"
            managed = False

    cls = of_model(Growing)
    assert list(cls(Growing(first="a")).data) == ["id", "first"]
    models.CharField(max_length=2, default="x").contribute_to_class(Growing, "later")
    assert list(cls(Growing(first="a")).data) == ["id", "first", "later"]
    assert write(cls, {"first": "a", "later": "too long"})[0] == "refused"


def test_what_options_show_follows_the_language() -> None:
    cls = of_model(User, fields=["username", "password"])

    def shown() -> Any:
        found = SimpleMetadata().get_serializer_info(cls())
        return repr(found)

    for first in (WORLDS, WORLDS[::-1]):
        assert_worlds_differ_or_not(shown, first * 2)
