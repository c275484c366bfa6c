"""Access tokens of an issuer: who is let in, what is refused, and what clients are told."""

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.test import AsyncRequestFactory
from django.urls import path
from issuers import (
    AUDIENCE,
    ISSUER,
    Issuer,
    by_secret,
    claims,
    ec_key,
    ed_key,
    encoded,
    jwk_of,
    public_pem,
    rsa_key,
    served_issuer,
    signed,
    token,
)
from jwcrypto import jwe, jwk

from lintel.authentication import BasicAuthentication, SessionAuthentication
from lintel.checks import settings_check
from lintel.jwt import AccessToken, JWTAuthentication
from lintel.permissions import HasScopes, IsAdminUser, IsAuthenticated
from lintel.protected_resources import protected_resource
from lintel.response import Response
from lintel.schemas.openapi import SchemaGenerator
from lintel.test import APIClient, APIRequestFactory
from lintel.views import APIView

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


class Who(APIView):
    authentication_classes = [JWTAuthentication]
    permission_classes = [IsAuthenticated]

    def get(self, request: Any) -> Response:
        return Response({"user": str(request.user), "scopes": sorted(request.auth.scopes)})


class AsyncUsers(JWTAuthentication):
    async def get_user(self, claims: Any) -> Any:  # type: ignore[override]
        return await User.objects.filter(username=claims["sub"]).afirst()


class AsyncWho(Who):
    authentication_classes = [AsyncUsers]

    async def get(self, request: Any) -> Response:  # type: ignore[override]
        return super().get(request)


class Notes(APIView):
    authentication_classes = [JWTAuthentication, SessionAuthentication]
    permission_classes = [HasScopes]
    required_scopes = {"GET": ["notes:read"], "*": ["notes:read", "notes:write"]}

    def get(self, request: Any) -> Response:
        return Response({})

    def post(self, request: Any) -> Response:
        return Response({})


class NotesOfAdmins(Notes):
    permission_classes = [HasScopes | IsAdminUser]


class Forgotten(Notes):
    required_scopes = None  # type: ignore[assignment]


class Several(APIView):
    authentication_classes = [SessionAuthentication, JWTAuthentication, BasicAuthentication]
    permission_classes = [IsAuthenticated]

    def get(self, request: Any) -> Response:
        return Response({})


class Other(JWTAuthentication):
    issuer = "https://other.example"


class Ours(JWTAuthentication):
    leaves_others = True


class TwoIssuers(Who):
    authentication_classes = [Ours, Other]


urlpatterns = [
    path("who/", Who.as_view()),
    path("loop/", AsyncWho.as_view()),
    path("sync/", type("SyncWho", (Who,), {"authentication_classes": [AsyncUsers]}).as_view()),
    path("notes/", Notes.as_view()),
    path("admins/", NotesOfAdmins.as_view()),
    path("forgotten/", Forgotten.as_view()),
    path("several/", Several.as_view()),
    path("two/", TwoIssuers.as_view()),
    path(".well-known/oauth-protected-resource", protected_resource),
    path(".well-known/oauth-protected-resource/<path:resource>", protected_resource),
]


@pytest.fixture
def issuer(settings: Any) -> Iterator[Issuer]:
    with served_issuer() as found:
        settings.REST_FRAMEWORK = found.settings
        yield found


@pytest.fixture(autouse=True)
def alice() -> User:
    return User.objects.create_user("alice", password="alice-pw")


def get(found: str, where: str = "/who/", method: str = "get") -> Any:
    client = APIClient(raise_request_exception=False)
    return getattr(client, method)(where, headers={"Authorization": f"Bearer {found}"})


def test_a_token_of_the_issuer_is_its_user(issuer: Issuer) -> None:
    answer = get(token(scope="notes:read notes:write"))
    assert answer.json() == {"user": "alice", "scopes": ["notes:read", "notes:write"]}
    assert [get(token()).status_code for _ in range(3)] == [200] * 3
    assert issuer.asked == 1


@pytest.mark.parametrize("scp", [["a", "b"], "a b"])
def test_scopes_are_also_read_where_other_issuers_write_them(issuer: Issuer, scp: Any) -> None:
    assert get(token(scp=scp)).json()["scopes"] == ["a", "b"]


