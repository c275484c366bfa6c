import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintel_client.headers import Headers
from lintel_client.weblinks import link_with_relation


@pytest.mark.parametrize(
    ("value", "target"),
    [
        ('<https://x.org/?a=1,2>; rel="next"', "https://x.org/?a=1,2"),
        ("<b>;rel=next", "b"),
        ('<a>; rel="prev", <b>; rel="next"', "b"),
        ('<a> ; title="x; rel=\\"next\\", <c>" ; rel=last , <b>; REL="Next last"', "b"),
        ('<a>; rel="prev"; rel="next"', None),
        ('<a>; anchor="/other"; rel=next', None),
        ("<a>; rel=nextish", None),
        ("<>; rel=next", ""),
        ("<a; rel=next", None),
        ("", None),
        ("nonsense", None),
    ],
)
def test_the_target_of_a_relation(value, target):
    assert link_with_relation(Headers({"Link": value}), "next") == target


def test_the_header_may_come_several_times():
    headers = Headers([("Link", "<a>; rel=prev"), ("link", "<b>; rel=next")])
    assert link_with_relation(headers, "next") == "b"


@given(st.text(alphabet='<>;,="\\ arelnxt', max_size=200))
def test_any_text_is_read(value):
    target = link_with_relation(Headers({"Link": value}), "next")
    assert target is None or target in value


def test_long_headers_take_little_time():
    for value in ("<" * 100_000, '<a>; x="' + "\\" * 100_000, "<a>;" * 30_000, " " * 100_000):
        link_with_relation(Headers({"Link": value}), "next")
