from typing import Any

import pytest
from contract_project.models import Tag
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import include, path

from lintel import routers, serializers, viewsets
from lintel.decorators import action
from lintel.renderers import JSONRenderer
from lintel.response import Response
from lintel.routers import DefaultRouter, DynamicRoute, Route, SimpleRouter
from lintel.test import APIRequestFactory


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class Tags(viewsets.ModelViewSet):
    queryset = Tag.objects.order_by("id")
    serializer_class = TagSerializer
    authentication_classes: list[Any] = []
    renderer_classes = [JSONRenderer]


class Extra(Tags):
    @action(detail=True, url_path=r"part/(?P<number>[0-9]{2})")
    def part(self, request: Any, pk: Any = None, number: Any = None) -> Response:
        return Response([pk, number])

    @action(detail=False, methods=["post"])
    def reset(self, request: Any) -> Response:
        return Response("reset")


class ByName(Tags):
    lookup_field = "name"
    lookup_url_kwarg = "label"
    lookup_value_regex = "[a-z]+"
    lookup_value_converter = "slug"


class Nested(viewsets.ViewSet):
    def list(self, request: Any, parent: Any = None) -> Response:
        return Response(parent)


default = DefaultRouter()
default.register("tags", Extra)
default.register(r"parents/(?P<parent>\d+)/children", Nested, basename="child")
named = SimpleRouter(trailing_slash=False, use_regex_path=False)
named.register("names", ByName, basename="name")

urlpatterns = [
    path("api/", include(default.urls)),
    path("space/", include((default.urls, "app"), namespace="space")),
    path("", include(named.urls)),
]

pytestmark = pytest.mark.urls(__name__)


def routes(router: Any) -> list[str]:
    return [str(pattern.pattern) for pattern in router.urls]


@pytest.fixture
def client() -> Client:
    Tag.objects.create(id=1, name="red")
    return Client()


@pytest.mark.django_db
def test_standard_and_extra_actions_are_reached(client: Client) -> None:
    assert client.get("/api/tags/").json() == [{"id": 1, "name": "red"}]
    assert client.get("/api/tags/1/part/07/").json() == ["1", "07"]
    assert client.get("/api/tags/1/part/7/").status_code == 404
    assert client.post("/api/tags/reset/").json() == "reset"
    assert client.get("/api/tags/reset/").status_code == 405


@pytest.mark.django_db
def test_lookups_by_other_fields(client: Client) -> None:
    assert client.get("/names/red").json() == {"id": 1, "name": "red"}
    assert client.get("/names/red/").status_code == 404


def test_the_root_lists_what_can_be_reached() -> None:
    accept = {"accept": "application/json"}
    assert Client().get("/api/", headers=accept).json() == {"tags": "http://testserver/api/tags/"}
    assert Client().get("/api/.json").json() == {"tags": "http://testserver/api/tags.json"}
    assert Client().get("/space/", headers=accept).json() == {
        "tags": "http://testserver/space/tags/"
    }


def test_regular_expressions_and_paths() -> None:
    router = SimpleRouter()
    router.register("names", ByName, basename="name")
    assert routes(router) == ["^names/$", "^names/(?P<label>[a-z]+)/$"]
    assert routes(named) == ["names", "names/<slug:label>"]


def test_a_viewset_without_a_converter_names_one_by_its_regular_expression() -> None:
    class ByUuid(Tags):
        lookup_value_regex = "uuid"

    class ByHex(Tags):
        lookup_value_regex = "[0-9a-f]{4}"

    router = SimpleRouter(use_regex_path=False)
    assert router.get_lookup_regex(ByUuid) == "<uuid:pk>"
    router.register("tags", ByHex)
    with pytest.raises(ImproperlyConfigured, match=r"invalid converter '\[0-9a-f\]\{4\}'"):
        router.get_urls()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, ["^$", "^(?P<pk>[^/.]+)/$"]),
        ({"use_regex_path": False}, ["", "<str:pk>/"]),
        ({"trailing_slash": False}, ["^$", "^(?P<pk>[^/.]+)$"]),
    ],
)
def test_an_empty_prefix(arguments: Any, expected: list[str]) -> None:
    router = SimpleRouter(**arguments)
    router.register("", Tags)
    assert routes(router) == expected


