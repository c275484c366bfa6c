"""The implementation of ``lintel mcp serve``."""

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from secrets import token_urlsafe

import click

from lintel_client.cli.failures import Failure
from lintel_client.cli.output import note
from lintel_client.cli.session import open_client
from lintel_client.cli.state import State
from lintel_client.cli.wire import Wire
from lintel_client.cli.words import absolute_url
from lintel_client.client import Client
from lintel_client.mcp.calling import WatchedTransport
from lintel_client.mcp.secrets import Secrets
from lintel_client.mcp.toolset import Toolset
from lintel_client.origins import origin_of
from lintel_document.agents.operations import Selection
from lintel_document.document import Document

__all__ = ["serve"]

# The largest response held in memory: agents read a small part of it.
MAX_BODY = 16 * 1024 * 1024


def serve(
    target: str,
    *,
    port: int | None,
    token: str | None,
    allow_write: bool,
    allow_private: bool,
    include: Sequence[str],
    exclude: Sequence[str],
    budget: int,
    format: str | None,
    references: bool,
    wire: Wire,
) -> None:
    """Serve the API at a URL or of a bookmark over stdio, or over HTTP if a port is given.

    Requests over HTTP need the ``token``; without one, a new one is printed.
    """
    if find_spec("mcp") is None:
        raise Failure("The SDK of the protocol is missing: install lintel-client[mcp]")
    url = _url(target)
    wire = wire if allow_private else replace(wire, home=origin_of(url).host)
    with open_client(State(), wire, references=references) as (own, transport):
        secrets = Secrets(transport.secret_headers)
        watched = WatchedTransport(transport, secrets.learn)
        client = Client(
            own.auth,
            own.decoders,
            [watched],
            max_body=MAX_BODY,
            retry=own.retry,
            version=own.version,
        )
        document = client.get(url, format)
        if not isinstance(document, Document):
            raise Failure(f"{url} does not describe an API")
        selection = Selection(allow_write, include, exclude)
        toolset = Toolset(client, document, selection, budget=budget, secrets=secrets)
        if not toolset.operations:
            raise Failure("No operation is offered: see --allow-write, --include and --exclude")
        _run(toolset, port, token)


def _run(toolset: Toolset, port: int | None, token: str | None) -> None:
    # The SDK is optional, and importing it takes longer than everything else.
    server = import_module("lintel_client.mcp.server")
    if port is None:
        server.serve_stdio(toolset)
    else:
        made = token_urlsafe(32)
        told = "" if token else f"\nRequests need the header  Authorization: Bearer {made}"
        try:
            server.serve_http(
                toolset, port, token or made, lambda url: note(f"Serving at {url}{told}")
            )
        except OSError as error:
            raise Failure(f"Port {port} cannot be used ({error.strerror}): see --port") from error


def _url(target: str) -> str:
    """Return the URL of a bookmark, whose credentials then apply, or the given one."""
    bookmarks = State().bookmarks()
    if target in bookmarks:
        # State reads the bookmark from the command line, as after `lintel -b`.
        click.get_current_context().find_root().params["bookmark"] = target
        return bookmarks[target]
    if not any(mark in target for mark in ".:/") and target != "localhost":
        known = ", ".join(bookmarks) or "none"
        raise Failure(f"There is no bookmark {target!r}; available: {known}")
    return absolute_url(target)
