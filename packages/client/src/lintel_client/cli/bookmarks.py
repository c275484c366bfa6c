"""Commands on bookmarks: URLs of APIs by name."""

import difflib

import click

from lintel_client.cli.failures import Command, Failure
from lintel_client.cli.output import print_table
from lintel_client.cli.session import fetch
from lintel_client.cli.state import State
from lintel_client.cli.wire import Wire, sends

__all__ = ["bookmarks"]


@click.group()
def bookmarks() -> None:
    """URLs of APIs by name."""


@bookmarks.command("add", cls=Command)
@click.argument("name")
def add(name: str) -> None:
    """Keep the current document and its URL under NAME, for: lintel -b NAME ...

    A bookmark has credentials, headers and a history of its own, empty at first.
    """
    state = State()
    document = state.document()
    if not document.url:
        raise Failure("The current document has no URL to keep")
    if not name:
        raise Failure("A bookmark needs a name")
    state.save_profile(name, document)
    state.save_bookmarks({**state.bookmarks(), name: document.url})


@bookmarks.command("get", cls=Command)
@click.argument("name")
@sends
def get(name: str, wire: Wire) -> None:
    """Fetch the document that NAME stands for."""
    state = State()
    fetch(state, _known(state, name), None, wire)


@bookmarks.command("remove", cls=Command)
@click.argument("name")
def remove(name: str) -> None:
    """Forget NAME, and its document, credentials, headers and history."""
    state = State()
    _known(state, name)
    state.forget_profile(name)
    stored = state.bookmarks()
    del stored[name]
    state.save_bookmarks(stored)


@bookmarks.command("show", cls=Command)
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
