import pytest

from lintel_client.codecs import JSONCodec, TextCodec, charset_of, media_type_of
from lintel_document import ParseError


def test_json_keeps_order_and_types():
    value = JSONCodec().decode(b'{"b": [1, 1.5, null, true], "a": "\xc3\xa9"}')
    assert list(value) == ["b", "a"]
    assert value == {"b": [1, 1.5, None, True], "a": "é"}
    assert type(value) is dict


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff", b"NaN", b"[Infinity]", b"1e999", b"1" * 5000, b"[" * 100_000, b"1 2"],
)
def test_what_is_no_json_is_refused(content):
    with pytest.raises(ParseError, match="Malformed JSON"):
        JSONCodec().decode(content)


def test_json_in_another_charset_or_with_a_byte_order_mark():
    latin = '"é"'.encode("latin-1")
    content_type = "application/json; charset=iso-8859-1"
    assert JSONCodec().decode(latin, content_type=content_type) == "é"
    assert JSONCodec().decode(b"\xef\xbb\xbf1") == 1


@pytest.mark.parametrize(
    ("content", "content_type", "expected"),
    [
        ("é".encode(), "text/plain", "é"),
        ("é".encode("latin-1"), "text/plain; charset=ISO-8859-1", "é"),
        ("é".encode("cp1252"), 'text/html; charset="windows-1252"', "é"),
        ("é".encode(), "text/plain; charset=no-such-charset", "é"),
        ("é".encode(), "text/plain; charset=hex", "é"),
        (b"xn--a-" + b"z9" * 200_000, "text/plain; charset=punycode_", "xn--a-" + "z9" * 200_000),
        (b"xn--a", "text/plain; charset=IDNA", "xn--a"),
        ("é".encode(), "text/plain; charset=\r\n", "é"),
        (b"a\xff", "text/plain", "a\ufffd"),
        (b"\r\n\t", "", "\r\n\t"),
    ],
)
def test_text_is_read_in_its_charset(content, content_type, expected):
    assert TextCodec().decode(content, content_type=content_type) == expected


def test_parts_of_a_content_type():
    assert media_type_of(' Text/HTML ; charset="utf-8"') == "text/html"
    assert media_type_of("") == ""
    assert charset_of("text/html; CHARSET=UTF-8") == "utf-8"
    assert charset_of("text/html") == ""


def test_plain_data_is_told_from_documents():
    assert JSONCodec().get_abilities() == TextCodec().get_abilities() == ("data",)
