"""A small API whose hooks run in every mixture of sync and async, for ``test_async_crud.py``.

The same snippets are behind four viewsets: sync, async handlers over sync hooks, async hooks
under sync handlers, and all async. Each hook records the thread in which it ran.
"""

import asyncio
import contextvars
import threading
from collections.abc import AsyncIterator
from typing import Any

from contract_project.models import Snippet, Tag
from django.http import Http404, StreamingHttpResponse
from django.urls import include, path
from django.utils import timezone, translation
from django.utils.translation import gettext

from lintel import exceptions, serializers, viewsets
from lintel.authentication import BaseAuthentication, TokenAuthentication
from lintel.authtoken.models import Token
from lintel.decorators import action, api_view, authentication_classes, permission_classes
from lintel.exceptions import AuthenticationFailed
from lintel.filters import BaseFilterBackend, OrderingFilter, SearchFilter
from lintel.pagination import PageNumberPagination
from lintel.permissions import BasePermission, IsAuthenticated
from lintel.renderers import AdminRenderer, BrowsableAPIRenderer, JSONRenderer
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.throttling import BaseThrottle
from lintel.views import APIView, exception_handler

#: Records of the hooks: their names and the threads in which they ran.
calls: list[tuple[str, int]] = []

#: Requests to ``/waiting/`` in progress, and those whose clients have disconnected.
waiting = {"now": 0, "left": 0}

asked_by: contextvars.ContextVar[str] = contextvars.ContextVar("asked_by", default="nobody")


def note(name: str) -> None:
    calls.append((name, threading.get_ident()))


def note_request(name: str, view: object) -> None:
    """Note a call for a request; the plugin that describes the views calls permissions too."""
    if not hasattr(view, "swagger_fake_view"):
        note(name)


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]
        extra_kwargs = {"name": {"validators": []}}


class SnippetSerializer(serializers.ModelSerializer):
    """Snippets with their owner and their tags, which are written with them."""

    owner = serializers.SlugRelatedField(slug_field="username", read_only=True)
    tags = TagSerializer(many=True, required=False)

    class Meta:
        model = Snippet
        fields = ["id", "title", "code", "owner", "tags"]

    def create(self, validated_data: Any) -> Snippet:
        tags = validated_data.pop("tags", [])
        return self._tagged(super().create(validated_data), tags)

    def update(self, instance: Snippet, validated_data: Any) -> Snippet:
        tags = validated_data.pop("tags", None)
        return self._tagged(super().update(instance, validated_data), tags)

    def _tagged(self, snippet: Snippet, tags: Any) -> Snippet:
        if tags is not None:
            snippet.tags.set([Tag.objects.get_or_create(**tag)[0] for tag in tags])
        return snippet


# Sync hooks


class TokenFirst(TokenAuthentication):
    def authenticate(self, request: Any) -> Any:
        note("authenticate")
        return super().authenticate(request)


class IsOwnerOrReader(BasePermission):
    """Asks the database, as permissions of real projects do."""

    def has_permission(self, request: Any, view: Any) -> bool:
        note_request("has_permission", view)
        return bool(request.user.is_authenticated) and request.user.groups.count() == 0

    def has_object_permission(self, request: Any, view: Any, obj: Any) -> bool:
        note("has_object_permission")
        return request.method == "GET" or obj.owner == request.user


class CountingThrottle(BaseThrottle):
    def allow_request(self, request: Any, view: Any) -> bool:
        note("allow_request")
        return Snippet.objects.count() < 100


class NotHidden(BaseFilterBackend):
    def filter_queryset(self, request: Any, queryset: Any, view: Any) -> Any:
        note("filter_queryset")
        hidden = list(Tag.objects.filter(name="hidden"))
        return queryset.exclude(tags__in=hidden)


class Pages(PageNumberPagination):
    page_size = 2

    def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> Any:
        note("paginate_queryset")
        return super().paginate_queryset(queryset, request, view)


# The same, async


