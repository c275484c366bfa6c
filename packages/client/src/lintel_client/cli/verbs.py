"""Commands that send a request which no description covers: request, post, put, patch, ..."""

import re
from typing import Any

import click

from lintel_client.cli.actions import action
from lintel_client.cli.failures import Command
from lintel_client.cli.later import later
from lintel_client.cli.wire import Wire, sends

__all__ = ["delete", "head", "options", "patch", "post", "put", "request"]

#: The options of ``lintel action`` that these commands have too.
SHARED = frozenset(
    [
        *("body", "output", "form", "select", "expression", "dry_run", "language", "reveal"),
        *("stream", "reconnect"),
    ]
)

_METHOD = re.compile(r"[A-Za-z][A-Za-z-]*")

_ABOUT = """

    ITEMS are parts of the request: name=text and name:=JSON make a JSON object, name==value
    adds to the query, Name:value is a header, name@FILE uploads a file (name@FILE;type=TYPE);
    name=@FILE and name:=@FILE read text and JSON. Brackets make objects and lists:
    guests[0][name]=Ann

    URL may be a path of the current document's host (/snippets/), or :8000/path on this
    machine. Stored credentials are sent as usual.
"""


def _send(method: str, url: str, items: tuple[str, ...], wire: Wire, **given: Any) -> None:
    absent = {"all_pages": False, "resume": False}
    later("requesting:request", method, url, items, wire, **absent, **given)


def _verb(method: str) -> click.Command:
    """Return the command that sends requests with a method."""

    def run(url: str, items: tuple[str, ...], wire: Wire, **given: Any) -> None:
        _send(method, url, items, wire, **given)

    about = f"Send {method} to URL: lintel {method.lower()} URL name=value"
    return _command(method.lower(), run, about)


def _command(name: str, run: Any, about: str, words: tuple[str, ...] = ("url",)) -> click.Command:
    sent = sends(run)
    first = click.Argument([words[0]], shell_complete=_complete)
    others = [click.Argument([word]) for word in words[1:]]
    items = click.Argument(["items"], nargs=-1)
    form = click.Option(["--form", "is_form"], is_flag=True, help="Send the items as a form.")
    shared = [param for param in action.params if param.name in SHARED]
    own = list(reversed(getattr(sent, "__click_params__", [])))
    params = [first, *others, items, form, *shared, *own]
    return Command(name, callback=sent, params=params, help=about + _ABOUT)


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """Complete the keys of a group of the document that is named like the command."""
    found: list[Any] = later("generated:completions_below", (ctx.info_name,), incomplete)
    return found


post: click.Command = _verb("POST")
put: click.Command = _verb("PUT")
patch: click.Command = _verb("PATCH")
delete: click.Command = _verb("DELETE")
head: click.Command = _verb("HEAD")
options: click.Command = _verb("OPTIONS")


def _any(method: str, url: str, items: tuple[str, ...], wire: Wire, **given: Any) -> None:
    if not _METHOD.fullmatch(method):
        raise click.UsageError(f"{method!r} is not an HTTP method")
    _send(method.upper(), url, items, wire, **given)


request: click.Command = _command(
    "request",
    _any,
    "Send a request with any METHOD: lintel request GET URL name==value",
    words=("method", "url"),
)
