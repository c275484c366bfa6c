"""Searches that only PostgreSQL supports: hstore, unaccent, full text, its regular expressions."""

from collections.abc import Iterator
from typing import Any

import pytest
from contract_project.models import Everything, Snippet
from django.contrib.auth.models import User
from django.contrib.postgres.fields import HStoreField
from django.db import connections, models
from django.db.models import Value
from django.test import RequestFactory
from django.test.utils import isolate_apps
from django.utils import timezone
from servers import everything_in

from lintel import generics
from lintel.exceptions import ValidationError
from lintel.filters import FieldFilter, SearchFilter, UnaccentedSearchFilter
from lintel.request import Request

factory = RequestFactory()


@pytest.fixture
def database(postgresql: str, django_db_blocker: Any) -> Iterator[str]:
    with everything_in(postgresql, django_db_blocker, Everything):
        owner = User.objects.create(username="zoë")
        titles = ("Café crème", "cafe noir", "")
        snippets = [Snippet(title=title, code="x", owner=owner) for title in titles]
        for each in snippets:
            each.save()
        yield postgresql
        Snippet.objects.all().delete()
        owner.delete()


def search(text: str, *fields: str, rows: Any = None, backend: Any = SearchFilter) -> list[str]:
    view = type("View", (), {"search_fields": fields})
    request = Request(factory.get("/", {"search": text}))
    queryset = Snippet.objects.order_by("pk") if rows is None else rows
    return [row.title for row in backend().filter_queryset(request, queryset, view)]


@pytest.mark.usefixtures("database")
def test_accents_count_unless_they_are_taken_away() -> None:
    assert search("cafe", "title") == ["cafe noir"]
    assert search("cafe", "title", backend=UnaccentedSearchFilter) == ["Café crème", "cafe noir"]
    assert search('"CAFE CR"', "^title", backend=UnaccentedSearchFilter) == ["Café crème"]
    assert search("zoe", "=owner__username", backend=UnaccentedSearchFilter)[0] == "Café crème"


@pytest.mark.usefixtures("database")
def test_full_text() -> None:
    assert search("noir", "@title") == ["cafe noir"]
    assert search("noi", "@title") == []


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("pattern", ["[", "(", "a{9999}", "*", "\\"])
def test_a_bad_regular_expression_is_bad_input(pattern: str) -> None:
    with pytest.raises(ValidationError) as caught:
        search(pattern, "$title")
    assert caught.value.get_codes() == ["invalid_regex"]
    assert search("^ca.*r$", "$title") == ["cafe noir"]


@pytest.mark.usefixtures("database")
def test_keys_inside_of_json() -> None:
    moment = timezone.now()
    for colour in ("red", "green"):
        data = {"colour": {"name": colour}}
        Everything.objects.create(text=colour, amount=1, when=moment, data=data)
    rows = Everything.objects.annotate(title=models.F("text"))
    assert search("gre", "data__colour__name", rows=rows) == ["green"]
    assert search("red", "=data__colour__name", rows=rows) == ["red"]


def test_keys_inside_of_hstore(database: str) -> None:
    with isolate_apps("contract_project"):

        class Labelled(models.Model):
            title = models.TextField()
            labels = HStoreField()

            class Meta:
                app_label = "contract_project"

        with connections[database].schema_editor() as editor:
            editor.create_model(Labelled)
        try:
            Labelled.objects.create(title="one", labels={"colour": "red"})
            Labelled.objects.create(title="two", labels={"colour": "dark green"})
            rows = Labelled.objects.order_by("pk")
            assert search("green", "labels__colour", rows=rows) == ["two"]
            assert search("RED", "=labels__colour", rows=rows) == ["one"]
        finally:
            with connections[database].schema_editor() as editor:
                editor.delete_model(Labelled)


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("9" * 40, "pk__exact"),
        ("9" * 9, "created__year__exact"),
        ("9999-12-31T23:59:59-23:59", "created__exact"),
        ("1e999999", "price__exact"),
        ("€" * 10_000, "title"),
    ],
)
def test_values_that_no_column_has_find_nothing(text: str, field: str) -> None:
    price = models.DecimalField(max_digits=5, decimal_places=2)
    rows = Snippet.objects.annotate(price=Value(1, output_field=price))
    assert search(text, field, rows=rows) == []


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("term", ["x", "9" * 400, "2020-13-13", '"\\u0000"'])
def test_a_term_that_is_no_span_of_time_finds_nothing(term: str) -> None:
    assert search(term, "span__exact", rows=Everything.objects.all()) == []


COLUMNS = [each.name for each in Everything._meta.concrete_fields if each.name != "data"]
LOOKUPS = ("", "__gte", "__in", "__range", "__isnull", "__icontains", "__istartswith")
KEY = "6e1c2ea4-0000-4000-8000-000000000000"
ODD = [
    *("0", "-1", "true", "NaN", "1e400", "9" * 18, "9" * 25, "0001-01-01", "9999-12-31", "1,2"),
    *("9998-12-31T23:59:59.999999-14:00", "0002-01-01T00:00+14:00", "24:00", "10:00+02:00", "%\\"),
    *(
        "P106751991D",
        "-P106751991D",
        "P999999999D",
        "::1",
        "1.2.3.4",
        "{}",
        "9" * 9_999,
        "\x00",
        "²",
    ),
    *("2026", "2026-01-01", "2026-01-01,2026-01-02", "10:00,11:00", "true,false", "::1,::2"),
    *(KEY, f"{KEY},{KEY}"),
    "1.00,2.00",
]


class Everythings(generics.ListAPIView[Any]):
    queryset = Everything.objects.all()
    filter_fields = [
        *(f"{name}{lookup}" for name in COLUMNS for lookup in LOOKUPS),
        *(
            "text__iexact",
            "link__iexact",
            "when__year",
            "when__iso_year__gte",
            "when__date",
            "when__time__gt",
            "day__week_day",
        ),
    ]


@pytest.mark.parametrize("name", Everythings.filter_fields)
def test_what_passes_a_filter_by_fields_passes_the_database(database: str, name: str) -> None:
    passed = 0
    for value in ODD:
        request = Request(factory.get("/", {name: value}))
        try:
            rows = FieldFilter().filter_queryset(request, Everything.objects.all(), Everythings())
        except ValidationError:
            continue
        passed += list(rows) == []
    assert passed
