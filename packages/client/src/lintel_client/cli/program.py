"""The table of all commands. Each is in a module that is imported when it is called."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from lintel_client.cli.later import later
from lintel_client.version import __version__

__all__ = ["program"]


class LazyGroup(click.Group):
    """A group whose commands are named as "module:attribute" of this package.

    Any other name is a key of the current document (``lintel_client.cli.generated``).
    """

    def __init__(self, *args: Any, places: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.places:
            made: click.Command | None = later("generated:command", (cmd_name,))
            return made
        module, _, attribute = self.places[cmd_name].partition(":")
        command = getattr(import_module(f"lintel_client.cli.{module}"), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{self.places[cmd_name]} is not a command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Prefer a key of the document to a command that cannot take the words that follow."""
        if (made := self._of_document(ctx, args)) is not None:
            return args[0], made, args[1:]
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            known = [*self.places, *(key for key, _ in later("generated:summaries"))]
            raise later("generated:with_near_misses", error, args[0], known) from None

    def _of_document(self, ctx: click.Context, args: list[str]) -> click.Command | None:
        keys: tuple[str, ...] = ()
        if _gives_way(args):
            # The word after this verb is a method, unless it is a key.
            keys = tuple(args[:2] if args[0] == ANY_VERB else args[:1])
        elif len(args) > 1 and args[0] in GROUPS and not args[1].startswith("-"):
            own = self.get_command(ctx, args[0])
            keys = () if args[1] in getattr(own, "commands", ()) else (args[0], args[1])
        found: click.Command | None = later("generated:command", keys) if keys else None
        return found and later("generated:command", keys[:1])

    def get_help(self, ctx: click.Context) -> str:
        return _printable(super().get_help(ctx))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; errors may name choices and keys of an API."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            raise click.UsageError(_printable(error.format_message()), error.ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, then those of the current document."""
        super().format_commands(ctx, formatter)
        found = [
            (key if self._is_free(key) else f"action {key}", about)
            for key, about in later("generated:summaries")
        ]
        if found:
            with formatter.section("Operations of the current document"):
                limit = formatter.width - 6 - max(len(key) for key, _ in found)
                formatter.write_dl([(key, _cut(about, limit)) for key, about in found])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        keys = later("generated:completions", incomplete)
        return [
            *super().shell_complete(ctx, incomplete),
            *(item for item in keys if self._is_free(item.value)),
        ]

    def _is_free(self, key: str) -> bool:
        return key not in self.places


def _gives_way(args: list[str]) -> bool:
    """Return whether the words after a command may be keys of a document."""
    if len(args) < 2 or args[1].startswith("-"):
        return False
    place = 2 if args[0] == ANY_VERB else 1
    is_url = any(sign in word for word in args[place : place + 1] for sign in ":/.")
    return args[0] in GIVE_WAY or (args[0] in VERBS and not is_url)


def _complete_bookmark(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    found: list[Any] = later("folders:complete_bookmark", ctx, param, incomplete)
    return found


def _printable(text: str) -> str:
    # The document model is loaded only if there is something to show.
    shown: str = import_module("lintel_document.controls").printable(text)
    return shown


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: max(size - 1, 0)]}…"


GIVE_WAY = ("issues", "doctor")
#: Groups of commands, which give way to a key with an operation that is none of theirs.
GROUPS = ("credentials", "headers", "bookmarks", "history", "codecs", "mcp")
#: A verb that has its method before its URL.
ANY_VERB = "request"
#: Commands that give way to keys of a document unless a URL follows.
VERBS = (ANY_VERB, "post", "put", "patch", "delete", "head", "options")

PLACES = {
    "get": "documents:get",
    "show": "documents:show",
    "describe": "documents:describe",
    "action": "actions:action",
    "reload": "documents:reload",
    "load": "documents:load",
    "issues": "documents:issues",
    "dump": "documents:dump",
    "clear": "documents:clear",
    "credentials": "credentials:credentials",
    "headers": "headers:headers",
    "bookmarks": "bookmarks:bookmarks",
    "history": "history:history",
    "codecs": "codecs:codecs",
    "stubs": "stubs:stubs",
    "login": "personal:login",
    "logout": "personal:logout",
    "edit": "personal:edit",
    "doctor": "personal:doctor",
    "completion": "completion:completion",
    "mcp": "agents:mcp",
    **{name: f"verbs:{name}" for name in VERBS},
}


@click.group(
    cls=LazyGroup,
    places=PLACES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="lintel", message="%(prog)s %(version)s")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=30.0,
    show_default=True,
    help="Seconds to wait for a server.",
)
@click.option(
    "-b",
    "--bookmark",
    metavar="NAME",
    shell_complete=_complete_bookmark,
    help="Use the document, credentials, headers and history of this bookmark.",
)
def program(timeout: float, bookmark: str | None) -> None:
    """Call web APIs by the names in their own descriptions.

    Start with the URL of an API: lintel get https://api.example.org/

    \b
    Exit codes: 0 done, 1 the server refused (4xx, 5xx), 2 wrong usage,
    3 no response, or an unreadable one.
    """
