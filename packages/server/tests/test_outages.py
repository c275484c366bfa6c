"""SERVICE_ERRORS: 503 while a database or a cache is away, 500 for faults of the code."""

import asyncio
import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.cache import caches
from django.db import DatabaseError, OperationalError, ProgrammingError, connections
from django.http import HttpRequest, HttpResponse
from django.test import AsyncClient, Client, override_settings
from django.urls import path
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError
from servers import PostgreSQL, running_postgresql

from lintel import views
from lintel.outages import is_outage
from lintel.response import Response
from lintel.schemas.openapi import SchemaGenerator
from lintel.spectacular.utils import OpenApiTypes, extend_schema

handler500 = "lintel.exceptions.server_error"
UNAVAILABLE = {"detail": "The service is not available at the moment."}


class Asking(views.APIView):
    """Sends a statement of the test to its database."""

    schema = None

    def get(self, request: Any) -> Response:
        with connections["outage"].cursor() as cursor:
            cursor.execute(STATEMENT["sql"])
            return Response(cursor.fetchone()[0])


class AsyncAsking(views.APIView):
    schema = None

    async def get(self, request: Any) -> Response:
        raise OperationalError("gone") from psycopg.OperationalError("gone")


class Caching(views.APIView):
    """What is in the cache."""

    @extend_schema(responses=OpenApiTypes.STR)
    def get(self, request: Any) -> Response:
        return Response(caches["default"].get("key"))


def outside(request: HttpRequest) -> HttpResponse:
    raise OperationalError("gone") from psycopg.OperationalError("gone")


STATEMENT = {"sql": "SELECT 1"}
urlpatterns = [
    path("asking/", Asking.as_view()),
    path("aasking/", AsyncAsking.as_view()),
    path("caching/", Caching.as_view()),
    path("outside/", outside),
]


@pytest.fixture(autouse=True)
def service() -> Iterator[None]:
    own = {"SERVICE_ERRORS": True}
    with override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=[], REST_FRAMEWORK=own):
        yield


@contextmanager
def database(server: PostgreSQL, blocker: Any, **more: Any) -> Iterator[None]:
    given = {"default": {}, "outage": {**server.settings, **more}}
    connections.settings["outage"] = connections.configure_settings(given)["outage"]
    try:
        with blocker.unblock():
            yield
    finally:
        connections["outage"].close()
        del connections["outage"]
        del connections.settings["outage"]


def ask(url: str = "/asking/", sql: str = "SELECT 1") -> Any:
    STATEMENT["sql"] = sql
    return Client(raise_request_exception=False).get(url)


def test_a_database_that_goes_away_is_unavailable_until_it_is_back(
    django_db_blocker: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with running_postgresql() as server, database(server, django_db_blocker):
        assert ask().json() == 1
        with server.connect() as other:
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )
        lost = ask()
        assert (lost.status_code, lost.json()) == (503, UNAVAILABLE)
        assert lost["Retry-After"] == "2"
        connections["outage"].close_if_unusable_or_obsolete()  # as at the end of each request
        assert ask().json() == 1
        settings = connections["outage"].settings_dict
        socket, settings["HOST"] = settings["HOST"], "/nowhere"
        connections["outage"].close()
        assert ask().status_code == 503
        settings["HOST"] = socket
        assert ask().json() == 1
    written = [record.getMessage() for record in caplog.records if record.name == "lintel.outages"]
    assert len(written) == 2


@pytest.mark.parametrize(
    ("sql", "status"),
    [
        ("SELECT missing", 500),
        ("SELECT 1/0", 500),
        ("SELECT * FROM nothing", 500),
        ("SET statement_timeout = '20ms'; SELECT pg_sleep(5)", 503),
        ("SET TRANSACTION READ ONLY; CREATE TABLE t (id int)", 503),
        ("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END $$", 503),
        ("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '53100'; END $$", 503),
        ("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '23505'; END $$", 500),
    ],
)
def test_states_tell_outages_from_faults(
    sql: str, status: int, outage_server: PostgreSQL, django_db_blocker: Any
) -> None:
    with database(outage_server, django_db_blocker):
        assert ask(sql=sql).status_code == status


@pytest.fixture(scope="module")
def outage_server() -> Iterator[PostgreSQL]:
    with running_postgresql() as server:
        yield server


def test_no_text_of_the_error_reaches_the_client(
    outage_server: PostgreSQL, django_db_blocker: Any
) -> None:
    with database(outage_server, django_db_blocker, HOST="/secret/place", PASSWORD="hunter2"):
        body = ask().content
    assert b"secret" not in body
    assert b"hunter2" not in body


