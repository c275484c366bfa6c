"""Pages for editors: where they redirect after a change, and what their tables show."""

import re
from html import unescape
from typing import Any

import pytest
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.db.models import F
from django.urls import include, path

from lintel import renderers, serializers, viewsets
from lintel.exceptions import ValidationError
from lintel.filters import OrderingFilter, SearchFilter
from lintel.pagination import PageNumberPagination
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.test import APIClient
from lintel.views import APIView

ELSEWHERE = "https://elsewhere.example/1"


class BookmarkSerializer(serializers.ModelSerializer):
    url = serializers.CharField(source="name")

    class Meta:
        model = Tag
        fields = ["id", "url"]


class LinkedSerializer(serializers.HyperlinkedModelSerializer):
    class Meta:
        model = Tag
        fields = ["url", "name"]
        extra_kwargs = {"url": {"view_name": "linked-detail"}}


class Bookmarks(viewsets.ModelViewSet):
    queryset = Tag.objects.order_by("id")
    serializer_class = BookmarkSerializer
    renderer_classes = [renderers.AdminRenderer, renderers.JSONRenderer]
    permission_classes: list[Any] = []
    authentication_classes: list[Any] = []


class Linked(Bookmarks):
    serializer_class = LinkedSerializer


class Made(APIView):
    renderer_classes = [renderers.AdminRenderer]
    permission_classes: list[Any] = []

    def post(self, request):
        return Response({"url": "x"}, status=201, headers={"Location": ELSEWHERE})

    def put(self, request):
        return Response(status=204)


router = SimpleRouter()
router.register("bookmarks", Bookmarks, "bookmark")
router.register("linked", Linked, "linked")
urlpatterns = [path("", include(router.urls)), path("made", Made.as_view())]
pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


@pytest.fixture
def browser():
    return APIClient(HTTP_ACCEPT="text/html")


def test_after_a_create_the_browser_goes_to_the_row_without_a_body(browser):
    response = browser.post("/linked/", {"name": "red"})
    pk = Tag.objects.get().pk
    assert (response.status_code, response.content) == (303, b"")
    assert response["Location"] == f"http://testserver/linked/{pk}/"


def test_a_url_of_the_client_leads_nowhere(browser):
    response = browser.post("/bookmarks/", {"url": ELSEWHERE})
    pk = Tag.objects.get().pk
    assert (response.status_code, response["Location"]) == (
        303,
        f"http://testserver/bookmarks/{pk}/",
    )


def test_a_location_of_the_view_is_followed(browser):
    response = browser.post("/made")
    assert (response.status_code, response["Location"]) == (303, ELSEWHERE)


def test_after_a_delete_the_browser_goes_up_without_a_body(browser):
    tag = Tag.objects.create(name="red")
    response = browser.delete(f"/bookmarks/{tag.pk}/")
    assert (response.status_code, response["Location"], response.content) == (
        303,
        "/bookmarks/",
        b"",
    )
    assert browser.put("/made?a=1")["Location"] == "/made?a=1"


def test_a_url_of_a_row_is_a_value_like_the_rest(browser):
    tag = Tag.objects.create(name=ELSEWHERE)
    text = browser.get("/bookmarks/").content.decode()
    assert f'<td><a href="{ELSEWHERE}">{ELSEWHERE}</a></td>' in text
    assert f'<a class="opener" href="http://testserver/bookmarks/{tag.pk}/">{tag.pk}</a>' in text
    assert f'<a href="{ELSEWHERE}">' in browser.get(f"/bookmarks/{tag.pk}/").content.decode()


def test_an_address_of_a_row_is_the_link_to_it(browser):
    tag = Tag.objects.create(name="red")
    text = browser.get("/linked/").content.decode()
    assert f'<a class="opener" href="http://testserver/linked/{tag.pk}/">red</a>' in text
    assert '<th scope="col">Url</th>' not in text


def test_results_have_an_address_unless_they_bring_one(rf):
    renderer, view = renderers.AdminRenderer(), Bookmarks()
    view.basename, view.request = "bookmark", None
    assert renderer.get_result_url({"pk": 4}, view) == "/bookmarks/4/"
    assert renderer.get_result_url({}, view) is None
    assert renderer.get_result_url({"url": "x"}, Made()) is None


def test_a_refused_form_stands_alone(browser):
    Tag.objects.create(name="already there")
    for method, title in (("post", "Create"), ("put", "Edit"), ("patch", "Edit")):
        address = "/bookmarks/" if method == "post" else f"/bookmarks/{Tag.objects.get().pk}/"
        response = getattr(browser, method)(address, {"url": ""})
        text = response.content.decode()
        assert response.status_code == 400
        assert f"<h2>{title}</h2>" in text
        assert "This field may not be blank." in text
        assert "<table" not in text
        assert "already there" not in text


# ---- tables: columns that order rows, and cells that open them ----


class SnippetSerializer(serializers.ModelSerializer):
    owner_name = serializers.CharField(source="owner.username", read_only=True, label="Owner")
    shouted = serializers.SerializerMethodField()

    class Meta:
        model = Snippet
        fields = ["id", "title", "owner_name", "shouted"]

    def get_shouted(self, snippet):
        return snippet.title.upper()


