"""Keys in the database: a write and its answer are there together, or not at all."""

import asyncio
import io
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from http.client import HTTPConnection, RemoteDisconnected
from itertools import product
from pathlib import Path
from typing import Any

import psycopg
import pytest
from asgiref.sync import async_to_sync, sync_to_async
from contract_project.models import Membership, Snippet
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import IntegrityError, connections, transaction
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.http import StreamingHttpResponse
from django.template.response import SimpleTemplateResponse
from django.test import AsyncRequestFactory, RequestFactory, modify_settings, override_settings
from django.urls import path
from django.utils import timezone
from servers import Redis, Router, everything_in

from lintel import serializers
from lintel.checks import idempotency_check
from lintel.conditional import ConditionalMixin
from lintel.exceptions import APIException, NotFound, ValidationError
from lintel.generics import AsyncListCreateAPIView, ListCreateAPIView, RetrieveUpdateAPIView
from lintel.idempotency import IdempotentMixin, rows
from lintel.idempotency.models import IdempotencyKey
from lintel.idempotency.rows import database_of
from lintel.response import Response
from lintel.test import APIClient
from lintel.views import APIView, exception_handler

HERE = Path(__file__).parent

#: How often the handlers have run.
runs: list[Any] = []


class MemberSerializer(serializers.ModelSerializer):
    class Meta:
        model = Membership
        fields = ["id", "team"]


class Members(IdempotentMixin, ListCreateAPIView):
    authentication_classes = ()
    queryset = Membership.objects.order_by("id")
    serializer_class = MemberSerializer


class AsyncMembers(IdempotentMixin, AsyncListCreateAPIView):
    authentication_classes = ()
    queryset = Membership.objects.order_by("id")
    serializer_class = MemberSerializer


class Writing(IdempotentMixin, APIView):
    """Writes a row, and then does what the body says."""

    authentication_classes = ()
    versions: Any = {
        "error": lambda: _raise(APIException()),
        "crash": lambda: 1 / 0,
        "missing": lambda: _raise(NotFound()),
        "return 400": lambda: Response({"detail": "no"}, 400),
        "return 503": lambda: Response("later", 503),
        "undo": lambda: transaction.set_rollback(True, using=Membership.objects.db),
        "unwritable": lambda: Response(object()),
        "stream": lambda: StreamingHttpResponse([b"a"]),
        "long": lambda: Response("x" * 2_000_000),
        "page": lambda: SimpleTemplateResponse("rest_framework/none.html", {}, status=202),
        "key": lambda: Snippet.objects.create(code="", owner_id=99_999),
        "durable": lambda: transaction.atomic(
            using=Membership.objects.db, durable=True
        ).__enter__(),
        "callback": lambda: transaction.on_commit(lambda: 1 / 0, using=Membership.objects.db),
    }

    def post(self, request: Any) -> Any:
        runs.append(request.data)
        Membership.objects.create(team="written")
        made = self.versions.get(request.data.get("do"), lambda: None)()
        return made if hasattr(made, "status_code") else Response({"run": len(runs)}, 201)


class MixedWriting(Writing):
    """A view on the event loop, with a handler that is not."""

    async def get(self, request: Any) -> Any:
        return Response()


class AsyncWriting(Writing):
    async def post(self, request: Any) -> Any:  # type: ignore[override]
        return await sync_to_async(super().post)(request)


def _raise(error: Exception) -> None:
    raise error


urlpatterns = [path("tags/", Members.as_view()), path("writing/", Writing.as_view())]


@pytest.fixture(params=["sqlite_file", "postgresql"])
def database(request: Any, django_db_blocker: Any) -> Iterator[str]:
    """Use a database of which every commit is real, and leave it empty."""
    with everything_in(request.getfixturevalue(request.param), django_db_blocker) as alias:
        runs.clear()
        yield alias
        for model in (Membership, IdempotencyKey):
            model.objects.all().delete()


def send(view: Any, data: Any, key: str = "k", method: str = "post", **kwargs: Any) -> Any:
    """Return the rendered response of a view, as Django would send it."""
    request = getattr(RequestFactory(), method)(
        "/", data, "application/json", headers={"Idempotency-Key": key}
    )
    response = view(request, **kwargs)
    return response.render() if not getattr(response, "is_rendered", True) else response


