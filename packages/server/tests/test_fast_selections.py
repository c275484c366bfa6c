"""The SQL of a query of many rows equals Django's, whatever the conditions, order and limits."""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import reduce
from operator import and_, or_
from typing import Any

import pytest
from contract_project.models import Entry, Everything, Profile, Snippet, Tag
from django.contrib.auth.models import User
from django.core.exceptions import EmptyResultSet
from django.db import connection, connections, models
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Lower
from django.db.models.sql.compiler import SQLCompiler
from django.test.utils import CaptureQueriesContext, isolate_apps
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from servers import everything_in

from lintel import serializers
from lintel.fast import selections, statements
from lintel.fast.counting import count_of
from lintel.fast.pages import LazyPage, Rows
from lintel.fast.plain import PLAIN
from lintel.fast.selections import Selection
from lintel.pagination.counts import exact_count
from lintel.trust import store
from lintel.trust.store import Store

in_memory = pytest.mark.django_db


class Named(serializers.ModelSerializer[Any]):
    class Meta:
        model = Entry
        fields = ["id", "name"]


MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


def by_django(rows: Any, columns: tuple[str, ...]) -> Any:
    """The text and parameters of Django, or the error that says that nothing can be found."""
    try:
        return rows.values_list(*columns).query.sql_with_params()
    except EmptyResultSet:
        return EmptyResultSet


def selection_of(rows: Any, columns: tuple[str, ...]) -> Selection | None:
    return selections.selection_of(rows, columns, connections[rows.db])


def by_us(rows: Any, columns: tuple[str, ...]) -> Any:
    """Ours, without the signs before dates; None where only Django knows."""
    database = connections[rows.db]
    selection_of(rows, columns)  # compiled, and then used again
    selection = selection_of(rows, columns)
    if selection is None:
        return None
    try:
        text, parameters = selection.statement(rows.query, database)
        return text.replace('+"', '"'), parameters
    except EmptyResultSet:
        return EmptyResultSet


# ---- any conditions, order and limits ----

CONDITIONS: list[Q | Exists] = [
    Q(name="entry"),
    Q(name__icontains="50%_"),
    Q(name__in=["a", "b"]),
    Q(name__in=[]),
    Q(score__isnull=True),
    Q(score__gt=2),
    Q(score__gte=2**70),
    Q(score=F("id")),
    Q(created__gte=MOMENT, created__lt=MOMENT),
    Q(created__year=2026),
    Q(created__year__in=[2025, 2026]),
    Q(pk__in=Entry.objects.filter(score=1).values("pk")),
    Q(pk__in=[]),
    Q(),
    Exists(Entry.objects.filter(score=OuterRef("score"), id__lt=OuterRef("id"))),
    Q(name__regex="^e"),
]
ORDERS: list[Any] = [
    *("id", "-id", "pk", "name", "-created", "created__year", "?"),
    F("score").desc(nulls_last=True),
    F("score").asc(),
    Lower("name"),
]

conditions = st.recursive(
    st.sampled_from(CONDITIONS).map(Q),
    lambda inside: st.one_of(
        inside.map(lambda one: ~one),
        st.lists(inside, min_size=2, max_size=3).map(lambda some: reduce(and_, some)),
        st.lists(inside, min_size=2, max_size=3).map(lambda some: reduce(or_, some)),
    ),
    max_leaves=4,
)
limits = st.tuples(st.none() | st.integers(0, 9), st.none() | st.integers(0, 9))


@pytest.mark.fast_way
@in_memory
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(conditions, max_size=2),
    st.lists(st.sampled_from(ORDERS), max_size=3),
    limits,
    st.lists(st.sampled_from(["id", "pk", "name", "created", "score"]), min_size=1, unique=True),
)
def test_the_text_is_that_of_django(
    some: list[Any], order: list[Any], limit: Any, columns: list[str]
) -> None:
    rows = Entry.objects.filter(*some).order_by(*order)[slice(*sorted(limit, key=str))]
    ours = by_us(rows, tuple(columns))
    has_functions = "created__year" in order or any(isinstance(term, Lower) for term in order)
    assert (ours is None) == has_functions
    if ours is not None:
        assert ours == by_django(rows, tuple(columns))


@pytest.mark.fast_way
@in_memory
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(conditions, max_size=2))
def test_the_count_is_that_of_django(some: list[Any]) -> None:
    rows = Entry.objects.filter(*some).order_by("name")
    with CaptureQueriesContext(connection) as ours:
        found = count_of(rows)
    with CaptureQueriesContext(connection) as theirs:
        assert rows.count() == found
    assert [each["sql"] for each in ours] == [each["sql"] for each in theirs]


# ---- what does not qualify ----


@in_memory
@pytest.mark.parametrize(
    "rows",
    [
        Snippet.objects.order_by("owner__username"),
        Snippet.objects.annotate(count=Count("tags")),
        Snippet.objects.distinct(),
        Snippet.objects.union(Snippet.objects.all()),
        Snippet.objects.extra(where=["1 = 1"], select={"one": "1"}),
        Snippet.objects.select_for_update(),
        Snippet.objects.values("id"),
        Snippet.objects.alias(owned=F("owner__username")).order_by("owned"),
        Snippet.objects.order_by(Value(1)),
    ],
    ids=range(9),
)
def test_only_django_knows(rows: Any) -> None:
    assert selection_of(rows, ("id",)) is None


