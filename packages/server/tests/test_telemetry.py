"""Spans and metrics of a service behind granian, by Django's applications and lintel.serving."""

import base64
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from servers import wait_for

from lintel.serving import command

HERE = Path(__file__).parent
TRACE = "0af7651916cd43dd8448eb211c80319c"
TRACEPARENT = f"00-{TRACE}-b7ad6b7169203331-01"
ADA = {"Authorization": "Basic " + base64.b64encode(b"ada:secret").decode()}
APPLICATIONS = ["wsgi", "asgi", "lintel_wsgi", "lintel_asgi"]

Span = dict[str, Any]


class Service:
    def __init__(self, host: str, port: int) -> None:
        self.address = host, port

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        with closing(HTTPConnection(*self.address, timeout=60)) as connection:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()

    def spans(self, name: str) -> list[Span]:
        """The span of a request by its name, and all inside of it; forgets what was before."""
        found: list[Span] = []
        for _ in range(400):  # a stream ends after its last byte was sent
            found += json.loads(self.ask("/spans/")[2])["spans"]
            roots = [span for span in found if span["name"] == name]
            if roots:
                trace = roots[-1]["context"]["trace_id"]
                return [span for span in found if span["context"]["trace_id"] == trace]
            time.sleep(0.02)
        raise AssertionError(f"no span {name}: {[span['name'] for span in found]}")

    def points(self, name: str) -> list[dict[str, Any]]:
        data = json.loads(self.ask("/points/")[2])
        return [
            point
            for resource in data["resource_metrics"]
            for scope in resource["scope_metrics"]
            for metric in scope["metrics"]
            if metric["name"] == name
            for point in metric["data"]["data_points"]
        ]


@contextmanager
def running(database: Path, application: str, **environment: str) -> Iterator[Service]:
    environ = {**os.environ, "DATABASE": str(database), **environment}
    environ = {name: value for name, value in environ.items() if name != "LINTEL_SERVING"}
    subprocess.run([sys.executable, "telemetry_process.py"], cwd=HERE, env=environ, check=True)
    with closing(socket.create_server(("127.0.0.1", 0))) as held:
        host, port = held.getsockname()
    place = ["--host", host, "--port", str(port)]
    line = command.command_of(
        f"telemetry_process:{application}", application.endswith("asgi"), place
    )
    process = subprocess.Popen(line, cwd=HERE, env=environ)
    try:
        wait_for((host, port), process)
        yield Service(host, port)
    finally:
        process.terminate()
        process.wait(timeout=60)


@pytest.fixture(scope="module", params=APPLICATIONS)
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    database = tmp_path_factory.mktemp("telemetry") / "db.sqlite3"
    with running(database, request.param) as found:
        yield found


def tree(spans: list[Span]) -> dict[str, list[str]]:
    """The names inside of each span by its name, in the order of their beginning."""
    names = {span["context"]["span_id"]: span["name"] for span in spans}
    inside: dict[str, list[str]] = {}
    for span in sorted(spans, key=lambda each: each["start_time"]):
        parent = names.get(span["parent_id"] or "", "")
        inside.setdefault(parent, []).append(span["name"])
    return inside


def root_of(spans: list[Span]) -> Span:
    (root,) = (span for span in spans if span["kind"] == "SpanKind.SERVER")
    return root


def test_a_request_has_spans_for_its_parts(service: Service) -> None:
    for _ in range(3):  # the SQL of the third is compiled
        service.ask("/spans/")
        status, headers, _ = service.ask("/users/?token=hunter2", User_Agent="tests", **ADA)
        spans = service.spans("GET /users/")
        assert status == 200
        inside = tree(spans)
        assert inside[""] == ["GET /users/"]
        assert inside["GET /users/"] == [
            "authentication",
            "permissions",
            "throttles",
            "serializer",
            "rendering",
        ]
        assert inside["authentication"] == ["SELECT auth_user"]
        assert inside["serializer"] == ["SELECT auth_user"]
    assert "hunter2" not in json.dumps(spans)
    attributes = root_of(spans)["attributes"]
    assert attributes.pop("server.address")
    assert attributes == {
        "http.request.method": "GET",
        "http.response.status_code": 200,
        "http.route": "/users/",
        "url.path": "/users/",
        "url.scheme": "http",
        "client.address": "127.0.0.1",
        "user_agent.original": "tests",
        "network.protocol.version": "1.1",
        "lintel.queries": 2,
        "lintel.request_id": headers["x-request-id"],
    }


