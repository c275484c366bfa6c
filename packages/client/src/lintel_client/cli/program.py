"""The table of all commands. Each lives in a module that is imported when it is called."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from lintel_client.version import __version__

__all__ = ["program"]


class LazyGroup(click.Group):
    """A group whose commands are named as "module:attribute" of this package."""

    def __init__(self, *args: Any, places: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.places:
            return None
        module, _, attribute = self.places[cmd_name].partition(":")
        command = getattr(import_module(f"lintel_client.cli.{module}"), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{self.places[cmd_name]} is not a command")
        return command


PLACES = {
    "get": "documents:get",
    "show": "documents:show",
    "describe": "documents:describe",
    "action": "actions:action",
    "reload": "documents:reload",
    "load": "documents:load",
    "dump": "documents:dump",
    "clear": "documents:clear",
    "credentials": "credentials:credentials",
    "headers": "headers:headers",
    "bookmarks": "bookmarks:bookmarks",
    "history": "history:history",
    "codecs": "codecs:codecs",
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
@click.pass_context
def program(context: click.Context, timeout: float) -> None:
    """Call web APIs by what they say about themselves.

    Start with the URL of an API: lintel get https://api.example.org/

    \b
    Exit codes: 0 done, 1 the server refused (4xx, 5xx), 2 wrong usage,
    3 no answer, or one that cannot be read.
    """
    context.obj = timeout
