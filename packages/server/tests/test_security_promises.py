"""What docs/security.md promises and no test of a single part attacks."""

import base64
import io
import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client, RequestFactory, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import include, path, re_path

from lintel import generics, parsers, permissions, renderers, serializers, throttling
from lintel.authentication import BasicAuthentication, SessionAuthentication
from lintel.authtoken.views import ObtainAuthToken
from lintel.hashedtokens.views import ObtainHashedToken
from lintel.idempotency import IdempotentMixin
from lintel.idempotency.models import IdempotencyKey
from lintel.patching import PatchMixin
from lintel.response import Response
from lintel.views import APIView

pytestmark = pytest.mark.django_db

#: An address that a browser takes for one of another host.
LEADING_OUT = re.compile(r'(?:href|src|action)="\s*/[\t\r\n]*[/\\]')
SECRET = "correct-horse-battery"
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]


class AccountSerializer(serializers.ModelSerializer[User]):
    pin = serializers.IntegerField(write_only=True, required=False, max_value=9)
    word = serializers.ChoiceField(["a"], write_only=True, required=False)

    class Meta:
        model = User
        fields = ["id", "username", "password", "is_staff", "pin", "word"]
        read_only_fields = ["is_staff"]
        extra_kwargs = {"password": {"write_only": True, "max_length": 30}}

    def create(self, validated_data: Any) -> Any:
        return User.objects.create(username=validated_data["username"])

    def update(self, instance: Any, validated_data: Any) -> Any:
        if validated_data.get("username") == "crash":
            raise RuntimeError("a fault of the code")
        return super().update(instance, {"username": validated_data.get("username", "same")})


class Accounts(IdempotentMixin, generics.ListCreateAPIView[User]):
    queryset = User.objects.order_by("id")
    serializer_class = AccountSerializer
    permission_classes: Any = []
    authentication_classes: Any = []
    parser_classes = [parsers.JSONParser, parsers.FormParser, parsers.MultiPartParser]
    renderer_classes = [renderers.JSONRenderer, renderers.BrowsableAPIRenderer]
    schema = None


class Account(PatchMixin, generics.RetrieveUpdateDestroyAPIView[User]):
    queryset = User.objects.order_by("id")
    serializer_class = AccountSerializer
    permission_classes: Any = []
    authentication_classes: Any = []
    renderer_classes = [renderers.JSONRenderer, renderers.BrowsableAPIRenderer]
    schema = None


class Once(throttling.AnonRateThrottle):
    rate = "1/day"


class Refusing(APIView):
    """Whoever comes in has a body that is read."""

    throttle_classes: Any = [Once]
    schema = None

    def post(self, request: Any) -> Response:
        return Response(request.data)


class Basic(APIView):
    authentication_classes = [BasicAuthentication]
    permission_classes = [permissions.IsAuthenticated]
    schema = None


urlpatterns = [
    path("basic/", Basic.as_view()),
    path("token/", ObtainAuthToken.as_view()),
    path("hashed-token/", ObtainHashedToken.as_view()),
    path("accounts/", Accounts.as_view()),
    path("accounts/<int:pk>/", Account.as_view()),
    path("refusing/", Refusing.as_view()),
    path("api-auth/", include("lintel.urls")),
    path("session/", include("lintel.sessions.urls")),
]


@pytest.fixture(autouse=True)
def service() -> Iterator[None]:
    cache.clear()
    with override_settings(ROOT_URLCONF=__name__):
        yield


@pytest.mark.parametrize("way", ["basic", "token", "hashed-token", "session"])
def test_no_way_in_tells_which_users_exist(way: str, settings: Any, monkeypatch: Any) -> None:
    """Wrong passwords, unknown names and users without a way in: the same answer and work."""
    settings.MIDDLEWARE = [*MIDDLEWARE, "django.middleware.csrf.CsrfViewMiddleware"]
    User.objects.create_user("ann", password="right")
    User.objects.create_user("shut", password="right", is_active=False)
    User.objects.create_user("open")  # without a password
    hashed: list[str] = []
    encode = MD5PasswordHasher.encode
    monkeypatch.setattr(
        MD5PasswordHasher, "encode", lambda self, *given: hashed.append("") or encode(self, *given)
    )
    seen = [
        seen_of(way, name, password, hashed)
        for name, password in (
            ("ann", "wrong"),
            ("nobody", "wrong"),
            ("shut", "right"),
            ("shut", "wrong"),
            ("open", "wrong"),
            ("n" * 500, "wrong"),
        )
    ]
    assert seen[0][0] in (400, 401)
    assert seen == [seen[0]] * len(seen)


