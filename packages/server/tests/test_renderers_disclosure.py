"""Pages show nothing that their reader could not fetch with a request."""

import asyncio
import html
import itertools
import json
import re
from typing import Any

import pytest
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.http import Http404
from django.test import AsyncClient
from django.urls import include, path

from lintel import generics, permissions, renderers, serializers, throttling, viewsets
from lintel.decorators import action
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.test import APIClient
from lintel.views import APIView

STORED = "stored-words"
PAGES = [renderers.BrowsableAPIRenderer, renderers.AdminRenderer]
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]

allowed: dict[str, Any] = {"view": set(), "object": set()}
calls: list[str] = []
asked: list[str] = []


class Chosen(permissions.BasePermission):
    def has_permission(self, request, view):
        return request.method in allowed["view"]

    def has_object_permission(self, request, view, obj):
        assert isinstance(obj, Snippet), "asked about the wrong object"
        return request.method in allowed["object"]


class NoReading(throttling.BaseThrottle):
    def allow_request(self, request, view):
        asked.append(request.method)
        return not (allowed.get("throttled") and request.method == "GET")

    def wait(self):
        return None


class SnippetSerializer(serializers.ModelSerializer):
    kind = serializers.ChoiceField(choices=["a", "b"], write_only=True, required=False)
    owner = serializers.HiddenField(default=None)

    class Meta:
        model = Snippet
        fields = ["id", "title", "code", "kind", "owner"]

    def create(self, values):
        return Snippet(id=77, title=values["title"], code="")

    def update(self, instance, values):
        return instance


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class Snippets(viewsets.ModelViewSet):
    queryset = Snippet.objects.order_by("id")
    serializer_class = SnippetSerializer
    permission_classes = [Chosen]
    throttle_classes = [NoReading]
    authentication_classes: list[Any] = []

    def list(self, request, *args, **kwargs):
        calls.append("list")
        return super().list(request, *args, **kwargs)

    def retrieve(self, request, *args, **kwargs):
        calls.append("retrieve")
        return super().retrieve(request, *args, **kwargs)

    def create(self, request, *args, **kwargs):
        calls.append("create")
        return super().create(request, *args, **kwargs)

    def update(self, request, *args, **kwargs):
        calls.append("update")
        return super().update(request, *args, **kwargs)

    def perform_destroy(self, instance):
        calls.append("destroy")

    @action(detail=True, methods=["post"])
    def publish(self, request, pk=None):
        return Response({})

    @action(detail=True, permission_classes=[permissions.IsAdminUser])
    def audit(self, request, pk=None):
        return Response({})

    @action(detail=True, methods=["get", "put"])
    def first_tag(self, request, pk=None):
        return Response(TagSerializer(Tag.objects.first()).data)

    @action(detail=True, methods=["get", "put"])
    def other(self, request, pk=None):
        return Response(SnippetSerializer(Snippet.objects.exclude(pk=pk).first()).data)


class Summary:
    """Data that no permission of the view knows."""

    title = "short"


class SummarySerializer(serializers.Serializer):
    title = serializers.CharField()


class Owned(permissions.BasePermission):
    def has_object_permission(self, request, view, obj):
        return obj.owner is not None


class Summaries(generics.GenericAPIView):
    serializer_class = SummarySerializer
    permission_classes = [Owned]

    def get(self, request):
        return Response(SummarySerializer(Summary()).data)

    put = get


class ManyTags(generics.CreateAPIView):
    serializer_class = TagSerializer
    permission_classes: list[Any] = []
    authentication_classes: list[Any] = []

    def get_serializer(self, *args, **kwargs):
        return super().get_serializer(*args, many=True, **kwargs)


class NoQueryset(generics.GenericAPIView):
    filter_backends = [type("Filter", (), {"to_html": lambda *args: "never"})]
    permission_classes: list[Any] = []

    def get(self, request):
        return Response([1, 2])


class Gone(NoQueryset):
    def get_queryset(self):
        raise Http404


