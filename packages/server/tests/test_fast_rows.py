"""One row by a unique column equals ``get()``, whatever the value and the queryset."""

import datetime
import linecache
import uuid
from typing import Any
from unittest import mock

import pytest
from contract_project.models import Everything, Profile, Snippet, Tag
from django.contrib.auth.models import User
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import DEFAULT_DB_ALIAS, connection, connections, models, router
from django.db.models import Prefetch
from django.db.models.functions import Lower
from django.db.utils import ConnectionRouter
from django.test import override_settings
from django.test.utils import CaptureQueriesContext, isolate_apps, register_lookup

from lintel.fast.plain import PLAIN
from lintel.fast.rows import known_row, row_of
from lintel.fast.statements import kept_statements
from lintel.trust import store
from lintel.trust.originals import is_known

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def rows() -> None:
    Tag.objects.bulk_create(Tag(id=number, name=f"tag-{number}") for number in range(1, 4))
    users = [User.objects.create(username=f"user-{number}") for number in range(2)]
    Snippet.objects.create(id=1, code="print()", owner=users[0])
    Profile.objects.create(user=users[1])


def outcome(function: Any) -> Any:
    """The columns of the row and of its related rows, or the error."""
    try:
        found = function()
    except (AttributeError, ObjectDoesNotExist, ValueError, TypeError, OverflowError) as error:
        return type(error), str(error)
    state = {name: value for name, value in vars(found).items() if not name.startswith("_")}
    prefetched = sorted(getattr(found, "_prefetched_objects_cache", ()))
    loaded = {name: vars(one)["id"] for name, one in found._state.fields_cache.items()}
    return type(found), state, prefetched, loaded, found._state.db, found._state.adding


VALUES = [1, 2, 99, -1, 2**63, "1", "x", "", "tag-2", "tag-\x00", True, None, 1.5, b"1", 10**5000]


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
@pytest.mark.parametrize("name", ["pk", "id", "name"])
def test_it_finds_what_get_finds(name: str, value: Any) -> None:
    wanted = outcome(lambda: Tag.objects.get(**{name: value}))
    for _ in range(2):  # compiled, and then used again
        assert outcome(lambda: row_of(Tag.objects.all(), name, value)) == wanted


@pytest.mark.parametrize(
    "queryset",
    [
        lambda: Snippet.objects.all(),
        lambda: Snippet.objects.select_related("owner"),
        lambda: Snippet.objects.select_related("owner__profile"),
        lambda: Snippet.objects.order_by("owner__username"),
        lambda: Snippet.objects.filter(title=""),
        lambda: Snippet.objects.filter(title="other"),
        lambda: Snippet.objects.exclude(title=""),
        lambda: Snippet.objects.none(),
        lambda: Snippet.objects.defer("code"),
        lambda: Snippet.objects.only("title"),
        lambda: Snippet.objects.annotate(low=Lower("title")),
        lambda: Snippet.objects.distinct(),
        lambda: Snippet.objects.prefetch_related("tags"),
        lambda: Snippet.objects.prefetch_related("tags__snippets", "owner"),
        lambda: Snippet.objects.prefetch_related(
            Prefetch("tags", Tag.objects.filter(name="tag-2"), to_attr="second")
        ),
        lambda: Snippet.objects.prefetch_related("tags").select_related("owner"),
        lambda: Snippet.objects.prefetch_related("tags").prefetch_related(None),
        lambda: Snippet.objects.prefetch_related("missing"),
        lambda: Snippet.objects.prefetch_related("title"),
        lambda: User.objects.first().snippets.all(),
        lambda: Snippet.objects.extra(where=["title = 'other'"]),
    ],
)
def test_any_queryset_keeps_its_meaning(queryset: Any) -> None:
    wanted = outcome(lambda: queryset().get(pk=1))
    for _ in range(2):
        assert outcome(lambda: row_of(queryset(), "pk", 1)) == wanted


@pytest.mark.fast_way
def test_a_manager_stands_for_its_queryset() -> None:
    class Fewer(models.Manager):
        def get_queryset(self) -> Any:
            return super().get_queryset().filter(pk__lt=2)

    fewer = Fewer()
    fewer.model = Tag
    for _ in range(2):
        assert known_row(Tag.objects, "pk", 2).name == "tag-2"
        assert known_row(Tag.objects, "name", "tag-2").pk == 2
        assert known_row(Tag.objects, "pk", 99) is None
        assert known_row(Tag.objects, "pk", 2**63) is PLAIN
        assert known_row(Snippet.objects, "title", "") is PLAIN
        assert known_row(fewer, "pk", 1) is PLAIN
        assert row_of(fewer, "pk", 1).name == "tag-1"
    with pytest.raises(Tag.DoesNotExist):
        row_of(fewer, "pk", 2)


