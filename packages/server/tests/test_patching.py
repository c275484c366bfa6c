"""Patches: JSON Merge Patch (RFC 7396) and JSON Patch (RFC 6902)."""

import json
import warnings
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from contract_project.models import Everything, Profile, Reservation, Snippet, Tag
from django.contrib.auth.models import User
from django.db import connections, models
from django.urls import path
from django.utils.translation import override
from servers import everything_in

from lintel import serializers
from lintel.conditional import ConditionalMixin
from lintel.decorators import action
from lintel.exceptions import APIException
from lintel.generics import AsyncRetrieveUpdateDestroyAPIView, RetrieveUpdateDestroyAPIView
from lintel.idempotency import IdempotentMixin
from lintel.patching import PatchConflict, PatchMixin
from lintel.patching.merging import merged
from lintel.patching.operations import Patched, apply_operations, read_operations
from lintel.permissions import BasePermission
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.schemas.openapi import SchemaGenerator
from lintel.test import APIClient, APIRequestFactory, AsyncAPIClient
from lintel.viewsets import ModelViewSet

MERGE, OPERATIONS = "application/merge-patch+json", "application/json-patch+json"


class EverythingSerializer(serializers.ModelSerializer):
    secret = serializers.CharField(write_only=True, required=False)
    kind = serializers.SerializerMethodField()

    class Meta:
        model = Everything
        fields = ["id", "text", "number", "amount", "day", "data", "kind", "secret"]

    def get_kind(self, row: Any) -> str:
        return "thing"

    def validate(self, attrs: Any) -> Any:
        attrs.pop("secret", None)
        if attrs.get("number") == 13:
            raise serializers.ValidationError("Not thirteen.")
        return attrs


class View(PatchMixin, RetrieveUpdateDestroyAPIView):
    queryset = Everything.objects.all()
    serializer_class = EverythingSerializer


class AsyncView(PatchMixin, AsyncRetrieveUpdateDestroyAPIView):
    queryset = Everything.objects.all()
    serializer_class = EverythingSerializer


class Few(View):
    patch_max_operations = 2


class Checked(PatchMixin, ConditionalMixin, RetrieveUpdateDestroyAPIView):
    queryset = Everything.objects.all()
    serializer_class = EverythingSerializer
    etag_field = "number"


class CheckedOutside(ConditionalMixin, View):
    require_preconditions = True


class Once(IdempotentMixin, View):
    idempotency_store = "cache"


class Plain(RetrieveUpdateDestroyAPIView):
    queryset = Everything.objects.all()
    serializer_class = EverythingSerializer


class NotTwo(BasePermission):
    def has_object_permission(self, request: Any, view: Any, obj: Any) -> bool:
        return obj.pk != 2


class Guarded(View):
    permission_classes = [NotTwo]


class ProfileSerializer(serializers.ModelSerializer):
    class Meta:
        model = Profile
        fields = ["id", "bio"]


class UserSerializer(serializers.ModelSerializer):
    profile = ProfileSerializer()

    class Meta:
        model = User
        fields = ["id", "username", "profile"]

    def update(self, instance: Any, validated_data: Any) -> Any:
        for name, value in validated_data.pop("profile", {}).items():
            setattr(instance.profile, name, value)
        instance.profile.save()
        return super().update(instance, validated_data)


class People(PatchMixin, RetrieveUpdateDestroyAPIView):
    queryset = User.objects.all()
    serializer_class = UserSerializer


class SnippetSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ["id", "title", "rating", "tags"]


class Snippets(PatchMixin, ModelViewSet):
    queryset = Snippet.objects.all()
    serializer_class = SnippetSerializer

    @action(detail=True, methods=["patch"])
    def other(self, request: Any, pk: str) -> Response:
        return Response(request.data)


router = SimpleRouter()
router.register("snippets", Snippets)
urlpatterns = [
    path("view/<int:pk>/", View.as_view()),
    path("async/<int:pk>/", AsyncView.as_view()),
    path("few/<int:pk>/", Few.as_view()),
    path("checked/<int:pk>/", Checked.as_view()),
    path("outside/<int:pk>/", CheckedOutside.as_view()),
    path("once/<int:pk>/", Once.as_view()),
    path("plain/<int:pk>/", Plain.as_view()),
    path("guarded/<int:pk>/", Guarded.as_view()),
    path("people/<int:pk>/", People.as_view()),
    *router.urls,
]


@pytest.fixture(autouse=True)
def _urls(settings: Any) -> None:
    settings.ROOT_URLCONF = __name__


