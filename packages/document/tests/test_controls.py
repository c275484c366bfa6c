"""Characters that act on a terminal, or turn the text around them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintel_document.controls import escaped_json, printable

C1 = [chr(code) for code in range(0x7F, 0xA0)]
TURNING = list("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def test_control_characters_are_replaced():
    assert printable("a\x1b[2J\x07\x9b\r\n\tb") == "a\ufffd[2J\ufffd\ufffd\ufffd\n\tb"


@pytest.mark.parametrize("character", [*C1, *TURNING])
def test_nothing_that_acts_is_left(character):
    assert printable(f"a{character}é") == "a\ufffdé"
    text = json.dumps({character: character}, ensure_ascii=False)
    assert escaped_json(text).isascii()
    assert json.loads(escaped_json(text)) == {character: character}


@given(st.text(st.characters(min_codepoint=0x20, exclude_categories=("C",))))
def test_other_text_stays(text):
    assert printable(text) == escaped_json(text) == text
