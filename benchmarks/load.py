"""``python -m benchmarks.load``: the client of the server benchmark, in a separate process.

Each line that it reads is a task in JSON: port, method, path, body, the number of requests. It
sends them over a few connections that stay open, one request at a time on each, and answers with
the seconds from the first byte to the last.
"""

from __future__ import annotations

import json
import selectors
import socket
import sys
import time
from dataclasses import dataclass

CONNECTIONS = 4
TIMEOUT = 30


@dataclass(slots=True)
class Connection:
    """An open connection and what has been received of the current response."""

    socket: socket.socket
    received: bytes = b""

    def read(self) -> bool:
        """Read what is available; return whether the response is complete. Raises RuntimeError."""
        part = self.socket.recv(1 << 20)
        self.received += part
        head, found, body = self.received.partition(b"\r\n\r\n")
        if not part or (found and b" 20" not in head[:12]):
            raise RuntimeError(f"the server answered {self.received[:300]!r}")
        if not found or not is_complete(head.lower(), body):
            return False
        self.received = b""
        return True


def is_complete(head: bytes, body: bytes) -> bool:
    """Return whether a body is complete, by its length or the end of its chunks."""
    _, found, rest = head.partition(b"content-length:")
    if found:
        return len(body) >= int(rest.partition(b"\r\n")[0])
    return body.endswith(b"0\r\n\r\n")


def run(port: int, method: str, path: str, body: str, requests: int) -> float:
    """Return the seconds for this many requests."""
    message = encoded(method, path, body.encode())
    with selectors.DefaultSelector() as selector:
        connections = [Connection(connect(port)) for _ in range(CONNECTIONS)]
        for each in connections:
            selector.register(each.socket, selectors.EVENT_READ, each)
        started = time.perf_counter()
        exchange(selector, connections, message, requests)
        seconds = time.perf_counter() - started
        for each in connections:
            each.socket.close()
    return seconds


def exchange(
    selector: selectors.BaseSelector, connections: list[Connection], message: bytes, requests: int
) -> None:
    """Keep every connection busy until all requests are answered."""
    sent = answered = 0
    for each in connections[:requests]:
        each.socket.sendall(message)
        sent += 1
    while answered < requests:
        for key, _ in selector.select(TIMEOUT):
            if not key.data.read():
                continue
            answered += 1
            if sent < requests:
                key.data.socket.sendall(message)
                sent += 1


def connect(port: int) -> socket.socket:
    found = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)
    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return found


def encoded(method: str, path: str, body: bytes) -> bytes:
    lines = [
        f"{method} {path} HTTP/1.1",
        "Host: 127.0.0.1",
        "Accept: application/json",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps({"seconds": run(**json.loads(line))}), flush=True)
