"""The three clients read every description alike, and send the same requests."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from parity.calls import Call, call_of, operations
from parity.clients import Caller, NodeCaller, PythonCaller, ShellCaller, differing
from parity.descriptions import Description, all_descriptions
from parity.recorder import Recorder

from lintel_document.links import Link

pytestmark = pytest.mark.xdist_group("parity")

SEED = 24
#: How many operations of one description are called.
CALLS = 12
#: Methods that `fetch` refuses.
UNSENT = ("trace", "connect")


@dataclass(frozen=True)
class Clients:
    """The clients, and the server that records what they send."""

    recorder: Recorder
    callers: dict[str, Caller]

    def load(self, description: Description) -> dict[str, list[Any]]:
        """Return the keys that each client reads."""
        text, url = description.at(self.recorder.url), f"{self.recorder.url}/description"
        return {
            name: each.load(description.format, text, url) for name, each in self.callers.items()
        }


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clients]:
    folder = tmp_path_factory.mktemp("parity")
    kept = {name: text for name, text in os.environ.items() if name.lower().endswith("_proxy")}
    with pytest.MonkeyPatch.context() as patch:
        for name in kept:
            patch.delenv(name)
        patch.setenv("LINTEL_CONFIG_DIR", str(folder / "lintel"))
        recorder, python, node = Recorder(), PythonCaller(), NodeCaller(folder)
        shell = ShellCaller(folder), ShellCaller(folder, flags=True)
        names = ("Python", "JavaScript", "shell", "shell with flags")
        yield Clients(recorder, dict(zip(names, (python, node, *shell), strict=True)))
        node.close()
        python.close()
        recorder.close()


def name_of(description: Description) -> str:
    return description.name.rpartition("/")[2]


@pytest.mark.parametrize("description", all_descriptions(), ids=name_of)
def test_every_client_reads_and_sends_the_same(clients: Clients, description: Description) -> None:
    keys = clients.load(description)
    assert differing(keys) == ""
    random = Random(SEED)
    python = clients.callers["Python"]
    assert isinstance(python, PythonCaller)
    found = [each for each in operations(python.document) if each[1].action.lower() not in UNSENT]
    for place, link in random.sample(found, min(CALLS, len(found))):
        same_requests(clients, place, link, random)


@pytest.mark.parametrize("format", ["openapi", "hal"])
@pytest.mark.parametrize("description", all_descriptions(), ids=name_of)
def test_what_javascript_writes_is_read_alike(
    clients: Clients, description: Description, format: str
) -> None:
    text, url = description.at(clients.recorder.url), f"{clients.recorder.url}/description"
    node, before, after = clients.callers["JavaScript"], clients.callers["Python"], PythonCaller()
    assert isinstance(before, PythonCaller)
    assert isinstance(node, NodeCaller)
    keys = before.load(description.format, text, url)
    node.load(description.format, text, url)
    assert sorted(map(str, after.load(format, node.written(format), url))) == sorted(map(str, keys))
    random = Random(SEED)
    found = list(operations(before.document))
    for place, link in random.sample(found, min(CALLS // 3, len(found))):
        call = call_of(place, link, random)
        assert sent(clients, after, call) == sent(clients, before, call)
    after.close()


def sent(clients: Clients, caller: Caller, call: Call) -> tuple[str, list[dict[str, Any]]]:
    """Return the outcome of a call, and the requests that it made."""
    outcome = caller.call(call)
    return outcome.partition(":")[0], [each.comparable() for each in clients.recorder.taken()]


def same_requests(clients: Clients, place: Any, link: Link, random: Random) -> None:
    call = call_of(place, link, random)
    made = {name: sent(clients, caller, call) for name, caller in clients.callers.items()}
    expected = made.pop("Python")
    if has_body_that_is_not_sent(link, expected[1]):
        assert made.pop("JavaScript") == ("refused", [])
    for name, found in made.items():
        assert found == expected, f"{name}: {call}"


def has_body_that_is_not_sent(link: Link, seen: list[dict[str, Any]]) -> bool:
    """Return whether it is the body of a GET, which Python sends and `fetch` refuses."""
    return link.action.lower() in ("get", "head") and any(each["body"] for each in seen)


def test_the_descriptions_are_those_of_all_tests() -> None:
    found = all_descriptions()
    assert len(found) > 300
    assert {each.format for each in found} == {"openapi", "corejson", "hal", "jsonhyperschema"}
    assert any("github" in each.name for each in found)


NOTE = {"type": "object", "properties": {"title": {"type": "string"}, "day": {"type": "string"}}}
OPERATION = {"type": "object", "properties": {"op": {}, "path": {}, "from": {}, "value": {}}}
PATCHES = {
    "application/json": {"schema": NOTE},
    "application/merge-patch+json": {"schema": NOTE},
    "application/json-patch+json": {"schema": {"type": "array", "items": OPERATION}},
}
KEY = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}


@pytest.mark.parametrize(
    ("encoding", "params", "body"),
    [
        (None, {"title": "a"}, {"title": "a"}),
        ("application/merge-patch+json", {"title": "a", "day": None}, {"title": "a", "day": None}),
        (
            "application/json-patch+json",
            {"body": [{"op": "add", "path": "/tags/-", "value": None}]},
            [{"op": "add", "path": "/tags/-", "value": None}],
        ),
    ],
)
def test_patches_are_sent_as_what_they_are(
    clients: Clients, encoding: str | None, params: Any, body: Any
) -> None:
    operation = {"operationId": "change", "parameters": [KEY], "requestBody": {"content": PATCHES}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Notes", "version": "1"},
        "servers": [{"url": clients.recorder.url}],
        "paths": {
            "/notes/{id}/": {"patch": {**operation, "responses": {"200": {"description": ""}}}}
        },
    }
    for name, caller in clients.callers.items():
        (keys,) = caller.load("openapi", json.dumps(document), clients.recorder.url)
        call = Call(tuple(keys), {"id": 1, **params}, encoding)
        outcome, (request,) = sent(clients, caller, call)
        assert (outcome, json.loads(request["body"])) == ("sent", body), name
        assert f"content-type: {encoding or 'application/json'}" in request["headers"], name
