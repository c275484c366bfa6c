"""What a project changes after a class has been compiled takes effect, as on the plain path."""

import copy
import re
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.validators import (
    MaxLengthValidator,
    MaxValueValidator,
    MinLengthValidator,
    RegexValidator,
)
from django.db import connection, models
from django.test import override_settings

from lintel import serializers
from lintel.serializers import SerializerMetaclass

PLAIN = {"COMPILE_SERIALIZERS": "never", "READ_FROM_ROWS": "never"}

#: The validators of fields below, which belong to the project.
PATTERN = RegexValidator("^[a-z]+$")
LONGEST = MaxLengthValidator(9)


def sample() -> Any:
    """Return a class of its own, with classes and validators of its own."""

    class Making(SerializerMetaclass): ...

    class Word(serializers.CharField):
        default_validators = [MinLengthValidator(1)]

    attributes = {
        "name": Word(validators=[copy.deepcopy(PATTERN), copy.deepcopy(LONGEST)]),
        "code": Word(),
        "kind": serializers.ChoiceField(["a", "b"], error_messages={"invalid_choice": "No."}),
        "words": serializers.ListField(child=serializers.CharField(), required=False),
        "none": serializers.CharField(validators=[], required=False),
    }
    return Making("Sample", (serializers.Serializer,), attributes)


def instance() -> Any:
    return SimpleNamespace(name="some", code="c", kind="b", words=["x"], none="")


DATA = [
    {"name": "some", "code": "c", "kind": "b", "words": ["x"], "none": "n"},
    {"name": "longer", "code": "c", "kind": "c", "words": ["long"]},
    {"name": "Some", "code": "", "kind": "a"},
    {},
]


# ---- places: the class that contains a serializer, and its data around data ----


def at_root(cls: Any) -> tuple[Any, Any]:
    return cls, lambda value: value


def many(cls: Any) -> tuple[Any, Any]:
    return lambda *args, **kwargs: cls(*args, many=True, **kwargs), lambda value: [value, value]


def around(field: Any) -> Any:
    return type("Outer", (serializers.Serializer,), {"inner": field})


def nested(cls: Any) -> tuple[Any, Any]:
    return around(cls()), lambda value: {"inner": value}


def nested_many(cls: Any) -> tuple[Any, Any]:
    return around(cls(many=True)), lambda value: {"inner": [value, value]}


def in_list(cls: Any) -> tuple[Any, Any]:
    return around(serializers.ListField(child=cls())), lambda value: {"inner": [value]}


def in_dict(cls: Any) -> tuple[Any, Any]:
    return around(serializers.DictField(child=cls())), lambda value: {"inner": {"key": value}}


def deep(cls: Any) -> tuple[Any, Any]:
    outer, wrap = nested_many(cls)
    return around(outer()), lambda value: {"inner": wrap(value)}


PLACES = (at_root, many, nested, nested_many, in_list, in_dict, deep)


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return "value", repr(call())
    except serializers.ValidationError as error:
        return "refused", repr(error.get_full_details())
    except Exception as error:
        return type(error).__name__, str(error)


def validated(cls: Any, data: Any) -> Any:
    serializer = cls(data=data)
    serializer.is_valid(raise_exception=True)
    return serializer.validated_data


def outcomes(outer: Any, wrap: Any) -> list[Any]:
    """Read and validate everything once."""
    found = [outcome(lambda: outer(wrap(instance())).data)]
    for data in DATA:
        found.append(outcome(lambda data=data: validated(outer, wrap(copy.deepcopy(data)))))
    return found


# ---- changes of classes ----


def hiding(name: str) -> Callable[[Any], None]:
    """Return a change: ``__getattribute__`` answers for one of the hooks."""

    def lookup(self: Any, wanted: str) -> Any:
        found = object.__getattribute__(self, wanted)
        if wanted != name:
            return found
        if name == "fields":
            return {key: field for key, field in found.items() if key != "name"}
        if name.endswith("_fields"):
            return [field for field in found if field.field_name != "name"]
        return lambda *args, **kwargs: {"asked": name}

    return lambda cls: setattr(cls, "__getattribute__", lookup)


def change_init(cls: Any) -> None:
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        serializers.Serializer.__init__(self, *args, **kwargs)
        self.fields.pop("name")

    cls.__init__ = init


