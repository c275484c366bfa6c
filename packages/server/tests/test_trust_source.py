"""Text that becomes a function: names, and what tracebacks show."""

import inspect
import traceback
from typing import Any

import pytest

from lintel.trust.source import Source, is_identifier


def built(title: str, value: object) -> Any:
    source = Source(title)
    with source.block("def divide(number):"):
        source.line(f"return number / {source.bind('value', value)}")
    return source.build("divide")


def test_objects_are_bound_and_never_written() -> None:
    source = Source("of a test")
    one, two = object(), object()
    assert source.bind("value", one) == "value"
    assert source.bind("value", one) == "value"
    assert source.bind("value", two) == "value_2"
    assert source.local("value") == "value_3"
    assert source.bind("value", object()) == "value_4"


@pytest.mark.parametrize("name", ["class", "list", "__import__", "größe", "a-b", "1st", ""])
def test_any_name_becomes_an_identifier(name: str) -> None:
    found = Source("of a test").bind(name, 1)
    assert is_identifier(found)
    assert found != name


def test_an_empty_block_is_valid() -> None:
    source = Source("of a test")
    with source.block("def nothing():"):
        pass
    assert source.build("nothing")() is None


def test_hoisted_expressions_are_evaluated_once() -> None:
    source = Source("of a test")
    assert source.hoist("zone", "zone_of(serializer)") == "zone"
    assert source.hoist("zone", "zone_of(serializer)") == "zone"
    assert source.hoist("zone", "other()") == "zone_2"
    assert source.hoisted == ["zone = zone_of(serializer)", "zone_2 = other()"]


def test_tracebacks_and_inspect_show_the_text() -> None:
    divide = built("lintel dividing", 0)
    assert inspect.getsource(divide) == "def divide(number):\n    return number / value\n"
    with pytest.raises(ZeroDivisionError) as caught:
        divide(1)
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.line) == ("<lintel dividing>", "return number / value")


def test_equal_texts_share_their_file_name() -> None:
    assert built("lintel sharing", 1).__code__.co_filename == "<lintel sharing>"
    assert built("lintel sharing", 2).__code__.co_filename == "<lintel sharing>"
    other = Source("lintel sharing")
    other.line("divide = None.__class__")
    other.line("def divide(): pass")
    assert other.build("divide").__code__.co_filename == "<lintel sharing-2>"


def test_functions_name_what_they_are_made_from_as_their_module() -> None:
    source = Source("lintel reading shop.Order")
    source.line("def read(): return 1")
    read = source.build("read")
    assert (read.__module__, read()) == ("<lintel reading shop.Order>", 1)
