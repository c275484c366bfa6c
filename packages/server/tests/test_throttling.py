import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import AnonymousUser, User
from django.core.cache import cache, caches
from django.core.cache.backends.locmem import LocMemCache
from django.core.exceptions import ImproperlyConfigured
from django.test import AsyncRequestFactory, RequestFactory, override_settings

from lintel import throttling, views
from lintel.authentication import BaseAuthentication
from lintel.cycle.steps import is_prompt
from lintel.permissions import IsAuthenticated
from lintel.renderers import JSONRenderer
from lintel.response import Response
from lintel.throttling import (
    AnonRateThrottle,
    BaseThrottle,
    ScopedRateThrottle,
    SimpleRateThrottle,
    UserRateThrottle,
    locks,
)

factory = RequestFactory()


class Clock:
    now = 1000.0


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    Clock.now = 1000.0
    cache.clear()
    yield
    cache.clear()


class Timed:
    timer = staticmethod(lambda: Clock.now)
    THROTTLE_RATES = {"anon": "2/min", "user": "3/hour", "uploads": "1/day"}


class Anon(Timed, AnonRateThrottle):
    pass


class PerUser(Timed, UserRateThrottle):
    pass


class Scoped(Timed, ScopedRateThrottle):
    pass


def view(*classes: Any, **attributes: Any) -> Any:
    def get(self: Any, request: Any) -> Response:
        return Response("passed")

    attributes |= {
        "get": get,
        "throttle_classes": classes,
        "authentication_classes": [],
        "renderer_classes": [JSONRenderer],
    }
    return type("View", (views.APIView,), attributes).as_view()


def ask(made: Any, address: str = "10.0.0.1", **kwargs: Any) -> Any:
    return made(factory.get("/", REMOTE_ADDR=address, **kwargs))


def statuses(made: Any, count: int, **kwargs: Any) -> list[int]:
    return [ask(made, **kwargs).status_code for _ in range(count)]


def test_requests_pass_up_to_the_rate() -> None:
    made = view(Anon)
    assert statuses(made, 3) == [200, 200, 429]
    refused = ask(made)
    assert refused.headers["Retry-After"] == "60"
    assert refused.data == {"detail": "Request was throttled. Expected available in 60 seconds."}
    assert ask(made, "10.0.0.2").status_code == 200


def test_the_window_slides() -> None:
    made = view(Anon)
    ask(made)
    Clock.now += 40
    ask(made)
    Clock.now += 19.9
    assert ask(made).status_code == 429
    Clock.now += 0.1
    assert ask(made).status_code == 200
    assert ask(made).status_code == 429


def test_all_throttles_count_and_the_longest_wait_is_told() -> None:
    made = view(Anon, PerUser)
    statuses(made, 3)
    assert ask(made).headers["Retry-After"] == "3600"


@pytest.mark.parametrize(
    ("rate", "parsed"),
    [
        (None, (None, None)),
        ("5/s", (5, 1)),
        ("5/sec", (5, 1)),
        ("10/minute", (10, 60)),
        ("7/h", (7, 3600)),
        ("1000/day", (1000, 86400)),
    ],
)
def test_rates(rate: str | None, parsed: Any) -> None:
    assert Anon().parse_rate(rate) == parsed


def test_no_rate_is_no_limit() -> None:
    class Free(AnonRateThrottle):
        THROTTLE_RATES = {"anon": None}

    assert statuses(view(Free), 5) == [200] * 5


def test_rates_follow_the_settings() -> None:
    made = view(AnonRateThrottle)
    assert statuses(made, 2) == [200, 200]
    with override_settings(REST_FRAMEWORK={"DEFAULT_THROTTLE_RATES": {"anon": "1/day"}}):
        assert statuses(made, 2) == [200, 429]


def test_scopes_are_counted_together() -> None:
    first = view(Scoped, throttle_scope="uploads")
    second = view(Scoped, throttle_scope="uploads")
    assert [ask(first).status_code, ask(second).status_code] == [200, 429]
    assert statuses(view(Scoped), 3) == [200] * 3


def test_a_missing_rate_is_told() -> None:
    with pytest.raises(ImproperlyConfigured, match="No default throttle rate set for 'odd' scope"):
        ask(view(Scoped, throttle_scope="odd"))
    with pytest.raises(ImproperlyConfigured, match=r"either `\.scope` or `\.rate`"):
        SimpleRateThrottle()


