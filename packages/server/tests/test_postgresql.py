"""Features of PostgreSQL, on a real server: its columns, its searches, two writers at once."""

import json
import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from os import environ
from typing import Any
from urllib.parse import urlencode

import pytest
from contract_project.models import Entry, Reservation, Tag
from django.apps.registry import Apps
from django.contrib.postgres.fields import (
    ArrayField,
    BigIntegerRangeField,
    DateRangeField,
    DateTimeRangeField,
    DecimalRangeField,
    HStoreField,
    IntegerRangeField,
)
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import IntegrityError, connections, models
from django.db.backends.postgresql.psycopg_any import NumericRange
from django.db.models import F
from django.http import QueryDict
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from servers import everything_in

from lintel import serializers
from lintel.exceptions import NotFound, ValidationError
from lintel.filters import SearchFilter, UnaccentedSearchFilter
from lintel.pagination import LimitOffsetPagination, PageNumberPagination
from lintel.renderers import JSONRenderer
from lintel.request import Request
from lintel.test import APIRequestFactory


class Item(models.Model):
    title = models.CharField(max_length=40, default="")
    labels = ArrayField(models.CharField(max_length=5), default=list, blank=True)
    grid = ArrayField(ArrayField(models.IntegerField(), size=2), null=True)
    facts = HStoreField(default=dict, blank=True)
    data = models.JSONField(default=dict, blank=True)
    pages = IntegerRangeField(null=True)
    bytes = BigIntegerRangeField(null=True)
    prices = DecimalRangeField(null=True)
    days = DateRangeField(null=True)
    times = DateTimeRangeField(null=True)

    class Meta:
        apps = Apps(["contract_project"])
        app_label = "contract_project"


class Document(models.Model):
    title = SearchVectorField()

    class Meta:
        apps = Apps(["contract_project"])
        app_label = "contract_project"


class ItemSerializer(serializers.ModelSerializer):
    class Meta:
        model = Item
        fields = "__all__"


@pytest.fixture(scope="module")
def _tables(postgresql: str, django_db_blocker: Any) -> Iterator[None]:
    with everything_in(postgresql, django_db_blocker):
        with connections[postgresql].schema_editor() as editor:
            editor.create_model(Item)
        yield
        with connections[postgresql].schema_editor() as editor:
            editor.delete_model(Item)


@pytest.fixture(autouse=True)
def _empty(_tables: None) -> Iterator[None]:
    yield
    for model in (Item, Tag, Reservation, Entry):
        model.objects.all().delete()


# ---- columns ----

COMPLETE = {
    "title": "One",
    "labels": ["a", "bc"],
    "grid": [[1, 2], [3, 4]],
    "facts": {"colour": "red", "size": None},
    "data": {"deep": {"list": [1, 2.5, None, "x"]}},
    "pages": {"lower": 1, "upper": 10, "bounds": "[)"},
    "bytes": {"lower": 2**40, "upper": None, "bounds": "[)"},
    "prices": {"lower": "1.50", "upper": "2.75", "bounds": "(]"},
    "days": {"lower": "2026-01-01", "upper": "2026-02-01", "bounds": "[)"},
    "times": {
        "lower": "2026-01-01T00:00:00Z",
        "upper": "2026-01-01T12:30:00.000001Z",
        "bounds": "()",
    },
}


def test_columns_become_fields() -> None:
    fields = ItemSerializer().fields
    found = {name: type(field) for name, field in fields.items()}
    assert found == {
        "id": serializers.BigIntegerField,
        "title": serializers.CharField,
        "labels": serializers.ListField,
        "grid": serializers.ListField,
        "facts": serializers.HStoreField,
        "data": serializers.JSONField,
        "pages": serializers.ModelField,
        "bytes": serializers.ModelField,
        "prices": serializers.ModelField,
        "days": serializers.ModelField,
        "times": serializers.ModelField,
    }
    assert isinstance(fields["labels"].child, serializers.CharField)
    assert fields["labels"].child.max_length == 5
    assert isinstance(fields["grid"].child, serializers.ListField)
    assert isinstance(fields["grid"].child.child, serializers.IntegerField)


PLAIN = {name: COMPLETE[name] for name in ("title", "labels", "grid", "facts", "data")}


