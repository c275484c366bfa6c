"""Sessions of the user send requests; hooks inspect them; both with both clients."""

import asyncio
from dataclasses import replace

import httpx2
import pytest

from lintel_client import AsyncClient, Client, HTTPTransport, TokenAuthentication
from lintel_client.headers import Headers
from lintel_document import Document, Link


@pytest.fixture(params=["sync", "async"])
def get(request):
    """Get a URL with a client of either kind; a session is made from arguments, and closed."""

    def sync_get(url, session=None, **options):
        made = httpx2.Client(**session) if session is not None else None
        with Client(session=made, **options) as client:
            result = client.get(url)
        if made:
            assert not made.is_closed
            made.close()
        return result

    async def async_get(url, session=None, **options):
        made = httpx2.AsyncClient(**session) if session is not None else None
        async with AsyncClient(session=made, **options) as client:
            result = await client.get(url)
        if made:
            assert not made.is_closed
            await made.aclose()
        return result

    if request.param == "sync":
        return sync_get
    return lambda *arguments, **options: asyncio.run(async_get(*arguments, **options))


def test_a_session_sends(service, get):
    service.answer("/x/", {"ok": 1})
    session = {"headers": {"X-Mine": "1"}, "cookies": {"c": "2"}, "auth": ("ada", "pw")}
    assert get(service.url("/x/"), session) == {"ok": 1}
    seen = service.last.headers
    assert (seen["x-mine"], seen["cookie"]) == ("1", "c=2")
    assert seen["authorization"].startswith("Basic ")
    assert seen["user-agent"].startswith("lintel/")


def test_what_a_session_adds_stays_at_home(service, get):
    service.redirect("/x/", service.url("/end", host="localhost"))
    service.answer("/end", {"ok": 1})
    session = {
        "headers": {"X-Mine": "1", "Authorization": "Token s"},
        "cookies": {"c": "2"},
        "follow_redirects": True,
    }
    assert get(service.url("/x/"), session) == {"ok": 1}
    assert service.seen[-2].headers["authorization"] == "Token s"
    assert not {"x-mine", "cookie", "authorization"} & set(service.last.headers)


def test_a_session_and_transports_exclude_each_other():
    with httpx2.Client() as session, pytest.raises(ValueError, match="not both"):
        Client(session=session, transports=[HTTPTransport()])


class Watch:
    def __init__(self):
        self.requests = []
        self.answers = []

    def before(self, request):
        self.requests.append(request)

    def after(self, request, response):
        self.answers.append((request.headers.get("Authorization"), response.status))


def test_hooks_see_each_request(service, get):
    service.redirect("/x/", "/end")
    service.answer("/end", {})
    watch = Watch()
    get(service.url("/x/"), hooks=[watch], auth=TokenAuthentication("Token", "t"))
    assert [request.url for request in watch.requests] == [service.url("/x/"), service.url("/end")]
    assert all("Authorization" not in request.headers for request in watch.requests)
    assert watch.answers == [("Token t", 302), ("Token t", 200)]


class Elsewhere:
    """Sends a request meant for one host to another one."""

    def before(self, request):
        headers = Headers([*request.headers.pairs(), ("X-Trace", "1")])
        return replace(request, url=request.url.replace("127.0.0.1", "localhost"), headers=headers)


def test_a_hook_may_change_a_request_but_not_who_may_see_credentials(service, get):
    service.answer("/x/", {})
    get(service.url("/x/"), hooks=[Elsewhere()], auth=TokenAuthentication("Token", "t"))
    assert service.last.headers["x-trace"] == "1"
    assert "authorization" not in service.last.headers


def test_hooks_of_an_asynchronous_client_may_wait(service):
    service.answer("/x/", {})
    seen = []

    class Slow:
        async def after(self, request, response):
            await asyncio.sleep(0)
            seen.append(response.status)

    async def main():
        async with AsyncClient(hooks=[Slow()]) as client:
            await client.get(service.url("/x/"))

    asyncio.run(main())
    assert seen == [200]


def test_a_hook_that_fails_closes_the_response(service):
    service.answer("/x/", {})

    class Broken:
        def after(self, request, response):
            raise RuntimeError("broken")

    with httpx2.Client() as session:
        client = Client(session=session, hooks=[Broken()])
        with pytest.raises(RuntimeError, match="broken"):
            client.get(service.url("/x/"))
        assert not [c for c in session._transport._pool.connections if not c.is_idle()]


def test_headers_of_one_call(service):
    service.answer("/x/", {})
    document = Document(service.url(), content={"go": Link("/x/")})
    with Client() as client:
        client.action(document, "go", headers={"X-Once": "1"})
        assert service.last.headers["x-once"] == "1"
        client.action(document, "go")
        assert "x-once" not in service.last.headers
        with pytest.raises(ValueError, match="belongs to each request"):
            client.action(document, "go", headers={"Host": "evil.example"})
        with pytest.raises(ValueError, match="line break"):
            client.action(document, "go", headers={"X-Once": "a\nb"})


def test_http_2_names_its_extra(monkeypatch):
    monkeypatch.setattr("lintel_client.transports.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"lintel-client\[http2\]"):
        HTTPTransport(http2=True)
