"""The cache of responses to GET, against a real server that counts what reaches it."""

import asyncio
import json
import multiprocessing
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from email.utils import formatdate

import pytest

from lintel_client import (
    AsyncClient,
    BasicAuthentication,
    Cache,
    Client,
    ClientError,
    HTTPTransport,
    NetworkError,
    NotFound,
    Request,
    Response,
    ServerError,
    TokenAuthentication,
)
from lintel_client.caching.entries import Entry, is_fresh
from lintel_client.headers import Headers
from lintel_document import Document, Link

FRESH = {"Cache_Control": "max-age=60"}
NO_BODY = {"status": 304, "content_type": ""}


@pytest.fixture(params=["memory", "folder"])
def cache(request, tmp_path):
    return Cache() if request.param == "memory" else Cache(tmp_path / "cache")


@pytest.fixture
def client(cache):
    with Client(cache=cache) as client:
        yield client


def document(url):
    content = {name: Link("/a/", name) for name in ("get", "post", "put", "patch", "delete")}
    return Document(url, "T", content=content)


def test_without_a_cache_nothing_is_kept(service):
    service.answer("/a/", 1, **FRESH)
    with Client() as client:
        assert [client.get(service.url("/a/")) for _ in range(2)] == [1, 1]
    assert len(service.seen) == 2


@pytest.mark.parametrize(
    ("headers", "requests"),
    [
        ({"Cache_Control": "max-age=60"}, 1),
        ({"Cache_Control": 'private, max-age="60"'}, 1),
        ({"Cache_Control": "MAX-AGE=60, must-revalidate"}, 1),
        ({"Expires": formatdate(time.time() + 10**6)}, 1),
        ({"Cache_Control": "max-age=60", "Expires": "0"}, 1),
        ({"Cache_Control": "max-age=60", "Vary": "Accept, User-Agent"}, 1),
        ({"Cache_Control": "max-age=60", "Age": "59.5"}, 1),
        ({}, 2),
        ({"Cache_Control": "max-age=60", "Age": "60"}, 2),
        ({"Cache_Control": "max-age=60", "Vary": "*"}, 2),
        ({"Cache_Control": "max-age=60", "Vary": "Accept ,\t* "}, 2),
        ({"Cache_Control": "max-age=60, \tno-store "}, 2),
        ({"Cache_Control": "max-age=60, no-store"}, 2),
        ({"Cache_Control": "no-cache, max-age=60"}, 2),
        ({"Cache_Control": "s-maxage=60"}, 2),
        ({"Cache_Control": "max-age=-60"}, 2),
        ({"Cache_Control": "max-age=soon"}, 2),
        ({"Expires": "0"}, 2),
        ({"Expires": formatdate(time.time() - 600)}, 2),
        ({"Last_Modified": formatdate(time.time() - 10**8)}, 2),
        ({"Cache_Control": "max-age=60", "status": 404}, 2),
        ({"Cache_Control": "max-age=60", "content_type": "text/event-stream"}, 2),
    ],
)
def test_what_is_fresh(service, client, headers, requests):
    service.answer("/a/", {"n": 1}, **headers)
    for _ in range(2):
        with suppress(NotFound):
            client.get(service.url("/a/"))
    assert len(service.seen) == requests


def test_age_is_told_and_cookies_are_not_kept(service, cache):
    service.answer("/a/", 1, Set_Cookie="a=b", **FRESH)
    transport = HTTPTransport(cache=cache)
    request = Request("GET", service.url("/a/"))
    first = transport.send(request)
    assert "Set-Cookie" in first.headers
    first.read(100)
    second = transport.send(request)
    assert (second.status, second.read(100), second.url) == (200, b"1", request.url)
    assert second.headers["Age"] == "0"
    assert "Set-Cookie" not in second.headers
    transport.close()


