"""The browsable interface: its pages, the forms for what the user may do, nothing unescaped."""

import re

import pytest
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.test import override_settings
from django.urls import include, path
from django.utils import translation

from lintel import (
    filters,
    generics,
    pagination,
    parsers,
    permissions,
    renderers,
    serializers,
    viewsets,
)
from lintel.decorators import action
from lintel.response import Response
from lintel.test import APIClient, APIRequestFactory
from lintel.views import APIView

EVIL = "<script>alert('x')</script>"


class SnippetSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ["id", "title", "code", "linenos", "created"]
        read_only_fields = ["created"]


class Pages(pagination.PageNumberPagination):
    page_size = 2


class SnippetList(generics.ListCreateAPIView):
    """All snippets."""

    queryset = Snippet.objects.order_by("id")
    serializer_class = SnippetSerializer
    pagination_class = Pages
    filter_backends = [filters.SearchFilter, filters.OrderingFilter]
    search_fields = ["title"]
    ordering_fields = ["title"]
    permission_classes = []


class SnippetDetail(generics.RetrieveUpdateDestroyAPIView):
    queryset = Snippet.objects.order_by("id")
    serializer_class = SnippetSerializer
    permission_classes = []


class ClosedDetail(SnippetDetail):
    permission_classes = [permissions.IsAuthenticatedOrReadOnly]


class JSONOnlyList(SnippetList):
    parser_classes = [parsers.JSONParser]


class EditorList(SnippetList):
    renderer_classes = [renderers.AdminRenderer, renderers.JSONRenderer]


class EditorDetail(SnippetDetail):
    renderer_classes = [renderers.AdminRenderer, renderers.JSONRenderer]


class LinkedPages(Pages):
    def get_paginated_response(self, data):
        return Response(data, headers={"Link": self.get_next_link() or ""})


class LinkedList(SnippetList):
    pagination_class = LinkedPages


class EditorOfPatterns(EditorList):
    search_fields = ["$title"]


class PageOnly(APIView):
    renderer_classes = [renderers.BrowsableAPIRenderer]

    def get(self, request):
        return Response({"a": 1})


class Word(PageOnly):
    renderer_classes = [renderers.AdminRenderer]

    def get(self, request):
        return Response("just a word")


class BytesRenderer(renderers.BaseRenderer):
    media_type = "image/x-own"
    format = "own"
    charset = None
    render_style = "binary"

    def render(self, data, accepted_media_type=None, renderer_context=None):
        return b"\x00\x01"


class BytesView(PageOnly):
    renderer_classes = [BytesRenderer, renderers.BrowsableAPIRenderer]


class TagViewSet(viewsets.ModelViewSet):
    queryset = Tag.objects.order_by("id")
    permission_classes = []

    class serializer_class(serializers.ModelSerializer):
        class Meta:
            model = Tag
            fields = ["id", "name"]

    @action(detail=True)
    def extra(self, request, pk=None):
        return Response({})


urlpatterns = [
    path("snippets/", SnippetList.as_view()),
    path("snippets/<int:pk>/", SnippetDetail.as_view()),
    path("closed/<int:pk>/", ClosedDetail.as_view()),
    path("json-only/", JSONOnlyList.as_view()),
    path("editor/", EditorList.as_view()),
    path("editor/<int:pk>/", EditorDetail.as_view()),
    path("linked/", LinkedList.as_view()),
    path("patterns/", EditorOfPatterns.as_view()),
    path("word/", Word.as_view()),
    path("page-only/", PageOnly.as_view()),
    path("bytes/", BytesView.as_view()),
    path("tags/<int:pk>/", TagViewSet.as_view({"get": "retrieve"})),
    path("account/", include("lintel.urls")),
]

pytestmark = [pytest.mark.urls(__name__), pytest.mark.django_db]


@pytest.fixture
def browser():
    return APIClient(HTTP_ACCEPT="text/html")


@pytest.fixture
def snippets():
    owner = User.objects.create(username="owner")
    return [Snippet.objects.create(title=f"{EVIL} {n}", code=EVIL, owner=owner) for n in range(3)]


def page(response):
    text = response.content.decode()
    assert response["Content-Type"] == "text/html; charset=utf-8"
    assert "<script>alert" not in text
    return text


def forms(text):
    """The methods that the forms of a page send."""
    own = set(re.findall(r'<form[^>]*data-method="(\w+)"', text))
    return own | {method.upper() for method in re.findall(r'<form[^>]*method="(post)"', text)}


def test_a_list_shows_content_pages_filters_and_forms(browser, snippets):
    text = page(browser.get("/snippets/?search=alert"))
    assert "<h1>Snippet</h1>" not in text
    assert "<h1>Snippet List</h1>" in text
    assert "All snippets." in text
    assert 'aria-current="page">1</a>' in text
    assert 'name="search" value="alert"' in text
    assert '<option value="title"' in text
    assert "&lt;script&gt;alert" in text
    assert "HTTP 200" in text
    assert forms(text) == {"POST", "OPTIONS"}


