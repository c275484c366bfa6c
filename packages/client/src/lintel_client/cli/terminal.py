"""What a terminal shows: colours and tables. This is the one module that imports rich."""

from collections.abc import Sequence

from rich.console import Console
from rich.highlighter import JSONHighlighter
from rich.table import Table
from rich.text import Text

from lintel_client.cli.failures import printable

__all__ = ["show_json", "show_table"]


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
