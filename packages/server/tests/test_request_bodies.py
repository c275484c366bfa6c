"""Bodies of unknown length and requests without a body, from servers and clients of tests."""

import io
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from http.client import HTTPResponse
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from asgiref.sync import async_to_sync
from django.core.exceptions import RequestDataTooBig
from django.core.handlers.wsgi import WSGIRequest
from django.core.wsgi import get_wsgi_application
from django.http.request import RawPostDataException
from django.test import AsyncClient, AsyncRequestFactory, Client, RequestFactory, override_settings
from django.urls import path

from lintel import parsers
from lintel.renderers import BrowsableAPIRenderer, JSONRenderer
from lintel.request import Request
from lintel.response import Response
from lintel.views import APIView

FORM = "application/x-www-form-urlencoded"
FILE_FORM = "multipart/form-data; boundary=b"
WITH_FILE = (
    b'--b\r\nContent-Disposition: form-data; name="f"; filename="n"\r\n\r\nx\r\n'
    b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n'
)
PARSERS = [parsers.JSONParser(), parsers.FormParser(), parsers.MultiPartParser()]
METHODS = ["GET", "HEAD", "DELETE", "OPTIONS", "POST", "PUT", "PATCH"]
NEEDS_LENGTH = "Send the length of the body in the header Content-Length."


class Input:
    """What a WSGI server offers: bytes in pieces of any size, and no way back."""

    def __init__(self, body: bytes) -> None:
        self.body = io.BytesIO(body)

    def read(self, size: int) -> bytes:
        return self.body.read(min(size, 3))

    def readline(self, size: int | None = None) -> bytes:
        if size is not None and size < 0:
            raise OverflowError("granian takes no negative size")
        return self.body.readline(-1 if size is None else size)


class Never:
    """A stream that would wait for ever."""

    def read(self, size: int = -1) -> bytes:
        raise AssertionError("This would hang.")

    readline = read


def environ_of(
    body: bytes, content_type: str = "application/json", method: str = "POST", **extra: Any
) -> dict[str, Any]:
    """The environment of a chunked body, from a server that marks its end."""
    return {
        "REQUEST_METHOD": method,
        "PATH_INFO": "/",
        "SERVER_NAME": "testserver",
        "SERVER_PORT": "80",
        "wsgi.input": Input(body),
        "wsgi.input_terminated": True,
        "HTTP_TRANSFER_ENCODING": "chunked",
        "CONTENT_TYPE": content_type,
        **extra,
    }


def sent(*args: Any, own: Any = None, **kwargs: Any) -> Any:
    return Request(WSGIRequest(environ_of(*args, **kwargs)), parsers=own or PARSERS)


class TextParser(parsers.BaseParser):
    media_type = "text/plain"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        return b"".join(iter(lambda: stream.read(4), b""))


class Whole(TextParser):
    reads_unlimited_stream = True

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        return stream.read()


class Answering(APIView):
    """Sends back the data of any method."""

    schema = None  # a method may do what no description expects
    authentication_classes: list[Any] = []
    renderer_classes = [JSONRenderer]
    parser_classes = [parsers.JSONParser]

    def get(self, request: Any) -> Any:
        return Response({"data": request.data})

    head = delete = options = post = put = patch = get


class AsyncAnswering(Answering):
    async def get(self, request: Any) -> Any:
        return Response({"data": request.data})

    head = delete = options = post = put = patch = get


urlpatterns = [path("sync/", Answering.as_view()), path("async/", AsyncAnswering.as_view())]


# ---- WSGI, where the server marks the end ----


class BrokenChunk(Exception):
    """A server's own class, as gunicorn has for chunks that it cannot read."""


class Broken(Input):
    """A body whose chunks are wrong after ``good`` bytes."""

    def __init__(self, good: int) -> None:
        super().__init__(b'{"a": 1}'[:good])

    def read(self, size: int = -1) -> bytes:
        return super().read(size) or _break()

    def readline(self, *size: int) -> bytes:
        return super().readline(*size) or _break()


def _break() -> bytes:
    raise BrokenChunk


@pytest.mark.parametrize("good", [0, 3, 8])
@pytest.mark.parametrize("kind", ["application/json", FILE_FORM, "text/plain", FORM])
def test_a_body_whose_chunks_cannot_be_read_is_malformed(kind: str, good: int) -> None:
    environment = {**environ_of(b"", kind), "wsgi.input": Broken(good)}
    own = [*PARSERS, Whole()]
    response = Answering.as_view(parser_classes=[type(each) for each in own])(
        WSGIRequest(environment)
    )
    assert (response.status_code, response.data) == (400, {"detail": "Malformed request."})


