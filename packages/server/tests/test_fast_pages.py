"""Pages are fetched as columns only if nobody can tell the difference."""

import json
from base64 import b64encode
from operator import add
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from contract_project.models import Entry, Snippet, Tag
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import datetime, make_aware

from lintel import generics, serializers
from lintel.fast.pages import LazyPage
from lintel.pagination import (
    Cursor,
    CursorPagination,
    LimitOffsetPagination,
    PageNumberPagination,
)
from lintel.pagination.cursors import RowKey
from lintel.renderers import JSONRenderer
from lintel.request import Request

pytestmark = pytest.mark.django_db

factory = RequestFactory()


class EntrySerializer(serializers.ModelSerializer):
    class Meta:
        model = Entry
        fields = ["id", "name"]


class Numbers(PageNumberPagination):
    page_size = 4


class Offsets(LimitOffsetPagination):
    default_limit = 4


class Cursors(CursorPagination):
    page_size = 4
    ordering = "created"


class Entries(generics.ListAPIView):
    queryset = Entry.objects.order_by("created", "id")
    serializer_class: Any = EntrySerializer
    renderer_classes = [JSONRenderer]
    pagination_class: Any = Cursors


styles = pytest.mark.parametrize("style", [Numbers, Offsets, Cursors])


@pytest.fixture(autouse=True)
def _entries() -> None:
    """15 rows, of which three share each moment."""
    Entry.objects.bulk_create(
        Entry(
            id=number,
            name=f"entry {number}",
            created=make_aware(datetime(2024, 3, 1 + number // 3)),
            score=number % 4 or None,
        )
        for number in range(15)
    )


def ask(url: str = "/", **attributes: Any) -> Any:
    """The answer of a list, with its queries, as the class serves its second request."""
    view = type("View", (Entries,), attributes).as_view()
    view(factory.get("/")).render()
    with CaptureQueriesContext(connection) as queries:
        response = view(factory.get(url)).render()
    response.queries = [query["sql"] for query in queries.captured_queries]
    response.body = json.loads(response.content)
    return response


def walk(**attributes: Any) -> list[Any]:
    """All pages from the first to the last, and back again."""
    bodies = [ask(**attributes).body]
    for direction in ("next", "previous"):
        while bodies[-1][direction]:
            bodies.append(ask(bodies[-1][direction], **attributes).body)
    return bodies


class Careful(EntrySerializer):
    """What it does with its rows nobody knows."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)


@pytest.mark.fast_way
@styles
def test_a_page_takes_the_columns_of_its_serializer(style: Any) -> None:
    *_, sql = ask(pagination_class=style).queries
    assert "score" not in sql


@styles
def test_pages_are_the_same_with_instances(style: Any) -> None:
    assert "score" in ask(pagination_class=style, serializer_class=Careful).queries[-1]
    assert walk(pagination_class=style) == walk(pagination_class=style, serializer_class=Careful)


@pytest.mark.parametrize(
    "ordering",
    [
        "name",
        "-created",
        ("created", "-id"),
        ("-created", "-id"),
        "score",
        "-score",
        ("score", "name"),
    ],
    ids=str,
)
def test_cursors_of_rows_are_those_of_instances(ordering: Any) -> None:
    style = type("Style", (Cursors,), {"ordering": ordering})
    found = walk(pagination_class=style)
    assert found == walk(pagination_class=style, serializer_class=Careful)
    assert len({row["id"] for page in found for row in page["results"]}) == 15


def test_columns_of_the_key_alone_are_not_shown() -> None:
    response = ask(pagination_class=Cursors)
    assert response.body["results"][0] == {"id": 0, "name": "entry 0"}
    assert "created" in response.queries[0]


def test_cursors_over_expressions_need_instances() -> None:
    style = type("Style", (Cursors,), {"ordering": F("score").desc(nulls_last=True)})
    assert [len(page["results"]) for page in walk(pagination_class=style)[:4]] == [4, 4, 4, 3]


@pytest.mark.parametrize("value", ["9" * 30, "-1", "1e400", "x"])
def test_values_that_no_column_holds(value: str) -> None:
    cursor = b64encode(f"p={value}".encode()).decode()
    for ordering in ("id", "score", "created"):
        style = type("Style", (Cursors,), {"ordering": ordering})
        both = [
            ask(f"/?cursor={cursor}", pagination_class=style, serializer_class=each)
            for each in (EntrySerializer, Careful)
        ]
        assert both[0].status_code == both[1].status_code
        assert both[0].body == both[1].body


def test_a_value_that_the_database_refuses_is_no_cursor() -> None:
    style = type("Style", (Cursors,), {"ordering": ("name", "id")})
    ours = style()
    ours.request, ours.base_url = Request(factory.get("/")), "/"
    for key in (f'["x",{10**30}]', '["x",1.5]', '["x"]', '["x",true]', '["x",2] ', "[]", "{"):
        link = ours.encode_cursor(Cursor(0, False, RowKey(key)))
        both = [
            ask(link, pagination_class=style, serializer_class=each)
            for each in (EntrySerializer, Careful)
        ]
        assert both[0].status_code == both[1].status_code
        assert both[0].body == both[1].body


def test_an_own_get_serializer_sees_a_list() -> None:
    seen = []

    class View(Entries):
        def get_serializer(self, *args: Any, **kwargs: Any) -> Any:
            seen.append(args[0])
            return super().get_serializer(*args, **kwargs)

    View.as_view()(factory.get("/"))
    assert type(seen[0]) is list


def test_an_own_serializer_sees_a_list() -> None:
    seen: list[Any] = []

    class Own(EntrySerializer):
        def __init__(self, instance: Any = None, **kwargs: Any) -> None:
            seen.append(instance)
            super().__init__(instance, **kwargs)

    class OwnList(serializers.ListSerializer):
        def to_representation(self, data: Any) -> Any:
            seen.append(data)
            return super().to_representation(data)

    class WithOwnList(EntrySerializer):
        class Meta(EntrySerializer.Meta):
            list_serializer_class = OwnList

    for serializer_class in (Own, WithOwnList):
        ask(serializer_class=serializer_class)
    assert {type(each) for each in seen} == {list}


@styles
@pytest.mark.parametrize("name", ["data", "to_representation"])
def test_a_patched_list_may_change_what_is_read(style: Any, name: str, monkeypatch: Any) -> None:
    cls = serializers.ListSerializer
    found = vars(cls)[name]
    read = found.fget if isinstance(found, property) else found

    def patched(self: Any, *args: Any) -> Any:
        self.child.fields.pop("id")
        for entry in self.instance:
            entry.name = "patched"
        return read(self, *args)

    assert "id" in ask(pagination_class=style).body["results"][0]
    monkeypatch.setattr(cls, name, property(patched) if name == "data" else patched)
    rows = ask(pagination_class=style).body["results"]
    assert {row["name"] for row in rows} == {"patched"}
    assert not any("id" in row for row in rows)


def test_many_init_may_be_any_callable() -> None:
    def make(*args: Any, **kwargs: Any) -> Any:
        return serializers.ListSerializer(*args, child=EntrySerializer(), **kwargs)

    own = type("Own", (EntrySerializer,), {"many_init": staticmethod(make)})
    assert ask(serializer_class=own).body == ask().body


def test_methods_of_serializers_see_lists() -> None:
    seen = []

    class WithMethod(EntrySerializer):
        place = serializers.SerializerMethodField()

        class Meta(EntrySerializer.Meta):
            fields = ["id", "place"]

        def get_place(self, entry: Any) -> int:
            seen.append((type(self.instance), type(self.parent.instance)))
            return self.parent.instance.index(entry)

    body = ask(serializer_class=WithMethod).body
    assert [row["place"] for row in body["results"]] == [0, 1, 2, 3]
    assert set(seen) == {(list, list)}


@styles
def test_an_own_paginate_queryset_gets_instances(style: Any) -> None:
    class Own(style):
        def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> Any:
            page = super().paginate_queryset(queryset, request, view)
            assert type(page) is list
            return page[:1]

    assert len(ask(pagination_class=Own).body["results"]) == 1


@pytest.mark.parametrize("style", [Numbers, Cursors])
def test_what_a_paginator_keeps_may_be_looked_at(style: Any) -> None:
    class Own(style):
        def get_paginated_response(self, data: Any) -> Any:
            response = super().get_paginated_response(data)
            rows = self.page.object_list if style is Numbers else self.page
            return type(response)({"rows": len(rows), "first": rows[0].name, "any": bool(rows)})

    assert ask(pagination_class=Own).body == {"rows": 4, "first": "entry 0", "any": True}


def test_the_length_of_a_page_costs_no_query() -> None:
    class Own(Cursors):
        def get_paginated_response(self, data: Any) -> Any:
            return type(super().get_paginated_response(data))({"rows": len(self.page)})

    response = ask(pagination_class=Own)
    assert (response.body, len(response.queries)) == ({"rows": 4}, 1)


def test_dictionaries_and_lists_are_paginated_as_before() -> None:
    values = Entry.objects.order_by("id").values("id", "name")
    for style in (Numbers, Offsets, Cursors):
        assert ask(queryset=values, pagination_class=style).body["results"][1]["id"] == 1
    plain = [{"id": number, "name": "x"} for number in range(9)]
    for style in (Numbers, Offsets):
        rows = ask("/?page=2&offset=4", queryset=plain, pagination_class=style).body["results"]
        assert [row["id"] for row in rows] == [4, 5, 6, 7]


@pytest.mark.fast_way
def test_relations_of_a_page_are_read_together() -> None:
    class OwnerSerializer(serializers.ModelSerializer):
        class Meta:
            model = User
            fields = ["id", "username"]

    class SnippetSerializer(serializers.ModelSerializer):
        owner = OwnerSerializer()

        class Meta:
            model = Snippet
            fields = ["id", "owner", "tags"]

    owner, red = User.objects.create(username="alice"), Tag.objects.create(name="red")
    for _ in range(6):
        Snippet.objects.create(owner=owner).tags.add(red)
    given = {"queryset": Snippet.objects.all(), "serializer_class": SnippetSerializer}
    style = type("Style", (Cursors,), {"ordering": ("owner", "-id")})
    response = ask(pagination_class=style, **given)
    assert len(response.queries) == 2
    first = response.body["results"][0]
    assert (first["owner"]["username"], len(first["tags"])) == ("alice", 1)
    assert len(ask(response.body["next"], pagination_class=style, **given).body["results"]) == 2


@pytest.mark.fast_way
def test_pages_on_the_event_loop_are_the_same() -> None:
    view: Any = type("View", (generics.AsyncListAPIView, Entries), {}).as_view()
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            response = async_to_sync(view)(factory.get("/")).render()
    assert json.loads(response.content) == ask().body
    assert "score" not in queries.captured_queries[-1]["sql"]


class AsyncForm(Numbers):
    """The async form stands below the sync one, so it is the one that counts."""

    async def apaginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> Any:
        page = await sync_to_async(self.paginate_queryset)(queryset, request, view)
        return page[:1]


def test_an_async_form_of_a_paginator_is_awaited() -> None:
    given = {"pagination_class": AsyncForm}
    view: Any = type("View", (generics.AsyncListAPIView, Entries), given).as_view()
    response = async_to_sync(view)(factory.get("/")).render()
    assert [row["id"] for row in json.loads(response.content)["results"]] == [0]


def test_a_lazy_page_is_a_sequence_of_instances() -> None:
    page = LazyPage(Entry.objects.order_by("id")[2:5])
    assert page.key == ()
    assert [entry.pk for entry in page] == [2, 3, 4]
    assert (len(page), page[-1].pk, [entry.pk for entry in page[:2]]) == (3, 4, [2, 3])
    assert page.key is None


def test_a_lazy_page_is_compared_and_joined_like_a_list() -> None:
    def page() -> Any:
        return LazyPage(Entry.objects.order_by("id")[2:4])

    entries = list(Entry.objects.order_by("id")[2:4])
    assert page() == entries
    assert entries == page()
    assert page() != entries[:1]
    assert add(page(), [None]) == [*entries, None]
    assert add([None], page()) == [None, *entries]
    copied = page().copy()
    assert (type(copied), copied) == (list, entries)


@pytest.mark.fast_way
def test_the_first_page_of_a_class_loads_relations_of_instances_together() -> None:
    class OwnerSerializer(serializers.ModelSerializer):
        class Meta:
            model = User
            fields = ["username"]

    class OwnedSerializer(serializers.ModelSerializer):
        owner = OwnerSerializer()

        class Meta:
            model = Snippet
            fields = ["id", "owner"]

    class Owned(Entries):
        queryset = Snippet.objects.annotate(name=F("title")).order_by("name")
        serializer_class = OwnedSerializer
        pagination_class = Numbers

    for name in "abc":
        owner = User.objects.create(username=name)
        Snippet.objects.create(title=name, owner=owner)
    with CaptureQueriesContext(connection) as queries:
        data = Owned.as_view()(factory.get("/")).data
    assert [row["owner"]["username"] for row in data["results"]] == ["a", "b", "c"]
    assert len(queries) == 3