def change_new(cls: Any) -> None:
    def new(cls: Any, *args: Any, **kwargs: Any) -> Any:
        made = serializers.Serializer.__new__(cls, *args, **kwargs)
        if isinstance(made, cls):
            made.get_fields = lambda: {"other": serializers.CharField(source="name")}
        return made

    cls.__new__ = new


def change_metaclass(cls: Any) -> None:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        made = type.__call__(self, *args, **kwargs)
        getattr(made, "child", made).fields.pop("name", None)
        return made

    type(cls).__call__ = call


def change_getattribute_of_a_field(cls: Any) -> None:
    def lookup(self: Any, name: str) -> Any:
        return name == "write_only" or object.__getattribute__(self, name)

    type(cls._declared_fields["name"]).__getattribute__ = lookup


def arguments(name: str) -> Any:
    return lambda cls: cls._declared_fields[name]._kwargs


def hide(cls: Any) -> None:
    arguments("name")(cls)["write_only"] = True


def show_other_source(cls: Any) -> None:
    cls._declared_fields["name"]._kwargs = {"source": "code"}


def remove_an_argument(cls: Any) -> None:
    del arguments("name")(cls)["validators"]


def other_positional_arguments(cls: Any) -> None:
    cls._declared_fields["kind"]._args = (["b", "c"],)


def more_choices(cls: Any) -> None:
    cls._declared_fields["kind"]._args[0].append("c")


def other_messages(cls: Any) -> None:
    arguments("kind")(cls)["error_messages"]["invalid_choice"] = "Never."


def a_first_validator(cls: Any) -> None:
    arguments("none")(cls)["validators"].append(MaxLengthValidator(0))


def arguments_of_a_child(cls: Any) -> None:
    arguments("words")(cls)["child"]._kwargs["max_length"] = 2


def validator_of(position: int, **changes: Any) -> Callable[[Any], None]:
    def change(cls: Any) -> None:
        vars(arguments("name")(cls)["validators"][position]).update(changes)

    return change


CHANGES: dict[str, Callable[[Any], None]] = {
    **{
        f"__getattribute__ of {name}": hiding(name)
        for name in (
            "fields",
            "_readable_fields",
            "_writable_fields",
            "to_representation",
            "to_internal_value",
            "run_validation",
            "validate",
            "get_fields",
        )
    },
    "__init__": change_init,
    "__new__": change_new,
    "__call__ of the metaclass": change_metaclass,
    "__getattribute__ of a field": change_getattribute_of_a_field,
    "an argument is added": hide,
    "other arguments": show_other_source,
    "an argument is removed": remove_an_argument,
    "other positional arguments": other_positional_arguments,
    "more choices": more_choices,
    "other messages": other_messages,
    "a first validator": a_first_validator,
    "arguments of a child": arguments_of_a_child,
    "regex": validator_of(0, regex=re.compile("^[A-Z]")),
    "regex as text": validator_of(0, regex="^[A-Z]"),
    "inverse_match": validator_of(0, inverse_match=True),
    "message": validator_of(0, message="Other."),
    "code": validator_of(0, code="other"),
    "limit_value": validator_of(1, limit_value=4),
    "called limit_value": validator_of(1, limit_value=lambda: 4),
    "compare": validator_of(1, compare=lambda found, limit: True),
    "clean": validator_of(1, clean=lambda value: 400),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_a_class_is_seen(name: str, place: Any) -> None:
    """Before the first use of a class and after it, wherever the class stands."""
    for uses in (0, 2):
        cls = sample()
        made = place(cls)
        before = [outcomes(*made) for _ in range(uses)]
        CHANGES[name](cls)
        # Another setting makes everything anew, so the plain path comes last.
        found = [outcomes(*made) for _ in range(2)]
        with override_settings(REST_FRAMEWORK=PLAIN):
            expected = outcomes(*made)
        assert expected not in before
        assert found == [expected, expected]


def test_a_default_validator_may_be_added_in_place() -> None:
    class Own(serializers.CharField):
        default_validators: list[Any] = []

    class Named(serializers.Serializer):
        name = Own()

    assert Named(data={"name": "long"}).is_valid()
    Own.default_validators.append(MaxLengthValidator(2))
    assert not Named(data={"name": "long"}).is_valid()


# ---- models ----


@pytest.fixture
def account() -> Iterator[Any]:
    """A serializer of a model of its own, whose validators may be changed."""
    columns = {
        "name": models.CharField(max_length=20, validators=[copy.deepcopy(PATTERN)], unique=True),
        "size": models.IntegerField(validators=[MaxValueValidator(9)]),
        "kind": models.CharField(max_length=5, default="a"),
    }
    meta = type("Meta", (), {"app_label": "contract_project"})
    model = type("Account", (models.Model,), {**columns, "__module__": __name__, "Meta": meta})

    class AccountSerializer(serializers.ModelSerializer):
        class Meta:
            model: Any
            fields = ["name", "size", "kind"]
            extra_kwargs: dict[str, Any] = {"kind": {"validators": [MaxLengthValidator(3)]}}

    AccountSerializer.Meta.model = model
    with connection.schema_editor() as editor:
        editor.create_model(model)
    yield AccountSerializer
    with connection.schema_editor() as editor:
        editor.delete_model(model)
    model._meta.apps.all_models["contract_project"].pop("account")
    model._meta.apps.clear_cache()


def column_validator(cls: Any, name: str) -> Any:
    return cls.Meta.model._meta.get_field(name).validators[0]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("found", "attribute", "value"),
    [
        (lambda cls: column_validator(cls, "name"), "regex", re.compile("^b")),
        (lambda cls: column_validator(cls, "name"), "message", "Other."),
        (lambda cls: column_validator(cls, "size"), "limit_value", 4),
        (lambda cls: cls.Meta.extra_kwargs["kind"]["validators"][0], "limit_value", 1),
    ],
)
def test_a_validator_of_a_model_may_be_changed(
    account: Any, found: Any, attribute: str, value: Any
) -> None:
    data = [{"name": "a", "size": 5, "kind": "aa"}, {"name": "?", "size": 1}]
    calls = [lambda one=one: outcome(lambda: validated(account, one)) for one in data]
    before = [call() for call in calls]
    setattr(found(account), attribute, value)
    after = [call() for call in calls]
    with override_settings(REST_FRAMEWORK=PLAIN):
        expected = [call() for call in calls]
    assert after == expected != before


