"""Prints results: documents as text, data as JSON, lists as tables.

Colours and tables are for terminals (``lintel_client.cli.terminal``). A pipe always gets
the same JSON, and text unchanged.
"""

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from lintel_client.cli.failures import Failure
from lintel_client.cli.later import later
from lintel_client.downloads import Download
from lintel_document.controls import escaped_json, printable
from lintel_document.document import Array, Document, Node
from lintel_document.links import Link

__all__ = [
    "json_text",
    "note",
    "on_terminal",
    "print_bytes",
    "print_document",
    "print_json",
    "print_loaded",
    "print_result",
    "print_table",
    "print_text",
    "save",
]


def print_document(document: Any) -> None:
    """Print a document or a part of one as text."""
    text: str = later("display:displayed", document)
    _write_line(printable(text))


def print_loaded(document: Document) -> None:
    """Print a document that has just been loaded, and say what it does not represent."""
    print_document(document)
    if document.issues:
        parts = "1 part" if len(document.issues) == 1 else f"{len(document.issues)} parts"
        note(f"{parts} could not be represented; see: lintel issues")


def print_result(result: Any) -> None:
    """Print what an operation returned; nothing for no content."""
    if isinstance(result, Document):
        print_document(result)
    elif isinstance(result, str):
        _print_text(result)
    elif isinstance(result, Download):
        _print_download(result)
    elif result is not None:
        _print_json(result)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows as a table on a terminal, else as a JSON list of objects."""
    if not on_terminal():
        _print_json([dict(zip(columns, row, strict=True)) for row in rows])
        return
    later("terminal:show_table", columns, [[_cell(value) for value in row] for row in rows])


def print_bytes(content: bytes) -> None:
    """Print bytes unchanged."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def print_text(content: bytes) -> None:
    """Print text that is not JSON: unchanged, except for what would act on a terminal."""
    if on_terminal():
        lines = content.decode(errors="replace").replace("\r\n", "\n")
        content = printable(lines).encode(errors="replace")
    print_bytes(content)


def print_json(result: Any) -> None:
    """Print a result as JSON without colours, on terminals too."""
    print_bytes(f"{json_text(result)}\n".encode())


def check_data(result: Any) -> None:
    """Raise Failure for a file, which no format for data can show."""
    if isinstance(result, Download):
        kind = result.content_type or "without a media type"
        raise Failure(f"The response is a file, {kind}: use --output to save it, or --raw")


def save(result: Any, path: Path) -> None:
    """Write a result to a file: bytes and text unchanged, data as JSON."""
    if isinstance(result, Download):
        shutil.copyfile(result, path)
    elif isinstance(result, str):
        path.write_bytes(result.encode())
    else:
        path.write_bytes(b"" if result is None else f"{json_text(result)}\n".encode())


def note(text: str) -> None:
    """Print a message beside the result, on standard error."""
    click.echo(printable(text), err=True)


def _print_text(text: str) -> None:
    if on_terminal():
        _write_line(printable(text.removesuffix("\n")))
    else:
        print_bytes(text.encode())


def _print_download(download: Download) -> None:
    if not on_terminal():
        with download.open() as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
        return
    size = download.path.stat().st_size
    note(f"{download.name}: {size} bytes of {download.content_type}; use --output to save it")


def _print_json(value: Any) -> None:
    text = json_text(value)
    if on_terminal():
        later("terminal:show_json", text)
    else:
        print_bytes(f"{text}\n".encode())


def json_text(value: Any, indent: int | None = 4) -> str:
    """Return a result as JSON, with escapes for what would act on a terminal."""
    text = escaped_json(json.dumps(value, ensure_ascii=False, indent=indent, default=_plain))
    # UTF-8 cannot encode a lone surrogate, but a JSON escape can represent it.
    return text if _has_utf8(text) else json.dumps(value, indent=indent, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, Node):
        return dict(value)
    if isinstance(value, Array):
        return list(value)
    if isinstance(value, Link):
        return {"url": value.url, "action": value.action}
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _has_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _write_line(text: str) -> None:
    print_bytes(f"{text}\n".encode(errors="replace"))


def _cell(value: Any) -> str:
    return "*" if value is True else "" if value in (False, None) else str(value)


def on_terminal() -> bool:
    """Return whether standard output goes to a terminal."""
    return sys.stdout.isatty()
