"""Faults of the shortcuts for rows and counts, and of watchers: each test fails until repaired."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from contract_project.models import Snippet, Tag
from django.db import connection, connections, models, router
from django.db.models import lookups
from django.db.models import query as query_module
from django.db.models.aggregates import Count
from django.db.models.expressions import Col
from django.db.models.sql import Query
from django.db.models.sql.datastructures import BaseTable
from django.db.models.sql.where import WhereNode
from django.db.utils import ConnectionRouter
from django.test.utils import override_settings
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_variables

from lintel.fast import unique_columns
from lintel.fast.counting import count_of
from lintel.fast.plain import PLAIN
from lintel.fast.rows import known_row, row_of
from lintel.trust.originals import is_of_django, off

pytestmark = [pytest.mark.django_db, pytest.mark.fast_way]


@pytest.fixture(autouse=True)
def rows() -> None:
    Tag.objects.bulk_create(Tag(id=number, name=f"tag-{number}") for number in range(1, 4))


def outcome(function: Callable[[], Any]) -> Any:
    """The name of the row and its database, or the error."""
    try:
        found: Any = function()
    except Exception as error:
        return type(error)
    return (found.name, found._state.db) if isinstance(found, models.Model) else found


def manager_of(cls: Any, queryset_class: Any = models.QuerySet) -> Any:
    manager = cls.from_queryset(queryset_class)()
    manager.model, manager.name = Tag, "objects"
    return manager


def warmed(source: Any) -> Any:
    """Return the source of rows, from which some were found."""
    for name, value in (("pk", 1), ("name", "tag-1")) * 2:
        known_row(source, name, value)
    return source


def assert_same(source: Any) -> None:
    """Both ways find the same row by each column."""
    for name, value in (("pk", 1), ("name", "tag-1")):
        found = outcome(functools.partial(row_of, source, name, value))
        with off():
            wanted = outcome(functools.partial(source.get, **{name: value}))
        assert found == wanted, name


# ---- other bases of a class of Django ----


class _Hiding:
    def get_queryset(self) -> Any:
        return super().get_queryset().exclude(pk=1)  # type: ignore[misc]


class _Negating:
    def as_sql(self, *args: Any) -> Any:
        text, parameters = super().as_sql(*args)  # type: ignore[misc]
        return f"NOT ({text})", parameters


class _Limiting:
    def limit_offset_sql(self, *args: Any) -> str:
        return "LIMIT 0"


@pytest.mark.parametrize(
    ("cls", "mixin"),
    [
        (models.Manager, _Hiding),
        (lookups.Exact, _Negating),
        (lookups.IntegerFieldExact, _Negating),
        (type(connection.ops), _Limiting),
    ],
)
def test_other_bases_of_a_class_of_django_count(cls: Any, mixin: Any) -> None:
    manager = warmed(Tag.objects)
    before = cls.__bases__
    try:
        cls.__bases__ = (mixin, *before)
        assert_same(manager)
    finally:
        cls.__bases__ = before


# ---- what is kept by unique_column() ----


class _Routing(ConnectionRouter):
    def db_for_read(self, *args: Any, **hints: Any) -> str:
        return "elsewhere"


def test_another_class_of_the_router_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = warmed(Tag.objects)
    monkeypatch.setattr(router, "__class__", _Routing)
    assert known_row(manager, "pk", 1) is PLAIN


def test_another_namespace_of_the_router_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = warmed(Tag.objects)
    own = {**vars(router), "db_for_read": lambda *args, **hints: "elsewhere"}
    monkeypatch.setattr(router, "__dict__", own)
    assert known_row(manager, "pk", 1) is PLAIN


def test_another_namespace_of_the_column_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    column = Tag._meta.get_field("name")
    manager = warmed(Tag.objects)

    def as_sql(self: Any, *args: Any) -> Any:
        text, parameters = lookups.Exact.as_sql(self, *args)
        return f"NOT ({text})", parameters

    # Not with the mixin from above: as long as this class lives, that could not become a base.
    lookup = type("Negated", (lookups.Exact,), {"as_sql": as_sql})
    monkeypatch.setattr(column, "__dict__", {**vars(column), "get_lookup": lambda name: lookup})
    assert_same(manager)


def test_a_method_that_takes_the_place_of_another_counts() -> None:
    class Found(models.QuerySet[Tag]):
        def strict(self, *args: Any, **kwargs: Any) -> str:
            return "strict"

    manager = warmed(manager_of(models.Manager, Found))
    Found.get = Found.strict  # type: ignore[assignment, method-assign]
    del Found.strict
    assert_same(manager)


def test_a_method_of_a_manager_that_takes_the_place_of_another_counts() -> None:
    class Finding(models.Manager[Tag]):
        def fewer(self) -> Any:
            return super().get_queryset().exclude(pk=1)

    class Manager(Finding): ...

    manager = warmed(manager_of(Manager))
    Finding.get_queryset = Finding.fewer  # type: ignore[assignment, method-assign]
    del Finding.fewer
    assert_same(manager)


# ---- classes of the project ----


class _OwnGet(models.Manager[Tag]):
    def get(self, *args: Any, **kwargs: Any) -> Any:
        return "own"


class _Fewer(models.Manager[Tag]):
    def get_queryset(self) -> Any:
        return super().get_queryset().filter(pk__gt=0)


def _with_own_get() -> Any:
    return manager_of(models.Manager, _Other).all()


@pytest.mark.parametrize("source_of", [lambda: manager_of(_Fewer), _with_own_get])
def test_rows_that_only_django_finds_cost_no_warrant_each(
    source_of: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    usual = unique_columns.warrant_of

    def noted(title: str, *args: Any, **kwargs: Any) -> Any:
        made.append(title)
        return usual(title, *args, **kwargs)

    monkeypatch.setattr(unique_columns, "warrant_of", noted)
    source = source_of()
    for _ in range(5):
        assert known_row(source, "pk", 1) is PLAIN
    assert len(made) <= 1


class _Other(models.QuerySet[Tag]):
    def get(self, *args: Any, **kwargs: Any) -> Any:
        return "other"


class _Making(type):
    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return _Other(*args, **kwargs)


class _Masking(query_module.ModelIterable):
    def __iter__(self) -> Iterator[Any]:
        for row in super().__iter__():
            row.name = "masked"
            yield row


def _forbid(*args: Any, **kwargs: Any) -> None:
    raise PermissionError


def _drop_rows(self: Any, name: str, value: Any) -> None:
    object.__setattr__(self, name, [] if name == "_result_cache" and value else value)


_MEMBERS: list[dict[str, Any]] = [
    {"__len__": lambda self: 0},
    {"__new__": lambda cls, *args, **kwargs: _Other(*args, **kwargs)},
    {"__setattr__": _drop_rows},
    {"_not_support_combined_queries": _forbid},
    {"_db": property(lambda self: "missing", lambda self, value: None)},
    {"_iterable_class": property(lambda self: _Masking, lambda self, value: None)},
]


@pytest.mark.parametrize("members", _MEMBERS, ids=[next(iter(each)) for each in _MEMBERS])
def test_querysets_of_the_project(members: dict[str, Any]) -> None:
    assert_same(warmed(manager_of(models.Manager, type("Found", (models.QuerySet,), members))))


def test_querysets_of_a_metaclass_of_the_project() -> None:
    assert_same(warmed(manager_of(models.Manager, _Making("Found", (models.QuerySet,), {}))))


# ---- what one query holds ----


@pytest.mark.filterwarnings("ignore:Calling select_related")
def test_the_depth_of_related_rows_counts(django_user_model: Any) -> None:
    owner = django_user_model.objects.create(username="owner")
    Snippet.objects.create(id=1, code="x", owner=owner)
    warmed(Snippet.objects.select_related())
    queryset = Snippet.objects.select_related()
    queryset.query.max_depth = 0
    assert row_of(queryset, "pk", 1)._state.fields_cache == queryset.get(pk=1)._state.fields_cache


@pytest.mark.parametrize(
    "change",
    [
        lambda query: query.where.negate(),
        lambda query: setattr(query, "where", type("Where", (_Negating, WhereNode), {})()),
    ],
    ids=["negated", "class"],
)
def test_what_the_query_has_of_its_own_counts(change: Callable[[Any], None]) -> None:
    warmed(Tag.objects.all())
    queryset = Tag.objects.all()
    change(queryset.query)
    assert_same(queryset)


# ---- functions of Django ----


def _negated(self: Any, compiler: Any, connection: Any, **more: Any) -> Any:
    text, parameters = self.as_sql(compiler, connection, **more)
    return f"NOT ({text})", parameters


def _other_table(self: Any, compiler: Any, connection: Any, **more: Any) -> Any:
    table = self.table_name
    return f"(SELECT id, upper(name) AS name FROM {table}) AS {table}", []


@pytest.mark.parametrize(
    ("owner", "method"),
    [
        (lookups.Exact, _negated),
        (lookups.Lookup, _negated),
        (WhereNode, _negated),
        (BaseTable, _other_table),
    ],
)
def test_sql_for_one_database_counts(
    owner: Any, method: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = warmed(Tag.objects)
    monkeypatch.setattr(owner, f"as_{connection.vendor}", method, raising=False)
    assert_same(manager)


#: Classes between an object and the class whose function is compared.
_NEARER = [
    (lookups.Exact, "get_rhs_op"),
    (lookups.Exact, "process_rhs"),  # reached by super() from that of integers
    (lookups.Exact, "get_db_prep_lookup"),
    (lookups.Exact, "get_prep_lhs"),
    (lookups.Exact, "rhs_is_direct_value"),
    (WhereNode, "add"),
    (WhereNode, "__init__"),
    (Col, "get_lookup"),
    (Col, "resolve_expression"),
    (query_module.ModelIterable, "__init__"),
    (models.QuerySet, "__setattr__"),
    (Query, "__setattr__"),
    (Query, "__getattribute__"),
    (WhereNode, "__getattribute__"),
    (Col, "__getattribute__"),
]


@pytest.mark.parametrize(("owner", "name"), _NEARER)
def test_a_method_of_a_nearer_class_counts(
    owner: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = warmed(Tag.objects)
    method = getattr(owner, name)
    calls: list[str] = []

    def noted(*args: Any, **kwargs: Any) -> Any:
        calls.append(name)
        return method(*args, **kwargs)

    monkeypatch.setattr(owner, name, noted, raising=False)
    assert known_row(manager, "pk", 1) is PLAIN or calls


def _hiding(function: Any) -> Any:
    @functools.wraps(function)
    def hiding(self: Any, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs).exclude(pk=1)

    return hiding


def _hiding_bound(function: Any) -> Any:
    return lambda *args, **kwargs: function(*args, **kwargs).exclude(pk=1)


_FILTER = models.QuerySet.filter


@pytest.mark.parametrize(
    "function",
    [
        method_decorator(_hiding_bound)(_FILTER),
        sensitive_variables("args")(_hiding(_FILTER)),
        override_settings(USE_TZ=True)(_hiding(_FILTER)),
    ],
    ids=["method_decorator", "sensitive_variables", "override_settings"],
)
def test_a_function_that_django_wraps_or_has_elsewhere_is_not_the_original(
    function: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = warmed(Tag.objects)
    monkeypatch.setattr(models.QuerySet, "filter", function)
    assert_same(manager)


class _NegatedQ(models.Q):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.negate()


class _NegatedQuery(Query):
    def add_q(self, q: Any, *args: Any) -> None:
        super().add_q(~q, *args)


class _Elsewhere:
    def __getitem__(self, alias: str) -> Any:
        raise PermissionError


def _exclude(self: Any, *args: Any, **kwargs: Any) -> Any:
    return self._filter_or_exclude(True, args, kwargs)


def test_a_row_is_of_the_database_that_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connections.databases, "copied", connections.databases["default"])
    connections["copied"] = connections["default"]
    try:
        assert_same(warmed(Tag.objects.using("copied")))
    finally:
        del connections["copied"]


# ---- counts ----


def _nothing(self: Any, *args: Any, **kwargs: Any) -> Any:
    return "0", []


def test_another_way_to_copy_a_query_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    clone = Query.clone

    def cloned(self: Any) -> Any:
        result = clone(self)
        result.set_empty()
        return result

    assert count_of(Tag.objects.all()) == 3
    queryset = Tag.objects.all()
    monkeypatch.setattr(Query, "clone", cloned)
    found = count_of(queryset)
    assert found is PLAIN or found == queryset.count()


@pytest.mark.parametrize("name", ["as_sql", "as_sqlite"])
def test_another_way_to_write_a_count_counts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert count_of(Tag.objects.all()) == 3
    monkeypatch.setattr(Count, name, _nothing, raising=False)
    found = count_of(Tag.objects.all())
    assert found is PLAIN or found == Tag.objects.all().count()


def test_functions_that_hold_themselves_are_examined() -> None:
    def again() -> Any:
        return again, other

    def other() -> Any:
        return again

    assert not is_of_django(again)
    assert is_of_django(models.QuerySet.filter)
