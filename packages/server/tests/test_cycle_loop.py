"""Which views run on the event loop, and how their responses are rendered there."""

import asyncio
import threading
from datetime import datetime, timedelta, tzinfo
from decimal import Decimal
from typing import Any, ClassVar
from uuid import uuid4

import pytest
from asgiref.sync import iscoroutinefunction
from django.core.cache import cache
from django.test import AsyncClient, AsyncRequestFactory, Client, override_settings
from django.urls import path
from django.utils.decorators import method_decorator
from django.views.decorators.cache import cache_page
from django.views.decorators.vary import vary_on_headers

from lintel import views
from lintel.cycle.loop import handlers_are_async, render_on_the_loop
from lintel.cycle.steps import is_prompt
from lintel.marks import prompt
from lintel.permissions import AllowAny, BasePermission
from lintel.renderers import BaseRenderer, JSONRenderer
from lintel.response import Response
from lintel.utils.encoders import JSONEncoder
from lintel.utils.serializer_helpers import ReturnDict


class AsyncPermission(BasePermission):
    async def has_permission(self, request: Any, view: Any) -> bool:
        return True


class Plain(views.APIView):
    def get(self, request: Any) -> None: ...


class Awaiting(views.APIView):
    async def post(self, request: Any) -> None: ...


@pytest.mark.parametrize(
    ("attributes", "is_async"),
    [
        ({}, False),
        ({"permission_classes": [AllowAny]}, False),
        ({"permission_classes": (AllowAny, AsyncPermission)}, True),
        ({"permission_classes": [~AsyncPermission]}, True),
        ({"permission_classes": [AllowAny | AsyncPermission]}, True),
        ({"permission_classes": property(lambda view: [AsyncPermission])}, False),
    ],
)
def test_policies_that_a_class_names_decide(attributes: dict[str, Any], is_async: bool) -> None:
    made = type("Made", (Plain,), attributes)
    assert handlers_are_async(made, ["get"]) is is_async
    assert handlers_are_async(type("Below", (made,), {}), ["get"]) is is_async
    assert made.view_is_async is is_async


def test_only_the_handlers_in_question_decide() -> None:
    assert handlers_are_async(Awaiting, ["get", "post"])
    assert not handlers_are_async(Awaiting, ["get"])


def test_policies_of_the_settings_do_not_decide() -> None:
    with override_settings(REST_FRAMEWORK={"DEFAULT_PERMISSION_CLASSES": [AsyncPermission]}):
        assert not handlers_are_async(Plain, ["get"])
        assert Plain.permission_classes == [AsyncPermission]
        assert not handlers_are_async(Plain, ["get"])


class Blocking(BaseRenderer):
    media_type = "text/plain"

    def render(self, data: Any, *args: Any, **kwargs: Any) -> str:
        return "read from a disk"


def prepared(renderer: BaseRenderer) -> Response:
    response = Response({"a": 1})
    response.accepted_renderer = renderer
    response.accepted_media_type = renderer.media_type
    response.renderer_context = {}
    render_on_the_loop(response)
    return response


def test_prompt_renderers_are_awaited() -> None:
    async def render() -> Any:
        assert iscoroutinefunction(response.render)
        return await response.render()

    response = prepared(JSONRenderer())
    assert asyncio.run(render()) is response
    assert response.content == b'{"a":1}'
    assert response.render() is response


def test_outside_of_the_loop_nothing_is_to_be_awaited() -> None:
    response = prepared(JSONRenderer())
    assert response.render() is response
    assert response.content == b'{"a":1}'


class Noting(JSONRenderer):
    threads: ClassVar[list[int]] = []

    @prompt
    def render(self, data: Any, *args: Any, **kwargs: Any) -> bytes:
        self.threads.append(threading.get_ident())
        return super().render(data, *args, **kwargs)


class Threaded(views.APIView):
    renderer_classes = [Noting]

    def get(self, request: Any) -> Response:
        assert threading.get_ident() != threading.main_thread().ident
        return Response({"a": 1})


#: Where values of the project were converted.
converted_in: list[int] = []
situated = threading.local()


def reading() -> Any:
    converted_in.append(threading.get_ident())
    yield from [getattr(situated, "tenant", None), 2]


class Converted:
    """A value that the encoder of the project converts."""

    def tolist(self) -> Any:
        return list(reading())


class Own(dict[str, Any]):
    def items(self) -> Any:
        return [("a", list(reading()))]


LAZY: dict[str, Any] = {
    "generator": lambda: {"rows": reading()},
    "map": lambda: {"rows": map(str, reading())},
    "zip": lambda: {"rows": zip(reading(), strict=False)},
    "object": lambda: {"rows": Converted()},
    "own": lambda: {"rows": [Own()]},
}


class Situated(views.APIView):
    renderer_classes = [JSONRenderer]
    authentication_classes: list[Any] = []

    def get(self, request: Any, kind: str) -> Response:
        situated.tenant = "this thread"
        return Response(LAZY[kind]())


