"""Filters by fields: values of the columns' types, lists only, described, and kind to databases."""

import json
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from contract_project.models import Article, Everything, Snippet, Tag
from django.contrib.auth.models import User
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.test.utils import CaptureQueriesContext, override_settings
from django.urls import path
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from lintel import generics, pagination, renderers, serializers, viewsets
from lintel.cycle.steps import is_prompt
from lintel.exceptions import ValidationError
from lintel.fast.selections import selection_of
from lintel.filters import FieldFilter
from lintel.request import Request
from lintel.routers import SimpleRouter
from lintel.schemas import coreapi, openapi
from lintel.test import APIClient, APIRequestFactory, AsyncAPIClient


class EverythingSerializer(serializers.ModelSerializer[Any]):
    class Meta:
        model = Everything
        fields = ["id", "text"]


class SnippetSerializer(serializers.ModelSerializer[Any]):
    class Meta:
        model = Snippet
        fields = ["id", "title", "language", "owner"]


COLUMNS = [each.name for each in Everything._meta.concrete_fields if each.name != "data"]
COMPARED = [
    *COLUMNS,
    *(f"{name}__{lookup}" for name in COLUMNS for lookup in ("gt", "gte", "lt", "lte", "in")),
    *(f"{name}__{lookup}" for name in COLUMNS for lookup in ("range", "isnull")),
    *(f"{name}__{lookup}" for name in COLUMNS for lookup in ("icontains", "startswith")),
    *(
        f"when__{part}"
        for part in ("year", "iso_year__gte", "month", "date", "time__gt", "year__in")
    ),
    *(
        "text__iexact",
        "email__iexact",
        "day__year__range",
        "day__week_day",
        "at__hour",
        "data__isnull",
    ),
]


DATES = [name for name in COMPARED if name.startswith("when")]


class Everythings(generics.ListAPIView[Any]):
    queryset = Everything.objects.order_by("id")
    serializer_class = EverythingSerializer
    filter_backends = [FieldFilter]
    filter_fields = COMPARED


class Few(pagination.PageNumberPagination):
    page_size = 10


class Snippets(viewsets.ModelViewSet[Any]):
    """Snippets."""

    queryset = Snippet.objects.order_by("id")
    serializer_class = SnippetSerializer
    pagination_class = Few
    filter_backends = [FieldFilter]
    renderer_classes = [renderers.JSONRenderer, renderers.BrowsableAPIRenderer]
    filter_fields = [
        *("title", "language", "linenos", "owner", "owner__username", "tags", "tags__name"),
        *("created__gte", "rating__lt", "language__in", "created__range", "tags__isnull"),
    ]


class Everywhere(Snippets):
    filter_fields_everywhere = True


class Listed(generics.ListAPIView[Any]):
    queryset = Snippet.objects.order_by("id")
    serializer_class = SnippetSerializer
    filter_backends = [FieldFilter]
    filter_fields = ["title", "owner", "created__gte"]


class Renamed(generics.ListAPIView[Any]):
    serializer_class = SnippetSerializer
    filter_backends = [FieldFilter]
    filter_fields = {"tagged": "number_of_tags__gte", "by": "owner__username__istartswith"}

    def get_queryset(self) -> Any:
        return Snippet.objects.annotate(number_of_tags=Count("tags")).order_by("id")


class AsyncSnippets(Listed, generics.AsyncListAPIView[Any]):
    """Snippets on the event loop."""

    get = generics.AsyncListAPIView.get


class OneSnippet(generics.RetrieveUpdateDestroyAPIView[Any]):
    queryset = Snippet.objects.all()
    serializer_class = SnippetSerializer
    filter_backends = [FieldFilter]
    filter_fields = ["title"]


router = SimpleRouter()
router.register("snippets", Snippets)
router.register("everywhere", Everywhere, basename="everywhere")
urlpatterns = [
    *router.urls,
    path("everythings/", Everythings.as_view()),
    path("renamed/", Renamed.as_view()),
    path("async/", AsyncSnippets.as_view()),
    path("one/<int:pk>/", OneSnippet.as_view()),
]
pytestmark = [pytest.mark.urls(__name__), pytest.mark.django_db]


@pytest.fixture(autouse=True)
def rows() -> None:
    owners = [User.objects.create(id=pk, username=name) for pk, name in ((1, "ann"), (2, "bob"))]
    red, green, blue = (Tag.objects.create(name=name) for name in ("red", "green", "blue"))
    for pk, title, tags in ((1, "alpha", [red, green]), (2, "beta", [green, blue]), (3, "", [])):
        snippet = Snippet.objects.create(
            id=pk,
            title=title,
            code=str(pk),
            owner=owners[pk % 2],
            language="js" if pk == 1 else "python",
            created=f"2026-01-0{pk}T12:00:00Z",
            rating=pk,
        )
        snippet.tags.set(tags)


