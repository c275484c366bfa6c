"""How a whole column becomes primitives: the interface between row readers and field kinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

#: The values of one column, in the order of the rows.
Values = Sequence[Any]


class Wire(Protocol):
    """How a column of one kind becomes text."""

    @property
    def column_type(self) -> str:
        """Return Django's type of the columns that this wire is for."""

    def texts(self, values: Values) -> list[str] | None:
        """Return text for values other than None, which Django has converted.

        None if that is uncertain for one of them.
        """


#: An entry for each column of a query.
Wires = Sequence[Wire | None]
