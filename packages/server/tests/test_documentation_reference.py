"""What the page shows beyond the native schema: values, examples, errors, ends of operations."""

import datetime
import decimal
import json
import re
from html import unescape

import pytest
from django.contrib.auth.models import Group
from django.test import Client, override_settings
from django.urls import path, re_path
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from lintel import permissions, serializers, viewsets
from lintel.documentation import include_docs_urls
from lintel.documentation.examples import Examples
from lintel.documentation.reference import ERRORS, plain, real_error
from lintel.documentation.values import ROWS, Table, facts_of
from lintel.generics import GenericAPIView
from lintel.pagination import CursorPagination, PageNumberPagination
from lintel.problems.catalogue import COMPONENTS
from lintel.renderers.documentation import sections
from lintel.renderers.documentation_page import with_details
from lintel.response import Response
from lintel.retirement import Deprecation
from lintel.routers import SimpleRouter
from lintel.schemas import extend_schema
from lintel.versioning import QueryParameterVersioning, URLPathVersioning
from lintel.views import APIView
from lintel_document import Document, Link


class StopSerializer(serializers.Serializer):
    place = serializers.CharField(max_length=40, help_text="Where <it> stops.")
    minutes = serializers.IntegerField(min_value=1, max_value=90, default=5)


class LineSerializer(serializers.ModelSerializer):
    kind = serializers.ChoiceField(choices=["bus", "tram"])
    stops = StopSerializer(many=True)
    opened = serializers.DateField(allow_null=True)
    timetable = serializers.FileField(required=False)

    class Meta:
        model = Group
        fields = ["id", "name", "kind", "stops", "opened", "timetable"]


class Lines(viewsets.ModelViewSet):
    """Lines of *buses*.

    create: A line with <b>stops</b>, see [rules](javascript:alert(1)).
    """

    queryset = Group.objects.all()
    serializer_class = LineSerializer


class Pages(PageNumberPagination):
    page_size = 9


class Whole(APIView):
    @extend_schema(
        request={
            "type": "object",
            "properties": {
                "email": {"type": "string"},
                "ids": {"type": "array", "items": {"type": "integer"}},
            },
        }
    )
    def post(self, request):
        return Response()


class Old(GenericAPIView):
    serializer_class = StopSerializer
    permission_classes = [permissions.IsAdminUser]
    deprecated = Deprecation(datetime.date(2026, 1, 1), sunset=datetime.date(2027, 1, 1))

    def get(self, request):
        return Response()


class Cursors(CursorPagination):
    page_size = 2


router = SimpleRouter()
router.register("lines", Lines, basename="line")
API = [*router.urls, path("old/", Old.as_view())]
MANY = [path(f"old{number}/", Old.as_view()) for number in range(101)]
PAGED = [
    path("areas/<int:area>/lines/", Lines.as_view({"get": "list"}, pagination_class=Pages)),
    path("stops/", Lines.as_view({"get": "list"}, pagination_class=Cursors)),
]
urlpatterns = [
    *API,
    path("whole/", include_docs_urls(title="Whole", patterns=[path("it/", Whole.as_view())])),
    path("docs/", include_docs_urls(title="Lines", patterns=API)),
    path("paged/", include_docs_urls(title="Pages", patterns=PAGED)),
    path("many/", include_docs_urls(title="Many", patterns=MANY)),
]


@pytest.fixture
def client():
    with override_settings(ROOT_URLCONF=__name__):
        yield Client()


def article(page: str, identifier: str) -> str:
    return page.split(f'<article id="{identifier}"')[1].split("</article>")[0]


def shown(client: Client, identifier: str, address: str = "/docs/") -> str:
    return article(client.get(address).content.decode(), identifier)


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


# ---- the page ----


def test_bodies_are_shown_with_what_is_in_them(client):
    told = text_of(shown(client, "lines-create"))
    assert "stops array of StopRequest required" in told
    assert "place string required length 1 – 40 Where &lt;it&gt; stops." in told
    assert "minutes integer 1 – 90 default 5" in told
    assert "opened string (date) or null required" in told
    assert "bus tram" in told


