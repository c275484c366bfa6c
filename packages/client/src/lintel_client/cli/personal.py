"""Interactive commands: login, edit, doctor."""

from typing import Any

import click

from lintel_client.cli.actions import PARAM, OperationCommand, given_values
from lintel_client.cli.failures import Command
from lintel_client.cli.flags import complete_keys
from lintel_client.cli.later import later
from lintel_client.cli.wire import Wire, sends

__all__ = ["doctor", "edit", "login"]


@click.command(cls=Command)
@click.argument("keys", nargs=-1, shell_complete=complete_keys)
@click.option("-u", "--username", metavar="NAME", help="The user name; asked for if not given.")
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")
@click.option("--basic", is_flag=True, help="Use HTTP Basic instead of a token.")
@click.option("--scheme", metavar="WORD", help="The word before the token: Token, Bearer.")
@click.option("--keyring", is_flag=True, help="Store the secret in the system's keyring.")
@sends
def login(keys: tuple[str, ...], wire: Wire, **given: Any) -> None:
    """Sign in to the API of the current document and store its credentials.

    Runs the operation that takes a user name and password and returns a token; KEYS name it if
    there are several.
    """
    later("signing:login", keys, wire, **given)


@click.command(cls=OperationCommand)
@click.argument("keys", nargs=-1, required=True, shell_complete=complete_keys)
@PARAM
@sends
def edit(keys: tuple[str, ...], wire: Wire, params: tuple[str, ...], **given: Any) -> None:
    """Change a resource in an editor: lintel edit snippets update --id 1

    Fetches it, opens $VISUAL or $EDITOR, and sends the changes with the operation at KEYS, or
    with its counterpart. If the service names versions (ETag), a change that somebody
    else made in the meantime is not overwritten.
    """
    later("editing:edit", keys, given_values(given), wire, params)


@click.command(cls=Command)
@sends
def doctor(wire: Wire) -> None:
    """Report what is broken in the setup, and what to do about it."""
    later("checkup:doctor", wire)
