"""Files inside the values of parameters."""

import json

import pytest


@pytest.fixture
def orders(service, lintel, tmp_path, monkeypatch):
    item = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "photo": {"type": "string", "format": "binary"}},
    }
    properties = {
        "title": {"type": "string"},
        "cover": {"type": "string", "format": "binary"},
        "a.b[0]": {"type": "string", "format": "binary"},
        "lines": {"type": "array", "items": item},
        "front": item,
    }
    encoding = {name: {"x-lintel-nested": ""} for name in ("lines", "front")}
    form = {"schema": {"type": "object", "properties": properties}, "encoding": encoding}
    operation = {
        "operationId": "orders_create",
        "requestBody": {"content": {"multipart/form-data": form}},
        "responses": {},
    }
    description = {
        "openapi": "3.1.0",
        "info": {"title": "Orders", "version": "1"},
        "servers": [{"url": service.url()}],
        "paths": {"/orders/": {"post": operation}},
    }
    monkeypatch.chdir(tmp_path)
    (tmp_path / "api.json").write_text(json.dumps(description))
    for name in ("a.png", "b.png"):
        (tmp_path / name).write_text(f"of {name}")
    assert lintel("load", "api.json", "--url", service.url()).status == 0
    service.answer("/orders/", {})

    def parts(*words):
        outcome = lintel("orders_create", *words)
        assert outcome.status == 0, outcome.errors
        _, *found, _ = service.last.body.split(b"--" + boundary(service))
        heads = [part.partition(b"\r\n\r\n") for part in found]
        return [
            (head.partition(b'name="')[2].partition(b'"')[0].decode(), text.strip().decode())
            for head, _, text in heads
        ]

    return lambda *words: sorted(parts(*words))


def boundary(service):
    return service.last.headers["content-type"].partition("boundary=")[2].strip('"').encode()


def test_files_are_put_into_values(orders):
    assert orders(
        *("--lines", '[{"name": "x"}, {"name": "y"}]', "--title", "t"),
        *("--file", "lines[1].photo=b.png", "--file", "lines[0].photo=a.png"),
    ) == [
        ("lines[0].name", "x"),
        ("lines[0].photo", "of a.png"),
        ("lines[1].name", "y"),
        ("lines[1].photo", "of b.png"),
        ("title", "t"),
    ]


def test_what_is_missing_on_the_way_is_made(orders):
    assert orders(
        *("--file", "lines[0].photo=a.png", "--file", "lines[1].photo=b.png"),
        *("--file", "front.photo=b.png", "--front", '{"name": "f"}', "--cover", "a.png"),
    ) == [
        ("cover", "of a.png"),
        ("front.name", "f"),
        ("front.photo", "of b.png"),
        ("lines[0].photo", "of a.png"),
        ("lines[1].photo", "of b.png"),
    ]


def test_a_body_may_have_files_too(orders):
    made = orders("--body", '{"lines": [{"name": "x"}]}', "--file", "lines[0].photo=a.png")
    assert made == [("lines[0].name", "x"), ("lines[0].photo", "of a.png")]


def test_a_body_and_its_parts_go_together(orders):
    given = orders("--body", '{"title": "t", "front": {"name": "f"}}', "--cover", "a.png")
    assert sorted(given) == [("cover", "of a.png"), ("front.name", "f"), ("title", "t")]
    assert orders("--body", '{"title": "t"}', "--title", "u") == [("title", "u")]


def test_a_parameter_may_be_called_like_a_place(orders):
    assert orders("--file", "a.b[0]=a.png") == [("a.b[0]", "of a.png")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--file", "lines[1].photo=a.png"], "--file lines[1].photo: [1] would be in a list of 0"),
        (["--file", "front[0]=a.png", "--front", "{}"], "--file front[0]: [0] would be in no list"),
        (["--file", "title.photo=a.png", "--title", "t"], "there is no object that photo could"),
        (["--file", "lines[0].photo=none.png"], "cannot read 'none.png'"),
        (["--file", "lines[0].photo=a.png", "--file", "lines[0].photo=b.png"], "is given twice"),
        (["--file", "lines[x].photo=a.png"], "lines[x].photo"),
        (["--file", "lines[99999].photo=a.png"], "lines[99999].photo"),
        (["--body", "[1]", "--cover", "a.png"], "--body is no JSON object, so cover cannot be"),
        (["--file", "others[0].photo=a.png"], "others[0].photo"),
    ],
)
def test_places_that_are_none_are_refused(orders, lintel, service, words, message):
    outcome = lintel("orders_create", *words)
    assert outcome.status == 2
    assert message in outcome.errors
    assert not service.seen
