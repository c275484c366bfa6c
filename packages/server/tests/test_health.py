"""Health views: what they ask, what they say to whom, and how a server stops."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.core.checks import run_checks
from django.db import connections
from django.test import Client, override_settings
from servers import Redis, wait_for

from lintel import health
from lintel.health import asking, views
from lintel.serving.command import remove_abandoned

HERE = Path(__file__).parent
BLACK_HOLE = {
    "ENGINE": "django.db.backends.postgresql",
    "NAME": "shop",
    "USER": "shop",
    "PASSWORD": "hunter2",
    "HOST": "127.0.0.1",
    "OPTIONS": {"connect_timeout": 5},
}


class OfThisFile:
    """The databases that tests of this file may use: other tests have added more."""

    def __iter__(self) -> Iterator[str]:
        return iter({"default", "silent"} & set(connections.settings))

    def __getitem__(self, alias: str) -> Any:
        return connections[alias]


@pytest.fixture(autouse=True)
def rounds(monkeypatch: pytest.MonkeyPatch) -> asking._Rounds:
    """Results of this test alone, asked anew for each request."""
    fresh = asking._Rounds()
    monkeypatch.setattr(views, "rounds", fresh)
    monkeypatch.setattr(views, "_start", views._Start())
    monkeypatch.setattr(asking, "KEPT_SECONDS", -1.0)
    monkeypatch.setattr("lintel.health.checks.connections", OfThisFile())
    return fresh


@contextmanager
def checking(*checks: Any, **own: Any) -> Iterator[None]:
    with override_settings(
        ROOT_URLCONF="lintel.health.urls",
        REST_FRAMEWORK={"HEALTH_CHECKS": list(checks), **own},
    ):
        yield


def get(name: str, **meta: str) -> tuple[int, dict[str, Any]]:
    response = Client().get(f"/{name}/", **meta)  # type: ignore[arg-type]
    assert response["Cache-Control"] == "no-store"
    assert response.has_header("Retry-After") == (response.status_code == 503)
    return response.status_code, response.json()


def failing() -> None:
    raise ValueError("the secret reason")


def passing() -> None:
    """A check that always passes."""


def test_live_asks_nothing() -> None:
    with checking(failing):
        assert get("live") == (200, {"status": "alive"})


def test_ready_says_whether_all_checks_pass() -> None:
    with checking(passing):
        assert get("ready") == (200, {"status": "ready"})
    with checking(passing, failing):
        assert get("ready") == (503, {"status": "unavailable"})


def test_without_checks_it_is_ready() -> None:
    with checking():
        assert get("ready") == (200, {"status": "ready"})


def test_started_passes_for_good() -> None:
    with checking(failing):
        assert get("started") == (503, {"status": "starting"})
    with checking(passing):
        assert get("started") == (200, {"status": "started"})
    with checking(failing):
        assert get("started") == (200, {"status": "started"})


def test_only_reading_is_allowed() -> None:
    with checking(passing):
        assert Client().post("/ready/").status_code == 405
        response = Client().head("/ready/")
        assert (response.status_code, response.content) == (200, b"")


@pytest.mark.parametrize(
    ("networks", "address", "sees"),
    [
        ([], "127.0.0.1", False),
        (["10.0.0.0/8"], "10.1.2.3", True),
        (["10.0.0.0/8"], "192.0.2.1", False),
        (["10.0.0.0/8"], "", False),
        (["unix"], "", True),
        (["unix"], "unknown", False),
        (["unix"], "127.0.0.1", False),
        (["10.0.0.0/8", "unix"], "10.1.2.3", True),
    ],
)
def test_operators_alone_see_what_failed(networks: list[str], address: str, sees: bool) -> None:
    with checking(passing, failing, HEALTH_OPERATORS=networks):
        status, body = get("ready", REMOTE_ADDR=address)
    assert (status, body.pop("status")) == (503, "unavailable")
    if not sees:
        assert body == {}
        return
    checks = body["checks"]
    assert checks["passing"]["status"] == "passed"
    assert checks["failing"]["status"] == "failed"
    assert checks["failing"]["error"] == "ValueError: the secret reason"


def test_the_address_behind_a_proxy_counts() -> None:
    own = {"HEALTH_OPERATORS": ["10.0.0.0/8"], "TRUSTED_PROXIES": ["10.9.9.9/32"]}
    with checking(failing, **own):
        told = {"REMOTE_ADDR": "10.9.9.9", "HTTP_X_FORWARDED_FOR": "192.0.2.1"}
        assert "checks" not in get("ready", **told)[1]


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via", "Client"])
@pytest.mark.parametrize("proxies", [None, [], ["unix"]])
def test_who_comes_through_a_proxy_is_not_at_the_socket(
    header: str, proxies: list[str] | None
) -> None:
    own = {"HEALTH_OPERATORS": ["unix"], "TRUSTED_PROXIES": proxies, "CLIENT_IP_HEADER": "Client"}
    with checking(failing, **own):
        assert "checks" in get("ready", REMOTE_ADDR="")[1]
        for value in ("192.0.2.1", "unknown", "-"):
            told = {f"HTTP_{header.upper().replace('-', '_')}": value}
            assert "checks" not in get("ready", REMOTE_ADDR="", **told)[1]


@pytest.mark.django_db(transaction=True)
def test_databases_migrations_and_caches_pass() -> None:
    with checking("lintel.health.databases", "lintel.health.migrations", "lintel.health.caches"):
        assert get("ready") == (200, {"status": "ready"})


@pytest.mark.django_db(transaction=True)
def test_migrations_that_are_not_applied_are_named() -> None:
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT id, app, name, applied FROM django_migrations")
        rows = cursor.fetchall()
        cursor.execute("DELETE FROM django_migrations WHERE app = 'lintel_idempotency'")
    try:
        check = health.migrations.__class__()
        with checking(check, HEALTH_OPERATORS=["127.0.0.1"]):
            status, body = get("ready")
            assert status == 503
            assert "lintel_idempotency.0001" in body["checks"]["migrations"]["error"]
            with connections["default"].cursor() as cursor:
                cursor.execute("DELETE FROM django_migrations")
                cursor.executemany(
                    "INSERT INTO django_migrations (id, app, name, applied)"
                    " VALUES (%s, %s, %s, %s)",
                    rows,
                )
            assert get("ready")[0] == 200
            assert check.passed
    finally:
        with connections["default"].cursor() as cursor:
            cursor.execute("SELECT count(*) FROM django_migrations")
            assert cursor.fetchone()[0] == len(rows)


@contextmanager
def silent_server() -> Iterator[int]:
    """The port of a server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        yield server.getsockname()[1]


