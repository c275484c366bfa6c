"""Who changed what: entries beside the writes of audited views."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.contrib.admin.sites import site
from django.contrib.auth.models import Group, User
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, transaction
from django.test import AsyncClient, RequestFactory, modify_settings, override_settings
from django.urls import path

from lintel import audit, serializers, viewsets
from lintel.audit import AuditedMixin
from lintel.audit.admin import AuditEntryAdmin
from lintel.audit.changes import watching
from lintel.audit.models import AuditEntry
from lintel.audit.recording import credential_of
from lintel.authentication import TokenAuthentication
from lintel.authtoken.models import Token
from lintel.bulk import BulkModelViewSet
from lintel.hashedtokens.models import HashedToken
from lintel.jwt.tokens import AccessToken
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.test import APIClient
from lintel.views import APIView

pytestmark = pytest.mark.django_db


class UserSerializer(serializers.ModelSerializer[User]):
    class Meta:
        model = User
        fields = ["id", "username", "first_name", "groups"]
        extra_kwargs = {"groups": {"required": False}}


class Users(AuditedMixin, viewsets.ModelViewSet[User]):
    queryset = User.objects.order_by("id")
    serializer_class = UserSerializer
    authentication_classes = [TokenAuthentication]


class Many(AuditedMixin, BulkModelViewSet):
    queryset = User.objects.order_by("id")
    serializer_class = UserSerializer


class Failing(AuditedMixin, viewsets.ModelViewSet[User]):
    queryset = User.objects.order_by("id")
    serializer_class = UserSerializer

    def perform_create(self, serializer: Any) -> None:
        serializer.save()
        raise serializers.ValidationError("no")


class Own(AuditedMixin, APIView):
    def get(self, request: Any) -> Response:
        Group.objects.create(name="by get")
        return Response({})

    def post(self, request: Any) -> Response:
        group = Group.objects.create(name="one")
        group.name = "two"
        group.save(update_fields=["name"])
        other = Group.objects.create(name="gone")
        other.delete()
        User.objects.update(first_name="all")
        audit.record(request, "rename everybody", group, ["first_name"])
        return Response({})


class Async(AuditedMixin, APIView):
    async def post(self, request: Any) -> Response:
        await Group.objects.acreate(name=request.data["name"])
        if request.data.get("fails"):
            raise serializers.ValidationError("no")
        return Response({})


router = SimpleRouter()
router.register("users", Users)
router.register("many", Many, basename="many")
router.register("failing", Failing, basename="failing")
urlpatterns = [*router.urls, path("own/", Own.as_view()), path("async/", Async.as_view())]


@pytest.fixture(autouse=True)
def service() -> Iterator[None]:
    middleware = ["lintel.requestlog.RequestLogMiddleware"]
    with override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=middleware):
        yield
    # Other tests count statements, which are more with receivers of signals.
    watching.end()


def entries() -> list[tuple[str, str, str, list[str]]]:
    return [
        (entry.action, entry.model, entry.object_key, entry.fields)
        for entry in AuditEntry.objects.order_by("id")
    ]


def test_a_write_leaves_who_what_and_from_where() -> None:
    ada = User.objects.create_user("ada")
    token = Token.objects.create(user=ada)
    client = APIClient(REMOTE_ADDR="203.0.113.9", HTTP_AUTHORIZATION=f"Token {token.key}")
    response = client.post("/users/", {"username": "bob"}, format="json")
    assert response.status_code == 201
    (entry,) = AuditEntry.objects.all()
    assert (entry.user, entry.token, entry.client) == (str(ada.pk), "Token", "")
    assert (entry.address, entry.request_id) == ("203.0.113.9", response["X-Request-ID"])
    assert (entry.action, entry.model) == ("create", "auth.User")
    assert entry.object_key == str(response.json()["id"])
    assert "username" in entry.fields
    assert token.key not in str(entry.__dict__)


def test_updates_name_what_is_different_now() -> None:
    group = Group.objects.create(name="readers")
    user = User.objects.create_user("ada", first_name="Ada")
    url, client = f"/users/{user.pk}/", APIClient()
    same = {"username": "ada", "first_name": "Ada"}
    assert client.put(url, same, format="json").status_code == 200
    assert entries() == []
    client.patch(url, {"first_name": "Countess"}, format="json")
    client.patch(url, {"groups": [group.pk]}, format="json")
    assert entries() == [
        ("update", "auth.User", str(user.pk), ["first_name"]),
        ("update", "auth.User", str(user.pk), ["groups"]),
    ]
    assert "Countess" not in str(list(AuditEntry.objects.values()))


def test_deletions_name_what_is_gone() -> None:
    user = User.objects.create_user("ada")
    Token.objects.create(user=user)
    pk = user.pk
    assert APIClient().delete(f"/users/{pk}/").status_code == 204
    assert ("delete", "auth.User", str(pk), []) in entries()


def test_refused_and_failed_writes_leave_nothing() -> None:
    client = APIClient()
    assert client.post("/users/", {"username": "not valid"}, format="json").status_code == 400
    assert client.post("/failing/", {"username": "bob"}, format="json").status_code == 400
    assert client.patch("/users/4711/", {"username": "bob"}, format="json").status_code == 404
    assert entries() == []
    assert not User.objects.exists()


def test_bulk_requests_leave_an_entry_for_each_row() -> None:
    rows = [{"username": f"u{number}"} for number in range(3)]
    response = APIClient().post("/many/", rows, format="json")
    assert response.status_code == 201
    keys = [str(row["id"]) for row in response.json()]
    assert [(entry[0], entry[2]) for entry in entries()] == [("create", key) for key in keys]


def test_code_of_the_project_is_heard_and_may_add_to_it() -> None:
    client = APIClient()
    assert client.get("/own/").status_code == 200
    assert entries() == []
    assert client.post("/own/").status_code == 200
    group = Group.objects.get(name="two")
    assert sorted(entries()) == [
        ("create", "auth.Group", str(group.pk), ["id", "name"]),
        ("rename everybody", "auth.Group", str(group.pk), ["first_name"]),
    ]


@pytest.mark.django_db(transaction=True)
def test_async_views_are_audited() -> None:
    async def ask() -> list[int]:
        client = AsyncClient()
        kind = "application/json"
        first = await client.post("/async/", '{"name": "a"}', content_type=kind)
        second = await client.post("/async/", '{"name": "b", "fails": true}', content_type=kind)
        return [first.status_code, second.status_code]

    assert asyncio.run(ask()) == [200, 400]
    assert [entry[:2] for entry in entries()] == [("create", "auth.Group")]
    assert Group.objects.count() == 1


def test_nothing_outside_of_audited_requests_is_recorded() -> None:
    user = User.objects.create_user("ada")
    user.first_name = "Ada"
    user.save()
    user.delete()
    assert entries() == []


def test_record_belongs_to_the_transaction_around_it() -> None:
    request = RequestFactory().post("/")
    group = Group.objects.create(name="readers")
    with suppress(IntegrityError), transaction.atomic():
        audit.record(request, "rename", group)
        Group.objects.create(name="readers")  # there is one of this name
    assert entries() == []
    audit.record(request, "x" * 500, group)
    assert entries() == [("x" * 100, "auth.Group", str(group.pk), [])]


def test_credentials_are_named_and_never_stored() -> None:
    user = User.objects.create_user("ada")
    token = Token.objects.create(user=user)
    claims = {"jti": "abc", "client_id": "shop"}
    assert credential_of(AccessToken(claims, frozenset())) == ("AccessToken:abc", "shop")
    assert credential_of({"azp": "shop"}) == ("dict:", "shop")
    assert credential_of(HashedToken(pk=7)) == ("HashedToken:7", "")
    assert credential_of(None) == ("", "")
    assert credential_of("secret") == ("str", "")
    assert token.key not in credential_of(token)[0]


def test_the_admin_only_reads() -> None:
    page = AuditEntryAdmin(AuditEntry, site)
    request = RequestFactory().get("/")
    request.user = User(is_superuser=True, is_active=True, is_staff=True)
    allowed = page.get_model_perms(request)
    assert allowed == {"add": False, "change": False, "delete": False, "view": True}


@modify_settings(INSTALLED_APPS={"remove": "lintel.audit"})
def test_without_the_app_a_write_says_what_to_do() -> None:
    with pytest.raises(ImproperlyConfigured, match="INSTALLED_APPS"):
        APIClient().post("/users/", {"username": "bob"}, format="json")
    assert not User.objects.exists()
