"""What all fields share: flags, binding, defaults, attributes, copies."""

import copy
import functools
import pickle
from types import SimpleNamespace
from typing import Any

import pytest
from contract_project.models import Reservation, Tag
from django.core.exceptions import ObjectDoesNotExist
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import models
from django.http import QueryDict
from django.test import override_settings
from django.utils import translation
from django.utils.translation import gettext_lazy

from lintel import fields, serializers
from lintel.exceptions import ErrorDetail, ValidationError
from lintel.fast.field_templates import clone
from lintel.fields import empty


def bound(field: fields.Field, name: str = "f", **options: Any) -> Any:
    holder = type("Holder", (serializers.Serializer,), {name: field})
    return holder(**options).fields[name]


# ---- flags ----


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"read_only": True, "write_only": True}, fields.NOT_READ_ONLY_WRITE_ONLY),
        ({"read_only": True, "required": True}, fields.NOT_READ_ONLY_REQUIRED),
        ({"required": True, "default": 1}, fields.NOT_REQUIRED_DEFAULT),
    ],
)
def test_flags_that_exclude_each_other(options: dict[str, Any], message: str) -> None:
    with pytest.raises(AssertionError) as caught:
        fields.CharField(**options)
    assert str(caught.value) == message


def test_read_only_base_field_is_refused() -> None:
    with pytest.raises(AssertionError, match="ReadOnlyField"):
        fields.Field(read_only=True)


@pytest.mark.parametrize(
    ("options", "required"),
    [({}, True), ({"default": None}, False), ({"read_only": True}, False), ({"initial": 1}, True)],
)
def test_required_follows_from_the_other_flags(options: dict[str, Any], required: bool) -> None:
    assert fields.IntegerField(**options).required is required


def test_subscripting_a_field_class_gives_the_class() -> None:
    assert fields.Field[int] is fields.Field
    assert fields.CharField[int, str] is fields.CharField


def test_creation_counter_grows() -> None:
    first, second = fields.CharField(), fields.IntegerField()
    assert first._creation_counter < second._creation_counter


def test_arguments_are_remembered() -> None:
    field = fields.DecimalField(5, decimal_places=2)
    assert (field._args, field._kwargs) == ((5,), {"decimal_places": 2})


# ---- binding ----


@pytest.mark.parametrize(
    ("source", "attrs"), [(None, ["f"]), ("*", []), ("a.b", ["a", "b"]), ("other", ["other"])]
)
def test_binding_decides_the_source(source: str | None, attrs: list[str]) -> None:
    field = fields.CharField(source=source)
    field.bind("f", None)
    assert (field.field_name, field.source, field.source_attrs) == ("f", source or "f", attrs)


def test_source_that_repeats_the_name() -> None:
    with pytest.raises(AssertionError, match=r"redundant.*`source='f'`.*'CharField'.*'Holder'"):
        bound(fields.CharField(source="f"))


@pytest.mark.parametrize(
    ("name", "label"), [("first_name", "First name"), ("fooBar", "Foobar"), ("a__b", "A  b")]
)
def test_label_follows_from_the_name(name: str, label: str) -> None:
    assert bound(fields.CharField(), name).label == label
    assert bound(fields.CharField(label=""), name).label == ""


def test_root_and_context_come_from_the_outermost_serializer() -> None:
    inner = type("Inner", (serializers.Serializer,), {"n": fields.IntegerField()})
    members = {"s": inner(), "l": fields.ListField(child=fields.IntegerField())}
    outer = type("Outer", (serializers.Serializer,), members)(context={"a": 1})
    for field in (outer.fields["s"].fields["n"], outer.fields["l"].child):
        assert field.root is outer
        assert field.context == {"a": 1}
    alone = fields.CharField()
    assert alone.root is alone
    assert alone.context == {}


# ---- messages and validators ----


