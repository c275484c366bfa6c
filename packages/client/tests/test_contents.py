"""Large files are sent as they are read, and again if a call is repeated or redirected."""

import asyncio
import io
import tracemalloc
from email import message_from_bytes, policy

import pytest

from lintel_client import AsyncClient, Client, File, NetworkError, Progress, Retry
from lintel_client.contents import STREAM_FROM, Content, content_of_file, joined
from lintel_document import Document, Link

SIZE = 3 * STREAM_FROM
LARGE = bytes(range(256)) * (SIZE // 256)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "large.bin"
    path.write_bytes(LARGE)
    return path


@pytest.fixture(params=["sync", "async"])
def send(request, service):
    """Send parameters to /x/ by a method in an encoding."""
    service.answer("/x/", {"ok": 1})

    async def main(document, params, client, options):
        async with AsyncClient(**client) as made:
            return await made.action(document, "go", params, **options)

    def run(params, encoding="application/octet-stream", client=None, **options):
        document = Document(service.url(), content={"go": Link("/x/", "put", encoding)})
        link = document["go"].replace(fields=list(params))
        document = document.set("go", link)
        if request.param == "async":
            return asyncio.run(main(document, params, client or {}, options))
        with Client(**(client or {})) as made:
            return made.action(document, "go", params, **options)

    return run


def test_a_large_file_arrives_whole(service, send, path):
    with path.open("rb") as file:
        file.seek(1000)
        send({"file": file})
    assert service.last.body == LARGE[1000:]
    assert service.last.headers["content-length"] == str(SIZE - 1000)
    assert service.last.headers["content-disposition"] == 'attachment; filename="large.bin"'


def test_a_large_part_of_a_form_arrives_whole(service, send, path):
    with path.open("rb") as file:
        send({"a": "text", "file": file}, "multipart/form-data")
    head = f"Content-Type: {service.last.headers['content-type']}\r\n\r\n".encode()
    parts = list(message_from_bytes(head + service.last.body, policy=policy.HTTP).iter_parts())
    assert [part.get_payload(decode=True) for part in parts] == [b"text", LARGE]


def test_a_request_holds_no_file_in_memory(service, tmp_path):
    big = tmp_path / "big.bin"
    with big.open("wb") as file:
        file.truncate(60 * STREAM_FROM)
    with big.open("rb") as file:
        tracemalloc.start()
        document = Document(
            service.url(), content={"go": Link("/x/", "put", "multipart/form-data", fields=["f"])}
        )
        with Client() as client:
            request = client.request(document, "go", {"f": file})
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
        tracemalloc.stop()
        assert len(request.body) > 60 * STREAM_FROM


def test_a_repeated_call_sends_it_again(service, send, path):
    service.mishaps["/x/"] = [lambda handler: handler.fail(503)]
    with path.open("rb") as file:
        send({"file": file}, client={"retry": Retry(backoff=0.001)})
    assert [seen.body for seen in service.seen] == [LARGE, LARGE]


def test_a_redirect_sends_it_again(service, send, path):
    service.redirect("/x/", "/y/", status=307)
    service.answer("/y/", {"ok": 2})
    with path.open("rb") as file:
        assert send({"file": file}) == {"ok": 2}
    assert [seen.body for seen in service.seen] == [LARGE, LARGE]


def test_progress_of_an_upload(service, send, path):
    seen = []
    with path.open("rb") as file:
        send({"file": file}, progress=seen.append)
    uploads = [each for each in seen if each.direction == "upload"]
    assert uploads[-1] == Progress("upload", SIZE, SIZE)
    assert [each.done for each in uploads] == sorted(each.done for each in uploads)
    assert len(uploads) > 10
    assert seen[-1].direction == "download"
    send({"file": File("a.txt", b"small")}, progress=seen.append)
    assert Progress("upload", 5, 5) in seen


def test_a_file_that_shrinks_is_a_network_error(service, send, path):
    with path.open("r+b") as file:

        class Shrinking:
            def before(self, request):
                file.truncate(10)

        with pytest.raises(NetworkError, match="bytes are gone"):
            send({"file": file}, client={"hooks": [Shrinking()]})


def test_what_is_small_or_cannot_be_read_twice_is_read_at_once(tmp_path):
    assert content_of_file(io.BytesIO(b"small")) is None
    assert content_of_file(io.StringIO("x" * SIZE)) is None

    class Pipe(io.RawIOBase):
        def seekable(self):
            return False

    assert content_of_file(Pipe()) is None
    assert content_of_file(object()) is None
    large = content_of_file(io.BytesIO(LARGE))
    assert large is not None
    assert bytes(large) == b"".join(large) == LARGE


def test_parts_are_joined():
    assert joined([b"a", b"b"]) == b"ab"
    mixed = joined([b"a", Content([b"b", b"c"]), b"d"])
    assert isinstance(mixed, Content)
    assert (bytes(mixed), len(mixed)) == (b"abcd", 4)
