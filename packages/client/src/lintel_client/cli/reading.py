"""The implementation of the commands on the current document."""

import sys
from pathlib import Path
from typing import Any

from lintel_client.cli.described import Described, Unchanged
from lintel_client.cli.display import changes, described
from lintel_client.cli.failures import Failure
from lintel_client.cli.output import (
    note,
    on_terminal,
    print_bytes,
    print_document,
    print_loaded,
    print_result,
    print_table,
    print_text,
)
from lintel_client.cli.references import counted, read_below
from lintel_client.cli.session import fetch, open_client
from lintel_client.cli.state import State
from lintel_client.cli.wire import Wire
from lintel_client.cli.words import absolute_url, path_keys
from lintel_client.errors import NoCodecAvailable
from lintel_client.lookup import find, shown_path
from lintel_client.negotiation import recognizing
from lintel_document.codec import Codec
from lintel_document.controls import escaped_json, printable
from lintel_document.document import Document
from lintel_document.registry import codec_for_format, installed_codecs

__all__ = [
    "clear",
    "describe",
    "dump",
    "explanation",
    "get",
    "issues",
    "load",
    "reload",
    "show",
]


def get(url: str, format: str | None, references: bool, wire: Wire) -> None:
    """Fetch a URL and make the document there the current one, or the one that it leads to."""
    fetch(State(), absolute_url(url), format, wire, references, discovers=format is None)


def reload(format: str | None, references: bool, wire: Wire) -> None:
    """Fetch the current document again and report what changed."""
    state = State()
    before = state.document()
    if not before.url:
        raise Failure("The current document has no URL to load it from")
    known = Described(state, format, references)
    with open_client(state, wire, False, references, known) as (client, _):
        try:
            # Whoever reloads wants what the server has now, however fresh the stored one is.
            after = client.reload(before, format, headers={"Cache-Control": "no-cache"})
        except Unchanged:
            after = before
    if not isinstance(after, Document):
        raise Failure(f"{before.url} no longer has a document; the current one stays")
    known.visit(after)
    print_loaded(after)
    for line in changes(before, after):
        note(line)


def load(path: Path, format: str | None, references: bool, url: str) -> None:
    """Read a document from a file and make it the current one."""
    is_stream = str(path) == "-"
    if references and is_stream:
        raise Failure("--references needs a file: standard input has no folder")
    named = _able(format, "decode") if format else None
    content = sys.stdin.buffer.read() if is_stream else path.read_bytes()
    codec = named or _recognized(content)
    options: dict[str, Any] = {"base_url": absolute_url(url)} if url else {}
    if references:
        with counted(read_below(path)) as loader:
            options |= {"source": path.resolve().as_uri(), "loader": loader}
            document = codec.decode(content, **options)
    else:
        document = codec.decode(content, **options)
    if not isinstance(document, Document):
        raise Failure(f"{path} is not an API description")
    State().visit(document)
    print_loaded(document)


def issues() -> None:
    """Print the parts that the current document could not represent."""
    rows = [(issue.place, issue.name, issue.message) for issue in State().document().issues]
    print_table(["place", "name", "message"], rows)


def dump(format: str) -> None:
    """Print the current document in a format."""
    content = _able(format, "encode").encode(State().document(), indent=True)
    if on_terminal():
        content = escaped_json(content.decode()).encode()
    print_text(content.removesuffix(b"\n") + b"\n")


def show(keys: tuple[str, ...]) -> None:
    """Print the current document, or a part of it."""
    document = State().document_of(keys)
    part = find(document, path_keys(document, keys))
    if isinstance(part, str | int | float | None):
        print_result(part if part is not None else "null\n")
    else:
        print_document(part)


def describe(keys: tuple[str, ...], full: bool) -> None:
    """Print the description of the link at KEYS."""
    document = State().document_of(keys)
    path = path_keys(document, keys)
    about = [tag.description or tag.summary for tag in document.tags if (tag.name,) == keys]
    text = described(shown_path(path[-1:]), find(document, path), full)
    lines = "\n".join(filter(None, [*about, text]))
    print_bytes(f"{printable(lines)}\n".encode(errors="replace"))


def explanation(keys: tuple[str, ...]) -> list[str]:
    """Return the explanation of the operation at ``keys``: its title, then its description."""
    document = State().document_of(keys)
    link = find(document, path_keys(document, keys))
    gone = "Deprecated." if getattr(link, "deprecated", False) else ""
    texts = [gone, getattr(link, "title", ""), getattr(link, "description", "")]
    return [printable(text) for text in dict.fromkeys(texts) if text]


def clear() -> None:
    """Delete everything."""
    State().clear()


def _able(format: str, ability: str) -> Codec:
    able = _all_able(ability)
    names = [codec.format for codec in able]
    if format not in names and format in [each.codec.format for each in installed_codecs()]:
        others = ", ".join(names)
        raise NoCodecAvailable(f"The codec {format!r} cannot {ability}; those that can: {others}")
    return codec_for_format(format, able)


def _recognized(content: bytes) -> Codec:
    able = _all_able("decode")
    return recognizing(able, content) or able[0]


def _all_able(ability: str) -> list[Codec]:
    """Return the installed codecs that can do it, the native one first."""
    return [
        installed.codec
        for installed in installed_codecs()
        if ability in installed.codec.get_abilities()
    ]