def get(address: str, **headers: Any) -> Any:
    return APIClient().get(address, **headers)


def found(query: str, address: str = "/snippets/") -> list[int]:
    response = get(f"{address}?{query}")
    assert response.status_code == 200, response.content
    data = response.json()
    return [row["id"] for row in (data["results"] if isinstance(data, dict) else data)]


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("", [1, 2, 3]),
        ("title=alpha", [1]),
        ("title=Alpha", []),
        ("title=", [1, 2, 3]),
        ("title=&title=beta", [2]),
        ("language=js", [1]),
        ("language__in=js,python", [1, 2, 3]),
        ("language__in=js&language__in=text", [1]),
        ("linenos=false&owner=1", [2]),
        ("owner=2", [1, 3]),
        ("owner=99", []),
        ("owner__username=ann", [2]),
        ("tags__isnull=true", [3]),
        ("tags__isnull=false", [1, 2]),
        ("created__gte=2026-01-02", [2, 3]),
        ("created__gte=2026-01-02T13:00:00%2B01:00", [2, 3]),
        ("created__range=2026-01-02,2026-01-02T23:00", [2]),
        ("rating__lt=2.5", [1, 2]),
    ],
)
def test_rows_by_values(query: str, keys: list[int]) -> None:
    assert found(query) == keys


def test_a_row_is_found_once_and_conditions_concern_the_same_related_row() -> None:
    red, green = Tag.objects.get(name="red"), Tag.objects.get(name="green")
    assert found(f"tags={green.pk}&tags__name=green") == [1, 2]
    assert found(f"tags={red.pk}&tags__name=green") == []


@pytest.mark.parametrize(
    ("query", "name", "message"),
    [
        ("owner=ann", "owner", "A valid integer is required."),
        ("tags=red", "tags", "A valid integer is required."),
        ("owner=9" * 2 + "9" * 30, "owner", None),
        ("owner=" + "9" * 5000, "owner", None),
        ("language=cobol", "language", '"cobol" is not a valid choice.'),
        ("language__in=js,,python", "language__in", '"" is not a valid choice.'),
        ("linenos=perhaps", "linenos", "Must be a valid boolean."),
        ("title=a%00", "title", "Null characters are not allowed."),
        ("title=a&title=b", "title", "Ensure this field has no more than 1 elements."),
        ("created__range=2026-01-01", "created__range", None),
        ("created__range=2026-01-01,2026-01-02,2026-01-03", "created__range", None),
        ("created__gte=yesterday", "created__gte", None),
        ("created__gte=0001-01-01T00:00", "created__gte", "Datetime value out of range."),
        ("rating__lt=NaN", "rating__lt", "A valid number is required."),
        ("rating__lt=1.23", "rating__lt", None),
        ("language__in=" + "js," * 1000 + "js", "language__in", None),
        ("title=" + "a" * 10_001, "title", None),
    ],
)
def test_other_values_are_named(query: str, name: str, message: str | None) -> None:
    response = get(f"/snippets/?{query}")
    assert response.status_code == 400
    assert list(response.json()) == [name]
    if message:
        assert response.json()[name] == [message]


def test_all_mistakes_are_named_at_once_in_either_format() -> None:
    query = "owner=x&linenos=x"
    assert sorted(get(f"/snippets/?{query}").json()) == ["linenos", "owner"]
    with override_settings(REST_FRAMEWORK={"ERROR_FORMAT": "problem"}):
        errors = get(f"/snippets/?{query}").json()["errors"]
    assert sorted((each["parameter"], each["code"]) for each in errors) == [
        ("linenos", "invalid"),
        ("owner", "invalid"),
    ]


def test_keys_of_others_and_of_nobody_are_alike() -> None:
    assert get("/snippets/?owner=1").status_code == get("/snippets/?owner=123").status_code == 200


