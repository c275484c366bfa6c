import json

import pytest

from lintel_document import Document


@pytest.fixture
def visited(lintel, service):
    """Three documents, visited in order."""
    for name in ("one", "two", "three"):
        service.answer(f"/{name}", Document(service.url(f"/{name}"), name))
        lintel("get", service.url(f"/{name}"))


def titles(lintel):
    rows = json.loads(lintel("history", "show").output)
    return [f"*{row['title']}" if row["current"] else row["title"] for row in rows]


def test_the_newest_comes_first(lintel, visited, service):
    assert titles(lintel) == ["*three", "two", "one"]
    assert json.loads(lintel("history", "show").output)[2]["url"] == service.url("/one")


def test_steps_back_and_forward(lintel, visited):
    assert lintel("history", "back").output.startswith("<two ")
    assert titles(lintel) == ["three", "*two", "one"]
    assert lintel("show").output.startswith("<two ")
    assert lintel("history", "forward").output.startswith("<three ")
    assert titles(lintel) == ["*three", "two", "one"]


def test_the_ends_are_no_errors(lintel, visited):
    outcome = lintel("history", "forward")
    assert (outcome.status, outcome.output) == (0, "")
    assert "nothing further forward" in outcome.errors
    lintel("history", "back")
    lintel("history", "back")
    outcome = lintel("history", "back")
    assert (outcome.status, outcome.output) == (0, "")
    assert "nothing further back" in outcome.errors


@pytest.mark.parametrize(("status", "code"), [(500, 1), (200, 2)])
def test_a_failed_step_stays(lintel, visited, service, status, code):
    service.answer("/two", {"detail": "gone"}, status=status)
    assert lintel("history", "back").status == code
    assert titles(lintel) == ["*three", "two", "one"]
    assert lintel("show").output.startswith("<three ")


def test_a_visit_drops_what_lay_ahead(lintel, visited, service):
    lintel("history", "back")
    service.answer("/four", Document(service.url("/four"), "four"))
    lintel("get", service.url("/four"))
    assert titles(lintel) == ["*four", "two", "one"]


def test_a_new_title_is_noted(lintel, visited, service):
    service.answer("/three", Document(service.url("/three"), "drei"))
    lintel("reload")
    assert titles(lintel) == ["*drei", "two", "one"]
