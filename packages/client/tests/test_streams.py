"""Streams from a real server: without an end, with pauses, broken, and opened again."""

import asyncio
import threading
from contextlib import suppress

import pytest

from lintel_client import (
    AsyncClient,
    AsyncHTTPTransport,
    Client,
    ConnectionFailed,
    Event,
    Headers,
    HTTPTransport,
    LinkLookupError,
    NetworkError,
    NotFound,
    ParameterError,
    ParseError,
    RequestTimeout,
    Response,
    TokenAuthentication,
    Unavailable,
)
from lintel_document import Document, Field, Link

SSE = "text/event-stream"
LINES = "application/x-ndjson"
WAIT = 10


class Scene:
    """Streams for the test server, and what became of their connections."""

    def __init__(self, service):
        self.service = service
        self.more = threading.Event()
        self.gone = threading.Event()

    def plays(self, *streams):
        """Answer the requests for the stream one after the other."""
        self.service.mishaps["/events/"] = list(streams)

    def sends(self, *parts, content_type=SSE, status=200):
        """Return a stream of these parts; "..." waits until the test has seen the rest."""

        def send(handler):
            self.head(handler, content_type, status)
            for part in parts:
                if part == "...":
                    assert self.more.wait(WAIT)
                else:
                    handler.wfile.write(part.encode())
            return True

        return send

    def breaks(self, *parts, content_type=SSE):
        """Return a stream that ends before the length that it has promised."""

        def send(handler):
            self.head(handler, content_type, 200, length="1000")
            handler.wfile.write("".join(parts).encode())
            return handler.drop()

        return send

    def endless(self, part, content_type=SSE):
        """Return a stream that ends when the client has closed the connection."""

        def send(handler):
            self.head(handler, content_type, 200)
            try:
                while not self.service.over.wait(0.01):
                    handler.wfile.write(part.encode())
            except OSError:
                self.gone.set()
            return True

        return send

    @staticmethod
    def head(handler, content_type, status, length=None):
        handler.close_connection = True
        handler.send_response(status)
        handler.send_header("Content-Type", content_type)
        if length:
            handler.send_header("Content-Length", length)
        handler.end_headers()

    @property
    def ids(self):
        """Return the Last-Event-ID of each request."""
        return [seen.headers.get("last-event-id") for seen in self.service.seen]


@pytest.fixture
def scene(service):
    return Scene(service)


@pytest.fixture
def document(service):
    count = Field("count", location="query")
    links = {
        "follow": Link("/events/", "get", fields=[count]),
        "run": Link("/events/", "post", accept=["application/json", SSE]),
        "many": Link("/events/", "get", accept=["application/json", LINES]),
    }
    return Document(service.url(), content={"events": links})


FOLLOW = ["events", "follow"]


def read_async(client, call):
    async def main():
        async with client as opened:
            return [item async for item in call(opened)]

    return asyncio.run(main())


READERS = {
    "sync": lambda call, **options: list(call(Client(**options))),
    "async": lambda call, **options: read_async(AsyncClient(**options), call),
}


@pytest.fixture(params=READERS)
def read(request):
    """Return a function that reads a whole stream with one of the clients."""
    return READERS[request.param]


# Items as they arrive


def test_items_come_before_the_stream_goes_on(scene, document):
    scene.plays(scene.sends("data: 1\n\n", "...", "data: 2\n\n"))
    with Client().stream(document, FOLLOW, reconnect=False) as stream:
        assert next(stream) == Event("1")
        scene.more.set()
        assert list(stream) == [Event("2")]


def test_items_come_before_the_stream_goes_on_async(scene, document):
    scene.plays(scene.sends('{"n": 1}\n', "...", '{"n": 2}\n', content_type=LINES))

    async def main():
        async with AsyncClient() as client, client.stream(document, FOLLOW) as stream:
            assert await anext(stream) == {"n": 1}
            scene.more.set()
            return [item async for item in stream]

    assert asyncio.run(main()) == [{"n": 2}]