def test_arrays_hstores_and_json_survive_the_database() -> None:
    serializer = ItemSerializer(data=PLAIN)
    serializer.is_valid(raise_exception=True)
    stored = Item.objects.get(pk=serializer.save().pk)
    for shown in (serializer.data, ItemSerializer(stored).data):
        assert {name: shown[name] for name in PLAIN} == PLAIN
    written = JSONRenderer().render(ItemSerializer(Item.objects.all(), many=True).data)
    assert b'"facts":{"size":null,"colour":"red"}' in written or (
        b'"facts":{"colour":"red","size":null}' in written
    )


@pytest.mark.parametrize(
    ("values", "errors"),
    [
        ({"labels": ["too long"]}, {"labels": {0: ["max_length"]}}),
        ({"labels": "no list"}, {"labels": ["not_a_list"]}),
        ({"grid": [[1, "x"]]}, {"grid": {0: {1: ["invalid"]}}}),
        ({"grid": [[1, 2, 3]]}, {"grid": {0: ["max_length"]}}),
        ({"facts": ["x"]}, {"facts": ["not_a_dict"]}),
        ({"data": float("nan")}, {"data": ["invalid"]}),
    ],
    ids=str,
)
def test_wrong_values_of_columns(values: dict[str, Any], errors: Any) -> None:
    serializer = ItemSerializer(data={**PLAIN, **values})
    assert not serializer.is_valid()
    assert _codes(serializer.errors) == errors


def _codes(errors: Any) -> Any:
    if isinstance(errors, dict):
        return {name: _codes(error) for name, error in errors.items()}
    return [error.code for error in errors]


def test_nul_in_arrays_and_hstores_is_no_crash() -> None:
    for values in ({"labels": ["\0"]}, {"facts": {"a": "\0"}}, {"facts": {"\0": "a"}}):
        serializer = ItemSerializer(data={**PLAIN, **values})
        assert not serializer.is_valid(), values


NUL = "Null characters are not allowed."
SURROGATE = "Surrogate characters are not allowed: U+D800."


@pytest.mark.parametrize("mode", ["always", "never"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("a\0", NUL),
        ("\ud800", SURROGATE),
        (["x", "\0"], f"/1: {NUL}"),
        ({"a": [{"b/c~d": "\ud800"}]}, f"/a/0/b~1c~0d: {SURROGATE}"),
        ({"a": {"x\0y": 1}}, f"/a/x\\u0000y: {NUL}"),
        ({"\ud800": 1}, f"/\\ud800: {SURROGATE}"),
        ({"k" * 300: "\0"}, NUL),
    ],
    ids=ascii,
)
def test_text_that_json_columns_cannot_hold(value: Any, message: str, mode: str) -> None:
    with override_settings(REST_FRAMEWORK={"COMPILE_SERIALIZERS": mode}):
        serializer = ItemSerializer(data={**PLAIN, "data": value})
        assert not serializer.is_valid()
    assert serializer.errors == {"data": [message]}
    form = ItemSerializer(data=QueryDict(urlencode({"data": json.dumps(value)})))
    assert not form.is_valid()
    assert form.errors["data"] == [message]


def test_other_odd_text_is_stored_in_json_columns() -> None:
    value = {"\\u0000 \N{GRINNING FACE}": ["\\ud800", "\x01", "\\\\u0000", ""]}
    serializer = ItemSerializer(data={**PLAIN, "data": value})
    serializer.is_valid(raise_exception=True)
    assert Item.objects.get(pk=serializer.save().pk).data == value


class Settings(serializers.Serializer):
    theme = serializers.JSONField()


class DeclaredSerializer(serializers.ModelSerializer):
    """Fields of other types, and deeper ones, over the same column."""

    loose = serializers.DictField(source="data", required=False)
    texts = serializers.DictField(source="data", required=False, child=serializers.CharField())
    items = serializers.ListField(source="data", required=False)
    lists = serializers.ListField(source="data", required=False, child=serializers.JSONField())
    nested = Settings(source="data", required=False)
    secret = serializers.JSONField(source="data", required=False, write_only=True)

    class Meta:
        model = Item
        fields = ("loose", "texts", "items", "lists", "nested", "secret")


