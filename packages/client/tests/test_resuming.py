"""Downloads resume where they stopped, against a real server that interrupts them."""

import asyncio
import hashlib
from base64 import b64encode

import pytest

from lintel_client import (
    AsyncClient,
    Client,
    ConnectionFailed,
    DigestMismatch,
    NetworkError,
    NotFound,
    Progress,
    Retry,
)
from lintel_document import Document, Field, Link

CONTENT = bytes(range(256)) * 1000
HALF = 100_000
DIGEST = f"sha-256=:{b64encode(hashlib.sha256(CONTENT).digest()).decode()}:"


class Files:
    """Serves one file with ranges; each entry of `cuts` ends one response after some bytes."""

    def __init__(self, service):
        self.content = CONTENT
        self.headers = {"ETag": '"v1"', "Content-Type": "application/zip"}
        self.cuts = []
        self.with_ranges = True
        service.mishaps["/f/a.zip"] = self
        self.ranges = []

    def pop(self, position):
        return self.answer

    def answer(self, handler):
        wanted = handler.headers.get("Range")
        self.ranges.append(wanted)
        fits = handler.headers.get("If-Range") == self.headers.get("ETag", "no")
        start = int(wanted[6:-1]) if wanted and self.with_ranges and fits else 0
        if start >= len(self.content):
            handler.send_response(416)
            handler.send_header("Content-Range", f"bytes */{len(self.content)}")
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return True
        handler.send_response(206 if start else 200)
        if start:
            place = f"bytes {start}-{len(self.content) - 1}/{len(self.content)}"
            handler.send_header("Content-Range", place)
        for name, value in self.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(self.content) - start))
        handler.end_headers()
        cut = self.cuts.pop(0) if self.cuts else None
        handler.wfile.write(self.content[start:][:cut])
        return handler.drop() if cut else True


@pytest.fixture
def files(service):
    return Files(service)


@pytest.fixture(params=["sync", "async"])
def download(request, service):
    link = Link("/f/{name}", fields=[Field("name", True, "path")])
    document = Document(service.url(), content={"file": link})

    async def main(path, client, **options):
        async with AsyncClient(**client) as made:
            return await made.download(document, "file", path, {"name": "a.zip"}, **options)

    def run(path, retry=None, **options):
        client = {"retry": retry}
        if request.param == "async":
            return asyncio.run(main(path, client, **options))
        with Client(**client) as made:
            return made.download(document, "file", path, {"name": "a.zip"}, **options)

    return run


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_arrives_under_its_name(files, download, tmp_path):
    path = tmp_path / "b.zip"
    path.write_bytes(b"old")
    done = download(path)
    assert (done.path, done.content_type) == (path, "application/zip")
    assert path.read_bytes() == CONTENT
    assert names(tmp_path) == ["b.zip"]


def test_in_a_folder_nothing_is_overwritten(files, download, tmp_path):
    (tmp_path / "a.zip").write_bytes(b"old")
    assert download(tmp_path).path == tmp_path / "a (1).zip"
    files.headers["Content-Disposition"] = 'attachment; filename="../n.zip"'
    assert download(tmp_path).path == tmp_path / "n.zip"
    assert names(tmp_path) == ["a (1).zip", "a.zip", "n.zip"]


def test_a_later_call_goes_on(files, download, tmp_path):
    files.cuts = [HALF]
    with pytest.raises(ConnectionFailed):
        download(tmp_path / "a.zip")
    part = (tmp_path / "a.zip.part").stat().st_size
    assert 0 < part <= HALF
    assert download(tmp_path / "a.zip").read() == CONTENT
    assert files.ranges == [None, f"bytes={part}-"]
    assert names(tmp_path) == ["a.zip"]


def test_a_retry_goes_on(files, download, tmp_path):
    files.cuts = [HALF, 50_000]
    files.headers["Repr-Digest"] = DIGEST
    done = download(tmp_path / "a.zip", retry=Retry(backoff=0.001))
    assert done.read() == CONTENT
    assert [bool(each) for each in files.ranges] == [False, True, True]


