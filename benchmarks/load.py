"""``python -m benchmarks.load``: the client of the server benchmark, in a separate process.

Each line that it reads is a task in JSON: port, method, path, body, the number of requests, and
optionally headers and the number of connections. It sends the requests over connections that stay
open, one request at a time on each. It answers with the seconds from the first byte to the last,
and the median and the 99th percentile of the seconds that single requests took.
"""

from __future__ import annotations

import json
import selectors
import socket
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass

CONNECTIONS = 4
TIMEOUT = 60


@dataclass(slots=True)
class Connection:
    """An open connection and what has been received of the current response."""

    socket: socket.socket
    received: bytes = b""
    sent_at: float = 0.0

    def send(self, message: bytes) -> None:
        self.sent_at = time.perf_counter()
        self.socket.sendall(message)

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


def run(
    port: int,
    method: str,
    path: str,
    body: str,
    requests: int,
    headers: Mapping[str, str] | None = None,
    connections: int = CONNECTIONS,
) -> dict[str, float]:
    """Send this many requests; return ``seconds``, ``p50`` and ``p99``, all in seconds."""
    message = encoded(method, path, body.encode(), headers or {})
    with selectors.DefaultSelector() as selector:
        opened = [Connection(connect(port)) for _ in range(connections)]
        for each in opened:
            selector.register(each.socket, selectors.EVENT_READ, each)
        started = time.perf_counter()
        latencies = sorted(exchange(selector, opened, message, requests))
        seconds = time.perf_counter() - started
        for each in opened:
            each.socket.close()
    last = len(latencies) - 1
    return {
        "seconds": seconds,
        "p50": latencies[last // 2],
        "p99": latencies[round(last * 0.99)],
    }


def exchange(
    selector: selectors.BaseSelector, connections: list[Connection], message: bytes, requests: int
) -> list[float]:
    """Keep every connection busy until all requests are answered; return the seconds of each."""
    latencies: list[float] = []
    sent = 0
    for each in connections[:requests]:
        each.send(message)
        sent += 1
    while len(latencies) < requests:
        ready = selector.select(TIMEOUT)
        if not ready:
            raise RuntimeError(f"the server has not answered for {TIMEOUT} seconds")
        for key, _ in ready:
            if not key.data.read():
                continue
            latencies.append(time.perf_counter() - key.data.sent_at)
            if sent < requests:
                key.data.send(message)
                sent += 1
    return latencies


def connect(port: int) -> socket.socket:
    found = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)
    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return found


def encoded(method: str, path: str, body: bytes, headers: Mapping[str, str]) -> bytes:
    lines = [
        f"{method} {path} HTTP/1.1",
        "Host: 127.0.0.1",
        "Accept: application/json",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(run(**json.loads(line))), flush=True)
