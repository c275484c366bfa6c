"""``?fields=`` and ``?expand=``: what clients may choose, the SQL for it, and the schema."""

from typing import Any

import pytest
from contract_project.models import Profile, Snippet, Tag, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import path

from lintel import generics, serializers, sparse
from lintel.pagination import PageNumberPagination
from lintel.routers import SimpleRouter
from lintel.schemas.openapi import SchemaGenerator
from lintel.sparse import SparseFieldsMixin
from lintel.test import APIClient, APIRequestFactory, force_authenticate
from lintel.viewsets import ModelViewSet


class ProfileSerializer(serializers.ModelSerializer):
    class Meta:
        model = Profile
        fields = ["id", "user"]


class UserSerializer(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = ["id", "username", "email", "profile"]


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class SnippetSerializer(serializers.ModelSerializer):
    tags = TagSerializer(many=True, read_only=True)
    secret = serializers.CharField(write_only=True, required=False)

    class Meta:
        model = Snippet
        fields = ["id", "title", "code", "owner", "tags", "secret"]


class Pages(PageNumberPagination):
    page_size = 10


class Snippets(SparseFieldsMixin, ModelViewSet):
    queryset = Snippet.objects.order_by("pk")
    serializer_class = SnippetSerializer
    pagination_class = Pages
    strict_query_params = True
    expandable_fields = {"owner": UserSerializer, "owner.profile": f"{__name__}.ProfileSerializer"}


class Few(SparseFieldsMixin, generics.ListAPIView):
    queryset = Snippet.objects.order_by("pk")
    serializer_class = SnippetSerializer
    sparse_fields = ("id", "title", "tags.name")
    fields_param = "only"
    expand_param = None


class Described(serializers.Serializer):
    title = serializers.CharField()
    length = serializers.SerializerMethodField()

    def get_length(self, snippet: Any) -> int:
        return len(snippet.title)


class Plain(SparseFieldsMixin, generics.RetrieveAPIView):
    queryset = Snippet.objects.all()
    serializer_class = Described


router = SimpleRouter()
router.register("snippets", Snippets)
urlpatterns = [
    *router.urls,
    path("few/", Few.as_view()),
    path("plain/<int:pk>/", Plain.as_view()),
]


@pytest.fixture(autouse=True)
def row(db: None, settings: Any) -> Snippet:
    settings.ROOT_URLCONF = __name__
    settings.REST_FRAMEWORK = {"OPENAPI_VERSION": "3.1"}
    owner = User.objects.create(username="ann", email="ann@example.com")
    Profile.objects.create(user=owner)
    made = Snippet.objects.create(title="One", code="1", owner=owner)
    made.tags.add(Tag.objects.create(name="x"))
    return made


def ask(address: str) -> tuple[Any, list[str]]:
    with CaptureQueriesContext(connection) as queries:
        response = APIClient().get(address)
    return response.json(), [each["sql"] for each in queries]


def first(address: str) -> Any:
    found = ask(address)[0]
    return found["results"][0]


def test_without_a_choice_nothing_changes(row: Snippet) -> None:
    assert list(first("/snippets/")) == ["id", "title", "code", "owner", "tags"]


@pytest.mark.parametrize(
    "query", ["fields=title,id", "fields=id&fields=title", "fields=id,%20title,,"]
)
def test_fields_are_chosen_in_the_order_of_the_serializer(query: str, row: Snippet) -> None:
    assert first(f"/snippets/?{query}") == {"id": row.pk, "title": "One"}
    assert ask(f"/snippets/{row.pk}/?{query}")[0] == {"id": row.pk, "title": "One"}


@pytest.mark.fast_way
def test_a_list_selects_no_more_than_it_shows(row: Snippet) -> None:
    for _ in range(3):
        data, statements = ask("/snippets/?fields=id,title")
    assert len(statements) == 2  # the count, and the rows
    assert "code" not in statements[-1]
    assert "owner" not in statements[-1]
    for _ in range(3):
        data, statements = ask("/snippets/?fields=tags.name")
    assert data["results"] == [{"tags": [{"name": "x"}]}]
    assert len(statements) == 3
    assert "title" not in "".join(statements)


@pytest.mark.fast_way
def test_related_objects_are_expanded(row: Snippet) -> None:
    owner = row.owner
    shown = {"id": owner.pk, "username": "ann", "email": owner.email, "profile": owner.profile.pk}
    assert first("/snippets/?expand=owner")["owner"] == shown
    profile = {"id": owner.profile.pk, "user": owner.pk}
    both = first("/snippets/?expand=owner,owner.profile&fields=owner.username,owner.profile,title")
    assert both == {"title": "One", "owner": {"username": "ann", "profile": profile}}
    # What is inside of another is shown with it.
    assert first("/snippets/?expand=owner.profile")["owner"]["profile"] == profile
    for _ in range(3):
        _data, statements = ask("/snippets/?expand=owner&fields=owner.username")
    assert len(statements) == 2
    assert "email" not in statements[-1]


@pytest.mark.parametrize(
    ("query", "errors"),
    [
        ("fields=titel", {"fields": {"titel": ["This field is not known. Did you mean title?"]}}),
        ("fields=secret", {"fields": {"secret": ["This field is not known."]}}),
        ("fields=owner.password", {"fields": {"owner.password": ["This field is not known."]}}),
        (
            "fields=tags.nam",
            {"fields": {"tags.nam": ["This field is not known. Did you mean tags.name, tags.id?"]}},
        ),
        ("fields=title.x", {"fields": {"title.x": ["This field is not known."]}}),
        ("expand=tags", {"expand": {"tags": ["This field is not known."]}}),
        ("expand=onwer", {"expand": {"onwer": ["This field is not known. Did you mean owner?"]}}),
        ("field=id", {"field": ["Unknown query parameter. Did you mean 'fields'?"]}),
        ("fields=a.b.c.d.e.f", {"fields": {"a.b.c.d.e.f": ["This field is not known."]}}),
        ("fields=__class__", {"fields": {"__class__": ["This field is not known."]}}),
    ],
)
def test_other_names_are_refused(query: str, errors: Any, row: Snippet) -> None:
    response = APIClient().get(f"/snippets/?{query}")
    assert (response.status_code, response.json()) == (400, errors)


def test_hostile_numbers_of_names(row: Snippet) -> None:
    many = ",".join(f"f{number}" for number in range(5000))
    response = APIClient().get(f"/snippets/?fields={many}")
    assert response.status_code == 400
    assert len(response.content) < 60_000
    assert APIClient().get(f"/snippets/?fields={'a' * 5000}").status_code == 400
    assert APIClient().get("/snippets/?fields=%00,%F0%9F%98%80").status_code == 400


def test_an_empty_choice_shows_nothing(row: Snippet) -> None:
    assert first("/snippets/?fields=") == {}


def test_only_listed_names_may_be_chosen(row: Snippet) -> None:
    assert ask("/few/?only=title,tags.name")[0] == [{"title": "One", "tags": [{"name": "x"}]}]
    assert APIClient().get("/few/?only=code").status_code == 400
    assert APIClient().get("/few/?only=tags.id").status_code == 400


def test_serializers_without_a_model_and_with_methods(row: Snippet) -> None:
    assert ask(f"/plain/{row.pk}/?fields=length")[0] == {"length": 3}
    assert ask(f"/plain/{row.pk}/?fields=title")[0] == {"title": "One"}


def test_fields_that_the_project_makes(row: Snippet) -> None:
    class Own(SnippetSerializer):
        def get_fields(self) -> Any:
            return {**super().get_fields(), "more": serializers.CharField(source="title")}

    view = type("View", (Few,), {"serializer_class": Own, "sparse_fields": "__all__"}).as_view()
    request = APIClient().get("/few/?only=more,id").wsgi_request
    assert view(request).data == [{"id": row.pk, "more": "One"}]
    request = APIClient().get("/few/?only=id").wsgi_request
    assert view(request).data == [{"id": row.pk}]


def _is_staff(serializer: Any) -> bool:
    user: Any = serializer.context["request"].user
    return bool(user.is_staff)


class ForStaff(serializers.ModelSerializer):
    """Shows addresses to staff alone."""

    class Meta:
        model = User
        fields = ["id", "username", "email"]

    def get_fields(self) -> Any:
        found = super().get_fields()
        return found if _is_staff(self) else {"id": found["id"], "username": found["username"]}


class PickedSerializer(serializers.ModelSerializer):
    """Has the fields that whoever makes it wants, and the code for staff alone."""

    class Meta:
        model = Snippet
        fields = ["id", "title", "code"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        picked = kwargs.pop("picked", None)
        super().__init__(*args, **kwargs)
        if picked is not None:
            for name in set(self.fields) - set(picked):
                self.fields.pop(name)
        elif not _is_staff(self):
            self.fields.pop("code")


class WithSnippets(ForStaff):
    snippets = PickedSerializer(many=True, read_only=True, picked=["id", "title"])

    class Meta:
        model = User
        fields = ["id", "username", "email", "snippets"]

    get_fields = serializers.ModelSerializer.get_fields


class WithOwner(serializers.ModelSerializer):
    owner = ForStaff(read_only=True)

    class Meta:
        model = Snippet
        fields = ["id", "owner"]


@pytest.mark.parametrize(
    ("serializer", "query", "for_staff", "for_others"),
    [
        (ForStaff, "fields=email", {"email": "ann@example.com"}, "email"),
        (ForStaff, "fields=username", {"username": "ann"}, {"username": "ann"}),
        (PickedSerializer, "fields=code", {"code": "1"}, "code"),
        (PickedSerializer, "fields=title", {"title": "One"}, {"title": "One"}),
        (WithOwner, "fields=owner.email", {"owner": {"email": "ann@example.com"}}, "owner.email"),
        (WithOwner, "fields=owner.username", *[{"owner": {"username": "ann"}}] * 2),
        (WithSnippets, "fields=snippets.code", "snippets.code", "snippets.code"),
        (WithSnippets, "fields=snippets.title", *[{"snippets": [{"title": "One"}]}] * 2),
    ],
)
def test_fields_that_users_see_are_those_they_may_choose(
    row: Snippet, serializer: Any, query: str, for_staff: Any, for_others: Any
) -> None:
    model = serializer.Meta.model
    expands = {"owner": ForStaff} if serializer is WithOwner else {}
    mixed: Any = type("Chosen", (SparseFieldsMixin, generics.ListAPIView), {})
    view = mixed.as_view(
        serializer_class=serializer, queryset=model.objects.all(), expandable_fields=expands
    )
    for user, wanted in [(User(is_staff=True), for_staff), (User(), for_others)] * 2:
        request = APIRequestFactory().get(f"/?{query}")
        force_authenticate(request, user)
        found = view(request).data
        assert found == ([wanted] if isinstance(wanted, dict) else {"fields": found["fields"]})
        assert isinstance(wanted, dict) or list(found["fields"]) == [wanted]


def test_what_is_expanded_is_shown_and_described_as_the_user_may_see_it(row: Snippet) -> None:
    class Chosen(SparseFieldsMixin, generics.ListAPIView):
        queryset = Snippet.objects.all()
        serializer_class = SnippetSerializer
        expandable_fields = {"owner": ForStaff}

    for user in (User(is_staff=True), User()):
        request = APIRequestFactory().get("/?expand=owner")
        force_authenticate(request, user)
        assert ("email" in Chosen.as_view()(request).data[0]["owner"]) is user.is_staff
    document = SchemaGenerator(patterns=[path("chosen/", Chosen.as_view())]).get_schema()
    described = document["components"]["schemas"]
    assert "SparseForStaff" in described["SparseSnippetWithOwner"]["properties"]["owner"]["oneOf"][
        1
    ].get("$ref")
    assert list(described["SparseForStaff"]["properties"]) == ["id", "username"]


def test_writes_take_and_show_the_whole_object(row: Snippet) -> None:
    response = APIClient().patch(f"/snippets/{row.pk}/", {"code": "2"}, format="json")
    assert list(response.json()) == ["id", "title", "code", "owner", "tags"]
    strict = APIClient().patch(f"/snippets/{row.pk}/?fields=id", {"code": "2"}, format="json")
    assert (strict.status_code, list(strict.json())) == (400, ["fields"])


@pytest.mark.filterwarnings("ignore:2 operations")
def test_the_schema_has_the_parameters_and_what_may_be_expanded() -> None:
    document = SchemaGenerator().get_schema(public=True)
    found = {each["name"]: each for each in document["paths"]["/snippets/"]["get"]["parameters"]}
    assert found["expand"]["schema"]["items"]["enum"] == ["owner", "owner.profile"]
    assert (found["fields"]["style"], found["fields"]["explode"]) == ("form", False)
    schemas = document["components"]["schemas"]
    assert "required" not in schemas["SparseSnippetWithOwner"]
    assert "required" not in schemas["SparseTag"]
    choices = schemas["SparseSnippetWithOwner"]["properties"]["owner"]["oneOf"]
    assert choices[0]["type"] == "integer"
    assert choices[1] == {"$ref": "#/components/schemas/SparseUserWithProfile"}
    assert "oneOf" in schemas["SparseUserWithProfile"]["properties"]["profile"]
    written = document["paths"]["/snippets/"]["post"]
    assert {each["name"] for each in written.get("parameters", ())}.isdisjoint(found)
    few = document["paths"]["/few/"]["get"]["parameters"]
    assert next(each for each in few if each["name"] == "only")["schema"]["items"]["enum"] == [
        "id",
        "title",
        "tags.name",
    ]


def test_choices_of_clients_are_kept_within_bounds(
    row: Snippet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sparse, "_MOST_CLASSES", 8)
    names = ["id", "title", "code", "owner"]
    for number in range(1, 2 ** len(names)):
        chosen = ",".join(name for place, name in enumerate(names) if number >> place & 1)
        APIClient().get(f"/snippets/{row.pk}/?fields={chosen}")
        assert len(sparse._CLASSES) <= 8
