"""Texts of full descriptions: summaries, tags, titles, labels, and parts that settings name."""

from __future__ import annotations

import json

import pytest
from contract_project.models import Snippet
from django.contrib.auth.models import Group
from django.test import override_settings
from django.urls import include, path
from django.utils import translation
from django.utils.translation import gettext_lazy
from openapi_spec_validator import validate

from lintel import generics, serializers, viewsets
from lintel.decorators import action, api_view
from lintel.routers import SimpleRouter
from lintel.schemas import SchemaGenerator, extend_schema, extend_schema_serializer
from lintel.utils.encoders import JSONEncoder
from lintel.views import APIView

pytestmark = pytest.mark.filterwarnings("error", "ignore:.*(nothing is known|have the operationId)")


class CaseSerializer(serializers.Serializer):
    """One case of a file."""

    name = serializers.CharField()
    born_on = serializers.DateField(label="Date of birth")
    size = serializers.ChoiceField(choices=[("s", "Small"), ("l", "Large"), ("xl", "xl")])
    plain = serializers.ChoiceField(choices=["Red", "green"])


class ChildSerializer(CaseSerializer):
    pass


@extend_schema_serializer(description="What was said.")
class SaidSerializer(CaseSerializer):
    """Not this."""


class CaseViewSet(viewsets.ModelViewSet):
    """Cases, each in a file.

    update: Replaces a case.
    """

    queryset = Snippet.objects.all()
    serializer_class = CaseSerializer

    def destroy(self, request, pk):
        """Forget a case.

        For ever.
        """

    @action(detail=True, methods=["post"], name="close a Case")
    def close(self, request, pk): ...

    @close.mapping.delete
    def open_again(self, request, pk): ...

    @action(detail=False)
    def recent_ones(self, request): ...


class Ping(APIView):
    """Says pong."""

    def get(self, request): ...


class UserProfile(APIView):
    def get(self, request): ...

    def delete(self, request): ...


@api_view(["GET", "POST"])
def count_words(request):
    """Count the words.

    All of them.
    """


class Groups(generics.ListCreateAPIView):
    queryset = Group.objects.all()
    serializer_class = SaidSerializer


def documented(*patterns, version="3.1.0", **arguments):
    generator = SchemaGenerator(patterns=list(patterns), **arguments)
    generator.openapi_version = version
    document = json.loads(json.dumps(generator.get_schema(public=True), cls=JSONEncoder))
    validate(document)
    return document


router = SimpleRouter()
router.register("cases", CaseViewSet)
PATTERNS = [
    path("api/v1/", include(router.urls)),
    path("api/v1/ping/", Ping.as_view()),
    path("api/v1/user_profile/", UserProfile.as_view()),
    path("api/v1/count/", count_words),
    path("api/v1/groups/", Groups.as_view()),
]


@pytest.fixture(scope="module")
def document():
    return documented(*PATTERNS)


