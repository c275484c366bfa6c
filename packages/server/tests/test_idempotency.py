"""Writes that are carried out once, however often they are sent."""

import re
import threading
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from contract_project.models import Tag
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse, StreamingHttpResponse
from django.test import RequestFactory, override_settings
from django.urls import path

from lintel import serializers
from lintel.authentication import BaseAuthentication
from lintel.checks import settings_check
from lintel.exceptions import APIException, NotFound, Throttled
from lintel.generics import AsyncListCreateAPIView, ListCreateAPIView
from lintel.idempotency import IdempotentMixin
from lintel.permissions import IsAuthenticated
from lintel.response import Response
from lintel.schemas.openapi import SchemaGenerator
from lintel.scoping import RowScope
from lintel.test import APIClient, AsyncAPIClient
from lintel.views import APIView
from lintel.viewsets import ModelViewSet

#: How often the handlers have run.
runs: list[Any] = []


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class Tags(IdempotentMixin, ListCreateAPIView):
    queryset = Tag.objects.order_by("id")
    serializer_class = TagSerializer


class AsyncTags(IdempotentMixin, AsyncListCreateAPIView):
    queryset = Tag.objects.order_by("id")
    serializer_class = TagSerializer


class TagSet(IdempotentMixin, ModelViewSet):
    queryset = Tag.objects.order_by("id")
    serializer_class = TagSerializer
    permission_classes = [IsAuthenticated]


class Counted(IdempotentMixin, APIView):
    """Does what the body says."""

    def post(self, request: Any) -> Any:
        file = request.data.get("file")
        runs.append(file.read() if file else request.data)
        made = {
            "crash": lambda: 1 / 0,
            "error": lambda: _raise(APIException()),
            "missing": lambda: _raise(NotFound("gone")),
            "later": lambda: _raise(Throttled()),
            "plain": lambda: HttpResponse("text", "text/plain", 202, headers={"X-Run": len(runs)}),
            "stream": lambda: StreamingHttpResponse([b"a"]),
        }
        return made.get(request.data.get("do"), lambda: Response({"run": len(runs)}))()

    put = post


class AsyncCounted(Counted):
    async def post(self, request: Any) -> Any:  # type: ignore[override]
        return super().post(request)


class Required(Counted):
    idempotency_key_required = True


class Enveloped(Counted):
    """Prepares its responses, as packages for envelopes do."""

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        final = super().finalize_response(request, response, *args, **kwargs)
        if not isinstance(response, StreamingHttpResponse):
            final.data = {"is_error": response.exception, "said": final.data}
        return final


class OfTenant(RowScope):
    def get_value(self, request: Any) -> Any:
        named: str = request.headers.get("Tenant", "")
        return named.split(",") if "," in named else named or None


class Scoped(Counted):
    scope_class = OfTenant


class AsyncScoped(AsyncCounted):
    class scope_class(OfTenant):
        async def get_value(self, request: Any) -> Any:
            return super().get_value(request)


def _raise(error: Exception) -> None:
    raise error


urlpatterns = [
    path("tags/", Tags.as_view()),
    path("atags/", AsyncTags.as_view()),
    path("set/", TagSet.as_view({"get": "list", "post": "create"})),
    path("set/<int:pk>/", TagSet.as_view({"patch": "partial_update", "put": "update"})),
    path("counted/", Counted.as_view()),
    path("acounted/", AsyncCounted.as_view()),
    path("enveloped/", Enveloped.as_view()),
    path("required/", Required.as_view()),
    path("scoped/", Scoped.as_view()),
    path("ascoped/", AsyncScoped.as_view()),
]


@pytest.fixture(autouse=True, params=["database", "cache"])
def _fresh(settings: Any, db: None, request: Any) -> Any:
    settings.ROOT_URLCONF = __name__
    settings.REST_FRAMEWORK = {"IDEMPOTENCY_STORE": request.param}
    runs.clear()
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def client() -> APIClient:
    return APIClient(raise_request_exception=False)


def post(client: Any, address: str, data: Any, key: str | None = "k", **kwargs: Any) -> Any:
    headers = {} if key is None else {"Idempotency-Key": key}
    return client.post(
        address, data, format=kwargs.pop("format", "json"), headers=headers, **kwargs
    )


@pytest.mark.parametrize("address", ["/tags/", "/atags/"])
def test_the_same_request_is_carried_out_once(address: str, client: Any) -> None:
    first = post(client, address, {"name": "a"})
    again = post(client, address, {"name": "a"})
    assert (first.status_code, "Idempotent-Replayed" in first.headers) == (201, False)
    assert (again.status_code, again.headers["Idempotent-Replayed"]) == (201, "true")
    assert again.content == first.content
    assert again.headers["Content-Type"] == first.headers["Content-Type"]
    assert again.headers["Allow"] == first.headers["Allow"]
    assert Tag.objects.count() == 1
    assert post(client, address, {"name": "b"}, "other").status_code == 201
    assert post(client, address, {"name": "c"}, None).status_code == 201
    assert Tag.objects.count() == 3


