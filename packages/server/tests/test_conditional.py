"""Conditional requests: tags, 304, and writes without lost updates."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from contract_project.models import Snippet
from django.contrib.auth.models import User
from django.db import connection, connections
from django.db.models import Value
from django.db.models.functions import Concat
from django.test import RequestFactory, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import path
from django.utils.http import http_date
from django.utils.safestring import mark_safe
from servers import everything_in

from lintel import serializers
from lintel.authentication import BaseAuthentication
from lintel.conditional import ConditionalMixin
from lintel.decorators import action
from lintel.generics import (
    AsyncRetrieveUpdateDestroyAPIView,
    ListCreateAPIView,
    RetrieveUpdateDestroyAPIView,
)
from lintel.relations import Hyperlink
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.schemas.openapi import SchemaGenerator
from lintel.test import APIClient, APIRequestFactory, AsyncAPIClient
from lintel.viewsets import AsyncModelViewSet, ModelViewSet

MOMENT = datetime(2026, 1, 2, 3, 4, 5, 600000, UTC)


class SnippetSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ["id", "title", "code"]


class OtherSerializer(SnippetSerializer):
    extra = serializers.CharField(read_only=True, default="more")

    class Meta(SnippetSerializer.Meta):
        fields = [*SnippetSerializer.Meta.fields, "extra"]


class View(ConditionalMixin, RetrieveUpdateDestroyAPIView):
    queryset = Snippet.objects.all()
    serializer_class = SnippetSerializer


class ByField(View):
    etag_field = "style"
    last_modified_field = "created"


class ByMoment(View):
    last_modified_field = "created"


class Service:
    """A caller that is known, and is no row of a table."""

    is_authenticated = True
    pk = None


class ByHeader(BaseAuthentication):
    def authenticate(self, request: Any) -> Any:
        return Service(), request.META.get("HTTP_API_KEY")


class OfServices(ByField):
    authentication_classes = [ByHeader]


class Strict(View):
    require_preconditions = True


class Wrapped(View):
    """Shows its data in an envelope, by serializers that differ by method."""

    def get_serializer_class(self) -> Any:
        if self.request.method in ("PUT", "PATCH"):
            return OtherSerializer
        return SnippetSerializer

    def retrieve(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        return Response({"data": super().retrieve(request, *args, **kwargs).data})


class AsyncView(ConditionalMixin, AsyncRetrieveUpdateDestroyAPIView):
    queryset = Snippet.objects.all()
    serializer_class = SnippetSerializer


class AsyncByField(AsyncView):
    etag_field = "style"


class Lists(ConditionalMixin, ListCreateAPIView):
    queryset = Snippet.objects.all()
    serializer_class = SnippetSerializer


class Snippets(ConditionalMixin, ModelViewSet):
    queryset = Snippet.objects.all()
    serializer_class = SnippetSerializer
    require_preconditions = True

    @action(detail=True, methods=["get", "put"])
    def other(self, request: Any, pk: str) -> Response:
        return Response({"other": pk})


class AsyncSnippets(ConditionalMixin, AsyncModelViewSet):
    queryset = Snippet.objects.all()
    serializer_class = SnippetSerializer


router = SimpleRouter()
router.register("set", Snippets)
router.register("aset", AsyncSnippets, basename="aset")
urlpatterns = [
    path("view/<int:pk>/", View.as_view()),
    path("field/<int:pk>/", ByField.as_view()),
    path("moment/<int:pk>/", ByMoment.as_view()),
    path("strict/<int:pk>/", Strict.as_view()),
    path("wrapped/<int:pk>/", Wrapped.as_view()),
    path("async/<int:pk>/", AsyncView.as_view()),
    path("asyncfield/<int:pk>/", AsyncByField.as_view()),
    path("list/", Lists.as_view()),
    *router.urls,
]

EVERYWHERE = ["view", "field", "moment", "strict", "wrapped", "async", "asyncfield", "set", "aset"]


@pytest.fixture(autouse=True)
def _urls(settings: Any) -> None:
    settings.ROOT_URLCONF = __name__


@pytest.fixture
def client() -> APIClient:
    return APIClient()


@pytest.fixture
def snippet(db: None) -> Snippet:
    owner = User.objects.create_user("alice", password="secret")
    return Snippet.objects.create(id=1, title="t", code="c", owner=owner, created=MOMENT)


def put(client: Any, address: str, title: str = "new", **headers: Any) -> Any:
    data = {"title": title, "code": "c"}
    return client.put(address, data, format="json", headers=headers)


def touch(snippet: Snippet) -> None:
    Snippet.objects.update(title="touched", style="manni", created=datetime.now(UTC))


@pytest.mark.parametrize("name", EVERYWHERE)
def test_what_the_client_has_is_not_sent_again(name: str, client: Any, snippet: Any) -> None:
    first = client.get(f"/{name}/1/")
    tag = first.headers["ETag"]
    assert (first.status_code, first.headers["Cache-Control"]) == (200, "no-cache")
    assert tag.startswith('"')
    assert client.get(f"/{name}/1/").headers["ETag"] == tag
    again = client.get(f"/{name}/1/", headers={"If-None-Match": f'"x", W/{tag}'})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    assert "Content-Type" not in again.headers or not again.content
    assert client.head(f"/{name}/1/", headers={"If-None-Match": "*"}).status_code == 304
    touch(snippet)
    changed = client.get(f"/{name}/1/", headers={"If-None-Match": tag})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != tag


@pytest.mark.parametrize("name", EVERYWHERE)
def test_writes_of_another_state_are_refused(name: str, client: Any, snippet: Any) -> None:
    tag = client.get(f"/{name}/1/").headers["ETag"]
    touch(snippet)
    refused = put(client, f"/{name}/1/", **{"If-Match": tag})
    assert (refused.status_code, refused.json()) == (
        412,
        {"detail": "The object has changed since it was read."},
    )
    for method in (client.patch, client.delete):
        assert method(f"/{name}/1/", headers={"If-Match": tag}).status_code == 412
    assert Snippet.objects.get().title == "touched"
    fresh = client.get(f"/{name}/1/").headers["ETag"]
    assert put(client, f"/{name}/1/", **{"If-Match": f'"x", {fresh}'}).status_code == 200
    assert Snippet.objects.get().title == "new"
    assert client.delete(f"/{name}/1/", headers={"If-Match": "*"}).status_code == 204


@pytest.mark.parametrize("name", ["view", "field", "async"])
def test_tags_are_compared_strongly_for_writes(name: str, client: Any, snippet: Any) -> None:
    tag = client.get(f"/{name}/1/").headers["ETag"]
    for given in (f"W/{tag}", '"x"', "x", "", '"'):
        assert put(client, f"/{name}/1/", **{"If-Match": given}).status_code == 412
    assert put(client, f"/{name}/1/", **{"If-None-Match": "*"}).status_code == 412
    assert put(client, f"/{name}/1/", **{"If-None-Match": tag}).status_code == 412
    assert put(client, f"/{name}/1/", **{"If-None-Match": '"x"'}).status_code == 200
    assert put(client, "/view/2/", **{"If-Match": "*"}).status_code == 404


def test_writes_without_a_condition_pass_unless_one_is_required(client: Any, snippet: Any) -> None:
    assert put(client, "/view/1/").status_code == 200
    assert put(client, "/async/1/").status_code == 200
    refused = put(client, "/strict/1/")
    assert (refused.status_code, refused.json()["detail"]) == (
        428,
        "Send the ETag of the object in the If-Match header.",
    )
    # Nothing is known of moments there, so this is no condition.
    given = {"If-Unmodified-Since": http_date(0)}
    assert put(client, "/strict/1/", **given).status_code == 428
    assert put(client, "/set/1/").status_code == 428
    assert client.put("/set/1/other/").status_code == 200


def test_forms_of_pages_need_no_condition_and_pages_have_no_tag(client: Any, snippet: Any) -> None:
    page = client.get("/strict/1/", headers={"Accept": "text/html"})
    assert (page.status_code, "ETag" in page.headers) == (200, False)
    known = client.get("/strict/1/", headers={"Accept": "text/html", "If-None-Match": "*"})
    assert known.status_code == 200
    assert put(client, "/strict/1/", Accept="text/html").status_code == 200


def test_moments_are_validators(client: Any, snippet: Any) -> None:
    for name in ("field", "moment"):
        first = client.get(f"/{name}/1/")
        date = first.headers["Last-Modified"]
        assert date == http_date(MOMENT.timestamp())
        known = client.get(f"/{name}/1/", headers={"If-Modified-Since": date})
        assert (known.status_code, known.headers["Last-Modified"]) == (304, date)
        earlier = http_date(MOMENT.timestamp() - 1)
        assert client.get(f"/{name}/1/", headers={"If-Modified-Since": earlier}).status_code == 200
        both = {"If-Modified-Since": date, "If-None-Match": '"x"'}
        assert client.get(f"/{name}/1/", headers=both).status_code == 200
        assert put(client, f"/{name}/1/", **{"If-Unmodified-Since": earlier}).status_code == 412
        assert put(client, f"/{name}/1/", **{"If-Unmodified-Since": "soon"}).status_code == 200
        assert put(client, f"/{name}/1/", **{"If-Unmodified-Since": date}).status_code == 200


def test_readers_may_ask_for_one_state_alone(client: Any, snippet: Any) -> None:
    for name in ("view", "field", "moment", "async"):
        tag = client.get(f"/{name}/1/").headers["ETag"]
        assert client.get(f"/{name}/1/", headers={"If-Match": tag}).status_code == 200
        assert client.get(f"/{name}/1/", headers={"If-Match": '"x"'}).status_code == 412


def test_lists_have_tags(client: Any, snippet: Any) -> None:
    tag = client.get("/list/").headers["ETag"]
    assert client.get("/list/", headers={"If-None-Match": tag}).status_code == 304
    Snippet.objects.create(title="b", code="b", owner=snippet.owner)
    assert client.get("/list/", headers={"If-None-Match": tag}).status_code == 200
    assert "ETag" not in client.get("/set/1/other/").headers


def test_tags_of_one_user_form_or_language_are_none_of_another(client: Any, snippet: Any) -> None:
    def tag(**headers: str) -> str:
        return client.get("/field/1/", headers=headers).headers["ETag"]

    client.force_authenticate(None)
    tags = {tag(), tag(Accept="application/json; indent=4")}
    client.force_authenticate(snippet.owner)
    tags.add(tag())
    client.force_authenticate(User.objects.create_user("bob"))
    tags.add(tag())
    assert len(tags) == 4
    assert len({each.rpartition(".")[0] for each in tags}) == 1
    for each in tags:  # the state is the same in each form
        assert put(client, "/field/1/", **{"If-Match": each}).status_code == 200


def test_a_known_version_is_told_by_one_query_and_no_serializer(client: Any, snippet: Any) -> None:
    tag = client.get("/field/1/").headers["ETag"]
    with CaptureQueriesContext(connection) as first:
        client.get("/field/1/")
    with CaptureQueriesContext(connection) as known:
        assert client.get("/field/1/", headers={"If-None-Match": tag}).status_code == 304
    assert (len(first), len(known)) == (1, 1)


def test_a_hook_says_what_the_state_is(client: Any, snippet: Any, settings: Any) -> None:
    class Hooked(View):
        def get_etag(self, instance: Any) -> Any:
            return f"{instance.title} é\n"

    made = Hooked.as_view()
    asked = client.get("/view/1/").wsgi_request
    assert made(asked, pk=1).headers["ETag"].isascii()


def test_data_that_only_code_of_the_project_can_write_has_no_tag(snippet: Any) -> None:
    class Rows(View):
        def retrieve(self, request: Any, *args: Any, **kwargs: Any) -> Response:
            return Response({"rows": (row for row in [1, 2])})

    answer = Rows.as_view()(APIClient().get("/view/1/").wsgi_request, pk=1).render()
    assert (answer.content, "ETag" in answer.headers) == (b'{"rows":[1,2]}', False)


@pytest.mark.parametrize("name", [name for name in EVERYWHERE if name not in ("moment", "wrapped")])
def test_the_next_write_needs_no_reading(name: str, client: Any, snippet: Any) -> None:
    tag = client.get(f"/{name}/1/").headers["ETag"]
    for title in ("one", "two", "three"):
        answer = put(client, f"/{name}/1/", title, If_Match=tag)
        assert (answer.status_code, answer.data["title"]) == (200, title)
        assert answer.headers["Content-Location"] == f"/{name}/1/"
        assert answer.headers["Cache-Control"] == "no-cache"
        before, tag = tag, answer.headers["ETag"]
        assert tag == client.get(f"/{name}/1/").headers["ETag"]
    if "field" not in name:  # whose field stays the same
        assert put(client, f"/{name}/1/", If_Match=before).status_code == 412


def test_a_write_that_shows_something_else_has_no_tag(client: Any, snippet: Any) -> None:
    tag = client.get("/wrapped/1/").headers["ETag"]
    answer = put(client, "/wrapped/1/", If_Match=tag)
    assert answer.status_code == 200
    assert "ETag" not in answer.headers
    assert "Content-Location" not in answer.headers


def test_an_expression_is_no_state(client: Any, snippet: Any, monkeypatch: Any) -> None:
    def perform_update(self: Any, serializer: Any) -> None:
        serializer.save()
        serializer.instance.style = Concat("style", Value("!"))

    monkeypatch.setattr(ByField, "perform_update", perform_update, raising=False)
    monkeypatch.setattr(ByField, "retrieve", lambda self, request, pk: Response({"id": pk}))
    answer = put(client, "/field/1/")
    assert (answer.status_code, "ETag" in answer.headers) == (200, False)


class Linked(SnippetSerializer):
    url = serializers.SerializerMethodField()

    class Meta(SnippetSerializer.Meta):
        fields = ["url", *SnippetSerializer.Meta.fields]

    def get_url(self, row: Snippet) -> str:
        return f"/field/{row.pk}/"


def test_what_was_created_has_a_tag_if_it_has_a_place(
    client: Any, snippet: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(Lists, "etag_field", "style")
    monkeypatch.setattr(
        Lists, "perform_create", lambda self, given: given.save(owner=snippet.owner), raising=False
    )
    data = {"title": "t", "code": "c"}
    without = client.post("/list/", data, format="json")
    assert (without.status_code, "ETag" in without.headers) == (201, False)
    monkeypatch.setattr(Lists, "serializer_class", Linked)
    answer = client.post("/list/", data, format="json")
    assert answer.headers["Content-Location"] == answer.headers["Location"] == answer.data["url"]
    tag = answer.headers["ETag"]
    assert tag == client.get(answer.data["url"]).headers["ETag"]
    assert put(client, answer.data["url"], If_Match=tag).status_code == 200


def created(snippet: Snippet, place: str = "/owned/", **members: Any) -> Any:
    """The answer of a viewset to the creation of a snippet."""
    members = {
        "queryset": Snippet.objects.all(),
        "serializer_class": Linked,
        "perform_create": lambda self, serializer: serializer.save(owner=snippet.owner),
        **members,
    }
    view = type("Owned", (ConditionalMixin, ModelViewSet), members).as_view({"post": "create"})
    return view(APIRequestFactory().post(place, {"title": "t", "code": "c"}, format="json"))


def test_a_write_is_done_though_nobody_can_tell_its_tag(snippet: Any, caplog: Any) -> None:
    """The number is an annotation of get_queryset(), which a row that was created lacks."""
    before = Snippet.objects.count()
    answer = created(snippet, etag_field="number_of_lines")
    assert (answer.status_code, "ETag" in answer.headers) == (201, False)
    assert Snippet.objects.count() == before + 1
    assert [record.getMessage() for record in caplog.records] == [
        "Owned wrote, and cannot tell the tag"
    ]


def by_action(self: Any) -> Any:
    """The serializer of a project, for actions that it knows."""
    found = {"update": SnippetSerializer, "create": Linked, "retrieve": OtherSerializer}
    return found[self.action]


def test_a_view_that_shows_more_when_it_is_read_has_no_tag_of_a_creation(snippet: Any) -> None:
    answer = created(snippet, get_serializer_class=by_action)
    assert (answer.status_code, "ETag" in answer.headers) == (201, False)


def test_a_view_that_only_writes_is_not_asked_what_it_reads(snippet: Any, caplog: Any) -> None:
    members = {"queryset": Snippet.objects.all(), "get_serializer_class": by_action}
    view = type("Writing", (ConditionalMixin, ModelViewSet), members).as_view({"put": "update"})
    request = APIRequestFactory().put("/w/1/", {"title": "t", "code": "c"}, format="json")
    answer = view(request, pk=snippet.pk)
    assert (answer.status_code, "ETag" in answer.headers) == (200, False)
    assert caplog.records == []


def test_a_moment_is_the_same_state_in_each_time_zone(snippet: Any) -> None:
    class Elsewhere(View):
        etag_field = "created"

        def perform_update(self, serializer: Any) -> None:
            serializer.save(created=MOMENT.astimezone(timezone(timedelta(hours=2))))

    view, factory = Elsewhere.as_view(), APIRequestFactory()
    given = {"title": "t", "code": "c"}
    written = view(factory.put("/view/1/", given, format="json"), pk=snippet.pk)
    read = view(factory.get("/view/1/"), pk=snippet.pk)
    assert written.headers["ETag"] == read.headers["ETag"]


def test_what_a_query_may_choose_is_no_state_of_what_was_created(snippet: Any) -> None:
    found = [created(snippet, place) for place in ("/owned/", "/owned/?fields=url")]
    assert [(each.status_code, "ETag" in each.headers) for each in found] == [
        (201, True),
        (201, False),
    ]


def test_places_are_written_as_urls(snippet: Any) -> None:
    title, place = "a\nb é", "/named/a%0Ab%20%C3%A9/?x=%0A1"
    Snippet.objects.filter(pk=snippet.pk).update(title=title)
    request = APIRequestFactory().put(place, {"title": "new", "code": "c"}, format="json")
    answer = View.as_view(lookup_field="title")(request, title=title)
    assert (answer.status_code, answer.headers["Content-Location"]) == (200, place)


def test_hyperlinks_and_other_texts_of_classes_have_a_state(snippet: Any) -> None:
    class Url(SnippetSerializer):
        url = serializers.SerializerMethodField()
        safe = serializers.SerializerMethodField()

        class Meta(SnippetSerializer.Meta):
            fields = ["url", "safe", "title", "code"]

        def get_url(self, row: Snippet) -> Any:
            return Hyperlink(f"/url/{row.pk}/", row)

        def get_safe(self, row: Snippet) -> Any:
            return mark_safe(row.title)

    view, factory = View.as_view(serializer_class=Url), APIRequestFactory()
    tag = view(factory.get("/url/1/"), pk=snippet.pk).headers["ETag"]
    for title, status in (("one", 200), ("two", 412)):
        given = {"title": title, "code": "c"}
        request = factory.put("/url/1/", given, format="json", headers={"If-Match": tag})
        assert view(request, pk=snippet.pk).status_code == status


def test_errors_and_other_statuses_have_no_tag(client: Any, snippet: Any) -> None:
    for answer in (client.get("/view/9/"), client.post("/list/", {}), client.options("/view/1/")):
        assert "ETag" not in answer.headers


def test_on_the_loop(snippet: Any) -> None:
    async def ask() -> list[int]:
        client = AsyncAPIClient()
        statuses = []
        for name in ("async", "aset", "view", "field"):
            tag = (await client.get(f"/{name}/1/")).headers["ETag"]
            known = await client.get(f"/{name}/1/", headers={"If-None-Match": tag})
            gone = await client.delete(f"/{name}/1/", headers={"If-Match": '"x"'})
            done = await client.patch(f"/{name}/1/", {}, headers={"If-Match": tag})
            statuses += [known.status_code, gone.status_code, done.status_code]
        return statuses

    assert async_to_sync(ask)() == [304, 412, 200] * 4


@override_settings(REST_FRAMEWORK={"OPENAPI_VERSION": "3.1"})
@pytest.mark.filterwarnings("ignore:.*have the operationId")
def test_descriptions_name_the_conditions() -> None:
    patterns = [each for each in urlpatterns if "wrapped" not in str(each.pattern)]
    document = SchemaGenerator(title="T", version="1", patterns=patterns).get_schema(None, True)
    paths = document["paths"]

    def headers(path: str, method: str) -> dict[str, bool]:
        parameters = paths[path][method]["parameters"]
        return {each["name"]: each["required"] for each in parameters if each["in"] == "header"}

    read = paths["/field/{id}/"]["get"]
    assert set(read["responses"]["200"]["headers"]) == {"ETag", "Last-Modified"}
    assert set(read["responses"]["304"]["headers"]) == {"ETag", "Last-Modified"}
    assert "412" in read["responses"]
    written = paths["/field/{id}/"]["patch"]["responses"]["200"]
    assert set(written["headers"]) == {"ETag", "Last-Modified"}
    assert headers("/field/{id}/", "get") == {"If-None-Match": False, "If-Modified-Since": False}
    assert headers("/field/{id}/", "put") == {"If-Match": False, "If-Unmodified-Since": False}
    assert headers("/set/{id}/", "delete") == {"If-Match": True}
    assert headers("/list/", "get") == {"If-None-Match": False}
    assert headers("/list/", "post") == headers("/set/{id}/other/", "put") == {}
    statuses = set(paths["/set/{id}/"]["patch"]["responses"])
    assert {"412", "428"} <= statuses
    assert {"412", "428"}.isdisjoint(paths["/set/{id}/other/"]["put"]["responses"])
    assert "428" not in paths["/aset/{id}/"]["put"]["responses"]


# Races


class SlowSerializer(SnippetSerializer):
    """Gives others time to come in between comparison and write."""

    barrier = threading.Barrier(2)

    def validate(self, attrs: Any) -> Any:
        try:
            self.barrier.wait(0.3)
        except threading.BrokenBarrierError:
            self.barrier.reset()
        return attrs


def race(made: Any, tag: str) -> list[int]:
    """The statuses of two writes of the same state, at the same time."""

    def write(title: str) -> int:
        try:
            request = RequestFactory().patch(
                "/", {"title": title}, "application/json", headers={"If-Match": tag}
            )
            return made(request, pk=1).status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        return sorted(pool.map(write, ["one", "two"]))


@pytest.mark.parametrize("database", ["sqlite_file", "postgresql"])
@pytest.mark.parametrize("base", [View, AsyncView])
def test_of_two_writers_one_wins(
    database: str, base: Any, request: Any, django_db_blocker: Any
) -> None:
    made = type("Slow", (base,), {"serializer_class": SlowSerializer}).as_view()
    made = async_to_sync(made) if base is AsyncView else made
    with everything_in(request.getfixturevalue(database), django_db_blocker):
        owner = User.objects.create_user("racer")
        try:
            Snippet.objects.create(id=1, title="t", code="c", owner=owner)
            shown = View.as_view()(RequestFactory().get("/"), pk=1)
            assert race(made, shown.headers["ETag"]) == [200, 412]
        finally:
            owner.delete()


@pytest.mark.parametrize("header", ["Authorization", "API-Key"])
@pytest.mark.django_db
def test_what_one_caller_keeps_is_not_confirmed_for_another_without_a_key(header: str) -> None:
    view = OfServices.as_view()
    owner = User.objects.create(username="owner")
    key = Snippet.objects.create(code="", owner=owner).pk

    def ask(who: str, **headers: str) -> Any:
        given = {header: who, **headers}
        return view(RequestFactory().get("/", headers=given), pk=key)

    tag = ask("one")["ETag"]
    assert ask("one", If_None_Match=tag).status_code == 304
    assert ask("other", If_None_Match=tag).status_code == 200
