"""What the growing lists are made of, the same in every framework."""

from __future__ import annotations

import uuid
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

#: A column of each kind in turn.
KINDS: tuple[type, ...] = (str, int, Decimal, datetime, bool, float, uuid.UUID, date)
FIELDS = (5, 20, 80)
COLUMNS = {f"c{number}": KINDS[number % len(KINDS)] for number in range(max(FIELDS))}
ROWS = 10_000
FEW, MANY = 10, 1000

START = datetime(2026, 1, 1, tzinfo=UTC)


def first(fields: int) -> dict[str, type]:
    """Return the names of the first columns and their kinds."""
    return dict(list(COLUMNS.items())[:fields])


def value(kind: type, number: int) -> object:
    """Return what a row with this number has in a column of this kind."""
    values: dict[type, object] = {
        str: f"value {number}",
        int: number,
        Decimal: Decimal(number).scaleb(-2),
        datetime: START + timedelta(minutes=number, microseconds=number),
        bool: number % 3 > 0,
        float: number / 7,
        uuid.UUID: uuid.UUID(int=number),
        date: START.date() + timedelta(days=number % 3650),
    }
    return values[kind]


def routes() -> list[str]:
    """The addresses of the routes, few and then many, in the order in which they are tried."""
    few = [f"few-{number}" for number in range(FEW)]
    return [*few, *(f"many-{number}" for number in range(MANY))]