class NoForm(APIView):
    renderer_classes = [renderers.HTMLFormRenderer]
    permission_classes: list[Any] = []

    def get(self, request):
        raise Http404("<b>")


class Shortened(serializers.ModelSerializer):
    code = serializers.SerializerMethodField()

    class Meta:
        model = Snippet
        fields = ["id", "code", "owner"]

    def get_code(self, snippet):
        return "****"


class Whole(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ["id", "title", "code", "created", "owner"]
        extra_kwargs = {"created": {"read_only": False}}


class Apart(generics.RetrieveUpdateAPIView):
    queryset = Snippet.objects.all()
    permission_classes: list[Any] = []
    authentication_classes: list[Any] = []

    def get_serializer_class(self):
        return Shortened if self.request.method == "GET" else Whole


class MayRead(permissions.BasePermission):
    async def has_permission(self, request, view):
        return request.method in ("GET", "DELETE", "OPTIONS")

    async def has_object_permission(self, request, view, obj):
        return request.method == "GET"


class AsyncSnippets(viewsets.AsyncModelViewSet):
    queryset = Snippet.objects.order_by("id")
    serializer_class = SnippetSerializer
    permission_classes = [MayRead]
    authentication_classes: list[Any] = []

    @action(detail=True, permission_classes=[permissions.IsAdminUser])
    async def audit(self, request, pk=None):
        return Response({})

    @action(detail=True)
    async def look(self, request, pk=None):
        return Response({})


router = SimpleRouter()
router.register("snippets", Snippets, "snippet")
router.register("async", AsyncSnippets, "async")
urlpatterns = [
    path("", include(router.urls)),
    path("apart/<int:pk>/", Apart.as_view()),
    path("summary/", Summaries.as_view()),
    path("many-tags/", ManyTags.as_view()),
    path("no-queryset/", NoQueryset.as_view()),
    path("gone/", Gone.as_view()),
    path("no-form/", NoForm.as_view()),
]

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


@pytest.fixture
def snippet():
    owner = User.objects.create(username="owner")
    Tag.objects.create(name="a-tag")
    Snippet.objects.create(title="another row", code="", owner=owner)
    return Snippet.objects.create(title=STORED, code=STORED, owner=owner)


@pytest.fixture(autouse=True)
def nobody_is_throttled(monkeypatch):
    monkeypatch.setitem(allowed, "throttled", False)


def allow(view: set[str], obj: set[str] | None = None) -> None:
    allowed["view"] = view | {"OPTIONS"}
    allowed["object"] = (view if obj is None else obj) | {"OPTIONS"}
    calls.clear()
    asked.clear()


def send(method: str, address: str, accept: str, body: Any = None) -> Any:
    client = APIClient(HTTP_ACCEPT=accept)
    return client.generic(method, address, body or "", content_type="application/json")


def html_of(renderer: Any, monkeypatch: Any, view: Any = Snippets) -> None:
    monkeypatch.setattr(view, "renderer_classes", [renderers.JSONRenderer, renderer])


GOOD, BAD, BROKEN = '{"title": "new", "code": "x"}', '{"title": "sent", "code": []}', "{"


@pytest.mark.parametrize("renderer", PAGES)
@pytest.mark.parametrize("throttled", [False, True])
@pytest.mark.parametrize("method", [*METHODS, "OPTIONS"])
def test_a_page_tells_no_more_than_requests_of_the_caller(
    renderer, throttled, method, snippet, monkeypatch
):
    html_of(renderer, monkeypatch)
    permitted = [set(some) for size in range(3) for some in itertools.combinations(METHODS, size)]
    address = f"/snippets/{snippet.pk}/"
    for methods, body in itertools.product(permitted, [GOOD, BAD, BROKEN]):
        for by_object in (False, True):
            allow(set(METHODS) if by_object else methods, methods)
            monkeypatch.setitem(allowed, "throttled", throttled)
            own = send(method, address, "application/json", body)
            fetched = send("GET", address, "application/json")
            calls.clear()
            asked.clear()
            page = send(method, address, "text/html", body)
            text = page.content.decode()
            place = (method, methods, body, by_object)
            assert page.status_code in (own.status_code, 200, 303), place
            assert len(calls) <= 1, place
            assert asked in ([], [method]), place
            if STORED in text:
                assert STORED in own.content.decode() + fetched.content.decode(), place
            offered = set(re.findall(r'data-method="(\w+)"', text)) - {"OPTIONS"}
            # OPTIONS looks no object up, so only the permissions of the view are known there.
            shows_a_row = method != "OPTIONS" and (
                own.status_code == 200 or (own.status_code == 400 and body == BAD)
            )
            if shows_a_row or not by_object:
                assert offered <= methods, place


@pytest.mark.parametrize("renderer", PAGES)
@pytest.mark.parametrize("throttled", [False, True])
@pytest.mark.parametrize("body", [GOOD, BAD, BROKEN])
def test_the_page_of_a_list_runs_one_handler(renderer, throttled, body, snippet, monkeypatch):
    html_of(renderer, monkeypatch)
    for methods in ({"POST"}, {"GET"}, {"GET", "POST"}, set()):
        for method in ("GET", "POST"):
            allow(methods)
            monkeypatch.setitem(allowed, "throttled", throttled)
            page = send(method, "/snippets/", "text/html", body)
            assert page.status_code != 500
            assert len(calls) <= 1
            assert asked in ([], [method])
            may_read = "GET" in methods and not throttled
            assert may_read or STORED not in page.content.decode()


def test_refused_changes_come_back_as_they_were_sent(snippet, monkeypatch):
    html_of(renderers.BrowsableAPIRenderer, monkeypatch)
    allow(set(METHODS))
    text = send("PUT", f"/snippets/{snippet.pk}/", "text/html", BAD).content.decode()
    assert "&quot;title&quot;: &quot;sent&quot;" in text
    assert STORED not in text
    text = send("GET", f"/snippets/{snippet.pk}/", "text/html").content.decode()
    assert f"&quot;code&quot;: &quot;{STORED}&quot;" in text


def test_whoever_may_put_but_not_get_starts_from_an_empty_form(snippet, monkeypatch):
    html_of(renderers.BrowsableAPIRenderer, monkeypatch)
    monkeypatch.setattr(Snippets, "perform_update", lambda self, serializer: serializer.save())
    allow({"PUT"})
    text = send("PUT", f"/snippets/{snippet.pk}/", "text/html", GOOD).content.decode()
    raw = re.search(r"<textarea[^>]*_content.*?</textarea>", text, re.S)
    assert raw is not None
    assert STORED not in raw[0]


def test_menus_name_what_the_caller_may_use(snippet, monkeypatch):
    html_of(renderers.BrowsableAPIRenderer, monkeypatch)
    address = f"/snippets/{snippet.pk}/"
    allow({"GET"})
    text = send("GET", address, "text/html").content.decode()
    assert "First tag" in text
    assert "Publish" not in text
    assert "Audit" not in text
    allow({"GET", "POST"})
    assert "Publish" in send("GET", address, "text/html").content.decode()
    allow({"GET", "POST"}, {"GET"})
    assert "Publish" not in send("GET", address, "text/html").content.decode()


def test_actions_whose_permissions_fail_are_not_named(snippet, monkeypatch):
    html_of(renderers.BrowsableAPIRenderer, monkeypatch)
    allow({"GET"})

    class Broken(permissions.BasePermission):
        def has_permission(self, request, view):
            raise KeyError("only there")

    monkeypatch.setitem(Snippets.first_tag.kwargs, "permission_classes", [Broken])
    text = send("GET", f"/snippets/{snippet.pk}/", "text/html").content.decode()
    assert "First tag" not in text
    assert "Other" in text


@pytest.mark.parametrize("renderer", PAGES)
@pytest.mark.parametrize("name", ["first_tag", "other"])
def test_data_of_another_object_is_no_object_of_the_view(renderer, name, snippet, monkeypatch):
    html_of(renderer, monkeypatch)
    allow({"GET", "PUT"})
    address = f"/snippets/{snippet.pk}/{name}/"
    assert send("GET", address, "application/json").status_code == 200
    page = send("GET", address, "text/html")
    assert page.status_code == 200
    inputs = re.findall(r'<input name="title"[^>]*>', page.content.decode(), re.S)
    assert all("another row" not in each for each in inputs)


def test_data_that_permissions_do_not_know_has_a_page(snippet):
    page = send("GET", "/summary/", "text/html")
    assert page.status_code == 200
    assert 'data-method="PUT"' not in page.content.decode()


def test_a_broken_permission_is_not_hidden(snippet, monkeypatch):
    html_of(renderers.BrowsableAPIRenderer, monkeypatch)
    allow({"GET", "PUT"})

    def fail(self, request, view, obj):
        if request.method == "PUT":
            raise KeyError("broken")
        return True

    monkeypatch.setattr(Chosen, "has_object_permission", fail)
    with pytest.raises(KeyError):
        send("GET", f"/snippets/{snippet.pk}/", "text/html")


def test_filters_need_rows():
    assert "never" not in send("GET", "/no-queryset/", "text/html").content.decode()
    assert send("GET", "/gone/", "text/html").status_code == 200


def test_an_error_has_no_form():
    response = send("GET", "/no-form/", "text/html")
    assert response.status_code == 404
    assert "<b>" not in response.content.decode()


def test_the_raw_form_of_a_list_starts_from_one_item():
    text = send("OPTIONS", "/many-tags/", "text/html").content.decode()
    raw = re.search(r"<textarea[^>]*_content[^>]*>(.*?)</textarea>", text, re.S)
    assert raw is not None
    assert json.loads(html.unescape(raw[1])) == [{"name": ""}]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("renderer", PAGES)
def test_pages_of_async_views_ask_async_permissions(renderer, snippet, monkeypatch):
    html_of(renderer, monkeypatch, AsyncSnippets)

    async def fetch():
        return await AsyncClient().get(f"/async/{snippet.pk}/", headers={"accept": "text/html"})

    text = asyncio.run(fetch()).content.decode()
    assert STORED in text
    assert "Look" in text
    assert "Audit" not in text
    assert set(re.findall(r'data-method="(\w+)"', text)) <= {"OPTIONS"}


@pytest.mark.parametrize("renderer", PAGES)
def test_forms_hold_no_more_than_the_response(renderer, snippet, monkeypatch):
    html_of(renderer, monkeypatch, Apart)
    text = send("GET", f"/apart/{snippet.pk}/", "text/html").content.decode()
    assert 'name="code"' in text
    assert STORED not in text
    assert str(snippet.created.year) not in text
    assert f'<option value="{snippet.owner_id}" selected>' in text


class Documents(list):
    """The rows of another library: their class has no options of Django."""

    model = Summary

    def all(self):
        return self


def test_a_page_shows_an_object_of_another_library(rf):
    class Show(generics.RetrieveAPIView):
        queryset = Documents()
        serializer_class = SummarySerializer
        renderer_classes = [renderers.JSONRenderer, *PAGES]
        permission_classes: list[Any] = []
        authentication_classes: list[Any] = []

        def get_object(self):
            return Summary()

    response = Show.as_view()(rf.get("/", HTTP_ACCEPT="text/html")).render()
    assert response.status_code == 200
    assert b"short" in response.content


@pytest.mark.django_db
def test_permissions_that_read_the_action_are_asked_for_each(snippet, monkeypatch):
    html_of(renderers.BrowsableAPIRenderer, monkeypatch)
    allow({"GET"})

    def by_action(self, request, view, obj):
        return view.action in ("retrieve", "other", "partial_update")

    monkeypatch.setattr(Chosen, "has_permission", lambda self, request, view: True)
    monkeypatch.setattr(Chosen, "has_object_permission", by_action)
    text = send("GET", f"/snippets/{snippet.pk}/", "text/html").content.decode()
    assert "Other" in text
    assert "First tag" not in text
    assert 'data-method="PATCH"' in text
    assert 'data-method="DELETE"' not in text
