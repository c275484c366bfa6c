"""The titles of pages: of the API, and of the object that a page shows."""

import re
from typing import Any

import pytest
from contract_project.models import Badge, Tag
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django.urls import include, path
from django.utils.html import escape
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy

from lintel import renderers, serializers, viewsets
from lintel.decorators import action
from lintel.response import Response
from lintel.routers import DefaultRouter
from lintel.schemas.openapi import SchemaGenerator
from lintel.test import APIClient


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class TagViewSet(viewsets.ModelViewSet):
    queryset = Tag.objects.order_by("id")
    serializer_class = TagSerializer
    permission_classes: list[Any] = []
    authentication_classes: list[Any] = []
    renderer_classes = [
        renderers.BrowsableAPIRenderer,
        renderers.AdminRenderer,
        renderers.JSONRenderer,
    ]

    @action(detail=True)
    def lent(self, request, pk=None):
        return Response(self.get_serializer(self.get_object()).data)


class Named(TagViewSet):
    def get_view_name(self):
        return "A tag Instance"


class NamedByAttribute(TagViewSet):
    name = "Tag Instance"


class OwnPages(renderers.BrowsableAPIRenderer):
    def get_name(self, view):
        return "By the renderer"


class NamedByRenderer(TagViewSet):
    renderer_classes = [OwnPages]


class OwnCrumbs(renderers.BrowsableAPIRenderer):
    given: Any = None

    def get_breadcrumbs(self, request):
        return self.given


class WithOwnCrumbs(TagViewSet):
    renderer_classes = [OwnCrumbs]


class IdSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id"]


class WithoutName(TagViewSet):
    serializer_class = IdSerializer


router = DefaultRouter()
for prefix, viewset in (
    ("tags", TagViewSet),
    ("named", Named),
    ("attribute", NamedByAttribute),
    ("renderer", NamedByRenderer),
    ("without", WithoutName),
    ("crumbs", WithOwnCrumbs),
):
    router.register(prefix, viewset, prefix)
below = DefaultRouter()
below.register("more", TagViewSet, "more")
urlpatterns = [
    path("", include(router.urls)),
    path("by-hand/<int:pk>/", TagViewSet.as_view({"get": "retrieve"}, suffix="Instance")),
    path("without-suffix/<int:pk>/", TagViewSet.as_view({"get": "retrieve"})),
    path("below/", include(below.urls)),
    path("account/", include("lintel.urls")),
]
pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


def page(address: str, method: str = "get", data: Any = None, accept: str = "text/html") -> str:
    return getattr(APIClient(), method)(address, data, HTTP_ACCEPT=accept).content.decode()


def parts(text: str) -> tuple[str, str, str, list[str]]:
    """Title, brand, heading, and the names of the breadcrumbs."""
    crumbs = text[text.index('class="crumbs"') :] if 'class="crumbs"' in text else ""
    return (
        re.search(r"<title>(.*?)</title>", text)[1],
        re.search(r'class="brand"><a [^>]*>(.*?)</a>', text)[1],
        re.search(r"<h1>(.*?)</h1>", text, re.DOTALL)[1],
        re.findall(r"<li>(?:<a [^>]*>|<span[^>]*>)(.*?)<", crumbs.partition("</nav>")[0]),
    )


def heading(address: str, **options: Any) -> str:
    return parts(page(address, **options))[2]


@pytest.fixture
def tag(monkeypatch):
    return Tag.objects.create(name="red & <b>round</b>")


def say(monkeypatch, text: Any) -> None:
    monkeypatch.setattr(Tag, "__str__", lambda self: text(self) if callable(text) else text)


# ---- the API ----


def test_without_a_setting_pages_are_those_of_the_browsable_api():
    assert parts(page("/")) == ("Api Root", "Browsable API", "Api Root", ["Api Root"])


@pytest.mark.parametrize(
    "given",
    [
        {"API_TITLE": "Tags & <more>"},
        {"API_TITLE": gettext_lazy("Tags & <more>")},
        {"OPENAPI_DOCUMENT": {"info": {"title": "Tags & <more>"}}},
        {"API_TITLE": "Tags & <more>", "OPENAPI_DOCUMENT": {"info": {"title": "Other"}}},
    ],
)
def test_pages_have_the_title_of_the_api(settings, given):
    settings.REST_FRAMEWORK = given
    title = escape("Tags & <more>")
    assert parts(page("/")) == (title, title, title, [title])
    for query in ("", "?format=admin"):
        shown = parts(page(f"/tags/{query}"))
        assert shown == (f"Tag List – {title}", title, "Tag List", [title, "Tag List"])
    assert parts(page("/account/login/")) == (f"Log in – {title}", title, "Log in", [])


def test_a_root_below_another_keeps_its_name(settings):
    settings.REST_FRAMEWORK = {"API_TITLE": "Tags"}
    assert parts(page("/below/"))[2:] == ("Api Root", ["Tags", "Api Root"])
    assert parts(page("/below/more/"))[3] == ["Tags", "Api Root", "Tag List"]


def test_descriptions_have_the_title_too(settings):
    settings.REST_FRAMEWORK = {"API_TITLE": gettext_lazy("Tags")}
    patterns = [path("tags/", TagViewSet.as_view({"get": "list"}))]
    assert SchemaGenerator(patterns=patterns).get_schema()["info"]["title"] == "Tags"
    given = SchemaGenerator(title="Given", patterns=patterns).get_schema()
    assert given["info"]["title"] == "Given"


# ---- the object ----


