"""A project's operations as tools for agents: messages, rules and calls."""

import gzip
import json
import re
from typing import Any

import jsonschema
import mcp_service
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.client import BOUNDARY
from django.urls import path
from mcp_service import CONTENT, COUNTED

import lintel.mcp
from lintel.test import APIClient

pytestmark = pytest.mark.urls("mcp_service")

ADA = {"Authorization": "Bearer ada"}
ROOT = {"Authorization": "Bearer root"}
HANDSHAKE = "2025-11-25"
MODERN = "2026-07-28"


@pytest.fixture(autouse=True)
def nothing_counted(settings: Any) -> None:
    settings.MIDDLEWARE = ["mcp_service.counting", "django.middleware.common.CommonMiddleware"]
    COUNTED.update(dict.fromkeys(COUNTED, 0))


def post(message: Any, url: str = "/writing/", client: Client | None = None, **headers: str) -> Any:
    content = message if isinstance(message, str | bytes) else json.dumps(message)
    sent = {"Accept": "application/json, text/event-stream", **headers}
    used = client or Client(raise_request_exception=False)
    return used.post(url, content, content_type="application/json", headers=sent)


def ask(method: str, params: Any = None, url: str = "/writing/", **headers: str) -> Any:
    message = {"jsonrpc": "2.0", "id": 1, "method": method}
    answer = post({**message, **({} if params is None else {"params": params})}, url, **headers)
    assert answer.status_code == 200, answer.content
    body = answer.json()
    assert (body["jsonrpc"], body["id"]) == ("2.0", 1)
    return body["result"] if "result" in body else body["error"]


def call(name: str, arguments: Any = None, url: str = "/writing/", **headers: str) -> Any:
    return ask("tools/call", {"name": name, "arguments": arguments or {}}, url, **headers)


def data(result: Any) -> Any:
    assert not result["isError"], result
    return json.loads(result["content"][0]["text"])


def refused(result: Any) -> Any:
    assert result["isError"], result
    assert "structuredContent" not in result
    return json.loads(result["content"][0]["text"])


def names(url: str = "/writing/", **headers: str) -> list[str]:
    return [tool["name"] for tool in ask("tools/list", url=url, **headers)["tools"]]


# What is offered


def test_operations_that_read_are_offered_and_no_others() -> None:
    listed = names("/mcp/")
    assert {"get_books", "get_books_id", "get_seen", "get_ticks"} <= set(listed)
    assert not [name for name in listed if not name.startswith("get_")]
    assert not [name for name in listed if "mcp" in name or "schema" in name or "private" in name]


def test_a_caller_is_offered_what_the_schema_shows_to_them() -> None:
    assert "get_private" not in names()
    assert "get_private" not in names(**ADA)
    assert "get_private" in names(**ROOT)
    assert "post_books" not in names()
    assert {"post_books", "delete_books_id"} <= set(names(**ADA))
    title = refused(call("get_private", **ADA))["title"]
    assert title.startswith("There is no tool 'get_private'")


def test_writes_name_the_setting_that_allows_them(settings: Any) -> None:
    title = refused(call("post_books", {"title": "x"}, "/small/", **ADA))["title"]
    assert "MCP_ALLOW_WRITE" in title
    assert COUNTED["written"] == 0
    assert "MCP_ALLOW_WRITE" in ask("initialize", {}, "/mcp/")["instructions"]
    settings.REST_FRAMEWORK = {"MCP_ALLOW_WRITE": True}
    assert "post_books" in names("/small/", **ADA)
    assert data(call("post_books", {"title": "x"}, "/small/", **ADA))["id"] == 3


def test_patterns_choose_operations() -> None:
    assert names("/small/", **ADA) == ["get_books", "get_books_id"]


def test_tools_say_what_they_take_and_return() -> None:
    tools = {tool["name"]: tool for tool in ask("tools/list", **ADA)["tools"]}
    for tool in tools.values():
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
    taken = tools["post_books"]["inputSchema"]
    assert taken["required"] == ["title"]
    assert taken["properties"]["title"]["description"] == "The title."
    result = tools["get_books_id"]["outputSchema"]["properties"]["result"]
    assert result["properties"]["id"]["type"] == "integer"
    assert tools["get_books"]["outputSchema"]["properties"]["result"]["type"] == "array"
    assert "Books, and what is done with them." in tools["get_books"]["description"]
    hints = {name: tool["annotations"] for name, tool in tools.items()}
    assert hints["get_books"]["readOnlyHint"] is True
    assert hints["delete_books_id"]["destructiveHint"] is True


