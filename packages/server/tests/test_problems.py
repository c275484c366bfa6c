"""Errors as problem details (RFC 9457): one body for every exception, whatever its details."""

import ast
import asyncio
import json
import re
from datetime import date
from pathlib import Path

import jsonschema
import pytest
from contract_project.models import Snippet
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.test import override_settings
from django.urls import path
from django.utils.translation import gettext_lazy, override
from hypothesis import given
from hypothesis import strategies as st

import lintel
from lintel import exceptions, generics, pagination, renderers, serializers, throttling, versioning
from lintel.authentication import BasicAuthentication
from lintel.authtoken.views import obtain_auth_token
from lintel.decorators import api_view
from lintel.exceptions import APIException, ErrorDetail, ValidationError
from lintel.filters import SearchFilter
from lintel.permissions import IsAuthenticated
from lintel.problems import CODES, COMPONENTS, error_bodies, error_components, problem_body
from lintel.problems.places import MAX_ERRORS, MAX_POINTER_LENGTH, pointer_to
from lintel.response import Response
from lintel.test import APIClient, APIRequestFactory, AsyncAPIClient
from lintel.views import APIView, exception_handler

SOURCES = Path(lintel.__file__).parent
PAGE = Path(__file__).parents[3] / "docs" / "server" / "errors.md"
PROBLEM = "application/problem+json"
JSON, YAML, HTML = "application/json", "application/yaml", "text/html"


class Line(serializers.Serializer):
    count = serializers.IntegerField(min_value=1)


class Order(serializers.Serializer):
    name = serializers.CharField(max_length=5)
    lines = Line(many=True, required=False)
    tags = serializers.ListField(child=serializers.IntegerField(), required=False)
    prices = serializers.DictField(child=serializers.IntegerField(), required=False)

    def validate(self, attrs):
        if attrs["name"] == "no":
            raise ValidationError("Not this one.", code="refused")
        return attrs


class OutOfStock(APIException):
    status_code = 409
    default_detail = "Nothing is left."
    default_code = "out_of_stock"


class Odd(APIException):
    """What a project may do to its own exceptions."""

    status_code = 403

    def __init__(self, detail, status_code=403):
        self.detail, self.status_code = detail, status_code


class Orders(APIView):
    many = False

    def post(self, request):
        serializer = Order(data=request.data, many=self.many)
        serializer.is_valid(raise_exception=True)
        return Response(serializer.data, status=201)

    def get(self, request):
        raise RAISED[request.query_params["raise"]]


class Query(serializers.Serializer):
    size = serializers.IntegerField()


class Searching(APIView):
    def post(self, request):
        Query(data=request.query_params).is_valid(raise_exception=True)


class SlowDown(throttling.BaseThrottle):
    def allow_request(self, request, view):
        return False

    def wait(self):
        return 6.5


class Throttled(APIView):
    throttle_classes = [SlowDown]


class Private(APIView):
    authentication_classes = [BasicAuthentication]
    permission_classes = [IsAuthenticated]


class JSONOnly(APIView):
    renderer_classes = [renderers.JSONRenderer]

    def get(self, request):
        raise Http404


class TextRenderer(renderers.BaseRenderer):
    media_type = "text/plain"
    format = "txt"

    def render(self, data, accepted_media_type=None, renderer_context=None):
        return "\n".join(f"{key}: {value}" for key, value in data.items())


class Text(JSONOnly):
    renderer_classes = [TextRenderer]


class Own(APIView):
    def get(self, request):
        raise exceptions.NotFound

    def get_exception_handler(self):
        return lambda exc, context: Response({"mine": True}, status=418)


class Later(APIView):
    async def post(self, request):
        Order(data=request.data).is_valid(raise_exception=True)


class Numbered(pagination.PageNumberPagination):
    page_size = 1


class Cursored(pagination.CursorPagination):
    page_size = 1
    ordering = "id"


class SnippetSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ["id", "title"]


class Snippets(generics.ListCreateAPIView):
    queryset = Snippet.objects.order_by("id")
    serializer_class = SnippetSerializer
    pagination_class = Numbered
    filter_backends = [SearchFilter]
    search_fields = ["$title"]
    strict_query_params = True
    allowed_query_params = ["cursor"]


class Version(versioning.QueryParameterVersioning):
    allowed_versions = ["1"]


@api_view(["POST"])
def function(request):
    Order(data=request.data).is_valid(raise_exception=True)


def broken(request):
    raise RuntimeError("secret")


def forbidden(request):
    raise PermissionDenied("secret")


