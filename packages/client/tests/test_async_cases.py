"""Both clients send the requests of client_cases.json, byte for byte."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from lintel_client import (
    AsyncClient,
    AsyncResponse,
    Client,
    File,
    LintelError,
    Response,
    SchemeAuthentication,
)
from lintel_codecs.openapi import OpenAPICodec

FILES = [
    Path(__file__).parents[3] / "tests" / "data" / name
    for name in ("client_cases.json", "neighbour_cases.json")
]
CASES = [case for file in FILES for case in json.loads(file.read_text())["cases"]]
CALLS = [case for case in CASES if "call" in case]


class Recorder:
    schemes = ("http", "https")

    def __init__(self):
        self.sent = []

    def send(self, request):
        self.sent.append(request)
        return Response(204, url=request.url)


class AsyncRecorder(Recorder):
    async def send(self, request):
        self.sent.append(request)
        return AsyncResponse(204, url=request.url)


def value_of(value):
    if isinstance(value, dict) and "$file" in value:
        return File(value["$file"], bytes.fromhex(value["bytes"]))
    if isinstance(value, dict):
        return {key: value_of(inner) for key, inner in value.items()}
    return value


def call_of(case):
    content = json.dumps(case["doc"]).encode()
    document = OpenAPICodec().decode(content, base_url=case.get("retrieved_from", ""))
    params = value_of(case["call"]["params"])
    if "body" in case["call"]:
        params["body"] = value_of(case["call"]["body"])
    overrides = (
        {"server_variables": case["server_variables"]} if "server_variables" in case else None
    )
    return {
        "document": document,
        "keys": case["call"]["operationId"],
        "params": params,
        "overrides": overrides,
    }


def sent_by_client(case, recorder):
    auth = SchemeAuthentication(case["credentials"]) if "credentials" in case else None
    with Client(auth, transports=[recorder]) as client:
        client.action(**call_of(case))


def sent_by_async_client(case, recorder):
    async def main():
        auth = SchemeAuthentication(case["credentials"]) if "credentials" in case else None
        async with AsyncClient(auth, transports=[recorder]) as client:
            await client.action(**call_of(case))

    asyncio.run(main())


@pytest.mark.parametrize("case", CALLS, ids=lambda case: case["id"])
def test_both_clients_send_the_same(case):
    outcomes = []
    for send, recorder in ((sent_by_client, Recorder()), (sent_by_async_client, AsyncRecorder())):
        try:
            send(case, recorder)
        except LintelError as error:
            outcomes.append((type(error), str(error)))
        else:
            outcomes.append(recorder.sent)
    assert outcomes[0] == outcomes[1]
    expected = case["expect"].get("url")
    if expected and "also_accept" not in case:
        assert re.sub("#.*", "", outcomes[0][0].url) == expected
