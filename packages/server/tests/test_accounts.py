"""django-allauth beside an API: a real project in a process of its own."""

from typing import Any

import pytest
from other_processes import folder_with, printed_by

ALLAUTH = "django-allauth==65.22.1"

SETTINGS = """
    SECRET_KEY = "tests"
    ALLOWED_HOSTS = ["*"]
    USE_TZ = True
    ROOT_URLCONF = "shop.urls"
    INSTALLED_APPS = [
        "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions",
        "django.contrib.messages", "allauth", "allauth.account", "allauth.mfa",
        "allauth.usersessions", "allauth.headless", "lintel",
    ]
    MIDDLEWARE = [
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "allauth.account.middleware.AccountMiddleware",
    ]
    AUTHENTICATION_BACKENDS = [
        "django.contrib.auth.backends.ModelBackend",
        "allauth.account.auth_backends.AuthenticationBackend",
    ]
    TEMPLATES = [{
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }]
    DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
    EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    HEADLESS_ONLY = True
    HEADLESS_CLIENTS = ("app",)
    HEADLESS_SERVE_SPECIFICATION = True
    HEADLESS_FRONTEND_URLS = {
        "account_signup": "https://app.example/signup",
        "account_confirm_email": "https://app.example/confirm/{key}",
        "account_reset_password": "https://app.example/reset",
        "account_reset_password_from_key": "https://app.example/reset/{key}",
    }
    MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
    MFA_PASSKEY_LOGIN_ENABLED = True
    REST_FRAMEWORK = {
        "DEFAULT_AUTHENTICATION_CLASSES": ["lintel.accounts.SessionTokenAuthentication"],
        "DEFAULT_PERMISSION_CLASSES": ["lintel.permissions.IsAuthenticated"],
        "OPENAPI_VERSION": "3.1",
    }
    SPECTACULAR_SETTINGS = {"POSTPROCESSING_HOOKS": ["lintel.accounts.with_accounts"]}
"""

URLS = """
    from django.urls import include, path
    from lintel import serializers
    from lintel.generics import GenericAPIView
    from lintel.response import Response
    from lintel.schemas import get_schema_view

    class UserSerializer(serializers.Serializer):
        user = serializers.CharField()

    class Me(GenericAPIView):
        serializer_class = UserSerializer
        def get(self, request):
            return Response({"user": request.user.username})

    urlpatterns = [
        path("me/", Me.as_view()),
        path("auth/", include("allauth.headless.urls")),
    ]
"""

SCRIPT = """
import json, sys
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.contrib.auth.models import User
from django.test import Client
from lintel.schemas.openapi import SchemaGenerator
from lintel_codecs.openapi import OpenAPICodec
from openapi_spec_validator import validate

client = Client()
def ask(method, where, body=None, **headers):
    call = getattr(client, method)
    sent = {} if body is None else {"data": body, "content_type": "application/json"}
    answer = call(where, headers=headers, **sent)
    return answer.status_code, json.loads(answer.content or "null")

new = {"username": "alice", "email": "a@example.com", "password": "Xy12-long-one"}
signed_up = ask("post", "/auth/app/v1/auth/signup", new)
token = signed_up[1]["meta"]["session_token"]
found = {"signed_up": signed_up[0]}
found["me"] = ask("get", "/me/", **{"X-Session-Token": token})
found["wrong"] = [
    ask("get", "/me/", **({"X-Session-Token": each} if each else {}))[0]
    for each in ("", "x", token + "x", "a" * 5000, "caf\\u00e9")
]
found["challenge"] = client.get("/me/").headers["WWW-Authenticate"]
login = {"username": "alice", "password": "Xy12-long-one"}
again = ask("post", "/auth/app/v1/auth/login", login)
second = again[1]["meta"]["session_token"]
found["second"] = ask("get", "/me/", **{"X-Session-Token": second})[0]
ask("delete", "/auth/app/v1/auth/session", **{"X-Session-Token": second})
found["ended"] = ask("get", "/me/", **{"X-Session-Token": second})[0]
User.objects.update(is_active=False)
found["inactive"] = ask("get", "/me/", **{"X-Session-Token": token})[0]
User.objects.update(is_active=True)
alice = User.objects.get()
alice.set_password("other")
alice.save()
found["after a change of the password"] = ask("get", "/me/", **{"X-Session-Token": token})[0]

from django.conf import settings
document = SchemaGenerator(title="Shop", version="1").get_schema()
validate(document)
found["paths"] = sorted(document["paths"])
found["security"] = document["paths"]["/me/"]["get"]["security"]
found["schemas"] = sorted(document["components"]["schemas"])
found["schemes"] = document["components"]["securitySchemes"]
found["nullable"] = "nullable" in json.dumps(document)
links = OpenAPICodec().decode(json.dumps(document).encode(), base_url="http://testserver/")
def urls(node):
    for name, each in getattr(node, "data", {}).items():
        yield from urls(each)
    for name, each in getattr(node, "links", {}).items():
        yield each.action.upper() + " " + each.url
found["links"] = sorted(urls(links))
print("found:" + json.dumps(found))
"""


