"""Commands on the current document: get, load, reload, show, describe, dump, clear."""

import sys
from pathlib import Path
from typing import Any

import click

from lintel_client.cli.display import changes, described
from lintel_client.cli.failures import Command, Failure, printable
from lintel_client.cli.output import note, print_bytes, print_document, print_result
from lintel_client.cli.session import fetch, open_client
from lintel_client.cli.state import State
from lintel_client.errors import NetworkError
from lintel_client.lookup import Key, find, shown_path
from lintel_client.origins import origin_of
from lintel_document.codec import Codec
from lintel_document.document import Array, Document
from lintel_document.registry import codec_for_format, installed_codecs

__all__ = ["clear", "describe", "dump", "get", "load", "path_keys", "reload", "show"]

FORMAT = click.option(
    "--format", "format", metavar="FORMAT", help="Read with this codec (lintel codecs show)."
)
DEBUG = click.option(
    "--debug", is_flag=True, help="Print requests and responses, with secrets hidden."
)


@click.command(cls=Command)
@click.argument("url")
@FORMAT
@DEBUG
def get(url: str, format: str | None, debug: bool) -> None:
    """Fetch the document at URL, make it the current one, and show it."""
    try:
        origin_of(url)
    except NetworkError as error:
        raise Failure(str(error)) from error
    fetch(State(), url, format, debug)


@click.command(cls=Command)
@FORMAT
@DEBUG
def reload(format: str | None, debug: bool) -> None:
    """Fetch the current document anew; what changed is listed on standard error."""
    state = State()
    before = state.document()
    if not before.url:
        raise Failure("The current document has no URL to load it from")
    with open_client(state, debug) as (client, _):
        after = client.reload(before, format)
    if not isinstance(after, Document):
        raise Failure(f"{before.url} holds no document any more; the current one stays")
    state.visit(after)
    print_document(after)
    for line in changes(before, after):
        note(line)


@click.command(cls=Command)
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--format", "format", default="corejson", show_default=True, help="Its format.")
def load(path: Path, format: str) -> None:
    """Read a document from FILE ("-" is standard input) and make it the current one."""
    codec = _able(format, "decode")
    content = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    document = codec.decode(content)
    if not isinstance(document, Document):
        raise Failure(f"{path} holds no document")
    State().visit(document)
    print_document(document)


@click.command(cls=Command)
@click.option("--format", "format", default="corejson", show_default=True, help="Its format.")
def dump(format: str) -> None:
    """Print the current document in a format."""
    content = _able(format, "encode").encode(State().document(), indent=True)
    print_bytes(content.removesuffix(b"\n") + b"\n")


@click.command(cls=Command)
@click.argument("keys", nargs=-1)
def show(keys: tuple[str, ...]) -> None:
    """Show the current document, or the part of it at KEYS."""
    document = State().document()
    path = path_keys(document, keys)
    part = find(document, path)
    if isinstance(part, str | int | float | None):
        print_result(part if part is not None else "null\n")
    else:
        print_document(part)


@click.command(cls=Command)
@click.argument("keys", nargs=-1, required=True)
@click.option("--full", is_flag=True, help="Show all values of parameters with many choices.")
def describe(keys: tuple[str, ...], full: bool) -> None:
    """Describe the link at KEYS: method, URL, and each parameter."""
    document = State().document()
    path = path_keys(document, keys)
    text = printable(described(shown_path(path[-1:]), find(document, path), full))
    print_bytes(f"{text}\n".encode(errors="replace"))


@click.command(cls=Command)
def clear() -> None:
    """Forget everything: document, history, credentials, headers, bookmarks."""
    State().clear()


def path_keys(document: Document, keys: tuple[str, ...]) -> list[Key]:
    """Return keys of the command line as keys of a document: digits address arrays."""
    path: list[Key] = []
    node: Any = document
    for key in keys:
        is_index = isinstance(node, Array) and key.isascii() and key.isdigit() and len(key) < 10
        path.append(int(key) if is_index else key)
        node = node.get_in(path[-1:]) if hasattr(node, "get_in") else None
    return path


def _able(format: str, ability: str) -> Codec:
    able = [
        installed.codec
        for installed in installed_codecs()
        if ability in installed.codec.get_abilities()
    ]
    return codec_for_format(format, able)