def test_pages_can_be_chosen_where_the_paginator_says_that_there_are_several(browser, snippets):
    assert 'class="pages"' in page(browser.get("/linked/"))
    assert 'class="pages"' in page(browser.get("/editor/"))
    assert 'class="pages"' not in page(browser.get("/editor/?page=9"))
    Snippet.objects.filter(pk=snippets[0].pk).delete()
    for address in ("/snippets/", "/linked/", "/editor/"):
        assert 'class="pages"' not in page(browser.get(address))


def test_an_object_has_forms_for_what_may_be_done(browser, snippets):
    text = page(browser.get(f"/snippets/{snippets[0].pk}/"))
    assert forms(text) == {"PUT", "DELETE", "OPTIONS"}
    assert 'data-method="PATCH"' in text
    assert 'name="title"' in text
    assert 'name="created"' not in text
    assert '<a href="/snippets/">Snippet List</a>' in text


def test_nobody_sees_forms_that_would_be_refused(browser, snippets):
    url = f"/closed/{snippets[0].pk}/"
    assert forms(page(browser.get(url))) == {"OPTIONS"}
    browser.force_authenticate(User.objects.create(username="somebody"))
    assert forms(page(browser.get(url))) == {"PUT", "DELETE", "OPTIONS", "POST"}


def test_a_form_with_errors_shows_them(browser):
    response = browser.post("/snippets/", {"title": ""}, format="multipart")
    assert response.status_code == 400
    text = page(response)
    assert "field-invalid" in text
    assert "This field is required." in text


def test_malformed_data_still_has_a_page(browser):
    response = browser.post("/snippets/", "{", content_type="application/json")
    assert response.status_code == 400
    assert "JSON parse error" in page(response)


def test_without_a_parser_for_forms_there_is_raw_data_only(browser):
    text = page(browser.get("/json-only/"))
    assert 'data-override="content"' in text
    assert 'enctype="multipart/form-data"' not in text


def test_deleting_answers_a_browser_with_a_page(browser, snippets):
    response = browser.delete(f"/snippets/{snippets[0].pk}/")
    assert response.status_code == 200
    page(response)


def test_content_comes_from_the_first_renderer_of_data(browser):
    assert "[No renderers were found]" in page(browser.get("/page-only/"))
    response = browser.get("/bytes/?format=api")
    assert "[2 bytes of binary content]" in page(response)


def test_extra_actions_are_linked(browser):
    tag = Tag.objects.create(name="red")
    assert browser.get(f"/tags/{tag.pk}/").status_code == 200


def test_logging_out_takes_a_post(browser):
    text = page(browser.get("/page-only/"))
    assert '<a href="/account/login/?next=/page-only/">' in text
    browser.force_authenticate(User.objects.create(username=EVIL))
    text = page(browser.get("/page-only/"))
    assert '<form method="post" action="/account/logout/?next=/page-only/">' in text


def test_the_login_page_is_ours(browser):
    text = page(browser.get("/account/login/"))
    assert 'name="username"' in text
    assert 'type="password"' in text
    wrong = page(browser.post("/account/login/", {"username": EVIL, "password": "x"}))
    assert "field-error" in wrong


def test_a_page_runs_no_inline_script(browser, snippets):
    text = page(browser.get("/snippets/"))
    assert re.findall(r"<script(?![^>]*\bsrc=)", text) == []
    assert re.findall(r"\son\w+=", text) == []


def test_editor_pages_show_what_is_no_table(browser):
    refused = browser.get("/patterns/?search=(")
    assert refused.status_code == 400
    assert "<td>Invalid regular expression.</td>" in page(refused)
    assert "<td>just a word</td>" in page(browser.get("/word/"))


def test_editor_pages_show_tables_and_redirect_after_changes(browser, snippets):
    text = page(browser.get("/editor/"))
    assert '<table aria-label="Editor List">' in text
    assert ">Title</a></th>" in text
    assert "<th scope=" in page(browser.get(f"/editor/{snippets[0].pk}/"))
    refused = browser.post("/editor/", {"title": ""}, format="multipart")
    assert refused.status_code == 400
    assert "This field is required." in page(refused)
    deleted = browser.delete(f"/editor/{snippets[0].pk}/")
    assert (deleted.status_code, deleted["Location"]) == (303, "/editor/")


def test_blocks_and_templates_can_be_replaced(browser, tmp_path, settings):
    (tmp_path / "rest_framework").mkdir()
    own = '{% extends "rest_framework/base.html" %}{% block branding %}Own brand{% endblock %}'
    (tmp_path / "rest_framework" / "api.html").write_text(own)
    templates = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]
    with override_settings(TEMPLATES=templates):
        assert "Own brand" in page(browser.get("/page-only/"))