@pytest.fixture
def client() -> APIClient:
    return APIClient()


@pytest.fixture
def row(db: None) -> Everything:
    return Everything.objects.create(
        id=1, text="t", amount="1.50", when="2026-01-02T03:04:05Z", data={"a": {"b": [1, 2]}}
    )


def patch(client: Any, address: str, data: Any, kind: str = OPERATIONS, **headers: Any) -> Any:
    text = data if isinstance(data, str | bytes) else json.dumps(data)
    return client.patch(address, text, content_type=kind, headers=headers)


def applied(document: Any, *operations: Any) -> Any:
    return apply_operations(Patched(document), read_operations(operations))


# ---- the examples of the RFCs ----


@pytest.mark.parametrize(
    ("target", "change", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        (
            {
                "title": "Goodbye!",
                "author": {"givenName": "John", "familyName": "Doe"},
                "tags": ["example", "sample"],
                "content": "This will be unchanged",
            },
            {
                "title": "Hello!",
                "phoneNumber": "+01-123-456-7890",
                "author": {"familyName": None},
                "tags": ["example"],
            },
            {
                "title": "Hello!",
                "author": {"givenName": "John"},
                "tags": ["example"],
                "content": "This will be unchanged",
                "phoneNumber": "+01-123-456-7890",
            },
        ),
    ],
)
def test_examples_of_rfc_7396(target: Any, change: Any, result: Any) -> None:
    assert merged(target, change) == result


def op(name: str, path: str, **rest: Any) -> dict[str, Any]:
    return {
        "op": name,
        "path": path,
        **{"from" if k == "source" else k: v for k, v in rest.items()},
    }


@pytest.mark.parametrize(
    ("target", "operations", "result"),
    [
        ({"foo": "bar"}, [op("add", "/baz", value="qux")], {"baz": "qux", "foo": "bar"}),
        (
            {"foo": ["bar", "baz"]},
            [op("add", "/foo/1", value="qux")],
            {"foo": ["bar", "qux", "baz"]},
        ),
        ({"baz": "qux", "foo": "bar"}, [op("remove", "/baz")], {"foo": "bar"}),
        ({"foo": ["bar", "qux", "baz"]}, [op("remove", "/foo/1")], {"foo": ["bar", "baz"]}),
        (
            {"baz": "qux", "foo": "bar"},
            [op("replace", "/baz", value="boo")],
            {"baz": "boo", "foo": "bar"},
        ),
        (
            {"foo": {"bar": "baz", "waldo": "fred"}, "qux": {"corge": "grault"}},
            [op("move", "/qux/thud", source="/foo/waldo")],
            {"foo": {"bar": "baz"}, "qux": {"corge": "grault", "thud": "fred"}},
        ),
        (
            {"foo": ["all", "grass", "cows", "eat"]},
            [op("move", "/foo/3", source="/foo/1")],
            {"foo": ["all", "cows", "eat", "grass"]},
        ),
        (
            {"baz": "qux", "foo": ["a", 2, "c"]},
            [op("test", "/baz", value="qux"), op("test", "/foo/1", value=2)],
            {"baz": "qux", "foo": ["a", 2, "c"]},
        ),
        (
            {"foo": "bar"},
            [op("add", "/child", value={"grandchild": {}})],
            {"foo": "bar", "child": {"grandchild": {}}},
        ),
        (
            {"foo": "bar"},
            [op("add", "/baz", value="qux", xyz=123)],
            {"foo": "bar", "baz": "qux"},
        ),
        ({"/": 9, "~1": 10}, [op("test", "/~01", value=10)], {"/": 9, "~1": 10}),
        (
            {"foo": ["bar"]},
            [op("add", "/foo/-", value=["abc", "def"])],
            {"foo": ["bar", ["abc", "def"]]},
        ),
        # Section 4, and the text of the RFC besides.
        ({"a": 1}, [op("copy", "/b", source="/a")], {"a": 1, "b": 1}),
        ({"a": 1}, [op("replace", "", value=[1])], [1]),
        ({"a": 1}, [op("add", "", value={"b": 2})], {"b": 2}),
        ({"a": 1}, [op("add", "/a", value=2)], {"a": 2}),
        ({"": {"": 1}}, [op("replace", "//", value=2)], {"": {"": 2}}),
        ({"a": [1, 2]}, [op("replace", "/a/0", value=3)], {"a": [3, 2]}),
        ({"a": 1}, [op("move", "/a", source="/a")], {"a": 1}),
        ({"a": 1.0}, [op("test", "/a", value=1)], {"a": 1.0}),
        ({"a": {"x": [1], "y": None}}, [op("test", "/a", value={"y": None, "x": [1]})], None),
    ],
)
def test_examples_of_rfc_6902(target: Any, operations: Any, result: Any) -> None:
    found = applied(target, *operations)
    assert found == (target if result is None else result)
    assert json.dumps(found, sort_keys=True) == json.dumps(
        target if result is None else result, sort_keys=True
    )


