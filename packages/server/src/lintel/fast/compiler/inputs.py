"""Whether input is small, and nothing in it runs code when it is read."""

from typing import Any

from lintel.fast.compiler.options import CONSTANTS

#: An invalid item takes some 50 µs; other requests wait for all of them.
MOST_VALUES = 300

_VALUES = frozenset(CONSTANTS)


def is_small(data: object) -> bool:
    """Return whether ``data`` is a dict with at most that many values of Python's own types."""
    values: list[Any] = [data]
    for value in values if type(data) is dict else ():
        kind = type(value)
        if kind in _VALUES:
            continue
        if (kind is not dict and kind is not list) or len(values) + len(value) > MOST_VALUES:
            return False
        values += value.values() if kind is dict else value
    return type(data) is dict