def test_a_sequence_is_read_up_to_its_line_break(scene, document):
    scene.plays(scene.sends("\x1e1\n", "...", "\x1e2\n", content_type="application/json-seq"))
    stream = Client().stream(document, FOLLOW)
    assert next(stream) == 1
    scene.more.set()
    assert list(stream) == [2]


def test_nothing_is_read_ahead(document):
    pulled = []

    def body():
        while True:
            pulled.append(1)
            yield b"0\n" * 3

    class Endless:
        schemes = ("http",)

        def send(self, request):
            return Response(200, {"Content-Type": LINES}, body(), request.url)

    stream = Client(transports=[Endless()]).stream(document, FOLLOW)
    for expected in (1, 1, 1, 2, 2, 2, 3):
        next(stream)
        assert len(pulled) == expected


# Closing


def _break(stream):
    for _ in stream:
        break


@pytest.mark.parametrize("end", [lambda stream: stream.close(), lambda stream: None, _break])
def test_closing_or_dropping_a_stream_closes_its_connection(scene, document, end):
    scene.plays(scene.endless("data: 1\n\n"))
    stream = Client().stream(document, FOLLOW)
    assert next(stream) == Event("1")
    end(stream)
    del stream
    assert scene.gone.wait(WAIT)


def test_an_error_of_the_caller_closes_the_connection(scene, document):
    scene.plays(scene.endless("data: 1\n\n"))
    stream = Client().stream(document, FOLLOW)

    def fail():
        with stream:
            return [1 / 0 for _ in stream]

    with pytest.raises(ZeroDivisionError):
        fail()
    assert scene.gone.wait(WAIT)
    assert list(stream) == []


def test_cancelling_a_task_closes_the_connection(scene, document):
    scene.plays(scene.endless("data: 1\n\n"))

    async def follow(client, begun):
        async for _ in client.stream(document, FOLLOW):
            begun.set()

    async def main():
        begun = asyncio.Event()
        async with AsyncClient() as client:
            task = asyncio.create_task(follow(client, begun))
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(scene.gone.wait, WAIT)

    asyncio.run(main())


def test_leaving_an_async_stream_closes_the_connection(scene, document):
    scene.plays(scene.endless("data: 1\n\n"))

    async def main():
        async with AsyncClient() as client:
            async with client.stream(document, FOLLOW) as stream:
                assert await anext(stream) == Event("1")
            assert await asyncio.to_thread(scene.gone.wait, WAIT)

    asyncio.run(main())


def reading(stream):
    """Read a stream in another thread; return the thread, and the items or the error."""
    outcome = []

    def read():
        try:
            outcome.extend(stream)
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    return thread, outcome


def test_another_thread_closes_a_stream_that_waits_for_an_item(scene, document):
    scene.plays(scene.sends("data: 1\n\n", "..."))
    stream = Client().stream(document, FOLLOW)
    assert next(stream) == Event("1")
    thread, outcome = reading(stream)
    stream.close()
    thread.join(WAIT)
    scene.more.set()
    assert not thread.is_alive()
    assert outcome == list(stream) == []
    assert len(scene.service.seen) == 1


def test_another_thread_closes_a_stream_whose_answer_has_just_come(scene, document):
    class Closing:
        def after(self, request, response):
            thread = threading.Thread(target=stream.close)
            thread.start()
            thread.join(WAIT)

    scene.plays(scene.sends("data: 1\n\n", "..."))
    stream = Client(hooks=[Closing()]).stream(document, FOLLOW)
    thread, outcome = reading(stream)
    thread.join(WAIT / 2)
    is_over = not thread.is_alive()
    scene.more.set()
    thread.join(WAIT)
    assert is_over
    assert outcome == []


def test_another_thread_closes_a_stream_that_waits_to_be_opened_again(scene, document):
    scene.plays(scene.sends("retry: 100000\ndata: 1\n\n"))
    stream = Client().stream(document, FOLLOW)
    assert next(stream) == Event("1")
    thread, outcome = reading(stream)
    thread.join(0.3)
    stream.close()
    thread.join(WAIT)
    assert not thread.is_alive()
    assert outcome == []
    assert len(scene.service.seen) == 1