@pytest.mark.parametrize(
    ("target", "operation", "member", "code"),
    [
        ({"baz": "qux"}, op("test", "/baz", value="bar"), "value", "patch_conflict"),  # A.9
        ({"foo": "bar"}, op("add", "/baz/bat", value="qux"), "path", "patch_conflict"),  # A.12
        ({"/": 9, "~1": 10}, op("test", "/~01", value="10"), "value", "patch_conflict"),  # A.15
        ({"a": 1}, op("test", "/a", value=True), "value", "patch_conflict"),
        ({"a": [0]}, op("test", "/a", value=[False]), "value", "patch_conflict"),
        ({"a": {"x": 1}}, op("test", "/a", value={"x": 1, "y": 1}), "value", "patch_conflict"),
        ({"a": "xyz"}, op("test", "/a/0", value="x"), "path", "patch_conflict"),
        ({"a": [1]}, op("add", "/a/2", value=1), "path", "patch_conflict"),
        ({"a": [1]}, op("add", "/a/01", value=1), "path", "patch_conflict"),
        ({"a": [1]}, op("add", "/a/١", value=1), "path", "patch_conflict"),
        ({"a": [1]}, op("add", "/a/" + "9" * 6000, value=1), "path", "patch_conflict"),
        ({"a": [1]}, op("remove", "/a/-"), "path", "patch_conflict"),
        ({"a": [1]}, op("remove", "/a/-1"), "path", "patch_conflict"),
        ({"a": 1}, op("remove", "/b"), "path", "patch_conflict"),
        ({"a": 1}, op("replace", "/b", value=1), "path", "patch_conflict"),
        ({"a": 1}, op("move", "/c", source="/b"), "from", "patch_conflict"),
        ({"a": 1}, op("copy", "/c", source="/b"), "from", "patch_conflict"),
        ({"a": {"b": 1}}, op("move", "/a/b/c", source="/a"), "path", "patch_refused"),
        ({"a": 1}, op("remove", ""), "path", "patch_refused"),
        ({}, op("add", "/a", value=json.loads("[" * 499 + "]" * 499)), None, None),
        ({}, op("add", "/a", value=json.loads("[" * 500 + "]" * 500)), "path", "patch_refused"),
    ],
)
def test_operations_that_fail(target: Any, operation: Any, member: Any, code: Any) -> None:
    if code is None:
        applied(target, operation)
        return
    with pytest.raises(APIException) as raised:
        applied(
            target, {"op": "test", "path": "", "value": json.loads(json.dumps(target))}, operation
        )
    assert raised.value.get_codes() == {1: {member: [code]}}


@pytest.mark.parametrize(
    ("operation", "member"),
    [
        (3, "op"),
        (None, "op"),
        ({}, "op"),
        ({"op": "spam", "path": "/a"}, "op"),
        ({"op": ["add"], "path": "/a"}, "op"),
        ({"op": "add", "value": 1}, "path"),
        ({"op": "add", "path": 1, "value": 1}, "path"),
        ({"op": "add", "path": "a", "value": 1}, "path"),
        ({"op": "add", "path": "/a~2", "value": 1}, "path"),
        ({"op": "add", "path": "/a~", "value": 1}, "path"),
        ({"op": "add", "path": "/a" * 501, "value": 1}, "path"),
        ({"op": "add", "path": "/a"}, "value"),
        ({"op": "replace", "path": "/a"}, "value"),
        ({"op": "test", "path": "/a"}, "value"),
        ({"op": "move", "path": "/a"}, "from"),
        ({"op": "copy", "path": "/a", "from": 7}, "from"),
    ],
)
def test_malformed_operations(client: Any, row: Any, operation: Any, member: str) -> None:
    answer = patch(client, "/view/1/", [op("replace", "/text", value="x"), operation])
    assert (answer.status_code, list(answer.json())) == (400, ["1"])
    assert list(answer.json()["1"]) == [member]
    row.refresh_from_db()
    assert row.text == "t"


