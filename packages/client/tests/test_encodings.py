"""Compressed content is whole, or an error that names its URL."""

import gzip
import zlib

import anyio
import pytest

from lintel_client import AsyncClient, Client, ConnectionFailed, NetworkError
from lintel_client.encodings import PIECE, inflater_for

BODY = b'{"ok": 1}'
RAW = zlib.compressobj(wbits=-15)
PACKED = {
    "gzip": gzip.compress(BODY),
    "deflate": zlib.compress(BODY),
    "raw": RAW.compress(BODY) + RAW.flush(),
}


def decoded(coding, packed, size):
    inflater = inflater_for(coding, "https://x.org/a")
    found = [
        piece
        for at in range(0, len(packed), size)
        for piece in inflater.feed(packed[at : at + size])
    ]
    inflater.end()
    return b"".join(found)


def asked(is_async, url):
    if not is_async:
        with Client() as client:
            return client.get(url)

    async def ask():
        async with AsyncClient() as client:
            return await client.get(url)

    return anyio.run(ask)


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
@pytest.mark.parametrize("name", PACKED)
def test_content_in_pieces(name, size):
    assert decoded(name.replace("raw", "deflate"), PACKED[name], size) == BODY


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_members_follow_each_other_and_padding_is_ignored(size):
    packed = gzip.compress(b"one ") + gzip.compress(b"two")
    assert decoded("gzip", packed, size) == b"one two"
    assert decoded("gzip", packed + bytes(20), size) == b"one two"
    assert decoded("x-gzip", packed + b"\x1f", size) == b"one two"


def test_a_small_chunk_is_decoded_in_bounded_pieces():
    body = bytes(5 * PIECE + 77)
    inflater = inflater_for("GZIP ", "")
    pieces = list(inflater.feed(gzip.compress(body)))
    inflater.end()
    assert sum(map(len, pieces)) == len(body)
    assert max(map(len, pieces)) == PIECE


def test_other_encodings_and_nothing():
    assert inflater_for("br", "") is None
    assert inflater_for("", "") is None
    assert inflater_for("gzip, gzip", "") is None
    assert decoded("gzip", b"", 1) == b""


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("name", PACKED)
def test_content_that_breaks_off_is_an_error_with_its_url(service, is_async, name):
    coding = name.replace("raw", "deflate")
    url = service.url("/x/?api_key=secret")
    service.answer("/x/", PACKED[name], Content_Encoding=coding)
    assert asked(is_async, url) == {"ok": 1}
    for left in (1, 3, len(PACKED[name]) - 1):
        service.answer("/x/", PACKED[name][:left], Content_Encoding=coding)
        with pytest.raises(ConnectionFailed, match=r"/x/ broke off") as caught:
            asked(is_async, url)
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize("is_async", [False, True])
def test_content_that_is_not_compressed_is_an_error_with_its_url(service, is_async):
    service.answer("/x/", BODY, Content_Encoding="gzip")
    with pytest.raises(NetworkError, match=r"/x/ is not gzip"):
        asked(is_async, service.url("/x/"))
