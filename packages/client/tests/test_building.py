import pytest

from lintel_client.building import USER_AGENT, build_get, build_request
from lintel_client.errors import LinkLookupError, NetworkError, ParameterError
from lintel_client.parameters import MULTIPART
from lintel_document import Field, Link

BASE = "https://api.example/v1/"


def url(link, params=None, **options):
    return build_request(link, params, base_url=BASE, **options).url


def test_a_request_is_complete():
    link = Link("/x/{id}/", "put", fields=[Field("id", location="path"), "a"])
    request = build_request(link, {"id": 1, "a": True}, base_url=BASE, accept="application/json")
    assert (request.method, request.url) == ("PUT", "https://api.example/x/1/")
    assert request.body == b'{"a":true}'
    assert request.home == BASE
    assert request.headers.pairs() == (
        ("Accept", "application/json"),
        ("User-Agent", USER_AGENT),
        ("Content-Type", "application/json"),
    )


def test_the_method_is_get_by_default():
    assert build_request(Link(BASE)).method == "GET"
    assert build_request(Link(BASE)).body is None


@pytest.mark.parametrize("action", ["get /", "a\r\nb", "1", "é"])
def test_an_action_must_be_a_method(action):
    with pytest.raises(NetworkError, match="not an HTTP method"):
        build_request(Link(BASE, action))


@pytest.mark.parametrize(
    ("given", "params", "expected"),
    [
        (Link("x", fields=["q"]), {"q": "a&b=c+d#e f"}, "x?q=a%26b%3Dc%2Bd%23e%20f"),
        (Link("x?fixed=1", fields=["q"]), {"q": 2}, "x?fixed=1&q=2"),
        (Link("x?", fields=["q"]), {"q": 2}, "x?q=2"),
        (Link("x?a=1#frag", fields=["q"]), {"q": 2}, "x?a=1&q=2"),
        (Link("x", fields=["q"]), {"q": [1, 2]}, "x?q=1&q=2"),
        (Link("x", fields=["q"]), {"q": ""}, "x?q="),
        (Link("x", fields=["q"]), {"q": []}, "x"),
        (Link("x", fields=["a b", "$f"]), {"a b": "1", "$f": "x"}, "x?a%20b=1&%24f=x"),
        (Link("x/{id}"), {"id": "a/b c?d#e"}, "x/a%2Fb%20c%3Fd%23e"),
        (Link("x/{id}"), {"id": "é"}, "x/%C3%A9"),
        (Link("x{?page,size}", fields=["q"]), {"page": 2, "q": 3}, "x?page=2&q=3"),
    ],
)
def test_urls(given, params, expected):
    assert url(given, params) == BASE + expected


def test_a_link_without_a_url_is_the_document():
    assert url(Link("")) == BASE


def test_the_url_of_a_link_elsewhere_is_kept_and_home_stays():
    request = build_request(Link("https://other.example/a"), base_url=BASE)
    assert (request.url, request.home) == ("https://other.example/a", BASE)


def test_a_value_cannot_change_the_host():
    with pytest.raises(NetworkError):
        build_request(Link("https://{host}/"), {"host": "a@evil"})
    with pytest.raises(NetworkError):
        build_request(Link("/relative"), {})


def test_header_and_cookie_parameters_are_sent():
    link = Link(
        BASE,
        fields=[
            Field("X-A", location="header"),
            Field("c", location="cookie"),
            Field("d", location="cookie"),
        ],
    )
    request = build_request(link, {"X-A": "é", "c": 'a; b="€"', "d": 1})
    assert request.headers["X-A"] == "é"
    assert request.headers["Cookie"] == "c=a%3B%20b=%22%E2%82%AC%22; d=1"


def test_an_accept_header_can_be_a_parameter():
    link = Link(BASE, fields=[Field("Accept", location="header")])
    assert build_request(link, {"Accept": "text/html"}).headers.get_all("Accept") == ["text/html"]


def test_parameters_are_checked_before_the_encoding():
    with pytest.raises(ParameterError):
        build_request(Link(BASE, "post", MULTIPART, fields=["a"]), {"b": 1})


def test_the_body_stays_out_of_the_repr():
    link = Link(BASE, "post", fields=["password"])
    assert "s3cret" not in repr(build_request(link, {"password": "s3cret"}))


def test_get():
    request = build_get("http://x.org/a?b=c#frag", "text/html")
    assert (request.method, request.url, request.body) == ("GET", "http://x.org/a?b=c", None)
    assert request.headers["Accept"] == "text/html"
    with pytest.raises(NetworkError):
        build_get("x.org", "*/*")


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("/x/{+p}", "../etc"),
        ("/x/{+p}", "a/../../etc"),
        ("/x/{+p}", "%2e%2E/etc"),
        ("/x/{.p}", "."),
        ("/x/{.p}", ""),
        ("/x{/p}", ".."),
        ("/x/../{+p}", "."),
    ],
)
def test_no_value_makes_a_dot_segment_of_the_path(template, value):
    with pytest.raises(ParameterError, match="dot segment"):
        build_request(Link(template), {"p": value}, base_url="https://a.example/")


@pytest.mark.parametrize(
    ("template", "value", "url"),
    [
        ("/x/{+p}", "a/b..c/.d", "https://a.example/x/a/b..c/.d"),
        ("/a/../x{?p}", "..", "https://a.example/x?p=.."),
        ("/x/{?p}", "../..", "https://a.example/x/?p=..%2F.."),
        ("/x{.p}", "json", "https://a.example/x.json"),
        ("/x y/é/{p}", "1", "https://a.example/x%20y/%C3%A9/1"),
    ],
)
def test_what_looks_like_a_dot_segment_but_is_none(template, value, url):
    link = Link(template, fields=[Field("p", location="path")])
    assert build_request(link, {"p": value}, base_url="https://a.example/").url == url


def test_a_link_whose_description_cannot_be_read_is_not_called():
    link = Link("https://x.org/", "post", problem="The body is not there")
    message = "This operation cannot be called: The body is not there"
    with pytest.raises(LinkLookupError, match=message):
        build_request(link, validate=False)
    assert build_request(link.replace(problem="")).method == "POST"