class Loud(fields.Field):
    default_error_messages = {"loud": "Too {how}", "required": "Say something"}
    default_validators = [len]


class Louder(Loud):
    default_error_messages = {"louder": "Far too loud"}


def test_messages_are_merged_along_the_bases() -> None:
    messages = Louder(error_messages={"null": "Not nothing"}).error_messages
    assert messages == {
        "required": "Say something",
        "null": "Not nothing",
        "loud": "Too {how}",
        "louder": "Far too loud",
    }


def test_messages_of_one_field_are_its_own() -> None:
    Loud().error_messages["loud"] = "changed"
    assert Loud().error_messages["loud"] == "Too {how}"
    assert Loud.default_error_messages["loud"] == "Too {how}"


def test_messages_changed_on_a_class_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    Loud()
    monkeypatch.setitem(fields.Field.default_error_messages, "null", "Nope")
    with pytest.raises(ValidationError, match="Nope"):
        fields.CharField().run_validation(None)


def test_fail_fills_in_and_keeps_the_code() -> None:
    with pytest.raises(ValidationError) as caught:
        Loud().fail("loud", how="much")
    assert caught.value.detail == [ErrorDetail("Too much", code="loud")]


def test_fail_with_an_unknown_key_names_class_and_key() -> None:
    with pytest.raises(AssertionError, match=r"`Loud`.*`silent`"):
        Loud().fail("silent")


def test_messages_are_translated_when_they_are_raised() -> None:
    field = fields.CharField(error_messages={"blank": gettext_lazy("Monday")})
    for language, text in (("en", "Monday"), ("de", "Montag"), ("fr", "lundi")):
        with translation.override(language), pytest.raises(ValidationError) as caught:
            field.run_validation("")
        assert caught.value.detail == [text]


def test_validators_replace_default_validators() -> None:
    assert Loud().validators == [len]
    assert Loud().validators is not Loud.default_validators
    assert Loud(validators=iter([repr])).validators == [repr]
    field = Loud()
    field.validators = [str]
    assert field.validators == [str]


def refuse(error: Exception) -> Any:
    def validator(value: Any) -> None:
        raise error

    return validator


def test_errors_of_all_validators_are_gathered() -> None:
    field = fields.IntegerField(
        validators=[
            refuse(ValidationError("one")),
            refuse(ValidationError(["two", "three"], code="more")),
            refuse(DjangoValidationError("%(n)s", code="host", params={"n": "four"})),
        ]
    )
    with pytest.raises(ValidationError) as caught:
        field.run_validation(1)
    assert caught.value.get_full_details() == [
        {"message": "one", "code": "invalid"},
        {"message": "two", "code": "more"},
        {"message": "three", "code": "more"},
        {"message": "four", "code": "host"},
    ]


@pytest.mark.parametrize("kind", [ValidationError, DjangoValidationError])
def test_a_mapping_of_errors_ends_the_run(kind: type[Exception]) -> None:
    validators = [refuse(ValidationError("one")), refuse(kind({"key": ["two"]}))]
    with pytest.raises(ValidationError) as caught:
        fields.IntegerField(validators=validators).run_validation(1)
    assert caught.value.detail == {"key": ["two"]}


def test_validator_that_asks_for_the_field() -> None:
    class Named:
        requires_context = True

        def __call__(self, value: Any, field: fields.Field) -> None:
            raise ValidationError(f"{field.field_name}={value}")

    with pytest.raises(ValidationError, match="f=1"):
        bound(fields.IntegerField(validators=[Named()])).run_validation(1)


def test_django_errors_keep_messages_and_codes() -> None:
    error = DjangoValidationError({"a": [DjangoValidationError("x", code="own"), "100%"]})
    assert fields.get_error_detail(error) == {
        "a": [ErrorDetail("x", code="own"), ErrorDetail("100%", code="invalid")]
    }


# ---- input ----


