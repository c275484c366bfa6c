"""``lintel.serving`` behind granian on loopback, and the command that starts it."""

import json
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest
from django.test import override_settings
from servers import wait_for

from lintel.serving import command

Address = tuple[str, int]


@pytest.fixture(scope="module", params=["wsgi", "asgi"])
def served(request: pytest.FixtureRequest) -> Iterator[Address]:
    """The address of granian, in a process of its own."""
    with closing(socket.create_server(("127.0.0.1", 0))) as held:
        host, port = held.getsockname()
    place = ["--host", host, "--port", str(port)]
    kind = request.param
    line = command.command_of(f"serving_process:{kind}", kind == "asgi", place)
    process = subprocess.Popen(line, cwd=Path(__file__).parent)
    try:
        wait_for((host, port), process)
        yield host, port
    finally:
        process.terminate()
        process.wait(timeout=60)


def ask(
    address: Address, path: str, method: str = "GET", body: bytes | None = None, **headers: str
) -> tuple[HTTPResponse, bytes]:
    with closing(HTTPConnection(*address, timeout=60)) as connection:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response, response.read()


@pytest.mark.parametrize("path", ["/ping/", "/prompt/", "/aping/"])
def test_views_answer(served: Address, path: str) -> None:
    response, body = ask(served, path)
    assert (response.status, json.loads(body)["ok"]) == (200, True)
    assert (response.getheader("X-first"), response.getheader("Allow") is None) == ("seen", False)
    assert response.getheader("Content-Length") == str(len(body))
    response, body = ask(served, path, "HEAD")
    assert (response.status, body) == (200, b"")


def test_bodies_arrive(served: Address) -> None:
    response, body = ask(
        served, "/echo/", "POST", b'{"a": 1}', **{"Content-Type": "application/json"}
    )
    assert (response.status, json.loads(body)["data"]) == (201, {"a": 1})
    long = b"z" * 3_000_000
    response, _ = ask(served, "/bytes/", "POST", long, **{"Content-Type": "text/plain"})
    assert response.status == 400  # more than DATA_UPLOAD_MAX_MEMORY_SIZE


@pytest.mark.parametrize(
    ("path", "status", "content"),
    [
        ("/file/", 200, b"x" * 70_000),
        ("/long/", 207, b"y" * 200_000),
        ("/database/", 200, b"[[1]]"),
        ("/plain/", 200, b"plain"),
        ("/raise/?kind=404", 404, None),
        ("/araise/?kind=500", 500, None),
        ("/missing/", 404, None),
        ("/ping", 301, b""),
    ],
)
def test_what_comes_back_is_whole(
    served: Address, path: str, status: int, content: bytes | None
) -> None:
    response, body = ask(served, path)
    assert response.status == status
    assert content is None or body == content


def test_a_connection_serves_many_requests(served: Address) -> None:
    with closing(HTTPConnection(*served, timeout=60)) as connection:
        for path in ("/ping/", "/prompt/", "/database/") * 10:
            connection.request("GET", path)
            response = connection.getresponse()
            assert (response.status, bool(response.read())) == (200, True)


def test_the_application_is_the_one_of_the_settings(capsys: pytest.CaptureFixture[str]) -> None:
    parser = ArgumentParser()
    with override_settings(WSGI_APPLICATION="shop.wsgi.application", ASGI_APPLICATION=None):
        assert command.application(parser, is_asgi=False) == "shop.wsgi:application"
        assert command.application(parser, is_asgi=True) == "shop.asgi:application"
    with override_settings(WSGI_APPLICATION="wsgi.application", ASGI_APPLICATION=None):
        assert command.application(parser, is_asgi=True) == "asgi:application"
    other = override_settings(WSGI_APPLICATION="shop.server.app", ASGI_APPLICATION=None)
    with other, pytest.raises(SystemExit):  # it would serve the one for WSGI
        command.application(parser, is_asgi=True)
    assert "set ASGI_APPLICATION in your settings" in capsys.readouterr().err
    with override_settings(WSGI_APPLICATION=None, ASGI_APPLICATION="shop.routing.app"):
        assert command.application(parser, is_asgi=True) == "shop.routing:app"
        with pytest.raises(SystemExit):
            command.application(parser, is_asgi=False)
    assert "set WSGI_APPLICATION in your settings" in capsys.readouterr().err


def test_the_command_becomes_granian(monkeypatch: pytest.MonkeyPatch) -> None:
    became: list[list[str]] = []
    monkeypatch.setattr("os.execv", lambda program, line: became.append(line))
    with override_settings(WSGI_APPLICATION="shop.wsgi.application"):
        command.main(["--asgi", "--port", "81"], lambda parser, given: given or "")
    line = [sys.executable, "-m", "granian", "--interface", "asginl", "--no-ws"]
    assert became == [[*line, *command.KILL_TIMEOUT, "--port", "81", "shop.asgi:application"]]


@pytest.mark.parametrize("given", [["--workers-kill-timeout", "5"], ["--workers-kill-timeout=5"]])
def test_workers_that_do_not_stop_are_ended(
    given: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = command.command_of("project:app", False, ["--port", "1"])
    assert line[line.index("--workers-kill-timeout") + 1] == "30"
    assert line[-3:] == ["--port", "1", "project:app"]
    assert command.command_of("project:app", False, given)[-len(given) - 1 : -1] == given
    assert "30" not in command.command_of("project:app", False, given)
    monkeypatch.setenv("GRANIAN_WORKERS_KILL_TIMEOUT", "9")
    assert "--workers-kill-timeout" not in command.command_of("project:app", False, [])


def test_a_server_that_starts_can_be_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its worker is importing the project, which takes longer than anybody waits."""
    text = "import pathlib, time\npathlib.Path('begun').touch()\ntime.sleep(3600)\n"
    (tmp_path / "endless.py").write_text(text)
    monkeypatch.setattr(command, "KILL_TIMEOUT", ("--workers-kill-timeout", "1"))
    with closing(socket.create_server(("127.0.0.1", 0))) as held:
        port = held.getsockname()[1]
    line = command.command_of("endless:application", False, ["--port", str(port)])
    process = subprocess.Popen(line, cwd=tmp_path)
    try:
        while not (tmp_path / "begun").exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.terminate()
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.wait()