urlpatterns = [
    path("orders/", Orders.as_view()),
    path("bulk/", Orders.as_view(many=True)),
    path("searching/", Searching.as_view()),
    path("throttled/", Throttled.as_view()),
    path("private/", Private.as_view()),
    path("json/", JSONOnly.as_view()),
    path("text/", Text.as_view()),
    path("own/", Own.as_view()),
    path("later/", Later.as_view()),
    path("snippets/", Snippets.as_view()),
    path("cursor/", Snippets.as_view(pagination_class=Cursored)),
    path("versioned/", Snippets.as_view(versioning_class=Version)),
    path("function/", function),
    path("token/", obtain_auth_token),
    path("broken/", broken),
    path("forbidden/", forbidden),
]
handler400 = "lintel.exceptions.bad_request"
handler403 = "lintel.exceptions.permission_denied"
handler404 = "lintel.exceptions.not_found"
handler500 = "lintel.exceptions.server_error"

RAISED: dict[str, Exception] = {
    "own": OutOfStock(),
    "404": Http404("No such thing."),
    "plain": ValidationError({"detail": "Just this."}),
    "list": ValidationError(["One.", "Two."]),
    "parse": exceptions.ParseError(),
    "fields": ValidationError({"size": ["Too big."]}),
}


def settings_of(error_format, **more):
    own = {"ERROR_FORMAT": error_format, **more}
    return override_settings(ROOT_URLCONF=__name__, REST_FRAMEWORK=own)


@pytest.fixture
def client():
    with settings_of("problem"):
        yield APIClient()


def problem_of(response, status):
    assert response.status_code == status, response.content
    assert response["Content-Type"] == PROBLEM
    body = json.loads(response.content)
    assert body["status"] == status
    held_against_the_schema(body)
    return body


def held_against_the_schema(body):
    text = json.dumps({**COMPONENTS["Problem"], "components": {"schemas": COMPONENTS}})
    jsonschema.validate(body, json.loads(text))


def test_the_four_shapes_of_bad_input_name_their_places(client):
    data = {
        "name": "too long",
        "lines": [{"count": 1}, {"count": 0}],
        "tags": [1, "x"],
        "prices": {"a/b~c": "x"},
    }
    body = problem_of(client.post("/orders/", data, format="json"), 400)
    assert body == {
        "type": "about:blank",
        "title": "Bad Request",
        "status": 400,
        "detail": "Invalid input.",
        "instance": "/orders/",
        "code": "invalid",
        "errors": [
            {
                "pointer": "/name",
                "code": "max_length",
                "detail": "Ensure this field has no more than 5 characters.",
            },
            {
                "pointer": "/lines/1/count",
                "code": "min_value",
                "detail": "Ensure this value is greater than or equal to 1.",
            },
            {"pointer": "/tags/1", "code": "invalid", "detail": "A valid integer is required."},
            {
                "pointer": "/prices/a~1b~0c",
                "code": "invalid",
                "detail": "A valid integer is required.",
            },
        ],
    }


def test_errors_of_no_field_are_about_the_object_around_them(client):
    body = problem_of(client.post("/orders/", {"name": "no"}, format="json"), 400)
    assert body["detail"] == "Not this one."
    assert body["errors"] == [{"pointer": "", "code": "refused", "detail": "Not this one."}]
    body = problem_of(client.post("/bulk/", [{"name": "a"}, {"name": "no"}], format="json"), 400)
    assert [each["pointer"] for each in body["errors"]] == ["/1"]
    body = problem_of(client.post("/bulk/", [{"name": "a"}, 3], format="json"), 400)
    assert [each["pointer"] for each in body["errors"]] == ["/1"]
    body = problem_of(client.post("/bulk/", {"name": "a"}, format="json"), 400)
    assert [(each["pointer"], each["code"]) for each in body["errors"]] == [("", "not_a_list")]


def test_one_text_is_the_detail(client):
    body = problem_of(client.get("/orders/?raise=plain"), 400)
    assert (body["detail"], body["code"]) == ("Just this.", "invalid")
    assert "errors" not in body
    body = problem_of(client.get("/orders/?raise=parse"), 400)
    assert (body["detail"], body["code"]) == ("Malformed request.", "parse_error")
    body = problem_of(client.get("/orders/?raise=own"), 409)
    assert (body["title"], body["code"]) == ("Conflict", "out_of_stock")
    body = problem_of(client.get("/orders/?raise=404"), 404)
    assert (body["detail"], body["code"]) == ("No such thing.", "not_found")


