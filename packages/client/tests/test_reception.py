"""When a stream is opened again, after how long, and when no more: without waiting for it."""

from itertools import pairwise

import pytest

from lintel_client import ConnectionFailed, Headers, Request, Response
from lintel_client.errors import Unavailable
from lintel_client.negotiation import default_decoders
from lintel_client.responses import Reading
from lintel_client.steps import Wait
from lintel_client.streaming.reception import Reception, StreamOptions, StreamStart
from lintel_document.document import Error

EVENTS = {"Content-Type": "text/event-stream"}


def reception(answers):
    """Return a reception whose connections have these outcomes: chunks, or an error."""
    waiting = iter(answers)

    def send(request, receive):
        answer = next(waiting)
        if isinstance(answer, Exception):
            raise answer
        return (yield from receive(Response(200, EVENTS, answer, request.url)))

    reading = Reading(default_decoders(), 1000)
    request = Request("GET", "https://api.example.org/events?key=secret")
    return Reception(StreamStart(request, send, reading, {}, StreamOptions()))


def connected(opened):
    """Take the steps of one connection; return its response and the waits before it."""
    call, waits = opened.connecting(), []
    try:
        while True:
            step = next(call)
            if isinstance(step, Wait):
                waits.append(step.seconds)
    except StopIteration as stop:
        return stop.value, waits


def read_all(opened, response):
    for chunk in response.body:
        list(opened.received(chunk))
    list(opened.ended())
    return opened.resumes()


def test_the_time_that_the_server_names_counts_from_then_on():
    opened = reception([[b"data: 1\n\n"], [b"retry: 100\n\n"], [b": quiet\n"], [b"retry: x\n\n"]])
    waits = []
    for _ in range(4):
        response, waited = connected(opened)
        waits += waited
        assert read_all(opened, response)
    assert waits == [3, 0.1, 0.1]


def test_a_time_that_is_too_long_is_cut():
    opened = reception([[b"retry: 99999999999999999999\ndata: 1\n\n"], [b"data: 1\n\n"]])
    assert read_all(opened, connected(opened)[0])
    assert connected(opened)[1] == [300]


def test_an_overloaded_server_says_how_long_to_wait():
    busy = Unavailable(Error("Busy"), 503, headers=Headers({"Retry-After": "40"}))
    opened = reception([[b"retry: 0\ndata: 1\n\n"], busy, [b"data: 1\n\n"]])
    assert read_all(opened, connected(opened)[0])
    assert connected(opened)[1] == [0.1, 40]


def test_a_server_that_names_no_time_is_not_asked_without_a_pause():
    opened = reception([[b"retry: 0\n\n"], [b"data: 1\n\n"]])
    assert read_all(opened, connected(opened)[0])
    assert connected(opened)[1] == [0.1]


def test_a_stream_that_is_closed_while_it_waits_is_not_opened_again():
    opened = reception([[b"data: 1\n\n"]])
    assert read_all(opened, connected(opened)[0])
    call = opened.connecting()
    assert next(call).seconds == 3
    opened.close()
    assert list(call) == []


def test_a_wait_that_is_too_long_is_refused():
    busy = Unavailable(Error("Busy"), 503, headers=Headers({"Retry-After": "4000"}))
    opened = reception([[b"data: 1\n\n"], busy])
    assert read_all(opened, connected(opened)[0])
    with pytest.raises(Unavailable):
        connected(opened)


def test_waits_grow_up_to_a_limit_and_then_the_stream_is_given_up():
    opened, waits = reception([[b"retry: 1000\n\n"], *[[]] * 20]), []

    def connections():
        while True:
            response, waited = connected(opened)
            waits.extend(waited)
            yield read_all(opened, response)

    with pytest.raises(ConnectionFailed, match="ended 10 times") as caught:
        assert all(connections())
    assert "secret" not in str(caught.value)
    assert waits[0] == 1
    assert all(early < late for early, late in pairwise(waits[1:8]))
    assert 150 <= max(waits) <= 300
    assert len(waits) == 10
