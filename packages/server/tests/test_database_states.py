"""An API through poolers, with parameters bound on the server, in schemas, under roles."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import database_states
import pytest
from contract_project.models import Tag
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.db import ProgrammingError, connections
from django.test import override_settings
from servers import another_database, everything_in, running_postgresql, tables_in

from lintel.authentication import TokenAuthentication
from lintel.authtoken.models import Token
from lintel.bulk import BulkModelViewSet
from lintel.exceptions import AuthenticationFailed
from lintel.filters import OrderingFilter, SearchFilter
from lintel.idempotency import IdempotentMixin
from lintel.pagination import CursorPagination, PageNumberPagination
from lintel.patching import PatchMixin
from lintel.renderers import JSONRenderer, NDJSONRenderer
from lintel.serializers import ModelSerializer
from lintel.streaming import StreamingListMixin
from lintel.test import APIRequestFactory

pytestmark = pytest.mark.xdist_group("database_states")

PAGE = Path(__file__).parents[3] / "docs" / "server" / "scale.md"

#: Where no statement may follow another in one transaction.
STATEMENT = "pgbouncer-statement"
NAMES = [name for name in database_states.STATES if name != "pool" or find_spec("psycopg_pool")]


class TagSerializer(ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class Pages(PageNumberPagination):
    page_size = 2


class Cursors(CursorPagination):
    page_size = 2
    ordering = "name"


class Tags(IdempotentMixin, PatchMixin, StreamingListMixin, BulkModelViewSet):
    queryset = Tag.objects.order_by("id")
    serializer_class = TagSerializer
    pagination_class: Any = Pages
    filter_backends = [SearchFilter, OrderingFilter]
    search_fields = ["name"]
    ordering_fields = ["name"]
    renderer_classes = [JSONRenderer, NDJSONRenderer]
    stream_chunk_size = 2
    authentication_classes: list[Any] = []
    schema = None  # the same rows by three kinds of pages


class Separate(Tags):
    atomic = False


class ByCursor(Tags):
    pagination_class = Cursors
    filter_backends = []


@pytest.fixture(scope="module", params=NAMES)
def state(request: Any, django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """A state, in which Django uses nothing but PostgreSQL."""
    name = request.param
    with running_postgresql() as server, database_states.STATES[name](server) as settings:
        # Tables are made in transactions.
        first = server.settings if name == STATEMENT else settings
        with tables_in("reached", first, django_db_blocker, settings):
            yield name


@pytest.fixture
def rows(state: str, django_db_blocker: Any) -> Iterator[str]:
    with everything_in("reached", django_db_blocker, Tag):
        for number in range(5):
            Tag.objects.create(name=f"n{number}")
        yield state


def ask(method: str, query: str = "", data: Any = None, view: Any = Tags, **extra: Any) -> Any:
    actions = {"get": "list", "post": "create"}
    made = getattr(APIRequestFactory(), method)(f"/tags/{query}", data, format="json", **extra)
    answer = view.as_view(actions)(made)
    return answer if answer.streaming else answer.render()


def change(pk: int, patch: Any, kind: str = "application/json-patch+json") -> Any:
    body = json.dumps(patch)
    made = APIRequestFactory().patch(f"/tags/{pk}/", body, content_type=kind)
    return Tags.as_view({"patch": "partial_update"})(made, pk=pk).render()


def names(found: Any) -> list[str]:
    return [row["name"] for row in found]


def test_rows_are_counted_searched_and_ordered(rows: str) -> None:
    answer = ask("get", "?page=2")
    assert (answer.data["count"], names(answer.data["results"])) == (5, ["n2", "n3"])
    assert names(ask("get", "?search=n3").data["results"]) == ["n3"]
    assert names(ask("get", "?ordering=-name").data["results"]) == ["n4", "n3"]


def test_cursors_lead_to_every_row(rows: str) -> None:
    found, query = [], ""
    for _ in range(3):
        answer = ask("get", query, view=ByCursor)
        found += names(answer.data["results"])
        query = "?" + (answer.data["next"] or "").partition("?")[2]
    assert found == [f"n{number}" for number in range(5)]


def test_a_stream_has_every_row(rows: str) -> None:
    answer = ask("get", HTTP_ACCEPT="application/x-ndjson")
    told = b"".join(answer.streaming_content).splitlines()
    assert names(map(json.loads, told)) == [f"n{number}" for number in range(5)]


def test_a_row_is_written_once(rows: str) -> None:
    answer = ask("post", data={"name": "new"})
    assert (answer.status_code, answer.data["name"]) == (201, "new")
    again = ask("post", data={"name": "new"})
    assert (again.status_code, again.data["name"][0].code) == (400, "unique")


def test_a_repeated_write_is_answered_as_the_first(rows: str) -> None:
    if rows == STATEMENT:
        pytest.skip("an answer and its write are one transaction")
    first, again = (ask("post", data={"name": "k"}, HTTP_IDEMPOTENCY_KEY="k1") for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert (again["Idempotent-Replayed"], again.content) == ("true", first.content)


def test_a_patch_locks_its_row(rows: str) -> None:
    if rows == STATEMENT:
        pytest.skip("a lock lasts for a transaction")
    pk = Tag.objects.get(name="n0").pk
    patch = [{"op": "test", "path": "/name", "value": "n0"}]
    patch += [{"op": "replace", "path": "/name", "value": "changed"}]
    assert change(pk, patch).data["name"] == "changed"
    assert change(pk, patch).status_code == 409


def test_of_a_wrong_list_nothing_is_written(rows: str) -> None:
    if rows == STATEMENT:
        pytest.skip("a list is written in one transaction")
    assert ask("post", data=[{"name": "b1"}, {"name": "n1"}]).status_code == 400
    assert not Tag.objects.filter(name="b1").exists()
    assert ask("post", data=[{"name": "b1"}, {"name": "b2"}]).status_code == 201


@contextmanager
def refusing(condition: str, using: str = "WITH CHECK") -> Iterator[None]:
    """A rule that refuses rows of tags."""
    table = Tag._meta.db_table
    with connections["reached"].cursor() as cursor:
        cursor.execute(f"CREATE POLICY refused ON {table} AS RESTRICTIVE {using} ({condition})")
    try:
        yield
    finally:
        with connections["reached"].cursor() as cursor:
            cursor.execute(f"DROP POLICY refused ON {table}")


REFUSED = [{"name": "other"}, [{"name": "mine"}, {"name": "other"}]]


def test_row_security_refuses_a_write_as_a_whole(rows: str) -> None:
    if rows != "row-security":
        pytest.skip("rules of rows")
    key = {"HTTP_IDEMPOTENCY_KEY": "refused"}
    with refusing("name <> 'other'", "FOR INSERT WITH CHECK"):
        for data in REFUSED:
            with pytest.raises(ProgrammingError, match="row-level security"):
                ask("post", data=data, **key)
        assert Tag.objects.count() == 5
    # The key of the refused write is free.
    assert ask("post", data={"name": "other"}, **key).status_code == 201


@pytest.mark.parametrize("data", REFUSED, ids=["one", "list"])
def test_service_errors_make_403_of_refused_rows(
    data: Any, rows: str, caplog: pytest.LogCaptureFixture
) -> None:
    if rows != "row-security":
        pytest.skip("rules of rows")
    key = {"HTTP_IDEMPOTENCY_KEY": f"403 of {type(data).__name__}"}
    own = {"SERVICE_ERRORS": True, "ERROR_FORMAT": "problem"}
    with refusing("name <> 'other'"), override_settings(REST_FRAMEWORK=own):
        first, again = (ask("post", data=data, **key) for _ in range(2))
        assert (first.status_code, first.data["code"]) == (403, "permission_denied")
        # Neither the table nor the rule is named, and the answer is kept as others of a client are.
        assert b"contract" not in first.content
        assert b"policy" not in first.content
        assert (again["Idempotent-Replayed"], again.content) == ("true", first.content)
        pk = Tag.objects.get(name="n0").pk
        for sent, kind in (
            ({"name": "other"}, "application/merge-patch+json"),
            ([{"op": "replace", "path": "/name", "value": "other"}], "application/json-patch+json"),
        ):
            assert change(pk, sent, kind).status_code == 403
    assert Tag.objects.count() == 5
    assert Tag.objects.get(pk=pk).name == "n0"
    assert any("row-level security" in record.getMessage() for record in caplog.records)


def test_items_that_row_security_refuses_are_errors_of_their_own(rows: str) -> None:
    if rows != "row-security":
        pytest.skip("rules of rows")
    with refusing("name <> 'other'"), override_settings(REST_FRAMEWORK={"SERVICE_ERRORS": True}):
        answer = ask("post", data=REFUSED[1], view=Separate)
    assert answer.status_code == 207
    assert Tag.objects.filter(name="mine").exists()
    assert not Tag.objects.filter(name="other").exists()
    statuses = [item.get("status") for item in answer.data]
    assert 403 in statuses, answer.data


def test_missing_privileges_stay_errors_of_the_server(rows: str) -> None:
    if rows != "row-security":
        pytest.skip("the owner takes a privilege from itself")
    table = Tag._meta.db_table
    with connections["reached"].cursor() as cursor:
        cursor.execute(f"REVOKE INSERT ON {table} FROM {database_states.ROLE}")
    try:
        with (
            override_settings(REST_FRAMEWORK={"SERVICE_ERRORS": True}),
            pytest.raises(ProgrammingError, match="permission denied"),
        ):
            ask("post", data={"name": "mine"})
    finally:
        with connections["reached"].cursor() as cursor:
            cursor.execute(f"GRANT INSERT ON {table} TO {database_states.ROLE}")


def test_row_security_hides_what_is_changed_and_deleted(rows: str) -> None:
    if rows != "row-security":
        pytest.skip("rules of rows")
    table, pk = Tag._meta.db_table, Tag.objects.get(name="n0").pk
    with connections["reached"].cursor() as cursor:
        cursor.execute(f"CREATE POLICY hidden ON {table} AS RESTRICTIVE USING (name <> 'n0')")
    try:
        assert change(pk, {"name": "mine"}, "application/merge-patch+json").status_code == 404
        assert names(ask("get", "?search=n0").data["results"]) == []
    finally:
        with connections["reached"].cursor() as cursor:
            cursor.execute(f"DROP POLICY hidden ON {table}")
    assert Tag.objects.get(pk=pk).name == "n0"


def test_the_state_is_what_its_name_says(rows: str) -> None:
    with connections["reached"].cursor() as cursor:
        cursor.execute("SELECT current_user, current_schema(), inet_server_port() IS NULL")
        user, schema, _ = cursor.fetchone()
        cursor.execute("SELECT relforcerowsecurity FROM pg_class WHERE relname = 'auth_user'")
        (is_ruled,) = cursor.fetchone()
    settings = connections["reached"].settings_dict
    assert (user == database_states.ROLE) == is_ruled == (rows == "row-security")
    assert (schema == "tenant") == (rows == "schema")
    assert (settings.get("PORT") == database_states.PORT) == rows.startswith("pgbouncer")
    assert bool(settings["OPTIONS"].get("pool")) == (rows == "pool")


# ---- a replica that is late ----


def router_of_the_page() -> Any:
    """The router of docs/server/scale.md, for the databases of these tests."""
    (source,) = re.findall(r"```python\n(.*?ReplicaRouter.*?)```", PAGE.read_text(), re.S)[:1]
    found: dict[str, Any] = {}
    exec(source.replace('"replica"', '"late"').replace('"default"', '"primary"'), found)
    return found["router"]


@pytest.fixture(scope="module")
def late(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """A primary, and a replica that has nothing of what is written to it."""
    with running_postgresql() as server:
        other = another_database(server, "late")
        with (
            tables_in("primary", server.settings, django_db_blocker),
            tables_in("late", other, django_db_blocker),
        ):
            yield


@pytest.fixture
def routed(late: None, django_db_blocker: Any) -> Iterator[Tag]:
    """A row that has changed since the replica had it."""
    with django_db_blocker.unblock(), override_settings(DATABASE_ROUTERS=[router_of_the_page()]):
        tag = Tag.objects.using("primary").create(pk=1000, name="now")
        Tag.objects.using("late").create(pk=1000, name="before")
        yield tag
        for alias in ("primary", "late"):
            Tag.objects.using(alias).all().delete()


def test_what_was_written_is_answered_though_the_replica_has_it_not(routed: Tag) -> None:
    answer = ask("post", data={"name": "new"})
    assert (answer.status_code, answer.data["name"]) == (201, "new")
    assert names(ask("get").data["results"]) == ["before"]


def test_who_has_just_logged_in_is_known_though_the_replica_is_late(routed: Tag) -> None:
    user = User.objects.create_user("ann", password="pw")
    token = Token.objects.create(user=user)
    session = SessionStore()
    session["seen"] = 1
    session.create()
    assert SessionStore(session.session_key)["seen"] == 1
    made = APIRequestFactory().get("/", HTTP_AUTHORIZATION=f"Token {token.key}")
    assert TokenAuthentication().authenticate(made)[0] == user
    token.delete()
    with pytest.raises(AuthenticationFailed):
        TokenAuthentication().authenticate(made)
    user.delete()


def test_a_patch_applies_to_the_row_as_it_is(routed: Tag) -> None:
    patch = [{"op": "test", "path": "/name", "value": "now"}]
    answer = change(1000, [*patch, {"op": "replace", "path": "/name", "value": "next"}])
    assert (answer.status_code, answer.data["name"]) == (200, "next")
    routed.refresh_from_db(using="primary")
    assert routed.name == "next"


def test_what_only_the_primary_has_is_no_second_row(routed: Tag) -> None:
    with override_settings(REST_FRAMEWORK={"UNIQUE_RACE_STATUS": 409}):
        assert ask("post", data={"name": "now"}).status_code == 409
    assert Tag.objects.using("primary").filter(name="now").count() == 1


def test_an_answer_is_kept_where_writes_go(routed: Tag) -> None:
    first, again = (ask("post", data={"name": "k"}, HTTP_IDEMPOTENCY_KEY="r1") for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content


def test_a_list_of_changes_finds_the_rows_as_they_are(routed: Tag) -> None:
    made = APIRequestFactory().patch("/tags/", [{"id": 1000, "name": "bulk"}], format="json")
    answer = Tags.as_view({"patch": "partial_bulk_update"})(made).render()
    assert (answer.status_code, names(answer.data)) == (200, ["bulk"])