class EveryField(serializers.Serializer):
    text = serializers.CharField(initial=EVIL, label=EVIL, help_text=EVIL)
    area = serializers.CharField(style={"base_template": "textarea.html", "rows": 3})
    secret = serializers.CharField(style={"input_type": "password"}, initial="hidden words")
    number = serializers.IntegerField(initial=0)
    when = serializers.DateTimeField(initial="2024-01-02T03:04:05.678901+05:45")
    yes = serializers.BooleanField(initial=True)
    one = serializers.ChoiceField(choices=[("a", EVIL), ("Group", [("b", "B")])], initial="b")
    radio = serializers.ChoiceField(choices=["x", "y"], style={"base_template": "radio.html"})
    many = serializers.MultipleChoiceField(choices=["x", "y"], initial=["y"])
    boxes = serializers.MultipleChoiceField(
        choices=["x", "y"], style={"base_template": "checkbox_multiple.html"}
    )
    upload = serializers.FileField()
    data = serializers.JSONField(initial={"a": EVIL})
    list = serializers.ListField()
    dict = serializers.DictField()
    hidden = serializers.HiddenField(default=1)
    shown = serializers.CharField(read_only=True)


@pytest.mark.parametrize("pack", ["horizontal", "vertical", "inline"])
def test_every_kind_of_field_has_a_template(pack):
    style = {"template_pack": f"rest_framework/{pack}"}
    html = renderers.HTMLFormRenderer().render(EveryField().data, None, {"style": style})
    assert "<script>" not in html
    assert 'type="number"' in html
    assert 'value="2024-01-01T21:19:05.678"' in html
    assert "hidden words" not in html
    assert '<option value="b" selected>B</option>' in html
    assert 'value="true"' in html
    assert 'name="hidden"' not in html
    assert 'name="shown"' not in html
    assert html.count('type="radio"') == 2


def test_controls_begin_with_their_names():
    html = renderers.HTMLFormRenderer().render(EveryField().data)
    assert '<input name="number"' in html
    assert '<textarea name="data"' in html


def test_nested_serializers_are_groups_and_lists_of_them_have_a_group_for_each():
    class Point(serializers.Serializer):
        x = serializers.IntegerField(initial=7)

    class Shape(serializers.Serializer):
        centre = Point()
        corners = Point(many=True)

    html = renderers.HTMLFormRenderer().render(Shape().data, None, {})
    assert 'name="centre.x"' in html
    assert re.search(r'<template>.*name="corners\[__0__\]x".*value="7"', html, re.DOTALL)


def test_errors_of_the_whole_form_are_shown():
    class Strict(serializers.Serializer):
        def validate(self, attrs):
            raise serializers.ValidationError("All of it.")

    serializer = Strict(data={})
    assert not serializer.is_valid()
    html = renderers.HTMLFormRenderer().render(serializer.data, None, {})
    assert "All of it." in html


def test_raw_data_starts_from_every_field_and_knows_the_response():
    seen = []

    class Noting(renderers.JSONRenderer):
        media_type = "application/x-noting"

        def render(self, data, accepted_media_type=None, renderer_context=None):
            seen.append((set(data), accepted_media_type, renderer_context["response"]))
            return super().render(data, accepted_media_type, renderer_context)

    class NotingParser(parsers.JSONParser):
        media_type = "application/x-noting"
        renderer_class = Noting

    class Noted(SnippetDetail):
        parser_classes = [NotingParser]
        http_method_names = ["get", "patch"]

        def get_object(self):
            return Snippet(id=1, title="t", code="c")

    view = Noted.as_view(renderer_classes=[renderers.BrowsableAPIRenderer, renderers.JSONRenderer])
    response = view(APIRequestFactory().get("/"), pk=1).render()
    assert seen == [(set(SnippetSerializer.Meta.fields), "text/html", response)]


@pytest.mark.parametrize("cls", [renderers.BrowsableAPIRenderer, renderers.AdminRenderer])
def test_attributes_of_page_renderers_that_change_later_take_effect(cls, browser, monkeypatch):
    monkeypatch.setattr(PageOnly, "renderer_classes", [cls])
    page(browser.get("/page-only/"))
    monkeypatch.setattr(cls, "charset", "utf-16")
    assert browser.get("/page-only/").content.decode("utf-16").startswith("<!DOCTYPE html>")
    monkeypatch.setattr(cls, "charset", "utf-8")
    monkeypatch.setattr(cls, "media_type", "application/xhtml+xml")
    monkeypatch.setattr(cls, "format", "own")
    response = browser.get("/page-only/", headers={"accept": "application/xhtml+xml"})
    assert response["Content-Type"] == "application/xhtml+xml; charset=utf-8"
    assert browser.get("/page-only/").status_code == 406
    browser.defaults["HTTP_ACCEPT"] = "*/*"
    assert browser.get("/page-only/?format=own").status_code == 200
    assert browser.get("/page-only/?format=api").status_code == 404


@pytest.mark.parametrize("address", ["/snippets/", "/editor/"])
def test_pages_follow_the_language_of_each_request(address, browser):
    first: dict[str, set[str]] = {}
    for language in ("en", "de", "fr", "en", "de"):
        with translation.override(language):
            text = page(browser.post(address, {"title": "x"}, format="multipart"))
        assert f'<html lang="{language}">' in text
        words = set(re.findall(r"<(?:h2|summary|button|p|div)[^>]*>([^<]*)(?=<)", text))
        assert first.setdefault(language, words) == words
    assert "Dieses Feld ist erforderlich." in first["de"] - first["en"] - first["fr"]
