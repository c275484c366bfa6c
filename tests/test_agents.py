"""APIs as tools for agents: the SDK's own client, over stdio and HTTP, with real services."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import entry_points
from pathlib import Path
from threading import Thread
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from service_process import LINTEL, PASSWORD, REPOSITORY, CommandLine, Service

pytestmark = pytest.mark.xdist_group("service")

PAGE = (REPOSITORY / "docs" / "agents.md").read_text()
Talk = Callable[[Client], Awaitable[Any]]

TOKEN = "a-token-for-the-tests-of-agents"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def ada(lintel: CommandLine, service: Service) -> CommandLine:
    """The command line with the token of user ada stored."""
    answer = httpx2.post(f"{service.url}token/", json={"username": "ada", "password": PASSWORD})
    token = answer.json()["token"]
    assert lintel("credentials", "add", service.address, f"Token {token}").status == 0
    return lintel


def over_stdio(lintel: CommandLine, talk: Talk, *arguments: str) -> Any:
    """Start the server as an agent's host does, and talk to it."""
    environment = {**os.environ, **lintel.environment, "LINTEL_CONFIG_DIR": str(lintel.folder)}
    command = StdioServerParameters(
        command=str(LINTEL), args=["mcp", "serve", *arguments], env=environment
    )

    async def run() -> Any:
        with open(os.devnull, "w") as silence, anyio.fail_after(60):
            async with Client(stdio_client(command, silence)) as client:
                return await talk(client)

    return anyio.run(run)


@contextmanager
def serving(lintel: CommandLine, *arguments: str) -> Iterator[str]:
    """The server over HTTP; yields its URL."""
    process = subprocess.Popen(
        [str(LINTEL), "mcp", "serve", *arguments, "--http", "--port", "0"],
        env={**os.environ, "LINTEL_CONFIG_DIR": str(lintel.folder), "LINTEL_MCP_TOKEN": TOKEN},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr
        line = process.stderr.readline()
        found = re.search(r"http://127.0.0.1:\d+/mcp", line)
        assert found, line
        yield found[0]
    finally:
        process.terminate()
        process.communicate(timeout=20)


def over_http(url: str, talk: Talk) -> Any:
    async def run() -> Any:
        with anyio.fail_after(60):
            async with (
                httpx2.AsyncClient(headers=BEARER, timeout=60) as http,
                Client(streamable_http_client(url, http_client=http)) as client,
            ):
                return await talk(client)

    return anyio.run(run)


def data(answer: Any) -> Any:
    return json.loads(answer.content[0].text)


async def write_and_read(client: Client) -> dict[str, Any]:
    created = data(await client.call_tool("post_snippets", {"code": "print(1)", "title": "t"}))
    key = {"id": created["pk"]}
    read = data(await client.call_tool("get_snippets_id", key))
    refused = await client.call_tool("post_snippets", {"code": "x", "language": "klingon"})
    stepped = await client.call_tool("get_snippets_id", {"id": "../users"})
    gone = await client.call_tool("delete_snippets_id", key)
    return {
        "created": created,
        "read": read,
        "refused": refused,
        "stepped": stepped,
        "gone": gone,
        "tools": (await client.list_tools()).tools,
    }


def check(outcome: dict[str, Any]) -> None:
    assert outcome["read"]["code"] == "print(1)"
    assert outcome["read"]["pk"] == outcome["created"]["pk"]
    assert outcome["refused"].is_error
    assert data(outcome["refused"])["errors"][0]["pointer"] == "/language"
    assert data(outcome["stepped"])["errors"][0]["pointer"] == "/id"
    assert not outcome["gone"].is_error
    hints = {tool.name: tool.annotations for tool in outcome["tools"]}
    assert hints["get_snippets"].read_only_hint
    assert hints["delete_snippets_id"].destructive_hint


def test_our_service_over_stdio(ada: CommandLine, service: Service) -> None:
    check(over_stdio(ada, write_and_read, service.url, "--allow-write"))


def test_our_service_over_http(ada: CommandLine, service: Service) -> None:
    with serving(ada, service.url, "--allow-write") as url:
        check(over_http(url, write_and_read))
        # Pages of another origin, or with another name of this machine, are refused.
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        wrong = [{"Host": "evil.example"}, {"Origin": "http://evil.example"}]
        statuses = [
            httpx2.post(url, json=body, headers={**BEARER, **headers}).status_code
            for headers in wrong
        ]
        assert all(status in (403, 421) for status in statuses), statuses
        assert httpx2.post(url, json=body).status_code == 401


def test_a_bookmark_is_read_only_and_uses_its_own_credentials(
    lintel: CommandLine, service: Service
) -> None:
    assert lintel("get", service.url).status == 0
    assert lintel("bookmarks", "add", "demo").status == 0

    async def talk(client: Client) -> Any:
        listed = (await client.list_tools()).tools
        answer = await client.call_tool("get_snippets", {"page_size": 3})
        return listed, answer

    tools, answer = over_stdio(lintel, talk, "demo", "--include", "snippets")
    assert {"get_snippets", "get_snippets_id"} <= {tool.name for tool in tools}
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert all(tool.name.startswith("get_snippets") for tool in tools)
    assert len(data(answer)["results"]) == 3


def test_names_of_tools_are_the_same_in_each_format(ada: CommandLine, service: Service) -> None:
    async def names(client: Client) -> Any:
        return sorted(tool.name for tool in (await client.list_tools()).tools)

    async def results(client: Client) -> Any:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        answer = await client.call_tool("get_snippets", {"page_size": 2})
        return tools["get_snippets"].output_schema, answer.structured_content

    native = over_stdio(ada, names, service.url, "--allow-write")
    hal = over_stdio(ada, names, service.url, "--allow-write", "--format", "hal")
    described = f"{service.url}openapi/"
    openapi = over_stdio(ada, names, described, "--allow-write", "--format", "openapi")
    assert native == hal == openapi
    assert "get_snippets_id_highlight" in native
    schema, structured = over_stdio(ada, results, described, "--format", "openapi")
    members = schema["properties"]["result"]["properties"]
    assert members["results"]["items"]["properties"]["code"]["type"] == "string"
    assert len(structured["result"]["results"]) == 2


def test_a_refused_write_names_the_option(ada: CommandLine, service: Service) -> None:
    async def talk(client: Client) -> Any:
        return await client.call_tool("post_snippets", {"code": "x"})

    refused = over_stdio(ada, talk, service.url)
    assert refused.is_error
    assert "--allow-write" in data(refused)["title"]


def test_wrong_uses_are_told_in_a_line(lintel: CommandLine, service: Service) -> None:
    outcome = lintel("mcp", "serve", "nowhere")
    assert outcome.status == 2
    assert "There is no bookmark 'nowhere'" in outcome.errors
    outcome = lintel("mcp", "serve", service.url, "--include", "nothing")
    assert outcome.status == 2
    assert "No operation is offered" in outcome.errors


def test_the_example_of_the_page_runs(ada: CommandLine, service: Service) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", example],
        env={
            **os.environ,
            "SERVICE_URL": service.url,
            "LINTEL_CONFIG_DIR": str(ada.folder),
            "PATH": f"{LINTEL.parent}{os.pathsep}{os.environ['PATH']}",
        },
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    names, count = done.stdout.splitlines()
    assert "get_snippets" in names
    assert count == "2"
    listed, over_http = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert json.loads(listed)["mcpServers"]["snippets"]["args"][:2] == ["mcp", "serve"]
    assert "Authorization" in json.loads(over_http)["mcpServers"]["snippets"]["headers"]


# A foreign service, described in OpenAPI

PET = {"$ref": "#/components/schemas/Pet"}
PETS = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets": {
            "get": {
                "operationId": "listPets",
                "tags": ["pets"],
                "parameters": [
                    {"name": "tag", "in": "query", "schema": {"type": "array", "items": {}}}
                ],
                "responses": {"200": {"description": "ok"}},
            },
            "post": {
                "operationId": "addPet",
                "tags": ["pets"],
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}
                    },
                },
                "responses": {"201": {"description": "made"}},
            },
        },
        "/pets/{id}": {
            "get": {
                "operationId": "getPet",
                "tags": ["pets"],
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
                ],
                "responses": {"200": {"description": "ok"}},
            },
        },
    },
    "components": {
        "schemas": {
            "Pet": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": {"type": "string"},
                    "friend": PET,
                },
            }
        }
    },
}


