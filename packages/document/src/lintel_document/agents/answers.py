"""What a tool answers: text within a budget, and the same as data."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lintel_document.controls import escaped_json
from lintel_document.hiding import without_members

__all__ = [
    "CHARACTERS_PER_TOKEN",
    "MAX_ANSWER",
    "Answer",
    "end_of",
    "error",
    "fits",
    "part_of",
    "size_of",
    "text_of",
    "without_secrets",
]

CHARACTERS_PER_TOKEN = 4
"""How many characters count as one token: a rule of thumb for English and JSON."""
MAX_ANSWER = 2_000 * CHARACTERS_PER_TOKEN
"""The most characters of one answer, unless somebody asks for another size."""

# What takes a token in the encodings of current models, rather too much than too little.
_PIECES = re.compile(
    r"[a-z]{1,9}|[A-Z]|\d{1,2}|[!-/:-@\[-`{-~]{1,4}|\s*\n\s*|[\xa1-\u2e7f]{1,2}|\S"
)

# Members with exactly this name hold secrets; longer names such as next_page_token are for paging.
SECRET_NAMES = frozenset(
    {
        *("password", "passwd", "secret", "token", "access_token", "refresh_token", "id_token"),
        *("api_key", "apikey", "client_secret", "private_key", "auth_token", "sessionid"),
    }
)


@dataclass(frozen=True, slots=True)
class Answer:
    """The text of a result, a note beside it, whether it is an error, and the result as data.

    ``structured`` is an object as the schema of the tool's output describes it, None for errors.
    """

    text: str
    note: str = ""
    is_error: bool = False
    structured: dict[str, Any] | None = None


def error(title: str, pointer: str = "") -> Answer:
    """Return an error with one message, at the pointer of an argument if there is one."""
    content: dict[str, Any] = {"title": title}
    if pointer:
        content["errors"] = [{"pointer": pointer, "message": title}]
    return Answer(escaped_json(json.dumps(content, ensure_ascii=False)), is_error=True)


def text_of(value: Any) -> str:
    """Return plain data as text: JSON, or unchanged text."""
    if isinstance(value, str):
        return value
    return escaped_json(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def without_secrets(value: Any) -> Any:
    """Return plain data in which members with names of secrets are hidden."""
    return without_members(value, lambda name: name.lower() in SECRET_NAMES)


def size_of(text: str) -> int:
    """Return how much of a budget a text takes: its characters, or more if it is dense."""
    pieces = sum(1 for _ in _PIECES.finditer(text))
    return max(len(text), pieces * CHARACTERS_PER_TOKEN)


def fits(text: str, budget: int) -> bool:
    """Return whether a text fits into a budget."""
    return len(text) <= budget and size_of(text) <= budget


def end_of(text: str, start: int, budget: int) -> int:
    """Return the end of the part from ``start`` that fits into a budget; it has a character."""
    end = min(start + budget, len(text))
    room = budget // CHARACTERS_PER_TOKEN
    for found in _PIECES.finditer(text, start, end):
        if room == 0:
            return max(found.start(), start + 1)
        room -= 1
    return end


def part_of(
    text: str, start: int, budget: int, argument: str, cursor: Callable[[int], str] | None
) -> Answer:
    """Return a part of a long text, and how to ask for the next.

    ``cursor`` makes the value of the ``argument`` that continues at a position; None if nothing
    can.
    """
    end = end_of(text, start, budget)
    part = text[start:end]
    note = f"Characters {start} to {end} of {len(text)}."
    structured = {"part": part}
    if end < len(text) and cursor:
        structured["answer_cursor"] = cursor(end)
        again = json.dumps({argument: cursor(end)})[1:-1]
        note += f" The result was truncated: call again with {again}."
    elif end < len(text):
        note += " The result was truncated, and calling again would write again."
    return Answer(part, note, structured=structured)