def test_a_304_renews_what_is_stored(service, client):
    service.answer("/a/", {"n": 1}, ETag='"1"', Last_Modified=formatdate(1), X_Count="1")
    assert client.get(service.url("/a/")) == {"n": 1}
    service.answer("/a/", **NO_BODY, ETag='"1"', X_Count="2", **FRESH)
    assert client.get(service.url("/a/")) == {"n": 1}
    assert service.last.headers["if-none-match"] == '"1"'
    assert service.last.headers["if-modified-since"] == formatdate(1)
    assert client.get(service.url("/a/")) == {"n": 1}
    assert len(service.seen) == 2


def test_a_304_about_another_response_is_asked_again(service, client):
    service.answer("/a/", {"n": 1}, ETag='"1"')
    client.get(service.url("/a/"))

    def other(handler):
        service.answer("/a/", {"n": 2}, ETag='"2"')
        return handler.fail(304, ETag='"2"')

    service.mishaps["/a/"] = [other]
    assert client.get(service.url("/a/")) == {"n": 2}
    assert "if-none-match" not in service.last.headers


@pytest.mark.parametrize("headers", [{"Cache_Control": "no-store"}, {"Vary": "*"}])
def test_a_304_may_forbid_to_store(service, client, cache, headers):
    service.answer("/a/", 1, ETag='"1"')
    assert client.get(service.url("/a/")) == 1
    service.answer("/a/", **NO_BODY, ETag='"1"', **headers)
    assert client.get(service.url("/a/")) == 1
    service.answer("/a/", 2, **headers)
    assert client.get(service.url("/a/")) == 2
    assert "if-none-match" not in service.last.headers


@pytest.mark.parametrize(
    "replacing", [{"Cache_Control": "no-store"}, {"status": 404}, {"status": 410}, {"Vary": "*"}]
)
def test_newer_answers_that_are_not_stored_end_older_ones(service, client, replacing):
    service.answer("/a/", 1, **FRESH)
    assert client.get(service.url("/a/")) == 1
    service.answer("/a/", 2, **replacing)
    for headers in ({"Cache-Control": "no-cache"}, {}):
        with suppress(ClientError):
            assert client.get(service.url("/a/"), headers=headers) == 2
    assert len(service.seen) == 3


def test_answers_from_before_a_write_are_not_kept(service, client):
    began, may_end = threading.Event(), threading.Event()

    def slow(handler):
        began.set()
        may_end.wait(30)
        handler.send_response(200)
        for field in (("Content-Type", "application/json"), ("Cache-Control", "max-age=60")):
            handler.send_header(*field)
        handler.send_header("Content-Length", "1")
        handler.end_headers()
        handler.wfile.write(b"1")
        return True

    service.answer("/a/", 2, **FRESH)
    service.mishaps["/a/"] = [slow]
    with ThreadPoolExecutor(1) as pool:
        early = pool.submit(client.get, service.url("/a/"))
        began.wait(30)
        client.action(document(service.url()), ["put"])
        may_end.set()
        assert early.result() == 1
    assert [client.get(service.url("/a/")) for _ in range(2)] == [2, 2]
    assert [seen.method for seen in service.seen] == ["GET", "PUT", "GET"]


def test_processes_that_share_a_folder_keep_no_answers_from_before_a_write(tmp_path):
    request = Request("GET", "http://x.org/a/")
    fields = Headers({"Cache-Control": "max-age=60"})

    def answers(body):
        return lambda request: Response(200, fields, [body], request.url)

    def is_stored(cache):
        return cache.lookup(request).found() is not None

    one, other = Cache(tmp_path / "c"), Cache(tmp_path / "c")
    early = one.send(request, answers(b"old"))
    other.send(Request("PUT", "http://x.org/a/"), answers(b""))
    assert early.read(9) == b"old"
    assert not is_stored(one)
    assert other.send(request, answers(b"new")).read(9) == b"new"
    assert is_stored(one)
    # A write through the other forgets what this one stored.
    one.send(Request("DELETE", "http://x.org/a/"), answers(b""))
    assert not is_stored(other)


