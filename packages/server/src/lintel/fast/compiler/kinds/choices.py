"""Choices: values of a field with a fixed list."""

from __future__ import annotations

from lintel.fast.compiler.kinds.base import (
    Accepted,
    Kind,
    ReadingWriter,
    Shape,
    Writer,
    accepts,
)
from lintel.fast.compiler.plan import Conversion


def _table(writer: Writer, conversion: Conversion) -> str:
    return writer.source.bind("choices", conversion.option("choice_strings_to_values"))


def _shape(writer: ReadingWriter, conversion: Conversion, value: str) -> Shape:
    result = f"({_table(writer, conversion)}.get({value}, {value}) if {value} else {value})"
    return Shape(f"type({value}) is str", result)


def _convert(writer: Writer, writing: Conversion, value: str) -> Accepted:
    table = _table(writer, writing)
    return [f"type({value}) is str", value, f"{value} in {table}"], f"{table}[{value}]"


KINDS = {"choice": Kind(shape=_shape, accept=accepts(_convert))}
