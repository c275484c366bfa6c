"""When hashed tokens end: by dates, disuse, revocation, and keys that come twice."""

import io
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.test import modify_settings
from django.urls import path
from django.utils import timezone
from servers import PostgreSQL, running_postgresql

from lintel.hashedtokens import lifetimes
from lintel.hashedtokens.authentication import HashedTokenAuthentication
from lintel.hashedtokens.models import HashedToken
from lintel.hashedtokens.views import ObtainHashedToken
from lintel.permissions import HasScopes
from lintel.response import Response
from lintel.test import APIClient
from lintel.views import APIView

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


class Who(APIView):
    authentication_classes = [HashedTokenAuthentication]

    def get(self, request: Any) -> Response:
        return Response({"user": str(request.user)})


class Patient(HashedTokenAuthentication):
    rotation_grace = 600


class Scoped(Who):
    permission_classes = [HasScopes]
    required_scopes = ["notes:read"]


urlpatterns = [
    path("who/", Who.as_view()),
    path("patient/", type("P", (Who,), {"authentication_classes": [Patient]}).as_view()),
    path("scoped/", Scoped.as_view()),
    path(
        "token/",
        ObtainHashedToken.as_view(
            lifetime=timedelta(days=90), idle_time=timedelta(days=7), scopes=["notes:read"]
        ),
    ),
]