def test_known_users_are_counted_by_themselves() -> None:
    request = factory.get("/", REMOTE_ADDR="10.0.0.1")
    request.user = User(pk=7)
    assert PerUser().get_cache_key(request, None) == "throttle_user_7"
    assert Anon().get_cache_key(request, None) is None
    request.user = AnonymousUser()
    assert PerUser().get_cache_key(request, None) == "throttle_user_10.0.0.1"
    assert Anon().get_cache_key(request, None) == "throttle_anon_10.0.0.1"


# Addresses


@pytest.mark.parametrize(
    ("proxies", "forwarded", "expected"),
    [
        (None, None, "10.0.0.1"),
        (None, "1.1.1.1, 2.2.2.2", "1.1.1.1,2.2.2.2"),
        (0, "1.1.1.1, 2.2.2.2", "10.0.0.1"),
        (1, "1.1.1.1, 2.2.2.2", "2.2.2.2"),
        (2, "1.1.1.1, 2.2.2.2", "1.1.1.1"),
        (9, "1.1.1.1, 2.2.2.2", "1.1.1.1"),
        (1, None, "10.0.0.1"),
    ],
)
def test_addresses_behind_proxies(proxies: Any, forwarded: Any, expected: str) -> None:
    extra = {} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded}
    request = factory.get("/", REMOTE_ADDR="10.0.0.1", **extra)
    with override_settings(REST_FRAMEWORK={"NUM_PROXIES": proxies}):
        assert BaseThrottle().get_ident(request) == expected


@pytest.mark.parametrize("crafted", ["x" * 100_000, "a\x7f\x01b", "\xe9" * 10, "a*b?c"])
def test_crafted_addresses_make_small_plain_keys(crafted: str) -> None:
    request = factory.get("/", HTTP_X_FORWARDED_FOR=crafted)
    request.user = None  # type: ignore[attr-defined]
    key = Anon().get_cache_key(request, None)
    assert key is not None
    assert len(key) < 100
    assert key.isascii()
    assert key.isprintable()
    assert statuses(view(Anon), 3, HTTP_X_FORWARDED_FOR=crafted) == [200, 200, 429]


class Key(str):
    """A primary key of text."""


@pytest.mark.parametrize(
    "pk", [7, "7", "10.0.0.1", "a@b.c", "a.b", "x" * 100, UUID(int=1), Key("k")]
)
@pytest.mark.parametrize("throttle", [PerUser, Scoped])
def test_nobody_uses_up_the_requests_of_a_user(pk: Any, throttle: Any) -> None:
    counted = throttle()
    counted.scope = "user"
    request = factory.get("/", HTTP_X_FORWARDED_FOR=f" {pk}")
    request.user = AnonymousUser()
    unknown = counted.get_cache_key(request, None)
    request.user = User(pk=pk)
    assert counted.get_cache_key(request, None) != unknown


@pytest.mark.parametrize(
    "address", ["10.0.0.1", "2001:db8::1", "[2001:DB8::1]:80", "1.1.1.1,2.2.2.2"]
)
def test_addresses_stand_in_keys_as_they_are(address: str) -> None:
    request = factory.get("/", REMOTE_ADDR=address)
    request.user = AnonymousUser()
    assert PerUser().get_cache_key(request, None) == f"throttle_user_{address}"


# Hooks of subclasses


def test_history_is_what_subclasses_see() -> None:
    seen = []

    class Watching(Anon):
        def throttle_success(self) -> bool:
            seen.append(("success", list(self.history), self.now, self.key))
            return super().throttle_success()

        def throttle_failure(self) -> bool:
            seen.append(("failure", list(self.history), self.now, self.key))
            return super().throttle_failure()

    made = view(Watching)
    ask(made)
    Clock.now += 1
    ask(made)
    Clock.now += 1
    ask(made)
    key = "throttle_anon_10.0.0.1"
    assert seen == [
        ("success", [], 1000.0, key),
        ("success", [1000.0], 1001.0, key),
        ("failure", [1001.0, 1000.0], 1002.0, key),
    ]
    assert cache.get(key) == [1001.0, 1000.0]


def test_a_subclass_may_refuse_to_count() -> None:
    class Uncounted(Anon):
        def throttle_success(self) -> bool:
            return True

    assert statuses(view(Uncounted), 5) == [200] * 5


