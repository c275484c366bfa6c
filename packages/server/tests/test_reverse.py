from collections.abc import Iterator
from typing import Any

import pytest
from contract_project.models import Tag
from django.test import RequestFactory
from django.urls import (
    NoReverseMatch,
    clear_script_prefix,
    include,
    path,
    resolve,
    set_script_prefix,
)

from lintel import serializers
from lintel.reverse import preserve_builtin_query_params, reverse, reverse_lazy

pytestmark = pytest.mark.urls("test_reverse")

urlpatterns: list[Any] = []
_inner: list[Any] = []
_below: list[Any] = []


def _view(request: Any, **kwargs: Any) -> None: ...


def _patterns() -> list[Any]:
    return [
        path("items/<int:pk>/", _view, name="item"),
        path("items/<int:pk>.<str:format>", _view, name="item"),
        path("api/", include((_below, "api"))),
    ]


_inner += [
    path("place/", _view, name="place"),
    path("items/<int:pk>/", _view, name="item"),
    path("tags/<int:pk>/", _view, name="tag"),
]
_below += [path("tags/<int:pk>/", _view, name="tag"), path("inner/", include((_inner, "inner")))]
urlpatterns += _patterns()


def request(path: str = "/", scheme: Any = None) -> Any:
    made = RequestFactory().get(path)
    made.versioning_scheme = scheme  # type: ignore[attr-defined]
    return made


def test_request_makes_the_address_absolute() -> None:
    assert reverse("item", kwargs={"pk": 1}) == "/items/1/"
    assert reverse("item", args=(1,), request=request()) == "http://testserver/items/1/"


def test_format_is_a_suffix_and_leaves_the_arguments_alone() -> None:
    kwargs = {"pk": 1}
    assert reverse("item", kwargs=kwargs, format="json") == "/items/1.json"
    assert kwargs == {"pk": 1}


def test_format_override_of_the_request_is_carried_over() -> None:
    url = reverse("item", kwargs={"pk": 1}, request=request("/?format=api&page=2"))
    assert url == "http://testserver/items/1/?format=api"


def test_format_override_can_be_switched_off(settings: Any) -> None:
    settings.REST_FRAMEWORK = {"URL_FORMAT_OVERRIDE": None}
    assert preserve_builtin_query_params("/x", request("/?format=api")) == "/x"


class Scheme:
    def reverse(self, viewname: str, *args: Any, **extra: Any) -> str:
        if viewname == "versioned":
            return "/v2/item/"
        raise NoReverseMatch(viewname)


def test_versioning_scheme_has_the_first_word() -> None:
    assert reverse("versioned", request=request(scheme=Scheme())) == "/v2/item/"
    url = reverse("item", kwargs={"pk": 1}, request=request(scheme=Scheme()))
    assert url == "http://testserver/items/1/"


def test_unknown_names_raise() -> None:
    with pytest.raises(NoReverseMatch):
        reverse("nothing", request=request(scheme=Scheme()))


def test_lazy_addresses_are_made_when_they_are_read() -> None:
    assert str(reverse_lazy("item", kwargs={"pk": 7})) == "/items/7/"


def test_lazy_addresses_carry_version_and_host_of_their_request() -> None:
    made = request(scheme=Scheme())
    lazy = reverse_lazy("versioned", request=made)
    made.versioning_scheme = None
    with pytest.raises(NoReverseMatch):
        str(lazy)
    assert str(reverse_lazy("item", args=(1,), request=made)) == "http://testserver/items/1/"


def test_extra_arguments_go_to_django() -> None:
    assert reverse("item", args=(1,), urlconf=__name__) == "/items/1/"
    with pytest.raises(NoReverseMatch):
        reverse("item", args=(1,), urlconf="contract_project.urls")


@pytest.fixture
def prefix() -> Iterator[None]:
    set_script_prefix("/service/")
    yield
    clear_script_prefix()


@pytest.mark.usefixtures("prefix")
def test_the_script_prefix_is_part_of_the_address() -> None:
    assert reverse("item", args=(1,)) == "/service/items/1/"
    assert reverse("item", args=(1,), request=request()) == "http://testserver/service/items/1/"
    assert str(reverse_lazy("item", kwargs={"pk": 1}, format="json")) == "/service/items/1.json"


def test_the_scheme_and_port_are_those_of_the_request() -> None:
    made = RequestFactory().get("/", secure=True, headers={"host": "api.example.com:8443"})
    assert reverse("item", args=(1,), request=made) == "https://api.example.com:8443/items/1/"


# ---- namespaces ----


class Named(serializers.ModelSerializer):
    url = serializers.HyperlinkedIdentityField("tag")
    other = serializers.HyperlinkedRelatedField("tag", queryset=Tag.objects, write_only=True)

    class Meta:
        model = Tag
        fields = ["url", "other"]


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("/api/tags/1/", "http://testserver/api/tags/1/"),
        ("/api/inner/place/", "http://testserver/api/inner/tags/1/"),
        ("/api/inner/items/1/", "http://testserver/api/inner/tags/1/"),
    ],
)
def test_names_are_found_in_the_namespaces_of_the_request(place: str, expected: str) -> None:
    made = request(place)
    made.resolver_match = resolve(place)
    assert reverse("tag", kwargs={"pk": 1}, request=made) == expected
    # A plain name that is found means what it always has.
    assert reverse("item", kwargs={"pk": 1}, request=made) == "http://testserver/items/1/"
    with pytest.raises(NoReverseMatch, match="'nothing' not found"):
        reverse("nothing", request=made)
    with pytest.raises(NoReverseMatch):
        reverse("tag", kwargs={"pk": 1}, request=request())


@pytest.mark.django_db
def test_hyperlinks_below_namespaces() -> None:
    tag = Tag.objects.create(name="red")
    made = request("/api/tags/1/")
    made.resolver_match = resolve("/api/tags/1/")
    context = {"request": made}
    url = f"http://testserver/api/tags/{tag.pk}/"
    assert Named(tag, context=context).data == {"url": url}
    given = Named(data={"other": url}, context=context)
    assert given.is_valid(), given.errors
    assert given.validated_data["other"] == tag
    elsewhere = Named(data={"other": f"/api/inner/tags/{tag.pk}/"}, context=context)
    assert not elsewhere.is_valid()
