"""The implementation of the commands on the history."""

from lintel_client.cli.failures import Failure
from lintel_client.cli.output import note, print_loaded, print_table
from lintel_client.cli.session import open_client
from lintel_client.cli.state import Page, State
from lintel_client.cli.wire import Wire
from lintel_document.document import Document

__all__ = ["show", "step"]


def show() -> None:
    """List the visited URLs; the current one is marked."""
    visited = State().history()
    rows = [
        (number == visited.index, page.title, page.url) for number, page in enumerate(visited.pages)
    ]
    print_table(["current", "title", "url"], rows)


def step(steps: int, at_the_end: str, wire: Wire, references: bool = False) -> None:
    """Move, but only if the document there could be fetched."""
    state = State()
    visited = state.history()
    index = visited.index + steps
    if not 0 <= index < len(visited.pages):
        note(at_the_end)
        return
    with open_client(state, wire, references=references) as (client, _):
        document = client.get(visited.pages[index].url)
    if not isinstance(document, Document):
        raise Failure(f"{visited.pages[index].url} no longer has a document")
    state.save_document(document)
    state.save_history(visited.moved(steps, Page.of(document)))
    print_loaded(document)
