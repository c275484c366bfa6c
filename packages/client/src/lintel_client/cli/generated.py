"""Commands generated from the loaded document: lintel snippets create."""

import difflib
from collections.abc import Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem

from lintel_client.cli.actions import operation_command
from lintel_client.cli.index import Operation, current_index
from lintel_document.controls import printable

__all__ = ["command", "completions", "summaries", "with_near_misses"]


class KeysGroup(click.Group):
    """The operations and groups below a path of keys."""

    def __init__(self, keys: tuple[str, ...], **attributes: Any) -> None:
        about = current_index().about.get(keys[0], "") if len(keys) == 1 else ""
        text = f"Operations of {' '.join(keys)}. {about}".strip()
        super().__init__(name=keys[-1], help=text, **attributes)
        self.keys = keys

    def get_help(self, ctx: click.Context) -> str:
        return printable(super().get_help(ctx))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [key for key in _below(self.keys) if key]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return command((*self.keys, cmd_name))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; the error for an unknown one suggests similar names."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise with_near_misses(error, args[0], self.list_commands(ctx)) from None


def command(keys: tuple[str, ...]) -> click.Command | None:
    """Return the command for a path of keys, None if the document has nothing to call there."""
    found = current_index().find(keys)
    if isinstance(found, Operation):
        return operation_command(keys, found)
    return KeysGroup(keys) if found else None


def with_near_misses(error: click.UsageError, name: str, known: Iterable[str]) -> click.UsageError:
    """Return the error about an unknown command with similar names, or with where to look."""
    if name.startswith("-"):
        return error
    near = difflib.get_close_matches(name, list(known))
    hint = f"Did you mean {' or '.join(near)}?" if near else _next_step()
    return click.UsageError(f"{error.message} {hint}", error.ctx)


def _next_step() -> str:
    if current_index().tree:
        return "The current document has no such operation either; lintel reload fetches it again."
    return "For the operations of an API: lintel get URL"


def summaries() -> list[tuple[str, str]]:
    """Return the first keys of the document, each with what can be called there."""
    index = current_index()
    return [
        (key, entry.summary if isinstance(entry, Operation) else ", ".join(filter(None, below)))
        for key, below in index.tree.items()
        if key and (entry := index.entry(below))
    ]


def completions(incomplete: str) -> list[CompletionItem[Any]]:
    """Return the first keys of the document that start like this."""
    return [
        CompletionItem(key, help=about) for key, about in summaries() if key.startswith(incomplete)
    ]


def completions_below(keys: tuple[str, ...], incomplete: str) -> list[CompletionItem[Any]]:
    return [CompletionItem(key) for key in _below(keys) if key and key.startswith(incomplete)]


def _below(keys: tuple[str, ...]) -> list[str]:
    found = current_index().find(keys)
    return list(found) if isinstance(found, dict) else []
