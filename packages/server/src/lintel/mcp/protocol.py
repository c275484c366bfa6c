"""The messages of the Model Context Protocol over streamable HTTP, without sessions.

Two generations are spoken: with a handshake (until 2025-11-25), of which nothing is remembered, and
without one (2026-07-28), where each request says what it speaks. Messages are JSON-RPC 2.0.
"""

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from lintel_document.agents.answers import Answer
from lintel_document.agents.toolset import Tool, Toolset

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
VERSIONS = (*HANDSHAKE_VERSIONS, "2026-07-28")

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

#: Statuses of faults; those in a handshake's generation that concern no message as such are 200.
_STATUSES = {
    METHOD_NOT_FOUND: 404,
    INTERNAL_ERROR: 500,
}
_ALWAYS = (PARSE_ERROR, INVALID_REQUEST, UNSUPPORTED_VERSION)
_META = "io.modelcontextprotocol"
_NAME = "lintel"
_ENCODED = ("=?base64?", "?=")

Params = Mapping[str, Any]


class Fault(Exception):
    """A message that cannot be answered, as an error of JSON-RPC."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


@dataclass(frozen=True, slots=True)
class Reply:
    """The status and the content of a response; no content for a notification."""

    status: int
    content: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One request: who it is from does not matter here. ``toolset`` is made on first use."""

    method: str
    params: Params
    toolset: Callable[[], Toolset]
    title: str
    speaks: str = VERSIONS[0]
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_modern(self) -> bool:
        return self.speaks not in HANDSHAKE_VERSIONS


def reply_to(
    message: object, headers: Mapping[str, str], toolset: Callable[[], Toolset], title: str
) -> Reply:
    """Reply to a message: the decoded body of a request, and its headers.

    ``toolset`` returns the tools that the caller may use, and raises what its making raises.
    """
    speaks = headers.get("MCP-Protocol-Version") or HANDSHAKE_VERSIONS[1]
    number = message.get("id") if isinstance(message, Mapping) else None
    try:
        call = _call(message, speaks, headers, toolset, title)
        if call is None:
            return Reply(202)
        result = _result(call)
    except Fault as fault:
        return failure(fault, number, speaks)
    return Reply(200, {"jsonrpc": "2.0", "id": number, "result": result})


def failure(fault: Fault, number: object = None, speaks: str = "") -> Reply:
    """Reply to a fault; the status depends on the generation of the protocol."""
    error: dict[str, Any] = {"code": fault.code, "message": fault.message}
    if fault.data is not None:
        error["data"] = fault.data
    is_number = isinstance(number, str | int) and not isinstance(number, bool)
    content = {"jsonrpc": "2.0", "id": number if is_number else None, "error": error}
    lenient = speaks in HANDSHAKE_VERSIONS and fault.code not in _ALWAYS
    return Reply(200 if lenient else _STATUSES.get(fault.code, 400), content)


def _call(
    message: object,
    speaks: str,
    headers: Mapping[str, str],
    toolset: Callable[[], Toolset],
    title: str,
) -> Call | None:
    """Read a request; None for a notification or a response, which need no answer."""
    if not isinstance(message, Mapping) or message.get("jsonrpc") != "2.0":
        raise Fault(INVALID_REQUEST, "The body must be one JSON-RPC 2.0 message, not a batch")
    if speaks not in VERSIONS:
        told = {"supported": list(VERSIONS), "requested": speaks}
        raise Fault(UNSUPPORTED_VERSION, "Unsupported protocol version", told)
    if not _is_request(message):
        return None
    params = message.get("params", {})
    if not isinstance(params, Mapping):
        raise Fault(INVALID_PARAMS, "The params must be an object")
    call = Call(message["method"], params, toolset, title, speaks, headers)
    if call.is_modern:
        _check_envelope(call)
    return call


def _is_request(message: Mapping[str, Any]) -> bool:
    """Whether a message wants an answer. Raises Fault for one that is malformed."""
    method, number = message.get("method"), message.get("id")
    if method is None and ("result" in message or "error" in message):
        return False
    if not isinstance(method, str):
        raise Fault(INVALID_REQUEST, "The message has no method")
    if "id" not in message:
        return False
    if not isinstance(number, str | int) or isinstance(number, bool):
        raise Fault(INVALID_REQUEST, "The id must be a text or a whole number")
    return True


