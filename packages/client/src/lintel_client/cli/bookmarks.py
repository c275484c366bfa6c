"""Commands on bookmarks: named URLs of APIs, and the state stored for each."""

import click

from lintel_client.cli.descriptions import FORMAT, REFERENCES
from lintel_client.cli.failures import Command
from lintel_client.cli.folders import complete_bookmark
from lintel_client.cli.later import later
from lintel_client.cli.wire import Wire, sends

__all__ = ["bookmarks"]


@click.group()
def bookmarks() -> None:
    """URLs of APIs by name."""


@bookmarks.command("add", cls=Command)
@click.argument("name")
def add(name: str) -> None:
    """Save the current document as NAME, for lintel -b NAME ...

    A bookmark has its own credentials, headers and history, empty at first.
    """
    later("bookmark_store:add", name)


@bookmarks.command("get", cls=Command)
@click.argument("name", shell_complete=complete_bookmark)
@FORMAT
@REFERENCES
@sends
def get(name: str, format: str | None, references: bool, wire: Wire) -> None:
    """Fetch the document of the bookmark NAME."""
    later("bookmark_store:get", name, format, references, wire)


@bookmarks.command("remove", cls=Command)
@click.argument("name", shell_complete=complete_bookmark)
def remove(name: str) -> None:
    """Delete NAME, and its document, credentials, headers and history."""
    later("bookmark_store:remove", name)


@bookmarks.command("show", cls=Command)
def show() -> None:
    """List all bookmarks."""
    later("bookmark_store:show")
