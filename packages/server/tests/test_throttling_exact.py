"""Rates are exact, however many threads and processes ask at the same moment."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import redis
from django.test import AsyncRequestFactory, override_settings
from servers import Redis

from lintel.renderers import JSONRenderer
from lintel.response import Response
from lintel.throttling import AnonRateThrottle
from lintel.views import APIView

WORKER = Path(__file__).with_name("throttle_worker.py")
LOCAL = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}


class Decision(NamedTuple):
    """When a request was decided, whether it passed, and the times that the counter saw."""

    now: float
    passes: bool
    history: list[float]


Decisions = list[Decision]
Work = Callable[..., Decisions]


@contextmanager
def working(cache: dict[str, Any], processes: int) -> Iterator[Work]:
    """Processes that do the same task at once, and return all their decisions."""
    workers = [
        subprocess.Popen(
            [sys.executable, WORKER, json.dumps(cache)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(processes)
    ]

    def work(**task: Any) -> Decisions:
        for worker in workers:
            worker.stdin.write(json.dumps(task) + "\n")
            worker.stdin.flush()
        answers = [json.loads(worker.stdout.readline()) for worker in workers]
        return [Decision(*decision) for answer in answers for decision in answer]

    try:
        assert {worker.stdout.readline() for worker in workers} == {'"ready"\n'}
        yield work
    finally:
        for worker in workers:
            worker.communicate(timeout=60)


@pytest.fixture(scope="module")
def processes(redis_server: Redis) -> Iterator[Work]:
    """Four processes on one Redis."""
    with working(redis_server.settings, processes=4) as work:
        yield work


@pytest.fixture(autouse=True)
def _empty(redis_server: Redis) -> Iterator[None]:
    """Nobody has asked before, and what is kept is one small key."""
    with redis.Redis.from_url(redis_server.address) as client:
        client.flushall()
        yield
        keys = client.keys()
    assert len(keys) <= 1
    assert all(len(key) < 128 for key in keys)


def passed(decisions: Decisions) -> int:
    return sum(decision.passes for decision in decisions)


@pytest.mark.parametrize("limit", [1, 37, 160])
def test_processes_on_one_redis_share_a_rate(processes: Work, limit: int) -> None:
    found = processes(rate=f"{limit}/hour", threads=1, times=40)
    assert (len(found), passed(found)) == (160, limit)


#: Rates, what else a task says, and how many of the 160 requests pass.
KINDS: list[tuple[Any, dict[str, int], int]] = [
    (["37/hour", "50/day"], {}, 37),
    ("100/hour", {"cost": 3}, 33),
    (["100/hour", "60/day"], {"cost": 7}, 8),
    ("120/y", {"above": 10}, 120),
    (["150/y", "90/365d"], {"above": 100, "cost": 4}, 22),
]


@pytest.mark.parametrize(("rate", "own", "number"), KINDS)
def test_processes_share_every_kind_of_limit(
    processes: Work, rate: Any, own: dict[str, int], number: int
) -> None:
    found = processes(rate=rate, threads=4, times=10, **own)
    assert (len(found), passed(found)) == (160, number)


def test_threads_of_processes_on_one_redis_share_a_rate(processes: Work) -> None:
    found = processes(rate="50/day", threads=8, times=6)
    assert (len(found), passed(found)) == (192, 50)


def test_threads_on_local_memory_share_a_rate() -> None:
    for limit in (1, 100, 640):
        with working(LOCAL, processes=1) as work:
            found = work(rate=f"{limit}/hour", threads=32, times=20)
        assert (len(found), passed(found)) == (640, limit)


def test_no_window_holds_more_or_fewer_than_the_rate(processes: Work) -> None:
    """Judged by what the counter saw: answers of several processes arrive in any order.

    The clock is faster than Redis's, which forgets a client one window after its latest request.
    """
    limit, window = 20, 60
    decisions = processes(rate=f"{limit}/minute", threads=1, times=2 * limit, seconds=90, speed=60)
    times = sorted(decision.now for decision in decisions if decision.passes)
    assert len(times) > limit

    assert all(
        earlier <= later - window for earlier, later in zip(times, times[limit:], strict=False)
    )
    for now, passes, history in decisions:
        assert set(history) <= set(times)
        assert all(now - window < time <= now for time in history)
        assert passes or len(history) == limit


def test_processes_that_need_a_lock_share_a_rate(redis_server: Redis) -> None:
    cache = {**redis_server.settings, "BACKEND": "throttle_worker.LockedRedisCache"}
    with working(cache, processes=4) as work:
        found = work(rate="37/hour", threads=2, times=10)
        assert (len(found), passed(found)) == (80, 37)
        with redis.Redis.from_url(redis_server.address) as client:
            client.flushall()
        found = work(rate="37/y", threads=2, times=10, above=10, cost=2)
        assert (len(found), passed(found)) == (80, 18)


def test_requests_on_one_event_loop_share_a_rate(redis_server: Redis) -> None:
    class Limited(AnonRateThrottle):
        rate = "13/hour"

    class View(APIView):
        authentication_classes = []
        throttle_classes = [Limited]
        renderer_classes = [JSONRenderer]

        async def get(self, request: Any) -> Response:
            return Response()

    async def main() -> list[int]:
        view, requests = View.as_view(), AsyncRequestFactory()
        responses = await asyncio.gather(*(view(requests.get("/")) for _ in range(40)))
        return [response.status_code for response in responses]

    with override_settings(CACHES={"default": redis_server.settings}):
        statuses = asyncio.run(main())
    assert (statuses.count(200), statuses.count(429)) == (13, 27)
