"""Conditions written once for each shape say what Django says, whatever the values are."""

from datetime import UTC, datetime
from decimal import Decimal
from functools import reduce
from operator import and_, or_, xor
from typing import Any

import pytest
from contract_project.models import Entry, Snippet
from django.core.exceptions import EmptyResultSet, FullResultSet
from django.db import connections, models
from django.db.models import F, Q
from django.db.models.lookups import IContains
from django.test.utils import isolate_apps
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lintel.fast import conditions
from lintel.fast.conditions import MAX_PARAMETERS, conditions_of
from lintel.fast.counting import count_of
from lintel.fast.originals import MANY
from lintel.fast.statements import kept_statements

pytestmark = pytest.mark.fast_way


@pytest.fixture(params=["default", "postgresql"])
def alias(request: Any, db: None) -> str:
    if request.param != "default":
        request.getfixturevalue(request.param)
    return str(request.param)


def by_django(rows: Any, alias: str) -> Any:
    try:
        text, parameters = rows.query.get_compiler(alias).compile(rows.query.where)
    except FullResultSet:
        return "", ()
    except EmptyResultSet:
        return None
    return f" WHERE {text}", tuple(parameters)


def by_us(rows: Any, alias: str) -> Any:
    try:
        return conditions_of(rows.query, connections[alias])
    except EmptyResultSet:
        return None


# ---- any shape, any values ----

TEXTS = st.sampled_from(["", "a", "50%_", "\\", "%s", "é", "'", '"', "x" * 50])
NUMBERS = st.sampled_from([0, 1, -1, 2**31 - 1, 2**31, -(2**70), 2**70])
MOMENTS = st.sampled_from([datetime(2026, 1, 1, tzinfo=UTC), datetime(1, 1, 2, tzinfo=UTC)])
DECIMALS = st.sampled_from([Decimal(1), Decimal("-2.5"), Decimal("0.00"), 3])


def of(names: list[str], values: Any) -> Any:
    return st.tuples(st.sampled_from(names), values).map(Q)


COMPARED = ["gt", "gte", "lt", "lte", "exact"]
PATTERNS = ["contains", "icontains", "startswith", "istartswith", "endswith", "iendswith"]
leaves = st.one_of(
    of(["title", "title__in"], st.lists(TEXTS, max_size=3)).filter(
        lambda one: one.children[0][0] == "title__in"
    ),
    of([f"title__{name}" for name in [*PATTERNS, "iexact", "exact", "gt", "regex"]], TEXTS),
    of(["code__icontains", "owner__username__startswith", "owner__username"], TEXTS),
    of([f"id__{name}" for name in COMPARED], NUMBERS),
    of(["id__in", "owner__in"], st.lists(NUMBERS | st.none(), max_size=4)),
    of(["owner", "owner_id", "owner__id"], NUMBERS),
    of(["created__lt", "created__gte", "created__range"], MOMENTS).filter(
        lambda one: not one.children[0][0].endswith("range")
    ),
    of(["rating", "rating__gte", "rating__lt"], DECIMALS),
    of(["linenos", "title__isnull", "owner__isnull", "rating__isnull"], st.booleans()),
    st.sampled_from([Q(), Q(title=F("code")), Q(created__year=2026), Q(pk__in=[])]),
)
trees = st.recursive(
    leaves,
    lambda inside: st.one_of(
        inside.map(lambda one: ~one),
        st.lists(inside, min_size=2, max_size=3).map(lambda some: reduce(and_, some)),
        st.lists(inside, min_size=2, max_size=3).map(lambda some: reduce(or_, some)),
        st.lists(inside, min_size=2, max_size=2).map(lambda some: reduce(xor, some)),
    ),
    max_leaves=5,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tree=trees)
def test_the_text_is_that_of_django(alias: str, tree: Any) -> None:
    for _ in range(2):
        rows = Snippet.objects.filter(tree)
        assert by_us(rows, alias) == by_django(rows, alias)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXTS, min_size=2, max_size=4), numbers=st.lists(NUMBERS, min_size=4))