class Two(PageNumberPagination):
    page_size = 2


class Snippets(Bookmarks):
    queryset = Snippet.objects.select_related("owner").order_by("id")
    serializer_class = SnippetSerializer
    pagination_class = Two
    filter_backends = [SearchFilter, OrderingFilter]
    search_fields = ["title"]
    ordering_fields = ["title", "owner__username", "shouted"]


class ByName(Snippets):
    """Orders by names of its own."""

    filter_backends = [type("By", (OrderingFilter,), {"ordering_param": "by"})]


class Renamed(OrderingFilter):
    """Known to clients by other names than in the database."""

    def get_ordering(self, request, queryset, view):
        return [{"title": "-code"}.get(name, name) for name in ("title",)]


class ByOtherNames(Snippets):
    filter_backends = [Renamed]


class Refusing(OrderingFilter):
    """Refuses an order that it does not know."""

    def remove_invalid_fields(self, queryset, fields, view, request):
        names = super().remove_invalid_fields(queryset, fields, view, request)
        if len(names) < len(list(fields)):
            raise ValidationError("unknown order")
        return names


class OfExpressions(OrderingFilter):
    def get_ordering(self, request, queryset, view):
        return F("title").desc()

    def filter_queryset(self, request, queryset, view):
        return queryset.order_by(self.get_ordering(request, queryset, view))

    def to_html(self, request, queryset, view):
        return ""


class ByRefusing(Snippets):
    filter_backends = [Refusing]


class ByExpressions(Snippets):
    filter_backends = [OfExpressions]


class WithoutQueryset(APIView):
    renderer_classes = [renderers.AdminRenderer]
    permission_classes: list[Any] = []
    filter_backends = [OrderingFilter]
    ordering_fields = ["title"]

    def get(self, request):
        return Response(SnippetSerializer(Snippet.objects.order_by("title"), many=True).data)


class Unordered(Snippets):
    filter_backends: list[Any] = []


class Asked(Bookmarks):
    """Counts how often its rows are asked for."""

    queryset = None
    asked = 0

    def get_queryset(self):
        type(self).asked += 1
        return Tag.objects.order_by("id")


class OwnWaySerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag

    def to_representation(self, instance):
        return {"said": instance.name}


class OwnWay(Bookmarks):
    serializer_class = OwnWaySerializer
    http_method_names = ["get"]


class Words(APIView):
    renderer_classes = [renderers.AdminRenderer]
    permission_classes: list[Any] = []

    def get(self, request):
        return Response([{"a": "x"}, {"b": "<y>"}, "z", {}, None])


router.register("snippets", Snippets, "snippet")
router.register("by-name", ByName, "by-name")
router.register("renamed", ByOtherNames, "renamed")
router.register("refusing", ByRefusing, "refusing")
router.register("expressions", ByExpressions, "expressions")
router.register("own-way", OwnWay, "own-way")
router.register("asked", Asked, "asked")
router.register("unordered", Unordered, "unordered")
urlpatterns += [path("", include(router.urls)), path("words", Words.as_view())]
urlpatterns += [path("without-queryset/", WithoutQueryset.as_view())]


@pytest.fixture
def snippets():
    owner = User.objects.create(username="ada")
    return [Snippet.objects.create(title=title, owner=owner) for title in ("b", "a", "c")]


def headers(text):
    """Of each column: its words, the address of its order, and the direction."""
    found = re.findall(r'<th scope="col"( aria-sort="\w+")?>(.*?)</th>', text)
    split = [re.fullmatch(r'(?:<a [^>]*href="([^"]*)"[^>]*>)?(.*?)(?:</a>)?', h) for _, h in found]
    return {
        match[2]: (match[1] and unescape(match[1]), direction[12:-1] or None)
        for (direction, _), match in zip(found, split, strict=True)
    }


def rows(text):
    body = text[text.index("<tbody>") : text.index("</tbody>")]
    return [
        re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", body, re.S)
    ]


def test_columns_order_the_list_by_the_names_of_the_filter(browser, snippets):
    text = browser.get("/snippets/?page=1&x=%22%3E%26").content.decode()
    kept = "?x=%22%3E%26&ordering="
    assert headers(text) == {
        "ID": (None, None),
        "Title": (f"{kept}title", None),
        "Owner": (f"{kept}owner__username", None),
        "Shouted": (None, None),
    }


def test_a_column_says_its_direction_and_leads_to_the_other(browser, snippets):
    for query, direction, following, first in (
        ("?ordering=title", "ascending", "-title", "a"),
        ("?ordering=-title", "descending", "title", "c"),
        ("?ordering=-title,id", "descending", "title", "c"),
        ("?ordering=nothing", None, "title", "b"),
    ):
        text = browser.get(f"/snippets/{query}").content.decode()
        assert headers(text)["Title"] == (f"?ordering={following}", direction)
        assert headers(text)["Owner"] == ("?ordering=owner__username", None)
        assert f">{first}</a>" in rows(text)[0][1]