def test_an_example_of_a_body_fits_its_schema(client):
    page = shown(client, "lines-create").replace("&quot;", '"')
    example = json.loads(re.findall(r'<pre class="code" tabindex="0">({.*?})</pre>', page, re.S)[0])
    assert example["kind"] == "bus"
    assert example["stops"] == [{"place": "text", "minutes": 5}]
    assert example["opened"] == "2026-01-31"


def test_titles_are_words(client):
    page = client.get("/docs/").content.decode()
    assert '<a href="#lines-partial_update">Update parts of a group</a>' in page
    assert "</span> Update parts of a group</a></li>" in page
    assert '<h2 id="lines">Lines</h2>' in page
    assert (
        json.loads(page.split('id="facts-lines-list"')[1].split(">", 1)[1].split("<")[0])["title"]
        == "List groups"
    )


def test_the_text_of_a_class_stands_once_in_a_group(client):
    page = client.get("/docs/").content.decode()
    assert page.count("<p>Lines of <em>buses</em>.</p>") == 1
    assert "<p>Lines of <em>buses</em>.</p>" in article(page, "lines-list")
    # On a page of its own, an operation has it.
    assert "Lines of <em>buses</em>" in shown(
        client, "lines-update", "/docs/?operation=lines-update"
    )
    # The text of a method is that of its operation.
    assert "rules" in article(page, "lines-create")


def test_a_sample_of_a_whole_body_is_that_of_its_schema(client):
    page = client.get("/whole/").content.decode()
    code = unescape(re.findall(r'data-sample="curl"[^>]*>(.*?)</pre>', page, re.S)[0])
    assert """-d '{"email": "jane@example.com", "ids": [1]}'""" in code


def test_a_description_that_is_the_name_again_is_left_out():
    field = {"name": "is_public", "description": "", "choices": []}
    assert with_details(field, {"note": "is public"})["description"] == ""
    assert with_details(field, {"note": "Is_Public"})["description"] == ""
    assert with_details(field, {"note": "Who sees it."})["description"] == "Who sees it."


def test_operations_without_a_summary_have_titles_of_their_names():
    links = {
        "notes": {"mark_read": Link("/notes/", "post")},
        "get_0": Link("/a/check-it/{id}/", "get"),
    }
    titles = [link["title"] for each in sections(links) for link in each["links"]]
    assert titles == ["Check it", "Mark read"]


def test_a_sample_of_the_response_stands_beside_the_operation(client):
    beside = shown(client, "lines-create").split('<div class="samples">')[1]
    answer = json.loads(unescape(beside.split('data-answer="201">')[1].split("</pre>")[0]))
    assert answer["name"] == "Riverside"
    assert answer["stops"] == [{"place": "text", "minutes": 5}]
    assert "201</span> Created" in beside
    # Where there is no body, the status says so.
    deleted = shown(client, "lines-delete").split('<div class="samples">')[1]
    assert "204</span> No Content" in deleted
    assert "data-answer" not in deleted


def test_addresses_of_further_pages_are_those_of_the_operation(client):
    page = shown(client, "areas-lines-list", "/paged/")
    answer = json.loads(unescape(page.split('data-answer="200">')[1].split("</pre>")[0]))
    assert answer["next"] == "http://api.example.org/areas/1/lines/?page=4"
    page = shown(client, "stops-list", "/paged/")
    answer = json.loads(unescape(page.split('data-answer="200">')[1].split("</pre>")[0]))
    assert answer["next"] == "http://api.example.org/stops/?cursor=cD00ODY%3D"


def test_languages_are_tabs_beside_each_operation(client):
    page = client.get("/docs/").content.decode()
    part = article(page, "lines-list")
    assert re.findall(r'data-language="(\w+)" aria-selected="(\w+)"', part) == [
        ("shell", "true"),
        ("javascript", "false"),
        ("python", "false"),
    ]
    assert re.findall(r'data-panel="(\w+)"( hidden)?>', part) == [
        ("shell", ""),
        ("javascript", " hidden"),
        ("python", " hidden"),
    ]
    controlled = re.findall(r'aria-controls="([^"]+)"', page)
    assert len(controlled) == len(set(controlled)) > 9
    assert all(f'id="{each}"' in page for each in controlled)


