"""The standard library's ``json`` without NaN and Infinity, which are not JSON (RFC 8259).

The functions take the arguments of their namesakes.
"""

import functools
import json
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, NoReturn, TypeVar

ResultT = TypeVar("ResultT")


def strict_constant(o: str) -> NoReturn:
    raise ValueError("Out of range float values are not JSON compliant: " + repr(o))


def _strict(function: Callable[..., ResultT], **strict: object) -> Callable[..., ResultT]:
    name = function.__name__

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> ResultT:
        return getattr(json, name)(*args, **{**strict, **kwargs})

    return call


dump = _strict(json.dump, allow_nan=False)
dumps = _strict(json.dumps, allow_nan=False)
load = _strict(json.load, parse_constant=strict_constant)
loads = _strict(json.loads, parse_constant=strict_constant)

#: Deeper input is rejected: the code that handles the data later recurses too.
MAX_DEPTH = 500
_PARSED_CONTAINERS = frozenset([dict, list])


def too_deep(data: object) -> bool:
    level = [data]
    for _ in range(MAX_DEPTH + 1):
        level = [item for item in level if type(item) in _PARSED_CONTAINERS]
        if not level:
            return False
        level = list(_children(level))
    return True


def _children(level: list[Any]) -> Iterable[object]:
    return chain.from_iterable([item.values() if type(item) is dict else item for item in level])


def escape_separators(text: bytes) -> bytes:
    """Escape U+2028 and U+2029, which end a line in older JavaScript."""
    if b"\xe2\x80" not in text:
        return text
    return text.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")
