"""Lists in the bodies of requests: written together, each item with its own error."""

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from asgiref.sync import async_to_sync
from contract_project.models import Article, Reservation, Snippet, Tag
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connections, transaction
from django.db.models import ProtectedError, signals
from django.http import Http404
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from servers import everything_in

from lintel import serializers
from lintel.bulk import AsyncBulkModelViewSet, Batch, BulkModelViewSet
from lintel.conditional import ConditionalMixin
from lintel.exceptions import PermissionDenied
from lintel.idempotency import IdempotentMixin
from lintel.patching import PatchMixin
from lintel.permissions import BasePermission
from lintel.routers import SimpleRouter
from lintel.schemas.openapi import SchemaGenerator
from lintel.test import APIClient, APIRequestFactory, AsyncAPIClient
from lintel.throttling import UserRateThrottle
from lintel.viewsets import ModelViewSet


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class SnippetSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ["id", "title", "code", "owner", "tags"]


class ReservationSerializer(serializers.ModelSerializer):
    class Meta:
        model = Reservation
        fields = ["id", "room", "slot", "note"]


class Tags(BulkModelViewSet):
    queryset = Tag.objects.order_by("pk")
    serializer_class = TagSerializer
    max_items = 600


class UnstoredSerializer(serializers.Serializer):
    """Checks input for the model, and has no ``create()``."""

    name = serializers.CharField()

    class Meta:
        model = Tag


class Unstored(Tags):
    serializer_class = UnstoredSerializer


class EachTag(Tags):
    atomic = False


class UncheckedSerializer(ReservationSerializer):
    """The database alone knows that a slot is taken."""

    class Meta(ReservationSerializer.Meta):
        validators: ClassVar[list[Any]] = []


class Snippets(BulkModelViewSet):
    queryset = Snippet.objects.prefetch_related("tags")
    serializer_class = SnippetSerializer


class Reservations(BulkModelViewSet):
    queryset = Reservation.objects.all()
    serializer_class = ReservationSerializer


class ArticleSerializer(serializers.ModelSerializer):
    class Meta:
        model = Article
        fields = ["published", "slug", "series", "column"]


class Articles(BulkModelViewSet):
    queryset = Article.objects.all()
    serializer_class = ArticleSerializer
    atomic = False


class Unchecked(BulkModelViewSet):
    queryset = Reservation.objects.all()
    serializer_class = UncheckedSerializer


class EachUnchecked(Unchecked):
    atomic = False


class Announced(Tags):
    """Overrides the hooks of single rows, which see each row."""

    def perform_create(self, serializer: Any) -> None:
        if serializer.validated_data["name"] == "no":
            raise PermissionDenied
        serializer.save(name=serializer.validated_data["name"].upper())

    def perform_update(self, serializer: Any) -> None:
        serializer.save(name=f"{serializer.instance.name}>{serializer.validated_data['name']}")

    def perform_destroy(self, instance: Any) -> None:
        Tag.objects.filter(pk=instance.pk).update(name=f"gone {instance.pk}")


class Own(Snippets):
    serializer_class = type(
        "OwnSerializer",
        (serializers.ModelSerializer,),
        {"Meta": type("Meta", (), {"model": Snippet, "fields": ["id", "code"]})},
    )

    def get_queryset(self) -> Any:
        return Snippet.objects.filter(owner__username="alice")

    def perform_bulk_create(self, batch: Batch) -> None:
        batch.save(owner=User.objects.get(username="alice"), title=f"one of {len(list(batch))}")


class NotLocked(BasePermission):
    def has_object_permission(self, request: Any, view: Any, obj: Any) -> bool:
        return not obj.name.startswith("locked")


class Guarded(Tags):
    permission_classes = [NotLocked]


class EachGuarded(Guarded):
    atomic = False


class Hiding(BasePermission):
    def has_object_permission(self, request: Any, view: Any, obj: Any) -> bool:
        if obj.name.startswith("locked"):
            raise Http404
        return True


class Hidden(Tags):
    permission_classes = [Hiding]


class EachHidden(Hidden):
    atomic = False


class ByName(Tags):
    bulk_lookup_field = "name"


class Later(AsyncBulkModelViewSet):
    queryset = Tag.objects.order_by("pk")
    serializer_class = TagSerializer

    async def perform_create(self, serializer: Any) -> None:
        await serializer.asave(name=serializer.validated_data["name"] + "!")