def called(view: Any, initkwargs: Any = {}) -> Any:  # noqa: B006 - never changed
    made = view.as_view(**initkwargs)
    return async_to_sync(made) if view.view_is_async else made


def replayed(response: Any) -> bool:
    return response.headers.get("Idempotent-Replayed") == "true"


# ---- together or not at all ----


@pytest.mark.parametrize("view", [Writing, MixedWriting, AsyncWriting])
def test_the_write_and_its_answer_are_committed_together(database: str, view: Any) -> None:
    first, again = (send(called(view), {}) for _ in "ab")
    assert (first.status_code, replayed(first), Membership.objects.count()) == (201, False, 1)
    assert (again.status_code, replayed(again), len(runs)) == (201, True, 1)
    assert again.content == first.content
    kept = {**again.headers}
    del kept["Idempotent-Replayed"]
    assert kept == {**first.headers}


@pytest.mark.parametrize("view", [Writing, MixedWriting, AsyncWriting])
@pytest.mark.parametrize("do", ["return 503", "error"])
def test_what_may_be_tried_again_leaves_nothing(database: str, view: Any, do: str) -> None:
    for count in (1, 2):
        assert send(called(view), {"do": do}).status_code in (500, 503)
        assert (Membership.objects.count(), len(runs)) == (0, count)
    assert IdempotencyKey.objects.count() == 0


@pytest.mark.parametrize("view", [Writing, MixedWriting, AsyncWriting])
def test_a_crash_leaves_nothing_and_is_handled_once(database: str, view: Any) -> None:
    handled = []

    def handler(error: Exception, context: Any) -> Any:
        handled.append(error)

    for count in (1, 2):
        with (
            override_settings(REST_FRAMEWORK={"EXCEPTION_HANDLER": handler}),
            pytest.raises(ZeroDivisionError),
        ):
            send(called(view), {"do": "crash"})
        assert (Membership.objects.count(), len(runs), len(handled)) == (0, count, count)


@pytest.mark.parametrize("view", [Writing, MixedWriting, AsyncWriting])
@pytest.mark.parametrize(("do", "status", "count"), [("missing", 404, 0), ("return 400", 400, 1)])
def test_errors_of_the_client_are_kept(
    database: str, view: Any, do: str, status: int, count: int
) -> None:
    answers = [send(called(view), {"do": do}) for _ in "ab"]
    assert [answer.status_code for answer in answers] == [status, status]
    assert answers[0].content == answers[1].content
    assert (replayed(answers[1]), Membership.objects.count(), len(runs)) == (True, count, 1)


def test_an_answer_of_the_projects_own_exception_handler_is_kept(database: str) -> None:
    def handler(error: Exception, context: Any) -> Any:
        if isinstance(error, ZeroDivisionError):
            error = ValidationError("not by nought")
        return exception_handler(error, context)

    with override_settings(REST_FRAMEWORK={"EXCEPTION_HANDLER": handler}):
        answers = [send(called(Writing), {"do": "crash"}) for _ in "ab"]
    assert [answer.status_code for answer in answers] == [400, 400]
    assert (len(runs), Membership.objects.count()) == (1, 0)


def test_an_answer_that_cannot_be_rendered_leaves_nothing(database: str) -> None:
    for count in (1, 2):
        with pytest.raises(TypeError):
            send(called(Writing), {"do": "unwritable"})
        assert (Membership.objects.count(), len(runs)) == (0, count)


def test_a_handler_may_undo_its_writes_and_answer(database: str) -> None:
    answers = [send(called(Writing), {"do": "undo"}) for _ in "ab"]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert (replayed(answers[1]), Membership.objects.count(), len(runs)) == (True, 0, 1)


def test_an_error_after_the_commit_does_not_repeat_the_write(database: str) -> None:
    with pytest.raises(ZeroDivisionError):
        send(called(Writing), {"do": "callback"})
    again = send(called(Writing), {"do": "callback"})
    assert (again.status_code, replayed(again)) == (201, True)
    assert (Membership.objects.count(), len(runs)) == (1, 1)


