"""Commands on credentials: values of the Authorization header, each bound to a domain."""

import sys

import click

from lintel_client.auth import basic_credentials
from lintel_client.cli.failures import Command, Failure
from lintel_client.cli.output import print_table
from lintel_client.cli.redaction import hidden_credentials
from lintel_client.cli.state import State
from lintel_client.headers import checked_header
from lintel_client.origins import Domain

__all__ = ["credentials"]


@click.group()
def credentials() -> None:
    """Credentials, each sent to one domain only."""


@credentials.command("add", cls=Command)
@click.argument("domain")
@click.argument("value", metavar="CREDENTIALS")
@click.option(
    "--auth",
    type=click.Choice(["basic"]),
    help="Take CREDENTIALS as user:password and encode them for HTTP Basic.",
)
def add(domain: str, value: str, auth: str | None) -> None:
    """Send CREDENTIALS as the Authorization header to DOMAIN ("-" reads them from standard input).

    DOMAIN is example.org for all its ports, example.org:8000 for one, *.example.org for subdomains.
    """
    if value == "-":
        value = sys.stdin.readline().rstrip("\n")
    state = State()
    try:
        Domain.parse(domain)
        _, checked = checked_header("Authorization", _encoded(value, auth))
    except ValueError as error:
        raise Failure(str(error)) from error
    state.save_credentials({**state.credentials(), domain: checked})


@credentials.command("remove", cls=Command)
@click.argument("domain")
def remove(domain: str) -> None:
    """Forget the credentials of DOMAIN."""
    state = State()
    stored = state.credentials()
    if domain not in stored:
        raise Failure(f"There are no credentials for {domain!r}")
    del stored[domain]
    state.save_credentials(stored)


@credentials.command("show", cls=Command)
@click.option("--reveal", is_flag=True, help="Print the secrets too.")
def show(reveal: bool) -> None:
    """List the domains that have credentials."""
    stored = State().credentials().items()
    rows = [(domain, value if reveal else hidden_credentials(value)) for domain, value in stored]
    print_table(["domain", "credentials"], rows)


def _encoded(value: str, auth: str | None) -> str:
    if not value.strip():
        raise ValueError("The credentials are empty")
    if auth != "basic":
        return value
    user, colon, password = value.partition(":")
    if not colon:
        raise ValueError("Credentials for --auth basic are written user:password")
    return basic_credentials(user, password)
