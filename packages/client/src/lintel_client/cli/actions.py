"""The command that calls an operation, and the commands generated for operations."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from lintel_client.cli.failures import Command
from lintel_client.cli.flags import (
    check_files,
    check_switches,
    clearer,
    complete_keys,
    complete_param,
    flag_values,
    flags_of,
)
from lintel_client.cli.index import Operation, current_index
from lintel_client.cli.later import later
from lintel_client.cli.wire import Wire, sends
from lintel_document.controls import printable

__all__ = ["PARAM", "OperationCommand", "action", "given_values", "operation_command"]

_FLAGS = "lintel.flags"
_WHOLE = "lintel.whole"

#: The options that the help of an operation shows beside its own parameters.
SHOWN = frozenset(["all_pages", "output", "select", "dry_run", "help_all", "help"])
_KEYS = "lintel.keys"


FORMS = ("--json", "--ndjson", "--csv", "--table", "--raw")
# A parameter of this name has the option; the other spelling stays.
YIELDED = ("--filter",)
_CONTENT_TYPE = ("-e", "--encoding", "--content-type")


PARAM: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "-p",
    "--param",
    "params",
    metavar="NAME=VALUE",
    multiple=True,
    shell_complete=complete_param,
    help="A parameter; null, true, numbers, lists and objects are inferred, anything else is text.",
)


def _content_type(args: Sequence[str]) -> str:
    """Return the requested media type of the body, empty if there is none."""
    found = ""
    for word, following in zip(args, [*args, ""][1:], strict=True):
        name, _, value = word.partition("=")
        if name in _CONTENT_TYPE:
            found = value or following
    return found


def complete_content_type(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[Any]]:
    """Return the media types in which the operation's body can be written."""
    keys: Any = ctx.meta.get(_KEYS) or getattr(ctx.command, "keys", ())
    found = current_index().find(keys)
    types = found.content_types() if isinstance(found, Operation) else []
    return [CompletionItem(kind) for kind in types if kind.startswith(incomplete)]


def _help_all(ctx: click.Context, param: click.Parameter, is_asked: bool) -> None:
    if is_asked and not ctx.resilient_parsing:
        ctx.meta[_WHOLE] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


class OperationCommand(Command):
    """A command with one option for each parameter of the operation that it calls.

    ``keys`` are those of the command itself; further ones are its arguments.
    """

    def __init__(self, *args: Any, keys: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.keys: tuple[str, ...] = tuple(keys)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        keys, operation = self._operation(args)
        if operation is not None:
            taken = [name for param in self.get_params(ctx) for name in param.opts]
            taken = [name for name in taken if name not in YIELDED]
            parameters = operation.parameters(_content_type(args))
            ctx.meta[_FLAGS] = flags_of(parameters, taken)
            ctx.meta[_KEYS] = keys
            if not ctx.resilient_parsing:
                check_switches(ctx.meta[_FLAGS], args)
        self._check_forms(ctx, args)
        try:
            return super().parse_args(ctx, args)
        except click.BadOptionUsage as error:
            raise clearer(error, ctx.meta.get(_FLAGS, ())) from None

    def _check_forms(self, ctx: click.Context, args: list[str]) -> None:
        """Reject two output formats. Raises click.UsageError."""
        words = dict.fromkeys(word for word in args if word in FORMS)
        if len(words) < 2:
            return
        # Only the parser knows whether such a word is the value of another option.
        try:
            _, _, order = self.make_parser(ctx).parse_args(list(args))
        except click.UsageError:
            return
        given = {param.opts[0] for param in order if param.name == "form"}
        if len(given) > 1:
            both = " and ".join(word for word in words if word in given)
            raise click.UsageError(f"{both} are output formats: choose one of them", ctx)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *ctx.meta.get(_FLAGS, ())]

    def get_help(self, ctx: click.Context) -> str:
        return printable(super().get_help(ctx))

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the operation does, if one is named."""
        if _KEYS not in ctx.meta:
            super().format_help_text(ctx, formatter)
            return
        for text in later("reading:explanation", ctx.meta[_KEYS]):
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(text)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the operation's parameters first; most common options only with --help-all."""
        flags = ctx.meta.get(_FLAGS, ())
        is_whole = _KEYS not in ctx.meta or _WHOLE in ctx.meta
        every = super().get_params(ctx)
        common = [param for param in every if is_whole or param.name in SHOWN]
        for title, params in (("Parameters", flags), ("Options", common)):
            records = [record for param in params if (record := param.get_help_record(ctx))]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def _operation(self, args: list[str]) -> tuple[tuple[str, ...], Operation | None]:
        """Return the operation that the leading words name; options may stand between them."""
        index = current_index()
        keys = self.keys
        words = iter(args)
        for word in words:
            if word.startswith("-") and word != "-":
                if self._takes_value(word):
                    next(words, None)
            elif not isinstance(index.find(keys), Operation):
                keys = (*keys, word)
        found = index.find(keys)
        return keys, found if isinstance(found, Operation) else None

    def _takes_value(self, word: str) -> bool:
        return any(
            word in param.opts and not param.is_flag
            for param in self.params
            if isinstance(param, click.Option)
        )


