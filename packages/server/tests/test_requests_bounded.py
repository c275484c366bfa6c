"""Whatever is sent over HTTP, the response is never a server error."""

import base64
import io
import json
import logging
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from contract_replay import isolation
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("fixture_rows", "quiet"),
    pytest.mark.filterwarnings("ignore::django.core.paginator.UnorderedObjectListWarning"),
]

ALICE = "Basic " + base64.b64encode(b"alice:alice-pw").decode()
CREATING = {
    "/open-snippets/": {"code": "x", "owner": 1, "tags": [1]},
    "/api/snippets/": {"code": "x", "tags": ["http://testserver/api/tags/red/"]},
    "/api/reservations/": {"room": "B", "slot": 1, "note": ""},
    "/bulk/": [{"x": 1, "y": 2}],
    "/everything/": {"text": "x", "amount": "1.50", "when": "2024-01-01T00:00:00Z", "data": {}},
    "/all-fields/": {"char": "words", "nested": {"x": 1}, "nested_many": [{"x": 1}], "related": 1},
    "/nested-create/": {"title": 1, "tags": [{"name": "red"}, 1]},
    "/api-token-auth/": {"username": "alice", "password": "wrong"},
    "/defaults/": {"anything": 1},
    "/parse/json/": {"anything": 1},
}
CHANGING = {
    "/api/snippets/1/": CREATING["/api/snippets/"],
    "/snippet-list/1/": CREATING["/open-snippets/"],
    "/api/reservations/1/": CREATING["/api/reservations/"],
}
LISTS = {
    "/open-snippets/": ["limit", "offset"],
    "/api/snippets/": ["format", "page"],
    "/search/": ["search", "search", "format"],
    "/search-prefix/": ["search"],
    "/ordering/": ["ordering"],
    "/ordering-all/": ["ordering"],
    "/ordering-default/": ["ordering"],
    "/orderable/": ["ordering", "cursor"],
    "/entries/page/": ["page"],
    "/entries/client-sized/": ["page", "page_size", "size"],
    "/entries/offset/": ["limit", "offset"],
    "/entries/offset-free/": ["limit", "offset"],
    "/entries/cursor/": ["cursor"],
    "/entries/cursor-two/": ["cursor"],
    "/entries/cursor-id/": ["cursor"],
    "/entries/cursor-null/": ["cursor"],
    "/plain-pages/offset/": ["limit", "offset"],
    "/QueryParameterVersioning/here/": ["version"],
    "/QueryParameterVersioning-allowed/here/": ["version"],
    "/browsable-first/": ["format"],
    "/openapi/": ["format", "lang"],
}
READING = [
    *("/negotiate/", "/browsable-first/", "/exotic/", "/defaults/", "/api/", "/api/snippets/"),
    *("/api/users/1/", "/auth/basic/IsAuthenticated/", "/auth/token/IsAuthenticated/"),
    *("/auth/bearer/nothing/", "/auth/session-basic/IsAuthenticated/", "/auth/remote/nothing/"),
    *("/AcceptHeaderVersioning/here/", "/AcceptHeaderVersioning-allowed/here/"),
    *("/HostNameVersioning/here/", "/openapi/", "/static-html/plain/", "/entries/cursor/"),
]
WORDS = [
    *("", " ", "\x00", "\ud800", "\udcff", "é", "½", "٣", "-1", "0", "1e9", "9" * 5000, "NaN", "["),
    *("None", "last", "json", "api", "admin", "html", "../x", "%", "%zz", "a,b", ",", "-id", "-"),
    *(
        "--id",
        "id,id",
        "owner__username",
        "owner__password",
        "pk",
        "?",
        "(",
        "a" * 70_000,
        '"',
        "'",
    ),
    *("cD0x", "cj0x", "bz0x", "bz05OTk5OTk5OTk5OTk5OTk5", "cD0yMDI0", "az0lNUIxJTVE", "=", "v1"),
    *("x " * 500, "\\", "${x}", "{0}", "%s", "\r\n", "red\n"),
]
HEADERS = {
    "Accept": [
        *("*/*", "", "application/json", "text/html", "application/json; version=\x00", ";;;", ","),
        *("application/json;q=x", "*/json", "/", "a/b/c", "application/json; indent=9", "*"),
        *("application/json; indent=99999999999999999999", "application/json; indent=-1"),
        *("text/html;" * 500, "application/json; version=" + "9" * 5000, 'application/json; v="'),
        *("application/json, " * 2000, "application/vnd.oai.openapi, application/json;version=ü"),
    ],
    "Content-Type": [
        *("application/json", "application/json; charset=latin-1", "application/json; charset=zzz"),
        *("application/json; charset=utf-16", "text/plain", "", "/", "multipart/form-data", ";"),
        *("multipart/form-data; boundary=x", "multipart/form-data; boundary=\x00", "application"),
        *("multipart/form-data; boundary=" + "x" * 300, "application/x-www-form-urlencoded"),
        *("application/x-www-form-urlencoded; charset=utf-7", "application/*", "*/*"),
    ],
    "Authorization": [
        *("Basic", "Basic ", "Basic x", "Basic a b", "Basic =", "Basic /w==", "Basic Og=="),
        *("Basic " + base64.b64encode(b"a\x00:\xff").decode(), "Token", "Token ", "Token a b"),
        *("Token \xff", "Token \x00", "Bearer \udcff", "token x", "Token " + "x" * 10_000, ALICE),
        *("Basic " + base64.b64encode(b"alice" * 5000).decode(), "Digest x", " ", "Bearer é"),
    ],
    "Cookie": ["sessionid=x", "sessionid=\x00", "csrftoken=x; sessionid=", ";;=", "a" * 9000, "=é"],
    "Range": ["bytes=0-1", "bytes=9-1", "x"],
    "If-Match": ["*", '"x"', "x"],
    "If-None-Match": ["*", 'W/"x"', '"'],
    "If-Modified-Since": ["Thu, 01 Jan 1970 00:00:00 GMT", "x", "9" * 100],
    "If-Unmodified-Since": ["Fri, 31 Dec 9999 23:59:59 GMT", "0"],
    "Accept-Language": ["de", "*", "x" * 600, "zh-hant;q=9", ";;", "de-\x00"],
    "Accept-Encoding": ["gzip", "*;q=0", ";"],
    "Accept-Charset": ["x", "utf-8;q=x"],
    "X-HTTP-Method-Override": ["DELETE", "", "\x00", "get", "TRACE"],
    "X-Forwarded-For": ["1.2.3.4", "x" * 1000, ",", "\x00, ::1"],
    "Content-Disposition": [
        *("attachment; filename=x", "x", "attachment; filename*=utf-8''%ff", "filename*=''''''"),
        *("attachment; filename*=zzz'en'x", 'attachment; filename="', "attachment; filename*=x"),
    ],
    "Host": ["v1.example.com", "x_y", "[::1", "a:b", "é", "testserver:99999999"],
    "Content-Length": ["0", "-1", "x", "99999999999"],
}