def test_a_commit_that_fails_leaves_the_key_free(database: str) -> None:
    for count in (1, 2):
        with pytest.raises(IntegrityError):
            send(called(Writing), {"do": "key"})
        assert (Membership.objects.count(), len(runs)) == (0, count)


def test_a_durable_block_says_why_it_cannot_be_opened(database: str) -> None:
    with pytest.raises(RuntimeError, match="durable") as caught:
        send(called(Writing), {"do": "durable"})
    assert 'idempotency_store = "cache"' in caught.value.__notes__[0]
    assert Membership.objects.count() == 0


class Catching(Writing):
    def post(self, request: Any) -> Any:
        runs.append(request.data)
        try:
            with transaction.atomic(using=Membership.objects.db):
                made = Membership.objects.create(team="twice")
                Membership.objects.create(id=made.pk, team="twice")
        except IntegrityError:
            Membership.objects.create(team="once")
        return Response(status=204)


def test_a_handler_may_have_transactions_of_its_own(database: str) -> None:
    answers = [send(called(Catching), {}) for _ in "ab"]
    assert [(answer.status_code, answer.content) for answer in answers] == [(204, b"")] * 2
    assert ([row.team for row in Membership.objects.all()], len(runs)) == (["once"], 1)


def test_a_page_of_a_template_is_kept(database: str, tmp_path: Path) -> None:
    (tmp_path / "rest_framework").mkdir()
    (tmp_path / "rest_framework/none.html").write_text("a page")
    engine = {"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": [tmp_path]}
    with override_settings(TEMPLATES=[engine]):
        answers = [send(called(Writing), {"do": "page"}) for _ in "ab"]
    assert [answer.content for answer in answers] == [b"a page"] * 2
    assert (replayed(answers[1]), len(runs)) == (True, 1)


@pytest.mark.parametrize("do", ["stream", "long"])
def test_what_is_too_large_is_carried_out_once_but_not_sent_again(database: str, do: str) -> None:
    answers = [send(called(Writing), {"do": do}) for _ in "ab"]
    assert [answer.status_code for answer in answers] == [200, 409]
    assert (Membership.objects.count(), len(runs)) == (1, 1)
    without_bound = called(Writing, {"idempotency_max_bytes": None})
    if do == "long":
        first, again = (send(without_bound, {"do": do}, "other") for _ in "ab")
        assert again.content == first.content


class Counting(Members):
    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        final = super().finalize_response(request, response, *args, **kwargs)
        runs.append(final.status_code)
        final["X-Count"] = str(len(runs))
        return final


def test_a_response_is_finalized_once(database: str) -> None:
    first, again = (send(called(Counting), {"team": "a"}) for _ in "ab")
    assert (runs, first["X-Count"]) == ([201, 201], "1")
    assert (replayed(again), again["X-Count"]) == (True, "2")


# ---- one at a time ----


def slow(inside: threading.Event, leave: threading.Event, base: Any = APIView) -> Any:
    class Slow(IdempotentMixin, base):
        authentication_classes = ()

        def post(self, request: Any) -> Response:
            runs.append(request.data)
            Membership.objects.create(team="slow")
            inside.set()
            leave.wait(20)
            return Response("done")

    return Slow.as_view()


def sent_apart(view: Any, data: Any, key: str = "k") -> Any:
    try:
        return send(view, data, key)
    finally:
        connections.close_all()


def test_a_key_in_use_is_refused_at_once_on_postgresql(
    postgresql: str, django_db_blocker: Any
) -> None:
    inside, leave = threading.Event(), threading.Event()
    view = slow(inside, leave)
    runs.clear()
    with everything_in(postgresql, django_db_blocker), ThreadPoolExecutor(1) as pool:
        first = pool.submit(sent_apart, view, {})
        inside.wait(20)
        try:
            refused = send(view, {})
            inside.clear()
        finally:
            leave.set()
        assert send(view, {}, "another").status_code == 200
        assert (first.result().status_code, refused.status_code) == (200, 409)
        assert refused.headers["Retry-After"] == "1"
        again = send(view, {})
        assert (replayed(again), Membership.objects.count(), len(runs)) == (True, 2, 2)
        for model in (Membership, IdempotencyKey):
            model.objects.all().delete()


