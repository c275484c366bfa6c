"""How a whole column becomes primitives: what readers of rows and kinds of fields agree on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

#: The values of one column, in the order of the rows.
Values = Sequence[Any]


class WiredColumn(Protocol):
    """The column of a query, as a wire looks at it."""

    @property
    def field(self) -> Any:
        """The model field that the values belong to."""

    @property
    def connection(self) -> Any:
        """The connection that the values come from."""


class Wire(Protocol):
    """How a column of one kind becomes text. Both methods get values that are not None."""

    @property
    def column_type(self) -> str:
        """What Django calls the columns that this wire is for."""

    @property
    def makes_text(self) -> bool:
        """Whether the primitives are text, which no value of such a column is."""

    def from_sqlite(self, values: Values, column: WiredColumn) -> Values | None:
        """Primitives for what SQLite hands out; None where that is not certain."""

    def from_python(self, values: Values) -> Values | None:
        """Primitives for what Django's converters have made; None where that is not certain."""


#: An entry for each column of a query.
Wires = Sequence[Wire | None]
