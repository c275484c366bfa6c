"""Login, logout and CSRF tokens in JSON."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.core.cache import cache
from django.test import Client
from django.urls import include, path
from other_processes import printed_by

from lintel.authentication import SessionAuthentication
from lintel.authtoken.views import ObtainAuthToken
from lintel.checks import settings_check
from lintel.permissions import IsAuthenticated
from lintel.response import Response
from lintel.schemas.openapi import SchemaGenerator
from lintel.sessions import LoginAddressThrottle, LoginNameThrottle
from lintel.views import APIView

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


class Notes(APIView):
    authentication_classes = [SessionAuthentication]
    permission_classes = [IsAuthenticated]

    def get(self, request: Any) -> Response:
        return Response({})

    def post(self, request: Any) -> Response:
        return Response({})


urlpatterns = [
    path("session/", include("lintel.sessions.urls")),
    path("notes/", Notes.as_view()),
    path("token/", ObtainAuthToken.as_view(authentication_classes=())),
]

ALICE = {"username": "alice", "password": "alice-pw"}


@pytest.fixture(autouse=True)
def alice(settings: Any) -> User:
    cache.clear()
    settings.MIDDLEWARE = [
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ]
    return User.objects.create_user("alice", password="alice-pw")


@pytest.fixture
def client() -> Client:
    return Client(enforce_csrf_checks=True)


def token_of(client: Client) -> str:
    found: str = client.get("/session/csrf/").json()["csrf_token"]
    return found


def post(client: Client, where: str, body: Any = None, token: str | None = None) -> Any:
    headers = {} if token is None else {"X-CSRFToken": token}
    if body is None:
        return client.generic("POST", where, headers=headers)
    return client.post(where, body, content_type="application/json", headers=headers)


def log_in(client: Client, **changed: Any) -> Any:
    return post(client, "/session/login/", {**ALICE, **changed}, token_of(client))


def test_a_script_logs_in_and_out(client: Client, alice: User) -> None:
    assert client.get("/session/").json() == {"user": None}
    answer = log_in(client)
    shown = {"id": alice.pk, "username": "alice"}
    token = answer.json().pop("csrf_token")
    assert (answer.status_code, answer.json()["user"]) == (200, shown)
    assert answer.headers["Cache-Control"] == "no-store"
    assert client.get("/session/").json() == {"user": shown}
    assert post(client, "/notes/", token=token).status_code == 200
    assert post(client, "/session/logout/").status_code == 403
    assert client.get("/session/").json() == {"user": shown}
    assert post(client, "/session/logout/", token=token).status_code == 204
    assert client.get("/session/").json() == {"user": None}
    assert client.get("/notes/").status_code == 403
    assert post(client, "/session/logout/").status_code == 204


def test_a_login_makes_session_and_token_new(client: Client) -> None:
    before = token_of(client)
    log_in(client)
    first = client.cookies["sessionid"].value, client.cookies["csrftoken"].value
    assert log_in(client).status_code == 200
    second = client.cookies["sessionid"].value, client.cookies["csrftoken"].value
    assert not set(first) & set(second)
    assert post(client, "/notes/", token=before).status_code == 403


def test_another_user_gets_nothing_of_the_session(client: Client) -> None:
    User.objects.create_user("bob", password="bob-pw")
    log_in(client)
    session = client.session
    session["secret"] = "of alice"
    session.save()
    assert log_in(client, username="bob", password="bob-pw").json()["user"]["username"] == "bob"
    assert "secret" not in client.session


def test_a_login_needs_a_token_whatever_the_session_is(client: Client) -> None:
    for _ in range(2):
        refused = post(client, "/session/login/", ALICE)
        assert refused.status_code == 403
        log_in(client)
    client.cookies["sessionid"] = "stale"
    assert log_in(client).status_code == 200


def test_wrong_password_unknown_name_and_inactive_user_look_alike(
    client: Client, alice: User, monkeypatch: Any
) -> None:
    User.objects.create_user("carol", password="carol-pw", is_active=False)
    failed: list[Any] = []
    user_login_failed.connect(lambda **told: failed.append(told["credentials"]), weak=False)
    hashed: list[str] = []
    from django.contrib.auth.hashers import MD5PasswordHasher

    encode = MD5PasswordHasher.encode
    monkeypatch.setattr(
        MD5PasswordHasher,
        "encode",
        lambda self, *args: hashed.append("") or encode(self, *args),
    )
    tries = [
        {"password": "x"},
        {"username": "nobody"},
        {"username": "carol", "password": "carol-pw"},
        {"username": "carol", "password": "x"},
    ]
    answers = [log_in(client, **changed) for changed in tries]
    assert {answer.status_code for answer in answers} == {400}
    assert len({answer.content for answer in answers}) == 1
    assert {str(dict(answer.headers)) for answer in answers} == {str(dict(answers[0].headers))}
    # As much work for each: one password is hashed.
    assert len(hashed) == len(failed) == len(tries)
    assert "sessionid" not in client.cookies
    user_login_failed.receivers.clear()


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"username": "alice"},
        {"username": "", "password": ""},
        {"username": "alice\0", "password": "x"},
        {"username": {"a": 1}, "password": [1]},
        {"username": "\ud800", "password": "x"},
        {"username": "a" * 100_000, "password": "x"},
    ],
)
def test_wrong_input(client: Client, body: Any) -> None:
    assert post(client, "/session/login/", body, token_of(client)).status_code == 400


def test_attempts_are_limited_by_name(client: Client, monkeypatch: Any) -> None:
    monkeypatch.setattr(LoginNameThrottle, "rate", "3/10m")
    for name in ("nobody", "alice"):
        assert [log_in(client, username=name, password="x").status_code for _ in range(3)] == [
            400
        ] * 3
        refused = log_in(client, username=f" {name.upper()}")
        assert refused.status_code == 429
        assert int(refused.headers["Retry-After"]) > 500
    assert log_in(client, username="bob").status_code == 400


def test_numbers_are_names(client: Client, monkeypatch: Any) -> None:
    monkeypatch.setattr(LoginNameThrottle, "rate", "3/10m")
    User.objects.create_user("4711", password="its-pw")
    names: list[Any] = [4711, "4711", 4711, 4711]
    tries = [log_in(client, username=name, password="x").status_code for name in names]
    assert tries == [400, 400, 400, 429]
    for odd in (True, [4711], 10**1001, 1.5):
        assert log_in(client, username=odd).status_code == 400


def test_attempts_are_limited_by_address(client: Client, monkeypatch: Any, settings: Any) -> None:
    settings.REST_FRAMEWORK = {"TRUSTED_PROXIES": []}
    monkeypatch.setattr(LoginAddressThrottle, "rate", "3/10m")
    tries = [log_in(client, username=f"user{number}").status_code for number in range(5)]
    assert tries == [400, 400, 400, 429, 429]
    other = {"REMOTE_ADDR": "10.0.0.9", "HTTP_X_CSRFTOKEN": token_of(client)}
    answer = client.post("/session/login/", ALICE, content_type="application/json", **other)
    assert answer.status_code == 200


def test_forged_logins_count_nowhere(client: Client, monkeypatch: Any) -> None:
    monkeypatch.setattr(LoginNameThrottle, "rate", "3/10m")
    assert {post(client, "/session/login/", ALICE).status_code for _ in range(9)} == {403}
    assert log_in(client).status_code == 200


def test_csrf_failures_have_codes(client: Client, settings: Any) -> None:
    settings.REST_FRAMEWORK = {"ERROR_FORMAT": "problem"}
    log_in(client)

    def code(**extra: Any) -> str:
        answer = client.post("/notes/", {}, content_type="application/json", **extra)
        assert answer.status_code == 403
        found: str = answer.json()["code"]
        return found

    assert code() == "csrf_token_missing"
    assert code(headers={"X-CSRFToken": "x"}) == "csrf_token_incorrect"
    assert code(headers={"X-CSRFToken": "a" * 32}) == "csrf_token_incorrect"
    assert code(headers={"Origin": "https://evil.example"}) == "csrf_origin"
    assert code(headers={"Origin": "null"}) == "csrf_origin"
    assert code(secure=True) == "csrf_referer"
    assert code(secure=True, headers={"Referer": "https://evil.example/"}) == "csrf_referer"
    assert code(secure=True, headers={"Referer": "http://testserver/"}) == "csrf_referer"
    del client.cookies["csrftoken"]
    assert code() == "csrf_cookie_missing"


def test_sessions_have_a_challenge_by_setting(client: Client, settings: Any) -> None:
    refused = client.get("/notes/")
    assert (refused.status_code, "WWW-Authenticate" in refused.headers) == (403, False)
    settings.REST_FRAMEWORK = {"SESSION_CHALLENGE": 'Session realm="api"'}
    refused = client.get("/notes/")
    assert (refused.status_code, refused.headers["WWW-Authenticate"]) == (
        401,
        'Session realm="api"',
    )
    log_in(client)
    assert post(client, "/notes/").status_code == 403


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_challenge_is_described(settings: Any) -> None:
    for challenge, statuses in ((None, {"403"}), ("Session", {"401", "403"})):
        settings.REST_FRAMEWORK = {"OPENAPI_VERSION": "3.1", "SESSION_CHALLENGE": challenge}
        paths = SchemaGenerator(patterns=urlpatterns[:2]).get_schema()["paths"]
        assert statuses <= set(paths["/notes/"]["post"]["responses"])
    login = paths["/session/login/"]["post"]
    assert {"200", "400", "403", "429"} <= set(login["responses"])
    assert {} in login["security"]


@pytest.mark.parametrize("challenge", [True, "", "Session\r\nX: y", 'a"b', 7])
def test_wrong_challenges_are_reported(settings: Any, challenge: Any) -> None:
    settings.REST_FRAMEWORK = {"SESSION_CHALLENGE": challenge}
    assert [each.id for each in settings_check(None)] == ["lintel.E024"]


def test_tokens_are_given_beside_a_session(client: Client) -> None:
    log_in(client)
    assert post(client, "/token/", ALICE).status_code == 200
    client.cookies["sessionid"] = "stale"
    answer = client.post("/token/", ALICE, headers={"Authorization": "Basic stale"})
    assert answer.status_code == 200


SETTINGS = """
    SECRET_KEY = "tests"
    ALLOWED_HOSTS = ["*"]
    USE_TZ = True
    ROOT_URLCONF = "site_.urls"
    INSTALLED_APPS = [
        "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "lintel",
    ]
    MIDDLEWARE = [
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ]
    from pathlib import Path
    PLACE = Path(__file__).parent / "db.sqlite3"
    DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": PLACE}}
    REST_FRAMEWORK = {"OPENAPI_VERSION": "3.1"}