def test_a_repetition_waits_on_sqlite_and_is_refused_when_its_time_is_over(
    sqlite_file: str, django_db_blocker: Any, monkeypatch: Any
) -> None:
    inside, leave = threading.Event(), threading.Event()
    view = slow(inside, leave)
    runs.clear()
    with everything_in(sqlite_file, django_db_blocker), ThreadPoolExecutor(1) as pool:
        first = pool.submit(sent_apart, view, {})
        inside.wait(20)
        try:
            connections.close_all()
            options = connections.settings[sqlite_file]["OPTIONS"]
            monkeypatch.setitem(options, "timeout", 0.05)
            refused = sent_apart(view, {})
            monkeypatch.setitem(options, "transaction_mode", None)
            deferred = sent_apart(view, {})
        finally:
            leave.set()
        assert first.result().status_code == 200
        assert (refused.status_code, deferred.status_code) == (409, 409)
        assert (replayed(send(view, {})), Membership.objects.count()) == (True, 1)
        for model in (Membership, IdempotencyKey):
            model.objects.all().delete()


@pytest.fixture(params=["read committed", "repeatable read"])
def isolation(request: Any, database: str, monkeypatch: Any) -> None:
    """Let transactions of PostgreSQL see the state of their first statement."""
    if request.param == "repeatable read" and database == "postgresql":
        options = connections.settings[database]["OPTIONS"]
        monkeypatch.setitem(options, "isolation_level", psycopg.IsolationLevel.REPEATABLE_READ)


@pytest.mark.usefixtures("isolation")
@pytest.mark.parametrize("view", [Members, AsyncMembers])
def test_of_many_threads_with_one_key_one_writes(database: str, view: Any) -> None:
    made, start = called(view), threading.Barrier(8)

    def race(number: int) -> Any:
        start.wait(20)
        return sent_apart(made, {"team": "raced"})

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(race, range(8)))
    firsts = [answer for answer in answers if answer.status_code == 201 and not replayed(answer)]
    assert (len(firsts), Membership.objects.count(), IdempotencyKey.objects.count()) == (1, 1, 1)
    others = {(each.status_code, replayed(each)) for each in answers if each is not firsts[0]}
    assert others <= {(201, True), (409, False)}
    assert {each.content for each in answers if replayed(each)} <= {firsts[0].content}


async def asked(view: Any, data: Any, key: str = "k") -> Any:
    headers = {"Idempotency-Key": key}
    sent = AsyncRequestFactory().post("/", data, "application/json", headers=headers)
    return await view.as_view()(sent)


def test_requests_that_share_a_thread_keep_their_transactions_apart(database: str) -> None:
    async def ask_all() -> Any:
        keys = ["one", "two", "one", "two"]
        return await asyncio.gather(*(asked(AsyncMembers, {"team": key}, key) for key in keys))

    answers = async_to_sync(ask_all)()
    assert sorted(row.team for row in Membership.objects.all()) == ["one", "two"]
    assert sorted(replayed(answer) for answer in answers) == [False, False, True, True]


def test_a_request_that_is_cancelled_leaves_nothing(database: str) -> None:
    class Waiting(Writing):
        async def post(self, request: Any) -> Any:  # type: ignore[override]
            await Membership.objects.acreate(team="waiting")
            inside.set()
            await asyncio.Event().wait()

    async def cancel() -> None:
        task = asyncio.create_task(asked(Waiting, {}))
        await inside.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    inside = asyncio.Event()
    async_to_sync(cancel)()
    assert (Membership.objects.count(), IdempotencyKey.objects.count()) == (0, 0)


# ---- surroundings ----


