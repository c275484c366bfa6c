"""The entries of ``lintel.serving`` answer as Django's handlers do, and call the same in order."""

import asyncio
import io
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
import serving_service
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.wsgi import WSGIHandler
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import override_settings
from django.urls import set_script_prefix, set_urlconf
from serving_service import EVENTS, note

from lintel.serving.asgi import ASGIApplication
from lintel.serving.wsgi import WSGIApplication

pytestmark = [
    pytest.mark.django_db(transaction=True),
    # Iterators of the other kind are sent, too.
    pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume"),
]

MODULE = "serving_service"
STACKS: dict[str, list[str]] = {
    "none": [],
    "of Django": [
        "django.middleware.security.SecurityMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
        "django.middleware.gzip.GZipMiddleware",
        "django.middleware.http.ConditionalGetMiddleware",
    ],
    "hooks": [
        f"{MODULE}.Hooks",
        "django.middleware.common.CommonMiddleware",
        f"{MODULE}.MoreHooks",
    ],
    "own call": [f"{MODULE}.Hooks", f"{MODULE}.OwnCall", f"{MODULE}.MoreHooks"],
    "sync": [f"{MODULE}.Hooks", f"{MODULE}.sync_only", f"{MODULE}.MoreHooks"],
    "async": [f"{MODULE}.AsyncOnly", f"{MODULE}.Hooks"],
    "mixed": [f"{MODULE}.both", f"{MODULE}.AsyncOnly", f"{MODULE}.sync_only", f"{MODULE}.Hooks"],
    "async inside": [f"{MODULE}.Hooks", f"{MODULE}.AsyncOnly", f"{MODULE}.MoreHooks"],
}

Headers = dict[str, str]


class Sent(NamedTuple):
    """A request."""

    method: str
    path: str
    headers: Headers = {}
    body: bytes = b""
    query: str = ""


FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}
MULTIPART = {"Content-Type": "multipart/form-data; boundary=X"}
UPLOAD = (
    b'--X\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'
    b'--X\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\n'
    b"Content-Type: text/plain\r\n\r\nhello\r\n--X--\r\n"
)

REQUESTS = [
    *(Sent(method, "/ping/") for method in ("GET", "HEAD", "OPTIONS", "POST", "DELETE", "ODD")),
    *(Sent(method, "/aping/") for method in ("GET", "HEAD", "OPTIONS", "POST")),
    Sent("GET", "/prompt/"),
    Sent("GET", "/plain/"),
    Sent("GET", "/ping"),
    Sent("GET", "/ping", query="a=1"),
    Sent("POST", "/echo", JSON, b"{}"),
    Sent("GET", "/missing/"),
    Sent("GET", "/missing"),
    Sent("GET", ""),
    Sent("GET", "//ping/"),
    Sent("GET", "/facts/", {"Cookie": "a=1; b=2", "X-Odd": "é"}, query="a=1&b=%C3%A9"),
    Sent("GET", "/afacts/", {"Cookie": "a=1"}, query="a=1&a=2"),
    Sent("GET", "/items/abc/12/"),
    Sent("GET", "/items/abc/x.json"),
    Sent("GET", "/items/abc/x/"),
    Sent("GET", "/numbers/1/2/"),
    Sent("GET", "/é/"),
    Sent("POST", "/echo/", JSON, b'{"a": 1}'),
    Sent("PUT", "/echo/", JSON, b'{"a": 1}'),
    Sent("POST", "/echo/", JSON, b"{torn"),
    Sent("POST", "/echo/", FORM, b"a=1&b=2"),
    Sent("POST", "/echo/", MULTIPART, UPLOAD),
    Sent("POST", "/aecho/", JSON, b'{"a": 1}'),
    Sent("POST", "/aecho/", MULTIPART, UPLOAD),
    Sent("POST", "/bytes/", {"Content-Type": "text/plain"}, b"z" * 5000),
    *(Sent("GET", path, query=f"kind={kind}")
      for kind in serving_service.KINDS for path in ("/raise/", "/araise/")),
    Sent("GET", "/cookies/"),
    Sent("GET", "/template/"),
    Sent("GET", "/broken-template/"),
    Sent("GET", "/nothing/"),
    Sent("GET", "/closing/"),
    Sent("GET", "/closing-itself/"),
    Sent("GET", "/long/"),
    Sent("GET", "/file/"),
    Sent("GET", "/stream/"),
    Sent("HEAD", "/stream/"),
    Sent("GET", "/astream/"),
    Sent("GET", "/ping/", {"Host": "not.allowed"}),
]  # fmt: skip