class AsyncTokens(TokenAuthentication):
    async def authenticate(self, request: Any) -> Any:
        note("authenticate")
        keyword, _space, key = request.headers.get("authorization", "").partition(" ")
        if keyword != "Token":
            return None
        token = await Token.objects.select_related("user").filter(key=key).afirst()
        if token is None:
            raise AuthenticationFailed("Invalid token.")
        return token.user, token


class AsyncIsOwnerOrReader(BasePermission):
    async def has_permission(self, request: Any, view: Any) -> bool:
        note_request("has_permission", view)
        return bool(request.user.is_authenticated) and await request.user.groups.acount() == 0

    async def has_object_permission(self, request: Any, view: Any, obj: Any) -> bool:
        note("has_object_permission")
        return request.method == "GET" or obj.owner_id == request.user.pk


class AsyncThrottle(BaseThrottle):
    async def allow_request(self, request: Any, view: Any) -> bool:
        note("allow_request")
        return await Snippet.objects.acount() < 100


class AsyncNotHidden(BaseFilterBackend):
    async def filter_queryset(self, request: Any, queryset: Any, view: Any) -> Any:
        note("filter_queryset")
        hidden = [tag async for tag in Tag.objects.filter(name="hidden")]
        return queryset.exclude(tags__in=hidden)


class AsyncPages(PageNumberPagination):
    page_size = 2

    async def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> Any:
        note("paginate_queryset")
        return await asyncio.to_thread(super().paginate_queryset, queryset, request, view)


class Snippets:
    queryset = Snippet.objects.prefetch_related("tags").select_related("owner").order_by("id")
    serializer_class = SnippetSerializer
    renderer_classes = [JSONRenderer]
    search_fields = ["code", "title"]
    ordering_fields = ["title"]

    def perform_create(self, serializer: Any) -> None:
        serializer.save(owner=self.request.user)  # type: ignore[attr-defined]

    @action(detail=True)
    async def shouted(self, request: Any, pk: Any = None) -> Response:
        snippet = await self.aget_object()  # type: ignore[attr-defined]
        return Response({"code": snippet.code.upper()})


class WithSyncHooks(Snippets):
    authentication_classes = [TokenFirst]
    permission_classes = [IsAuthenticated & IsOwnerOrReader]
    throttle_classes = [CountingThrottle]
    filter_backends = [NotHidden, SearchFilter, OrderingFilter]
    pagination_class = Pages


class WithAsyncHooks(Snippets):
    authentication_classes = [AsyncTokens]
    permission_classes = [IsAuthenticated & AsyncIsOwnerOrReader]
    throttle_classes = [AsyncThrottle]
    filter_backends = [AsyncNotHidden, SearchFilter, OrderingFilter]
    pagination_class = AsyncPages


class SyncSnippets(WithSyncHooks, viewsets.ModelViewSet):
    pass


class AsyncSnippets(WithSyncHooks, viewsets.AsyncModelViewSet):
    pass


class SyncOverAsync(WithAsyncHooks, viewsets.ModelViewSet):
    pass


class AllAsync(WithAsyncHooks, viewsets.AsyncModelViewSet):
    async def aperform_create(self, serializer: Any) -> None:
        await serializer.asave(owner=self.request.user)


class Mixed(Snippets, viewsets.AsyncModelViewSet):
    """Neighbours of different kinds."""

    authentication_classes = [AsyncTokens, TokenFirst]
    permission_classes = [IsAuthenticated, IsOwnerOrReader, AsyncIsOwnerOrReader]
    throttle_classes = [AsyncThrottle, CountingThrottle]
    filter_backends = [NotHidden, AsyncNotHidden, SearchFilter, OrderingFilter]
    pagination_class = Pages


class Browsable(Mixed):
    """Shown as a page, with a queryset that takes a query to make."""

    renderer_classes = [JSONRenderer, BrowsableAPIRenderer, AdminRenderer]

    async def get_queryset(self) -> Any:
        hidden = await Tag.objects.filter(name="hidden").acount()
        return Snippets.queryset.filter(pk__gt=-hidden)


# Single views