def test_a_client_that_has_gone_is_no_malformed_request() -> None:
    class Gone(Input):
        def read(self, size: int = -1) -> bytes:
            raise OSError("connection reset")

    environment = {**environ_of(b""), "wsgi.input": Gone(b"")}
    with pytest.raises(OSError, match="reset"):
        Answering.as_view()(WSGIRequest(environment))


@pytest.mark.parametrize("method", METHODS)
def test_json(method: str) -> None:
    request = sent(b'{"a": 1}', method=method)
    assert request.data == {"a": 1}
    assert request.body == b'{"a": 1}'
    assert sent(b"", method=method).data == {}
    assert sent(b"", "text/plain", method=method).data == {}


@pytest.mark.parametrize("method", METHODS)
def test_forms(method: str) -> None:
    request = sent(b"a=1&b=2", FORM, method=method)
    assert request.data == request.POST == request._request.POST == {"a": ["1"], "b": ["2"]}


@pytest.mark.parametrize("is_asked_before", [False, True])
def test_forms_with_files(is_asked_before: bool) -> None:
    request = sent(WITH_FILE, FILE_FORM)
    if is_asked_before:
        assert not request._request.POST  # Django parses no files of unknown length
    with request.FILES["f"] as uploaded:
        assert uploaded.read() == b"x"
    assert request.data["a"] == request.POST["a"] == request._request.POST["a"] == "1"
    assert request._request.FILES["f"] is uploaded


def test_files() -> None:
    headers = {"HTTP_CONTENT_DISPOSITION": "attachment; filename=n"}
    request = sent(b"content", "text/plain", own=[parsers.FileUploadParser()], **headers)
    with request.data["file"] as uploaded:
        assert uploaded.read() == b"content"


@pytest.mark.parametrize(
    "read", [lambda each: each.body, lambda each: each.POST, lambda each: each.read()]
)
def test_a_middleware_that_asks_django_takes_nothing_away(read: Any) -> None:
    http_request = WSGIRequest(environ_of(b"a=1", FORM))
    assert not read(http_request)
    request = Request(http_request, parsers=PARSERS)
    assert http_request.POST == {"a": ["1"]}
    assert request.data == {"a": ["1"]}


def test_a_middleware_may_have_decoded_the_body() -> None:
    http_request = WSGIRequest(environ_of(b"a=1", FORM))
    http_request._body = b"a=2"
    assert Request(http_request, parsers=PARSERS).data == {"a": ["2"]}


def test_a_middleware_may_have_found_an_empty_body() -> None:
    request = sent(b"")
    assert request._request.read() == b""
    assert request.data == {}


def test_bodies_of_http_2() -> None:
    environ = environ_of(b'{"a": 1}')
    del environ["HTTP_TRANSFER_ENCODING"]
    assert Request(WSGIRequest(environ), parsers=PARSERS).data == {"a": 1}
    environ.update({"wsgi.input": Never(), "wsgi.input_terminated": False})
    assert Request(WSGIRequest(environ), parsers=PARSERS).data == {}


def test_a_length_counts_more_than_chunks() -> None:
    source = io.BytesIO(b'{"a": 1}and what follows')
    assert sent(b"", CONTENT_LENGTH="8", **{"wsgi.input": source}).data == {"a": 1}


def test_lines() -> None:
    request = sent(b"one\n\ntwo\nthree", "text/plain")
    assert request.stream is request._request
    assert request.readline() == b"one\n"
    assert list(request._request) == [b"\n", b"two\n", b"three"]
    request = sent(b"\none", "text/plain", own=[TextParser()])
    assert request.stream.read(0) == b""
    assert (request.readline(), request.readline(2), request.read()) == (b"\n", b"on", b"e")
    request = sent(b"one", "text/plain", own=[TextParser()])
    assert request.read(1) == b"o"
    with pytest.raises(RawPostDataException):
        _ = request.data


def test_limits() -> None:
    body = b"x" * 100_000
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=10):
        for read in (lambda each: each.body, lambda each: each._request.POST):
            with pytest.raises(RequestDataTooBig):
                read(sent(body, FORM))
        for kind, own in ((FORM, None), ("text/plain", [TextParser()])):
            request = sent(body, kind, own=own)
            with pytest.raises(RequestDataTooBig):
                _ = request.data
            assert request._request.environ["wsgi.input"].body.tell() < 20
        with pytest.raises(RequestDataTooBig):
            _ = sent(WITH_FILE.replace(b"1", b"x" * 100), FILE_FORM).data
        assert sent(body, "text/plain", own=[Whole()]).data == body
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=None):
        assert sent(b"a=1", FORM).data == {"a": ["1"]}
        assert sent(body, FORM).body == body