def test_copies_of_copies_are_bounded() -> None:
    doubling = [op("copy", "/a/-", source="/a")] * 60
    with pytest.raises(APIException, match="more than 100000 elements"):
        applied({"a": [1]}, *doubling)
    deeper = [op("move", "/b", source="/a"), op("add", "/a", value=[])]
    deeper.append(op("move", "/a/0", source="/b"))
    with pytest.raises(APIException, match="more than 100000 elements"):
        applied({"a": []}, *deeper * 520)
    a_little = applied({"a": []}, *deeper * 100)
    with pytest.raises(APIException, match="nested too deeply"):
        applied(
            {**a_little, "c": json.loads("[" * 450 + "]" * 450)},
            op("move", "/a/0/0" + "/0" * 97 + "/0", source="/c"),
        )


# ---- on views ----


@pytest.mark.parametrize("name", ["view", "async"])
def test_a_view_takes_both_formats(client: Any, row: Any, name: str) -> None:
    answer = patch(
        client, f"/{name}/1/", {"text": "new", "data": {"a": {"b": None}, "c": 1}}, MERGE
    )
    assert (answer.status_code, answer.json()["text"]) == (200, "new")
    assert answer.json()["data"] == {"a": {}, "c": 1}
    answer = patch(
        client,
        f"/{name}/1/",
        [
            op("test", "/id", value=1),
            op("test", "/amount", value="1.50"),
            op("replace", "/number", value=8),
            op("add", "/data/list", value=[1]),
            op("copy", "/data/list/-", source="/number"),
            op("move", "/data/d", source="/data/c"),
            op("add", "/secret", value="s"),
        ],
    )
    assert answer.status_code == 200, answer.json()
    row.refresh_from_db()
    assert (row.number, row.data) == (8, {"a": {}, "list": [1, 8], "d": 1})
    plain = client.patch(f"/{name}/1/", {"text": "plain"}, format="json")
    assert (plain.status_code, plain.json()["text"]) == (200, "plain")


def test_only_what_a_patch_changes_is_validated(client: Any, row: Any) -> None:
    Everything.objects.update(text="longer than the twenty characters that are allowed")
    answer = patch(client, "/view/1/", [op("replace", "/number", value=8)])
    assert answer.status_code == 200
    assert patch(client, "/view/1/", {"number": 9}, MERGE).status_code == 200
    assert patch(client, "/view/1/", [], OPERATIONS).status_code == 200
    assert patch(client, "/view/1/", {}, MERGE).status_code == 200


@pytest.mark.parametrize(
    ("operation", "member", "text"),
    [
        (op("test", "/text", value="x"), "value", "Der Wert ist ein anderer."),
        (op("remove", "/data/x"), "path", "An dieser Stelle ist nichts."),
        (op("remove", ""), "path", "Der Patch ändert, was nicht geändert werden darf."),
        (op("add", "text", value=1), "path", "Ein JSON Pointer (RFC 6901) ist erforderlich"),
        (op("move", "/data/x", source="/data"), "path", "Ein Wert kann nicht in sich selbst"),
        (op("add", "", value=1), "value", "Ein Wörterbuch wurde erwartet, nicht int."),
    ],
)
def test_errors_are_in_the_language_of_the_client(
    client: Any, row: Any, operation: Any, member: str, text: str
) -> None:
    with override("de"):
        answer = patch(client, "/view/1/", [operation])
        assert text in answer.json()["0"][member][0]
        assert "Objekt" in PatchConflict().detail
    assert PatchConflict().detail == "The object is not as the patch expects."


@pytest.mark.parametrize("body", [[1], 5, None])
def test_patches_of_another_type(client: Any, row: Any, body: Any) -> None:
    merge = patch(client, "/view/1/", body, MERGE)
    assert merge.status_code == 400
    assert "Expected a dictionary" in merge.json()["detail"]
    listed = patch(client, "/view/1/", {"a": body}, "application/json-patch+json")
    assert listed.status_code == 400
    assert "Expected a list of items" in listed.json()["detail"]


@pytest.mark.parametrize("name", ["id", "kind", "spam", "when"])
@pytest.mark.parametrize("operation", ["add", "replace", "remove", "move", "copy", "take"])
def test_only_writable_fields_change(client: Any, row: Any, name: str, operation: str) -> None:
    place = f"/{name}"
    change: Any = op(operation, place, value=5, source="/number")
    if operation == "take":
        change = op("move", "/data/x", source=place)
    answer = patch(client, "/view/1/", [op("replace", "/text", value="x"), change])
    is_missing = name in ("spam", "when") and operation in ("replace", "remove", "take")
    assert answer.status_code in ((409, 422) if is_missing else (422,)), answer.json()
    assert list(answer.json()) == ["1"]
    merge = patch(client, "/view/1/", {"text": "x", name: 5}, MERGE)
    assert (merge.status_code, list(merge.json())) == (422, [name])
    row.refresh_from_db()
    assert (row.pk, row.text) == (1, "t")


