"""HTTP/2 with the extra of that name, against a real server with its own certificate."""

import asyncio
import socket
import ssl
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from lintel_client import (
    AsyncClient,
    AsyncHTTPTransport,
    Client,
    HTTPTransport,
    NetworkError,
    Retry,
)
from lintel_client.multiplexing import FirstSettings
from lintel_document import Document, Field, Link

APPLICATION = """
async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    body = b'{"version": "%s"}' % scope["http_version"].encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
"""


# Answers only when as many streams are open as the path names, and says how many were.
GATHERING = """
const http2 = require("node:http2"), fs = require("node:fs");
const settings = JSON.parse(process.argv[2]);
const server = http2.createSecureServer(
  { key: fs.readFileSync("key.pem"), cert: fs.readFileSync("cert.pem"), settings });
let waiting = [], largest = 0;
server.on("stream", (stream, headers) => {
  const wanted = Number(headers[":path"].slice(1));
  waiting.push(stream);
  stream.on("error", () => {});
  stream.on("close", () => { waiting = waiting.filter((other) => other !== stream); });
  largest = Math.max(largest, waiting.length);
  if (waiting.length < wanted) return;
  const done = waiting;
  waiting = [];
  for (const each of done) {
    each.respond({ ":status": 200, "content-type": "application/json" });
    each.end(JSON.stringify({ together: done.length, largest }));
  }
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
"""


# Answers with the length of what it got, whose windows are small.
COUNTING = """
const http2 = require("node:http2"), fs = require("node:fs");
const server = http2.createSecureServer(
  { key: fs.readFileSync("key.pem"), cert: fs.readFileSync("cert.pem") });
server.on("stream", (stream) => {
  let length = 0;
  stream.on("error", () => {});
  stream.on("data", (chunk) => { length += chunk.length; });
  stream.on("end", () => {
    stream.respond({ ":status": 200, "content-type": "application/json" });
    stream.end(JSON.stringify({ length }));
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a certificate and its key."""
    folder = tmp_path_factory.mktemp("http2")
    (folder / "application.py").write_text(APPLICATION)
    (folder / "gathering.cjs").write_text(GATHERING)
    (folder / "counting.cjs").write_text(COUNTING)
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
    subprocess.run(
        [*made, "-keyout", "key.pem", "-out", "cert.pem"],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="module")
def server(folder):
    """The address of a server, and a context that trusts it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    serve = ["granian", "--interface", "asgi", "--port", str(port), "--http", "auto", "--no-ws"]
    secured = ["--ssl-certificate", "cert.pem", "--ssl-keyfile", "key.pem"]
    process = subprocess.Popen(
        [sys.executable, "-m", *serve, *secured, "application:app"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    context = ssl.create_default_context(cafile=folder / "cert.pem")
    url = f"https://127.0.0.1:{port}/"
    try:
        wait_for(url, context)
        yield url, context
    finally:
        process.terminate()
        process.wait(20)


def wait_for(url, context):
    with Client(transports=[HTTPTransport(verify=context)]) as client:
        for _ in range(100):
            try:
                client.get(url)
            except NetworkError:
                time.sleep(0.1)
            else:
                return
    raise RuntimeError("the server does not answer")


@pytest.mark.parametrize(("http2", "version"), [(True, "2"), (False, "1.1")])
def test_the_version_of_http_is_chosen(server, http2, version):
    url, context = server
    transport = HTTPTransport(verify=context, http2=http2)
    with Client(transports=[transport], retry=Retry(backoff=0.01)) as client:
        assert client.get(url)["version"].removesuffix(".0") == version


def test_calls_share_one_connection(server):
    url, context = server

    async def main():
        transport = AsyncHTTPTransport(verify=context, http2=True)
        async with AsyncClient(transports=[transport]) as client:
            answers = await asyncio.gather(*[client.get(url) for _ in range(10)])
            pool = transport._clients[False]._transport._pool
            return answers, len(pool.connections)

    answers, connections = asyncio.run(main())
    assert {answer["version"].removesuffix(".0") for answer in answers} == {"2"}
    assert connections == 1


@contextmanager
def node(folder, *command):
    """The address of a server of Node, and a context that trusts it."""
    with subprocess.Popen(["node", *command], cwd=folder, stdout=subprocess.PIPE) as process:
        try:
            port = int(process.stdout.readline())
            context = ssl.create_default_context(cafile=folder / "cert.pem")
            yield f"https://127.0.0.1:{port}", context
        finally:
            process.terminate()


@pytest.fixture(params=["{}", '{"maxConcurrentStreams": 20}'], ids=["unlimited", "limited"])
def gathering(folder, request):
    """The address of Node's server, with and without a number of streams in its settings."""
    with node(folder, "gathering.cjs", request.param) as served:
        yield served


