"""Lists and dictionaries as names of form inputs."""

from typing import Any

import pytest
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from lintel.utils.html import is_html_input, parse_html_dict, parse_html_list


def test_form_data_can_repeat_keys() -> None:
    assert is_html_input(QueryDict("a=1"))
    assert not is_html_input({"a": 1})
    assert not is_html_input([1])


@pytest.mark.parametrize(
    ("form", "found"),
    [
        ("l[0]=a&l[1]=b", ["a", "b"]),
        ("l[9]=b&l[2]=a", ["a", "b"]),
        ("l[0]=a&l[0]=b", ["b"]),
        ("l[0]x=1&l[0]y=2", [MultiValueDict({"x": ["1"], "y": ["2"]})]),
        ("l=a&l[x]=b&l[-1]=c&k[0]=d", "default"),
        ("l[0]=a&l[0]x=1", [MultiValueDict({"x": ["1"]})]),
        ("l[0]x=1&l[0]=a", ["a"]),
        ("l[0][1]=a", [MultiValueDict({"[1]": ["a"]})]),
    ],
)
def test_lists(form: str, found: Any) -> None:
    assert parse_html_list(QueryDict(form), "l", default="default") == found


def test_lists_at_the_top() -> None:
    assert parse_html_list(QueryDict("[0]a=1&[1]a=2")) == [
        MultiValueDict({"a": ["1"]}),
        MultiValueDict({"a": ["2"]}),
    ]
    assert parse_html_list(QueryDict("")) is None


def test_prefix_is_no_pattern() -> None:
    assert parse_html_list(QueryDict("axb[0]=1"), "a.b") is None
    assert parse_html_dict(QueryDict("axb.c=1"), "a.b", default="default") == "default"


@pytest.mark.parametrize(
    ("form", "found"),
    [
        ("d.a=1&d.b=2&d.b=3", {"a": ["1"], "b": ["2", "3"]}),
        ("d.a.b=1&d.c[0]=2", {"a.b": ["1"], "c[0]": ["2"]}),
        ("d=1&d.=2&e.a=3", {}),
    ],
)
def test_dictionaries(form: str, found: dict[str, list[str]]) -> None:
    assert parse_html_dict(QueryDict(form), "d") == MultiValueDict(found)