def test_the_whole_object_may_be_replaced(client: Any, row: Any) -> None:
    shown = client.get("/view/1/").json()
    answer = patch(client, "/view/1/", [op("replace", "", value={**shown, "text": "new"})])
    assert (answer.status_code, answer.json()) == (200, {**shown, "text": "new"})
    refused = patch(client, "/view/1/", [op("replace", "", value={**shown, "id": 2})])
    assert (refused.status_code, refused.json()) == (
        422,
        {"0": {"value": ["This field is read-only."]}},
    )
    for value in ([], 1, None):
        assert patch(client, "/view/1/", [op("add", "", value=value)]).status_code == 422
    less = {name: shown[name] for name in ("id", "kind", "text", "number", "amount", "data")}
    gone = patch(
        client, "/view/1/", [op("add", "/day", value="2026-01-01"), op("add", "", value=less)]
    )
    assert (gone.status_code, gone.json()["day"]) == (200, None)


@pytest.mark.parametrize(("kind", "remove"), [(OPERATIONS, 1), (MERGE, 0)])
def test_removing_a_field_sets_null(client: Any, row: Any, kind: str, remove: int) -> None:
    Everything.objects.update(day="2026-01-01")
    change: Any = [op("remove", "/day")] if remove else {"day": None}
    answer = patch(client, "/view/1/", change, kind)
    assert (answer.status_code, answer.json()["day"]) == (200, None)
    change = [op("remove", "/text")] if remove else {"text": None}
    answer = patch(client, "/view/1/", change, kind)
    text = ["This field may not be null."]
    assert (answer.status_code, answer.json()) == (
        400,
        {"0": {"path": text}} if remove else {"text": text},
    )


def test_errors_point_at_the_operation(client: Any, row: Any, settings: Any) -> None:
    wrong = [
        op("test", "/text", value="t"),
        op("replace", "/number", value=1),
        op("replace", "/number", value="x"),
        op("copy", "/day", source="/text"),
    ]
    answer = patch(client, "/view/1/", wrong)
    assert (answer.status_code, set(answer.json())) == (400, {"2", "3"})
    assert answer.json()["2"] == {"value": ["A valid integer is required."]}
    assert list(answer.json()["3"]) == ["path"]
    whole = patch(client, "/view/1/", [op("replace", "/number", value=13)])
    assert whole.json() == {"non_field_errors": ["Not thirteen."]}
    settings.REST_FRAMEWORK = {**getattr(settings, "REST_FRAMEWORK", {}), "ERROR_FORMAT": "problem"}
    pointers = [each["pointer"] for each in patch(client, "/view/1/?2=x", wrong).json()["errors"]]
    assert pointers == ["/2/value", "/3/path"]
    problem = patch(client, "/view/1/", [op("test", "/text", value="u")]).json()
    assert (problem["status"], problem["code"]) == (409, "patch_conflict")
    assert problem["errors"] == [
        {"pointer": "/0/value", "code": "patch_conflict", "detail": "The value is another one."}
    ]


def test_nested_objects(client: Any, db: None) -> None:
    user = User.objects.create_user("ann")
    Profile.objects.create(user=user, bio="b")
    address = f"/people/{user.pk}/"
    assert (
        patch(client, address, {"profile": {"bio": "new"}}, MERGE).json()["profile"]["bio"] == "new"
    )
    changed = patch(
        client,
        address,
        [op("test", "/profile/bio", value="new"), op("replace", "/profile/bio", value="x")],
    )
    assert (changed.status_code, changed.json()["profile"]["bio"]) == (200, "x")
    refused = patch(client, address, [op("replace", "/profile/id", value=7)])
    assert (refused.status_code, refused.json()) == (
        422,
        {"0": {"path": ["This field is read-only."]}},
    )
    refused = patch(client, address, {"profile": {"id": 7, "spam": 1}}, MERGE)
    assert (refused.status_code, refused.json()) == (
        422,
        {"profile": {"id": ["This field is read-only."], "spam": ["This field is not known."]}},
    )
    wrong = patch(
        client,
        address,
        [op("replace", "/username", value="bob"), op("replace", "/profile/bio", value="x" * 50)],
    )
    assert wrong.json() == {"1": {"value": ["Ensure this field has no more than 40 characters."]}}
    wrong = patch(client, address, [op("replace", "/profile", value={"bio": "x" * 50})])
    assert list(wrong.json()["0"]["value"]) == ["bio"]
    user.refresh_from_db()
    assert (user.username, user.profile.bio) == ("ann", "x")