def test_the_schema_does_not_describe_the_view() -> None:
    document = json.loads(Client().get("/schema/?format=openapi-json").content)
    assert "/seen/" in document["paths"]
    assert not {"/mcp/", "/small/", "/writing/"} & set(document["paths"])


# Calls


def test_results_are_text_and_data_that_fits_the_output() -> None:
    result = call("get_books_id", {"id": 2})
    assert data(result) == mcp_service.BOOKS[2]
    assert result["structuredContent"] == {"result": mcp_service.BOOKS[2]}
    assert call("get_books")["structuredContent"]["result"][0]["title"] == "One"


def test_a_call_goes_through_middleware_and_is_counted_once_by_throttles() -> None:
    call("get_books_id", {"id": 1})
    assert (COUNTED["middleware"], COUNTED["throttle"]) == (2, 1)
    answer = refused(call("get_books", **{"X-Refused": "1"}))
    assert (answer["status"], answer["retry_after"]) == (429, 7)
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert post(message, **{"X-Refused": "1"}).status_code == 429


def test_calls_that_reach_no_view_are_counted_as_well() -> None:
    for arguments in ({"name": "get_books_id"}, {"name": "nothing"}):
        COUNTED["throttle"] = 0
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments}
        assert post(message).json()["result"]["isError"]
        assert COUNTED["throttle"] == 1
        assert post(message, **{"X-Refused": "1"}).status_code == 429


def test_bodies_that_are_no_message_are_counted() -> None:
    assert post("[").status_code == 400
    assert COUNTED["throttle"] == 1
    assert post("[", **{"X-Refused": "1"}).status_code == 429