def test_waiting_is_spread_over_the_requests_that_are_left() -> None:
    throttle = Anon()
    throttle.history, throttle.now = [1000.0], 1030.0
    assert throttle.wait() == 15.0
    throttle.history = [1000.0] * 9
    assert throttle.wait() is None


def test_the_base_class() -> None:
    assert BaseThrottle().wait() is None
    with pytest.raises(NotImplementedError):
        BaseThrottle().allow_request(None, None)


# Many at once


class SharedCache(LocMemCache):
    """Stands for a cache that other processes share: only ``add`` is atomic."""

    def get(self, key: Any, default: Any = None, version: Any = None) -> Any:
        value = super().get(key, default, version)
        threading.Event().wait(0.0005)
        return value


def passed_at_once(shared: Any, threads: int, requests: int) -> int:
    class Throttle(UserRateThrottle):
        rate = "100/hour"
        cache = shared

    request = factory.get("/", REMOTE_ADDR="10.0.0.1")
    request.user = User(pk=1)

    def some(_: int) -> int:
        return sum(Throttle().allow_request(request, None) for _ in range(requests))

    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(some, range(threads)))


def test_no_thread_passes_beyond_the_rate() -> None:
    assert passed_at_once(cache, threads=32, requests=20) == 100


def test_no_process_passes_beyond_the_rate(monkeypatch: Any) -> None:
    # Threads that do not see each other's locks behave like processes that share a cache.
    monkeypatch.setattr(locks, "LOCAL_CACHES", ())
    monkeypatch.setattr(locks, "process_lock", lambda key: threading.Lock())
    assert passed_at_once(SharedCache("processes", {}), threads=8, requests=20) == 100


def test_a_cache_whose_lock_is_never_free_refuses(monkeypatch: Any, caplog: Any) -> None:
    monkeypatch.setattr(locks, "LOCAL_CACHES", ())
    monkeypatch.setattr(locks, "MAX_WAIT", 0.01)
    shared = SharedCache("stuck", {})
    shared.add("throttle_anon_10.0.0.1_lock", 1, 60)

    class Stuck(Anon):
        cache = shared

    refused = ask(view(Stuck))
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "10")
    assert "could not be acquired in time" in caplog.text


PROCESS = """
import json, sys
import django
from django.conf import settings

settings.configure(CACHES={"default": json.loads(sys.argv[1])}, INSTALLED_APPS=[], DATABASES={})
django.setup()
from django.test import RequestFactory
from lintel.throttling import AnonRateThrottle

class Throttle(AnonRateThrottle):
    rate = "100/hour"

request = RequestFactory().get("/", REMOTE_ADDR="10.0.0.1")
request.user = None
print(sum(Throttle().allow_request(request, None) for _ in range(60)))
"""