SECOND_FACTOR = """
import json
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal import auth
from django.core.cache import cache
from django.test import Client

client = Client()
def ask(method, where, body=None, token=None):
    sent = {} if body is None else {"data": body, "content_type": "application/json"}
    headers = {"X-Session-Token": token} if token else {}
    answer = getattr(client, method)(where, headers=headers, **sent)
    return answer.status_code, json.loads(answer.content or "null")

def code():
    counter = next(auth.yield_hotp_counters_from_time())
    return auth.format_hotp_value(auth.hotp_value(secret, counter))

APP = "/auth/app/v1/"
password = {"password": "Xy12-long-one"}
new = {"username": "alice", "email": "a@example.com", **password}
token = ask("post", APP + "auth/signup", new)[1]["meta"]["session_token"]
EmailAddress.objects.update(verified=True)
ask("post", APP + "auth/reauthenticate", password, token)
secret = ask("get", APP + "account/authenticators/totp", token=token)[1]["meta"]["secret"]
found = {}
found["activated"] = ask("post", APP + "account/authenticators/totp", {"code": code()}, token)[0]
status, begun = ask("post", APP + "auth/login", {"username": "alice", **password})
half = begun["meta"]["session_token"]
found["begun"] = [status, ask("get", "/me/", token=half)[0]]
wrong = "000000" if code() != "000000" else "000001"
status, _ = ask("post", APP + "auth/2fa/authenticate", {"code": wrong}, half)
found["wrong"] = [status, ask("get", "/me/", token=half)[0]]
cache.clear()  # the code has been used to activate it
status, whole = ask("post", APP + "auth/2fa/authenticate", {"code": code()}, half)
found["whole"] = [status, ask("get", "/me/", token=whole["meta"]["session_token"])]
status, options = ask("get", APP + "auth/webauthn/login")
found["passkey"] = [status, ask("get", "/me/", token=options["meta"]["session_token"])[0]]
found["challenge"] = options["data"]["request_options"]["publicKey"]["challenge"]
print("found:" + json.dumps(found))
"""


PASSWORD = """
import json, re
from urllib.parse import unquote
import django
django.setup()
from django.core import mail
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.core.cache import cache
from django.test import Client
mail.outbox = []

client = Client()
def ask(method, where, body=None, token=None):
    sent = {} if body is None else {"data": body, "content_type": "application/json"}
    headers = {"X-Session-Token": token} if token else {}
    answer = getattr(client, method)(where, headers=headers, **sent)
    cache.clear()
    return answer.status_code, json.loads(answer.content or "null")

def key(place):
    found = re.search("https://app.example/" + place + "/([^ \\n]+)", mail.outbox[-1].body)
    return unquote(found[1])

APP = "/auth/app/v1/auth/"
new = {"username": "alice", "email": "a@example.com", "password": "Xy12-long-one"}
token = ask("post", APP + "signup", new)[1]["meta"]["session_token"]
found = {"address": [ask("post", APP + "email/verify", {"key": "x"})[0]]}
found["address"].append(ask("post", APP + "email/verify", {"key": key("confirm")}, token)[0])
before = len(mail.outbox)
found["asked"] = ask("post", APP + "password/request", {"email": "a@example.com"})[0]
found["unknown"] = ask("post", APP + "password/request", {"email": "b@example.com"})[0]
mail.outbox = [each for each in mail.outbox[before:] if each.to == ["a@example.com"]]
given = key("reset")
changed = {"key": given, "password": "Zz98-another-one"}
found["wrong"] = ask("post", APP + "password/reset", {**changed, "key": given + "x"})[0]
found["weak"] = ask("post", APP + "password/reset", {**changed, "password": ""})[0]
found["reset"] = ask("post", APP + "password/reset", changed)[0]
found["again"] = ask("post", APP + "password/reset", changed)[0]
found["session before"] = ask("get", "/me/", token=token)[0]
login = {"username": "alice", "password": "Zz98-another-one"}
status, whole = ask("post", APP + "login", login)
found["after"] = [status, *ask("get", "/me/", token=whole["meta"]["session_token"])]
found["old password"] = ask("post", APP + "login", {**login, "password": "Xy12-long-one"})[0]
print("found:" + json.dumps(found))
"""