class Album(models.Model):
    """Rows with files, in models that no table has."""

    cover = models.FileField(upload_to="up", blank=True)
    title = models.CharField(max_length=9)

    class Meta:
        app_label = "patched"
        managed = False


class AlbumSerializer(serializers.ModelSerializer):
    class Meta:
        model = Album
        fields = ["cover", "title"]


class ShelfSerializer(serializers.Serializer):
    name = serializers.CharField()
    kept = serializers.CharField(read_only=True)
    cover = serializers.FileField()
    album = AlbumSerializer()

    class Meta:
        extra = "forbid"


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ({"album": {"title": "b"}}, {"album": {"title": "b"}}),
        ([op("replace", "/album/title", value="b")], {"album": {"title": "b"}}),
        ([op("copy", "/name", **{"from": "/kept"})], {"name": "k"}),
        ([op("copy", "/name", **{"from": "/cover"})], {"name": "http://testserver/media/up/c"}),
        ({"name": None}, {"name": None}),
        ({"album": {"cover": None}}, {"album": {"cover": None, "title": "a"}}),
        ({"album": {"cover": "x"}}, {"album": {"cover": "x", "title": "a"}}),
        ([op("remove", "/cover")], {"cover": None}),
    ],
)
def test_files_that_stay_are_no_input(body: Any, wanted: Any) -> None:
    files = Album(cover="up/c"), Album(cover="up/a", title="a")
    shelf = SimpleNamespace(name="n", kept="k", cover=files[0].cover, album=files[1])

    class Shelves(PatchMixin, RetrieveUpdateDestroyAPIView):
        serializer_class = ShelfSerializer

        def get_object(self) -> Any:
            return shelf

        def patch(self, request: Any) -> Any:
            sent = self.get_serializer(shelf, data=request.data).initial_data
            return Response(sent)

    form = OPERATIONS if isinstance(body, list) else MERGE
    request = APIRequestFactory().patch("/", json.dumps(body), content_type=form)
    assert Shelves.as_view()(request).data == wanted


def test_lists_of_keys(client: Any, db: None) -> None:
    owner = User.objects.create_user("ann")
    Snippet.objects.create(id=1, title="t", code="c", owner=owner)
    one, two = Tag.objects.create(name="one"), Tag.objects.create(name="two")
    answer = patch(
        client,
        "/snippets/1/",
        [op("add", "/tags/-", value=one.pk), op("add", "/tags/0", value=two.pk)],
    )
    assert sorted(answer.json()["tags"]) == [one.pk, two.pk]
    gone = patch(client, "/snippets/1/", [op("remove", "/tags/0")])
    assert len(gone.json()["tags"]) == 1
    wrong = patch(
        client, "/snippets/1/", [op("add", "/title", value="x"), op("add", "/tags/-", value=99)]
    )
    assert (wrong.status_code, list(wrong.json())) == (400, ["1"])


def test_other_bodies_and_other_methods(client: Any, row: Any) -> None:
    types = "application/json, application/x-www-form-urlencoded, multipart/form-data"
    every = f"{types}, {MERGE}, {OPERATIONS}"
    assert client.options("/view/1/").headers["Accept-Patch"] == every
    unread = patch(client, "/view/1/", "x", "text/x-diff")
    assert (unread.status_code, unread.headers["Accept-Patch"]) == (415, every)
    assert client.put("/view/1/", "{}", content_type=MERGE).status_code == 415
    assert "Accept-Patch" not in client.put("/view/1/", "{}", content_type=MERGE).headers
    assert "Accept-Patch" not in client.options("/plain/1/").headers
    assert "Accept-Patch" not in client.options("/snippets/").headers
    assert "Accept-Patch" not in client.get("/view/1/").headers
    assert patch(client, "/plain/1/", {"text": "x"}, MERGE).status_code == 415
    for kind in (MERGE, OPERATIONS):
        for text in ("{", "3", '"x"', "null", "NaN", b"\xff", "[" * 3000):
            assert patch(client, "/view/1/", text, kind).status_code == 400, (kind, text)
    assert patch(client, "/view/1/", [], MERGE).status_code == 400
    assert patch(client, "/view/1/", {}, OPERATIONS).status_code == 400
    assert patch(client, "/view/9/", {"text": "x"}, MERGE).status_code == 404
    many = patch(client, "/few/1/", [op("test", "/id", value=1)] * 3)
    assert (many.status_code, many.json()) == (
        400,
        ["Ensure this field has no more than 2 elements."],
    )


