"""Conditions that are added without Django's search for joins are those that Django adds."""

from datetime import UTC, datetime
from decimal import Decimal
from functools import reduce
from operator import and_, or_
from typing import Any

import pytest
from contract_project.models import Entry, Snippet
from django.core.exceptions import EmptyResultSet, ValidationError
from django.db import models
from django.db.models import F, Q, Value
from django.db.models.lookups import IContains
from django.db.models.sql.query import Query
from django.test import override_settings
from django.test.utils import isolate_apps
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lintel.fast import PLAIN
from lintel.fast.filtering import filtered

pytestmark = pytest.mark.fast_way


@pytest.fixture(params=["default", "postgresql"])
def alias(request: Any, db: None) -> str:
    if request.param != "default":
        request.getfixturevalue(request.param)
    return str(request.param)


def said(rows: Any, alias: str) -> Any:
    query = rows.query
    tables = [*query.alias_map], {**query.alias_refcount}, {*query.used_aliases}
    try:
        text = query.clone().get_compiler(alias).as_sql()
    except EmptyResultSet:
        text = None
    return query.where, text, tables


TEXTS = st.sampled_from(["", "a", "50%_", "\\", "%s", "é", "'", "null", "\x00"])
NUMBERS = st.sampled_from([0, 1, -1, 2**31, -(2**70), 2**70, True, 1.5])
MOMENTS = st.sampled_from([datetime(2026, 1, 1, tzinfo=UTC), datetime(1, 1, 2, tzinfo=UTC)])
DECIMALS = st.sampled_from([Decimal(1), Decimal("-2.5"), Decimal("0.00"), 3])
PATTERNS = ["contains", "icontains", "startswith", "istartswith", "endswith", "iendswith"]


def of(names: list[str], values: Any) -> Any:
    return st.tuples(st.sampled_from(names), values).map(Q)


plain = st.one_of(
    of([f"title__{name}" for name in [*PATTERNS, "iexact", "exact", "gt"]], TEXTS),
    of(["id", *[f"id__{name}" for name in ("gt", "gte", "lt", "lte", "exact")]], NUMBERS),
    of(["created__lt", "created__gte", "created"], MOMENTS),
    of(["rating", "rating__gte", "rating__lt"], DECIMALS),
    of(["linenos", "title__isnull", "rating__isnull"], st.booleans()),
)
others = st.one_of(
    of(["owner", "owner_id", "pk", "owner__id"], st.just(1)),
    of(["code__regex", "owner__username__startswith"], st.just("a")),
    of(["id__in"], st.lists(st.just(1), max_size=2)),
    st.sampled_from(
        [
            Q(),
            ~Q(id=1),
            Q(title=F("code")),
            Q(created__year=2026),
            Q(title=Value("a")),
            Q(code=None),
        ]
    ),
)


def trees(of_leaves: Any) -> Any:
    return st.recursive(
        of_leaves,
        lambda inside: st.one_of(
            st.lists(inside, min_size=2, max_size=3).map(lambda some: reduce(and_, some)),
            st.lists(inside, min_size=2, max_size=3).map(lambda some: reduce(or_, some)),
            st.lists(inside, min_size=1, max_size=2).map(lambda some: Q(*some)),
        ),
        max_leaves=5,
    )


def outcome(function: Any, alias: str) -> Any:
    try:
        rows = function()
        return rows if rows is PLAIN else said(rows, alias)
    except (TypeError, ValueError, ValidationError) as error:
        return type(error), str(error)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=trees(plain | others), second=trees(plain | others), is_ordered=st.booleans())
def test_the_query_is_that_of_django(alias: str, first: Any, second: Any, is_ordered: bool) -> None:
    for rows in (Snippet.objects.all(), Snippet.objects.filter(owner__username="a")):
        rows = rows.order_by("-id") if is_ordered else rows
        for condition in (first, second):
            by_django = outcome(lambda: rows.filter(condition), alias)  # noqa: B023
            assert outcome(lambda: filtered(rows, condition), alias) in (by_django, PLAIN)  # noqa: B023
            if type(by_django[0]) is type:
                break
            rows = rows.filter(condition)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(condition=trees(plain))
