"""The cases of all clients through the command line: what it sends is what the library sends."""

import json
from pathlib import Path

import pytest

from lintel_client import Client
from lintel_client.cli.state import State
from lintel_client.errors import LintelError
from lintel_codecs.openapi import OpenAPICodec
from lintel_document import Link

FILES = [
    Path(__file__).parents[4] / "tests" / "data" / name
    for name in ("client_cases.json", "neighbour_cases.json")
]


def is_for_the_command_line(case):
    """Return whether it is a call without credentials, with files only as whole bodies."""
    body = case["call"].get("body") if "call" in case else None
    is_nested = isinstance(body, dict) and "$file" not in body and "$file" in json.dumps(body)
    return "credentials" not in case and "operations" not in case["expect"] and not is_nested


CASES = [
    case
    for file in FILES
    for case in json.loads(file.read_text())["cases"]
    if is_for_the_command_line(case)
]


def path_of(node, operation_id, path=()):
    if isinstance(node, Link):
        return path if node.operation_id == operation_id else None
    found = (path_of(inner, operation_id, (*path, key)) for key, inner in node.items())
    return next((each for each in found if each is not None), None)


def options_of(case, folder):
    for name, value in case["call"]["params"].items():
        yield from ("--data", f"{name}={json.dumps(value)}")
    body = case["call"].get("body")
    if isinstance(body, dict) and "$file" in body:
        path = folder / body["$file"]
        path.write_bytes(bytes.fromhex(body["bytes"]))
        yield from ("--file", f"body={path}")
    elif "body" in case["call"]:
        yield from ("--data", f"body={json.dumps(body)}")
    for name, text in case.get("server_variables", {}).items():
        yield from ("--server-variable", f"{name}={text}")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_command_line_sends_what_the_library_sends(lintel, case, tmp_path, folder):
    content = json.dumps(case["doc"]).encode()
    document = OpenAPICodec().decode(content, base_url=case.get("retrieved_from", ""))
    State().visit(document)
    keys = path_of(document, case["call"]["operationId"])
    options = list(options_of(case, tmp_path))
    body = case["call"].get("body")
    if isinstance(body, dict) and "$file" in body:
        outcome = lintel("action", *keys, *options, "--dry-run")
        assert f"({len(bytes.fromhex(body['bytes']))} bytes)" in outcome.output
        return
    outcome = lintel("action", *keys, *options, "--dry-run", "--reveal")
    params, overrides = dict(case["call"]["params"]), {}
    if "body" in case["call"]:
        params["body"] = case["call"]["body"]
    if "server_variables" in case:
        overrides["server_variables"] = case["server_variables"]
    try:
        request = Client().request(document, list(keys), params, overrides=overrides)
    except LintelError:
        assert outcome.status in (2, 3)
        return
    assert outcome.status == 0, outcome.errors
    head, _, body = outcome.output.partition("\r\n\r\n")
    host = request.url.partition("://")[2].partition("/")[0]
    target = request.url.partition(host)[2]
    assert head.splitlines()[0] == f"{request.method} {target} HTTP/1.1"
    sent = dict(line.split(": ", 1) for line in head.splitlines()[1:])
    expected = {name: text for name, text in request.headers.items() if name != "Content-Type"}
    assert sent.items() >= expected.items()
    if "multipart" not in sent.get("Content-Type", ""):
        assert body.encode() == (request.body or b"")