@pytest.mark.parametrize("scope", [7, [7, {}], {"a": 1}, "", "  "])
def test_nonsense_is_no_scope(issuer: Issuer, scope: Any) -> None:
    assert get(token(scope=scope)).json()["scopes"] == []


@pytest.mark.parametrize(
    ("key", "name"), [(ec_key, "ES256"), (ed_key, "EdDSA"), (rsa_key, "PS256")]
)
def test_allowed_algorithms(issuer: Issuer, key: Any, name: str) -> None:
    issuer.keys = [jwk_of(rsa_key("other"), "other"), jwk_of(key())]
    assert get(token(key(), name)).status_code == 200


def test_tokens_work_on_the_event_loop_and_with_hooks_of_either_kind(issuer: Issuer) -> None:
    assert get(token(), "/sync/").json()["user"] == "alice"
    assert get(token(), "/loop/").json()["user"] == "alice"

    @async_to_sync
    async def ask(found: str) -> Any:
        header = {"Authorization": f"Bearer {found}"}
        response = await AsyncWho.as_view()(AsyncRequestFactory().get("/", headers=header))
        return response.status_code

    assert [ask(token()), ask(token(sub="nobody")), ask("x")] == [200, 401, 401]


# Attacks


def _wrapped() -> str:
    secret = jwk.JWK.from_pem(public_pem())
    header = {"alg": "RSA-OAEP", "enc": "A256GCM", "cty": "JWT", "typ": "at+jwt", "kid": "first"}
    made = jwe.JWE(token().encode(), json.dumps(header), recipient=secret)
    return str(made.serialize(compact=True))


def _header(**members: Any) -> str:
    return json.dumps({"alg": "RS256", "typ": "at+jwt", "kid": "first", **members})


def _own_key(**members: Any) -> str:
    """A token signed with another key, which its header brings or names."""
    return token(rsa_key("attacker"), headers=members)


GOOD = {"alg": "RS256", "typ": "at+jwt", "kid": "first"}

