"""Commands on credentials: values of the Authorization header, each bound to a domain."""

import click

from lintel_client.cli.failures import Command
from lintel_client.cli.later import later

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
@click.option(
    "--security",
    metavar="NAME",
    help="Send them as this security scheme of the description requires, not as Authorization.",
)
@click.option("--keyring", is_flag=True, help="Store them in the system's keyring.")
def add(
    domain: str,
    value: str | None,
    auth: str | None,
    scheme: str | None,
    environment: str | None,
    command: str | None,
    security: str | None,
    keyring: bool,
) -> None:
    """Send CREDENTIALS to DOMAIN, in the Authorization header.

    "-" reads CREDENTIALS from standard input. DOMAIN is example.org for all its ports,
    example.org:8000 for one, *.example.org for subdomains.
    """
    given = [each for each in (value, environment, command) if each is not None]
    if len(given) != 1 or (keyring and value is None):
        raise click.UsageError("Give CREDENTIALS, or one of --from-env and --from-command")
    form = {key: text for key, text in (("auth", auth), ("scheme", scheme)) if text}
    source = None if environment is None else {"environment": environment, **form}
    if command is not None:
        source = {"command": command, **form}
    later("credential_store:add", domain, source or value, form, keyring, security)


@credentials.command("remove", cls=Command)
@click.argument("domain")
def remove(domain: str) -> None:
    """Delete the credentials of DOMAIN."""
    later("credential_store:remove", domain)


@credentials.command("show", cls=Command)
@click.option("--reveal", is_flag=True, help="Print the secrets too.")
def show(reveal: bool) -> None:
    """List the domains that have credentials."""
    later("credential_store:show", reveal)
