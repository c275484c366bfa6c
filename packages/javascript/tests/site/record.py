"""Make calls with the Python client and print the requests that were sent.

Reads from standard input: the text of a document in Core JSON, in which HERE stands for the URL
of the server, and calls. Prints one request for each call.
"""

from __future__ import annotations

import base64
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from lintel_client import BasicAuthentication, Client, File, TokenAuthentication
from lintel_document import CoreJSONCodec

seen: list[dict[str, Any]] = []


class Recorder(BaseHTTPRequestHandler):
    """Responds to everything with an empty object."""

    protocol_version = "HTTP/1.1"

    def record(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fields = [[name.lower(), value] for name, value in self.headers.items()]
        seen.append(
            {
                "method": self.command,
                "target": self.path,
                "headers": fields,
                "body": base64.b64encode(body).decode(),
            }
        )
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = record

    def log_message(self, format: str, *args: object) -> None: ...


def value(raw: Any) -> Any:
    """Return the value of a parameter; `$file` stands for a file."""
    if isinstance(raw, dict) and "$file" in raw:
        return File(raw["$file"], bytes.fromhex(raw["bytes"]), raw.get("type"))
    if isinstance(raw, dict):
        return {key: value(inner) for key, inner in raw.items()}
    return [value(item) for item in raw] if isinstance(raw, list) else raw


def authentication(raw: dict[str, str] | None) -> Any:
    if raw is None:
        return None
    return TokenAuthentication(**raw) if "token" in raw else BasicAuthentication(**raw)


def main() -> None:
    given = json.load(sys.stdin)
    server = HTTPServer(("127.0.0.1", 0), Recorder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    here = f"http://127.0.0.1:{server.server_port}/"
    document = CoreJSONCodec().decode(given["document"].replace("HERE", here).encode())
    for call in given["calls"]:
        with Client(auth=authentication(call.get("auth"))) as client:
            client.action(document, call["keys"], value(call.get("params", {})))
    json.dump(seen, sys.stdout)
    server.shutdown()


main()
