"""Recorded requests: from a HAR file (HTTP Archive 1.2), or one JSON object on each line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

#: Headers of one connection, or that the test client writes itself.
OF_THE_CONNECTION = frozenset(["accept-encoding", "connection", "content-length", "content-type"])

SAFE_METHODS = frozenset(["GET", "HEAD", "OPTIONS"])


def recorded_requests(path: Path, prefix: str, writes: bool) -> list[dict[str, Any]]:
    """Return the requests of a file whose path begins with ``prefix``; ``writes``: unsafe ones too.

    Each has ``method``, ``path`` with its query, ``secure``, ``headers``, ``body`` and ``type``.
    Raises ValueError for a file that is neither a HAR file nor lines of JSON objects.
    """
    try:
        requests = [_request(entry) for entry in _entries(path.read_text())]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a recording: {error!r}") from error
    return [
        request
        for request in requests
        if request["path"].startswith(prefix) and (writes or request["method"] in SAFE_METHODS)
    ]


def _entries(text: str) -> Iterator[dict[str, Any]]:
    try:
        entries = json.loads(text)["log"]["entries"]
    except (KeyError, TypeError, ValueError):
        yield from (json.loads(line) for line in text.splitlines() if line.strip())
        return
    for entry in entries:
        given = entry["request"]
        posted = given.get("postData") or {}
        headers = {header["name"]: header["value"] for header in given.get("headers", ())}
        headers.setdefault("Content-Type", posted.get("mimeType", ""))
        yield {**given, "headers": headers, "body": posted.get("text", "")}


def _request(given: dict[str, Any]) -> dict[str, Any]:
    address = urlsplit(given["url"])
    headers = {name.lower(): str(value) for name, value in (given.get("headers") or {}).items()}
    body = given.get("body") or ""
    sent = {
        name: value
        for name, value in headers.items()
        if name not in OF_THE_CONNECTION and not name.startswith(":")
    }
    return {
        "method": str(given["method"]).upper(),
        "path": (address.path or "/") + (f"?{address.query}" if address.query else ""),
        "secure": address.scheme == "https",
        "headers": {**({"host": address.netloc} if address.netloc else {}), **sent},
        "body": body if isinstance(body, str) else json.dumps(body),
        "type": headers.get("content-type") or "application/json",
    }