bounded = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
words = st.one_of(st.sampled_from(WORDS), st.text(max_size=20), st.integers().map(str))
values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        words,
        st.sampled_from([10**400, 2**63, 1e308, "9" * 5000, "2024-01-01T00:00:00Z"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(words | st.just("x"), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.fixture
def quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def status_of(method: str, path: str, body: bytes = b"", headers: Any = None) -> int:
    """The status of one request, whose changes are undone."""
    environ = {environ_name(name): encoded(value) for name, value in (headers or {}).items()}
    environ.setdefault("CONTENT_TYPE", "application/json")
    # Unlike that of the test client, this body may be shorter than announced.
    environ["wsgi.input"] = io.BytesIO(body)
    with isolation.rolled_back():
        response = Client(raise_request_exception=False).generic(
            method, path, body, environ["CONTENT_TYPE"], **environ
        )
        return response.status_code


def environ_name(header: str) -> str:
    name = header.upper().replace("-", "_")
    return name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"


def encoded(value: str) -> str:
    """A header as a server hands it over: bytes read as latin-1 (PEP 3333)."""
    return value.encode(
        "utf-8", "surrogateescape" if "\udcff" in value else "surrogatepass"
    ).decode("latin-1")


def query(parameters: Any) -> str:
    pairs = [
        f"{quote(name, errors='surrogatepass')}={quote(value, errors='surrogatepass')}"
        for name, value in parameters
    ]
    return "?" + "&".join(pairs)


@st.composite
def spoilt(draw: Any, valid: Any) -> Any:
    """Input that is valid but for one place, or not at all."""
    if isinstance(valid, list):
        return draw(st.one_of(values, st.lists(spoilt(valid[0]), max_size=3)))
    changes = draw(st.dictionaries(st.sampled_from(sorted(valid)), values, max_size=2))
    return draw(st.one_of(values, st.just({**valid, **changes})))


@st.composite
def bodies(draw: Any, valid: Any) -> bytes:
    """JSON with odd members, or JSON that is broken."""
    text = json.dumps(draw(spoilt(valid))).encode()
    cut = draw(st.one_of(st.none(), st.integers(0, len(text))))
    return text if cut is None else text[:cut] + draw(st.binary(max_size=5))


@pytest.mark.parametrize("path", CREATING)
@bounded
@given(data=st.data())
def test_bodies_of_new_rows(path: str, data: Any) -> None:
    body = data.draw(bodies(CREATING[path]))
    assert status_of("POST", path, body, {"Authorization": ALICE}) < 500


@pytest.mark.parametrize("path", CHANGING)
@bounded
@given(data=st.data(), method=st.sampled_from(["PUT", "PATCH"]))
def test_bodies_of_changed_rows(path: str, data: Any, method: str) -> None:
    body = data.draw(bodies(CHANGING[path]))
    assert status_of(method, path, body, {"Authorization": ALICE}) < 500


@pytest.mark.parametrize("path", LISTS)
@bounded
@given(data=st.data())
def test_query_strings(path: str, data: Any) -> None:
    names = st.one_of(st.sampled_from(LISTS[path]), words)
    parameters = data.draw(st.lists(st.tuples(names, words), min_size=1, max_size=3))
    assert status_of("GET", path + query(parameters)) < 500


@pytest.mark.parametrize("path", LISTS)
def test_odd_words_in_query_strings(path: str) -> None:
    crashes = [
        (name, word[:40])
        for name in LISTS[path]
        for word in WORDS
        if status_of("GET", path + query([(name, word)])) >= 500
    ]
    assert not crashes


@pytest.mark.parametrize(
    "path", ["/lookup/{}/", "/api/snippets/{}/", "/api/users.{}", "/file/{}", "/api/{}"]
)
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_odd_paths(path: str, method: str) -> None:
    crashes = [
        word[:40]
        for word in WORDS
        if status_of(method, path.format(quote(word, errors="surrogatepass"))) >= 500
    ]
    assert not crashes


@pytest.mark.parametrize("path", READING)
@bounded
@given(data=st.data())
def test_headers(path: str, data: Any) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted(HEADERS)), min_size=1, max_size=4))
    headers = {name: data.draw(st.sampled_from(HEADERS[name]) | words) for name in names}
    assert status_of("GET", path, headers=headers) < 500


