"""QUERY (RFC 10008) by the Python client and the command line, to a real service."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from service_process import REPOSITORY, CommandLine

from lintel_client import Client
from lintel_document import Document

SITE = REPOSITORY / "packages" / "javascript" / "tests" / "site" / "serve.py"
PAIR = {"id__in": [1, 2]}


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The address of the example service with what the tests of JavaScript add."""
    arguments = [sys.executable, str(SITE)]
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate(timeout=30)


@pytest.fixture
def lintel(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


def key_of(schema: Document) -> str:
    group: Any = schema["search"]
    return next(str(key) for key, link in group.items() if link.action == "query")


def test_the_python_client_sends_filters_in_the_body(site: str) -> None:
    with Client() as client:
        schema = client.get(f"{site}search/schema/")
        keys = ["search", key_of(schema)]
        request = client.request(schema, keys, PAIR)
        assert (request.method, request.url) == ("QUERY", f"{site}search/")
        everything = client.action(schema, keys)
        title = everything[0]["title"]
        found = client.action(schema, keys, {**PAIR, "search": title})
        assert everything[0] in found
        assert len(found) <= 2 < len(everything)
        assert client.action(schema, keys, {"search": "nowhere in any title"}) == []


def test_the_command_line_sends_filters_in_the_body(site: str, lintel: CommandLine) -> None:
    assert lintel("get", f"{site}search/schema/").status == 0
    with Client() as client:
        key = key_of(client.get(f"{site}search/schema/"))
    shown = lintel("search", key, "--id--in", "[1, 2]", "--dry-run", "--as", "http")
    assert shown.output.startswith("QUERY /search/ HTTP/1.1"), shown.errors
    found: Any = lintel("search", key, "--id--in", "[1, 2]").json()
    assert len(found) == 2