@pytest.mark.urls(__name__)
def test_atomic_requests_commit_the_key_with_everything_else(
    database: str, monkeypatch: Any
) -> None:
    monkeypatch.setitem(connections.settings[database], "ATOMIC_REQUESTS", True)
    client = APIClient(raise_request_exception=False)

    def post(do: str) -> Any:
        headers = {"Idempotency-Key": do or "write"}
        return client.post("/writing/", {"do": do}, format="json", headers=headers)

    def outcome(do: str) -> Any:
        runs.clear()
        Membership.objects.all().delete()
        statuses = [post(do).status_code for _ in "ab"]
        return statuses, len(runs), Membership.objects.count()

    assert outcome("") == ([201, 201], 1, 1)
    assert outcome("missing") == ([404, 404], 1, 0)
    assert outcome("return 400") == ([400, 400], 1, 1)
    assert outcome("return 503") == ([503, 503], 2, 0)
    assert outcome("crash") == ([500, 500], 2, 0)
    assert outcome("key") == ([500, 500], 2, 0)
    assert outcome("callback") == ([500, 201], 1, 1)


class Nearby(Router):
    """Routes rows to the database that they came from, and new ones to one."""

    def db_for_write(self, model: Any, **hints: Any) -> str:
        return hints["instance"]._state.db if "instance" in hints else self.alias


def test_the_key_is_in_the_database_of_the_write(
    sqlite_file: str, postgresql: str, django_db_blocker: Any
) -> None:
    def where(view: Any, method: str, **kwargs: Any) -> str:
        assert send(called(view), {"team": "b"}, "k", method, **kwargs).status_code < 300
        found = [alias for alias in aliases if IdempotencyKey.objects.using(alias).exists()]
        for model, alias in product((Membership, IdempotencyKey), aliases):
            model.objects.using(alias).all().delete()
        return ", ".join(found)

    class Changing(IdempotentMixin, RetrieveUpdateAPIView):
        authentication_classes = ()
        serializer_class = MemberSerializer

        def get_queryset(self) -> Any:
            return Membership.objects.using(postgresql)

    class Listed(Members):
        def get_queryset(self) -> Any:
            return [1, 2]

    aliases = (sqlite_file, postgresql)
    routers = [Nearby(sqlite_file)]
    with django_db_blocker.unblock(), override_settings(DATABASE_ROUTERS=routers):
        assert where(Members, "post") == sqlite_file
        assert where(Members, "post", pk=Membership.objects.create(team="a").pk) == sqlite_file
        there = Membership.objects.using(postgresql).create(team="there")
        assert where(Changing, "patch", pk=there.pk) == postgresql
        assert where(type("Named", (Members,), {"idempotency_database": postgresql}), "post") == (
            postgresql
        )
    assert database_of(Listed()) == database_of(Writing()) == "default"


class Changing(RetrieveUpdateAPIView):
    authentication_classes = ()
    queryset = Membership.objects.all()
    serializer_class = MemberSerializer


class KeysFirst(IdempotentMixin, ConditionalMixin, Changing):
    pass


class ConditionsFirst(ConditionalMixin, IdempotentMixin, Changing):
    pass


@pytest.mark.parametrize("view", [KeysFirst, ConditionsFirst])
def test_conditions_may_come_first_or_last(database: str, view: Any) -> None:
    tag = Membership.objects.create(team="a")
    shown = view.as_view()(RequestFactory().get("/"), pk=tag.pk)
    headers = {"Idempotency-Key": "k", "If-Match": shown["ETag"]}
    body = {"team": "b"}
    sent = [
        view.as_view()(
            RequestFactory().patch("/", body, "application/json", headers=headers), pk=tag.pk
        )
        for _ in "ab"
    ]
    repeated = 200 if view is KeysFirst else 412
    assert [answer.status_code for answer in sent] == [200, repeated]
    assert (Membership.objects.get().team, IdempotencyKey.objects.count()) == ("b", 1)


# ---- the table ----


def test_the_table_holds_neither_keys_nor_owners(database: str) -> None:
    send(called(Members), {"team": "visible"}, "my-secret-key")
    (row,) = IdempotencyKey.objects.values()
    row["body"] = bytes(row["body"])
    assert "my-secret-key" not in repr(row)
    assert "127.0.0.1" not in repr(row)
    assert (row["status"], row["body"].endswith(b"}")) == (201, True)
    assert str(IdempotencyKey.objects.get()) == f"{row['digest'][:8]}… (201)"


