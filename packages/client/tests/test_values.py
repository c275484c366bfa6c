"""Numbers are exact in both directions."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintel_client import Client, JSONCodec, ParameterError, ParseError
from lintel_client.values import as_json, compact_json
from lintel_document import Document, Field, Link

numbers = st.integers() | st.decimals(allow_nan=False, allow_infinity=False)
trees = st.recursive(
    numbers | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


@given(trees)
def test_what_is_written_is_read(tree):
    text = compact_json(as_json(tree))
    read = JSONCodec(decimals=True).decode(text.encode())
    assert read == tree


@given(st.integers())
def test_integers_need_no_option(number):
    big = number * 10**60 + 1
    assert JSONCodec().decode(compact_json(big).encode()) == big


@pytest.mark.parametrize("digits", ["1e400", "0.1", "12345678901234567890.123456789", "-0.0"])
def test_fractions_are_exact_by_option(digits):
    assert str(JSONCodec(decimals=True).decode(digits.encode())) == str(Decimal(digits))


@pytest.mark.parametrize("digits", ["1e99999999999999999999", "9" * 5000])
def test_what_is_too_large(digits):
    with pytest.raises(ParseError):
        JSONCodec(decimals=True).decode(digits.encode())


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity"), [Decimal("-Infinity")]])
def test_what_is_no_number(value):
    document = Document("http://x.org/", content={"go": Link("/", "post", fields=["a"])})
    with pytest.raises(ParameterError):
        Client().request(document, "go", {"a": value})


def test_a_call_sends_and_receives_them(service):
    fields = [Field("a", location="form"), Field("q", location="query")]
    document = Document(service.url(), content={"go": Link("/x/", "post", fields=fields)})
    service.answer("/x/", b'{"n": 123456789012345678901234567890, "d": 0.10}')
    amount = Decimal("12345678901234567890.10")
    with Client(decoders=[JSONCodec(decimals=True)]) as client:
        result = client.action(document, "go", {"a": [amount, 2**100], "q": amount})
    assert service.last.body == b'{"a":[12345678901234567890.10,1267650600228229401496703205376]}'
    assert service.last.path == "/x/?q=12345678901234567890.10"
    assert (result["n"], str(result["d"])) == (123456789012345678901234567890, "0.10")