def test_only_a_connection_that_is_read_is_cut_off(document):
    """One that has ended may serve somebody else by then."""
    cut = []
    waiting = threading.Event()

    def blocked():
        yield b"data: 2\n\n"
        waiting.wait(WAIT)

    bodies = iter([[b"retry: 0\ndata: 1\n\n"], blocked()])

    class Transport:
        schemes = ("http",)

        def send(self, request):
            return Response(
                200, Headers({"Content-Type": SSE}), next(bodies), interrupt=lambda: cut.append(1)
            )

    stream = Client(transports=[Transport()]).stream(document, FOLLOW)
    assert [next(stream), next(stream)] == [Event("1"), Event("2")]
    thread, _ = reading(stream)
    thread.join(0.1)
    stream.close()
    assert cut == [1]
    waiting.set()
    thread.join(WAIT)

    bodies = iter([[b"retry: 100000\ndata: 1\n\n"]])
    stream = Client(transports=[Transport()]).stream(document, FOLLOW)
    assert next(stream) == Event("1")
    thread, _ = reading(stream)
    thread.join(0.1)
    stream.close()
    thread.join(WAIT)
    assert not thread.is_alive()
    assert cut == [1]


def test_closing_leaves_no_more_items_of_the_chunk_that_has_come(scene, document):
    scene.plays(scene.sends("data: 1\n\ndata: 2\n\ndata: 3\n\n", "..."))
    stream = Client().stream(document, FOLLOW)
    items = [next(stream)]
    stream.close()
    scene.more.set()
    assert [*items, *stream] == [Event("1")]


@pytest.mark.parametrize("parts", [["data: 1\n\n", "..."], ["retry: 100000\ndata: 1\n\n"]])
def test_another_task_closes_a_stream_that_waits(scene, document, parts):
    scene.plays(scene.sends(*parts))

    async def main():
        async with AsyncClient() as client:
            stream = client.stream(document, FOLLOW)
            assert await anext(stream) == Event("1")
            waiting = asyncio.create_task(anext(stream, "over"))
            await asyncio.sleep(0.2)
            await asyncio.wait_for(stream.aclose(), WAIT)
            assert await waiting == "over"
            assert [item async for item in stream] == []

    asyncio.run(main())
    scene.more.set()
    assert len(scene.service.seen) == 1


def test_tasks_close_streams_at_any_moment(scene, document):
    """Also while what has arrived is about to be read, which cannot be cancelled any more."""

    def floods(handler):
        scene.head(handler, SSE, 200)
        with suppress(OSError):
            while not scene.service.over.is_set():
                handler.wfile.write(b"data: 1\n\n")
        return True

    scene.plays(*[floods] * 60)

    async def read(stream):
        async for _ in stream:
            pass

    async def closed(client, moments):
        for moment in moments:
            stream = client.stream(document, FOLLOW)
            task = asyncio.create_task(read(stream))
            await asyncio.sleep(moment)
            await asyncio.gather(*(stream.aclose() for _ in range(3)))
            await task

    async def main():
        async with AsyncClient() as client:
            several = [closed(client, [at / 200 for at in range(start, 10)]) for start in range(6)]
            await asyncio.wait_for(asyncio.gather(*several), WAIT)

    asyncio.run(main())


def test_a_stream_of_a_closed_client_says_so(scene, document):
    scene.plays(scene.sends("data: 1\n\n"), scene.sends(status=204))
    with Client() as client:
        list(client.stream(document, FOLLOW))
    stream = client.stream(document, FOLLOW)
    with pytest.raises(NetworkError, match="The client is closed"):
        next(stream)


def test_an_item_that_is_too_large_closes_the_connection(scene, document):
    scene.plays(scene.endless("data: 1234567890\n"))
    with pytest.raises(Exception, match="larger than 100 bytes"):
        list(Client().stream(document, FOLLOW, max_item=100))
    assert scene.gone.wait(WAIT)


