"""A mock server that validates requests (prism), and one in front of it that notes its verdicts."""

import copy
import json
import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from parity.descriptions import REPOSITORY
from parity.recorder import Answer, Exchange, Recorder

PRISM = REPOSITORY / "tests" / "mock" / "node_modules" / ".bin" / "prism"
#: Errors of the mock that a request causes; all others are its own, or those of the description.
FAULTS = {
    *("UNPROCESSABLE_ENTITY", "NO_PATH_MATCHED_ERROR", "NO_METHOD_MATCHED_ERROR"),
    *("UNAUTHORIZED", "INVALID_CONTENT_TYPE", "NOT_ACCEPTABLE"),
}
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_STARTED = 60


class Judge(Recorder):
    """Passes requests on to the mock; ``verdicts`` are the kinds of its errors, "" for none."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.verdicts: list[tuple[str, str]] = []
        super().__init__()

    def answer(self, exchange: Exchange) -> Answer:
        """Return the response of the mock; 204 in place of events, which clients go on with."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=60)
        try:
            headers = {name: text.encode("latin-1") for name, text in exchange.headers}
            kept = {name: text for name, text in headers.items() if name != "transfer-encoding"}
            kept["connection"] = b"close"
            connection.request(exchange.method, exchange.target, exchange.body or None, kept)  # type: ignore[arg-type]
            response = connection.getresponse()
            content = response.read()
            self.verdicts.append(_verdict(content))
            media_type = response.headers.get("content-type", "")
            if response.status < 300 and "text/event-stream" in media_type:
                return 204, media_type, b""
            return response.status, media_type, content
        except (OSError, HTTPException) as error:
            self.verdicts.append(("NO_ANSWER", repr(error)))
            return 502, "text/plain", b""
        finally:
            connection.close()


def _verdict(content: bytes) -> tuple[str, str]:
    try:
        problem = json.loads(content)
    except ValueError:
        return "", ""
    kind = problem.get("type") if isinstance(problem, Mapping) else None
    found = re.search(r"prism/errors#(\w+)", kind) if isinstance(kind, str) else None
    details = problem.get("validation") or problem.get("detail") if found else ""
    return (found[1], json.dumps(details)) if found else ("", "")


class MockFailed(Exception):
    """The mock cannot serve a description."""


def mocked(tree: Mapping[str, Any]) -> dict[str, Any]:
    """Return a description whose operations are at the root of one server, without credentials."""
    plain = {key: copy.deepcopy(tree[key]) for key in tree if not key.startswith("x-")}
    if "swagger" in plain:
        plain |= {"host": "mock.example", "basePath": "/", "schemes": ["http"]}
    else:
        plain["servers"] = [{"url": "http://mock.example"}]
    plain.pop("security", None)
    for item in plain["paths"].values():
        item.pop("servers", None)
        for method in _METHODS:
            if isinstance(item.get(method), dict):
                # The references in extensions of ours are not for others.
                for name in ("servers", "security", "schemes", "x-lintel"):
                    item[method].pop(name, None)
    return plain


@contextmanager
def running_judge(text: str, folder: Path) -> Iterator[Judge]:
    """Run the mock of a description, and the server in front of it."""
    file = folder / "description.json"
    file.write_text(text)
    port = _free_port()
    command = [str(PRISM), "mock", "--errors", "--verboseLevel", "silent", "--port", str(port)]
    mock = subprocess.Popen(
        [*command, str(file)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "SCARF_ANALYTICS": "false"},
    )
    try:
        _wait_for(mock, port)
        judge = Judge(port)
        yield judge
        judge.close()
    finally:
        mock.terminate()
        mock.wait()


def _free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port: int = server.getsockname()[1]
        return port


def _wait_for(mock: subprocess.Popen[bytes], port: int) -> None:
    for _ in range(_STARTED * 10):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if mock.poll() is not None:
            break
        time.sleep(0.1)
    raise MockFailed("The mock server did not start")
