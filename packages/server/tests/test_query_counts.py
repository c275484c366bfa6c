"""Queries are counted: a budget for tests, and a header in DEBUG."""

from typing import Any

import pytest
from contract_project.models import Tag
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpResponse
from django.urls import path

from lintel import generics, serializers
from lintel.query_counts import QueryCountMiddleware, counted
from lintel.test import APIClient
from lintel.test.budgets import BudgetExceeded, query_budget

pytestmark = pytest.mark.django_db


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["name"]


class Tags(generics.ListAPIView):
    queryset = Tag.objects.all()
    serializer_class = TagSerializer


urlpatterns = [path("tags/", Tags.as_view())]


def test_a_budget_that_is_kept() -> None:
    with query_budget(2) as queries:
        Tag.objects.count()
        list(Tag.objects.all())
    assert (queries.count, queries.repeated) == (2, 1)


def test_a_budget_that_is_exceeded_lists_the_statements() -> None:
    def ask_often() -> None:
        with query_budget(2):
            for number in range(3):
                list(Tag.objects.filter(pk=number))
            Tag.objects.count()

    with pytest.raises(BudgetExceeded) as caught:
        ask_often()
    first, second, third = str(caught.value).splitlines()
    assert first == "4 queries ran, and at most 2 may:"
    assert second.startswith("   3 x SELECT")
    assert third.startswith("   1 x SELECT COUNT")


def test_an_error_in_the_block_is_not_hidden() -> None:
    def fail() -> None:
        with query_budget(0):
            Tag.objects.count()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with counted() as queries:
        pass
    Tag.objects.count()
    assert queries.count == 0


def test_the_header_is_there_in_debug(settings: Any) -> None:
    settings.ROOT_URLCONF = __name__
    settings.DEBUG = True
    settings.MIDDLEWARE = ["lintel.query_counts.QueryCountMiddleware"]
    value = APIClient().get("/tags/")["Server-Timing"]
    assert value.startswith("db;dur=")
    assert value.endswith(';desc="1 queries"')


def test_other_timings_stay(settings: Any) -> None:
    settings.DEBUG = True

    def view(request: Any) -> HttpResponse:
        for number in range(2):
            list(Tag.objects.filter(pk=number))
        return HttpResponse(headers={"Server-Timing": "cache"})

    value = QueryCountMiddleware(view)(None)["Server-Timing"]  # type: ignore[arg-type]
    assert value.startswith("cache, db;dur=")
    assert value.endswith(';desc="2 queries, 2 alike"')


def test_production_has_no_header(settings: Any) -> None:
    settings.DEBUG = False
    with pytest.raises(MiddlewareNotUsed):
        QueryCountMiddleware(lambda request: None)  # type: ignore[arg-type, return-value]


def test_the_plugin_brings_the_fixture(request: pytest.FixtureRequest) -> None:
    budget = request.getfixturevalue("query_budget")
    with budget(1):
        Tag.objects.count()