# Opened again


def test_events_go_on_after_the_last_one(scene, document, read):
    scene.plays(
        scene.sends("retry: 10\nid: 1\ndata: a\n\n"),
        scene.breaks("id: 2\ndata: b\n\nid: 3\ndata: lost"),
        scene.sends("data: c\n\n"),
        scene.sends(status=204),
    )
    events = read(lambda client: client.stream(document, FOLLOW, {"count": 1}))
    assert events == [Event("a", id="1"), Event("b", id="2"), Event("c", id="2")]
    assert scene.ids == [None, "1", "2", "2"]
    assert {seen.path for seen in scene.service.seen} == {"/events/?count=1"}


def test_a_stream_can_be_continued_later(scene, document):
    scene.plays(scene.sends("id: 6\ndata: a\n\n"))
    stream = Client().stream(document, FOLLOW, reconnect=False, last_event_id="5")
    assert list(stream) == [Event("a", id="6")]
    assert stream.last_event_id == "6"
    assert scene.ids == ["5"]


def test_an_id_that_no_header_can_carry_is_not_sent(scene, document, read):
    scene.plays(scene.sends("retry: 1\nid: \x01\ndata: a\n\n"), scene.sends(status=204))
    assert read(lambda client: client.stream(document, FOLLOW)) == [Event("a", id="\x01")]
    assert scene.ids == [None, None]


def test_credentials_are_sent_each_time(scene, document, read):
    scene.plays(scene.sends("retry: 1\ndata: a\n\n"), scene.sends(status=204))
    read(lambda client: client.stream(document, FOLLOW), auth=TokenAuthentication("Token", "abc"))
    assert [seen.headers["authorization"] for seen in scene.service.seen] == ["Token abc"] * 2


def test_an_overloaded_server_is_asked_again_and_an_error_ends(scene, document, read):
    scene.plays(
        scene.sends("retry: 1\ndata: a\n\n"),
        lambda handler: handler.fail(503),
        lambda handler: handler.drop(),
        scene.sends("data: b\n\n"),
        lambda handler: handler.fail(404),
    )
    items = []

    async def collected(stream):
        async for event in stream:
            items.append(event.data)
            yield event

    def call(client):
        stream = client.stream(document, FOLLOW)
        if isinstance(client, AsyncClient):
            return collected(stream)
        return (items.append(event.data) for event in stream)

    with pytest.raises(NotFound):
        read(call)
    assert items == ["a", "b"]


@pytest.mark.parametrize("keys", [["events", "run"], FOLLOW])
def test_other_streams_end_with_their_connection(scene, document, read, keys):
    content_type = SSE if keys[1] == "run" else LINES
    part = "retry: 1\ndata: 1\n\n" if keys[1] == "run" else "1\n"
    scene.plays(scene.sends(part, content_type=content_type))
    assert len(read(lambda client: client.stream(document, keys))) == 1
    assert len(scene.service.seen) == 1


def test_without_reconnect_a_broken_stream_is_an_error(scene, document, read):
    scene.plays(scene.breaks("data: 1\n\n"))
    with pytest.raises(ConnectionFailed):
        read(lambda client: client.stream(document, FOLLOW, reconnect=False))


def test_broken_lines_are_an_error_after_the_complete_ones(scene, document):
    scene.plays(scene.breaks("1\n2\n3", content_type=LINES))
    stream = Client().stream(document, FOLLOW)
    assert [next(stream), next(stream)] == [1, 2]
    with pytest.raises(ConnectionFailed):
        next(stream)


@pytest.mark.parametrize("parts", [["1\n{\n"], ["1\n{"]])
def test_an_item_that_cannot_be_read_names_the_url(scene, document, parts):
    scene.plays(scene.sends(*parts, content_type=LINES))
    stream = Client().stream(document, FOLLOW)
    assert next(stream) == 1
    with pytest.raises(ParseError, match="/events/ cannot be read"):
        next(stream)


