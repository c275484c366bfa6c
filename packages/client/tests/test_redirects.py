import pytest

from lintel_client.errors import NetworkError
from lintel_client.headers import Headers
from lintel_client.messages import Request, Response
from lintel_client.redirects import redirected

HEADERS = Headers(
    {
        "Accept": "a",
        "User-Agent": "u",
        "Content-Type": "text/plain",
        "Content-Disposition": "attachment",
        "X-Key": "secret",
        "Cookie": "c=1",
    }
)


def follow(status, location, method="POST", url="http://x.org/a/b"):
    request = Request(method, url, HEADERS, b"body", home="http://x.org/")
    headers = Headers({"Location": location} if location is not None else {})
    return redirected(request, Response(status, headers))


@pytest.mark.parametrize(
    ("status", "method", "expected"),
    [
        (301, "POST", "GET"),
        (302, "POST", "GET"),
        (303, "POST", "GET"),
        (303, "DELETE", "GET"),
        (303, "HEAD", "HEAD"),
        (301, "PUT", "PUT"),
        (302, "DELETE", "DELETE"),
        (307, "POST", "POST"),
        (308, "POST", "POST"),
        (302, "GET", "GET"),
    ],
)
def test_methods(status, method, expected):
    following = follow(status, "/c", method)
    assert following.method == expected
    if method != "GET" and expected == "GET":
        assert following.body is None
        assert list(following.headers) == ["Accept", "User-Agent", "X-Key", "Cookie"]
    else:
        assert following.body == b"body"
        assert following.headers == HEADERS


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("c", "http://x.org/a/c"),
        ("/c?d=e#f", "http://x.org/c?d=e"),
        ("//y.org/", "http://y.org/"),
        ("https://y.org/c", "https://y.org/c"),
    ],
)
def test_locations_resolve(location, expected):
    assert follow(307, location).url == expected
    assert follow(307, location).home == "http://x.org/"


@pytest.mark.parametrize(
    ("location", "kept"),
    [
        ("/c", True),
        ("http://X.org:80/c", True),
        ("https://x.org/c", True),
        ("https://y.org/c", False),
        ("http://x.org:8000/c", False),
        ("http://sub.x.org/c", False),
    ],
)
def test_other_origins_see_public_headers_only(location, kept):
    headers = follow(307, location).headers
    assert ("X-Key" in headers) is kept
    assert ("Cookie" in headers) is kept
    assert "Accept" in headers
    assert "Content-Type" in headers


@pytest.mark.parametrize(
    ("status", "location"),
    [(200, "/c"), (304, "/c"), (300, "/c"), (302, None), (302, ""), (404, "/")],
)
def test_all_else_is_final(status, location):
    assert follow(status, location) is None


@pytest.mark.parametrize(
    "location", ["ftp://y.org/", "file:///etc/passwd", "http://a@b/", "http://"]
)
def test_redirects_that_lead_nowhere(location):
    with pytest.raises(NetworkError):
        follow(302, location)


def test_https_never_redirects_secrets_to_http():
    following = follow(307, "http://x.org/", url="https://x.org/")
    assert "X-Key" not in following.headers
