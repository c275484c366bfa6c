"""Pages for editors: where they redirect after a change, and what their tables show."""

from typing import Any

import pytest
from contract_project.models import Tag
from django.urls import include, path

from lintel import renderers, serializers, viewsets
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
    assert f'<a href="http://testserver/bookmarks/{tag.pk}/">Open</a>' in text
    assert f'<a href="{ELSEWHERE}">' in browser.get(f"/bookmarks/{tag.pk}/").content.decode()


def test_an_address_of_a_row_is_the_link_to_it(browser):
    tag = Tag.objects.create(name="red")
    text = browser.get("/linked/").content.decode()
    assert f'<a href="http://testserver/linked/{tag.pk}/">Open</a>' in text
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
        assert "<table>" not in text
        assert "already there" not in text
