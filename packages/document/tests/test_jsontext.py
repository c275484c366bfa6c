import pytest

from lintel_document.errors import ParseError
from lintel_document.jsontext import parse_json


def test_the_value_of_bytes_or_text():
    assert parse_json(b'\xef\xbb\xbf{"a": [1, "\xc3\xa9"]}') == {"a": [1, "é"]}
    assert parse_json("null") is None


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff", b"NaN", b"-Infinity", b"1e999", b"[" * 100_000, b"9" * 10_000],
)
def test_what_is_not_json_is_a_parse_error(content):
    with pytest.raises(ParseError, match=r"^Malformed JSON: .{1,200}$"):
        parse_json(content)
