"""The streams of tests/data/stream_cases.json, which every client of the repository reads."""

import asyncio
import json
from dataclasses import asdict
from pathlib import Path

import pytest

from lintel_client import (
    AsyncClient,
    AsyncResponse,
    Client,
    Event,
    NetworkError,
    ParseError,
    Response,
)
from lintel_codecs.openapi import OpenAPICodec

FILE = Path(__file__).parents[3] / "tests" / "data" / "stream_cases.json"
CASES = json.loads(FILE.read_text())["cases"]
ERRORS = {"parse": ParseError, "size": NetworkError}


class Canned:
    schemes = ("https",)

    def __init__(self, case, chunks):
        self.headers = {"Content-Type": case["content_type"]}
        self.chunks = chunks

    def send(self, request):
        return Response(200, self.headers, self.chunks, request.url)


class AsyncCanned(Canned):
    async def send(self, request):
        return AsyncResponse(200, self.headers, self.chunks, request.url)


def document_of(case):
    media = {"itemSchema": case["item_schema"]} if "item_schema" in case else {}
    description = {
        "openapi": "3.2.0",
        "info": {"title": "Streams", "version": "1"},
        "servers": [{"url": "https://api.example.org/"}],
        "paths": {
            "/items": {
                "get": {
                    "operationId": "follow",
                    "responses": {
                        "200": {"description": "", "content": {case["content_type"]: media}}
                    },
                }
            }
        },
        "components": {"schemas": case.get("components", {})},
    }
    return OpenAPICodec().decode(json.dumps(description).encode())


def chunks_of(case):
    return [
        bytes.fromhex(chunk["hex"]) if isinstance(chunk, dict) else chunk.encode()
        for chunk in case["chunks"]
    ]


def plain(item):
    return asdict(item) if isinstance(item, Event) else item


def options_of(case):
    return {"reconnect": False, **({"max_item": case["max_item"]} if "max_item" in case else {})}


def read(case, chunks):
    """Return the items, the class of the error, and the id to go on from."""
    items, failed = [], None
    with Client(transports=[Canned(case, chunks)]) as client:
        stream = client.stream(document_of(case), "follow", **options_of(case))
        try:
            items.extend(plain(item) for item in stream)
        except (ParseError, NetworkError) as error:
            failed = type(error)
    return items, failed, stream.last_event_id


async def read_async(case, chunks):
    items, failed = [], None
    async with AsyncClient(transports=[AsyncCanned(case, chunks)]) as client:
        stream = client.stream(document_of(case), "follow", **options_of(case))
        try:
            async for item in stream:
                items.append(plain(item))
        except (ParseError, NetworkError) as error:
            failed = type(error)
    return items, failed, stream.last_event_id


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case):
    chunks = chunks_of(case)
    whole = b"".join(chunks)
    ways = [chunks, [whole], [whole[at : at + 1] for at in range(len(whole))]]
    expected = case["items"], ERRORS.get(case.get("error"))
    for way in ways:
        items, failed, last_id = read(case, way)
        assert (items, failed) == expected
        assert last_id == case.get("last_event_id", last_id)
    assert asyncio.run(read_async(case, chunks)) == read(case, chunks)