class PerItem(UserRateThrottle):
    rate = "5/day"


class Throttled(Tags):
    throttle_classes = [PerItem]
    throttle_items = True


class Once(IdempotentMixin, Tags):
    idempotency_store = "database"


class Checked(ConditionalMixin, Tags):
    pass


class Required(Checked):
    require_preconditions = True


class Patched(PatchMixin, Tags):
    pass


class Plain(ModelViewSet):
    queryset = Tag.objects.order_by("pk")
    serializer_class = TagSerializer


class VanishingSerializer(TagSerializer):
    """While it validates, somebody else deletes a row."""

    def is_valid(self, **kwargs: Any) -> bool:
        Tag.objects.filter(name="vanishing").delete()
        return super().is_valid(**kwargs)


class Vanishing(Tags):
    serializer_class = VanishingSerializer


class EachVanishing(Vanishing):
    atomic = False


class SavingVanishingSerializer(VanishingSerializer):
    """Each row is saved by the project."""

    def update(self, instance: Any, validated_data: Any) -> Any:
        return super().update(instance, validated_data)


class SavingVanishing(Vanishing):
    serializer_class = SavingVanishingSerializer


VIEWS: dict[str, Any] = {
    "vanishing": Vanishing,
    "each-vanishing": EachVanishing,
    "saving-vanishing": SavingVanishing,
    "tags": Tags,
    "each-tag": EachTag,
    "snippets": Snippets,
    "reservations": Reservations,
    "articles": Articles,
    "unchecked": Unchecked,
    "each-unchecked": EachUnchecked,
    "announced": Announced,
    "own": Own,
    "guarded": Guarded,
    "each-guarded": EachGuarded,
    "hidden": Hidden,
    "each-hidden": EachHidden,
    "by-name": ByName,
    "later": Later,
    "throttled": Throttled,
    "once": Once,
    "checked": Checked,
    "required": Required,
    "patched": Patched,
    "plain": Plain,
    "unstored": Unstored,
}

router = SimpleRouter()
for name, view in VIEWS.items():
    router.register(name, view, name)
urlpatterns = router.urls

pytestmark = pytest.mark.urls("test_bulk")


