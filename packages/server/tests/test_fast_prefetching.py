"""Relations of one row are loaded as ``prefetch_related()`` loads them, without its queries."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.db import connection, connections, models, transaction
from django.db.models import Prefetch, Q, prefetch_related_objects
from django.db.models import query as query_module
from django.db.models.fields import related_descriptors
from django.db.models.signals import post_init
from django.test import override_settings
from django.test.utils import CaptureQueriesContext, isolate_apps
from orm_lookups import add_rows

from lintel import serializers
from lintel.fast.prefetching import load, prefetch
from lintel.fast.rows import row_of
from lintel.trust.originals import off

pytestmark = pytest.mark.fast_way


def seen(one: models.Model, names: tuple[str, ...]) -> Any:
    """What an instance and its related rows hold, without Django's note of the parent."""
    return (
        _held(one),
        sorted(one.__dict__.get("_prefetched_objects_cache", {})),
        [[_held(row) for row in getattr(one, name).all()] for name in names],
        [[_held(row) for row in getattr(one, name).order_by("-pk")] for name in names],
    )


def _held(row: models.Model) -> Any:
    state = row._state
    cached = {name: getattr(one, "pk", None) for name, one in state.fields_cache.items()}
    own = {name: value for name, value in vars(row).items() if not name.startswith("_")}
    return type(row), own, cached, state.db, state.adding


ONES: list[tuple[type[models.Model], tuple[str, ...]]] = [
    (Snippet, ("tags",)),
    (Tag, ("snippets",)),
    (User, ("snippets", "groups")),
    (Snippet, ()),
]


@pytest.mark.parametrize(("model", "names"), ONES)
@pytest.mark.parametrize("pk", [1, 2, 3])
def test_the_same_rows_are_loaded(alias: str, model: Any, names: Any, pk: int) -> None:
    rows = model._default_manager.using(alias)
    for _ in range(2):
        if not rows.filter(pk=pk).exists():
            return
        ours, theirs = rows.get(pk=pk), rows.get(pk=pk)
        prefetch([ours], names)
        prefetch_related_objects([theirs], *names)
        with CaptureQueriesContext(connections[alias]) as queries:
            [list(getattr(ours, name).all()) for name in names]
        assert len(queries) == 0
        assert seen(ours, names) == seen(theirs, names)


@pytest.mark.parametrize(("model", "names"), ONES)
def test_the_same_rows_are_loaded_for_many(alias: str, model: Any, names: Any) -> None:
    for _ in range(2):
        with CaptureQueriesContext(connections[alias]) as queries:
            ours = load(model._default_manager.using(alias).order_by("pk").prefetch_related(*names))
        assert len(queries) == 1 + len(names)
        theirs = list(model._default_manager.using(alias).order_by("pk").prefetch_related(*names))
        with CaptureQueriesContext(connections[alias]) as queries:
            [list(getattr(one, name).all()) for one in ours for name in names]
        assert len(queries) == 0
        assert [seen(one, names) for one in ours] == [seen(one, names) for one in theirs]


def test_a_row_that_is_found_twice_has_its_rows_twice(alias: str) -> None:
    rows = Snippet.objects.using(alias).filter(tags__id__gt=0).order_by("pk")
    ours, theirs = load(rows.prefetch_related("tags")), list(rows.prefetch_related("tags"))
    assert len(ours) == 4
    assert [seen(one, ("tags",)) for one in ours] == [seen(one, ("tags",)) for one in theirs]


def test_related_rows_come_in_their_order(alias: str) -> None:
    for rows in (
        Tag.objects.using(alias).prefetch_related("snippets"),
        Tag.objects.using(alias).filter(pk=99).prefetch_related("snippets"),
    ):
        titles = [[one.title for one in tag.snippets.all()] for tag in load(rows.all())]
        assert titles == [[one.title for one in tag.snippets.all()] for tag in rows.all()]


