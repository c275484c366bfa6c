"""Budgets of queries for tests.

The plugin makes a fixture of it::

    def test_the_list(client, query_budget):
        with query_budget(3):
            client.get("/orders/")
"""

from collections.abc import Iterator
from contextlib import contextmanager

from lintel.query_counts import Queries, counted


class BudgetExceeded(AssertionError):
    """More queries ran than a test allows; the message lists them."""


@contextmanager
def query_budget(most: int) -> Iterator[Queries]:
    """Raise BudgetExceeded if the block takes more queries; yield what is counted."""
    with counted() as queries:
        yield queries
    if queries.count > most:
        raise BudgetExceeded(
            f"{queries.count} queries ran, and at most {most} may:\n{queries.listed()}"
        )