def test_errors_leave_what_is_stored(service, client):
    service.answer("/a/", {"n": 1}, ETag='"1"')
    client.get(service.url("/a/"))
    service.mishaps["/a/"] = [lambda handler: handler.fail(503)]
    with pytest.raises(ServerError):
        client.get(service.url("/a/"))
    service.answer("/a/", **NO_BODY)
    assert client.get(service.url("/a/")) == {"n": 1}


@pytest.mark.parametrize(
    ("directive", "requests"),
    [("no-cache", 2), ("max-age=0", 2), ("no-store", 2), ("min-fresh=120", 2), ("max-stale", 1)],
)
def test_directives_of_requests(service, client, directive, requests):
    service.answer("/a/", 1, **FRESH)
    client.get(service.url("/a/"))
    client.get(service.url("/a/"), headers={"Cache-Control": directive})
    assert len(service.seen) == requests


def test_only_if_cached(service, client):
    service.answer("/a/", 1, **FRESH)
    only = {"Cache-Control": "only-if-cached"}
    with pytest.raises(ServerError) as raised:
        client.get(service.url("/a/"), headers=only)
    assert raised.value.status == 504
    client.get(service.url("/a/"))
    assert client.get(service.url("/a/"), headers=only) == 1
    assert len(service.seen) == 1


@pytest.mark.parametrize(
    ("own", "asked", "age", "fresh"),
    [
        ("max-age=10", "", 9, True),
        ("max-age=10", "", 10, False),
        ("max-age=10", "max-age=5", 6, False),
        ("max-age=10", "min-fresh=5", 4, True),
        ("max-age=10", "min-fresh=5", 6, False),
        ("max-age=10", "max-stale=5", 14, True),
        ("max-age=10", "max-stale=5", 16, False),
        ("max-age=10", "max-stale", 1000, True),
        ("max-age=10, must-revalidate", "max-stale", 11, False),
        ("max-age=10, no-cache", "max-stale", 1, False),
        ("max-age=10", "no-cache", 1, False),
        ("max-age=10", "", -1, False),
    ],
)
def test_freshness(own, asked, age, fresh):
    entry = Entry(Headers({"Cache-Control": own}), b"", 1000, 1000)
    request = Request("GET", "http://x.org/", Headers({"Cache-Control": asked} if asked else {}))
    assert is_fresh(entry, request, 1000 + age) is fresh


def test_no_user_gets_the_answer_of_another(service, cache):
    """Whatever identifies a user: a token, a password, a cookie, a key in a header."""
    service.answer("/a/", 1, Vary="Origin", **FRESH)
    users = [
        {},
        {"auth": TokenAuthentication("Token", "a")},
        {"auth": TokenAuthentication("Token", "b")},
        {"auth": BasicAuthentication("ada", "1")},
    ]
    for options in users:
        with Client(cache=cache, **options) as client:
            client.get(service.url("/a/"))
    headers = [{"X-Key": "a"}, {"X-Key": "b"}, {"Cookie": "s=1"}, {"Tenant": "1"}]
    with Client(cache=cache) as client:
        for fields in headers:
            client.get(service.url("/a/"), headers=fields)
    stored = HTTPTransport({"127.0.0.1": "Token c"}, cache=cache)
    with Client(transports=[stored]) as client:
        client.get(service.url("/a/"))
    assert len(service.seen) == len(users) + len(headers) + 1
    with Client(cache=cache, auth=TokenAuthentication("Token", "b")) as client:
        client.get(service.url("/a/"))
    assert len(service.seen) == len(users) + len(headers) + 1


def test_vary(service, client):
    service.answer("/a/", 1, Vary="User-Agent", **FRESH)
    for agent in ("one", "one", "two"):
        client.get(service.url("/a/"), headers={"User-Agent": agent})
    assert len(service.seen) == 2


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_writes_make_stored_answers_invalid(service, client, method):
    service.answer("/a/", 1, Content_Location="/b/", **FRESH)
    service.answer("/b/", 1, **FRESH)
    urls = [service.url(path) for path in ("/a/", "/a/?page=2", "/b/")]
    for url in urls:
        client.get(url)
    client.action(document(service.url()), method)
    for url in urls:
        client.get(url)
    assert len(service.seen) == 7