def test_conditions_on_columns_are_not_left_to_django(alias: str, condition: Any) -> None:
    rows = Snippet.objects.using(alias)
    empties = [value for _, value in leaves_of(condition) if value == ""]
    if not empties:
        by_django = outcome(lambda: rows.filter(condition), alias)
        assert outcome(lambda: filtered(rows.all(), condition), alias) == by_django


def leaves_of(condition: Any) -> Any:
    for child in condition.children:
        yield from leaves_of(child) if isinstance(child, Q) else [child]


def test_the_given_queryset_stays_as_it_is(alias: str) -> None:
    rows = Snippet.objects.using(alias).order_by("id")
    before = said(rows, alias)
    assert filtered(rows, Q(title="a")) is not rows
    assert said(rows, alias) == before


UNCERTAIN = {
    "annotations": lambda: Snippet.objects.annotate(title2=F("title")),
    "limits": lambda: Snippet.objects.all()[:3],
    "rows at hand": lambda: fetched(Snippet.objects.all()),
    "values": lambda: Snippet.objects.values("id"),
    "a union": lambda: Snippet.objects.all().union(Snippet.objects.all()),
    "no queryset": list,
}


def fetched(rows: Any) -> Any:
    len(rows)
    return rows


@pytest.mark.parametrize("name", UNCERTAIN)
@pytest.mark.django_db
def test_other_rows_are_left_to_django(name: str) -> None:
    assert filtered(UNCERTAIN[name](), Q(title="a")) is PLAIN


@isolate_apps("contract_project")
def test_columns_of_parents_and_of_the_project_are_left_to_django() -> None:
    class Upper(models.CharField):  # type: ignore[type-arg]
        def get_lookup(self, lookup_name: str) -> Any:
            return super().get_lookup(f"i{lookup_name}")

    class FilteringParent(models.Model):
        name = models.TextField()

        class Meta:
            app_label = "contract_project"
            db_table = "filtering_parent"

    class FilteringChild(FilteringParent):
        code = Upper()

        class Meta:
            app_label = "contract_project"
            db_table = "filtering_child"

    assert filtered(FilteringChild._default_manager.all(), Q(name="a")) is PLAIN
    assert filtered(FilteringChild._default_manager.all(), Q(code="a")) is PLAIN
    assert filtered(FilteringParent._default_manager.all(), Q(name="a")) is not PLAIN


def test_lookups_of_the_project_are_left_to_django(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Snippet.objects.all()
    assert filtered(rows, Q(title__icontains="a")) is not PLAIN

    class Mine(IContains):
        pass

    models.CharField.register_lookup(Mine)
    try:
        assert filtered(rows, Q(title__icontains="a")) is PLAIN
    finally:
        models.CharField._unregister_lookup(Mine)
    assert filtered(rows, Q(title__icontains="a")) is not PLAIN


@pytest.mark.parametrize("name", ["build_filter", "add_q", "_add_q", "setup_joins", "build_lookup"])
def test_replaced_functions_of_django_are_called(name: str, monkeypatch: Any) -> None:
    held = getattr(Query, name)
    monkeypatch.setattr(Query, name, lambda *args, **kwargs: held(*args, **kwargs))
    assert filtered(Entry.objects.all(), Q(score=1)) is PLAIN


def test_querysets_that_filter_in_their_own_way_are_asked() -> None:
    class Mine(models.QuerySet[Entry]):
        def filter(self, *args: Any, **kwargs: Any) -> Any:
            return super().filter(*args, **kwargs)

    assert filtered(Mine(Entry), Q(score=1)) is PLAIN
    rows = Entry.objects.all()
    rows.filter = None  # type: ignore[method-assign,assignment]
    assert filtered(rows, Q(score=1)) is PLAIN


def test_the_switch_leaves_all_to_django() -> None:
    with override_settings(REST_FRAMEWORK={"ORM_SHORTCUTS": False}):
        assert filtered(Entry.objects.all(), Q(score=1)) is PLAIN
