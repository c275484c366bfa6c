"""A receiver of OTLP gets spans and metrics, with exemplars that lead from one to the other."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as traces
from test_telemetry import running

MESSAGES: dict[str, Any] = {
    "/v1/traces": traces.ExportTraceServiceRequest,
    "/v1/metrics": metrics.ExportMetricsServiceRequest,
}


class Receiver(ThreadingHTTPServer):
    """Keeps the messages that exporters send, by their path (OTLP/HTTP)."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Receiving)
        self.received: dict[str, list[Any]] = {path: [] for path in MESSAGES}


class Receiving(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            content = gzip.decompress(content)
        self.server.received[self.path].append(MESSAGES[self.path].FromString(content))
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def receiving() -> Iterator[tuple[str, dict[str, list[Any]]]]:
    """The address of a receiver, and what it has received."""
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", server.received
        finally:
            server.shutdown()
            thread.join()


def text_of(attributes: Any) -> dict[str, str]:
    return {it.key: it.value.string_value or str(it.value.int_value) for it in attributes}


def test_a_receiver_gets_spans_and_metrics_with_exemplars(tmp_path: Path) -> None:
    with receiving() as (address, received):
        with running(tmp_path / "db", "wsgi", OTLP=address) as service:
            assert service.ask("/users/")[0] == 200
            service.spans("GET /users/")
            service.ask("/points/")  # collects, and so exports
        spans = [
            span
            for message in received["/v1/traces"]
            for resource in message.resource_spans
            for scope in resource.scope_spans
            if scope.scope.name == "lintel"
            for span in scope.spans
        ]
        points = [
            (metric.name, point)
            for message in received["/v1/metrics"]
            for resource in message.resource_metrics
            for scope in resource.scope_metrics
            if scope.scope.name == "lintel"
            for metric in scope.metrics
            for point in metric.histogram.data_points
        ]
    (root,) = (span for span in spans if span.name == "GET /users/")
    inside = [span for span in spans if span.trace_id == root.trace_id and span is not root]
    assert {span.name for span in inside} >= {"authentication", "serializer", "SELECT auth_user"}
    assert text_of(root.attributes)["http.route"] == "/users/"
    (duration,) = (
        point
        for name, point in points
        if name == "http.server.request.duration"
        and text_of(point.attributes).get("http.route") == "/users/"
    )
    assert (duration.count, sum(duration.bucket_counts)) == (1, 1)
    (exemplar,) = duration.exemplars
    assert (exemplar.trace_id, exemplar.span_id) == (root.trace_id, root.span_id)
    assert "lintel.server.queries" in {name for name, _ in points}
