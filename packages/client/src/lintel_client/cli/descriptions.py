"""The options of every command that reads a description."""

from collections.abc import Callable
from typing import Any

import click

__all__ = ["FORMAT", "REFERENCES"]

_Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

FORMAT: _Decorator = click.option(
    "--format", "format", metavar="FORMAT", help="Read with this codec (lintel codecs show)."
)
REFERENCES: _Decorator = click.option(
    "--references", is_flag=True, help="Follow references: below the folder, on the same host."
)
