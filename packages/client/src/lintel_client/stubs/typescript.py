"""Types for TypeScript: the calls of the npm package `lintel-client`, by their keys.

A project keeps the text in a file such as `api.ts` and gives a client the type it declares:

    import { Client } from "lintel-client";
    import type { TypedClient } from "./api";

    const client = new Client() as unknown as TypedClient;
"""

import json
from collections.abc import Iterator, Sequence

from lintel_client.stubs.kinds import Kind, ListOf, Literals, MapOf, Plain, Record, Ref, Union
from lintel_client.stubs.reading import Operation, operations_of
from lintel_document.document import Document

__all__ = ["typescript_types"]

HEADER = """\
// Made by `lintel stubs --typescript`; make it again when the API has changed.
import type { ActionOptions, Client, Document } from "lintel-client";
"""

PLAIN = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
    "any": "any",
    "file": "Blob",
    "download": "Blob",
}
RESERVED = {"ActionOptions", "Client", "Document", "TypedClient", "Blob", "Promise", "Record"}


def typescript_types(document: Document) -> str:
    """Return declarations with the types of the calls of a document.

    `TypedClient` is the Client of lintel-client with overloads of `action` by literal keys. All
    text of the document stands in string literals, or in comments that it cannot end.
    """
    operations, records = operations_of(document)
    lines = [HEADER]
    for record in records:
        lines += [*_record(record), ""]
    lines.append('export interface TypedClient extends Omit<Client, "action"> {')
    for operation in operations:
        lines += [f"  {line}" for line in _action(operation)]
    lines.append("}")
    return "\n".join(lines) + "\n"


def _record(record: Record) -> Iterator[str]:
    yield from _comment(record.description)
    # A type, not an interface: only that is assignable to a type with an index.
    yield f"export type {_name(record.name)} = {{"
    for member in record.members:
        yield from (f"  {line}" for line in _comment(member.description))
        mark = "" if member.required else "?"
        yield f"  {_string(member.name)}{mark}: {_text(member.kind)};"
    yield "};"


def _action(operation: Operation) -> Iterator[str]:
    yield from _comment(operation.summary)
    keys = ", ".join(_string(key) if isinstance(key, str) else str(key) for key in operation.keys)
    either = f"readonly [{keys}]"
    if len(operation.keys) == 1 and isinstance(operation.keys[0], str):
        either += f" | {keys}"
    params = " | ".join(_text(way) for way in operation.params)
    mark = "" if operation.required else "?"
    arguments = (
        f"document: Document, keys: {either}, params{mark}: {params}, options?: ActionOptions"
    )
    yield f"action({arguments}): Promise<{_text(operation.result)}>;"


def _text(kind: Kind) -> str:
    match kind:
        case Plain(name):
            return PLAIN[name]
        case Ref(name):
            return _name(name)
        case ListOf(item):
            return f"Array<{_text(item)}>"
        case MapOf(value):
            return f"Record<string, {_text(value)}>"
        case Union(options):
            return " | ".join(_text(option) for option in options)
        case Literals(values):
            return " | ".join(_string(value) for value in values)


def _name(name: str) -> str:
    return f"{name}_" if name in RESERVED else name


def _string(value: object) -> str:
    """A literal, in ASCII."""
    return json.dumps(value)


def _comment(text: str) -> Sequence[str]:
    line = " ".join(text.split()).replace("*/", "* /")
    printable = "".join(char for char in line if char.isprintable())
    return [f"/** {printable} */"] if printable else []
