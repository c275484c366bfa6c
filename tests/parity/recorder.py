"""A server on loopback that records requests byte for byte and answers ``{}``.

Where a stream is asked for, the answer ends it: clients connect again when events merely end.
"""

import re
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# What each platform chooses for itself.
_OWN = {
    *("host", "connection", "accept", "accept-encoding", "accept-language", "user-agent"),
    *("sec-fetch-mode", "cache-control", "pragma", "priority", "idempotency-key"),
}


@dataclass(frozen=True)
class Exchange:
    """One request as it was received."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def comparable(self) -> dict[str, Any]:
        """Return the request without what platforms choose, with one boundary for all."""
        found = re.search(r"boundary=\"?([^\s\";]+)", dict(self.headers).get("content-type", ""))
        boundary = found[1] if found else ""
        own = _OWN | ({"content-length"} if boundary or not self.body else set())
        headers = [f"{name}: {text}" for name, text in self.headers if name not in own]
        if boundary:
            headers = [text.replace(boundary, "BOUNDARY") for text in headers]
        body = self.body.replace(boundary.encode(), b"BOUNDARY") if boundary else self.body
        parts = {"method": self.method, "target": self.target, "headers": sorted(headers)}
        return {**parts, "body": body}


Answer = tuple[int, str, bytes]
"""The status of a response, its media type and its content."""


class Recorder:
    """Records the requests that were received since ``taken`` was called last."""

    def __init__(self) -> None:
        self._seen: list[Exchange] = []
        handler = type("Handler", (_Handler,), {"recorder": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def taken(self) -> list[Exchange]:
        """Return the recorded requests, and forget them."""
        found = list(self._seen)
        self._seen.clear()
        return found

    def received(self, exchange: Exchange) -> Answer:
        """Record a request."""
        self._seen.append(exchange)
        return self.answer(exchange)

    def answer(self, exchange: Exchange) -> Answer:
        """Return what is answered. To be overridden."""
        accept = dict(exchange.headers).get("accept", "")
        if "text/event-stream" in accept:
            return 204, "text/event-stream", b""
        if "application/jsonl" in accept:
            return 200, "application/jsonl", b"{}\n"
        return 200, "application/json", b"{}"

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    recorder: Recorder

    def handle_one_request(self) -> None:
        self.raw_requestline = self.rfile.readline(65537)
        if not self.raw_requestline or not self.parse_request():
            self.close_connection = True
            return
        body = self._body()
        # Header values arrive in Latin-1, whatever they are.
        fields = tuple((name.lower(), text) for name, text in self.headers.items())
        exchange = Exchange(self.command, self.path, fields, body)
        status, media_type, content = self.recorder.received(exchange)
        self.wfile.write(
            f"HTTP/1.1 {status} OK\r\nContent-Type: {media_type}\r\n"
            f"Content-Length: {len(content)}\r\n\r\n".encode("latin-1")
            + (b"" if self.command == "HEAD" else content)
        )

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body