#: What hooks of the middleware do when a request asks them to.
ACTIONS = [
    f"{name}.{action}"
    for name in ("first", "second")
    for action in [
        *(f"{hook}{end}"
          for hook in ("process_request", "process_view", "process_exception")
          for end in ("", ".raise", ".deny")),
        "process_template_response.raise",
        "process_response.raise",
        "template_none",
        "urlconf",
        "path_info",
    ]
]  # fmt: skip


class Answer(NamedTuple):
    """What came of a request."""

    status: str
    headers: list[tuple[str, str]]
    body: bytes
    events: list[str]
    logged: list[str]


class Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        status = getattr(record, "status_code", None)
        self.lines.append(f"{record.name} {record.levelname} {record.getMessage()} {status}")


@contextmanager
def logs() -> Iterator[list[str]]:
    kept = Kept()
    names = ("django.request", "django.security")
    for name in names:
        logging.getLogger(name).addHandler(kept)
    try:
        yield kept.lines
    finally:
        for name in names:
            logging.getLogger(name).removeHandler(kept)


def environ_of(sent: Sent, prefix: str, **more: Any) -> dict[str, Any]:
    def as_latin(text: str) -> str:
        return text.encode().decode("latin-1")

    environ: dict[str, Any] = {
        "REQUEST_METHOD": sent.method,
        "PATH_INFO": as_latin(sent.path),
        "SCRIPT_NAME": prefix,
        "QUERY_STRING": sent.query,
        "SERVER_NAME": "testserver",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": "testserver",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(sent.body),
        "wsgi.errors": io.StringIO(),
        "CONTENT_LENGTH": str(len(sent.body)) if sent.body else "",
    }
    for name, value in sent.headers.items():
        key = name.upper().replace("-", "_")
        key = key if key == "CONTENT_TYPE" else f"HTTP_{key}"
        environ[key] = as_latin(value)
    return {**environ, **more}


def ask_wsgi(application: Any, sent: Sent, prefix: str = "", **more: Any) -> Answer:
    EVENTS.clear()
    started: list[Any] = []
    with logs() as logged:
        environ = environ_of(sent, prefix, **more)
        content = application(environ, lambda *given: started.append(given))
        try:
            body = b"".join(content)
        finally:
            if hasattr(content, "close"):
                content.close()
    ((status, headers),) = started
    return Answer(status, headers, body, [*EVENTS], logged)


def scope_of(sent: Sent, prefix: str) -> dict[str, Any]:
    headers = {"Host": "testserver", **sent.headers}
    if sent.body:
        headers["Content-Length"] = str(len(sent.body))
    return {
        "type": "http",
        "http_version": "1.1",
        "method": sent.method,
        "path": prefix + sent.path,
        "root_path": prefix,
        "query_string": sent.query.encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 5000),
        "server": ("testserver", 80),
        "scheme": "http",
    }


def pieces_of(body: bytes, size: int) -> list[dict[str, Any]]:
    parts = [body[start : start + size] for start in range(0, len(body), size)] or [b""]
    ends = [*([True] * (len(parts) - 1)), False]
    return [
        {"type": "http.request", "body": part, "more_body": more}
        for part, more in zip(parts, ends, strict=True)
    ]


class Client:
    """The other end of an ASGI exchange."""

    def __init__(self, messages: list[dict[str, Any]], leaves_after: float | None = None) -> None:
        self.waiting = messages
        self.leaves_after = leaves_after
        self.got: list[dict[str, Any]] = []
        self.is_heard = True

    async def receive(self) -> dict[str, Any]:
        if self.waiting:
            return self.waiting.pop(0)
        await asyncio.sleep(30 if self.leaves_after is None else self.leaves_after)
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        self.got.append(message)


