"""Instances made from rows equal those of Django, whatever is replaced and whoever listens."""

import copy
import datetime
import pickle
import sys
from collections.abc import Callable
from typing import Any

import pytest
from contract_project.models import Everything, Profile, Snippet, Tag
from django.contrib.auth.models import User
from django.db import connection, models
from django.db.backends.utils import CursorWrapper
from django.db.models import Count, Exists, F, Min, OuterRef, Prefetch, Value, base, signals
from django.db.models.base import ModelBase
from django.db.models.fields.related_descriptors import ForeignKeyDeferredAttribute
from django.db.models.query import RelatedPopulator
from django.db.models.query_utils import DeferredAttribute
from django.test import override_settings
from django.test.utils import CaptureQueriesContext, isolate_apps

from lintel import serializers
from lintel.fast.prefetching import load
from lintel.fast.rows import row_of

pytestmark = pytest.mark.django_db

MOMENT = datetime.datetime(2020, 1, 2, 3, 4, 5, 6, tzinfo=datetime.UTC)


@pytest.fixture(autouse=True)
def rows() -> None:
    user = User.objects.create(pk=1, username="user", last_login=MOMENT)
    Tag.objects.create(pk=1, name="tag")
    Snippet.objects.create(pk=1, code="print()", owner=user)
    Profile.objects.create(pk=1, user=user)
    Everything.objects.create(pk=1, text="x", amount=1, when=MOMENT)


def _rows(value: Any) -> Any:
    """What was prefetched, as lists."""
    if isinstance(value, dict):
        return {name: _rows(rows) for name, rows in value.items()}
    return list(value) if isinstance(value, models.QuerySet) else value


def parts(instance: Any, seen: tuple[Any, ...] = ()) -> Any:
    """Everything that two instances of one row have in common, in its order."""
    if not isinstance(instance, models.Model) or instance in seen:
        return instance
    (first, state), *columns = vars(instance).items()
    columns = [(name, _rows(value)) for name, value in columns]
    held = dict(vars(state))
    related = held.pop("fields_cache", {})
    loaded = {name: parts(one, (*seen, instance)) for name, one in related.items()}
    kinds = [(name, type(value)) for name, value in columns]
    return first, type(instance), columns, kinds, held, loaded


#: Returns the instance with the key 1.
Make = Callable[[Any], Any]


@pytest.fixture(params=["one row", "a list"])
def make(request: pytest.FixtureRequest) -> Make:
    if request.param == "one row":
        return lambda queryset: row_of(queryset, "pk", 1)
    return lambda queryset: load(queryset.filter(pk=1))[0]


def are_equal(make: Make, queryset: Callable[[], Any]) -> bool:
    return bool(parts(make(queryset())) == parts(queryset().get(pk=1)))


QUERYSETS = [
    Tag.objects.all,
    Everything.objects.all,
    Profile.objects.all,
    Snippet.objects.all,
    lambda: Snippet.objects.select_related("owner"),
    lambda: Snippet.objects.select_related("owner__profile"),
    lambda: Profile.objects.select_related("user"),
    lambda: User.objects.select_related("profile"),
]


@pytest.mark.parametrize("queryset", QUERYSETS, ids=range(len(QUERYSETS)))
def test_an_instance_equals_that_of_django(make: Make, queryset: Callable[[], Any]) -> None:
    for _ in range(3):
        assert are_equal(make, queryset)


class Proxy:
    """Stands for a function and is equal to it, as the wrappers of tracing tools are."""

    def __init__(self, wrapped: Any, calls: list[str], bound: Any = ()) -> None:
        self.wrapped, self.calls, self.bound = wrapped, calls, bound

    def __eq__(self, other: object) -> bool:
        return bool(self.wrapped == other)

    def __hash__(self) -> int:
        return hash(self.wrapped)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.wrapped, name)

    def __get__(self, instance: Any, owner: Any) -> Any:
        bound = self.wrapped.__get__(instance, owner)
        return Proxy(bound, self.calls)

    def __set__(self, instance: Any, value: Any) -> None:
        self.calls.append("set")
        instance.__dict__[self.wrapped.field.attname] = value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.calls.append("call")
        return self.wrapped(*args, **kwargs)