@pytest.fixture(autouse=True, scope="module")
def _table(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """The app, installed for this module alone."""
    installed = modify_settings(INSTALLED_APPS={"append": "lintel.hashedtokens"})
    with installed, django_db_blocker.unblock():
        apps.clear_cache()
        with connection.schema_editor() as editor:
            editor.create_model(HashedToken)
        yield
        with connection.schema_editor() as editor:
            editor.delete_model(HashedToken)
    apps.clear_cache()


@pytest.fixture(autouse=True)
def alice() -> User:
    return User.objects.create_user("alice", password="alice-pw")


def made(**values: Any) -> HashedToken:
    return HashedToken.objects.create(user=User.objects.get(username="alice"), **values)


def who(key: str | None, where: str = "/who/") -> Any:
    return APIClient().get(where, headers={"Authorization": f"Token {key}"})


def test_tokens_expire(settings: Any) -> None:
    settings.REST_FRAMEWORK = {"ERROR_FORMAT": "problem"}
    now = timezone.now()
    assert who(made(expires=now + timedelta(seconds=60)).key).status_code == 200
    refused = who(made(expires=now - timedelta(seconds=1)).key)
    assert (refused.status_code, refused.json()["code"]) == (401, "token_expired")
    assert refused.json()["detail"] == "The token has expired."


def test_tokens_that_are_not_used_end() -> None:
    ago = timezone.now() - timedelta(hours=1)
    unused = made(idle_seconds=600, created=ago)
    assert who(unused.key).status_code == 401
    assert who(made(idle_seconds=600, created=ago, last_used=timezone.now()).key).status_code == 200
    # A use may be known a minute late, and must not end a token early.
    late = timezone.now() - timedelta(seconds=110)
    assert who(made(idle_seconds=60, last_used=late).key).status_code == 200
    late = timezone.now() - timedelta(seconds=121)
    assert who(made(idle_seconds=60, last_used=late).key).status_code == 401


def test_the_last_use_is_written_once_a_minute(django_capture_on_commit_callbacks: Any) -> None:
    token = made()
    with django_capture_on_commit_callbacks(execute=True) as writes:
        assert who(token.key).status_code == 200
    assert len(writes) == 1
    token.refresh_from_db()
    first = token.last_used
    assert first is not None
    with django_capture_on_commit_callbacks(execute=True) as writes:
        assert who(token.key).status_code == 200
    assert writes == []
    HashedToken.objects.update(last_used=first - timedelta(seconds=61))
    with django_capture_on_commit_callbacks(execute=True):
        assert who(token.key).status_code == 200
    token.refresh_from_db()
    assert token.last_used >= first


def test_an_unwritable_use_is_no_error(
    caplog: Any, django_capture_on_commit_callbacks: Any
) -> None:
    token = made()

    def fail(*args: Any) -> None:
        raise DatabaseError("read-only")

    with django_capture_on_commit_callbacks() as writes:
        assert who(token.key).status_code == 200
    with connection.execute_wrapper(fail):
        writes[0]()
    assert "cannot be written" in caplog.text


def test_a_use_may_be_left_unwritten(
    monkeypatch: Any, django_capture_on_commit_callbacks: Any
) -> None:
    monkeypatch.setattr(HashedTokenAuthentication, "notes_use", False)
    with django_capture_on_commit_callbacks() as writes:
        assert who(made().key).status_code == 200
    assert writes == []


def test_revoked_tokens_are_refused() -> None:
    token = made()
    token.revoke()
    assert who(token.key).json() == {"detail": "Invalid token."}


def test_a_replaced_key_that_comes_again_ends_its_family(caplog: Any) -> None:
    first, other = made(name="laptop", scopes=["b", "a"], idle_seconds=900), made()
    second = first.rotate()
    assert second is not None
    assert (second.name, second.scope, second.idle_seconds) == ("laptop", "a b", 900)
    third = second.rotate()
    assert third is not None
    assert (who(third.key).status_code, who(first.key, "/patient/").status_code) == (200, 401)
    assert who(third.key).status_code == 200
    assert who(first.key).json() == {"detail": "Invalid token."}
    assert [who(each.key).status_code for each in (second, third, other)] == [401, 401, 200]
    assert [record.name for record in caplog.records if "was used again" in record.message] == [
        "lintel.hashedtokens.lifetimes"
    ]
    assert str(first.key) not in caplog.text


def test_a_token_is_replaced_once() -> None:
    token = made()
    again = HashedToken.objects.get()
    assert token.rotate() is not None
    assert again.rotate() is None
    token.revoke()
    assert HashedToken.objects.get(pk=token.pk).rotate() is None
    assert HashedToken.objects.count() == 2


def test_scopes_of_tokens() -> None:
    for scopes, status in (
        (["notes:read", "x"], 200),
        (["x"], 403),
        ([], 403),
        (None, 403),
    ):
        assert who(made(scopes=scopes).key, "/scoped/").status_code == status
    assert made(scopes=[]).scopes == ()
    assert made().scopes is None


def test_the_view_says_what_tokens_get() -> None:
    credentials = {"username": "alice", "password": "alice-pw"}
    key = APIClient().post("/token/", credentials).json()["token"]
    token = HashedToken.objects.get()
    assert (token.scope, token.idle_seconds) == ("notes:read", 7 * 24 * 60 * 60)
    assert timedelta(days=89) < token.expires - timezone.now() < timedelta(days=91)
    assert who(key, "/scoped/").status_code == 200


def run(*args: Any) -> str:
    out = io.StringIO()
    call_command(*args, stdout=out)
    return out.getvalue()


def test_the_command_takes_scopes_and_days(settings: Any) -> None:
    run("create_hashed_token", "alice", "--scopes", "b a", "--days", "30", "--idle-days", "0.5")
    token = HashedToken.objects.get()
    assert (token.scope, token.idle_seconds) == ("a b", 43200)
    assert token.expires > timezone.now() + timedelta(days=29)
    settings.REST_FRAMEWORK = {"SCOPES": {"notes:read": ""}}
    with pytest.raises(CommandError, match="There is no scope a"):
        run("create_hashed_token", "alice", "--scopes", "notes:read a")


def test_ended_tokens_are_deleted_later() -> None:
    ago = timezone.now() - timedelta(days=40)
    for values in ({"expires": ago}, {"revoked": ago}, {"replaced": ago}):
        made(**values)
    made(idle_seconds=600, created=ago)
    kept = [made(), made(revoked=timezone.now()), made(idle_seconds=600), made(last_used=ago)]
    assert run("clear_hashed_tokens") == "Deleted 4 tokens\n"
    assert set(HashedToken.objects.all()) == set(kept)
    assert run("clear_hashed_tokens", "--days", "0") == "Deleted 1 tokens\n"


def test_models_with_two_columns_still_work(monkeypatch: Any) -> None:
    class Small:
        user_id = pk = 1

    small: Any = Small()
    assert not lifetimes.is_withdrawn(small)
    assert not lifetimes.has_expired(small, timezone.now())
    lifetimes.stop_family(small, 0)
    lifetimes.note_use(small)


# Four processes and PostgreSQL


HERE = Path(__file__).parent


@contextmanager
def service(database: dict[str, Any]) -> Iterator[int]:
    """Run the server of ``token_service.py``; yield its port."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        command = [sys.executable, HERE / "token_service.py", json.dumps(database)]
        process = subprocess.Popen(
            [*command, str(listener.fileno())],
            pass_fds=[listener.fileno()],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        try:
            yield listener.getsockname()[1]
        finally:
            process.terminate()
            process.wait(20)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgreSQL]:
    with running_postgresql() as found:
        yield found


@pytest.fixture(params=[False, True], ids=["autocommit", "ATOMIC_REQUESTS"])
def port(request: Any, server: PostgreSQL) -> Iterator[int]:
    with server.connect() as direct:
        direct.execute("DROP SCHEMA public CASCADE")
        direct.execute("CREATE SCHEMA public")
    with service({**server.settings, "ATOMIC_REQUESTS": request.param}) as port:
        yield port


def ask(port: int, method: str, where: str, key: str = "", body: Any = None) -> tuple[int, Any]:
    client = HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Token {key}"
    try:
        client.request(method, where, None if body is None else json.dumps(body), headers)
        answer = client.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None
    finally:
        client.close()


def new_key(port: int) -> str:
    credentials = {"username": "alice", "password": "alice-pw"}
    status, found = ask(port, "POST", "/token/", body=credentials)
    assert status == 200
    return str(found["token"])


def test_processes_write_a_use_once_and_wait_for_nobody(port: int, server: PostgreSQL) -> None:
    assert ask(port, "GET", "/who/", "k" * 40)[0] == 200  # a token of an earlier version
    key = new_key(port)
    with server.connect() as direct:
        direct.execute("CREATE TABLE uses (id serial)")
        direct.execute(
            "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS "
            "'BEGIN INSERT INTO uses DEFAULT VALUES; RETURN NEW; END'"
        )
        direct.execute(
            "CREATE TRIGGER noted AFTER UPDATE ON hashedtokens_hashedtoken "
            "FOR EACH ROW EXECUTE FUNCTION note()"
        )
        with direct.transaction():
            direct.execute("SELECT 1 FROM hashedtokens_hashedtoken FOR UPDATE")
            assert [ask(port, "GET", "/who/", key)[0] for _ in range(4)] == [200] * 4
        assert direct.execute("SELECT count(*) FROM uses").fetchone() == (0,)
        with ThreadPoolExecutor(16) as pool:
            found = list(pool.map(lambda _: ask(port, "GET", "/who/", key)[0], range(96)))
        assert found == [200] * 96
        assert direct.execute("SELECT count(*) FROM uses").fetchone() == (1,)


def test_a_token_that_is_being_replaced_is_not_revoked_in_its_place(
    port: int, server: PostgreSQL
) -> None:
    """Otherwise its owner would take the new key for revoked, too."""
    key = new_key(port)
    token = ask(port, "GET", "/who/", key)[1]["id"]
    with server.connect() as direct, server.connect() as other, ThreadPoolExecutor(1) as pool:
        with direct.transaction():
            direct.execute(
                f"UPDATE hashedtokens_hashedtoken SET replaced = now() WHERE id = {token}"
            )
            answer = pool.submit(ask, port, "DELETE", f"/tokens/{token}/", key)
            waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'transactionid'"
            while other.execute(waiting).fetchone() is None:
                assert not answer.done()
        assert answer.result()[0] == 404
    assert ask(port, "GET", "/who/", key)[0] == 401


def test_a_replacement_under_way_ends_with_its_family(port: int, server: PostgreSQL) -> None:
    """A replaced key comes again while its replacement is itself being replaced."""
    key = new_key(port)
    token = ask(port, "GET", "/who/", key)[1]["id"]
    new = ask(port, "POST", f"/tokens/{token}/rotate/", key)[1]["id"]
    table = "hashedtokens_hashedtoken"
    with server.connect() as direct, server.connect() as other, ThreadPoolExecutor(1) as pool:
        with direct.transaction():
            direct.execute(f"UPDATE {table} SET replaced = now() WHERE id = {new}")
            direct.execute(
                f"INSERT INTO {table} (digest, prefix, name, user_id, created, family) "
                f"SELECT 'newest', '', '', user_id, now(), family FROM {table} WHERE id = {new}"
            )
            answer = pool.submit(ask, port, "GET", "/who/", key)
            waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'transactionid'"
            while other.execute(waiting).fetchone() is None:
                assert not answer.done()
        assert answer.result()[0] == 401
        live = f"SELECT count(*) FROM {table} WHERE family IS NOT NULL AND revoked IS NULL"
        assert other.execute(live).fetchone() == (0,)


def test_of_many_processes_none_exceeds_the_number_of_tokens(port: int) -> None:
    key = new_key(port)
    room = 5 - len(ask(port, "GET", "/few/", key)[1])
    assert room > 1
    with ThreadPoolExecutor(16) as pool:
        made = list(pool.map(lambda _: ask(port, "POST", "/few/", key, {})[0], range(24)))
    assert sorted(made) == [201] * room + [400] * (24 - room)


def test_of_many_processes_one_replaces_a_key(port: int, server: PostgreSQL) -> None:
    key = new_key(port)
    token = ask(port, "GET", "/who/", key)[1]["id"]

    def rotate(number: int) -> tuple[int, Any]:
        return ask(port, "POST", f"/tokens/{token}/rotate/", key)

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(rotate, range(48)))
    assert {status for status, _ in answers} <= {201, 401, 404}
    (new,) = [found["key"] for status, found in answers if status == 201]
    assert ask(port, "GET", "/who/", new)[0] == 200
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda _: ask(port, "GET", "/who/", key), range(16)))
    assert ask(port, "GET", "/who/", new)[0] == 401
    with server.connect() as direct:
        left = direct.execute(
            "SELECT count(*) FROM hashedtokens_hashedtoken "
            "WHERE family IS NOT NULL AND revoked IS NULL"
        )
        assert left.fetchone() == (0,)