def test_a_database_that_is_silent_is_given_up_in_time(
    settings: Any, caplog: pytest.LogCaptureFixture, django_db_blocker: Any
) -> None:
    with silent_server() as port, django_db_blocker.unblock():
        connections.settings["silent"] = connections.configure_settings(
            {"default": {}, "silent": {**BLACK_HOLE, "PORT": str(port)}}
        )["silent"]
        try:
            own = {"HEALTH_TIMEOUT": 0.2, "HEALTH_OPERATORS": ["127.0.0.1"]}
            with checking("lintel.health.databases", passing, **own):
                threads = []
                for _ in range(4):
                    status, body = get("ready")
                    error = body["checks"]["databases"]["error"]
                    assert (status, error) == (503, "NoAnswer: no answer within 0.2 seconds")
                    assert body["checks"]["passing"]["status"] == "passed"
                    threads.append(
                        sum(each.name == asking.THREAD for each in threading.enumerate())
                    )
            assert threads == [1, 1, 1, 1]
        finally:
            del connections.settings["silent"]
    assert "hunter2" not in caplog.text
    assert [record.levelname for record in caplog.records if record.name == "lintel.health"] == [
        "ERROR"
    ]


def test_caches_are_asked_to_store(redis_server: Redis) -> None:
    with override_settings(CACHES={"default": redis_server.settings}):
        with checking("lintel.health.caches"):
            assert get("ready")[0] == 200
        assert caches["default"]._cache.get_client().keys("*lintel-health*") == []
    nothing = {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}
    with override_settings(CACHES={"default": nothing}), checking("lintel.health.caches"):
        assert get("ready")[0] == 200
    gone = {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": "redis://127.0.0.1:1",
    }
    with override_settings(CACHES={"default": gone}), checking("lintel.health.caches"):
        assert get("ready")[0] == 503


