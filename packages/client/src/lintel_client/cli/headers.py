"""Commands on headers: fixed request headers, each bound to a domain."""

import click

from lintel_client.cli.failures import Command
from lintel_client.cli.later import later

__all__ = ["headers"]


@click.group()
def headers() -> None:
    """Fixed request headers, each sent to one domain only."""


@headers.command("add", cls=Command)
@click.argument("domain")
@click.argument("name", metavar="HEADER")
@click.argument("value")
def add(domain: str, name: str, value: str) -> None:
    """Send HEADER with VALUE in all requests to DOMAIN."""
    later("header_store:add", domain, name, value)


@headers.command("remove", cls=Command)
@click.argument("domain")
@click.argument("name", metavar="HEADER")
def remove(domain: str, name: str) -> None:
    """Stop sending HEADER to DOMAIN."""
    later("header_store:remove", domain, name)


@headers.command("show", cls=Command)
@click.option("--reveal", is_flag=True, help="Print the values too.")
def show(reveal: bool) -> None:
    """List the headers by domain."""
    later("header_store:show", reveal)