LOOKUPS: list[Any] = [
    ("tags", "tags"),
    ("tags", "owner"),
    ("tags__snippets", "tags"),
    ("tags", "tags__snippets"),
    ("tags", "missing"),
    ("missing", "tags"),
    ("title",),
    ("tags", Prefetch("tags", Tag.objects.filter(name="tag 1"))),
    (Prefetch("tags", Tag.objects.filter(name="tag 1"), to_attr="first"), "tags"),
    ("tags", Prefetch("tags")),
    ("tags__snippets",),
    ("tags__snippets__tags", "tags__snippets__owner", "owner"),
    ("tags__snippets__missing", "tags"),
    ("tags__name",),
    ("owner__snippets",),
    ("owner__groups", "owner", "tags"),
    ("owner__snippets__tags", "tags__snippets"),
    ("owner__snippets__owner__groups", "owner__missing"),
    ("owner__groups", Prefetch("owner__snippets", Snippet.objects.filter(pk=1))),
    ("tags__snippets", "tags__snippets"),
    ("tags__snippets", Prefetch("tags", Tag.objects.filter(name="tag 1"))),
    ("tags__snippets", Prefetch("tags", Tag.objects.filter(name="tag 1"), to_attr="first")),
    (Prefetch("tags", Tag.objects.filter(name="tag 1"), to_attr="first"), "first__snippets"),
    ("first__snippets", Prefetch("tags", Tag.objects.filter(name="tag 1"), to_attr="first")),
    (
        "tags__snippets",
        "first__snippets",
        Prefetch("tags", Tag.objects.filter(name="tag 1"), to_attr="first"),
    ),
    (Prefetch("tags", to_attr="found"), Prefetch("tags", Tag.objects.all(), to_attr="found")),
    (Prefetch("tags__snippets", Snippet.objects.filter(pk=1)), "tags"),
]


@pytest.mark.parametrize("lookups", LOOKUPS, ids=range(len(LOOKUPS)))
def test_other_lookups_mean_what_they_mean_to_django(alias: str, lookups: Any) -> None:
    def outcome(load: Callable[[Any], None]) -> Any:
        one = Snippet.objects.using(alias).get(pk=2)
        try:
            load(one)
        except (AttributeError, ValueError) as error:
            return type(error), str(error)
        found = seen(one, ("tags",))
        return found, _further(one)

    assert outcome(lambda one: prefetch([one], lookups)) == outcome(
        lambda one: prefetch_related_objects([one], *lookups)
    )


@pytest.mark.parametrize("lookups", LOOKUPS, ids=range(len(LOOKUPS)))
def test_other_lookups_of_many(alias: str, lookups: Any) -> None:
    def outcome(fetch: Callable[[Any], Any]) -> Any:
        try:
            ones = fetch(Snippet.objects.using(alias).order_by("pk").prefetch_related(*lookups))
        except (AttributeError, ValueError) as error:
            return type(error), str(error)
        return [(seen(one, ("tags",)), _further(one)) for one in ones]

    assert outcome(load) == outcome(list)


def _further(one: Any) -> Any:
    """The rows that two and three steps lead to, and what is kept on the way."""
    return seen(one.owner, ("snippets", "groups")), [
        (seen(tag, ("snippets",)), [seen(snippet, ("tags",)) for snippet in tag.snippets.all()])
        for tag in [*one.tags.all(), *getattr(one, "first", ())]
    ]