"""

SCRIPT = """
import json, threading
import django
django.setup()
from wsgiref.simple_server import make_server
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from site_.urls import urlpatterns
from lintel.schemas.openapi import SchemaGenerator
from lintel_client import Client
from lintel_client.auth import SessionAuthentication
from lintel_codecs.openapi import OpenAPICodec
call_command("migrate", verbosity=0)
from django.contrib.auth.models import User
User.objects.create_user("alice", password="alice-pw")
server = make_server("127.0.0.1", 0, get_wsgi_application())
threading.Thread(target=server.serve_forever, daemon=True).start()
text = json.dumps(SchemaGenerator(title="t", version="1", patterns=urlpatterns).get_schema())
base = f"http://127.0.0.1:{server.server_port}/"
schema = OpenAPICodec().decode(text.encode(), base_url=base)
with Client(auth=SessionAuthentication()) as client:
    def call(name, **params):
        return client.action(schema, ["session", name], params=params)
    call("readCSRFToken")
    found = [call("login", username="alice", password="alice-pw")["user"]["username"]]
    found.append(call("readSession")["user"]["username"])
    call("logout")
    found.append(call("readSession")["user"])
print("found:" + json.dumps(found))
"""


def test_the_python_client_logs_in_and_out() -> None:
    urls = """
        from django.urls import include, path
        urlpatterns = [path("session/", include("lintel.sessions.urls"))]
    """
    found = printed_by("site_", {"set": SETTINGS, "urls": urls}, SCRIPT, [])
    assert found == ["alice", "alice", None]
