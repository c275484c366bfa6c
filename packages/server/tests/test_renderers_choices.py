"""The search among the rows of a relation: for whom, which rows, and at which cost."""

import itertools
import re
from typing import Any
from urllib.parse import urlencode

import pytest
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import path

from lintel import (
    generics,
    parsers,
    permissions,
    relations,
    renderers,
    serializers,
    throttling,
    views,
    viewsets,
)
from lintel.test import APIClient

ROWS = 100_000
allowed: set[str] = set()
requests: list[str] = []


class Chosen(permissions.BasePermission):
    def has_permission(self, request, view):
        return request.method in allowed

    def has_object_permission(self, request, view, obj):
        return f"{request.method} object" in allowed


class Counting(throttling.BaseThrottle):
    def allow_request(self, request, view):
        requests.append(request.method)
        return "throttled" not in allowed

    def wait(self):
        return None


class OwnTags(relations.PrimaryKeyRelatedField):
    """Rows of the caller alone."""

    def get_queryset(self):
        return Tag.objects.filter(name__startswith=self.context["request"].META.get("HTTP_OWN", ""))


class Listed(relations.PrimaryKeyRelatedField):
    """Choices that a project has thought of itself."""

    def get_choices(self, cutoff=None):
        return {1: "one", 2: "two"}


class Line(serializers.Serializer):
    tag = relations.PrimaryKeyRelatedField(queryset=Tag.objects.all(), html_cutoff=5)


class SnippetSerializer(serializers.ModelSerializer):
    owner = relations.PrimaryKeyRelatedField(queryset=User.objects.all(), html_cutoff=5)
    tag = OwnTags(html_cutoff=5, required=False)
    name = relations.SlugRelatedField(
        slug_field="name", queryset=Tag.objects.all(), html_cutoff=5, required=False
    )
    mails = relations.PrimaryKeyRelatedField(
        queryset=User.objects.all(),
        required=False,
        html_cutoff=5,
        style={"search_fields": ["email"]},
    )
    tags = relations.PrimaryKeyRelatedField(
        many=True, queryset=Tag.objects.all(), html_cutoff=5, required=False
    )
    listed = Listed(queryset=Tag.objects.all(), html_cutoff=1, required=False)
    shown = relations.PrimaryKeyRelatedField(source="owner", read_only=True)
    line = Line(required=False)
    lines = Line(many=True, required=False)

    class Meta:
        model = Snippet
        fields = [
            *("id", "title", "owner", "tag", "name", "mails", "tags", "listed", "shown", "line"),
            "lines",
        ]


class Snippets(generics.ListCreateAPIView):
    queryset = Snippet.objects.order_by("id")
    serializer_class = SnippetSerializer
    permission_classes = [Chosen]
    throttle_classes = [Counting]
    authentication_classes: list[Any] = []
    renderer_classes = [renderers.JSONRenderer, renderers.BrowsableAPIRenderer]


class Detail(generics.RetrieveUpdateAPIView):
    queryset = Snippet.objects.order_by("id")
    serializer_class = SnippetSerializer
    permission_classes = [Chosen]
    authentication_classes: list[Any] = []
    renderer_classes = [renderers.JSONRenderer, renderers.AdminRenderer]


class JSONOnly(Snippets):
    parser_classes = [parsers.JSONParser]


class Later(viewsets.AsyncModelViewSet):
    """A view whose permissions and look-ups are async."""

    queryset = Snippet.objects.order_by("id")
    serializer_class = SnippetSerializer
    authentication_classes: list[Any] = []
    renderer_classes = [renderers.JSONRenderer, renderers.BrowsableAPIRenderer]

    class MayChoose(permissions.BasePermission):
        async def has_permission(self, request, view):
            return request.method in allowed

        async def has_object_permission(self, request, view, obj):
            return f"{request.method} object" in allowed

    permission_classes = [MayChoose]