def test_codes_that_an_operation_cannot_give_are_left_out(client):
    listed, created = shown(client, "lines-list"), shown(client, "lines-create")
    assert "parse_error" in created
    assert "idempotency_key_invalid" in created
    assert "parse_error" not in listed
    assert "idempotency_key" not in listed
    assert "not_authenticated" not in listed


def test_errors_are_shown_with_their_codes(client):
    told = text_of(shown(client, "lines-create"))
    codes = told.split("400 Bad Request ")[1].split(" The ")[0].split()
    assert {"bad_request", "parse_error", "invalid"} <= set(codes)
    assert "parse_error The body cannot be read as what its content type says." in told
    assert "401 Unauthorized" not in told


def test_bodies_of_errors_stand_once(client):
    with override_settings(REST_FRAMEWORK={"ERROR_FORMAT": "both"}):
        page = shown(client, "lines-update")
    assert page.count("<code>errors_left_out</code>") == 1
    bodies = text_of(page.split("Bodies of errors")[1])
    assert bodies.startswith("400 application/json object or array")
    assert re.search(r"404 (\d+ )+application/json detail string", bodies)


@pytest.mark.parametrize("form", ["drf", "problem"])
def test_samples_of_errors_are_bodies_that_come(form):
    assert ERRORS.keys() < COMPONENTS.keys()
    for name, sample in ERRORS.items():
        schema = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": COMPONENTS}}
        assert Draft202012Validator(schema).is_valid(sample)
    with override_settings(ROOT_URLCONF=__name__, REST_FRAMEWORK={"ERROR_FORMAT": form}):
        errors = shown(Client(), "lines-update").split("Bodies of errors")[1]
        sent = Client().post("/lines/", "{", content_type="application/json").json()
    assert set(sent) <= set(ERRORS["Problem" if form == "problem" else "Error"]) | {"instance"}
    assert json.dumps(sent.get("title", "Not found.")) in unescape(errors)
    # A body that the project describes is shown as it is described.
    own = Examples({"Error": {"type": "object", "properties": {"code": {"type": "string"}}}})
    assert real_error({"$ref": "#/components/schemas/Error"}, own) == []


def test_what_is_received_is_not_asked_for(client):
    told = text_of(shown(client, "lines-read"))
    assert "name string" in told
    assert "name string length" not in told
    assert "name string required" not in told


def test_the_end_of_an_operation_is_announced(client):
    page = shown(client, "old-list")
    assert "deprecated · since Jan. 1, 2026 · gone on Jan. 1, 2027" in text_of(page)
    assert '<time datetime="2027-01-01">' in page
    assert "needs credentials" in page


def test_descriptions_are_markdown_that_does_no_harm(client):
    page = client.get("/docs/").content.decode()
    assert "<p>Lines of <em>buses</em>.</p>" in article(page, "lines-list")
    create = article(page, "lines-create")
    assert "&lt;b&gt;stops&lt;/b&gt;" in create
    assert "javascript:alert" not in create.split("<script")[0]


def test_a_large_api_shows_an_operation_when_it_is_asked_for(client):
    page = client.get("/many/").content.decode()
    assert page.count("data-operation-link") == 101
    assert page.count("<") < 101 * 30
    assert "data-operation=" not in page
    assert "<article" not in page
    (address,) = re.findall(r'href="(\?operation=old50-list)"', page)
    part = client.get(f"/many/{address}").content.decode()
    assert part.count("<article") == 1
    assert "needs credentials" in article(part, "old50-list")
    assert 'data-operation="old50-list"' in part
    assert "curl http://testserver/old50/" in article(part, "old50-list")


def test_an_operation_that_is_asked_for_stands_alone_with_a_way_back(client):
    part = client.get("/docs/?operation=lines-create").content.decode()
    assert part.count("<article") == 1
    assert '<a href="/docs/">All operations</a>' in part
    assert client.get("/docs/?operation=nothing").content.decode().count("<article") > 1


