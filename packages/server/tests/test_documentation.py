"""The documentation page and its script."""

import json
from enum import Enum

import pytest
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.test import Client, override_settings
from django.urls import path, reverse

import lintel_document
from lintel import documentation, serializers
from lintel.generics import CreateAPIView
from lintel.permissions import IsAuthenticated
from lintel.renderers import DocumentationRenderer
from lintel.renderers.documentation import operation, parameter
from lintel.response import Response
from lintel.test import APIRequestFactory
from lintel.views import APIView
from lintel_document import Field, Link


class NoteSerializer(serializers.Serializer):
    text = serializers.CharField(help_text="What to <remember>.")
    kind = serializers.ChoiceField(choices=["red", "blue"], required=False)


class Notes(CreateAPIView):
    """post: Writes a note & keeps it."""

    serializer_class = NoteSerializer


class Closed(APIView):
    permission_classes = [IsAuthenticated]

    def get(self, request):
        return Response()


API = [path("notes/", Notes.as_view()), path("closed/<int:number>/", Closed.as_view())]
urlpatterns = [
    *API,
    path(
        "docs/",
        documentation.include_docs_urls(title="Notes <b>", description="Text.", patterns=API),
    ),
    path("mine/", documentation.get_docs_view(title="Mine", public=False, patterns=API)),
    path("none/", documentation.get_docs_view(title="None", patterns=[])),
]


@pytest.fixture
def client():
    with override_settings(ROOT_URLCONF=__name__):
        yield Client()


def test_the_page_shows_every_operation(client):
    response = client.get("/docs/")
    page = response.content.decode()
    assert response["Content-Type"] == "text/html; charset=utf-8"
    assert "Notes &lt;b&gt;" in page
    assert "<b>" not in page
    assert "Writes a note &amp; keeps it." in page
    assert "What to &lt;remember&gt;." in page
    assert "/closed/{number}/" in page
    assert "<code>red</code>" in page


def test_the_page_shows_an_example_in_each_language(client):
    page = client.get("/docs/").content.decode()
    assert "$ lintel action notes create --param text=…" in page
    assert '["notes", "create"]' in page
    for language in ("shell", "javascript", "python"):
        assert page.count(f'data-lang="{language}"') == 3


def test_the_example_in_javascript_needs_no_library(client):
    page = client.get("/docs/").content.decode()
    assert "npm" not in page
    example = page.split('const url = new URL("/notes/", base);')[1].split("</pre>")[0]
    assert example.strip().splitlines() == [
        "const response = await fetch(url, {",
        '  method: "POST",',
        '  headers: { "Content-Type": "application/json" },',
        "  body: JSON.stringify({",
        '    "text": …,',
        '    "kind": …, // optional',
        "  }),",
        "});",
    ]


@pytest.mark.parametrize(
    ("encoding", "form"),
    [
        ("multipart/form-data", "FormData"),
        ("application/x-www-form-urlencoded", "URLSearchParams"),
    ],
)
def test_the_example_in_javascript_sends_forms(encoding, form):
    fields = [Field("file", required=True, location="form"), Field("page", location="query")]
    item = operation(("up",), Link("/up/", "post", encoding=encoding, fields=fields))
    text = render_to_string("rest_framework/docs/langs/javascript.html", {"item": item})
    assert f"const form = new {form}();" in text
    assert 'form.append("file", …);' in text
    assert 'url.searchParams.set("page", …); // optional' in text
    assert "body: form," in text
    assert "JSON" not in text


def test_the_page_carries_what_its_forms_need(client):
    page = client.get("/docs/").content.decode()
    facts = page.split('<script id="facts-notes-create" type="application/json">')[1]
    operation = json.loads(facts.split("</script>")[0])
    assert operation["url"] == "/notes/"
    assert operation["method"] == "POST"
    assert [field["name"] for field in operation["fields"]] == ["text", "kind"]
    assert operation["fields"][1]["choices"] == ["red", "blue"]


def test_style_and_script_of_the_page_exist():
    assert finders.find("rest_framework/docs/css/docs.css")
    assert finders.find("rest_framework/docs/js/docs.js")


def test_clients_get_core_json_at_the_same_address(client):
    response = client.get("/docs/", headers={"accept": "application/coreapi+json"})
    assert response["Content-Type"] == "application/coreapi+json"
    assert response.json()["notes"]["create"]["url"] == "/notes/"


def test_the_script_stands_beside_the_page(client):
    assert reverse("api-docs:docs-index") == "/docs/"
    response = client.get(reverse("api-docs:schema-js"))
    assert response["Content-Type"] == "application/javascript; charset=utf-8"
    assert b"window.schema = " in response.content


def test_a_page_that_is_not_public_shows_what_the_user_may_call(client):
    page = client.get("/mine/").content.decode()
    assert "/notes/" in page
    assert "/closed/" not in page


def test_where_there_is_nothing_to_show_the_answer_is_an_error(client):
    response = client.get("/none/")
    assert response.status_code in (401, 403)


def test_the_error_page_tells_what_went_wrong():
    response = Response({"detail": "Not <now>."}, status=403)
    context = {"request": APIRequestFactory().get("/"), "response": response}
    page = DocumentationRenderer().render(response.data, None, context)
    assert "403" in page
    assert "Not &lt;now&gt;." in page


def test_languages_and_templates_may_be_chosen():
    class Own(DocumentationRenderer):
        languages = ["python"]

    context = Own().get_context({}, None)
    assert context["langs"] == ["python"]
    assert context["lang_htmls"] == ["rest_framework/docs/langs/python.html"]
    assert context["lang_intro_htmls"] == ["rest_framework/docs/langs/python-intro.html"]


class Colour(Enum):
    RED = 1


def test_choices_are_values_that_json_carries():
    schema = lintel_document.schemas.Enum(enum=[Colour.RED, None, 1.5, "a"])
    field = lintel_document.Field("colour", schema=schema)
    assert parameter(field)["choices"] == ["Colour.RED", None, 1.5, "a"]