def test_another_body_with_the_same_key_is_refused(client: Any) -> None:
    post(client, "/tags/", {"name": "a"})
    refused = post(client, "/tags/", {"name": "b"})
    assert (refused.status_code, refused.json()) == (
        422,
        {"detail": "This Idempotency-Key was sent with another body before."},
    )
    assert Tag.objects.count() == 1


def test_bodies_are_compared_by_their_data(client: Any) -> None:
    def send(body: str, content_type: str = "application/json") -> int:
        headers = {"Idempotency-Key": "k"}
        return client.generic("POST", "/counted/", body, content_type, headers=headers).status_code

    assert send('{"a": 1, "b": [2]}') == 200
    assert send('{"b":[2],"a":1}', "application/json; charset=utf-8") == 200
    assert send('{"b":[2],"a":"1"}') == 422
    assert send("a=1&b=2", "application/x-www-form-urlencoded") == 422
    assert send("{") == 400
    assert len(runs) == 1


def test_files_are_compared_by_their_contents(client: Any) -> None:
    def send(content: bytes) -> int:
        file = SimpleUploadedFile("f.txt", content, "text/plain")
        return post(client, "/counted/", {"file": file}, format="multipart").status_code

    assert [send(b"a"), send(b"a"), send(b"b")] == [200, 200, 422]
    assert runs == [b"a"]


def test_nobody_is_sent_the_answer_of_another(client: Any) -> None:
    answers = []
    for number, name in enumerate(["alice", "bob"]):
        user = User.objects.create_user(name)
        client.force_authenticate(user)
        answers.append(post(client, "/counted/", {}).json())
        assert post(client, "/counted/", {}).json() == {"run": number + 1}
    client.force_authenticate(None)
    answers.append(post(client, "/counted/", {}).json())
    answers.append(post(client, "/counted/", {}, REMOTE_ADDR="10.9.9.9").json())
    answers.append(post(client, "/counted/?page=2", {}).json())
    answers.append(post(client, "/counted/", {}, HTTP_HOST="127.0.0.1").json())
    answers.append(post(client, "/acounted/", {}).json())
    assert answers == [{"run": number} for number in range(1, 8)]


@pytest.mark.parametrize("address", ["/scoped/", "/ascoped/"])
def test_a_tenant_that_the_request_names_has_keys_of_its_own(address: str, client: Any) -> None:
    client.force_authenticate(User.objects.create_user("alice"))
    for number, tenant in enumerate(["red", "blue", ""]):
        for _ in "ab":
            answer = post(client, address, {}, HTTP_TENANT=tenant)
            assert answer.json() == {"run": number + 1}
    # Several are all that the user may see, which may become more before a repetition.
    assert post(client, address, {}, HTTP_TENANT="red,blue").json() == {"run": 3}


def test_policies_come_first(client: Any) -> None:
    user = User.objects.create_user("alice")
    client.force_authenticate(user)
    assert post(client, "/set/", {"name": "a"}).status_code == 201
    client.force_authenticate(None)
    assert post(client, "/set/", {"name": "a"}).status_code in (401, 403)
    client.force_authenticate(user)
    assert post(client, "/set/", {"name": "a"}).headers["Idempotent-Replayed"] == "true"


def test_only_the_methods_that_are_named_count(client: Any) -> None:
    tag = Tag.objects.create(name="a")
    client.force_authenticate(User.objects.create_user("alice"))
    headers = {"Idempotency-Key": "k"}
    for method, expected in ((client.patch, True), (client.put, False)):
        data = {"name": f"new {expected}"}
        answers = [method(f"/set/{tag.pk}/", data, format="json", headers=headers) for _ in "ab"]
        assert [answer.status_code for answer in answers] == [200, 200]
        assert ("Idempotent-Replayed" in answers[1].headers) is expected


@pytest.mark.parametrize("address", ["/counted/", "/acounted/"])
def test_errors_of_the_client_are_kept_and_others_are_not(address: str, client: Any) -> None:
    for do, status, count in [
        ("missing", 404, 1),
        ("error", 500, 2),
        ("crash", 500, 2),
        ("later", 429, 2),
        ("plain", 202, 1),
    ]:
        runs.clear()
        answers = [post(client, address, {"do": do}, f"{do}{address}") for _ in "ab"]
        assert [answer.status_code for answer in answers] == [status, status]
        assert len(runs) == count, do
    assert (answers[1].content, answers[1].headers["X-Run"]) == (b"text", "1")
    assert answers[1].headers["Content-Type"] == "text/plain"


def test_a_stream_is_not_sent_again(client: Any) -> None:
    assert b"".join(post(client, "/counted/", {"do": "stream"}).streaming_content) == b"a"
    assert post(client, "/counted/", {"do": "stream"}).status_code == 409
    assert len(runs) == 1


def test_a_validation_error_is_an_answer(client: Any) -> None:
    first, again = (post(client, "/tags/", {"name": ""}) for _ in "ab")
    assert (first.status_code, again.status_code) == (400, 400)
    assert again.content == first.content


