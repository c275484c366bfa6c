"""Commands on the history of visited documents."""

import click

from lintel_client.cli.failures import Command
from lintel_client.cli.later import later
from lintel_client.cli.wire import Wire, sends

__all__ = ["history"]


@click.group()
def history() -> None:
    """The documents visited last, the newest first."""


@history.command("show", cls=Command)
def show() -> None:
    """List the visited URLs; the current one is marked."""
    later("visits:show")


@history.command("back", cls=Command)
@sends
def back(wire: Wire) -> None:
    """Fetch the document visited before the current one."""
    later("visits:step", 1, "There is nothing further back.", wire)


@history.command("forward", cls=Command)
@sends
def forward(wire: Wire) -> None:
    """Fetch the document visited after the current one."""
    later("visits:step", -1, "There is nothing further forward.", wire)
