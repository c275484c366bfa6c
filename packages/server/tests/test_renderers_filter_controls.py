"""The controls of filters: each preserves the others' values, and none loads a whole table."""

import re

import pytest
from contract_project.models import Snippet, Tag
from django.db import connection
from django.http import Http404
from django.test.utils import CaptureQueriesContext
from django.urls import path
from django_filters import FilterSet, ModelChoiceFilter, ModelMultipleChoiceFilter
from django_filters.rest_framework import DjangoFilterBackend

from lintel import filters, generics, pagination, renderers, serializers
from lintel.exceptions import ValidationError
from lintel.test import APIClient, APIRequestFactory


class Pages(pagination.PageNumberPagination):
    page_size = 2
    page_size_query_param = "size"


class SnippetSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ["id", "title"]


class Choices(FilterSet):
    tag = ModelChoiceFilter(field_name="tags", queryset=Tag.objects.order_by("pk"))
    tags = ModelMultipleChoiceFilter(queryset=Tag.objects.order_by("pk"))

    class Meta:
        model = Snippet
        fields = ["linenos"]


class Snippets(generics.ListCreateAPIView):
    queryset = Snippet.objects.order_by("id")
    serializer_class = SnippetSerializer
    pagination_class = Pages
    renderer_classes = [renderers.BrowsableAPIRenderer, renderers.JSONRenderer]
    filter_backends = [filters.SearchFilter, filters.OrderingFilter, DjangoFilterBackend]
    filterset_class = Choices
    search_fields = ["title"]
    ordering_fields = ["title"]
    permission_classes = []


urlpatterns = [path("snippets/", Snippets.as_view())]
pytestmark = [pytest.mark.urls(__name__), pytest.mark.django_db]


@pytest.fixture(autouse=True)
def templates_of_django_filter(settings):
    settings.INSTALLED_APPS = [*settings.INSTALLED_APPS, "django_filters"]


def make_tags(number):
    """As many rows as wanted, in one statement."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO contract_project_tag (id, name) WITH RECURSIVE numbers(n) AS (SELECT 1 "
            "UNION ALL SELECT n + 1 FROM numbers WHERE n < %s) SELECT n, 'tag ' || n FROM numbers",
            [number],
        )


def forms(query=""):
    """The filters of the page: of each form, its inputs by name."""
    text = APIClient().get(f"/snippets/{query}", HTTP_ACCEPT="text/html").content.decode()
    filters = text[text.index('class="list-tools"') : text.index('class="panel response"')]
    return filters, [
        re.findall(r'name="(\w+)"[^>]*?(?: value="([^"]*)")?[ >]', form)
        for form in re.findall(r"<form.*?</form>", filters, re.DOTALL)
    ]


def test_a_search_keeps_filters_and_ordering_and_begins_at_the_first_page():
    _text, (search, order, choices) = forms(
        "?linenos=true&ordering=-title&search=a%22b&page=1&size=1"
    )
    assert dict(search) == {
        "linenos": "true",
        "ordering": "-title",
        "size": "1",
        "search": "a&quot;b",
    }
    assert ("search", "a&quot;b") in order
    kept = [pair for pair in choices if pair[0] in ("search", "ordering", "size", "page")]
    assert kept == [("ordering", "-title"), ("search", "a&quot;b"), ("size", "1")]


def test_another_order_begins_at_the_first_page():
    _text, (_search, order, _choices) = forms("?search=a%26b&page=1&size=1")
    assert order == [("search", "a&amp;b"), ("size", "1"), ("ordering", "")]


def test_filters_are_unfolded_where_they_are_in_use():
    for query, is_open in (
        ("", False),
        ("?search=a&ordering=title", False),
        ("?linenos=true", True),
        ("?linenos=", False),
    ):
        text, _ = forms(query)
        assert ('<details class="panel filter-panel" open>' in text) is is_open


def test_a_control_of_links_is_unfolded_with_any_query(monkeypatch):
    class Links(filters.BaseFilterBackend):
        def filter_queryset(self, request, queryset, view):
            return queryset

        def to_html(self, request, queryset, view):
            return '<a href="?kind=1">One</a>'

    monkeypatch.setattr(Snippets, "filter_backends", [Links])
    for query in ("", "?kind=1"):
        text = APIClient().get(f"/snippets/{query}", HTTP_ACCEPT="text/html").content.decode()
        assert ('<details class="panel filter-panel" open>' in text) is bool(query)
        assert "list-tools" not in text
        assert text.count(">Clear</a>") == bool(query)


def test_filters_can_be_cleared():
    assert "Clear" not in forms("?page=1&size=1")[0]
    text, _ = forms("?page=1&size=1&format=api&search=a&linenos=true")
    assert re.findall(r'class="button clear" href="([^"]*)"', text) == [
        "/snippets/?size=1&amp;format=api"
    ]


def test_a_table_of_many_rows_is_not_loaded_for_a_filter(settings):
    settings.REST_FRAMEWORK = {"HTML_SELECT_CUTOFF": 100}
    make_tags(100_000)
    with CaptureQueriesContext(connection) as queries:
        text, _ = forms("?tag=99999")
    about_tags = [each["sql"] for each in queries if 'FROM "contract_project_tag"' in each["sql"]]
    assert about_tags
    assert all("LIMIT" in sql for sql in about_tags)
    assert re.search('name="tag" value="99999"', text)
    assert text.count("<option") < 110


def test_a_choice_of_several_lists_the_first_rows_and_what_is_chosen(settings):
    settings.REST_FRAMEWORK = {"HTML_SELECT_CUTOFF": 2}
    tags = [Tag.objects.create(name=f"tag-{n}") for n in range(4)]
    text, _ = forms(f"?tags={tags[3].pk}")
    options = re.findall(r"<option value=\"(\d+)\"( selected)?", text.partition('name="tags"')[2])
    assert options == [
        (str(tags[0].pk), ""),
        (str(tags[1].pk), ""),
        (str(tags[3].pk), " selected"),
    ]
    settings.REST_FRAMEWORK = {"HTML_SELECT_CUTOFF": None}
    assert forms()[0].partition('name="tags"')[2].count("tag-") == 4


# ---- lists that were refused ----


class Values(Snippets):
    filter_backends = [filters.FieldFilter, filters.OrderingFilter]
    filter_fields = ["rating__gte"]


class Failing(filters.BaseFilterBackend):
    def filter_queryset(self, request, queryset, view):
        raise ValidationError({"kind": ["No such kind."]})

    def to_html(self, request, queryset, view):
        raise KeyError("kind")


class Values404(Values):
    def get_queryset(self):
        raise Http404


def answer(view, query="", method="get", data=None):
    request = getattr(APIRequestFactory(), method)(f"/?{query}", data, HTTP_ACCEPT="text/html")
    shown = view.as_view()(request).render()
    return shown.status_code, shown.content.decode()


def test_a_refused_filter_can_be_corrected():
    status, text = answer(Values, "rating__gte=few&ordering=title")
    assert status == 400
    assert 'name="rating__gte" value="few"' in text
    assert '<details class="panel filter-panel" open>' in text
    assert ">Clear</a>" in text


def test_pages_without_a_list_have_no_filters():
    assert "filter-panel" not in answer(Values404)[1]
    assert "filter-panel" not in answer(Values, method="post", data={"title": "a" * 101})[1]


def test_a_filter_that_cannot_show_what_it_refuses_breaks_no_page():
    view = type("Refusing", (Values,), {"filter_backends": [Failing]})
    status, text = answer(view, "kind=x")
    assert status == 400
    assert "No such kind." in text
    assert "filter-panel" not in text