@pytest.fixture
def hasty():
    """Threads take turns after every few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_streams_overlap(gathering):
    url, context = gathering

    async def main():
        transport = AsyncHTTPTransport(verify=context, http2=True)
        async with AsyncClient(transports=[transport]) as client:
            await client.get(f"{url}/1")
            answers = await asyncio.gather(*[client.get(f"{url}/20") for _ in range(20)])
            pool = transport._clients[False]._transport._pool
            return answers, len(pool.connections)

    answers, connections = asyncio.run(main())
    assert answers == [{"together": 20, "largest": 20}] * 20
    assert connections == 1


def test_the_first_streams_overlap(gathering):
    url, context = gathering

    async def main():
        async with AsyncClient(
            transports=[AsyncHTTPTransport(verify=context, http2=True)]
        ) as client:
            return await asyncio.gather(*[client.get(f"{url}/20") for _ in range(20)])

    assert asyncio.run(main()) == [{"together": 20, "largest": 20}] * 20


def test_streams_of_threads_overlap(gathering):
    url, context = gathering

    transport = HTTPTransport(verify=context, http2=True, timeout=20)
    with Client(transports=[transport]) as client, ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(client.get, [f"{url}/20"] * 20))
    assert [answer["together"] for answer in answers] == [20] * 20


@pytest.mark.usefixtures("hasty")
def test_threads_upload_at_the_same_time(folder):
    """They get numbers of streams in order and share the window of the connection."""
    with node(folder, "counting.cjs") as (url, context):
        body = Field("body", True, "body")
        link = Link(f"{url}/", "post", encoding="application/octet-stream", fields=[body])
        document = Document(url, content={"count": link})
        sizes = [100_003 + number for number in range(40)]
        transport = HTTPTransport(verify=context, http2=True, timeout=20)

        def upload(size):
            return client.action(document, ["count"], {"body": bytes(size)})

        with Client(transports=[transport]) as client, ThreadPoolExecutor(10) as threads:
            answers = list(threads.map(upload, sizes))
            # Not one for each thread, although the pool may add another.
            assert len(transport._clients[False]._transport._pool.connections) <= 2
    assert [answer["length"] for answer in answers] == sizes


@pytest.mark.usefixtures("hasty")
def test_threads_go_on_after_a_request_that_was_not_sent(gathering):
    url, context = gathering

    def interrupt(name, _info):
        if name == "http2.send_request_headers.started":
            raise InterruptedError

    transport = HTTPTransport(verify=context, http2=True, timeout=20)
    with Client(transports=[transport]) as client:
        client.get(f"{url}/1")
        http = transport._clients[False]
        with pytest.raises(InterruptedError):
            http.get(f"{url}/1", extensions={"trace": interrupt})
        with ThreadPoolExecutor(1) as threads:
            assert threads.submit(client.get, f"{url}/1").result(20)["together"] == 1


def frame(kind, content):
    return len(content).to_bytes(3, "big") + bytes([kind, 0]) + bytes(4) + content


LIMIT = b"\x00\x03\x00\x00\x00\x07"
OTHER = b"\x00\x04\x00\x00\xff\xff"


@pytest.mark.parametrize("size", [1, 2, 9, 100])
@pytest.mark.parametrize(
    ("sent", "passed"),
    [
        (frame(4, b""), frame(4, b"\x00\x03\x00\x00\x00\x64")),
        (frame(4, OTHER) + b"rest", frame(4, OTHER + b"\x00\x03\x00\x00\x00\x64") + b"rest"),
        (frame(4, OTHER + LIMIT), frame(4, OTHER + LIMIT)),
        (frame(4, b"odd") + b"rest", frame(4, b"odd") + b"rest"),
        (frame(7, b"no settings"), frame(7, b"no settings")),
        (b"HTTP/1.1 400 no HTTP/2 here", b"HTTP/1.1 400 no HTTP/2 here"),
        (b"short", b"short"),
        (frame(4, OTHER)[:12], frame(4, OTHER)[:12]),
    ],
)
def test_first_settings(sent, passed, size):
    """However the bytes arrive; an empty read is the end of the connection."""
    settings = FirstSettings()
    chunks = [sent[at : at + size] for at in range(0, len(sent), size)]
    assert b"".join(settings.passed(chunk) for chunk in [*chunks, b""]) == passed
