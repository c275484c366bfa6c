"""The Model Context Protocol server, built on the SDK: over stdio, or HTTP on loopback."""

import socket
from collections.abc import Callable, Iterable
from hmac import compare_digest
from typing import Any

import anyio
import uvicorn
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from lintel_client.version import __version__
from lintel_document.agents.answers import Answer
from lintel_document.agents.toolset import Tool, Toolset

__all__ = ["Guarded", "make_server", "serve_http", "serve_stdio"]

LOOPBACK = "127.0.0.1"


def make_server(toolset: Toolset) -> Server[Any]:
    """Return a server that offers the tools of a toolset."""

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in toolset.tools()])

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = params.arguments or {}
        answer = await anyio.to_thread.run_sync(
            toolset.call, params.name, arguments, abandon_on_cancel=True
        )
        return _result(answer)

    return Server(
        "lintel",
        version=__version__,
        instructions=toolset.instructions(),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def serve_stdio(toolset: Toolset) -> None:
    """Serve the parent process until it closes standard input."""
    anyio.run(_serve_stdio, make_server(toolset))


def serve_http(toolset: Toolset, port: int, token: str, announce: Callable[[str], None]) -> None:
    """Serve streamable HTTP on loopback only; ``announce`` receives the URL.

    Port 0 means any free port. Requests without the token, for other hosts and from pages of other
    origins are refused. Raises OSError if the port is taken.
    """
    app = Guarded(make_server(toolset).streamable_http_app(host=LOOPBACK), token)
    config = uvicorn.Config(app, log_level="warning", access_log=False)
    with socket.create_server((LOOPBACK, port)) as listening:
        announce(f"http://{LOOPBACK}:{listening.getsockname()[1]}/mcp")
        uvicorn.Server(config).run(sockets=[listening])


class Guarded:
    """An ASGI application that answers only requests with a bearer token (RFC 6750)."""

    def __init__(self, app: Any, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan" or self._admits(scope.get("headers", ())):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            challenge = (b"www-authenticate", b'Bearer realm="lintel"')
            start = {"type": "http.response.start", "status": 401, "headers": [challenge]}
            await send(start)
            await send({"type": "http.response.body", "body": b"A token is needed.\n"})

    def _admits(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        given = [value for name, value in headers if name.lower() == b"authorization"]
        scheme, _, token = given[0].partition(b" ") if len(given) == 1 else (b"", b"", b"")
        return scheme.lower() == b"bearer" and compare_digest(token.strip(), self._token)


async def _serve_stdio(server: Server[Any]) -> None:
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=True,
        ),
    )


def _result(answer: Answer) -> types.CallToolResult:
    texts = [text for text in (answer.text, answer.note) if text]
    content: list[Any] = [types.TextContent(type="text", text=text) for text in texts]
    return types.CallToolResult(
        content=content, structured_content=answer.structured, is_error=answer.is_error
    )
