"""Mixins that wrap handlers: all of them together, and their effect on views."""

import gc
import weakref
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from contract_project.models import Tag
from django.core.cache import cache
from django.test import AsyncRequestFactory, RequestFactory
from django.urls import include, path

from lintel import serializers
from lintel.conditional import ConditionalMixin
from lintel.cycle.chains import chain
from lintel.cycle.steps import blocking
from lintel.cycle.wrapping import WrappingMixin, wrap_handler
from lintel.idempotency import IdempotentMixin
from lintel.renderers import JSONRenderer, NDJSONRenderer
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.streaming import StreamingListMixin
from lintel.test import APIClient, AsyncAPIClient
from lintel.views import APIView
from lintel.viewsets import AsyncModelViewSet, ModelViewSet


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class Everything(IdempotentMixin, ConditionalMixin, StreamingListMixin):
    queryset = Tag.objects.order_by("id")
    serializer_class = TagSerializer
    renderer_classes = [JSONRenderer, NDJSONRenderer]
    require_preconditions = True


class Tags(Everything, ModelViewSet):
    pass


class AsyncTags(Everything, AsyncModelViewSet):
    pass


router = SimpleRouter()
router.register("tags", Tags)
router.register("atags", AsyncTags, basename="atags")
urlpatterns = [path("", include(router.urls))]


@pytest.fixture(autouse=True)
def _fresh(settings: Any, db: None) -> None:
    settings.ROOT_URLCONF = __name__
    cache.clear()


def life(send: Any, base: str) -> None:
    """Everything that a client does with one object."""
    key = {"Idempotency-Key": f"make {base}"}
    made, again = (send("post", base, {"name": base}, key) for _ in "ab")
    assert (made.status_code, again.content) == (201, made.content)
    assert Tag.objects.count() == 1
    address = f"{base}{made.json()['id']}/"
    tag = send("get", address).headers["ETag"]
    assert send("get", address, None, {"If-None-Match": tag}).status_code == 304
    assert send("patch", address, {"name": "b"}).status_code == 428
    change = {"If-Match": tag, "Idempotency-Key": f"change {base}"}
    answers = [send("patch", address, {"name": "b"}, change) for _ in "ab"]
    # The second time the tag is that of a state that is gone: the first answer comes all the same.
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[1].headers["Idempotent-Replayed"] == "true"
    assert send("patch", address, {"name": "c"}, {"If-Match": tag}).status_code == 412
    assert "ETag" in send("get", base).headers
    lines = send("get", f"{base}?format=ndjson")
    assert lines.streaming
    assert "ETag" not in lines.headers
    assert send("delete", address, None, {"If-Match": "*"}).status_code == 204


@pytest.mark.parametrize("base", ["/tags/", "/atags/"])
def test_all_mixins_work_together(base: str) -> None:
    def send(method: str, address: str, data: Any = None, headers: Any = None) -> Any:
        return getattr(APIClient(), method)(address, data, format="json", headers=headers or {})

    life(send, base)


@pytest.mark.parametrize("base", ["/tags/", "/atags/"])
def test_all_mixins_work_together_on_the_loop(base: str) -> None:
    async def asend(method: str, address: str, data: Any = None, headers: Any = None) -> Any:
        client = AsyncAPIClient()
        return await getattr(client, method)(address, data, format="json", headers=headers or {})

    life(async_to_sync(asend), base)


calls: list[str] = []


@chain
def outer_steps(view: Any, request: Any, answer: Any) -> Any:
    calls.append("outer")
    return (yield blocking(answer))


@chain
def inner_steps(view: Any, request: Any, answer: Any) -> Any:
    calls.append("inner")
    return (yield blocking(answer))


class Outer(WrappingMixin):
    @staticmethod
    def _lintel_wrap(view: Any, request: Any) -> None:
        wrap_handler(view, request, outer_steps)


class Inner(WrappingMixin):
    @staticmethod
    def _lintel_wrap(view: Any, request: Any) -> None:
        wrap_handler(view, request, inner_steps)


class View(Outer, Inner, APIView):
    renderer_classes = [JSONRenderer]

    def get(self, request: Any, **kwargs: Any) -> Response:
        return Response({"kwargs": kwargs, "own": sorted(vars(self).keys() & {"get", "head"})})


class AsyncView(View):
    async def get(self, request: Any, **kwargs: Any) -> Response:  # type: ignore[override]
        return super().get(request, **kwargs)


@pytest.mark.parametrize("method", ["get", "head"])
def test_the_first_of_the_classes_is_outermost_and_nothing_stays_on_the_view(method: str) -> None:
    calls.clear()
    answer = View.as_view()(getattr(RequestFactory(), method)("/"), pk=1)
    assert (calls, answer.data["kwargs"]) == (["outer", "inner"], {"pk": 1})
    assert "get" not in answer.data["own"]
    calls.clear()
    made = async_to_sync(AsyncView.as_view())
    assert made(getattr(AsyncRequestFactory(), method)("/"), pk=1).data["kwargs"] == {"pk": 1}
    assert calls == ["outer", "inner"]


def test_methods_that_a_view_does_not_have_are_405() -> None:
    calls.clear()
    assert View.as_view()(RequestFactory().put("/")).status_code == 405
    assert calls == []


def test_views_need_no_garbage_collector() -> None:
    gc.collect()
    gc.disable()
    try:
        answer = View.as_view()(RequestFactory().get("/")).render()
        view = weakref.ref(answer.renderer_context["view"])
        answer.close()
        del answer
        assert view() is None
    finally:
        gc.enable()