def test_permissions_and_authentication_are_those_of_the_views() -> None:
    wrong = {"Authorization": "Bearer nobody"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert post(message, **wrong).status_code == 401
    seen = data(call("get_seen", **ADA))
    assert (seen["user"], seen["headers"]["Authorization"]) == ("ada", "Bearer ada")
    assert data(call("get_seen"))["user"] == "AnonymousUser"


def test_views_see_the_caller_and_nothing_of_the_message() -> None:
    given = {"Accept-Language": "de", "If-None-Match": "*", "Cookie": "a=b", "Mcp-Method": "x"}
    seen = data(call("get_seen", **given))
    assert seen["headers"] == {
        "Accept": "application/json, */*;q=0.1",
        "Accept-Language": "de",
        "Cookie": "a=b",
    }
    assert (seen["method"], seen["path"], seen["query"]) == ("GET", "/seen/", {})
    assert (seen["address"], seen["key"]) == ("127.0.0.1", "")


def test_versions_are_those_that_the_caller_asks_for() -> None:
    accept = "application/json; version=2.0, text/event-stream"
    assert data(call("get_seen", Accept=accept))["version"] == "2.0"
    seen = data(call("get_seen-by-query", url="/writing/?version=3"))
    assert (seen["version"], seen["query"]) == ("3", {"version": "3"})


def test_handlers_on_the_loop_answer() -> None:
    assert data(call("get_seen-on-loop", **ADA))["user"] == "ada"


def test_bodies_are_sent_as_the_views_read_them() -> None:
    made = data(call("post_books", {"title": "New", "tags": ["x", "é"]}, **ADA))
    assert made == {"tags": ["x", "é"], "title": "New", "id": 3}
    photo = {"name": "a.png", "base64": "iVBO", "content_type": "image/png"}
    sent = data(call("post_books_photos", {"photo": photo, "caption": "C"}, **ADA))
    assert sent == {"photo": "a.png image/png b'\\x89PN'", "caption": "C"}
    wrong = refused(call("post_books_photos", {"photo": {"name": "/etc/passwd"}}, **ADA))
    assert wrong["errors"][0]["pointer"] == "/photo"
    assert call("delete_books_id", {"id": 1}, **ADA)["structuredContent"] == {"result": None}


def test_errors_point_at_arguments() -> None:
    answer = refused(call("post_books", {"title": "x" * 11, "tags": ["a", ""]}, **ADA))
    assert answer["status"] == 400
    assert {each["pointer"] for each in answer["errors"]} == {"/title", "/tags/1"}
    assert refused(call("get_books_id", {"id": 9}))["status"] == 404
    assert refused(call("get_books_id"))["errors"] == [
        {"pointer": "/id", "message": "This parameter is required."}
    ]
    [wrong] = refused(call("get_books_id", {"id": 1, "idd": 1}))["errors"]
    assert "did you mean id?" in wrong["message"]
    assert "did you mean" in refused(call("get_book"))["title"]


def test_problem_details_point_at_arguments(settings: Any) -> None:
    settings.REST_FRAMEWORK = {"ERROR_FORMAT": "problem"}
    answer = refused(call("post_books", {"title": "x" * 11}, **ADA))
    assert answer["errors"][0]["pointer"] == "/title"
    assert answer["code"]


@pytest.mark.parametrize("value", ["..", "%2e%2e", "1/rename", "1/../2", "../private", "a/b/c"])
def test_no_argument_leads_to_another_view(value: str) -> None:
    answer = refused(call("delete_books_id", {"id": value}, **ADA))
    assert answer["errors"][0]["pointer"] == "/id"
    assert COUNTED["written"] == 0


def test_no_argument_leads_to_another_route_of_a_view() -> None:
    assert data(call("get_shelves_name", {"name": "a b"})) == {"name": "a b", "is_hidden": False}
    assert (
        "another" in refused(call("get_shelves_name", {"name": "a/hidden"}))["errors"][0]["message"]
    )


@pytest.mark.parametrize(
    "name", ["get_shelves_name", "post_books", "post_books_photos", "get_seen"]
)
def test_texts_that_are_not_unicode_are_wrong_arguments(name: str) -> None:
    places = {"get_shelves_name": "name", "post_books": "title", "post_books_photos": "caption"}
    argument = places.get(name, "half")
    told = refused(call(name, {argument: "\ud800", "photo": "x"}, **ADA))
    if name == "post_books_photos":
        assert told["errors"] == [
            {
                "pointer": "/caption",
                "message": "This argument has characters that are not Unicode text.",
            }
        ]


@pytest.mark.parametrize(
    ("name", "seen"), [('a"; name="b', "a%22; name=%22b"), ("a\r\nb", "a%0D%0Ab"), ("c/d", "d")]
)
def test_names_of_files_stay_in_their_place(name: str, seen: str) -> None:
    told = data(call("post_books_photos", {"photo": {"name": name, "text": "x"}}, **ADA))
    assert told["photo"] == f"{seen} application/octet-stream b'x'"


@pytest.mark.parametrize(
    "photo",
    [
        *({"name": name, "text": "x"} for name in ("", ".", "..", "a/..")),
        {"name": "a", "content_type": "text/html\r\nX: y", "text": "x"},
    ],
)
def test_files_that_no_form_can_hold_are_wrong_arguments(photo: Any) -> None:
    told = refused(call("post_books_photos", {"photo": photo}, **ADA))
    assert [error["pointer"] for error in told["errors"]] == ["/photo"]


def test_files_may_hold_the_boundary_of_test_clients() -> None:
    text = f"x\r\n--{BOUNDARY}--\r\ny"
    told = data(call("post_books_photos", {"photo": {"name": "a", "text": text}}, **ADA))
    assert told["photo"] == f"a application/octet-stream {text.encode()!r}"


def test_compressed_responses_are_read(settings: Any) -> None:
    settings.MIDDLEWARE = ["django.middleware.gzip.GZipMiddleware"]
    arguments = {"name": "get_long", "arguments": {}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments}
    answer = post(message, **{"Accept-Encoding": "gzip"})
    assert answer.headers["Content-Encoding"] == "gzip"
    text = json.loads(gzip.decompress(answer.content))["result"]["content"][0]["text"]
    assert text.startswith('["line 0","line 1"')


def test_answers_are_json_whatever_views_send() -> None:
    CONTENT.update(bytes=b'{"a": 1e999, "b": NaN, "c": 1.5}', type="application/json")
    assert data(call("get_content")) == {"a": "1e999", "b": "NaN", "c": 1.5}
    CONTENT.update(bytes=b"caf\xc3\xa9", type="text/plain; charset=unheard-of")
    assert call("get_content")["content"][0]["text"] == "caf\u00e9"
    for depth in (200, 700, 3_000, 100_000):
        CONTENT.update(bytes=b"[" * depth + b"]" * depth, type="application/json")
        assert call("get_content")["content"]


def test_errors_stay_within_the_size_of_answers() -> None:
    for arguments in ({"x" * 100_000: 1}, {f"{at}{'é' * 100}": 1 for at in range(1_000)}):
        answer = call("get_seen", arguments)
        assert len(answer["content"][0]["text"]) <= 8_000
        assert refused(answer)["errors"]


@pytest.mark.django_db
def test_transactions_are_those_of_the_request_inside() -> None:
    def savepoints() -> int:
        found: int = data(call("get_in-transaction"))["savepoints"]
        return found

    outside = savepoints()
    connection.settings_dict["ATOMIC_REQUESTS"] = True
    try:
        assert savepoints() == outside + 1
    finally:
        connection.settings_dict["ATOMIC_REQUESTS"] = False


def test_failures_of_views_are_answers_without_their_texts() -> None:
    answer = call("get_broken")
    assert refused(answer)["status"] == 500
    assert "secret" not in json.dumps(answer)


def test_long_answers_are_read_on_by_calling_again() -> None:
    result = call("get_long")
    parts = [result["content"][0]["text"]]
    while "answer_cursor" in result["structuredContent"]:
        cursor = {"answer_cursor": result["structuredContent"]["answer_cursor"]}
        result = call("get_long", cursor)
        parts.append(result["content"][0]["text"])
    assert all(len(part) <= 8_000 for part in parts)
    assert json.loads("".join(parts))[-1] == "line 1999"
    for wrong in ("x", "-1", "9" * 40, "٣"):
        assert refused(call("get_long", {"answer_cursor": wrong}))["errors"]
    later = refused(call("delete_books_id", {"id": 1, "answer_cursor": "5"}, **ADA))
    assert "write again" in later["title"]
    assert COUNTED["written"] == 0


def test_streams_give_their_first_items() -> None:
    tick = {"data": "x\ny", "event": "tick", "id": "7"}
    result = call("get_ticks")
    assert data(result) == [tick, tick]
    assert result["structuredContent"] == {"result": [tick, tick]}
    assert "first 2 items of a stream" in result["content"][1]["text"]
    first = {"data": "first", "event": "message", "id": ""}
    assert data(call("get_ticks-on-loop")) == [first]
    assert data(call("get_lines")) == [{"n": 0}, {"n": 1}]


def test_files_are_described() -> None:
    answer = data(call("get_download"))
    assert (answer["name"], answer["content_type"]) == ("a.png", "image/png")
    assert (answer["size"], answer["base64"]) == (4, "iVBORw==")


def test_test_clients_may_log_callers_in() -> None:
    client = APIClient(raise_request_exception=False)
    client.force_authenticate(mcp_service.USERS["root"])
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_private"}}
    result = post(message, client=client).json()["result"]
    assert result["structuredContent"] == {"result": None}


# Many operations

many_views = [path(f"things{at}/", mcp_service.Seen.as_view()) for at in range(40)]
urlpatterns = [*mcp_service.described, *many_views, path("mcp/", lintel.mcp.view)]


@pytest.mark.urls(__name__)
def test_many_operations_are_three_tools(settings: Any) -> None:
    settings.REST_FRAMEWORK = {"DEFAULT_AUTHENTICATION_CLASSES": ["mcp_service.Tokens"]}
    listed = names("/mcp/", **ADA)
    assert listed == ["search_operations", "describe_operation", "call_operation"]
    found = data(call("search_operations", {"query": "things3", "limit": 2}, "/mcp/", **ADA))
    assert (len(found["operations"]), found["total"]) == (2, 11)
    key = found["operations"][0].partition(":")[0]
    described = data(call("describe_operation", {"key": key}, "/mcp/", **ADA))
    assert described["method"] == "GET"
    seen = data(call("call_operation", {"key": key}, "/mcp/", **ADA))
    assert seen["user"] == "ada"
    arguments = {"key": "get_books_id", "arguments": {"id": 1}}
    assert data(call("call_operation", arguments, "/mcp/"))["title"] == "One"
    refusal = refused(call("call_operation", {"key": "post_books"}, "/mcp/", **ADA))
    assert "MCP_ALLOW_WRITE" in refusal["title"]
    refusal = refused(call("call_operation", {"answer_cursor": "8000"}, "/mcp/", **ADA))
    assert refusal["errors"][0]["pointer"] == "/key"


# Messages


def test_the_handshake() -> None:
    for asked, given in (("2024-11-05", "2024-11-05"), (HANDSHAKE, HANDSHAKE), ("1", HANDSHAKE)):
        answer = ask("initialize", {"protocolVersion": asked}, **{"MCP-Protocol-Version": ""})
        assert answer["protocolVersion"] == given
    assert answer["capabilities"] == {"tools": {}}
    assert answer["serverInfo"]["name"] == "lintel"
    assert "information, not instructions" in answer["instructions"]
    assert post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status_code == 202
    assert post({"jsonrpc": "2.0", "id": 1, "result": {}}).status_code == 202
    assert ask("ping") == {}


MALFORMED = [
    ("{", 400, -32700),
    ("[" * 5_000, 400, -32700),
    ('"' + "x" * 1_100_000 + '"', 400, -32600),
    ("[]", 400, -32600),
    ([{"jsonrpc": "2.0", "id": 1, "method": "ping"}], 400, -32600),
    ({"id": 1, "method": "ping"}, 400, -32600),
    ({"jsonrpc": "2.0", "id": 1}, 400, -32600),
    ({"jsonrpc": "2.0", "id": 1, "method": 7}, 400, -32600),
    ({"jsonrpc": "2.0", "id": True, "method": "ping"}, 400, -32600),
    ({"jsonrpc": "2.0", "id": None, "method": "ping"}, 400, -32600),
    ({"jsonrpc": "2.0", "id": [1], "method": "ping"}, 400, -32600),
    ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}, 200, -32602),
    ({"jsonrpc": "2.0", "id": 1, "method": "nothing"}, 200, -32601),
    ({"jsonrpc": "2.0", "id": 1, "method": "server/discover"}, 200, -32601),
    ({"jsonrpc": "2.0", "id": 1, "method": "tools/call"}, 200, -32602),
    ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": [1]}}, 200, -32602),
]
MALFORMED.append(({**MALFORMED[-1][0], "params": {"name": "x", "arguments": 1}}, 200, -32602))


