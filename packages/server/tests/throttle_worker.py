"""One server process of the throttle tests: ``throttle_worker.py CACHE``; CACHE is JSON for CACHES.

Each line that it reads is a task: the rate, how many threads ask at once, and how many times or for
how many seconds each of them asks. It returns the time and the outcome of each request.
"""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import django
from django.conf import settings
from django.core.cache.backends.redis import RedisCache


class LockedRedisCache(RedisCache):
    """A cache of the project, for which there is no counter."""


def asking(rate: str) -> Any:
    """Return a function that makes one request, always as the same client."""
    from lintel.test import APIRequestFactory  # needs the set-up project
    from lintel.throttling import AnonRateThrottle

    limited = type("Limited", (AnonRateThrottle,), {"rate": rate})
    request: Any = APIRequestFactory().get("/", REMOTE_ADDR="10.0.0.1")
    request.user = None

    def ask() -> tuple[float, bool]:
        throttle = limited()
        passed = throttle.allow_request(request, None)
        return throttle.now, passed

    return ask


def work(rate: str, threads: int, times: int = sys.maxsize, seconds: float = 600) -> list[Any]:
    """Return the decisions of all threads."""
    ask = asking(rate)

    def repeat() -> list[tuple[float, bool]]:
        found: list[tuple[float, bool]] = []
        deadline = time.monotonic() + seconds
        while len(found) < times and time.monotonic() < deadline:
            found.append(ask())
        return found

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
