"""Hides members of data whose names suggest a secret."""

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["HIDDEN", "without_members"]

HIDDEN = "***"


def without_members(value: Any, is_secret: Callable[[str], bool]) -> Any:
    """Return plain data in which members of certain names, at any depth, have HIDDEN values.

    Only non-empty texts and numbers are hidden, those of lists too.
    """
    if isinstance(value, Mapping):
        return {
            key: without_members(_hidden(inner) if is_secret(str(key)) else inner, is_secret)
            for key, inner in value.items()
        }
    return (
        [without_members(item, is_secret) for item in value] if isinstance(value, list) else value
    )


def _hidden(value: Any) -> Any:
    if isinstance(value, list):
        return [_hidden(item) for item in value]
    return HIDDEN if isinstance(value, str | int) and value else value
