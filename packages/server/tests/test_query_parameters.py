"""STRICT_QUERY_PARAMS: which parameters are declared, and what is said about others."""

from typing import Any

import pytest
from asgiref.sync import async_to_sync
from contract_project.models import Entry
from django.test import AsyncRequestFactory, RequestFactory, override_settings
from django.utils import timezone
from django_filters import FilterSet, RangeFilter
from django_filters.rest_framework import DjangoFilterBackend

from lintel import generics, permissions, serializers, versioning, views
from lintel.filters import BaseFilterBackend, OrderingFilter, SearchFilter
from lintel.pagination import CursorPagination, LimitOffsetPagination, PageNumberPagination
from lintel.renderers import JSONRenderer
from lintel.response import Response

factory = RequestFactory()

pytestmark = pytest.mark.django_db


class EntrySerializer(serializers.ModelSerializer):
    class Meta:
        model = Entry
        fields = ["id", "name"]


class Pages(PageNumberPagination):
    page_size = 2
    page_size_query_param = "size"


class EntryList(generics.ListAPIView):
    queryset = Entry.objects.order_by("id")
    serializer_class = EntrySerializer
    renderer_classes = [JSONRenderer]
    strict_query_params = True
    filter_backends = [SearchFilter, OrderingFilter]
    search_fields = ["name"]
    pagination_class = Pages
    versioning_class = versioning.QueryParameterVersioning


def get(query: str, view: Any = EntryList, **attributes: Any) -> Any:
    cls = type("Own", (view,), attributes)
    return cls.as_view()(factory.get(f"/?{query}"))


@pytest.mark.parametrize(
    "query",
    [
        "",
        "search=a",
        "ordering=id",
        "page=1",
        "size=1",
        "version=2",
        "format=json",
        "page=1&page=1",
    ],
)
def test_declared_parameters_pass(query: str) -> None:
    assert get(query).status_code == 200


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("serach", "Unknown query parameter. Did you mean 'search'?"),
        ("order", "Unknown query parameter. Did you mean 'ordering'?"),
        ("Page", "Unknown query parameter. Did you mean 'page'?"),
        ("zzz", "Unknown query parameter."),
        ("", "Unknown query parameter."),
    ],
)
def test_unknown_ones_are_refused_and_near_misses_named(name: str, message: str) -> None:
    response = get(f"{name}=1")
    assert response.status_code == 400
    assert response.data == {name: [message]}
    assert response.data[name][0].code == "unknown_query_parameter"


def test_all_unknown_ones_are_named_at_once() -> None:
    assert set(get("search=a&x=1&y=2&x=3").data) == {"x", "y"}


def test_the_answer_is_bounded() -> None:
    response = get("&".join(f"q{number}" + "w" * 5000 + "=1" for number in range(300)))
    assert response.status_code == 400
    response.render()
    assert len(response.content) < 5000


def test_it_is_off_by_default() -> None:
    assert get("nonsense=1", strict_query_params=False).status_code == 200
    assert "strict_query_params" not in vars(generics.ListAPIView)
    assert generics.ListAPIView.strict_query_params is False


@override_settings(REST_FRAMEWORK={"STRICT_QUERY_PARAMS": True})
def test_the_setting_counts_for_all_views() -> None:
    class Plain(views.APIView):
        allowed_query_params = ["depth"]

        def get(self, request: Any) -> Response:
            return Response()

    assert get("depth=1&format=json", Plain).status_code == 200
    assert get("deep=1", Plain).data == {"deep": ["Unknown query parameter. Did you mean 'depth'?"]}
    assert get("deep=1", Plain, strict_query_params=False).status_code == 200


@override_settings(REST_FRAMEWORK={"URL_FORMAT_OVERRIDE": None})
def test_the_format_is_known_only_where_it_has_a_meaning() -> None:
    assert get("format=json").status_code == 400


@pytest.mark.parametrize(
    ("attributes", "known", "unknown"),
    [
        ({"pagination_class": None}, "search=a", "page=1"),
        ({"pagination_class": LimitOffsetPagination}, "limit=1&offset=1", "page=1"),
        (
            {"pagination_class": type("C", (CursorPagination,), {"ordering": "id"})},
            "search=a",
            "size=1",
        ),
        ({"filter_backends": []}, "page=1", "search=a"),
        ({"versioning_class": None}, "page=1", "version=1"),
        ({"versioning_class": versioning.AcceptHeaderVersioning}, "page=1", "version=1"),
    ],
)
def test_each_policy_declares_its_own(attributes: Any, known: str, unknown: str) -> None:
    assert get(known, **attributes).status_code == 200
    assert get(unknown, **attributes).status_code == 400


def test_filters_of_ones_own_declare_theirs() -> None:
    class Owned(BaseFilterBackend):
        def filter_queryset(self, request: Any, queryset: Any, view: Any) -> Any:
            return queryset

        def get_query_params(self, view: Any) -> list[str]:
            return ["owner"]

    assert get("owner=1", filter_backends=[Owned]).status_code == 200
    assert get("owner=1", filter_backends=[BaseFilterBackend]).status_code == 400


def test_filter_sets_of_django_filter_are_known() -> None:
    class Entries(FilterSet):
        score = RangeFilter()

        class Meta:
            model = Entry
            fields = {"name": ["exact", "icontains"]}

    own = {"filter_backends": [DjangoFilterBackend], "filterset_class": Entries}
    for query in ("name=a", "name__icontains=a", "score_min=1&score_max=2"):
        assert get(query, **own).status_code == 200
    assert get("name__contains=a", **own).data == {
        "name__contains": ["Unknown query parameter. Did you mean 'name__icontains'?"]
    }
    assert get("score=1", **own).status_code == 400
    bare = {"filter_backends": [DjangoFilterBackend]}
    assert get("name=a", **bare).status_code == 400


def test_who_may_not_come_in_learns_nothing() -> None:
    assert get("x=1", permission_classes=[permissions.IsAuthenticated]).status_code in (401, 403)


def test_views_on_the_event_loop_are_as_strict() -> None:
    class Loop(generics.AsyncListAPIView, EntryList):
        pass

    Entry.objects.create(name="one", created=timezone.now())
    requests = AsyncRequestFactory()
    view = Loop.as_view()
    assert async_to_sync(view)(requests.get("/?serach=1")).status_code == 400
    assert async_to_sync(view)(requests.get("/?search=one")).data["count"] == 1
    assert async_to_sync(view)(requests.get("/")).data["count"] == 1


def test_a_trial_answers_as_before_and_logs_the_names(caplog: Any) -> None:
    assert get("serach=1&search=", strict_query_params="report").status_code == 200
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("lintel.reports", "WARNING")
    assert record.getMessage() == f"Unknown query parameters of {__name__}.Own: 'serach'"
    caplog.clear()
    with override_settings(REST_FRAMEWORK={"STRICT_QUERY_PARAMS": "report"}):
        view = type("Own", (generics.ListAPIView,), {**vars(EntryList)})
        del view.strict_query_params
        many = "&".join(f"{'x' * 500}{n}%0a=1" for n in range(50))
        assert view.as_view()(factory.get(f"/?{many}")).status_code == 200
        assert view.as_view()(factory.get("/?search=a")).status_code == 200
    (record,) = caplog.records
    assert record.getMessage().count("xxx'") == 20
    assert len(record.getMessage()) < 20 * 110
    assert "\n" not in record.getMessage()
