"""The entries of ``lintel.serving`` answer as Django's handlers do, and call the same in order."""

import asyncio
import copy
import io
import logging
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import serving_service
from django import VERSION
from django.core import signals
from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http.response import HttpResponseBase
from django.test import override_settings
from django.urls import get_resolver, set_script_prefix, set_urlconf
from django.urls.resolvers import URLResolver
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import get_language
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
    "logged hooks": [
        "lintel.requestlog.RequestLogMiddleware",
        f"{MODULE}.Hooks",
        "django.middleware.common.CommonMiddleware",
        f"{MODULE}.MoreHooks",
    ],
    "own call": [f"{MODULE}.Hooks", f"{MODULE}.OwnCall", f"{MODULE}.MoreHooks"],
    "sync": [f"{MODULE}.Hooks", f"{MODULE}.sync_only", f"{MODULE}.MoreHooks"],
    "async": [f"{MODULE}.AsyncOnly", f"{MODULE}.Hooks"],
    "mixed": [f"{MODULE}.both", f"{MODULE}.AsyncOnly", f"{MODULE}.sync_only", f"{MODULE}.Hooks"],
    "falsy": [f"{MODULE}.FalsyAnswers"],
    "falsy, then more": [f"{MODULE}.FalsyAnswers", f"{MODULE}.Hooks"],
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
    Sent("GET", "/numbered/"),
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


#: The variables of a frame: those of a thread that hands on a result pass while a page is made.
VARIABLES = re.compile(rb"<details>.*?</details>|<div class=.commands.>.*?</table>", re.DOTALL)

#: What differs from one request to the next in Django's pages for developers.
PASSING = re.compile(rb"0x[0-9a-f]+|\w{3}, \d+ \w+ \d{4} [\d:]+ [+]\d+|[0-9a-f]{32}|\d{9,}")


def masked(answer: Answer) -> Answer:
    named = [
        (name, "#" if name.lower() == "x-request-id" else value) for name, value in answer.headers
    ]
    answer = answer._replace(headers=named)
    if b"<html" not in answer.body[:100]:
        return answer
    headers = [pair for pair in answer.headers if pair[0] not in ("ETag", "Content-Length")]
    body = PASSING.sub(b"#", VARIABLES.sub(b"#", answer.body))
    return answer._replace(body=body, headers=headers)


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
        # What nobody has imported yet is left to Django.
        assert get_resolver().url_patterns
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


def test_middleware_may_copy_the_request() -> None:
    with settled("none", MIDDLEWARE=[f"{MODULE}.Copying"]):
        answers = [ask_wsgi(each, Sent("GET", "/ping/")) for each in both_wsgi()]
    hold_equal(*answers)
    assert "['/ping/', '/ping/', '/ping/'] [main]" in answers[1].events


@pytest.mark.parametrize("query", ["", "broken=1"])
@pytest.mark.parametrize("stack", ["none", "hooks", "async"])
def test_responses_are_rendered_on_a_loop(stack: str, query: str) -> None:
    with settled(stack):
        sent = Sent("GET", "/rendering/", query=query)
        hold_equal(*[ask_asgi(each, sent) for each in both_asgi()])


def test_bodies_in_pieces_arrive_whole() -> None:
    sent = Sent("POST", "/bytes/", {"Content-Type": "text/plain"}, b"z" * 5000)
    for limit in (10, 2_621_440):
        with settled("none", FILE_UPLOAD_MAX_MEMORY_SIZE=limit):
            django, ours = both_asgi()
            for size in (700, 10_000):
                hold_equal(ask_asgi(django, sent, size=size), ask_asgi(ours, sent, size=size))


@pytest.mark.parametrize(
    "setting", ["DATA_UPLOAD_MAX_MEMORY_SIZE", "DATA_UPLOAD_MAX_NUMBER_FIELDS"]
)
def test_limits_of_bodies_are_those_of_django(setting: str) -> None:
    with settled("hooks", **{setting: 1}):
        for ask, applications in ((ask_wsgi, both_wsgi()), (ask_asgi, both_asgi())):
            for path, headers in (("/bytes/", JSON), ("/echo/", FORM), ("/echo/", MULTIPART)):
                body = UPLOAD if headers is MULTIPART else b"a=1&b=2"
                answers = [ask(each, Sent("POST", path, headers, body)) for each in applications]
                hold_equal(*answers)


