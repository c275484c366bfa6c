"""The documentation page and its script."""

import base64
import html
import json
import re
from enum import Enum

import pytest
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.test import Client, override_settings
from django.urls import path, reverse
from django.utils import timezone, translation

import lintel_document
from lintel import documentation, serializers
from lintel.authentication import BaseAuthentication
from lintel.generics import CreateAPIView
from lintel.permissions import BasePermission, IsAuthenticated
from lintel.renderers import DocumentationRenderer
from lintel.renderers.documentation import operation, parameter
from lintel.renderers.documentation_page import fill
from lintel.response import Response
from lintel.schemas.coreapi import SchemaGenerator
from lintel.test import APIRequestFactory, force_authenticate
from lintel.views import APIView
from lintel_document import Field, Link


class NoteSerializer(serializers.Serializer):
    text = serializers.CharField(help_text="What to <remember>.")
    kind = serializers.ChoiceField(choices=["red", "blue"], required=False)


class Notes(CreateAPIView):
    """post: Writes a note & keeps it."""

    serializer_class = NoteSerializer


class Keys(BaseAuthentication):
    def authenticate(self, request):
        return None

    def get_openapi_security_scheme(self):
        return {"type": "apiKey", "in": "header", "name": "X-Key"}


class Closed(APIView):
    permission_classes = [IsAuthenticated]

    def get(self, request):
        return Response()


HOSTILE = "Notes <b> </script> \u2028"
API = [path("notes/", Notes.as_view()), path("closed/<int:number>/", Closed.as_view())]
urlpatterns = [
    *API,
    path(
        "docs/",
        documentation.include_docs_urls(title=HOSTILE, description="Text.", patterns=API),
    ),
    path("own/", documentation.include_docs_urls(public=False, patterns=API)),
    path("mine/", documentation.get_docs_view(title="Mine", public=False, patterns=API)),
    path("kept/", documentation.get_docs_view(patterns=API, keeps_documents=True)),
    path(
        "own-kept/",
        documentation.get_docs_view(patterns=API, public=False, keeps_documents=True),
    ),
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
    assert "lintel notes create --text 'What to know before you begin.'" in html.unescape(page)
    assert '["notes", "create"]' in html.unescape(page)
    for language in ("shell", "javascript", "python", "curl"):
        assert page.count(f'data-sample="{language}"') == 2


def test_the_example_in_javascript_calls_the_client_that_the_server_serves(client):
    page = html.unescape(client.get("/docs/").content.decode())
    assert "npm" not in page
    for address in ("/static/rest_framework/js/lintel-client.min.js", "/docs/schema.js"):
        assert f'<script src="{address}"></script>' in page
    example = page.split('data-sample="javascript"')[-1].split(">", 1)[1].split("</pre>")[0]
    assert example.splitlines() == [
        "const params = {",
        '  "text": "What to know before you begin.",',
        "};",
        'const result = await client.action(schema, ["notes", "create"], params);',
    ]


def test_a_page_without_schema_js_has_the_client_ask_for_the_schema(client):
    page = html.unescape(client.get("/mine/").content.decode())
    assert "schema.js" not in page
    assert 'const schema = await client.get("http://testserver/mine/");' in page


def test_scripts_and_styles_of_the_page_are_files(client):
    page = client.get("/docs/").content.decode()
    assert "<style" not in page
    assert not re.search(r"\s(style|on\w+)=", page)
    scripts = re.findall(r"<script[^>]*>", page)
    assert scripts
    assert all("src=" in tag or "application/json" in tag for tag in scripts)


def test_controls_that_need_the_script_are_hidden_without_it(client):
    page = client.get("/docs/").content.decode()
    controls = re.findall(r"<(?:button|search|select)[^>]*>", page.split("<dialog")[0])
    known = [tag for tag in controls if "select" not in tag and "data-theme-switch" not in tag]
    assert known
    assert all("data-needs-script hidden" in tag for tag in known)
    assert '<div class="choosers" data-needs-script hidden>' in page


@override_settings(
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [
            "lintel.authentication.SessionAuthentication",
            f"{__name__}.Keys",
        ]
    }
)
@pytest.mark.django_db
def test_the_page_chooses_the_session_of_a_reader_and_offers_a_key_in_a_header(client):
    chosen = '<option value="session" selected>'
    page = client.get("/docs/").content.decode()
    assert chosen not in page
    assert 'data-auth="key" data-header="X-Key"' in page
    code = html.unescape(page)
    assert 'HTTPTransport(headers={"X-Key": os.environ["API_KEY"]})' in code
    assert 'lintel headers add testserver X-Key "$API_KEY"' in code
    assert '-H "X-Key: $API_KEY"' in code
    client.force_login(User.objects.create_user("grace"))
    assert chosen in client.get("/docs/").content.decode()
    with override_settings(
        REST_FRAMEWORK={
            "DEFAULT_AUTHENTICATION_CLASSES": ["lintel.authentication.BasicAuthentication"]
        }
    ):
        page = client.get("/docs/").content.decode()
    assert chosen not in page
    assert 'data-auth="key"' not in page