ODD = [
    *(
        "",
        " ",
        "0",
        "-1",
        "1",
        "true",
        "null",
        "None",
        "NaN",
        "-inf",
        "1e400",
        "9" * 25,
        "-" + "9" * 25,
    ),
    *("0001-01-01", "9999-12-31", "0000-00-00", "2026-02-30", "9999-12-31T23:59:59.999999-14:00"),
    *(
        "0001-01-01T00:00:00+14:00",
        "24:00",
        "23:59:60",
        "10:00+02:00",
        "P999999999D",
        "-P999999999D",
    ),
    *(
        "1,2",
        "1,2,3",
        ",",
        "0001-01-01,9999-12-31",
        "%",
        "_",
        "\\",
        "'",
        '"',
        "\x00",
        "💥",
    ),
    *(
        "::1",
        "1.2.3.4",
        "{}",
        "[]",
        "a" * 10_000,
        "%" * 9_999,
        "12345678123456781234567812345678",
        "²",
        "１",
    ),
]


def status_of(name: str, value: str) -> int:
    """The status without a client: these values are no part of the description."""
    return Everythings.as_view()(APIRequestFactory().get("/", {name: value})).status_code


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_odd_values_are_never_server_errors(zone: str) -> None:
    Everything.objects.create(text="a", amount=1, when="2026-01-01T00:00:00Z", ratio=0.5)
    with override_settings(TIME_ZONE=zone):
        for name in COMPARED if zone == "UTC" else DATES:
            for value in ODD:
                assert status_of(name, value) in (200, 400), (name, value)


@hypothesis_settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(COMPARED), st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_any_text_is_a_value_or_a_mistake(name: str, value: str) -> None:
    assert status_of(name, value) in (200, 400)


# Which operations


def test_objects_are_found_whatever_the_filters_say() -> None:
    patch = APIRequestFactory().patch("/?title=other", {"title": "new"}, format="json")
    read = APIRequestFactory().get("/?title=other")
    methods = {"get": "retrieve", "patch": "partial_update"}
    for view in (Snippets.as_view(methods), OneSnippet.as_view()):
        assert view(read, pk=1).status_code == view(patch, pk=1).status_code == 200
    assert get("/everywhere/1/?title=other").status_code == 404


def test_only_lists_take_the_parameters(settings: Any) -> None:
    settings.REST_FRAMEWORK = {"STRICT_QUERY_PARAMS": True}
    assert get("/snippets/?owner=1").status_code == 200
    assert get("/snippets/?owners=1").json() == {
        "owners": ["Unknown query parameter. Did you mean 'owner'?"]
    }
    assert get("/snippets/1/?owner=2").status_code == 400
    assert get("/everywhere/1/?owner=2").status_code == 200


def test_parameters_may_have_other_names_and_annotations_are_fields() -> None:
    assert found("tagged=1&by=B", "/renamed/") == [1]
    assert get("/renamed/?tagged=many").json() == {"tagged": ["A valid integer is required."]}


def request_of(query: str) -> Request:
    return Request(APIRequestFactory().get(f"/?{query}"))


class Own(FieldFilter):
    def get_filter_fields(self, view: Any) -> list[str]:
        return ["title"]


@pytest.mark.django_db(transaction=True)
def test_async_views_filter_on_the_loop() -> None:
    request = request_of("title=beta&owner=1")
    rows, view = Snippet.objects.all(), AsyncSnippets()
    assert is_prompt(FieldFilter(), "filter_queryset", request, rows, view)
    assert not is_prompt(Own(), "filter_queryset", request, rows, view)
    get = async_to_sync(AsyncAPIClient().get)
    assert get("/async/?owner=x").status_code == 400
    assert [row["id"] for row in get("/async/?owner=1&title=beta").json()] == [2]


@pytest.mark.fast_way
def test_the_statement_of_a_filtered_page_is_kept() -> None:
    request = request_of("title=beta&created__gte=2026-01-01")
    rows = FieldFilter().filter_queryset(request, Snippet.objects.order_by("id"), Listed())
    assert selection_of(rows, ("id", "title"), connection) is not None
    with CaptureQueriesContext(connection) as queries:
        assert found("title=beta&owner=1") == [2]
    assert len(queries) == 2
    assert all("EXISTS" not in each["sql"] and "DISTINCT" not in each["sql"] for each in queries)


# Descriptions


def parameters_of(address: str, method: str = "get", version: str = "3.1") -> dict[str, Any]:
    with override_settings(REST_FRAMEWORK={"OPENAPI_VERSION": version}):
        document = openapi.SchemaGenerator(title="T", patterns=urlpatterns).get_schema(public=True)
    operation = json.loads(json.dumps(document, default=str))["paths"][address][method]
    return {each["name"]: each for each in operation.get("parameters", [])}


OPERATION_IDS = pytest.mark.filterwarnings("ignore:.*operationId")


