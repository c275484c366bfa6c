import asyncio
import inspect
import json
import threading
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.http import Http404
from django.test import AsyncClient, Client, RequestFactory
from django.urls import path

from lintel import generics, mixins, serializers, viewsets
from lintel.filters import BaseFilterBackend
from lintel.pagination import LimitOffsetPagination, PageNumberPagination
from lintel.permissions import BasePermission
from lintel.renderers import JSONRenderer
from lintel.response import Response

calls: list[tuple[str, int]] = []


def note(name: str) -> None:
    calls.append((name, threading.get_ident()))


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class NotBlue(BasePermission):
    def has_object_permission(self, request: Any, view: Any, obj: Any) -> bool:
        return obj.name != "blue"


class Pages(PageNumberPagination):
    page_size = 2


class Base:
    queryset = Tag.objects.order_by("id")
    serializer_class = TagSerializer
    authentication_classes: list[Any] = []
    permission_classes = [NotBlue]
    renderer_classes = [JSONRenderer]
    pagination_class = Pages


class TagList(Base, generics.ListCreateAPIView):
    pass


class TagDetail(Base, generics.RetrieveUpdateDestroyAPIView):
    pass


class AsyncTagList(Base, generics.AsyncListCreateAPIView):
    pass


class AsyncTagDetail(Base, generics.AsyncRetrieveUpdateDestroyAPIView):
    pass


class NotRed(BaseFilterBackend):
    async def filter_queryset(self, request: Any, queryset: Any, view: Any) -> Any:
        await asyncio.sleep(0)
        note("filter")
        return queryset.exclude(name="red")


class AsyncPages(Pages):
    async def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> Any:
        note("pages")
        rows = [row async for row in queryset[:1]]
        self.page, self.request = None, request
        return rows

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"first": data})


class AsyncHooks(Base, generics.AsyncListCreateAPIView):
    filter_backends = [NotRed]
    pagination_class = AsyncPages

    async def aperform_create(self, serializer: Any) -> None:
        note("create")
        await super().aperform_create(serializer)


class SyncWithAsyncHooks(Base, generics.ListAPIView):
    """Sync handlers may have async hooks as well."""

    filter_backends = [NotRed]
    pagination_class = AsyncPages


urlpatterns = [
    path("sync/", TagList.as_view()),
    path("sync/<str:pk>/", TagDetail.as_view()),
    path("async/", AsyncTagList.as_view()),
    path("async/<str:pk>/", AsyncTagDetail.as_view()),
    path("hooks/", AsyncHooks.as_view()),
    path("mixed/", SyncWithAsyncHooks.as_view()),
]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls(__name__)]


@pytest.fixture(autouse=True)
def rows() -> None:
    calls.clear()
    for number, name in enumerate(["red", "green", "blue"], start=1):
        Tag.objects.create(id=number, name=name)


def under_wsgi(method: str, url: str, data: Any = None) -> Any:
    return getattr(Client(), method)(url, data, content_type="application/json")


def under_asgi(method: str, url: str, data: Any = None) -> Any:
    async def main() -> Any:
        client = AsyncClient()
        if data is None:
            return await getattr(client, method)(url)
        return await getattr(client, method)(url, data, content_type="application/json")

    return async_to_sync(main)()


@pytest.fixture(
    params=[("/sync/", under_wsgi), ("/async/", under_wsgi), ("/async/", under_asgi)],
    ids=["sync", "async-wsgi", "async-asgi"],
)
def ask(request: Any) -> Any:
    """Sends one request to the same API, in each way that it can run."""
    base, send = request.param
    return lambda method, rest="", data=None: send(method, base + rest, data)


def test_list(ask: Any) -> None:
    first = ask("get").json()
    assert (first["count"], first["previous"]) == (3, None)
    assert first["results"] == [{"id": 1, "name": "red"}, {"id": 2, "name": "green"}]
    assert first["next"].endswith("/?page=2")
    assert ask("get", "?page=2").json()["results"] == [{"id": 3, "name": "blue"}]


