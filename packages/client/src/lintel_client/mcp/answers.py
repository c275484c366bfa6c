"""Results of calls as text for an agent: JSON, within a budget, errors with pointers."""

import base64
import json
import secrets
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

from lintel_client.controls import escaped_json
from lintel_client.downloads import Download
from lintel_client.errors import ErrorMessage, ParameterError
from lintel_client.mcp.inputs import Inputs
from lintel_client.mcp.secrets import without_secrets
from lintel_client.refusals import GENERAL, LISTS, TEXTS, pointer_of, steps_of
from lintel_document.corejson import CoreJSONCodec
from lintel_document.document import Array, Document, Node

__all__ = ["Answer", "Answers", "refusal", "text_of"]

KEPT_ANSWERS = 32
KEPT_CHARACTERS = 20_000_000
MAX_MESSAGES = 50
_LONGEST_MESSAGE = 500
_GENERAL = frozenset({*GENERAL, "title"})
_PLACES = ("pointer", "name", "field", "parameter", "path")


@dataclass(frozen=True, slots=True)
class Answer:
    """The text of a result, a note on truncated parts, and whether it is an error."""

    text: str
    note: str = ""
    is_error: bool = False


class Answers:
    """Truncates results to a budget of characters, and keeps the rest for a while."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()

    def first(self, text: str, cursor_argument: str) -> Answer:
        """Return the beginning of a result, all of it if it fits."""
        if len(text) <= self._budget:
            return Answer(text)
        token = secrets.token_urlsafe(9)
        self._keep(token, text)
        return self._part(text, 0, token, cursor_argument)

    def following(self, cursor: str, cursor_argument: str) -> Answer:
        """Return the part that a cursor refers to; an error if it is no longer available."""
        token, _, start = cursor.rpartition("-")
        with self._lock:
            text = self._kept.get(token)
        if text is None or not start.isdecimal() or len(start) > 9:
            return Answer(
                json.dumps({"title": f"The {cursor_argument} is no longer known: call again"}),
                is_error=True,
            )
        return self._part(text, int(start), token, cursor_argument)

    def _part(self, text: str, start: int, token: str, argument: str) -> Answer:
        end = min(start + self._budget, len(text))
        note = f"Characters {start} to {end} of {len(text)}."
        if end < len(text):
            note += f' The result was truncated: call again with "{argument}": "{token}-{end}".'
        return Answer(text[start:end], note)

    def _keep(self, token: str, text: str) -> None:
        with self._lock:
            self._kept[token] = text
            size = sum(len(kept) for kept in self._kept.values())
            while len(self._kept) > 1 and (
                len(self._kept) > KEPT_ANSWERS or size > KEPT_CHARACTERS
            ):
                size -= len(self._kept.popitem(last=False)[1])


def text_of(result: Any) -> str:
    """Return the result of a call as text: JSON, or unchanged text."""
    if isinstance(result, str):
        return result
    if isinstance(result, Download):
        result = _file(result)
    elif isinstance(result, Document):
        result = json.loads(CoreJSONCodec().encode(result, extensions=False))
    text = json.dumps(without_secrets(result), ensure_ascii=False, separators=(",", ":"))
    return escaped_json(text)


def _file(download: Download) -> dict[str, Any]:
    content = download.read()
    return {
        "name": download.name,
        "content_type": download.content_type,
        "size": len(content),
        "base64": base64.b64encode(content).decode(),
    }


def refusal(error: Exception, inputs: Inputs) -> str:
    """Return an error as JSON: a title, and messages, each with a pointer to the argument."""
    if isinstance(error, ParameterError):
        found = [(pointer_of([inputs.argument(name)]), text) for name, text in error.errors.items()]
        return _written({"title": "Some arguments are missing or wrong"}, found)
    if not isinstance(error, ErrorMessage):
        return _written({"title": str(error)[:_LONGEST_MESSAGE]}, [])
    head: dict[str, Any] = {"status": error.status, "title": error.error.title}
    if error.code:
        head["code"] = error.code
    if error.retry_after is not None:
        head["retry_after"] = error.retry_after
    return _written(head, list(_pointed(error.error, inputs)))


def _written(head: dict[str, Any], found: list[tuple[str, str]]) -> str:
    errors = [
        {"pointer": pointer, "message": text[:_LONGEST_MESSAGE]}
        for pointer, text in found[:MAX_MESSAGES]
    ]
    content = {**head, "errors": errors} if errors else head
    return escaped_json(json.dumps(content, ensure_ascii=False))


def _pointed(error: Node, inputs: Inputs) -> Iterator[tuple[str, str]]:
    """Return the messages of an error, each with the pointer of its subject."""
    listed = [item for name in LISTS for item in _list(error.get(name))]
    problems = [item for item in listed if isinstance(item, Mapping)]
    if problems:
        for problem in problems:
            text = next((problem[key] for key in TEXTS if isinstance(problem.get(key), str)), "")
            place = next((problem[key] for key in _PLACES if isinstance(problem.get(key), str)), "")
            yield pointer_of(_argument(_steps(place), inputs)), text or "Invalid"
        return
    for name, value in error.items():
        if name in _GENERAL and not inputs.takes(name):
            steps = [inputs.body] if inputs.body and name == "messages" else []
        else:
            steps = _argument([name], inputs)
        yield from _messages(value, steps)


def _messages(value: Any, steps: list[str]) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield pointer_of(steps), value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            own = steps if key in _GENERAL else [*steps, key]
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
