"""The queries of a request: counted for tests, and told in a header while DEBUG is on."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.db import connections
from django.http import HttpRequest, HttpResponseBase

#: The most statements that a failure lists, and the longest text of one.
_MOST_LISTED = 20
_LONGEST = 300


@dataclass(slots=True)
class Queries:
    """What a thread has asked its databases; statements without their values."""

    statements: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    @property
    def count(self) -> int:
        return self.statements.total()

    @property
    def repeated(self) -> int:
        """How often the most frequent statement ran, which differs only in its values."""
        return max(self.statements.values(), default=0)

    def listed(self) -> str:
        """The statements, the most frequent first, each with its number."""
        common = self.statements.most_common(_MOST_LISTED)
        lines = [f"{times:>4} x {sql[:_LONGEST]}" for sql, times in common]
        left = len(self.statements) - len(common)
        return "\n".join([*lines, *([f"and {left} other statements"] if left else [])])


@contextmanager
def counted() -> Iterator[Queries]:
    """Count the queries of this thread inside the block, on all databases."""
    queries = Queries()

    def execute(run: Callable[..., Any], sql: Any, params: Any, many: Any, context: Any) -> Any:
        start = perf_counter()
        try:
            return run(sql, params, many, context)
        finally:
            queries.statements[str(sql)] += 1
            queries.seconds += perf_counter() - start

    with ExitStack() as stack:
        for connection in connections.all():
            stack.enter_context(connection.execute_wrapper(execute))
        yield queries


class QueryCountMiddleware:
    """Adds the number and the time of the queries to ``Server-Timing``, while DEBUG is on.

    Developer tools of browsers show it. Queries of a streamed body come later and are not counted.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.DEBUG:
            raise MiddlewareNotUsed("Queries are counted in DEBUG only.")
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with counted() as queries:
            response = self.get_response(request)
        text = f"{queries.count} queries"
        if queries.repeated > 1:
            text += f", {queries.repeated} alike"
        timing = f'db;dur={queries.seconds * 1000:.1f};desc="{text}"'
        given = response.headers.get("Server-Timing")
        response.headers["Server-Timing"] = f"{given}, {timing}" if given else timing
        return response