def test_long_lists_of_choices_are_folded():
    schema = lintel_document.schemas.Enum(enum=[f"choice {number}" for number in range(13)])
    fields = [Field("kind", location="form", schema=schema)]
    item = operation(("up",), Link("/up/", "post", fields=fields))
    fill(item, "http://testserver/")
    text = render_to_string("rest_framework/docs/link.html", {"item": item})
    assert '<details><summary>Values (13)</summary><p class="choices">choice 0, ' in text
    assert "choice 12</p></details>" in text


def test_the_page_carries_what_its_forms_need(client):
    page = client.get("/docs/").content.decode()
    facts = page.split('<script id="facts-notes-create" type="application/json">')[1]
    operation = json.loads(facts.split("</script>")[0])
    assert operation["keys"] == ["notes", "create"]
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


def test_the_page_asks_for_a_script_that_it_keeps(client):
    (address,) = re.findall(
        r'src="(/docs/schema.js[^"]*)" defer', client.get("/docs/").content.decode()
    )
    first = client.get(address)
    again = client.get(address, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    other = client.get(address, headers={"if-none-match": '"other"'})
    assert (other.status_code, other.content) == (200, first.content)
    assert first["Cache-Control"] == "no-cache"
    assert first["Content-Type"] == "application/javascript; charset=utf-8"


@override_settings(REST_FRAMEWORK={"STRICT_QUERY_PARAMS": True})
def test_strict_services_know_the_parameters_of_the_pages(client):
    assert client.get("/docs/schema.js?cache=1").status_code == 200
    assert client.get("/docs/?operation=nothing").status_code == 200
    assert client.get("/docs/?other=1").status_code == 400


def test_a_script_for_one_caller_is_kept_for_no_other(client):
    response = client.get("/own/schema.js?cache=1")
    assert {"Authorization", "Cookie"} <= set(response["Vary"].split(", "))
    assert response["Cache-Control"] == "private, no-cache"


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["", "?cache=1"])
def test_a_page_of_another_site_cannot_load_the_script_of_a_user(query, client, django_user_model):
    header = "Cross-Origin-Resource-Policy"
    for address in ("/docs/schema.js", "/own/schema.js"):
        assert header not in client.get(address + query).headers
    client.force_login(django_user_model.objects.create_user("ann"))
    for address in ("/docs/schema.js", "/own/schema.js"):
        assert client.get(address + query)[header] == "same-site"


def test_without_being_asked_the_script_comes_as_ever(client):
    response = client.get("/docs/schema.js")
    assert not {"ETag", "Cache-Control"} & set(response.headers)


def test_without_being_asked_the_page_comes_as_ever(client):
    assert not {"ETag", "Cache-Control"} & set(client.get("/docs/").headers)