@OPERATION_IDS
@pytest.mark.parametrize("version", ["3.0.2", "3.0.3", "3.1", "3.2"])
def test_parameters_are_described_by_their_columns(version: str) -> None:
    found = parameters_of("/snippets/", version=version)
    schemas = {name: each["schema"] for name, each in found.items()}
    assert schemas["owner"] == {"type": "integer", "format": "int64"}
    assert schemas["linenos"] == schemas["tags__isnull"] == {"type": "boolean"}
    assert schemas["language"] == {"type": "string", "enum": ["python", "js", "text"]}
    assert schemas["created__gte"] == {"type": "string", "format": "date-time"}
    assert schemas["language__in"]["type"] == "array"
    assert schemas["language__in"]["items"] == schemas["language"]
    assert found["language__in"]["explode"] is False
    assert schemas["created__range"]["minItems"] == schemas["created__range"]["maxItems"] == 2
    assert found["owner__username"]["description"] == "Owner username"
    assert found["created__gte"]["description"] == "Created: from"


@OPERATION_IDS
def test_only_lists_describe_the_parameters() -> None:
    assert set(parameters_of("/snippets/{id}/")) == {"id"}
    assert set(parameters_of("/one/{id}/", "patch")) == {"id"}
    assert "title" in parameters_of("/everywhere/{id}/", "patch")
    assert set(parameters_of("/renamed/")) == {"tagged", "by"}


@OPERATION_IDS
def test_years_are_limited() -> None:
    assert parameters_of("/everythings/")["when__year"]["schema"] == {
        "type": "integer",
        "minimum": 2,
        "maximum": 9998,
    }


def test_the_native_schema_has_them() -> None:
    document = coreapi.SchemaGenerator(title="T", patterns=urlpatterns).get_schema()
    fields = {each.name: each for each in document["snippets"]["list"].fields}
    assert type(fields["owner"].schema).__name__ == "Integer"
    assert list(fields["language"].schema.enum) == ["python", "js", "text"]
    assert fields["owner"].location == "query"
    assert "title" not in {each.name for each in document["snippets"]["read"].fields}


def test_controls_on_the_page() -> None:
    text = get("/snippets/?language=js&title=%22%3E", HTTP_ACCEPT="text/html").content.decode()
    controls = text[text.index('class="filters"') : text.index('class="panel response"')]
    assert '<option value="js" selected>JavaScript</option>' in controls
    assert 'type="number" name="owner" value=""' in controls
    assert 'name="title" value="&quot;&gt;"' in controls
    assert controls.count("<label") == len(Snippets.filter_fields)
    assert get("/snippets/?owner=x", HTTP_ACCEPT="text/html").status_code == 400


@pytest.mark.django_db
def test_conditions_on_many_rows_do_not_change_what_annotations_count() -> None:
    owner = User.objects.create_user("zoe")
    snippet = Snippet.objects.create(owner=owner, title="Two")
    snippet.tags.set([Tag.objects.create(name=name) for name in ("teal", "dark teal")])

    class Counted(Renamed):
        filter_fields = ["number_of_tags", "owner__snippets__tags__name__icontains"]

    rows = Counted().get_queryset()
    query = "number_of_tags=2&owner__snippets__tags__name__icontains=teal"
    for queryset in (rows, rows.filter(number_of_tags=2)):
        found = FieldFilter().filter_queryset(request_of(query), queryset, Counted())
        assert [(each.pk, each.number_of_tags) for each in found] == [(snippet.pk, 2)]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "is_found"),
    [
        ("total__gte=1000.25", False),
        ("total=150", True),
        ("longest=zzz", False),
        ("longest=python", True),
        ("first=python", True),
    ],
)
def test_what_is_computed_from_a_column_may_exceed_its_limits(query: str, is_found: bool) -> None:
    class Totals(Listed):
        filter_fields = ["total", "total__gte", "longest", "first"]

    owner = User.objects.create_user("zoe")
    for _ in range(2):
        Snippet.objects.create(owner=owner, rating=75, language="python")
    users = User.objects.filter(pk=owner.pk).annotate(
        total=Sum("snippets__rating"),
        longest=Max("snippets__language"),
        first=F("snippets__language"),
    )
    found = FieldFilter().filter_queryset(request_of(query), users, Totals())
    assert bool(found) is is_found


@pytest.mark.django_db
def test_a_column_by_another_name_keeps_its_limits() -> None:
    rows = Snippet.objects.annotate(tongue=F("language"), score=F("rating"))

    class Renamed(Listed):
        filter_fields = ["tongue", "score"]

    with pytest.raises(ValidationError) as caught:
        FieldFilter().filter_queryset(request_of("tongue=zzz&score=1000.25"), rows, Renamed())
    assert caught.value.detail.keys() == {"tongue", "score"}