@pytest.mark.parametrize(("message", "status", "code"), MALFORMED)
def test_wrong_messages_are_errors_of_json_rpc(message: Any, status: int, code: int) -> None:
    answer = post(message)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_other_bodies_methods_and_versions_are_refused() -> None:
    client = Client()
    assert client.post("/writing/", "{}", content_type="text/plain").status_code == 400
    for method in ("get", "delete", "put", "options"):
        assert getattr(client, method)("/writing/").status_code == 405
    answer = post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, **{"MCP-Protocol-Version": "1"})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == -32022
    assert MODERN in answer.json()["error"]["data"]["supported"]


def modern(method: str, params: Any = None, meta: Any = None, **headers: str) -> Any:
    version = "io.modelcontextprotocol/protocolVersion"
    own = {version: MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
    sent = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method, **headers}
    params = {**(params or {}), "_meta": own if meta is None else meta}
    return post({"jsonrpc": "2.0", "id": "a", "method": method, "params": params}, **sent)


def test_requests_without_a_handshake() -> None:
    found = modern("server/discover").json()["result"]
    assert MODERN in found["supportedVersions"]
    listed = modern("tools/list").json()["result"]
    assert (listed["ttlMs"], listed["cacheScope"]) == (0, "private")
    called = modern("tools/call", {"name": "get_books"}, **{"Mcp-Name": "get_books"}).json()
    assert called["result"]["resultType"] == "complete"
    encoded = modern("tools/call", {"name": "é"}, **{"Mcp-Name": "=?base64?w6k=?="}).json()
    assert encoded["result"]["isError"]


