"""Results as rows: JSON, one JSON value per line, CSV and tables; and selected parts.

Items are written as they arrive, so that a list of any length takes little memory; only a table
waits for all rows, because its columns are as wide as they need.
"""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lintel_client.cli.later import later
from lintel_client.cli.output import json_text, note, on_terminal
from lintel_client.errors import ParseError
from lintel_client.paging import items_of
from lintel_document.controls import printable
from lintel_document.document import Array

__all__ = ["FORMS", "are_parts_of_items", "filter_of", "rows_of", "selected", "write_items"]

Write = Callable[[bytes], object]

INDENT = 4


def selected(value: Any, paths: Sequence[str]) -> Any:
    """Return the parts of a value at dotted paths: the part itself for one path, else an object.

    For a list, each item is selected from. A missing part is None.
    """
    if isinstance(value, list | tuple | Array):
        return [selected(item, paths) for item in value]
    if len(paths) == 1:
        return _picked(value, paths[0])
    return {path: _picked(value, path) for path in paths}


def filter_of(expression: str | None) -> Callable[[Any], Any] | None:
    """Return the filter that an expression is, None without one. Raises click.UsageError."""
    found: Callable[[Any], Any] | None = None
    if expression is not None:
        found = later("filtering:Filter", expression)
    return found


def are_parts_of_items(result: Any, paths: Sequence[str]) -> bool:
    """Return whether a page has nothing at these paths, but its first item does."""
    names = {path.partition(".")[0] for path in paths}
    if not names or not isinstance(result, Mapping) or not names.isdisjoint(result):
        return False
    rows = rows_of(result)
    first = rows[0] if rows and rows[0] is not result else None
    return isinstance(first, Mapping) and not names.isdisjoint(first)


def rows_of(result: Any) -> Sequence[Any]:
    """Return the items of a list, or of the list in a response; else the response alone."""
    if isinstance(result, list | tuple | Array):
        return result
    try:
        return items_of(result)
    except ParseError:
        return [] if result is None else [result]


def write_items(items: Iterable[Any], form: str, write: Write, paths: Sequence[str] = ()) -> None:
    """Write items in a format of FORMS, only the parts that ``paths`` names, all by default."""
    chosen = (selected(item, paths) for item in items) if paths else items
    columns = list(paths) if len(paths) > 1 else None
    FORMS[form](chosen, write, columns)


def _picked(value: Any, path: str) -> Any:
    if isinstance(value, Mapping):
        name, _, rest = path.partition(".")
        if path in value or not rest:
            return value.get(path)
        return _picked(value.get(name), rest)
    if isinstance(value, list | tuple | Array):
        index, _, rest = path.partition(".")
        if not (index.isascii() and index.isdigit()):
            return [_picked(item, path) for item in value]
        found = value[int(index)] if len(index) < 10 and int(index) < len(value) else None
        return _picked(found, rest) if rest else found
    return None


def _as_json(items: Iterable[Any], write: Write, columns: list[str] | None) -> None:
    """Write the same bytes as for the whole list, item by item."""
    empty = True
    for item in items:
        text = json_text(item).replace("\n", "\n" + " " * INDENT)
        write(f"{'[' if empty else ','}\n{' ' * INDENT}{text}".encode())
        empty = False
    write(b"[]\n" if empty else b"\n]\n")


def _as_lines(items: Iterable[Any], write: Write, columns: list[str] | None) -> None:
    for item in items:
        write(f"{json_text(item, indent=None)}\n".encode())


def _as_csv(items: Iterable[Any], write: Write, columns: list[str] | None) -> None:
    left_out: dict[str, None] = {}
    names: list[str] = []
    for item in items:
        row = _row(item)
        if not names:
            names = columns or list(row)
            write(_csv_line(names))
        left_out.update(dict.fromkeys(name for name in row if name not in names))
        write(_csv_line([_cell(row.get(name)) for name in names]))
    if left_out:
        note(f"Not in the first item, so not among the columns: {', '.join(left_out)}")


def _as_table(items: Iterable[Any], write: Write, columns: list[str] | None) -> None:
    rows = [_row(item) for item in items]
    names = columns or list(dict.fromkeys(name for row in rows for name in row))
    cells = [[_cell(row.get(name)) for name in names] for row in rows]
    if on_terminal():
        later("terminal:show_table", names, cells)
        return
    shown = [[_one_line(text) for text in row] for row in [names, *cells]]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        line = "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True))
        write(f"{line.rstrip()}\n".encode())


FORMS: dict[str, Callable[[Iterable[Any], Write, list[str] | None], None]] = {
    "json": _as_json,
    "ndjson": _as_lines,
    "csv": _as_csv,
    "table": _as_table,
}


def _row(item: Any) -> Mapping[str, Any]:
    return item if isinstance(item, Mapping) else {"value": item}


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json_text(value, indent=None)


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def _csv_line(cells: Sequence[str]) -> bytes:
    line = io.StringIO()
    # The writer quotes values with part of its own line end, so both characters are passed.
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    text = line.getvalue().removesuffix("\r\n") + "\n"
    return text.encode(errors="replace")
