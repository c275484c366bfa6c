"""Prints the items of a stream as they come, until it ends or the user ends it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lintel_client.cli.output import on_terminal, print_result, print_text
from lintel_client.cli.results import selected, write_items
from lintel_client.streaming.events import Event
from lintel_client.streaming.streams import Stream

__all__ = ["follow"]

Write = Callable[[bytes], object]
Narrowing = Callable[[Any], Any]


def follow(
    stream: Stream[Any],
    form: str | None,
    narrowed: Narrowing | None,
    paths: Sequence[str],
    output: Path | None,
) -> None:
    """Print items in a format of ``results.FORMS``: one per line, or on a terminal as a result.

    With ``narrowed``, each item is what that finds in it, and left out if it finds nothing.
    """
    items = _found(map(_plain, stream), narrowed)
    # Ctrl-C is how streams without an end are left.
    try:
        with stream, _sink(output) as write:
            if form is None and output is None and on_terminal():
                _show(items, paths)
            else:
                write_items(items, form or "ndjson", write, paths)
    except KeyboardInterrupt:
        return


def _show(items: Iterable[Any], paths: Sequence[str]) -> None:
    for item in items:
        print_result(selected(item, paths) if paths else item)


def _found(items: Iterable[Any], narrowed: Narrowing | None) -> Iterable[Any]:
    if narrowed is None:
        return items
    return (found for item in items if (found := narrowed(item)) is not None)


def _plain(item: Any) -> Any:
    return asdict(item) if isinstance(item, Event) else item


@contextmanager
def _sink(output: Path | None) -> Iterator[Write]:
    """Yield the destination of items: standard output, or a file that has each at once."""
    if output is None:
        yield print_text
        return
    with output.open("wb", buffering=0) as file:
        yield file.write