def test_a_request_without_a_body_names_parameters(client):
    body = problem_of(client.get("/orders/?raise=fields&size=9"), 400)
    assert body["errors"] == [{"parameter": "size", "code": "invalid", "detail": "Too big."}]
    body = problem_of(client.get("/orders/?raise=list"), 400)
    assert [list(each) for each in body["errors"]] == [["code", "detail"]] * 2
    assert body["instance"] == "/orders/"
    body = problem_of(client.post("/searching/", {}, format="json"), 400)
    assert [each["parameter"] for each in body["errors"]] == ["size"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("url", "status", "parameter", "code"),
    [
        ("/snippets/?page=9", 404, "page", "not_found"),
        ("/snippets/?search=%28", 400, "search", "invalid_regex"),
        ("/snippets/?search=%00", 400, "search", "null_characters_not_allowed"),
        ("/snippets/?serach=a", 400, "serach", "unknown_query_parameter"),
        ("/cursor/?cursor=abc", 404, "cursor", "not_found"),
        ("/versioned/?version=7", 404, "version", "not_found"),
    ],
)
def test_what_reads_the_query_names_its_parameter(client, url, status, parameter, code):
    body = problem_of(client.get(url), status)
    assert [(each["parameter"], each["code"]) for each in body["errors"]] == [(parameter, code)]


@pytest.mark.django_db
def test_an_unknown_parameter_beside_a_body_is_a_parameter(client):
    body = problem_of(client.post("/snippets/?titel=1", {"titel": 1}, format="json"), 400)
    assert [each["parameter"] for each in body["errors"]] == ["titel"]


def test_headers_stay(client):
    response = client.get("/throttled/")
    assert problem_of(response, 429)["code"] == "throttled"
    assert response["Retry-After"] == "7"
    response = client.get("/private/")
    assert problem_of(response, 401)["code"] == "not_authenticated"
    assert response["WWW-Authenticate"].startswith("Basic")
    response = client.delete("/orders/")
    assert problem_of(response, 405)["code"] == "method_not_allowed"
    assert response["Allow"] == "GET, POST, HEAD, OPTIONS"


def test_refusals_before_there_is_a_renderer(client):
    assert problem_of(client.get("/json/", HTTP_ACCEPT="image/png"), 406)["code"] == (
        "not_acceptable"
    )
    assert problem_of(client.get("/json/?format=nope"), 404)["code"] == "not_found"
    response = client.post("/orders/", "<a/>", content_type="text/xml")
    assert problem_of(response, 415)["code"] == "unsupported_media_type"
    response = client.post("/orders/", "{", content_type="application/json")
    assert problem_of(response, 400)["code"] == "parse_error"


def test_pages_and_other_renderers_keep_their_media_type(client):
    with settings_of("drf"):
        known = APIClient().post("/orders/", {}, format="json", HTTP_ACCEPT="text/html")
    page = client.post("/orders/", {}, format="json", HTTP_ACCEPT="text/html")
    assert page["Content-Type"] == known["Content-Type"] == "text/html; charset=utf-8"
    assert page.data == known.data == {"name": ["This field is required."]}
    text = client.get("/text/")
    assert text["Content-Type"] == "text/plain; charset=utf-8"
    assert b"title: Not Found" in text.content


def test_the_handler_of_a_project_wins(client):
    assert client.get("/own/").json() == {"mine": True}
    assert client.get("/own/")["Content-Type"] == "application/json"


def test_function_views_the_loop_and_the_token_endpoint(client):
    pointers = [
        [each["pointer"] for each in problem_of(client.post(url, {}, format="json"), 400)["errors"]]
        for url in ("/function/", "/later/", "/token/")
    ]
    assert pointers == [["/name"], ["/name"], ["/username", "/password"]]

    async def ask():
        return await AsyncAPIClient().post("/later/", {}, format="json")

    assert problem_of(asyncio.run(ask()), 400)["errors"][0]["pointer"] == "/name"


def test_errors_outside_of_views(client):
    client.raise_request_exception = False
    body = problem_of(client.get("/broken/"), 500)
    assert body == {
        "type": "about:blank",
        "title": "Internal Server Error",
        "status": 500,
        "instance": "/broken/",
        "code": "error",
    }
    assert (
        problem_of(client.get("/nowhere/%22%3C?key=s3cret"), 404)["instance"] == "/nowhere/%22%3C"
    )
    assert problem_of(client.get("/forbidden/"), 403) == {
        "type": "about:blank",
        "title": "Forbidden",
        "status": 403,
        "instance": "/forbidden/",
        "code": "permission_denied",
    }
    request = APIRequestFactory().get("/x/")
    assert problem_of(exceptions.bad_request(request, ValueError()), 400)["code"] == "bad_request"