def test_create(ask: Any) -> None:
    response = ask("post", "", {"name": "pink"})
    assert response.status_code == 201
    assert Tag.objects.get(name="pink").pk == response.json()["id"]


def test_create_refuses_bad_data(ask: Any) -> None:
    response = ask("post", "", {"name": ""})
    assert (response.status_code, response.json()) == (
        400,
        {"name": ["This field may not be blank."]},
    )


def test_retrieve(ask: Any) -> None:
    assert ask("get", "1/").json() == {"id": 1, "name": "red"}


@pytest.mark.parametrize("pk", ["99", "x", "9" * 40, "1.5", "%00", "-1", "é"])
def test_a_row_that_cannot_be_is_not_found(ask: Any, pk: str) -> None:
    assert ask("get", f"{pk}/").status_code == 404


def test_update(ask: Any) -> None:
    assert ask("put", "1/", {"name": "rose"}).json() == {"id": 1, "name": "rose"}
    assert ask("put", "1/", {}).status_code == 400


def test_partial_update(ask: Any) -> None:
    assert ask("patch", "1/", {}).status_code == 200
    assert ask("patch", "1/", {"name": "rose"}).json() == {"id": 1, "name": "rose"}


def test_destroy(ask: Any) -> None:
    response = ask("delete", "1/")
    assert (response.status_code, response.content) == (204, b"")
    assert not Tag.objects.filter(pk=1).exists()


@pytest.mark.parametrize("method", ["get", "put", "patch", "delete"])
def test_object_permissions_are_checked_for_each_method(ask: Any, method: str) -> None:
    assert (
        ask(method, "3/", {"name": "x"} if method in ("put", "patch") else None).status_code == 403
    )
    assert Tag.objects.filter(name="blue").exists()


HOOKS = [
    "check_permissions",
    "check_throttles",
    "get_queryset",
    "filter_queryset",
    "paginate_queryset",
    "get_paginated_response",
    "get_object",
    "check_object_permissions",
    "get_serializer",
    "get_success_headers",
    "perform_create",
    "perform_update",
    "perform_destroy",
]


def noting(base: Any, name: str) -> Any:
    async def awaited(self: Any, *args: Any, **kwargs: Any) -> Any:
        note(name)
        return await sync_to_async(getattr(super(base, self), name))(*args, **kwargs)

    def hook(self: Any, *args: Any, **kwargs: Any) -> Any:
        note(name)
        return getattr(super(base, self), name)(*args, **kwargs)

    return awaited if base.is_awaited and name.startswith(("check", "perform")) else hook


@pytest.mark.parametrize("is_awaited", [False, True])
@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_actions_call_the_same_hooks_in_the_same_order(method: str, is_awaited: bool) -> None:
    """An action without a loop is not the chain that runs on one: the two are held equal here."""

    def called(*kinds: Any, is_list: bool) -> list[str]:
        calls.clear()
        Tag.objects.filter(name="pink").delete()
        Tag.objects.get_or_create(id=1, name="red")
        base: Any = type("Noting", kinds, {"is_awaited": is_awaited})
        for name in HOOKS:
            setattr(base, name, noting(base, name))
        request = getattr(RequestFactory(), method)(
            "/", {"name": "pink"}, **({} if method == "get" else JSON_BODY)
        )
        response = base.as_view()(request, **({} if is_list else {"pk": 1}))
        response = async_to_sync(awaiting)(response) if inspect.isawaitable(response) else response
        assert response.status_code in (200, 201, 204)
        return [name for name, _thread in calls]

    for is_list in [True, False] if method == "get" else [method == "post"]:
        kinds = (TagList, AsyncTagList) if is_list else (TagDetail, AsyncTagDetail)
        without, on_the_loop = (called(kind, is_list=is_list) for kind in kinds)
        assert without == on_the_loop
        assert len(without) > 3


JSON_BODY = {"content_type": "application/json"}


