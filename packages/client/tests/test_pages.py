"""Pages are followed in every style, by both clients, and credentials stay on their host."""

import asyncio
import itertools

import pytest

from lintel_client import (
    AsyncClient,
    Client,
    LinkLookupError,
    NetworkError,
    NotFound,
    ParameterError,
    ParseError,
    Retry,
    TokenAuthentication,
)
from lintel_document import Document, Field, Link
from lintel_document.operations import Pagination

AUTH = TokenAuthentication("Token", "t")
FIELDS = ["page", "limit", "offset", "cursor", "starting_after", Field("X-Key", location="header")]


@pytest.fixture
def document(service):
    links = {"list": Link("/l/", fields=FIELDS), "search": Link("/l/", "post", fields=["q"])}
    return Document(service.url(), content=links)


@pytest.fixture(params=["sync", "async"])
def walk(request, document):
    """All items of a list and their total."""

    def sync_walk(params=None, keys="list", retry=None, **options):
        with Client(AUTH, retry=retry) as client:
            pages = client.pages(document, keys, params, **options)
            assert pages.total is None
            return list(pages), pages.total

    async def async_walk(params=None, keys="list", retry=None, **options):
        async with AsyncClient(AUTH, retry=retry) as client:
            pages = client.apages(document, keys, params, **options)
            assert pages.total is None
            return [item async for item in pages], pages.total

    if request.param == "sync":
        return sync_walk
    return lambda *arguments, **options: asyncio.run(async_walk(*arguments, **options))


def envelope(service, path, items, following, count=5):
    after = following and service.url(following)
    service.answer(path, {"count": count, "next": after, "previous": None, "results": items})


def test_the_envelope_of_our_services(service, walk):
    envelope(service, "/l/", [1, 2], "/l/?page=2")
    envelope(service, "/l/?page=2", [3, 4], "/l/?page=3")
    envelope(service, "/l/?page=3", [5], None)
    assert walk({"X-Key": "k"}) == ([1, 2, 3, 4, 5], 5)
    for seen in service.seen:
        assert (seen.headers["authorization"], seen.headers["x-key"]) == ("Token t", "k")
    assert len(service.seen) == 3


def test_nested_links(service, walk):
    links = {"next": service.url("/l/?page=2"), "previous": None}
    service.answer("/l/", {"links": links, "count": 3, "results": [1, 2]})
    service.answer("/l/?page=2", {"links": {"next": None}, "count": 3, "results": [3]})
    assert walk() == ([1, 2, 3], 3)


def test_the_link_header(service, walk):
    more = '</l/?page=1>; rel=prev, <?page=2>; title="a, <b>; c"; rel="first NEXT"'
    service.answer("/l/", [1, 2], Link=more, X_Total_Count="3")
    service.answer("/l/?page=2", [3], Link='</l/>; rel="prev"')
    assert walk() == ([1, 2, 3], 3)


@pytest.mark.parametrize(
    ("first", "last"),
    [
        (
            {"_links": {"next": {"href": "/l/?p=2"}}, "_embedded": {"ea:order": [1]}},
            {"_embedded": {"ea:order": [2]}},
        ),
        ({"@odata.nextLink": "?p=2", "value": [1]}, {"value": [2]}),
        ({"data": [1], "links": {"next": "/l/?p=2"}}, {"data": [2], "links": {}}),
        ({"data": [1], "paging": {"next": "/l/?p=2"}}, {"data": [2], "paging": {}}),
        ({"users": [1], "next_page_url": "/l/?p=2"}, {"users": [2], "next_page_url": None}),
        ({"data": {"items": [1]}, "next": "/l/?p=2"}, {"data": {"items": [2]}}),
    ],
)
def test_foreign_styles(service, walk, first, last):
    service.answer("/l/", first)
    service.answer("/l/?p=2", last)
    assert walk() == ([1, 2], None)


def test_tokens_go_into_the_parameter_that_takes_them(service, walk):
    service.answer("/l/?limit=1", {"items": [1], "next_cursor": "a b/="})
    service.answer("/l/?limit=1&cursor=a%20b%2F%3D", {"items": [2], "next_cursor": ""})
    assert walk({"limit": 1})[0] == [1, 2]
    service.answer("/l/", {"data": [{"id": 7}], "has_more": True})
    hint = Pagination("cursor", parameter="starting_after")
    service.answer("/l/?starting_after=7", {"data": [{"id": 8}], "has_more": False})
    assert walk(pagination=hint)[0] == [{"id": 7}, {"id": 8}]


def test_hints(service, walk):
    service.answer("/l/", {"a": {"b": [1]}, "z": [], "meta": {"more": "/l/?x=2", "n": 2}})
    service.answer("/l/?x=2", {"a": {"b": [2]}, "z": [], "meta": {"more": None}})
    hint = Pagination("link", items="a.b", next="meta.more", total="meta.n")
    assert walk(pagination=hint) == ([1, 2], 2)


