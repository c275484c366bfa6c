"""AsyncClient does what Client does, and releases connections when it is cancelled."""

import asyncio
import gc
import inspect
import io
import threading
import time
from pathlib import Path

import httpx2
import pytest

from lintel_client import (
    AsyncClient,
    AsyncHTTPTransport,
    AsyncResponse,
    AsyncTransport,
    Client,
    Download,
    DownloadCodec,
    ErrorMessage,
    JSONCodec,
    LinkLookupError,
    NetworkError,
    RequestTimeout,
    Retry,
    SessionAuthentication,
    TokenAuthentication,
    resuming,
)
from lintel_document import Document, Field, Link


@pytest.fixture
def api(service):
    def _api(**links):
        document = Document(service.url(), "API", content=links)
        service.answer("/", document)
        return document

    return _api


def together(use, **options):
    """Run a function of an open client in an event loop of its own."""

    async def main():
        async with AsyncClient(**options) as client:
            return await use(client)

    return asyncio.run(main())


def test_it_has_the_methods_of_client():
    for name, method in inspect.getmembers(Client, inspect.isfunction):
        if not name.startswith("_"):
            other = inspect.signature(getattr(AsyncClient, name))
            assert other.parameters == inspect.signature(method).parameters
    for name in inspect.signature(Client).parameters:
        assert name in inspect.signature(AsyncClient).parameters


def test_documents_and_actions(service, api):
    link = Link(service.url("/x/{id}/"), "post", fields=[Field("id", True, "path"), "a"])
    document = api(go=link)
    service.answer("/x/1/", {"done": True}, status=201)

    async def use(client):
        fetched = await client.get(service.url())
        assert fetched == document
        assert await client.reload(fetched) == document
        return await client.action(fetched, ["go"], {"id": 1, "a": 2})

    assert together(use) == {"done": True}
    assert service.last.json() == {"a": 2}


def test_it_sends_what_client_sends(service, api):
    document = api(
        go=Link("/x/", "put", "multipart/form-data", fields=["a", Field("q", location="query")])
    )
    service.answer("/x/", {})
    call = (document, ["go"], {"a": ["é", None], "q": [1, True]})
    auth = TokenAuthentication("Token", "t")
    with Client(auth) as client:
        client.action(*call)
        request = client.request(*call)
    together(lambda client: client.action(*call), auth=auth)
    first, second = service.seen
    assert first == second
    assert AsyncClient(auth).request(*call) == request


def test_mistakes_are_found_before_anything_is_sent(service, api):
    document = api(go=Link("/"))
    with pytest.raises(LinkLookupError):
        together(lambda client: client.action(document, ["gone"]))
    with pytest.raises(TypeError, match="colour"):
        together(lambda client: client.action(document, ["go"], colour="red"))
    assert service.seen == []


def test_errors_and_large_answers(service):
    service.answer("/x/", {"detail": "No."}, status=403)
    with pytest.raises(ErrorMessage) as caught:
        together(lambda client: client.get(service.url("/x/")))
    assert caught.value.messages == {"detail": ["No."]}
    service.answer("/x/", "x" * 1000, content_type="text/plain")
    with pytest.raises(NetworkError, match="larger than 10 bytes"):
        together(lambda client: client.get(service.url("/x/")), max_body=10)


def test_downloads(service, tmp_path):
    service.answer("/a.bin", bytes(200_000), content_type="application/zip")
    decoders = [JSONCodec(), DownloadCodec(tmp_path)]
    download = together(lambda client: client.get(service.url("/a.bin")), decoders=decoders)
    assert isinstance(download, Download)
    assert download.read() == bytes(200_000)


def test_a_session_logs_in_and_redirects_keep_credentials_at_home(service, api):
    document = api(login=Link("/login/", "post"), go=Link("/x/", "post"))
    service.answer("/login/", {}, Set_Cookie="csrftoken=t; Path=/")
    service.redirect("/x/", service.url("/end", host="localhost"), status=307)
    service.answer("/end", {})

    async def use(client):
        await client.action(document, ["login"])
        await client.action(document, ["go"])

    together(use, auth=SessionAuthentication())
    assert service.seen[-2].headers["cookie"] == "csrftoken=t"
    assert "cookie" not in service.last.headers


def test_calls_run_side_by_side(service):
    service.answer("/x/", {"ok": 1})
    everyone = threading.Barrier(4, timeout=30)

    def meet(handler):
        everyone.wait()

    service.mishaps["/x/"] = [meet] * 4

    async def use(client):
        return await asyncio.gather(*[client.get(service.url("/x/")) for _ in range(4)])

    assert together(use) == [{"ok": 1}] * 4


def test_retries_wait_without_blocking(service):
    service.answer("/x/", {"ok": 1})
    service.mishaps["/x/"] = [lambda handler: handler.fail(503), lambda handler: handler.cut()]
    retry = Retry(backoff=0.001)
    assert together(lambda client: client.get(service.url("/x/")), retry=retry) == {"ok": 1}
    assert len(service.seen) == 3