def test_absent_input() -> None:
    with pytest.raises(ValidationError, match="required"):
        bound(fields.CharField()).run_validation()
    with pytest.raises(fields.SkipField):
        bound(fields.CharField(required=False)).run_validation()
    with pytest.raises(fields.SkipField):
        bound(fields.CharField(default="d"), partial=True).run_validation()
    assert bound(fields.CharField(default="d")).run_validation() == "d"


def test_null_input_of_a_field_on_the_whole_object_is_validated() -> None:
    field = fields.IntegerField(source="*", allow_null=True)
    assert bound(field).validate_empty_values(None) == (False, None)
    assert bound(fields.IntegerField(allow_null=True)).run_validation(None) is None


def test_read_only_fields_take_their_default() -> None:
    field = bound(fields.CharField(read_only=True, default="d"))
    assert field.run_validation("given") == "d"
    with pytest.raises(fields.SkipField):
        bound(fields.CharField(read_only=True)).run_validation("given")


@pytest.mark.parametrize(
    ("options", "form", "value"),
    [
        ({}, "", empty),
        ({}, "f=", ""),
        ({"allow_null": True}, "f=", None),
        ({"required": False}, "f=", empty),
        ({"required": False, "allow_blank": True}, "f=", ""),
        ({"allow_null": True, "allow_blank": True}, "f=", ""),
        ({"allow_null": True}, "f=%20", " "),
        ({}, "f=a&f=b", "b"),
    ],
)
def test_value_from_a_form(options: dict[str, Any], form: str, value: Any) -> None:
    assert bound(fields.CharField(**options)).get_value(QueryDict(form)) == value


@pytest.mark.parametrize(
    ("options", "value"), [({}, False), ({"allow_null": True}, None), ({"default": True}, True)]
)
def test_checkbox_that_a_form_does_not_send(options: dict[str, Any], value: Any) -> None:
    assert bound(fields.BooleanField(**options)).get_value(QueryDict("")) is value
    partial = bound(fields.BooleanField(**options), partial=True)
    assert partial.get_value(QueryDict("")) is empty


def test_conversions_must_be_implemented() -> None:
    field = bound(Louder())
    with pytest.raises(NotImplementedError, match=r"Louder\.to_internal_value\(\).*field f"):
        field.run_validation(1)
    with pytest.raises(NotImplementedError, match=r"Louder\.to_representation\(\).*field f"):
        field.to_representation(1)


# ---- defaults ----


class FromField:
    requires_context = True

    def __call__(self, field: fields.Field) -> str:
        return f"made for {field.field_name}"


@pytest.mark.parametrize(
    ("default", "value"),
    [
        ("plain", "plain"),
        (int, 0),
        (lambda: "called", "called"),
        (FromField(), "made for f"),
        (fields.CreateOnlyDefault(5), 5),
        (fields.CreateOnlyDefault(lambda: 6), 6),
        (fields.CreateOnlyDefault(FromField()), "made for f"),
    ],
)
def test_defaults(default: Any, value: Any) -> None:
    assert bound(fields.ReadOnlyField(default=default)).get_default() == value


def test_default_for_new_objects_is_left_out_of_updates() -> None:
    field = bound(fields.CharField(default=fields.CreateOnlyDefault("new")), instance=object())
    with pytest.raises(fields.SkipField):
        field.get_default()


def test_current_user() -> None:
    field = fields.HiddenField(default=fields.CurrentUserDefault())
    request = SimpleNamespace(user="alice")
    assert bound(field, context={"request": request}).get_default() == "alice"
    with pytest.raises(KeyError, match="request"):
        bound(field).get_default()


def test_defaults_show_what_they_are() -> None:
    assert repr(fields.CreateOnlyDefault(1)) == "CreateOnlyDefault(1)"
    assert repr(fields.CurrentUserDefault()) == "CurrentUserDefault()"


def test_initial_may_be_called() -> None:
    assert fields.CharField().get_initial() == ""
    assert fields.CharField(initial=lambda: "now").get_initial() == "now"