def test_no_process_passes_beyond_the_rate_with_redis(redis_server: Any) -> None:
    command = [sys.executable, "-c", PROCESS, json.dumps(redis_server.settings)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert sum(int(process.communicate()[0]) for process in started) == 100


# The event loop


class Keyed(PerUser):
    def get_cache_key(self, request: Any, view: Any) -> str:
        return "asks the database"


class Told(PerUser):
    def throttle_failure(self) -> bool:
        return False


class Elsewhere(PerUser):
    cache = object()


class Allowing(PerUser):
    def allow_request(self, request: Any, view: Any) -> bool:
        return True


@pytest.mark.shortcuts
@pytest.mark.parametrize(
    ("throttle", "stays"),
    [
        (Anon, True),
        (PerUser, True),
        (Scoped, True),
        (Keyed, False),
        (Told, False),
        (Allowing, False),
        (Elsewhere, False),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_counting_in_memory_stays_on_the_event_loop(throttle: Any, stays: bool) -> None:
    assert is_prompt(throttle(), "allow_request", factory.get("/"), None) is stays


def test_counting_elsewhere_leaves_the_event_loop(tmp_path: Any) -> None:
    backend = "django.core.cache.backends.filebased.FileBasedCache"
    with override_settings(CACHES={"default": {"BACKEND": backend, "LOCATION": tmp_path}}):
        assert not is_prompt(Anon(), "allow_request", factory.get("/"), None)


def test_counting_may_be_patched(monkeypatch: Any) -> None:
    made = view(Anon)
    assert ask(made).status_code == 200
    monkeypatch.setattr(throttling.SimpleRateThrottle, "throttle_success", lambda self: False)
    assert ask(made).status_code == 429


# What a project does with the cache


@pytest.fixture(params=["local memory", "Redis", "files"])
def configured(request: Any, tmp_path: Any) -> Iterator[None]:
    """Django's default cache, of one kind or another."""
    backends = "django.core.cache.backends"
    settings = {
        "local memory": {"BACKEND": f"{backends}.locmem.LocMemCache", "LOCATION": "throttles"},
        "files": {
            "BACKEND": f"{backends}.filebased.FileBasedCache",
            "LOCATION": str(tmp_path),
        },
    }
    if request.param == "Redis":
        settings["Redis"] = request.getfixturevalue("redis_server").settings
    with override_settings(CACHES={"default": settings[request.param]}):
        cache.clear()
        yield
        cache.clear()


KEY = "throttle_anon_10.0.0.1"


@pytest.mark.usefixtures("configured")
def test_clients_are_let_in_and_kept_out_through_the_cache() -> None:
    made = view(Anon)
    assert statuses(made, 3) == [200, 200, 429]
    assert cache.get(KEY) == [1000.0, 1000.0]
    cache.delete(KEY)
    assert statuses(made, 3) == [200, 200, 429]
    cache.set(KEY, [])
    assert statuses(made, 1) == [200]
    cache.set(KEY, [Clock.now] * 2)
    assert statuses(made, 1) == [429]
    Clock.now += 60
    assert statuses(made, 1) == [200]


@pytest.mark.usefixtures("configured")
def test_a_throttle_with_a_hook_counts_the_same_requests() -> None:
    class Watching(Anon):
        def throttle_success(self) -> bool:
            return super().throttle_success()

    plain, watching = view(Anon), view(Watching)
    assert [ask(each).status_code for each in (plain, watching, plain)] == [200, 200, 429]
    cache.delete(KEY)
    assert [ask(each).status_code for each in (watching, plain, watching)] == [200, 200, 429]


def test_another_cache_is_seen_at_once(monkeypatch: Any) -> None:
    made = view(Anon)
    assert statuses(made, 3) == [200, 200, 429]
    settings = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "others"}
    with override_settings(CACHES={"default": settings}):
        assert statuses(made, 3) == [200, 200, 429]
        cache.clear()
    assert statuses(made, 1) == [429]
    other = LocMemCache("another", {})
    with monkeypatch.context() as patched:
        patched.setattr(SimpleRateThrottle, "cache", other)
        assert statuses(made, 3) == [200, 200, 429]
        other.clear()
        assert statuses(made, 1) == [200]
        other.clear()
    assert statuses(made, 1) == [429]
    before = caches["default"]
    caches["default"] = other
    try:
        assert statuses(made, 3) == [200, 200, 429]
    finally:
        caches["default"] = before
        other.clear()
    assert statuses(made, 1) == [429]


def test_a_clock_may_stand_in_the_cache() -> None:
    class Shared(Anon):
        @staticmethod
        def timer() -> float:
            return cache.get_or_set("clock", 1000.0)  # type: ignore[no-any-return]

    assert statuses(view(Shared), 3) == [200, 200, 429]


# What a project puts in the place of our methods, after the first request


async def aget(self: Any, request: Any) -> Response:
    return Response("passed")


def async_view(*classes: Any) -> Any:
    attributes = {
        "get": aget,
        "throttle_classes": classes,
        "authentication_classes": [],
        "renderer_classes": [JSONRenderer],
    }
    made = type("AsyncView", (views.APIView,), attributes).as_view()
    arequests = AsyncRequestFactory()
    return lambda request: asyncio.run(made(arequests.get("/")))


def refuse(self: Any, request: Any, view: Any) -> bool:
    self.now, self.history = Clock.now, []
    return False


HOOKS = {
    "allow_request": refuse,
    "get_cache_key": lambda self, request, view: "blocked",
    "get_ident": lambda self, request: "blocked",
    "get_rate": lambda self: "0/day",
    "parse_rate": lambda self, rate: (0, 60),
    "throttle_success": lambda self: False,
}


@pytest.mark.parametrize("make", [view, async_view], ids=["sync", "async"])
@pytest.mark.parametrize("name", HOOKS)
def test_patched_hooks_take_effect(name: str, make: Any, monkeypatch: Any) -> None:
    cache.set("blocked", [Clock.now] * 2)
    cache.set("throttle_anon_blocked", [Clock.now] * 2)
    made = make(Anon)
    assert ask(made).status_code == 200
    with monkeypatch.context() as patched:
        patched.setattr(AnonRateThrottle, name, HOOKS[name])
        assert ask(made).status_code == 429
    assert ask(made).status_code == 200
    with monkeypatch.context() as patched:
        patched.setattr(BaseThrottle, name, HOOKS[name], raising=False)
        for owner in (SimpleRateThrottle, AnonRateThrottle):
            if name in vars(owner):
                patched.delattr(owner, name)
        assert ask(made).status_code == 429


@pytest.mark.parametrize("make", [view, async_view], ids=["sync", "async"])
@pytest.mark.parametrize("name", [name for name in HOOKS if name not in ("get_rate", "parse_rate")])
def test_hooks_of_one_throttle_take_effect(name: str, make: Any, monkeypatch: Any) -> None:
    cache.set("blocked", [Clock.now] * 2)
    cache.set("throttle_anon_blocked", [Clock.now] * 2)
    kept = Anon()
    monkeypatch.setattr(views.APIView, "get_throttles", lambda self: [kept])
    made = make()
    assert ask(made).status_code == 200
    setattr(kept, name, partial(HOOKS[name], kept))
    assert ask(made).status_code == 429


@pytest.mark.django_db
def test_a_scope_that_a_view_looks_up_leaves_the_event_loop() -> None:
    scope = property(lambda self: "uploads" if User.objects.count() == 0 else None)
    made = type("Looking", (views.APIView,), {**LATER, "throttle_scope": scope}).as_view()
    ask = async_to_sync(made)
    found = [ask(AsyncRequestFactory().get("/")).status_code for _ in range(2)]
    assert found == [200, 429]


class FromTable(PerUser):
    def get_rate(self) -> str:
        return f"{User.objects.count()}/day"


class Made(BaseThrottle):
    def __init__(self) -> None:
        self.users = User.objects.count()

    def allow_request(self, request: Any, view: Any) -> bool:
        return self.users > 0


@pytest.mark.django_db
@pytest.mark.parametrize("throttle", [FromTable, Made])
def test_a_rate_from_the_database_is_looked_up_in_a_thread(throttle: Any) -> None:
    ask = async_to_sync(
        type("Rated", (views.APIView,), {**LATER, "throttle_classes": [throttle]}).as_view()
    )
    assert ask(AsyncRequestFactory().get("/")).status_code == 429
    User.objects.create(username="first")
    assert ask(AsyncRequestFactory().get("/")).status_code == 200


LATER = {
    "get": aget,
    "throttle_classes": [Scoped],
    "authentication_classes": [],
    "renderer_classes": [JSONRenderer],
}


@pytest.mark.django_db
def test_a_user_who_is_looked_up_late_is_not_looked_up_on_the_event_loop() -> None:
    user = User.objects.create(username="late")

    class FromDatabase(BaseAuthentication):
        def authenticate(self, request: Any) -> Any:
            return User.objects.get(pk=user.pk), None

    class Late(views.APIView):
        authentication_classes = [FromDatabase]
        permission_classes = [IsAuthenticated]
        throttle_classes = [PerUser]
        renderer_classes = [JSONRenderer]

        def perform_authentication(self, request: Any) -> None:
            pass

        async def get(self, request: Any) -> Response:
            return Response(request.user.username)

    response = async_to_sync(Late.as_view())(AsyncRequestFactory().get("/"))
    assert (response.status_code, response.data) == (200, "late")
    assert cache.get(f"throttle_user_{user.pk}") == [1000.0]


def test_helpers_of_projects_are_their_own() -> None:
    def helper(*args: Any) -> None:
        raise RuntimeError("not meant for lintel")

    names = ["_stopped", "_decide", "_decided", "_format_key", "_limit", "_refuse_unlocked"]
    for base in (Anon, PerUser):
        own = type("Own", (base,), dict.fromkeys(names, helper))
        made = view(own)
        cache.clear()
        assert statuses(made, 4) == [200] * own().num_requests + [429] * (4 - own().num_requests)


def test_a_cache_that_only_reads_and_stores() -> None:
    class Plain:
        def __init__(self) -> None:
            self.held: dict[str, Any] = {}

        def get(self, key: str, default: Any = None) -> Any:
            return self.held.get(key, default)

        def set(self, key: str, value: Any, seconds: float) -> None:
            self.held[key] = list(value)

    own = type("Own", (Anon,), {"cache": Plain()})
    assert statuses(view(own), 4) == [200] * own().num_requests + [429] * (4 - own().num_requests)
