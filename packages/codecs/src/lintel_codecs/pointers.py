"""JSON pointers (RFC 6901) within one tree."""

from collections.abc import Mapping
from typing import Any

__all__ = ["pointed"]


def pointed(root: Any, pointer: str) -> Any:
    """Return the node at a pointer. Raises KeyError with the first missing key."""
    node = root
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(node, Mapping) and key in node:
            node = node[key]
        elif isinstance(node, list) and _is_position(key, len(node)):
            node = node[int(key)]
        else:
            raise KeyError(key)
    return node


def _is_position(key: str, length: int) -> bool:
    return key.isascii() and key.isdigit() and len(key) < 10 and int(key) < length