def test_failed_writes_and_other_hosts_make_nothing_invalid(service, client):
    service.answer("/a/", 1, **FRESH)
    service.answer("/b/", 1, **FRESH)
    client.get(service.url("/b/"))
    client.get(service.url("/b/", host="localhost"))
    service.answer("/a/", 1, status=500, Content_Location="/b/")
    with pytest.raises(ServerError):
        client.action(document(service.url()), "post")
    service.answer("/a/", 1, Content_Location=service.url("/b/", host="localhost"))
    client.action(document(service.url()), "post")
    client.get(service.url("/b/"))
    client.get(service.url("/b/", host="localhost"))
    assert len(service.seen) == 4


def test_downloads_and_ranges_are_not_kept(service, client, tmp_path):
    service.answer("/a/", 1, **FRESH)
    for _ in range(2):
        client.download(document(service.url()), "get", tmp_path / "file")
        client.get(service.url("/a/"), headers={"If-None-Match": '"x"'})
    assert len(service.seen) == 4


def test_answers_that_break_off_are_not_kept(service, client):
    service.answer("/a/", 1, **FRESH)

    def cut(handler):
        handler.send_response(200)
        handler.send_header("Cache-Control", "max-age=60")
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", "9")
        handler.end_headers()
        handler.wfile.write(b"1")
        return handler.drop()

    service.mishaps["/a/"] = [cut]
    with pytest.raises(NetworkError):
        client.get(service.url("/a/"))
    assert client.get(service.url("/a/")) == 1
    assert len(service.seen) == 2


def test_asynchronous_clients_share_it(service, cache):
    service.answer("/a/", {"n": 1}, ETag='"1"', **FRESH)

    async def main():
        async with AsyncClient(cache=cache) as client:
            found = [await client.get(service.url("/a/")) for _ in range(2)]
            service.answer("/a/", **NO_BODY)
            again = await client.get(service.url("/a/"), headers={"Cache-Control": "no-cache"})
            return [*found, again]

    assert asyncio.run(main()) == [{"n": 1}] * 3
    assert len(service.seen) == 2
    with Client(cache=cache) as client:
        # A directive of the caller is no part of the key.
        assert client.get(service.url("/a/")) == {"n": 1}


@pytest.mark.parametrize("kind", ["memory", "folder"])
def test_the_size_is_bounded(service, tmp_path, kind):
    cache = Cache(None if kind == "memory" else tmp_path / "c", max_size=400_000)
    for number in range(30):
        service.answer(f"/{number}/", "x" * 50_000, content_type="text/plain", **FRESH)
    service.answer("/large/", "x" * 150_000, content_type="text/plain", **FRESH)
    with Client(cache=cache) as client:
        for number in range(30):
            client.get(service.url(f"/{number}/"))
            client.get(service.url("/0/"))
        client.get(service.url("/29/"))
        assert len(service.seen) == 30
        client.get(service.url("/1/"))
        for _ in range(2):
            client.get(service.url("/large/"))
    assert len(service.seen) == 33
    if kind == "folder":
        sizes = [each.stat().st_size for each in (tmp_path / "c").rglob("*") if each.is_file()]
        assert sum(sizes) <= 460_000


@pytest.mark.parametrize("kind", ["memory", "folder"])
def test_headers_count_as_well(service, tmp_path, kind):
    cache = Cache(tmp_path / "cache" if kind == "folder" else None, max_size=400_000)
    headers = {f"X_{number}": "x" * 900 for number in range(40)}
    with Client(cache=cache) as client:
        for number in range(30):
            service.answer(f"/{number}", {}, Cache_Control="max-age=60", **headers)
            client.get(service.url(f"/{number}"))
        service.seen.clear()
        for number in range(30):
            client.get(service.url(f"/{number}"))
    assert len(service.seen) >= 18