async def converse(application: Any, scope: dict[str, Any], client: Client) -> None:
    # A server has a task for each request.
    await asyncio.create_task(application(scope, client.receive, client.send))


def ask_asgi(
    application: Any,
    sent: Sent,
    prefix: str = "",
    size: int = 10**6,
    leaves_after: float | None = None,
) -> Answer:
    EVENTS.clear()
    client = Client(pieces_of(sent.body, size), leaves_after)
    with logs() as logged:
        asyncio.run(converse(application, scope_of(sent, prefix), client))
    if not client.got:
        return Answer("", [], b"", [*EVENTS], logged)
    start, *rest = client.got
    sizes = [(message["type"], message.get("more_body")) for message in rest]
    headers = [
        (name.decode("latin-1"), value.decode("latin-1")) for name, value in start["headers"]
    ]
    body = b"".join(message.get("body", b"") for message in rest)
    return Answer(f"{start['status']} {sizes}", headers, body, [*EVENTS], logged)


def both_wsgi() -> list[Any]:
    return [WSGIHandler(), WSGIApplication(WSGIHandler())]


def both_asgi() -> list[Any]:
    return [ASGIHandler(), ASGIApplication(ASGIHandler())]


#: What differs from one request to the next in Django's pages for developers.
PASSING = re.compile(rb"0x[0-9a-f]+|\w{3}, \d+ \w+ \d{4} [\d:]+ [+]\d+|\d{9,}")


def masked(answer: Answer) -> Answer:
    if b"<html" not in answer.body[:100]:
        return answer
    headers = [pair for pair in answer.headers if pair[0] not in ("ETag", "Content-Length")]
    return answer._replace(body=PASSING.sub(b"#", answer.body), headers=headers)


def where(event: str) -> str:
    return event.removesuffix("]").rpartition("[")[2]


def hold_equal(expected: Answer, found: Answer) -> None:
    expected, found = masked(expected), masked(found)
    assert found.events == expected.events
    assert found.body.splitlines() == expected.body.splitlines()
    assert found == expected


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Write down when connections are looked at; leave nothing behind in this thread."""

    def noted(self: Any) -> None:
        note(f"{self.alias} is looked at")

    monkeypatch.setattr(BaseDatabaseWrapper, "close_if_unusable_or_obsolete", noted)
    yield
    set_script_prefix("/")
    set_urlconf(None)


@contextmanager
def settled(stack: str, **more: Any) -> Iterator[None]:
    given = {"ROOT_URLCONF": MODULE, "MIDDLEWARE": STACKS[stack], "ALLOWED_HOSTS": ["testserver"]}
    with override_settings(**{**given, **more}):
        yield


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("stack", STACKS)
def test_answers_are_those_of_djangos_handler(stack: str, debug: bool) -> None:
    with settled(stack, DEBUG=debug):
        django, ours = both_wsgi()
        for sent in REQUESTS:
            hold_equal(ask_wsgi(django, sent), ask_wsgi(ours, sent))


@pytest.mark.parametrize("stack", STACKS)
def test_hooks_of_middleware_have_their_way(stack: str) -> None:
    with settled(stack):
        django, ours = both_wsgi()
        for action in ACTIONS:
            for path in ("/ping/", "/template/", "/raise/"):
                sent = Sent("GET", path, {"X-Do": action}, query="kind=500")
                hold_equal(ask_wsgi(django, sent), ask_wsgi(ours, sent))


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("stack", STACKS)
def test_answers_are_those_of_djangos_handler_on_a_loop(stack: str, debug: bool) -> None:
    with settled(stack, DEBUG=debug):
        django, ours = both_asgi()
        for sent in REQUESTS:
            hold_equal(ask_asgi(django, sent), ask_asgi(ours, sent))


@pytest.mark.parametrize("stack", STACKS)
def test_hooks_of_middleware_have_their_way_on_a_loop(stack: str) -> None:
    with settled(stack):
        django, ours = both_asgi()
        for action in ACTIONS:
            for path in ("/ping/", "/prompt/", "/template/", "/araise/"):
                sent = Sent("GET", path, {"X-Do": action}, query="kind=500")
                hold_equal(ask_asgi(django, sent), ask_asgi(ours, sent))
