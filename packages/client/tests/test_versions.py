import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintel_client import AsyncClient, Client, NetworkError, TokenAuthentication, Version
from lintel_client.headers import Headers
from lintel_client.messages import Request
from lintel_client.versions import with_version
from lintel_document import Document, Field, Link

AUTH = TokenAuthentication("Token", "t")


def request(link, version, params=None, url="https://x.org/", auth=AUTH):
    document = Document(url, content={"go": link})
    built = Client(auth, version=version).request(document, "go", params)
    assert AsyncClient(auth, version=version).request(document, "go", params) == built
    return built


def test_the_accept_header_says_it_by_default():
    built = request(Link("/bookings/"), "v2")
    assert built.url == "https://x.org/bookings/"
    assert built.headers["Accept"].startswith("application/coreapi+json; version=v2, ")
    assert built.headers["Accept"].endswith(", */*; version=v2;q=0.1")
    assert "; v=v2" in request(Link("/"), Version("v2", "accept", "v")).headers["Accept"]


@pytest.mark.parametrize(
    ("link", "url"),
    [
        (Link("/{version}/bookings/"), "https://x.org/v2/bookings/"),
        (Link("/b/", fields=[Field("version", location="query")]), "https://x.org/b/?version=v2"),
    ],
)
@pytest.mark.parametrize("place", ["", "path", "query"])
def test_a_parameter_of_the_link_says_it(link, url, place):
    built = request(link, Version("v2", place))
    assert built.url == url
    assert "version=" not in built.headers["Accept"]
    assert request(link, Version("v2", place), {"version": "v3"}).url == url.replace("v2", "v3")


def test_a_header_of_the_link_says_it():
    fields = [Field("X-Version", location="header")]
    built = request(Link("/", fields=fields), Version("v2", parameter="X-Version"))
    assert built.headers["X-Version"] == "v2"


def test_a_member_of_the_body_is_not_the_version_of_the_api():
    built = request(Link("/b/", "post", fields=["version"]), "v2", {"version": 7})
    assert built.body == b'{"version":7}'
    assert "version=v2" in built.headers["Accept"]


@pytest.mark.parametrize(
    ("place", "url", "expected"),
    [
        ("path", "/v1/bookings/?a=1", "https://x.org/v2/bookings/?a=1"),
        ("path", "/api/v1.1/bookings/7/", "https://x.org/api/v2/bookings/7/"),
        ("path", "/bookings/7/", "https://x.org/v2/bookings/7/"),
        ("path", "/1/bookings/", "https://x.org/v2/bookings/"),
        ("path", "/", "https://x.org/v2/"),
        ("query", "/b/?version=v1&a=%20b", "https://x.org/b/?a=%20b&version=v2"),
        ("query", "/b/?version=v2", "https://x.org/b/?version=v2"),
        ("query", "/b/", "https://x.org/b/?version=v2"),
        ("host", "/b/", "https://v2.x.org/b/"),
    ],
)
def test_places(place, url, expected):
    built = request(Link(url), Version("v2", place))
    assert built.url == expected
    assert built.headers["Authorization"] == "Token t"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://v1.x.org:8443/", "https://v2.x.org:8443/"),
        ("https://www.x.org/", "https://v2.www.x.org/"),
        ("https://x.co.uk/", "https://v2.x.co.uk/"),
    ],
)
def test_a_host_keeps_its_domain(url, expected):
    assert request(Link("/"), Version("v2", "host"), url=url).url == expected


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_a_host_without_a_domain_carries_no_version(host):
    with pytest.raises(NetworkError, match="cannot contain a version"):
        request(Link("/"), Version("v2", "host"), url=f"http://{host}/")


@pytest.mark.parametrize("place", ["path", "query", "host", "accept"])
def test_links_to_other_hosts_stay_as_they_are(place):
    built = request(Link("https://y.org/b/"), Version("v2", place))
    assert built.url == "https://y.org/b/"
    assert "Authorization" not in built.headers


def test_the_document_is_asked_for_by_version_too(service):
    service.answer("/v2/", Document(service.url("/v2/"), content={"go": Link("/v1/x/")}))
    service.answer("/v2/x/", {"ok": 1})
    with Client(AUTH, version=Version("v2", "path")) as client:
        document = client.get(service.url("/v1/"))
        assert client.action(document, "go") == {"ok": 1}
        assert client.reload(document).url == document.url
    assert {seen.headers["authorization"] for seen in service.seen} == {"Token t"}


@pytest.mark.parametrize(
    "arguments",
    [("v2", "body"), ("",), ("a b",), ("..",), ("v\n2",), ("1.1", "host"), ("v2", "query", "a b")],
)
def test_what_is_no_version(arguments):
    with pytest.raises(ValueError, match=r"version|host|parameter"):
        Version(*arguments)


urls = st.from_regex(
    r"\Ahttps://[a-z]{1,5}(\.[a-z]{1,5}){1,3}(/[a-z0-9.]{0,4}){0,4}(\?[a-z=&]{0,9})?\Z"
)


@given(urls, st.sampled_from(["path", "query", "host", "accept"]))
def test_saying_it_twice_is_saying_it_once(url, place):
    version = Version("v2", place)
    once = with_version(version, Request("GET", url, Headers({"Accept": "a/b, */*;q=0.1"})))
    if place == "accept":
        assert once.url == url
    else:
        assert with_version(version, once) == once


def test_a_write_states_its_version_in_the_query_even_if_the_body_has_that_name():
    fields = [Field("version", location="query"), Field("version", location="form")]
    link = Link("/b/", "put", "application/json", fields=fields)
    built = request(link, Version("v2", "query"), {"version": 3})
    assert (built.url, built.body) == ("https://x.org/b/?version=v2", b'{"version":3}')