@pytest.mark.parametrize(
    ("values", "errors"),
    [
        ({"loose": {"a": ["\0"]}}, {"loose": {"a": [f"/0: {NUL}"]}}),
        ({"loose": {"\0": 1}}, {"loose": {"\0": [NUL]}}),
        ({"texts": {"\0": "a"}}, {"texts": {"\0": [NUL]}}),
        ({"items": [1, "\0"]}, {"items": {1: [NUL]}}),
        ({"lists": [{"a": "\0"}]}, {"lists": {0: [f"/a: {NUL}"]}}),
        ({"nested": {"theme": ["\0"]}}, {"nested": {"theme": [f"/0: {NUL}"]}}),
        ({"secret": {"key": "\0"}}, {"secret": [NUL]}),
    ],
    ids=ascii,
)
def test_declared_fields_over_json_columns(values: dict[str, Any], errors: Any) -> None:
    serializer = DeclaredSerializer(data=values)
    assert not serializer.is_valid()
    assert serializer.errors == errors
    changed = DeclaredSerializer(Item(), data=values, partial=True)
    assert not changed.is_valid()
    assert changed.errors == errors


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pages", [1]),
        ("pages", ["\0", 2]),
        ("pages", [2, 1]),
        ("pages", {"lower": "\0", "upper": 2}),
        ("pages", '{"lower": "\\u0000", "upper": "2"}'),
        ("days", ["2026-01-01", "\0"]),
        ("times", ["2026-01-01T00:00:00Z", "\ud800"]),
        ("prices", [True, [1]]),
    ],
    ids=ascii,
)
def test_ranges_that_the_column_cannot_hold(name: str, value: Any) -> None:
    serializer = ItemSerializer(data={**PLAIN, name: value})
    assert not serializer.is_valid()
    assert set(serializer.errors) == {name}


def test_ranges_may_be_lists_of_two_bounds() -> None:
    values = {"pages": ["1", 10], "days": ["2026-01-01", None], "prices": None}
    serializer = ItemSerializer(data={**PLAIN, **values})
    serializer.is_valid(raise_exception=True)
    stored = Item.objects.get(pk=serializer.save().pk)
    assert (stored.pages.lower, stored.pages.upper) == (1, 10)
    assert (stored.days.lower, stored.days.upper) == (date(2026, 1, 1), None)


def test_columns_of_unknown_types_take_no_nul() -> None:
    class Words(serializers.ModelSerializer):
        words = serializers.ModelField(SearchVectorField(), source="title")

        class Meta:
            model = Document
            fields = ("words",)

    serializer = Words(data={"words": "a\0b"})
    assert not serializer.is_valid()
    assert serializer.errors == {"words": [NUL]}


def test_ranges_are_shown_by_the_column() -> None:
    item = Item.objects.create(
        pages=NumericRange(1, 10), prices=NumericRange(Decimal("1.5"), Decimal("2.75"), "(]")
    )
    item.refresh_from_db()
    shown = ItemSerializer(item).data
    expected = {
        name: Item._meta.get_field(name).value_to_string(item) for name in ("pages", "prices")
    }
    assert {name: shown[name] for name in expected} == expected


def test_ranges_are_read_by_the_column() -> None:
    values = {
        "pages": '{"lower": "1", "upper": "10", "bounds": "[)"}',
        "days": '{"lower": "2026-01-01", "upper": null, "bounds": "[)"}',
        "times": '{"lower": "2026-01-01T00:00:00+00:00", "upper": null, "bounds": "[)"}',
    }
    serializer = ItemSerializer(data={**PLAIN, **values})
    serializer.is_valid(raise_exception=True)
    stored = Item.objects.get(pk=serializer.save().pk)
    assert (stored.pages.lower, stored.pages.upper) == (1, 10)
    assert (stored.days.lower, stored.days.upper) == (date(2026, 1, 1), None)
    assert stored.times.lower == datetime(2026, 1, 1, tzinfo=UTC)


# ---- searches ----


class Search:
    """A view that is searched in some fields."""

    def __init__(self, *search_fields: str) -> None:
        self.search_fields = search_fields


