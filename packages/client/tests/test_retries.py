"""Calls are repeated against a real server that fails on purpose."""

import socket
import time
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintel_client import (
    Client,
    ConnectionFailed,
    ErrorMessage,
    NetworkError,
    RequestTimeout,
    Retry,
    Unavailable,
)
from lintel_client.headers import Headers
from lintel_client.messages import Request
from lintel_client.retries import Attempts
from lintel_document import Document, Field, Link

QUICK = Retry(total=3, backoff=0.001)


def unavailable(handler):
    return handler.fail(503)


def drop(handler):
    return handler.drop()


def cut(handler):
    return handler.cut()


@pytest.fixture
def calling(service):
    """Call a link at /x/ with a method; returns the result."""
    service.answer("/x/", {"ok": True})

    def call(method="get", mishaps=(), retry=QUICK, fields=(), params=None, **options):
        service.mishaps["/x/"] = list(mishaps)
        document = Document(service.url(), content={"go": Link("/x/", method, fields=list(fields))})
        with Client(retry=retry) as client:
            return client.action(document, "go", params, **options)

    return call


def test_nothing_is_repeated_by_default(service, calling):
    with pytest.raises(Unavailable):
        calling(mishaps=[unavailable], retry=None)
    with pytest.raises(ConnectionFailed):
        calling(mishaps=[drop], retry=None)
    assert len(service.seen) == 2


@pytest.mark.parametrize("mishap", [unavailable, drop, cut])
@pytest.mark.parametrize("method", ["get", "put", "delete"])
def test_idempotent_calls_are_repeated(service, calling, method, mishap):
    assert calling(method, [mishap, mishap]) == {"ok": True}
    assert len(service.seen) == 3


@pytest.mark.parametrize("mishap", [unavailable, drop])
@pytest.mark.parametrize("method", ["post", "patch"])
def test_writes_are_sent_once(service, calling, method, mishap):
    with pytest.raises((ErrorMessage, NetworkError)):
        calling(method, [mishap])
    assert len(service.seen) == 1
    assert "idempotency-key" not in service.last.headers


@pytest.mark.parametrize("mishap", [unavailable, drop])
def test_a_key_is_made_once_and_repeated(service, calling, mishap):
    keyed = Retry(backoff=0.001, idempotency_keys=True)
    assert calling("post", [mishap, mishap], keyed) == {"ok": True}
    first = {seen.headers["idempotency-key"] for seen in service.seen}
    assert (len(service.seen), len(first)) == (3, 1)
    calling("post", [], keyed)
    assert service.last.headers["idempotency-key"] not in first


def test_a_service_that_declares_the_header_gets_a_key(service, calling):
    fields = [Field("Idempotency-Key", location="header")]
    assert calling("post", [unavailable], fields=fields) == {"ok": True}
    assert len({seen.headers["idempotency-key"] for seen in service.seen}) == 1
    calling("post", [unavailable], fields=fields, params={"Idempotency-Key": "mine"})
    assert service.last.headers["idempotency-key"] == "mine"


def test_a_service_that_requires_the_header_gets_a_key(service, calling):
    fields = [Field("Idempotency-Key", location="header", required=True)]
    assert calling("post", [], None, fields=fields) == {"ok": True}
    made = service.last.headers["idempotency-key"]
    calling("post", [], None, fields=fields)
    assert service.last.headers["idempotency-key"] not in ("", made)
    calling("post", [], None, fields=fields, idempotency_key="k1")
    assert service.last.headers["idempotency-key"] == "k1"


def test_a_key_of_the_caller_s(service, calling):
    assert calling("post", [drop], idempotency_key="k1") == {"ok": True}
    assert [seen.headers["idempotency-key"] for seen in service.seen] == ["k1", "k1"]


def test_the_last_answer_is_the_error(service, calling):
    with pytest.raises(Unavailable):
        calling(mishaps=[unavailable] * 9)
    assert len(service.seen) == 4


def test_other_errors_are_final(service, calling):
    with pytest.raises(ErrorMessage) as caught:
        calling(mishaps=[lambda handler: handler.fail(500)])
    assert (caught.value.status, len(service.seen)) == (500, 1)


@pytest.fixture
def waits(monkeypatch):
    """The waits that are asked for, none of which takes place."""
    waits = []
    monkeypatch.setattr(time, "sleep", waits.append)
    return waits


def in_an_hour():
    return formatdate(time.time() + 3600, usegmt=True)


@pytest.mark.parametrize(("moment", "longest"), [("7", 7), (in_an_hour, 3600)])
def test_the_server_says_how_long_to_wait(service, calling, waits, moment, longest):
    value = moment if isinstance(moment, str) else moment()
    retry = Retry(total=3, backoff=0.001, budget=4000)
    calling(mishaps=[lambda handler: handler.fail(429, Retry_After=value)], retry=retry)
    assert len(service.seen) == 2
    (wait,) = waits
    assert longest * 0.9 < wait <= longest


def test_no_wait_goes_beyond_the_budget(service, calling, waits):
    with pytest.raises(ErrorMessage) as caught:
        calling(mishaps=[lambda handler: handler.fail(429, Retry_After="3600")])
    assert (caught.value.retry_after, len(service.seen)) == (3600, 1)
    assert waits == []


def test_a_refused_connection_and_a_timeout_are_repeated(service):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}/"
    with Client(retry=QUICK) as client, pytest.raises(ConnectionFailed):
        client.get(url)
    service.answer("/x/", {"ok": 1})
    service.mishaps["/x/"] = [lambda handler: handler.hang()]
    with Client(retry=QUICK) as client:
        assert client.get(service.url("/x/"), timeout=0.2) == {"ok": 1}


def test_a_call_has_its_own_timeout(service):
    service.mishaps["/x/"] = [lambda handler: handler.hang()]
    with Client() as client, pytest.raises(RequestTimeout):
        client.get(service.url("/x/"), timeout=0.1)


def test_a_call_brings_its_own_retry(service):
    service.answer("/x/", {"ok": True})
    service.mishaps["/x/"] = [unavailable]
    with Client() as client:
        assert client.get(service.url("/x/"), retry=QUICK) == {"ok": True}


def test_a_negative_number_is_refused():
    with pytest.raises(ValueError, match="negative"):
        Retry(total=-1)


@given(
    total=st.integers(0, 6),
    backoff=st.floats(0, 10),
    budget=st.floats(0, 30),
    asked=st.lists(st.one_of(st.none(), st.integers(0, 20)), max_size=10),
)
def test_tries_and_waits_are_bounded(total, backoff, budget, asked):
    now = 0.0
    retry = Retry(total=total, backoff=backoff, budget=budget)
    attempts = Attempts(retry, Request("GET", "http://x.org/"), lambda: now)
    waits = []
    for seconds in asked:
        headers = Headers({} if seconds is None else {"Retry-After": str(seconds)})
        delay = attempts.after_answer(503, headers)
        if delay is None:
            break
        if seconds is not None:
            assert delay == seconds
        waits.append(delay)
        now += delay
    assert len(waits) <= total
    assert sum(waits) <= budget + 1e-6
