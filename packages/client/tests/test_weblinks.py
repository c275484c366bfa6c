"""The Link headers of tests/data/link_headers.json, which all clients read alike, and odd ones."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintel_client.headers import Headers
from lintel_client.weblinks import link_with_relation

DATA = Path(__file__).parents[3] / "tests" / "data"
CASES = json.loads((DATA / "link_headers.json").read_text())["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["header"])
def test_the_target_of_a_relation(case):
    assert link_with_relation(Headers({"Link": case["header"]}), "next") == case["next"]


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