class Pets(BaseHTTPRequestHandler):
    """Returns the description, and otherwise what was requested."""

    def do_GET(self) -> None:
        if self.path == "/openapi.json":
            self._send(PETS)
        else:
            self._send({"path": self.path, "authorization": self.headers.get("Authorization")})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._send({"body": body, "key": self.headers.get("Idempotency-Key")})

    def _send(self, value: Any) -> None:
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Keep test output quiet."""


@pytest.fixture
def pets() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Pets) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/openapi.json"
        server.shutdown()
        thread.join()


@pytest.fixture
def with_codecs(lintel: CommandLine, tmp_path: Path) -> CommandLine:
    """The command line with the codecs installed, even if the environment lacks them."""
    if entry_points(group="lintel.codecs"):
        return lintel
    project = tomllib.loads((REPOSITORY / "packages" / "codecs" / "pyproject.toml").read_text())
    points = project["project"]["entry-points"]["lintel.codecs"]
    info = tmp_path / "site" / "codecs-1.dist-info"
    info.mkdir(parents=True)
    lines = [f"{name} = {place}" for name, place in points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[lintel.codecs]", *lines]))
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: codecs\nVersion: 1\n")
    path = os.pathsep.join(filter(None, [str(info.parent), os.environ.get("PYTHONPATH")]))
    return replace(lintel, environment={**lintel.environment, "PYTHONPATH": path})


def test_a_foreign_service(with_codecs: CommandLine, pets: str) -> None:
    lintel = with_codecs
    secret = "Bearer a-very-long-secret"
    host = pets.split("/")[2]
    assert lintel("credentials", "add", host, secret).status == 0

    async def talk(client: Client) -> Any:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        names = list(tools)
        listed = await client.call_tool(names[0], {"tag": ["a", "b"]})
        added = await client.call_tool(names[1], {"name": "Rex", "friend": {"name": "Tim"}})
        read = await client.call_tool(names[2], {"id": 7})
        return tools, data(listed), data(added), data(read)

    tools, listed, added, read = over_stdio(lintel, talk, pets, "--allow-write")
    assert list(tools) == ["get_pets", "post_pets", "get_pets_id"]
    assert listed == {"path": "/pets?tag=a&tag=b", "authorization": "***"}
    assert added["body"] == {"name": "Rex", "friend": {"name": "Tim"}}
    assert added["key"]
    assert read["path"] == "/pets/7"
    for tool in tools.values():
        assert tool.input_schema["type"] == "object"
