"""Rows of another tenant are like rows that do not exist: in answers, headers, and statements.

A client that compares the two must find no difference, nor may the number of statements, which is
what time tells from outside.
"""

import json
import re
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import Group, User
from django.core.cache import cache
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from lintel import filters, pagination, permissions, serializers, viewsets
from lintel.bulk import AsyncBulkModelViewSet, BulkModelViewSet
from lintel.conditional import ConditionalMixin
from lintel.idempotency import IdempotentMixin
from lintel.patching import PatchMixin
from lintel.routers import SimpleRouter
from lintel.scoping import RowScope
from lintel.sparse import SparseFieldsMixin
from lintel.streaming import StreamingListMixin
from lintel.test import APIClient

pytestmark = pytest.mark.django_db

MISSING = 10**6
KEYS = count(2000, 10)


class ByOwner(RowScope):
    lookups = {Snippet: "owner", Tag: "snippets__owner", User: "pk", Group: "user"}


class SnippetSerializer(serializers.ModelSerializer[Snippet]):
    class Meta:
        model = Snippet
        fields = ["id", "title", "code", "owner", "tags"]


class TagSerializer(serializers.ModelSerializer[Tag]):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class UserSerializer(serializers.ModelSerializer[User]):
    class Meta:
        model = User
        fields = ["id", "username"]


class Pages(pagination.PageNumberPagination):
    page_size = 10
    counting = "cached"


class Cursors(pagination.CursorPagination):
    page_size = 1
    ordering = "id"


class Everything(
    IdempotentMixin, ConditionalMixin, PatchMixin, SparseFieldsMixin, StreamingListMixin
):
    """All that a view can do with rows."""

    queryset: Any = Snippet.objects.order_by("id")
    serializer_class: Any = SnippetSerializer
    scope_class = ByOwner
    permission_classes = [permissions.IsAuthenticated]
    pagination_class: Any = Pages
    filter_backends = [filters.FieldFilter, filters.SearchFilter, filters.OrderingFilter]
    filter_fields = ["title", "owner", "tags", "owner__username", "id__in"]
    search_fields = ["title", "owner__username", "tags__name"]
    ordering_fields = ["title", "id"]
    expandable_fields = {"owner": UserSerializer}
    query_handler = "list"
    schema = None


class Snippets(Everything, BulkModelViewSet):
    pass


class Separate(Snippets):
    atomic = False


class ByCursor(Snippets):
    pagination_class = Cursors


class Later(Everything, AsyncBulkModelViewSet):
    pass


class Owners(viewsets.ReadOnlyModelViewSet[User]):
    queryset = User.objects.order_by("id")
    serializer_class = UserSerializer
    scope_class = ByOwner
    permission_classes = [permissions.IsAuthenticated]


router = SimpleRouter()
router.register("snippets", Snippets)
router.register("separate", Separate, basename="separate")
router.register("cursors", ByCursor, basename="cursors")
router.register("later", Later, basename="later")
router.register("owners", Owners)
router.register("snippets", Snippets, parent="owners", basename="owned")
urlpatterns = router.urls


@pytest.fixture(autouse=True)
def urls() -> Iterator[None]:
    cache.clear()
    with override_settings(ROOT_URLCONF=__name__):
        yield


@pytest.fixture
def mine() -> Snippet:
    return row_of("ann", "mine")


@pytest.fixture
def theirs() -> Snippet:
    return row_of("bob", "theirs")


def row_of(name: str, title: str) -> Snippet:
    """A row with an owner and a tag, whose keys are all different."""
    first = next(KEYS)
    owner = User.objects.create_user(name, id=first)
    snippet = Snippet.objects.create(id=first + 1, owner=owner, title=title, code="1")
    snippet.tags.add(Tag.objects.create(id=first + 2, name=f"tag of {title}"))
    return snippet


@pytest.fixture
def client(mine: Snippet, theirs: Snippet) -> APIClient:
    return client_of(mine)


def client_of(snippet: Snippet) -> APIClient:
    client = APIClient(raise_request_exception=False)
    client.force_authenticate(snippet.owner)
    return client