def test_expired_keys_are_used_anew(database: str) -> None:
    send(called(Writing), {})
    IdempotencyKey.objects.update(expires=timezone.now())
    again = send(called(Writing), {"other": "body"})
    assert (replayed(again), len(runs)) == (False, 2)
    assert replayed(send(called(Writing), {"other": "body"}))


def test_expired_keys_are_cleared_now_and_then(database: str, monkeypatch: Any) -> None:
    for key in "abc":
        send(called(Writing), {}, key)
    IdempotencyKey.objects.update(expires=timezone.now())
    monkeypatch.setattr(rows, "_KEYS_PER_CLEARING", 1)
    send(called(Writing), {}, "d")
    assert IdempotencyKey.objects.count() == 1


def test_a_command_clears_expired_keys(database: str, monkeypatch: Any) -> None:
    over = timezone.now() - timedelta(seconds=1)
    IdempotencyKey.objects.bulk_create(
        IdempotencyKey(digest=str(number), fingerprint="", expires=over) for number in range(5)
    )
    send(called(Writing), {})
    monkeypatch.setattr(rows, "BATCH", 2)
    monkeypatch.setattr("lintel.idempotency.management.commands.clear_idempotency_keys.BATCH", 2)
    printed = io.StringIO()
    call_command("clear_idempotency_keys", database=database, stdout=printed)
    assert printed.getvalue() == "Deleted 5 keys\n"
    assert IdempotencyKey.objects.count() == 1


@pytest.mark.django_db
def test_no_migration_is_missing() -> None:
    loader = MigrationLoader(None, ignore_no_migrations=True)
    project = ProjectState.from_apps(apps)
    detector = MigrationAutodetector(loader.project_state(), project)
    assert "lintel_idempotency" not in detector.changes(graph=loader.graph)


# ---- without the app ----


@pytest.mark.urls(__name__)
@modify_settings(INSTALLED_APPS={"remove": "lintel.idempotency"})
def test_a_missing_app_is_found_by_the_check_and_named_by_the_error(db: None) -> None:
    (found,) = idempotency_check(None)
    assert (found.id, "test_idempotency_rows.Members" in found.msg) == ("lintel.E012", True)
    assert 'Add "lintel.idempotency" to INSTALLED_APPS' in found.hint
    with pytest.raises(ImproperlyConfigured, match=r"add \"lintel\.idempotency\""):
        send(called(Members), {"team": "a"})
    with override_settings(REST_FRAMEWORK={"IDEMPOTENCY_STORE": "cache"}):
        assert idempotency_check(None) == []
        assert send(called(Members), {"team": "a"}).status_code == 201


@modify_settings(INSTALLED_APPS={"remove": "lintel.idempotency"})
def test_projects_without_such_views_need_no_app(settings: Any) -> None:
    assert idempotency_check(None) == []
    settings.ROOT_URLCONF = None
    assert idempotency_check(None) == []


# ---- processes that die ----


@contextmanager
def service(database: dict[str, Any], cache: dict[str, Any] | None = None) -> Iterator[int]:
    """Run the server of ``idempotent_service.py``; yield its port."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        command = [sys.executable, HERE / "idempotent_service.py", json.dumps(database)]
        process = subprocess.Popen(
            [*command, str(listener.fileno()), json.dumps(cache)],
            pass_fds=[listener.fileno()],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        try:
            yield listener.getsockname()[1]
        finally:
            process.terminate()
            process.wait(20)


@pytest.fixture(params=["sqlite_file", "postgresql", "postgresql with ATOMIC_REQUESTS"])
def port(request: Any, django_db_blocker: Any) -> Iterator[int]:
    name, _, atomic = request.param.partition(" ")
    alias = request.getfixturevalue(name)
    with (
        everything_in(alias, django_db_blocker),
        service({**known(alias), "ATOMIC_REQUESTS": bool(atomic)}) as port,
    ):
        yield port
        for model in (Membership, IdempotencyKey):
            model.objects.all().delete()


def ask(port: int, key: str, die: str = "", team: str = "red") -> tuple[int, bool, bytes]:
    """Return status, whether it was sent before, and body; status 0 if the process died."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": "application/json", "Idempotency-Key": key, "Die": die}
    try:
        connection.request("POST", "/members/", json.dumps({"team": team}), headers)
        answer = connection.getresponse()
        return answer.status, answer.headers["Idempotent-Replayed"] == "true", answer.read()
    except (RemoteDisconnected, ConnectionResetError):
        return 0, False, b""
    finally:
        connection.close()