@pytest.mark.parametrize(
    ("owner", "name"),
    [(models.Model, "__init__"), (models.Model, "from_db"), (Tag, "from_db"), (Tag, "name")],
)
def test_proxies_that_are_equal_to_what_they_replace_are_called(
    make: Make, owner: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(Tag.objects)
    calls: list[str] = []
    held = next(vars(base)[name] for base in owner.__mro__ if name in vars(base))
    monkeypatch.setattr(owner, name, Proxy(held, calls), raising=False)
    Tag.objects.get(pk=1)
    wanted = calls.copy()
    make(Tag.objects)
    assert calls == wanted * 2
    assert wanted


class Recorder:
    """Stands for a method or a descriptor, and calls the one that it replaces."""

    def __init__(self) -> None:
        self.calls = 0

    def wrap(self, function: Any) -> Any:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            self.calls += 1
            return function(*args, **kwargs)

        return wrapped


def set_plainly(self: Any, name: str, value: Any) -> None:
    object.__setattr__(self, name, value)


def store(self: Any, instance: Any, value: Any) -> None:
    instance.__dict__[self.field.attname] = value


REPLACED: list[tuple[Any, str, Any]] = [
    (Snippet, "__init__", models.Model.__init__),
    (models.Model, "__init__", models.Model.__init__),
    (User.__mro__[1], "__init__", models.Model.__init__),
    (User, "__setattr__", set_plainly),
    (Snippet, "__setattr__", set_plainly),
    (ModelBase, "__call__", type.__call__),
    (ForeignKeyDeferredAttribute, "__set__", ForeignKeyDeferredAttribute.__set__),
    (DeferredAttribute, "__set__", store),
    (RelatedPopulator, "populate", RelatedPopulator.populate),
]


@pytest.mark.parametrize(("owner", "name", "function"), REPLACED, ids=range(len(REPLACED)))
def test_what_is_replaced_later_is_called(
    make: Make, owner: Any, name: str, function: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    queryset = Snippet.objects.select_related("owner")
    make(queryset)
    recorder = Recorder()
    monkeypatch.setattr(owner, name, recorder.wrap(function), raising=False)
    queryset.get(pk=1)
    wanted, recorder.calls = recorder.calls, 0
    make(queryset)
    assert recorder.calls == wanted > 0
    monkeypatch.undo()
    assert are_equal(make, queryset.all)


def test_a_class_method_that_is_replaced_later_is_called(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(Tag.objects)
    recorder = Recorder()
    wrapped = recorder.wrap(models.Model.from_db.__func__)  # type: ignore[attr-defined]
    monkeypatch.setattr(Tag, "from_db", classmethod(wrapped))
    assert are_equal(make, Tag.objects.all)
    assert recorder.calls == 2


@isolate_apps("contract_project")
def test_a_model_with_a_way_of_its_own_to_make_instances(make: Make) -> None:
    made = []

    class Own(models.Model):
        name = models.CharField(max_length=50, unique=True)

        class Meta:
            app_label = "contract_project"
            db_table = Tag._meta.db_table

        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            made.append(cls)
            return object.__new__(cls)

    for _ in range(2):
        assert are_equal(make, Own.objects.all)
    assert len(made) == 4


def test_a_descriptor_put_over_a_column_is_called(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(Tag.objects)

    class Loud(DeferredAttribute):
        def __set__(self, instance: Any, value: str) -> None:
            instance.__dict__["name"] = value.upper()

    monkeypatch.setattr(Tag, "name", Loud(Tag._meta.get_field("name")))
    assert make(Tag.objects).name == Tag.objects.get(pk=1).name == "TAG"
    monkeypatch.undo()
    assert make(Tag.objects).name == "tag"


@pytest.mark.parametrize("signal", [signals.pre_init, signals.post_init])
@pytest.mark.parametrize("sender", [None, User, Snippet])
def test_receivers_are_told_whenever_they_connect(make: Make, signal: Any, sender: Any) -> None:
    queryset = Snippet.objects.select_related("owner")
    make(queryset)
    told: list[Any] = []

    def receiver(sender: Any, **kwargs: Any) -> None:
        told.append(sender)

    signal.connect(receiver, sender=sender)
    try:
        queryset.get(pk=1)
        wanted = told.copy()
        make(queryset)
    finally:
        signal.disconnect(receiver, sender=sender)
    assert told == wanted * 2
    assert wanted
    make(queryset)
    assert told == wanted * 2


class Shouting:
    """Changes what Django's constructor has set, if listed after it."""

    def __init__(self) -> None:
        super().__init__()
        vars(self)["name"] = vars(self)["name"].upper()


@isolate_apps("contract_project")
def test_a_constructor_behind_that_of_django_is_called(make: Make) -> None:
    class Own(models.Model, Shouting):
        name = models.CharField(max_length=50, unique=True)

        class Meta:
            app_label = "contract_project"
            db_table = Tag._meta.db_table

    class OwnSerializer(serializers.ModelSerializer):
        class Meta:
            model = Own
            fields = ["name"]

    assert are_equal(make, Own.objects.all)
    assert OwnSerializer(Own.objects.all(), many=True).data == [{"name": "TAG"}]


def test_another_class_of_states_is_used(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    class State(base.ModelState):
        origin = "replaced"

    assert type(make(Tag.objects.all())._state) is base.ModelState
    monkeypatch.setattr(base, "ModelState", State)
    assert type(make(Tag.objects.all())._state) is State


@pytest.mark.parametrize("stored", ["2020-01-02 03:04:05", "2020-01-02 03:04:05+05:00"])
@pytest.mark.parametrize("surroundings", [{}, {"USE_TZ": False}, {"TIME_ZONE": "Asia/Tokyo"}])
def test_datetimes_are_those_of_django(
    make: Make, stored: str, surroundings: dict[str, Any]
) -> None:
    assert are_equal(make, User.objects.all)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE auth_user SET last_login = %s", [stored])
    with override_settings(**surroundings):
        assert are_equal(make, User.objects.all)
    User.objects.update(last_login=None)
    assert are_equal(make, User.objects.all)


def test_a_database_in_another_zone(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    assert are_equal(make, User.objects.all)
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "TIME_ZONE", "Asia/Tokyo")
        patch.delitem(vars(connection), "timezone", raising=False)
        assert are_equal(make, User.objects.all)
    del connection.timezone
    assert are_equal(make, User.objects.all)


# ---- lists ----


def _in_groups() -> Any:
    return User.objects.annotate(number=Count("snippets"), first=Min("snippets__title"))


LISTS: dict[str, Callable[[], Any]] = {
    "all": Snippet.objects.all,
    "ordered by a column of another table": lambda: Snippet.objects.order_by("owner__username"),
    "filtered over a join": lambda: Snippet.objects.filter(owner__username="user"),
    "distinct": lambda: Snippet.objects.filter(tags__name__startswith="t").distinct(),
    "sliced": lambda: Snippet.objects.order_by("-id")[1:3],
    "none": Snippet.objects.none,
    "no row can match": lambda: Snippet.objects.filter(pk__in=[]),
    "only": lambda: Snippet.objects.only("code"),
    "only, with a joined row": lambda: Snippet.objects.select_related("owner").only(
        "code", "owner__username"
    ),
    "defer": lambda: Snippet.objects.defer("code", "created"),
    "joined rows": lambda: Profile.objects.select_related("user"),
    "joined rows that may be missing": lambda: User.objects.select_related("profile"),
    "groups": _in_groups,
    "an alias": lambda: Snippet.objects.alias(long=F("title")).filter(long="t1"),
    "an annotation over a column": lambda: Snippet.objects.annotate(by=F("owner__username")),
    "a constant, a subquery": lambda: Snippet.objects.annotate(
        one=Value(1), tags_used=Exists(Tag.objects.filter(snippets=OuterRef("pk")))
    ),
    "extra": lambda: Snippet.objects.extra(select={"twice": "2 * contract_project_snippet.id"}),
    "locked": lambda: Snippet.objects.select_for_update(),
    "union": lambda: Tag.objects.filter(pk=1).union(Tag.objects.filter(pk__gt=1)),
    "values": lambda: Tag.objects.values("name"),
    "names": lambda: Tag.objects.values_list("name", flat=True),
    "related rows of a row": lambda: User.objects.get(pk=1).snippets.all(),
    "raw": lambda: Tag.objects.raw("SELECT * FROM contract_project_tag"),
    "prefetched": lambda: Snippet.objects.prefetch_related("tags", "owner__profile"),
    "prefetched with a queryset": lambda: Snippet.objects.prefetch_related(
        Prefetch("tags", Tag.objects.only("name"), to_attr="chosen")
    ),
    "composed": lambda: Snippet.objects.filter(pk=1) | Snippet.objects.filter(pk=2),
    "of every kind": Everything.objects.all,
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_instances_equals_that_of_django(name: str) -> None:
    for number in range(2, 5):
        snippet = Snippet.objects.create(pk=number, code="x", title=f"t{number % 2}", owner_id=1)
        snippet.tags.set(Tag.objects.all()[: number % 2])
    for _ in range(3):
        plain, queryset = LISTS[name](), LISTS[name]()
        with CaptureQueriesContext(connection) as wanted:
            then = list(plain)
        with CaptureQueriesContext(connection) as taken:
            now = load(queryset)
        assert [*map(parts, now)] == [*map(parts, then)]
        assert [*map(id, queryset)] == [*map(id, now)] or name == "raw"
        assert len(taken) == len(wanted)


def test_instances_are_told_apart_saved_and_completed_like_those_of_django() -> None:
    snippet = load(Snippet.objects.only("title"))[0]
    assert snippet.get_deferred_fields() == Snippet.objects.only("title")[0].get_deferred_fields()
    assert snippet.code == "print()"
    snippet.title = "new"
    snippet.save()
    assert Snippet.objects.get(pk=1).title == "new"
    assert pickle.loads(pickle.dumps(snippet)) == snippet == copy.deepcopy(snippet)
    snippet.refresh_from_db()
    assert snippet.owner.username == "user"


def test_the_query_says_of_which_model_the_instances_are() -> None:
    class Nickname(Tag):
        class Meta:
            app_label = "contract_project"
            proxy = True

    queryset = Tag.objects.all()
    queryset.model = Nickname
    assert type(load(queryset)[0]) is type(next(iter(queryset.all()))) is Tag


@pytest.mark.parametrize("queryset", [Tag.objects.all, lambda: Tag.objects.annotate(one=Value(1))])
@pytest.mark.parametrize("own", [None, lambda self, tag: {"name": tag.name}])
def test_a_router_is_asked_once_for_a_list(queryset: Callable[[], Any], own: Any) -> None:
    asked: list[Any] = []

    class Router:
        def db_for_read(self, model: Any, **hints: Any) -> str:
            asked.append(model)
            return "default"

    class TagSerializer(serializers.ModelSerializer):
        class Meta:
            model = Tag
            fields = ["name"]

        to_representation = own or serializers.ModelSerializer.to_representation

    with override_settings(DATABASE_ROUTERS=[Router()]):
        assert TagSerializer(queryset(), many=True).data == [{"name": "tag"}]
    assert asked == [Tag]


class Masking(CursorWrapper):
    """A cursor of the project that changes what Django reads from it."""

    def fetchmany(self, *args: Any) -> Any:
        rows = self.cursor.fetchmany(*args)
        return [tuple("***" if value == "tag" else value for value in row) for row in rows]


@pytest.mark.parametrize("queryset", [Tag.objects.all, lambda: Tag.objects.annotate(one=Value(1))])
def test_a_cursor_of_the_project_decides_what_is_read(
    queryset: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    class TagSerializer(serializers.ModelSerializer):
        class Meta:
            model = Tag
            fields = ["name"]

    monkeypatch.setattr(connection, "make_cursor", lambda cursor: Masking(cursor, connection))
    assert [tag.name for tag in queryset()] == ["***"]
    assert [tag.name for tag in load(queryset())] == ["***"]
    assert row_of(queryset(), "pk", 1).name == "***"
    assert TagSerializer(queryset(), many=True).data == [{"name": "***"}]


class Upper(models.CharField):  # type: ignore[type-arg]
    def from_db_value(self, value: str, expression: Any, connection: Any) -> str:
        return value.upper()


def _note(field: Any, value: str, expression: Any, connection: Any) -> str:
    noted.append(value)
    return value


def _beside(field: Any, value: str, expression: Any, connection: Any) -> str:
    return f"{value} of {noted[-1]}"


#: Notes a value for the columns to its right, as the key of a row is noted.
Noting: Any = type("Noting", (models.CharField,), {"from_db_value": _note})
Noted: Any = type("Noted", (models.TextField,), {"from_db_value": _beside})
noted: list[str] = []


@isolate_apps("contract_project")
@pytest.mark.parametrize("title", [serializers.CharField, serializers.SerializerMethodField])
def test_converters_of_the_project_run_row_by_row(title: Any) -> None:
    class Own(models.Model):
        code = Noting(max_length=50)
        title = Noted()

        class Meta:
            app_label = "contract_project"
            db_table = Snippet._meta.db_table

    class OwnSerializer(serializers.ModelSerializer):
        shown = title(**({"source": "title"} if title is serializers.CharField else {}))

        class Meta:
            model = Own
            fields = ["code", "shown"]

        def get_shown(self, own: Own) -> str:
            return own.title

    Snippet.objects.create(pk=2, code="pass", title="two", owner_id=1)
    Snippet.objects.filter(pk=1).update(title="one")
    data = OwnSerializer(Own.objects.order_by("pk"), many=True).data
    assert [row["shown"] for row in data] == ["one of print()", "two of pass"]


class Loud(DeferredAttribute):
    def __set__(self, instance: Any, value: str) -> None:
        instance.__dict__["name"] = f"{value}!"


class LoudField(models.CharField):  # type: ignore[type-arg]
    descriptor_class = Loud


@isolate_apps("contract_project")
@pytest.mark.parametrize(("field_class", "wanted"), [(Upper, "TAG"), (LoudField, "tag!")])
def test_fields_with_converters_and_descriptors_of_their_own(field_class: Any, wanted: str) -> None:
    class Own(models.Model):
        name = field_class(max_length=50)

        class Meta:
            app_label = "contract_project"
            db_table = Tag._meta.db_table

    assert [one.name for one in load(Own.objects.all())] == [wanted]
    assert [one.name for one in load(Own.objects.annotate(n=Value(1)))] == [wanted]


@pytest.mark.fast_way
def test_a_list_with_a_method_field_makes_instances_without_their_constructor() -> None:
    class SnippetSerializer(serializers.ModelSerializer):
        by = serializers.SerializerMethodField()

        class Meta:
            model = Snippet
            fields = ["id", "by"]

        def get_by(self, snippet: Snippet) -> str:
            return f"{snippet.owner_id} {type(snippet).__name__}"

    for _ in range(3):
        SnippetSerializer(Snippet.objects.all(), many=True).data  # noqa: B018
    profiled: list[str] = []
    sys.setprofile(lambda frame, event, _: profiled.append(frame.f_code.co_qualname))
    try:
        data = SnippetSerializer(Snippet.objects.all(), many=True).data
    finally:
        sys.setprofile(None)
    assert data == [{"id": 1, "by": "1 Snippet"}]
    assert "Model.__init__" not in profiled
