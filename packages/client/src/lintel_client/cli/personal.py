"""Interactive commands: login, logout, edit, doctor."""

from typing import Any

import click

from lintel_client.cli.actions import PARAM, OperationCommand, given_values
from lintel_client.cli.failures import Command
from lintel_client.cli.flags import complete_keys
from lintel_client.cli.later import later
from lintel_client.cli.wire import Wire, sends

__all__ = ["doctor", "edit", "login", "logout"]

_PASSWORD_OPTIONS = ("username", "password_stdin", "basic", "scheme")


@click.command(cls=Command)
@click.argument("keys", nargs=-1, shell_complete=complete_keys)
@click.option("-u", "--username", metavar="NAME", help="The user name; asked for if not given.")
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")
@click.option("--basic", is_flag=True, help="Use HTTP Basic instead of a token.")
@click.option("--scheme", metavar="WORD", help="The word before the token: Token, Bearer.")
@click.option("--keyring", is_flag=True, help="Store the secret in the system's keyring.")
@click.option("--oauth2", is_flag=True, help="Get tokens from the API's authorization server.")
@click.option(
    "--flow",
    type=click.Choice(["code", "device", "client"]),
    help="OAuth 2: sign in with a browser here, on another device, or as the client itself.",
)
@click.option("--issuer", metavar="URL", help="OAuth 2: the authorization server.")
@click.option("--client-id", metavar="ID", help="OAuth 2: the client, as the server knows it.")
@click.option(
    "--client-secret-stdin", is_flag=True, help="OAuth 2: read its secret from standard input."
)
@click.option("--scope", metavar="SCOPE", multiple=True, help="OAuth 2: ask for this scope.")
@click.option(
    "--redirect-uri", metavar="URI", help="OAuth 2: where the browser returns to on this machine."
)
@click.option("--no-browser", is_flag=True, help="OAuth 2: print the page, and open no browser.")
@click.option(
    "--trust",
    metavar="HOST",
    multiple=True,
    help="OAuth 2: let this host see secrets, although it is not the issuer's.",
)
@click.option(
    "--endpoint",
    metavar="NAME=URL",
    multiple=True,
    help="OAuth 2: an endpoint of the server: authorization, token, device or revocation.",
)
@click.option("--extra", metavar="NAME=TEXT", multiple=True, help="OAuth 2: send this as well.")
@sends
def login(keys: tuple[str, ...], wire: Wire, oauth2: bool, keyring: bool, **given: Any) -> None:
    """Sign in to the current API, and store the credentials.

    Runs the operation that takes a user name and password and returns a token; KEYS name it if
    there are several. With --oauth2, gets tokens from an authorization server instead, which the
    description or the metadata of the API names, or --issuer.
    """
    password = {name: given.pop(name) for name in _PASSWORD_OPTIONS}
    _check_options(oauth2, {"keys": keys, **password} if oauth2 else given)
    if oauth2:
        later("oauth2_login:login", wire, keyring=keyring, **given)
    else:
        later("signing:login", keys, wire, keyring=keyring, **password)


def _check_options(oauth2: bool, foreign: dict[str, Any]) -> None:
    """Reject options of the other way to sign in. Raises click.UsageError."""
    for name, value in foreign.items():
        if value:
            shown = "KEYS" if name == "keys" else f"--{name.replace('_', '-')}"
            verb = "does not go with" if oauth2 else "goes with"
            raise click.UsageError(f"{shown} {verb} --oauth2")


@click.command(cls=Command)
@click.argument("domain", required=False)
@sends
def logout(domain: str | None, wire: Wire) -> None:
    """Delete the credentials of DOMAIN.

    Without DOMAIN, those of the current document's host.

    Tokens of OAuth 2 are revoked too, if the authorization server can do that.
    """
    later("oauth2_login:logout", domain, wire)


@click.command(cls=OperationCommand)
@click.argument("keys", nargs=-1, required=True, shell_complete=complete_keys)
@PARAM
@sends
def edit(keys: tuple[str, ...], wire: Wire, params: tuple[str, ...], **given: Any) -> None:
    """Change a resource in an editor.

    lintel edit snippets update --id 1

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
