"""The size of answers, which agents pay for in tokens."""

import base64

import pytest

from lintel_document.agents.answers import end_of, fits, part_of, size_of

# The tokens of each text in the encoding o200k_base.
DENSE = {
    "base64": (base64.b64encode(bytes(range(256)) * 4).decode(), 933),
    "digests": ("9f86d081884c7d659a2feaa0c55ad015" * 20, 361),
    "numbers": ("[0.13436424411240122,0.8474337369372327]" * 20, 361),
    "Chinese": ("今天天气很好，我们去公园散步吧。" * 40, 480),
    "Greek": ("Καλημέρα κόσμε, τι κάνεις σήμερα; " * 20, 241),
}


@pytest.mark.parametrize("name", DENSE)
def test_dense_texts_take_more_of_a_budget_than_their_characters(name):
    text, tokens = DENSE[name]
    assert size_of(text) >= max(4 * tokens, len(text) + 1)
    assert not fits(text, len(text))


def test_english_and_json_take_about_their_characters():
    text = '{"title": "List pull requests", "state": "Either open, closed, or all."}' * 50
    assert len(text) <= size_of(text) <= 1.35 * len(text)
    assert fits("word " * 100, 500)
    assert not fits("word " * 100, 499)


@pytest.mark.parametrize(
    "text", ["word " * 5_000, "\U0001f600" * 5_000, "A1" * 9_000, "\n" * 9_000]
)
@pytest.mark.parametrize("budget", [1, 7, 400, 8_000])
def test_parts_are_the_whole_text_and_none_is_empty_or_too_large(text, budget):
    at, parts = 0, []
    while at < len(text) and len(parts) < 200:
        end = end_of(text, at, budget)
        parts.append(text[at:end])
        at = end
    assert "".join(parts) == text[:at]
    assert all(parts)
    assert all(len(part) == 1 or fits(part, budget) for part in parts)


def test_a_part_says_where_the_next_begins():
    answer = part_of("漢" * 100, 0, 40, "answer_cursor", lambda end: f"at-{end}")
    assert answer.structured == {"part": "漢" * 10, "answer_cursor": "at-10"}
    assert answer.note.startswith("Characters 0 to 10 of 100.")
