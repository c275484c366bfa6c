"""The cost of reading a large description, compared with only parsing its JSON.

The description is generated: 1,200 operations over 3,000 schemas. The environment variable
LINTEL_DESCRIPTION names a file to read instead, such as that of a large public API.
"""

import json
import os
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lintel_codecs.openapi import OpenAPICodec

__all__ = ["main"]

TEXT = "What this is for, when to use it, and what it costs. " * 3


def main() -> str:
    """Return the table: seconds of CPU, bytes in memory per byte of the description."""
    named = os.environ.get("LINTEL_DESCRIPTION")
    content = Path(named).read_bytes() if named else json.dumps(_description()).encode()
    tasks: dict[str, Callable[[], Any]] = {
        "json.loads": lambda: json.loads(content),
        "OpenAPICodec.decode": lambda: OpenAPICodec().decode(content),
    }
    rows = [
        f"{len(content) / 1e6:.1f} MB of OpenAPI 3.1",
        "",
        "| task | seconds | ratio | memory |",
    ]
    rows.append("| --- | ---: | ---: | ---: |")
    base = _seconds(tasks["json.loads"])
    for name, task in tasks.items():
        seconds, memory = _seconds(task), _memory(task) / len(content)
        rows.append(
            f"| {name} | {seconds:.2f} | {seconds / base:.1f} | {memory:.1f} times its size |"
        )
    return "\n".join(rows)


def _seconds(task: Callable[[], Any]) -> float:
    def once() -> float:
        started = time.process_time()
        kept = task()
        spent = time.process_time() - started
        del kept
        return spent

    return min(once() for _ in range(3))


def _memory(task: Callable[[], Any]) -> int:
    """Return the peak memory in bytes while the task runs."""
    tracemalloc.start()
    try:
        kept = task()
        peak = tracemalloc.get_traced_memory()[1]
        del kept
    finally:
        tracemalloc.stop()
    return peak


def _description() -> dict[str, Any]:
    schemas = {f"s{number}": _schema(number) for number in range(3000)}
    paths = {
        f"/things/{number}/{{id}}": {
            "get": _operation(number, f"read_{number}"),
            "put": {**_operation(number, f"update_{number}"), "requestBody": _body(number)},
        }
        for number in range(600)
    }
    info = {"title": "Things", "version": "1"}
    return {"openapi": "3.1.1", "info": info, "paths": paths, "components": {"schemas": schemas}}


def _schema(number: int) -> dict[str, Any]:
    properties: dict[str, Any] = {
        f"p{each}": {"type": "string", "description": TEXT[:120]} for each in range(16)
    }
    properties["next"] = {"$ref": f"#/components/schemas/s{(number + 1) % 3000}"}
    return {"type": "object", "description": TEXT, "properties": properties, "required": ["p0"]}


def _body(number: int) -> dict[str, Any]:
    reference = {"$ref": f"#/components/schemas/s{number}"}
    return {"required": True, "content": {"application/json": {"schema": reference}}}


def _operation(number: int, name: str) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = [
        {"name": f"q{each}", "in": "query", "description": TEXT, "schema": {"type": "string"}}
        for each in range(5)
    ]
    parameters.append({"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}})
    content = _body(number)["content"]
    return {
        "operationId": name,
        "tags": [f"t{number % 40}"],
        "description": TEXT,
        "parameters": parameters,
        "responses": {
            "200": {"description": "ok", "content": content},
            "404": {"description": "no"},
        },
    }