def test_statements_are_described_without_values(service: Service) -> None:
    service.ask("/spans/")
    service.ask("/raw/")
    (statement,) = (it for it in service.spans("GET /raw/") if it["kind"] == "SpanKind.CLIENT")
    attributes = statement["attributes"]
    assert attributes["db.query.text"] == "SELECT ?, ? FROM auth_user WHERE username = ?"
    assert (attributes["db.system.name"], attributes["db.operation.name"]) == ("sqlite", "SELECT")
    service.ask("/guarded/", **ADA)
    spans = service.spans("GET /guarded/")
    (statement,) = (span for span in spans if span["kind"] == "SpanKind.CLIENT")
    assert "ada" not in statement["attributes"]["db.query.text"]


def test_refusals_end_at_the_policy(service: Service) -> None:
    service.ask("/spans/")
    assert service.ask("/guarded/")[0] == 401
    spans = service.spans("GET /guarded/")
    assert tree(spans)["GET /guarded/"] == ["authentication", "permissions", "rendering"]
    assert root_of(spans)["status"]["status_code"] == "UNSET"
    assert root_of(spans)["attributes"]["http.response.status_code"] == 401


def test_validation_has_a_span(service: Service) -> None:
    service.ask("/spans/")
    body = json.dumps({"username": "ada"}).encode()
    assert service.ask("/users/", "POST", body, Content_Type="application/json")[0] == 400
    spans = service.spans("POST /users/")
    assert "validation" in tree(spans)["POST /users/"]
    (validation,) = (span for span in spans if span["name"] == "validation")
    assert validation["attributes"] == {"error.type": "ValidationError"}


def test_async_views_have_the_same_spans(service: Service) -> None:
    service.ask("/spans/")
    assert service.ask("/async/")[0] == 200
    inside = tree(service.spans("GET /async/"))
    policies = ["authentication", "permissions", "throttles"]
    assert inside["GET /async/"] == [*policies, "SELECT auth_user", "rendering"]
    assert inside["permissions"] == ["SELECT auth_user"]


def test_failures_have_their_exception(service: Service) -> None:
    service.ask("/spans/")
    assert service.ask("/broken/")[0] == 500
    root = root_of(service.spans("GET /broken/"))
    assert root["status"]["status_code"] == "ERROR"
    assert root["attributes"]["error.type"] == "ValueError"
    (event,) = root["events"]
    assert event["attributes"]["exception.message"] == "it broke"


def test_a_stream_ends_with_its_last_byte(service: Service) -> None:
    service.ask("/spans/")
    assert service.ask("/stream/")[2] == b"ab"
    root = root_of(service.spans("GET /stream/"))
    assert root["attributes"]["http.response.status_code"] == 200


def test_what_leads_nowhere_has_no_route(service: Service) -> None:
    service.ask("/spans/")
    assert service.ask("/missing/4711/")[0] == 404
    root = root_of(service.spans("GET"))
    assert "http.route" not in root["attributes"]
    service.ask("/missing/", "BREW")
    root = root_of(service.spans("HTTP"))
    assert root["attributes"]["http.request.method"] == "_OTHER"
    assert root["attributes"]["http.request.method_original"] == "BREW"


def test_clients_cannot_choose_their_trace(service: Service) -> None:
    service.ask("/spans/")
    service.ask("/guarded/", traceparent=TRACEPARENT)
    root = root_of(service.spans("GET /guarded/"))
    assert (root["parent_id"], TRACE in root["context"]["trace_id"]) == (None, False)


