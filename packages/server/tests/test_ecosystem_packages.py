"""Third-party packages run on lintel, unchanged: each test in an interpreter of its own."""

import os
import subprocess
import sys
import textwrap
from importlib import metadata
from pathlib import Path

import pytest

REQUIREMENTS = Path(__file__).parents[3] / "requirements-ecosystem.txt"

SETTINGS = """
from lintel import dropin

dropin.enable()

SECRET_KEY = "not secret, but as long as a key of HS256 has to be"
ALLOWED_HOSTS = ["testserver"]
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "rest_framework",
    "django_filters",
    "rest_framework_simplejwt",
    "rest_framework_simplejwt.token_blacklist",
    "library",
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
ROOT_URLCONF = "urls"
STATIC_URL = "/static/"
SIMPLE_JWT = {"ROTATE_REFRESH_TOKENS": True, "BLACKLIST_AFTER_ROTATION": True}
"""

MODELS = """
from django.db import models


class Author(models.Model):
    name = models.CharField(max_length=20)


class Book(models.Model):
    author = models.ForeignKey(Author, models.CASCADE, related_name="books")
    title = models.CharField(max_length=20)
    pages = models.IntegerField()
"""

URLS = """
from django.urls import include, path
from django_filters import rest_framework as filters
from rest_framework import permissions, routers, serializers, viewsets
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework_nested.routers import NestedDefaultRouter
from rest_framework_nested.serializers import NestedHyperlinkedModelSerializer
from rest_framework_nested.viewsets import NestedViewSetMixin
from rest_framework_simplejwt.authentication import JWTAuthentication
from rest_framework_simplejwt.views import (
    TokenObtainPairView,
    TokenRefreshView,
    TokenVerifyView,
)

from library.models import Author, Book


class BookFilter(filters.FilterSet):
    longer = filters.NumberFilter(field_name="pages", lookup_expr="gt")
    order = filters.OrderingFilter(fields=["pages", "title"])

    class Meta:
        model = Book
        fields = {"title": ["exact", "icontains"], "author": ["exact"]}


class BookSerializer(NestedHyperlinkedModelSerializer):
    parent_lookup_kwargs = {"author_pk": "author__pk"}

    class Meta:
        model = Book
        fields = ["url", "title", "pages"]
        extra_kwargs = {"url": {"view_name": "author-books-detail"}}


class AuthorSerializer(serializers.ModelSerializer):
    class Meta:
        model = Author
        fields = ["id", "name"]


class AuthorViewSet(viewsets.ModelViewSet):
    queryset = Author.objects.order_by("id")
    serializer_class = AuthorSerializer


class BookViewSet(NestedViewSetMixin, viewsets.ModelViewSet):
    queryset = Book.objects.order_by("id")
    serializer_class = BookSerializer
    parent_lookup_kwargs = {"author_pk": "author__pk"}
    filter_backends = [filters.DjangoFilterBackend]
    filterset_class = BookFilter

    def perform_create(self, serializer):
        serializer.save(author_id=self.kwargs["author_pk"])


class AllBooks(viewsets.ReadOnlyModelViewSet):
    queryset = Book.objects.order_by("id")
    serializer_class = BookSerializer
    filter_backends = [filters.DjangoFilterBackend]
    filterset_class = BookFilter


class Me(APIView):
    authentication_classes = [JWTAuthentication]
    permission_classes = [permissions.IsAuthenticated]

    def get(self, request):
        return Response({"me": request.user.get_username(), "token": request.auth["user_id"]})


router = routers.DefaultRouter()
router.register("authors", AuthorViewSet)
router.register("books", AllBooks, basename="book")
nested = NestedDefaultRouter(router, "authors", lookup="author")
nested.register("books", BookViewSet, basename="author-books")
urlpatterns = [
    path("", include(router.urls)),
    path("", include(nested.urls)),
    path("token/", TokenObtainPairView.as_view()),
    path("token/refresh/", TokenRefreshView.as_view()),
    path("token/verify/", TokenVerifyView.as_view()),
    path("me/", Me.as_view()),
]
"""

BEGINNING = """
import sys
import django

django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from library.models import Author, Book

call_command("migrate", run_syncdb=True, verbosity=0)
ann, ben = Author.objects.create(name="Ann"), Author.objects.create(name="Ben")
for author, title, pages in [(ann, "Tea", 90), (ann, "Steam", 250), (ben, "Tea", 300)]:
    Book.objects.create(author=author, title=title, pages=pages)
client = Client()


def told(response, status=200):
    assert response.status_code == status, (response.status_code, response.content)
    return response.json()


def get(address, status=200, **headers):
    return told(client.get(address, headers=headers), status)


def post(address, data, status=200):
    return told(client.post(address, data, content_type="application/json"), status)


"""

END = """
import lintel, rest_framework
assert rest_framework is lintel
strangers = [
    name for name, module in sys.modules.items()
    if name.partition(".")[0] == "rest_framework" and not module.__name__.startswith("lintel")
]
assert strangers == [], strangers
"""