def seen_of(way: str, name: str, password: str, hashed: list[str]) -> tuple[Any, ...]:
    client, body = Client(enforce_csrf_checks=True), {"username": name, "password": password}
    token = client.get("/session/csrf/").json()["csrf_token"]
    before = len(hashed)
    with CaptureQueriesContext(connection) as statements:
        if way == "basic":
            basic = base64.b64encode(f"{name}:{password}".encode()).decode()
            answer = client.get("/basic/", headers={"Authorization": f"Basic {basic}"})
        else:
            address = f"/{way}/" if "token" in way else "/session/login/"
            kind, headers = "application/json", {"X-CSRFToken": token}
            answer = client.post(address, body, kind, headers=headers)
    shown = {key: value for key, value in answer.headers.items() if key != "Set-Cookie"}
    return answer.status_code, answer.content, shown, len(statements), len(hashed) - before


class Unread(io.BytesIO):
    """A body that nobody may read."""

    def read(self, *args: Any) -> bytes:
        raise AssertionError("the body was read")

    readline = read


@pytest.mark.parametrize(
    "refusing",
    [
        {"permission_classes": [permissions.IsAuthenticated], "throttle_classes": []},
        {"authentication_classes": [SessionAuthentication], "permission_classes": [], "csrf": 1},
        {"throttle_classes": [Once]},
    ],
)
@pytest.mark.parametrize(
    "kind", ["application/json", "multipart/form-data; boundary=x", "text/plain"]
)
def test_no_body_is_read_of_a_request_that_is_refused(
    refusing: dict[str, Any], kind: str, rf: RequestFactory
) -> None:
    attributes = {name: value for name, value in refusing.items() if name != "csrf"}
    view = Refusing.as_view(**attributes)
    made = rf.post("/refusing/", b"x" * 100, kind)
    made.META["wsgi.input"] = made._stream = Unread(b"x" * 100)
    if "csrf" in refusing:
        made.user = User.objects.create_user("ann")
    if refusing.get("throttle_classes"):
        view(rf.post("/refusing/", {}, "application/json"))
    assert view(made).status_code in (403, 429)


@pytest.mark.parametrize("address", ["/api-auth/logout/", "/session/logout/"])
@pytest.mark.parametrize("middleware", [True, False])
def test_another_site_logs_nobody_out(address: str, middleware: bool, settings: Any) -> None:
    checking = ["django.middleware.csrf.CsrfViewMiddleware"] if middleware else []
    settings.MIDDLEWARE = [*MIDDLEWARE, *checking]
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_user("ann"))
    headers = {"Origin": "https://evil.example"}
    for body in ({}, {"csrfmiddlewaretoken": "a" * 32}):
        assert client.post(address, body, headers=headers).status_code == 403
    assert client.get("/session/").json()["user"]["username"] == "ann"


def test_no_answer_is_for_pages_of_other_sites() -> None:
    client = Client()
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    for method in ("get", "post", "options"):
        for address in ("/accounts/", "/session/", "/session/csrf/", "/api-auth/login/"):
            answer = getattr(client, method)(address, headers=headers)
            assert not [name for name in answer.headers if name.lower().startswith("access-con")]


RIGHTS = {
    "is_staff": True,
    "is_superuser": True,
    "groups": [1],
    "user_permissions": [1],
    "pk": 1,
    "id": 1,
    "is_active": False,
    "_state": {"db": "other"},
    "__class__": "User",
}


def test_nobody_raises_their_own_rights() -> None:
    client, kind = Client(), "application/json"
    client.post("/accounts/", {"username": "ann", "password": "x", **RIGHTS}, kind)
    ann = User.objects.get(username="ann")
    address = f"/accounts/{ann.pk}/"
    client.put(address, {"username": "ann", "password": "x", **RIGHTS}, kind)
    client.patch(address, RIGHTS, kind)
    client.patch(address, RIGHTS, "application/merge-patch+json")
    for name in RIGHTS:
        patch = [{"op": "add", "path": f"/{name}", "value": RIGHTS[name]}]
        client.patch(address, json.dumps(patch), "application/json-patch+json")
    form = "&".join(f"{name}=true" for name in RIGHTS)
    client.post(
        "/accounts/", f"username=bob&password=x&{form}", "application/x-www-form-urlencoded"
    )
    found = User.objects.values_list("username", "is_staff", "is_superuser", "is_active")
    assert set(found) == {("same", False, False, True), ("bob", False, False, True)}


