"""Requests that no description covers: lintel post URL name=value."""

import json
from email import message_from_bytes
from urllib.parse import parse_qs

import pytest


@pytest.fixture
def echo(service):
    service.answer("/echo/", {"done": [{"id": 1, "title": "a"}, {"id": 2, "title": "b"}]})
    return service


def sent(service):
    return service.last.method, service.last.path, service.last.headers, service.last.body


def test_a_json_object(lintel, echo):
    done = lintel("post", echo.url("/echo/"), "title=Hello", "count:=3", "page==2", "X-A:b")
    assert (done.status, json.loads(done.output)["done"][0]["id"]) == (0, 1)
    method, path, headers, body = sent(echo)
    assert (method, path) == ("POST", "/echo/?page=2")
    assert headers["content-type"] == "application/json"
    assert headers["x-a"] == "b"
    assert json.loads(body) == {"title": "Hello", "count": 3}


@pytest.mark.parametrize("verb", ["put", "patch", "delete"])
def test_other_methods(lintel, echo, verb):
    assert lintel(verb, echo.url("/echo/"), "a=1").status == 0
    assert (echo.last.method, echo.last.json()) == (verb.upper(), {"a": "1"})


def test_a_request_without_items_has_no_body(lintel, echo):
    assert lintel("post", echo.url("/echo/")).status == 0
    assert (echo.last.body, "content-type" in echo.last.headers) == (b"", False)


def test_any_method(lintel, echo):
    assert lintel("request", "get", echo.url("/echo/?a=1"), "b==2").status == 0
    assert (echo.last.method, echo.last.path) == ("GET", "/echo/?a=1&b=2")
    done = lintel("request", "G T", echo.url("/echo/"))
    assert (done.status, "'G T' is not an HTTP method" in done.errors) == (2, True)


def test_head_shows_headers(lintel, echo):
    done = lintel("head", echo.url("/echo/"))
    assert (done.status, done.output) == (0, "")
    assert "200 OK" in done.errors
    assert "content-length: " in done.errors.lower()
    assert echo.last.method == "HEAD"


def test_a_form(lintel, echo):
    assert lintel("post", echo.url("/echo/"), "--form", "a=1 2", "b:=true", "c=&").status == 0
    assert echo.last.headers["content-type"].startswith("application/x-www-form-urlencoded")
    found = parse_qs(echo.last.body.decode(), keep_blank_values=True)
    assert found == {"a": ["1 2"], "b": ["true"], "c": ["&"]}


def test_a_form_with_several_values_of_a_field(lintel, echo):
    words = ("a=1", "a=2", "c[]=x", "c[]=y", "d:=[1, true]")
    assert lintel("post", echo.url("/echo/"), "--form", *words).status == 0
    found = parse_qs(echo.last.body.decode())
    assert found == {"a": ["1", "2"], "c[]": ["x", "y"], "d": ["1", "true"]}


def test_several_files_and_values_of_a_field(lintel, echo, tmp_path):
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for path in paths:
        path.write_bytes(path.name.encode())
    files = [f"f@{paths[0]};type=text/x-a", f"f@{paths[1]}"]
    assert lintel("post", echo.url("/echo/"), *files, "c[]=x", "c[]=y", "d:=[1]").status == 0
    head = f"Content-Type: {echo.last.headers['content-type']}\r\n\r\n".encode()
    found = [
        (
            part.get_param("name", header="Content-Disposition"),
            part.get_content_type(),
            part.get_payload(),
        )
        for part in message_from_bytes(head + echo.last.body).get_payload()
    ]
    assert sorted(found) == [
        ("c[]", "text/plain", "x"),
        ("c[]", "text/plain", "y"),
        ("d", "text/plain", "[1]"),
        ("f", "text/plain", "b.txt"),
        ("f", "text/x-a", "a.txt"),
    ]


def test_braces_of_a_url_stand_for_themselves(lintel, echo):
    echo.answer("/%7Bid%7D?x=%7B&a=1", {})
    assert lintel("post", echo.url("/{id}?x={&"), "a==1").status == 0
    assert echo.last.path == "/%7Bid%7D?x=%7B&a=1"


def test_a_file(lintel, echo, tmp_path):
    path = tmp_path / "note.txt"
    path.write_bytes(b"content")
    assert lintel("post", echo.url("/echo/"), f"file@{path}", "title=T").status == 0
    head = f"Content-Type: {echo.last.headers['content-type']}\r\n\r\n".encode()
    parts = {
        part.get_param("name", header="Content-Disposition"): part
        for part in message_from_bytes(head + echo.last.body).get_payload()
    }
    assert parts["file"].get_filename() == "note.txt"
    assert parts["file"].get_payload(decode=True) == b"content"
    assert parts["title"].get_payload(decode=True) == b"T"


