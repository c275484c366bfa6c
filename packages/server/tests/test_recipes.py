"""The code on the page about authentication works as described, and so does the admin."""

import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.db.models.signals import post_save
from django.test import Client, RequestFactory, override_settings
from django.urls import path

from lintel.authtoken.admin import TokenAdmin
from lintel.authtoken.models import Token, TokenProxy
from lintel.test import APIClient

PAGE = Path(__file__).resolve().parents[3] / "docs" / "server" / "authentication.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.S | re.M)
ADMIN = "/admin/authtoken/tokenproxy/"
site = admin.AdminSite()
site.register(TokenProxy, TokenAdmin)
urlpatterns = [path("admin/", site.urls)]
pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


def recipe(name: str) -> ModuleType:
    """The example that defines a name, run as a module."""
    (code,) = (block for block in BLOCKS if re.search(rf"^(class|def) {name}\b", block, re.M))
    module = ModuleType("recipe")
    exec(compile(code, name, "exec"), vars(module))
    return module


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", password="alice-pw")


# Recipes


def test_every_example_of_the_page_runs() -> None:
    for position, code in enumerate(BLOCKS):
        module = ModuleType(f"block_{position}")
        exec(compile(code, f"block {position}", "exec"), vars(module))
        post_save.disconnect(vars(module).get("make_token"), sender=User)
    assert len(BLOCKS) >= 6


def test_a_token_view_of_ones_own(alice: User) -> None:
    cache.clear()
    view = recipe("ObtainTokenAndUser").ObtainTokenAndUser.as_view()

    def post(password: str) -> Any:
        data = {"username": "alice", "password": password}
        return view(RequestFactory().post("/", data))

    first = post("alice-pw").data
    assert first == {"token": Token.objects.get().key, "user": alice.pk, "is_new": True}
    assert post("alice-pw").data == {**first, "is_new": False}
    assert [post("wrong").status_code for _ in range(4)] == [400, 400, 400, 429]
    cache.clear()


@pytest.fixture
def signal() -> Iterator[None]:
    module = recipe("make_token")
    yield
    assert post_save.disconnect(module.make_token, sender=User)


@pytest.mark.usefixtures("signal")
def test_a_token_with_every_new_user(alice: User, tmp_path: Path) -> None:
    assert Token.objects.get(user=alice).key
    alice.save()
    assert Token.objects.count() == 1
    fixture = tmp_path / "users.json"
    call_command("dumpdata", "auth.User", "authtoken.Token", output=str(fixture))
    key = Token.objects.get().key
    User.objects.all().delete()
    call_command("loaddata", str(fixture), verbosity=0)
    assert Token.objects.get().key == key


def test_tokens_for_everybody_who_has_none(alice: User, django_assert_num_queries: Any) -> None:
    key = Token.objects.create(user=alice).key
    User.objects.bulk_create(User(username=f"user{number}") for number in range(50))
    User.objects.create(username="gone", is_active=False)
    make_missing_tokens = recipe("make_missing_tokens").make_missing_tokens
    with transaction.atomic(), django_assert_num_queries(2):
        assert len(make_missing_tokens()) == 50
    assert Token.objects.get(user=alice).key == key
    assert not Token.objects.filter(user__username="gone").exists()
    assert len(set(Token.objects.values_list("key", flat=True))) == 51
    assert make_missing_tokens() == []


def test_a_scheme_of_ones_own(alice: User) -> None:
    scheme = recipe("PartnerAuthentication").PartnerAuthentication()
    rf = RequestFactory()
    assert scheme.authenticate(rf.get("/")) is None
    assert scheme.authenticate(rf.get("/", HTTP_X_PARTNER="alice")) == (alice, "alice")
    User.objects.update(is_active=False)
    with pytest.raises(Exception, match="Unknown partner"):
        scheme.authenticate(rf.get("/", HTTP_X_PARTNER="alice"))


# Keys


def test_keys_come_from_the_source_of_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def token_bytes(size: int | None = None) -> bytes:
        sizes.append(size)
        return b"\xab" * (size or 0)

    monkeypatch.setattr(secrets, "token_bytes", token_bytes)
    assert Token.generate_key() == "ab" * 20
    assert sizes == [20]