def test_another_version_is_fetched_from_the_start(files, download, tmp_path):
    files.cuts = [HALF]
    with pytest.raises(ConnectionFailed):
        download(tmp_path / "a.zip")
    files.content, files.headers["ETag"] = CONTENT[::-1], '"v2"'
    assert download(tmp_path / "a.zip").read() == CONTENT[::-1]
    assert files.ranges[1]


def test_a_server_without_ranges_sends_all_again(files, download, tmp_path):
    files.with_ranges = False
    files.cuts = [HALF]
    assert download(tmp_path / "a.zip", retry=Retry(backoff=0.001)).read() == CONTENT


@pytest.mark.parametrize("etag", ['W/"weak"', ""])
def test_without_a_validator_nothing_is_kept(files, download, tmp_path, etag):
    files.headers["ETag"] = etag
    files.cuts = [HALF]
    with pytest.raises(ConnectionFailed):
        download(tmp_path / "a.zip")
    assert names(tmp_path) == []


def test_what_is_kept_names_no_address(files, download, tmp_path):
    files.cuts = [HALF]
    with pytest.raises(ConnectionFailed):
        download(tmp_path / "a.zip")
    assert "http" not in (tmp_path / "a.zip.part.json").read_text()


def test_resume_can_be_off(files, download, tmp_path):
    files.cuts = [HALF]
    with pytest.raises(ConnectionFailed):
        download(tmp_path / "a.zip")
    download(tmp_path / "a.zip", resume=False)
    assert files.ranges == [None, None]


def test_a_part_that_is_complete_or_too_long(files, download, tmp_path):
    files.cuts = [HALF]
    with pytest.raises(ConnectionFailed):
        download(tmp_path / "a.zip")
    part = tmp_path / "a.zip.part"
    part.write_bytes(CONTENT)
    assert download(tmp_path / "a.zip").read() == CONTENT
    assert files.ranges[1:] == [f"bytes={len(CONTENT)}-"]
    files.cuts = [HALF]
    with pytest.raises(ConnectionFailed):
        download(tmp_path / "a.zip")
    part.write_bytes(CONTENT + b"more")
    assert download(tmp_path / "a.zip").read() == CONTENT


def test_a_whole_of_two_parts_is_checked(files, download, tmp_path):
    files.headers["Repr-Digest"] = DIGEST
    files.cuts = [HALF]
    with pytest.raises(ConnectionFailed):
        download(tmp_path / "a.zip")
    part = tmp_path / "a.zip.part"
    part.write_bytes(b"x" * part.stat().st_size)
    with pytest.raises(DigestMismatch):
        download(tmp_path / "a.zip")
    assert names(tmp_path) == []


def test_damaged_notes_start_anew(files, download, tmp_path):
    (tmp_path / "a.zip.part").write_bytes(b"x" * 10)
    for notes in (
        "",
        "[1]",
        '{"source": 1, "validator": 2}',
        '{"source": "y", "validator": "\\"v1\\""}',
    ):
        (tmp_path / "a.zip.part.json").write_text(notes)
        assert download(tmp_path / "a.zip").read() == CONTENT
    assert set(files.ranges) == {None}


def test_errors_leave_nothing(service, download, tmp_path):
    with pytest.raises(NotFound) as caught:
        download(tmp_path / "a.zip")
    assert caught.value.messages == {"detail": ["Not found."]}
    service.answer("/f/a.zip", b"x", status=206, Content_Range="bytes 5-5/9")
    with pytest.raises(NetworkError, match="was not requested"):
        download(tmp_path / "a.zip")
    assert names(tmp_path) == []


def test_progress_counts_what_was_there(files, download, tmp_path):
    seen = []
    files.cuts = [HALF]
    download(tmp_path / "a.zip", retry=Retry(backoff=0.001), progress=seen.append)
    assert seen[-1] == Progress("download", len(CONTENT), len(CONTENT))
    assert [each.done for each in seen] == sorted(each.done for each in seen)