ATTACKS: dict[str, Any] = {
    "no signature": lambda: f"{encoded({**GOOD, 'alg': 'none'})}.{encoded(claims())}.",
    "alg none with a signature": lambda: (
        f"{encoded({**GOOD, 'alg': 'none'})}.{encoded(claims())}.AA"
    ),
    "alg NONE": lambda: f"{encoded({**GOOD, 'alg': 'nOnE'})}.{encoded(claims())}.AA",
    "public key as a secret": lambda: by_secret(public_pem(), {**GOOD, "alg": "HS256"}),
    "secret called RS256": lambda: by_secret(public_pem(), GOOD),
    "empty secret": lambda: by_secret(b"", {**GOOD, "alg": "HS256"}),
    "another key": lambda: token(rsa_key("attacker")),
    "algorithm not allowed": lambda: token(algorithm="RS512"),
    "key of the header": lambda: _own_key(jwk=jwk_of(rsa_key("attacker"))),
    "kid that is a path": lambda: _own_key(kid="../../../../dev/null"),
    "kid that is a URL": lambda: _own_key(kid="http://127.0.0.1:1/keys"),
    "kid that is SQL": lambda: _own_key(kid="' UNION SELECT 'secret"),
    "kid that is a list": lambda: signed(_header(kid=["first"]), json.dumps(claims())),
    "kid that is empty": lambda: signed(_header(kid=""), json.dumps(claims())),
    "jku": lambda: _own_key(jku="http://127.0.0.1:1/keys"),
    "x5u": lambda: _own_key(x5u="file:///etc/passwd"),
    "x5c": lambda: _own_key(x5c=[encoded(b"certificate")]),
    "critical extension": lambda: signed(_header(crit=["exp"]), json.dumps(claims())),
    "unencoded payload": lambda: signed(_header(b64=False, crit=["b64"]), json.dumps(claims())),
    "compression": lambda: signed(_header(zip="DEF"), json.dumps(claims())),
    "nested": lambda: signed(_header(cty="JWT"), json.dumps(claims())),
    "encrypted": _wrapped,
    "expired": lambda: token(exp=int(time.time()) - 60),
    "not yet valid": lambda: token(nbf=int(time.time()) + 300),
    "issued in the future": lambda: token(iat=int(time.time()) + 300),
    "other audience": lambda: token(aud="https://other.example/"),
    "longer audience": lambda: token(aud=AUDIENCE + "x"),
    "audiences without this": lambda: token(aud=["a", "b"]),
    "audience of another type": lambda: token(aud={AUDIENCE: 1}),
    "no audience": lambda: token(aud=None),
    "other issuer": lambda: token(iss="https://auth.example"),
    "issuer of another type": lambda: signed(_header(), json.dumps(claims(iss=[ISSUER]))),
    "no issuer": lambda: token(iss=None),
    "no end": lambda: token(exp=None),
    "no subject": lambda: token(sub=None),
    "end as text": lambda: token(exp=str(int(time.time()) + 300)),
    "end that is true": lambda: token(exp=True),
    "end without bounds": lambda: signed(
        _header(), json.dumps(claims()).replace('"exp": ', '"exp": 1e999, "x": ')
    ),
    "end that is no number": lambda: signed(_header(), json.dumps(claims(exp=float("nan")))),
    "subject of another type": lambda: signed(_header(), json.dumps(claims(sub={"a": 1}))),
    "subject with NUL": lambda: token(sub="alice\0"),
    "unknown subject": lambda: token(sub="mallory"),
    "ID token": lambda: token(headers={"typ": "JWT"}),
    "no type": lambda: token(headers={"typ": None}),
    "type of another type": lambda: signed(_header(typ=["at+jwt"]), json.dumps(claims())),
    "two algorithms": lambda: signed('{"alg": "none", ' + _header()[1:], json.dumps(claims())),
    "two subjects": lambda: signed(_header(), '{"sub": "mallory", ' + json.dumps(claims())[1:]),
    "header is a list": lambda: signed("[1]", json.dumps(claims())),
    "header is deep": lambda: signed("[" * 4000 + "]" * 4000, "{}"),
    "claims are a list": lambda: signed(_header(), "[1]"),
    "claims are deep": lambda: signed(_header(), '{"a":' + "[" * 4000 + "]" * 4000 + "}"),
    "claims are no text": lambda: signed(
        _header(), "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")
    ),
    "huge": lambda: token(a="x" * 20_000),
    "cut in the signature": lambda: token()[:-20],
    "cut in the claims": lambda: token().rsplit(".", 1)[0][:-20],
    "no header": lambda: token().partition(".")[2],
    "one bit changed": lambda: _changed(token()),
    "padding": lambda: token() + "==",
    "other characters": lambda: token().replace(".", ".\xe9", 1),
    "two tokens": lambda: f"{token()} {token()}",
    "dots": lambda: "..",
    "nothing": lambda: "",
}


def _changed(found: str) -> str:
    head, _, tail = found.rpartition(".")
    return f"{head}.{'B' if tail[0] == 'A' else 'A'}{tail[1:]}"


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_attacks(issuer: Issuer, attack: Any) -> None:
    answer = get(attack())
    assert answer.status_code == 401, answer.content
    assert answer.headers["WWW-Authenticate"].count('error="invalid_token"') == 1
    assert answer.json()["detail"] in ("Invalid token.", "The token has expired.")
    assert issuer.asked <= 2


def test_hidden_members_of_a_key_make_no_difference(issuer: Issuer) -> None:
    """Keys for encryption, of other kinds, and secrets in the set check nothing."""
    secret = {"kty": "oct", "k": encoded(b"secret" * 8), "kid": "first", "alg": "HS256"}
    issuer.keys = [secret, jwk_of(rsa_key(), use="enc"), jwk_of(rsa_key(), key_ops=["sign"])]
    issuer.keys.append(jwk_of(rsa_key(), alg="PS256"))
    assert get(token()).status_code == 401
    assert get(by_secret(b"secret" * 8, {**GOOD, "alg": "HS256"})).status_code == 401
    assert get(token(algorithm="PS256")).status_code == 200


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
def test_short_keys_are_refused(issuer: Issuer) -> None:
    issuer.keys = [jwk_of(rsa_key("short", 1024))]
    assert get(token(rsa_key("short", 1024))).status_code == 401


def test_keys_of_one_name_are_tried_one_after_the_other(issuer: Issuer) -> None:
    issuer.keys = [jwk_of(rsa_key("other")), jwk_of(rsa_key())]
    assert get(token()).status_code == 200