def test_a_killed_process_neither_repeats_nor_blocks_a_write(port: int) -> None:
    for count, moment in enumerate(("before the write", "before the commit")):
        assert ask(port, moment, moment)[0] == 0
        assert Membership.objects.count() == count
        assert ask(port, moment)[:2] == (201, False)
    for count, moment in enumerate(("after the commit", "before the answer"), 3):
        assert ask(port, moment, moment)[0] == 0
        assert Membership.objects.count() == count
        status, again, body = ask(port, moment)
        assert (status, again, json.loads(body)["team"]) == (201, True, "red")
    first, again = (ask(port, "answered") for _ in "ab")
    assert (first[0], first[1], again[0], again[1]) == (201, False, 201, True)
    assert first[2] == again[2]
    assert Membership.objects.count() == 5


def test_of_many_processes_with_one_key_one_writes(port: int) -> None:
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: ask(port, "raced"), range(48)))
    assert Membership.objects.count() == 1
    assert {answer[:2] for answer in answers} <= {(201, False), (201, True), (409, False)}
    assert [answer[:2] for answer in answers].count((201, False)) == 1
    assert len({answer[2] for answer in answers if answer[0] == 201}) == 1


def known(alias: str) -> dict[str, Any]:
    names = ("ENGINE", "NAME", "USER", "HOST", "PORT", "OPTIONS")
    return {name: connections.settings[alias][name] for name in names}


def test_with_keys_in_a_cache_a_dead_process_holds_a_key_for_its_time_alone(
    postgresql: str, redis_server: Redis, django_db_blocker: Any
) -> None:
    """Where the process dies between its write and its answer, the write is carried out again."""
    with (
        everything_in(postgresql, django_db_blocker, Membership),
        service(known(postgresql), redis_server.settings) as port,
    ):
        for count, moment in enumerate(("before the write", "before the commit")):
            assert ask(port, moment, moment)[0] == 0
            assert Membership.objects.count() == count
            assert ask(port, moment)[0] == 409
        for count, moment in enumerate(("before the write", "before the commit"), 2):
            while (answer := ask(port, moment))[0] == 409:
                time.sleep(0.1)
            assert (answer[:2], Membership.objects.count()) == ((201, False), count)
        assert ask(port, "kept", "before the answer")[0] == 0
        assert ask(port, "kept")[:2] == (201, True)
        with ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(lambda _: ask(port, "raced"), range(48)))
        assert [answer[:2] for answer in answers].count((201, False)) == 1
        assert Membership.objects.count() == 5


def test_of_many_processes_one_changes_a_state(port: int) -> None:
    """Conditional writes: of writers of the same state, one wins."""
    row = Membership.objects.create(team="red")

    def write(tag: str | None, team: str) -> tuple[int, str]:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        headers = {"Content-Type": "application/json", **({"If-Match": tag} if tag else {})}
        try:
            body = json.dumps({"team": team})
            connection.request("PUT" if tag else "GET", f"/members/{row.pk}/", body, headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status, answer.headers["ETag"] or ""
        finally:
            connection.close()

    tag = write(None, "")[1]
    for number in range(10):
        with ThreadPoolExecutor(8) as pool:
            teams = [f"{number}-{writer}" for writer in range(8)]
            answers = list(pool.map(write, [tag] * 8, teams))
        assert sorted(status for status, _ in answers) == [200, *[412] * 7]
        (tag,) = (found for status, found in answers if status == 200)
        row.refresh_from_db()
        assert row.team == teams[[status for status, _ in answers].index(200)]
