import base64
import time
from functools import partial
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import models
from django.test import AsyncClient, Client, RequestFactory, override_settings
from django.urls import path

from lintel import authentication, exceptions, views
from lintel.authentication import (
    BasicAuthentication,
    RemoteUserAuthentication,
    SessionAuthentication,
    TokenAuthentication,
)
from lintel.authtoken.models import Token
from lintel.permissions import IsAuthenticated
from lintel.renderers import JSONRenderer
from lintel.response import Response

KEY = "0123456789abcdef0123456789abcdef01234567"


class Who(views.APIView):
    renderer_classes = [JSONRenderer]
    permission_classes = [IsAuthenticated]

    def get(self, request: Any) -> Response:
        return Response([request.user.username, type(request.successful_authenticator).__name__])

    post = get


class Bearer(TokenAuthentication):
    keyword = "Bearer"


class AsyncWho(Who):
    async def get(self, request: Any) -> Response:
        return Response([request.user.username, type(request.successful_authenticator).__name__])


def who(*schemes: Any) -> Any:
    return Who.as_view(authentication_classes=schemes)


def both(request: Any) -> Any:
    return who(BasicAuthentication, TokenAuthentication)(request)


urlpatterns = [
    path("basic/", who(BasicAuthentication)),
    path("token/", who(TokenAuthentication)),
    path("bearer/", who(Bearer)),
    path("session/", who(SessionAuthentication)),
    path("remote/", who(RemoteUserAuthentication)),
    path("both/", who(BasicAuthentication, TokenAuthentication)),
    path("async-session/", AsyncWho.as_view(authentication_classes=[SessionAuthentication])),
    path("async/", AsyncWho.as_view(authentication_classes=[TokenAuthentication])),
]

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


@pytest.fixture(autouse=True)
def users() -> None:
    for name, is_active in (("alice", True), ("gone", False)):
        user = User.objects.create_user(name, password=f"{name}-pw", is_active=is_active)
        Token.objects.create(user=user, key=KEY if is_active else KEY[::-1])


def ask(url: str, authorization: str | None = None, **kwargs: Any) -> Any:
    headers = {} if authorization is None else {"authorization": authorization}
    return Client().get(url, headers=headers, **kwargs)


def basic(text: str, encoding: str = "utf-8") -> str:
    return "Basic " + base64.b64encode(text.encode(encoding)).decode()


# Basic


@pytest.mark.parametrize("header", [basic("alice:alice-pw"), "bAsIc" + basic("alice:alice-pw")[5:]])
def test_basic(header: str) -> None:
    assert ask("/basic/", header).json() == ["alice", "BasicAuthentication"]


@pytest.mark.parametrize(
    ("header", "detail"),
    [
        ("Basic", "Invalid basic header. No credentials provided."),
        ("Basic a b", "Invalid basic header. Credentials string should not contain spaces."),
        ("Basic !", "Invalid basic header. Credentials not correctly base64 encoded."),
        ("Basic YWxpY2U=", "Invalid basic header. Credentials not correctly base64 encoded."),
        ("Basic \xe9", "Invalid basic header. Credentials not correctly base64 encoded."),
        (basic("alice:wrong"), "Invalid username/password."),
        (basic("gone:gone-pw"), "Invalid username/password."),
        (basic("a\0b:x"), "Invalid username/password."),
        (basic("\xff:x", "latin-1"), "Invalid username/password."),
        (basic("alice:" + "x" * 5000), "Invalid username/password."),
        ("Bearer x", "Authentication credentials were not provided."),
        ("", "Authentication credentials were not provided."),
    ],
)
def test_basic_refuses(header: str, detail: str) -> None:
    response = ask("/basic/", header)
    assert (response.status_code, response.json()) == (401, {"detail": detail})
    assert response.headers["WWW-Authenticate"] == 'Basic realm="api"'


@override_settings(
    AUTHENTICATION_BACKENDS=["django.contrib.auth.backends.AllowAllUsersModelBackend"]
)
def test_users_who_are_not_active_are_refused_whatever_the_backend_says() -> None:
    response = ask("/basic/", basic("gone:gone-pw"))
    assert response.json() == {"detail": "User inactive or deleted."}


# Token


@pytest.mark.parametrize("header", [f"Token {KEY}", f"token {KEY}", f"TOKEN  {KEY} "])
def test_token(header: str) -> None:
    assert ask("/token/", header).json() == ["alice", "TokenAuthentication"]
    assert ask("/async/", header).json() == ["alice", "TokenAuthentication"]