def test_a_page_warns_nobody_of_what_it_does_not_know(client, recwarn):
    class Bare(GenericAPIView):
        def get(self, request):
            return Response()

    bare = [path("bare/", Bare.as_view())]
    urls = type("urls", (), {"urlpatterns": [path("docs/", include_docs_urls(patterns=bare))]})
    with override_settings(ROOT_URLCONF=urls):
        assert client.get("/docs/").status_code == 200
    assert not recwarn.list


def test_operations_whose_keys_look_alike_have_names_of_their_own():
    document = Document(
        content={"a-b": {"c": Link("/1/")}, "a": {"b-c": Link("/2/"), "b": Link("/3/")}}
    )
    found = sections(document)
    assert [item["id"] for each in found for item in each["links"]] == ["a-b-c", "a-b-c-2", "a-b"]
    assert found[0]["links"][0]["href"] == "#a-b-c"
    assert found[1]["links"][0]["href"] == "#a-b-c-2"
    assert [each["id"] for each in found] == ["a-b-2", "a"]


def test_values_of_the_project_are_such_that_json_carries_them():
    value = {"a": datetime.date(2026, 1, 31), "b": float("inf"), "c": {1: decimal.Decimal("1.5")}}
    assert plain(value) == {"a": "2026-01-31", "b": "Infinity", "c": {"1": "1.5"}}


class Hidden(Old):
    versioning_class = None

    @extend_schema(exclude=True)
    def post(self, request):
        return Response()


class V1Only(URLPathVersioning):
    allowed_versions = ["v1", "v2"]


class ByPath(Old):
    versioning_class = V1Only


class ByQuery(QueryParameterVersioning):
    allowed_versions = ["1", "2"]
    default_version = "1"


def page_of(patterns, address: str = "/docs/", **settings) -> str:
    urls = type("urls", (), {"urlpatterns": patterns})
    with override_settings(ROOT_URLCONF=urls, **settings):
        return Client().get(address).content.decode()


def test_operations_that_the_description_leaves_out_are_not_shown():
    page = page_of([path("hidden/", Hidden.as_view()), path("docs/", include_docs_urls())])
    assert re.findall(r'<article id="([^"]*)"', page) == ["hidden-list"]


def test_the_page_of_a_version_shows_its_operations_and_leads_to_the_others():
    api = [
        re_path(r"^(?P<version>v1)/first/$", ByPath.as_view()),
        re_path(r"^(?P<version>v[12])/both/$", ByPath.as_view()),
        path("<version>/docs/", include_docs_urls()),
    ]
    versions = {"DEFAULT_VERSIONING_CLASS": f"{__name__}.V1Only"}
    page = page_of(api, "/v2/docs/", REST_FRAMEWORK=versions)
    assert re.findall(r'<article id="([^"]*)"', page) == ["both-list"]
    assert '<strong class="badge accent" aria-current="true">v2</strong>' in page
    assert '<a href="/v1/docs/">v1</a>' in page
    first = page_of(api, "/v1/docs/", REST_FRAMEWORK=versions)
    assert re.findall(r'<article id="([^"]*)"', first) == ["first-list", "both-list"]


def test_a_version_is_chosen_in_the_query():
    settings = {"DEFAULT_VERSIONING_CLASS": f"{__name__}.ByQuery"}
    api = [path("old/", Old.as_view()), path("docs/", include_docs_urls())]
    page = page_of(api, "/docs/?operation=old-list", REST_FRAMEWORK=settings)
    assert '<a href="/docs/?version=2">2</a>' in page


def test_where_scripts_cannot_read_the_csrf_cookie_the_page_has_the_token(client, admin_client):
    with override_settings(ROOT_URLCONF=__name__, CSRF_COOKIE_HTTPONLY=True):
        assert "data-csrf-token" not in client.get("/docs/").content.decode()
        page = admin_client.get("/docs/").content.decode()
    assert re.search(
        r'data-csrf-cookie="" data-csrf-header="X-CSRFTOKEN" data-csrf-token="\w+"', page
    )


# ---- values ----


