import functools
from typing import Any

import pytest
from asgiref.sync import async_to_sync, iscoroutinefunction
from contract_project.models import Tag
from django.test import AsyncClient, Client, RequestFactory, override_settings
from django.urls import include, path

from lintel import routers, serializers, viewsets
from lintel.decorators import action
from lintel.renderers import JSONRenderer
from lintel.response import Response

factory = RequestFactory()


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class Base:
    queryset = Tag.objects.order_by("id")
    serializer_class = TagSerializer
    authentication_classes: list[Any] = []
    renderer_classes = [JSONRenderer]


class TagViewSet(Base, viewsets.ModelViewSet):
    @action(detail=True, methods=["get"], name="Loud name")
    def shout(self, request: Any, pk: Any = None) -> Response:
        return Response({"name": self.get_object().name.upper(), "action": self.action})

    @action(detail=True)
    def links(self, request: Any, pk: Any = None) -> Response:
        return Response(
            {
                "map": self.get_extra_action_url_map(),
                "own": self.reverse_action("links", args=[pk]),
                "list": self.reverse_action("list"),
            }
        )

    @action(detail=False)
    def recent(self, request: Any) -> Response:
        return Response(self.action)


class AsyncTagViewSet(Base, viewsets.AsyncModelViewSet):
    @action(detail=True)
    async def shout(self, request: Any, pk: Any = None) -> Response:
        tag = await self.aget_object()
        return Response({"name": tag.name.upper(), "action": self.action})


class PartlyAsync(Base, viewsets.ReadOnlyModelViewSet):
    async def retrieve(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        return Response("async")


router = routers.SimpleRouter()
router.register("tags", TagViewSet)
router.register("async", AsyncTagViewSet, basename="async")
router.register("partly", PartlyAsync, basename="partly")

urlpatterns = [
    path("", include(router.urls)),
    path("spaced/", include((router.urls, "app"), namespace="space")),
]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls(__name__)]


@pytest.fixture(autouse=True)
def rows() -> None:
    Tag.objects.create(id=1, name="red")
    Tag.objects.create(id=2, name="green")


@pytest.mark.parametrize("base", ["/tags/", "/async/"])
def test_the_standard_actions(base: str) -> None:
    client = Client()
    assert [row["name"] for row in client.get(base).json()] == ["red", "green"]
    kind = "application/json"
    created = client.post(base, {"name": "blue"}, content_type=kind)
    assert created.status_code == 201
    detail = f"{base}{created.json()['id']}/"
    assert client.get(detail).json()["name"] == "blue"
    assert client.put(detail, {"name": "navy"}, content_type=kind).json()["name"] == "navy"
    assert client.patch(detail, {"name": "sky"}, content_type=kind).json()["name"] == "sky"
    assert client.delete(detail).status_code == 204
    assert client.get(detail).status_code == 404
    assert client.get(f"{base}1/shout/").json() == {"name": "RED", "action": "shout"}


def test_an_async_viewset_under_asgi() -> None:
    async def main() -> Any:
        client = AsyncClient()
        return (await client.get("/async/")).json(), (await client.get("/async/1/shout/")).json()

    rows, shouted = async_to_sync(main)()
    assert [row["name"] for row in rows] == ["red", "green"]
    assert shouted == {"name": "RED", "action": "shout"}


def test_only_the_views_of_async_actions_are_async() -> None:
    assert not iscoroutinefunction(PartlyAsync.as_view({"get": "list"}))
    assert iscoroutinefunction(PartlyAsync.as_view({"get": "retrieve"}))
    assert Client().get("/partly/").json()[0]["name"] == "red"
    assert Client().get("/partly/1/").json() == "async"


def test_head_is_answered_by_the_action_of_get() -> None:
    response = Client().head("/tags/")
    assert (response.status_code, response.content) == (200, b"")


