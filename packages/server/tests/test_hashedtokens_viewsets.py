"""The tokens of the caller."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection
from django.test import modify_settings
from django.urls import include, path
from django.utils import timezone

from lintel.authentication import SessionAuthentication, TokenAuthentication
from lintel.authtoken.models import Token
from lintel.hashedtokens.authentication import HashedTokenAuthentication
from lintel.hashedtokens.models import HashedToken
from lintel.hashedtokens.viewsets import HashedTokenViewSet
from lintel.routers import SimpleRouter
from lintel.schemas.openapi import SchemaGenerator
from lintel.test import APIClient

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


class Plain(TokenAuthentication):
    keyword = "Plain"


class Tokens(HashedTokenViewSet):
    authentication_classes = [HashedTokenAuthentication, Plain, SessionAuthentication]


class ByTokens(Tokens):
    by_tokens = True
    max_lifetime = timedelta(days=30)
    tokens_per_user = 3


router = SimpleRouter()
router.register("tokens", Tokens, basename="token")
router.register("by-tokens", ByTokens, basename="by-token")
urlpatterns = [path("", include(router.urls))]


@pytest.fixture(autouse=True, scope="module")
def _table(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """The app, installed for this module alone."""
    installed = modify_settings(INSTALLED_APPS={"append": "lintel.hashedtokens"})
    with installed, django_db_blocker.unblock():
        apps.clear_cache()
        with connection.schema_editor() as editor:
            editor.create_model(HashedToken)
        yield
        with connection.schema_editor() as editor:
            editor.delete_model(HashedToken)
    apps.clear_cache()


@pytest.fixture(autouse=True)
def alice() -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def session(alice: User) -> APIClient:
    client = APIClient()
    client.force_login(alice)
    return client


def by(token: Any, word: str = "Token") -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"{word} {token.key}")
    return client


def test_a_key_is_shown_once(session: APIClient) -> None:
    end = timezone.now() + timedelta(days=1)
    body = {"name": "phone", "scopes": ["b", "a"], "expires": end, "idle_seconds": 3600}
    made = session.post("/tokens/", body, format="json")
    assert (made.status_code, made.headers["Cache-Control"]) == (201, "no-store")
    found = made.json()
    key = found.pop("key")
    assert len(key) == 48
    assert set(found["scopes"]) == {"a", "b"}
    listed = session.get("/tokens/")
    assert listed.json() == [found]
    assert key not in listed.content.decode()
    assert session.get(f"/tokens/{found['id']}/").json() == found
    assert (found["name"], found["idle_seconds"], found["last_used"]) == ("phone", 3600, None)


def test_tokens_of_others_do_not_exist(session: APIClient) -> None:
    theirs = HashedToken.objects.create(user=User.objects.create_user("bob"))
    assert session.get("/tokens/").json() == []
    for method, where in (("get", ""), ("delete", ""), ("post", "rotate/")):
        assert getattr(session, method)(f"/tokens/{theirs.pk}/{where}").status_code == 404
    assert APIClient().get("/tokens/").status_code == 401


def test_revoked_tokens_leave_the_list(session: APIClient, alice: User) -> None:
    token = HashedToken.objects.create(user=alice)
    assert session.delete(f"/tokens/{token.pk}/").status_code == 204
    assert session.get("/tokens/").json() == []
    assert session.delete(f"/tokens/{token.pk}/").status_code == 404
    assert by(token).get("/tokens/").status_code == 401
    assert HashedToken.objects.get().revoked is not None


def test_a_token_is_replaced(session: APIClient, alice: User) -> None:
    token = HashedToken.objects.create(user=alice, name="phone", scopes=["a"])
    made = session.post(f"/tokens/{token.pk}/rotate/")
    assert (made.status_code, made.headers["Cache-Control"]) == (201, "no-store")
    assert (made.json()["name"], made.json()["scopes"]) == ("phone", ["a"])
    assert made.json()["key"] not in (None, token.key)
    assert [each["id"] for each in session.get("/tokens/").json()] == [made.json()["id"]]


def test_a_token_sees_itself_alone_and_creates_none(session: APIClient, alice: User) -> None:
    own, other = (HashedToken.objects.create(user=alice) for _ in "ab")
    client = by(own)
    assert [each["id"] for each in client.get("/tokens/").json()] == [own.pk]
    assert client.get(f"/tokens/{other.pk}/").status_code == 404
    refused = client.post("/tokens/", {"name": "x"}, format="json")
    assert refused.status_code == 403
    assert "not by a token" in refused.json()["detail"]
    plain = by(Token.objects.create(user=alice), "Plain")
    assert plain.get("/tokens/").json() == []
    assert plain.post("/tokens/", {}, format="json").status_code == 403
    new = client.post(f"/tokens/{own.pk}/rotate/").json()
    own.key = new["key"]
    assert by(own).delete(f"/tokens/{new['id']}/").status_code == 204


def test_by_setting_tokens_create_tokens_that_may_and_last_no_more(alice: User) -> None:
    end = timezone.now() + timedelta(days=1)
    creator = by(HashedToken.objects.create(user=alice, scopes=["a", "b"], expires=end))
    for scopes in (["a", "c"], ["c"]):
        refused = creator.post("/by-tokens/", {"scopes": scopes}, format="json")
        assert refused.status_code == 400
        assert "scopes" in refused.json()
    made = creator.post("/by-tokens/", {}, format="json").json()
    assert made["scopes"] == ["a", "b"]
    late = {"expires": timezone.now() + timedelta(days=9), "scopes": ["a"]}
    made = creator.post("/by-tokens/", late, format="json").json()
    assert made["scopes"] == ["a"]
    assert HashedToken.objects.get(pk=made["id"]).expires == end
    assert creator.post("/by-tokens/", {}, format="json").status_code == 400


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"scopes": ["a", "b"], "expires": True, "idle_seconds": 60},
        {"scopes": ["a"], "idle_seconds": 60},
        {"scopes": ["a"], "expires": True},
        {"scopes": ["a"], "expires": True, "idle_seconds": 61},
    ],
)
def test_tokens_replace_no_token_that_may_do_more(alice: User, more: Any) -> None:
    end = timezone.now() + timedelta(days=1)
    least = {"user": alice, "scopes": ["a"], "expires": end, "idle_seconds": 60}
    other = HashedToken.objects.create(
        user=alice, **{**more, **({"expires": end} if "expires" in more else {})}
    )
    own = HashedToken.objects.create(**least)
    refused = by(own).post(f"/by-tokens/{other.pk}/rotate/")
    assert (refused.status_code, "key" in refused.json()) == (403, False)
    other.refresh_from_db()
    assert other.replaced is None
    equal = HashedToken.objects.create(**least)
    assert by(own).post(f"/by-tokens/{equal.pk}/rotate/").status_code == 201
    assert by(own).post(f"/by-tokens/{own.pk}/rotate/").status_code == 201


def test_a_token_that_ends_by_disuse_creates_such_tokens(alice: User) -> None:
    creator = by(HashedToken.objects.create(user=alice, idle_seconds=600))
    given = [
        creator.post("/by-tokens/", body, format="json").json()["idle_seconds"]
        for body in ({}, {"idle_seconds": 6000})
    ]
    assert given == [600, 600]


def test_lifetimes_are_limited(session: APIClient) -> None:
    made = session.post("/by-tokens/", {}, format="json").json()
    left = HashedToken.objects.get(pk=made["id"]).expires - timezone.now()
    assert timedelta(days=29) < left < timedelta(days=31)


@pytest.mark.parametrize(
    "body",
    [
        {"expires": "2001-01-01T00:00:00Z"},
        {"expires": "x"},
        {"idle_seconds": 59},
        {"idle_seconds": 10**12},
        {"scopes": "a"},
        {"scopes": ["a b"]},
        {"scopes": ['"']},
        {"scopes": [{}]},
        {"scopes": [""]},
        {"scopes": ["a" * 101]},
        {"scopes": [f"{number:090}" for number in range(50)]},
        {"name": "x" * 101},
        {"name": "\0"},
    ],
)
def test_wrong_input_is_400_at_its_place(session: APIClient, body: Any) -> None:
    refused = session.post("/tokens/", body, format="json")
    assert refused.status_code == 400
    assert set(refused.json()) == set(body)
    assert not HashedToken.objects.exists()


def test_scopes_are_those_of_the_setting(session: APIClient, settings: Any) -> None:
    settings.REST_FRAMEWORK = {"SCOPES": {"notes:read": "Read notes"}}
    assert session.post("/tokens/", {"scopes": ["notes:read"]}, format="json").status_code == 201
    refused = session.post("/tokens/", {"scopes": ["notes:read", "x"]}, format="json")
    assert refused.json() == {"scopes": {"1": ['"x" is not a valid choice.']}}


def test_the_key_is_described_where_it_is_shown(settings: Any) -> None:
    settings.REST_FRAMEWORK = {"OPENAPI_VERSION": "3.1", "SCOPES": {"a": "", "b": ""}}
    described = SimpleRouter()
    described.register("tokens", Tokens, basename="token")
    document = SchemaGenerator(patterns=described.urls).get_schema()
    components = document["components"]["schemas"]
    assert "key" in components["NewToken"]["properties"]
    assert "key" not in components["HashedToken"]["properties"]
    assert components["HashedToken"]["properties"]["scopes"]["items"]["enum"] == ["a", "b"]