# ---- attributes ----


class Related:
    plain = 1
    mapping = {"key": {"inner": 2}}
    none = None

    def method(self) -> str:
        return "called"

    def with_argument(self, argument: Any) -> None: ...

    def broken(self) -> None:
        raise AttributeError("inside")

    @property
    def missing_row(self) -> None:
        raise ObjectDoesNotExist

    @property
    def broken_property(self) -> None:
        raise AttributeError("inside")


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("plain", 1),
        ("mapping.key.inner", 2),
        ("none", None),
        ("method", "called"),
        ("missing_row", None),
        ("missing_row.further", None),
    ],
)
def test_attribute(source: str, value: Any) -> None:
    assert bound(fields.ReadOnlyField(source=source)).get_attribute(Related()) == value


def test_callables_with_arguments_are_values() -> None:
    found = bound(fields.ReadOnlyField(source="with_argument")).get_attribute(Related())
    assert found.__name__ == "with_argument"


@pytest.mark.parametrize("source", ["nothing", "plain.further", "mapping.other", "broken_property"])
def test_broken_path(source: str) -> None:
    instance = Related()
    with pytest.raises((AttributeError, KeyError), match=r"field `f` on serializer `Holder`"):
        bound(fields.CharField(source=source)).get_attribute(instance)
    with pytest.raises(fields.SkipField):
        bound(fields.CharField(source=source, required=False)).get_attribute(instance)
    nullable = fields.CharField(source=source, allow_null=True)
    assert bound(nullable).get_attribute(instance) is None
    defaulted = fields.CharField(source=source, allow_null=True, default="d")
    assert bound(defaulted).get_attribute(instance) == "d"


def test_error_inside_a_called_method_is_not_a_missing_attribute() -> None:
    with pytest.raises(ValueError, match=r'callable attribute "broken".*inside'):
        bound(fields.CharField(source="broken", required=False)).get_attribute(Related())


def test_built_in_function_as_source() -> None:
    with pytest.raises(fields.BuiltinSignatureError, match=r"`Holder\.f`.*`dict` instance"):
        bound(fields.CharField(source="word.upper")).get_attribute(
            {"word": SimpleNamespace(upper=len)}
        )


@pytest.mark.parametrize(
    ("candidate", "simple"),
    [
        (lambda: 1, True),
        (lambda a: 1, False),
        (lambda a=1: 1, True),
        (lambda *a, **k: 1, True),
        (lambda *, k: 1, False),
        (lambda *, k=1: 1, True),
        (Related().method, True),
        (Related.method, False),
        (Related().with_argument, False),
        (functools.partial(lambda a: a, 1), True),
        (functools.partial(lambda a: a), False),
        (functools.wraps(Related.with_argument)(lambda: 1), False),
        (Related, False),
        (FromField(), False),
        (5, False),
        (None, False),
    ],
)
def test_simple_callables(candidate: Any, simple: bool) -> None:
    assert fields.is_simple_callable(candidate) is simple


# ---- copies ----


class Counting(fields.CharField):
    made = 0

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        type(self).made += 1
        self.state: list[Any] = []


TEMPLATES = {
    "text": lambda: fields.CharField(max_length=3, style={"a": [1]}, help_text="h"),
    "message": lambda: fields.IntegerField(error_messages={"invalid": "no"}, min_value=1),
    "mutable default": lambda: fields.ListField(child=fields.IntegerField(), default=[1]),
    "choices": lambda: fields.ChoiceField(choices=[("G", [("a", "A")]), "b"]),
    "dict": lambda: fields.DictField(child=fields.ListField(child=fields.CharField())),
    "regex": lambda: fields.RegexField("^a"),
    "own __init__": Counting,
}


