"""Lists, dictionaries and JSON: what the contract does not hold."""

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import pytest
from contract_project.models import Everything
from django.core.exceptions import ValidationError as DjangoValidationError
from django.http import QueryDict

from lintel import fields, serializers
from lintel.exceptions import ValidationError
from lintel.fast.field_templates import clone


class Even(fields.IntegerField):
    def to_internal_value(self, data: Any) -> int:
        value = super().to_internal_value(data)
        if value % 2:
            raise DjangoValidationError("odd", code="odd")
        return value


@pytest.mark.parametrize("parent", [fields.ListField, fields.DictField])
@pytest.mark.parametrize(
    ("child", "message"),
    [
        (fields.CharField, "has not been instantiated"),
        (fields.CharField(source="a"), "`source` argument is not meaningful"),
    ],
)
def test_child_that_cannot_be_used(parent: Any, child: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        parent(child=child)


def test_child_of_a_subclass_is_copied_for_each_field() -> None:
    class Numbers(fields.ListField):
        child = fields.IntegerField()

    first, second = Numbers(), Numbers()
    assert first.child.parent is first
    assert second.child.parent is second
    assert Numbers.child.parent is None


def test_errors_by_index_and_by_key() -> None:
    numbers = fields.ListField(child=Even())
    with pytest.raises(ValidationError) as caught:
        numbers.run_validation([2, "x", 3])
    assert caught.value.get_codes() == {1: ["invalid"], 2: ["odd"]}
    named = fields.DictField(child=Even())
    with pytest.raises(ValidationError) as caught:
        named.run_validation({"a": 3, 1: "x"})
    assert caught.value.get_codes() == {"a": ["odd"], "1": ["invalid"]}


def test_any_iterable_is_a_list() -> None:
    field = fields.ListField(child=fields.IntegerField(), allow_empty=False)
    assert field.run_validation(iter(["1", 2])) == [1, 2]
    with pytest.raises(ValidationError):
        field.run_validation(iter([]))


def test_none_inside_stays_none_in_output() -> None:
    assert fields.ListField(child=fields.CharField()).to_representation([1, None]) == ["1", None]
    field = fields.DictField(child=fields.CharField())
    assert field.to_representation({1: 2, "a": None}) == {"1": "2", "a": None}


def test_serializers_as_children() -> None:
    point = type("Point", (serializers.Serializer,), {"x": fields.IntegerField()})
    field = fields.DictField(child=point())
    assert field.run_validation({"a": {"x": "1"}}) == {"a": {"x": 1}}
    assert clone(field).to_representation({"a": {"x": 1}}) == {"a": {"x": 1}}


@pytest.mark.parametrize("form", ["f=1&f=2", "f[0]=1&f[1]=2", "f[7]=2&f[3]=1"])
def test_lists_in_a_form(form: str) -> None:
    field = fields.ListField(child=fields.IntegerField())
    field.bind("f", None)
    assert field.run_validation(field.get_value(QueryDict(form))) == [1, 2]


def test_dictionaries_in_a_form() -> None:
    field = fields.DictField()
    field.bind("f", None)
    assert field.run_validation(field.get_value(QueryDict("f.a=1&f.b=2"))) == {"a": "1", "b": "2"}
    assert field.get_value(QueryDict("f=")) == {}
    assert field.get_value(QueryDict("g=1")) is fields.empty


def test_hstore_holds_text() -> None:
    with pytest.raises(AssertionError, match="CharField"):
        fields.HStoreField(child=fields.IntegerField())


def test_json_in_a_form_is_read() -> None:
    field = fields.JSONField()
    field.bind("f", None)
    value = field.get_value(QueryDict('f={"a":1}'))
    assert value == '{"a":1}'
    assert value.is_json_string
    assert field.run_validation(value) == {"a": 1}
    assert field.run_validation('{"a":1}') == '{"a":1}'


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "{", "'a'"])
def test_what_is_not_json(text: str) -> None:
    for field in (fields.JSONField(binary=True), fields.JSONField()):
        field.bind("f", None)
        with pytest.raises(ValidationError) as caught:
            field.run_validation(field.get_value(QueryDict(urlencode({"f": text}))))
        assert caught.value.get_codes() == ["invalid"]


def test_own_encoder_and_decoder() -> None:
    class Sets(json.JSONEncoder):
        def default(self, o: Any) -> Any:
            return sorted(o)

    class Upper(json.JSONDecoder):
        def decode(self, s: str, *args: Any) -> Any:
            return super().decode(s.upper(), *args)

    assert fields.JSONField(encoder=Sets).run_validation({1, 2}) == {1, 2}
    assert fields.JSONField(encoder=Sets, binary=True).to_representation({2, 1}) == b"[1, 2]"
    assert fields.JSONField(decoder=Upper, binary=True).run_validation('["a"]') == ["A"]


class Lazy(fields.Field):
    """Looks at its parent's parent as soon as anybody asks for its name."""

    bound: tuple[str, Any] | None = None

    def bind(self, field_name: str, parent: Any) -> None:
        self.bound = (field_name, parent)

    def __getattribute__(self, name: str) -> Any:
        if name == "field_name" and self.bound is not None:
            assert isinstance(self.bound[1].parent, serializers.Serializer)
        return object.__getattribute__(self, name)

    def to_representation(self, value: Any) -> str:
        return type(self.bound[1].parent).__name__ if self.bound else ""


class Holder(serializers.Serializer):
    names = fields.ListField(child=Lazy())


def test_a_child_that_binds_itself_later_is_bound_to_each_copy() -> None:
    first, second = Holder({"names": [1]}), Holder({"names": [2]})
    assert first.data == second.data == {"names": ["Holder"]}
    children = [serializer.fields["names"].child for serializer in (first, second)]
    assert children[0] is not children[1]
    assert [child.bound[1].parent for child in children] == [first, second]


class EverythingSerializer(serializers.ModelSerializer):
    loose = serializers.DictField(source="data", required=False)

    class Meta:
        model = Everything
        fields = ("data", "loose")


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["data", "loose"])
def test_sqlite_stores_nul_and_lone_surrogates_in_json(name: str) -> None:
    value = {"\0": ["\ud800", {"a": "\0"}]}
    serializer = EverythingSerializer(data={name: value})
    serializer.is_valid(raise_exception=True)
    row = serializer.save(text="x", amount=1, when=datetime(2026, 1, 1, tzinfo=UTC))
    assert Everything.objects.get(pk=row.pk).data == value
