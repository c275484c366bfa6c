"""What `lintel mcp serve` prints before it serves."""

import json
import os
import re
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import anyio
import httpx2
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
    assert "does not describe an API" in outcome.errors
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


BODY = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@contextmanager
def serving(folder, api, **variables):
    """The server over HTTP; yields what it says at the start, and a function that asks it."""
    script = "from lintel_client.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", script, "mcp", "serve", api.url(), "--http", "--port", "0"],
        env={**os.environ, "LINTEL_CONFIG_DIR": str(folder), **variables},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said = process.stderr.readline()
        said += "" if "LINTEL_MCP_TOKEN" in variables else process.stderr.readline()
        url = re.search(r"http://127.0.0.1:\d+/mcp", said)[0]
        yield said, lambda **headers: httpx2.post(url, json=BODY, headers={**ACCEPT, **headers})
    finally:
        process.terminate()
        process.communicate(timeout=20)


def test_requests_over_http_need_the_token_that_is_printed(folder, api):
    with serving(folder, api) as (said, asked):
        token = re.search(r"Authorization: Bearer ([\w-]{43})$", said, re.MULTILINE)[1]
        wrong = ["", "Bearer", f"Basic {token}", f"Bearer {token[:-1]}", f"Bearer {token}x", token]
        refused = [asked(), *(asked(Authorization=value) for value in wrong)]
        assert {answer.status_code for answer in refused} == {401}
        challenges = {answer.headers["www-authenticate"] for answer in refused}
        assert challenges == {'Bearer realm="lintel"'}
        assert "read" not in "".join(answer.text for answer in refused)
        assert asked(Authorization=f"bearer {token}").status_code not in (401, 403)


def test_a_token_of_ones_own_is_not_printed(folder, api):
    own = "a-token-of-my-own-0123456789"
    with serving(folder, api, LINTEL_MCP_TOKEN=own) as (said, asked):
        assert "Bearer" not in said
        assert asked().status_code == 401
        assert asked(Authorization=f"Bearer {own}").status_code not in (401, 403)


@pytest.mark.parametrize("token", ["", "short", "a token with spaces", "naïve-naïve-naïve"])
def test_a_token_that_is_none_is_refused(lintel, api, token):
    outcome = lintel("mcp", "serve", api.url(), "--http", "--token", token)
    assert outcome.status == 2
    assert "16 or more letters" in " ".join(outcome.errors.split())


def test_a_token_means_nothing_over_stdio(lintel, monkeypatch):
    monkeypatch.setenv("LINTEL_MCP_TOKEN", "short")
    outcome = lintel("mcp", "serve", "no-bookmark")
    assert "There is no bookmark 'no-bookmark'" in outcome.errors


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ([], ["127.0.0.2 is in a private network", "see --allow-private"]),
        # Nobody listens there.
        (["--allow-private"], ["The request to http://127.0.0.2:", "failed"]),
    ],
)
def test_an_api_of_the_internet_leads_into_no_private_network(
    lintel, api, monkeypatch, options, shown
):
    with socket.socket() as unused:
        unused.bind(("127.0.0.2", 0))
        elsewhere = f"http://127.0.0.2:{unused.getsockname()[1]}/"
        api.redirect("/x/7", elsewhere)
        api.answer("/", Document(api.url(), content={"there": Link(elsewhere, "get"), "x": _X}))
        answers = []
        monkeypatch.setattr("lintel_client.addresses.is_public", lambda each: each == "127.0.0.1")
        monkeypatch.setattr(
            "lintel_client.mcp.server.serve_stdio",
            lambda toolset: answers.extend(
                [toolset.call("get_x_id", {"id": "7"}), toolset.call("get", {})]
            ),
        )
        assert lintel("mcp", "serve", api.url(), *options).status == 0
    assert [answer.is_error for answer in answers] == [True, True]
    assert all(text in answer.text for answer in answers for text in shown)


_X = Link("/x/{id}", "get", fields=[Field("id", True, "path")])
