"""A session of the library ``requests`` whose requests the project handles, without a network."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

import requests
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from requests.adapters import HTTPAdapter
from urllib3 import HTTPHeaderDict, HTTPResponse


class HeaderDict(HTTPHeaderDict):
    """Headers with the method that the standard library's cookie jar expects."""

    def get_all(self, key: str, default: Any) -> Any:  # type: ignore[override]
        return self.getheaders(key)


class MockOriginalResponse:
    """Stands in for the response of ``http.client``, for cookies."""

    def __init__(self, headers: Any) -> None:
        self.msg: HeaderDict = HeaderDict(headers)
        self.closed: bool = False

    def isclosed(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True


@contextmanager
def _keep_connections_open() -> Iterator[None]:
    """Keep the database connection, and with it the transaction of the test."""
    request_started.disconnect(close_old_connections)
    request_finished.disconnect(close_old_connections)
    try:
        yield
    finally:
        request_started.connect(close_old_connections)
        request_finished.connect(close_old_connections)


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    reason: str
    headers: list[tuple[str, str]]
    body: bytes


def perform(application: WSGIHandler, environ: dict[str, Any]) -> Answer:
    started: list[tuple[str, Any]] = []

    def start_response(status: str, headers: object, exc_info: object = None) -> Any:
        started.append((status, headers))
        return lambda data: None

    parts = application(environ, start_response)
    body = b"".join(parts)
    close = getattr(parts, "close", None)
    if close:
        close()
    status, headers = started[-1]
    code, _, reason = status.partition(" ")
    return Answer(int(code), reason, headers, body)


class DjangoTestAdapter(HTTPAdapter):
    """Sends requests to the WSGI application of the project."""

    def __init__(self) -> None:
        self.app: WSGIHandler = WSGIHandler()
        super().__init__()

    def get_environ(self, request: Any) -> dict[str, Any]:
        """Return the WSGI environment of a prepared request (PEP 3333)."""
        parts = urlsplit(request.url)
        body = request.body or b""
        if not isinstance(body, bytes | str):
            body = body.read()
        body = body.encode() if isinstance(body, str) else body
        environ = {
            "REQUEST_METHOD": request.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote(parts.path, "latin-1"),
            "QUERY_STRING": parts.query,
            "SERVER_NAME": "testserver",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": io.StringIO(),
            "wsgi.multithread": False,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
        }
        if body:
            environ["CONTENT_LENGTH"] = str(len(body))
        for name, value in request.headers.items():
            if name.title() in ("Connection", "Content-Length"):
                continue
            key = name.upper().replace("-", "_")
            key = key if key == "CONTENT_TYPE" else f"HTTP_{key}"
            environ[key] = value.decode("latin-1") if isinstance(value, bytes) else value
        return environ

    def send(self, request: Any, *args: object, **kwargs: object) -> Any:
        environ = self.get_environ(request)
        with _keep_connections_open():
            answer = perform(self.app, environ)
        original: Any = MockOriginalResponse(answer.headers)
        response = HTTPResponse(
            body=io.BytesIO(answer.body),
            status=answer.status,
            reason=answer.reason,
            headers=HTTPHeaderDict(answer.headers),
            original_response=original,
            preload_content=False,
        )
        return self.build_response(request, response)

    def close(self) -> None:
        """Do nothing: there is no connection."""


class RequestsClient(requests.Session):
    """A session whose requests, whatever their host, are handled by the project."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        adapter = DjangoTestAdapter()
        self.mount("http://", adapter)
        self.mount("https://", adapter)

    def request(self, method: Any, url: Any, *args: Any, **kwargs: Any) -> Any:
        if not str(url).startswith(("http://", "https://")):
            raise ValueError(
                'Missing "http:" or "https:". Use a fully qualified URL, eg '
                f'"http://testserver{url}"'
            )
        return super().request(method, url, *args, **kwargs)