def found(term: str, *fields: str, search: Any = SearchFilter, rows: Any = None) -> list[str]:
    request = Request(APIRequestFactory().get("/", {"search": term}))
    rows = Item.objects.order_by("title") if rows is None else rows
    return [item.title for item in search().filter_queryset(request, rows, Search(*fields))]


@pytest.fixture
def _items() -> None:
    Item.objects.create(title="Café", data={"a": {"b": "Red wine"}, "n": 5}, facts={"kind": "bar"})
    Item.objects.create(title="Cafe", data={"a": {"b": "red"}}, facts={"kind": "Barn", "x": None})
    Item.objects.create(title="Zoo", data={"a": "red"}, labels=["red"])


@pytest.mark.usefixtures("_items")
@pytest.mark.parametrize(
    ("term", "fields", "titles"),
    [
        ("red", ["data__a__b"], ["Cafe", "Café"]),
        ("red wine", ["data__a__b"], ["Café"]),
        ("red", ["^data__a__b"], ["Cafe", "Café"]),
        ("Red", ["data__a__b__startswith"], ["Café"]),
        ("RED", ["=data__a__b"], ["Cafe"]),
        ("^red$", ["$data__a__b"], ["Cafe"]),
        ("bar", ["facts__kind"], ["Cafe", "Café"]),
        ("bar", ["=facts__kind"], ["Café"]),
        ("bar", ["facts__kind__exact"], ["Café"]),
        ("bar", ["facts__nowhere"], []),
        ("re", ["labels"], ["Zoo"]),
        ("zoo bar", ["title", "facts__kind"], []),
        ("caf bar", ["title", "facts__kind"], ["Cafe", "Café"]),
    ],
    ids=str,
)
def test_searches_into_json_hstore_and_arrays(
    term: str, fields: list[str], titles: list[str]
) -> None:
    assert found(term, *fields) == titles


@pytest.mark.usefixtures("_items")
def test_searches_may_take_no_notice_of_accents() -> None:
    assert found("CAFÉ", "title") == ["Café"]
    assert found("CAFÉ", "title", search=UnaccentedSearchFilter) == ["Cafe", "Café"]
    assert found("cafe", "^title", search=UnaccentedSearchFilter) == ["Cafe", "Café"]
    assert found("cafe", "=title", search=UnaccentedSearchFilter) == ["Cafe", "Café"]
    assert found("caf.$", "$title", search=UnaccentedSearchFilter) == ["Cafe", "Café"]
    assert found("cafe", "title__unaccent") == ["Cafe", "Café"]


@pytest.mark.usefixtures("_items")
def test_full_text_and_annotated_searches() -> None:
    assert found("zoo", "@title") == ["Zoo"]
    rows = Item.objects.annotate(words=SearchVector("title")).order_by("title")
    assert found("zoo", "words", rows=rows) == ["Zoo"]


@pytest.mark.usefixtures("_items")
@pytest.mark.parametrize("term", ["(", "[", "a{2,1}", "*", "\\"])
def test_bad_regular_expressions_are_bad_requests(term: str) -> None:
    with pytest.raises(ValidationError, match="Invalid regular expression"):
        found(term, "$title")
    # The connection is good for another search.
    assert found("^Z", "$title") == ["Zoo"]


@pytest.mark.usefixtures("_items")
def test_odd_terms_are_no_crash() -> None:
    for term in ("'", "%", "_", "\\", '"', "9" * 400, "\u2028", "a" * 5000):
        found(term, "title", "data__a__b", "facts__kind", "labels", "id", "data__n", "pages")


# ---- estimated counts ----


class Pages(PageNumberPagination):
    page_size = 500
    counting = "estimated"
    estimate_from = 100


class Offsets(LimitOffsetPagination):
    default_limit = 500
    counting = "estimated"
    estimate_from = 100


def page(made: Any, rows: Any, **query: Any) -> dict[str, Any]:
    paginator = made()
    found = paginator.paginate_queryset(rows, Request(APIRequestFactory().get("/", query)))
    return paginator.get_paginated_response(found).data


@pytest.fixture
def entries() -> Any:
    """2,000 rows of which the planner knows, and 1,000 that came later."""
    now = datetime(2026, 1, 1, tzinfo=UTC)

    def create(count: int) -> None:
        Entry.objects.bulk_create(Entry(name="e", created=now, score=n) for n in range(count))

    create(2000)
    with connections[Entry.objects.db].cursor() as cursor:
        cursor.execute("ANALYZE contract_project_entry")
    create(1000)
    return Entry.objects.annotate(n=F("name")).order_by("-score", "pk")