def test_numbers_of_pages_and_offsets(service, walk):
    for number, items in enumerate([[1, 2], [3], []], 1):
        service.answer(f"/l/?page={number}", items)
    service.answer("/l/", [1, 2])
    assert walk(pagination=Pagination("page", parameter="page"))[0] == [1, 2, 3]
    assert service.last.path == "/l/?page=3"
    sized = {"pagination": Pagination("page", parameter="page", size="limit")}
    service.answer("/l/?page=2&limit=2", [3])
    service.answer("/l/?limit=2", [1, 2])
    assert walk({"limit": 2}, **sized)[0] == [1, 2, 3]
    assert service.last.path == "/l/?page=2&limit=2"
    service.answer("/l/", {"items": [1, 2], "total": 3})
    service.answer("/l/?offset=2", {"items": [3], "total": 3})
    assert walk(pagination=Pagination("offset", parameter="offset")) == ([1, 2, 3], 3)
    assert service.last.path == "/l/?offset=2"


def test_a_link_carries_its_hint(service):
    service.answer("/l/", {"rows": [1], "more": [], "total": 1})
    link = Link("/l/", pagination=Pagination("link", items="rows"))
    with Client() as client:
        assert list(client.pages(Document(service.url(), content={"l": link}), "l")) == [1]


def test_a_link_that_comes_again_ends_it(service, walk):
    envelope(service, "/l/", [1], "/l/?page=2")
    envelope(service, "/l/?page=2", [2], "/l/")
    assert walk()[0] == [1, 2]
    envelope(service, "/l/", [1], "/l/")
    assert walk()[0] == [1]


def test_nothing_secret_follows_a_link_to_another_host(service, walk):
    elsewhere = service.url("/l/?page=2", host="localhost")
    service.answer("/l/", {"next": elsewhere, "results": [1]})
    service.answer("/l/?page=2", {"next": service.url("/l/?page=3"), "results": [2]})
    service.answer("/l/?page=3", {"next": None, "results": [3]})
    assert walk({"X-Key": "k"}, headers={"X-Once": "o"})[0] == [1, 2, 3]
    first, second, third = service.seen
    assert {"authorization", "x-key", "x-once"} <= set(first.headers)
    assert not {"authorization", "x-key", "x-once"} & set(second.headers)
    assert {"authorization", "x-key"} <= set(third.headers)


def test_a_search_is_repeated_with_its_body_at_home_alone(service, walk):
    service.answer("/l/", {"next": "/l/?page=2", "results": [1]})
    elsewhere = service.url("/l/?page=3", host="localhost")
    service.answer("/l/?page=2", {"next": elsewhere, "results": [2]})
    service.answer("/l/?page=3", {"next": None, "results": [3]})
    assert walk({"q": "x"}, keys="search")[0] == [1, 2, 3]
    first, second, third = service.seen
    assert (second.method, second.body) == ("POST", first.body)
    assert (third.method, third.body) == ("GET", b"")


def test_pages_are_fetched_while_items_are_read(service, document):
    envelope(service, "/l/", [1, 2], "/l/?page=2")
    envelope(service, "/l/?page=2", [3, 4], None)
    with Client() as client:
        pages = client.pages(document, "list")
        assert service.seen == []
        assert list(itertools.islice(pages, 2)) == [1, 2]
        assert (len(service.seen), pages.total) == (1, 5)
        assert list(pages) == [1, 2, 3, 4]
        assert list(pages) == [1, 2, 3, 4]


def test_mistakes_and_errors(service, document, walk):
    with Client() as client:
        with pytest.raises(LinkLookupError):
            client.pages(document, "gone")
        with pytest.raises(ParameterError):
            client.pages(document, "list", {"colour": 1})
    with pytest.raises(NotFound):
        walk()
    service.answer("/l/", {"id": 1, "name": "one"})
    with pytest.raises(ParseError, match="holds no list"):
        walk()
    service.answer("/l/", {"a": [1], "b": [2]})
    with pytest.raises(ParseError, match="holds no list"):
        walk()
    service.answer("/l/", {"results": [1], "next": "ftp://x.org/"})
    with pytest.raises(NetworkError, match="ftp"):
        walk()
    service.answer("/l/", b"", status=204)
    assert walk() == ([], None)


def test_each_page_is_tried_again(service, walk):
    envelope(service, "/l/", [1], "/m/")
    envelope(service, "/m/", [2], None)
    service.mishaps["/m/"] = [lambda handler: handler.cut()]
    assert walk(retry=Retry(backoff=0.001))[0] == [1, 2]


def test_documents_are_pages_too(service, walk):
    more = Link(service.url("/l/?page=2"))
    service.answer("/l/", Document(service.url("/l/"), content={"results": [1], "next": more}))
    service.answer("/l/?page=2", Document(service.url("/l/"), content={"results": [2]}))
    assert walk()[0] == [1, 2]