def test_a_body_as_it_is(lintel, echo):
    words = ("--body", "-", "Content-Type:text/csv")
    assert lintel("post", echo.url("/echo/"), *words, stdin="a,b\r\n").status == 0
    assert (echo.last.headers["content-type"], echo.last.body) == ("text/csv", b"a,b\r\n")
    assert lintel("post", echo.url("/echo/"), "--body", "{}", "a=1").status == 2


def test_a_media_type_that_is_no_json(lintel, echo):
    done = lintel("post", echo.url("/echo/"), "Content-Type:text/csv", "a=1")
    assert (done.status, "use --body" in done.errors) == (2, True)
    assert echo.seen == []


def test_a_media_type_of_json(lintel, echo):
    kind = "application/merge-patch+json"
    assert lintel("patch", echo.url("/echo/"), f"Content-Type:{kind}", "a:=null").status == 0
    assert (echo.last.headers["content-type"], echo.last.json()) == (kind, {"a": None})


def test_stored_credentials_are_sent_to_their_host_alone(lintel, echo):
    assert lintel("credentials", "add", f"127.0.0.1:{echo.port}", "Token secret").status == 0
    lintel("post", echo.url("/echo/"), "a=1")
    assert echo.last.headers["authorization"] == "Token secret"
    lintel("post", echo.url("/echo/", host="localhost"), "a=1")
    assert "authorization" not in echo.last.headers


def test_paths_of_the_current_document(lintel, snippets, service):
    assert lintel("post", "/s/", "code=x").status == 0
    assert (service.last.path, service.last.json()) == ("/s/", {"code": "x"})


def test_a_path_without_a_document(lintel):
    done = lintel("post", "/s/")
    assert (done.status, "Traceback" in done.errors) == (2, False)


def test_the_request_is_shown(lintel, echo):
    done = lintel("post", echo.url("/echo/"), "a=1", "--dry-run", "--as", "curl")
    assert done.status == 0
    assert "curl" in done.output
    assert '{"a": "1"}' in done.output or '{"a":"1"}' in done.output
    assert echo.seen == []


def test_errors_have_their_exit_codes(lintel, echo):
    echo.answer("/no/", {"detail": "no"}, status=400)
    assert lintel("post", echo.url("/no/")).status == 1
    assert lintel("post", "http://127.0.0.1:1/").status == 3
    assert lintel("post", echo.url("/echo/"), "nonsense").status == 2


def test_a_group_of_the_document_keeps_its_name(lintel, service):
    from lintel_document import Document, Link

    document = Document(service.url(), "T", content={"post": {"list": Link("/posts/", "get")}})
    service.answer("/", document)
    service.answer("/posts/", [1])
    assert lintel("get", service.url()).status == 0
    assert lintel("post", "list").output == "[\n    1\n]\n"
    assert lintel("post", service.url("/posts/"), "a=1").status == 0
    assert service.last.method == "POST"


def test_any_method_beside_a_group_of_its_name(lintel, service):
    from lintel_document import Document, Link

    content = {"request": {"list": Link("/requests/", "get")}}
    service.answer("/", Document(service.url(), "T", content=content))
    service.answer("/requests/", [1])
    assert lintel("get", service.url()).status == 0
    assert lintel("request", "list").output == "[\n    1\n]\n"
    assert lintel("request", "PUT", service.url("/requests/"), "a=1").status == 0
    assert service.last.method == "PUT"


def test_parts_of_the_result(lintel, echo):
    done = lintel("request", "GET", echo.url("/echo/"), "--select", "done.title")
    assert (done.status, json.loads(done.output)) == (0, ["a", "b"])


def test_a_stream(lintel, echo):
    echo.answer("/events/", b"data: 1\n\ndata: 2\n\n", content_type="text/event-stream")
    words = ("--stream", "--no-reconnect", "--select", "data", "--ndjson")
    done = lintel("request", "GET", echo.url("/events/"), *words)
    assert (done.status, done.output) == (0, '"1"\n"2"\n')


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (["done[?id==`2`].title"], '[\n    "b"\n]\n'),
        (["length(done)"], "2\n"),
        (["done", "--csv"], "id,title\n1,a\n2,b\n"),
    ],
)
def test_a_filter(lintel, echo, words, output):
    done = lintel("request", "GET", echo.url("/echo/"), "--filter", *words)
    assert (done.status, done.output) == (0, output)
