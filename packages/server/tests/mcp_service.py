"""A small project with tools for agents, for ``test_mcp.py`` and for servers in other processes."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from io import BytesIO
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import include, path

import lintel.mcp
from lintel import serializers
from lintel.authentication import BaseAuthentication, SessionAuthentication
from lintel.decorators import action
from lintel.exceptions import AuthenticationFailed, NotFound
from lintel.parsers import JSONParser, MultiPartParser
from lintel.permissions import IsAdminUser, IsAuthenticatedOrReadOnly
from lintel.request import Request
from lintel.response import Response
from lintel.routers import DefaultRouter
from lintel.schemas import get_schema_view
from lintel.throttling import BaseThrottle
from lintel.versioning import AcceptHeaderVersioning, QueryParameterVersioning
from lintel.views import APIView
from lintel.viewsets import GenericViewSet

USERS = {"ada": User(pk=1, username="ada"), "root": User(pk=2, username="root", is_staff=True)}
BOOKS = {1: {"id": 1, "title": "One", "tags": []}, 2: {"id": 2, "title": "Two", "tags": ["b"]}}

#: What tests count: calls of the throttle, of the middleware, and of the view of writes.
COUNTED = {"throttle": 0, "middleware": 0, "written": 0}


#: What the view of content sends.
CONTENT: dict[str, Any] = {"bytes": b"", "type": "text/plain"}


class Tokens(BaseAuthentication):
    """Bearer tokens that are names of users."""

    def authenticate(self, request: Request) -> tuple[User, str] | None:
        scheme, _, name = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer":
            return None
        if name not in USERS:
            raise AuthenticationFailed()
        return USERS[name], name

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="books"'


class Counted(BaseThrottle):
    """Counts, and refuses what asks to be refused."""

    def allow_request(self, request: Request, view: object) -> bool:
        COUNTED["throttle"] += 1
        return request.headers.get("X-Refused") is None

    def wait(self) -> float:
        return 7.0


def remembering(get_response: Any) -> Any:
    """Middleware that counts new books in the session, and forgets it where one is deleted."""

    def middleware(request: Any) -> Any:
        if request.path == "/books/" and request.method == "POST":
            request.session["added"] = request.session.get("added", 0) + 1
        if request.method == "DELETE":
            request.session.flush()
        return get_response(request)

    return middleware


def counting(get_response: Callable[[HttpRequest], HttpResponse]) -> Any:
    def respond(request: HttpRequest) -> HttpResponse:
        COUNTED["middleware"] += 1
        return get_response(request)

    return respond


class BookSerializer(serializers.Serializer):
    id = serializers.IntegerField(read_only=True)
    title = serializers.CharField(max_length=10, help_text="The title.")
    tags = serializers.ListField(child=serializers.CharField(), required=False)


class PhotoSerializer(serializers.Serializer):
    photo = serializers.FileField()
    caption = serializers.CharField(required=False)


class TitleSerializer(serializers.Serializer):
    title = serializers.CharField()


class SeenSerializer(serializers.Serializer):
    seen = serializers.DictField()


class BookViewSet(GenericViewSet):
    """Books, and what is done with them."""

    serializer_class = BookSerializer
    authentication_classes = [Tokens, SessionAuthentication]
    permission_classes = [IsAuthenticatedOrReadOnly]
    throttle_classes = [Counted]
    parser_classes = [JSONParser]
    pagination_class = None
    lookup_value_regex = "[^/]+"

    def list(self, request: Request) -> Response:
        return Response(self.get_serializer(list(BOOKS.values()), many=True).data)

    def retrieve(self, request: Request, pk: str) -> Response:
        found = BOOKS.get(int(pk)) if pk.isdecimal() else None
        if found is None:
            raise NotFound()
        return Response(self.get_serializer(found).data)

    def create(self, request: Request) -> Response:
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        COUNTED["written"] += 1
        return Response({"tags": [], **serializer.validated_data, "id": 3}, 201)

    def destroy(self, request: Request, pk: str) -> Response:
        COUNTED["written"] += 1
        return Response(status=204)

    @action(detail=True, methods=["post"], serializer_class=TitleSerializer)
    def rename(self, request: Request, pk: str) -> Response:
        COUNTED["written"] += 1
        return Response({"title": request.data["title"]}, 201)

    @action(
        detail=False,
        methods=["post"],
        serializer_class=PhotoSerializer,
        parser_classes=[MultiPartParser],
    )
    def photos(self, request: Request) -> Response:
        photo = request.data["photo"]
        told = {"photo": f"{photo.name} {photo.content_type} {photo.read()!r}"}
        return Response({**told, "caption": request.data.get("caption", "")}, 201)


class Private(APIView):
    """For the staff."""

    authentication_classes = [Tokens]
    permission_classes = [IsAdminUser]

    def get(self, request: Request) -> Response:
        return Response(None)


def seen(request: Request) -> dict[str, Any]:
    names = ("Accept", "Accept-Language", "Authorization", "Cookie", "Mcp-Method", "If-None-Match")
    return {
        "method": request.method,
        "path": request.path,
        "query": request.query_params.dict(),
        "version": request.version,
        "user": str(request.user),
        "address": request.META["REMOTE_ADDR"],
        "key": request.headers.get("Idempotency-Key", ""),
        "headers": {name: request.headers[name] for name in names if name in request.headers},
    }


class Seen(APIView):
    """What a view sees of a call."""

    authentication_classes = [Tokens]
    versioning_class: Any = AcceptHeaderVersioning

    def get(self, request: Request) -> Response:
        return Response(seen(request))


class SeenByQuery(Seen):
    versioning_class = QueryParameterVersioning


class SeenOnLoop(Seen):
    async def get(self, request: Request) -> Response:  # type: ignore[override]
        await asyncio.sleep(0)
        return Response(seen(request))


class Broken(APIView):
    def get(self, request: Request) -> Response:
        raise RuntimeError("a secret of the server")


class Long(APIView):
    def get(self, request: Request) -> Response:
        return Response([f"line {at}" for at in range(2_000)])


class Ticks(APIView):
    """A stream without an end."""

    def get(self, request: Request) -> StreamingHttpResponse:
        return StreamingHttpResponse(ticks(), content_type="text/event-stream")


class TicksOnLoop(APIView):
    async def get(self, request: Request) -> StreamingHttpResponse:
        return StreamingHttpResponse(waiting(), content_type="text/event-stream")


class Lines(APIView):
    def get(self, request: Request) -> StreamingHttpResponse:
        lines = (b'{"n": %d}\n' % at for at in range(3))
        return StreamingHttpResponse(lines, content_type="application/x-ndjson")


class Download(APIView):
    def get(self, request: Request) -> FileResponse:
        return FileResponse(BytesIO(b"\x89PNG"), filename="a.png", content_type="image/png")


class Shelf(APIView):
    """One view at two routes."""

    def get(self, request: Request, name: str, is_hidden: bool = False) -> Response:
        return Response({"name": name, "is_hidden": is_hidden})


shelf = Shelf.as_view()


class Content(APIView):
    """Whatever CONTENT holds: bytes and their media type."""

    def get(self, request: Request) -> HttpResponse:
        return HttpResponse(CONTENT["bytes"], content_type=CONTENT["type"])


class InTransaction(APIView):
    def get(self, request: Request) -> Response:
        return Response({"savepoints": len(connection.savepoint_ids)})


def ticks() -> Iterator[bytes]:
    while True:
        yield b": ping\n\nid: 7\nevent: tick\ndata: x\ndata: y\n\n"


async def waiting() -> AsyncIterator[bytes]:
    yield b"data: first\n\ndata: cut"
    await asyncio.sleep(60)


router = DefaultRouter()
router.register("books", BookViewSet, basename="book")

described = [
    path("", include(router.urls)),
    path("private/", Private.as_view()),
    path("seen/", Seen.as_view()),
    path("seen-by-query/", SeenByQuery.as_view()),
    path("seen-on-loop/", SeenOnLoop.as_view()),
    path("broken/", Broken.as_view()),
    path("long/", Long.as_view()),
    path("ticks/", Ticks.as_view()),
    path("ticks-on-loop/", TicksOnLoop.as_view()),
    path("lines/", Lines.as_view()),
    path("shelves/<name>/", shelf),
    path("shelves/<name>/hidden/", shelf, {"is_hidden": True}),
    path("content/", Content.as_view()),
    path("in-transaction/", InTransaction.as_view()),
    path("download/", Download.as_view()),
]
AUTHENTICATION = [Tokens, SessionAuthentication]
small = lintel.mcp.MCPView.as_view(
    authentication_classes=AUTHENTICATION, include=["books"], exclude=["books.photos"]
)
writing = lintel.mcp.MCPView.as_view(
    authentication_classes=AUTHENTICATION,
    allow_write=True,
    throttle_classes=[Counted],
    stream_limits=lintel.mcp.Limits(items=2, seconds=0.3),
    versioning_class=QueryParameterVersioning,
)
urlpatterns = [
    *described,
    path("schema/", get_schema_view(title="Books"), name="schema"),
    path("mcp/", lintel.mcp.view),
    path("small/", small),
    path("writing/", writing),
    path(".well-known/oauth-protected-resource", lintel.mcp.protected_resource),
    path(".well-known/oauth-protected-resource/<path:resource>", lintel.mcp.protected_resource),
]
