"""Streams on the command line."""

import json
import os
import signal
import subprocess
import sys
import threading

import pytest

# Background jobs of a shell ignore the interrupt key, and so would what they start.
MAIN = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from lintel_client.cli.entry import main; main()"
)
EVENTS = b"id: 1\ndata: a\n\nevent: add\ndata: b\n\n"


def described(service, *types):
    paths = {
        "/events/": {
            "get": {
                "operationId": "events_follow",
                "tags": ["events"],
                "responses": {"200": {"description": "", "content": {kind: {} for kind in types}}},
            }
        }
    }
    info = {"title": "Events", "version": "1"}
    service.answer("/", {"openapi": "3.2.0", "info": info, "paths": paths})


@pytest.fixture
def events(service, lintel):
    """A service whose only operation returns events."""
    described(service, "text/event-stream")
    assert lintel("get", service.url()).status == 0
    service.answer("/events/", EVENTS, content_type="text/event-stream")
    return service


def test_each_event_is_a_line_of_json(events, lintel):
    outcome = lintel("events", "follow", "--no-reconnect")
    assert outcome.status == 0
    assert [json.loads(line) for line in outcome.output.splitlines()] == [
        {"data": "a", "event": "message", "id": "1"},
        {"data": "b", "event": "add", "id": "1"},
    ]


def test_parts_and_other_formats(events, lintel):
    assert lintel("events", "follow", "--no-reconnect", "--select", "data").output == '"a"\n"b"\n'
    table = lintel("events", "follow", "--no-reconnect", "--csv").output
    assert table == "data,event,id\na,message,1\nb,add,1\n"


def test_a_file(events, lintel, tmp_path):
    file = tmp_path / "events.jsonl"
    lintel("events", "follow", "--no-reconnect", "--output", str(file))
    assert [json.loads(line)["data"] for line in file.read_text().splitlines()] == ["a", "b"]


def test_on_a_terminal_items_are_shown_as_results(events, lintel, monkeypatch):
    monkeypatch.setattr("lintel_client.cli.follow.on_terminal", lambda: True)
    outcome = lintel("events", "follow", "--no-reconnect", "--select", "data")
    assert outcome.output == "ab"


def test_debug_does_not_wait_for_the_end(events, lintel):
    outcome = lintel("events", "follow", "--no-reconnect", "--debug")
    assert "200" in outcome.errors
    assert "data: a" not in outcome.errors
    assert len(outcome.output.splitlines()) == 2


def test_other_operations_stream_if_asked_to(service, lintel):
    described(service, "application/json", "application/x-ndjson")
    lintel("get", service.url())
    service.answer("/events/", "1\n2\n", content_type="application/x-ndjson")
    assert lintel("events", "follow", "--stream").output == "1\n2\n"
    assert service.last.headers["accept"] == "application/x-ndjson, */*;q=0.1"
    service.answer("/events/", [1, 2])
    assert json.loads(lintel("events", "follow").output) == [1, 2]
    assert lintel("events", "follow", "--stream").status == 3


def test_errors_of_the_server_and_of_usage(events, lintel):
    events.answer("/events/", {"detail": "No."}, status=403)
    assert lintel("events", "follow").status == 1
    assert lintel("events", "follow", "--stream", "--all").status == 2


def test_the_interrupt_key_ends_a_stream_with_success(events, folder):
    over = threading.Event()

    def endless(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        try:
            while not events.over.wait(0.01):
                handler.wfile.write(b"data: x\n\n")
        except OSError:
            over.set()
        return True

    events.mishaps["/events/"] = [endless]
    command = [sys.executable, "-c", MAIN, "events", "follow"]
    environment = {**os.environ, "LINTEL_CONFIG_DIR": str(folder)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, **pipes) as process:
        assert json.loads(process.stdout.readline())["data"] == "x"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, b"")
    assert over.wait(10)
