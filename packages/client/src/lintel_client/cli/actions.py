"""The command that calls an operation."""

from pathlib import Path
from typing import Any

import click

from lintel_client.cli.documents import DEBUG, path_keys
from lintel_client.cli.failures import Command, printable
from lintel_client.cli.output import print_bytes, print_result, save
from lintel_client.cli.session import open_client
from lintel_client.cli.state import State
from lintel_client.cli.values import parameters
from lintel_document.document import Document

__all__ = ["action"]


@click.command(cls=Command)
@click.argument("keys", nargs=-1, required=True)
@click.option(
    "-p",
    "--param",
    "params",
    metavar="NAME=VALUE",
    multiple=True,
    help="A parameter; null, true, numbers, lists and objects are inferred, all else is text.",
)
@click.option(
    "-s",
    "--string",
    "strings",
    metavar="NAME=TEXT",
    multiple=True,
    help="A text. NAME=@PATH sends the content of a file (@- is standard input) to the byte; "
    "a text that starts with @ is written NAME=@@...",
)
@click.option(
    "-d",
    "--data",
    "data",
    metavar="NAME=JSON",
    multiple=True,
    help="A JSON value; NAME=@PATH reads it from a file.",
)
@click.option(
    "-f",
    "--file",
    "files",
    metavar="NAME=PATH",
    multiple=True,
    help='A file to upload ("-" is standard input), for links that take multipart or binary data.',
)
@click.option("-a", "--action", "method", metavar="METHOD", help="Use another HTTP method.")
@click.option("-e", "--encoding", metavar="TYPE", help="Use another media type for the body.")
@click.option(
    "-t",
    "--transform",
    type=click.Choice(["new", "inplace"]),
    help="Take the result as a new document, or put it in place of the old one.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the result to a file.")
@click.option("--dry-run", is_flag=True, help="Print the request, secrets hidden, do not send it.")
@DEBUG
def action(
    keys: tuple[str, ...],
    params: tuple[str, ...],
    strings: tuple[str, ...],
    data: tuple[str, ...],
    files: tuple[str, ...],
    method: str | None,
    encoding: str | None,
    transform: str | None,
    output: Path | None,
    dry_run: bool,
    debug: bool,
) -> None:
    """Call the operation at KEYS, for example: lintel action snippets list --param page=2

    For one name, --file wins over --data, --string and --param. A name that stands for several
    parameters can be told apart by place: --param path.id=1
    """
    state = State()
    document = state.document()
    call: dict[str, Any] = {
        "document": document,
        "keys": path_keys(document, keys),
        "params": parameters(params, strings, data, files),
        "overrides": _overrides(action=method, encoding=encoding, transform=transform),
    }
    with open_client(state, debug) as (client, transport):
        if dry_run:
            text = printable(transport.shown(client.request(**call)))
            print_bytes(f"{text}\n".encode(errors="replace"))
            return
        _finish(state, client.action(**call), output)


def _overrides(**given: str | None) -> dict[str, str]:
    return {name: value for name, value in given.items() if value is not None}


def _finish(state: State, result: Any, output: Path | None) -> None:
    if isinstance(result, Document):
        state.visit(result)
    if output is None:
        print_result(result)
    else:
        save(result, output)
