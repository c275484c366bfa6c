"""Functions that are imported when they are called, so that each command loads what it needs.

Each key press of completion builds the commands and runs none of them, so the modules that declare
commands import neither HTTP nor the document model nor tables.
"""

from importlib import import_module
from typing import Any

__all__ = ["later"]


def later(place: str, *args: Any, **values: Any) -> Any:
    """Call the function at "module:name" of this package and return its result."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"lintel_client.cli.{module}"), name)(*args, **values)
