"""One server process of the throttle tests: ``throttle_worker.py CACHE``; CACHE is JSON for CACHES.

Each line that it reads is a task: the rate or rates, how many threads ask at once, how many times
and for how many seconds each of them asks at least, on a clock that is that many times as fast, the
cost of a request, and the limit above which levels are kept. It returns the time of each request,
whether it passed, and the times that the counter saw.
"""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import django
from django.conf import settings
from django.core.cache.backends.redis import RedisCache

Decision = tuple[float, bool, list[float]]


class LockedRedisCache(RedisCache):
    """A cache of the project, for which there is no counter."""


def asking(rate: Any, speed: int = 1, cost: int = 1, above: int | None = None) -> Any:
    """Return a function that makes one request, always as the same client."""
    from lintel.test import APIRequestFactory  # needs the set-up project
    from lintel.throttling import AnonRateThrottle

    limited = type("Limited", (AnonRateThrottle,), {"rate": rate, "gcra_above": above})
    if speed > 1:
        limited.timer = staticmethod(lambda: time.time() * speed)
    request: Any = APIRequestFactory().get("/", REMOTE_ADDR="10.0.0.1")
    request.user = None
    view = type("View", (), {"throttle_cost": cost})()

    def ask() -> Decision:
        throttle = limited()
        passed = throttle.allow_request(request, view)
        return throttle.now, passed, throttle.history

    return ask


def work(rate: Any, threads: int, times: int, seconds: float = 0, **own: Any) -> list[Decision]:
    """Return the decisions of all threads."""
    ask = asking(rate, **own)

    def repeat() -> list[Decision]:
        decisions = [ask()]
        while len(decisions) < times or decisions[-1][0] - decisions[0][0] < seconds:
            decisions.append(ask())
        return decisions

    with ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(repeat) for _ in range(threads)]
        return [decision for future in running for decision in future.result()]


def main(cache: str) -> None:
    settings.configure(CACHES={"default": json.loads(cache)}, INSTALLED_APPS=["lintel"])
    django.setup()
    asking("1/s")  # late imports would let one process start long before another
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        print(json.dumps(work(**json.loads(line))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
