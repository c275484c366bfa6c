"""Tokens of which the database holds a digest."""

import io
import pickle
import re
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.test import AsyncRequestFactory, Client, modify_settings, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import path

from lintel import generics, serializers
from lintel.authtoken.models import Token
from lintel.authtoken.serializers import AuthTokenSerializer
from lintel.authtoken.views import ObtainAuthToken
from lintel.checks import settings_check
from lintel.hashedtokens.admin import HashedTokenAdmin
from lintel.hashedtokens.authentication import HashedTokenAuthentication
from lintel.hashedtokens.models import HashedToken, digest_of
from lintel.hashedtokens.views import ObtainHashedToken, obtain_hashed_token
from lintel.response import Response
from lintel.schemas.openapi import SchemaGenerator
from lintel.test import APIClient
from lintel.views import APIView

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]

CREDENTIALS = {"username": "alice", "password": "alice-pw"}


class Who(APIView):
    authentication_classes = [HashedTokenAuthentication]

    def get(self, request: Any) -> Response:
        return Response({"user": str(request.user), "key": getattr(request.auth, "key", None)})


class Described(generics.RetrieveAPIView):
    authentication_classes = [HashedTokenAuthentication]
    serializer_class = AuthTokenSerializer


class Bearer(HashedTokenAuthentication):
    keyword = "Bearer"


class AsyncWho(Who):
    authentication_classes = [Bearer]

    async def get(self, request: Any) -> Response:  # type: ignore[override]
        return super().get(request)


tokens = admin.AdminSite()
tokens.register(HashedToken, HashedTokenAdmin)

urlpatterns = [
    path("who/", Who.as_view()),
    path("token/", obtain_hashed_token),
    path("two/", ObtainHashedToken.as_view(tokens_per_user=2)),
    path("plain/", ObtainAuthToken.as_view(authentication_classes=())),
    path("admin/", tokens.urls),
]