def test_registering_makes_patterns_anew() -> None:
    router = SimpleRouter()
    router.register("tags", Tags)
    assert router.urls is router.urls
    assert len(router.urls) == 2
    router.register("more", Tags, basename="more")
    assert len(router.urls) == 4


def test_basenames_are_unique() -> None:
    router = SimpleRouter()
    router.register("tags", Tags)
    assert router.is_already_registered("tag")
    with pytest.raises(ImproperlyConfigured, match='Router with basename "tag" is already'):
        router.register("others", Tags)


def test_a_viewset_without_queryset_needs_a_basename() -> None:
    with pytest.raises(AssertionError, match="`basename` argument not specified"):
        SimpleRouter().register("nested", Nested)


def test_extra_actions_may_not_take_the_name_of_a_standard_one() -> None:
    class Clash(viewsets.ViewSet):
        @action(detail=True)
        def retrieve(self, request: Any) -> None: ...

    router = SimpleRouter()
    router.register("clash", Clash, basename="clash")
    with pytest.raises(ImproperlyConfigured, match="existing routes: retrieve"):
        router.get_urls()


def test_own_routes() -> None:
    class Own(SimpleRouter):
        routes = [
            Route(r"^{prefix}$", {"get": "list"}, "{basename}-list", False, {"suffix": "List"}),
            DynamicRoute(r"^{prefix}/{lookup}/{url_path}$", "{basename}-{url_name}", True, {}),
        ]

    router = Own()
    router.register("tags", Extra)
    assert routes(router) == [
        "^tags$",
        r"^tags/(?P<pk>[^/.]+)/part/(?P<number>[0-9]{2})$",
    ]


def test_routes_of_one_router_are_not_those_of_another() -> None:
    SimpleRouter(use_regex_path=False)
    assert SimpleRouter().routes[0].url == "^{prefix}{trailing_slash}$"


def test_a_router_without_root_and_suffixes() -> None:
    class Bare(DefaultRouter):
        include_root_view = False
        include_format_suffixes = False

    router = Bare()
    router.register("tags", Tags)
    assert routes(router) == ["^tags/$", "^tags/(?P<pk>[^/.]+)/$"]


def test_lookup_prefixes_for_nested_routers() -> None:
    assert SimpleRouter().get_lookup_regex(ByName, "tag_") == "(?P<tag_label>[a-z]+)"


def test_helpers() -> None:
    assert routers.escape_curly_brackets("a{3}") == "a{{3}}"
    assert list(routers.flatten([[1], [2, 3]])) == [1, 2, 3]
    for call in (lambda r: r.urls, lambda r: r.register("x", Nested)):
        with pytest.raises(NotImplementedError):
            call(routers.BaseRouter())


def test_names_of_ours_are_free_for_subclasses() -> None:
    class Own(SimpleRouter):
        _refuse_standard_names = _made_pattern = _make_pattern = None

        def _get_dynamic_route(self, route: DynamicRoute, action: Any) -> Route:
            found = super()._get_dynamic_route(route, action)
            return found._replace(name=f"own-{found.name}")

    router = Own()
    router.register("tags", Extra)
    assert "own-tag-part" in [pattern.name for pattern in router.urls]


def test_the_root_describes_itself_in_our_words_or_those_of_the_project() -> None:
    class Root(routers.APIRootView):
        """What this service has."""

    class Described(DefaultRouter):
        APIRootView = Root

    def description(router: DefaultRouter) -> str:
        request = APIRequestFactory().options("/")
        answer: str = router.get_api_root_view()(request).data["description"]
        return answer

    assert description(DefaultRouter()) == "The addresses of this API."
    assert description(Described()) == "What this service has."