@pytest.mark.django_db(transaction=True)
def test_a_serializer_may_change_the_rule_of_unique_values_for_itself(account: Any) -> None:
    model = account.Meta.model
    model.objects.create(name="taken", size=1)

    def is_valid(change: bool) -> bool:
        serializer = account(data={"name": "taken", "size": 1})
        if change:
            unique = serializer.fields["name"].validators[1]
            unique.queryset = model.objects.none()
        return bool(serializer.is_valid())

    assert [is_valid(change) for change in (False, True, False, True)] == [False, True, False, True]


# ---- the fields of one serializer ----


def test_validators_of_limits_belong_to_one_serializer() -> None:
    class Limited(serializers.Serializer):
        name = serializers.CharField(max_length=3, validators=[LONGEST])
        number = serializers.IntegerField(max_value=3)
        numbers = serializers.ListField(child=serializers.IntegerField(max_value=3), max_length=3)

    def validators_of(serializer: Any) -> list[Any]:
        name, number, numbers = serializer.fields.values()
        return [
            *name.validators,
            *number.validators,
            *numbers.validators,
            *numbers.child.validators,
        ]

    data = {"name": "abc", "number": 3, "numbers": [3, 3, 3]}
    for _ in range(3):
        one, other = Limited(data=data), Limited(data=data)
        shared = [a for a in validators_of(one) for b in validators_of(other) if a is b]
        assert shared == [LONGEST]
        for validator in validators_of(one):
            if validator is not LONGEST:
                vars(validator).update(limit_value=1, message="Too much.")
        assert not one.is_valid()
        assert other.is_valid()
        assert Limited(data=data).is_valid()


# ---- fields that change while a list is read or validated ----


class Flipping(serializers.CharField):
    """Changes another field of its serializer when it shows "flip"."""

    def to_representation(self, value: Any) -> str:
        if value == "flip":
            flip(self.parent)
        return str(super().to_representation(value))


class FlippingDefault:
    requires_context = True

    def __call__(self, field: Any) -> str:
        flip(field.parent)
        return "default"


#: What ``flip`` does, set by each test.
FLIPS: list[Callable[[Any], None]] = []


def flip(serializer: Any) -> None:
    for change in FLIPS:
        change(serializer)