@pytest.mark.parametrize("prefix", ["/prefix", "/prefix/", "/facts"])
def test_applications_below_a_prefix_see_their_paths(prefix: str) -> None:
    with settled("hooks"):
        for ask, applications in ((ask_wsgi, both_wsgi()), (ask_asgi, both_asgi())):
            for sent in (Sent("GET", "/facts/"), Sent("GET", "/ping"), Sent("GET", "/plain/")):
                hold_equal(*[ask(each, sent, prefix) for each in applications])
    with settled("hooks", FORCE_SCRIPT_NAME="/forced"):
        hold_equal(*[ask_wsgi(each, Sent("GET", "/facts/")) for each in both_wsgi()])


@pytest.mark.parametrize("stack", ["none", "hooks", "of Django"])
def test_views_are_atomic_where_the_database_says_so(
    stack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connections.settings["default"], "ATOMIC_REQUESTS", True)
    with settled(stack):
        for ask, applications in ((ask_wsgi, both_wsgi()), (ask_asgi, both_asgi())):
            for path in ("/database/", "/prompt/", "/raise/"):
                answers = [ask(each, Sent("GET", path, query="kind=500")) for each in applications]
                hold_equal(*answers)
                seen = path != "/database/" or "atomic True" in str(answers[1].events)
                assert seen


class Files:
    """A server's own way to send a file."""

    def __init__(self, file: Any, size: int) -> None:
        self.file, self.size = file, size

    def __iter__(self) -> Iterator[bytes]:
        return iter(lambda: self.file.read(self.size), b"")

    def close(self) -> None:
        note("the server closes the file")
        self.file.close()


def test_files_are_handed_to_the_server() -> None:
    with settled("hooks"):
        more = {"wsgi.file_wrapper": Files}
        answers = [ask_wsgi(each, Sent("GET", "/file/"), **more) for each in both_wsgi()]
    hold_equal(*answers)
    assert any("closes the file" in event for event in answers[1].events)


@contextmanager
def listening() -> Iterator[None]:
    """Listen to the signals of a request, synchronously and not, and for some senders only."""

    def on_start(sender: Any, **named: Any) -> None:
        note(f"started {sender.__name__} {sorted(named)}")

    async def on_start_async(sender: Any, **named: Any) -> None:
        note(f"started, on a loop {sender.__name__}")

    def on_finish(sender: Any, **named: Any) -> None:
        note(f"finished {sender.__name__}")

    def on_exception(sender: Any, request: Any, **named: Any) -> None:
        note(f"exception {sender} {request.path}")

    receivers: list[tuple[Any, Any, Any]] = [
        (signals.request_started, on_start, None),
        (signals.request_started, on_start_async, None),
        (signals.request_finished, on_finish, WSGIHandler),
        (signals.request_finished, on_finish, ASGIHandler),
        (signals.got_request_exception, on_exception, None),
    ]
    for signal, receiver, sender in receivers:
        signal.connect(receiver, sender=sender)
    try:
        yield
    finally:
        for signal, receiver, sender in receivers:
            assert signal.disconnect(receiver, sender=sender)


@pytest.mark.parametrize(
    "path", ["/ping/", "/prompt/", "/raise/", "/araise/", "/stream/", "/plain/"]
)
def test_whoever_listens_to_signals_hears_them(path: str) -> None:
    with settled("hooks"):
        for ask, applications in ((ask_wsgi, both_wsgi()), (ask_asgi, both_asgi())):
            sent = Sent("GET", path, query="kind=500")
            with listening():
                answers = [ask(each, sent) for each in applications]
            hold_equal(*answers)
            assert any("started " in event for event in answers[1].events)
            assert any("finished " in event for event in answers[1].events)


@pytest.mark.parametrize("stack", ["none", "hooks", "async", "of Django"])
@pytest.mark.parametrize("query", ["", "stays"])
def test_clients_that_leave_cancel_the_view(stack: str, query: str) -> None:
    with settled(stack):
        sent = Sent("GET", "/waiting/", query=query)
        answers = [ask_asgi(each, sent, leaves_after=0.1) for each in both_asgi()]
    hold_equal(*answers)
    assert answers[1].events.count("cancelled [loop]") == 1


def test_clients_that_leave_before_they_have_sent_everything_get_nothing() -> None:
    with settled("none"):
        for application in both_asgi():
            client = Client([{"type": "http.request", "body": b"a", "more_body": True}], 0)
            asyncio.run(converse(application, scope_of(Sent("POST", "/ping/"), ""), client))
            assert client.got == []


