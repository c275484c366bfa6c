"""Commands on credentials: values of the Authorization header, each bound to a domain."""

import sys
from typing import Any

import click

from lintel_client.cli.failures import Command, Failure
from lintel_client.cli.later import later
from lintel_client.cli.output import print_table
from lintel_client.cli.redaction import hidden_credentials
from lintel_client.cli.sources import encoded, shown_source
from lintel_client.cli.state import State
from lintel_client.headers import checked_header
from lintel_client.origins import Domain

__all__ = ["credentials"]


@click.group()
def credentials() -> None:
    """Credentials, each sent to one domain only."""


@credentials.command("add", cls=Command)
@click.argument("domain")
@click.argument("value", metavar="[CREDENTIALS]", required=False)
@click.option(
    "--auth",
    type=click.Choice(["basic"]),
    help="Take CREDENTIALS as user:password and encode them for HTTP Basic.",
)
@click.option("--scheme", metavar="WORD", help="Put this before CREDENTIALS: Bearer, Token.")
@click.option("--from-env", "environment", metavar="NAME", help="Take them from the environment.")
@click.option(
    "--from-command",
    "command",
    metavar="COMMAND",
    help="Take the first line that this command prints, each time they are needed.",
)
@click.option("--keyring", is_flag=True, help="Keep them in the keyring of the system.")
def add(
    domain: str,
    value: str | None,
    auth: str | None,
    scheme: str | None,
    environment: str | None,
    command: str | None,
    keyring: bool,
) -> None:
    """Send CREDENTIALS as the Authorization header to DOMAIN ("-" reads them from standard input).

    DOMAIN is example.org for all its ports, example.org:8000 for one, *.example.org for subdomains.
    """
    given = [each for each in (value, environment, command) if each is not None]
    if len(given) != 1 or (keyring and value is None):
        raise click.UsageError("Give CREDENTIALS, or one of --from-env and --from-command")
    state = State()
    form = {key: text for key, text in (("auth", auth), ("scheme", scheme)) if text}
    try:
        Domain.parse(domain)
        stored: Any = _source(environment, command, form)
        if value is not None:
            checked = _checked(value, auth, scheme)
            stored = _in_keyring(state, domain, checked) if keyring else checked
    except ValueError as error:
        raise Failure(str(error)) from error
    state.save_credentials({**state.credentials(), domain: stored})


@credentials.command("remove", cls=Command)
@click.argument("domain")
def remove(domain: str) -> None:
    """Forget the credentials of DOMAIN."""
    state = State()
    stored = state.credentials()
    if domain not in stored:
        raise Failure(f"There are no credentials for {domain!r}")
    removed = stored.pop(domain)
    state.save_credentials(stored)
    if isinstance(removed, dict) and "keyring" in removed:
        later("keyrings:forget", removed["keyring"])


@credentials.command("show", cls=Command)
@click.option("--reveal", is_flag=True, help="Print the secrets too.")
def show(reveal: bool) -> None:
    """List the domains that have credentials."""
    rows = [(domain, _shown(value, reveal)) for domain, value in State().credentials().items()]
    print_table(["domain", "credentials"], rows)


def _shown(stored: Any, reveal: bool) -> str:
    if isinstance(stored, dict):
        return shown_source(stored)
    return str(stored) if reveal else hidden_credentials(stored)


def _checked(value: str, auth: str | None, scheme: str | None) -> str:
    if value == "-":
        value = sys.stdin.readline().rstrip("\n")
    return checked_header("Authorization", encoded(value, auth, scheme))[1]


def _source(
    environment: str | None, command: str | None, form: dict[str, str]
) -> dict[str, str] | None:
    if environment is not None:
        return {"environment": environment, **form}
    return None if command is None else {"command": command, **form}


def _in_keyring(state: State, domain: str, value: str) -> dict[str, str]:
    name = f"{state.bookmark}/{domain}" if state.bookmark else domain
    later("keyrings:keep", name, value)
    return {"keyring": name}
