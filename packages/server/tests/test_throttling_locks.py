"""Locks for one client: who holds them, for how long, and what happens when they expire."""

import gc
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache.backends.filebased import FileBasedCache
from django.core.cache.backends.redis import RedisCache
from servers import Redis

from lintel.throttling import AnonRateThrottle, living, locks
from lintel.throttling.locks import Lease, client_lock, process_lock

NAME = "client_lock"


class OwnRedisCache(RedisCache):
    """A cache of the project, for which there is no counter."""


class OwnDelete(RedisCache):
    def delete(self, key: Any, version: int | None = None) -> bool:
        return super().delete(key, version)


@pytest.fixture(params=["Redis", "own delete", "files"])
def cache(request: Any, redis_server: Redis, tmp_path: Any) -> Iterator[Any]:
    if request.param == "files":
        made: Any = FileBasedCache(str(tmp_path), {})
    else:
        kind = OwnRedisCache if request.param == "Redis" else OwnDelete
        made = kind(redis_server.address, {})
    made.clear()
    yield made
    made.clear()
    made.close()


def test_a_lock_is_released(cache: Any) -> None:
    with client_lock(cache, "client") as lease:
        assert lease is not None
        assert cache.get(NAME) == lease.owner
    assert cache.get(NAME) is None


def test_a_lock_that_another_process_holds_by_now_is_left_alone(
    cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "LEASE", 1)
    with client_lock(cache, "client") as lease:
        assert lease is not None
        time.sleep(1.1)
        assert not lease.holds()
        cache.delete(NAME)
        other = Lease()
        assert cache.add(NAME, other.owner, 10)
    assert cache.get(NAME) == other.owner


def test_a_lock_is_released_after_an_error(cache: Any) -> None:
    with pytest.raises(ValueError, match="of the project"), client_lock(cache, "client"):
        raise ValueError("of the project")
    assert cache.get(NAME) is None


class Clock:
    """Stands for ``time``: moves only when told, or asked to sleep."""

    def __init__(self) -> None:
        self.now = 0.0
        self.is_read = threading.Event()
        self.slept: list[float] = []

    def monotonic(self) -> float:
        now = self.now
        self.is_read.set()
        return now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += 1


def test_waiting_for_another_thread_counts_as_waiting(
    cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(locks, "time", clock)
    cache.add(NAME, 1, 60)
    found: list[Any] = []

    def wait() -> None:
        with client_lock(cache, "client") as lease:
            found.append(lease)

    waiting = threading.Thread(target=wait)
    with process_lock("client"):
        waiting.start()
        assert clock.is_read.wait(timeout=30)
        clock.now = locks.MAX_WAIT + 1
    waiting.join()
    assert (found, clock.slept) == ([None], [])


def test_other_clients_do_not_wait() -> None:
    with process_lock("one"):
        assert all(process_lock(f"other-{number}").acquire(timeout=0) for number in range(500))


def test_locks_that_nobody_holds_are_freed() -> None:
    gc.collect()
    before = len(living._living)
    for number in range(100):
        with process_lock(f"client-{number}"):
            pass
    gc.collect()
    assert len(living._living) <= before


def test_who_has_lost_the_lock_writes_nothing(
    redis_server: Redis, monkeypatch: pytest.MonkeyPatch, rf: Any
) -> None:
    monkeypatch.setattr(locks, "LEASE", 1)
    shared: Any = OwnRedisCache(redis_server.address, {})
    shared.clear()

    class Slow(AnonRateThrottle):
        rate = "2/hour"
        cache = shared

        @staticmethod
        def timer() -> float:
            time.sleep(1.1)
            return time.time()

    request = rf.get("/")
    request.user = None
    throttle = Slow()
    assert throttle.allow_request(request, None) is False
    assert throttle.wait() == 10.0
    assert shared.get(throttle.key) is None
    shared.close()