@pytest.mark.parametrize("authorization", ["Basic", "Basic x"])
@pytest.mark.parametrize("accept", ["", "x/y"])
def test_pages_of_errors_before_authentication(accept: str, authorization: str) -> None:
    headers = {"Accept": accept, "Authorization": authorization}
    assert status_of("GET", "/browsable-first/", headers=headers) == 406


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "DELETE", "HEAD"])
@pytest.mark.parametrize("header", HEADERS)
def test_odd_headers(header: str, method: str) -> None:
    crashes = [
        (path, value[:60])
        for path in (
            "/negotiate/",
            "/defaults/",
            "/api/snippets/1/",
            "/file/x",
            "/auth/token/nothing/",
        )
        for value in HEADERS[header]
        if status_of(method, path, b"{}", {header: value}) >= 500
    ]
    assert not crashes


@pytest.mark.parametrize("kind", ["default", "json", "form", "multipart", "forms"])
@bounded
@given(content_type=st.sampled_from(HEADERS["Content-Type"]), body=st.binary(max_size=200))
def test_bodies_of_any_type(kind: str, content_type: str, body: bytes) -> None:
    headers = {"Content-Type": content_type, "Content-Disposition": "attachment; filename=x"}
    assert status_of("POST", f"/parse/{kind}/", body, headers) < 500