@pytest.fixture(autouse=True, scope="module")
def _table(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """The app, installed for this module alone."""
    installed = modify_settings(INSTALLED_APPS={"append": "lintel.hashedtokens"})
    with installed, django_db_blocker.unblock():
        apps.clear_cache()  # the settings alone leave what users are known to be related to
        with connection.schema_editor() as editor:
            editor.create_model(HashedToken)
        yield
        with connection.schema_editor() as editor:
            editor.delete_model(HashedToken)
    apps.clear_cache()


@pytest.fixture(autouse=True)
def alice() -> User:
    return User.objects.create_superuser("alice", password="alice-pw")


def who(key: str, word: str = "Token") -> Any:
    return APIClient().get("/who/", headers={"Authorization": f"{word} {key}"})


# The model


def test_only_a_digest_is_stored(alice: User) -> None:
    token = HashedToken.objects.create(user=alice, name="laptop")
    key = token.key
    assert key is not None
    assert len(key) == 48
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {HashedToken._meta.db_table}")
        (row,) = cursor.fetchall()
    assert key not in str(row)
    stored = HashedToken.objects.get()
    assert (stored.key, stored.digest, stored.prefix) == (None, digest_of(key), key[:8])
    assert (str(stored), repr(stored)) == (
        f"{key[:8]}… (laptop)",
        f"<HashedToken: user {alice.pk}>",
    )
    token.save()
    assert HashedToken.objects.get().digest == digest_of(key)


def test_the_key_leaves_the_object_that_made_it_by_reading_it_alone(alice: User) -> None:
    token = HashedToken.objects.create(user=alice)
    key = str(token.key)
    assert pickle.loads(pickle.dumps(token)).key is None
    assert key not in repr(token) + str(token) + pickle.dumps(token).hex()
    assert key.encode() not in pickle.dumps(token)
    assert HashedToken.objects.get().key is None


def test_packages_that_show_the_key_show_it_once(alice: User) -> None:
    class TokenSerializer(serializers.ModelSerializer):
        class Meta:
            model = HashedToken
            fields = ["key"]

    token = HashedToken.objects.create(user=alice)
    assert TokenSerializer(token).data == {"key": token.key}
    assert TokenSerializer(HashedToken.objects.get()).data == {"key": None}


def test_tokens_are_made_at_once_with_keys_of_their_own(alice: User) -> None:
    keys = [HashedToken.generate_key() for _ in range(3)]
    HashedToken.objects.bulk_create(HashedToken(user=alice, key=key) for key in keys)
    assert [who(key).status_code for key in keys] == [200] * 3


def test_short_keys_have_no_prefix(alice: User) -> None:
    assert HashedToken(user=alice, key="x" * 39).prefix == ""
    assert HashedToken(user=alice, key="x" * 40).prefix == "x" * 8


def test_no_migration_is_missing() -> None:
    loader = MigrationLoader(None)
    made = MigrationAutodetector(loader.project_state(), ProjectState.from_apps(_apps()))
    assert "hashedtokens" not in made.changes(graph=loader.graph)


def _apps() -> Any:
    from django.apps import apps

    return apps


# Authentication


def test_a_key_is_a_user(alice: User) -> None:
    token = HashedToken.objects.create(user=alice)
    with CaptureQueriesContext(connection) as queries:
        assert who(str(token.key)).json() == {"user": "alice", "key": token.key}
    assert len(queries) == 1
    assert str(token.key) not in str(queries.captured_queries)


def test_what_is_stored_lets_nobody_in(alice: User) -> None:
    token = HashedToken.objects.create(user=alice)
    for wrong in (token.digest, token.prefix, str(token.key)[:-1], str(token.key).upper()):
        refused = who(wrong)
        assert (refused.status_code, refused.json()) == (401, {"detail": "Invalid token."})
        assert refused.headers["WWW-Authenticate"] == "Token"
    plain = Token.objects.create(user=alice)
    assert who(plain.key).status_code == 401


def test_users_who_are_not_active_are_refused(alice: User) -> None:
    token = HashedToken.objects.create(user=alice)
    User.objects.update(is_active=False)
    assert who(str(token.key)).json() == {"detail": "User inactive or deleted."}
    User.objects.all().delete()
    assert who(str(token.key)).json() == {"detail": "Invalid token."}


def test_on_the_loop(alice: User) -> None:
    token = HashedToken.objects.create(user=alice)
    headers = {"Authorization": f"Bearer {token.key}"}
    made = async_to_sync(AsyncWho.as_view())
    assert made(AsyncRequestFactory().get("/", headers=headers)).data["user"] == "alice"


# The view


def test_each_request_makes_a_token_and_shows_it_this_once(alice: User) -> None:
    answers = [APIClient().post("/token/", CREDENTIALS, format="json") for _ in "ab"]
    assert [each.status_code for each in answers] == [200, 200]
    assert answers[0].headers["Cache-Control"] == "no-store"
    keys = {each.json()["token"] for each in answers}
    assert len(keys) == HashedToken.objects.count() == 2
    assert {who(key).status_code for key in keys} == {200}
    refused = APIClient().post("/token/", {**CREDENTIALS, "password": "x"}, format="json")
    assert (refused.status_code, HashedToken.objects.count()) == (400, 2)


def test_the_oldest_tokens_of_a_user_may_be_deleted(alice: User) -> None:
    bob = User.objects.create_user("bob")
    HashedToken.objects.create(user=bob)
    keys = [APIClient().post("/two/", CREDENTIALS).json()["token"] for _ in range(4)]
    assert [who(key).status_code for key in keys] == [401, 401, 200, 200]
    assert HashedToken.objects.filter(user=bob).count() == 1


@override_settings(REST_FRAMEWORK={"OPENAPI_VERSION": "3.1"})
@pytest.mark.filterwarnings("ignore:.*have the operationId")
def test_both_views_and_schemes_are_described_alike() -> None:
    patterns = [path("who/", Described.as_view()), *urlpatterns[1:4]]
    document = SchemaGenerator(title="T", version="1", patterns=patterns).get_schema(None, True)
    described = document["paths"]["/token/"]["post"]
    plain = document["paths"]["/plain/"]["post"]
    assert described["requestBody"] == plain["requestBody"]
    assert described["responses"] == plain["responses"]
    (scheme,) = document["paths"]["/who/"]["get"]["security"][0]
    assert document["components"]["securitySchemes"][scheme]["in"] == "header"


def test_the_check_asks_for_the_app() -> None:
    name = "lintel.hashedtokens.authentication.HashedTokenAuthentication"
    with override_settings(REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [name]}):
        assert settings_check(None) == []
        with modify_settings(INSTALLED_APPS={"remove": "lintel.hashedtokens"}):
            assert [message.id for message in settings_check(None)] == ["lintel.E011"]


# Commands


def run(*args: Any) -> str:
    out = io.StringIO()
    call_command(*args, stdout=out)
    return out.getvalue()