@pytest.mark.skipif(
    environ.get("LINTEL_DATABASE_STATE") == "row-security",
    reason="statistics tell of rows that a role may not see, so these are counted",
)
@pytest.mark.parametrize("made", [Pages, Offsets])
def test_statistics_tell_about_how_many_rows_there_are(made: Any, entries: Any) -> None:
    with CaptureQueriesContext(connections[entries.db]) as statements:
        assert 1900 < page(made, entries)["count"] < 3600
        assert 800 < page(made, entries.filter(score__lt=1000))["count"] < 2400
    assert not [each["sql"] for each in statements if "COUNT(" in each["sql"]]
    assert page(made, entries.filter(score__lt=7))["count"] == 14
    assert page(made, entries.none())["count"] == 0


def test_an_estimate_hides_no_rows(entries: Any) -> None:
    last = page(Pages, entries, page=6)
    assert (len(last["results"]), last["next"], last["count"]) == (500, None, 3000)
    assert page(Pages, entries, page="last") == last
    with pytest.raises(NotFound):
        page(Pages, entries, page=7)


# ---- keys ----


@pytest.mark.fast_way
def test_many_keys_are_one_query() -> None:
    tags = Tag.objects.bulk_create(Tag(name=f"tag {number}") for number in range(200))
    field = serializers.PrimaryKeyRelatedField(many=True, queryset=Tag.objects.all())
    with CaptureQueriesContext(connections[Tag.objects.db]) as statements:
        assert field.run_validation([tag.pk for tag in tags]) == tags
    assert len(statements) == 1


@pytest.mark.parametrize("key", [2**63, -(2**63) - 1, "9" * 400, "\0", "x", 1.5, None, {}, True])
def test_keys_that_no_row_can_have(key: Any) -> None:
    tag = Tag.objects.create(name="one")
    field = serializers.PrimaryKeyRelatedField(many=True, queryset=Tag.objects.all())
    for keys in ([key], [tag.pk, key]):
        with pytest.raises(ValidationError):
            field.run_validation(keys)
    assert field.run_validation([tag.pk]) == [tag]


# ---- two writers at once ----


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["name"]


class ReservationSerializer(serializers.ModelSerializer):
    class Meta:
        model = Reservation
        fields = ["room", "slot"]


def race(serializer_class: Any, data: dict[str, Any], writers: int = 2) -> list[Any]:
    """What came of validating the same data on all connections, and saving it afterwards."""
    barrier = threading.Barrier(writers)
    outcomes: list[Any] = []

    def write() -> None:
        try:
            serializer = serializer_class(data=data)
            serializer.is_valid(raise_exception=True)
            barrier.wait(timeout=20)
            outcomes.append(serializer.save())
        except (ValidationError, IntegrityError) as error:
            outcomes.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=write) for _ in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


@pytest.mark.parametrize("status", [400, 409])
@pytest.mark.parametrize(
    ("serializer_class", "data", "codes"),
    [
        (TagSerializer, {"name": "one"}, {"name": ["unique"]}),
        (ReservationSerializer, {"room": "A", "slot": 1}, {"non_field_errors": ["unique"]}),
    ],
)
def test_the_loser_of_a_race_is_told(
    settings: Any, status: int, serializer_class: Any, data: Any, codes: Any
) -> None:
    settings.REST_FRAMEWORK = {"UNIQUE_RACE_STATUS": status}
    outcomes = race(serializer_class, data, writers=4)
    errors = [each for each in outcomes if isinstance(each, ValidationError)]
    assert (len(outcomes), len(errors)) == (4, 3)
    assert {error.status_code for error in errors} == {status}
    assert all(error.get_codes() == codes for error in errors)
    assert serializer_class.Meta.model.objects.count() == 1


def test_without_the_setting_the_error_of_the_database_passes() -> None:
    outcomes = race(TagSerializer, {"name": "one"})
    assert sorted(type(each).__name__ for each in outcomes) == ["IntegrityError", "Tag"]