class Quiet(serializers.Serializer):
    """Relations whose style lists no rows, and slugs that no column of text holds."""

    typed = relations.PrimaryKeyRelatedField(
        queryset=Tag.objects.all(), html_cutoff=1, style={"base_template": "input.html"}
    )
    hidden = relations.PrimaryKeyRelatedField(
        queryset=Tag.objects.all(),
        html_cutoff=1,
        style={"template": "rest_framework/horizontal/input.html"},
    )
    typed_ones = relations.PrimaryKeyRelatedField(
        queryset=Tag.objects.all(), many=True, style={"base_template": "input.html"}
    )
    owned = relations.SlugRelatedField(
        slug_field="owner", queryset=Snippet.objects.all(), html_cutoff=1
    )
    two = relations.PrimaryKeyRelatedField(
        queryset=Tag.objects.filter(pk=1).union(Tag.objects.filter(pk=2)), html_cutoff=1
    )


class Quietly(Snippets):
    serializer_class = Quiet


class WithoutForms(renderers.BrowsableAPIRenderer):
    def get_rendered_html_form(self, data, view, method, request):
        return None


class WithOwnForms(renderers.BrowsableAPIRenderer):
    """Forms with a search for ``tags`` alone."""

    def render_form_for_serializer(self, serializer):
        return '<select data-choices="tags"></select>'


class WithOwnContext(renderers.BrowsableAPIRenderer):
    """A page that shows the forms that the address names."""

    def get_context(self, data, *args):
        page = super().get_context(data, *args)
        shown = self.renderer_context["request"].GET["shown"]
        return {
            **page,
            "display_edit_forms": shown != "none",
            **({} if shown else {"post_form": None}),
        }


class FormsOfAnother(Snippets):
    kinds = {"without": WithoutForms, "own": WithOwnForms, "context": WithOwnContext}

    def get_renderers(self):
        return [self.kinds[self.request.GET["kind"]]()]


class Bulk(Snippets):
    """A view that changes many rows: its address names none."""

    def put(self, request):
        raise NotImplementedError


class LooksUp(views.APIView):
    authentication_classes: list[Any] = []
    renderer_classes = [renderers.BrowsableAPIRenderer]

    def get_object(self, pk):
        raise NotImplementedError

    def put(self, request, pk):
        raise NotImplementedError


class Silent(Snippets):
    metadata_class = None


urlpatterns = [
    path("snippets/", Snippets.as_view()),
    path("snippets/<int:pk>/", Detail.as_view()),
    path("json-only/", JSONOnly.as_view()),
    path("later/<int:pk>/", Later.as_view({"get": "retrieve", "put": "update"})),
    path("silent/", Silent.as_view()),
    path("quiet/", Quietly.as_view()),
    path("forms-of-another/", FormsOfAnother.as_view()),
    path("bulk/", Bulk.as_view()),
    path("looks-up/<int:pk>/", LooksUp.as_view()),
]
pytestmark = [pytest.mark.urls(__name__), pytest.mark.django_db]


@pytest.fixture(autouse=True)
def everything_is_allowed():
    requests.clear()
    allowed.clear()
    allowed.update(["GET", "OPTIONS", "POST", "PUT", "PATCH", "PUT object", "PATCH object"])
    allowed.add("GET object")