#: Methods, addresses, bodies and headers; `7` stands for the key of a row, its owner or its tag.
JSON_PATCH = "application/json-patch+json"
TEST = [{"op": "test", "path": "/title", "value": "theirs"}]
ASKED: list[tuple[str, str, Any, dict[str, str]]] = [
    *[(method, "/snippets/7/", None, {}) for method in ("GET", "HEAD", "OPTIONS", "DELETE")],
    ("PUT", "/snippets/7/", {"title": "x", "code": "x", "owner": 0}, {}),
    ("PUT", "/snippets/7/", {}, {}),
    ("PATCH", "/snippets/7/", {"title": "x"}, {}),
    ("PATCH", "/snippets/7/", "{", {}),
    ("PATCH", "/snippets/7/", TEST, {"Content-Type": JSON_PATCH}),
    ("PATCH", "/snippets/7/", {"title": None}, {"Content-Type": "application/merge-patch+json"}),
    ("PATCH", "/snippets/7/", {"title": "x"}, {"Idempotency-Key": "k"}),
    ("DELETE", "/snippets/7/", None, {"Idempotency-Key": "k"}),
    ("DELETE", "/snippets/7/", None, {"If-Match": "*"}),
    ("PUT", "/snippets/7/", {}, {"If-None-Match": "*"}),
    ("GET", "/snippets/7/", None, {"If-None-Match": "*"}),
    ("GET", "/snippets/7/", None, {"If-Modified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"}),
    ("GET", "/snippets/7/?expand=owner&fields=owner.username", None, {}),
    ("GET", "/snippets/7/", None, {"Accept": "text/html"}),
    ("GET", "/snippets/?owner=7", None, {}),
    ("GET", "/snippets/?tags=7", None, {}),
    ("GET", "/snippets/?id__in=7", None, {}),
    ("GET", "/snippets/?owner=7", None, {"Accept": "application/x-ndjson"}),
    ("QUERY", "/snippets/", {"owner": 7}, {}),
    ("POST", "/snippets/", {"code": "x", "owner": 7}, {}),
    ("POST", "/snippets/", {"code": "x", "tags": [7]}, {}),
    ("POST", "/snippets/", [{"code": "x", "owner": 7}], {}),
    ("PATCH", "/snippets/", [{"id": 7, "title": "x"}], {}),
    ("PUT", "/snippets/", [{"id": 7, "title": "x", "code": "x"}], {}),
    ("DELETE", "/snippets/", [7], {}),
    ("PATCH", "/separate/", [{"id": 7, "title": "x"}], {}),
    ("DELETE", "/separate/", [7], {}),
    ("GET", "/owners/7/", None, {}),
    ("GET", "/owners/7/snippets/", None, {}),
    ("POST", "/owners/7/snippets/", {"code": "x"}, {}),
    ("PATCH", "/owners/7/snippets/", [{"id": 1, "title": "x"}], {}),
    ("GET", "/owners/7/snippets/7/", None, {}),
    ("GET", "/later/7/", None, {}),
    ("PATCH", "/later/7/", TEST, {"Content-Type": JSON_PATCH}),
    ("DELETE", "/later/7/", None, {"Idempotency-Key": "k"}),
    ("DELETE", "/later/", [7], {}),
]


def asked(client: APIClient, key: int, method: str, url: str, body: Any, headers: Any) -> Any:
    """What a client sees of one request, and the statements that it took, without the key."""
    named = re.compile(rf"(?<![\d.]){key}(?!\d)")
    sent = body if isinstance(body, str) else json.dumps(body)
    sent = "" if body is None else re.sub(r"(?<!\d)7(?!\d)", str(key), sent)
    kind = headers.get("Content-Type", "application/json")
    others = {name: value for name, value in headers.items() if name != "Content-Type"}
    if "Idempotency-Key" in headers:
        others["Idempotency-Key"] = f"of {key}"
    with CaptureQueriesContext(connection) as statements:
        path = re.sub(r"(?<=[/=])7(?=[/&]|$)", str(key), url)
        answer = client.generic(method, path, sent, kind, headers=others)
    assert answer.status_code < 500, answer.content
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    shown = [f"{name}: {value}" for name, value in sorted(answer.headers.items())]
    # The CSRF token of a page is new each time.
    text = re.sub(r'csrf-token="\w+"', "", content.decode())
    seen = [answer.status_code, *shown, text]
    return [named.sub("7", str(it)) for it in seen], [shape(it["sql"]) for it in statements]


