"""The protocol's server, called by the SDK's own client."""

import json

import anyio
from mcp import Client

from lintel_client.mcp.server import make_server


def test_tools_are_listed_with_hints_and_called(service, toolset):
    service.answer("/books/7/", {"id": 7})

    async def talk():
        async with Client(make_server(toolset(allow_write=True))) as client:
            listed = (await client.list_tools()).tools
            answer = await client.call_tool("get_books_id", {"id": 7})
            wrong = await client.call_tool("get_books_id", {})
            unknown = await client.call_tool("nothing", {})
            return listed, answer, wrong, unknown

    listed, answer, wrong, unknown = anyio.run(talk)
    hints = {tool.name: tool.annotations for tool in listed}
    assert hints["get_books_id"].read_only_hint is True
    assert hints["delete_books_id"].destructive_hint is True
    assert hints["put_books_id"].idempotent_hint is True
    assert hints["post_books"].idempotent_hint is False
    assert json.loads(answer.content[0].text) == {"id": 7}
    assert not answer.is_error
    assert wrong.is_error
    assert json.loads(wrong.content[0].text)["errors"][0]["pointer"] == "/id"
    assert unknown.is_error


def test_a_cut_answer_says_so_in_a_block_of_its_own(service, toolset):
    service.answer("/books/", ["x" * 100] * 50)

    async def talk():
        async with Client(make_server(toolset(budget=1_000))) as client:
            return (await client.call_tool("get_books", {})).content

    text, note = anyio.run(talk)
    assert len(text.text) == 1_000
    assert "answer_cursor" in note.text
