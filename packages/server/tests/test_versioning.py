"""Versioning: where each scheme finds the version, what it rejects, and the URLs it creates."""

import re

import pytest
from django.test import RequestFactory, override_settings
from django.urls import NoReverseMatch, include, path, resolve

from lintel import exceptions, versioning
from lintel.renderers import BrowsableAPIRenderer, JSONRenderer
from lintel.request import Request
from lintel.response import Response
from lintel.reverse import reverse
from lintel.views import APIView


def view(request, **kwargs):
    """Never called: only its address counts."""


urlpatterns = [
    path("plain/", view, name="plain"),
    path("item/<int:pk>/", view, name="item"),
    path("v1/", include(([path("target/", view, name="target")], "api"), namespace="v1")),
    path(
        "outer/",
        include(([path("v2/", include(([path("", view)], "api"), namespace="v2"))], "outer")),
    ),
    path("<str:version>/in-path/", view, name="in-path"),
]

pytestmark = pytest.mark.urls(__name__)


def request(url="/plain/", accepted="application/json", host="testserver"):
    django_request = RequestFactory().get(url, HTTP_HOST=host)
    made = Request(django_request)
    made.accepted_media_type = accepted
    django_request.resolver_match = resolve(django_request.path_info, __name__)
    return made


def determine(scheme, made, kwargs=None, **attributes):
    return type("Own", (scheme,), attributes)().determine_version(made, **(kwargs or {}))


def at(url):
    return request(url)


CASES = [
    (versioning.AcceptHeaderVersioning, request(accepted="a/b; version=v1"), {}),
    (versioning.AcceptHeaderVersioning, request(accepted="a/b; VERSION=v1"), {}),
    (versioning.QueryParameterVersioning, request("/plain/?version=v0&version=v1"), {}),
    (versioning.HostNameVersioning, request(host="v1.example.com:8000"), {}),
    (versioning.URLPathVersioning, request(), {"version": "v1"}),
]


@pytest.mark.parametrize(("scheme", "made", "kwargs"), CASES)
def test_a_scheme_finds_the_version(scheme, made, kwargs):
    assert determine(scheme, made, kwargs) == "v1"
    assert determine(scheme, made, kwargs, allowed_versions=["v1"]) == "v1"
    assert determine(scheme, made, kwargs, allowed_versions=["v9"], default_version="v1") == "v1"


@pytest.mark.parametrize(("scheme", "made", "kwargs"), CASES)
def test_a_version_that_is_not_allowed_is_refused(scheme, made, kwargs):
    refusal = (
        exceptions.NotAcceptable
        if scheme is versioning.AcceptHeaderVersioning
        else exceptions.NotFound
    )
    with pytest.raises(refusal, match="Invalid version in"):
        determine(scheme, made, kwargs, allowed_versions=["v2"])


@pytest.mark.parametrize(
    "scheme",
    [
        versioning.AcceptHeaderVersioning,
        versioning.QueryParameterVersioning,
        versioning.HostNameVersioning,
        versioning.URLPathVersioning,
        versioning.NamespaceVersioning,
    ],
)
def test_without_a_version_the_default_counts(scheme):
    assert determine(scheme, request()) is None
    assert determine(scheme, request(), default_version="v5") == "v5"
    with override_settings(REST_FRAMEWORK={"DEFAULT_VERSION": "v6"}):
        assert determine(scheme, request()) == "v6"


def test_the_name_of_the_parameter_is_a_setting():
    made = request("/plain/?v=v1", accepted="a/b; v=v1")
    with override_settings(REST_FRAMEWORK={"VERSION_PARAM": "v"}):
        assert determine(versioning.QueryParameterVersioning, made) == "v1"
        assert determine(versioning.AcceptHeaderVersioning, made) == "v1"
        assert determine(versioning.URLPathVersioning, made, {"v": "v1"}) == "v1"


@pytest.mark.parametrize(
    "accepted", ["", "a/b; version*=nonsense''x", "a/b;;;", 'a/b; version="', "a/b; version=é"]
)
def test_a_malformed_media_type_never_crashes(accepted):
    version = determine(versioning.AcceptHeaderVersioning, request(accepted=accepted))
    assert version is None or isinstance(version, str)


