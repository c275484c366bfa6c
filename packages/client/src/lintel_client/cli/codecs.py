"""The command that lists the installed codecs."""

import click

from lintel_client.cli.failures import Command
from lintel_client.cli.later import later

__all__ = ["codecs"]


@click.group()
def codecs() -> None:
    """Inspect the formats that can be read and written."""


@codecs.command("show", cls=Command)
def show() -> None:
    """List all installed codecs."""
    later("installed:show")