def test_workers_that_beat_are_alive(redis_server: Redis) -> None:
    with override_settings(CACHES={"default": redis_server.settings}):
        check = health.Heartbeat("mailer")
        with checking(check, HEALTH_OPERATORS=["127.0.0.1"]):
            assert get("ready")[1]["checks"]["worker mailer"]["status"] == "failed"
            health.beat("mailer", seconds=60)
            assert get("ready")[0] == 200
            health.beat("mailer", seconds=-1)  # as if a minute had passed
            assert get("ready")[0] == 503


def test_requests_at_the_same_time_share_a_round(
    rounds: asking._Rounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "KEPT_SECONDS", 60.0)
    asked = []
    with checking(lambda: asked.append(1)):
        waiting = [threading.Thread(target=get, args=("ready",)) for _ in range(16)]
        for each in waiting:
            each.start()
        for each in waiting:
            each.join()
    assert asked == [1]


def test_failures_and_recoveries_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    broken = [True, True, False, False, True]

    def flaky() -> None:
        if broken.pop(0):
            raise OSError("gone")

    caplog.set_level("INFO", "lintel.health")
    with checking(flaky):
        assert [get("ready")[0] for _ in range(5)] == [503, 503, 200, 200, 503]
    assert [record.getMessage() for record in caplog.records if record.name == "lintel.health"] == [
        "flaky: OSError: gone",
        "flaky: passes again",
        "flaky: OSError: gone",
    ]


def test_while_the_file_is_there_it_drains(tmp_path: Path) -> None:
    file = tmp_path / "draining"
    with checking(passing, HEALTH_DRAIN_FILE=str(file)):
        assert get("ready")[0] == 200
        health.begin_draining()
        assert file.exists()
        assert get("ready") == (503, {"status": "draining"})
        assert get("live")[0] == 200
        health.end_draining()
        assert get("ready")[0] == 200


def test_draining_needs_a_file() -> None:
    with checking(passing), pytest.raises(RuntimeError, match="HEALTH_DRAIN_FILE"):
        health.begin_draining()


# ---- a server that drains ----


@contextmanager
def serving(*options: str) -> Iterator[tuple[tuple[str, int], subprocess.Popen[bytes]]]:
    with closing(socket.create_server(("127.0.0.1", 0))) as held:
        host, port = held.getsockname()
    line = [sys.executable, "-c", SERVE, "--host", host, "--port", str(port), *options]
    process = subprocess.Popen(line, cwd=HERE)
    try:
        wait_for((host, port), process)
        yield (host, port), process
    finally:
        if process.poll() is None:
            process.terminate()
            process.terminate()
        process.wait(timeout=60)


SERVE = """
import sys, health_service
from lintel.serving.command import main
main(sys.argv[1:], lambda parser, given: given or "")
"""


def status_of(address: tuple[str, int], path: str) -> int:
    with closing(HTTPConnection(*address, timeout=30)) as connection:
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
        return response.status


def test_a_server_is_not_ready_before_it_stops_and_loses_no_request() -> None:
    with serving("--drain", "1.5") as (address, process):
        assert status_of(address, "/health/ready/") == 200
        process.send_signal(signal.SIGTERM)
        while status_of(address, "/health/ready/") == 200:
            time.sleep(0.01)
        answers = []
        while status_of(address, "/health/ready/") == 503 and len(answers) < 20:
            answers.append(status_of(address, "/slow/"))
        assert answers == [200] * 20
        assert status_of(address, "/health/live/") == 200
        assert process.wait(timeout=30) == 0