def test_a_collision_overwrites_nobody(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    token = Token.objects.create(user=alice)
    monkeypatch.setattr(secrets, "token_hex", lambda size: token.key)
    bob = User.objects.create(username="bob")
    makers = [
        lambda: Token.objects.create(user=bob),
        lambda: Token.objects.get_or_create(user=bob),
        lambda: Token.objects.bulk_create([Token(key=Token.generate_key(), user=bob)]),
        lambda: TokenProxy.objects.create(user=bob),
        lambda: call_command("drf_create_token", "bob"),
    ]
    for make in makers:
        with pytest.raises(IntegrityError), transaction.atomic():
            make()
    assert Token.objects.get().user == alice


# The admin


@pytest.fixture
def browser(alice: User) -> Iterator[Client]:
    with override_settings(
        INSTALLED_APPS=[
            "django.contrib.admin",
            *("django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions"),
            *("django.contrib.messages", "lintel", "lintel.authtoken", "contract_project"),
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
        ],
    ):
        client = Client()
        client.force_login(alice)
        yield client


def addresses(response: Any) -> list[str]:
    """All addresses in a page, and the one it redirects to."""
    found = re.findall(r'(?:href|action|src)="([^"]*)"', response.content.decode())
    return [*found, response.headers.get("Location", "")]


def test_the_admin_finds_tokens_by_user_and_shows_no_key_in_an_address(
    browser: Client, alice: User
) -> None:
    bob = User.objects.create(username="bob")
    key = Token.objects.create(user=bob).key
    Token.objects.create(user=alice)
    listed = browser.get(ADMIN)
    assert f'<a href="{ADMIN}{bob.pk}/change/">{key[:4]}…</a>' in listed.content.decode()
    pages = [
        listed,
        browser.get(f"{ADMIN}?q=bob"),
        browser.get(f"{ADMIN}add/"),
        browser.get(f"{ADMIN}{bob.pk}/change/"),
        browser.get(f"{ADMIN}{bob.pk}/history/"),
        browser.get(f"{ADMIN}{bob.pk}/delete/"),
        browser.get("/admin/"),
    ]
    assert [each.status_code for each in pages] == [200] * len(pages)
    assert not [url for each in pages for url in addresses(each) if key in url]
    assert not [each for each in pages if key in each.content.decode()]
    assert b"1 result" in pages[1].content
    assert b"bob" in pages[3].content
    assert b"0 results" in browser.get(f"{ADMIN}?q={key}").content


def test_the_admin_makes_changes_and_deletes_tokens(browser: Client, alice: User) -> None:
    bob = User.objects.create(username="bob")
    added = browser.post(f"{ADMIN}add/", {"user": bob.pk, "_continue": "1"})
    token = Token.objects.get(user=bob)
    assert urlsplit(added["Location"]).path == f"{ADMIN}{bob.pk}/change/"
    twice = browser.post(f"{ADMIN}add/", {"user": bob.pk})
    assert b"already exists" in twice.content
    carol = User.objects.create(username="carol")
    changed = browser.post(f"{ADMIN}{bob.pk}/change/", {"user": carol.pk})
    assert changed.status_code == 302
    assert Token.objects.get().user == carol
    assert Token.objects.get().key == token.key
    history = browser.get(f"{ADMIN}{carol.pk}/history/")
    deleted = browser.post(f"{ADMIN}{carol.pk}/delete/", {"post": "yes"})
    assert not Token.objects.exists()
    for page in (added, changed, history, deleted):
        assert not [url for url in addresses(page) if token.key in url]
    logged = LogEntry.objects.values_list("object_id", flat=True)
    assert token.key not in list(logged)


def test_the_admin_knows_no_token_by_its_key(browser: Client, alice: User) -> None:
    key = Token.objects.create(user=alice).key
    for rest in ("change", "delete", "history"):
        response = browser.get(f"{ADMIN}{key}/{rest}/")
        assert response.status_code == 302
        assert response["Location"] == "/admin/"


def test_strangers_do_not_reach_the_admin(alice: User) -> None:
    Token.objects.create(user=alice)
    response = APIClient().get(ADMIN)
    assert response.status_code == 302
    assert response["Location"].startswith("/admin/login/")
