"""Errors for an agent: a title, and messages, each with a pointer to its argument."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from lintel_document.controls import escaped_json
from lintel_document.document import Array
from lintel_document.pointers import pointer_of, steps_of

if TYPE_CHECKING:
    from lintel_document.agents.inputs import Inputs

__all__ = ["GENERAL", "LISTS", "MAX_MESSAGES", "TEXTS", "pointed", "written"]

GENERAL = ("detail", "error", "message", "messages", "non_field_errors")
"""Members of an error that are about the request as a whole, not about a parameter."""
LISTS = ("errors", "invalid-params", "invalid_params", "violations")
"""Members of problem details that list errors, by the services that use them."""
TEXTS = ("detail", "reason", "message", "title", "description")
"""Members of a listed error that may be its text."""
MAX_MESSAGES = 50
"""The most messages of one error."""

_OF_THE_WHOLE = frozenset({*GENERAL, "title"})
_PLACES = ("pointer", "name", "field", "parameter", "path")
_LONGEST_MESSAGE = 500
_LONGEST_POINTER = 200
# Characters for all messages of an error: an answer has 8,000, with its head.
_ROOM = 7_000

_Pointed = tuple[str, str]


def written(head: Mapping[str, Any], found: Iterable[_Pointed] = ()) -> str:
    """Return an error as JSON: its head, and messages with their pointers."""
    texts = ((pointer, text) for pointer, text in found if text)
    errors = list(_within(islice(texts, MAX_MESSAGES)))
    content = {**head, "errors": errors} if errors else head
    return escaped_json(json.dumps(content, ensure_ascii=False))


def _within(found: Iterable[_Pointed]) -> Iterator[dict[str, str]]:
    """Cut messages, and leave out those for which an answer has no room."""
    room = _ROOM
    for pointer, text in found:
        error = {"pointer": pointer[:_LONGEST_POINTER], "message": text[:_LONGEST_MESSAGE]}
        room -= len(json.dumps(error, ensure_ascii=False))
        if room < 0:
            return
        yield error


def pointed(error: Mapping[str, Any], inputs: Inputs) -> Iterator[_Pointed]:
    """Return the messages in the body of an error, each with the pointer of its subject."""
    listed = [item for name in LISTS for item in _list(error.get(name))]
    problems = [item for item in listed if isinstance(item, Mapping)]
    if problems:
        for problem in problems:
            text = next((problem[key] for key in TEXTS if isinstance(problem.get(key), str)), "")
            place = next((problem[key] for key in _PLACES if isinstance(problem.get(key), str)), "")
            yield pointer_of(_argument(_steps(place), inputs)), text or "Invalid"
        return
    for name, value in error.items():
        if name in _OF_THE_WHOLE and not inputs.takes(name):
            steps = [inputs.body] if inputs.body and name == "messages" else []
        else:
            steps = _argument([name], inputs)
        yield from _messages(value, steps)


def _messages(value: Any, steps: list[str]) -> Iterator[_Pointed]:
    if isinstance(value, str):
        yield pointer_of(steps), value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            own = steps if key in _OF_THE_WHOLE else [*steps, key]
            yield from _messages(inner, own)
    elif isinstance(value, list | Array):
        for position, inner in enumerate(value):
            nested = isinstance(inner, Mapping | list | Array)
            yield from _messages(inner, [*steps, str(position)] if nested else steps)


def _argument(steps: list[str], inputs: Inputs) -> list[str]:
    """Return the keys starting from the tool's arguments, if the server names those of the body."""
    if not steps:
        return []
    argument = inputs.argument(steps[0])
    if argument == steps[0] and inputs.body and argument != inputs.body:
        return [inputs.body, *steps]
    return [argument, *steps[1:]]


def _steps(place: str) -> list[str]:
    """Return the keys of a JSON pointer, or of a dotted name."""
    return steps_of(place) if place.startswith(("/", "#")) else list(filter(None, place.split(".")))


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | Array) else []
