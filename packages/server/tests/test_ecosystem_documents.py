"""The OpenAPI documents that drf-spectacular makes of a project: the same on lintel as before.

``ecosystem_document.json`` was recorded with djangorestframework 3.18.3 in place of lintel, by
``python test_ecosystem_documents.py record`` in an environment that holds it and drf-spectacular.
What the project itself does not describe, it must not describe either: a docstring of ours would.
"""

import json
import sys
from importlib import util
from pathlib import Path
from typing import Any

from other_processes import folder_with, printed_by

RECORDED = Path(__file__).with_name("ecosystem_document.json")
GENERATOR = "drf-spectacular==0.30.0"

SETTINGS = """
try:
    from lintel import dropin
except ImportError:  # while the document is recorded
    pass
else:
    dropin.enable()

SECRET_KEY = "not secret: a test"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "rest_framework",
    "rest_framework.authtoken",
    "drf_spectacular",
    "library",
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
ROOT_URLCONF = "library.urls"
REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
        "rest_framework.authentication.BasicAuthentication",
    ],
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.LimitOffsetPagination",
    "DEFAULT_FILTER_BACKENDS": [
        "rest_framework.filters.SearchFilter",
        "rest_framework.filters.OrderingFilter",
    ],
    "PAGE_SIZE": 5,
}
"""

MODELS = """
from django.db import models


class Author(models.Model):
    name = models.CharField(max_length=20, help_text="As on the cover.")
    born = models.DateField(null=True)


class Book(models.Model):
    author = models.ForeignKey(Author, models.CASCADE, related_name="books")
    readers = models.ManyToManyField("auth.User", blank=True)
    title = models.CharField("title of the book", max_length=20, unique=True)
    kind = models.CharField(max_length=2, choices=[("n", "novel"), ("p", "poems")], default="n")
    pages = models.IntegerField()
    price = models.DecimalField(max_digits=5, decimal_places=2)
    isbn = models.UUIDField(null=True)
    lent = models.DurationField(null=True)
    facts = models.JSONField(default=dict)
    cover = models.FileField(blank=True)
    made = models.DateTimeField(auto_now_add=True)
"""

