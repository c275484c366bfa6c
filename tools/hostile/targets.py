"""What mutation guided by coverage calls: parsers, cursors, fields, patches, codecs.

A target takes bytes, and may refuse them by an error that clients are answered with.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import Http404
from django.test import RequestFactory

from hostile.models import Note
from hostile.views import NoteSerializer, Plain, api

Target = Callable[[bytes], object]

FACTORY = RequestFactory()
#: What Django and both packages answer with a status below 500.
REFUSALS: list[type[Exception]] = [Http404, PermissionDenied, SuspiciousOperation]


def text_of(content: bytes) -> str:
    """Bytes as a header or a decoded part of a URL: every text without half of a pair."""
    return content.decode("utf-8", "replace")


def request_of(content: bytes = b"", kind: str = "", target: str = "/", **meta: str) -> Any:
    made = FACTORY.generic("POST" if kind else "GET", target, content, kind or "text/plain", **meta)
    return api.views.APIView().initialize_request(made)


def parsed(name: str, kind: str) -> Target:
    parser = getattr(api.parsers, name)

    def target(content: bytes) -> object:
        request = request_of(content, kind)
        return parser().parse(io.BytesIO(content), kind, {"request": request, "encoding": "utf-8"})

    return target


def cursor(content: bytes) -> object:
    request = request_of(target="/")
    request.query_params._mutable = True
    request.query_params["cursor"] = text_of(content)
    style = api.pagination.CursorPagination()
    style.page_size, style.ordering = 2, ("-number", "id")
    return style.paginate_queryset(Note.objects.all(), request)


def accept(content: bytes) -> object:
    request = request_of(HTTP_ACCEPT=content.decode("latin-1"))
    renderers = [api.renderers.JSONRenderer(), api.renderers.BrowsableAPIRenderer()]
    return api.views.APIView().get_content_negotiator().select_renderer(request, renderers)


def credentials(content: bytes) -> object:
    request = request_of(HTTP_AUTHORIZATION=content.decode("latin-1"))
    for kind in ("TokenAuthentication", "BasicAuthentication"):
        getattr(api.authentication, kind)().authenticate(request)
    return None


def fields(content: bytes) -> object:
    """Each field of the plain serializer with the same text."""
    text = text_of(content)
    serializer = Plain(data=dict.fromkeys(Plain().fields, text))
    serializer.is_valid()
    return serializer.errors


def rows(content: bytes) -> object:
    """The serializer of the model with JSON, and what comes of it."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        raise api.serializers.ValidationError("no JSON") from None
    serializer = NoteSerializer(data=data)
    serializer.is_valid()
    return api.renderers.JSONRenderer().render(serializer.errors)


def search(content: bytes) -> object:
    request = request_of()
    request.query_params._mutable = True
    request.query_params.update({"search": text_of(content), "ordering": text_of(content)})
    view = api.viewsets.GenericViewSet()
    view.search_fields, view.ordering_fields = ["title", "^slug"], ["id", "title"]
    view.request = request
    found = api.filters.SearchFilter().filter_queryset(request, Note.objects.all(), view)
    return list(api.filters.OrderingFilter().filter_queryset(request, found, view)[:2])


SHARED: dict[str, Target] = {
    "JSON parser": parsed("JSONParser", "application/json"),
    "form parser": parsed("FormParser", "application/x-www-form-urlencoded"),
    "multipart parser": parsed("MultiPartParser", "multipart/form-data; boundary=XX"),
    "cursors": cursor,
    "Accept": accept,
    "Authorization": credentials,
    "fields": fields,
    "rows": rows,
    "search, ordering": search,
}


def own_targets() -> dict[str, Target]:
    """Those of lintel alone; the package is imported only here."""
    from hostile.formats import codecs
    from lintel_document import ParseError

    REFUSALS.append(ParseError)
    nested = parsed("NestedMultiPartParser", "multipart/form-data; boundary=XX")
    return {
        "nested forms": nested,
        "patches": patches(),
        **{name: decoded(codec) for name, codec in codecs().items()},
    }


def decoded(codec: Any) -> Target:
    return lambda content: codec.decode(content, base_url="https://h.example/d")


def patches() -> Target:
    """A JSON Patch or a Merge Patch, applied to a document of any shape."""
    from lintel.patching import JSONPatchParser, MergePatchParser
    from lintel.patching.merging import merged
    from lintel.patching.operations import Patched, apply_operations, read_operations

    document: Any = {"title": "a", "labels": [1, 2], "extra": {"a": {"b": [None]}}}

    def target(content: bytes) -> object:
        parser = MergePatchParser() if content[:1] == b"{" else JSONPatchParser()
        context = {"request": request_of(content, "application/json"), "encoding": "utf-8"}
        patch = parser.parse(io.BytesIO(content), parser.media_type, context)
        if isinstance(patch, list):
            copied = json.loads(json.dumps(document))
            return apply_operations(Patched(copied, None), read_operations(patch))
        return merged(document, patch)

    return target


def targets() -> dict[str, Target]:
    REFUSALS.append(api.serializers.ValidationError.__mro__[1])
    return {**SHARED, **(own_targets() if settings.IS_OURS else {})}