@click.command(cls=OperationCommand)
@click.argument("keys", nargs=-1, required=True, shell_complete=complete_keys)
@PARAM
@click.option(
    "-s",
    "--string",
    "strings",
    metavar="NAME=TEXT",
    multiple=True,
    shell_complete=complete_param,
    help="A text. NAME=@PATH sends the content of a file (@- is standard input) unchanged; "
    "a text that starts with @ is written NAME=@@...",
)
@click.option(
    "-d",
    "--data",
    "data",
    metavar="NAME=JSON",
    multiple=True,
    shell_complete=complete_param,
    help="A JSON value; NAME=@PATH reads it from a file.",
)
@click.option(
    "-f",
    "--file",
    "files",
    metavar="NAME=PATH",
    multiple=True,
    shell_complete=complete_param,
    help='A file to upload ("-" is standard input), for links that take multipart or binary data.',
)
@click.option("-a", "--action", "method", metavar="METHOD", help="Use another HTTP method.")
@click.option(
    "-e",
    "--encoding",
    "--content-type",
    "encoding",
    metavar="TYPE",
    shell_complete=complete_content_type,
    help="Use another media type for the body, with the parameters that it has.",
)
@click.option(
    "-t",
    "--transform",
    type=click.Choice(["new", "inplace"]),
    help="Take the result as a new document, or put it in place of the old one.",
)
@click.option(
    "--body",
    "body",
    metavar="JSON",
    help="The body of the request, or @PATH to read it from (- is standard input).",
)
@click.option("--server", metavar="SERVER", help="Call this server: its name, URL or number.")
@click.option(
    "--server-variable",
    "server_variables",
    metavar="NAME=TEXT",
    multiple=True,
    help="A variable in the URL of the server.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the result to a file.")
@click.option("--resume", is_flag=True, help="With --output: continue an interrupted download.")
@click.option("--all", "all_pages", is_flag=True, help="Follow the pages of a list to its end.")
@click.option("--stream", is_flag=True, help="Ask for a stream, and print its items as they come.")
@click.option(
    "--reconnect/--no-reconnect",
    default=True,
    help="Whether to reconnect when a stream of events ends.",
)
@click.option("--json", "form", flag_value="json", help="Print JSON without colours.")
@click.option("--ndjson", "form", flag_value="ndjson", help="Print one item per line, as JSON.")
@click.option("--csv", "form", flag_value="csv", help="Print the items as CSV.")
@click.option("--table", "form", flag_value="table", help="Print the items as a table.")
@click.option("--raw", "form", flag_value="raw", help="Print the response byte for byte.")
@click.option(
    "--select", metavar="PATHS", help="Print only these parts: id,owner.name,results.0.title"
)
@click.option(
    "--jmespath",
    "--filter",
    "expression",
    metavar="EXPR",
    help="Print what this JMESPath expression finds: results[?size > `9`].name",
)
@click.option("--dry-run", is_flag=True, help="Print the request, secrets hidden; do not send it.")
@click.option(
    "--as",
    "language",
    type=click.Choice(["http", "curl", "python", "javascript"]),
    help="With --dry-run: print the request as a program that makes it.",
)
@click.option("--reveal", is_flag=True, help="With --dry-run: print the secrets too.")
@click.option(
    "--help-all",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_help_all,
    help="Show the options that every operation has, and exit.",
)
@sends
def action(keys: tuple[str, ...], wire: Wire, **given: Any) -> None:
    """Call an operation: lintel action snippets list --page 2

    Each parameter is an option, and "action" may be left out: lintel snippets list --page 2. For
    one name, that option takes precedence over --file, --file over --data, --data over --string
    and --string over --param. If a name stands for several parameters, add the location:
    --param path.id=1
    """
    check_files(click.get_current_context().meta.get(_FLAGS, ()), given["files"])
    later("calls:call", keys, given_values(given), wire, **given)


def given_values(given: dict[str, Any]) -> dict[str, Any]:
    """Remove the values of parameter options from all values given, and return them."""
    return flag_values(click.get_current_context().meta.get(_FLAGS, ()), given)


def operation_command(keys: Sequence[str], operation: Operation) -> click.Command:
    """Return the command that calls one operation, with the options of ``action``."""
    return OperationCommand(
        name=keys[-1],
        keys=keys,
        params=[param for param in action.params if param.name != "keys"],
        callback=partial(action.callback, keys=tuple(keys)) if action.callback else None,
        help=operation.summary,
    )