def test_the_command_prints_a_key_once(alice: User) -> None:
    text = run("create_hashed_token", "alice", "--name", "laptop")
    assert text.startswith("Generated token ")
    assert who(text.split()[2]).json()["user"] == "alice"
    assert HashedToken.objects.get().name == "laptop"
    with pytest.raises(CommandError, match="There is no user nobody"):
        run("create_hashed_token", "nobody")


def test_plain_tokens_become_hashed_ones_with_the_same_keys(alice: User) -> None:
    users = User.objects.bulk_create(User(username=f"u{n}") for n in range(600))
    Token.objects.bulk_create(Token(key=f"{n:040}", user=user) for n, user in enumerate(users))
    moment = Token.objects.first().created
    assert run("hash_tokens", "--keep") == "Hashed 600 tokens\n"
    assert Token.objects.count() == 600
    Token.objects.create(key="a" * 40, user=alice)
    assert run("hash_tokens") == "Hashed 1 tokens\n"
    assert (Token.objects.count(), HashedToken.objects.count()) == (0, 601)
    assert who("a" * 40).json()["user"] == "alice"
    assert who(f"{599:040}").status_code == 200
    assert abs((HashedToken.objects.order_by("pk").first().created - moment).total_seconds()) < 9
    assert run("hash_tokens") == "Hashed 0 tokens\n"


def test_without_plain_tokens_there_is_nothing_to_hash() -> None:
    with (
        modify_settings(INSTALLED_APPS={"remove": "lintel.authtoken"}),
        pytest.raises(CommandError, match="not installed"),
    ):
        run("hash_tokens")


# The admin


MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
TOKENS = "/admin/hashedtokens/hashedtoken/"


@pytest.fixture
def site(alice: User, settings: Any) -> Client:
    """Alice in the admin."""
    ContentType.objects.clear_cache()  # rows of it that other tests have removed
    settings.MIDDLEWARE = MIDDLEWARE
    processors = [
        "django.template.context_processors.request",
        "django.contrib.auth.context_processors.auth",
        "django.contrib.messages.context_processors.messages",
    ]
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "OPTIONS": {"context_processors": processors}}]
    client = Client()
    client.force_login(alice)
    return client


def text_of(response: Any) -> str:
    assert response.status_code == 200
    return response.content.decode()


def test_the_admin_shows_a_key_once_and_logs_none(site: Client) -> None:
    bob = User.objects.create(username="bob")
    data = {"user": bob.pk, "name": "phone"}
    added = text_of(site.post(f"{TOKENS}add/", data, follow=True))
    (key,) = re.findall(r"\b[0-9a-f]{48}\b", added)
    assert who(key).json()["user"] == "bob"
    token = HashedToken.objects.get()
    places = ["", "?q=bob", f"{token.pk}/change/", f"{token.pk}/history/", f"{token.pk}/delete/"]
    pages = [text_of(site.get(TOKENS + place)) for place in places]
    assert all("phone" in page and key not in page for page in pages)
    assert all(token.digest not in page for page in pages)
    assert f"{key[:8]}…" in pages[0]
    changed = site.post(f"{TOKENS}{token.pk}/change/", {"user": 99, "name": "tablet"}, follow=True)
    assert key not in text_of(changed)
    token.refresh_from_db()
    assert (token.user, token.name, token.digest) == (bob, "tablet", digest_of(key))
    assert key not in text_of(site.post(f"{TOKENS}{token.pk}/delete/", {"post": "y"}, follow=True))
    assert not HashedToken.objects.exists()
    assert key not in repr(list(LogEntry.objects.values_list()))


def test_the_admin_revokes_tokens(site: Client, alice: User) -> None:
    tokens = [HashedToken.objects.create(user=alice) for _ in "ab"]
    assert text_of(site.get(TOKENS)).count('alt="True"') == 2
    action = {"action": "revoke", "_selected_action": [tokens[0].pk]}
    assert "Revoked 1 tokens." in text_of(site.post(TOKENS, action, follow=True))
    assert [who(str(token.key)).status_code for token in tokens] == [401, 200]
    assert text_of(site.get(TOKENS)).count('alt="False"') == 1
    scopes = {"user": alice.pk, "name": "", "scope": "", "idle_seconds": ""}
    site.post(f"{TOKENS}{tokens[1].pk}/change/", {**scopes, "scope": "b a"})
    tokens[1].refresh_from_db()
    assert tokens[1].scopes == ("b", "a")
    site.post(f"{TOKENS}{tokens[1].pk}/change/", scopes)
    tokens[1].refresh_from_db()
    assert tokens[1].scopes is None