def test_by_default_it_is_an_error_of_the_server(django_db_blocker: Any) -> None:
    with override_settings(REST_FRAMEWORK={}):
        assert ask("/aasking/").status_code == 500
        assert ask("/outside/").status_code == 500


@pytest.mark.parametrize("url", ["/aasking/", "/outside/"])
def test_async_views_and_what_is_no_view_of_ours(url: str) -> None:
    response = asyncio.run(_aask(url))
    assert (response.status_code, response.json()) == (503, UNAVAILABLE)
    assert response["Retry-After"] == "2"


async def _aask(url: str) -> Any:
    return await AsyncClient(raise_request_exception=False).get(url)


def test_caches_that_are_away() -> None:
    gone = {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": "redis://127.0.0.1:1",
    }
    with override_settings(CACHES={"default": gone}):
        assert ask("/caching/").status_code == 503


def test_problem_details_have_the_code() -> None:
    with override_settings(REST_FRAMEWORK={"SERVICE_ERRORS": True, "ERROR_FORMAT": "problem"}):
        for url in ("/aasking/", "/outside/"):
            response = ask(url)
            assert (response.status_code, response.json()["title"]) == (503, "Service Unavailable")
        assert ask("/aasking/").json()["code"] == "service_unavailable"


def test_transactions_of_requests_end(outage_server: PostgreSQL, django_db_blocker: Any) -> None:
    with database(outage_server, django_db_blocker, ATOMIC_REQUESTS=True):
        assert ask(sql="SELECT pg_terminate_backend(pg_backend_pid())").status_code == 503
        assert not connections["outage"].in_atomic_block
        assert ask().json() == 1


def test_sqlite_that_another_process_has_locked(tmp_path: Path) -> None:
    name = str(tmp_path / "database")
    with sqlite3.connect(name) as first:
        first.execute("CREATE TABLE t (id integer)")
        first.commit()
        first.execute("BEGIN EXCLUSIVE")
        second = sqlite3.connect(name, timeout=0)
        with pytest.raises(sqlite3.OperationalError) as locked:
            second.execute("INSERT INTO t VALUES (1)")
        with pytest.raises(sqlite3.OperationalError) as missing:
            sqlite3.connect(":memory:").execute("SELECT * FROM nothing")
        second.close()
        first.rollback()
    first.close()
    assert is_outage(_raised(OperationalError("locked"), locked.value))
    assert not is_outage(_raised(OperationalError("no such table"), missing.value))


def test_what_comes_after_a_lost_connection_is_no_fault_of_the_code() -> None:
    """Django refuses to open a connection in a transaction whose connection has gone."""
    refused = ProgrammingError("Cannot open a new connection in an atomic block.")
    refused.__context__ = OperationalError("gone")
    assert not is_outage(refused)
    refused.__context__.__cause__ = psycopg.OperationalError("gone")
    assert is_outage(refused)
    fault = ValueError("in the handling of an outage")
    fault.__context__ = refused
    assert not is_outage(fault)


def _raised(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OperationalError(2006, "MySQL server has gone away"), True),
        (OperationalError(1213, "Deadlock found"), True),
        (OperationalError(1146, "Table doesn't exist"), False),
        (OperationalError(), False),
        (DatabaseError("something"), False),
        (psycopg.OperationalError("the connection is closed"), True),
        (psycopg.DatabaseError("server closed the connection unexpectedly"), True),
        (psycopg.InternalError("received 2 results from command 'BEGIN'"), True),
        (psycopg.ProgrammingError("no result"), False),
        (psycopg.errors.ReadOnlySqlTransaction("cannot execute INSERT"), True),
        (psycopg.errors.IoError("could not read block"), True),
        (psycopg.errors.UndefinedColumn("missing"), False),
        (RedisConnectionError("refused"), True),
        (ResponseError("WRONGTYPE"), False),
        (ConnectionError("of another service"), False),
        (OSError(errno.ENOSPC, "No space left on device"), True),
        (FileNotFoundError(errno.ENOENT, "No such file"), False),
        (ValueError("a fault"), False),
        (_raised(RuntimeError("wrapped"), RedisConnectionError("refused")), True),
    ],
)
def test_errors_of_other_servers(error: Exception, expected: bool) -> None:
    assert is_outage(error) is expected


def test_errors_that_cause_each_other_end() -> None:
    first, second = ValueError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    assert not is_outage(first)


def test_operations_are_described_with_503() -> None:
    for wanted in (True, False):
        own = {"SERVICE_ERRORS": wanted, "OPENAPI_VERSION": "3.1"}
        with override_settings(REST_FRAMEWORK=own):
            document = SchemaGenerator(patterns=urlpatterns).get_schema()
            responses = document["paths"]["/caching/"]["get"]["responses"]
        assert ("503" in responses) is wanted