def test_the_known_format_is_the_default():
    with override_settings(ROOT_URLCONF=__name__):
        client = APIClient(raise_request_exception=False)
        response = client.post("/orders/", {}, format="json", HTTP_ACCEPT=PROBLEM + ", */*")
        assert response.json() == {"name": ["This field is required."]}
        assert response["Content-Type"] == "application/json"
        assert client.get("/broken/").json() == {"error": "Server Error (500)"}
        assert client.get("/nowhere/").json() == {"detail": "Not found."}
        denied = {"detail": "You do not have permission to perform this action."}
        assert client.get("/forbidden/").json() == denied


def test_texts_are_in_the_language_of_the_request_and_codes_in_none(client):
    with override("fr"):
        body = problem_of(client.post("/orders/", {}, format="json"), 400)
        missing = problem_of(client.get("/json/?format=nope"), 404)
    assert body["errors"] == [
        {"pointer": "/name", "code": "required", "detail": "Ce champ est obligatoire."}
    ]
    assert (missing["detail"], missing["code"]) == ("Introuvable.", "not_found")


@pytest.mark.parametrize("accept", [PROBLEM, f"{PROBLEM};q=0.1, text/csv"])
@pytest.mark.parametrize("error_format", ["problem", "both"])
def test_no_renderer_makes_problems_of_what_succeeds(accept, error_format):
    with settings_of(error_format):
        response = APIClient().get("/json/", HTTP_ACCEPT=accept)
        assert problem_of(response, 406)["code"] == "not_acceptable"


def test_errors_in_lists_of_lists_and_in_forms_have_their_places(client):
    body = problem_of(client.post("/bulk/", [{"name": "a", "lines": [3]}], format="json"), 400)
    assert [each["pointer"] for each in body["errors"]] == ["/0/lines/0"]
    form = {"name": "a", "lines[1]count": "x", "tags[0]": "y"}
    body = problem_of(client.post("/orders/", form, format="multipart"), 400)
    assert [each["pointer"] for each in body["errors"]] == ["/lines/0/count", "/tags/0"]


@pytest.mark.parametrize(
    ("accept", "is_problem"),
    [
        ("*/*", False),
        ("application/*", False),
        ("application/json", False),
        ("application/json, application/problem+json", True),
        ("application/json, Application/Problem+JSON; q=0.5", True),
        ("application/json, application/problem+json;q=0", False),
        ("application/json, application/problem+json;q=x", True),
        ("application/json, application/problem+jsonx", False),
    ],
)
def test_both_is_decided_by_who_names_the_media_type(accept, is_problem):
    with settings_of("both"):
        for url in ("/json/", "/nowhere/"):
            response = APIClient().get(url, HTTP_ACCEPT=accept)
            assert response["Content-Type"] == (PROBLEM if is_problem else "application/json")
            assert "Accept" in response["Vary"].split(", ")
            assert ("title" in response.json()) is is_problem


def test_a_base_gives_each_code_an_address():
    with settings_of("problem", PROBLEM_TYPE_BASE="https://example.com/problems/"):
        body = problem_of(APIClient().get("/orders/?raise=own"), 409)
        assert body["type"] == "https://example.com/problems/out_of_stock"
        assert body["title"] == "Out of stock"
        odd = problem_body(APIException("no", code="ä b/c"))
        assert odd["type"] == "https://example.com/problems/%C3%A4%20b%2Fc"


LOOP: list = []
LOOP += [LOOP, LOOP]


DAY = date(2026, 1, 1)


class Unprintable:
    def __str__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    ("detail", "expected"),
    [
        (None, {}),
        (b"caf\xe9", {"detail": "caf\ufffd"}),
        (gettext_lazy("words"), {"detail": "words"}),
        (7, {"detail": "7"}),
        (Unprintable(), {"detail": "(Unprintable)"}),
        (ErrorDetail("no", "mine"), {"detail": "no", "code": "mine"}),
        ({"detail": "no", "code": "old", "messages": [1]}, {"code": "old", "messages": [1]}),
        ({"status": "x", "hint": "y"}, {"context": {"status": "x"}, "hint": "y", "status": 403}),
        ({"detail": {"a": 1}, 5: None}, {"context": {"detail": {"a": 1}}, "5": None}),
        (LOOP, {"errors": []}),
        ({"loop": LOOP, "nan": float("nan")}, {"loop": [None, None], "nan": "nan"}),
        ({"at": DAY, "words": gettext_lazy("words")}, {"at": DAY, "words": "words"}),
        (("a",), {"detail": "a"}),
    ],
)
def test_details_of_any_shape_have_a_body(detail, expected):
    body = problem_body(Odd(detail))
    assert expected.items() <= body.items()
    with settings_of("problem"):
        assert exception_handler(Odd(detail), {}).data == body


