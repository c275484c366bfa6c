"""Writes of many rows that meet another transaction in a ring of locks: PostgreSQL ends one."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import OperationalError, connections, transaction
from servers import another_alias, everything_in, tables_of
from tree_service import MODELS, Line, Order, OrderSerializer, Piece

from lintel.exceptions import NotFound, ValidationError
from lintel.serializers.deadlocks import is_deadlock, written
from lintel.test import APIClient

pytestmark = pytest.mark.urls("tree_service")


@pytest.fixture(scope="module")
def tables(postgresql: str, django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    with everything_in(postgresql, django_db_blocker), tables_of(postgresql, MODELS):
        yield postgresql


@pytest.fixture
def other(tables: str, django_db_blocker: Any) -> Iterator[str]:
    with everything_in(tables, django_db_blocker), another_alias(tables) as alias:
        yield alias
        for model in reversed(MODELS):
            model._default_manager.using(tables).all().delete()


def made() -> Any:
    lines = [{"sku": "a", "pieces": [{"serial": "1"}]}, {"sku": "b"}]
    serializer = OrderSerializer(data={"note": "x", "lines": lines})
    serializer.is_valid(raise_exception=True)
    return Order.objects.get(pk=serializer.save().pk)


class Meeting:
    """Lets a thread stop before it locks the rows of a table, until another waits for it."""

    def __init__(self, alias: str, table: str) -> None:
        self.alias, self.table = alias, table
        self.arrived, self.others_wait = threading.Event(), threading.Event()

    def run(self, act: Callable[[], Any]) -> Any:
        try:
            with connections[self.alias].execute_wrapper(self._stop):
                return act()
        finally:
            connections[self.alias].close()

    def _stop(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        is_lock = "FOR UPDATE" in sql or sql.startswith("UPDATE")
        if is_lock and f'"{self.table}"' in sql and not self.arrived.is_set():
            self.arrived.set()
            self.others_wait.wait(30)
        return execute(sql, params, many, context)


@contextmanager
def patient(alias: str) -> Iterator[None]:
    """A transaction that never looks for deadlocks itself, so that it is never the one undone."""
    with transaction.atomic(using=alias):
        with connections[alias].cursor() as cursor:
            cursor.execute("SET LOCAL deadlock_timeout = '1h'")
        yield


def wait_for_lock(alias: str, until: "Future[Any]") -> None:
    """Return when another connection waits for a lock, or has ended."""
    sql = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    while not until.done():
        with connections[alias].cursor() as cursor:
            cursor.execute(sql)
            if cursor.fetchone()[0]:
                return


def meet(tables: str, other: str, act: Callable[[], Any], inner: Any, outer: Any) -> Any:
    """Run ``act()`` against a transaction that does ``inner`` to lines, then ``outer`` to orders.

    ``act`` holds the order when the other one has the lines: each waits for the other.
    """
    meeting = Meeting(tables, Line._meta.db_table)

    def contrary() -> None:
        try:
            with patient(other):
                meeting.arrived.wait(30)
                inner()
                outer()
        finally:
            connections[other].close()

    with ThreadPoolExecutor(2) as pool:
        acting, opposing = pool.submit(meeting.run, act), pool.submit(contrary)
        wait_for_lock(tables, opposing)
        meeting.others_wait.set()
        opposing.result(60)
        assert meeting.arrived.is_set()
        return acting.result(60)


def saving(order: Any, **data: Any) -> Callable[[], Any]:
    serializer = OrderSerializer(order, data=data, partial=True)
    serializer.is_valid(raise_exception=True)
    return serializer.save


def test_a_tree_is_written_when_the_other_one_is_done(other: str, tables: str) -> None:
    order = made()
    kept, _ = order.lines.all()
    lines = Line.objects.using(other).filter(order=order.pk)
    saved = meet(
        tables,
        other,
        saving(order, note="new", lines=[{"id": kept.pk, "sku": "c"}, {"sku": "d"}]),
        lambda: lines.update(count=5),
        lambda: Order.objects.using(other).filter(pk=order.pk).update(note="theirs"),
    )
    assert saved.note == "new"
    assert list(Line.objects.values_list("sku", flat=True)) == ["c", "d"]
    assert Order.objects.get().note == "new"


def test_rows_that_the_other_one_has_deleted_are_errors_of_their_items(
    other: str, tables: str
) -> None:
    order = made()
    kept, gone = order.lines.all()
    with pytest.raises(ValidationError) as raised:
        meet(
            tables,
            other,
            saving(order, lines=[{"id": kept.pk, "sku": "c"}, {"id": gone.pk, "sku": "d"}]),
            lambda: Line.objects.using(other).filter(pk=gone.pk).delete(),
            lambda: Order.objects.using(other).filter(pk=order.pk).update(note="theirs"),
        )
    assert raised.value.get_codes() == {"lines": {1: {"id": ["does_not_exist"]}}}
    assert Line.objects.get().sku == "a"


def test_an_object_that_the_other_one_deletes_with_all_that_is_below(
    other: str, tables: str
) -> None:
    """Django deletes from the deepest rows up, against the order in which a tree is locked."""
    order = made()
    kept, _ = order.lines.all()
    with pytest.raises(NotFound):
        meet(
            tables,
            other,
            saving(order, lines=[{"id": kept.pk, "sku": "c"}]),
            lambda: Order.objects.using(other).filter(pk=order.pk).delete(),
            lambda: None,
        )
    assert not any(model._default_manager.exists() for model in (Order, Line, Piece))


def test_requests_see_no_server_error(other: str, tables: str) -> None:
    order = made()
    kept, _ = order.lines.all()

    def ask() -> Any:
        sent = {"lines": [{"id": kept.pk, "sku": "c"}]}
        return APIClient().patch(f"/orders/{order.pk}/", sent, format="json")

    answer = meet(
        tables,
        other,
        ask,
        lambda: Line.objects.using(other).filter(order=order.pk).update(count=5),
        lambda: Order.objects.using(other).filter(pk=order.pk).update(note="theirs"),
    )
    assert (answer.status_code, answer.json()["lines"][0]["sku"]) == (200, "c")


@pytest.mark.parametrize("path", ["bulk-orders", "each-orders"])
def test_a_row_to_which_others_begin_to_refer_is_not_deleted(
    other: str, tables: str, path: str
) -> None:
    order = made()
    arrived = threading.Event()

    def refer(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith(f'DELETE FROM "{Order._meta.db_table}"') and not arrived.is_set():
            arrived.set()
            Line(order_id=order.pk, sku="late").save(using=other)
        return execute(sql, params, many, context)

    with connections[tables].execute_wrapper(refer):
        answer = APIClient().delete(f"/{path}/", [order.pk], format="json")
    assert arrived.is_set()
    if path == "bulk-orders":
        # PostgreSQL checks foreign keys at the end, when the batch is done.
        assert answer.status_code == 400
        assert answer.json() == {"non_field_errors": ["Other objects refer to this one."]}
        assert Line.objects.count() == 3
    elif answer.json() == [{"status": 204}]:
        # One by one, the next attempt has found the new row, and deleted it with the others.
        assert Line.objects.count() == 0
    else:
        # Without short cuts there is one attempt.
        refused = {"status": 409, "errors": ["Other objects refer to this one."]}
        assert (answer.json(), Line.objects.count()) == ([refused], 3)
        assert answer.status_code == 207


def test_saves_one_by_one_are_repeated_too(other: str, tables: str) -> None:
    order, second = made(), Order.objects.create(note="y")
    kept, _ = order.lines.all()
    sent = [{"id": second.pk, "note": 7 * "x"}, {"id": order.pk, "lines": [{"id": kept.pk}]}]
    answer = meet(
        tables,
        other,
        lambda: APIClient().patch("/each-orders/", [*sent, {"id": 0}], format="json"),
        lambda: Line.objects.using(other).filter(order=order.pk).update(count=5),
        lambda: Order.objects.using(other).filter(pk=order.pk).update(note="theirs"),
    )
    assert [each["status"] for each in answer.json()] == [200, 200, 400]


class Raising:
    """Raises what a database raises for a deadlock, as often as it is told."""

    def __init__(self, times: int, code: object = "40P01") -> None:
        self.left, self.calls = times, 0
        self.cause = Exception()
        if isinstance(code, str):
            self.cause.sqlstate = code  # type: ignore[attr-defined]
        self.args = () if isinstance(code, str) else (code,)

    def __call__(self) -> str:
        self.calls += 1
        if self.calls <= self.left:
            raise OperationalError(*self.args) from self.cause
        return "done"


@pytest.mark.django_db(transaction=True)
def test_again_and_not_for_ever() -> None:
    once, always = Raising(1), Raising(9)
    assert written("default", once) == "done"
    with pytest.raises(OperationalError):
        written("default", always)
    assert (once.calls, always.calls) == (2, 3)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("code", "calls"), [("40P01", 3), (1213, 3), ("57014", 1), (1205, 1)])
def test_other_errors_are_raised_at_once(code: object, calls: int) -> None:
    act = Raising(9, code)
    with pytest.raises(OperationalError) as raised:
        written("default", act)
    assert (act.calls, is_deadlock(raised.value)) == (calls, calls == 3)


@pytest.mark.django_db(transaction=True)
def test_files_are_written_once(tmp_path: Any) -> None:
    for values in ({"f": ContentFile(b"x")}, [{"items": [{"f": ContentFile(b"x")}]}]):
        act = Raising(1)
        with pytest.raises(OperationalError):
            written("default", act, values)
        assert act.calls == 1


@pytest.mark.django_db(transaction=True)
def test_a_part_of_a_transaction_is_not_repeated_where_all_of_it_is_undone() -> None:
    act = Raising(1)
    with pytest.raises(OperationalError), transaction.atomic():
        written("default", act)
    assert act.calls == 1
