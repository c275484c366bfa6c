"""Nested serializers that write: ``Meta.nested``, on two databases."""

import random
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from asgiref.sync import async_to_sync
from django.db import connections, transaction
from django.db.models import ProtectedError, signals
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override
from servers import everything_in, tables_of
from tree_service import (
    MODELS,
    AsyncOrders,
    BySkuSerializer,
    Customer,
    Flag,
    Invoice,
    KeepingSerializer,
    Label,
    Line,
    LineSerializer,
    NewSerializer,
    Order,
    Orders,
    OrderSerializer,
    Piece,
    StrictSerializer,
    WholeSerializer,
    WideSerializer,
)

from lintel import serializers
from lintel.exceptions import ValidationError
from lintel.serializers import Nested
from lintel.test import APIClient, AsyncAPIClient

pytestmark = pytest.mark.urls("tree_service")


@pytest.fixture(scope="module", params=["sqlite_file", "postgresql"])
def tables(request: Any, django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    alias = request.getfixturevalue(request.param)
    with everything_in(alias, django_db_blocker), tables_of(alias, MODELS):
        yield alias


@pytest.fixture
def database(tables: str, django_db_blocker: Any) -> Iterator[str]:
    with everything_in(tables, django_db_blocker), transaction.atomic(using=tables):
        yield tables
        transaction.set_rollback(True, using=tables)


def written(cls: Any, instance: Any, data: Any, **kwargs: Any) -> Any:
    serializer = cls(instance, data=data, **kwargs)
    serializer.is_valid(raise_exception=True)
    return serializer.save()


def refusal(cls: Any, instance: Any, data: Any, **kwargs: Any) -> Any:
    before = {model: list(model._default_manager.values_list()) for model in MODELS}
    with pytest.raises(ValidationError) as caught:
        written(cls, instance, data, **kwargs)
    assert {model: list(model._default_manager.values_list()) for model in MODELS} == before
    return caught.value.detail


def shown(order: Any, cls: Any = OrderSerializer) -> Any:
    return cls(Order.objects.get(pk=order.pk)).data


def without_keys(data: Any) -> Any:
    if isinstance(data, list):
        return [without_keys(item) for item in data]
    if isinstance(data, dict):
        return {name: without_keys(value) for name, value in data.items() if name != "id"}
    return data


A = {"sku": "a", "count": 1, "pieces": [{"serial": "1"}, {"serial": "2"}]}
B = {"sku": "b", "count": 2, "pieces": []}


def test_a_tree_is_created_and_read_back_in_order(database: str) -> None:
    order = written(OrderSerializer, None, {"note": "x", "lines": [B, A]})
    assert without_keys(shown(order)) == {"note": "x", "lines": [B, A]}


def test_rows_are_changed_created_and_deleted(database: str) -> None:
    order = written(OrderSerializer, None, {"note": "x", "lines": [A, B]})
    one, two = shown(order)["lines"]
    lines = [
        {"id": two["id"], "sku": "b", "count": 9, "pieces": [{"serial": "3"}]},
        {"sku": "c"},
    ]
    serializer = OrderSerializer(order, data={"note": "y", "lines": lines})
    serializer.is_valid(raise_exception=True)
    serializer.save()
    assert without_keys(serializer.data) == {
        "note": "y",
        "lines": [
            {"sku": "b", "count": 9, "pieces": [{"serial": "3"}]},
            {"sku": "c", "count": 1, "pieces": []},
        ],
    }
    assert serializer.data == shown(order)
    assert serializer.data["lines"][0]["id"] == two["id"]
    assert not Line.objects.filter(pk=one["id"]).exists()


def test_a_partial_update_leaves_out_what_is_not_sent(database: str) -> None:
    order = written(OrderSerializer, None, {"note": "x", "lines": [A, B]})
    before = shown(order)
    written(OrderSerializer, order, {"note": "y"}, partial=True)
    assert shown(order) == {**before, "note": "y"}
    lines = [{"id": before["lines"][0]["id"], "count": 5}]
    written(OrderSerializer, Order.objects.get(pk=order.pk), {"lines": lines}, partial=True)
    assert without_keys(shown(order)["lines"]) == [{**A, "count": 5}]


def test_new_rows_are_whole_even_in_a_partial_update(database: str) -> None:
    order = written(OrderSerializer, None, {"note": "x", "lines": [A]})
    detail = refusal(OrderSerializer, order, {"lines": [{"count": 5}]}, partial=True)
    assert detail == {"lines": {0: {"sku": ["This field is required."]}}}


def test_keep_and_error(database: str) -> None:
    order = written(KeepingSerializer, None, {"note": "x", "lines": [A, B]})
    written(KeepingSerializer, order, {"lines": [{"sku": "c"}]}, partial=True)
    assert [line["sku"] for line in shown(order)["lines"]] == ["a", "b", "c"]
    order = Order.objects.get(pk=order.pk)
    keys = [line["id"] for line in shown(order)["lines"]]
    detail = refusal(StrictSerializer, order, {"lines": [{"id": keys[0]}]}, partial=True)
    assert detail["lines"][0].code == "missing"
    sent = [{"id": key} for key in keys]
    written(StrictSerializer, order, {"lines": [*sent, {"sku": "d"}]}, partial=True)
    assert len(shown(order)["lines"]) == 4


@pytest.mark.parametrize("key", [0, -1, 2**70, True, 1.5, [], {}, "x", "\x00"], ids=str)
def test_keys_of_no_row_of_the_parent(database: str, key: Any) -> None:
    order = written(OrderSerializer, None, {"note": "x", "lines": [A]})
    other = written(OrderSerializer, None, {"note": "o", "lines": [B]})
    theirs = other.lines.get().pk
    for wrong in (key, theirs):
        lines = [{**B, "id": wrong}]
        for instance in (order, None):
            detail = refusal(OrderSerializer, instance, {"note": "x", "lines": lines})
            (code,) = {error.code for error in detail["lines"][0]["id"]}
            assert code == "does_not_exist"


def test_the_key_of_a_row_of_another_level_is_refused_at_its_place(database: str) -> None:
    order = written(OrderSerializer, None, {"note": "x", "lines": [A, B]})
    one, two = shown(order)["lines"]
    lines = [one, {**two, "pieces": [{"id": one["pieces"][0]["id"], "serial": "9"}]}]
    detail = refusal(OrderSerializer, order, {"note": "x", "lines": lines})
    assert list(detail["lines"][1]["pieces"][0]) == ["id"]


def test_a_row_that_is_named_twice(database: str) -> None:
    order = written(OrderSerializer, None, {"note": "x", "lines": [A]})
    key = order.lines.get().pk
    lines = [{"id": key, "sku": "a"}, {"id": str(key), "sku": "b"}]
    detail = refusal(OrderSerializer, order, {"note": "x", "lines": lines})
    assert detail == {"lines": {1: {"id": ["This field must be unique."]}}}


def test_another_column_may_be_the_key(database: str) -> None:
    order = written(BySkuSerializer, None, {"note": "x", "lines": [A, B]})
    keys = {line.sku: line.pk for line in order.lines.all()}
    lines = [{"sku": "b", "count": 8}, {"sku": "c", "count": 3}]
    written(BySkuSerializer, order, {"note": "x", "lines": lines})
    found = {line.sku: (line.pk, line.count) for line in Line.objects.filter(order=order)}
    assert found.keys() == {"b", "c"}
    assert found["b"] == (keys["b"], 8)


def test_without_a_key_all_rows_are_new(database: str) -> None:
    order = written(NewSerializer, None, {"note": "x", "lines": [A]})
    before = order.lines.get().pk
    written(NewSerializer, order, {"note": "x", "lines": [{**A, "pieces": []}]})
    assert Line.objects.get(order=order).pk != before


def test_validators_know_the_row_of_each_item(database: str) -> None:
    order = written(OrderSerializer, None, {"note": "x", "lines": [A, B]})
    same = shown(order)
    written(OrderSerializer, order, same)
    assert shown(order) == same
    other = {"note": "o", "lines": [{**B, "pieces": [{"serial": "1"}]}]}
    detail = refusal(OrderSerializer, None, other)
    assert detail["lines"][0]["pieces"][0]["serial"][0].code == "unique"


@pytest.mark.parametrize(
    ("lines", "place", "text"),
    [
        ([A, {**A, "pieces": []}], 1, "already exists"),
        ([B, {"sku": "c", "count": -1}], 1, "line_count"),
    ],
)
def test_errors_of_the_database_are_at_their_place(
    database: str, lines: Any, place: int, text: str
) -> None:
    detail = refusal(OrderSerializer, None, {"note": "x", "lines": lines})
    (errors,) = detail["lines"][place].values()
    assert text in str(errors)
    order = written(OrderSerializer, None, {"note": "x", "lines": []})
    assert place in refusal(OrderSerializer, order, {"note": "x", "lines": lines})["lines"]


def test_errors_of_the_database_below_two_levels(database: str) -> None:
    lines = [B, {**A, "pieces": [{"serial": "7"}, {"serial": "7"}]}]
    detail = refusal(OrderSerializer, None, {"note": "x", "lines": lines})
    assert detail["lines"][1]["pieces"][1]["serial"][0].code == "unique"


def test_forward_relations(database: str) -> None:
    order = written(WideSerializer, None, {"note": "x", "customer": {"name": "ann"}})
    ann = Customer.objects.get(name="ann")
    assert order.customer == ann
    written(WideSerializer, order, {"customer": {"name": "anna"}}, partial=True)
    assert Order.objects.get(pk=order.pk).customer.name == "anna"
    assert Customer.objects.count() == 1
    bob = Customer.objects.create(name="bob")
    secret = Customer.objects.create(name="secret")
    order = Order.objects.get(pk=order.pk)
    written(WideSerializer, order, {"customer": {"id": bob.pk}}, partial=True)
    assert Order.objects.get(pk=order.pk).customer == bob
    order = Order.objects.get(pk=order.pk)
    detail = refusal(WideSerializer, order, {"customer": {"id": secret.pk}}, partial=True)
    assert detail["customer"]["id"][0].code == "does_not_exist"
    written(WideSerializer, order, {"customer": None}, partial=True)
    assert Order.objects.get(pk=order.pk).customer is None
    assert Customer.objects.count() == 3
    detail = refusal(WideSerializer, order, {"customer": {"name": "bob"}}, partial=True)
    assert detail["customer"]["name"][0].code == "unique"


def test_one_to_one_relations(database: str) -> None:
    order = written(WideSerializer, None, {"note": "x", "invoice": {"total": 3}})
    key = order.invoice.pk
    order = Order.objects.get(pk=order.pk)
    written(WideSerializer, order, {"note": "x", "invoice": {"total": 4}})
    assert list(Invoice.objects.values_list("pk", "total")) == [(key, 4)]
    written(WideSerializer, Order.objects.get(pk=order.pk), {"note": "y"})
    assert Invoice.objects.count() == 1
    written(WideSerializer, Order.objects.get(pk=order.pk), {"note": "y", "invoice": None})
    assert Invoice.objects.count() == 0


def test_many_to_many_relations(database: str) -> None:
    red = Label.objects.create(name="red")
    sent = {"note": "x", "labels": [{"id": red.pk, "name": "RED"}, {"name": "wet"}]}
    order = written(WideSerializer, None, sent)
    assert set(order.labels.values_list("name", flat=True)) == {"RED", "wet"}
    order = Order.objects.get(pk=order.pk)
    written(WideSerializer, order, {"labels": [{"name": "dry"}]}, partial=True)
    assert set(order.labels.values_list("name", flat=True)) == {"dry"}
    assert Label.objects.count() == 3


def test_through_models(database: str) -> None:
    order = written(WideSerializer, None, {"note": "x", "flags": [{"name": "a"}, {"name": "b"}]})
    assert set(Flag.objects.values_list("label__name", "weight")) == {("a", 7), ("b", 7)}
    first = Label.objects.get(name="a")
    order = Order.objects.get(pk=order.pk)
    sent = {"flags": [{"id": first.pk, "name": "z"}, {"name": "c"}]}
    written(WideSerializer, order, sent, partial=True)
    assert set(order.flags.values_list("name", flat=True)) == {"z", "b", "c"}
    other = Label.objects.create(name="other")
    detail = refusal(WideSerializer, order, {"flags": [{"id": other.pk}]}, partial=True)
    assert detail["flags"][0]["id"][0].code == "does_not_exist"


def test_methods_of_the_project_store_its_rows(database: str) -> None:
    calls: list[str] = []

    class Own(LineSerializer):
        def create(self, validated_data: Any) -> Any:
            calls.append(f"create {validated_data['sku']}")
            return super().create({**validated_data, "count": 77})

        def update(self, instance: Any, validated_data: Any) -> Any:
            calls.append(f"update {instance.sku}")
            return super().update(instance, validated_data)

    class Outer(OrderSerializer):
        lines = Own(many=True)

    order = written(Outer, None, {"note": "x", "lines": [A, B]})
    assert calls == ["create a", "create b"]
    assert [line["count"] for line in shown(order)["lines"]] == [77, 77]
    assert [len(line["pieces"]) for line in shown(order)["lines"]] == [2, 0]
    keys = [line["id"] for line in shown(order)["lines"]]
    detail = refusal(
        Outer,
        order,
        {"note": "x", "lines": [{"id": keys[0], "sku": "b"}, {"id": keys[1], "sku": "a"}]},
    )
    assert 0 in detail["lines"]
    calls.clear()
    order = Order.objects.get(pk=order.pk)
    written(Outer, order, {"note": "x", "lines": [{"id": key, "sku": f"s{key}"} for key in keys]})
    assert calls == ["update a", "update b"]


def test_receivers_hear_of_each_row(database: str) -> None:
    heard: list[Any] = []

    def hear(sender: Any, instance: Any, **kwargs: Any) -> None:
        heard.append(instance.sku)

    signals.post_save.connect(hear, sender=Line)
    signals.post_delete.connect(hear, sender=Line)
    try:
        order = written(OrderSerializer, None, {"note": "x", "lines": [A, B]})
        written(OrderSerializer, order, {"note": "x", "lines": []})
    finally:
        signals.post_save.disconnect(hear, sender=Line)
        signals.post_delete.disconnect(hear, sender=Line)
    assert sorted(heard) == ["a", "a", "b", "b"]


def tree(number: int, first: int = 0) -> Any:
    return [
        {
            "sku": f"s{each}",
            "count": 1,
            "pieces": [{"serial": f"{first + each}-{n}"} for n in (1, 2)],
        }
        for each in range(number)
    ]


@pytest.mark.shortcuts
def test_statements_are_as_many_as_levels_not_as_rows(database: str) -> None:
    def count(data: Any, instance: Any) -> tuple[int, Any]:
        if instance is not None:
            instance = Order.objects.get(pk=instance.pk)
        with CaptureQueriesContext(connections[database]) as queries:
            order = written(OrderSerializer, instance, data)
        return len(queries), order

    few, small = count({"note": "x", "lines": tree(3)}, None)
    many, large = count({"note": "x", "lines": tree(60, 1000)}, None)
    assert many <= few
    shrunk, grown = shown(small), shown(large)
    for data in (shrunk, grown):
        for line in data["lines"]:
            line["count"] += 1
            line["pieces"][0]["serial"] += "x"
            line["pieces"][1] = {"serial": f"{line['id']}-new"}
        data["lines"][0] = {"sku": "new", "pieces": []}
    few, _ = count(shrunk, small)
    many, _ = count(grown, large)
    # SQLite has fewer parameters in a statement.
    assert many <= few + (4 if database == "sqlite_file" else 0)


def test_random_trees_are_read_back_as_they_were_written(database: str) -> None:
    for seed in range(20):
        chance = random.Random(seed)
        order = None
        for step in range(4):
            data = shown(order) if order is not None else {"note": "n", "lines": []}
            _shake(chance, data["lines"], f"{seed}-{step}")
            order = None if order is None else Order.objects.get(pk=order.pk)
            order = written(OrderSerializer, order, data)
            found = shown(order)
            assert _sorted(without_keys(found)) == _sorted(without_keys(data))
            assert _keys(data) <= _keys(found)


def _shake(chance: random.Random, lines: Any, name: str) -> None:
    for line in list(lines):
        if chance.random() < 0.3:
            lines.remove(line)
            continue
        line["count"] = chance.randrange(1, 9)
        line["pieces"] = [piece for piece in line["pieces"] if chance.random() < 0.6]
    for number in range(chance.randrange(3)):
        pieces = [{"serial": f"{name}{number}{each}"} for each in range(chance.randrange(3))]
        line = {"sku": f"{name}{number}", "count": 1, "pieces": pieces}
        lines.insert(chance.randrange(len(lines) + 1), line)


def _sorted(data: Any) -> Any:
    lines = sorted(data["lines"], key=lambda line: line["sku"])
    return {**data, "lines": lines}


def _keys(data: Any) -> set[Any]:
    lines = data["lines"]
    pieces = [piece for line in lines for piece in line["pieces"]]
    return {("line", each["id"]) for each in lines if "id" in each} | {
        ("piece", each["id"]) for each in pieces if "id" in each
    }


def test_further_values_go_to_the_root_alone(database: str) -> None:
    serializer = OrderSerializer(data={"note": "x", "lines": [A]})
    serializer.is_valid(raise_exception=True)
    assert serializer.save(note="saved").note == "saved"


def test_many_roots(database: str) -> None:
    serializer = OrderSerializer(data=[{"note": "x", "lines": [A]}, {"note": "y"}], many=True)
    serializer.is_valid(raise_exception=True)
    assert [order.lines.count() for order in serializer.save()] == [1, 0]


def test_without_a_declaration_the_known_assertion_stays(database: str) -> None:
    class Silent(OrderSerializer):
        class Meta:
            model = Order
            fields = ["id", "note", "lines"]

    serializer = Silent(data={"note": "x", "lines": [A]})
    serializer.is_valid(raise_exception=True)
    with pytest.raises(AssertionError, match="does not support writable nested fields"):
        serializer.save()


def test_plain_dicts_in_place_of_the_items_are_a_mistake_of_the_project(database: str) -> None:
    order = written(OrderSerializer, None, {"note": "x", "lines": [A]})

    class Copying(OrderSerializer):
        def validate(self, attrs: Any) -> Any:
            return {**attrs, "lines": [{**line} for line in attrs["lines"]]}

    class CopyingWell(OrderSerializer):
        def validate(self, attrs: Any) -> Any:
            return {**attrs, "lines": [line.copy() for line in attrs["lines"]]}

    with pytest.raises(AssertionError, match="plain dict, which has lost its row"):
        written(Copying, order, shown(order))
    before = shown(order)
    written(CopyingWell, Order.objects.get(pk=order.pk), before)
    assert shown(order) == before


def test_a_part_may_be_whole_inside_a_partial_update(database: str) -> None:
    order = written(WholeSerializer, None, {"note": "x", "lines": [{"sku": "a"}]})
    key = order.lines.get().pk
    sent = {"lines": [{"id": key, "count": 3}]}
    detail = refusal(WholeSerializer, order, sent, partial=True)
    assert detail == {"lines": {0: {"sku": ["This field is required."]}}}
    written(WholeSerializer, order, {"note": "y"}, partial=True)
    assert Line.objects.get(pk=key).count == 1


def test_rows_that_others_protect_stay(database: str) -> None:
    order = written(WideSerializer, None, {"note": "x", "invoice": {"total": 1}})

    def refuse(**kwargs: Any) -> None:
        raise ProtectedError("used", set())

    signals.pre_delete.connect(refuse, sender=Invoice)
    try:
        sent = {"note": "x", "invoice": None}
        detail = refusal(WideSerializer, Order.objects.get(pk=order.pk), sent)
    finally:
        signals.pre_delete.disconnect(refuse, sender=Invoice)
    assert [error.code for error in detail["invoice"]] == ["protected"]


def test_null_is_no_row(database: str) -> None:
    class Nullable(OrderSerializer):
        lines = LineSerializer(many=True, allow_null=True)

    detail = refusal(Nullable, None, {"note": "x", "lines": [A, None]})
    assert detail == {"lines": {1: ["This field may not be null."]}}
    order = written(Nullable, None, {"note": "x", "lines": [A]})
    written(Nullable, order, {"note": "x", "lines": None})
    assert shown(order)["lines"] == []


def test_input_cannot_give_a_row_to_another_parent(database: str) -> None:
    class Owned(LineSerializer):
        class Meta(LineSerializer.Meta):
            fields: ClassVar[Any] = [*LineSerializer.Meta.fields, "order"]
            extra_kwargs: ClassVar[Any] = {"order": {"required": False, "default": None}}
            validators: ClassVar[Any] = []

    class Outer(OrderSerializer):
        lines = Owned(many=True)

    order = written(OrderSerializer, None, {"note": "x", "lines": [A]})
    other = written(OrderSerializer, None, {"note": "o", "lines": []})
    key = order.lines.get().pk
    lines = [{"id": key, "sku": "a", "order": other.pk}, {"sku": "b", "order": other.pk}]
    written(Outer, order, {"note": "x", "lines": lines})
    assert Line.objects.filter(order=other).count() == 0
    assert Line.objects.filter(order=order).count() == 2


def test_the_row_of_a_one_to_one_relation_of_another_object(database: str) -> None:
    order = written(WideSerializer, None, {"note": "x", "invoice": {"total": 3}})
    other = written(WideSerializer, None, {"note": "o"})
    sent = {"note": "o", "invoice": {"id": order.invoice.pk, "total": 9}}
    detail = refusal(WideSerializer, other, sent)
    assert detail["invoice"]["id"][0].code == "does_not_exist"


def test_numbers_that_the_database_has_no_room_for(database: str) -> None:
    """The default database, SQLite, has room for more."""
    client = APIClient()
    for count, low in ((2**31, False), (2**63 - 1, False), (2**63, True), (2**70, True)):
        is_too_large = low or database == "postgresql"
        for lines in ([{"sku": "a", "count": count}], [B, {"sku": "a", "count": count}]):
            before = Order.objects.count()
            answer = client.post("/orders/", {"note": "x", "lines": lines}, format="json")
            assert answer.status_code == (400 if is_too_large else 201)
            assert Order.objects.count() == before + (0 if is_too_large else 1)
            if is_too_large:
                (errors,) = answer.json()["lines"].values()
                assert errors["count"][0].startswith("Ensure this value is less than or equal to")
    sent = bulk(3)
    sent[1]["lines"][1]["count"] = 2**31
    answer = client.post("/each-orders/", sent, format="json")
    second = 400 if database == "postgresql" else 201
    assert [each["status"] for each in answer.json()] == [201, second, 201]


def test_text_that_a_column_has_no_room_for(database: str) -> None:
    class Loose(OrderSerializer):
        note = serializers.CharField()

    if database != "postgresql":
        pytest.skip("SQLite stores text of any length")
    error = ["Ensure this field has no more than 20 characters."]
    with pytest.raises(ValidationError) as caught, transaction.atomic(using=database):
        written(Loose, None, {"note": "x" * 21})
    assert caught.value.detail == {"note": error}


def test_values_that_one_row_may_have_are_refused_before_anything_is_written(database: str) -> None:
    pieces = [{"serial": "7"}, {"serial": "8"}, {"serial": "7"}]
    lines = [{"sku": "a", "pieces": pieces}, {"count": "x"}]
    with CaptureQueriesContext(connections[database]) as queries:
        detail = refusal(OrderSerializer, None, {"note": "x", "lines": lines})
    assert list(detail["lines"][0]["pieces"]) == [2]
    assert detail["lines"][0]["pieces"][2]["serial"][0].code == "unique"
    assert set(detail["lines"][1]) == {"sku", "count"}
    assert not [each for each in queries.captured_queries if "INSERT" in each["sql"]]


@override_settings(REST_FRAMEWORK={"UNIQUE_RACE_STATUS": 409})
def test_races_have_their_own_status(database: str) -> None:
    order = written(OrderSerializer, None, {"note": "x", "lines": [B]})
    line = order.lines.get()
    sent = {"lines": [{"id": line.pk, "pieces": [{"serial": "6"}, {"serial": "7"}]}]}
    serializer = OrderSerializer(order, data=sent, partial=True)
    serializer.is_valid(raise_exception=True)
    Piece.objects.create(serial="7", line=line)
    with pytest.raises(ValidationError) as caught:
        serializer.save()
    assert caught.value.status_code == 409
    assert caught.value.detail["lines"][0]["pieces"][1]["serial"][0].code == "unique"


def test_a_list_has_a_limit(database: str) -> None:
    class Short(OrderSerializer):
        class Meta(OrderSerializer.Meta):
            nested: ClassVar[Any] = {"lines": Nested(match="id", max_items=2)}

    order = written(Short, None, {"note": "x", "lines": [A, B]})
    lines = [{"id": "x" * number} for number in range(3)]
    with CaptureQueriesContext(connections[database]) as queries:
        serializer = Short(order, data={"note": "x", "lines": lines})
        assert not serializer.is_valid()
    (error,) = serializer.errors["lines"]["non_field_errors"]
    assert (error.code, str(error)) == (
        "max_length",
        "Ensure this field has no more than 2 elements.",
    )
    assert len(queries) <= 2


def test_keys_are_known_where_unknown_names_are_refused(database: str) -> None:
    class Nameless(LineSerializer):
        class Meta(LineSerializer.Meta):
            fields: ClassVar[Any] = ["sku", "count"]
            nested: ClassVar[Any] = {}
            extra = "forbid"

    class Outer(OrderSerializer):
        lines = Nameless(many=True)

    order = written(OrderSerializer, None, {"note": "x", "lines": [A]})
    key = order.lines.get().pk
    written(Outer, order, {"note": "x", "lines": [{"id": key, "sku": "z"}]})
    assert Line.objects.get().sku == "z"
    detail = refusal(Outer, order, {"note": "x", "lines": [{"id": key, "sku": "z", "odd": 1}]})
    assert list(detail["lines"][0]) == ["odd"]


def test_models_that_save_themselves_are_saved_one_by_one(database: str, monkeypatch: Any) -> None:
    saved = []

    def save(self: Any, *args: Any, **kwargs: Any) -> None:
        saved.append(self.sku)
        super(Line, self).save(*args, **kwargs)

    monkeypatch.setattr(Line, "save", save, raising=False)
    written(OrderSerializer, None, {"note": "x", "lines": [A, B]})
    assert saved == ["a", "b"]


# ---- views ----


def test_rows_outside_of_the_scope_do_not_exist(database: str) -> None:
    secret = {"sku": "secret", "count": 3, "pieces": []}
    order = written(OrderSerializer, None, {"note": "x", "lines": [A, secret]})
    key = order.lines.get(sku="secret").pk
    client, address = APIClient(), f"/scoped-orders/{order.pk}/"
    for kind in ("json", "multipart"):
        sent: Any = {"lines": [{"id": key, "sku": "mine"}]}
        if kind == "multipart":
            sent = {"lines[0]id": key, "lines[0]sku": "mine"}
        refused = client.patch(address, sent, format=kind)
        text = f'Invalid pk "{key}" - object does not exist.'
        assert (refused.status_code, refused.json()) == (400, {"lines": {"0": {"id": [text]}}})
    assert client.patch(address, {"lines": []}, format="json").status_code == 200
    assert list(order.lines.values_list("sku", "count")) == [("secret", 3)]


@pytest.mark.shortcuts
def test_the_scope_of_rows_takes_one_query_for_each_relation(database: str) -> None:
    def count(number: int) -> int:
        order = written(OrderSerializer, None, {"note": "x", "lines": tree(number, 100 * number)})
        sent = {"lines": [{"id": line.pk, "count": 5} for line in order.lines.all()]}
        with CaptureQueriesContext(connections[database]) as queries:
            answer = APIClient().patch(f"/scoped-orders/{order.pk}/", sent, format="json")
        assert answer.status_code == 200
        return len(queries)

    assert count(30) <= count(3)


@pytest.mark.shortcuts
def test_requests_take_as_many_queries_as_levels(database: str) -> None:
    def count(method: str, address: str, sent: Any) -> tuple[int, Any]:
        with CaptureQueriesContext(connections[database]) as queries:
            answer = getattr(APIClient(), method)(address, sent, format="json")
        assert answer.status_code in (200, 201)
        return len(queries), answer.json()

    few, small = count("post", "/orders/", {"note": "x", "lines": tree(2)})
    many, large = count("post", "/orders/", {"note": "x", "lines": tree(100, 1000)})
    assert (few, many) == (12, 12)
    for order in (small, large):
        for line in order["lines"]:
            line["count"] = 5
            line["pieces"][0]["serial"] += "x"
            line["pieces"][1] = {"serial": f"{line['id']}-new"}
    few, _ = count("put", f"/orders/{small['id']}/", small)
    many, changed = count("put", f"/orders/{large['id']}/", large)
    assert many <= few + (4 if database == "sqlite_file" else 0)
    assert without_keys(changed) == without_keys(large)


def test_links_outside_of_the_scope_stay(database: str) -> None:
    secret, red = Label.objects.create(name="secret"), Label.objects.create(name="red")
    order = written(WideSerializer, None, {"note": "x"})
    order.labels.set([secret, red])
    client, address = APIClient(), f"/scoped-wide-orders/{order.pk}/"
    sent = {"labels": [{"id": secret.pk, "name": "open"}]}
    assert client.patch(address, sent, format="json").status_code == 400
    sent = {"labels": [{"name": "new"}]}
    assert client.patch(address, sent, format="json").status_code == 200
    assert set(order.labels.values_list("name", flat=True)) == {"secret", "new"}


def test_views_write_trees(database: str) -> None:
    client = APIClient()
    made = client.post("/orders/", {"note": "x", "lines": [A, B]}, format="json")
    assert made.status_code == 201
    address = f"/orders/{made.json()['id']}/"
    one, two = made.json()["lines"]
    sent = {"lines": [{"id": two["id"], "count": 4}, {"sku": "c"}]}
    changed = client.patch(address, sent, format="json")
    assert (changed.status_code, changed.json()) == (200, client.get(address).json())
    lines = without_keys(changed.json()["lines"])
    assert lines == [{**B, "count": 4}, {"sku": "c", "count": 1, "pieces": []}]
    refused = client.patch(address, {"lines": [{**one, "pieces": []}]}, format="json")
    text = f'Invalid pk "{one["id"]}" - object does not exist.'
    assert (refused.status_code, refused.json()) == (400, {"lines": {"0": {"id": [text]}}})
    assert client.put(address, {**changed.json(), "lines": []}, format="json").json()["lines"] == []


@pytest.mark.parametrize("name", ["orders", "async-orders"])
def test_values_of_the_view_go_to_the_root_alone(
    database: str, name: str, monkeypatch: Any
) -> None:
    def perform(view: Any, serializer: Any) -> None:
        serializer.save(note=f"{view.request.method} {serializer.validated_data['note']}")

    async def aperform(view: Any, serializer: Any) -> None:
        await serializer.asave(note=f"{view.request.method} {serializer.validated_data['note']}")

    view, hook = (Orders, perform) if name == "orders" else (AsyncOrders, aperform)
    for action in ("perform_create", "perform_update"):
        monkeypatch.setattr(view, action, hook, raising=False)
    client: Any = APIClient() if name == "orders" else _Waiting(AsyncAPIClient())
    made = client.post(f"/{name}/", {"note": "x", "lines": [A]}, format="json")
    assert (made.status_code, made.json()["note"]) == (201, "POST x")
    sent = {"note": "y", "lines": [{**made.json()["lines"][0], "count": 4}, B]}
    changed = client.put(f"/{name}/{made.json()['id']}/", sent, format="json").json()
    assert changed["note"] == "PUT y"
    assert without_keys(changed["lines"]) == [{**A, "count": 4}, B]
    assert Order.objects.get().note == "PUT y"


class _Waiting:
    """A client on the event loop, used without one."""

    def __init__(self, client: AsyncAPIClient) -> None:
        self.post, self.put = map(async_to_sync, (client.post, client.put))


@override_settings(REST_FRAMEWORK={"ERROR_FORMAT": "problem"})
def test_problems_point_at_the_item(database: str) -> None:
    lines = [B, {**A, "pieces": [{"serial": "7"}, {"serial": "7"}]}]
    refused = APIClient().post("/orders/", {"note": "x", "lines": lines}, format="json")
    pointers = [each["pointer"] for each in refused.json()["errors"]]
    assert pointers == ["/lines/1/pieces/1/serial"]


def test_views_on_the_event_loop_write_trees(database: str) -> None:
    async def write() -> Any:
        client = AsyncAPIClient()
        made = await client.post("/async-orders/", {"note": "x", "lines": [A]}, format="json")
        return await client.put(f"/async-orders/{made.json()['id']}/", made.json(), format="json")

    answer = async_to_sync(write)()
    assert (answer.status_code, without_keys(answer.json()["lines"])) == (200, [A])


def bulk(number: int, first: int = 0) -> Any:
    return [{"note": str(each), "lines": tree(2, 100 * (first + each))} for each in range(number)]


@pytest.mark.shortcuts
def test_bulk_requests_write_trees_level_by_level(database: str) -> None:
    client = APIClient()

    def count(method: str, sent: Any) -> tuple[int, Any]:
        with CaptureQueriesContext(connections[database]) as queries:
            answer = getattr(client, method)("/bulk-orders/", sent, format="json")
        assert answer.status_code in (200, 201)
        return len(queries), answer.json()

    few, small = count("post", bulk(3))
    many, large = count("post", bulk(40, 10))
    assert many <= few
    assert without_keys(large) == bulk(40, 10)
    for order in (*small, *large):
        order["lines"][0]["count"] = 5
        order["lines"][1] = {"sku": "new", "pieces": []}
    few, _ = count("patch", small)
    many, changed = count("patch", large)
    assert many <= few
    assert [order["lines"][0] for order in changed] == [order["lines"][0] for order in large]


def test_errors_of_trees_in_bulk_requests(database: str) -> None:
    sent = bulk(3)
    sent[1]["lines"][1]["count"] = -1
    refused = APIClient().post("/bulk-orders/", sent, format="json")
    assert refused.status_code == 400
    assert [list(each) for each in refused.json()] == [[], ["lines"], []]
    assert list(refused.json()[1]["lines"]) == ["1"]
    assert Order.objects.count() == 0
    results = APIClient().post("/each-orders/", sent, format="json")
    assert [each["status"] for each in results.json()] == [201, 400, 201]
    assert (Order.objects.count(), Line.objects.count()) == (2, 4)


def test_pages_and_options_of_views_that_write_trees(database: str) -> None:
    client = APIClient()
    made = client.post("/wide-orders/", {"note": "x", "invoice": {"total": 2}}, format="json")
    address = f"/wide-orders/{made.json()['id']}/"
    assert client.get(address, headers={"accept": "text/html"}).status_code == 200
    described = client.options(address).json()["actions"]["PUT"]
    assert described["invoice"]["children"]["total"]["required"] is True
    form = {"note": "y", "invoice.total": "5"}
    changed = client.put(address, form, format="multipart")
    assert (changed.status_code, changed.json()["invoice"]["total"]) == (200, 5)
    assert changed.json()["invoice"]["id"] == made.json()["invoice"]["id"]


def test_texts_of_refusals_are_translated(database: str) -> None:
    order = written(StrictSerializer, None, {"note": "x", "lines": [A]})
    key = order.lines.get().pk
    with override("de"):
        detail = refusal(StrictSerializer, order, {"lines": []}, partial=True)
    assert detail["lines"] == [f"Diese Objekte dürfen nicht fehlen: {key}."]