def test_files_are_private_and_hold_no_credential(service, tmp_path):
    service.answer("/a/", {"n": 1}, **FRESH)
    folder = tmp_path / "cache"
    for _ in range(2):
        with Client(cache=Cache(folder), auth=TokenAuthentication("Token", "s3cret")) as client:
            client.get(service.url("/a/?key=s3cret"))
    assert len(service.seen) == 1
    files = [each for each in folder.rglob("*") if each.is_file()]
    assert len(files) == 2
    for each in files:
        assert stat.S_IMODE(each.stat().st_mode) == 0o600
        assert b"s3cret" not in each.read_bytes()
    for each in (folder, *(each.parent for each in files)):
        assert stat.S_IMODE(each.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"{", b"[]\n", b"[1, 3, [0, 0], [], []]\n1", b"\xff", b"[" * 100_000 + b"\n"),
        b"[1, 1, [1" + b"0" * 400 + b", 0], [], []]\n1",
        b"[1, 1, [NaN, NaN], [], []]\n1",
    ],
)
def test_damaged_files_are_misses(service, tmp_path, content):
    service.answer("/a/", 1, **FRESH)
    with Client(cache=Cache(tmp_path / "c")) as client:
        client.get(service.url("/a/"))
        [stored] = [each for each in (tmp_path / "c").rglob("*/*") if each.is_file()]
        stored.write_bytes(content)
        assert client.get(service.url("/a/")) == 1
        assert client.get(service.url("/a/")) == 1
    assert len(service.seen) == 2


def test_folders_of_others_are_refused(tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "file").touch()
    for name in ("open", "file"):
        with pytest.raises(ValueError, match="name another"):
            Cache(tmp_path / name)


def test_a_folder_that_cannot_be_written_stops_no_call(service, tmp_path):
    (tmp_path / "file").touch()
    service.answer("/a/", 1, **FRESH)
    with Client(cache=Cache(tmp_path / "file" / "below")) as client:
        assert [client.get(service.url("/a/")) for _ in range(2)] == [1, 1]


def _put_and_get(folder, number):
    cache = Cache(folder, max_size=300_000)
    sent = 0
    for turn in range(60):
        request = Request("GET", f"http://x.org/{(number + turn) % 9}")
        lookup = cache.lookup(request)
        found = lookup.found()
        if found is None:
            sent += 1
            text = json.dumps(request.url * 900).encode()
            response = Response(200, Headers({"Cache-Control": "max-age=60"}), [text])
            assert b"".join(lookup.keeper(response).kept(response.body)) == text
        else:
            assert json.loads(found[1]) == request.url * 900
        if turn % 7 == 0:
            cache.forget(request.url)
    return sent


def test_several_processes_share_a_folder(tmp_path):
    with multiprocessing.get_context("spawn").Pool(3) as processes:
        arguments = [(tmp_path / "c", number) for number in range(3)]
        sent = processes.starmap(_put_and_get, arguments)
    assert 9 <= sum(sent) < 180
    assert not list((tmp_path / "c").rglob("tmp*"))


def test_processes_that_start_together_share_the_secret_of_a_folder(tmp_path):
    def secret(folder, barrier):
        barrier.wait(30)
        return Cache(folder).store.secret

    for folder in (tmp_path / str(at) for at in range(30)):
        barrier = threading.Barrier(8)
        with ThreadPoolExecutor(8) as pool:
            made = [pool.submit(secret, folder, barrier) for _ in range(8)]
            assert len({each.result() for each in made}) == 1


def test_threads_share_a_client(service, client):
    service.answer("/a/", {"n": 1}, **FRESH)
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(client.get, [service.url("/a/")] * 40))
    assert answers == [{"n": 1}] * 40
    assert len(service.seen) <= 8


def test_where_a_cache_is_given():
    with pytest.raises(ValueError, match=r"HTTPTransport\(cache"):
        Client(transports=[HTTPTransport()], cache=Cache())
    import httpx2

    with httpx2.Client() as session, pytest.raises(ValueError, match="cannot see"):
        Client(session=session, cache=Cache())
