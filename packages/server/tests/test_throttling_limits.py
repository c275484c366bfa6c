"""The headers that tell clients their limits."""

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.cache import cache
from django.core.cache.backends.locmem import LocMemCache
from django.test import AsyncRequestFactory, RequestFactory, override_settings
from django.urls import path

from lintel import generics, serializers, throttling, views
from lintel.checks import settings_check
from lintel.renderers import JSONRenderer
from lintel.response import Response
from lintel.schemas.openapi import SchemaGenerator
from lintel.throttling import AnonRateThrottle, BaseThrottle, RateLimit, SimpleRateThrottle

DRAFT = override_settings(REST_FRAMEWORK={"RATE_LIMIT_HEADERS": "draft"})


class Clock:
    now = 1000.0


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    Clock.now = 1000.0
    cache.clear()
    yield
    cache.clear()


class Burst(AnonRateThrottle):
    timer = staticmethod(lambda: Clock.now)
    scope = "burst"
    rate = "2/min"


class Daily(Burst):
    scope = "daily"
    rate = "5/day"


def view(*classes: Any, **attributes: Any) -> Any:
    def get(self: Any, request: Any) -> Response:
        return Response("passed")

    attributes = {"get": get, "throttle_classes": classes} | attributes
    attributes |= {"authentication_classes": [], "renderer_classes": [JSONRenderer]}
    return type("View", (views.APIView,), attributes).as_view()


def ask(made: Any) -> Any:
    return made(RequestFactory().get("/", REMOTE_ADDR="10.0.0.1"))


def told(response: Any) -> dict[str, str]:
    return {name: text for name, text in response.headers.items() if "RateLimit" in name}


def test_nothing_is_told_without_the_setting() -> None:
    assert told(ask(view(Burst))) == {}


@DRAFT
def test_each_response_tells_what_is_left() -> None:
    made = view(Burst)
    assert told(ask(made)) == {
        "RateLimit-Policy": '"burst";q=2;w=60',
        "RateLimit": '"burst";r=1;t=60',
    }
    Clock.now += 20
    assert ask(made).headers["RateLimit"] == '"burst";r=0;t=40'
    Clock.now += 10.5
    refused = ask(made)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "30")
    assert refused.headers["RateLimit"] == '"burst";r=0;t=30'
    Clock.now += 30
    assert ask(made).headers["RateLimit"] == '"burst";r=0;t=20'


@DRAFT
def test_values_are_plain_strings_for_servers_by_the_letter_of_pep_3333() -> None:
    headers = ask(view(Burst)).headers
    assert {type(text) for text in headers.values()} == {str}


@DRAFT
def test_of_several_throttles_the_most_restrictive_comes_first() -> None:
    made = view(Daily, Burst)
    assert ask(made).headers["RateLimit"] == '"burst";r=1;t=60, "daily";r=4;t=86400'
    assert ask(made).headers["RateLimit-Policy"] == '"burst";q=2;w=60, "daily";q=5;w=86400'


@override_settings(REST_FRAMEWORK={"RATE_LIMIT_HEADERS": "both"})
def test_the_older_headers_tell_the_most_restrictive_limit_in_unix_time() -> None:
    begin = time.time()
    found = told(ask(view(Daily, Burst)))
    reset = int(found.pop("X-RateLimit-Reset"))
    assert begin + 59 <= reset <= time.time() + 62
    assert found.pop("RateLimit").startswith('"burst"')
    assert found.pop("RateLimit-Policy").startswith('"burst"')
    assert found == {"X-RateLimit-Limit": "2", "X-RateLimit-Remaining": "1"}


@override_settings(REST_FRAMEWORK={"RATE_LIMIT_HEADERS": "legacy"})
def test_the_older_headers_alone() -> None:
    assert set(told(ask(view(Burst)))) == {
        "X-RateLimit-Limit",
        "X-RateLimit-Remaining",
        "X-RateLimit-Reset",
    }


@DRAFT
def test_errors_of_the_handler_tell_as_well() -> None:
    def get(self: Any, request: Any) -> Response:
        raise views.exceptions.NotFound

    answer = ask(view(Burst, get=get))
    assert (answer.status_code, answer.headers["RateLimit"]) == (404, '"burst";r=1;t=60')


