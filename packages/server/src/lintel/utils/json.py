"""The standard library's ``json`` without NaN and Infinity, which are not JSON (RFC 8259).

The functions take the arguments of their namesakes.
"""

from __future__ import annotations

import functools
import json
from typing import Any, NoReturn

__all__ = ["dump", "dumps", "load", "loads", "strict_constant"]


def strict_constant(o: str) -> NoReturn:
    """Raise ValueError for ``NaN``, ``Infinity`` and ``-Infinity``."""
    raise ValueError("Out of range float values are not JSON compliant: " + repr(o))


@functools.wraps(json.dump)
def dump(*args: Any, **kwargs: Any) -> None:
    """Write a value to a file. Raises ValueError for NaN and infinities."""
    kwargs.setdefault("allow_nan", False)
    json.dump(*args, **kwargs)


@functools.wraps(json.dumps)
def dumps(*args: Any, **kwargs: Any) -> str:
    """Return the text of a value. Raises ValueError for NaN and infinities."""
    kwargs.setdefault("allow_nan", False)
    return json.dumps(*args, **kwargs)


@functools.wraps(json.load)
def load(*args: Any, **kwargs: Any) -> Any:
    """Read a value from a file. Raises ValueError for the constants of JavaScript."""
    kwargs.setdefault("parse_constant", strict_constant)
    return json.load(*args, **kwargs)


@functools.wraps(json.loads)
def loads(*args: Any, **kwargs: Any) -> Any:
    """Read a value from text. Raises ValueError for the constants of JavaScript."""
    kwargs.setdefault("parse_constant", strict_constant)
    return json.loads(*args, **kwargs)
