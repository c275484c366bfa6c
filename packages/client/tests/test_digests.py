import asyncio
import base64
import gzip
import hashlib

import pytest

from lintel_client import AsyncClient, Client, DigestMismatch, Retry
from lintel_client.digests import verifier_of
from lintel_client.headers import Headers

BODY = b'{"ok": 1}'


def digest(content, algorithm="sha-256"):
    raw = hashlib.new(algorithm.replace("-", ""), content).digest()
    return f"{algorithm}=:{base64.b64encode(raw).decode()}:"


@pytest.fixture(params=["sync", "async"])
def get(request):
    async def main(url, **options):
        async with AsyncClient(**options) as client:
            return await client.get(url)

    def sync_get(url, **options):
        with Client(**options) as client:
            return client.get(url)

    return sync_get if request.param == "sync" else lambda *a, **o: asyncio.run(main(*a, **o))


@pytest.mark.parametrize("header", ["Content_Digest", "Repr_Digest"])
@pytest.mark.parametrize("algorithm", ["sha-256", "sha-512"])
def test_what_arrives_is_checked(service, get, header, algorithm):
    service.answer("/x/", BODY, **{header: digest(BODY, algorithm)})
    assert get(service.url("/x/")) == {"ok": 1}
    service.answer("/x/", BODY, **{header: digest(b"other", algorithm)})
    with pytest.raises(DigestMismatch, match=algorithm) as caught:
        get(service.url("/x/?api_key=secret"))
    assert "secret" not in str(caught.value)


def test_the_strongest_digest_counts(service, get):
    both = f"{digest(b'other')}, md5=:AAAA:, {digest(BODY, 'sha-512')}"
    service.answer("/x/", BODY, Content_Digest=both)
    assert get(service.url("/x/")) == {"ok": 1}


@pytest.mark.parametrize("value", ["", "md5=:AAAA:", "sha-256=nonsense", "sha-256=:A:", "sha-256"])
def test_a_digest_that_cannot_be_read_is_none(service, get, value):
    service.answer("/x/", BODY, Content_Digest=value)
    assert get(service.url("/x/")) == {"ok": 1}


def test_the_digest_is_that_of_the_compressed_content(service, get):
    packed = gzip.compress(BODY)
    service.answer("/x/", packed, Content_Encoding="gzip", Content_Digest=digest(packed))
    assert get(service.url("/x/")) == {"ok": 1}


def test_damaged_content_is_asked_for_again(service, get):
    service.answer("/x/", BODY, Content_Digest=digest(BODY))

    def damaged(handler):
        handler.send_response(200)
        handler.send_header("Content-Digest", digest(BODY))
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", "9")
        handler.end_headers()
        handler.wfile.write(b'{"ok": 2}')
        return True

    service.mishaps["/x/"] = [damaged]
    assert get(service.url("/x/"), retry=Retry(backoff=0.001)) == {"ok": 1}


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 304), ("PUT", 204)])
def test_without_a_body_nothing_is_checked(method, status):
    headers = Headers({"Content-Digest": digest(b"x"), "Repr-Digest": digest(b"x")})
    assert verifier_of(headers, status, method, "x") is None


@pytest.mark.parametrize(("method", "status"), [("POST", 200), ("GET", 206), ("GET", 404)])
def test_the_digest_of_a_whole_is_not_that_of_a_part(method, status):
    assert verifier_of(Headers({"Repr-Digest": digest(b"x")}), status, method, "x") is None
