"""Edits a resource: fetch it, open an editor, send the changes."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import click

from lintel_client.cli.display import links_of
from lintel_client.cli.failures import Failure
from lintel_client.cli.output import json_text, note, print_result
from lintel_client.cli.session import open_client
from lintel_client.cli.state import State
from lintel_client.cli.values import parameters
from lintel_client.cli.wire import Wire
from lintel_client.cli.words import path_keys
from lintel_client.lookup import find_link, shown_path
from lintel_client.parameters import distinguished
from lintel_document.document import Document
from lintel_document.errors import LintelError
from lintel_document.links import Link

__all__ = ["edit"]

WRITES = ("put", "patch")


def edit(keys: Sequence[str], values: dict[str, Any], wire: Wire, params: Sequence[str]) -> None:
    """Open the result of one operation in an editor, and send it with its counterpart."""
    state = State()
    document = state.document()
    read, write = _pair(document, path_keys(document, tuple(keys)))
    given = {**parameters(params, (), (), ()), **values}
    with open_client(state, wire) as (client, transport):
        before = client.action(document, read[0], _known(read[1], given))
        tag = transport.last.headers.get("ETag", "") if transport.last else ""
        if not isinstance(before, Mapping):
            raise Failure(f"{shown_path(read[0])} returns no object that could be edited")
        writable = _writable(write[1], before)
        text = _edited(f"{json_text(writable)}\n")
        after = _parsed(text)
        if after == writable:
            note("Nothing was changed, so nothing was sent.")
            return
        if write[1].action.lower() == "patch":
            after = {name: value for name, value in after.items() if writable.get(name) != value}
        sent = {**_known(write[1], given), **_body(write[1], after)}
        # A weak tag never fulfils the condition (RFC 9110, 13.1.1).
        condition = {"If-Match": tag} if tag and not tag.startswith("W/") else None
        try:
            print_result(client.action(document, write[0], sent, headers=condition))
        except LintelError:
            _keep(text)
            raise


_Found = tuple[Sequence[Any], Link]


def _pair(document: Document, path: Sequence[Any]) -> tuple[_Found, _Found]:
    """Return the operations that read and change the resource of the named one."""
    named = find_link(document, path).link
    same = [each for each in links_of(document) if each[1].url == named.url]
    read = next((each for each in same if (each[1].action or "get").lower() == "get"), None)
    write = (path, named) if named.action.lower() in WRITES else None
    for method in WRITES:
        found = (each for each in same if each[1].action.lower() == method)
        write = write or next(found, None)
    if read is None or write is None:
        lacking = "reads" if read is None else "changes (PUT or PATCH)"
        raise Failure(f"No operation {lacking} {named.url}, so it cannot be edited")
    return read, write


def _known(link: Link, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that identify the resource: all but those of the body."""
    fields = distinguished(link).fields
    outside = {field.name for field in fields if field.location not in ("form", "body")}
    inside = {field.name for field in fields} - outside
    # What a write takes in both places would be read from its body.
    named = {f"query.{name}" if f"query.{name}" in outside else name: name for name in given}
    return {
        name: given[own]
        for name, own in named.items()
        if name in outside or (name not in inside and f"{{{name}}}" in link.url)
    }


def _writable(link: Link, value: Mapping[str, Any]) -> dict[str, Any]:
    names = {field.name for field in link.fields if field.location in ("", "form")}
    return {name: inner for name, inner in value.items() if not names or name in names}


def _body(link: Link, value: dict[str, Any]) -> dict[str, Any]:
    forms = [field.name for field in link.fields if field.location in ("", "form")]
    whole = [field.name for field in link.fields if field.location == "body"]
    return {whole[0]: value} if whole and not forms else value


def _edited(text: str) -> str:
    edited = click.edit(text, extension=".json")
    return text if edited is None else edited


def _parsed(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        _keep(text)
        raise Failure(f"This is not JSON: {error}") from None
    if not isinstance(value, dict):
        _keep(text)
        raise Failure("What is sent must be a JSON object")
    return value


def _keep(text: str) -> None:
    """Save a person's work in a private file."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", prefix="lintel-", delete=False) as file:
        file.write(text)
    note(f"Your text is saved in {file.name}")