def test_a_second_signal_stops_at_once() -> None:
    with serving("--drain", "600") as (address, process):
        process.send_signal(signal.SIGTERM)
        while status_of(address, "/health/ready/") == 200:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0


def test_a_server_takes_the_place_of_one_that_was_killed() -> None:
    with tempfile.TemporaryDirectory(prefix="lintel-") as folder:
        path = Path(folder) / "service.sock"
        with socket.socket(socket.AF_UNIX) as killed:
            killed.bind(str(path))
        line = [sys.executable, "-c", SERVE, "--uds", str(path), "--drain", "0"]
        process = subprocess.Popen(line, cwd=HERE)
        try:
            assert answer_at(path, process).startswith(b"HTTP/1.1 200")
        finally:
            process.terminate()
            assert process.wait(timeout=60) == 0


def answer_at(path: Path, process: subprocess.Popen[bytes]) -> bytes:
    """The beginning of an answer of a server that starts; b"" if it has ended."""
    while process.poll() is None:
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(str(path))
            except (ConnectionRefusedError, FileNotFoundError):
                time.sleep(0.05)
                continue
            client.sendall(b"GET /health/live/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return client.recv(1000)
    return b""


def test_only_sockets_without_a_server_are_removed(tmp_path: Path) -> None:
    used, file = tmp_path / "used", tmp_path / "file"
    file.write_text("kept")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(used))
        server.listen(1)
        for path in (used, file, tmp_path / "missing"):
            remove_abandoned(path)
    assert (used.is_socket(), file.read_text()) == (True, "kept")
    remove_abandoned(used)
    assert not used.exists()


def test_a_server_that_fails_says_so() -> None:
    line = [sys.executable, "-c", SERVE, "--drain", "1", "--no-such-option"]
    failed = subprocess.run(line, cwd=HERE, capture_output=True, timeout=60)
    assert failed.returncode not in (0, -signal.SIGTERM)
    assert b"no-such-option" in failed.stderr
    assert os.environ.get("LINTEL_DRAIN_FILE") is None


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("HEALTH_CHECKS", [], [None]),
        ("HEALTH_CHECKS", [health.databases, "lintel.health.caches"], {"name": "x"}),
        ("HEALTH_TIMEOUT", 0.5, 0),
        ("HEALTH_TIMEOUT", 2, float("inf")),
        ("HEALTH_TIMEOUT", 1.0, "1"),
        ("HEALTH_TIMEOUT", 3600, float("nan")),
        ("HEALTH_TIMEOUT", 1, True),
        ("HEALTH_OPERATORS", ["10.0.0.0/8", "::1"], ["10.0.0/8"]),
        ("HEALTH_OPERATORS", ("unix",), ["unix:"]),
        ("HEALTH_OPERATORS", [], [["10.0.0.0/8"]]),
        ("HEALTH_DRAIN_FILE", "/run/draining", 7),
        ("HEALTH_DRAIN_FILE", Path("draining"), ["draining"]),
    ],
)
def test_checks_name_wrong_settings(name: str, right: Any, wrong: Any) -> None:
    for value, expected in ((right, []), (wrong, [f"The setting {name} is {wrong!r}."])):
        with override_settings(REST_FRAMEWORK={name: value}):
            found = run_checks(databases=[])
        assert [each.msg for each in found if each.id == "lintel.E034"] == expected


@pytest.mark.parametrize(
    ("own", "number"),
    [
        ({"HEALTH_CHECKS": "lintel.health.databases"}, "lintel.E003"),
        ({"HEALTH_CHECKS": ["lintel.health.nothing"]}, "lintel.E002"),
        ({"HEALTH_OPERATORS": "10.0.0.0/8"}, "lintel.E003"),
    ],
)
def test_mistakes_are_reported_by_one_check(own: Any, number: str) -> None:
    with override_settings(REST_FRAMEWORK=own):
        found = [each.id for each in run_checks(databases=[])]
    assert [each for each in found if each in ("lintel.E002", "lintel.E003", "lintel.E034")] == [
        number
    ]
