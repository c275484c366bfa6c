"""What a decoder of one coding does."""

from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any, Protocol

__all__ = ["PIECE", "Decoder", "first_library"]

PIECE = 1 << 20
"""The most bytes that are decoded at once: a few compressed bytes may stand for very many."""


class Decoder(Protocol):
    """Decodes the content of one response. Raises ValueError for what is not in its coding."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what a chunk stands for, in pieces."""
        ...

    def is_whole(self) -> bool:
        """Return whether the content so far has its end, or is empty."""
        ...


def first_library(*names: str) -> Any:
    """Return the first of these modules that is installed, None without any."""
    for name in names:
        with suppress(ImportError):
            return import_module(name)
    return None
