"""The example service, and beside it a strict page, uploads and echoes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from django.contrib.auth.models import User
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    JsonResponse,
    StreamingHttpResponse,
)
from django.urls import include, path
from django.views.decorators.csrf import ensure_csrf_cookie
from snippets.models import Snippet
from snippets.serializers import SnippetSerializer

from lintel import serializers
from lintel.authentication import BaseAuthentication
from lintel.decorators import api_view, parser_classes, permission_classes
from lintel.documentation import get_docs_view, include_docs_urls
from lintel.filters import FieldFilter, SearchFilter
from lintel.generics import GenericAPIView, ListAPIView
from lintel.parsers import FileUploadParser, JSONParser, MultiPartParser
from lintel.permissions import AllowAny, IsAuthenticated
from lintel.renderers import JSONOpenAPIRenderer
from lintel.request import Request
from lintel.response import Response
from lintel.schemas import OpenApiParameter, SchemaGenerator, extend_schema, get_schema_view
from lintel.views import APIView

POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'"
)
written: list[int] = []
"""The events that the server has asked streams for; it stops when a connection is closed."""
PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Page</title>
</head><body>
<script src="/static/rest_framework/js/lintel-client.min.js"></script>
<script src="/docs/schema.js"></script></body></html>"""


@ensure_csrf_cookie
def page(request: HttpRequest) -> HttpResponse:
    return HttpResponse(PAGE, headers={"Content-Security-Policy": POLICY})


@api_view(["POST", "PUT", "GET"])
@permission_classes([AllowAny])
def echo(request: Request) -> Response:
    """Say what came: the fields of the head, and the values of the body."""
    head = {name.lower(): value for name, value in request.headers.items()}
    return Response({"method": request.method, "headers": head, "query": request.query_params})


@api_view(["POST"])
@permission_classes([AllowAny])
@parser_classes([MultiPartParser])
def upload(request: Request) -> Response:
    """Say how large each file is."""
    sizes = {name: [file.name, file.size] for name, file in request.FILES.items()}
    return Response(
        {"files": sizes, "data": {k: v for k, v in request.data.items() if k not in sizes}}
    )


@api_view(["PUT"])
@permission_classes([AllowAny])
@parser_classes([FileUploadParser])
def store(request: Request, **names: Any) -> Response:
    """Say what a file that is the whole body is called."""
    file = request.data["file"]
    return Response({"name": file.name, "size": file.size})


class AttachmentSerializer(serializers.Serializer[Any]):
    file = serializers.FileField()
    pages = serializers.ListField(child=serializers.FileField(), required=False)
    note = serializers.CharField(max_length=5, required=False)


class Attach(GenericAPIView):
    """Say how large each file of a described form is."""

    serializer_class = AttachmentSerializer
    permission_classes = [AllowAny]
    parser_classes = [JSONParser, MultiPartParser]

    def post(self, request: Request) -> Response:
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        data = serializer.validated_data
        files = [data["file"], *data.get("pages", [])]
        return Response({"note": data.get("note"), "files": [[f.name, f.size] for f in files]})


class PartnerAuthentication(BaseAuthentication):
    """Takes the key of a partner in a header of its own."""

    def authenticate(self, request: Request) -> tuple[User, str] | None:
        key = request.headers.get("X-Partner-Key", "")
        return (User(username="partner"), key) if key == "open sesame" else None

    def authenticate_header(self, request: Request) -> str:
        return "Partner"

    def get_openapi_security_scheme(self) -> dict[str, str]:
        return {"type": "apiKey", "in": "header", "name": "X-Partner-Key"}


class Tenant(APIView):
    """Say whose request came, and for which tenant."""

    authentication_classes = [PartnerAuthentication]
    permission_classes = [IsAuthenticated]

    @extend_schema(parameters=[OpenApiParameter("X-Tenant", location="header", required=True)])
    def get(self, request: Request) -> Response:
        return Response({"user": str(request.user), "tenant": request.headers.get("X-Tenant")})

    @extend_schema(parameters=[OpenApiParameter("X-Tenant", location="header", required=True)])
    def delete(self, request: Request) -> Response:
        return Response({"deleted": request.headers.get("X-Tenant")})


class Search(ListAPIView[Snippet]):
    """Finds snippets by GET and by QUERY."""

    queryset = Snippet.objects.order_by("pk")
    serializer_class = SnippetSerializer
    permission_classes = [AllowAny]
    pagination_class = None
    filter_backends = [FieldFilter, SearchFilter]
    filter_fields = ["language", "id__in"]
    search_fields = ["title"]
    query_handler = "get"


class OpenAPI32(SchemaGenerator):
    openapi_version = "3.2.0"


def file(request: HttpRequest) -> HttpResponse:
    return HttpResponse(
        b"\x00\xff" * 50_000,
        content_type="application/zip",
        headers={"Content-Disposition": 'attachment; filename="data.zip"'},
    )


def events(request: HttpRequest) -> StreamingHttpResponse:
    """Send three events over two connections, or events without an end."""

    def sent() -> Iterator[str]:
        number = int(request.headers.get("Last-Event-ID", 0))
        yield "retry: 10\n\n"
        while number < 3 or "endless" in request.GET:
            number += 1
            written.append(number)
            yield f"id: {number}\ndata: bär {number}\n\n"
            if number == 2:
                return
            time.sleep(0.01)

    done = request.headers.get("Last-Event-ID") == "3"
    return StreamingHttpResponse(
        [] if done else sent(), status=204 if done else 200, content_type="text/event-stream"
    )


def closed_events(request: HttpRequest) -> JsonResponse:
    """Say whether all streams of events have ended, within ten seconds."""
    for _ in range(20):
        before = len(written)
        time.sleep(0.5)
        if len(written) == before:
            return JsonResponse(True, safe=False)
    return JsonResponse(False, safe=False)


def slow(request: HttpRequest) -> HttpResponse:
    time.sleep(1)
    return HttpResponse("late")


def away(request: HttpRequest) -> HttpResponse:
    return HttpResponseRedirect(request.GET["to"], status=int(request.GET.get("status", 302)))


def strict_documentation(
    get_response: Callable[[HttpRequest], Any],
) -> Callable[[HttpRequest], Any]:
    """Middleware that sends the documentation under the policy of the strict page."""

    def answer(request: HttpRequest) -> Any:
        response = get_response(request)
        if request.path in ("/docs/", "/docs/alone/"):
            response["Content-Security-Policy"] = POLICY
        return response

    return answer


search_schema = get_schema_view(
    title="Search",
    generator_class=OpenAPI32,
    patterns=[path("search/", Search.as_view())],
    renderer_classes=[JSONOpenAPIRenderer],
    public=True,
)

urlpatterns = [
    path("page/", page),
    path("echo/", echo),
    path("upload/", upload),
    path("attach/", Attach.as_view()),
    path("store/", store),
    path("tenant/", Tenant.as_view()),
    path("file/", file),
    path("search/", Search.as_view(schema=None)),
    path("search/schema/", search_schema),
    path("slow/", slow),
    path("events/", events),
    path("events/closed/", closed_events),
    path("away/", away),
    path("docs/", include_docs_urls(title="Schnipsel — Überblick")),
    path("docs/alone/", get_docs_view(title="Alone")),
    path("", include("service.urls")),
]
