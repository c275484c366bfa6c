"""Names and docstrings in readable form."""

from typing import Any

import pytest
from django.utils import translation
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from lintel.utils import formatting
from lintel.utils.formatting import (
    camelcase_to_spaces,
    dedent,
    lazy_format,
    markup_description,
    remove_trailing_string,
)


@pytest.mark.parametrize(
    ("content", "trailing", "left"),
    [
        ("UserView", "View", "User"),
        ("View", "View", "View"),
        ("User", "View", "User"),
        ("a", "", "a"),
    ],
)
def test_trailing_string(content: str, trailing: str, left: str) -> None:
    assert remove_trailing_string(content, trailing) == left


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("  a\n    b\n  c", "a\n  b\nc"),
        ("\n   a\n   b\n", "a\nb"),
        ("a\n\n   b\n\n  c  ", "a\n\n b\n\nc"),
        ("\ta\n\tb", "a\nb"),
        ("a\n\tb\n  c", "a\n\tb\n  c"),
        ("   ", ""),
        (b"bytes", "bytes"),
    ],
)
def test_dedent(content: Any, text: str) -> None:
    assert dedent(content) == text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("UserGroup", "User Group"),
        ("HTMLPage", "Html Page"),
        ("fooBar", "Foo Bar"),
        ("APIRoot2B", "Api Root2B"),
        ("A1B", "A1B"),
        ("", ""),
    ],
)
def test_camel_case(content: str, text: str) -> None:
    assert camelcase_to_spaces(content) == text


def test_description_as_markdown() -> None:
    html = markup_description("# Title\n\n*text*")
    assert isinstance(html, SafeString)
    assert html == '<h2 id="title">Title</h2>\n<p><em>text</em></p>'


def test_description_without_markdown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formatting, "apply_markdown", None)
    assert markup_description("<a>\nb") == "<p>&lt;a&gt;<br />b</p>"


def test_lazy_format_follows_the_language() -> None:
    text = lazy_format("{} {name}", gettext_lazy("Monday"), name="x")
    for language, day in (("de", "Montag"), ("fr", "lundi")):
        with translation.override(language):
            assert str(text) == f"{day} x"


def test_lazy_format_is_a_message_template() -> None:
    assert lazy_format("{} of %(total)s", 1) % {"total": 5} == "1 of 5"
