"""Output on a terminal: colours and tables. The only module that imports rich."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.highlighter import JSONHighlighter
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from lintel_document.controls import printable

__all__ = ["progress_bar", "show_json", "show_table"]


def show_json(text: str) -> None:
    """Print JSON in colours."""
    Console().print(JSONHighlighter()(Text(text)), soft_wrap=True)


def show_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows of texts as a table."""
    table = Table()
    for name in columns:
        table.add_column(Text(printable(name)))
    for row in rows:
        table.add_row(*[Text(printable(text)) for text in row])
    Console().print(table)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show a progress bar on standard error; yield a function of bytes done and total."""
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)

        def tell(done: int, total: int | None) -> None:
            progress.update(task, completed=done, total=total)

        yield tell