def test_the_action_is_known_before_the_checks() -> None:
    seen = []

    class Plain(viewsets.ViewSet):
        authentication_classes: list[Any] = []

        def initial(self, request: Any, *args: Any, **kwargs: Any) -> None:
            seen.append(self.action)
            super().initial(request, *args, **kwargs)

        def list(self, request: Any) -> Response:
            return Response()

    view = Plain.as_view({"get": "list"})
    for method in ("get", "head", "options", "post"):
        view(getattr(factory, method)("/"))
    assert seen == ["list", "list", "metadata", None]
    assert view.actions == {"get": "list"}


def test_extra_actions_know_their_addresses() -> None:
    links = Client().get("/tags/1/links/").json()
    assert links["map"] == {
        "Loud name": "http://testserver/tags/1/shout/",
        "Links": "http://testserver/tags/1/links/",
    }
    assert links["own"] == "http://testserver/tags/1/links/"
    assert links["list"] == "http://testserver/tags/"


def test_addresses_stay_in_the_namespace_of_the_request() -> None:
    links = Client().get("/spaced/tags/1/links/").json()
    assert links["own"] == "http://testserver/spaced/tags/1/links/"
    assert links["map"]["Links"] == "http://testserver/spaced/tags/1/links/"


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ([], {}, "The `actions` argument must be provided"),
        ([{}], {}, "The `actions` argument must be provided"),
        ([["get"]], {}, r"The `actions` argument must be provided.* Got \['get'\]\."),
        (["list"], {}, "The `actions` argument must be provided.* Got 'list'"),
        ([{"get": "list"}], {"nope": 1}, r"invalid keyword 'nope'\. .* write nope = None into"),
        ([{"get": "list"}], {"get": 1}, "the get method name as a keyword argument"),
        ([{"get": "list"}], {"name": "a", "suffix": "b"}, "mutually exclusive"),
    ],
)
def test_wrong_calls_of_as_view(arguments: Any, keywords: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        TagViewSet.as_view(*arguments, **keywords)


def test_an_action_has_the_name_of_its_attribute() -> None:
    class Wrong(viewsets.ViewSet):
        @action(detail=True)
        def one(self, request: Any) -> None: ...

        two = one

    with pytest.raises(AssertionError, match=r"Expected function \(`one`\) to match .*\(`two`\)"):
        Wrong.get_extra_actions()


def test_a_wrapped_action_is_found() -> None:
    def passing(function: Any) -> Any:
        @functools.wraps(function)
        def inner(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return inner

    class Wrapped(viewsets.ViewSet):
        @action(detail=True)
        @passing
        def one(self, request: Any) -> None: ...

    assert [each.__name__ for each in Wrapped.get_extra_actions()] == ["one"]


def test_as_view_keeps_what_schemas_read() -> None:
    view = TagViewSet.as_view({"get": "list"}, suffix="List", detail=False, basename="tag")
    assert view.cls is TagViewSet
    assert view.initkwargs == {"suffix": "List", "detail": False, "basename": "tag"}
    assert view.csrf_exempt is True
    assert view.__name__ == "TagViewSet"


@pytest.mark.django_db
def test_an_action_may_use_the_queryset_of_the_class() -> None:
    class Tags(viewsets.GenericViewSet):
        queryset = Tag.objects.order_by("id")
        serializer_class = TagSerializer
        authentication_classes: list[Any] = []

        @action(detail=False)
        def names(self, request: Any) -> Response:
            return Response(self.get_serializer(self.queryset, many=True).data)

    Tag.objects.create(name="last")
    response = Tags.as_view({"get": "names"})(factory.get("/"))
    assert response.data[-1]["name"] == "last"


def test_addresses_of_actions_are_relative_without_a_request() -> None:
    class Addresses(TagViewSet):
        @action(detail=False)
        def addresses(self, request: Any) -> Response:
            found = [self.reverse_action("list"), self.reverse_action("list", request=None)]
            return Response([*found, self.reverse_action("list", request=request)])

    router = routers.SimpleRouter()
    router.register("tags", Addresses, "tag")
    urls = type("urls", (), {"urlpatterns": router.urls})
    with override_settings(ROOT_URLCONF=urls):
        found = Client().get("/tags/addresses/").json()
    assert found == ["http://testserver/tags/", "/tags/", "http://testserver/tags/"]
