"""The folders in which the command line stores its state.

The folder is ``$LINTEL_CONFIG_DIR``, or the user's configuration folder (on Linux
``$XDG_CONFIG_HOME/lintel``, usually ``~/.config/lintel``). Below it, each bookmark has a folder of
its own in ``profiles``, which ``lintel -b NAME`` uses.
"""

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click
from click.shell_completion import CompletionItem

__all__ = [
    "BOOKMARKS",
    "PROFILES",
    "base_folder",
    "chosen_bookmark",
    "chosen_folder",
    "complete_bookmark",
    "profile_folder",
]

BOOKMARKS = "bookmarks.json"
PROFILES = "profiles"


def base_folder() -> Path:
    """Return the folder of all state."""
    return Path(os.environ.get("LINTEL_CONFIG_DIR") or click.get_app_dir("lintel"))


def profile_folder(base: Path, bookmark: str) -> Path:
    """Return the folder of a bookmark, whose name may contain any character."""
    # A folder must not be called "." or "..", nor be hidden.
    name = quote(bookmark, safe="")
    return base / PROFILES / (f"%2E{name[1:]}" if name.startswith(".") else name)


def chosen_bookmark() -> str | None:
    """Return the bookmark that the command line names with ``-b``, if any."""
    context = click.get_current_context(silent=True)
    return context.find_root().params.get("bookmark") if context else None


def chosen_folder() -> Path:
    """Return the folder of this run: that of the chosen bookmark, or the folder of all state."""
    bookmark = chosen_bookmark()
    return profile_folder(base_folder(), bookmark) if bookmark else base_folder()


def complete_bookmark(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[Any]]:
    """Return the names of bookmarks that start like this."""
    try:
        names = dict(json.loads((base_folder() / BOOKMARKS).read_bytes()))
    except (OSError, ValueError, TypeError):
        return []
    return [
        CompletionItem(name, help=str(url))
        for name, url in names.items()
        if name.startswith(incomplete)
    ]