@pytest.mark.parametrize("make", TEMPLATES.values(), ids=TEMPLATES)
@pytest.mark.parametrize("copied", [clone, copy.deepcopy], ids=["clone", "deepcopy"])
def test_a_copy_shares_nothing_that_changes(make: Any, copied: Any) -> None:
    template = make()
    text, before = repr(template), state(template)
    other = copied(template)
    assert type(other) is type(template)
    assert repr(other) == text
    change(other)
    assert state(template) == before


def state(field: Any) -> dict[str, Any]:
    """What can be seen of a field, down to its children."""
    seen = {
        "validators": list(field.validators),
        "messages": dict(field.error_messages),
        "style": copy.deepcopy(field.style),
        "default": copy.deepcopy(field.default),
        "choices": copy.deepcopy(getattr(field, "grouped_choices", None)),
        "flat": dict(getattr(field, "choices", {})),
        "own": copy.deepcopy(getattr(field, "state", None)),
        "name": field.field_name,
        "label": field.label,
    }
    child = getattr(field, "child", None)
    return seen if child is None else {**seen, "child": state(child), "parent": child.parent}


def change(field: Any) -> None:
    field.validators.append(len)
    field.error_messages["invalid"] = "changed"
    field.style.setdefault("a", []).append(2)
    for name in ("default", "state"):
        if isinstance(getattr(field, name, None), list):
            getattr(field, name).append(2)
    if hasattr(field, "choices"):
        field.choices["c"] = "C"
        field.grouped_choices["G"]["c"] = "C"
    if hasattr(field, "child"):
        assert field.child.parent is field
        change(field.child)
        return
    field.bind(field.field_name or "name", None)


def test_clone_is_made_anew_where_the_class_has_an_own_init() -> None:
    template = Counting()
    before = Counting.made
    assert clone(template).state is not template.state
    assert Counting.made == before + 1


def test_clone_keeps_the_rules_of_an_own_deepcopy() -> None:
    class Shared(fields.CharField):
        def __deepcopy__(self, memo: Any) -> "Shared":
            return self

    template = Shared()
    assert clone(template) is template


def test_deepcopy_starts_from_the_arguments() -> None:
    validators = [len]
    field = fields.CharField(validators=validators, label="old")
    field.label = "new"
    field.bind("f", None)
    other = copy.deepcopy(field)
    assert (other.label, other.field_name, other.parent) == ("old", None, None)
    assert other._kwargs["validators"] is validators


def test_declared_fields_are_not_touched_by_instances() -> None:
    holder = type("Holder", (serializers.Serializer,), {"f": fields.CharField(max_length=3)})
    holder().fields["f"].max_length = 5
    assert holder().fields["f"].max_length == 3
    assert holder._declared_fields["f"].parent is None


def test_fields_can_be_pickled() -> None:
    field = pickle.loads(pickle.dumps(fields.CharField(max_length=3)))
    assert repr(field) == "CharField(max_length=3)"
    with pytest.raises(ValidationError):
        field.run_validation("long")


@pytest.mark.parametrize(
    "text",
    [
        "CharField(max_length=3, source='a')",
        "RegexField('^a')",
        "DecimalField(3, 2)",
        "ListField(child=ListField(child=CharField(max_length=3)))",
        "HiddenField(default=CurrentUserDefault())",
        "IntegerField(allow_null=True, help_text='h', label='é', required=False)",
    ],
)
def test_repr_is_the_text_that_makes_the_field(text: str) -> None:
    assert repr(eval(text, vars(fields))) == text


# ---- secret input ----

SECRET = "sesame-open"
MODES = ("always", "never")


def know(value: Any) -> None:
    raise DjangoValidationError("%(value)s is known.", code="known", params={"value": value})


def refuse_number(value: Any) -> None:
    raise DjangoValidationError("%(value)d is odd.", code="odd", params={"value": value})


class Level(serializers.Serializer):
    level = serializers.ChoiceField(choices=["low"])


