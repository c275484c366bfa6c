"""What clients and the log see while the cache of a throttle does not answer."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
from django.core.cache import cache
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.redis import RedisCache
from django.db import OperationalError
from django.test import AsyncRequestFactory, RequestFactory, override_settings
from servers import Redis, folder_of, running_redis

from lintel import views
from lintel.renderers import JSONRenderer
from lintel.response import Response
from lintel.throttling import AnonRateThrottle, BaseThrottle, outages

REFUSED = (429, "10")


class SubclassOfRedisCache(RedisCache):
    """Counts under a lock, because a subclass may store in other ways."""


BACKENDS = {
    "script": "django.core.cache.backends.redis.RedisCache",
    "lock": f"{__name__}.SubclassOfRedisCache",
}


class Throttle(AnonRateThrottle):
    rate = "100/hour"


class View(views.APIView):
    throttle_classes: list[Any] = [Throttle]
    authentication_classes: list[Any] = []
    renderer_classes = [JSONRenderer]

    def get(self, request: Any) -> Response:
        return Response("passed")


def ask(*throttles: Any) -> tuple[int, str | None]:
    request = RequestFactory().get("/", REMOTE_ADDR="10.0.0.1")
    response = View.as_view(throttle_classes=list(throttles) or [Throttle])(request)
    return response.status_code, response.headers.get("Retry-After")


@contextmanager
def counting_in(server: Redis, backend: str, **options: Any) -> Iterator[None]:
    settings = {**server.settings, "BACKEND": backend, "OPTIONS": options}
    with override_settings(CACHES={"default": settings}):
        yield


@pytest.fixture(autouse=True)
def _nothing_is_away() -> Iterator[None]:
    outages._away.clear()
    yield
    outages._away.clear()


@pytest.fixture
def folder() -> Iterator[Path]:
    with folder_of("redis") as made:
        yield made


def lines(caplog: Any) -> list[tuple[int, str]]:
    found = [record for record in caplog.records if record.name == outages.__name__]
    return [(record.levelno, record.getMessage()) for record in found]


@pytest.mark.parametrize("backend", BACKENDS.values(), ids=BACKENDS)
def test_redis_goes_away_and_comes_back(backend: str, folder: Path, caplog: Any) -> None:
    with running_redis(folder) as server, counting_in(server, backend):
        assert ask() == (200, None)
    with counting_in(server, backend):
        assert [ask() for _ in range(3)] == [REFUSED] * 3
        assert [level for level, _text in lines(caplog)] == [logging.ERROR]
        assert "does not answer (ConnectionError" in lines(caplog)[0][1]
        with running_redis(folder):
            assert [ask() for _ in range(3)] == [(200, None)] * 3
        assert lines(caplog)[1][0] == logging.WARNING
        assert lines(caplog)[1][1].endswith("answers again.")
        assert ask() == REFUSED
    assert len(lines(caplog)) == 3


def test_another_cache_of_the_same_class_says_nothing(folder: Path, caplog: Any) -> None:
    with running_redis(folder) as server:
        pass
    there = type("There", (Throttle,), {"cache": RedisCache(server.address, {})})
    with running_redis() as other, counting_in(other, BACKENDS["script"]):
        assert [ask(there), ask(), ask(there), ask()] == [REFUSED, (200, None)] * 2
    assert [level for level, _text in lines(caplog)] == [logging.ERROR]


def test_the_event_loop_gets_the_same_answer(folder: Path) -> None:
    class AsyncView(View):
        async def get(self, request: Any) -> Response:
            return Response("passed")

    with running_redis(folder) as server:
        pass
    with counting_in(server, BACKENDS["script"]):
        response = asyncio.run(AsyncView.as_view()(AsyncRequestFactory().get("/")))
    assert (response.status_code, response.headers["Retry-After"]) == REFUSED


def test_limits_are_told_in_an_outage(folder: Path) -> None:
    with running_redis(folder) as server:
        pass
    told = {"RATE_LIMIT_HEADERS": "draft"}
    with counting_in(server, BACKENDS["script"]), override_settings(REST_FRAMEWORK=told):
        response = View.as_view()(RequestFactory().get("/"))
    assert response.headers["RateLimit"] == '"anon";r=0;t=10'


@pytest.mark.parametrize("backend", BACKENDS.values(), ids=BACKENDS)
def test_a_server_that_is_read_only_frozen_or_of_another_user(backend: str, folder: Path) -> None:
    with running_redis(folder) as server, redis.Redis.from_url(server.address) as client:
        with counting_in(server, backend, socket_timeout=0.05):
            client.execute_command("REPLICAOF", "127.0.0.1", "1")
            assert ask() == REFUSED
            client.execute_command("REPLICAOF", "NO", "ONE")
            assert ask() == (200, None)
            with server.frozen():
                assert ask() == REFUSED
            client.config_set("requirepass", "secret")
        with counting_in(server, backend, username="default", password="wrong"):
            assert ask() == REFUSED


class Open(Throttle):
    """Lets requests pass while the cache is away, as projects do."""

    def allow_request(self, request: Any, view: Any) -> Any:
        try:
            return super().allow_request(request, view)
        except redis.ConnectionError:
            return True


class Around(BaseThrottle):
    def allow_request(self, request: Any, view: Any) -> Any:
        return Throttle().allow_request(request, view)


class Watched(Throttle):
    def throttle_failure(self) -> bool:
        return True


def test_throttles_of_a_project_decide_themselves(folder: Path) -> None:
    with running_redis(folder) as server:
        pass
    with counting_in(server, BACKENDS["script"]):
        assert ask(Open) == (200, None)
        assert ask(Watched) == (200, None)
        assert ask(Around) == REFUSED
        assert ask(Open, Around) == REFUSED


class Failing(BaseCache):
    """Fails where a test says."""

    def __init__(self, error: Exception) -> None:
        super().__init__({})
        self.error = error

    def get(self, *args: Any, **kwargs: Any) -> Any:
        raise self.error

    add = set = get


@pytest.mark.parametrize("error", [ConnectionRefusedError(), OperationalError("gone")])
def test_other_caches_are_treated_the_same(error: Exception) -> None:
    assert ask(type("Elsewhere", (Throttle,), {"cache": Failing(error)})) == REFUSED


def test_other_errors_are_those_of_the_project(monkeypatch: Any) -> None:
    with pytest.raises(KeyError):
        ask(type("Elsewhere", (Throttle,), {"cache": Failing(KeyError("bug"))}))

    class Lost(Throttle):
        def get_cache_key(self, request: Any, view: Any) -> str:
            raise OSError("of the project")

    with pytest.raises(OSError, match="of the project"):
        ask(Lost)
    cache.clear()