PASSKEY = """
import hashlib, json, os
import django
django.setup()
from base64 import urlsafe_b64encode
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from django.core.management import call_command
call_command("migrate", verbosity=0)
from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.test import Client
from fido2 import cbor

client = Client()
def ask(method, where, body=None, token=None):
    sent = {} if body is None else {"data": body, "content_type": "application/json"}
    headers = {"X-Session-Token": token} if token else {}
    answer = getattr(client, method)(where, headers=headers, secure=True, **sent)
    return answer.status_code, json.loads(answer.content or "null")

def text(data):
    return urlsafe_b64encode(data).rstrip(b"=").decode()

PRESENT, VERIFIED, ATTESTED = 1, 4, 64

class Authenticator:
    # A security key in software, with one key pair (WebAuthn, section 6).

    def __init__(self):
        self.id, self.key = os.urandom(32), ec.generate_private_key(ec.SECP256R1())
        self.uses, self.flags, self.user = 0, PRESENT | VERIFIED, ""

    def data(self, site, flags):
        self.uses += 1
        counter = self.uses.to_bytes(4, "big")
        return hashlib.sha256(site.encode()).digest() + bytes([flags]) + counter

    def said(self, kind, challenge, origin):
        said = {"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": False}
        return json.dumps(said).encode()

    def credential(self, **response):
        shown = {name: text(value) for name, value in response.items()}
        return {"type": "public-key", "id": text(self.id), "rawId": text(self.id),
                "clientExtensionResults": {}, "response": shown}

    def create(self, options, origin):
        asked = options["publicKey"]
        numbers = self.key.public_key().public_numbers()
        x, y = (number.to_bytes(32, "big") for number in (numbers.x, numbers.y))
        key = cbor.encode({1: 2, 3: -7, -1: 1, -2: x, -3: y})
        attested = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + key
        data = self.data(asked["rp"]["id"], self.flags | ATTESTED) + attested
        self.user = asked["user"]["id"]
        return self.credential(
            clientDataJSON=self.said("webauthn.create", asked["challenge"], origin),
            attestationObject=cbor.encode({"fmt": "none", "attStmt": {}, "authData": data}),
        )

    def get(self, options, origin, site=None):
        asked = options["publicKey"]
        said = self.said("webauthn.get", asked["challenge"], origin)
        data = self.data(site or asked["rpId"], self.flags)
        signed = self.key.sign(data + hashlib.sha256(said).digest(), ec.ECDSA(SHA256()))
        made = self.credential(clientDataJSON=said, authenticatorData=data, signature=signed)
        made["response"]["userHandle"] = self.user
        return made

APP, SITE = "/auth/app/v1/", "https://testserver"
KEYS = APP + "account/authenticators/webauthn"
password = {"password": "Xy12-long-one"}
def account(name):
    new = {"username": name, "email": name + "@example.com", **password}
    token = ask("post", APP + "auth/signup", new)[1]["meta"]["session_token"]
    EmailAddress.objects.update(verified=True)
    ask("post", APP + "auth/reauthenticate", password, token)
    cache.clear()
    return token

def registered(token, authenticator, origin=SITE):
    status, options = ask("get", KEYS + "?passwordless", token=token)
    made = authenticator.create(options["data"]["creation_options"], origin)
    return ask("post", KEYS, {"name": "key", "credential": made}, token)[0]

def begun():
    status, options = ask("get", APP + "auth/webauthn/login")
    return options["meta"]["session_token"], options["data"]["request_options"]

def tried(credential, token):
    status, answer = ask("post", APP + "auth/webauthn/login", {"credential": credential}, token)
    cache.clear()
    given = (answer or {}).get("meta", {}).get("session_token") or token
    return [status, *ask("get", "/me/", token=given)]

found = {}
alice, mallory = account("alice"), account("mallory")
mine, theirs, unknown = Authenticator(), Authenticator(), Authenticator()
found["registered at another site"] = registered(alice, Authenticator(), "https://evil.example")
found["registered"] = [registered(alice, mine), registered(mallory, theirs)]
found["anonymous"] = ask("get", KEYS)[0]

token, options = begun()
found["login"] = tried(mine.get(options, SITE), token)
token, options = begun()
used = mine.get(options, SITE)
tried(used, token)
other, _ = begun()
found["a signature that was used"] = tried(used, other)[:2]
token, options = begun()
found["another site"] = tried(mine.get(options, "https://evil.example"), token)[:2]
token, options = begun()
found["a key for another site"] = tried(mine.get(options, SITE, "evil.example"), token)[:2]
token, options = begun()
found["a key that nobody has"] = tried(unknown.get(options, SITE), token)[:2]
token, options = begun()
theirs.id, kept = mine.id, theirs.id
found["another key by this name"] = tried(theirs.get(options, SITE), token)[:2]
theirs.id = kept
token, options = begun()
theirs.user, kept = mine.user, theirs.user
found["the name of another user"] = tried(theirs.get(options, SITE), token)[:2]
theirs.user = kept
token, options = begun()
mine.flags = PRESENT
found["nobody verified"] = tried(mine.get(options, SITE), token)[:2]
mine.flags = PRESENT | VERIFIED
for name, wrong in (("nothing", {}), ("text", "x"), ("null", None)):
    token, options = begun()
    found[name] = tried(wrong, token)[:2]

status, half = ask("post", APP + "auth/login", {"username": "alice", **password})
half = half["meta"]["session_token"]
status, options = ask("get", APP + "auth/webauthn/authenticate", token=half)
asked = options["data"]["request_options"]
found["second factor"] = [status, ask("get", "/me/", token=half)[0]]
found["of another user"] = ask("post", APP + "auth/webauthn/authenticate",
                               {"credential": theirs.get(asked, SITE)}, half)[0]
cache.clear()
status, options = ask("get", APP + "auth/webauthn/authenticate", token=half)
signed = {"credential": mine.get(options["data"]["request_options"], SITE)}
status, whole = ask("post", APP + "auth/webauthn/authenticate", signed, half)
found["whole"] = [status, *ask("get", "/me/", token=whole["meta"]["session_token"])]
print("found:" + json.dumps(found))
"""


