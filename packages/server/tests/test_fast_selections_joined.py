"""The SQL of a query over several tables equals Django's, however they are joined."""

from collections.abc import Callable
from functools import reduce
from operator import and_, or_
from typing import Any

import pytest
from contract_project.models import Profile, Snippet, Tag
from django.contrib.auth.models import User
from django.contrib.contenttypes.fields import GenericForeignKey, GenericRelation
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import EmptyResultSet
from django.db import connections, models
from django.db.models import Exists, OuterRef, Q
from django.db.models.fields.related import ForeignObject
from django.db.models.sql.datastructures import Join
from django.test.utils import CaptureQueriesContext, isolate_apps, override_settings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lintel import serializers
from lintel.fast import selections
from lintel.fast.counting import count_of
from lintel.fast.plain import PLAIN
from lintel.fast.selections import Selection

pytestmark = pytest.mark.fast_way

CONDITIONS: list[Q | Exists] = [
    Q(title="t1"),
    Q(owner=1),
    Q(owner__username="user 1"),
    Q(owner__username__icontains="50%_"),
    Q(owner__profile__bio="x"),
    Q(owner__profile=None),
    Q(owner__snippets__title__in=["t1", "t2"]),
    Q(owner__in=User.objects.filter(username="user 1")),
    Q(owner__in=[]),
    Q(tags=2),
    Q(tags__name="tag 1"),
    Q(tags__name__in=["tag 1", "tag 2"], tags__id__gt=1),
    Q(tags__isnull=True),
    Q(tags__snippets__owner__username="user 0"),
    Q(Exists(Tag.objects.filter(snippets=OuterRef("pk"), name=OuterRef("title")))),
]
COLUMNS = [
    *("id", "title", "owner", "owner_id", "owner__username", "owner__profile__bio"),
    *("tags__id", "tags__name", "owner__snippets__title"),
]
ORDERS = ["id", "-title", "pk"]

conditions = st.recursive(
    st.sampled_from(CONDITIONS).map(Q),
    lambda inside: st.one_of(
        inside.map(lambda one: ~one),
        st.lists(inside, min_size=2, max_size=3).map(lambda some: reduce(and_, some)),
        st.lists(inside, min_size=2, max_size=3).map(lambda some: reduce(or_, some)),
    ),
    max_leaves=3,
)


def by_django(rows: Any, columns: tuple[str, ...]) -> Any:
    try:
        query = rows.values_list(*columns).query
        sql, parameters = query.get_compiler(rows.db).as_sql()
        return sql, tuple(parameters)
    except EmptyResultSet:
        return EmptyResultSet


def kept(rows: Any, columns: tuple[str, ...]) -> Selection | None:
    return selections.selection_of(rows, columns, connections[rows.db])


def by_us(rows: Any, columns: tuple[str, ...]) -> Any:
    kept(rows, columns)  # compiled, and then used again
    selection = kept(rows, columns)
    assert selection is not None
    try:
        return selection.statement(rows.query, connections[rows.db])
    except EmptyResultSet:
        return EmptyResultSet


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(conditions, max_size=2),
    st.lists(st.sampled_from(ORDERS), max_size=2),
    st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=4, unique=True),
)
def test_text_and_count_are_those_of_django(
    alias: str, some: list[Any], order: list[str], columns: list[str]
) -> None:
    rows = Snippet.objects.using(alias).order_by(*order)
    for condition in some:
        rows = rows.filter(condition)
    assert by_us(rows, tuple(columns)) == by_django(rows, tuple(columns))
    with CaptureQueriesContext(connections[alias]) as ours:
        found = count_of(rows)
    with CaptureQueriesContext(connections[alias]) as theirs:
        assert rows.count() == found
    assert [each["sql"] for each in ours] == [each["sql"] for each in theirs]


def test_other_joins_are_other_statements(alias: str) -> None:
    rows = Snippet.objects.using(alias)
    one = rows.filter(tags__name="tag 1")
    two = one.filter(tags__name="tag 2")
    outer = rows.filter(Q(tags__name="tag 1") | Q(title="t1"))
    found = [kept(each, ("id",)) for each in (rows.all(), one, two, outer)]
    assert len({each.head for each in found if each is not None}) == 4


class OwnerSerializer(serializers.Serializer[Any]):
    username = serializers.CharField()


class SnippetSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    owner = OwnerSerializer()


class TaggedSerializer(SnippetSerializer):
    tags = serializers.SlugRelatedField(slug_field="name", many=True, read_only=True)


@pytest.mark.parametrize("serializer", [SnippetSerializer, TaggedSerializer])
def test_joined_lists_are_those_of_instances(alias: str, serializer: Any) -> None:
    for rows in (
        Snippet.objects.using(alias).select_related("owner").order_by("id"),
        Snippet.objects.using(alias).filter(owner__username="user 1").order_by("-id"),
        Snippet.objects.using(alias).filter(tags__name="tag 1").order_by("id")[1:3],
    ):
        shown = [serializer(rows.all(), many=True).data for _ in range(2)]
        with override_settings(REST_FRAMEWORK={"ORM_SHORTCUTS": False}):
            assert shown == [serializer(rows.all(), many=True).data] * 2