def test_only_the_object_of_the_view_takes_patches(client: Any, db: None) -> None:
    assert patch(client, "/snippets/1/other/", {}, MERGE).status_code == 415
    assert client.post("/snippets/", "{}", content_type=MERGE).status_code == 415


def test_object_permissions_come_first(client: Any, row: Any) -> None:
    Everything.objects.update(id=2)
    for kind, change in ((MERGE, {"id": 5}), (OPERATIONS, [op("test", "/id", value=5)])):
        assert patch(client, "/guarded/2/", change, kind).status_code == 403


@pytest.mark.parametrize("name", ["checked", "outside"])
def test_conditional_patches(client: Any, row: Any, name: str) -> None:
    tag = client.get(f"/{name}/1/").headers["ETag"]
    stale = patch(client, f"/{name}/1/", {"number": 4}, MERGE, **{"If-Match": '"other"'})
    assert stale.status_code == 412
    first = patch(client, f"/{name}/1/", [op("replace", "/number", value=4)], **{"If-Match": tag})
    assert (first.status_code, first.json()["number"]) == (200, 4)
    assert first.headers["ETag"] == client.get(f"/{name}/1/").headers["ETag"] != tag
    again = patch(client, f"/{name}/1/", [op("replace", "/number", value=5)], **{"If-Match": tag})
    assert again.status_code == 412
    if name == "outside":
        assert patch(client, f"/{name}/1/", {"number": 4}, MERGE).status_code == 428


def test_idempotent_patches(client: Any, row: Any) -> None:
    change = [op("add", "/data/list", value=[]), op("add", "/data/list/-", value=1)]
    first = patch(client, "/once/1/", change, **{"Idempotency-Key": "k"})
    again = patch(client, "/once/1/", change, **{"Idempotency-Key": "k"})
    assert (first.status_code, again.headers["Idempotent-Replayed"]) == (200, "true")
    other = patch(client, "/once/1/", change[:1], **{"Idempotency-Key": "k"})
    assert other.status_code == 422


def add_in_turns(made: Any, number: int) -> list[int]:
    body = json.dumps([op("add", "/data/n/-", value=number)])
    try:
        requests = [APIRequestFactory().patch("/", body, content_type=OPERATIONS) for _ in range(5)]
        return [made(each, pk=1).status_code for each in requests]
    finally:
        connections.close_all()


@pytest.mark.parametrize("database", ["sqlite_file", "postgresql"])
@pytest.mark.parametrize("base", [View, AsyncView])
def test_patches_of_one_row_take_turns(
    database: str, base: Any, request: Any, django_db_blocker: Any
) -> None:
    made = async_to_sync(base.as_view()) if base is AsyncView else base.as_view()
    with everything_in(request.getfixturevalue(database), django_db_blocker):
        try:
            Everything.objects.create(
                id=1, text="t", amount=1, when="2026-01-02T03:04:05Z", data={"n": []}
            )
            with ThreadPoolExecutor(4) as pool:
                found = list(pool.map(lambda number: add_in_turns(made, number), range(4)))
            assert found == [[200] * 5] * 4
            assert sorted(Everything.objects.get().data["n"]) == sorted([*range(4)] * 5)
        finally:
            Everything.objects.all().delete()


def test_on_an_event_loop(row: Any) -> None:
    async def run() -> Any:
        return await AsyncAPIClient().patch("/async/1/", '{"text": "loop"}', content_type=MERGE)

    assert async_to_sync(run)().json()["text"] == "loop"


