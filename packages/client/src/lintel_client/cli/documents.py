"""Commands on the current document: get, load, issues, reload, show, describe, dump, clear."""

from pathlib import Path

import click

from lintel_client.cli.descriptions import FORMAT, REFERENCES
from lintel_client.cli.failures import Command
from lintel_client.cli.flags import complete_keys
from lintel_client.cli.later import later
from lintel_client.cli.wire import Wire, sends

__all__ = ["clear", "describe", "dump", "get", "issues", "load", "reload", "show"]


@click.command(cls=Command)
@click.argument("url")
@FORMAT
@REFERENCES
@sends
def get(url: str, format: str | None, references: bool, wire: Wire) -> None:
    """Fetch the document at URL, make it current, and show it.

    URL may be a host or a page of it: its description is looked for in the Link header, in
    the catalog of the host, and at the usual paths.

    Without a scheme, URL is http for this machine (127.0.0.1:8000, localhost), else https.
    """
    later("reading:get", url, format, references, wire)


@click.command(cls=Command)
@FORMAT
@REFERENCES
@sends
def reload(format: str | None, references: bool, wire: Wire) -> None:
    """Fetch the current document again, and list the changes.

    The changes go to standard error.
    """
    later("reading:reload", format, references, wire)


@click.command(cls=Command)
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@FORMAT
@REFERENCES
@click.option("--url", default="", metavar="URL", help="The URL that the file came from.")
def load(path: Path, format: str | None, references: bool, url: str) -> None:
    """Read a document from FILE, and make it current.

    "-" is standard input. The format is detected, with corejson as the default. Relative URLs in
    the document are resolved against --url.
    """
    later("reading:load", path, format, references, url)


@click.command(cls=Command)
def issues() -> None:
    """List what the document leaves out of the description."""
    later("reading:issues")


@click.command(cls=Command)
@click.option("--format", "format", default="corejson", show_default=True, help="Its format.")
def dump(format: str) -> None:
    """Print the current document in a format."""
    later("reading:dump", format)


@click.command(cls=Command)
@click.argument("keys", nargs=-1, shell_complete=complete_keys)
def show(keys: tuple[str, ...]) -> None:
    """Show the current document, or the part of it at KEYS."""
    later("reading:show", keys)


@click.command(cls=Command)
@click.argument("keys", nargs=-1, required=True, shell_complete=complete_keys)
@click.option("--full", is_flag=True, help="Show all values of parameters with many choices.")
def describe(keys: tuple[str, ...], full: bool) -> None:
    """Describe the link at KEYS: method, URL, and each parameter."""
    later("reading:describe", keys, full)


@click.command(cls=Command)
def clear() -> None:
    """Delete everything that lintel has stored.

    That is the document, history, credentials, headers and bookmarks.
    """
    later("reading:clear")