def test_a_keyword_of_its_own() -> None:
    assert ask("/bearer/", f"Bearer {KEY}").status_code == 200
    assert ask("/bearer/", f"Token {KEY}").headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("header", "detail"),
    [
        ("Token", "Invalid token header. No credentials provided."),
        ("Token a b", "Invalid token header. Token string should not contain spaces."),
        ("Token \xff", "Invalid token header. Token string should not contain invalid characters."),
        ("Token a\0b", "Invalid token."),
        ("Token " + "x" * 10_000, "Invalid token."),
        (f"Token {KEY[::-1]}", "User inactive or deleted."),
        (f"Token{KEY}", "Authentication credentials were not provided."),
    ],
)
def test_token_refuses(header: str, detail: str) -> None:
    response = ask("/token/", header)
    assert (response.status_code, response.json()) == (401, {"detail": detail})
    assert response.headers["WWW-Authenticate"] == "Token"


def test_a_model_of_its_own() -> None:
    class Own(TokenAuthentication):
        model = User

    assert Own().get_model() is User
    assert TokenAuthentication().get_model() is Token


def test_wrong_credentials_end_the_search() -> None:
    assert ask("/both/", f"Token {KEY}").json() == ["alice", "TokenAuthentication"]
    response = ask("/both/", basic("alice:wrong"))
    assert response.status_code == 401


# Session


def session_client(**kwargs: Any) -> Client:
    client = Client(**kwargs)
    client.force_login(User.objects.get(username="alice"))
    return client


def test_session() -> None:
    assert session_client().get("/session/").json() == ["alice", "SessionAuthentication"]
    response = Client().get("/session/")
    assert response.status_code == 403
    assert "WWW-Authenticate" not in response.headers


def test_changes_in_a_session_need_the_csrf_token() -> None:
    client = session_client(enforce_csrf_checks=True)
    assert client.get("/session/").status_code == 200
    refused = client.post("/session/")
    assert (refused.status_code, refused.json()) == (
        403,
        {"detail": "CSRF Failed: CSRF cookie not set."},
    )
    client.cookies["csrftoken"] = "a" * 32
    missing = client.post("/session/")
    assert missing.json() == {"detail": "CSRF Failed: CSRF token missing."}
    assert client.post("/session/", headers={"x-csrftoken": "a" * 32}).status_code == 200
    assert client.post("/session/", {"csrfmiddlewaretoken": "a" * 32}).status_code == 200
    other = client.post("/session/", headers={"x-csrftoken": "b" * 32})
    assert other.status_code == 403


@override_settings(
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ]
)
def test_the_middleware_of_django_leaves_the_check_to_the_scheme() -> None:
    client = session_client(enforce_csrf_checks=True)
    assert client.post("/session/").json()["detail"].startswith("CSRF Failed")
    token = Client(enforce_csrf_checks=True).post(
        "/token/", headers={"authorization": f"Token {KEY}"}
    )
    assert token.status_code == 200


def test_anonymous_changes_need_no_csrf_token() -> None:
    response = Client(enforce_csrf_checks=True).post("/session/")
    assert response.json() == {"detail": "Authentication credentials were not provided."}


@pytest.mark.urls("lintel.urls")
def test_login_always_checks_csrf() -> None:
    credentials = {"username": "alice", "password": "alice-pw"}
    client = Client(enforce_csrf_checks=True)
    middleware = [
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ]
    with override_settings(MIDDLEWARE=middleware):
        assert client.post("/login/", credentials).status_code == 403


def test_a_user_who_is_not_active_any_more_has_no_session() -> None:
    client = session_client()
    User.objects.update(is_active=False)
    assert client.get("/session/").status_code == 403


# Remote user


def test_remote_user() -> None:
    assert Client().get("/remote/", REMOTE_USER="alice").json()[0] == "alice"
    assert Client().get("/remote/", REMOTE_USER="new").json()[0] == "new"
    for name in ("", "gone"):
        assert Client().get("/remote/", REMOTE_USER=name).status_code == 403


def test_a_client_cannot_send_the_remote_user() -> None:
    assert Client().get("/remote/", headers={"remote-user": "alice"}).status_code == 403


def test_the_base_class() -> None:
    scheme = authentication.BaseAuthentication()
    assert scheme.authenticate_header(None) is None
    with pytest.raises(NotImplementedError):
        scheme.authenticate(None)


# What a project puts in the place of our methods, after the first request


def refused(self: Any, *args: Any, **kwargs: Any) -> Any:
    raise exceptions.AuthenticationFailed("Closed today.")