def cancelled(service, client_of, mishap):
    """Cancel a call while the server is busy with it; return the open connections after it."""

    async def main():
        session = httpx2.AsyncClient()
        async with AsyncClient(session=session) as client:
            task = asyncio.create_task(client_of(client))
            while not service.seen:
                await asyncio.sleep(0.005)
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            connections = list(session._transport._pool.connections)
        await session.aclose()
        return connections

    return asyncio.run(main())


def trickle(handler):
    """Begin a response that never ends."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/zip")
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    handler.wfile.write(b"x" * 70_000)
    handler.wfile.flush()
    return handler.hang()


def test_a_call_that_is_cancelled_leaves_no_connection(service, tmp_path):
    for mishap in (lambda handler: handler.hang(), trickle):
        service.seen.clear()
        service.mishaps["/x/"] = [mishap]
        assert cancelled(service, lambda client: client.get(service.url("/x/")), mishap) == []
        gc.collect()


def test_a_timeout_leaves_no_connection_and_no_file(service, tmp_path):
    service.mishaps["/x/"] = [trickle]

    async def use(client):
        async with asyncio.timeout(0.3):
            await client.get(service.url("/x/"))

    with pytest.raises(TimeoutError):
        together(use, decoders=[DownloadCodec(tmp_path)])
    assert list(tmp_path.iterdir()) == []
    service.mishaps["/x/"] = [trickle]
    with pytest.raises(RequestTimeout):
        together(lambda client: client.get(service.url("/x/"), timeout=0.2))


class Canned:
    schemes = ("mem",)

    async def send(self, request):
        return AsyncResponse(200, body=[b'{"a": ', b"1}"], url=request.url)


def test_a_transport_is_one_method():
    use = lambda client: client.get("mem://x/")  # noqa: E731
    assert together(use, transports=[Canned()], decoders=[JSONCodec()]) == {"a": 1}
    assert isinstance(Canned(), AsyncTransport)
    assert isinstance(AsyncHTTPTransport(), AsyncTransport)


def test_a_response_can_be_read_by_hand(service):
    service.answer("/x/", "abc", content_type="text/plain")

    async def main():
        transport = AsyncHTTPTransport()
        request = AsyncClient(transports=[transport]).request(
            Document(service.url()).set("go", Link("/x/")), "go"
        )
        response = await transport.send(request)
        with pytest.raises(NetworkError):
            await response.read(2)
        content = await (await transport.send(request)).read(3)
        await transport.close()
        return content

    assert asyncio.run(main()) == b"abc"


class Slow(io.BytesIO):
    """A large file on a slow disk: every reading takes a moment."""

    def __init__(self, size):
        super().__init__(bytes(size))
        self.threads = set()

    def read(self, size=-1):
        if size != 0:
            self.threads.add(threading.current_thread())
            time.sleep(0.02)
        return super().read(size)


@pytest.mark.parametrize("size", [1000, 1 << 21], ids=["small", "large"])
def test_files_to_upload_are_read_in_threads(service, api, size):
    link = Link("/up", "post", "multipart/form-data", fields=[Field("file", True, "form")])
    document, file, told = api(up=link), Slow(size), []
    service.answer("/up", {"ok": True})

    async def use(client):
        def progress(state):
            told.append((state.done, threading.current_thread()))

        return await client.action(document, "up", {"file": file}, progress=progress)

    assert together(use) == {"ok": True}
    assert len(service.last.body) > size
    assert threading.main_thread() not in file.threads
    # The user's own function is called where the loop runs.
    assert {thread for _, thread in told} == {threading.main_thread()}


def test_what_is_downloaded_is_written_in_threads(service, api, tmp_path, monkeypatch):
    document = api(file=Link("/file.bin", "get"))
    service.answer("/file.bin", b"x" * (1 << 20), content_type="application/octet-stream")
    threads = set()
    open_file = Path.open

    def opened(path, *arguments, **options):
        if path.is_relative_to(tmp_path):
            threads.add(threading.current_thread())
        return open_file(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", opened)

    async def use(client):
        done = await client.download(document, "file", tmp_path / "file.bin")
        return done, await client.action(document, "file")

    done, temporary = together(use)
    assert done.path.stat().st_size == temporary.path.stat().st_size == 1 << 20
    assert threads
    assert threading.main_thread() not in threads


def test_the_loop_goes_on_while_a_file_is_checked(service, api, tmp_path, monkeypatch):
    document = api(file=Link("/file.bin", "get"))
    service.answer("/file.bin", b"x" * 1000, content_type="application/octet-stream")
    threads = set()

    def check(*arguments):
        threads.add(threading.current_thread())

    monkeypatch.setattr(resuming, "check_file", check)
    done = together(lambda client: client.download(document, "file", tmp_path / "file.bin"))
    assert done.path.read_bytes() == b"x" * 1000
    assert threads
    assert threading.main_thread() not in threads