@pytest.fixture(params=["sqlite_file", "postgresql"])
def database(request: Any, django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """The only database of a test, on both systems; nothing that it writes stays."""
    alias = request.getfixturevalue(request.param)
    with everything_in(alias, django_db_blocker), transaction.atomic(using=alias):
        yield alias
        transaction.set_rollback(True, using=alias)


def send(method: str, url: str, data: Any, **headers: str) -> Any:
    return getattr(APIClient(), method)(url, data, format="json", headers=headers)


def names() -> list[str]:
    return list(Tag.objects.order_by("pk").values_list("name", flat=True))


def tags(*given: str) -> list[int]:
    return [Tag.objects.create(name=each).pk for each in given]


TAKEN = ["tag with this name already exists."]


def test_lists_are_created_updated_and_deleted(database: str) -> None:
    made = send("post", "/tags/", [{"name": "a"}, {"name": "b"}])
    assert (made.status_code, [each["name"] for each in made.json()]) == (201, ["a", "b"])
    one, two = (each["id"] for each in made.json())
    put = send("put", "/tags/", [{"id": two, "name": "d"}, {"id": one, "name": "c"}])
    assert (put.status_code, put.json()) == (
        200,
        [{"id": two, "name": "d"}, {"id": one, "name": "c"}],
    )
    patched = send("patch", "/tags/", [{"id": one, "name": "e"}, {"id": two}])
    assert [each["name"] for each in patched.json()] == ["e", "d"]
    assert send("delete", "/tags/", [one, {"id": two}]).status_code == 204
    assert names() == []


def test_a_single_object_is_created_as_before(database: str) -> None:
    made = send("post", "/tags/", {"name": "a"})
    assert (made.status_code, made.json()["name"]) == (201, "a")
    assert send("put", f"/tags/{made.json()['id']}/", {"name": "b"}).json()["name"] == "b"
    assert send("post", "/plain/", [{"name": "c"}]).status_code == 400
    assert send("put", "/plain/", [{"name": "c"}]).status_code == 405


def test_errors_are_aligned_and_nothing_is_written(database: str) -> None:
    tags("a")
    sent = [{"name": "a"}, {"name": "b"}, {"name": "b"}, {}, 3]
    refused = send("post", "/tags/", sent)
    assert refused.status_code == 400
    assert refused.json() == [
        {"name": TAKEN},
        {},
        {"name": TAKEN},
        {"name": ["This field is required."]},
        {"non_field_errors": ["Invalid data. Expected a dictionary, but got int."]},
    ]
    assert names() == ["a"]


def test_each_valid_item_is_written_if_not_atomic(database: str) -> None:
    (one,) = tags("a")
    sent = [{"name": "a"}, {"name": "b"}, {"name": "b"}, {}]
    results = send("post", "/each-tag/", sent)
    assert results.status_code == 207
    assert [each["status"] for each in results.json()] == [400, 201, 400, 400]
    assert results.json()[0] == {"status": 400, "errors": {"name": TAKEN}}
    assert results.json()[1]["data"]["name"] == "b"
    changed = send("patch", "/each-tag/", [{"id": one, "name": "c"}, {"id": 0, "name": "d"}])
    assert [each["status"] for each in changed.json()] == [200, 400]
    gone = send("delete", "/each-tag/", [one, 0])
    assert [each["status"] for each in gone.json()] == [204, 400]
    assert names() == ["b"]


@pytest.mark.usefixtures("database")
@override_settings(REST_FRAMEWORK={"ERROR_FORMAT": "problem"})
def test_problem_details() -> None:
    refused = send("post", "/tags/", [{"name": "b"}, {}])
    assert [each["pointer"] for each in refused.json()["errors"]] == ["/1/name"]
    (result,) = send("post", "/each-tag/", [{}]).json()
    assert result["status"] == result["problem"]["status"] == 400
    assert result["problem"]["errors"][0]["pointer"] == "/name"


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("method", ["put", "patch", "delete"])
@pytest.mark.parametrize("sent", [{}, {"id": 1}, [], "a", 1, None])
def test_nothing_but_a_list_of_items_changes_rows(method: str, sent: Any) -> None:
    tags("a")
    assert send(method, "/tags/", sent).status_code == 400
    assert getattr(APIClient(), method)("/tags/?name=a").status_code == 400
    assert names() == ["a"]


HOSTILE = [0, -1, 2**63, 10**400, 1.5, True, None, "", "x", "1 OR 1=1", "\x00", [], {}, "9" * 5000]


@pytest.mark.parametrize("key", HOSTILE, ids=lambda key: str(key)[:10])
def test_keys_that_no_row_has_are_errors_of_their_items(database: str, key: Any) -> None:
    (one,) = tags("a")
    refused = send("patch", "/tags/", [{"id": one, "name": "b"}, {"id": key, "name": "c"}])
    assert (refused.status_code, refused.json()[0]) == (400, {})
    assert list(refused.json()[1]) == ["id"]
    assert send("delete", "/tags/", [one, {"id": key}]).status_code == 400
    assert names() == ["a"]


def test_an_object_that_comes_twice_is_an_error(database: str) -> None:
    (one,) = tags("a")
    refused = send("patch", "/tags/", [{"id": one, "name": "b"}, {"id": str(one), "name": "c"}])
    assert refused.json() == [{}, {"id": ["This field must be unique."]}]
    assert send("delete", "/tags/", [one, one]).status_code == 400
    assert names() == ["a"]


def test_names_may_not_be_swapped_into_those_of_others(database: str) -> None:
    one, two = tags("a", "b")
    refused = send("patch", "/tags/", [{"id": one, "name": "b"}, {"id": two, "name": "c"}])
    assert refused.json() == [{"name": TAKEN}, {}]
    same = send("put", "/tags/", [{"id": one, "name": "a"}, {"id": two, "name": "b"}])
    assert same.status_code == 200


def test_rules_over_several_fields(database: str) -> None:
    slots = [{"room": "a", "slot": number, "note": "x"} for number in (1, 2, 1)]
    refused = send("post", "/reservations/", slots)
    assert refused.json() == [
        {},
        {},
        {"non_field_errors": ["The fields room, slot must make a unique set."]},
    ]
    assert send("post", "/reservations/", slots[:2]).status_code == 201
    assert Reservation.objects.count() == 2


def test_rules_about_periods(database: str) -> None:
    days = ["2020-01-01", "2020-01-02", "2021-01-01", "2020-02-01", "2020-01-01"]
    sent = [
        {"published": day, "slug": "a", "series": "s", "column": f"c{place}"}
        for place, day in enumerate(days)
    ]
    sent[0]["series"], sent[4]["series"], sent[4]["column"] = "first", "last", "c3"
    results = send("post", "/articles/", sent).json()
    assert [each["status"] for each in results] == [201, 201, 400, 201, 400]
    assert results[2]["errors"] == {
        "series": ['This field must be unique for the "published" month.']
    }
    assert sorted(results[4]["errors"]) == ["column", "slug"]


def test_an_item_that_is_not_written_takes_nothing_from_others(database: str) -> None:
    day = {"published": "2020-01-01"}
    sent = [
        {**day, "slug": "a", "series": "a", "column": "a"},
        {**day, "slug": "b", "series": "a", "column": "b"},
        {**day, "slug": "b", "series": "c", "column": "b"},
    ]
    results = send("post", "/articles/", sent).json()
    assert [each["status"] for each in results] == [201, 400, 201]


def test_what_only_the_database_refuses_is_an_error_of_its_item(database: str) -> None:
    Reservation.objects.create(room="a", slot=1)
    slots = [{"room": "a", "slot": number, "note": ""} for number in (3, 1, 2, 3)]
    words = {"non_field_errors": ["Reservation with this Room and Slot already exists."]}
    refused = send("post", "/unchecked/", slots)
    assert (refused.status_code, refused.json()) == (400, [{}, words, {}, words])
    assert Reservation.objects.count() == 1
    results = send("post", "/each-unchecked/", slots)
    assert [each["status"] for each in results.json()] == [201, 400, 201, 400]
    keys = {row.slot: row.pk for row in Reservation.objects.all()}
    changes = [{"id": keys[2], "slot": 9}, {"id": keys[3], "slot": 1}]
    assert send("patch", "/unchecked/", changes).json() == [{}, words]
    results = send("patch", "/each-unchecked/", changes)
    assert [each["status"] for each in results.json()] == [200, 400]
    assert set(Reservation.objects.values_list("slot", flat=True)) == {1, 3, 9}


@pytest.mark.shortcuts
def test_500_rows_take_few_queries(database: str) -> None:
    with CaptureQueriesContext(connections[database]) as creating:
        made = send("post", "/tags/", [{"name": f"n{number}"} for number in range(500)])
    with CaptureQueriesContext(connections[database]) as updating:
        sent = [{**each, "name": f"x{each['name']}"} for each in reversed(made.json())]
        changed = send("put", "/tags/", sent)
    with CaptureQueriesContext(connections[database]) as deleting:
        gone = send("delete", "/tags/", [each["id"] for each in sent])
    assert (made.status_code, changed.status_code, gone.status_code) == (201, 200, 204)
    assert changed.json() == sent
    assert len(creating) <= 6
    assert len(updating) <= 8
    # One for the rows, a savepoint, and one for the links to snippets, in chunks on SQLite.
    assert len(deleting) <= 12


@pytest.mark.shortcuts
def test_relations_take_no_query_per_row(database: str) -> None:
    keys = tags("a", "b", "c")
    owners = [User.objects.create(username=name).pk for name in ("alice", "bob")]

    def count(method: str, rows: list[Any]) -> tuple[int, list[Any]]:
        with CaptureQueriesContext(connections[database]) as queries:
            answer = send(method, "/snippets/", rows)
        assert answer.status_code in (200, 201)
        return len(queries), answer.json()

    def sent(number: int) -> list[Any]:
        return [
            {"code": f"n{each}", "owner": owners[each % 2], "tags": keys[each % 3 :]}
            for each in range(number)
        ]

    few, _ = count("post", sent(6))
    many, rows = count("post", sent(100))
    assert many <= few
    assert [row["tags"] for row in rows] == [each["tags"] for each in sent(100)]
    changes = [{"id": row["id"], "tags": row["tags"][:1]} for row in rows]
    few, _ = count("patch", changes[:6])
    many, changed = count("patch", changes)
    assert many <= few
    assert [row["tags"] for row in changed] == [each["tags"] for each in changes]


def test_hooks_of_single_rows_see_each_row(database: str) -> None:
    made = send("post", "/announced/", [{"name": "a"}, {"name": "b"}])
    assert names() == ["A", "B"]
    one, two = (each["id"] for each in made.json())
    assert send("post", "/announced/", [{"name": "c"}, {"name": "no"}]).status_code == 403
    assert names() == ["A", "B"]
    send("patch", "/announced/", [{"id": one, "name": "c"}, {"id": two, "name": "d"}])
    assert names() == ["A>c", "B>d"]
    assert send("delete", "/announced/", [one, two]).status_code == 204
    assert names() == [f"gone {one}", f"gone {two}"]


def test_a_batch_is_saved_with_further_values_and_only_own_rows_are_found(database: str) -> None:
    alice, bob = (User.objects.create(username=name) for name in ("alice", "bob"))
    other = Snippet.objects.create(code="x", owner=bob)
    made = send("post", "/own/", [{"code": "a"}, {"code": "b"}])
    rows = Snippet.objects.filter(owner=alice)
    assert {(row.code, row.title) for row in rows} == {("a", "one of 2"), ("b", "one of 2")}
    own = made.json()[0]["id"]
    for method in ("patch", "delete"):
        refused = send(method, "/own/", [{"id": own, "code": "c"}, {"id": other.pk, "code": "c"}])
        text = f'Invalid pk "{other.pk}" - object does not exist.'
        assert refused.json() == [{}, {"id": [text]}]
    assert Snippet.objects.filter(code="c").count() == 0


def test_receivers_of_signals_hear_of_each_row(database: str) -> None:
    heard: list[str] = []

    def hear(sender: Any, instance: Any, created: bool, **kwargs: Any) -> None:
        heard.append(f"{instance.name} {created}")

    signals.post_save.connect(hear, sender=Tag)
    try:
        made = send("post", "/tags/", [{"name": "a"}, {"name": "b"}]).json()
        send("patch", "/tags/", [{"id": made[0]["id"], "name": "c"}, made[1]])
    finally:
        signals.post_save.disconnect(hear, sender=Tag)
    assert heard == ["a True", "b True", "c False", "b False"]


def test_permissions_of_objects(database: str) -> None:
    one, two = tags("a", "locked b")
    sent = [{"id": one, "name": "c"}, {"id": two, "name": "d"}]
    assert send("patch", "/guarded/", sent).status_code == 403
    assert send("delete", "/guarded/", [one, two]).status_code == 403
    assert names() == ["a", "locked b"]
    results = send("patch", "/each-guarded/", sent).json()
    assert [each["status"] for each in results] == [200, 403]
    assert list(results[1]["errors"]) == ["detail"]
    results = send("delete", "/each-guarded/", [one, two]).json()
    assert [each["status"] for each in results] == [204, 403]
    assert names() == ["locked b"]


def test_a_row_that_a_permission_hides_is_none(database: str) -> None:
    one, two = tags("a", "locked b")
    results = send("patch", "/each-hidden/", [{"id": each, "name": "c"} for each in (one, two, 0)])
    assert [each["status"] for each in results.json()] == [200, 400, 400]
    hidden, missing = ([each["errors"]["id"][0]] for each in results.json()[1:])
    assert [text.replace(f'"{two}"', '"0"') for text in hidden] == missing
    results = send("delete", "/each-hidden/", [two, 0, one]).json()
    assert [each["status"] for each in results] == [400, 400, 204]
    refused = send("delete", "/hidden/", [two])
    assert (refused.status_code, list(refused.json()[0])) == (400, ["id"])
    assert names() == ["locked b"]


def test_rows_are_found_by_another_field(database: str) -> None:
    tags("a", "b")
    assert send("put", "/by-name/", [{"name": "b"}, {"name": "a"}]).status_code == 200
    refused = send("put", "/by-name/", [{"name": "b"}, {"name": "c"}, {"id": 1}])
    assert [list(each) for each in refused.json()] == [[], ["name"], ["name"]]
    assert send("delete", "/by-name/", ["a"]).status_code == 204
    assert names() == ["b"]


@pytest.mark.usefixtures("database")
def test_too_many_items() -> None:
    refused = send("post", "/tags/", [{"name": str(number)} for number in range(601)])
    assert refused.json() == {
        "non_field_errors": ["Ensure this field has no more than 600 elements."]
    }
    assert refused.status_code == 400


@pytest.mark.usefixtures("database")
def test_items_count_for_throttles() -> None:
    cache.clear()
    for number in (3, 2):
        sent = [{"name": f"{number} {each}"} for each in range(number)]
        assert send("post", "/throttled/", sent).status_code == 201
    assert send("post", "/throttled/", [{"name": "c"}]).status_code == 429
    cache.clear()


@pytest.mark.usefixtures("database")
def test_a_key_repeats_the_answer_of_a_list() -> None:
    headers = {"idempotency-key": "k1"}
    made = send("post", "/once/", [{"name": "a"}, {"name": "b"}], **headers)
    again = send("post", "/once/", [{"name": "a"}, {"name": "b"}], **headers)
    assert (again.status_code, again.json()) == (201, made.json())
    assert names() == ["a", "b"]
    assert send("post", "/once/", [{"name": "c"}], **headers).status_code == 422


@pytest.mark.usefixtures("database")
def test_conditions_are_refused() -> None:
    (one,) = tags("a")
    sent = [{"id": one, "name": "b"}]
    tag = APIClient().get(f"/checked/{one}/")["ETag"]
    assert send("patch", "/checked/", sent, **{"if-match": tag}).status_code == 412
    assert send("delete", "/checked/", [one], **{"if-match": tag}).status_code == 412
    assert send("patch", "/required/", sent).status_code == 428
    assert send("patch", "/checked/", sent).status_code == 200


@pytest.mark.usefixtures("database")
def test_patch_formats_are_for_single_objects() -> None:
    (one,) = tags("a")
    client = APIClient()
    patch = b'[{"op": "replace", "path": "/name", "value": "b"}]'
    kind = "application/json-patch+json"
    assert client.patch("/patched/", patch, content_type=kind).status_code == 415
    assert client.patch(f"/patched/{one}/", patch, content_type=kind).status_code == 200


@pytest.mark.usefixtures("database")
def test_on_the_event_loop() -> None:
    async_to_sync(_write_on_the_event_loop)()


async def _write_on_the_event_loop() -> None:
    client = AsyncAPIClient()
    made = await client.post("/later/", [{"name": "a"}, {"name": "b"}], format="json")
    assert [each["name"] for each in made.json()] == ["a!", "b!"]
    sent = [{**each, "name": each["name"] * 2} for each in made.json()]
    assert (await client.put("/later/", sent, format="json")).json() == sent
    patched = await client.patch("/later/", sent[:1], format="json")
    assert patched.status_code == 200
    gone = await client.delete("/later/", [each["id"] for each in sent], format="json")
    assert gone.status_code == 204
    assert (await client.post("/later/", {"name": "a"}, format="json")).json()["name"] == "a!"


def paths(name: str) -> Any:
    described = SimpleRouter()
    described.register("tags", VIEWS[name])
    with override_settings(REST_FRAMEWORK={"OPENAPI_VERSION": "3.1"}):
        return SchemaGenerator(patterns=described.urls).get_schema(public=True)["paths"]


def test_descriptions_have_lists() -> None:
    found = paths("tags")["/tags/"]
    item = {"$ref": "#/components/schemas/Tag"}
    sent = found["post"]["requestBody"]["content"]["application/json"]["schema"]["oneOf"]
    assert sent[0] == item or sent[0]["$ref"].endswith("TagRequest")
    assert sent[1] == {"type": "array", "items": sent[0], "minItems": 1, "maxItems": 600}
    put = found["put"]["requestBody"]["content"]["application/json"]["schema"]["items"]["allOf"]
    assert put[1]["required"] == ["id"]
    rows = found["put"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert rows == {"type": "array", "items": item}
    assert found["delete"]["requestBody"]["content"].keys() == {"application/json"}
    assert "204" in found["delete"]["responses"]
    each = paths("each-tag")["/tags/"]
    assert {"201", "207"} <= each["post"]["responses"].keys()
    assert "207" in each["delete"]["responses"]
    assert "put" not in paths("plain")["/tags/"]
    identifiers = [
        operation["operationId"] for path in paths("tags").values() for operation in path.values()
    ]
    assert len(set(identifiers)) == len(identifiers)


@pytest.mark.usefixtures("database")
def test_options_and_pages() -> None:
    tags("a")
    client = APIClient()
    described = client.options("/tags/").json()
    assert described["actions"]["PUT"].keys() == described["actions"]["POST"].keys()
    page = client.get("/tags/", headers={"accept": "text/html"})
    assert page.status_code == 200
    assert 'data-method="DELETE"' not in page.content.decode()


def test_items_that_only_look_like_lists(database: str) -> None:
    assert send("post", "/tags/", [[{"name": "a"}]]).status_code == 400
    assert send("post", "/tags/", [None]).status_code == 400
    form = APIClient().post("/tags/", {"name": "a"})
    assert (form.status_code, names()) == (201, ["a"])


def test_rows_that_others_protect_stay(database: str) -> None:
    one, two = tags("a", "b")

    def refuse(sender: Any, instance: Any, **kwargs: Any) -> None:
        if instance.pk == two:
            raise ProtectedError("used", set())

    signals.pre_delete.connect(refuse, sender=Tag)
    try:
        refused = send("delete", "/tags/", [one, two])
        results = send("delete", "/each-tag/", [two, one])
    finally:
        signals.pre_delete.disconnect(refuse, sender=Tag)
    assert (refused.status_code, refused.json()) == (
        400,
        [{}, ["Other objects refer to this one."]],
    )
    assert [each["status"] for each in results.json()] == [409, 204]
    assert names() == ["b"]


def test_a_serializer_without_create_stores_nothing(database: str) -> None:
    # One object is refused in the same way.
    for data in ({"name": "a"}, [{"name": "a"}, {"name": "b"}]):
        with pytest.raises(NotImplementedError):
            send("post", "/unstored/", data)
    assert names() == []


class LaterTags(AsyncBulkModelViewSet):
    queryset = Tag.objects.order_by("pk")
    serializer_class = TagSerializer


class EachLaterTag(LaterTags):
    atomic = False


@pytest.mark.parametrize(("view", "later"), [(Tags, LaterTags), (EachTag, EachLaterTag)])
def test_views_on_the_event_loop_answer_lists_by_the_same_queries(
    database: str, view: Any, later: Any
) -> None:
    def answers(view: Any) -> Any:
        made = view.as_view({"post": "create", "put": "bulk_update", "delete": "bulk_destroy"})
        if issubclass(view, LaterTags):
            made = async_to_sync(made)

        def ask(method: str, sent: Any) -> tuple[int, Any, int]:
            request = getattr(APIRequestFactory(), method)("/", sent, format="json")
            with CaptureQueriesContext(connections[database]) as queries:
                answer = made(request)
            return answer.status_code, answer.data, len(queries)

        Tag.objects.all().delete()
        created = ask("post", [{"name": f"t{number}"} for number in range(100)])
        rows = list(Tag.objects.order_by("pk").values("id", "name"))
        changed = ask("put", [{**row, "name": f"{row['name']}x"} for row in rows])
        refused = ask("put", [*rows[1:], {"id": rows[0]["id"], "name": ""}])
        gone = ask("delete", [row["id"] for row in rows])
        found = (created, changed, refused, gone)
        return [(status, count) for status, _, count in found], changed[1], refused[1]

    statuses, changed, refused = answers(view)
    on_the_loop, changed_later, refused_later = answers(later)
    assert statuses == on_the_loop
    assert len(changed) == len(changed_later) == 100
    assert refused[-1].keys() == refused_later[-1].keys()
    assert {status for status, _ in statuses} == (
        {207} if view is EachTag else {201, 200, 400, 204}
    )


@pytest.mark.parametrize("path", ["vanishing", "each-vanishing", "saving-vanishing"])
def test_a_row_that_is_deleted_meanwhile_is_not_brought_back(database: str, path: str) -> None:
    one, two = tags("a", "vanishing")
    answer = send("put", f"/{path}/", [{"id": one, "name": "c"}, {"id": two, "name": "d"}])
    missing = {"id": [f'Invalid pk "{two}" - object does not exist.']}
    if path != "each-vanishing":
        assert (answer.status_code, names()) == (400, ["a"])
        assert answer.json() == [{}, missing]
    else:
        assert (answer.status_code, names()) == (207, ["c"])
        assert answer.json()[1] == {"status": 400, "errors": missing}
