"""Commands for agents: an API as a server of the Model Context Protocol."""

import re

import click

from lintel_client.cli.descriptions import FORMAT, REFERENCES
from lintel_client.cli.failures import Command
from lintel_client.cli.later import later
from lintel_client.cli.wire import Wire, sends_unseen

__all__ = ["mcp"]


_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]{16,}=*")


def _check_token(token: str | None) -> None:
    if token is not None and not _TOKEN.fullmatch(token):
        raise click.UsageError(
            "The token of --token or LINTEL_MCP_TOKEN must have 16 or more letters, digits and any "
            "of . _ ~ + / - (RFC 6750)"
        )


@click.group()
def mcp() -> None:
    """An API as tools for agents (Model Context Protocol)."""


@mcp.command("serve", cls=Command)
@click.argument("target", metavar="URL|BOOKMARK")
@click.option("--http", is_flag=True, help="Serve HTTP on this machine instead of stdio.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8808,
    show_default=True,
    help="The port for --http; 0 is any free one.",
)
@click.option(
    "--token",
    envvar="LINTEL_MCP_TOKEN",
    metavar="TOKEN",
    help="The token that --http asks for. Without one, a new one is made and printed. Others on "
    "this machine can see arguments of commands: prefer the variable LINTEL_MCP_TOKEN.",
)
@click.option("--allow-write", is_flag=True, help="Offer operations that change data, too.")
@click.option(
    "--allow-private",
    is_flag=True,
    help="Let an API on the public internet lead into private networks.",
)
@click.option(
    "--include",
    metavar="PATTERN",
    multiple=True,
    help='Offer only operations whose keys or names as tools match, such as "users.*".',
)
@click.option("--exclude", metavar="PATTERN", multiple=True, help="Do not offer these.")
@click.option(
    "--max-answer",
    metavar="CHARACTERS",
    type=click.IntRange(min=500),
    default=8_000,
    show_default=True,
    help="Truncate results to this size; agents can ask for the rest.",
)
@FORMAT
@REFERENCES
@sends_unseen
def serve(
    target: str,
    http: bool,
    port: int,
    token: str | None,
    allow_write: bool,
    allow_private: bool,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    max_answer: int,
    format: str | None,
    references: bool,
    wire: Wire,
) -> None:
    """Offer the operations of an API to an agent.

    Requests carry the stored credentials.

    Only operations that read are offered unless --allow-write is given.
    """
    if http:
        _check_token(token)
    later(
        "agent_server:serve",
        target,
        port=port if http else None,
        token=token,
        allow_write=allow_write,
        allow_private=allow_private,
        include=include,
        exclude=exclude,
        budget=max_answer,
        format=format,
        references=references,
        wire=wire,
    )