def test_without_a_name_there_must_be_one_key(issuer: Issuer) -> None:
    issuer.keys = [jwk_of(rsa_key()), jwk_of(ec_key(), "ec")]
    assert get(token(headers={"kid": None})).status_code == 200
    assert get(token(ec_key(), "ES256", headers={"kid": None})).status_code == 200


def test_without_a_name_several_keys_are_no_choice(issuer: Issuer) -> None:
    issuer.keys = [jwk_of(rsa_key()), jwk_of(rsa_key("other"), "other")]
    assert get(token(headers={"kid": None})).status_code == 401


def test_clocks_may_differ_a_little(issuer: Issuer) -> None:
    now = int(time.time())
    assert get(token(exp=now - 5)).status_code == 200
    assert get(token(nbf=now + 15, iat=now + 15)).status_code == 200


def test_expired_tokens_say_so(issuer: Issuer, settings: Any) -> None:
    settings.REST_FRAMEWORK = {**issuer.settings, "ERROR_FORMAT": "problem"}
    answer = get(token(exp=int(time.time()) - 60))
    assert answer.json()["code"] == "token_expired"
    assert answer.json()["detail"] == "The token has expired."


def test_inactive_users_are_refused(issuer: Issuer, alice: User) -> None:
    alice.is_active = False
    alice.save()
    assert get(token()).status_code == 401


def test_tokens_of_another_issuer_are_left_to_the_next_scheme(issuer: Issuer) -> None:
    assert get(token(), "/two/").status_code == 200
    assert get(token(iss="https://other.example"), "/two/").status_code == 200
    for wrong in (token(iss="https://third.example"), "opaque", token(rsa_key("attacker"))):
        assert get(wrong, "/two/").status_code == 401


def test_a_token_shows_nothing_of_itself() -> None:
    assert repr(AccessToken({"sub": "alice"}, frozenset(["a"]))) == (
        "AccessToken(scopes=frozenset({'a'}))"
    )
    assert AccessToken({"azp": "web"}).client_id == "web"
    assert AccessToken({"client_id": 7}).client_id is None


@pytest.mark.parametrize(
    "changed",
    [{"JWT_ISSUER": None}, {"JWT_AUDIENCE": []}, {"JWT_KEYS_URL": ""}]
    + [{"JWT_KEYS_URL": url} for url in ("http://10.0.0.1/", "file:///etc/passwd", "https:///x")],
)
def test_what_is_expected_must_be_said(issuer: Issuer, settings: Any, changed: Any) -> None:
    settings.REST_FRAMEWORK = {**issuer.settings, **changed}
    with pytest.raises(ImproperlyConfigured):
        APIClient().get("/who/", headers={"Authorization": f"Bearer {token()}"})


@pytest.mark.parametrize("algorithms", [["HS256"], ["none"], []])
def test_secrets_and_nothing_are_no_algorithms(
    issuer: Issuer, monkeypatch: Any, algorithms: Any
) -> None:
    monkeypatch.setattr(JWTAuthentication, "algorithms", algorithms)
    with pytest.raises(ImproperlyConfigured):
        APIClient().get("/who/", headers={"Authorization": f"Bearer {token()}"})


# Scopes


def test_scopes_decide(issuer: Issuer) -> None:
    reads, writes = token(scope="notes:read"), token(scope="notes:write notes:read")
    assert get(reads, "/notes/").status_code == 200
    assert get(reads, "/notes/", "head").status_code == 200
    assert get(reads, "/notes/", "options").status_code == 200
    assert get(reads, "/notes/", "delete").status_code == 405
    assert get(writes, "/notes/", "post").status_code == 200
    refused = get(reads, "/notes/", "post")
    assert refused.status_code == 403
    assert refused.headers["WWW-Authenticate"] == (
        'Bearer error="insufficient_scope", scope="notes:read notes:write"'
    )


def test_other_credentials_have_no_scopes(issuer: Issuer, alice: User, monkeypatch: Any) -> None:
    client = APIClient()
    client.force_login(alice)
    assert client.get("/notes/").status_code == 403
    monkeypatch.setattr(HasScopes, "allow_without_scopes", True)
    assert client.get("/notes/").status_code == 200
    assert APIClient().get("/notes/").status_code == 401
    assert get(token(), "/notes/").status_code == 403


def test_scopes_combine_with_other_permissions(issuer: Issuer, alice: User) -> None:
    refused = get(token(), "/admins/")
    assert refused.status_code == 403
    assert "WWW-Authenticate" not in refused.headers
    alice.is_staff = True
    alice.save()
    assert get(token(), "/admins/").status_code == 200


