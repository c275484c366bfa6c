"""How a whole column becomes primitives: the interface between row readers and field kinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

#: The values of one column, in the order of the rows.
Values = Sequence[Any]


class WiredColumn(Protocol):
    """A column of a query, as a wire sees it."""

    @property
    def field(self) -> Any:
        """Return the model field that the values belong to."""

    @property
    def connection(self) -> Any:
        """Return the connection that the values come from."""


class Wire(Protocol):
    """How a column of one kind becomes text. Both methods receive values other than None."""

    @property
    def column_type(self) -> str:
        """Return Django's type of the columns that this wire is for."""

    @property
    def makes_text(self) -> bool:
        """Return whether the primitives are text, which no value of such a column is."""

    def from_sqlite(self, values: Values, column: WiredColumn) -> Values | None:
        """Return primitives for values of SQLite; None if that is uncertain."""

    def from_python(self, values: Values) -> Values | None:
        """Return primitives for values from Django's converters; None if that is uncertain."""


#: An entry for each column of a query.
Wires = Sequence[Wire | None]
