import pytest

from lintel_client.errors import NetworkError
from lintel_client.origins import Domain, Origin, origin_of, same_home


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://Example.ORG", ("http", "example.org", 80)),
        ("HTTPS://example.org:443/a?b@c", ("https", "example.org", 443)),
        ("http://example.org.:8000/", ("http", "example.org", 8000)),
        ("http://[::1]:8000/", ("http", "::1", 8000)),
        ("http://bücher.example/", ("http", "xn--bcher-kva.example", 80)),
        ("ftp://example.org/", ("ftp", "example.org", 0)),
    ],
)
def test_origin(url, expected):
    assert origin_of(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/path",
        "example.org/",
        "localhost:8000/",
        "http://",
        "http:///path",
        "http://[bad/",
        "http://example.org:port/",
        "http://example.org:99999/",
        "http://good.example\\@evil.example/",
        "http://exa mple.org/",
        "http://example.org/\n",
        "http://a;b/",
        "http://example.org/\ud800",
    ],
)
def test_urls_without_a_certain_host_are_refused(url):
    with pytest.raises(NetworkError):
        origin_of(url)


def test_urls_with_a_password_are_refused_without_repeating_it():
    with pytest.raises(NetworkError, match="use credentials instead") as caught:
        origin_of("http://user:s3cret@example.org/")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("target", "home", "expected"),
    [
        ("http://x.org/a", "http://X.org:80/b", True),
        ("https://x.org/", "http://x.org/", True),
        ("http://x.org/", "https://x.org/", False),
        ("https://x.org:8443/", "http://x.org/", False),
        ("https://x.org/", "http://x.org:8000/", False),
        ("http://x.org:1/", "http://x.org:2/", False),
        ("http://a.x.org/", "http://x.org/", False),
    ],
)
def test_same_home(target, home, expected):
    assert same_home(origin_of(target), origin_of(home)) is expected


@pytest.mark.parametrize(
    ("domain", "url", "expected"),
    [
        ("example.org", "http://example.org/", True),
        ("Example.ORG", "https://EXAMPLE.org./", True),
        ("example.org", "http://example.org:8000/", True),
        ("example.org", "http://a.example.org/", False),
        ("example.org", "http://evilexample.org/", False),
        ("example.org", "http://example.org.evil/", False),
        ("example.org:8000", "http://example.org:8000/", True),
        ("example.org:8000", "http://example.org:8001/", False),
        ("example.org:443", "https://example.org/", True),
        ("example.org:443", "http://example.org/", False),
        ("*.example.com", "http://a.example.com/", True),
        ("*.example.com", "http://a.b.example.com:8000/", True),
        ("*.example.com", "http://example.com/", False),
        ("*.example.com", "http://evilexample.com/", False),
        ("*.example.com:80", "http://a.example.com:8000/", False),
        ("*.0.0.1", "http://127.0.0.1/", False),
        ("*", "http://anything.example:1/", True),
        ("127.0.0.1", "http://127.0.0.1:8000/", True),
        ("[::1]:8000", "http://[::1]:8000/", True),
        ("bücher.example", "http://xn--bcher-kva.example/", True),
    ],
)
def test_domain(domain, url, expected):
    assert Domain.parse(domain).matches(origin_of(url)) is expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "*example.com",
        "a.*.com",
        "http://a.com",
        "a.com/",
        "a@b.com",
        "a.com:x",
        "a:99999",
        "**",
    ],
)
def test_what_is_no_domain_is_refused(text):
    with pytest.raises(ValueError, match="is not a domain"):
        Domain.parse(text)


def test_an_origin_is_a_plain_tuple():
    assert Origin("http", "a", 1) == ("http", "a", 1)