URLS = """
from django.urls import include, path
from rest_framework import fields, generics, mixins, pagination, relations, routers, serializers
from rest_framework import viewsets
from rest_framework.authtoken.models import Token
from rest_framework.authtoken.serializers import AuthTokenSerializer
from rest_framework.authtoken.views import ObtainAuthToken, obtain_auth_token
from rest_framework.decorators import action, api_view
from rest_framework.response import Response
from rest_framework.views import APIView

from .models import Author, Book


class AuthorSerializer(serializers.ModelSerializer):
    class Meta:
        model = Author
        fields = "__all__"


class OwnField(serializers.CharField):
    pass


class OwnChoice(serializers.ChoiceField):
    pass


class OwnRelation(relations.PrimaryKeyRelatedField):
    pass


class Many(serializers.ListSerializer):
    pass


class BookSerializer(serializers.ModelSerializer):
    author = AuthorSerializer(read_only=True)
    author_id = OwnRelation(queryset=Author.objects.all(), source="author", write_only=True)
    label = OwnField(read_only=True)
    mood = OwnChoice(choices=["good", "bad"], required=False)
    size = serializers.SerializerMethodField()
    tags = serializers.ListField(child=OwnField())
    words = serializers.DictField(child=serializers.IntegerField())
    name = serializers.StringRelatedField(source="author")
    slug = serializers.SlugRelatedField("name", source="author", read_only=True)
    more = serializers.JSONField(help_text="Anything.")
    secret = serializers.HiddenField(default=1)
    same = serializers.ReadOnlyField(source="title")
    file = serializers.ImageField(use_url=False, required=False)
    at = serializers.TimeField()
    ip = serializers.IPAddressField()
    model = serializers.ModelField(Book._meta.get_field("title"), required=False)

    class Meta:
        model = Book
        fields = "__all__"
        list_serializer_class = Many

    def get_size(self, book) -> int:
        return book.pages


class LinkedSerializer(serializers.HyperlinkedModelSerializer):
    class Meta:
        model = Author
        fields = ["url", "name", "books"]


class PlainSerializer(serializers.Serializer):
    first = serializers.MultipleChoiceField(choices=["a", "b"])
    third = fields.RegexField("^a", required=False)
    many = AuthorSerializer(many=True)


class Described(serializers.Serializer):
    '''The words of the project.'''

    text = serializers.CharField()


class Pages(pagination.PageNumberPagination):
    page_size_query_param = "size"


class Cursors(pagination.CursorPagination):
    ordering = "id"


class BookViewSet(viewsets.ModelViewSet):
    queryset = Book.objects.all()
    serializer_class = BookSerializer
    pagination_class = Pages
    search_fields = ["title"]

    @action(detail=True, methods=["get", "post"], serializer_class=PlainSerializer)
    def lend(self, request, pk=None):
        return Response()

    @action(detail=False)
    def recent(self, request):
        '''The newest ones.'''
        return Response()


class AuthorViewSet(viewsets.ReadOnlyModelViewSet):
    '''Who wrote.'''

    queryset = Author.objects.all()
    serializer_class = LinkedSerializer
    pagination_class = Cursors


class Some(mixins.CreateModelMixin, mixins.DestroyModelMixin, viewsets.GenericViewSet):
    queryset = Author.objects.all()
    serializer_class = AuthorSerializer


class Bare(viewsets.ViewSet):
    serializer_class = Described

    def list(self, request):
        return Response()

    def create(self, request):
        return Response()


class Authors(generics.ListCreateAPIView):
    queryset = Author.objects.all()
    serializer_class = AuthorSerializer


class OneAuthor(generics.RetrieveUpdateDestroyAPIView):
    queryset = Author.objects.all()
    serializer_class = AuthorSerializer


class Tokens(generics.ListAPIView):
    class serializer_class(serializers.ModelSerializer):
        class Meta:
            model = Token
            fields = "__all__"
            ref_name = "OneToken"

    queryset = Token.objects.all()


class OwnToken(ObtainAuthToken):
    class serializer_class(AuthTokenSerializer):
        code = serializers.CharField()

        class Meta:
            ref_name = "Code"


class Own(APIView):
    serializer_class = Described

    def get(self, request):
        return Response()

    def put(self, request):
        '''Puts it.'''
        return Response()


class Generic(generics.GenericAPIView):
    serializer_class = PlainSerializer

    def post(self, request):
        return Response()


@api_view(["GET", "POST"])
def hello(request):
    return Response()


@api_view()
def described(request):
    '''Says hello.'''
    return Response()


router = routers.DefaultRouter()
router.register("books", BookViewSet)
router.register("authors", AuthorViewSet)
router.register("some", Some, basename="some")
router.register("bare", Bare, basename="bare")
urlpatterns = [
    path("api/", include(router.urls)),
    path("token/", obtain_auth_token),
    path("own-token/", OwnToken.as_view()),
    path("tokens/", Tokens.as_view()),
    path("authors/", Authors.as_view()),
    path("authors/<int:pk>/", OneAuthor.as_view()),
    path("own/", Own.as_view()),
    path("generic/", Generic.as_view()),
    path("hello/", hello),
    path("described/", described),
]
"""

SCRIPT = """
import django

django.setup()

import json

from drf_spectacular.generators import SchemaGenerator

print("found:" + json.dumps(SchemaGenerator().get_schema(public=True)))
"""


def described(path: list[str]) -> Any:
    """The document of the project, with these entries first on the path of imports."""
    files = {"models": MODELS, "urls": URLS, "set": SETTINGS}
    return printed_by("library", files, SCRIPT, path)


def generator() -> list[str]:
    """Where the generator is: installed, or in a folder that is kept between runs."""
    return [] if util.find_spec("drf_spectacular") else [folder_with(GENERATOR)]


def test_documents_of_projects_stay_the_same() -> None:
    found, recorded = described(generator()), json.loads(RECORDED.read_text())
    for part in ("paths", "components"):
        assert found[part].keys() == recorded[part].keys()
        for name, expected in recorded[part].items():
            assert found[part][name] == expected, name
    assert found == recorded


if __name__ == "__main__" and sys.argv[1:] == ["record"]:
    RECORDED.write_text(json.dumps(described([]), indent=1) + "\n")