@pytest.mark.parametrize(
    "host", ["example.com", "a.b.c.d", "v-1.example.com", "[::1]", "127.0.0.1"]
)
def test_a_host_without_a_version_is_no_error(host):
    own = {"allowed_versions": ["v1"], "default_version": "v1"}
    assert determine(versioning.HostNameVersioning, request(host=host), **own) == "v1"


def test_the_pattern_of_the_host_can_be_replaced():
    own = re.compile(r"^(\w+)\.localhost$")
    made = request(host="beta.localhost")
    assert determine(versioning.HostNameVersioning, made, hostname_regex=own) == "beta"


def test_the_first_namespace_that_is_allowed_is_the_version():
    scheme = versioning.NamespaceVersioning
    assert determine(scheme, at("/v1/target/")) == "v1"
    assert determine(scheme, at("/outer/v2/")) == "outer"
    assert determine(scheme, at("/outer/v2/"), allowed_versions=["v2"]) == "v2"
    with pytest.raises(exceptions.NotFound, match="Does not match any version namespace"):
        determine(scheme, at("/outer/v2/"), allowed_versions=["v3"])


@pytest.mark.parametrize(
    ("scheme", "name", "arguments", "url"),
    [
        (versioning.QueryParameterVersioning, "plain", {}, "/plain/?version=v1"),
        (versioning.AcceptHeaderVersioning, "plain", {}, "/plain/"),
        (versioning.HostNameVersioning, "plain", {}, "/plain/"),
        (versioning.URLPathVersioning, "in-path", {}, "/v1/in-path/"),
        (versioning.URLPathVersioning, "in-path", {"kwargs": {"version": "x"}}, "/x/in-path/"),
        (versioning.URLPathVersioning, "item", {"args": [1]}, "/item/1/"),
        (versioning.NamespaceVersioning, "target", {}, "/v1/target/"),
        (versioning.NamespaceVersioning, "plain", {}, "/plain/"),
    ],
)
def test_urls_carry_the_version_on(scheme, name, arguments, url):
    made = request()
    made.version, made.versioning_scheme = "v1", scheme()
    assert reverse(name, request=made, **arguments) == f"http://testserver{url}"


def test_a_scheme_alone_finds_only_its_own_urls():
    made = request()
    made.version = "v1"
    with pytest.raises(NoReverseMatch):
        versioning.URLPathVersioning().reverse("plain", request=made)
    assert versioning.URLPathVersioning().reverse("plain") == "/plain/"


def test_the_base_class_says_what_to_override():
    with pytest.raises(NotImplementedError, match="determine_version"):
        versioning.BaseVersioning().determine_version(request())


@pytest.mark.parametrize(
    ("scheme", "renderers", "vary"),
    [
        (None, 1, None),
        (None, 2, "Accept"),
        (versioning.AcceptHeaderVersioning, 1, "Accept"),
        (versioning.AcceptHeaderVersioning, 2, "Accept"),
        (versioning.HostNameVersioning, 1, None),
        (versioning.QueryParameterVersioning, 1, None),
        (versioning.URLPathVersioning, 1, None),
        (versioning.NamespaceVersioning, 1, None),
    ],
)
def test_caches_are_told_which_headers_decide(scheme, renderers, vary):
    assert answer(scheme, renderers).headers.get("Vary") == vary


def answer(scheme, renderers=1, **headers):
    classes = [JSONRenderer, BrowsableAPIRenderer][:renderers]
    attributes = {
        "versioning_class": scheme,
        "renderer_classes": classes,
        "authentication_classes": [],
        "get": lambda self, request: Response(request.version),
    }
    made = type("Own", (APIView,), attributes)
    return made.as_view()(RequestFactory().get("/plain/", headers=headers))


def test_a_refused_version_varies_as_well():
    own = type("Own", (versioning.AcceptHeaderVersioning,), {"allowed_versions": ["v1"]})
    response = answer(own, accept="application/json; version=v9")
    assert (response.status_code, response.headers["Vary"]) == (406, "Accept")


def test_a_scheme_names_its_own_headers():
    class ByHeader(versioning.BaseVersioning):
        vary_headers = ("X-Version",)

        def determine_version(self, request, *args, **kwargs):
            return request.headers.get("X-Version")

    response = answer(ByHeader, 2, x_version="v3")
    assert (response.data, response.headers["Vary"]) == ("v3", "Accept, X-Version")
