"""Receives the answer of the browser on this machine (RFC 8252, 7.3)."""

import os
import socket
from http.server import BaseHTTPRequestHandler
from queue import Empty, SimpleQueue
from socketserver import TCPServer, ThreadingMixIn
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from lintel_client.errors import OAuth2Error
from lintel_client.oauth2.servers import is_loopback
from lintel_client.origins import origin_of

__all__ = ["REDIRECT", "Listener"]

REDIRECT = "http://127.0.0.1/callback"
"""The redirect URI to register; servers ignore its port (RFC 8252, 7.3)."""

PAUSE = 0.1
"""The seconds after which a listener notices that it has been closed."""

_PAGE = b"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Signed in</title>
<p>The answer has arrived. You can close this window and go back to your program.</p></html>
"""


class Listener:
    """Waits on a port of this machine for the browser to come back.

    Without a port in ``redirect_uri``, the system chooses one. Raises OAuth2Error for a URI that is
    not on this machine, and for a port that is in use.
    """

    def __init__(self, redirect_uri: str = REDIRECT) -> None:
        parts = urlsplit(redirect_uri)
        host = origin_of(redirect_uri).host
        if parts.scheme != "http" or not is_loopback(host) or parts.query or parts.fragment:
            raise OAuth2Error(
                f"The redirect URI {redirect_uri} must be on this machine, such as {REDIRECT}"
            )
        self._answers: SimpleQueue[dict[str, list[str]]] = SimpleQueue()
        try:
            self._server = _Server(host, parts.port or 0, parts.path or "/", self._answers)
        except OSError as error:
            raise OAuth2Error(f"No answer can be received at {redirect_uri}: {error}") from error
        netloc = f"[{host}]" if ":" in host else host
        port = self._server.server_address[1]
        self.redirect_uri: str = parts._replace(netloc=f"{netloc}:{port}").geturl()
        # A browser in the terminal keeps its caller waiting until it has the answer.
        Thread(target=self._server.serve_forever, args=(PAUSE,), daemon=True).start()

    def poll(self) -> dict[str, list[str]] | None:
        """Return the parameters of the answer, None if it has not come within half a second."""
        try:
            return self._answers.get(timeout=0.5)
        except Empty:
            return None

    def close(self) -> None:
        """Free the port."""
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingMixIn, TCPServer):
    """Answers each connection in a thread: browsers open some that they never use."""

    daemon_threads = True
    block_on_close = False
    # Elsewhere the option lets another program take the port.
    allow_reuse_address = os.name == "posix"

    def __init__(
        self, host: str, port: int, path: str, answers: "SimpleQueue[dict[str, list[str]]]"
    ) -> None:
        self.path = path
        self.answers = answers
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__(("127.0.0.1" if host == "localhost" else host, port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore broken connections: the browser comes again, or the time runs out."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 10

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        parameters = parse_qs(query, keep_blank_values=True, max_num_fields=50)
        # Browsers ask for icons too; only what has a state can be an answer.
        is_answer = path == self.server.path and "state" in parameters
        content = _PAGE if is_answer else b""
        self.send_response(200 if is_answer else 404)
        for name, value in (
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Length", str(len(content))),
            ("Content-Security-Policy", "default-src 'none'"),
            ("Cache-Control", "no-store"),
            ("Referrer-Policy", "no-referrer"),
            ("Connection", "close"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
        if is_answer:
            # The program may end as soon as it has the answer.
            self.server.answers.put(parameters)

    def log_message(self, *arguments: Any) -> None:
        """Write nothing: the address of a request holds the code."""
