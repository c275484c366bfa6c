"""Commands on the history of visited documents."""

import click

from lintel_client.cli.descriptions import REFERENCES
from lintel_client.cli.failures import Command
from lintel_client.cli.later import later
from lintel_client.cli.wire import Wire, sends

__all__ = ["history"]


@click.group()
def history() -> None:
    """Inspect and use the most recent documents, newest first."""


@history.command("show", cls=Command)
def show() -> None:
    """List the visited URLs; the current one is marked."""
    later("visits:show")


@history.command("back", cls=Command)
@REFERENCES
@sends
def back(references: bool, wire: Wire) -> None:
    """Fetch the document visited before the current one."""
    later("visits:step", 1, "There is nothing further back.", wire, references)


@history.command("forward", cls=Command)
@REFERENCES
@sends
def forward(references: bool, wire: Wire) -> None:
    """Fetch the document visited after the current one."""
    later("visits:step", -1, "There is nothing further forward.", wire, references)