def test_forgotten_scopes_are_a_mistake_of_the_view(issuer: Issuer) -> None:
    with pytest.raises(ImproperlyConfigured, match="Forgotten is checked by HasScopes"):
        APIClient().get("/forgotten/", headers={"Authorization": f"Bearer {token()}"})


# What clients are told


def test_clients_learn_who_issues_tokens(issuer: Issuer, settings: Any) -> None:
    settings.REST_FRAMEWORK = {
        **issuer.settings,
        "JWT_AUDIENCE": ["api", "http://testserver/v1"],
        "SCOPES": {"notes:read": "Read notes"},
        "API_TITLE": "Notes",
    }
    told = 'Bearer resource_metadata="http://testserver/.well-known/oauth-protected-resource/v1"'
    assert APIClient().get("/who/").headers["WWW-Authenticate"] == told
    assert get("x").headers["WWW-Authenticate"] == f'{told}, error="invalid_token"'
    asked = APIClient().get("/notes/").headers["WWW-Authenticate"]
    assert asked == f'{told}, scope="notes:read"'
    assert APIClient().get("/.well-known/oauth-protected-resource/v1").json() == {
        "resource": "http://testserver/v1",
        "authorization_servers": [ISSUER],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["notes:read"],
        "resource_name": "Notes",
    }
    assert APIClient().get("/.well-known/oauth-protected-resource").status_code == 404


def test_an_audience_that_is_no_url_is_the_root(issuer: Issuer, settings: Any) -> None:
    settings.REST_FRAMEWORK = {**issuer.settings, "JWT_AUDIENCE": "notes"}
    found = APIClient().get("/.well-known/oauth-protected-resource").json()
    assert found["resource"] == "http://testserver/"
    assert get(token(aud="notes")).status_code == 200


def test_by_setting_all_schemes_challenge(issuer: Issuer, settings: Any) -> None:
    assert APIClient().get("/several/").status_code == 403
    settings.REST_FRAMEWORK = {**issuer.settings, "CHALLENGES": "all", "JWT_AUDIENCE": "notes"}
    answer = APIClient().get("/several/")
    metadata = "http://testserver/.well-known/oauth-protected-resource"
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == (
        f'Bearer resource_metadata="{metadata}", Basic realm="api"'
    )
    wrong = APIClient().get("/several/", headers={"Authorization": "Basic YTpi"})
    assert "invalid_token" not in wrong.headers["WWW-Authenticate"]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_schema_lists_scopes(issuer: Issuer, settings: Any) -> None:
    for version, named in (("3.1", ["notes:read"]), ("3.0.3", [])):
        settings.REST_FRAMEWORK = {**issuer.settings, "OPENAPI_VERSION": version}
        document = SchemaGenerator().get_schema()
        get_notes = document["paths"]["/notes/"]["get"]
        assert get_notes["security"] == [{"bearerAuth": named}, {"cookieAuth": []}]
        assert document["components"]["securitySchemes"]["bearerAuth"] == {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "JWT",
        }


def test_settings_of_tokens_are_checked(settings: Any) -> None:
    settings.REST_FRAMEWORK = {"CHALLENGES": "both", "SCOPES": {"a b": ""}}
    assert [each.id for each in settings_check(None)] == ["lintel.E024"] * 2


class ByKey(JWTAuthentication):
    user_field = "pk"


@pytest.mark.parametrize("subject", ["bob", "\ud800", "alice\ud800", "1.5", "9" * 40])
def test_a_subject_that_no_user_can_have(issuer: Issuer, subject: str) -> None:
    made = signed('{"alg": "RS256", "typ": "at+jwt"}', json.dumps(claims(sub=subject)))
    for scheme in (JWTAuthentication, ByKey):
        view = Who.as_view(authentication_classes=[scheme])
        request = APIRequestFactory().get("/", headers={"Authorization": f"Bearer {made}"})
        assert view(request).status_code == 401


def test_the_end_of_a_token() -> None:
    moment = datetime(2030, 1, 1, tzinfo=UTC)
    assert AccessToken({"exp": moment.timestamp()}).expires == moment
    assert [AccessToken(each).expires for each in ({}, {"exp": 1e300})] == [None, None]
