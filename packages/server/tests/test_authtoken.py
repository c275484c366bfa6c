import io
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.test import Client, RequestFactory, override_settings
from django.urls import path

from lintel.authtoken import models
from lintel.authtoken.admin import TokenAdmin
from lintel.authtoken.models import Token, TokenProxy
from lintel.authtoken.views import ObtainAuthToken, obtain_auth_token

urlpatterns = [path("token/", obtain_auth_token), path("admin/", admin.site.urls)]

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


@pytest.fixture(autouse=True)
def alice() -> User:
    return User.objects.create_superuser("alice", password="alice-pw")


def post(data: Any, **kwargs: Any) -> Any:
    return Client().post("/token/", data, content_type="application/json", **kwargs)


# The view


def test_a_token_is_made_once(alice: User) -> None:
    first = post({"username": "alice", "password": "alice-pw"})
    assert first.json() == {"token": Token.objects.get(user=alice).key}
    assert post({"username": "alice", "password": "alice-pw"}).json() == first.json()


def test_forms_are_read_as_well() -> None:
    credentials = {"username": "alice", "password": "alice-pw"}
    assert Client().post("/token/", credentials).status_code == 200


@pytest.mark.parametrize("name", ["alice", "nobody", "gone", "a\0b", "x" * 500])
def test_every_reason_is_the_same_error(name: str) -> None:
    User.objects.create_user("gone", password="wrong", is_active=False)
    response = post({"username": name, "password": "wrong"})
    assert response.status_code == 400
    if "\0" not in name:
        message = "Unable to log in with provided credentials."
        assert response.json() == {"non_field_errors": [message]}


@override_settings(
    REST_FRAMEWORK={
        "DEFAULT_PERMISSION_CLASSES": ["lintel.permissions.IsAuthenticated"],
        "DEFAULT_THROTTLE_CLASSES": ["lintel.throttling.AnonRateThrottle"],
        "DEFAULT_THROTTLE_RATES": {"anon": "0/day"},
        "DEFAULT_RENDERER_CLASSES": ["lintel.renderers.StaticHTMLRenderer"],
        "DEFAULT_PARSER_CLASSES": [],
    }
)
def test_settings_do_not_stand_before_the_token() -> None:
    response = post({"username": "alice", "password": "alice-pw"})
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json"


def test_a_view_of_ones_own_shows_its_own_docstring() -> None:
    class Own(ObtainAuthToken):
        """Mine."""

    assert ObtainAuthToken().get_view_description() == ""
    assert Own().get_view_description() == "Mine."


# Models


def test_keys_are_random() -> None:
    keys = {Token.generate_key() for _ in range(50)}
    assert len(keys) == 50
    assert all(len(key) == 40 and set(key) <= set("0123456789abcdef") for key in keys)


@pytest.mark.parametrize("given", [True, False])
def test_a_key_is_never_taken_over(alice: User, given: bool, monkeypatch: Any) -> None:
    token = Token.objects.create(user=alice)
    other = User.objects.create(username="bob")
    monkeypatch.setattr(Token, "generate_key", lambda self: token.key)
    copy = Token(user=other, key=token.key) if given else Token(user=other)
    with pytest.raises(IntegrityError), transaction.atomic():
        copy.save()
    assert Token.objects.get(key=token.key).user == alice


def test_a_token_is_saved_again(alice: User) -> None:
    token = Token.objects.create(user=alice)
    token.save()
    assert Token.objects.count() == 1
    assert str(token) == token.key


def test_the_proxy_is_found_by_its_user(alice: User) -> None:
    token = Token.objects.create(user=alice)
    proxy = TokenProxy.objects.get(key=token.key)
    assert proxy.pk == alice.pk
    assert proxy.delete()[0] == 1
    Token.objects.create(user=alice)
    assert TokenProxy.objects.filter(user=alice).delete()[0] == 1
    assert not Token.objects.exists()


def test_the_table_is_that_of_other_installations() -> None:
    assert Token._meta.db_table == "authtoken_token"
    assert apps.get_model("authtoken", "Token") is Token
    loader = MigrationLoader(connection)
    names = sorted(name for app, name in loader.graph.nodes if app == "authtoken")
    assert names == [
        "0001_initial",
        "0002_auto_20160226_1747",
        "0003_tokenproxy",
        "0004_alter_tokenproxy_options",
    ]
    changes = MigrationAutodetector(loader.project_state(), ProjectState.from_apps(apps)).changes(
        graph=loader.graph
    )
    assert "authtoken" not in changes


@pytest.mark.parametrize(
    ("installed", "expected"),
    [
        (["lintel.authtoken"], True),
        (["lintel.authtoken.apps.AuthTokenConfig"], True),
        (["rest_framework.authtoken"], True),
        (["lintel", "lintel.authtoken_like"], False),
    ],
)
def test_without_the_app_there_are_no_tables(installed: list[str], expected: bool) -> None:
    class Settings:
        INSTALLED_APPS = installed

    original = models.settings
    models.settings = Settings  # type: ignore[assignment, misc]
    try:
        assert models.is_installed() is expected
    finally:
        models.settings = original  # type: ignore[misc]


# The command


def command(*arguments: str) -> str:
    output = io.StringIO()
    call_command("drf_create_token", *arguments, stdout=output)
    return output.getvalue()


def test_the_command_prints_a_token(alice: User) -> None:
    printed = command("alice")
    key = Token.objects.get(user=alice).key
    assert printed == f"Generated token {key} for user alice\n"
    assert command("alice") == printed
    assert key not in command("alice", "--reset")
    assert key not in command("alice", "-r")
    assert Token.objects.count() == 1


def test_the_command_knows_users_only() -> None:
    with pytest.raises(CommandError, match="Cannot create the Token: user bob does not exist"):
        command("bob")


# The admin


def test_addresses_in_the_admin_hold_no_key(alice: User) -> None:
    token = Token.objects.create(user=alice)
    request = RequestFactory().get("/")
    request.user = alice
    made = TokenAdmin(TokenProxy, admin.site)
    changelist = made.get_changelist(request)(
        request,
        TokenProxy,
        made.list_display,
        (),
        made.list_filter,
        None,
        made.search_fields,
        False,
        100,
        200,
        [],
        made,
        None,
        "",
    )
    url = changelist.url_for_result(changelist.result_list[0])
    assert url == f"/admin/authtoken/tokenproxy/{alice.pk}/change/"
    assert made.get_object(request, str(alice.pk)).key == token.key
    for nobody in ("99", "x", token.key, "9" * 40):
        assert made.get_object(request, nobody) is None