def test_other_values_are_put_into_the_same_text(
    alias: str, texts: list[str], numbers: list[int]
) -> None:
    for text in texts:
        for number in numbers:
            rows = Snippet.objects.filter(
                Q(title__icontains=text) | Q(title=text), ~Q(id__gte=number), owner=number
            )
            assert by_us(rows, alias) == by_django(rows, alias)


# ---- one shape is made once ----


def test_a_shape_is_compiled_once(alias: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = conditions._compiled
    calls: list[Any] = []
    monkeypatch.setattr(
        conditions, "_compiled", lambda *args: (calls.append(args), compiled(*args))[1]
    )
    shape = [lambda n: Q(title__icontains=f"another {n}") & Q(owner__username__in=[n, n + 9])]
    for number in range(5):
        rows = Snippet.objects.filter(shape[0](number))
        assert by_us(rows, alias) == by_django(rows, alias)
    assert len(calls) == 1


def test_long_lists_of_values_are_not_kept(alias: str) -> None:
    kept = kept_statements(connections[alias])
    before = set(kept)
    rows = Entry.objects.filter(id__in=range(MAX_PARAMETERS + 1), name="a", score__in=range(50))
    assert by_us(rows, alias) == by_django(rows, alias)
    assert not [key for key in set(kept) - before if "conditions" in key]


# ---- what a project decides ----


class Shouting(models.CharField):  # type: ignore[type-arg]
    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        return super().get_db_prep_value(value, connection, prepared).upper()


class Loud(IContains):
    def as_sql(self, compiler: Any, connection: Any) -> Any:
        return "1 = %s", [2]


@isolate_apps("contract_project")
def test_values_are_prepared_by_the_column_and_lookups_registered_later_write_their_text(
    alias: str,
) -> None:
    class Sign(models.Model):
        text = Shouting(max_length=10)

        class Meta:
            app_label = "contract_project"

    def rows() -> Any:
        return Sign.objects.filter(text="a", text__icontains="b")

    for _ in range(2):
        assert by_us(rows(), alias) == by_django(rows(), alias)
        assert by_us(rows(), alias)[1][0] == "A"
    Shouting.register_lookup(Loud)
    try:
        assert by_us(rows(), alias) == by_django(rows(), alias)
        assert "1 = %s" in by_us(rows(), alias)[0]
    finally:
        Shouting._unregister_lookup(Loud)  # type: ignore[attr-defined]
    assert "1 = %s" not in by_us(rows(), alias)[0]


@isolate_apps("contract_project")
def test_a_column_of_another_name_is_seen(alias: str) -> None:
    class Sign(models.Model):
        text = models.CharField(max_length=10)

        class Meta:
            app_label = "contract_project"

    field: Any = Sign._meta.get_field("text")
    assert '"text"' in by_us(Sign.objects.filter(text="a"), alias)[0]
    field.column = "other"
    assert '"other"' in by_us(Sign.objects.filter(text="a"), alias)[0]


def test_a_replaced_method_of_a_lookup_is_called(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    Entry.objects.create(name="a", created=datetime(2026, 1, 1, tzinfo=UTC), score=1)
    rows = Entry.objects.filter(name__icontains="A")
    assert count_of(rows) == 1
    monkeypatch.setattr(IContains, "as_sql", lambda *args: ("1 = %s", [2]))
    assert not MANY.may_be_replaced()
    assert rows.all().count() == 0
    assert count_of(rows) != 1


def test_operators_of_a_database_are_part_of_the_text(
    alias: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = connections[alias]
    rows = Snippet.objects.filter(title__icontains="operators")
    by_us(rows, alias)
    other = {**connection.operators, "icontains": "~~ %s"}
    monkeypatch.setattr(connection, "operators", other)
    assert by_us(rows, alias) == by_django(rows, alias)
