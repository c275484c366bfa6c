"""Links in responses: hyperlinked serializers of a versioned API, in requests through the URLs."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from contract_project.models import Snippet
from django.contrib.auth.models import User
from django.test import Client, override_settings
from django.urls import clear_script_prefix, include, path, set_script_prefix

from lintel import routers, serializers, versioning, viewsets
from lintel.renderers import JSONRenderer
from lintel.response import Response
from lintel.reverse import reverse
from lintel.views import APIView


class UserSerializer(serializers.HyperlinkedModelSerializer):
    snippets = serializers.HyperlinkedRelatedField(
        view_name="snippet-detail", many=True, read_only=True
    )

    class Meta:
        model = User
        fields = ["url", "username", "snippets"]


class SnippetSerializer(serializers.HyperlinkedModelSerializer):
    owner = serializers.HyperlinkedRelatedField(
        view_name="user-detail", queryset=User.objects.all()
    )
    page = serializers.HyperlinkedIdentityField(view_name="snippet-detail", format="api")

    class Meta:
        model = Snippet
        fields = ["url", "code", "owner", "page"]


class Places(APIView):
    """Addresses made by hand, and both forms of them."""

    renderer_classes = [JSONRenderer]

    def get(self, request: Any, **kwargs: Any) -> Response:
        absolute = reverse("user-list", request=request)
        return Response({"version": request.version, "users": absolute})


def urls(scheme: Any) -> list[Any]:
    """The same views for each scheme: links of one scheme must not lead into another."""
    attributes = {"versioning_class": scheme, "renderer_classes": [JSONRenderer]}
    users = {"queryset": User.objects.order_by("pk"), "serializer_class": UserSerializer}
    snippets = {"queryset": Snippet.objects.order_by("pk"), "serializer_class": SnippetSerializer}
    router = routers.DefaultRouter()
    base = (viewsets.ModelViewSet,)
    router.register("users", type("Users", base, {**attributes, **users}), "user")
    router.register("snippets", type("Snippets", base, {**attributes, **snippets}), "snippet")
    place = Places.as_view(versioning_class=scheme)
    return [*router.urls, path("places/", place)]


class Patterns:
    """A URL configuration of its own for each scheme."""

    def __init__(self, scheme: Any, prefix: str = "", namespaces: bool = False) -> None:
        found = urls(scheme)
        if namespaces:
            parts = [(name, include((found, "api"), namespace=name)) for name in ("v1", "v2")]
            self.urlpatterns = [path(f"{name}/", part) for name, part in parts]
        else:
            self.urlpatterns = [path(prefix, include(found))]


SCHEMES = {
    "none": (Patterns(None), "/", {}, "http://testserver/{}"),
    "accept": (
        Patterns(versioning.AcceptHeaderVersioning),
        "/",
        {"accept": "application/json; version=v1"},
        "http://testserver/{}",
    ),
    "path": (
        Patterns(versioning.URLPathVersioning, "<str:version>/"),
        "/v1/",
        {},
        "http://testserver/v1/{}",
    ),
    "namespace": (
        Patterns(versioning.NamespaceVersioning, namespaces=True),
        "/v1/",
        {},
        "http://testserver/v1/{}",
    ),
    "host": (
        Patterns(versioning.HostNameVersioning),
        "/",
        {"host": "v1.example.com"},
        "http://v1.example.com/{}",
    ),
    "query": (
        Patterns(versioning.QueryParameterVersioning),
        "/",
        {"query": "?version=v1"},
        "http://testserver/{}?version=v1",
    ),
}


@pytest.fixture(autouse=True)
def rows(db: None) -> None:
    owner = User.objects.create(id=7, username="ann")
    Snippet.objects.create(id=3, code="x", owner=owner)


@pytest.fixture(params=SCHEMES)
def api(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Makes requests of version v1 by one of the schemes; ``api.link`` is the address expected."""
    configuration, base, options, link = SCHEMES[request.param]
    with override_settings(ROOT_URLCONF=configuration, ALLOWED_HOSTS=["*"]):
        yield Api(base, dict(options), link, is_versioned=request.param != "none")


class Api:
    def __init__(self, base: str, options: dict[str, str], link: str, is_versioned: bool) -> None:
        self.base = base
        self.query = options.pop("query", "")
        self.headers = options
        self.link = link.format
        self.version = "v1" if is_versioned else None

    def get(self, address: str, **extra: Any) -> Any:
        url = f"{self.base}{address}{self.query}"
        return Client().get(url, headers=self.headers, **extra)

    def post(self, address: str, data: Any) -> Any:
        url = f"{self.base}{address}{self.query}"
        return Client().post(url, data, "application/json", headers=self.headers)


def test_addresses_made_by_hand(api: Any) -> None:
    assert api.get("places/").json() == {"version": api.version, "users": api.link("users/")}


def test_hyperlinked_serializers(api: Any) -> None:
    assert api.get("users/").json() == [
        {
            "url": api.link("users/7/"),
            "username": "ann",
            "snippets": [api.link("snippets/3/")],
        }
    ]
    assert api.get("snippets/3/").json() == {
        "url": api.link("snippets/3/"),
        "code": "x",
        "owner": api.link("users/7/"),
        "page": api.link("snippets/3/"),
    }


def test_the_format_suffix_is_carried_on(api: Any) -> None:
    assert api.get("snippets/3.json").json() == {
        "url": api.link("snippets/3.json"),
        "code": "x",
        "owner": api.link("users/7.json"),
        "page": api.link("snippets/3.api"),
    }


def test_links_lead_to_what_they_name(api: Any) -> None:
    link = urlsplit(api.get("users/").json()[0]["snippets"][0])
    answer = Client().get(f"{link.path}?{link.query}", headers=api.headers)
    assert answer.json()["owner"] == api.link("users/7/")


def test_links_are_read_as_input(api: Any) -> None:
    answer = api.post("snippets/", {"code": "y", "owner": api.link("users/7/")})
    assert answer.status_code == 201
    assert answer.headers["Location"] == answer.json()["url"]
    assert Snippet.objects.get(code="y").owner_id == 7
    wrong = api.post("snippets/", {"code": "y", "owner": api.link("snippets/3/")})
    assert wrong.json() == {"owner": ["Invalid hyperlink - Incorrect URL match."]}


def test_a_script_prefix_is_part_of_every_link(api: Any) -> None:
    set_script_prefix("/service/")
    try:
        link = urlsplit(api.link("snippets/3/"))
        prefixed = link._replace(path=f"/service{link.path}").geturl()
        assert api.get("snippets/3/").json()["url"] == prefixed
        owner = api.get("snippets/3/").json()["owner"]
        assert api.post("snippets/", {"code": "y", "owner": owner}).status_code == 201
    finally:
        clear_script_prefix()


def test_the_format_override_is_carried_on(api: Any) -> None:
    separator = "&" if api.query else "?"
    api.query = f"{api.query}{separator}format=json"
    assert "format=json" in api.get("places/").json()["users"]


def test_without_a_request_links_are_relative() -> None:
    configuration = SCHEMES["none"][0]
    with override_settings(ROOT_URLCONF=configuration):
        snippet = Snippet.objects.get()
        data = SnippetSerializer(snippet, context={"request": None}).data
        assert data["url"] == "/snippets/3/"
        assert reverse("user-list") == "/users/"