@DRAFT
def test_throttles_that_know_nothing_and_clients_that_are_not_counted_tell_nothing() -> None:
    class Everybody(BaseThrottle):
        def allow_request(self, request: Any, view: Any) -> bool:
            return True

    class NobodysBase:
        def allow_request(self, request: Any, view: Any) -> bool:
            return True

    class Odd(NobodysBase):
        get_rate_limit = "60/min"

    class Uncounted(Burst):
        def get_cache_key(self, request: Any, view: Any) -> None:
            return None

    class Replaced(Burst):
        def allow_request(self, request: Any, view: Any) -> bool:
            return True

    class Free(Burst):
        rate = None
        THROTTLE_RATES = {"burst": None}

    classes = (
        Everybody,
        NobodysBase,
        Odd,
        Uncounted,
        Replaced,
        Free,
        throttling.ScopedRateThrottle,
    )
    assert told(ask(view(*classes))) == {}


@DRAFT
def test_a_throttle_of_the_project_tells_its_own_limit() -> None:
    class Bucket(BaseThrottle):
        def allow_request(self, request: Any, view: Any) -> bool:
            return True

        def get_rate_limit(self) -> RateLimit:
            return RateLimit('my "bucket" \\ é', 10, 2.5, 3, 0.1)

    answer = ask(view(Bucket, Bucket))
    name, other = r'"my \"bucket\" \\ "', r'"my \"bucket\" \\ -2"'
    assert answer.headers["RateLimit"] == f"{name};r=3;t=1, {other};r=3;t=1"
    assert answer.headers["RateLimit-Policy"] == f"{name};q=10;w=3, {other};q=10;w=3"


@DRAFT
def test_async_views_tell_the_same() -> None:
    async def get(self: Any, request: Any) -> Response:
        return Response("passed")

    made = view(Burst, get=get)

    def ask_on_the_loop() -> Any:
        return async_to_sync(made)(AsyncRequestFactory().get("/", REMOTE_ADDR="10.0.0.1"))

    answers = [ask_on_the_loop() for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert [re.findall(r"r=\d", told(answer)["RateLimit"]) for answer in answers] == [
        ["r=1"],
        ["r=0"],
        ["r=0"],
    ]


@DRAFT
def test_the_cache_is_asked_as_often_as_without_the_headers() -> None:
    calls = []

    class Counting(LocMemCache):
        def get(self, *args: Any, **kwargs: Any) -> Any:
            calls.append("get")
            return super().get(*args, **kwargs)

        def set(self, *args: Any, **kwargs: Any) -> Any:
            calls.append("set")
            return super().set(*args, **kwargs)

    class Watched(SimpleRateThrottle):
        cache = Counting("watched", {})
        rate = "2/min"
        scope = "watched"

        def get_cache_key(self, request: Any, view: Any) -> str:
            return "watched"

    assert ask(view(Watched)).headers["RateLimit"] == '"watched";r=1;t=60'
    assert calls == ["get", "set"]


@pytest.mark.parametrize("value", [False, None, "draft", "legacy", "both"])
def test_known_values_pass_the_check(value: Any) -> None:
    with override_settings(REST_FRAMEWORK={"RATE_LIMIT_HEADERS": value}):
        assert settings_check(None) == []


@pytest.mark.parametrize("value", [True, "yes", 1])
def test_odd_values_are_found_by_the_check(value: Any) -> None:
    with override_settings(REST_FRAMEWORK={"RATE_LIMIT_HEADERS": value}):
        (found,) = settings_check(None)
    assert found.id == "lintel.E009"
    assert found.hint == 'Use one of "draft", "legacy", "both", or False.'


class Weather(serializers.Serializer):
    wind = serializers.FloatField()


def described_view(*classes: Any) -> Any:
    class View(generics.RetrieveAPIView):
        throttle_classes = classes
        serializer_class = Weather

    return View.as_view()


@pytest.mark.parametrize("form", [False, "draft", "legacy", "both"])
@pytest.mark.filterwarnings("ignore:.*have the operationId")
def test_descriptions_have_the_headers_that_are_sent(form: Any) -> None:
    with override_settings(REST_FRAMEWORK={"RATE_LIMIT_HEADERS": form, "OPENAPI_VERSION": "3.1"}):
        patterns = [path("limited/", described_view(Burst)), path("free/", described_view())]
        document = SchemaGenerator(title="T", version="1", patterns=patterns).get_schema(None, True)
        sent = set(told(ask(view(Burst))))
    assert "headers" not in document["paths"]["/free/"]["get"]["responses"]["200"]
    described = document["paths"]["/limited/"]["get"]["responses"]["200"].get("headers", {})
    refused = document["components"]["responses"]["TooManyRequests"]["headers"]
    assert set(described) == sent
    assert set(refused) == {"Retry-After", *sent}