@pytest.mark.parametrize(
    ("detail", "pairs"),
    [
        ([["a"], "b", [["c"]]], [("/0", "a"), ("", "b"), ("/2/0", "c")]),
        ({"ключ": {"": "a"}}, [("/ключ/", "a")]),
        ({"a": [{}, {"b": ["c"]}]}, [("/a/1/b", "c")]),
        ({"a": {"non_field_errors": ["x"], "__all__": ["y"]}}, [("/a", "x"), ("/a", "y")]),
        ({3: None, None: b"x"}, [("/3", "None"), ("/None", "x")]),
        ({}, []),
    ],
)
def test_each_text_has_its_pointer(detail, pairs):
    errors = problem_body(Odd(detail, 400))["errors"]
    assert [(each["pointer"], each["detail"]) for each in errors] == pairs


def test_what_is_told_is_bounded():
    long = "k" * 5000
    detail = {long: {str(n): ["x"] for n in range(MAX_ERRORS + 7)}}
    body = problem_body(Odd(detail, 400))
    assert len(body["errors"]) == MAX_ERRORS
    assert body["errors_left_out"] == 7
    assert {each["pointer"] for each in body["errors"]} == {""}
    deep: dict = {}
    for _ in range(100_000):
        deep = {"a": deep}
    assert problem_body(Odd(deep, 400))["errors"] == []


@given(st.lists(st.text(), max_size=5))
def test_pointers_lead_where_they_say(keys):
    parts = pointer_to(tuple(keys)).split("/")[1:]
    assert [part.replace("~1", "/").replace("~0", "~") for part in parts] == keys
    assert len(pointer_to(tuple(keys) * 400)) <= MAX_POINTER_LENGTH


NESTED = st.recursive(
    st.one_of(st.text(), st.none(), st.integers(), st.binary()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.text(), st.integers()), inner, max_size=3),
    ),
)


@given(NESTED, st.sampled_from([400, 401, 403, 409, 422, 500, 599]))
def test_any_detail_makes_a_body_that_its_schema_allows(detail, status):
    body = problem_body(Odd(detail, status))
    held_against_the_schema(json.loads(renderers.JSONRenderer().render(body)))
    for each in body.get("errors", ()):
        assert isinstance(each["detail"], str)


def test_a_manual_call_needs_no_request():
    with settings_of("both"):
        assert exception_handler(exceptions.NotFound(), {}).data == {"detail": "Not found."}
    assert exception_handler(HttpResponse, {}) is None


@pytest.mark.parametrize(
    ("error_format", "expected", "components"),
    [
        ("drf", [(JSON, "Error"), (YAML, "Error"), (HTML, None)], 2),
        ("problem", [(PROBLEM, "Problem"), (YAML, "Problem"), (HTML, None)], 2),
        ("both", [(JSON, "Error"), (PROBLEM, "Problem"), (YAML, "Error"), (HTML, None)], 4),
    ],
)
def test_the_description_follows_the_setting(error_format, expected, components):
    with settings_of(error_format):
        bodies = error_bodies(False, [JSON, YAML, HTML])
        assert [(each.media_type, each.component) for each in bodies] == expected
        bodies = error_bodies(True, ["application/vnd.x+json; version=1"])
        assert {each.component for each in bodies} <= {"ValidationErrors", "Problem"}
        assert len(error_components()) == components
        assert COMPONENTS.keys() >= set(error_components())


# The codes


def codes_in_the_sources():
    """Codes that stand in the code base: of messages, of exceptions, and as arguments."""
    for source in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_text())):
            yield from codes_of(node)


def codes_of(node):
    target = getattr(node, "target", None) or next(iter(getattr(node, "targets", [])), None)
    name = getattr(target, "id", getattr(target, "attr", ""))
    value = getattr(node, "value", None)
    if name == "default_error_messages" and isinstance(value, ast.Dict):
        yield from (key.value for key in value.keys if isinstance(key, ast.Constant))
    if name in ("default_code", "code") and isinstance(value, ast.Constant) and value.value:
        yield value.value
    for keyword in getattr(node, "keywords", ()):
        if keyword.arg == "code" and isinstance(keyword.value, ast.Constant):
            yield keyword.value.value


def test_every_code_of_the_sources_is_listed():
    known = {each.code for each in CODES}
    assert {code for code in codes_in_the_sources() if code not in known} == set()
    assert len(known) == len(CODES)


def test_the_page_lists_every_code_with_status_and_meaning():
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (.+) \|$", PAGE.read_text(), re.M)
    assert rows == [(each.code, str(each.status), each.meaning) for each in CODES]
