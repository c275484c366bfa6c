"""Types for TypeScript: the calls of the npm package ``lintel-client``, by their keys.

The text is that of ``npx lintel-client types``. A project keeps it in a file such as ``api.d.ts``
and gives a client the type it declares:

    import { Client } from "lintel-client";
    import type { ApiClient } from "./api.js";

    const client: ApiClient = new Client();
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lintel_client.parameters import distinguished
from lintel_client.streaming.described import described_events
from lintel_client.streaming.kinds import format_of
from lintel_client.stubs.declarations import TypeWriter, literal, member
from lintel_document.controls import escaped_json, printable
from lintel_document.document import Document
from lintel_document.fields import Field
from lintel_document.jsonschema import JSONSchema
from lintel_document.links import Link

__all__ = ["links_of", "parameters_type", "typescript_types"]

HEADER = 'import type { NAMES } from "lintel-client";'
OPTIONAL = ("StreamEvent", "StreamOptions")


def typescript_types(document: Document, writer: TypeWriter | None = None) -> str:
    """Return declarations with the types of the calls of a document.

    ``writer`` keeps the named types.

    ``ApiClient`` is the Client of lintel-client with overloads of ``action`` by literal keys, and
    of ``stream`` where the description has the schemas of items (OpenAPI 3.2, ``itemSchema``). All
    text of the document is in string literals, or in comments that it cannot end. It contains
    nothing that acts on a terminal or shows code in another order than it has.
    """
    writer = writer or TypeWriter()
    links = list(links_of(document))
    calls = [_overload(writer, keys, link) for keys, link in links]
    streams = [call for keys, link in links for call in _streams(writer, keys, link)]
    title = _comment([f"The operations of {document.title or document.url or 'an API'}."], "")
    typed = '"action" | "stream"' if streams else '"action"'
    opening = f"{title}\nexport interface ApiClient extends Omit<Client, {typed}> {{"
    used = [name for name in OPTIONAL if any(name in call for call in streams)]
    head = HEADER.replace("NAMES", ", ".join(["ActionOptions", "Client", "Document", *used]))
    parts = [head, *writer.declarations(), "\n".join([opening, *calls, *streams, "}"])]
    return escaped_json("\n\n".join(parts) + "\n")


def links_of(
    node: Mapping[str, Any], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Link]]:
    """Yield the links of a document by their keys."""
    for key, value in node.items():
        if isinstance(value, Link):
            yield (*above, key), value
        elif isinstance(value, Mapping):
            yield from links_of(value, (*above, key))


def _overload(writer: TypeWriter, keys: Sequence[str], link: Link) -> str:
    said = [link.title or link.description.split("\n")[0], "@deprecated" if link.deprecated else ""]
    lines = [line for line in said if line]
    shown = _comment(lines, "  ") + "\n" if lines else ""
    listed = ", ".join(map(literal, keys))
    params, result = _parameters(writer, link), _result(writer, link)
    return (
        f"{shown}  action(document: Document, keys: readonly [{listed}], {params}, "
        f"options?: ActionOptions): Promise<{result}>;"
    )


def _streams(writer: TypeWriter, keys: Sequence[str], link: Link) -> Iterator[str]:
    """Yield the stream of a link, if its description has the schema of an item."""
    for media_type, schema in link.item_schemas.items():
        if kind := format_of(media_type):
            is_event = kind == "sse"
            item = _event(writer, schema) if is_event else writer.type_of(schema)
            yield (
                f"  stream(document: Document, keys: readonly [{', '.join(map(literal, keys))}], "
                f"{_parameters(writer, link)}, options?: StreamOptions): "
                f"AsyncGenerator<{item}, void, void>;"
            )
            return


def _event(writer: TypeWriter, schema: Any) -> str:
    """Return the type of server-sent events, by that of their data."""
    types = described_events(schema)
    data = schema.properties.get("data") if types.json and not types.text else None
    if data is None:
        return f"StreamEvent<{'any' if types.json else 'string'}>"
    content = JSONSchema(data.get("contentSchema"), data.resolved.definitions)
    return f"StreamEvent<{writer.type_of(content)}>"


def _parameters(writer: TypeWriter, link: Link) -> str:
    required = any(field.required for field in distinguished(link).fields)
    return f"params{'' if required else '?'}: {parameters_type(writer, link)}"


def parameters_type(writer: TypeWriter, link: Link) -> str:
    """Return the parameters: required ones either one by one or, in a body, all in one."""
    link = distinguished(link)
    whole = next((field for field in link.fields if field.location == "body"), None)
    in_form = [field for field in link.fields if field.location == "form"]
    others = [field for field in link.fields if field is not whole and field not in in_form]
    alone = [whole] if whole and not in_form else []
    types = [_members(writer, [*others, *in_form, *alone])]
    if whole and in_form:
        types.append(_members(writer, [*others, whole], whole))
    return " | ".join(dict.fromkeys(types))


def _members(writer: TypeWriter, fields: Iterable[Field], given: Field | None = None) -> str:
    members = {
        field.name: member(
            field.name, field.required or field is given, writer.type_of(field.schema)
        )
        for field in fields
    }
    return f"{{ {'; '.join(members.values())} }}" if members else "Record<string, never>"


def _result(writer: TypeWriter, link: Link) -> str:
    """Return the type of the first success response; null if it has no content."""
    answers = {each.status: each for each in link.answers}
    status = min((status for status in answers if status.startswith("2")), default="default")
    answer = answers.get(status)
    if answer is None:
        return "any"
    if answer.status == "204":
        return "null"
    in_json = (schema for kind, schema in answer.content.items() if re.search("[/+]json", kind))
    schema = next(in_json, None)
    return "any" if schema is None else writer.type_of(schema)


def _comment(lines: Sequence[str], indent: str) -> str:
    safe = [re.sub(r"[\r\n]+", " ", line.replace("*/", "*\\/")) for line in lines]
    safe = [printable(line.encode(errors="replace").decode()) for line in safe]
    if len(safe) == 1:
        return f"{indent}/** {safe[0]} */"
    return "\n".join([f"{indent}/**", *(f"{indent} * {line}" for line in safe), f"{indent} */"])
