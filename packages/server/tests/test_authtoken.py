import io
import pickle
import re
import sys
from datetime import UTC, datetime
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.apps import apps
from django.apps.registry import Apps
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.core import serializers as django_serializers
from django.core.management import CommandError, call_command
from django.core.signals import got_request_exception
from django.db import IntegrityError, connection, transaction
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.db.models import Count, QuerySet, signals
from django.test import Client, RequestFactory, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import path
from django.views.debug import ExceptionReporter

from lintel.authtoken import models
from lintel.authtoken.admin import TokenAdmin, part_of_key
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


@pytest.mark.parametrize("accept", ["text/html", "image/png", "application/json; indent=4"])
def test_whatever_is_accepted_the_answer_is_json(alice: User, accept: str) -> None:
    credentials = {"username": "alice", "password": "alice-pw"}
    for data, status in ((credentials, 200), ({}, 400)):
        answer = post(data, headers={"accept": accept})
        assert (answer.status_code, answer["Content-Type"]) == (status, "application/json")


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


@override_settings(AUTHENTICATION_BACKENDS=[f"{__name__}.Broken"])
def test_reports_of_errors_hold_no_password() -> None:
    reports: list[str] = []

    def report(request: Any, **kwargs: Any) -> None:
        reports.append(ExceptionReporter(request, *sys.exc_info()).get_traceback_text())

    got_request_exception.connect(report)
    try:
        client = Client(raise_request_exception=False)
        headers = {"authorization": "Token 0123456789"}
        credentials = {"username": "alice", "password": "my-secret"}
        assert client.post("/token/", credentials, headers=headers).status_code == 500
    finally:
        got_request_exception.disconnect(report)
    (text,) = reports
    assert "out of order" in text
    assert "my-secret" not in text
    assert "0123456789" not in text


class Broken(ModelBackend):
    def authenticate(self, request: Any, **kwargs: Any) -> None:  # type: ignore[override]
        raise RuntimeError("out of order")


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


# The proxy beside a plain proxy of Django


class PlainProxy(Token):
    """What TokenProxy would be without a ``pk`` of its own."""

    class Meta:
        app_label = "plain"
        proxy = True
        # A registry of its own, so that no migration is missing.
        apps = Apps()


KEYS = ["a" * 40, "b" * 40, "c" * 40]


def make_tokens(using: str = "default") -> None:
    for number, key in enumerate(KEYS):
        user = User.objects.using(using).create(username=f"user-{number}")
        Token.objects.using(using).create(key=key, user=user)
        created = datetime(2026, 1, 1 + number, tzinfo=UTC)
        Token.objects.using(using).filter(key=key).update(created=created)


def plainly(value: Any) -> Any:
    """A result without what tells the two models apart."""
    if isinstance(value, Token):
        return ("token", value.key, value.user_id, value.created)
    if isinstance(value, dict):
        return {plainly(key): plainly(each) for key, each in value.items()}
    if isinstance(value, list | tuple | QuerySet):
        return [plainly(each) for each in value]
    return value.replace("PlainProxy", "TokenProxy") if isinstance(value, str) else value


def deletion(result: tuple[int, dict[str, int]]) -> Any:
    # Both count rows of Token: the name of the model in the counts is that of Token.
    return result[0], sum(result[1].values())


def first(model: Any) -> Any:
    return model.objects.order_by("key").first()


def refreshed(model: Any) -> Any:
    token = first(model)
    Token.objects.filter(key=token.key).update(created=datetime(2020, 1, 1, tzinfo=UTC))
    token.refresh_from_db()
    only = model.objects.only("key").order_by("key").first()
    only.refresh_from_db(fields=["user"], from_queryset=model.objects.select_related("user"))
    return token, only.created, only.user.username


def deleted(model: Any) -> Any:
    token = first(model)
    result = deletion(token.delete())
    with pytest.raises(ValueError, match="object can't be deleted because its key") as error:
        token.delete()
    assert model.__name__ in str(error.value)
    return result, token.key, Token.objects.count()


def saved(model: Any) -> Any:
    token = first(model)
    token.created = datetime(2021, 1, 1, tzinfo=UTC)
    token.save()
    token.save(update_fields=["created"])
    return Token.objects.order_by("key").first()


def created(model: Any) -> Any:
    bob = User.objects.create(username="bob")
    token, is_new = model.objects.get_or_create(user=bob)
    again, is_new_again = model.objects.get_or_create(user=bob)
    updated, _ = model.objects.update_or_create(user=bob, defaults={"created": token.created})
    assert token == again == updated
    return len(token.key), is_new, is_new_again, type(token) is model


def bulk_created(model: Any) -> Any:
    users = User.objects.bulk_create(User(username=f"bulk-{number}") for number in range(2))
    made = model.objects.bulk_create(model(key=f"{user.pk:040}", user=user) for user in users)
    return [type(each) is model for each in made], [each._state.adding for each in made]


