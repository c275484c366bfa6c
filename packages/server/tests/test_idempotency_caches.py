"""Keys in the cache: locks that end by themselves, and answers that are kept after the write."""

import logging
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest
from contract_project.models import Membership
from django.core.cache import cache
from django.core.cache.backends.locmem import LocMemCache
from django.test import RequestFactory, override_settings
from servers import running_redis

from lintel import serializers
from lintel.generics import ListCreateAPIView
from lintel.idempotency import IdempotentMixin
from lintel.idempotency.answers import Kept
from lintel.response import Response
from lintel.views import APIView


class Forgetful(LocMemCache):
    """A cache that is full: it refuses answers."""

    def set(self, key: Any, value: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(value, Kept):
            raise ConnectionError("the cache is full")
        super().set(key, value, *args, **kwargs)


FORGETFUL = {"default": {"BACKEND": f"{__name__}.Forgetful", "LOCATION": __name__}}


class MemberSerializer(serializers.ModelSerializer):
    class Meta:
        model = Membership
        fields = ["id", "team"]


class Members(IdempotentMixin, ListCreateAPIView):
    authentication_classes = ()
    queryset = Membership.objects.all()
    serializer_class = MemberSerializer


@pytest.fixture(autouse=True, params=["local memory", "Redis"])
def _fresh(settings: Any, request: Any) -> Any:
    settings.REST_FRAMEWORK = {"IDEMPOTENCY_STORE": "cache"}
    if request.param == "Redis":
        settings.CACHES = {"default": request.getfixturevalue("redis_server").settings}
    cache.clear()
    yield
    cache.clear()


def send(view: Any, data: Any = {}, key: str = "k") -> Any:  # noqa: B006 - never changed
    request = RequestFactory().post("/", data, "application/json", headers={"Idempotency-Key": key})
    response = view(request)
    return response.render() if isinstance(response, Response) else response


def replayed(response: Any) -> bool:
    return response.headers.get("Idempotent-Replayed") == "true"


@pytest.mark.django_db
def test_the_cache_keeps_answers() -> None:
    first, again = (send(Members.as_view(), {"team": "red"}) for _ in "ab")
    assert (first.status_code, again.status_code, replayed(again)) == (201, 201, True)
    assert again.content == first.content
    assert Membership.objects.count() == 1


def test_a_request_under_way_keeps_others_out() -> None:
    inside, leave = threading.Event(), threading.Event()

    class Slow(IdempotentMixin, APIView):
        authentication_classes = ()

        def post(self, request: Any) -> Response:
            inside.set()
            leave.wait(10)
            return Response("done")

    made = Slow.as_view()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(send, made)
        inside.wait(10)
        refused = send(made)
        other = send(made, {"another": "body"})
        leave.set()
        assert first.result().status_code == 200
    assert (refused.status_code, refused.headers["Retry-After"]) == (409, "1")
    assert other.status_code == 422
    assert replayed(send(made))


class Outliving(IdempotentMixin, APIView):
    """Takes longer than its lock; meanwhile the same request comes again."""

    authentication_classes = ()
    runs: Any

    def answer(self) -> Response:
        return Response("first")

    def post(self, request: Any) -> Response:
        self.runs.append(request)
        if len(self.runs) > 1:
            return Response("second")
        cache.clear()  # the lock has ended
        send(type(self).as_view())
        return self.answer()


class Crashing(Outliving):
    def answer(self) -> Response:
        raise ZeroDivisionError


def test_an_answer_that_comes_late_replaces_no_other() -> None:
    view = type("Late", (Outliving,), {"runs": []})
    assert send(view.as_view()).content == b'"first"'
    again = send(view.as_view())
    assert (again.content, replayed(again), len(view.runs)) == (b'"second"', True, 2)


def test_a_request_that_fails_late_releases_no_other_lock() -> None:
    view = type("Late", (Crashing,), {"runs": []})
    with pytest.raises(ZeroDivisionError):
        send(view.as_view())
    again = send(view.as_view())
    assert (again.content, replayed(again), len(view.runs)) == (b'"second"', True, 2)


def test_an_answer_is_kept_although_its_lock_has_ended() -> None:
    class Slow(Outliving):
        def post(self, request: Any) -> Response:
            self.runs.append(request)
            cache.clear()
            return Response(len(self.runs))

    view = type("Late", (Slow,), {"runs": []}).as_view()
    assert [send(view).content for _ in "ab"] == [b"1", b"1"]


@pytest.mark.django_db
def test_the_client_gets_its_answer_although_it_cannot_be_kept(caplog: Any) -> None:
    with override_settings(CACHES=FORGETFUL), caplog.at_level(logging.ERROR):
        cache.clear()
        answer = send(Members.as_view(), {"team": "red"})
    assert (answer.status_code, Membership.objects.count()) == (201, 1)
    assert "could not be kept" in caplog.text


def test_long_answers_are_not_kept() -> None:
    class Long(IdempotentMixin, APIView):
        authentication_classes = ()

        def post(self, request: Any) -> Response:
            return Response("x" * 1_000_000)

    assert [send(Long.as_view()).status_code for _ in "ab"] == [200, 409]


def test_a_request_that_fails_releases_its_lock() -> None:
    class Failing(IdempotentMixin, APIView):
        authentication_classes = ()

        def post(self, request: Any) -> Response:
            raise ZeroDivisionError

    for _ in "ab":
        with pytest.raises(ZeroDivisionError):
            send(Failing.as_view())


@pytest.mark.django_db
@pytest.mark.parametrize("state", ["frozen", "away"])
def test_while_the_cache_is_away_nothing_is_carried_out(state: str, settings: Any) -> None:
    settings.REST_FRAMEWORK = {"IDEMPOTENCY_STORE": "cache", "SERVICE_ERRORS": True}
    with running_redis() as server, ExitStack() as stack:
        patient = {"default": {**server.settings, "OPTIONS": {"socket_timeout": 0.05}}}
        if state == "frozen":
            stack.enter_context(server.frozen())
        else:
            os.kill(server.process(), signal.SIGKILL)
        with override_settings(CACHES=patient):
            answer = send(Members.as_view(), {"team": "red"})
        assert (answer.status_code, Membership.objects.count()) == (503, 0)
    assert send(Members.as_view(), {"team": "red"}).status_code == 201


@pytest.mark.django_db
def test_a_cache_that_hangs_is_waited_for_no_longer_than_the_setting(settings: Any) -> None:
    settings.REST_FRAMEWORK = {
        "IDEMPOTENCY_STORE": "cache",
        "IDEMPOTENCY_TIMEOUT": 0.1,
        "SERVICE_ERRORS": True,
    }
    with running_redis() as server, override_settings(CACHES={"default": server.settings}):
        with server.frozen():
            answer = send(Members.as_view(), {"team": "red"})
        assert (answer.status_code, Membership.objects.count()) == (503, 0)


@pytest.mark.django_db
def test_the_client_gets_its_answer_from_a_write_during_which_the_cache_hangs(
    settings: Any, caplog: Any
) -> None:
    settings.REST_FRAMEWORK = {"IDEMPOTENCY_STORE": "cache", "IDEMPOTENCY_TIMEOUT": 1}
    with ExitStack() as stack:
        server = stack.enter_context(running_redis())
        stack.enter_context(override_settings(CACHES={"default": server.settings}))
        send(Members.as_view(), {"team": "red"}, "other")  # the connection is there

        class Freezing(Members):
            def perform_create(self, serializer: Any) -> None:
                serializer.save()
                stack.enter_context(server.frozen())

        answer = send(Freezing.as_view(), {"team": "blue"})
    assert (answer.status_code, Membership.objects.count()) == (201, 2)
    assert "could not be kept" in caplog.text
