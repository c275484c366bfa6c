"""Write changes as text, JSON or Markdown: those of a level and above, and the number of all."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from lintel_contract.findings import Change, printable
from lintel_contract.rules import Level

#: The most operations that a text report names for one change.
MOST_NAMED = 3


def counts(changes: Sequence[Change]) -> dict[str, int]:
    """Return how many changes of each level there are, by the word of the level."""
    return {level.word: sum(change.level is level for change in changes) for level in Level}


def summary(changes: Sequence[Change]) -> str:
    """Return one line with the number of changes of each level."""
    if not changes:
        return "No changes."
    return ", ".join(f"{number} {word}" for word, number in counts(changes).items())


def _from(changes: Sequence[Change], least: Level) -> list[Change]:
    return [change for change in changes if change.level <= least]


def _operations(change: Change) -> str:
    """Return the first operations of a change, and how many follow."""
    named = [printable(operation) for operation in change.operations[:MOST_NAMED]]
    further = len(change.operations) - len(named)
    return ", ".join(named) + (f" and {further} more" if further else "")


def _where(change: Change) -> str:
    """Return the pointer into the new document, or into the old one for something removed."""
    if change.new is not None and not change.code.endswith("-removed"):
        return f"#{printable(change.new)}"
    if change.old is not None:
        return f"#{printable(change.old)} (old)"
    return f"#{printable(change.new or '')}"


def as_text(changes: Sequence[Change], least: Level = Level.HARMLESS) -> str:
    """Return lines for a terminal."""
    lines = []
    for change in _from(changes, least):
        lines.append(f"{change.level.word:<9} {_operations(change) or 'the service'}")
        lines.append(f"          {change.direction}: {change.message} [{change.code}]")
        lines.append(f"          at {_where(change)}")
    return "\n".join([*lines, summary(changes)])


def as_json(changes: Sequence[Change], least: Level = Level.HARMLESS) -> str:
    """Return a JSON object: ``counts`` by level, ``changes`` with all details."""
    rows = [
        {
            "level": change.level.word,
            "code": change.code,
            "message": change.message,
            "direction": change.direction,
            "operations": list(change.operations),
            "old": change.old,
            "new": change.new,
        }
        for change in _from(changes, least)
    ]
    return json.dumps({"counts": counts(changes), "changes": rows}, indent=2, ensure_ascii=False)


def as_markdown(changes: Sequence[Change], least: Level = Level.HARMLESS) -> str:
    """Return a section with a table for each level that has changes."""
    lines = [f"**{summary(changes)}**"]
    for level in Level:
        rows = [change for change in _from(changes, least) if change.level is level]
        if rows:
            lines += ["", f"### {level.word.capitalize()}", ""]
            lines += ["| operations | change | place |", "| --- | --- | --- |"]
            lines += [
                f"| {_cell(_operations(change) or 'the service')} | "
                f"{change.direction}: {_cell(change.message)} | {_cell(_where(change))} |"
                for change in rows
            ]
    return "\n".join(lines)


def _cell(text: str) -> str:
    """Return text that is literal in a table cell, whatever it contains."""
    for letter in "\\`*_[]<>|":
        text = text.replace(letter, f"&#{ord(letter)};")
    return text


FORMATS: dict[str, Callable[[Sequence[Change], Level], str]] = {
    "text": as_text,
    "json": as_json,
    "markdown": as_markdown,
}
