"""Rates as text, several at once, and requests that count more than once."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache as default_cache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.test import RequestFactory, override_settings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from servers import Redis

from lintel import viewsets
from lintel.decorators import action
from lintel.periods import parse_rate
from lintel.response import Response
from lintel.test import APIRequestFactory
from lintel.throttling import ScopedRateThrottle, SimpleRateThrottle, UserRateThrottle
from lintel.views import APIView


@pytest.mark.parametrize(
    ("rate", "parsed"),
    [
        ("10/15m", (10, 900)),
        ("1/20s", (1, 20)),
        ("5/month", (5, 2_592_000)),
        ("5/2months", (5, 5_184_000)),
        ("5/mo", (5, 2_592_000)),
        ("5/m", (5, 60)),
        ("5/minutes", (5, 60)),
        ("100/2 hours", (100, 7200)),
        ("7/week", (7, 604_800)),
        ("1/y", (1, 31_536_000)),
        ("9/day", (9, 86_400)),
    ],
)
def test_rates_mean_what_they_say(rate: str, parsed: tuple[int, int]) -> None:
    assert parse_rate(rate) == parsed


@pytest.mark.parametrize(
    ("rate", "error"),
    [
        ("10/0s", ValueError),
        ("ten/s", ValueError),
        ("10", ValueError),
        ("10/1/s", ValueError),
        ("10/x", KeyError),
        ("10/15", KeyError),
        ("10/", IndexError),
    ],
)
def test_what_is_no_rate(rate: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse_rate(rate)


def test_a_check_names_rates_that_nobody_can_read() -> None:
    rates = {"good": "1/20s", "none": None, "list": ["1/s", "2/x"], "own": "bucket of ten"}
    with override_settings(REST_FRAMEWORK={"DEFAULT_THROTTLE_RATES": rates}):
        found = [each for each in run_checks(databases=[]) if each.id == "lintel.W008"]
    assert [each.msg for each in found] == [
        "The rate '2/x' of the scope 'list' is unknown to the built-in throttles."
    ]


class Locked(LocMemCache):
    """Counted under a lock, because a subclass may store in other ways."""


@pytest.fixture(params=["local", "lock", "Redis"])
def cache(request: Any, redis_server: Redis) -> Iterator[Any]:
    if request.param == "Redis":
        made: Any = RedisCache(redis_server.address, {})
    else:
        made = (Locked if request.param == "lock" else LocMemCache)("periods", {})
    made.clear()
    yield made
    made.clear()
    for pool in getattr(made._cache, "_pools", {}).values():
        pool.disconnect()


class Clock:
    now = 1000.0


def throttle_in(store: Any, rates: Any, **members: Any) -> Any:
    def get_cache_key(self: Any, request: Any, view: Any) -> str:
        return "client"

    timer = staticmethod(lambda: Clock.now)
    members |= {"rate": rates, "cache": store, "timer": timer, "get_cache_key": get_cache_key}
    return type("Limited", (SimpleRateThrottle,), members)


def ask(throttle_class: Any, now: float, cost: int = 1) -> tuple[bool, float | None]:
    Clock.now = now
    throttle = throttle_class()
    passes = throttle.allow_request(None, type("View", (), {"throttle_cost": cost}))
    return passes, None if passes else throttle.wait()


def test_several_rates_hold_at_once(cache: Any) -> None:
    limited = throttle_in(cache, ["4/min", "2/10s"])
    found = [ask(limited, now) for now in (1000, 1001, 1002, 1010.5, 1011.5, 1030, 1060)]
    assert found == [
        (True, None),
        (True, None),
        (False, 8.0),  # two in ten seconds
        (True, None),
        (True, None),
        (False, 30.0),  # four in a minute
        (True, None),
    ]


def test_a_refused_request_is_counted_by_none_of_them(cache: Any) -> None:
    limited = throttle_in(cache, ["3/min", "1/10s"])
    assert [ask(limited, 1000 + 2 * number)[0] for number in range(5)] == [True, *[False] * 4]
    assert ask(limited, 1011)[0]
    assert len(cache.get("client")) == 2


def test_requests_of_a_cost(cache: Any) -> None:
    limited = throttle_in(cache, "10/min")
    assert ask(limited, 1000, cost=6) == (True, None)
    assert ask(limited, 1010, cost=6) == (False, 50.0)
    assert ask(limited, 1010, cost=4) == (True, None)
    assert ask(limited, 1020, cost=1) == (False, 40.0)
    assert ask(limited, 1020, cost=0) == (True, None)
    assert ask(limited, 1020, cost=11) == (False, None)  # never


STEPS = st.lists(
    st.tuples(st.sampled_from([0, 0.25, 1, 3.5, 10, 61]), st.integers(1, 4)), max_size=30
)
RATES = st.lists(st.sampled_from(["2/s", "3/5s", "4/10s", "6/min"]), min_size=1, max_size=3)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS, rates=RATES)
def test_every_cache_decides_as_a_list_of_times_would(cache: Any, steps: Any, rates: Any) -> None:
    cache.clear()
    limited, now, passed = throttle_in(cache, rates), 1000.0, []
    for step, cost in steps:
        now += step
        expected = all(
            sum(time > now - seconds for time in passed) + cost <= number
            for number, seconds in map(parse_rate, rates)
        )
        assert ask(limited, now, cost)[0] is expected
        passed += [now] * cost * expected


class Burst(SimpleRateThrottle):
    rate = ("100/hour", "2/min")
    scope = "burst"

    def get_cache_key(self, request: Any, view: Any) -> str:
        return "throttle_burst"


class Expensive(viewsets.ViewSet):
    throttle_classes = [Burst]
    authentication_classes: list[Any] = []

    def list(self, request: Any) -> Response:
        return Response("list")

    @action(detail=False, throttle_cost=2)
    def report(self, request: Any) -> Response:
        return Response("report")


def get(name: str, **own: Any) -> Any:
    with override_settings(REST_FRAMEWORK=own):
        view = Expensive.as_view({"get": name}, **getattr(getattr(Expensive, name), "kwargs", {}))
        response = view(RequestFactory().get("/"))
        return response.render() if hasattr(response, "render") else response


@pytest.fixture
def _empty() -> Iterator[None]:
    default_cache.clear()
    yield
    default_cache.clear()


@pytest.mark.usefixtures("_empty")
def test_an_action_says_its_cost() -> None:
    assert [get(name).status_code for name in ("list", "report", "list", "list")] == [
        200,
        429,
        200,
        429,
    ]


@pytest.mark.usefixtures("_empty")
def test_every_limit_is_told() -> None:
    response = get("list", RATE_LIMIT_HEADERS="draft")
    assert response.headers["RateLimit-Policy"] == '"burst";q=2;w=60, "burst-2";q=100;w=3600'
    assert response.headers["RateLimit"] == '"burst";r=1;t=60, "burst-2";r=99;t=3600'


@pytest.mark.usefixtures("_empty")
def test_an_error_says_which_limit_refuses() -> None:
    own = {
        "ERROR_FORMAT": "problem",
        "DEFAULT_RENDERER_CLASSES": ["lintel.renderers.JSONRenderer"],
    }
    get("report", **own)
    response = get("list", **own)
    assert response.status_code == 429
    assert response.data["limit"] == {"name": "burst", "quota": 2, "window": 60}


@pytest.mark.usefixtures("_empty")
def test_a_handler_sees_which_limit_refuses() -> None:
    seen: list[Any] = []

    class Watching(APIView):
        throttle_classes = [Burst]
        authentication_classes: list[Any] = []

        def get(self, request: Any) -> Response:
            return Response()

        def handle_exception(self, exc: Any) -> Any:
            seen.append((exc.limit.name, exc.limit.quota, exc.limit.window))
            return super().handle_exception(exc)

    for _ in range(3):
        Watching.as_view()(RequestFactory().get("/"))
    assert seen == [("burst", 2, 60)]


# Throttles of projects


def own_view(throttle: Any, **members: Any) -> Any:
    """A view with one throttle of a project, whether a class or an object, and new clients."""
    default_cache.clear()
    make = throttle if isinstance(throttle, type) else lambda: throttle
    members |= {"get_throttles": lambda self: [make()], "authentication_classes": []}
    members["get"] = lambda self, request: Response("passed")
    return type("Own", (APIView,), members).as_view()


def passing(view: Any, count: int) -> int:
    found = [view(APIRequestFactory().get("/")).status_code for _ in range(count)]
    assert set(found) <= {200, 429}
    return found.count(200)


class Listed(UserRateThrottle):
    THROTTLE_RATES: Any = {"user": ["2/min", "1000/day"]}


class OwnRate(Listed):
    def allow_request(self, request: Any, view: Any) -> Any:
        self.rate = "4/min"
        self.num_requests, self.duration = self.parse_rate(self.rate)
        return super().allow_request(request, view)


class OwnNumbers(Listed):
    def allow_request(self, request: Any, view: Any) -> Any:
        self.num_requests, self.duration = 1, 30  # shorter than the burst of the settings
        return super().allow_request(request, view)


class Unlimited(UserRateThrottle):
    rate = "unlimited"

    def parse_rate(self, rate: Any) -> Any:
        return None, None


@pytest.mark.parametrize(
    ("throttle", "number"), [(Listed, 2), (OwnRate, 4), (OwnNumbers, 1), (Unlimited, 6)]
)
def test_a_project_sets_the_rate_or_its_numbers(throttle: Any, number: int) -> None:
    assert passing(own_view(throttle), 6) == number


def test_a_shorter_period_of_a_project_leaves_the_longer_one_of_the_settings() -> None:
    class Short(Listed):
        timer = staticmethod(lambda: Clock.now)

        def allow_request(self, request: Any, view: Any) -> Any:
            self.num_requests, self.duration = 5, 1
            return super().allow_request(request, view)

    view, Clock.now = own_view(Short), 1000.0
    assert passing(view, 6) == 2
    Clock.now += 2
    assert passing(view, 6) == 0


@pytest.mark.parametrize("rates", [[], [None]])
def test_a_list_without_rates_is_no_limit(rates: Any) -> None:
    assert passing(own_view(type("Free", (Listed,), {"THROTTLE_RATES": {"user": rates}})), 3) == 3


def test_one_throttle_for_views_with_several_rates_and_with_one() -> None:
    class Scoped(ScopedRateThrottle):
        THROTTLE_RATES: Any = {"several": ["1/min", "5/day"], "one": "4/min"}

    shared = Scoped()
    assert passing(own_view(shared, throttle_scope="several"), 3) == 1
    assert passing(own_view(shared, throttle_scope="one"), 6) == 4


@pytest.mark.parametrize("cost", [2.5, "2", None])
def test_a_cost_that_is_no_whole_number_is_told(cost: Any) -> None:
    view = own_view(Listed, throttle_cost=cost)
    with pytest.raises(ImproperlyConfigured, match=rf"request to Own is {cost!r}\."):
        view(APIRequestFactory().get("/"))


@pytest.mark.parametrize("form", ["draft", "legacy", "both"])
@pytest.mark.parametrize("above", [None, 1])
def test_a_request_that_never_passes_is_told_its_limits(form: str, above: int | None) -> None:
    limited = type("Few", (UserRateThrottle,), {"rate": ["5/min", "100/day"], "gcra_above": above})
    view = own_view(limited, throttle_cost=6)
    with override_settings(REST_FRAMEWORK={"RATE_LIMIT_HEADERS": form}):
        answer = view(APIRequestFactory().get("/"))
    assert (answer.status_code, "Retry-After" in answer.headers) == (429, False)
    if form != "legacy":
        assert answer.headers["RateLimit"].startswith('"user";r=5;t=')