def texts(document, word):
    return {
        f"{method} {path.removeprefix('/api/v1')}": operation.get(word)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def test_summaries_say_what_an_operation_does(document):
    assert texts(document, "summary") == {
        "get /cases/": "List snippets",
        "post /cases/": "Create a snippet",
        "get /cases/{id}/": "Retrieve a snippet",
        "put /cases/{id}/": "Update a snippet",
        "patch /cases/{id}/": "Update parts of a snippet",
        "delete /cases/{id}/": "Forget a case",
        "post /cases/{id}/close/": "Close a case",
        "delete /cases/{id}/close/": "Open again",
        "get /cases/recent_ones/": "Recent ones",
        "get /ping/": "Ping",
        "get /user_profile/": "Read user profile",
        "delete /user_profile/": "Delete user profile",
        "get /count/": "Count the words",
        "post /count/": "Count the words",
        "get /groups/": "List groups",
        "post /groups/": "Create a group",
    }


def test_tags_are_resources_below_the_common_prefix(document):
    tags = texts(document, "tags")
    assert tags["get /cases/{id}/"] == tags["post /cases/{id}/close/"] == ["cases"]
    assert tags["get /user_profile/"] == ["user-profile"]


@pytest.mark.parametrize(
    ("paths", "tags"),
    [
        (["users/", "users/<int:pk>/"], ["users"]),
        (["shop/orders/", "shop/items/<int:pk>/"], ["orders", "items"]),
        (["api/users/", "token/"], ["users", "token"]),
        (["api/<str:version>/users/", "api/<str:version>/users/<int:pk>/"], ["users"]),
        (["api/", "api/v2.1/things/"], ["api", "things"]),
        ([""], []),
    ],
)
def test_tags_of_paths(paths, tags):
    class Any(APIView):
        def get(self, request, **kwargs): ...

    document = documented(*(path(each, Any.as_view()) for each in paths))
    found = [tag for each in texts(document, "tags").values() for tag in each]
    assert list(dict.fromkeys(found)) == tags


def test_the_docstring_of_a_class_describes_the_tag_of_its_operations(document):
    assert document["tags"] == [{"name": "cases", "description": "Cases, each in a file."}]
    found = texts(document, "description")
    assert found["get /cases/"] is None
    assert found["put /cases/{id}/"] == "Replaces a case."
    assert found["delete /cases/{id}/"] == "Forget a case.\n\nFor ever."
    assert found["get /ping/"] == "Says pong."
    assert found["post /count/"] == "Count the words.\n\nAll of them."


def test_labels_and_docstrings_describe_values(document):
    schemas = document["components"]["schemas"]
    case = schemas["Case"]
    assert case["description"] == "One case of a file."
    assert case["properties"]["born_on"]["title"] == "Date of birth"
    assert "title" not in case["properties"]["name"]
    assert schemas["CaseSizeEnum"]["description"] == "* `s` - Small\n* `l` - Large\n* `xl` - xl"
    assert "description" not in schemas["CasePlainEnum"]
    assert schemas["Said"]["description"] == "What was said."


def test_a_docstring_is_not_inherited():
    class Children(generics.CreateAPIView):
        serializer_class = ChildSerializer

    found = documented(path("children/", Children.as_view()))["components"]["schemas"]
    assert "description" not in found["Child"]


def test_a_decorator_takes_precedence():
    class Pong(Ping):
        @extend_schema(summary="Pong", tags=["games"], description="Plays.")
        def get(self, request):
            """Not this."""

    found = documented(path("ping/", Pong.as_view()))["paths"]["/ping/"]["get"]
    assert (found["summary"], found["tags"], found["description"]) == ("Pong", ["games"], "Plays.")


def test_version_3_0_2_keeps_its_texts():
    found = documented(*PATTERNS, version="3.0.2")["paths"]
    operation = found["/api/v1/cases/"]["get"]
    assert "summary" not in operation
    assert operation["tags"] == ["api"]
    assert operation["description"] == "Cases, each in a file."


OWN = {
    "info": {"title": gettext_lazy("Cases"), "version": "3", "contact": {"email": "a@example.com"}},
    "servers": [{"url": "https://example.com"}],
    "tags": [{"name": "cases", "description": "By hand."}, {"name": "more"}],
    "components": {"schemas": {"More": {"type": "integer"}}},
    "paths": {"/more/": {"get": {"responses": {"200": {"description": ""}}}}},
}


@pytest.mark.parametrize("version", ["3.0.2", "3.0.3", "3.1.0"])
def test_a_setting_adds_parts_to_every_document(version):
    with override_settings(REST_FRAMEWORK={"OPENAPI_DOCUMENT": OWN}):
        document = documented(*PATTERNS, version=version)
        assert documented(*PATTERNS, version=version, title="T")["info"]["title"] == "T"
    info = {"title": "Cases", "version": "3", "contact": {"email": "a@example.com"}}
    assert document["info"] == info
    assert document["servers"] == [{"url": "https://example.com"}]
    assert document["tags"] == OWN["tags"]
    assert document["components"]["schemas"].keys() >= {"More", "Case"}
    assert "/more/" in document["paths"]


@pytest.mark.parametrize(
    ("version", "licence", "written"),
    [
        ("3.0.3", {"identifier": "MIT", "url": "https://a.example"}, {"url": "https://a.example"}),
        ("3.0.3", {"identifier": "MIT"}, {}),
        ("3.1.0", {"identifier": "MIT", "url": "https://a.example"}, {"url": "https://a.example"}),
        ("3.1.0", {"identifier": "MIT"}, {"identifier": "MIT"}),
    ],
)
def test_a_licence_has_an_identifier_where_the_version_knows_one(version, licence, written):
    with override_settings(SPECTACULAR_SETTINGS={"LICENSE": {"name": "MIT", **licence}}):
        document = documented(*PATTERNS, version=version)
    assert document["info"]["license"] == {"name": "MIT", **written}
    validate(document)


def test_prefixes_of_paths_follow_the_settings_of_drf_spectacular():
    settings = {"SCHEMA_PATH_PREFIX": "/api/v[0-9]", "SCHEMA_PATH_PREFIX_TRIM": True}
    with override_settings(SPECTACULAR_SETTINGS={**settings, "SCHEMA_PATH_PREFIX_INSERT": "/x"}):
        document = documented(path("api/v1/ping/", Ping.as_view()))
    assert document["paths"]["/x/ping/"]["get"]["tags"] == ["ping"]


@pytest.mark.parametrize(
    ("docstring", "summary"),
    [
        ("Confirm a stay.", "Confirm a stay"),
        ("Confirm a stay\nGuests get a message.", "Confirm a stay"),
        (
            "Calculates what a stay\n    of the guests costs.\n\n    More.",
            "Calculates what a stay of the guests costs",
        ),
        ("Costs of a stay. In euros.", "Costs of a stay"),
        ("Reads v1.2 of a stay", "Reads v1.2 of a stay"),
        ("Costs, e.g. of meals", "Costs, e.g. of meals"),
        ("Steps:\n- one", "Steps:"),
        ("w" * 200, "Read plain"),
        ("", "Read plain"),
    ],
)
def test_a_summary_is_the_first_sentence_of_the_docstring(docstring, summary):
    def get(self, request): ...

    def post(self, request): ...

    get.__doc__ = docstring
    view = type("PlainView", (APIView,), {"get": get, "post": post})
    generator = SchemaGenerator(patterns=[path("plain/", view.as_view())])
    generator.openapi_version = "3.1.0"
    found = generator.get_schema(public=True)["paths"]["/plain/"]["get"]
    assert found["summary"] == summary


@pytest.mark.parametrize("language", ["de", "ar"])
def test_a_summary_is_in_one_language(language):
    with translation.override(language):
        found = documented(path("groups/", Groups.as_view()))["paths"]["/groups/"]
    assert found["get"]["summary"] == "List groups"