@pytest.fixture(scope="module", autouse=True)
def packages() -> None:
    """The packages are there, as pinned. A failure, never a skip: ``make`` installs them."""
    lines = REQUIREMENTS.read_text().splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    installed = {one.metadata["Name"].lower().replace("_", "-") for one in metadata.distributions()}
    missing = sorted(pins.keys() - installed)
    if missing:
        pytest.fail(
            f"{', '.join(missing)} not installed. Run `make test`, or in this environment "
            f"`python -m pip install --no-deps -r {REQUIREMENTS.name}`."
        )
    assert {name: metadata.version(name) for name in pins} == pins


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that was written for rest_framework and calls enable() in its settings."""
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "__init__.py").touch()
    (tmp_path / "library" / "models.py").write_text(MODELS)
    (tmp_path / "settings.py").write_text(SETTINGS)
    (tmp_path / "urls.py").write_text(URLS)
    return tmp_path


def run(project: Path, code: str) -> None:
    """The code in a new interpreter, behind the setup; warnings are errors there as well."""
    program = BEGINNING + textwrap.dedent(code) + END
    environ = {**os.environ, "DJANGO_SETTINGS_MODULE": "settings"}
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(
        command, cwd=project, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_django_filter(project: Path) -> None:
    run(
        project,
        """
        def pages(query, status=200):
            return [book["pages"] for book in get(f"/books/?{query}")]

        assert pages("") == [90, 250, 300]
        assert pages("title=Tea") == [90, 300]
        assert pages("title__icontains=tea") == [90, 250, 300]
        assert pages(f"title=Tea&author={ben.pk}&longer=100") == [300]
        assert pages("order=-title,pages") == [90, 300, 250]
        errors = get("/books/?longer=long&author=99&order=size", 400)
        assert errors == {
            "longer": ["Enter a number."],
            "author": ["Select a valid choice. That choice is not one of the available choices."],
            "order": ["Select a valid choice. size is not one of the available choices."],
        }
        page = client.get("/books/", headers={"accept": "text/html"})
        assert page.status_code == 200
        assert 'name="longer"' in page.content.decode()
        """,
    )


def test_simple_jwt(project: Path) -> None:
    run(
        project,
        """
        user = User.objects.create_user("ann", password="of ann")
        refused = post("/token/", {"username": "ann", "password": "of ben"}, 401)
        assert refused == {"detail": "No active account found with the given credentials"}
        assert post("/token/", {"username": "ann"}, 400) == {
            "password": ["This field is required."]
        }
        pair = post("/token/", {"username": "ann", "password": "of ann"})

        def me(token, status=200):
            return get("/me/", status, authorization=f"Bearer {token}")

        assert me(pair["access"]) == {"me": "ann", "token": str(user.pk)}
        assert post("/token/verify/", {"token": pair["access"]}) == {}

        renewed = post("/token/refresh/", {"refresh": pair["refresh"]})
        assert me(renewed["access"])["me"] == "ann"
        used = post("/token/refresh/", {"refresh": pair["refresh"]}, 401)
        assert used == {"detail": "Token is blacklisted", "code": "token_not_valid"}

        head, claims, signature = pair["access"].split(".")
        forged = f"{head}.{claims}.{signature[::-1]}"
        assert post("/token/verify/", {"token": forged}, 401)["code"] == "token_not_valid"
        assert me(forged, 401)["code"] == "token_not_valid"
        assert me(pair["refresh"], 401)["messages"][0]["message"] == "Token has wrong type"
        nobody = client.get("/me/")
        assert nobody.status_code == 401
        assert nobody.headers["WWW-Authenticate"] == 'Bearer realm="api"'
        user.delete()
        assert me(renewed["access"], 401)["code"] == "user_not_found"
        """,
    )


def test_nested_routers(project: Path) -> None:
    run(
        project,
        """
        own = f"/authors/{ann.pk}/books/"
        assert [book["title"] for book in get(own)] == ["Tea", "Steam"]
        assert [book["pages"] for book in get(f"{own}?longer=100")] == [250]
        added = post(own, {"title": "Ink", "pages": 12}, 201)
        ink = Book.objects.get(title="Ink")
        assert ink.author == ann
        assert added == {
            "url": f"http://testserver{own}{ink.pk}/", "title": "Ink", "pages": 12
        }
        assert get(added["url"]) == added
        assert post(own, {"title": "Ink", "pages": "many"}, 400) == {
            "pages": ["A valid integer is required."]
        }
        get(f"/authors/{ben.pk}/books/{ink.pk}/", 404)
        changed = client.patch(added["url"], {"pages": 13}, content_type="application/json")
        assert told(changed)["pages"] == 13
        assert client.delete(added["url"]).status_code == 204
        assert not Book.objects.filter(title="Ink").exists()
        assert get("/authors/")[0] == {"id": ann.pk, "name": "Ann"}
        """,
    )
