"""What is shown of pages that servers send as errors."""

import json
from pathlib import Path

import pytest

from lintel_client import Client, NotFound, ParseError
from lintel_client.htmltext import LONGEST_TEXT, html_text

CASES = Path(__file__).parents[3] / "tests" / "data" / "html_texts.json"


@pytest.mark.parametrize(("page", "text"), json.loads(CASES.read_text())["cases"])
def test_text(page, text):
    assert html_text(page) == text


def test_long_pages_are_cut():
    assert html_text("x" * 100_000) == "x" * LONGEST_TEXT + "…"


def test_an_error_has_the_text_and_keeps_the_page(service):
    page = "<title>Nothing here</title><p>The page is <b>gone</b>.</p>"
    service.answer("/x/", page, status=404, content_type="text/html; charset=utf-8")
    with Client() as client, pytest.raises(NotFound) as caught:
        client.get(service.url("/x/"))
    assert str(caught.value) == "404 Not Found\nmessage: Nothing here: The page is gone ."
    assert caught.value.content == page.encode()


def test_an_unreadable_answer_names_its_url_without_the_query(service):
    service.answer("/x/", b'{"a": ')
    url = service.url("/x/")
    with Client() as client, pytest.raises(ParseError) as caught:
        client.get(f"{url}?key=secret")
    assert str(caught.value).startswith(f"The response from {url} cannot be read. Malformed JSON: ")
    assert "secret" not in str(caught.value)