def test_columns_follow_the_parameter_of_the_filter_and_the_order_of_the_view(
    browser, snippets, monkeypatch
):
    monkeypatch.setattr(ByName, "ordering", "-title", raising=False)
    text = browser.get("/by-name/").content.decode()
    assert headers(text)["Title"] == ("?by=title", "descending")
    monkeypatch.setattr(ByName, "ordering", [F("title").desc()])
    assert headers(browser.get("/by-name/").content.decode())["Title"] == ("?by=title", None)


def test_an_order_of_another_name_in_the_database_is_that_of_the_query(browser, snippets):
    text = browser.get("/renamed/?ordering=title").content.decode()
    assert headers(text)["Title"] == ("?ordering=-title", "ascending")
    assert headers(browser.get("/renamed/").content.decode())["Title"][1] is None


ODD = [
    "",
    "-",
    ",",
    "--title",
    "title,,-title",
    "%00",
    "%ED%A0%80",
    "title%00",
    "a" * 9000,
    "?",
    "__",
]


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("name", ["ordering", "search", "page", "x", "format"])
def test_odd_queries_break_no_page(browser, snippets, name, value):
    for address in ("/snippets/", "/unordered/", f"/snippets/{snippets[0].pk}/"):
        response = browser.get(f"{address}?{name}={value}&{name}=1")
        assert response.status_code in (200, 400, 404)


def test_without_a_filter_that_orders_columns_are_words(browser, snippets):
    found = headers(browser.get("/unordered/").content.decode())
    assert found == dict.fromkeys(["ID", "Title", "Owner", "Shouted"], (None, None))


@pytest.mark.parametrize("name", ["refusing", "expressions", "without-queryset"])
def test_where_columns_have_no_known_order_they_are_words(browser, snippets, name):
    response = browser.get(f"/{name}/")
    assert response.status_code == 200
    assert headers(response.content.decode())["Title"] == (None, None)


def test_the_first_text_of_a_row_opens_it(browser, snippets):
    text = browser.get("/snippets/").content.decode()
    pk = snippets[0].pk
    link = f'<a class="opener" href="http://testserver/snippets/{pk}/">b</a>'
    assert rows(text)[0] == [str(pk), link, "ada", "B"]
    assert "Open" not in text


def test_a_row_without_a_text_for_each_has_its_number_open_it(browser, snippets):
    Snippet.objects.update(title="")
    text = browser.get("/unordered/").content.decode()
    pk = snippets[0].pk
    assert rows(text)[0][0] == str(pk)
    assert '<a class="opener"' in rows(text)[0][2]
    for odd in ("http://a.example", "/a", "a@b.example", " ", "a\nb", "a" * 201):
        User.objects.update(username=odd)
        text = browser.get("/unordered/").content.decode()
        assert f'<a class="opener" href="http://testserver/unordered/{pk}/">{pk}</a>' in text


def test_rows_of_links_have_a_column_that_opens_them(browser):
    tag = Tag.objects.create(name="a@b.example")
    text = browser.get("/linked/").content.decode()
    assert '<th scope="col"><span class="visually-hidden">Open</span></th>' in text
    link = f'<a class="opener" href="http://testserver/linked/{tag.pk}/">Open</a>'
    assert rows(text)[0] == [link, '<a href="mailto:a@b.example">a@b.example</a>']


def test_rows_of_several_kinds_share_a_table(browser):
    text = browser.get("/words").content.decode()
    assert list(headers(text)) == ["A", "B"]
    assert rows(text) == [["x", ""], ["", "&lt;y&gt;"], ["z"], ["", ""], ["<code>null</code>"]]


@pytest.mark.parametrize("address", ["/own-way/", "/own-way/1/"])
def test_serializers_that_write_rows_in_their_own_way_need_no_fields(browser, address):
    Tag.objects.create(id=1, name="red")
    response = browser.get(address)
    assert response.status_code == 200
    assert "red" in response.content.decode()


@pytest.mark.parametrize(("address", "most"), [("/asked/", 3), ("/asked/1/", 2)])
def test_a_page_asks_the_project_for_its_rows_as_often_whatever_it_shows(
    browser, monkeypatch, address, most
):
    Tag.objects.bulk_create(Tag(id=number, name=f"{number}") for number in range(1, 9))
    monkeypatch.setattr(Asked, "asked", 0)
    assert browser.get(address).status_code == 200
    assert Asked.asked <= most


def test_an_empty_list_says_so(browser):
    text = browser.get("/snippets/?search=nothing").content.decode()
    assert '<p class="nothing">No results.</p>' in text
    assert 'value="nothing"' in text


def test_an_object_is_a_table_of_labels(browser, snippets):
    text = browser.get(f"/snippets/{snippets[0].pk}/").content.decode()
    found = re.findall(r'<th scope="row">(.*?)</th><td>(.*?)</td>', text)
    pk = str(snippets[0].pk)
    assert found == [("ID", pk), ("Title", "b"), ("Owner", "ada"), ("Shouted", "B")]