# Errors before the first item


def test_errors_of_status_come_first(scene, document, read):
    scene.plays(lambda handler: handler.fail(503))
    with pytest.raises(Unavailable):
        read(lambda client: client.stream(document, FOLLOW))
    with pytest.raises(NotFound, match=r"Not found\."):
        read(lambda client: client.stream(document, FOLLOW))
    assert len(scene.service.seen) == 2


def test_a_connection_that_cannot_be_made_is_an_error(document, read):
    gone = Document("http://127.0.0.1:1/", content={"events": {"follow": Link("/events/")}})
    with pytest.raises(ConnectionFailed):
        read(lambda client: client.stream(gone, FOLLOW))


def test_what_is_no_stream_is_an_error_that_says_so(scene, service, document, read):
    service.answer("/events/", [1, 2])
    with pytest.raises(ParseError, match=r"is not a stream but application/json: call .* action"):
        read(lambda client: client.stream(document, FOLLOW))


def test_mistakes_of_the_call_come_at_once(document):
    client = Client()
    with pytest.raises(LinkLookupError):
        client.stream(document, ["events", "folow"])
    with pytest.raises(ParameterError):
        client.stream(document, FOLLOW, {"cuont": 1})
    with pytest.raises(ValueError, match="format must be one of sse, ndjson, json-seq, not 'csv'"):
        client.stream(document, FOLLOW, format="csv")
    with pytest.raises(ValueError, match="max_item"):
        client.stream(document, FOLLOW, max_item=0)


# What is asked for


@pytest.mark.parametrize(
    ("keys", "accept"),
    [
        (FOLLOW, f"{SSE}, {LINES}, application/jsonl, application/json-seq, */*;q=0.1"),
        (["events", "run"], f"{SSE}, */*;q=0.1"),
        (["events", "many"], f"{LINES}, */*;q=0.1"),
    ],
)
def test_streams_are_asked_for(scene, document, keys, accept):
    scene.plays(scene.sends(status=204))
    assert list(Client().stream(document, keys)) == []
    assert scene.service.last.headers["accept"] == accept


def test_a_format_that_the_server_does_not_name(scene, document, read):
    scene.plays(scene.sends("1\n2\n", content_type="application/json"))
    assert read(lambda client: client.stream(document, FOLLOW, format="ndjson")) == [1, 2]


def test_a_stream_may_pause_for_longer_than_the_transport_waits(scene, document):
    def call(client):
        return client.stream(document, FOLLOW, reconnect=False)

    for read, transport in (
        (READERS["sync"], HTTPTransport),
        (READERS["async"], AsyncHTTPTransport),
    ):
        scene.more.clear()
        scene.plays(scene.sends("data: 1\n\n", "...", "data: 2\n\n"))
        threading.Timer(0.6, scene.more.set).start()
        assert len(read(call, transports=[transport(timeout=0.3)])) == 2


def test_a_call_can_limit_the_pauses(scene, document, read):
    scene.plays(scene.sends("1\n", "...", content_type=LINES))
    with pytest.raises(RequestTimeout):
        read(lambda client: client.stream(document, FOLLOW, timeout=0.3))
    scene.more.set()


def test_redirects_are_followed_and_hooks_called(scene, document, read):
    seen = []

    class Watch:
        def after(self, request, response):
            seen.append(response.status)

    scene.service.redirect("/events/", "/moved/")
    scene.service.answer("/moved/", "1\n", content_type=LINES)
    assert read(lambda client: client.stream(document, FOLLOW), hooks=[Watch()]) == [1]
    assert seen == [302, 200]


def test_an_action_still_returns_the_text(scene, document):
    scene.plays(scene.sends("data: 1\n\n"))
    assert Client().action(document, FOLLOW) == "data: 1\n\n"


def test_json_of_an_event():
    assert Event('{"a": 1}').json() == {"a": 1}
    assert Event({"a": 1}).json() == {"a": 1}