@pytest.mark.django_db
def test_conditions_on_many_rows_go_through_the_filter_of_the_project() -> None:
    """As packages do that choose the column of the current language."""

    class Translated(QuerySet[Any]):
        def filter(self, *conditions: Any, **values: Any) -> Any:
            translated = [
                Q(
                    *(
                        (name.replace("username", "first_name"), value)
                        for name, value in each.children
                    )
                )
                for each in conditions
                if isinstance(each, Q)
            ]
            return super().filter(*(translated or conditions), **values)

    class Named(Listed):
        filter_fields = ["tags__snippets__owner__username"]

    owner = User.objects.create_user("zoe", first_name="Zoë")
    snippet = Snippet.objects.create(owner=owner)
    snippet.tags.set([Tag.objects.create(name="teal")])
    for name, count in (("Zoë", 1), ("zoe", 0)):
        asked = request_of(f"tags__snippets__owner__username={name}")
        found = FieldFilter().filter_queryset(asked, Translated(Snippet), Named())
        assert len(found) == count


# Mistakes of developers


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("titel", "Snippet has no field 'titel'; did you mean 'title'?"),
        ("title__starts", "has no lookup 'starts'"),
        ("title__regex", "cannot be filtered by a text"),
        ("created__iexact", "cannot be filtered by a text"),
        ("owner__icontains", "has no lookup 'icontains'"),
        ("tags__icontains", "has no lookup 'icontains'"),
        ("tags__range", "has no lookup 'range'"),
        ("owner__nobody", "has no lookup 'nobody'"),
        ("created__year__nothing", "has no lookup 'year__nothing'"),
    ],
)
def test_names_that_are_no_fields(name: str, message: str) -> None:
    class Wrong(Listed):
        filter_fields = [name]

    messages = FieldFilter.check_filter_fields(Wrong)
    assert [each.id for each in messages] == ["lintel.E013"]
    assert message in messages[0].msg
    with pytest.raises(ImproperlyConfigured, match="filter_fields has"):
        FieldFilter().filter_queryset(request_of(f"{name}=1"), Snippet.objects.all(), Wrong())


def test_columns_of_several_values_are_refused() -> None:
    class Wrong(Everythings):
        filter_fields = ["data", "data__contains", "data__key"]

    assert len(FieldFilter.check_filter_fields(Wrong)) == 3


@pytest.mark.parametrize("names", [{"title": ["exact", "icontains"]}, [("title", "Title")], [1]])
def test_what_is_no_name_is_a_mistake(names: Any) -> None:
    class Wrong(Listed):
        filter_fields = names

    (message,) = FieldFilter.check_filter_fields(Wrong)
    assert message.id == "lintel.E013"
    assert "list the lookups" in message.msg


def test_a_text_is_one_name() -> None:
    class One(Listed):
        filter_fields = "title"

    assert FieldFilter().get_query_params(One()) == ["title"]


class Forgotten(generics.ListAPIView[Any]):
    queryset = Article.objects.all()
    serializer_class = SnippetSerializer
    filter_fields = ["slug"]


class Misspelt(Snippets):
    filter_fields = ["ownr"]


class Mistakes:
    urlpatterns = [
        path("forgotten/", Forgotten.as_view()),
        path("misspelt/", Misspelt.as_view({"get": "list"})),
        path("renamed/", Renamed.as_view()),
    ]


@override_settings(ROOT_URLCONF=Mistakes)
def test_the_system_checks_name_view_and_mistake() -> None:
    found = [
        each
        for each in run_checks(databases=["default"])
        if each.id in ("lintel.E013", "lintel.W005")
    ]
    assert [(each.id, each.obj.__name__) for each in found] == [
        ("lintel.W005", "Forgotten"),
        ("lintel.E013", "Misspelt"),
    ]
    assert "did you mean 'owner'?" in found[1].msg


@OPERATION_IDS
def test_options_describe_the_parameters(settings: Any) -> None:
    settings.REST_FRAMEWORK = {
        "OPENAPI_VERSION": "3.1",
        "DEFAULT_METADATA_CLASS": "lintel.schemas.options.OpenAPIMetadata",
    }
    (operations,) = APIClient().options("/snippets/").json()["openapi"]["paths"].values()
    described = {each["name"]: each["schema"] for each in operations["get"]["parameters"]}
    assert described["owner"] == {"type": "integer", "format": "int64"}
    assert "owner" not in {each["name"] for each in operations["post"].get("parameters", [])}
