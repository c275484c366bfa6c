"""Sessions, the order of checks, secrets, and whom a client is taken for.

One test for each kind of security fix that frameworks like this one have needed.
"""

import base64
import json
import re
from typing import Any
from urllib.parse import quote

import pytest
from contract_project.models import Snippet
from django.contrib.auth.models import User
from django.test import Client, RequestFactory, override_settings
from security_views import BySession, Once, page, user_with_snippets

from lintel import (
    renderers,
)
from lintel.authtoken.models import Token
from lintel.test import APIClient

pytestmark = [pytest.mark.django_db, pytest.mark.urls("security_views")]


@pytest.fixture(autouse=True)
def alice() -> User:
    return user_with_snippets()


# CSRF and sessions


def checking(user: User, **extra: Any) -> Client:
    client = Client(enforce_csrf_checks=True, **extra)
    client.force_login(user)
    client.cookies["csrftoken"] = "a" * 32
    return client


SECURE = {"wsgi.url_scheme": "https", "HTTP_HOST": "testserver", "SERVER_PORT": "443"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"X-CSRFToken": "a" * 32}, 403),  # HTTPS wants to know where the request comes from
        ({"X-CSRFToken": "a" * 32, "Referer": "https://testserver/x"}, 200),
        ({"X-CSRFToken": "a" * 32, "Referer": "http://testserver/x"}, 403),
        ({"X-CSRFToken": "a" * 32, "Referer": "https://evil.example/"}, 403),
        ({"X-CSRFToken": "a" * 32, "Referer": "https://[evil"}, 403),
        ({"X-CSRFToken": "a" * 32, "Origin": "https://testserver"}, 200),
        ({"X-CSRFToken": "a" * 32, "Origin": "https://evil.example"}, 403),
        ({"X-CSRFToken": "a" * 32, "Origin": "null"}, 403),
        ({"X-CSRFToken": "b" * 32, "Origin": "https://testserver"}, 403),
        ({"X-CSRFToken": "a" * 31, "Origin": "https://testserver"}, 403),
        ({"X-CSRFToken": "\xe9" * 32, "Origin": "https://testserver"}, 403),
    ],
)
def test_a_session_changes_nothing_for_another_site(
    alice: User, headers: dict[str, str], status: int
) -> None:
    response = checking(alice).post("/session/", {}, "application/json", headers=headers, **SECURE)
    assert response.status_code == status
    assert "evil" not in response.content.decode() or status == 403


def test_a_token_in_a_json_body_is_no_csrf_token(alice: User) -> None:
    body = json.dumps({"csrfmiddlewaretoken": "a" * 32})
    assert checking(alice).post("/session/", body, "application/json").status_code == 403
    assert checking(alice).post("/session/", body, "text/plain").status_code == 403
    assert checking(alice).post("/session/").status_code == 403


def test_a_malformed_body_leaves_the_user_of_the_session(alice: User, monkeypatch: Any) -> None:
    pages = [renderers.BrowsableAPIRenderer, renderers.JSONRenderer]
    monkeypatch.setattr(BySession, "renderer_classes", pages)
    client = checking(alice)
    headers = {"X-CSRFToken": "a" * 32, "Accept": "text/html"}
    assert client.post("/session/", "{", "application/json").status_code == 403
    for body, content_type, status in (("{", "application/json", 400), ("a", "text/plain", 415)):
        page = client.post("/session/", body, content_type, headers=headers)
        assert page.status_code == status
        assert "alice" in page.content.decode()


def test_other_credentials_do_not_excuse_a_session(alice: User) -> None:
    token = Token.objects.create(user=alice)
    response = checking(alice).post("/session/", headers={"authorization": f"Token {token.key}"})
    assert response.status_code == 403


@pytest.mark.parametrize("client_class", [Client, APIClient])
def test_login_checks_csrf_for_every_client(client_class: Any) -> None:
    client = client_class(enforce_csrf_checks=True)
    response = client.post(
        "/api-auth/login/",
        {"username": "alice", "password": "alice-pw"},
        headers={"accept": "application/json"},
    )
    assert response.status_code == 403
    assert "sessionid" not in response.cookies


def test_logging_in_makes_a_new_session(alice: User) -> None:
    client = Client()
    client.session.save()
    client.cookies["sessionid"] = "a" * 32
    client.post("/api-auth/login/", {"username": "alice", "password": "alice-pw"})
    assert client.cookies["sessionid"].value != "a" * 32
    assert client.cookies["sessionid"]["httponly"]


@pytest.mark.parametrize("method", ["get", "head", "put"])
def test_logging_out_takes_a_post(alice: User, method: str) -> None:
    client = Client()
    client.force_login(alice)
    assert getattr(client, method)("/api-auth/logout/").status_code == 405
    assert client.get("/session/").status_code == 200


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "//evil.example/",
        "///evil.example",
        "\\\\evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        " //evil.example",
        "http:evil.example",
        "https:///evil.example",
        "\x08//evil.example",
        "ftp://testserver/",
    ],
)
def test_login_and_logout_redirect_to_this_site_only(alice: User, target: str) -> None:
    credentials = {"username": "alice", "password": "alice-pw", "next": target}
    with override_settings(LOGIN_REDIRECT_URL="/home/", LOGOUT_REDIRECT_URL="/bye/"):
        client = Client()
        inside = client.post(f"/api-auth/login/?next={quote(target)}", credentials)
        assert inside["Location"] == "/home/"
        outside = client.post(f"/api-auth/logout/?next={quote(target)}")
        assert outside["Location"] in ("/bye/", "/api-auth/logout/")


