"""Optional libraries and what differs between versions."""

import sys
from typing import Any

import pytest
from django.db.models import Q

from lintel import compat


def test_installed_libraries_are_modules() -> None:
    import yaml

    assert compat.yaml is yaml
    assert compat.is_installed("yaml")
    assert not compat.is_installed("no_such_library")


def test_missing_library_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(vars(compat), "inflection", raising=False)
    monkeypatch.setitem(sys.modules, "inflection", None)
    assert compat.inflection is None
    del vars(compat)["inflection"]


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        compat.nothing  # noqa: B018 - reading is what is tested


@pytest.mark.parametrize(("value", "text"), [(b"\xe9", "é"), ("é", "é"), (5, 5)])
def test_headers_are_latin_1(value: Any, text: Any) -> None:
    assert compat.unicode_http_header(value) == text


def test_fields_of_a_condition() -> None:
    condition = Q(a__gt=1) | ~Q(b__c__in=[2]) & Q(a=3)
    assert compat.get_referenced_base_fields_from_q(condition) == {"a", "b"}


def test_headers_that_list_values() -> None:
    assert list(compat.split_header_value("a, b ,,c")) == ["a", "b", "c"]
    assert list(compat.split_header_value("a;b", ";")) == ["a", "b"]


def test_markdown_colours_code() -> None:
    html = compat.apply_markdown("text\n\n``` python\nx = 1\n```\n\nmore")
    assert '<div class="highlight">' in html
    assert '<span class="mi">1</span>' in html
    assert "<p>more</p>" in html


def test_code_in_an_unknown_language_is_plain_text() -> None:
    assert compat.pygments_highlight("<x>", "no such language", "default") == "&lt;x&gt;\n"


def test_style_sheet() -> None:
    assert ".highlight" in compat.pygments_css("default")


def test_without_pygments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(compat), "pygments", None)
    assert compat.pygments_highlight("<x>", "python", "default") == "<x>"
    assert compat.pygments_css("default") is None
    assert compat.md_filter_add_syntax_highlight(object()) is False
