"""The table of mistakes: what is done wrong, and the known message and type of the error."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Mistake(NamedTuple):
    """A developer's mistake, as a function that makes it."""

    make: Callable[[], Any]
    type: type[Exception]
    text: str


Decorator = Callable[[Callable[[], Any]], Callable[[], Any]]


def table() -> tuple[list[Mistake], Callable[[type[Exception], str], Decorator]]:
    """Return an empty table, and the decorator that adds a function to it."""
    rows: list[Mistake] = []

    def mistake(type: type[Exception], text: str) -> Decorator:
        def decorate(make: Callable[[], Any]) -> Callable[[], Any]:
            rows.append(Mistake(make, type, text))
            return make

        return decorate

    return rows, mistake
