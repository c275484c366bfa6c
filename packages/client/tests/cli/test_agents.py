"""What `lintel mcp serve` prints before it serves."""

import json
import os
import socket
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from lintel_document import Document, Field, Link


@pytest.fixture
def api(service):
    fields = [Field("id", True, "path")]
    links = {"read": Link("/x/{id}", "get", fields=fields), "make": Link("/x", "post")}
    service.answer("/", Document(service.url(), content=links))
    service.answer("/data", {"a": 1})
    return service


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--include", "make"], "No operation is offered"),
        (["--exclude", "*"], "No operation is offered"),
        (["--max-answer", "10"], "500"),
        (["--port", "70000", "--http"], "65535"),
    ],
)
def test_choices_that_leave_nothing_are_refused(lintel, api, arguments, message):
    outcome = lintel("mcp", "serve", api.url(), *arguments)
    assert outcome.status == 2
    assert message in outcome.errors


def test_what_is_no_document_is_refused(lintel, api):
    outcome = lintel("mcp", "serve", api.url("/data"))
    assert outcome.status == 2
    assert "holds no document" in outcome.errors
    assert lintel("mcp", "serve", api.url("/missing")).status == 1


def test_names_that_are_no_bookmark_are_refused(lintel, api):
    assert lintel("get", api.url()).status == 0
    assert lintel("bookmarks", "add", "mine").status == 0
    outcome = lintel("mcp", "serve", "yours")
    assert outcome.status == 2
    assert "There is no bookmark 'yours'; available: mine" in outcome.errors


def test_a_port_in_use_is_named(lintel, api):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        outcome = lintel("mcp", "serve", api.url(), "--http", "--port", port)
    assert outcome.status == 2
    assert f"Port {port} cannot be used" in outcome.errors


def test_the_extra_is_named_where_it_is_missing(lintel, api, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    outcome = lintel("mcp", "serve", api.url())
    assert outcome.status == 2
    assert "lintel-client[mcp]" in outcome.errors


def test_what_a_bookmark_stores_is_sent_and_nothing_of_others(lintel, service, folder):
    scheme = {"type": "apiKey", "in": "query", "name": "api_key"}
    description = {
        "openapi": "3.1.0",
        "info": {"title": "X", "version": "1"},
        "paths": {"/x": {"get": {"operationId": "read", "security": [{"key": []}]}}},
        "components": {"securitySchemes": {"key": scheme}},
    }
    service.answer("/", description)
    service.answer("/x", {"echo": "s3cret-of-mine"})
    host = f"127.0.0.1:{service.port}"
    for name in ("mine", "other"):
        own = ("-b", name)
        assert lintel(*own, "get", service.url()).status == 0
        secret = f"s3cret-of-{name}"
        lintel(*own, "credentials", "add", host, secret, "--security", "key")
        lintel(*own, "headers", "add", host, f"X-{name}", "1")
    lintel("credentials", "add", host, "Token of none")
    path = Path(sys.executable).with_name("lintel")
    command = StdioServerParameters(
        command=str(path),
        args=["mcp", "serve", "mine"],
        env={**os.environ, "LINTEL_CONFIG_DIR": str(folder)},
    )

    async def talk():
        with open(os.devnull, "w") as silence, anyio.fail_after(60):
            async with Client(stdio_client(command, silence)) as client:
                return await client.call_tool("read", {})

    answer = anyio.run(talk)
    assert service.last.path == "/x?api_key=s3cret-of-mine"
    assert service.last.headers["x-mine"] == "1"
    assert not {"x-other", "authorization"} & service.last.headers.keys()
    assert json.loads(answer.content[0].text) == {"echo": "***"}