def make_tags(number):
    """As many rows as wanted, in one statement."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO contract_project_tag (id, name) WITH RECURSIVE numbers(n) AS (SELECT 1 "
            "UNION ALL SELECT n + 1 FROM numbers WHERE n < %s) SELECT n, 'tag ' || n FROM numbers",
            [number],
        )


def response_to(address="/snippets/", headers=None, **asked):
    client = APIClient(HTTP_ACCEPT="text/html")
    asked = {"method": "POST", **asked}
    return client.options(address, headers={"Lintel-Choices": urlencode(asked), **(headers or {})})


def rows_of(*args, **asked):
    """The rows that are found, as (value, text); None where there was no search."""
    response = response_to(*args, **asked)
    text = response.content.decode()
    if "found-choices" not in text:
        assert response.status_code in (200, 403, 404, 405, 429)
        return None
    assert response["Content-Type"].startswith("text/html")
    assert "<form" not in text
    return re.findall(r'<li data-value="([^"]*)">(.*)</li>', text)


def test_a_page_is_one_query_with_a_limit():
    make_tags(ROWS)
    with CaptureQueriesContext(connection) as queries:
        response = response_to(field="tags", search="tag 999", page="1")
    assert [each["sql"].endswith("LIMIT 21 OFFSET 20") for each in queries] == [True]
    found = re.findall(r'data-value="(\d+)"', response.content.decode())
    assert len(found) == 20
    assert all("999" in value for value in found)
    assert 'data-following="2"' in response.content.decode()
    assert rows_of(field="tags", search="99999") == [("99999", "tag 99999")]
    assert len(rows_of(field="tags")) == 20


def test_the_page_of_a_form_reads_no_more_than_a_select_may_list():
    make_tags(ROWS)
    client = APIClient(HTTP_ACCEPT="text/html")
    with CaptureQueriesContext(connection) as queries:
        text = client.get("/snippets/").content.decode()
    about_tags = [each["sql"] for each in queries if 'FROM "contract_project_tag"' in each["sql"]]
    assert about_tags
    assert all("LIMIT" in sql for sql in about_tags)
    form = text[text.index('id="post"') :]
    assert re.search(r'<input name="tag"[^>]*data-choices="tag"', form)
    assert re.search(r'<input name="line.tag"[^>]*data-choices="line.tag"', form)
    assert re.search(r'<select[^>]*name="tags" multiple[^>]*data-choices="tags"', form)
    assert 'data-choices="listed"' not in form
    assert "data-choices" not in client.get("/silent/").content.decode()


def test_the_present_row_is_named_beside_its_key():
    make_tags(10)
    serializer = SnippetSerializer(context={"view": Snippets()})
    serializer.fields["tag"] = relations.PrimaryKeyRelatedField(
        queryset=Tag.objects.all(), html_cutoff=5
    )
    serializer.initial_data = {"tag": "8"}
    serializer.is_valid()
    html = renderers.HTMLFormRenderer().render(serializer.data)
    assert re.search(r'<input name="tag"[^>]*data-text="tag 8"[^>]*value="8"', html)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_who_is_not_given_the_form_is_given_no_rows(method):
    make_tags(10)
    owner = User.objects.create(username="owner")
    snippet = Snippet.objects.create(title="a", code="", owner=owner)
    address = "/snippets/" if method == "POST" else f"/snippets/{snippet.pk}/"
    names = [method, f"{method} object", "OPTIONS"] if method != "POST" else [method, "OPTIONS"]
    every = {"GET", "GET object", "POST", "PUT", "PATCH", "PUT object", "PATCH object"} - {*names}
    for some in itertools.product([False, True], repeat=len(names)):
        allowed.clear()
        allowed.update(every, itertools.compress(names, some))
        found = rows_of(address, method=method, field="tags")
        assert (found is not None) == all(some), some
    assert rows_of("/snippets/999/", method="PUT", field="tags") is None
    allowed.add("throttled")
    assert method != "POST" or rows_of(method=method, field="tags") is None


def test_nobody_learns_what_fields_there_are():
    """Whatever is asked about, those who may not write get the same page."""
    make_tags(10)
    allowed.discard("POST")
    pages = {
        re.sub(r"csrf-token=\S+|csrfmiddlewaretoken\S+ value=\S+", "", page.content.decode())
        for page in (
            response_to(field=field) for field in ("tags", "title", "line.tag", "none", "", "a.b")
        )
    }
    assert len(pages) == 1


@pytest.mark.parametrize(
    "field",
    ["title", "none", "", ".", "line", "lines", "tags.name", "listed", "shown", "tags[0]x", "id"],
)
def test_other_fields_are_not_searched(field):
    make_tags(10)
    assert rows_of(field=field) is None


@pytest.mark.parametrize("method", ["GET", "DELETE", "OPTIONS", "post", "", "PUT"])
def test_only_forms_that_there_are_have_fields(method):
    make_tags(1)
    assert rows_of(method=method, field="tags") is None


def test_async_views_are_asked_in_their_own_way():
    make_tags(3)
    owner = User.objects.create(username="owner")
    address = f"/later/{Snippet.objects.create(code='', owner=owner).pk}/"
    assert len(rows_of(address, method="PUT", field="tags")) == 3
    allowed.discard("PUT object")
    assert rows_of(address, method="PUT", field="tags") is None


def test_without_a_parser_for_forms_or_metadata_there_is_no_search():
    make_tags(1)
    assert rows_of("/json-only/", field="tags") is None
    assert rows_of("/silent/", field="tags") is None
    assert rows_of(field="tags")


@pytest.mark.parametrize("field", ["typed", "hidden", "typed_ones"])
def test_what_a_form_lists_no_rows_of_cannot_be_searched(field):
    make_tags(3)
    assert rows_of("/quiet/", field=field) is None


def test_forms_of_a_project_decide_what_is_searched():
    make_tags(8)
    address = "/forms-of-another/?kind="
    assert rows_of(f"{address}without", field="tags") is None
    assert rows_of(f"{address}own", field="tag") is None
    assert len(rows_of(f"{address}own", field="tags")) == 8


def test_pages_of_a_project_decide_what_is_searched():
    make_tags(8)
    address = "/forms-of-another/?kind=context&shown="
    assert rows_of(f"{address}none", field="tags") is None
    assert rows_of(address, field="tags") is None
    assert len(rows_of(f"{address}all", field="tags")) == 8
    assert len(rows_of(f"{address}all", field="lines[2].tag")) == 8


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("address", ["/bulk/", "/looks-up/1/"])
def test_addresses_that_name_no_row_have_no_search_to_change_one(address, method):
    make_tags(3)
    assert rows_of(address, method=method, field="tags") is None


def test_rows_that_no_filter_can_narrow_are_told_apart_by_their_text():
    make_tags(3)
    Snippet.objects.create(code="", owner=User.objects.create(username="anna"))
    assert [text for _value, text in rows_of("/quiet/", field="two", search="tag 2")] == ["tag 2"]
    assert rows_of("/quiet/", field="owned", search="nobody") == []
    assert len(rows_of("/quiet/", field="owned")) == 1


def test_nested_fields_are_searched():
    make_tags(10)
    assert rows_of(field="line.tag", search="tag 7") == [("7", "tag 7")]
    assert rows_of(field="lines[3].tag", search="tag 7") == [("7", "tag 7")]
    assert rows_of(field="lines.tag", search="tag 7") == [("7", "tag 7")]


def test_rows_are_those_that_the_field_accepts():
    for name in ("mine 1", "mine 2", "other"):
        Tag.objects.create(name=name)
    found = rows_of("/snippets/", {"Own": "mine"}, field="tag")
    assert [text for _value, text in found] == ["mine 1", "mine 2"]
    assert rows_of("/snippets/", {"Own": "mine"}, field="tag", search="other") == []


def test_what_no_text_shows_cannot_be_searched():
    user = User.objects.create(
        username="anna", email="anna@secret.example", password="md5$hash", last_name="Nobody"
    )
    Tag.objects.create(name="b")
    for words in ("secret", "md5", "hash", "Nobody", "anna@"):
        assert rows_of(field="owner", search=words) == []
    assert rows_of(field="owner", search="ANN") == [(str(user.pk), "anna")]
    assert rows_of(field="mails", search="secret.example") == [(str(user.pk), "anna")]


def test_keys_and_slugs_are_found():
    make_tags(30)
    assert ("7", "tag 7") in rows_of(field="tags", search="7")
    assert rows_of(field="tags", search="9" * 30) == []
    assert rows_of(field="name", search="g 29") == [("tag 29", "tag 29")]


@pytest.mark.parametrize(
    "asked",
    [
        *({"search": "\0"}, {"search": "%_"}, {"search": "a " * 5000}, {"search": "\ud800"}),
        *({"page": "-1"}, {"page": "x"}, {"page": "9" * 40}, {"page": "٣"}, {"page": "400"}),
    ],
)
def test_any_question_has_an_answer(asked):
    make_tags(3)
    asked = {name: text.encode("utf-8", "surrogatepass") for name, text in asked.items()}
    assert rows_of(field="tags", **asked) is not None


def test_texts_are_escaped():
    Tag.objects.create(name="<b>&")
    assert rows_of(field="tags")[0][1] == "&lt;b&gt;&amp;"


def test_a_search_counts_as_a_request():
    make_tags(1)
    assert rows_of(field="tags")
    assert requests == ["OPTIONS"]
