"""What a tool answers: text within a budget, and the same as data."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lintel_document.controls import escaped_json
from lintel_document.hiding import without_members

__all__ = [
    "CHARACTERS_PER_TOKEN",
    "MAX_ANSWER",
    "Answer",
    "error",
    "part_of",
    "text_of",
    "without_secrets",
]

CHARACTERS_PER_TOKEN = 4
"""How many characters count as one token: a rule of thumb for English and JSON."""
MAX_ANSWER = 2_000 * CHARACTERS_PER_TOKEN
"""The most characters of one answer, unless somebody asks for another size."""

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


def part_of(
    text: str, start: int, budget: int, argument: str, cursor: Callable[[int], str] | None
) -> Answer:
    """Return a part of a long text, and how to ask for the next.

    ``cursor`` makes the value of the ``argument`` that continues at a position; None if nothing
    can.
    """
    end = min(start + budget, len(text))
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
