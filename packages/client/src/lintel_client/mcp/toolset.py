"""The operations of a document as tools, called through a client."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lintel_client.client import Client
from lintel_client.errors import LintelError
from lintel_client.mcp.answers import Answers, plain, refusal
from lintel_client.mcp.calling import StreamLimits, call
from lintel_client.mcp.secrets import Secrets
from lintel_client.streaming.kinds import always_streams, format_of
from lintel_document.agents.answers import MAX_ANSWER, Answer, error, text_of
from lintel_document.agents.inputs import CURSOR, Inputs
from lintel_document.agents.operations import Operation, Selection, operations_of
from lintel_document.agents.outputs import Outputs
from lintel_document.agents.toolset import Described
from lintel_document.agents.toolset import Toolset as BaseToolset
from lintel_document.document import Document
from lintel_document.jsonschema import json_schema
from lintel_document.links import Link

__all__ = ["Remote", "Toolset"]


class Toolset(BaseToolset):
    """The tools of a document, called through a client. Cuts results to ``budget`` characters."""

    def __init__(
        self,
        client: Client,
        document: Document,
        selection: Selection | None = None,
        *,
        budget: int = MAX_ANSWER,
        secrets: Secrets | None = None,
    ) -> None:
        source = Remote(client, document, Answers(budget), secrets or Secrets())
        super().__init__(source, operations_of(document), selection or Selection(), budget)


class Remote:
    """The operations of a document, and the client that calls them."""

    write_option = "--allow-write"

    def __init__(
        self, client: Client, document: Document, answers: Answers, secrets: Secrets
    ) -> None:
        self.title = document.title or document.url
        self.client = client
        self.limits = StreamLimits()
        self.hidden = secrets.hidden
        self._document = document
        self._answers = answers

    def describe(self, operations: Sequence[Operation]) -> list[Described]:
        """Return operations with what their descriptions say of their results."""
        return [
            Described(each.link, _outputs(each.link), _note(each.link, self.limits))
            for each in operations
        ]

    def call(self, operation: Operation, arguments: Mapping[str, Any]) -> Answer:
        """Call an operation; of errors that nobody expects, tell the kind alone."""
        inputs = Inputs(operation.link)
        given = dict(arguments)
        cursor = given.pop(inputs.cursor, None)
        if cursor is not None:
            return self._answers.following(str(cursor), inputs.cursor)
        try:
            result = call(self.client, self._document, operation, inputs, given, self.limits)
            data = plain(result)
        except LintelError as failure:
            return refusal(failure, inputs)
        except Exception as failure:
            # Whatever it is, its text is not for the agent: it may contain anything.
            return error(f"The call failed: {type(failure).__name__}")
        text = self.hidden(text_of(data))
        answer = self._answers.first(data, text, _outputs(operation.link), inputs.cursor)
        note = _note(operation.link, self.limits)
        return replace(answer, note=f"{note} {answer.note}".strip())

    def following(self, cursor: str) -> Answer:
        """Return the part of an answer that a cursor refers to."""
        return self._answers.following(cursor, CURSOR)


def _note(link: Link, limits: StreamLimits) -> str:
    if not always_streams(link):
        return ""
    return f"A stream: its first {limits.items} items within {limits.seconds} seconds are returned."


def _outputs(link: Link) -> Outputs:
    """Return the output of an operation, by the first response of success with JSON."""
    if always_streams(link):
        kinds = {format_of(kind): schema for kind, schema in link.item_schemas.items()}
        items = {} if "sse" in kinds or not kinds else json_schema(next(iter(kinds.values())))
        return Outputs({"type": "array", "items": items}, _resolver(items))
    for answer in link.answers:
        for kind, schema in answer.content.items():
            if answer.status.startswith("2") and "json" in kind and schema is not None:
                whole = json_schema(schema)
                return Outputs(whole, _resolver(whole))
    return Outputs()


def _resolver(whole: Mapping[str, Any]) -> Any:
    definitions = whole.get("$defs")
    known = definitions if isinstance(definitions, Mapping) else {}
    return lambda reference: known.get(reference.removeprefix("#/$defs/"))