def _check_envelope(call: Call) -> None:
    """Raise Fault unless a request without a handshake says what it needs, twice alike."""
    meta = call.params.get("_meta")
    meta = meta if isinstance(meta, Mapping) else {}
    missing = [
        name
        for name in (f"{_META}/protocolVersion", f"{_META}/clientCapabilities")
        if name not in meta
    ]
    if missing:
        raise Fault(INVALID_PARAMS, f"params._meta lacks {' and '.join(missing)}")
    expected = {
        "MCP-Protocol-Version": meta[f"{_META}/protocolVersion"],
        "Mcp-Method": call.method,
    }
    if call.method == "tools/call":
        expected["Mcp-Name"] = call.params.get("name")
    for name, value in expected.items():
        if _decoded(call.headers.get(name, "")) != value:
            raise Fault(HEADER_MISMATCH, f"The header {name} differs from the body")


def _decoded(value: str) -> str:
    """The value of a header, which may be in base64 between marks."""
    start, end = _ENCODED
    if not (value.startswith(start) and value.endswith(end)):
        return value
    try:
        return base64.b64decode(value[len(start) : -len(end)], validate=True).decode()
    except (binascii.Error, ValueError):
        return ""


def _result(call: Call) -> dict[str, Any]:
    answer = _METHODS.get(call.method)
    if answer is None or call.method in (_OLD if call.is_modern else _NEW):
        raise Fault(METHOD_NOT_FOUND, "Method not found", call.method[:200])
    result = answer(call)
    if not call.is_modern:
        return result
    listed = {} if call.method == "tools/call" else {"ttlMs": 0, "cacheScope": "private"}
    return {**result, **listed, "resultType": "complete"}


def _initialize(call: Call) -> dict[str, Any]:
    asked = call.params.get("protocolVersion")
    version = asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
    return {
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": _server(call),
        "instructions": call.toolset().instructions(),
    }


def _discover(call: Call) -> dict[str, Any]:
    return {
        "supportedVersions": list(VERSIONS),
        "capabilities": {"tools": {}},
        "instructions": call.toolset().instructions(),
        "_meta": {f"{_META}/serverInfo": _server(call)},
    }


def _list_tools(call: Call) -> dict[str, Any]:
    return {"tools": [_described(tool) for tool in call.toolset().tools()]}


def _call_tool(call: Call) -> dict[str, Any]:
    name, arguments = call.params.get("name"), call.params.get("arguments")
    if not isinstance(name, str):
        raise Fault(INVALID_PARAMS, "The params need the name of a tool")
    if arguments is not None and not isinstance(arguments, Mapping):
        raise Fault(INVALID_PARAMS, "The arguments must be an object")
    return _answered(call.toolset().call(name, arguments or {}))


_METHODS: Mapping[str, Callable[[Call], dict[str, Any]]] = {
    "initialize": _initialize,
    "ping": lambda call: {},
    "server/discover": _discover,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
}
#: Methods of one generation alone.
_OLD, _NEW = ("initialize", "ping"), ("server/discover",)


def _server(call: Call) -> dict[str, str]:
    return {"name": _NAME, "title": call.title, "version": _version()}


def _version() -> str:
    """The version of this package; not that of the API it speaks."""
    try:
        return version("django-lintel")
    except PackageNotFoundError:
        return ""


def _described(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "annotations": {
            "title": tool.title,
            "readOnlyHint": tool.read_only,
            "destructiveHint": tool.destructive,
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
        },
    }


def _answered(answer: Answer) -> dict[str, Any]:
    texts = [text for text in (answer.text, answer.note) if text]
    content = [{"type": "text", "text": text} for text in texts]
    result: dict[str, Any] = {"content": content, "isError": answer.is_error}
    if answer.structured is not None:
        result["structuredContent"] = answer.structured
    return result
