"""A real HTTP server on loopback that responds as each test says and records its requests."""

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from lintel_document import CoreJSONCodec, Document


@dataclass
class Seen:
    """One received request."""

    method: str
    path: str
    headers: dict
    body: bytes

    def json(self):
        return json.loads(self.body)


@dataclass
class Service:
    """Answers by path; `host` names the same server in another way, for another origin."""

    port: int = 0
    answers: dict = field(default_factory=dict)
    seen: list = field(default_factory=list)
    # Functions of the handler to run before a response, by path, each used once.
    mishaps: dict = field(default_factory=dict)
    # Set when the test is over, for handlers that hang.
    over: threading.Event = field(default_factory=threading.Event)

    def url(self, path="/", host="127.0.0.1"):
        return f"http://{host}:{self.port}{path}"

    def answer(self, path, body=b"", status=200, content_type="application/json", **headers):
        if isinstance(body, Document):
            body, content_type = CoreJSONCodec().encode(body), CoreJSONCodec.media_type
        elif not isinstance(body, bytes | str):
            body = json.dumps(body)
        content = body.encode() if isinstance(body, str) else body
        named = [(name.replace("_", "-"), value) for name, value in headers.items()]
        self.answers[path] = (status, content_type, named, content)

    def redirect(self, path, to, status=302):
        self.answer(path, status=status, Location=to)

    @property
    def last(self):
        return self.seen[-1]


class Handler(BaseHTTPRequestHandler):
    def handle_any(self):
        service = self.server.service
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        service.seen.append(Seen(self.command, self.path, headers, body))
        mishaps = service.mishaps.get(self.path.partition("?")[0])
        if mishaps and mishaps.pop(0)(self):
            return
        missing = (404, "application/json", [], b'{"detail": "Not found."}')
        by_path = service.answers.get(self.path.partition("?")[0], missing)
        status, content_type, named, content = service.answers.get(self.path, by_path)
        self.send_response(status)
        if content_type:
            self.send_header("Content-Type", content_type)
        for name, value in named:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = handle_any

    def fail(self, status, **headers):
        """Answer with an error."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", "0")
        self.end_headers()
        return True

    def drop(self):
        """Close the connection without a response."""
        self.close_connection = True
        self.connection.shutdown(2)
        return True

    def cut(self):
        """Promise more bytes than are sent."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b'{"cut')
        return self.drop()

    def hang(self):
        """Send nothing until the client has disconnected."""
        self.server.service.over.wait(30)
        return True

    def log_message(self, *arguments):
        """Keep test output quiet."""


@pytest.fixture
def service():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.service = Service(server.server_port)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.service
        server.service.over.set()
        server.shutdown()
        thread.join()
