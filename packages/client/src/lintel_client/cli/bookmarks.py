"""Commands on bookmarks: URLs of APIs by name."""

import difflib

import click

from lintel_client.cli.documents import DEBUG
from lintel_client.cli.failures import Command, Failure
from lintel_client.cli.output import print_table
from lintel_client.cli.session import fetch
from lintel_client.cli.state import State

__all__ = ["bookmarks"]


@click.group()
def bookmarks() -> None:
    """URLs of APIs by name."""


@bookmarks.command("add", cls=Command)
@click.argument("name")
def add(name: str) -> None:
    """Keep the URL of the current document under NAME."""
    state = State()
    url = state.document().url
    if not url:
        raise Failure("The current document has no URL to keep")
    state.save_bookmarks({**state.bookmarks(), name: url})


@bookmarks.command("get", cls=Command)
@click.argument("name")
@DEBUG
def get(name: str, debug: bool) -> None:
    """Fetch the document that NAME stands for."""
    state = State()
    fetch(state, _known(state, name), debug=debug)


@bookmarks.command("remove", cls=Command)
@click.argument("name")
def remove(name: str) -> None:
    """Forget NAME."""
    state = State()
    _known(state, name)
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
