"""The body of a request as one value: JSON, a file, or standard input."""

import json
from collections.abc import Sequence
from typing import Any

import click

from lintel_client.cli.values import bytes_of
from lintel_client.files import File
from lintel_client.forms import FORM, essence
from lintel_client.lookup import find_link
from lintel_client.parameters import OCTET_STREAM
from lintel_client.styles import is_json
from lintel_document.document import Document
from lintel_document.links import Link

__all__ = ["body_parameters", "spread"]


def body_parameters(
    document: Document, keys: Sequence[str | int], source: str, encoding: str | None = None
) -> dict[str, Any]:
    """Return the parameters in a body, written as ``encoding`` if that is given.

    ``source`` is JSON, "-" for standard input or @PATH. If the operation takes its body as one
    parameter, the value is that parameter; else it must be an object, whose members are parameters.
    Raises click.UsageError for a body that does not fit.
    """
    link = find_link(document, list(keys)).link
    link = link if encoding is None else link.replace(encoding=encoding)
    content = _content(source)
    name = _whole(link)
    kind = essence(link.encoding)
    if name and (kind.startswith("text/") or kind.endswith(("/xml", "+xml"))):
        return {name: content.decode(errors="replace")}
    if name and "*" in kind:
        return {name: _json_or_file(content)}
    if name and not (is_json(kind) or kind in ("", FORM) or kind.startswith("multipart/")):
        return {name: File("", content)}
    value = _parsed(content)
    if name:
        return {name: value}
    if not isinstance(value, dict):
        raise click.UsageError("--body must be a JSON object: its members are the parameters")
    return value


def spread(params: dict[str, Any], link: Link, further: Sequence[str] = ()) -> dict[str, Any]:
    """Return parameters that go together, if they name the whole body and parts of it.

    Members of the body are then parameters, like its parts, which win; ``further`` are parts that
    are added later. Raises click.UsageError for a body without members.
    """
    name = _whole(link)
    parts = {found.name for found in link.fields if found.location == "form"} - {name}
    given = [*(part for part in params if part in parts), *further]
    if name not in params or not given:
        return params
    whole = params[name]
    if not isinstance(whole, dict):
        raise click.UsageError(f"--body is no JSON object, so {given[0]} cannot be a part of it")
    return {**whole, **{key: value for key, value in params.items() if key != name}}


def _whole(link: Link) -> str:
    """Return the name of the parameter that is the whole body, empty if there is none."""
    for found in link.fields:
        if found.location == "body" and found.name:
            return found.name
    others = [found.name for found in link.fields if found.location in ("", "form")]
    return others[0] if link.encoding == OCTET_STREAM and len(others) == 1 else ""


def _content(source: str) -> bytes:
    if source == "-":
        return bytes_of("--body", "-")
    if source.startswith("@"):
        return bytes_of("--body", source[1:])
    return source.encode(errors="surrogateescape")


def _json_or_file(content: bytes) -> Any:
    """Return the value of a body in any media type: JSON if it can be read as that."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return File("", content)


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"--body must be JSON ({error})") from None