def test_an_inactive_user_has_no_way_in(alice: User) -> None:
    token = Token.objects.create(user=alice)
    session = Client()
    session.force_login(alice)
    User.objects.update(is_active=False)
    basic = base64.b64encode(b"alice:alice-pw").decode()
    assert session.get("/session/").status_code == 403
    for url, header in (("/guarded/", f"Basic {basic}"), ("/token/", f"Token {token.key}")):
        assert Client().get(url, headers={"authorization": header}).status_code == 401


# The order of checks


def test_strangers_learn_nothing_about_rows() -> None:
    for pk in (Snippet.objects.first().pk, 10**6):
        assert Client().get(f"/token/?pk={pk}").status_code == 401
    statuses = {
        Client().get(url, headers={"accept": "application/json"}).status_code
        for url in (f"/own/{Snippet.objects.first().pk}/",)
    }
    assert statuses == {403}


def test_the_body_of_a_refused_request_is_not_parsed(alice: User) -> None:
    client = Client()
    response = client.post("/session/", b"{", "application/json")
    assert response.status_code == 403


@pytest.mark.parametrize(
    ("name", "staff", "status"), [("alice", False, 200), ("bob", False, 403), ("bob", True, 200)]
)
def test_one_side_of_or_does_not_open_the_object_of_the_other(
    alice: User, name: str, staff: bool, status: int
) -> None:
    user = User.objects.get_or_create(username=name)[0]
    User.objects.filter(pk=user.pk).update(is_staff=staff)
    client = Client()
    client.force_login(User.objects.get(pk=user.pk))
    pk = Snippet.objects.first().pk
    assert client.get(f"/own/{pk}/").status_code == status
    assert client.delete(f"/own/{pk}/").status_code == (204 if status == 200 else status)


def test_an_error_page_does_not_show_what_may_not_be_read() -> None:
    Snippet.objects.update(title="secret title")
    response = Client().post("/write-only/", {}, headers={"accept": "text/html"})
    assert response.status_code == 400
    assert "secret title" not in response.content.decode()


def test_a_refused_page_shows_nothing_of_the_object(alice: User) -> None:
    Snippet.objects.update(title="secret title", code="secret code")
    html = page(f"/own/{Snippet.objects.first().pk}/")
    assert "HTTP 403" in html
    assert "secret" not in html
    assert "<textarea" not in html


# Secrets


def test_errors_do_not_repeat_credentials() -> None:
    for header in ("Token top-secret", "Basic top-secret", "Token top secret", "Token \xfftop"):
        for url in ("/token/", "/guarded/"):
            response = Client().get(url, headers={"authorization": header})
            assert response.status_code == 401
            assert "top" not in response.content.decode() + str(response.headers)


def test_parse_errors_do_not_repeat_the_body() -> None:
    body = b'{"password": "top-secret", '
    assert "top" not in Client().post("/echo", body, "application/json").content.decode()


@pytest.mark.parametrize("name", ["password", "-password", "groups__name", "auth_token__key", "pk"])
def test_hidden_columns_order_nothing(name: str) -> None:
    User.objects.create(username="bob", password="0")
    plain = Client().get("/users/").json()
    assert Client().get(f"/users/?ordering={name}").json() == plain


# Throttles


@override_settings(REST_FRAMEWORK={"NUM_PROXIES": 1})
def test_a_client_cannot_choose_whom_it_is_counted_as() -> None:
    answers = [
        Client().get("/throttled/", headers={"x-forwarded-for": f"{number}, 203.0.113.9"})
        for number in ("1.1.1.1", "2.2.2.2", "x" * 5000)
    ]
    assert [answer.status_code for answer in answers] == [200, 429, 429]


def test_addresses_cannot_reach_the_keys_of_others(rf: RequestFactory) -> None:
    throttle = Once()
    keys = set()
    for address in ("a" * 500, "a" * 501, "1 2\r\nset x", "\0", "é", "user_1", "../x", "%s"):
        request = rf.get("/", HTTP_X_FORWARDED_FOR=address)
        request.user = None
        key = throttle.get_cache_key(request, None)
        assert key is not None
        assert re.fullmatch(r"throttle_anon_[\w.:,\[\]-]{1,64}", key)
        keys.add(key)
    assert len(keys) == 8


# Hosts


@pytest.mark.parametrize("host", ["evil.example", "testserver.evil.example", "a@testserver", "x y"])
@override_settings(ALLOWED_HOSTS=["testserver"])
def test_foreign_hosts_are_bad_requests(host: str) -> None:
    for url in ("/host/", "/host-version/", "/snippets/"):
        response = Client(raise_request_exception=False).get(url, headers={"host": host})
        assert response.status_code == 400
        assert host not in response.content.decode()