class Secrets(serializers.Serializer):
    choice = serializers.ChoiceField(choices=["low"], write_only=True)
    choices = serializers.MultipleChoiceField(choices=["low"], write_only=True)
    listed = serializers.ListField(child=serializers.ChoiceField(["low"]), write_only=True)
    keyed = serializers.DictField(child=serializers.ChoiceField(["low"]), write_only=True)
    nested = Level(write_only=True)
    many = Level(many=True, write_only=True)
    file = serializers.FilePathField(path=__file__.rpartition("/")[0], write_only=True)
    key = serializers.PrimaryKeyRelatedField(queryset=Tag.objects, write_only=True)
    slug = serializers.SlugRelatedField("name", queryset=Tag.objects, write_only=True)
    slugs = serializers.SlugRelatedField("name", queryset=Tag.objects, many=True, write_only=True)
    password = serializers.ChoiceField(["low"], style={"input_type": "password"})
    checked = serializers.CharField(validators=[know], write_only=True)
    number = serializers.IntegerField(validators=[refuse_number], write_only=True)
    column = serializers.ModelField(models.DateField(), write_only=True)
    hooked = serializers.CharField(write_only=True)
    padded = serializers.UUIDField(
        error_messages={"invalid": "Not so: {value:>20}"}, write_only=True
    )

    def validate_hooked(self, value: Any) -> None:
        know(value)


INPUT = {
    **dict.fromkeys(["choice", "file", "slug", "password", "checked", "column", "hooked"], SECRET),
    "choices": [SECRET],
    "listed": [SECRET],
    "slugs": [SECRET],
    "keyed": {"a": SECRET},
    "nested": {"level": SECRET},
    "many": [{"level": SECRET}],
    "padded": SECRET,
    "key": 8675309,
    "number": 8675309,
}


@pytest.mark.django_db
@pytest.mark.parametrize("mode", MODES)
def test_errors_never_repeat_secret_input(mode: str) -> None:
    with override_settings(REST_FRAMEWORK={"COMPILE_SERIALIZERS": mode}):
        serializer = Secrets(data=INPUT)
        assert not serializer.is_valid()
    found = serializer.errors
    assert set(found) == set(INPUT)
    assert SECRET not in repr(found)
    assert "8675309" not in repr(found)
    assert found["choice"] == [ErrorDetail('"…" is not a valid choice.', code="invalid_choice")]
    assert found["choices"] == found["password"] == found["choice"]
    assert found["listed"] == {0: found["choice"]}
    assert found["nested"] == {"level": found["choice"]}
    assert found["file"] == ['"…" is not a valid path choice.']
    assert found["key"] == ['Invalid pk "…" - object does not exist.']
    assert found["slug"] == found["slugs"] == ["Object with name=… does not exist."]
    assert found["checked"] == found["hooked"] == [ErrorDetail("… is known.", code="known")]
    assert found["number"] == [ErrorDetail("Invalid value.", code="odd")]
    assert found["padded"] == ["Not so: …"]


@pytest.mark.parametrize("mode", MODES)
def test_errors_still_repeat_other_input(mode: str) -> None:
    with override_settings(REST_FRAMEWORK={"COMPILE_SERIALIZERS": mode}):
        serializer = Level(data={"level": "high"})
        assert not serializer.is_valid()
    assert serializer.errors == {"level": ['"high" is not a valid choice.']}
    field = serializers.IntegerField(validators=[refuse_number])
    with pytest.raises(ValidationError, match="3 is odd"):
        field.run_validation(3)


class BookingSerializer(serializers.ModelSerializer):
    class Meta:
        model = Reservation
        fields = ("note",)
        extra_kwargs = {"note": {"write_only": True, "validators": [know]}}


def test_fields_made_from_a_model_hide_secret_input() -> None:
    serializer = BookingSerializer(data={"note": SECRET})
    assert not serializer.is_valid()
    assert serializer.errors == {"note": ["… is known."]}
