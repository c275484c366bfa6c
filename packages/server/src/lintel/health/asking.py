"""Asking the checks: all at once, each within its time, and not more often than once a second.

Many requests at a time share one round. A check that still hangs is not asked again, so a server
that takes connections and stays silent costs one thread for each check.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass

from django.db import connections

from lintel.health.checks import Check, name_of
from lintel.settings import api_settings
from lintel.throttling.deadlines import begun, result_within

logger = logging.getLogger("lintel.health")

#: Seconds for which a result answers further requests.
KEPT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Result:
    """What a check said: the error, "" if it passed, and the seconds that it took."""

    name: str
    error: str
    seconds: float

    @property
    def passed(self) -> bool:
        return not self.error


class _Rounds:
    """The latest results, and the checks that still run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._results: list[Result] = []
        self._asked = float("-inf")
        self._hanging: dict[str, Future[object]] = {}
        self._generation = -1

    def results(self) -> list[Result]:
        """The results of all checks, at most KEPT_SECONDS old."""
        with self._lock:
            if self._generation != api_settings.generation or self._is_old():
                self._generation = api_settings.generation
                self._tell(self._ask(api_settings.HEALTH_CHECKS))
                self._asked = time.monotonic()
            return self._results

    def _is_old(self) -> bool:
        return time.monotonic() - self._asked > KEPT_SECONDS

    def _ask(self, checks: Iterable[Check]) -> list[Result]:
        start, seconds = time.monotonic(), float(api_settings.HEALTH_TIMEOUT)
        running = [(name_of(check), self._begun(name_of(check), check)) for check in checks]
        return [self._result(name, future, start, seconds) for name, future in running]

    def _begun(self, name: str, check: Check) -> Future[object]:
        hanging = self._hanging.get(name)
        if hanging is not None and not hanging.done():
            return hanging
        self._hanging[name] = begun(_closing_connections(check), THREAD)
        return self._hanging[name]

    def _result(self, name: str, future: Future[object], start: float, seconds: float) -> Result:
        left = max(0.0, start + seconds - time.monotonic())
        error = ""
        try:
            result_within(future, left, f"no answer within {seconds:g} seconds")
        except Exception as exc:
            error = f"{type(exc).__name__}: {exc}"
        return Result(name, error, time.monotonic() - start)

    def _tell(self, results: list[Result]) -> None:
        """Log what has changed since the last round."""
        before = {result.name: result.passed for result in self._results}
        for current in results:
            if current.passed and before.get(current.name) is False:
                logger.info("%s: passes again", current.name)
            elif not current.passed and before.get(current.name, True):
                logger.error("%s: %s", current.name, current.error)
        self._results = results


#: The name of the threads of checks.
THREAD = "lintel-health"


def _closing_connections(check: Check) -> Callable[[], object]:
    def work() -> object:
        try:
            return check()
        finally:
            connections.close_all()

    return work


rounds = _Rounds()
