"""Instances and rows with joined rows, chosen columns and annotations equal those of Django."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from typing import Any

import pytest
from contract_project.models import Profile, Snippet, Tag
from django.contrib.auth.models import User
from django.core.exceptions import FieldError
from django.db import connections, models
from django.db.models import (
    Avg,
    Count,
    DecimalField,
    Exists,
    ExpressionWrapper,
    F,
    Max,
    Min,
    OuterRef,
    Q,
    Sum,
    Value,
)
from django.db.models.base import ModelState
from django.db.models.functions import Coalesce, Upper
from django.test.utils import CaptureQueriesContext, isolate_apps, override_settings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_fast_instances import parts

from lintel import serializers
from lintel.fast.prefetching import load
from lintel.fast.wholes import whole_of

pytestmark = [
    pytest.mark.fast_way,
    # Without arguments it is deprecated since Django 6.1, and still has to work.
    pytest.mark.filterwarnings("ignore:Calling select_related"),
]

#: One step from a queryset of snippets to another one.
Step = Callable[[Any], Any]

STEPS: dict[str, Step] = {
    "owner": lambda rows: rows.select_related("owner"),
    "profile": lambda rows: rows.select_related("owner__profile"),
    "all related": lambda rows: rows.select_related(),
    "only": lambda rows: rows.only("title", "owner"),
    "only of owners": lambda rows: rows.only("title", "owner__username"),
    "defer": lambda rows: rows.defer("code", "created"),
    "tags": lambda rows: rows.annotate(number=Count("tags")),
    "other tags": lambda rows: rows.annotate(number=Count("tags", distinct=True)),
    "rows": lambda rows: rows.annotate(number=Count("*")),
    "snippets of owners": lambda rows: rows.annotate(number=Count("owner__snippets")),
    "some tags": lambda rows: rows.annotate(number=Count("tags", filter=Q(tags__id__gt=1))),
    "numbers": lambda rows: rows.annotate(
        low=Min("rating"), high=Max("tags__id"), all=Sum("rating"), middle=Avg("tags__id")
    ),
    "moment": lambda rows: rows.annotate(moment=Max("created")),
    "a column": lambda rows: rows.annotate(by=F("owner__username")),
    "another column": lambda rows: rows.annotate(by=F("owner__profile__bio")),
    "a column of the row": lambda rows: rows.annotate(by=F("title")),
    "a column of tags": lambda rows: rows.annotate(by=F("tags__name")),
    "a function": lambda rows: rows.annotate(by=Upper("title")),
    "a value": lambda rows: rows.annotate(by=Value("x")),
    "nothing": lambda rows: rows.annotate(low=Coalesce(Sum("rating"), None, Value(7))),
    "decimals": lambda rows: rows.annotate(
        low=ExpressionWrapper(F("rating"), DecimalField(max_digits=9, decimal_places=3))
    ),
    "a subquery": lambda rows: rows.annotate(
        number=Exists(Tag.objects.filter(snippets=OuterRef("pk")))
    ),
    "an alias": lambda rows: rows.alias(number=Count("tags")),
    "filtered": lambda rows: rows.filter(title__in=["t1", "t2", "t3"]),
    "filtered by owners": lambda rows: rows.filter(owner__username="user 1"),
    "filtered by tags": lambda rows: rows.filter(tags__name__startswith="tag"),
    "without": lambda rows: rows.exclude(tags__name="tag 3"),
    "by tags": lambda rows: rows.order_by("-owner__username", "id"),
    "by id": lambda rows: rows.order_by("-id"),
    "by title": lambda rows: rows.order_by("title", F("id").desc()),
    "unordered": lambda rows: rows.order_by(),
    "a part": lambda rows: rows.order_by("id")[1:3],
    "none": lambda rows: rows.filter(pk__in=[]),
}
ORDERS = ["id", "number", "by", "moment", "low"]

steps = st.lists(st.sampled_from(sorted(STEPS)), max_size=4)


def of(alias: str, names: list[str], order: list[str]) -> Any:
    """None if Django refuses the steps."""
    try:
        rows = reduce(lambda rows, name: STEPS[name](rows), names, Snippet.objects.using(alias))
    except (TypeError, ValueError, FieldError):
        return None
    known = {"id", *rows.query.annotations}
    return rows if rows.query.is_sliced else rows.order_by(*[o for o in order if o in known])


def outcome(read: Callable[[Any], Any], rows: Any) -> Any:
    """What is read with which statements, or the error."""
    with CaptureQueriesContext(connections[rows.db]) as queries:
        try:
            found = read(rows)
        except (AttributeError, FieldError) as error:
            return repr(error)
    query = rows.query
    # The columns of a model alone are read as ``values_list()`` reads them.
    is_more = query.select_related or query.annotations or query.deferred_loading[0]
    return found, [one["sql"] if is_more else "" for one in queries]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps, st.lists(st.sampled_from(ORDERS), max_size=2))
def test_instances_and_statements_are_those_of_django(
    alias: str, names: list[str], order: list[str]
) -> None:
    if of(alias, names, order) is None:
        return
    for _ in range(2):
        found = outcome(lambda rows: [*map(parts, load(rows))], of(alias, names, order))
        assert found == outcome(lambda rows: [*map(parts, rows)], of(alias, names, order))


class OwnerSerializer(serializers.Serializer[Any]):
    username = serializers.CharField()


class FlatSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    title = serializers.CharField()
    rating = serializers.DecimalField(max_digits=9, decimal_places=3, required=False)
    created = serializers.DateTimeField()
    number = serializers.IntegerField(default=-1)
    low = serializers.DecimalField(max_digits=9, decimal_places=3, required=False)
    high = serializers.ReadOnlyField()
    all = serializers.FloatField(required=False)
    middle = serializers.FloatField(default=None)
    moment = serializers.DateTimeField(required=False)
    by = serializers.CharField(default="nobody")


class NestedSerializer(FlatSerializer):
    owner = OwnerSerializer()
    tags = serializers.SlugRelatedField(slug_field="name", many=True, read_only=True)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps, st.lists(st.sampled_from(ORDERS), max_size=2), st.booleans())
def test_lists_are_those_of_instances(
    alias: str, names: list[str], order: list[str], is_nested: bool
) -> None:
    rows = of(alias, names, order)
    if rows is None:
        return
    kind: Any = NestedSerializer if is_nested else FlatSerializer
    if "high" not in rows.query.annotations:
        kind = type("Chosen", (kind,), {"high": None})

    def read(rows: Any) -> Any:
        return kind(rows, many=True).data

    shown = [outcome(read, of(alias, names, order)) for _ in range(2)]
    with override_settings(REST_FRAMEWORK={"ORM_SHORTCUTS": False}):
        wanted = outcome(read, of(alias, names, order))
    assert [one if isinstance(one, str) else one[0] for one in shown] == [
        wanted if isinstance(wanted, str) else wanted[0]
    ] * 2


class CountedSerializer(serializers.ModelSerializer[Any]):
    number = serializers.IntegerField()
    by = serializers.CharField()

    class Meta:
        model = Snippet
        fields = ["id", "title", "number", "by"]


def counted(alias: str) -> Any:
    rows = Snippet.objects.using(alias).annotate(number=Count("tags"), by=F("owner__username"))
    return rows.order_by("id")


@contextmanager
def receiving() -> Iterator[list[Any]]:
    """The instances that are made meanwhile."""
    made: list[Any] = []
    new = ModelState.__new__

    def noted(cls: Any) -> Any:
        made.append(cls)
        return new(cls)

    ModelState.__new__ = noted  # type: ignore[method-assign]
    try:
        yield made
    finally:
        del ModelState.__new__


def test_annotations_are_read_as_columns(alias: str) -> None:
    for _ in range(2):
        with CaptureQueriesContext(connections[alias]) as queries, receiving() as made:
            shown = CountedSerializer(counted(alias), many=True).data
        assert made == []
        assert [(row["number"], row["by"]) for row in shown] == [
            (row.number, row.by) for row in counted(alias)
        ]
        assert len(queries) == 1
    whole = whole_of(counted(alias), connections[alias])
    assert whole is not None
    assert whole.is_kept
    assert whole is whole_of(counted(alias).filter(title="t1"), connections[alias])


@pytest.mark.parametrize("value", [None, 7, property(lambda self: 7)])
def test_a_model_that_gets_a_place_for_an_annotation(
    alias: str, value: Any, monkeypatch: Any
) -> None:
    wanted = CountedSerializer(counted(alias), many=True).data
    with monkeypatch.context() as patch:
        if isinstance(value, property):
            value = property(lambda self: 7, lambda self, given: None)
        patch.setattr(Snippet, "number", value, raising=False)
        found = CountedSerializer(counted(alias), many=True).data
        with override_settings(REST_FRAMEWORK={"ORM_SHORTCUTS": False}):
            assert found == CountedSerializer(counted(alias), many=True).data
    assert CountedSerializer(counted(alias), many=True).data == wanted


def test_an_annotation_that_is_not_selected_is_missing(alias: str) -> None:
    rows = Snippet.objects.using(alias).alias(number=Count("tags")).annotate(by=F("title"))
    for _ in range(2):
        with pytest.raises(AttributeError, match="number"):
            CountedSerializer(rows.order_by("id"), many=True).data  # noqa: B018


def test_aggregates_of_the_project_are_written_each_time(alias: str) -> None:
    class Half(Sum):
        function = "SUM"
        template = "%(function)s(%(expressions)s) / 2"

    rows = Snippet.objects.using(alias).annotate(number=Half("tags__id")).order_by("id")
    whole = whole_of(rows, connections[alias])
    assert whole is not None
    assert not whole.is_kept
    assert [one.number for one in load(rows.all())] == [one.number for one in rows]


@isolate_apps("contract_project")
def test_managers_that_annotate_are_not_read_as_rows_of_columns(alias: str) -> None:
    class Manager(models.Manager[Any]):
        def get_queryset(self) -> Any:
            return super().get_queryset().annotate(twice=F("id") * 2)

    class Label(models.Model):
        name = models.CharField(max_length=50)
        objects = Manager()

        class Meta:
            app_label = "contract_project"
            db_table = Tag._meta.db_table

    class LabelSerializer(serializers.ModelSerializer[Any]):
        twice = serializers.IntegerField()

        class Meta:
            model = Label
            fields = ["id", "twice"]

    for _ in range(2):
        shown = LabelSerializer(Label.objects.using(alias).order_by("id"), many=True).data
        assert [row["twice"] for row in shown] == [2, 4, 6]


RELATED: list[Callable[[str], Any]] = [
    lambda alias: User.objects.using(alias).select_related("profile").order_by("id"),
    lambda alias: Profile.objects.using(alias).select_related("user").order_by("id"),
    lambda alias: Snippet.objects.using(alias).select_related("owner__profile").order_by("id"),
]


@pytest.mark.parametrize("make", RELATED)
def test_joined_instances_are_saved_and_completed_like_those_of_django(
    alias: str, make: Any
) -> None:
    for _ in range(2):
        ours, theirs = load(make(alias)), list(make(alias))
        with CaptureQueriesContext(connections[alias]) as queries:
            assert [*map(parts, ours)] == [*map(parts, theirs)]
        assert len(queries) == 0