async def awaiting(answer: Any) -> Any:
    return await answer


# Async hooks


def test_async_filters_paginators_and_hooks() -> None:
    assert under_asgi("get", "/hooks/").json() == {"first": [{"id": 2, "name": "green"}]}
    assert [name for name, _thread in calls] == ["filter", "pages"]
    assert under_asgi("post", "/hooks/", {"name": "pink"}).status_code == 201
    assert calls[-1][0] == "create"
    assert Tag.objects.filter(name="pink").exists()


def test_async_hooks_under_a_sync_view() -> None:
    assert under_wsgi("get", "/mixed/").json() == {"first": [{"id": 2, "name": "green"}]}


# Programming errors


@pytest.mark.parametrize("pagination_class", [None, LimitOffsetPagination])
def test_paginate_queryset_of_a_project_may_choose_the_paginator(pagination_class: Any) -> None:
    class Chosen(TagList):
        def paginate_queryset(self, queryset: Any) -> Any:
            self.pagination_class = pagination_class
            return super().paginate_queryset(queryset)

    data = Chosen.as_view()(RequestFactory().get("/?limit=1")).data
    rows = data if pagination_class is None else data["results"]
    assert len(rows) == (3 if pagination_class is None else 1)


@pytest.mark.parametrize("method", ["get_queryset", "get_serializer_class"])
def test_a_view_without_its_parts_is_told(method: str) -> None:
    with pytest.raises(AssertionError, match="'GenericAPIView' should either include"):
        getattr(generics.GenericAPIView(), method)()


def test_a_url_without_the_lookup_is_told() -> None:
    view = TagDetail.as_view()
    with pytest.raises(AssertionError, match='a URL keyword argument named "pk"'):
        view(RequestFactory().get("/"))


def test_each_request_gets_rows_of_its_own() -> None:
    view = TagList()
    assert view.get_queryset() is not TagList.queryset
    list(view.get_queryset())
    assert TagList.queryset._result_cache is None


def test_get_object_or_404() -> None:
    assert generics.get_object_or_404(Tag, pk=1).name == "red"
    for value in ("x", "", "9" * 5000, [1], 10**30):
        with pytest.raises(Http404):
            generics.get_object_or_404(Tag, pk=value)


def test_rows_prefetched_before_an_update_are_forgotten() -> None:
    owner = User.objects.create(username="alice")
    snippet = Snippet.objects.create(code="x", owner=owner)
    snippet.tags.set([1, 2])

    class Detail(generics.UpdateAPIView):
        queryset = Snippet.objects.prefetch_related("tags")
        authentication_classes: list[Any] = []

        class serializer_class(serializers.ModelSerializer):
            class Meta:
                model = Snippet
                fields = ["tags"]

    request = RequestFactory().patch(
        "/", json.dumps({"tags": [3]}), content_type="application/json"
    )
    assert Detail.as_view()(request, pk=snippet.pk).data == {"tags": [3]}


def test_success_headers_name_the_address() -> None:
    mixin = mixins.CreateModelMixin()
    assert mixin.get_success_headers({"url": "http://x/1/"}) == {"Location": "http://x/1/"}
    for data in ({}, [], None, {"id": 1}):
        assert mixin.get_success_headers(data) == {}


def generic_classes() -> list[type]:
    found = {**vars(generics), **vars(mixins), **vars(viewsets)}
    return [cls for name, cls in found.items() if name.endswith(("View", "ViewSet", "Mixin"))]


@pytest.mark.parametrize("cls", generic_classes(), ids=lambda cls: cls.__name__)
def test_schema_generators_find_no_docstring_on_handlers(cls: type) -> None:
    methods = ["get", "post", "put", "patch", "delete"]
    actions = ["list", "create", "retrieve", "update", "partial_update", "destroy"]
    handlers = [getattr(cls, name) for name in (*methods, *actions) if hasattr(cls, name)]
    assert [handler for handler in handlers if inspect.getdoc(handler)] == []