def recording_handler(exc: Exception, context: Any) -> Any:
    """An exception handler that writes to the database."""
    note("exception_handler")
    Tag.objects.get_or_create(name="failed")
    return exception_handler(exc, context)


async def async_handler(exc: Exception, context: Any) -> Any:
    note("exception_handler")
    await Tag.objects.aget_or_create(name="failed")
    return exception_handler(exc, context)


class Failing(APIView):
    authentication_classes: list[Any] = []
    renderer_classes = [JSONRenderer]

    async def get(self, request: Any, kind: str) -> Response:
        if kind == "missing":
            raise Http404
        raise exceptions.ParseError("broken")


class Audited(Failing):
    """Writes to the database where every view ends."""

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        note("finalize_response")
        Tag.objects.get_or_create(name="audited")
        return super().finalize_response(request, response, *args, **kwargs)


class Checked(APIView):
    """Async from the first check to the handler."""

    authentication_classes = [AsyncTokens]
    permission_classes = [AsyncIsOwnerOrReader]
    throttle_classes = [AsyncThrottle]
    renderer_classes = [JSONRenderer]

    async def get(self, request: Any) -> Response:
        return Response({"snippets": await Snippet.objects.acount()})


class Late(APIView):
    """Finds out who is asking when the handler wants to know."""

    authentication_classes = [TokenFirst]
    renderer_classes = [JSONRenderer]

    def perform_authentication(self, request: Any) -> None:
        pass

    async def get(self, request: Any) -> Response:
        user = await request.auser()
        return Response({"user": user.get_username(), "auth": bool(request.auth)})


class Odd(Late):
    class Broken(BaseAuthentication):
        def authenticate(self, request: Any) -> Any:
            return request.no_such_attribute

    authentication_classes = [Broken]


class Situated(BaseAuthentication):
    """Sets what lives in the context of a request, from a thread."""

    def authenticate(self, request: Any) -> Any:
        name = request.query_params.get("name", "nobody")
        asked_by.set(name)
        timezone.activate(request.query_params.get("zone", "UTC"))
        translation.activate(request.query_params.get("language", "en"))
        return None


class Context(APIView):
    authentication_classes = [Situated]
    renderer_classes = [JSONRenderer]

    async def get(self, request: Any) -> Response:
        await asyncio.sleep(0.01)
        return Response(
            {
                "name": asked_by.get(),
                "zone": timezone.get_current_timezone_name(),
                "word": gettext("Yes"),
            }
        )


@api_view(["GET"])
@authentication_classes([])
@permission_classes([])
async def wait(request: Any) -> Response:
    waiting["now"] += 1
    try:
        await asyncio.sleep(float(request.query_params.get("seconds", "30")))
    except asyncio.CancelledError:
        waiting["left"] += 1
        raise
    finally:
        waiting["now"] -= 1
    return Response({"waited": True})


@api_view(["GET"])
@authentication_classes([])
@permission_classes([])
async def left(request: Any) -> Response:
    return Response(waiting)


@api_view(["GET"])
@authentication_classes([])
@permission_classes([])
async def stream(request: Any) -> StreamingHttpResponse:
    async def pieces() -> AsyncIterator[bytes]:
        for number in range(5):
            await asyncio.sleep(0)
            yield f"{number}\n".encode()

    return StreamingHttpResponse(pieces(), content_type="text/plain")


KINDS = {
    "sync": SyncSnippets,
    "async": AsyncSnippets,
    "sync-over-async": SyncOverAsync,
    "all-async": AllAsync,
    "mixed": Mixed,
    "browsable": Browsable,
}
router = SimpleRouter()
for kind, viewset in KINDS.items():
    router.register(kind, viewset, basename=kind)

urlpatterns = [
    path("", include(router.urls)),
    path("failing/<str:kind>/", Failing.as_view()),
    path("audited/<str:kind>/", Audited.as_view()),
    path("checked/", Checked.as_view()),
    path("late/", Late.as_view()),
    path("odd/", Odd.as_view()),
    path("context/", Context.as_view()),
    path("waiting/", wait),
    path("left/", left),
    path("stream/", stream),
]