def document_of(version: str) -> Any:
    class Generator(SchemaGenerator):
        openapi_version = version

    patterns = [
        path("view/<int:pk>/", View.as_view()),
        path("plain/<int:pk>/", Plain.as_view()),
    ]
    generator = (SchemaGenerator if version == "3.0.2" else Generator)(
        title="T", version="1", patterns=patterns
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two views of one model
        return generator.get_schema(None, True)


@pytest.mark.parametrize("version", ["3.0.2", "3.0.3", "3.1.0", "3.2.0"])
def test_patches_in_the_schema(version: str) -> None:
    document = document_of(version)
    operation = document["paths"]["/view/{id}/"]["patch"]
    content = operation["requestBody"]["content"]
    assert next(iter(content)) == "application/json"
    assert content[MERGE]["schema"] == content["application/json"]["schema"]
    described = content[OPERATIONS]["schema"]
    if "$ref" in described:
        described = document["components"]["schemas"][described["$ref"].rpartition("/")[2]]
    assert (described["type"], described["items"]["required"]) == ("array", ["op", "path"])
    assert MERGE not in document["paths"]["/plain/{id}/"]["patch"]["requestBody"]["content"]
    assert MERGE not in document["paths"]["/view/{id}/"]["put"]["requestBody"]["content"]
    if version != "3.0.2":
        assert {"409", "415", "422"} <= set(operation["responses"])


def test_the_browsable_page_offers_the_formats(client: Any, row: Any) -> None:
    page = client.get("/view/1/", headers={"Accept": "text/html"}).content.decode()
    assert page.count(f'value="{MERGE}"') == 1
    assert page.count(f'value="{OPERATIONS}"') == 1
    failed = client.patch(
        "/view/1/",
        '[{"op": "test", "path": "/id", "value": 2}]',
        content_type=OPERATIONS,
        headers={"Accept": "text/html"},
    )
    assert failed.status_code == 409
    failed = client.patch(
        "/view/1/",
        '[{"op": "replace", "path": "/number", "value": "x"}]',
        content_type=OPERATIONS,
        headers={"Accept": "text/html"},
    )
    assert failed.status_code == 400
    assert "A valid integer is required." in failed.content.decode()


def test_objects_that_only_loose_json_can_show(row: Any, settings: Any) -> None:
    settings.REST_FRAMEWORK = {"STRICT_JSON": False}
    Everything.objects.filter(pk=row.pk).update(ratio=float("inf"))

    class Ratio(EverythingSerializer):
        class Meta(EverythingSerializer.Meta):
            fields = ["text", "ratio"]

        secret = None
        kind = None

    view = type("Loose", (View,), {"serializer_class": Ratio}).as_view()

    def answer(*operations: Any) -> Any:
        body = json.dumps(operations)
        return view(APIRequestFactory().patch("/", body, content_type=OPERATIONS), pk=row.pk)

    changed = answer(op("test", "/ratio", value=float("inf")), op("replace", "/text", value="b"))
    assert changed.data == {"text": "b", "ratio": float("inf")}
    assert answer(op("replace", "/ratio", value=float("nan"))).status_code == 400
    row.refresh_from_db()
    assert (row.text, row.ratio) == ("b", float("inf"))


# ---- objects of several kinds ----


class TagPart(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class RoomPart(serializers.ModelSerializer):
    class Meta:
        model = Reservation
        fields = ["id", "room", "slot"]


class Thing(serializers.UnionSerializer):
    discriminator = "kind"
    serializers = {"tag": TagPart, "room": RoomPart}


class Things(PatchMixin, RetrieveUpdateDestroyAPIView):
    queryset = Reservation.objects.all()
    serializer_class = Thing


class LaterThings(PatchMixin, AsyncRetrieveUpdateDestroyAPIView):
    queryset = Reservation.objects.all()
    serializer_class = Thing


THINGS: list[tuple[str, Any, int, Any]] = [
    (MERGE, {"room": "b"}, 200, None),
    (MERGE, {"kind": "room", "room": "b"}, 200, None),
    (MERGE, {"kind": "tag", "name": "b"}, 422, ["name"]),
    (MERGE, {"name": "b"}, 422, ["name"]),
    (MERGE, {"kind": "fish"}, 400, ["kind"]),
    (MERGE, {"kind": None}, 400, ["kind"]),
    (OPERATIONS, [op("test", "/kind", value="room"), op("replace", "/room", value="b")], 200, None),
    (OPERATIONS, [op("replace", "/kind", value="tag")], 400, [0]),
    (OPERATIONS, [op("remove", "/kind")], 400, [0]),
    (OPERATIONS, [op("replace", "/slot", value=2), op("add", "/id", value=9)], 422, [1]),
    (OPERATIONS, [op("replace", "", value={"kind": "tag", "name": "b"})], 422, [0]),
]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("view", [Things, LaterThings])
@pytest.mark.parametrize(("kind", "body", "status", "places"), THINGS)
def test_patches_of_objects_of_several_kinds(
    view: Any, kind: str, body: Any, status: int, places: Any
) -> None:
    row = Reservation.objects.create(room="a", slot=1)
    made = async_to_sync(view.as_view()) if view is LaterThings else view.as_view()
    answer = made(APIRequestFactory().patch("/", json.dumps(body), content_type=kind), pk=row.pk)
    assert answer.status_code == status
    assert places is None or list(answer.data) == places
    row.refresh_from_db()
    assert (row.room, row.slot) == ("b" if status == 200 else "a", 1)
