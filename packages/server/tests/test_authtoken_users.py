"""Tokens of users who have no ``username``: each test is a project of its own."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

SETTINGS = """
SECRET_KEY = "not secret: a test"
USE_TZ = True
ALLOWED_HOSTS = ["testserver"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "people.Person"
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "lintel",
    "lintel.authtoken",
    "people",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
ROOT_URLCONF = "people.urls"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STATIC_URL = "/static/"
"""

MODELS = """
import uuid

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models


class Address(models.Model):
    text = models.CharField(max_length=40)


class People(BaseUserManager):
    def create_superuser(self, name, password):
        person = self.model(is_superuser=True, is_staff=True)
        setattr(person, "LOGIN_BY", value(name))
        person.set_password(password)
        person.save()
        return person


class Person(AbstractBaseUser, PermissionsMixin):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    email = models.EmailField("mail address", unique=True, null=True)
    address = models.OneToOneField(Address, models.CASCADE, null=True)
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    objects = People()
    USERNAME_FIELD = "LOGIN_BY"

    def __str__(self):
        return "person of " + (self.email or self.address.text)


def value(name):
    return Address.objects.create(text=name) if "LOGIN_BY" == "address" else name
"""

URLS = """
from django.contrib import admin
from django.urls import path

from lintel.authentication import TokenAuthentication
from lintel.authtoken.admin import TokenAdmin
from lintel.authtoken.views import obtain_auth_token
from lintel.decorators import api_view, authentication_classes
from lintel.response import Response

TokenAdmin.raw_id_fields = ["user"]


@api_view()
@authentication_classes([TokenAuthentication])
def who(request):
    return Response(str(request.user))


urlpatterns = [
    path("admin/", admin.site.urls), path("token/", obtain_auth_token), path("who/", who)
]
"""

SCRIPT = """
import django

django.setup()

from django.contrib.admin.models import LogEntry
from django.core.management import call_command
from django.test import Client
from lintel.authtoken.models import Token
from people.models import Person

call_command("check", fail_level="ERROR")
call_command("migrate", run_syncdb=True, verbosity=0)
root, other = (Person.objects.create_superuser(f"{name}@example.com", "pw") for name in "ab")
client = Client()
client.force_login(root)
tokens = "/admin/authtoken/tokenproxy/"


def get(address):
    response = client.get(address)
    assert response.status_code == 200, (address, response.status_code)
    return response.content.decode()


def post(address, **data):
    response = client.post(address, data, follow=True)
    assert response.status_code == 200, (address, response.status_code)
    return response.content.decode()


added = post(f"{tokens}add/", user=other.pk)
key = Token.objects.get(user=other).key
assert added.count(key) == 1
for query in ("", "?q=b@example", "?q=1", "?o=1", "?o=2.-3"):
    page = get(tokens + query)
    assert key not in page
    if "LOGIN_BY" == "email" and query != "?q=1":
        assert f"{tokens}{other.pk}/change/" in page
assert ("mail address" in get(tokens)) is ("LOGIN_BY" == "email")
for page in ("change", "history", "delete"):
    page = get(f"{tokens}{other.pk}/{page}/")
    assert "person of b@example.com" in page
    assert key not in page
assert client.get("/who/", headers={"authorization": f"Token {key}"}).json().startswith("person")
post(f"{tokens}{other.pk}/delete/", post="yes")
assert not Token.objects.exists()
assert {entry.object_repr for entry in LogEntry.objects.all()} == {"person of b@example.com"}
if "LOGIN_BY" == "email":
    answer = client.post("/token/", {"username": "a@example.com", "password": "pw"})
    assert answer.json() == {"token": Token.objects.get(user=root).key}
    call_command("drf_create_token", "b@example.com")
print("done")
"""


@pytest.mark.parametrize("name", ["email", "address"])
def test_users_without_username(name: str, tmp_path: Path) -> None:
    (tmp_path / "people").mkdir()
    for module, text in {"__init__": "", "models": MODELS, "urls": URLS, "set": SETTINGS}.items():
        text = text.replace("LOGIN_BY", name)
        (tmp_path / "people" / f"{module}.py").write_text(textwrap.dedent(text))
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    environ = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "people.set",
        "PYTHONPATH": os.pathsep.join(paths),
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT.replace("LOGIN_BY", name)],
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("done\n")
