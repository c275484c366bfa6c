"""What views that only describe themselves leave as it is: rows, the language, the time zone."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from django.db import connections
from django.utils import timezone, translation

WRITING = re.compile(
    r"\s*(?:INSERT|UPDATE|DELETE|REPLACE|MERGE|TRUNCATE|CREATE|ALTER|DROP)\b", re.IGNORECASE
)


class DescriptionWrites(Exception):
    """Raised in a view that would change a database while it only describes itself."""


class _Refusals:
    """Refuses statements that change rows; ``connections``: those that could go on."""

    def __init__(self) -> None:
        self.connections: list[Any] = []

    def __call__(
        self, execute: Any, sql: str, params: object, many: bool, context: dict[str, Any]
    ) -> Any:
        if not WRITING.match(sql):
            return execute(sql, params, many, context)
        if not context["connection"].needs_rollback:
            self.connections.append(context["connection"])
        raise DescriptionWrites(f"a view that only describes itself changes no rows: {sql[:60]}")

    def forget(self) -> None:
        while self.connections:
            connection = self.connections.pop()
            # Nothing was executed, so nothing has to be rolled back with the request.
            if connection.in_atomic_block:
                connection.set_rollback(False)


@contextmanager
def undisturbed() -> Iterator[Callable[[], None]]:
    """Refuse writing to databases; yields what puts language and zone back after each view."""
    refusals = _Refusals()
    language, zone = translation.get_language(), timezone.get_current_timezone()

    def put_back() -> None:
        if timezone.get_current_timezone() is not zone:
            timezone.activate(zone)
        if translation.get_language() != language:
            translation.activate(language) if language else translation.deactivate_all()
        if refusals.connections:
            refusals.forget()

    with ExitStack() as stack:
        # At its end the thread has the zone that it had, or none.
        stack.enter_context(timezone.override(zone))
        stack.callback(put_back)
        for connection in connections.all():
            stack.enter_context(connection.execute_wrapper(refusals))
        yield put_back
