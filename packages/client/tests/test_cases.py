"""The requests of tests/data/client_cases.json, which every client of the repository replays."""

import json
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest

from lintel_client import File, SchemeAuthentication
from lintel_client.building import build_request
from lintel_client.errors import LintelError
from lintel_client.lookup import find_link, overridden
from lintel_client.messages import Request
from lintel_codecs.openapi import OpenAPICodec
from lintel_document import Document, Link

FILES = [
    Path(__file__).parents[3] / "tests" / "data" / name
    for name in ("client_cases.json", "neighbour_cases.json")
]
CASES = [case for file in FILES for case in json.loads(file.read_text())["cases"]]
REFUSALS = ("refuse", "refuse_or_warn", "refuse_or_degrade")


def loaded(case: dict[str, Any]) -> Document:
    content = json.dumps(case["doc"]).encode()
    return OpenAPICodec().decode(content, base_url=case.get("retrieved_from", ""))


def links(node: Any, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Link]:
    if isinstance(node, Link):
        return {path: node}
    return {
        inner: link
        for key, value in node.items()
        for inner, link in links(value, (*path, key)).items()
    }


def value_of(value: Any) -> Any:
    if isinstance(value, list):
        return [value_of(item) for item in value]
    if isinstance(value, dict) and "$file" in value:
        return File(value["$file"], bytes.fromhex(value["bytes"]))
    if isinstance(value, dict):
        return {key: value_of(inner) for key, inner in value.items()}
    return value


def built(case: dict[str, Any]) -> Request:
    document = loaded(case)
    link = find_link(document, case["call"]["operationId"]).link
    if "server_variables" in case:
        link = overridden(link, {"server_variables": case["server_variables"]})
    params = value_of(case["call"]["params"])
    if "body" in case["call"]:
        params["body"] = value_of(case["call"]["body"])
    request = build_request(link, params, base_url=document.url, schemes=document.security_schemes)
    if "credentials" in case:
        request = SchemeAuthentication(case["credentials"]).prepared(request)
    return request


def matches(request: Request, expected: dict[str, Any]) -> bool:
    headers = expected.get("headers", {}).items()
    return request.url == expected["url"] and all(
        request.headers.get(name) == value for name, value in headers
    )


def parts_of(request: Request) -> list[dict[str, Any]]:
    head = f"Content-Type: {request.headers['Content-Type']}\r\n\r\n".encode()
    message = message_from_bytes(head + (request.body or b""), policy=policy.HTTP)
    return [
        {
            "name": part.get_param("name", header="content-disposition"),
            "filename": part.get_filename(),
            "content_type": part.get_content_type(),
            "hex": part.get_payload(decode=True).hex(),
        }
        for part in message.iter_parts()
    ]


def check_body(request: Request, expected: dict[str, Any]) -> None:
    if "json" in expected:
        assert json.loads(request.body or b"?") == expected["json"]
    if "hex" in expected:
        assert request.body is not None
        assert request.body.hex() == expected["hex"]
    if "content_type" in expected:
        assert request.headers["Content-Type"].partition(";")[0] == expected["content_type"]
    for part, wanted in (
        zip(parts_of(request), expected["parts"], strict=True) if "parts" in expected else ()
    ):
        assert part.items() >= wanted.items()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    expected = case["expect"]
    if "operations" in expected:
        found = links(loaded(case))
        assert len(found) == expected["operations"]
        reversed_paths = dict(reversed(case["doc"]["paths"].items()))
        again = loaded({**case, "doc": {**case["doc"], "paths": reversed_paths}})
        assert {path: link.url for path, link in links(again).items()} == {
            path: link.url for path, link in found.items()
        }
        return
    if expected.keys() & set(REFUSALS):
        check_refusal(case, expected)
        return
    request = built(case)
    assert any(
        matches(request, {**expected, **other}) for other in [{}, *case.get("also_accept", [])]
    ), (request.url, request.headers.pairs())
    assert not request.headers.keys() & set(expected.get("no_headers", ()))
    check_body(request, expected)


def check_refusal(case: dict[str, Any], expected: dict[str, Any]) -> None:
    if "refuse_or_degrade" in expected:
        issues = loaded(case).issues
        assert issues
        assert all(issue.place.startswith("#/") for issue in issues)
    with pytest.raises(LintelError) as caught:
        built(case)
    assert all(name in str(caught.value) for name in expected.get("names", ()))


def test_ignored_headers_are_no_parameters() -> None:
    case = next(case for case in CASES if case["id"] == "header-parameters-ignored")
    assert loaded(case)["op"].fields == ()