@pytest.mark.fast_way
def test_prefetched_rows_are_loaded_after_a_kept_statement(django_assert_num_queries: Any) -> None:
    Snippet.objects.get(pk=1).tags.set([1, 3])
    queryset = Snippet.objects.prefetch_related("tags")
    for _ in range(2):
        with django_assert_num_queries(2):
            found = known_row(queryset, "pk", 1)
            assert sorted(tag.pk for tag in found.tags.all()) == [1, 3]
        with django_assert_num_queries(1):
            assert known_row(queryset, "pk", 99) is None
    Snippet.objects.get(pk=1).tags.set([2])
    assert [tag.pk for tag in known_row(queryset, "pk", 1).tags.all()] == [2]


def test_a_queryset_may_load_them_itself() -> None:
    class Own(models.QuerySet):
        def _prefetch_related_objects(self) -> None:
            self._result_cache[0].loaded = self._prefetch_related_lookups

    assert row_of(Own(Snippet).prefetch_related("tags"), "pk", 1).loaded == ("tags",)


def test_columns_are_converted(django_assert_num_queries: Any) -> None:
    made = Snippet.objects.get(pk=1)
    for zone in ("UTC", "Asia/Tokyo"):
        with override_settings(TIME_ZONE=zone), django_assert_num_queries(1):
            assert row_of(Snippet.objects.all(), "pk", made.pk).created == made.created


@pytest.mark.fast_way
def test_the_text_is_made_once(django_assert_num_queries: Any) -> None:
    row_of(Tag.objects.all(), "pk", 1)
    row_of(Tag.objects.all(), "pk", 1)
    statements = dict(kept_statements(connection))
    with django_assert_num_queries(2):
        assert row_of(Tag.objects.all(), "pk", 2).name == "tag-2"
        with pytest.raises(Tag.DoesNotExist, match=r"^Tag matching query does not exist\.$"):
            row_of(Tag.objects.all(), "pk", 99)
    assert kept_statements(connection) == statements


@pytest.mark.parametrize("key", [1, 99])
@pytest.mark.parametrize(
    "queryset", [Tag.objects.order_by("name"), Snippet.objects.select_related("owner")]
)
def test_the_text_is_that_of_django(queryset: Any, key: int) -> None:
    with CaptureQueriesContext(connection) as captured:
        outcome(lambda: queryset.get(pk=key))
        outcome(lambda: row_of(queryset, "pk", key))
    wanted, found = captured.captured_queries
    assert found["sql"] == wanted["sql"]


def test_foreign_keys_and_columns_that_may_repeat_are_left_to_get() -> None:
    user = User.objects.get(username="user-1")
    assert row_of(Profile.objects.all(), "user", user.pk).user == user
    assert row_of(User.objects.all(), "username", "user-0").username == "user-0"
    Snippet.objects.create(code="", owner=user)
    with pytest.raises(Snippet.MultipleObjectsReturned):
        row_of(Snippet.objects.all(), "title", "")


def test_own_querysets_are_asked_themselves() -> None:
    class Loud(models.QuerySet):
        def get(self, *args: Any, **kwargs: Any) -> Any:
            return "heard"

    assert row_of(Loud(Tag), "pk", 1) == "heard"


@isolate_apps("contract_project")
def test_keys_of_other_kinds() -> None:
    class Labelled(models.Model):
        id = models.UUIDField(primary_key=True)

        class Meta:
            app_label = "contract_project"

    key = uuid.uuid4()
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE contract_project_labelled (id char(32) PRIMARY KEY)")
    Labelled.objects.create(id=key)
    for value in (key, str(key), key.hex):
        assert row_of(Labelled.objects.all(), "pk", value).pk == key
    with pytest.raises(ValidationError, match="valid UUID"):
        row_of(Labelled.objects.all(), "pk", "nothing")


