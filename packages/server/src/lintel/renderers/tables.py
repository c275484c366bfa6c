"""The rows of a list as a table: columns that can be ordered, and one cell that opens each row."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lintel.renderers.orders import Order

#: The start of texts that are shown as links of their own.
_ADDRESSES = ("http:", "https:", "/")

#: The most characters of a text that opens a row.
_LONGEST = 200


class Column(NamedTuple):
    """A column: the key of its values, its label, and the order that it offers, if any."""

    key: object
    label: object
    order: Order | None


class Cell(NamedTuple):
    """A value, and whether it opens its row."""

    value: object
    is_link: bool


class Row(NamedTuple):
    """The address of a row, None if it has none, and its cells in the order of the columns."""

    address: str | None
    cells: list[Cell]


class Table(NamedTuple):
    """``has_openers``: no column can open rows, so another column does."""

    columns: list[Column]
    rows: list[Row]
    has_openers: bool


def table_of(
    rows: list[tuple[str | None, object]],
    keys: Iterable[object],
    fields: Mapping[object, object],
    orders: Mapping[object, Order],
) -> Table:
    columns = [Column(key, label_of(key, fields), orders.get(key)) for key in keys]
    opened = [row for address, row in rows if address is not None]
    opener = _opener([column.key for column in columns], opened)
    made = [Row(address, _cells(columns, row, opener, address)) for address, row in rows]
    return Table(columns, made, bool(opened) and opener is None)


def fields_of(data: object) -> Mapping[object, object]:
    """Give the fields behind one row or a list of rows, by key; none for other data."""
    serializer = getattr(data, "serializer", None)
    try:
        return getattr(getattr(serializer, "child", serializer), "fields", None) or {}
    except Exception:
        # Serializers that write rows in their own way may do so without fields.
        return {}


def label_of(key: object, fields: Mapping[object, object]) -> object:
    return getattr(fields.get(key), "label", None) or key


def _opener(keys: list[object], rows: list[object]) -> object:
    """The column that opens rows: the first of texts, or the first whose values stand for a row."""
    for test in (_is_text, _can_stand_alone):
        for key in keys:
            if rows and all(isinstance(row, Mapping) and test(row.get(key)) for row in rows):
                return key
    return None


def _is_text(value: object) -> bool:
    return isinstance(value, str) and _can_stand_alone(value)


def _can_stand_alone(value: object) -> bool:
    """Tell whether a value is shown as a short text that is no link."""
    if value is None or isinstance(value, bool | Mapping | list | tuple | set):
        return False
    text = str(value).strip()
    is_link = getattr(value, "is_hyperlink", False) or text.startswith(_ADDRESSES) or "@" in text
    return bool(text) and not is_link and "\n" not in text and len(text) <= _LONGEST


def _cells(columns: list[Column], row: object, opener: object, address: str | None) -> list[Cell]:
    if not isinstance(row, Mapping):
        return [Cell(row, False)]
    return [
        Cell(row.get(column.key, ""), address is not None and column.key == opener)
        for column in columns
    ]
