"""What descriptions say beyond method, URL and parameters."""

import copy
import pickle

import pytest

from lintel_document import (
    Answer,
    Body,
    CoreJSONCodec,
    Document,
    Field,
    Issue,
    Link,
    SecurityScheme,
    Server,
    ServerVariable,
)

SERVER = Server(
    "https://{env}.example/v{n}",
    variables={"env": ServerVariable("prod", ("prod", "test")), "n": ServerVariable("2")},
)
JSON = Body("application/json", (Field("title", location="form"),))
FORM = Body("multipart/form-data", (Field("file", location="form"),))


def described() -> Link:
    return Link(
        "https://prod.example/v2/x",
        "post",
        "application/json",
        fields=[Field("page", location="query"), *JSON.fields],
        operation_id="x_create",
        bodies=[JSON, FORM],
        path="/x",
        servers=[SERVER],
        security=({"key": ()},),
        answers=lambda: (Answer("200"),),
    )


def test_a_document_keeps_what_describes_it_through_changes_and_copies():
    schemes = {"key": SecurityScheme("key", "apiKey", "header", "X-Key")}
    issue = Issue("#/paths/~1x", "is no object")
    document = Document(
        "https://a.example/",
        content={"x": described()},
        version="3",
        servers=[SERVER],
        security_schemes=schemes,
        issues=[issue],
    )
    for again in (document.set("y", 1), pickle.loads(pickle.dumps(document))):
        assert again.issues == (issue,)
        assert again.security_schemes == schemes
        assert (again.version, again.servers) == ("3", (SERVER,))
    assert pickle.loads(pickle.dumps(document))["x"] == described()
    assert copy.deepcopy(document)["x"].answers == (Answer("200"),)
    assert str(issue) == "#/paths/~1x: is no object"


def test_another_encoding_brings_the_fields_of_its_body():
    changed = described().replace(encoding="multipart/form-data")
    assert [field.name for field in changed.fields] == ["page", "file"]
    assert [field.name for field in described().replace(title="t").fields] == ["page", "title"]
    assert [f.name for f in described().replace(encoding="text/plain").fields] == ["page", "title"]


def test_answers_are_made_once_when_they_are_asked_for():
    made = []
    link = Link(answers=lambda: made.append(1) or (Answer("204"),))
    assert made == []
    assert link.answers == link.answers == (Answer("204"),)
    assert made == [1]


def test_a_link_moves_to_another_server():
    link = described()
    assert link.at_server(variables={"env": "test"}).url == "https://test.example/v2/x"
    assert link.at_server("http://localhost:8000/").url == "http://localhost:8000/x"
    with pytest.raises(ValueError, match="must be one of prod, test"):
        link.at_server(0, {"env": "evil"})
    with pytest.raises(ValueError, match="no variable 'nev'; it has: env, n"):
        link.at_server(0, {"nev": "test"})
    with pytest.raises(ValueError, match="no server 3"):
        link.at_server(3)


def test_links_that_send_other_requests_differ():
    assert described() == described()
    assert described() != described().replace(security=())
    assert described() == described().replace(title="Other")


def test_core_json_writes_the_name_that_is_sent():
    link = Link("/x", fields=[Field("path.id", wire_name="id", location="query")])
    assert b'"name":"id"' in CoreJSONCodec().encode(Document(content={"x": link}))