PATCHES = [
    (TokenAuthentication, "authenticate", refused),
    (TokenAuthentication, "authenticate_credentials", refused),
    (TokenAuthentication, "get_model", refused),
    (TokenAuthentication, "keyword", "Other"),
    (authentication, "get_authorization_header", lambda request: b"Token unknown"),
]


@pytest.mark.parametrize("url", ["/token/", "/async/"])
@pytest.mark.parametrize(("owner", "name", "value"), PATCHES, ids=[each[1] for each in PATCHES])
def test_patched_schemes_take_effect(
    url: str, owner: Any, name: str, value: Any, monkeypatch: Any
) -> None:
    assert ask(url, f"Token {KEY}").status_code == 200
    with monkeypatch.context() as patched:
        patched.setattr(owner, name, value)
        assert ask(url, f"Token {KEY}").status_code == 401
    assert ask(url, f"Token {KEY}").status_code == 200


@pytest.mark.parametrize("url", ["/token/", "/async/"])
def test_a_scheme_of_one_view_may_be_changed(url: str, monkeypatch: Any) -> None:
    kept = TokenAuthentication()
    monkeypatch.setattr(views.APIView, "get_authenticators", lambda self: [kept])
    assert ask(url, f"Token {KEY}").status_code == 200
    kept.authenticate = partial(refused, kept)  # type: ignore[method-assign]
    assert ask(url, f"Token {KEY}").json() == {"detail": "Closed today."}


def asgi(path: str, **kwargs: Any) -> Any:
    return async_to_sync(AsyncClient().get)(path, **kwargs)


def test_credentials_from_elsewhere_are_looked_up_in_a_thread(monkeypatch: Any) -> None:
    monkeypatch.setattr(
        authentication,
        "get_authorization_header",
        lambda request: b"Token " + request.query_params["key"].encode(),
    )
    assert asgi(f"/async/?key={KEY}").json() == ["alice", "TokenAuthentication"]


class SessionByHeader(SessionMiddleware):
    def process_request(self, request: Any) -> None:
        request.session = self.SessionStore(request.headers.get("X-Session"))


@override_settings(
    MIDDLEWARE=[
        f"{__name__}.SessionByHeader",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ]
)
def test_sessions_without_a_cookie_are_looked_up_in_a_thread() -> None:
    key = session_client().cookies["sessionid"].value
    found = asgi("/async-session/", headers={"x-session": key})
    assert found.json() == ["alice", "SessionAuthentication"]
    assert asgi("/async-session/").status_code == 403


@pytest.mark.parametrize("url", ["/token/", "/async/"])
def test_nobody_is_remembered_from_one_request_to_the_next(url: str) -> None:
    header = f"Token {KEY}"
    assert ask(url, header).json()[0] == "alice"
    bob = User.objects.create_user("bob")
    Token.objects.filter(key=KEY).update(user=bob)
    assert ask(url, header).json()[0] == "bob"
    User.objects.filter(pk=bob.pk).update(username="robert")
    assert ask(url, header).json()[0] == "robert"
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert ask(url, header).json() == {"detail": "User inactive or deleted."}
    Token.objects.filter(key=KEY).delete()
    assert ask(url, header).json() == {"detail": "Invalid token."}


@pytest.mark.parametrize("url", ["/token/", "/async/"])
def test_a_manager_that_hides_tokens_is_asked_each_time(url: str, monkeypatch: Any) -> None:
    tenant = {"name": "alice"}

    class OfTenant(models.Manager):  # type: ignore[type-arg]
        def get_queryset(self) -> Any:
            return super().get_queryset().filter(user__username=tenant["name"])

    manager = OfTenant()
    manager.model, manager.name = Token, "objects"
    assert ask(url, f"Token {KEY}").status_code == 200
    monkeypatch.setattr(Token, "objects", manager)
    assert ask(url, f"Token {KEY}").status_code == 200
    tenant["name"] = "bob"
    assert ask(url, f"Token {KEY}").status_code == 401


@pytest.mark.parametrize("number", [100, 10_000, 1_000_000])
def test_long_headers_are_refused_in_no_time(number: int) -> None:
    for header in ("Basic " + "A" * number, "Token " + "a " * number, " " * number, "B" * number):
        begin = time.thread_time()
        assert ask("/both/", header).status_code == 401
        assert time.thread_time() - begin < 2


def test_helpers_of_projects_are_their_own() -> None:
    class Own(BasicAuthentication):
        def _decode(self) -> None:
            raise RuntimeError("not meant for lintel")

        _not_encoded = _decode

    view = who(Own)
    for header, status in ((basic("alice:alice-pw"), 200), ("Basic !", 401)):
        assert (
            view(RequestFactory().get("/", headers={"authorization": header})).status_code == status
        )