def test_metrics_count_requests(service: Service) -> None:
    for _ in range(2):
        service.ask("/limited/")
    key = {"Idempotency-Key": '"a"', "Content-Type": "application/json"}
    for _ in range(2):
        body = json.dumps({"username": "bob"}).encode()
        assert service.ask("/users/", "POST", body, **key)[0] == 201
    durations = service.points("http.server.request.duration")
    by_route = {
        (
            point["attributes"].get("http.route"),
            point["attributes"].get("http.response.status_code"),
        ): point
        for point in durations
    }
    assert by_route["/limited/", 429]["count"] >= 1
    assert by_route["/users/", 201]["count"] == 2
    assert by_route["/limited/", 429]["exemplars"]
    (throttled,) = service.points("lintel.server.throttled")
    assert throttled["attributes"] == {"http.request.method": "GET", "http.route": "/limited/"}
    (replays,) = service.points("lintel.server.idempotent_replays")
    assert replays["value"] == 1
    queries = service.points("lintel.server.queries")
    (posts,) = (it for it in queries if it["attributes"]["http.request.method"] == "POST")
    assert posts["sum"] > posts["count"]
    (active,) = (
        point
        for point in service.points("http.server.active_requests")
        if point["attributes"]["http.request.method"] == "GET"
    )
    assert active["value"] == 1  # the one that asks


def test_prometheus_reads_metrics_with_exemplars(service: Service) -> None:
    parser = import_module("prometheus_client.openmetrics.parser")
    service.ask("/spans/")
    service.ask("/users/")
    trace = root_of(service.spans("GET /users/"))["context"]["trace_id"].removeprefix("0x")
    kind = {"Accept": "application/openmetrics-text; version=1.0.0"}
    status, headers, content = service.ask("/metrics/", **kind)
    assert status == 200
    assert headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")
    families = {it.name: it for it in parser.text_string_to_metric_families(content.decode())}
    duration = families["http_server_request_duration_seconds"]
    exemplars = [sample.exemplar for sample in duration.samples if sample.exemplar]
    assert trace in {exemplar.labels["trace_id"] for exemplar in exemplars}
    assert families["http_server_active_requests"].type == "gauge"


def test_prometheus_reads_the_older_format(service: Service) -> None:
    parser = import_module("prometheus_client.parser")
    service.ask("/limited/")
    service.ask("/limited/")
    text = service.ask("/metrics/")[2].decode()
    names = {it.name for it in parser.text_string_to_metric_families(text)}
    assert {"http_server_request_duration_seconds", "lintel_server_throttled"} <= names
    assert not re.search(r" # \{", text)


def test_log_lines_name_the_trace(tmp_path: Path) -> None:
    with running(tmp_path / "db", "wsgi", BEHIND_PROXY="1") as service:
        service.ask("/spans/")
        given = {"traceparent": TRACEPARENT, "X-Forwarded-For": "203.0.113.9"}
        service.ask("/guarded/", **given)
        root = root_of(service.spans("GET /guarded/"))
    assert root["context"]["trace_id"] == f"0x{TRACE}"
    assert root["parent_id"] == "0xb7ad6b7169203331"
    assert root["attributes"]["client.address"] == "203.0.113.9"


def test_requests_that_are_not_sampled_are_measured_all_the_same(tmp_path: Path) -> None:
    with running(tmp_path / "db", "asgi", SAMPLED="never", CLOSED="1") as service:
        assert [service.ask(path)[0] for path in ("/users/", "/async/")] == [200, 200]
        assert json.loads(service.ask("/spans/")[2]) == {"spans": []}
        assert len(service.points("http.server.request.duration")) >= 2
        assert all(not it["exemplars"] for it in service.points("lintel.server.queries"))
        assert service.ask("/metrics/")[0] == 403