def bulk_updated(model: Any) -> Any:
    tokens = list(model.objects.order_by("key"))
    for token in tokens:
        token.created = datetime(2019, 1, 1, tzinfo=UTC)
    return model.objects.bulk_update(tokens, ["created"]), list(Token.objects.order_by("key"))


def in_sets(model: Any) -> Any:
    token, same = first(model), Token.objects.order_by("key").first()
    other = model.objects.order_by("key").last()
    equalities = token == same, same == token, token == first(model), token == other, token == 1
    return equalities, len({token, same, first(model)}), hash(token) == hash(same)


def neighbours(model: Any) -> Any:
    found = first(model).get_next_by_created()
    assert type(found) is model
    return found, found.get_previous_by_created()


def related(model: Any) -> Any:
    tokens = model.objects.select_related("user").order_by("key")
    prefetched = model.objects.prefetch_related("user").order_by("key")
    names = [[token.user.username for token in each] for each in (tokens, prefetched)]
    return names, list(User.objects.filter(auth_token=first(model)).values_list("username"))


def cascaded(model: Any) -> Any:
    return first(model).user.delete(), Token.objects.count()


OPERATIONS: dict[str, Any] = {
    "all": lambda model: model.objects.order_by("key"),
    "values": lambda model: list(model.objects.order_by("key").values("pk", "key", "user")),
    "values_list": lambda model: list(model.objects.order_by("pk").values_list("pk", flat=True)),
    "raw": lambda model: list(model.objects.raw("SELECT * FROM authtoken_token ORDER BY key")),
    "by pk": lambda model: model.objects.get(pk=KEYS[1]),
    "first and last": lambda model: (model.objects.first(), model.objects.last()),
    "earliest": lambda model: model.objects.earliest("created"),
    "in_bulk": lambda model: model.objects.in_bulk(),
    "in_bulk of keys": lambda model: model.objects.in_bulk(KEYS[:2]),
    "in_bulk of users": lambda model: len(model.objects.in_bulk(field_name="user")),
    "contains": lambda model: model.objects.contains(first(model)),
    "contains not": lambda model: model.objects.exclude(key=KEYS[0]).contains(first(model)),
    "contains, evaluated": lambda model: _evaluated(model).contains(first(model)),
    "update": lambda model: model.objects.filter(key=KEYS[0]).update(created=OLD),
    "aggregate": lambda model: model.objects.aggregate(Count("pk")),
    "serialized": lambda model: django_serializers.serialize("python", [first(model)])[0]["pk"],
    "delete": lambda model: deletion(model.objects.all().delete()),
    "delete some": lambda model: deletion(model.objects.filter(user__username="user-1").delete()),
    "delete joined": lambda model: deletion(
        model.objects.select_related("user").order_by("user__username").delete()
    ),
    "delete annotated": lambda model: deletion(
        model.objects.annotate(n=Count("user")).filter(n=1).delete()
    ),
    "delete none": lambda model: deletion(model.objects.none().delete()),
    "delete of the manager": lambda model: hasattr(model.objects, "delete"),
    "delete in templates": lambda model: (
        model.delete.alters_data,
        model.objects.all().delete.alters_data,
    ),
    "delete a slice": lambda model: model.objects.all()[:1].delete(),
    "delete values": lambda model: model.objects.values("key").delete(),
    "delete a union": lambda model: model.objects.union(model.objects.all()).delete(),
    "delete distinct on": lambda model: model.objects.distinct("user").delete(),
    **{
        function.__name__: function
        for function in (
            *(refreshed, deleted, saved, created, bulk_created, bulk_updated, in_sets),
            *(neighbours, related, cascaded),
        )
    },
}
OLD = datetime(2018, 1, 1, tzinfo=UTC)


def _evaluated(model: Any) -> Any:
    tokens = model.objects.all()
    len(tokens)
    return tokens


def outcome(operation: Any, model: Any) -> Any:
    """What an operation answers or raises, and the rows that it leaves; all is undone."""
    with transaction.atomic():
        make_tokens()
        try:
            with transaction.atomic():
                answer = plainly(operation(model))
        except Exception as error:
            answer = type(error), plainly(str(error))
        left = list(Token.objects.order_by("key").values_list("key", "created"))
        transaction.set_rollback(True)
    lasting = [row for row in left if row[0] in KEYS]
    return answer, lasting, len(left)


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_proxy_does_what_a_plain_proxy_does(name: str) -> None:
    expected = outcome(OPERATIONS[name], PlainProxy)
    found = outcome(OPERATIONS[name], TokenProxy)
    assert _without_ids(found) == _without_ids(expected)


def _without_ids(value: Any) -> Any:
    """SQLite may give users other ids the second time."""
    return re.sub(r"(\('token', '\w+', )\d+|\['token', '(\w+)', \d+", r"\1\2", repr(value))


