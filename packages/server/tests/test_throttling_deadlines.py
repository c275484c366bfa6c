"""THROTTLE_ON_FAILURE: what happens, and how soon, while a cache does not answer."""

import logging
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.checks import run_checks
from django.test import RequestFactory, override_settings
from servers import Redis, running_redis

from lintel.renderers import JSONRenderer
from lintel.response import Response
from lintel.throttling import AnonRateThrottle, deadlines, outages
from lintel.views import APIView

BACKENDS = {
    "script": "django.core.cache.backends.redis.RedisCache",
    "lock": "test_throttling_outages.SubclassOfRedisCache",
}


class Throttle(AnonRateThrottle):
    rate = "100/hour"


class Bucket(Throttle):
    gcra_above = 10


class View(APIView):
    throttle_classes: list[Any] = [Throttle]
    authentication_classes: list[Any] = []
    renderer_classes = [JSONRenderer]

    def get(self, request: Any) -> Response:
        return Response("passed")


def ask(throttle: Any = Throttle) -> int:
    request = RequestFactory().get("/", REMOTE_ADDR="10.0.0.1")
    return View.as_view(throttle_classes=[throttle])(request).status_code


@contextmanager
def counting_in(address: str, backend: str, **own: Any) -> Iterator[None]:
    # By default, redis-py gives up after a few seconds itself.
    patient = {"socket_timeout": 60}
    caches = {"default": {"BACKEND": backend, "LOCATION": address, "OPTIONS": patient}}
    with override_settings(CACHES=caches, REST_FRAMEWORK=own):
        yield


@pytest.fixture(autouse=True)
def _nothing_is_away() -> Iterator[None]:
    outages._away.clear()
    yield
    outages._away.clear()


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"redis://127.0.0.1:{server.getsockname()[1]}/0"


@pytest.mark.parametrize("throttle", [Throttle, Bucket])
@pytest.mark.parametrize("backend", BACKENDS.values(), ids=BACKENDS)
@pytest.mark.parametrize(("policy", "status"), [("allow", 200), ("deny", 429)])
def test_a_server_that_never_answers(
    silent: str, backend: str, policy: str, status: int, throttle: Any, caplog: Any
) -> None:
    own = {"THROTTLE_ON_FAILURE": policy, "THROTTLE_TIMEOUT": 0.05}
    with counting_in(silent, backend, **own):
        assert [ask(throttle) for _ in range(3)] == [status] * 3
    found = [record for record in caplog.records if record.name == outages.__name__]
    assert [record.levelno for record in found] == [logging.ERROR]
    assert "NoAnswer: no answer within THROTTLE_TIMEOUT" in found[0].getMessage()
    outcome = {"allow": "pass uncounted", "deny": "are refused with 429"}[policy]
    assert outcome in found[0].getMessage()


def test_the_error_is_raised_if_the_project_wants_it(silent: str) -> None:
    own = {"THROTTLE_ON_FAILURE": "raise", "THROTTLE_TIMEOUT": 0.05}
    with counting_in(silent, BACKENDS["script"], **own), pytest.raises(TimeoutError):
        ask()


def test_a_throttle_decides_for_itself(silent: str) -> None:
    strict = type("Login", (Throttle,), {"on_failure": "deny"})
    own = {"THROTTLE_ON_FAILURE": "allow", "THROTTLE_TIMEOUT": 0.05}
    with counting_in(silent, BACKENDS["script"], **own):
        assert [ask(strict), ask()] == [429, 200]


def test_while_many_calls_hang_nobody_waits(silent: str) -> None:
    """Requests beyond the calls that hang are decided without asking, however long they may."""
    own = {"THROTTLE_ON_FAILURE": "allow", "THROTTLE_TIMEOUT": 0.01}
    with counting_in(silent, BACKENDS["script"], **own):
        before = threading.active_count()
        assert {ask() for _ in range(deadlines.MAX_HANGING * 2)} == {200}
        assert threading.active_count() - before <= deadlines.MAX_HANGING


def calls() -> int:
    return sum(thread.name == deadlines.THREAD for thread in threading.enumerate())


def test_calls_that_have_time_left_are_not_limited() -> None:
    own = {"THROTTLE_ON_FAILURE": "raise", "THROTTLE_TIMEOUT": 60}
    number = deadlines.MAX_HANGING + 8
    with (
        running_redis() as server,
        counting_in(server.address, BACKENDS["script"], **own),
        ThreadPoolExecutor(number) as pool,
    ):
        with server.frozen():
            before, until = calls(), time.monotonic() + 30
            asked = [pool.submit(ask) for _ in range(number)]
            while calls() - before < number and time.monotonic() < until:
                time.sleep(0.01)
        assert {future.result() for future in asked} == {200}


@pytest.mark.parametrize("backend", BACKENDS.values(), ids=BACKENDS)
def test_a_frozen_server_comes_back(backend: str, caplog: Any) -> None:
    own = {"THROTTLE_ON_FAILURE": "allow", "THROTTLE_TIMEOUT": 0.05}
    limited = type("Once", (Throttle,), {"rate": "1/hour"})
    with running_redis() as server, counting_in(server.address, backend, **own):
        with server.frozen():
            assert [ask(limited), ask(limited)] == [200, 200]
        with override_settings(REST_FRAMEWORK={**own, "THROTTLE_TIMEOUT": 10}):
            until = time.monotonic() + 30
            while ask(limited) != 429 and time.monotonic() < until:
                time.sleep(0.05)
            assert ask(limited) == 429
    assert any("answers again" in record.getMessage() for record in caplog.records)


def test_an_error_of_the_project_is_no_outage(redis_server: Redis) -> None:
    class Broken(Throttle):
        def get_cache_key(self, request: Any, view: Any) -> str:
            raise KeyError("bug")

    own = {"THROTTLE_ON_FAILURE": "allow"}
    with counting_in(redis_server.address, BACKENDS["script"], **own), pytest.raises(KeyError):
        ask(Broken)


@pytest.mark.parametrize(
    ("own", "count"),
    [
        ({"THROTTLE_ON_FAILURE": "allow"}, 0),
        ({"THROTTLE_ON_FAILURE": "open"}, 1),
        ({"THROTTLE_TIMEOUT": 0}, 1),
        ({"THROTTLE_TIMEOUT": None}, 0),
        ({"THROTTLE_TIMEOUT": "1"}, 1),
        ({"THROTTLE_GCRA_ABOVE": 1000}, 0),
        ({"THROTTLE_GCRA_ABOVE": "1000"}, 1),
    ],
)
def test_checks_of_the_settings(own: Any, count: int) -> None:
    with override_settings(REST_FRAMEWORK=own):
        found = [each for each in run_checks(databases=[]) if each.id == "lintel.E019"]
    assert len(found) == count
