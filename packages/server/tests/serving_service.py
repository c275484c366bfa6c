"""A project whose every part writes down when it is called, for ``test_serving_*.py``."""

import asyncio
import copy
import enum
import io
import pickle
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from types import ModuleType
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.db import connection
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.http.multipartparser import MultiPartParserError
from django.template import engines
from django.template.response import TemplateResponse
from django.urls import (
    clear_url_caches,
    get_script_prefix,
    get_urlconf,
    include,
    path,
    re_path,
)
from django.utils.decorators import sync_and_async_middleware
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import activate, get_language

from lintel.response import Response
from lintel.views import APIView

#: What was called, in order.
EVENTS: list[str] = []


def note(text: str) -> None:
    try:
        asyncio.get_running_loop()
        place = "loop"
    except RuntimeError:
        place = "thread" if threading.current_thread() is not threading.main_thread() else "main"
    EVENTS.append(f"{text} [{place}]")


class Open(APIView):
    authentication_classes: Any = []
    permission_classes: Any = []


class Ping(Open):
    def get(self, request: Any, **kwargs: Any) -> Response:
        note("view")
        return Response({"ok": True, "kwargs": {k: str(v) for k, v in kwargs.items()}})


class AsyncPing(Open):
    async def get(self, request: Any, **kwargs: Any) -> Response:
        note("view")
        await asyncio.sleep(0)
        return Response({"ok": True})


class PromptPing(Open):
    async def get(self, request: Any) -> Response:
        note("view")
        return Response({"ok": True})


