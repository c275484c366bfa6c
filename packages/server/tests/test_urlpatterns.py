"""Format suffixes, and breadcrumbs."""

import pytest
from django.test import RequestFactory, override_settings
from django.urls import Resolver404, include, path, re_path, resolve, reverse

from lintel.urlpatterns import format_suffix_patterns
from lintel.utils.breadcrumbs import get_breadcrumbs
from lintel.views import APIView


def view(request, **kwargs):
    """Never called: only its address counts."""


class Root(APIView):
    pass


class Orders(APIView):
    pass


class Order(APIView):
    name = "One order"


PLAIN = [
    path("a", view, name="a"),
    path("b/<int:pk>/", view, {"extra": 1}, name="b"),
    re_path(r"^c/$", view, name="c"),
    path("in/", include([path("d", view, name="d")])),
    path("space/", include(([path("e", view, name="e")], "app"), namespace="space")),
]
urlpatterns = [
    *format_suffix_patterns(PLAIN),
    path("only/", include(format_suffix_patterns([path("x", view)], True, ["json", "a.b"]))),
    path("", Root.as_view()),
    path("orders/", Orders.as_view()),
    path("orders/<int:pk>/", Order.as_view()),
]

pytestmark = pytest.mark.urls(__name__)


@pytest.mark.parametrize(
    ("url", "kwargs"),
    [
        ("/a", {}),
        ("/a.json", {"format": "json"}),
        ("/a.json/", {"format": "json"}),
        ("/b/1.html", {"pk": 1, "format": "html", "extra": 1}),
        ("/c.json", {"format": "json"}),
        ("/in/d.json", {"format": "json"}),
        ("/space/e.json", {"format": "json"}),
        ("/only/x.a.b", {"format": "a.b"}),
    ],
)
def test_a_suffix_reaches_the_view(url, kwargs):
    assert resolve(url).kwargs == kwargs


@pytest.mark.parametrize("url", ["/a.JSON", "/a.", "/b/1/.json", "/only/x", "/only/x.axb"])
def test_other_suffixes_lead_nowhere(url):
    with pytest.raises(Resolver404):
        resolve(url)


def test_names_and_namespaces_stay():
    assert reverse("c", kwargs={"format": "json"}) == "/c.json"
    assert reverse("space:e") == "/space/e"


def test_two_lists_of_suffixes_do_not_mix():
    (one,) = format_suffix_patterns([path("x", view)], True, ["a.b"])
    (other,) = format_suffix_patterns([path("x", view)], True, ["ab"])
    assert one.resolve("x.a.b")
    assert other.resolve("x.ab")
    assert not other.resolve("x.a.b")


def test_without_a_name_for_the_suffix_there_is_none():
    with override_settings(REST_FRAMEWORK={"FORMAT_SUFFIX_KWARG": None}):
        assert format_suffix_patterns(PLAIN) == PLAIN


def test_breadcrumbs_name_the_views_above():
    assert get_breadcrumbs("/orders/1/") == [
        ("Root", "/"),
        ("Orders", "/orders/"),
        ("One order", "/orders/1/"),
    ]
    assert get_breadcrumbs("/orders/1/nothing/here") == get_breadcrumbs("/orders/1/")


def test_breadcrumbs_keep_the_format():
    request = RequestFactory().get("/orders/?format=api&page=2")
    assert get_breadcrumbs("/orders/", request)[1] == ("Orders", "/orders/?format=api")


@pytest.mark.parametrize("url", ["", "//", "http://testserver/orders/", "/a" * 5000])
def test_what_is_no_path_has_no_breadcrumbs(url):
    assert get_breadcrumbs(url) == []


def test_breadcrumbs_walk_the_addresses_of_the_request():
    class Tenant:
        urlpatterns = [path("", Order.as_view())]

    request = RequestFactory().get("/orders/")
    request.urlconf = Tenant
    assert get_breadcrumbs("/orders/", request) == [("One order", "/")]


def test_names_of_views_may_depend_on_the_request(monkeypatch):
    def name(self):
        return f"{self.request.method} {self.kwargs['pk']}"

    monkeypatch.setattr(Order, "get_view_name", name)
    assert get_breadcrumbs("/orders/7/", RequestFactory().get("/"))[-1][0] == "GET 7"
