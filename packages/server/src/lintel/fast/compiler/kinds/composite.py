"""Values that contain others: lists of one kind, JSON, and values passed on unchanged."""

from __future__ import annotations

from lintel.fast.compiler.kinds.base import Kind, Shape
from lintel.fast.compiler.plan import Conversion
from lintel.fast.compiler.runtime import finish_item
from lintel.trust.source import Source


def list_shape(source: Source, value: str, item: str, inner: Shape, child: str) -> Shape:
    """Return the shape of a list whose items have the shape ``inner``, or use ``child``."""
    finish = source.bind("finish_item", finish_item)
    each = f"{inner.result} if {inner.test} else {finish}({child}, {item})"
    return Shape(f"type({value}) is list", f"[{each} for {item} in {value}]")


def _shape_json(source: Source, conversion: Conversion, value: str) -> Shape | None:
    return None if conversion.option("binary") else _shape_as_is(source, conversion, value)


def _shape_as_is(source: Source, conversion: Conversion, value: str) -> Shape:
    return Shape(f"not callable({value})", value)


KINDS = {
    "list": Kind(repeats=True),
    "json": Kind(shape=_shape_json),
    "as_is": Kind(shape=_shape_as_is),
}
