"""A lock for one client, for caches that cannot read, decide and write in one step.

Threads of a process wait for each other in memory, processes through a key in their shared cache.
Both together wait for at most MAX_WAIT. A lock in the cache is a lease: it expires, so that
the lock of a crashed process becomes free again. Holders that take longer have lost it: they
write nothing more and release nothing, because the lock may belong to another holder by now.
"""

import random
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.dummy import DummyCache
from django.core.cache.backends.locmem import LocMemCache

from lintel import fast
from lintel.throttling.deadlines import seconds_left
from lintel.throttling.living import shared
from lintel.throttling.outages import ask
from lintel.throttling.windows import AnyCache, script_of

#: Seconds that a request waits for others of the same client before it is rejected.
MAX_WAIT = 2.0

#: Seconds after which the lock of a crashed process is free again.
LEASE = 10

#: Seconds before its end at which a lease no longer counts: clocks of servers differ in speed.
MARGIN = 1.0

#: Caches that other processes do not share.
LOCAL_CACHES = (LocMemCache, DummyCache)

#: Releases a lock in Redis only while it is still held by this owner.
_RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


class Lease:
    """The right to write for a client; ``holds()`` while nobody else can have it."""

    def __init__(self, end: float | None = None, owner: int | str | None = None) -> None:
        self.owner: int | str = secrets.randbits(62) if owner is None else owner
        self.end = end

    def holds(self) -> bool:
        return self.end is None or time.monotonic() < self.end


@contextmanager
def client_lock(cache: BaseCache, key: str) -> Iterator[Lease | None]:
    """Hold the lock of a client; None if it could not be acquired in time."""
    left = seconds_left()
    most = MAX_WAIT if left is None else min(MAX_WAIT, left)
    deadline = time.monotonic() + most
    lock = process_lock(key)
    if not lock.acquire(timeout=most):
        yield None
        return
    try:
        # What only reads and stores cannot hold a lock for several processes.
        if isinstance(cache, LOCAL_CACHES) or not hasattr(cache, "add"):
            yield Lease()
        else:
            with _shared_lock(cache, f"{key}_lock", deadline) as lease:
                yield lease
    finally:
        lock.release()


def process_lock(key: str) -> threading.Lock:
    return shared(key, threading.Lock)


@contextmanager
def _shared_lock(cache: BaseCache, name: str, deadline: float) -> Iterator[Lease | None]:
    lease = _acquire(cache, name, deadline)
    try:
        yield lease
    finally:
        if lease is not None:
            ask(cache, release, cache, name, lease)


def _acquire(cache: BaseCache, name: str, deadline: float) -> Lease | None:
    """Acquire a lease with ``add``, which is atomic in every shared cache."""
    while True:
        # The time before the call: the lease in the cache begins later, and ends later.
        lease = Lease(time.monotonic() + LEASE - MARGIN)
        if ask(cache, cache.add, name, lease.owner, LEASE):
            return lease
        if time.monotonic() > deadline:
            return None
        time.sleep(random.uniform(0.0005, 0.005))  # noqa: S311 - only spreads the waiting


def release(cache: BaseCache, name: str, lease: Lease) -> None:
    if fast.locks_in_redis(cache):
        _release_in_redis(cache, cache.make_and_validate_key(name), lease)
    elif lease.holds() and cache.get(name) == lease.owner:
        cache.delete(name)


def _release_in_redis(cache: AnyCache, name: str, lease: Lease) -> None:
    backend = cache._cache
    client = backend.get_client(name, write=True)
    script = script_of(backend._lib, _RELEASE)
    script([name], [backend._serializer.dumps(lease.owner)], client=client)