ODD_PATHS = ["//evil.example", "/\\evil.example", "///evil.example", "/\t/evil.example", "/%5Cevil"]


@pytest.mark.parametrize("prefix", ODD_PATHS)
@pytest.mark.parametrize("renderer", [renderers.AdminRenderer, renderers.BrowsableAPIRenderer])
def test_no_link_or_redirect_leads_to_the_host_in_a_path(prefix: str, renderer: Any) -> None:
    """Where routes begin with anything, browsers would read the path as a host."""
    pages = {"renderer_classes": [renderer], "parser_classes": [parsers.JSONParser]}
    anywhere = [
        re_path(r"^.*rows/$", Accounts.as_view(**pages)),
        re_path(r"^.*rows/(?P<pk>\d+)/$", Account.as_view(**pages)),
    ]
    client, pk = Client(), User.objects.create_user("ann").pk
    with override_settings(ROOT_URLCONF=type("Urls", (), {"urlpatterns": anywhere})):
        for address in (f"{prefix}/rows/", f"{prefix}/rows/{pk}/", f"{prefix}/rows/?page=1"):
            answer = client.generic("GET", address, headers={"Accept": "text/html"})
            assert answer.status_code == 200
            assert not LEADING_OUT.findall(answer.content.decode())
        deleted = client.generic("DELETE", f"{prefix}/rows/{pk}/", headers={"Accept": "text/html"})
        assert not LEADING_OUT.match(f'href="{deleted.headers.get("Location", "/")}"')


#: Bodies whose secrets are valid, wrong in every way, or in a request that fails.
BODIES: list[Any] = [
    {"username": "ann", "password": SECRET},
    {"username": "", "password": SECRET},
    {"username": "ann", "password": SECRET * 3},
    {"username": "ann", "password": [SECRET]},
    {"username": "ann", "password": {SECRET: SECRET}},
    {"username": "ann", "password": "x", "pin": SECRET},
    {"username": "ann", "password": "x", "word": SECRET},
    {"username": "crash", "password": SECRET},
    [SECRET],
    SECRET,
    f'{{"password": "{SECRET}"',
]


@pytest.mark.parametrize("accept", ["application/json", "text/html"])
@pytest.mark.parametrize("wanted", ["drf", "problem"])
@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_what_is_only_written_comes_back_nowhere(
    body: Any, wanted: str, accept: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client = Client(raise_request_exception=False)
    pk = User.objects.create_user("eve").pk
    sent = body if isinstance(body, str) else json.dumps(body)
    with override_settings(REST_FRAMEWORK={"ERROR_FORMAT": wanted}):
        for method, address, kind in (
            ("POST", "/accounts/", "application/json"),
            ("PUT", f"/accounts/{pk}/", "application/json"),
            ("PATCH", f"/accounts/{pk}/", "application/merge-patch+json"),
            ("POST", "/accounts/", "application/x-www-form-urlencoded"),
        ):
            if kind.endswith("urlencoded") and isinstance(body, dict):
                sent = "&".join(f"{name}={value}" for name, value in body.items())
            answer = client.generic(method, address, sent, kind, headers={"Accept": accept})
            assert SECRET not in answer.content.decode() + str(answer.headers)
    written = [record.getMessage() + str(record.exc_text or "") for record in caplog.records]
    assert not [line for line in written if SECRET in line]


def test_what_the_table_of_answers_holds_repeats_none(settings: Any) -> None:
    client = Client()
    body = {"username": "ann", "password": "x"}

    def post(key: str) -> Any:
        return client.post("/accounts/", body, "application/json", headers={"Idempotency-Key": key})

    first = post("a key of ann")
    assert post("a key of ann").content == first.content
    row = IdempotencyKey.objects.get()
    for stolen in (row.digest, row.fingerprint):
        assert "Idempotent-Replayed" not in post(stolen).headers


@pytest.mark.parametrize("way", ["basic", "token", "session"])
def test_what_is_stored_of_a_password_lets_nobody_in(way: str, settings: Any) -> None:
    settings.MIDDLEWARE = [*MIDDLEWARE, "django.middleware.csrf.CsrfViewMiddleware"]
    stored = User.objects.create_user("ann", password="right").password
    assert seen_of(way, "ann", stored, [])[0] in (400, 401)
    assert seen_of(way, "ann", "right", [])[0] in (200, 405)