@pytest.mark.parametrize("address", ["/kept/", "/kept/?operation=notes-create", "/own-kept/"])
def test_a_page_that_the_browser_has_is_not_sent_again(client, address):
    first = client.get(address)
    assert first["Cache-Control"] == "private, no-cache"
    again = client.get(address, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    with translation.override("de"):
        changed = client.get(address, headers={"if-none-match": first["ETag"]})
    assert (changed.status_code, changed["ETag"] != first["ETag"]) == (200, True)
    if address == "/own-kept/":
        assert {"Authorization", "Cookie"} <= set(first["Vary"].split(", "))
    assert client.head(address)["ETag"] == first["ETag"]


@pytest.mark.django_db
def test_pages_of_users_have_validators_too(client, django_user_model):
    client.force_login(django_user_model.objects.create_user("ann"))
    first = client.get("/own-kept/")
    assert "/closed/" in first.content.decode()
    again = client.get("/own-kept/", headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again["Cache-Control"]) == (304, "private, no-cache")


class Counting(SchemaGenerator):
    made = 0

    def get_schema(self, request=None, public=False):
        Counting.made += 1
        return super().get_schema(request, public)


def kept(keeps=True, **options):
    """How often a document is made for requests, and the responses."""
    given = {"title": "Kept", "patterns": API, "generator_class": Counting, **options}
    view = documentation.get_docs_view(**given, keeps_documents=keeps)

    def asked(address="/docs/", user=None, accept="text/html", **headers):
        request = APIRequestFactory().get(address, headers={"accept": accept, **headers})
        force_authenticate(request, user)
        before = Counting.made
        response = view(request)
        return Counting.made - before, getattr(response, "render", lambda: response)()

    return asked


def test_a_kept_page_is_made_once_and_answers_304_without_being_made():
    asked = kept()
    made, first = asked()
    assert (made, first["Content-Type"]) == (1, "text/html; charset=utf-8")
    made, again = asked(**{"if-none-match": first["ETag"]})
    assert (made, again.status_code, again.content) == (0, 304, b"")
    made, other = asked(**{"if-none-match": '"other"'})
    assert (made, other.status_code, other.content) == (0, 200, first.content)
    plain = kept(keeps=False)()[1]
    added = set(first.headers.items()) - set(plain.headers.items())
    assert {name for name, _ in added} == {"ETag", "Cache-Control"}
    assert first.content == plain.content
    assert kept(keeps=False)()[0] == 1


@override_settings(ALLOWED_HOSTS=["*"])
def test_each_kept_page_belongs_to_all_that_it_depends_on():
    asked = kept()
    asked()
    for address, headers in (
        ("/docs/?operation=notes-create", {}),
        ("/other/docs/", {}),
        ("/docs/", {"host": "localhost"}),
        ("/docs/", {"accept": "application/coreapi+json"}),
    ):
        assert asked(address, **headers)[0] == 1
        assert asked(address, **headers)[0] == 0
    with translation.override("de"):
        assert asked()[0] == 1
    with timezone.override("Asia/Tokyo"):
        assert asked()[0] == 1
    assert asked()[0] == 0
    with override_settings(REST_FRAMEWORK={"ERROR_FORMAT": "problem"}):
        assert asked()[0] == 1


def test_pages_of_users_are_never_kept():
    asked = kept(public=False)
    user = User(username="ann")
    for _time in range(2):
        made, page = asked(user=user)
        assert (made, b"/closed/" in page.content) == (1, True)
    made, page = asked()
    assert (made, b"/closed/" in page.content) == (1, False)
    assert asked()[0] == 0
    assert {"Authorization", "Cookie"} <= set(page["Vary"].split(", "))
    assert kept(patterns=[], public=False)()[1].status_code in (401, 403)


class HasWord(BasePermission):
    def has_permission(self, request, view):
        return request.headers.get("x-word") == "open"


def test_kept_pages_show_anonymous_callers_what_they_may_call():
    shut = type("Shut", (Notes,), {"permission_classes": [HasWord]})
    patterns = [*API, path("shut/", shut.as_view())]
    for order in (["open", ""], ["", "open"]):
        asked = kept(public=False, patterns=patterns)
        pages = {word: asked(**{"x-word": word})[1].content for word in order}
        assert b"/shut/" in pages["open"]
        assert b"/shut/" not in pages[""]


def test_pages_that_a_project_writes_are_never_kept():
    class Own(DocumentationRenderer):
        def get_context(self, data, request):
            return {**super().get_context(data, request), "described": "Own words."}

    asked = kept(renderer_classes=[Own])
    assert [asked()[0], asked()[0]] == [1, 1]


def test_a_kept_script_is_made_once():
    view = documentation.get_schemajs_view(
        patterns=API, generator_class=Counting, keeps_documents=True
    )
    before = Counting.made
    for query in ("", "?cache=1"):
        responses = [view(APIRequestFactory().get(f"/docs/schema.js{query}")) for _ in range(2)]
        assert {each["Content-Type"] for each in responses} == {
            "application/javascript; charset=utf-8"
        }
        assert [each.has_header("ETag") for each in responses] == [bool(query)] * 2
    assert Counting.made - before == 2


def test_no_text_of_the_schema_ends_the_script_or_a_line_of_it(client):
    script = client.get("/docs/schema.js").content.decode()
    document = base64.b64decode(script.split('atob("')[1].split('"')[0]).decode("ascii")
    assert json.loads(document)["_meta"]["title"] == HOSTILE
    assert "<" not in script
    assert script.isascii()


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


def test_files_are_told_from_text():
    file = lintel_document.schemas.String(is_file=True)
    assert parameter(Field("a", schema=file))["is_file"]
    assert parameter(Field("a", schema=lintel_document.schemas.Array(items=file)))["is_file"]
    assert not parameter(Field("a", schema=lintel_document.schemas.String()))["is_file"]