def test_a_page_of_an_object_is_titled_with_its_text(tag):
    shown = escape(tag.name)
    for query in ("", "?format=admin"):
        names = ["Api Root", "Tag List", shown]
        assert parts(page(f"/tags/{tag.pk}/{query}")) == (shown, "Browsable API", shown, names)


def test_a_change_shows_the_text_as_it_is_then(tag):
    assert heading(f"/tags/{tag.pk}/", method="put", data={"name": "green"}) == "green"
    assert heading(f"/tags/{tag.pk}/", method="put", data={"name": ""}) == "Tag Instance"
    assert heading(f"/tags/{tag.pk}/", method="delete") == "Tag Instance"
    assert heading(f"/tags/{tag.pk}/") == "Tag Instance"


def test_what_was_created_gives_no_title_to_its_list():
    shown = parts(page("/tags/", method="post", data={"name": "green"}))
    assert shown[2:] == ("Tag List", ["Api Root", "Tag List"])


@pytest.mark.parametrize(
    "given", [None, (), [{"name": "x", "url": "/"}], ["xy"], (("Up", "/"), ["With Own Crumbs", ""])]
)
def test_breadcrumbs_may_be_anything(tag, monkeypatch, given):
    monkeypatch.setattr(OwnCrumbs, "given", given)
    assert heading(f"/crumbs/{tag.pk}/") == escape(tag.name)


def test_metadata_keep_the_name_of_the_view(tag):
    response = APIClient().options(f"/tags/{tag.pk}/", HTTP_ACCEPT="application/json")
    assert response.json()["name"] == "Tag Instance"


def test_breadcrumbs_above_show_no_object(tag):
    assert parts(page(f"/tags/{tag.pk}/lent/"))[2:] == (
        "Lent",
        ["Api Root", "Tag List", "Tag Instance", "Lent"],
    )


def test_routes_by_hand_are_titled_where_they_have_a_suffix(tag):
    assert heading(f"/by-hand/{tag.pk}/") == escape(tag.name)
    assert heading(f"/without-suffix/{tag.pk}/") == "Tag"


def test_names_of_the_project_stay(tag, settings):
    assert heading(f"/named/{tag.pk}/") == "A tag Instance"
    assert heading(f"/attribute/{tag.pk}/") == "Tag Instance"
    assert heading(f"/renderer/{tag.pk}/") == "By the renderer"
    settings.REST_FRAMEWORK = {"VIEW_NAME_FUNCTION": f"{__name__}.own_name"}
    assert heading(f"/tags/{tag.pk}/") == "Own TagViewSet"


def own_name(view):
    return f"Own {type(view).__name__}"


def test_a_text_with_words_that_the_response_lacks_is_not_shown(tag, settings):
    assert heading(f"/without/{tag.pk}/") == "Without Name Instance"
    settings.REST_FRAMEWORK = {"OBJECT_TITLES": True}
    assert heading(f"/without/{tag.pk}/") == escape(tag.name)
    settings.REST_FRAMEWORK = {"OBJECT_TITLES": False}
    assert heading(f"/tags/{tag.pk}/") == "Tag Instance"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("RED, round", "RED, round"),
        ("tag red (10 days)", "Tag Instance"),
        ("Tag: red", "Tag: red"),
        ("red secret", "Tag Instance"),
        ("redround", "Tag Instance"),
        ("red 🔒", "Tag Instance"),
        ("red_round", "red_round"),
        ("  red \n\n round ", "red round"),
        ("red " * 100, ("red " * 29 + "red…")),
        ("", "Tag Instance"),
        ("–", "Tag Instance"),
        (mark_safe("<b>red</b>"), escape("<b>red</b>")),
        (None, "Tag Instance"),
        (7, "Tag Instance"),
    ],
)
def test_texts(tag, monkeypatch, text, shown):
    say(monkeypatch, text)
    assert heading(f"/tags/{tag.pk}/") == shown


@pytest.mark.parametrize("mode", ["shown", True])
def test_a_text_that_fails_breaks_no_page(tag, monkeypatch, settings, mode):
    settings.REST_FRAMEWORK = {"OBJECT_TITLES": mode}
    for error in (AttributeError("x"), ImproperlyConfigured("y"), RecursionError()):

        def fail(self, error=error):
            raise error

        say(monkeypatch, fail)
        assert heading(f"/tags/{tag.pk}/") == "Tag Instance"


def test_a_text_that_needs_a_query_is_read_only_where_the_project_says_so(
    tag, monkeypatch, settings
):
    say(monkeypatch, lambda self: Tag.objects.values_list("name", flat=True).get(pk=self.pk))
    held = {alias: connections[alias] for alias in connections}
    with CaptureQueriesContext(connection) as queries:
        assert heading(f"/tags/{tag.pk}/") == "Tag Instance"
    assert len(queries) == 1  # what is refused is not counted
    assert {alias: connections[alias] for alias in connections} == held
    settings.REST_FRAMEWORK = {"OBJECT_TITLES": True}
    assert heading(f"/tags/{tag.pk}/") == escape(tag.name)


def test_a_model_without_a_text_keeps_the_name_of_the_view(monkeypatch, settings):
    settings.REST_FRAMEWORK = {"OBJECT_TITLES": True}
    badge = Badge.objects.create(code="a")
    monkeypatch.setattr(TagViewSet, "queryset", Badge.objects.all())
    monkeypatch.setattr(TagSerializer.Meta, "model", Badge)
    monkeypatch.setattr(TagSerializer.Meta, "fields", ["code"])
    assert "__str__" not in vars(Badge)
    assert heading(f"/tags/{badge.pk}/") == "Tag Instance"
