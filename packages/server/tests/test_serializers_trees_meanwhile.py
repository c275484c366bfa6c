"""Nested writes, and what other connections do between their validation and their statements."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections, transaction
from django.test.utils import CaptureQueriesContext
from servers import another_alias, everything_in, tables_of
from tree_service import (
    MODELS,
    Customer,
    Invoice,
    KeepingSerializer,
    Label,
    Line,
    Order,
    OrderSerializer,
    Piece,
    StrictSerializer,
    WideSerializer,
)

from lintel import serializers
from lintel.exceptions import NotFound, ValidationError
from lintel.serializers import Nested
from lintel.serializers.together import check_together
from lintel.test import APIClient

pytestmark = pytest.mark.urls("tree_service")


@pytest.fixture(scope="module", params=["sqlite_file", "postgresql"])
def tables(request: Any, django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    alias = request.getfixturevalue(request.param)
    with everything_in(alias, django_db_blocker), tables_of(alias, MODELS):
        yield alias


@pytest.fixture
def other(tables: str, django_db_blocker: Any) -> Iterator[str]:
    """Another connection to a database in which every commit is real; its rows are deleted."""
    with everything_in(tables, django_db_blocker), another_alias(tables) as alias:
        yield alias
        for model in reversed(MODELS):
            model._default_manager.using(tables).all().delete()


def made(cls: Any = OrderSerializer, **data: Any) -> Any:
    lines = [{"sku": "a", "pieces": [{"serial": "1"}]}, {"sku": "b"}]
    values = {"note": "x", "lines": lines} if cls is OrderSerializer else {"note": "x"}
    serializer = cls(data={**values, **data})
    serializer.is_valid(raise_exception=True)
    return Order.objects.get(pk=serializer.save().pk)


def saved(cls: Any, order: Any, data: Any, meanwhile: Callable[[], object]) -> Any:
    serializer = cls(order, data=data, partial=True)
    serializer.is_valid(raise_exception=True)
    meanwhile()
    return serializer.save()


def test_an_object_that_has_been_deleted_is_not_found(other: str) -> None:
    order = made()
    delete = Order.objects.using(other).filter(pk=order.pk).delete
    for sent in ({"lines": [{"sku": "c"}]}, {"note": "y", "lines": []}):
        with pytest.raises(NotFound):
            saved(OrderSerializer, order, sent, delete)
    assert (Order.objects.count(), Line.objects.count()) == (0, 0)


def test_a_row_that_has_been_deleted_is_an_error_of_its_item(other: str) -> None:
    order = made()
    first, second = order.lines.all()
    lines = [{"id": first.pk, "count": 2}, {"id": second.pk, "pieces": [{"serial": "2"}]}]
    delete = Line.objects.using(other).filter(pk=second.pk).delete
    with pytest.raises(ValidationError) as caught:
        saved(OrderSerializer, order, {"lines": lines}, delete)
    assert caught.value.detail["lines"][1]["id"][0].code == "does_not_exist"
    assert list(Line.objects.values_list("sku", "count")) == [("a", 1)]


def test_a_row_of_a_deeper_level(other: str) -> None:
    order = made()
    line = order.lines.first()
    pieces = [{"serial": "0"}, {"id": line.pieces.get().pk, "serial": "9"}]
    sent = {"lines": [{"id": line.pk, "pieces": pieces}]}
    with pytest.raises(ValidationError) as caught:
        saved(OrderSerializer, order, sent, Piece.objects.using(other).all().delete)
    assert list(caught.value.detail["lines"][0]["pieces"]) == [1]
    assert Line.objects.count() == 2


def test_a_row_that_has_got_another_parent_stays_there(other: str) -> None:
    order, another = made(), made(note="other", lines=[])
    first, second = order.lines.all()
    move = Line.objects.using(other).filter(pk=second.pk).update
    sent = {"lines": [{"id": first.pk}, {"id": second.pk, "count": 9}]}
    with pytest.raises(ValidationError) as caught:
        saved(OrderSerializer, order, sent, lambda: move(order=another.pk))
    assert list(caught.value.detail["lines"]) == [1]
    move(order=order.pk)
    left_out = {"lines": [{"id": first.pk}]}
    saved(OrderSerializer, Order.objects.get(pk=order.pk), left_out, lambda: move(order=another.pk))
    assert Line.objects.get(pk=second.pk).order_id == another.pk


@pytest.mark.parametrize("cls", [OrderSerializer, KeepingSerializer, StrictSerializer])
def test_rows_that_are_left_out_may_be_gone(other: str, cls: Any) -> None:
    order = made()
    first, second = order.lines.all()
    lines = [{"id": first.pk, "count": 2}]
    if cls is StrictSerializer:
        lines.append({"id": second.pk})
        with pytest.raises(ValidationError):
            saved(cls, order, {"lines": lines}, Line.objects.using(other).filter(sku="b").delete)
        return
    saved(cls, order, {"lines": lines}, Line.objects.using(other).filter(sku="b").delete)
    assert list(Line.objects.values_list("sku", "count")) == [("a", 2)]


def test_forward_and_many_to_many_relations(other: str) -> None:
    order = made(WideSerializer, customer={"name": "ann"}, labels=[{"name": "red"}])
    label, customer = Label.objects.get(), Customer.objects.get()
    sent: Any = {"labels": [{"id": label.pk}]}
    with pytest.raises(ValidationError) as caught:
        saved(WideSerializer, order, sent, Label.objects.using(other).all().delete)
    assert caught.value.detail["labels"][0]["id"][0].code == "does_not_exist"

    def forget() -> None:
        Order.objects.using(other).update(customer=None)
        Customer.objects.using(other).all().delete()

    sent = {"customer": {"id": customer.pk, "name": "anna"}}
    with pytest.raises(ValidationError) as caught:
        saved(WideSerializer, Order.objects.get(pk=order.pk), sent, forget)
    assert caught.value.detail["customer"]["id"][0].code == "does_not_exist"


@pytest.mark.parametrize("is_deleted", [False, True])
def test_links_that_have_been_removed_stay_so(other: str, is_deleted: bool) -> None:
    order = made(WideSerializer, flags=[{"name": "a"}, {"name": "b"}])
    b = Label.objects.get(name="b")

    def remove() -> None:
        through = Order.flags.through.objects.using(other)  # type: ignore[attr-defined]
        through.filter(label_id=b.pk).delete()
        if is_deleted:
            Label.objects.using(other).filter(pk=b.pk).delete()

    saved(WideSerializer, order, {"flags": [{"name": "c"}]}, remove)
    assert set(order.flags.values_list("name", flat=True)) == {"a", "c"}


def test_a_row_of_a_one_to_one_relation_that_is_taken_away_may_be_gone(other: str) -> None:
    order = made(WideSerializer, invoice={"total": 1})
    saved(WideSerializer, order, {"invoice": None}, Invoice.objects.using(other).all().delete)
    assert Invoice.objects.count() == 0


def test_views_say_what_has_been_deleted(other: str, monkeypatch: Any) -> None:
    order = made()
    own = OrderSerializer.is_valid

    def is_valid(self: Any, **kwargs: Any) -> Any:
        found = own(self, **kwargs)
        Order.objects.using(other).filter(pk=order.pk).delete()
        return found

    monkeypatch.setattr(OrderSerializer, "is_valid", is_valid)
    sent = {"lines": [{"sku": "c"}]}
    answer = APIClient().patch(f"/orders/{order.pk}/", sent, format="json")
    assert (answer.status_code, Order.objects.count()) == (404, 0)


def test_others_wait_until_the_tree_is_written(other: str, tables: str) -> None:
    """Real locks: the deletion that was first wins, and the write sees it."""
    if tables != "postgresql":
        pytest.skip("SQLite has one writer at a time")
    order = made()
    serializer = OrderSerializer(order, data={"lines": [{"sku": "c"}]}, partial=True)
    serializer.is_valid(raise_exception=True)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic(using=other):
            Order.objects.using(other).filter(pk=order.pk).delete()
            saving = pool.submit(save_and_close, serializer, tables)
            wait_for_lock(other, saving)
        assert isinstance(saving.exception(), NotFound)
    assert Line.objects.count() == 0


def save_and_close(serializer: Any, alias: str) -> None:
    try:
        serializer.save()
    finally:
        connections[alias].close()


def wait_for_lock(alias: str, until: Future[Any]) -> None:
    """Return when another connection waits for this one."""
    sql = "SELECT count(*) FROM pg_locks WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))"
    with connections[alias].cursor() as cursor:
        while not until.done():
            cursor.execute(sql)
            if cursor.fetchone()[0]:
                return


class NameSerializer(serializers.ModelSerializer):
    class Meta:
        model = Label
        fields = ("name",)


@pytest.mark.shortcuts
def test_rows_that_many_parents_may_name_take_one_query(other: str, tables: str) -> None:
    class Labelled(serializers.ModelSerializer):
        labels = NameSerializer(many=True)

        class Meta:
            model = Order
            fields = ("id", "note", "labels")
            nested = {"labels": Nested(match="name", queryset=Label.objects.all())}

    class Buying(serializers.ModelSerializer):
        order_set = Labelled(many=True)

        class Meta:
            model = Customer
            fields = ("id", "name", "order_set")
            nested = {"order_set": Nested()}

    names = [f"l{number}" for number in range(8)]
    Label.objects.bulk_create(Label(name=name) for name in names)

    def queries_for(number: int) -> int:
        orders = [{"note": str(n), "labels": [{"name": names[n % 8]}]} for n in range(number)]
        data = {"name": f"c{number}", "order_set": orders}
        with CaptureQueriesContext(connections[tables]) as queries:
            serializer = Buying(data=data)
            serializer.is_valid(raise_exception=True)
            serializer.save()
        return len(queries)

    assert queries_for(40) == queries_for(4)
    assert Label.objects.count() == 8
    assert Order.objects.get(note="9").labels.get().name == "l1"

    def queries_together(number: int) -> int:
        every = [
            Labelled(data={"note": "n", "labels": [{"name": names[n % 8]}]}) for n in range(number)
        ]
        with CaptureQueriesContext(connections[tables]) as queries:
            assert check_together(every) == {}
        return len(queries)

    assert queries_together(30) == queries_together(3)