class Facts(Open):
    """What a view can see of its request."""

    def get(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        http = request._request
        match = http.resolver_match
        note(f"args {args} kwargs {kwargs}")
        return Response(
            {
                "class": f"{type(http).__module__}.{type(http).__name__}",
                "path": [
                    http.path,
                    http.path_info,
                    http.get_full_path(),
                    http.build_absolute_uri(),
                ],
                "match": repr(match),
                "tried": repr(match.tried),
                "names": [match.view_name, match.namespaces, match.app_names, match.route],
                "urlconf": str(get_urlconf()),
                "prefix": get_script_prefix(),
                "query": dict(http.GET),
                "cookies": http.COOKIES,
                "headers": dict(http.headers),
                "scheme": [http.scheme, http.is_secure()],
                "attributes": sorted(set(vars(http)) - {"_messages"}),
            }
        )


class AsyncFacts(Facts):
    async def get(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class Echo(Open):
    def post(self, request: Any) -> Response:
        note("view")
        files = {name: [file.name, file.read().decode()] for name, file in request.FILES.items()}
        data = {name: value for name, value in request.data.items() if name not in files}
        return Response({"data": data, "files": files}, status=201)

    put = post


class AsyncEcho(Echo):
    async def post(self, request: Any) -> Response:
        return super().post(request)


class Bytes(Open):
    def post(self, request: Any) -> HttpResponse:
        return HttpResponse(request._request.body[:100], content_type="text/plain")


KINDS: dict[str, Callable[[], BaseException]] = {
    "404": lambda: Http404("gone"),
    "403": lambda: PermissionDenied("no"),
    "400": lambda: BadRequest("bad"),
    "suspicious": lambda: SuspiciousOperation("odd"),
    "multipart": lambda: MultiPartParserError("torn"),
    "500": lambda: RuntimeError("broken"),
}


class Raise(Open):
    """Raise where lintel's exception handler does not see it."""

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        note("view")
        raise KINDS[request.query_params["kind"]]()

    def get(self, request: Any) -> Response:
        return Response()


class AsyncRaise(Raise):
    async def get(self, request: Any) -> Response:
        return Response()


class Cookies(Open):
    def get(self, request: Any) -> Response:
        response = Response({"ok": True}, headers={"X-One": "1", "x-two": "é"})
        until = "Fri, 01 Jan 2100 00:00:00 GMT"
        response.set_cookie("one", "1", expires=until, httponly=True, samesite="Lax")
        response.set_cookie("two", "a b;c")
        response.delete_cookie("three")
        return response


class Template(Open):
    def get(self, request: Any) -> HttpResponse:
        template = engines["django"].from_string("Hello {{ name }}")
        return TemplateResponse(request._request, template, {"name": "view"})


class BrokenTemplate(Open):
    def get(self, request: Any) -> HttpResponse:
        def fail() -> str:
            raise ValueError("not rendered")

        template = engines["django"].from_string("{{ fail }}")
        return TemplateResponse(request._request, template, {"fail": fail})


class Nothing(Open):
    def dispatch(self, *args: Any, **kwargs: Any) -> None:
        note("view")


class Stream(Open):
    def get(self, request: Any) -> HttpResponseBase:
        return StreamingHttpResponse(self.pieces())

    def pieces(self) -> Iterator[bytes]:
        try:
            note("first piece")
            yield b"one,"
            yield b"two"
        finally:
            note("pieces end")


class AsyncStream(Open):
    async def get(self, request: Any) -> HttpResponseBase:
        return StreamingHttpResponse(self.pieces())

    async def pieces(self) -> AsyncIterator[bytes]:
        try:
            note("first piece")
            yield b"one,"
            await asyncio.sleep(0)
            yield b"two"
        finally:
            note("pieces end")


class File(Open):
    def get(self, request: Any) -> HttpResponseBase:
        content = io.BytesIO(b"x" * 70_000)
        content.name = "big.txt"
        return FileResponse(content, as_attachment=True)


class Closing(Open):
    def get(self, request: Any) -> HttpResponseBase:
        response = HttpResponse(b"content")
        response._resource_closers.append(lambda: note("closer"))
        response._resource_closers.append(lambda: 1 // 0)
        response._resource_closers.append(lambda: note("closer after a failure"))
        return response


class OwnClose(HttpResponse):
    def close(self) -> None:
        note("own close")
        super().close()


class ClosingItself(Open):
    def get(self, request: Any) -> HttpResponseBase:
        return OwnClose(b"content")


class Database(Open):
    def get(self, request: Any) -> Response:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            note(f"atomic {connection.in_atomic_block}")
            return Response(cursor.fetchall())


class AsyncWaiting(Open):
    """Wait until the client has gone; with ``?stays`` answer then."""

    async def get(self, request: Any) -> Response:
        try:
            await asyncio.sleep(20)
        except asyncio.CancelledError:
            note("cancelled")
            if "stays" not in request.query_params:
                raise
        return Response({"stayed": True})


class TwoHundred(Open):
    def get(self, request: Any) -> HttpResponse:
        return HttpResponse(b"y" * 200_000, status=207, reason="Long")


class Reply(int, enum.Enum):
    """A number that formats as its name."""

    MULTI_STATUS = 207


class Numbered(Open):
    def get(self, request: Any) -> HttpResponse:
        response = HttpResponse(b"content")
        response.status_code = Reply.MULTI_STATUS
        return response


class RenderedOnLoop(HttpResponse):
    async def render(self) -> HttpResponse:
        await asyncio.sleep(0)
        if self.headers.get("X-Broken"):
            raise ValueError("not rendered")
        self.content = b"rendered"
        return self


class Rendering(Open):
    def get(self, request: Any) -> HttpResponse:
        return RenderedOnLoop(headers={"X-Broken": request.query_params.get("broken", "")})


class Telling(Open):
    """Say which language was active, and activate another one."""

    async def get(self, request: Any) -> Response:
        language = get_language()
        activate("de")
        if "waits" in request.query_params:
            await asyncio.sleep(0)
            activate("fr")
        return Response(language)


class Remembering(Open):
    """Say what the thread remembers, and let it remember something."""

    remembered = threading.local()

    def get(self, request: Any) -> Response:
        before = getattr(self.remembered, "path", None)
        self.remembered.path = request.path
        time.sleep(float(request.query_params.get("for", 0)))
        return Response([before])


def plain(request: HttpRequest) -> HttpResponse:
    note("view")
    return HttpResponse("plain")


inside = [
    path("<int:pk>/", Facts.as_view(), {"extra": "inner"}, name="facts"),
    re_path(r"^(?P<pk>[a-z]+)\.(?P<format>json)$", Facts.as_view(), name="formatted"),
]
urlpatterns = [
    path("plain/", plain),
    path("ping/", Ping.as_view(), name="ping"),
    path("aping/", AsyncPing.as_view()),
    path("prompt/", PromptPing.as_view()),
    path("facts/", Facts.as_view()),
    path("afacts/", AsyncFacts.as_view()),
    path("items/<slug:group>/", include((inside, "items"), namespace="space"), {"outer": 1}),
    re_path(r"^numbers/(\d+)/(\d+)/$", Facts.as_view()),
    path("é/", Facts.as_view()),
    path("echo/", Echo.as_view()),
    path("aecho/", AsyncEcho.as_view()),
    path("bytes/", Bytes.as_view()),
    path("raise/", Raise.as_view()),
    path("araise/", AsyncRaise.as_view()),
    path("cookies/", Cookies.as_view()),
    path("template/", Template.as_view()),
    path("broken-template/", BrokenTemplate.as_view()),
    path("nothing/", Nothing.as_view()),
    path("stream/", Stream.as_view()),
    path("astream/", AsyncStream.as_view()),
    path("file/", File.as_view()),
    path("closing/", Closing.as_view()),
    path("closing-itself/", ClosingItself.as_view()),
    path("database/", Database.as_view()),
    path("waiting/", AsyncWaiting.as_view()),
    path("long/", TwoHundred.as_view()),
    path("numbered/", Numbered.as_view()),
    path("rendering/", Rendering.as_view()),
    path("telling/", Telling.as_view()),
    path("remembering/", Remembering.as_view()),
]

other_urlconf = ModuleType("other_urlconf_of_a_test")
other_urlconf.urlpatterns = [path("ping/", Facts.as_view())]  # type: ignore[attr-defined]


def said(request: HttpRequest, name: str, hook: str) -> bool:
    """Return whether a request asks this hook to do something."""
    return request.headers.get("X-Do") == f"{name}.{hook}"


class Hooks(MiddlewareMixin):
    """Django's way to write middleware, with every hook."""

    name = "first"

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        note(f"{self.name}.process_request")
        if said(request, self.name, "urlconf"):
            request.urlconf = other_urlconf  # type: ignore[attr-defined]
        if said(request, self.name, "path_info"):
            request.path_info = "/facts/"
        return self._acted(request, "process_request")

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> Any:
        note(f"{self.name}.process_view {args} {kwargs}")
        return self._acted(request, "process_view")

    def process_exception(self, request: HttpRequest, exception: Exception) -> Any:
        note(f"{self.name}.process_exception {exception!r}")
        return self._acted(request, "process_exception")

    def process_template_response(self, request: HttpRequest, response: Any) -> Any:
        note(f"{self.name}.process_template_response {response.is_rendered}")
        self._acted(request, "process_template_response")
        return None if said(request, self.name, "template_none") else response

    def process_response(self, request: HttpRequest, response: Any) -> Any:
        note(f"{self.name}.process_response {response.status_code}")
        self._acted(request, "process_response")
        response.headers[f"X-{self.name}"] = "seen"
        return response

    def _acted(self, request: HttpRequest, hook: str) -> HttpResponse | None:
        if said(request, self.name, f"{hook}.raise"):
            raise RuntimeError(f"broken {hook}")
        if said(request, self.name, f"{hook}.deny"):
            raise PermissionDenied(hook)
        return HttpResponse(f"by {hook}") if said(request, self.name, hook) else None


class MoreHooks(Hooks):
    name = "second"


class OwnCall(MiddlewareMixin):
    """Overrides how middleware of Django is called."""

    def __call__(self, request: HttpRequest) -> Any:
        note("own call")
        return super().__call__(request)


class Falsy(HttpResponse):
    def __bool__(self) -> bool:
        return False


class FalsyAnswers(MiddlewareMixin):
    """Django takes what is false for no response, unless it is the last one."""

    def process_view(self, *args: Any) -> HttpResponse:
        return Falsy("falsy")


class Copying(MiddlewareMixin):
    """Copies the request before it has a view, as a cache or a queue of tasks does."""

    def process_request(self, request: HttpRequest) -> None:
        copies = [copy.copy(request), copy.deepcopy(request), pickle.loads(pickle.dumps(request))]
        note(str([each.path for each in copies]))


class Reloading(MiddlewareMixin):
    """Replaces the routes before the view is looked up, as some content systems do."""

    def process_request(self, request: HttpRequest) -> None:
        settings.ROOT_URLCONF = other_urlconf
        clear_url_caches()


def sync_only(get_response: Callable[..., Any]) -> Callable[..., Any]:
    def middleware(request: HttpRequest) -> Any:
        note("sync before")
        response = get_response(request)
        note("sync after")
        return response

    return middleware


class AsyncOnly:
    sync_capable = False
    async_capable = True

    def __init__(self, get_response: Callable[..., Any]) -> None:
        self.get_response = get_response
        markcoroutinefunction(self)

    async def __call__(self, request: HttpRequest) -> Any:
        note("async before")
        response = await self.get_response(request)
        note("async after")
        return response

    async def process_view(self, request: HttpRequest, *args: Any) -> None:
        note("async process_view")


@sync_and_async_middleware
def both(get_response: Callable[..., Any]) -> Callable[..., Any]:
    if not iscoroutinefunction(get_response):
        return sync_only(get_response)

    async def middleware(request: HttpRequest) -> Any:
        note("both before")
        response = await get_response(request)
        note("both after")
        return response

    return middleware
