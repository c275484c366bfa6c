"""Results and errors of the client as answers for an agent, within a budget of characters."""

import base64
import json
import secrets
from collections import OrderedDict
from dataclasses import asdict
from threading import Lock
from typing import Any

from lintel_client.downloads import Download
from lintel_client.errors import ErrorMessage, ParameterError
from lintel_client.streaming.events import Event
from lintel_document.agents.answers import Answer, error, fits, part_of, without_secrets
from lintel_document.agents.inputs import Inputs
from lintel_document.agents.messages import pointed, written
from lintel_document.agents.outputs import Outputs
from lintel_document.corejson import CoreJSONCodec
from lintel_document.document import Document
from lintel_document.pointers import pointer_of

__all__ = ["Answers", "plain", "refusal"]

KEPT_ANSWERS = 32
KEPT_CHARACTERS = 20_000_000
_LONGEST_TITLE = 500


class Answers:
    """Truncates results to a budget of characters, and keeps the rest for a while."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()

    def first(self, result: Any, text: str, outputs: Outputs, cursor_argument: str) -> Answer:
        """Return a result, or the beginning of its text if that does not fit."""
        if fits(text, self._budget):
            return Answer(text, structured=outputs.structured(result))
        token = secrets.token_urlsafe(9)
        self._keep(token, text)
        return self._part(text, 0, token, cursor_argument)

    def following(self, cursor: str, cursor_argument: str) -> Answer:
        """Return the part that a cursor refers to; an error if it is no longer available."""
        token, _, start = cursor.rpartition("-")
        with self._lock:
            text = self._kept.get(token)
        if text is None or not (start.isascii() and start.isdecimal()) or len(start) > 9:
            return error(f"The {cursor_argument} is no longer known: call again")
        return self._part(text, int(start), token, cursor_argument)

    def _part(self, text: str, start: int, token: str, argument: str) -> Answer:
        return part_of(text, start, self._budget, argument, lambda end: f"{token}-{end}")

    def _keep(self, token: str, text: str) -> None:
        with self._lock:
            self._kept[token] = text
            size = sum(len(kept) for kept in self._kept.values())
            while len(self._kept) > 1 and (
                len(self._kept) > KEPT_ANSWERS or size > KEPT_CHARACTERS
            ):
                size -= len(self._kept.popitem(last=False)[1])


def plain(result: Any) -> Any:
    """Return the result of a call as plain data without secrets."""
    if isinstance(result, Download):
        result = _file(result)
    elif isinstance(result, Document):
        result = json.loads(CoreJSONCodec().encode(result, extensions=False))
    elif isinstance(result, list):
        result = [asdict(item) if isinstance(item, Event) else item for item in result]
    return without_secrets(json.loads(json.dumps(result)))


def _file(download: Download) -> dict[str, Any]:
    content = download.read()
    return {
        "name": download.name,
        "content_type": download.content_type,
        "size": len(content),
        "base64": base64.b64encode(content).decode(),
    }


def refusal(error: Exception, inputs: Inputs) -> Answer:
    """Return an error as JSON: a title, and messages, each with a pointer to the argument."""
    if isinstance(error, ParameterError):
        found = [(pointer_of([inputs.argument(name)]), text) for name, text in error.errors.items()]
        return Answer(written({"title": "Some arguments are missing or wrong"}, found), "", True)
    if not isinstance(error, ErrorMessage):
        return Answer(written({"title": str(error)[:_LONGEST_TITLE]}), "", True)
    head: dict[str, Any] = {"status": error.status, "title": error.error.title}
    if error.refused:
        head["detail"] = error.refused
    if error.code:
        head["code"] = error.code
    if error.retry_after is not None:
        head["retry_after"] = error.retry_after
    return Answer(written(head, pointed(error.error, inputs)), "", True)