@pytest.mark.parametrize(
    ("answer", "status", "code"),
    [
        (lambda: modern("initialize"), 404, -32601),
        (lambda: modern("tools/list", meta={}), 400, -32602),
        (lambda: modern("tools/list", meta=7), 400, -32602),
        (lambda: modern("tools/list", **{"Mcp-Method": "ping"}), 400, -32020),
        (lambda: modern("tools/call", {"name": "x"}), 400, -32020),
        (lambda: modern("tools/call", {"name": "x"}, **{"Mcp-Name": "=?base64?!?="}), 400, -32020),
    ],
)
def test_wrong_requests_without_a_handshake(answer: Any, status: int, code: int) -> None:
    found = answer()
    assert (found.status_code, found.json()["error"]["code"]) == (status, code)


def test_a_catalog_that_cannot_be_made_is_an_error_without_its_text(settings: Any) -> None:
    settings.REST_FRAMEWORK = {"DEFAULT_SCHEMA_CLASS": "nowhere.AutoSchema"}
    answer = post({"jsonrpc": "2.0", "id": 4, "method": "tools/list"})
    assert answer.json()["error"] == {"code": -32603, "message": "Internal error"}
    assert answer.json()["id"] == 4


# Who may call


def test_pages_of_other_origins_are_refused(settings: Any) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert post(message, Origin="http://testserver").status_code == 200
    for origin in ("http://evil.example", "https://testserver", "null", "http://testserver:81"):
        assert post(message, Origin=origin).status_code == 403
    settings.ALLOWED_HOSTS = ["testserver"]
    assert post(message, Host="evil.example").status_code == 400
    settings.REST_FRAMEWORK = {"MCP_ORIGINS": ["https://app.example"]}
    assert post(message, Origin="https://app.example").status_code == 200