@pytest.mark.parametrize("key", ["", " ", "x" * 256, "é", '"', '""', '"a', 'a"b"\x01'])
def test_odd_keys_are_refused(key: str, client: Any) -> None:
    refused = post(client, "/counted/", {}, key)
    assert (refused.status_code, runs) == (400, [])
    assert refused.json() == {
        "detail": "The Idempotency-Key must be 1 to 255 visible ASCII characters."
    }


def test_quoted_keys_are_those_inside_the_quotes(client: Any) -> None:
    for key in ["a b", '"a b"', ' "a b" ']:
        assert post(client, "/counted/", {}, key).json() == {"run": 1}
    assert post(client, "/counted/", {}, r'"a\"b"').json() == {"run": 2}
    assert post(client, "/counted/", {}, "x" * 255).status_code == 200


def test_a_key_may_be_required(client: Any) -> None:
    refused = post(client, "/required/", {}, None)
    assert (refused.status_code, runs) == (400, [])
    assert refused.json()["detail"].startswith("Send an Idempotency-Key header")
    assert client.put("/required/", {}).status_code == 200


def test_answers_are_kept_for_their_time_alone(client: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Counted, "idempotency_seconds", 0.05)
    assert post(client, "/counted/", {}).json() == {"run": 1}
    threading.Event().wait(0.06)
    assert post(client, "/counted/", {}).json() == {"run": 2}


def test_on_the_loop() -> None:
    async def send(address: str) -> Any:
        headers = {"Idempotency-Key": "loop"}
        data = {"name": address}
        return await AsyncAPIClient().post(address, data, format="json", headers=headers)

    for address in ("/atags/", "/tags/", "/acounted/"):
        answers = [async_to_sync(send)(address) for _ in "ab"]
        assert answers[0].content == answers[1].content
        assert answers[1].headers["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize(
    "wrong",
    [
        {"IDEMPOTENCY_STORE": "redis"},
        {"IDEMPOTENCY_CACHE": "nowhere"},
        {"IDEMPOTENCY_SECONDS": 0},
        {"IDEMPOTENCY_SECONDS": "day"},
        {"IDEMPOTENCY_SECONDS": True},
        {"IDEMPOTENCY_TIMEOUT": 0},
        {"IDEMPOTENCY_TIMEOUT": "1"},
    ],
)
def test_odd_settings_are_found_by_the_check(wrong: dict[str, Any]) -> None:
    with override_settings(REST_FRAMEWORK=wrong):
        assert [message.id for message in settings_check(None)] == ["lintel.E010"]


@override_settings(REST_FRAMEWORK={"OPENAPI_VERSION": "3.1"})
@pytest.mark.filterwarnings("ignore:.*have the operationId")
def test_descriptions_name_the_key() -> None:
    patterns = [
        path("tags/", Tags.as_view()),
        path("must/", Tags.as_view(idempotency_key_required=True)),
    ]
    document = SchemaGenerator(title="T", version="1", patterns=patterns).get_schema(None, True)
    for address, required in (("/tags/", False), ("/must/", True)):
        described = document["paths"][address]["post"]
        (key,) = (each for each in described["parameters"] if each["in"] == "header")
        assert (key["name"], key["required"]) == ("Idempotency-Key", required)
        pattern = re.compile(key["schema"]["pattern"])
        for given in ("a", "a b", "x" * 255):
            assert pattern.search(given)
        for refused in ("", '"', " a", "a ", "x" * 256, "é"):
            assert not pattern.search(refused)
        assert {"201", "400", "409", "422"} <= described["responses"].keys()
        assert "Idempotent-Replayed" in described["responses"]["201"]["headers"]
        listed = document["paths"][address]["get"]
        assert not {"409", "422"} & listed["responses"].keys()


@pytest.mark.parametrize("part", ["auth", "address"])
def test_callers_without_a_primary_key_are_told_apart(part: str) -> None:
    class Service:
        is_authenticated = True

    class ByHeader(BaseAuthentication):
        def authenticate(self, request: Any) -> Any:
            return Service(), request.META["HTTP_API_KEY"] if part == "auth" else None

    class OfServices(Counted):
        authentication_classes = (ByHeader,)

    made = OfServices.as_view()

    def send(who: str) -> Any:
        headers = {"Idempotency-Key": "order-1", "API-Key": who}
        address = who if part == "address" else "10.0.0.1"
        return made(RequestFactory().post("/", {}, headers=headers, REMOTE_ADDR=address))

    for who in ("10.0.0.1", "10.0.0.2"):
        first = send(who).render()
        assert "Idempotent-Replayed" not in first.headers
        again = send(who)
        assert again.headers["Idempotent-Replayed"] == "true"
        assert again.content == first.content


@pytest.mark.parametrize("do", ["count", "missing"])
def test_code_that_prepares_responses_sees_repeated_ones_as_the_first(do: str, client: Any) -> None:
    first, again = (post(client, "/enveloped/", {"do": do}) for _ in range(2))
    assert first.json()["is_error"] is (do == "missing")
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert len(runs) == 1