# ---- WSGI, where the end is unknown ----


@pytest.mark.parametrize("accept", ["application/json", "text/html"])
@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
def test_a_length_is_needed(accept: str, method: str) -> None:
    environ = environ_of(b"", method=method, HTTP_ACCEPT=accept)
    environ.update({"wsgi.input": Never(), "wsgi.input_terminated": False})
    renderers = [JSONRenderer, BrowsableAPIRenderer]
    response = Answering.as_view(renderer_classes=renderers)(WSGIRequest(environ)).render()
    assert response.status_code == 411
    assert response.data["detail"].code == "length_required"
    assert NEEDS_LENGTH in response.content.decode()
    assert response.headers["Content-Type"].startswith(accept)


# ---- the clients of tests on the event loop ----


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("content_type", ["application/json", "text/plain", FORM])
def test_no_body_from_the_async_factory(method: str, content_type: str) -> None:
    for factory in (RequestFactory(), AsyncRequestFactory()):
        make: Any = partial(factory.generic, method, "/", headers={"Content-Type": content_type})
        assert Request(make(), parsers=PARSERS).data == {}
        assert Request(factory.generic(method, "/"), parsers=PARSERS).data == {}
        http_request = make()
        assert http_request.read() == b""  # by a middleware
        assert Request(http_request, parsers=PARSERS).data == {}


@pytest.mark.parametrize("method", METHODS)
def test_bodies_from_the_async_factory(method: str) -> None:
    for factory in (RequestFactory(), AsyncRequestFactory()):
        request = factory.generic(method, "/", b'{"a": 1}', content_type="application/json")
        assert Request(request, parsers=PARSERS).data == {"a": 1}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("address", ["/sync/", "/async/"])
@override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=[])
def test_no_body_from_the_async_client(method: str, address: str) -> None:
    async def ask() -> Any:
        return await AsyncClient().generic(method, address)

    answer = async_to_sync(ask)()
    sync = Client().generic(method, address)
    assert (answer.status_code, answer.content) == (sync.status_code, sync.content)
    assert (answer.status_code, answer.content) == (
        200,
        b"" if method == "HEAD" else b'{"data":{}}',
    )


# ---- real servers ----


@pytest.fixture(scope="module")
def granian() -> Iterator[tuple[str, int]]:
    """The address of granian under WSGI, in a process of its own."""
    with closing(socket.create_server(("127.0.0.1", 0))) as held:
        address = held.getsockname()
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws", "--host"]
    command += [address[0], "--port", str(address[1]), "echo_service:application"]
    process = subprocess.Popen(command, cwd=Path(__file__).parent)
    try:
        wait_for(address, process)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


def wait_for(address: tuple[str, int], process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < deadline:
        try:
            return socket.create_connection(address).close()
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise RuntimeError("granian did not start.")


@contextmanager
def wsgiref_server() -> Iterator[Any]:
    """The address of the standard library's server, which knows no chunks."""

    class Quiet(WSGIRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

    with make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_address
        finally:
            server.shutdown()
            thread.join()


def send(
    address: Any,
    *pieces: bytes,
    kind: str = "application/json",
    method: str = "POST",
    at: str = "/",
) -> Any:
    """Send a body in chunks; return the status and the data of the answer."""
    head = f"{method} {at} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    head += f"Content-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in (*pieces, b""))
    with socket.create_connection(address, timeout=20) as connection:
        connection.sendall(head.encode() + chunks)
        answer = HTTPResponse(connection)
        answer.begin()
        with closing(answer):
            body = answer.read()
    is_json = answer.headers.get_content_type() == "application/json"
    return answer.status, json.loads(body) if is_json else body


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_granian_reads_chunks(granian: tuple[str, int], method: str) -> None:
    ask = partial(send, granian, method=method)
    data = {"a": "1"}
    assert ask(b'{"a":', b" 1}") == (200, {"data": data, "files": {}, "seen": {}})
    assert ask() == (200, {"data": {}, "files": {}, "seen": {}})
    assert ask(b"a", b"=1", kind=FORM) == (200, {"data": data, "files": {}, "seen": data})
    pieces = WITH_FILE[:50], WITH_FILE[50:]
    found = {"data": data, "files": {"f": "x"}, "seen": data}
    assert ask(*pieces, kind=FILE_FORM) == (200, found)
    assert ask(b'"', *[b"x" * 100] * 20, b'"')[0] == 400


@override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=[], ALLOWED_HOSTS=["127.0.0.1"])
def test_wsgiref_asks_for_a_length() -> None:
    with wsgiref_server() as address:
        assert send(address, b'{"a": 1}', at="/sync/") == (411, {"detail": NEEDS_LENGTH})
