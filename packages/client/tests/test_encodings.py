"""Compressed content is whole, or an error that names its URL."""

import gzip
import tracemalloc
import zlib

import anyio
import pytest

from lintel_client import AsyncClient, Client, ConnectionFailed, NetworkError
from lintel_client.encodings import inflater_for, inflating
from lintel_client.encodings.decoding import PIECE, first_library

BODY = b'{"ok": 1}'
RAW = zlib.compressobj(wbits=-15)
PACKED = {
    "gzip": gzip.compress(BODY),
    "deflate": zlib.compress(BODY),
    "raw": RAW.compress(BODY) + RAW.flush(),
}
BROTLI = first_library("brotli", "brotlicffi")
ZSTD = first_library("compression.zstd", "backports.zstd")
if BROTLI:
    PACKED["br"] = BROTLI.compress(BODY)
if ZSTD:
    PACKED["zstd"] = ZSTD.compress(BODY)


def decoded(coding, packed, size):
    inflater = inflater_for(coding, "https://x.org/a")
    found = [
        piece
        for at in range(0, len(packed), size)
        for piece in inflater.feed(packed[at : at + size])
    ]
    inflater.end()
    return b"".join(found)


def asked(is_async, url, **options):
    if not is_async:
        with Client(**options) as client:
            return client.get(url)

    async def ask():
        async with AsyncClient(**options) as client:
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


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_a_small_chunk_is_decoded_in_bounded_pieces(coding):
    body = bytes(5 * PIECE + 77)
    inflater = inflater_for(f"{coding.upper()} ", "")
    pieces = list(inflater.feed(compressor(coding)(body)))
    inflater.end()
    assert sum(map(len, pieces)) == len(body)
    assert max(map(len, pieces)) <= PIECE


def compressor(coding):
    if coding == "gzip":
        return gzip.compress
    library = {"br": BROTLI, "zstd": ZSTD}[coding] or pytest.skip(f"{coding} is not installed")
    return library.compress


def test_frames_of_zstd_follow_each_other():
    compress = compressor("zstd")
    for size in (1, 3, 1000):
        assert decoded("zstd", compress(b"one ") + compress(b"two"), size) == b"one two"
        with pytest.raises(ConnectionFailed, match="zstd content has no end"):
            decoded("zstd", compress(b"one ") + compress(b"two")[:-3], size)


def test_a_window_of_zstd_takes_no_memory_that_browsers_would_refuse():
    """RFC 9659: 8 MiB at most."""
    options = {ZSTD.CompressionParameter.window_log: 27} if compressor("zstd") else {}
    packer = ZSTD.ZstdCompressor(options=options)
    packed = packer.compress(bytes(1 << 24), packer.FLUSH_BLOCK) + packer.flush()
    with pytest.raises(NetworkError, match="is not zstd"):
        decoded("zstd", packed, len(packed))


def test_nothing_follows_brotli():
    packed = compressor("br")(b"one")
    for size in (1, 1000):
        with pytest.raises(NetworkError, match="is not br"):
            decoded("br", packed + b"more", size)


def test_codings_are_undone_from_the_last():
    packed = zlib.compress(gzip.compress(BODY))
    assert decoded("gzip, identity,deflate", packed, 5) == BODY
    with pytest.raises(ConnectionFailed, match="gzip content has no end"):
        decoded("gzip, deflate", zlib.compress(gzip.compress(BODY)[:-1]), 5)
    with pytest.raises(ConnectionFailed, match="deflate content has no end"):
        decoded("gzip, deflate", packed[:-1], 5)
    with pytest.raises(NetworkError, match="more than 5 times"):
        inflater_for(", ".join(["gzip"] * 6), "https://x.org/")


def test_a_coding_without_its_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(inflating.LIBRARIES, "br", False)
    with pytest.raises(NetworkError, match=r"x.org/a .* br: install lintel-client\[compression\]"):
        inflater_for("br", "https://x.org/a")


def test_other_encodings_and_nothing():
    assert inflater_for("compress", "") is None
    assert inflater_for("", "") is None
    assert inflater_for("identity", "") is None
    assert inflater_for("gzip, compress", "") is None
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


@pytest.mark.parametrize("is_async", [False, True])
def test_a_bomb_is_refused_before_it_takes_memory(service, is_async):
    """64 MB of zeros, which are 64 kB when compressed, against a limit of a megabyte."""
    squeezer = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(1024 * 1024)
    packed = b"".join(squeezer.compress(zeros) for _ in range(64)) + squeezer.flush()
    service.answer("/bomb", packed, content_type="application/json", Content_Encoding="gzip")
    tracemalloc.start()
    try:
        with pytest.raises(NetworkError, match="larger than 1000000 bytes"):
            asked(is_async, service.url("/bomb"), max_body=1_000_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 16 * 1024 * 1024