def test_paths_that_begin_with_one_row_are_followed(alias: str) -> None:
    rows = Snippet.objects.using(alias).order_by("pk").prefetch_related("owner__snippets")
    made: list[str] = []

    def note(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_name == "get_prefetch_querysets":
            made.append(type(frame.f_locals["self"]).__name__)

    load(rows.all())
    sys.setprofile(note)
    try:
        with CaptureQueriesContext(connections[alias]) as queries:
            ours = load(rows.all())
    finally:
        sys.setprofile(None)
    assert made == ["ForwardManyToOneDescriptor"]
    assert len(queries) == 3
    assert [[*one.owner.snippets.all()] for one in ours] == [
        [*one.owner.snippets.all()] for one in rows
    ]


def test_rows_of_two_steps_are_loaded_by_kept_statements(
    alias: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = Snippet.objects.using(alias).order_by("pk")
    lookups = ["tags", "tags__snippets", "tags__snippets__tags"]
    theirs = [*rows.prefetch_related(*lookups)]
    load(rows.prefetch_related(*lookups))
    monkeypatch.setattr("lintel.fast.prefetching.query_module", None)
    with CaptureQueriesContext(connections[alias]) as queries:
        ours = load(rows.prefetch_related(*lookups))
        names = [
            str(last)
            for one in ours
            for tag in one.tags.all()
            for snippet in tag.snippets.all()
            for last in snippet.tags.all()
        ]
    assert len(names) > 0
    assert len(queries) == 4
    assert [_further(one) for one in ours] == [_further(one) for one in theirs]


#: What ``Prefetch`` may choose, by a model with one of its relations.
CHOSEN: dict[str, Callable[[Any], Any]] = {
    "all": lambda rows: rows.all(),
    "some": lambda rows: rows.filter(pk__gt=1),
    "other": lambda rows: rows.exclude(pk=1).exclude(pk=3),
    "order": lambda rows: rows.order_by("-pk"),
    "no order": lambda rows: rows.order_by(),
    "nothing": lambda rows: rows.none(),
    "two": lambda rows: rows.order_by("pk")[:2],
    "only": lambda rows: rows.only("pk"),
    "defer": lambda rows: rows.defer("pk"),
    "distinct": lambda rows: rows.distinct(),
    "annotated": lambda rows: rows.annotate(twice=models.F("pk") * 2),
    "reversed": lambda rows: rows.reverse(),
    "text": lambda rows: rows.extra(where=["1 = 1"]),
    "joined": lambda rows: rows.filter(Q(snippets__title="t1") | Q(owner__username="user 1")),
    "backwards": lambda rows: rows.filter(snippets__title__in=["t1", "t2"]),
    "loaded": lambda rows: rows.prefetch_related("snippets"),
    "values": lambda rows: rows.values("pk"),
    "union": lambda rows: rows.union(rows.all()),
    "locked": lambda rows: rows.select_for_update(),
    "selected": lambda rows: rows.select_related("owner"),
    "fetched": lambda rows: [*rows] and rows,
}
OWNERS = [(Snippet, "tags"), (Tag, "snippets"), (User, "snippets")]


@pytest.fixture(params=[*CHOSEN])
def choose(request: Any) -> Callable[[Any], Any]:
    return CHOSEN[request.param]


def same(ours: Callable[[], Any], theirs: Callable[[], Any]) -> None:
    def outcome(run: Callable[[], Any]) -> Any:
        try:
            return run()
        except Exception as error:
            return type(error), str(error)

    assert outcome(ours) == outcome(theirs)


@pytest.mark.parametrize(("model", "name"), OWNERS, ids=["forth", "back", "key"])
@pytest.mark.parametrize("to_attr", [None, "chosen"])
@pytest.mark.parametrize("count", [1, 4])
def test_chosen_rows_are_those_of_django(
    alias: str, choose: Any, model: Any, name: str, to_attr: str | None, count: int
) -> None:
    def shown(fetch: Callable[[Any], Any]) -> Any:
        kind = Tag if name == "tags" else Snippet
        chosen = choose(kind._default_manager.using(alias))
        rows = model._default_manager.using(alias).filter(pk__lte=count).order_by("pk")
        ones = fetch(rows.prefetch_related(Prefetch(name, chosen, to_attr=to_attr)))
        found = [[*map(_held, getattr(one, to_attr))] for one in ones] if to_attr else []
        with CaptureQueriesContext(connections[alias]) as queries:
            held = [[_held(row) for row in getattr(one, name).all()] for one in ones]
        after = [[row.pk for row in getattr(one, name).order_by("pk")] for one in ones]
        return found, held, len(queries), after

    with transaction.atomic(alias):
        same(lambda: shown(load), lambda: shown(list))


def test_what_is_chosen_may_be_named_twice(alias: str) -> None:
    def shown(fetch: Callable[[Any], Any], *lookups: Any) -> Any:
        rows = Snippet.objects.using(alias).order_by("pk").prefetch_related(*lookups)
        return [(seen(one, ("tags",)), [*map(str, one.first)]) for one in fetch(rows)]

    first = Prefetch("tags", Tag.objects.using(alias).filter(pk=1), to_attr="first")
    for lookups in (
        (first, "tags"),
        ("tags", first),
        (first, Prefetch("tags", Tag.objects.using(alias).filter(pk=2))),
        (first, first),
        (first, "first__snippets"),
        (Prefetch("tags", to_attr="first"),),
        (Prefetch("tags", to_attr="title"),),
        (Prefetch("tags", Tag.objects.all(), to_attr="first"), Prefetch("owner")),
    ):
        same(lambda: shown(load, *lookups), lambda: shown(list, *lookups))  # noqa: B023


class _TagRow(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ("id", "name")


class _SnippetRow(serializers.ModelSerializer):
    tags = _TagRow(many=True)

    class Meta:
        model = Snippet
        fields = ("id", "title", "created", "tags")


class _TagWithSnippets(serializers.ModelSerializer):
    snippets = _SnippetRow(many=True)

    class Meta:
        model = Tag
        fields = ("id", "snippets")


class _UserRow(serializers.ModelSerializer):
    snippets = _SnippetRow(many=True)
    keys = serializers.PrimaryKeyRelatedField(source="snippets", many=True, read_only=True)

    class Meta:
        model = User
        fields = ("id", "snippets", "keys")


ROWS = {Snippet: _SnippetRow, Tag: _TagWithSnippets, User: _UserRow}


@pytest.mark.parametrize(("model", "name"), OWNERS, ids=["forth", "back", "key"])
@pytest.mark.parametrize("further", [(), ("snippets__tags",), ("tags",)])
def test_lists_from_rows_show_what_is_chosen(
    alias: str, choose: Any, model: Any, name: str, further: Any
) -> None:
    def shown() -> Any:
        kind = Tag if name == "tags" else Snippet
        chosen = choose(kind._default_manager.using(alias))
        rows = model._default_manager.using(alias).order_by("pk")
        rows = rows.prefetch_related(Prefetch(name, chosen), *further)
        with CaptureQueriesContext(connections[alias]) as queries:
            return ROWS[model](rows, many=True).data, len(queries)

    def plainly() -> Any:
        with override_settings(REST_FRAMEWORK={"READ_FROM_ROWS": False}), off():
            return shown()

    with transaction.atomic(alias):
        same(lambda: shown()[0], lambda: plainly()[0])


def test_chosen_rows_need_no_instances(alias: str) -> None:
    rows = User.objects.using(alias).order_by("pk")
    chosen = Snippet.objects.using(alias).filter(pk__gt=1).order_by("-pk")
    rows = rows.prefetch_related(Prefetch("snippets", chosen))
    made: list[str] = []

    def note(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_name in ("made_of", "from_db"):
            made.append(frame.f_code.co_name)

    _UserRow(rows.all(), many=True).data  # noqa: B018
    sys.setprofile(note)
    try:
        data = _UserRow(rows.all(), many=True).data
    finally:
        sys.setprofile(None)
    assert made == []
    assert [one["keys"] for one in data] == [[4, 2], [3]]


def found(alias: str, model: Any = Snippet, name: str = "tags") -> list[str]:
    """The names for one row, which are the same if several rows are read."""
    rows = model.objects.using(alias).prefetch_related(name)
    one = [str(each) for each in getattr(row_of(rows, "pk", 2), name).all()]
    many = {row.pk: row for row in load(rows.filter(pk__lt=4).order_by("pk"))}
    assert sorted(map(str, getattr(many[2], name).all())) == sorted(one)
    return one


def queries_of(alias: str) -> list[str]:
    rows = Snippet.objects.using(alias).prefetch_related("tags")
    with CaptureQueriesContext(connections[alias]) as queries:
        row_of(rows, "pk", 2)
    return [each["sql"] for each in queries]


def test_one_query_for_each_relation(alias: str) -> None:
    ours = queries_of(alias)
    with off():
        theirs = queries_of(alias)
    assert len(ours) == len(theirs) == 2
    assert " IN (" not in ours[1]
    assert " IN (2)" in theirs[1]


@pytest.mark.parametrize(
    ("model", "name"), [(Snippet, "tags"), (Tag, "snippets"), (User, "snippets")]
)
def test_the_way_to_a_parent_is_searched_once(alias: str, model: Any, name: str) -> None:
    rows = model.objects.using(alias).prefetch_related(name)
    first, second = rows.order_by("pk")[:2]
    calls: list[str] = []

    def note(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            calls.append(frame.f_code.co_name)

    row_of(rows, "pk", first.pk)
    sys.setprofile(note)
    try:
        found = row_of(rows, "pk", second.pk)
    finally:
        sys.setprofile(None)
    assert "_made_of_parent" not in calls
    assert "build_filter" not in calls
    assert [*getattr(found, name).all()] == [*getattr(second, name).all()]


def test_what_was_loaded_before_stays(alias: str) -> None:
    one = Snippet.objects.using(alias).get(pk=2)
    prefetch([one], ["tags"])
    kept = one.tags.all()
    prefetch([one], ["tags"])
    assert one.tags.all() is kept


def test_rows_know_the_one_that_they_refer_to(alias: str) -> None:
    user = User.objects.using(alias).get(pk=1)
    prefetch([user], ["snippets"])
    with CaptureQueriesContext(connections[alias]) as queries:
        assert {row.owner for row in user.snippets.all()} == {user}
    assert len(queries) == 0


# ---- what Django does not decide alone ----


def test_receivers_are_told_of_related_rows(alias: str) -> None:
    assert found(alias) == ["tag 1", "tag 2"]
    told: list[Any] = []

    def receiver(instance: Any, **kwargs: Any) -> None:
        told.append(instance.pk)

    post_init.connect(receiver, sender=Tag)
    try:
        found(alias)
    finally:
        post_init.disconnect(receiver, sender=Tag)
    assert told[:2] == [1, 2]
    assert len(told) == 5


def test_a_manager_of_the_project_hides_rows(alias: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(alias) == ["tag 1", "tag 2"]
    own = models.Manager.get_queryset

    def fewer(self: Any) -> Any:
        rows = own(self)
        return rows.exclude(name="tag 1") if self.model is Tag else rows

    monkeypatch.setattr(models.Manager, "get_queryset", fewer)
    assert found(alias) == ["tag 2"]


class TagNames(serializers.Serializer[Any]):
    tags = serializers.SlugRelatedField(slug_field="name", many=True, read_only=True)


def test_relations_ask_their_manager_only_for_its_queryset(
    alias: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def elsewhere(self: Any, database: str) -> Any:
        rows = self.get_queryset().using(database)
        return rows.none() if self.model is Tag else rows

    monkeypatch.setattr(models.Manager, "using", elsewhere)
    assert found(alias) == ["tag 1", "tag 2"]
    shown = TagNames(Snippet.objects.using(alias).order_by("pk"), many=True).data
    assert shown[1] == {"tags": ["tag 1", "tag 2"]}


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (query_module, "prefetch_one_level"),
        (query_module, "prefetch_related_objects"),
        (related_descriptors, "_filter_prefetch_queryset"),
    ],
)
def test_who_replaces_a_function_of_django_is_called(
    alias: str, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str
) -> None:
    found(alias)
    called: list[str] = []
    own = getattr(owner, name)

    def noted(*args: Any, **kwargs: Any) -> Any:
        called.append(name)
        return own(*args, **kwargs)

    monkeypatch.setattr(owner, name, noted)
    assert found(alias) == ["tag 1", "tag 2"]
    assert called == [name, name]


def test_a_method_on_the_manager_of_a_relation_is_called(
    alias: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found(alias)
    cls = Snippet.tags.related_manager_cls
    own = cls.get_prefetch_querysets

    def emptied(self: Any, *args: Any) -> Any:
        rows, *rest = own(self, *args)
        return rows.none(), *rest

    monkeypatch.setattr(cls, "get_prefetch_querysets", emptied)
    assert found(alias) == []


def test_wrappers_of_statements_see_those_of_relations(alias: str) -> None:
    found(alias)
    texts: list[str] = []

    def wrapper(execute: Any, sql: str, *args: Any) -> Any:
        texts.append(sql)
        return execute(sql, *args)

    with connections[alias].execute_wrapper(wrapper):
        found(alias)
    assert len(texts) == 4


def test_the_schema_of_a_tenant_is_that_of_each_statement(postgresql: str, alias: str) -> None:
    if alias != postgresql:
        return
    found(alias)
    with connections[alias].cursor() as cursor:
        cursor.execute("CREATE SCHEMA tenant")
        cursor.execute("CREATE TABLE tenant.contract_project_tag (id bigint, name varchar(30))")
        cursor.execute("INSERT INTO tenant.contract_project_tag VALUES (1, 'theirs')")
        cursor.execute("SET LOCAL search_path TO tenant, public")
    assert found(alias) == ["theirs"]
    with connections[alias].cursor() as cursor:
        cursor.execute("SET LOCAL search_path TO public")
    assert found(alias) == ["tag 1", "tag 2"]


def test_each_database_has_its_own_rows(
    sqlite_file: str, postgresql: str, django_db_blocker: Any
) -> None:
    aliases = (sqlite_file, postgresql)
    with (
        django_db_blocker.unblock(),
        transaction.atomic(aliases[0]),
        transaction.atomic(aliases[1]),
    ):
        for alias in aliases:
            add_rows(alias)
        Tag.objects.using(aliases[1]).filter(pk=1).update(name="another")
        for _ in range(2):
            assert found(aliases[0]) == ["tag 1", "tag 2"]
            assert sorted(found(aliases[1])) == ["another", "tag 2"]
        for alias in aliases:
            transaction.set_rollback(True, using=alias)


class Elsewhere:
    """A router of the project, which decides by the instance."""

    def db_for_read(self, model: Any, **hints: Any) -> str | None:
        return "sqlite_file" if "instance" in hints else None


def test_routers_are_asked_for_relations(alias: str, settings: Any) -> None:
    found(alias)
    settings.DATABASE_ROUTERS = [Elsewhere()]
    one = Snippet.objects.using(alias).get(pk=2)
    prefetch([one], ["tags"])
    assert one.tags.all()._prefetch_done
    assert {tag._state.db for tag in one.tags.all()} <= {"sqlite_file"}


# ---- texts that a collation finds equal ----


@pytest.mark.django_db
@isolate_apps("contract_project")
def test_keys_that_only_the_database_finds_equal_are_left_to_django() -> None:
    class Code(models.Model):
        code = models.CharField(max_length=5, primary_key=True, db_collation="NOCASE")

        class Meta:
            app_label = "contract_project"

    class Use(models.Model):
        code = models.ForeignKey(Code, models.CASCADE, related_name="uses", db_constraint=False)

        class Meta:
            app_label = "contract_project"

    with connection.cursor() as cursor:
        for model, columns in ((Code, "code"), (Use, "id integer PRIMARY KEY, code_id")):
            table = model._meta.db_table
            cursor.execute(f"CREATE TABLE {table} ({columns} varchar(5) COLLATE NOCASE)")
    Code.objects.bulk_create([Code("a"), Code("b")])
    Use.objects.bulk_create([Use(code_id="a"), Use(code_id="b")])
    for rows in (Code.objects.all(), Code.objects.filter(pk="a")):
        assert [one.code for code in load(rows.prefetch_related("uses")) for one in code.uses.all()]
    Use.objects.filter(code="a").update(code="A")
    for rows in (Code.objects.all(), Code.objects.filter(pk="a")):
        with pytest.raises(KeyError):
            list(rows.prefetch_related("uses"))
        with pytest.raises(KeyError):
            load(rows.prefetch_related("uses"))


class _Label(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ("id", "name")


class _WithLabels(serializers.ModelSerializer):
    tags = _Label(many=True)

    class Meta:
        model = Snippet
        fields = ("id", "tags")

    @property
    def _readable_fields(self) -> Any:
        """Be read field by field."""
        return super()._readable_fields


def test_lists_that_were_prefetched_write_no_query(alias: str) -> None:
    """A relation writes its query when somebody looks at it, which costs more than short lists."""
    snippets = [*Snippet.objects.using(alias).prefetch_related("tags")[:5]]
    assert any(snippet.tags.all() for snippet in snippets)
    calls: list[str] = []

    def note(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            calls.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        data = _WithLabels(snippets, many=True).data
    finally:
        sys.setprofile(None)
    assert calls.count("plain_representation") == len(snippets)
    assert "_filter_or_exclude_inplace" not in calls
    assert [[tag["id"] for tag in row["tags"]] for row in data] == [
        [tag.pk for tag in snippet.tags.all()] for snippet in snippets
    ]