def printed(script: str) -> Any:
    # The packages of authenticators, without what they need for more than is done here.
    path = [folder_with(ALLAUTH, "fido2==2.2.1", "qrcode==8.2")]
    return printed_by("shop", {"set": SETTINGS, "urls": URLS}, script, path)


@pytest.fixture(scope="module")
def found() -> Any:
    return printed(SCRIPT)


def test_a_login_counts_when_its_second_factor_has_come() -> None:
    found = printed(SECOND_FACTOR)
    assert found["activated"] == 200
    assert found["begun"] == [401, 401]
    assert found["wrong"] == [400, 401]
    assert found["whole"] == [200, [200, {"user": "alice"}]]
    assert found["passkey"] == [200, 401]
    assert found["challenge"]


def test_a_forgotten_password_is_replaced() -> None:
    found = printed(PASSWORD)
    assert found["address"] == [400, 200]
    assert found["asked"] == found["unknown"] == 200
    assert found["wrong"] == found["weak"] == found["again"] == 400
    assert found["reset"] in (200, 401)  # 401: the login is still to come
    assert found["session before"] == 401
    assert found["after"] == [200, 200, {"user": "alice"}]
    assert found["old password"] == 400


def test_a_passkey_logs_its_user_in_and_nobody_else() -> None:
    """Whole ceremonies of WebAuthn, with a security key in software."""
    found = printed(PASSKEY)
    assert found.pop("registered at another site") == 400
    assert found.pop("registered") == [200, 200]
    assert found.pop("anonymous") == 401
    assert found.pop("login") == [200, 200, {"user": "alice"}]
    assert found.pop("second factor") == [200, 401]
    assert found.pop("of another user") == 400
    assert found.pop("whole") == [200, 200, {"user": "alice"}]
    assert len(found) == 10
    assert {name: answer for name, answer in found.items() if answer != [400, 401]} == {}


def test_a_session_of_allauth_is_a_user_of_the_api(found: Any) -> None:
    assert found["signed_up"] == 200
    assert found["me"] == [200, {"user": "alice"}]
    assert found["second"] == 200
    assert found["challenge"] == "X-Session-Token"


def test_other_tokens_let_nobody_in(found: Any) -> None:
    assert found["wrong"] == [401] * 5
    assert found["ended"] == found["inactive"] == 401
    assert found["after a change of the password"] == 401


def test_the_endpoints_are_in_the_schema_and_in_clients(found: Any) -> None:
    for path in ("login", "signup", "password/reset", "2fa/authenticate", "webauthn/login"):
        assert f"/auth/app/v1/auth/{path}" in found["paths"]
    assert "/me/" in found["paths"]
    assert found["security"] == [{"SessionToken": []}]
    assert found["schemes"]["SessionToken"]["name"] == "X-Session-Token"
    assert "AccountsUser" in found["schemas"]
    assert not any(name.startswith("Auth") for name in found["schemas"])
    assert not found["nullable"]
    assert any(link.endswith("/auth/app/v1/auth/login") for link in found["links"])
