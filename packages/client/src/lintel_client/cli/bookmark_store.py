"""The implementation of the commands on bookmarks."""

import difflib

from lintel_client.cli.failures import Failure
from lintel_client.cli.output import print_table
from lintel_client.cli.session import fetch
from lintel_client.cli.state import State
from lintel_client.cli.wire import Wire

__all__ = ["add", "get", "remove", "show"]


def add(name: str) -> None:
    """Save the current document and its URL under a name."""
    state = State()
    document = state.document()
    if not document.url:
        raise Failure("The current document has no URL to keep")
    if not name:
        raise Failure("A bookmark needs a name")
    state.save_profile(name, document)
    state.save_bookmarks({**state.bookmarks(), name: document.url})


def get(name: str, format: str | None, references: bool, wire: Wire) -> None:
    """Fetch the document of the bookmark NAME."""
    state = State()
    fetch(state, _known(state, name), format, wire, references)


def remove(name: str) -> None:
    """Delete NAME, and its document, credentials, headers and history."""
    state = State()
    _known(state, name)
    state.forget_profile(name)
    stored = state.bookmarks()
    del stored[name]
    state.save_bookmarks(stored)


def show() -> None:
    """List all bookmarks."""
    print_table(["name", "url"], list(State().bookmarks().items()))


def _known(state: State, name: str) -> str:
    stored = state.bookmarks()
    if name not in stored:
        near = difflib.get_close_matches(name, stored, n=3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise Failure(f"There is no bookmark {name!r}.{hint}")
    return stored[name]