@pytest.mark.fast_way
def test_a_connection_keeps_a_limited_number(monkeypatch: Any) -> None:
    monkeypatch.setattr(store, "MAX_KEPT", 2)
    kept = kept_statements(connections[DEFAULT_DB_ALIAS])
    kept.clear()
    for model in (Tag, User, Snippet, Everything):
        with pytest.raises(ObjectDoesNotExist):
            row_of(model.objects.all(), "pk", 99)
    assert 0 < len(kept) <= 2


class Lowered(models.lookups.Exact):
    def process_rhs(self, compiler: Any, connection: Any) -> Any:
        sql, parameters = super().process_rhs(compiler, connection)
        return sql, [each.lower() for each in parameters]


def test_lookups_of_the_project_are_asked_whenever_they_are_registered() -> None:
    assert row_of(Tag.objects.all(), "name", "tag-2").pk == 2
    with register_lookup(models.CharField, Lowered, lookup_name="exact"):
        for _ in range(2):
            assert row_of(Tag.objects.all(), "name", "TAG-2").pk == 2
    with pytest.raises(Tag.DoesNotExist):
        row_of(Tag.objects.all(), "name", "TAG-2")


@pytest.mark.parametrize("owner", [models.CharField, models.Field, models.JSONField])
def test_converters_that_come_later_are_called(owner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a class of fields had none, inherits it from now on, or had another one."""
    moment = datetime.datetime(2020, 1, 2, tzinfo=datetime.UTC)
    everything = Everything.objects.create(amount=1, when=moment)

    def both() -> list[Any]:
        rows = (row_of(Tag.objects, "pk", 1), row_of(Everything.objects, "pk", everything.pk))
        plain = (Tag.objects.get(pk=1), Everything.objects.get(pk=everything.pk))
        return [[outcome(lambda one=one: one) for one in found] for found in (rows, plain)]

    before = both()
    assert before[0] == before[1]
    convert = lambda self, value, expression, connection: f"converted {value}"  # noqa: E731
    monkeypatch.setattr(owner, "from_db_value", convert, raising=False)
    after = both()
    assert after[0] == after[1] != before[1]
    monkeypatch.undo()
    assert both() == before


def test_get_of_one_queryset_is_called() -> None:
    assert row_of(Tag.objects.all(), "pk", 1).pk == 1
    queryset: Any = Tag.objects.all()
    queryset.get = lambda **wanted: wanted
    assert row_of(queryset, "pk", 1) == {"pk": 1}


def test_another_column_may_become_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    assert row_of(Tag.objects, "pk", 1).name == "tag-1"
    monkeypatch.setattr(Tag._meta, "pk", Tag._meta.get_field("name"))
    assert row_of(Tag.objects, "pk", "tag-2").id == 2
    monkeypatch.undo()
    assert row_of(Tag.objects, "pk", 3).name == "tag-3"


@pytest.mark.fast_way
def test_models_made_at_run_time_share_the_text_of_their_warrants() -> None:
    def texts() -> int:
        return sum(name.startswith("<lintel") for name in linecache.cache)

    def find(label: str) -> None:
        with isolate_apps("contract_project"):
            meta = type(
                "Meta", (), {"app_label": "contract_project", "db_table": Tag._meta.db_table}
            )
            named = models.CharField(max_length=50, unique=True)
            body = {"__module__": __name__, "Meta": meta, "name": named}
            assert row_of(type(label, (models.Model,), body).objects, "pk", 1).name == "tag-1"

    find("First")
    before = texts()
    find("Second")
    assert texts() == before


class Recorder:
    """A router, or what stands for a method of Django's."""

    def __init__(self) -> None:
        self.calls = 0

    def db_for_read(self, *args: Any, **hints: Any) -> str:
        self.calls += 1
        return DEFAULT_DB_ALIAS


@pytest.mark.parametrize("owner", [ConnectionRouter, router])
def test_routers_are_asked_whenever_they_come(owner: Any) -> None:
    def ask() -> None:
        assert row_of(Tag.objects, "pk", 1).name == "tag-1"
        assert row_of(Tag.objects.all(), "pk", 2).name == "tag-2"

    recorder = Recorder()
    ask()
    with override_settings(DATABASE_ROUTERS=[recorder]):
        ask()
    assert recorder.calls == 2
    ask()
    with mock.patch.object(owner, "db_for_read", recorder.db_for_read):
        ask()
    assert recorder.calls == 4
    ask()
    assert recorder.calls == 4
    # Django decides again, and is not asked any more.
    assert known_row(Tag.objects, "pk", 1) is not PLAIN or not is_known()
