import base64
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client, override_settings
from django.urls import path

from lintel import authentication, views
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