def shape(sql: str) -> str:
    """A statement without its values."""
    sql = re.sub(r'"s\d+_x\d+"', "s", sql)
    return re.sub(r"'[^']*'|\b\d+\b|\b[0-9a-f]{32,}\b", "?", sql)


@pytest.mark.parametrize("row", ["snippet", "owner", "tag"])
@pytest.mark.parametrize(("method", "url", "body", "headers"), ASKED)
def test_a_row_of_another_tenant_is_no_row(
    method: str,
    url: str,
    body: Any,
    headers: dict[str, str],
    row: str,
    client: APIClient,
    theirs: Snippet,
) -> None:
    keys = {"snippet": theirs.pk, "owner": theirs.owner.pk, "tag": theirs.tags.get().pk}
    others = rows_of(theirs.owner)
    hidden = asked(client, keys[row], method, url, body, headers)
    missing = asked(client, MISSING, method, url, body, headers)
    assert hidden[0] == missing[0]
    assert hidden[1] == missing[1]
    # The addresses and bodies of the request are the only places of the key.
    assert not re.search(r"theirs|bob", " ".join(hidden[0]).replace('"theirs"', ""))
    assert rows_of(theirs.owner) == others


def rows_of(user: User) -> list[Any]:
    return list(Snippet.objects.filter(owner=user).values_list("id", "title", "code", "tags"))


@pytest.mark.parametrize(
    "query",
    [
        *["search=theirs", "search=bob", "search=tag of theirs", "owner__username=bob"],
        *["title=theirs", "ordering=owner__password", "ordering=-owner", "fields=owner.password"],
        "expand=owner.groups",
    ],
)
def test_searches_and_orders_tell_nothing_of_rows_of_others(query: str, client: APIClient) -> None:
    """The same as a word that no row has, and neither a count nor a page of others."""
    found = client.get(f"/snippets/?{query}")
    assert found.status_code in (200, 400)
    if found.status_code == 200:
        assert {row["title"] for row in found.json()["results"]} <= {"mine"}
        assert found.json()["count"] == len(found.json()["results"])
    elif "password" not in query:
        assert "theirs" not in found.content.decode()


def test_kept_counts_and_cursors_belong_to_their_tenant(mine: Snippet, theirs: Snippet) -> None:
    for title in ("second", "third"):
        Snippet.objects.create(owner=mine.owner, title=title, code="1")
    ann, bob = client_of(mine), client_of(theirs)
    assert [it.get("/snippets/").json()["count"] for it in (ann, bob, ann)] == [3, 1, 3]
    tag = ann.get("/snippets/")["ETag"]
    assert bob.get("/snippets/", headers={"If-None-Match": tag}).status_code == 200
    following = ann.get("/cursors/").json()["next"]
    assert {row["title"] for row in bob.get(following).json()["results"]} <= {"theirs"}


def test_nobody_gives_a_row_away_or_takes_one(
    client: APIClient, mine: Snippet, theirs: Snippet
) -> None:
    for url in (f"/snippets/{mine.pk}/", f"/later/{mine.pk}/"):
        assert client.patch(url, {"owner": theirs.owner.pk}, format="json").status_code == 400
        patch = json.dumps([{"op": "replace", "path": "/owner", "value": theirs.owner.pk}])
        assert client.generic("PATCH", url, patch, JSON_PATCH).status_code == 400
    body = [{"id": mine.pk, "owner": theirs.owner.pk}]
    assert client.patch("/snippets/", body, format="json").status_code == 400
    # The first item may be written; the answer to the second is that to a missing row.
    body = [{"id": mine.pk, "title": "new"}, {"id": theirs.pk, "title": "taken"}]
    told = client.patch("/separate/", body, format="json")
    assert told.status_code == 207
    assert list(Snippet.objects.order_by("id").values_list("title", "owner__username")) == [
        ("new", "ann"),
        ("theirs", "bob"),
    ]
