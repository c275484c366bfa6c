import pytest

from lintel_client.headers import Headers, checked_header


def test_names_are_found_without_regard_to_case():
    headers = Headers([("Content-Type", "text/plain"), ("X-A", "1"), ("x-a", "2")])
    assert headers["content-type"] == "text/plain"
    assert headers["X-A"] == "1, 2"
    assert headers.get_all("x-A") == ["1", "2"]
    assert "CONTENT-TYPE" in headers
    assert "missing" not in headers
    assert 4 not in headers
    assert headers.get("missing") is None
    with pytest.raises(KeyError):
        headers["missing"]
    assert list(headers) == ["Content-Type", "X-A"]
    assert len(headers) == 2


def test_setting_replaces_and_keeping_selects():
    headers = Headers({"A": "1", "B": "2"})
    assert headers.setting([("a", "3"), ("C", "4")]).pairs() == (("B", "2"), ("a", "3"), ("C", "4"))
    assert headers.keeping(["b"]).pairs() == (("B", "2"),)
    assert headers.pairs() == (("A", "1"), ("B", "2"))


def test_values_stay_out_of_the_repr():
    assert "secret" not in repr(Headers({"Authorization": "secret"}))


@pytest.mark.parametrize("name", ["", "a b", "a:", "a\n", "é"])
def test_names_that_break_the_message_are_refused(name):
    with pytest.raises(ValueError, match="not a header name"):
        checked_header(name, "x")


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\x00", "a\x7f"])
def test_values_that_break_the_message_are_refused(value):
    with pytest.raises(ValueError, match="line break or control character") as caught:
        checked_header("X-A", value)
    assert "Evil" not in str(caught.value)


def test_half_a_surrogate_pair_is_refused():
    with pytest.raises(ValueError, match="cannot be encoded as UTF-8"):
        checked_header("X-A", "\ud800")


def test_outer_blanks_are_cut():
    assert checked_header("X-A", " é\tb ") == ("X-A", "é\tb")