@pytest.mark.fast_way
@in_memory
def test_an_order_by_tables_of_others_has_a_count() -> None:
    rows = Snippet.objects.order_by("owner__username")
    assert (selection_of(rows, ("id",)), count_of(rows)) == (None, 0)
    assert count_of(Snippet.objects.all()[:3]) is PLAIN


@in_memory
def test_a_queryset_with_a_count_of_its_own_is_asked() -> None:
    class Own(QuerySet):
        def count(self) -> int:
            return 7

    assert count_of(Own(Snippet)) is PLAIN


@pytest.mark.fast_way
@in_memory
@isolate_apps("contract_project")
def test_tables_of_parents_are_joined_by_django() -> None:
    class Parent(models.Model):
        name = models.CharField(max_length=9)

        class Meta:
            app_label = "contract_project"

    class Child(Parent):
        size = models.IntegerField()

        class Meta:
            app_label = "contract_project"

    class Stand(Child):
        class Meta:
            app_label = "contract_project"
            proxy = True
            ordering = ["-size"]

    assert selection_of(Child.objects.all(), ("name",)) is None
    assert by_us(Stand.objects.all(), ("size",)) == by_django(Stand.objects.all(), ("size",))


@pytest.mark.fast_way
@in_memory
def test_the_order_of_a_model_counts_until_there_is_another() -> None:
    for rows in (
        Snippet.objects.all(),
        Snippet.objects.order_by(),
        Snippet.objects.reverse(),
        Snippet.objects.order_by("title").reverse(),
        Snippet.objects.filter(pk__gt=1).reverse()[2:4],
    ):
        assert by_us(rows, ("id", "title")) == by_django(rows, ("id", "title"))


@pytest.mark.fast_way
@in_memory
def test_a_model_that_has_changed_is_compiled_anew() -> None:
    first = selection_of(Tag.objects.all(), ("id",))
    assert selection_of(Tag.objects.all(), ("id",)) is first
    Tag._meta._expire_cache()
    assert selection_of(Tag.objects.all(), ("id",)) is not first


@pytest.mark.fast_way
@in_memory
@pytest.mark.parametrize("method", ["execute_sql", "as_sql"])
def test_who_replaces_a_method_of_django_is_called(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(vars(connections["default"]), "_lintel_statements", Store())
    rows = Entry.objects.order_by("id")
    assert Named(rows.all(), many=True).data == []
    called = []
    own = getattr(SQLCompiler, method)

    def noted(*args: Any, **kwargs: Any) -> Any:
        called.append(method)
        return own(*args, **kwargs)

    monkeypatch.setattr(SQLCompiler, method, noted)
    assert count_of(rows) is PLAIN
    assert (Named(rows.all(), many=True).data, exact_count(rows)) == ([], 0)
    assert len(called) >= 2


@pytest.mark.fast_way
@in_memory
def test_a_connection_keeps_no_more_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_KEPT", 3)
    kept = statements.kept_statements(connections["default"])
    kept.clear()
    for number, name in enumerate(("id", "title", "code", "style", "linenos")):
        selection_of(Snippet.objects.all(), (name,))
        assert len(kept) == (1, 2, 3, 3, 3)[number]


# ---- rows ----


@pytest.fixture(params=["sqlite_file", "postgresql"])
def alias(request: pytest.FixtureRequest, django_db_blocker: Any) -> Iterator[str]:
    """Databases with a few rows."""
    with everything_in(request.getfixturevalue(request.param), django_db_blocker) as name:
        yield name
        for model in (Profile, Entry, Everything, User):
            model._default_manager.all().delete()


@pytest.mark.fast_way
def test_rows_and_their_values_are_those_of_django(alias: str) -> None:
    Entry.objects.bulk_create(
        Entry(name=f"entry {number}", created=MOMENT, score=number % 3 or None)
        for number in range(250)
    )
    names = ("name", "created", "score")
    for rows in (
        Entry.objects.order_by("id"),
        Entry.objects.order_by("-score", "id").filter(score__gt=1)[3:9],
        Entry.objects.filter(pk__in=[]),
        Entry.objects.filter(name="no such entry"),
    ):
        assert selection_of(rows, names) is not None
        answer = Rows(rows, names, (None,) * 3)
        assert list(answer.read()) == list(rows.values_list(*names))
        assert count_of(rows) in (PLAIN, rows.count())


@pytest.mark.fast_way
def test_columns_of_all_kinds(alias: str) -> None:
    user = User.objects.create(username="alice")
    Profile.objects.create(user=user, bio="b")
    names = ("user", "bio")
    profiles = Profile.objects.all()
    page = LazyPage(profiles, lambda fetch, key_of: [key_of(row) for row in fetch()], names)
    assert list(Rows(profiles, names, (None, None), page).read()) == [(user.pk, "b")]
    assert len(page) == 1
    columns = tuple(field.attname for field in Everything._meta.concrete_fields)
    assert by_us(Everything.objects.all(), columns) == by_django(Everything.objects.all(), columns)
