"""HTTP/2 with the extra of that name, against a real server with its own certificate."""

import asyncio
import socket
import ssl
import subprocess
import sys
import time

import pytest

from lintel_client import (
    AsyncClient,
    AsyncHTTPTransport,
    Client,
    HTTPTransport,
    NetworkError,
    Retry,
)

APPLICATION = """
async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    body = b'{"version": "%s"}' % scope["http_version"].encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The address of a server, and a context that trusts it."""
    folder = tmp_path_factory.mktemp("http2")
    (folder / "application.py").write_text(APPLICATION)
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
    subprocess.run(
        [*made, "-keyout", "key.pem", "-out", "cert.pem"],
        cwd=folder,
        check=True,
        capture_output=True,
    )
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