NODE = {
    "type": "object",
    "required": ["value"],
    "properties": {
        "value": {"type": "integer", "minimum": 3},
        "next": {"anyOf": [{"$ref": "#/components/schemas/Node"}, {"type": "null"}]},
        "children": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
    },
}
EXAMPLES = Examples({"Node": NODE})


def test_a_schema_that_holds_itself_is_shown_once():
    html = Table(EXAMPLES).write({"$ref": "#/components/schemas/Node"})
    assert html.count("<code>value</code>") == 1
    assert "Node or null" in html
    assert "array of Node" in html


def test_an_example_of_a_schema_that_holds_itself_ends():
    example = EXAMPLES.of({"$ref": "#/components/schemas/Node"})
    assert example["value"] == 3
    assert len(json.dumps(example)) < 5_000


def test_references_that_lead_nowhere_or_in_circles_are_anything():
    examples = Examples({"A": {"$ref": "#/components/schemas/A"}})
    for name in ("A", "Missing"):
        schema = {"$ref": f"#/components/schemas/{name}"}
        assert examples.of(schema) is None
        assert "anything" in Table(examples).write(schema)


def test_tables_end():
    wide = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(2 * ROWS)}}
    assert Table(EXAMPLES).write(wide).count("<li>") == ROWS + 1


@pytest.mark.parametrize(
    ("schema", "texts"),
    [
        ({"minimum": 1}, ["≥ 1"]),
        ({"exclusiveMaximum": 5}, ["< 5"]),
        ({"minLength": 1, "maxLength": 9}, ["length 1 – 9"]),
        ({"maxItems": 3}, ["items ≤ 3"]),
        ({"multipleOf": 0.5, "default": "x"}, ["multiple of 0.5", 'default "x"']),
    ],
)
def test_bounds_are_short_texts(schema, texts):
    assert list(facts_of(schema)) == texts


def test_labels_stand_beside_their_values():
    described = "How warm.\n\n* `hot` - Hot\n* `cold` - Below <zero>"
    text = Table(EXAMPLES).write({"enum": ["hot", "cold"], "description": described})
    assert '<span class="note">How warm.</span>' in text
    assert "<code>hot</code>, <code>cold</code> Below &lt;zero&gt;</span>" in text


def test_lists_of_other_things_stay_in_descriptions():
    described = "Parts:\n\n* `hot` - Hot\n* `tea` - Not a value"
    text = Table(EXAMPLES).write({"enum": ["hot"], "description": described})
    assert "* `tea` - Not a value" in text
    assert "* `hot`" not in text
    assert "* `hot` - Hot" in Table(EXAMPLES).write({"type": "string", "description": described})


def test_texts_of_schemas_are_escaped():
    hostile = "<script>alert(1)</script>"
    schema = {
        "type": "object",
        "properties": {
            hostile: {"description": hostile, "default": hostile, "enum": [hostile] * 20},
            "b": {"type": hostile, "format": hostile, "pattern": hostile, "enum": [hostile]},
        },
    }
    assert "<script" not in Table(EXAMPLES).write(schema)


PLAIN = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("integer")},
        optional={"minimum": st.integers(-5, 5), "maximum": st.integers(6, 9)},
    ),
    st.fixed_dictionaries(
        {"type": st.just("string")},
        optional={"minLength": st.integers(0, 5), "maxLength": st.integers(5, 9)},
    ),
    st.just({"type": "boolean"}),
    st.just({"type": ["string", "null"], "format": "date"}),
    st.builds(lambda values: {"enum": values}, st.lists(st.integers(), min_size=1)),
)
SCHEMAS = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.builds(lambda one: {"type": "array", "items": one}, inner),
        st.builds(
            lambda some: {"type": "object", "properties": some, "required": list(some)},
            st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
        ),
        st.builds(lambda one: {"anyOf": [{"type": "null"}, one]}, inner),
    ),
    max_leaves=6,
)


@given(SCHEMAS)
def test_examples_fit_their_schemas(schema):
    deep = Examples({}).of(schema, depth=30)
    assert Draft202012Validator(schema).is_valid(deep)