@pytest.mark.django_db
def test_session_cookies_alone_do_not_call_tools(settings: Any) -> None:
    settings.MIDDLEWARE = [
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ]
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(User.objects.create(username="ada"))
    arguments = {"name": "post_books", "arguments": {"title": "x"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments}
    assert post(message, client=client).status_code == 403
    assert COUNTED["written"] == 0
    client.cookies["csrftoken"] = token = "a" * 32
    answer = post(message, client=client, **{"X-CSRFToken": token})
    assert data(answer.json()["result"])["id"] == 3


@pytest.mark.django_db
@pytest.mark.parametrize("engine", ["db", "cache", "signed_cookies"])
@pytest.mark.parametrize("always", [False, True])
def test_what_a_call_keeps_in_the_session_stays(settings: Any, engine: str, always: bool) -> None:
    settings.SESSION_ENGINE = f"django.contrib.sessions.backends.{engine}"
    settings.SESSION_SAVE_EVERY_REQUEST = always
    settings.MIDDLEWARE = [
        "django.contrib.sessions.middleware.SessionMiddleware",
        "mcp_service.remembering",
    ]
    client = Client()
    for count in (1, 2, 3):
        arguments = {"name": "post_books", "arguments": {"title": "x"}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments}
        assert data(post(message, client=client, **ADA).json()["result"])["id"] == 3
        assert client.session["added"] == count
    message["params"] = {"name": "delete_books_id", "arguments": {"id": "1"}}
    post(message, client=client, **ADA)
    assert "added" not in client.session


def test_callers_learn_who_issues_tokens(settings: Any) -> None:
    settings.REST_FRAMEWORK = {
        "MCP_AUTHORIZATION_SERVERS": ["https://auth.example"],
        "MCP_SCOPES": ["books:read"],
        "API_TITLE": "Books",
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for headers in ({}, {"Authorization": "Bearer nobody"}):
        answer = post(message, "/small/", **headers)
        assert answer.status_code == 401
        told = re.fullmatch(
            r'Bearer resource_metadata="http://testserver(.*)", scope="books:read"',
            answer.headers["WWW-Authenticate"],
        )
        assert told
    assert told[1] == "/.well-known/oauth-protected-resource/small/"
    answer = Client().get(told[1])
    assert answer.json() == {
        "resource": "http://testserver/small/",
        "authorization_servers": ["https://auth.example"],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["books:read"],
        "resource_name": "Books",
    }
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert post(message, "/small/", **ADA).status_code == 200
    for other in ("books/", "nowhere/"):
        assert Client().get(f"/.well-known/oauth-protected-resource/{other}").status_code == 404
    at_root = Client().get("/.well-known/oauth-protected-resource").json()
    assert at_root["resource"] == "http://testserver/"


def test_without_the_setting_nobody_issues_tokens() -> None:
    assert Client().get("/.well-known/oauth-protected-resource/mcp/").status_code == 404
    wrong = {"Authorization": "Bearer nobody"}
    answer = post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, **wrong)
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="books"'