def test_cancelled_tasks_end_the_view() -> None:
    """A server that shuts down cancels its tasks."""

    async def cancel() -> None:
        task = asyncio.create_task(converse(application, scope, Client(pieces_of(b"", 1))))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with settled("none"):
        application = ASGIApplication(ASGIHandler())
        scope = scope_of(Sent("GET", "/waiting/"), "")
        EVENTS.clear()
        asyncio.run(cancel())
    assert EVENTS == ["cancelled [loop]"]


def test_other_protocols_are_left_to_django() -> None:
    with settled("none"):
        for application in both_asgi():
            with pytest.raises(ValueError, match="lifespan"):
                asyncio.run(converse(application, {"type": "lifespan"}, Client([])))


def traced(original: Any) -> Any:
    """Return a function around another one, as tools that trace requests put in its place."""
    if asyncio.iscoroutinefunction(original):

        async def on_loop(*args: Any, **named: Any) -> Any:
            note("traced")
            return await original(*args, **named)

        return on_loop

    def in_thread(*args: Any, **named: Any) -> Any:
        note("traced")
        return original(*args, **named)

    return in_thread


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (WSGIHandler, "__call__"),
        (WSGIHandler, "resolve_request"),
        (BaseHandler, "resolve_request"),
        (HttpResponseBase, "close"),
        (URLResolver, "resolve"),
        (signals.request_started, "send"),
        (signals.request_finished, "send"),
        (connections, "all"),
    ],
)
def test_functions_that_tools_replace_are_called(
    owner: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with settled("none"):
        ours = WSGIApplication(WSGIHandler())
        assert "traced [main]" not in ask_wsgi(ours, Sent("GET", "/ping/")).events
        monkeypatch.setattr(owner, name, traced(getattr(owner, name)))
        assert "traced [main]" in ask_wsgi(ours, Sent("GET", "/ping/")).events


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        *((ASGIHandler, name) for name in (
            "__call__", "handle", "read_body", "create_request", "listen_for_disconnect",
            "resolve_request",
        )),
        (ASGIRequest, "__init__"),
        (MiddlewareMixin, "__acall__"),
        (signals.request_started, "asend"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/ping/", "/prompt/"])
def test_functions_that_tools_replace_are_called_on_a_loop(
    owner: Any, name: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with settled("hooks"):
        applications = both_asgi()
        monkeypatch.setattr(owner, name, traced(getattr(owner, name)))
        answers = [ask_asgi(each, Sent("GET", path)) for each in applications]
    if name == "listen_for_disconnect":
        # Django runs it in a task, which begins before or after the first hook in a thread.
        for each in answers:
            each.events.sort()
    hold_equal(*answers)
    assert "traced [loop]" in answers[1].events


class PeekingRequest(ASGIRequest):
    def __init__(self, scope: Any, body: Any) -> None:
        note(f"begins with {body.read(5)}")
        body.seek(0)
        super().__init__(scope, body)


def test_requests_of_a_class_of_the_project_get_their_body(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with settled("none"):
        applications = both_asgi()
        monkeypatch.setattr(ASGIHandler, "request_class", PeekingRequest)
        sent = Sent("POST", "/bytes/", {"Content-Type": "text/plain"}, b"content")
        answers = [ask_asgi(each, sent) for each in applications]
    hold_equal(*answers)
    assert "begins with b'conte' [loop]" in answers[1].events


@pytest.mark.parametrize("path", ["/ping/", "/prompt/"])
def test_routes_that_middleware_loads_again_are_those_of_the_request(path: str) -> None:
    for ask, make in ((ask_wsgi, both_wsgi), (ask_asgi, both_asgi)):
        answers = []
        for index in (0, 1):
            with settled("none", MIDDLEWARE=[f"{MODULE}.Reloading"]):
                answers.append(ask(make()[index], Sent("GET", path)))
        hold_equal(*answers)
        assert ("urlconf" in answers[1].body.decode()) is (path == "/ping/")


def test_routes_that_cannot_be_imported_fail_as_without_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever imports them twice hides the reason."""
    (tmp_path / "broken_routes.py").write_text("import serving_service\nserving_service.fail()")
    monkeypatch.syspath_prepend(tmp_path)
    with override_settings(ROOT_URLCONF="broken_routes", ALLOWED_HOSTS=["testserver"]):
        counts = []
        for each in both_wsgi():
            with pytest.raises(AttributeError), counted_failures(monkeypatch) as failures:
                ask_wsgi(each, Sent("GET", "/ping/"))
            counts.append(len(failures))
        assert counts[0] == counts[1] > 0


@contextmanager
def counted_failures(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    failures: list[str] = []

    def fail() -> None:
        failures.append("failed")
        raise AttributeError("broken routes")

    monkeypatch.setattr(serving_service, "fail", fail, raising=False)
    yield failures


@pytest.mark.parametrize("query", ["", "waits"])
def test_what_a_view_sets_in_its_context_reaches_as_far_as_with_django(query: str) -> None:
    async def ask_twice(application: Any) -> list[Any]:
        """A caller in one task, such as a test client."""
        bodies = []
        for _ in range(2):
            client = Client(pieces_of(b"", 1))
            scope = scope_of(Sent("GET", "/telling/", query=query), "")
            await application(scope, client.receive, client.send)
            bodies.append(client.got[1]["body"])
        return [*bodies, get_language()]

    with settled("none"):
        django, ours = [asyncio.run(ask_twice(each)) for each in both_asgi()]
    assert ours == django
    assert (ours[0] == ours[1]) is (VERSION < (6, 1))


def test_threads_of_cancelled_requests_serve_no_others() -> None:
    """Middleware has not taken back what it has put into them."""
    with settled("none"):
        ours = ASGIApplication(ASGIHandler())
        left = Sent("GET", "/remembering/", query="for=0.3")
        assert ask_asgi(ours, left, leaves_after=0.05).status == ""
        assert ask_asgi(ours, Sent("GET", "/remembering/")).body == b"[null]"


def test_connections_that_cannot_be_closed_disturb_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(self: Any) -> None:
        raise RuntimeError("the server has gone")

    with settled("none"):
        monkeypatch.setattr(type(connections["default"]), "close", fail)
        answers = [ask_asgi(each, Sent("GET", "/database/")) for each in both_asgi()]
    hold_equal(*answers)
    assert answers[1].body == b"[[1]]"


def test_applications_have_the_attributes_of_the_handler() -> None:
    with settled("hooks"):
        for application in (WSGIApplication(WSGIHandler()), ASGIApplication(ASGIHandler())):
            assert callable(copy.copy(application).get_response)
            assert not hasattr(application, "get_nothing")
        request = WSGIRequest(environ_of(Sent("GET", "/ping/"), ""))
        assert WSGIApplication(WSGIHandler()).get_response(request).status_code == 200


def test_connections_of_threads_that_serve_again_are_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed: list[str] = []
    wrapper = type(connections["default"])
    close = wrapper.close

    def noted(self: Any) -> None:
        closed.append(self.alias)
        close(self)

    with settled("none"):
        ours = ASGIApplication(ASGIHandler())
        monkeypatch.setattr(wrapper, "close", noted)
        for count in (1, 2):
            answer = ask_asgi(ours, Sent("GET", "/database/"))
            assert answer.body == b"[[1]]"
            assert answer.events == ["atomic False [thread]", "default is looked at [thread]"]
            assert len(closed) == count


@pytest.mark.shortcuts
@pytest.mark.parametrize(("path", "hops"), [("/prompt/", 0), ("/ping/", 1), ("/database/", 2)])
def test_nothing_goes_to_a_thread_unless_it_blocks(
    path: str, hops: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[object] = []
    submit = ThreadPoolExecutor.submit

    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        taken.append(args)
        return submit(self, *args, **kwargs)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", counted)
    with settled("none"):
        ask_asgi(ASGIApplication(ASGIHandler()), Sent("GET", path))
    assert len(taken) == hops


@pytest.mark.shortcuts
@pytest.mark.parametrize("stack", ["hooks", "logged hooks"])
@pytest.mark.parametrize(("path", "hops"), [("/prompt/", 4), ("/ping/", 1)])
def test_hooks_of_middleware_share_a_change_of_thread(
    stack: str, path: str, hops: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[object] = []
    submit = ThreadPoolExecutor.submit

    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        taken.append(args)
        return submit(self, *args, **kwargs)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", counted)
    with settled(stack):
        ask_asgi(ASGIApplication(ASGIHandler()), Sent("GET", path))
    assert len(taken) == hops