# ---- what Django does not decide alone ----


def _restricted(self: Any, alias: str, related_alias: str) -> Any:
    field = Tag._meta.get_field("id")
    return models.lookups.Exact(field.get_col(alias), -1)


@pytest.mark.parametrize(
    ("owner", "name", "replace"),
    [
        (ForeignObject, "get_extra_restriction", lambda own: _restricted),
        (Join, "as_sql", lambda own: lambda self, *args: (own(self, *args)[0] + " AND 1 = 0", [])),
    ],
)
def test_joins_of_the_project_are_its_own(
    alias: str, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, replace: Callable[..., Any]
) -> None:
    rows = Snippet.objects.using(alias).filter(owner__username="user 1")
    assert kept(rows, ("id", "owner__username")) is not None
    assert count_of(rows) == 2
    monkeypatch.setattr(owner, name, replace(getattr(owner, name)))
    assert kept(rows, ("id", "owner__username")) is None
    assert count_of(rows) is PLAIN


def test_another_table_of_a_joined_model_is_noticed(
    alias: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = Snippet.objects.using(alias).filter(owner__username="user 1")
    columns = ("id", "owner__username")
    before = by_us(rows, columns)
    monkeypatch.setattr(User._meta, "db_table", "tenant_user")
    again = Snippet.objects.using(alias).filter(owner__username="user 1")
    assert by_us(again, columns) == by_django(again, columns) != before


def test_each_database_keeps_its_own(sqlite_file: str, postgresql: str) -> None:
    texts = [
        by_us(Snippet.objects.using(alias).filter(owner__username__icontains="x"), ("id",))
        for alias in (sqlite_file, postgresql)
    ]
    assert texts[0] != texts[1]


@pytest.mark.django_db
@isolate_apps("contract_project")
def test_a_relation_with_a_condition_of_its_own_is_joined_by_django() -> None:
    class Restricting(models.ForeignKey):
        def get_extra_restriction(self, alias: Any, related_alias: Any) -> Any:
            return _restricted(self, related_alias, "")

    class Owned(models.Model):
        owner = Restricting(Tag, models.CASCADE)

        class Meta:
            app_label = "contract_project"

    rows = Owned.objects.filter(owner__name="tag 1")
    assert kept(rows, ("id",)) is None
    assert count_of(rows) is PLAIN


class LiveRel(models.ManyToOneRel):
    is_live = True

    def get_extra_restriction(self, alias: Any, related_alias: Any) -> Any:
        column = self.related_model._meta.get_field("deleted").get_col(alias)
        return models.lookups.IsNull(column, True) if self.is_live else None


class LiveForeignKey(models.ForeignKey):
    rel_class = LiveRel


class LiveRelation(GenericRelation):
    def get_extra_restriction(self, alias: Any, remote_alias: Any) -> Any:
        column = self.remote_field.model._meta.get_field("deleted").get_col(remote_alias)
        return models.lookups.IsNull(column, True) if LiveRel.is_live else None


@pytest.mark.django_db
@isolate_apps("contract_project", "django.contrib.contenttypes")
def test_conditions_of_reverse_and_generic_relations_are_those_of_the_moment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Parent(models.Model):
        notes = LiveRelation("Kid", related_query_name="+")

        class Meta:
            app_label = "contract_project"

    class Kid(models.Model):
        parent = LiveForeignKey(Parent, models.CASCADE, related_name="kids")
        deleted = models.IntegerField(null=True)
        content_type = models.ForeignKey(ContentType, models.CASCADE)
        object_id = models.IntegerField()
        target = GenericForeignKey()

        class Meta:
            app_label = "contract_project"

    for relation in ("kids", "notes"):
        rows = Parent.objects.filter(**{f"{relation}__id__gt": 0})
        for is_live in (True, False, True):
            monkeypatch.setattr(LiveRel, "is_live", is_live)
            assert ("deleted" in str(rows.all().query)) is is_live
            assert kept(rows.all(), ("id",)) is None
            assert count_of(rows.all()) is PLAIN


def test_wrappers_of_statements_see_joined_ones(alias: str) -> None:
    seen: list[str] = []

    def wrapper(execute: Any, sql: str, *args: Any) -> Any:
        seen.append(sql)
        return execute(sql.replace("user 1", "user 0"), *args)

    rows = Profile.objects.using(alias).select_related("user").filter(user__username="user 1")
    assert rows.count() == count_of(rows)
    with connections[alias].execute_wrapper(wrapper):
        assert count_of(rows) == 1
    assert len(seen) == 1