class Cached(views.APIView):
    renderer_classes = [JSONRenderer]
    authentication_classes: list[Any] = []

    @method_decorator(cache_page(60))
    @method_decorator(vary_on_headers("X-Tenant"))
    def get(self, request: Any) -> Response:
        converted_in.append(0)
        return Response({"made": len(converted_in)})


class AsyncCached(Cached):
    @method_decorator(cache_page(60))
    async def get(self, request: Any) -> Response:
        converted_in.append(0)
        return Response({"made": len(converted_in)})


urlpatterns = [
    path("", Threaded.as_view()),
    path("lazy/<str:kind>/", Situated.as_view()),
    path("cached/", Cached.as_view()),
    path("async-cached/", AsyncCached.as_view()),
]


@override_settings(ROOT_URLCONF=__name__)
def test_answers_of_sync_views_are_rendered_on_the_loop() -> None:
    Noting.threads.clear()

    async def ask() -> Any:
        return await AsyncClient().get("/"), threading.get_ident()

    response, thread = asyncio.run(ask())
    assert response.json() == {"a": 1}
    assert Noting.threads == [thread]


def ask(*addresses: str) -> list[Any]:
    async def main() -> list[Any]:
        client = AsyncClient()
        return [(await client.get(each)).content for each in addresses]

    return asyncio.run(main())


@pytest.mark.shortcuts
@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.parametrize("kind", LAZY)
def test_what_the_project_converts_is_rendered_once_in_the_thread_of_the_view(kind: str) -> None:
    converted_in.clear()
    (content,) = ask(f"/lazy/{kind}/")
    assert b'"this thread"' in content
    assert len(converted_in) == 1
    assert converted_in[0] != threading.get_ident()


@pytest.mark.shortcuts
@pytest.mark.parametrize(
    "changes",
    [
        {"get_indent": lambda self, media_type, context: reading()},
        {"encoder_class": type("OwnEncoder", (JSONEncoder,), {})},
        {"render": lambda self, *args, **kwargs: b""},
    ],
)
def test_a_renderer_of_the_project_may_block(changes: dict[str, Any]) -> None:
    renderer = type("OwnRenderer", (JSONRenderer,), changes)()
    assert not is_prompt(renderer, "render", {"a": 1}, "application/json", {})
    assert is_prompt(JSONRenderer(), "render", {"a": 1}, "application/json", {})


class Recording(tzinfo):
    """A zone that records each conversion of a moment in it."""

    def utcoffset(self, moment: datetime | None) -> timedelta:
        converted_in.append(threading.get_ident())
        return timedelta(0)


@pytest.mark.shortcuts
def test_asking_a_renderer_converts_nothing() -> None:
    converted_in.clear()
    moment = datetime(2026, 1, 1, tzinfo=Recording())
    data = ReturnDict({"made": moment, "rows": [Decimal(1), uuid4()]}, serializer=None)
    assert is_prompt(JSONRenderer(), "render", data, "application/json", {})
    assert converted_in == []


@override_settings(
    ROOT_URLCONF=__name__,
    CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
)
@pytest.mark.parametrize("address", ["/cached/", "/async-cached/"])
def test_answers_come_from_the_cache_of_a_handler(address: str) -> None:
    cache.clear()
    converted_in.clear()
    assert ask(address, address, address) == [b'{"made":1}'] * 3
    assert Client().get(address).content == b'{"made":1}'


def test_renderers_that_may_block_are_left_to_a_thread() -> None:
    response = prepared(Blocking())
    assert response.render() is response
    assert response.content == b"read from a disk"


def test_callbacks_that_may_block_run_in_a_thread() -> None:
    threads: list[int] = []

    def keep(rendered: Any) -> None:
        threads.append(threading.get_ident())

    async def render() -> Any:
        assert iscoroutinefunction(response.render)
        return await response.render(), threading.get_ident()

    response = prepared(JSONRenderer())
    response.add_post_render_callback(keep)
    rendered, loop_thread = asyncio.run(render())
    assert rendered is response
    assert len(threads) == 1
    assert threads != [loop_thread]


class Rows(views.APIView):
    async def get(self, request: Any) -> Response:
        return Response({"rows": (number for number in range(3))})


class Row(views.APIView):
    def get(self, request: Any) -> Response:
        return Response({"rows": [0, 1, 2]})


async def rendered_rows(request: Any) -> Any:
    response = await Rows.as_view()(request)
    response.render()
    response["X-Length"] = str(len(response.content))
    return response


async def rendered_row(request: Any) -> Any:
    return Row.as_view()(request).render()


@pytest.mark.parametrize("view", [rendered_rows, rendered_row])
def test_who_does_not_ask_to_await_gets_the_rendered_response(view: Any) -> None:
    response = asyncio.run(view(AsyncRequestFactory().get("/")))
    assert isinstance(response, Response)
    assert response.content == b'{"rows":[0,1,2]}'