def test_deleting_forgets_the_rows_that_were_read() -> None:
    make_tokens()
    tokens = TokenProxy.objects.all()
    assert len(tokens) == 3
    tokens.delete()
    assert len(tokens) == 0


def test_tokens_are_pickled() -> None:
    make_tokens()
    token = TokenProxy.objects.get(key=KEYS[0])
    found = pickle.loads(pickle.dumps(token))
    assert (type(found), found.key, found.pk) == (TokenProxy, token.key, token.pk)
    found.delete()
    assert (found.key, token.key) == (None, KEYS[0])


def test_deleting_in_async_code() -> None:
    make_tokens()

    async def main() -> Any:
        token = await TokenProxy.objects.aget(key=KEYS[0])
        one = await token.adelete()
        return one, await TokenProxy.objects.all().adelete()

    assert async_to_sync(main)() == ((1, {"authtoken.Token": 1}), (2, {"authtoken.Token": 2}))


def test_receivers_of_token_are_told_of_each() -> None:
    make_tokens()
    told: list[Any] = []

    def tell(sender: Any, instance: Any, using: str, **kwargs: Any) -> None:
        told.append((sender, instance.key, using))

    signals.pre_delete.connect(tell, sender=Token)
    try:
        TokenProxy.objects.get(key=KEYS[0]).delete()
        TokenProxy.objects.all().delete()
    finally:
        signals.pre_delete.disconnect(tell, sender=Token)
    assert told == [(Token, key, "default") for key in KEYS]


# What is seen of a key


def test_a_key_is_not_printed(alice: User) -> None:
    token = Token.objects.create(user=alice)
    proxy = TokenProxy.objects.get(user=alice)
    assert str(token) == token.key
    assert repr(token) == f"<Token: user {alice.pk}>"
    assert repr(Token()) == "<Token: user None>"
    assert (repr(proxy), str(proxy)) == (f"<TokenProxy: user {alice.pk}>", f"user {alice.pk}")
    assert str(TokenProxy.objects.select_related("user").get()) == "alice"
    assert str(TokenProxy()) == "user None"
    with CaptureQueriesContext(connection) as queries:
        assert repr(Token.objects.only("key").get()) == "<Token: user None>"
    assert len(queries) == 1


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


MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]


@pytest.fixture
def site(alice: User, settings: Any) -> Client:
    """Alice in the admin."""
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


TOKENS = "/admin/authtoken/tokenproxy/"


def text_of(response: Any) -> str:
    assert response.status_code == 200
    return response.content.decode()


def test_the_admin_shows_a_key_once_and_logs_none(site: Client, alice: User) -> None:
    bob = User.objects.create(username="bob")
    added = text_of(site.post(f"{TOKENS}add/", {"user": bob.pk}, follow=True))
    key = Token.objects.get(user=bob).key
    assert added.count(key) == 1
    pages = [site.get(f"{TOKENS}{bob.pk}/{page}/") for page in ("change", "history", "delete")]
    pages.append(site.get(TOKENS))
    pages.append(site.get(f"{TOKENS}?q=bob&o=1"))
    for page in pages:
        assert "bob" in text_of(page)
        assert key not in text_of(page)
    assert f"{key[:4]}…" in text_of(site.get(TOKENS))
    site.post(f"{TOKENS}{bob.pk}/change/", {"user": bob.pk})
    assert key not in text_of(site.post(f"{TOKENS}{bob.pk}/delete/", {"post": "yes"}, follow=True))
    assert not Token.objects.filter(user=bob).exists()
    entries = LogEntry.objects.values_list("object_id", "object_repr", "change_message")
    assert {entry[:2] for entry in entries} == {(str(bob.pk), "bob")}
    assert key not in repr(list(entries))


def test_users_are_found_by_a_field_of_their_own(site: Client, monkeypatch: Any) -> None:
    monkeypatch.setattr(TokenAdmin, "raw_id_fields", ("user",))
    bob = User.objects.create(username="bob")
    assert "<select" not in text_of(site.get(f"{TOKENS}add/"))
    assert site.post(f"{TOKENS}add/", {"user": bob.pk}).status_code == 302
    assert "<select" not in text_of(site.get(f"{TOKENS}{bob.pk}/change/"))
    assert site.post(f"{TOKENS}add/", {"user": bob.pk}).status_code == 200


def test_a_project_may_list_keys(rf: RequestFactory) -> None:
    class Open(TokenAdmin):
        list_display = ("key", "created")

    assert Open(TokenProxy, admin.site).get_list_display(rf.get("/")) == ("key", "created")


def test_short_keys_are_not_shown_in_part() -> None:
    assert [part_of_key(Token(key=key)) for key in ("secret", "0" * 40)] == ["…", "0000…"]
