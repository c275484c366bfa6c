"""Tools of a project, called by the protocol's own SDK over streamable HTTP."""

import json
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from servers import wait_for

# Servers are started once.
pytestmark = pytest.mark.xdist_group("mcp")

Talk = Callable[[Client], Awaitable[Any]]

SERVERS = {
    "wsgi": ["granian", "--interface", "wsgi", "mcp_process:wsgi"],
    "asgi": ["uvicorn", "--log-level", "warning", "mcp_process:asgi"],
    "own": ["granian", "--interface", "asgi", "mcp_process:own_asgi"],
}


@pytest.fixture(scope="module", params=list(SERVERS))
def served(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a project behind a server in a process of its own."""
    with closing(socket.create_server(("127.0.0.1", 0))) as held:
        host, port = held.getsockname()
    program, *options = SERVERS[request.param]
    line = [str(Path(sys.executable).parent / program), *options, "--host", host]
    process = subprocess.Popen([*line, "--port", str(port)], cwd=Path(__file__).parent)
    try:
        wait_for((host, port), process)
        yield f"http://{host}:{port}/"
    finally:
        process.terminate()
        process.wait(timeout=60)


def talking(url: str, talk: Talk, mode: str = "auto", **headers: str) -> Any:
    async def run() -> Any:
        with anyio.fail_after(60):
            async with (
                httpx2.AsyncClient(headers=headers, timeout=60) as http,
                Client(streamable_http_client(url, http_client=http), mode=mode) as client,
            ):
                return await talk(client)

    return anyio.run(run)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_of_the_protocol_finds_and_calls_tools(served: str, mode: str) -> None:
    async def talk(client: Client) -> Any:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        made = await client.call_tool("post_books", {"title": "New"})
        refused = await client.call_tool("post_books", {"title": "x" * 11})
        seen = await client.call_tool("get_seen-on-loop", {})
        unknown = await client.call_tool("é", {})
        return tools, made, refused, seen, unknown

    url = f"{served}writing/"
    tools, made, refused, seen, unknown = talking(url, talk, mode, Authorization="Bearer ada")
    assert tools["get_books"].annotations.read_only_hint
    assert tools["post_books"].input_schema["required"] == ["title"]
    # The client refuses results that do not fit the schema of the output.
    assert made.structured_content == {"result": {"id": 3, "title": "New", "tags": []}}
    assert refused.is_error
    assert json.loads(refused.content[0].text)["errors"][0]["pointer"] == "/title"
    assert seen.structured_content["result"]["user"] == "ada"
    assert seen.structured_content["result"]["path"] == "/seen-on-loop/"
    assert unknown.is_error


@pytest.mark.parametrize("name", ["get_ticks", "get_ticks-on-loop", "get_lines"])
def test_streams_end(served: str, name: str) -> None:
    async def talk(client: Client) -> Any:
        return await client.call_tool(name, {})

    answer = talking(f"{served}writing/", talk)
    assert not answer.is_error
    assert 1 <= len(json.loads(answer.content[0].text)) <= 2


def test_every_tool_of_a_project_answers(served: str) -> None:
    async def talk(client: Client) -> Any:
        tools = (await client.list_tools()).tools
        arguments = {
            tool.name: dict.fromkeys(tool.input_schema.get("required", ()), "1") for tool in tools
        }
        return {name: await client.call_tool(name, given) for name, given in arguments.items()}

    answers = talking(f"{served}writing/", talk, Authorization="Bearer root")
    assert [name for name, answer in answers.items() if answer.is_error] == ["get_broken"]


def test_callers_without_credentials_see_less(served: str) -> None:
    async def names(client: Client) -> Any:
        return {tool.name for tool in (await client.list_tools()).tools}

    url = f"{served}writing/"
    assert "get_private" not in talking(url, names)
    assert "get_private" in talking(url, names, Authorization="Bearer root")
    with pytest.raises(BaseException, match=r"401|Unauthorized|TaskGroup|exception"):
        talking(url, names, Authorization="Bearer nobody")


def test_large_bodies_end_early(served: str) -> None:
    headers = {"Accept": "application/json", "Content-Type": "application/json"}

    def chunks() -> Iterator[bytes]:
        yield from [b" " * 65_536] * 32

    for content in (b" " * 2_000_000, chunks()):
        answer = httpx2.post(f"{served}mcp/", content=content, headers=headers, timeout=60)
        assert answer.status_code == 400
        assert answer.json()["error"]["code"] == -32600