class Part(serializers.Serializer):
    name = serializers.CharField()
    other = serializers.CharField()


class Flipped(serializers.Serializer):
    before = serializers.CharField(required=False)
    gone = serializers.CharField(required=False)
    code = serializers.CharField(default=FlippingDefault())
    shown = serializers.SerializerMethodField()
    last = serializers.CharField(required=False)
    part = Part(required=False)

    def get_shown(self, row: Any) -> bool:
        if row["code"] == "call":
            flip(self)
        return True

    def validate_code(self, value: str) -> str:
        if value == "call":
            flip(self)
        return value


class FlippedByField(Flipped):
    code = Flipping()


class Selected(Flipped):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields.pop("gone")


class Holding(Selected):
    """Keeps fields from before the list."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.held = {name: self.fields[name] for name in ("before", "last", "part")}


def field_of(serializer: Any, name: str) -> Any:
    held = getattr(serializer, "held", None)
    return serializer.fields[name] if held is None else held[name]


def setting(field: str, name: str, value: Any) -> Callable[[Any], None]:
    return lambda serializer: setattr(field_of(serializer, field), name, value)


def of_part(name: str, value: Any) -> Callable[[Any], None]:
    def change(serializer: Any) -> None:
        setattr(field_of(serializer, "part").fields["other"], name, value)

    return change


FLIPPED: dict[str, Callable[[Any], None]] = {
    **{
        f"{name} of {field}": setting(field, name, value)
        for field in ("before", "last")
        for name, value in (
            ("write_only", True),
            ("read_only", True),
            ("required", True),
            ("default", "x"),
            ("allow_null", True),
            ("source_attrs", ["code"]),
            ("validators", [MaxLengthValidator(1)]),
        )
    },
    "nothing": lambda serializer: field_of(serializer, "last"),
    "write_only of a part": setting("part", "write_only", True),
    "write_only inside a part": of_part("write_only", True),
    "required inside a part": of_part("required", False),
}
PART = {"name": "n", "other": "o"}
ROWS: list[dict[str, Any]] = [
    {"before": "b", "gone": "g", "code": "c", "last": "last", "part": PART},
    {"before": "b", "gone": "g", "code": "call", "last": "last", "part": PART},
    {"before": "b", "gone": "g", "code": "flip", "last": "last", "part": PART},
    {"before": "b", "gone": "g", "code": "c", "last": "last", "part": PART},
    {"code": "c", "last": None, "part": {"name": "n"}},
    {"before": None, "last": "long", "part": None},
    {"before": "b", "last": "last"},
]


@pytest.mark.parametrize("cls", [Flipped, FlippedByField, Selected, Holding])
@pytest.mark.parametrize("name", FLIPPED)
def test_flags_that_change_within_a_list_count_from_then_on(name: str, cls: Any) -> None:
    def flipped() -> list[Any]:
        FLIPS[:] = [FLIPPED[name]]
        try:
            read = [
                outcome(lambda: cls(ROWS[:4], many=True).data),
                outcome(lambda: cls(ROWS[1]).data),
            ]
            return [
                *read,
                outcome(lambda: around(cls(many=True))({"inner": ROWS[:4]}).data),
                outcome(lambda: validated(lambda **kwargs: cls(many=True, **kwargs), ROWS)),
                outcome(lambda: validated(lambda **kwargs: cls(many=True, **kwargs), ROWS[:4])),
                *(outcome(lambda row=row: validated(cls, row)) for row in ROWS),
            ]
        finally:
            FLIPS.clear()

    compiled = [flipped() for _ in range(2)]
    with override_settings(REST_FRAMEWORK=PLAIN):
        expected = flipped()
    assert compiled == [expected, expected]


def test_a_nested_serializer_may_change_the_one_around_it() -> None:
    class Inner(serializers.Serializer):
        name = serializers.SerializerMethodField()

        def get_name(self, row: Any) -> str:
            if row == 2:
                self.parent.fields["last"].write_only = True
            return "inner"

    class Outer(serializers.Serializer):
        inner = Inner()
        last = serializers.IntegerField()

    rows = [{"inner": number, "last": number} for number in (1, 2, 3)]
    for _ in range(3):
        data = Outer(rows, many=True).data
        assert ["last" in row for row in data] == [True, False, False]
