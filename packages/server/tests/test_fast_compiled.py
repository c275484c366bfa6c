"""What a project's ``get_fields()`` chooses and changes is what is read, also during a list."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from contract_project.models import Snippet, Tag, User
from django.db import connections, transaction
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from orm_lookups import add_rows

from lintel import serializers

PLAIN = {"COMPILE_SERIALIZERS": "never", "READ_FROM_ROWS": "never"}

#: What the project does when it makes fields, and when it reads the row with a key.
Move = Callable[[Any, Any], object]
FIRST: list[Move] = []
LATER: dict[int, list[Move]] = {}
#: Fields to which the project keeps a reference.
HELD: list[Any] = []


class Chosen:
    """The project's part of serializers, which follows the moves."""

    def get_fields(self) -> Any:
        fields = super().get_fields()  # type: ignore[misc]  # of the serializer after it
        for move in FIRST:
            move(self, fields)
        return fields


class TagSerializer(Chosen, serializers.ModelSerializer):
    title = serializers.SerializerMethodField()

    class Meta:
        model = Tag
        fields = ["id", "name", "title"]

    def get_title(self, tag: Any) -> str:
        for move in LATER.get(tag.pk, ()):
            move(self, self.fields)
        return str(tag).title()


class OwnerSerializer(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = ["username", "date_joined"]


class SnippetSerializer(Chosen, serializers.ModelSerializer):
    title = serializers.CharField()
    heading = serializers.SerializerMethodField()
    tags = TagSerializer(many=True)
    owner = OwnerSerializer()

    class Meta:
        model = Snippet
        fields = ["id", "title", "created", "heading", "rating", "tags", "language", "owner"]

    def get_heading(self, snippet: Any) -> str:
        for move in LATER.get(snippet.pk, ()):
            move(self, self.fields)
        return f"{snippet.title}!"


class Closing(SnippetSerializer):
    """The same with an end of its own."""

    def to_representation(self, instance: Any) -> Any:
        return {**super().to_representation(instance), "end": instance.pk}


class Declared(Chosen, serializers.Serializer):
    """The same without a model."""

    title = serializers.CharField()
    rating = serializers.DecimalField(4, 1)
    name = serializers.CharField(required=False)
    heading = serializers.SerializerMethodField()
    tags = TagSerializer(many=True)

    get_heading = SnippetSerializer.get_heading


class Around(serializers.ModelSerializer):
    """The same inside of another one, of which the class alone decides."""

    snippets = SnippetSerializer(many=True)

    class Meta:
        model = User
        fields = ["username", "snippets"]


def drop(name: str) -> Move:
    return lambda serializer, fields: fields.pop(name, None)


def rename(name: str) -> Move:
    def move(serializer: Any, fields: Any) -> None:
        if name in fields:
            fields[f"new_{name}"] = fields.pop(name)

    return move


def replace(name: str) -> Move:
    def move(serializer: Any, fields: Any) -> None:
        if name in fields:
            fields[name] = serializers.CharField(source="title", required=False)

    return move


def change(name: str, option: str, value: object) -> Move:
    return lambda serializer, fields: name in fields and setattr(fields[name], option, value)


def add(name: str) -> Move:
    def move(serializer: Any, fields: Any) -> None:
        fields[f"second_{name}"] = serializers.ReadOnlyField(source="title", default=None)

    return move


def hold(name: str) -> Move:
    return lambda serializer, fields: HELD.append(fields.get(name))


def hold_inside(name: str) -> Move:
    return lambda serializer, fields: HELD.append(getattr(fields.get(name), "child", None))


def hide_held(serializer: Any, fields: Any) -> None:
    for field in HELD:
        if field is not None and getattr(field, "field_name", ""):
            field.write_only = True


def hide_around_held(serializer: Any, fields: Any) -> None:
    for field in HELD:
        if field is not None and getattr(field, "parent", None) is not None:
            field.parent.write_only = True


def turn(serializer: Any, fields: Any) -> None:
    for name in [*fields]:
        fields[name] = fields.pop(name)


NAMES = st.sampled_from(["title", "heading", "tags", "name", "id", "rating", "owner"])
MAKING = (
    st.builds(drop, NAMES)
    | st.builds(rename, st.sampled_from(["title", "id", "name"]))
    | st.builds(replace, NAMES)
    | st.builds(add, NAMES)
    | st.builds(hold, NAMES)
    | st.builds(hold_inside, st.just("tags"))
    | st.builds(change, NAMES, st.just("write_only"), st.booleans())
    | st.builds(change, NAMES, st.just("label"), st.just("else"))
    | st.builds(change, st.just("title"), st.just("source"), st.just("code"))
    | st.builds(change, st.just("rating"), st.just("coerce_to_string"), st.booleans())
    | st.just(turn)
)
#: Without those that change how many fields there are, which no loop over them survives.
READING = (
    st.builds(replace, NAMES)
    | st.builds(change, NAMES, st.just("write_only"), st.booleans())
    | st.just(hide_held)
    | st.just(hide_around_held)
)


@pytest.fixture(params=["sqlite_file", "postgresql"], scope="module")
def alias(request: Any, django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """A database with rows, on both systems; nothing of them stays."""
    name = request.param
    request.getfixturevalue(name)
    with django_db_blocker.unblock(), transaction.atomic(name):
        add_rows(name)
        yield name
        transaction.set_rollback(True, using=name)


def shown(make: Callable[[], Any]) -> Any:
    HELD.clear()
    try:
        return [[*one.items()] for one in make().data]
    except Exception as error:
        return type(error), str(error)


SHOWN: dict[str, Callable[[str], Any]] = {
    "rows": lambda alias: SnippetSerializer(Snippet.objects.using(alias).all(), many=True),
    "prefetched": lambda alias: SnippetSerializer(
        Snippet.objects.using(alias).prefetch_related("tags").select_related("owner"), many=True
    ),
    "closing": lambda alias: Closing([*Snippet.objects.using(alias).all()], many=True),
    "declared": lambda alias: Declared(Snippet.objects.using(alias).all(), many=True),
    "around": lambda alias: Around(User.objects.using(alias).order_by("pk"), many=True),
}


@pytest.mark.parametrize("how", SHOWN)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    first=st.lists(MAKING, max_size=3),
    later=st.dictionaries(st.integers(1, 4), st.lists(READING, max_size=2), max_size=2),
)
@example(first=[drop("heading")], later={})
@example(first=[hold("title"), rename("id")], later={2: [hide_held]})
@example(first=[hold_inside("tags"), drop("id")], later={2: [hide_around_held]})
@example(first=[change("title", "source", "code")], later={3: [replace("rating")]})
def test_lists_show_what_the_plain_way_shows(
    alias: str, how: str, first: list[Move], later: dict[int, list[Move]]
) -> None:
    FIRST[:] = first
    LATER.clear()
    LATER.update(later)
    try:
        ours = [shown(lambda: SHOWN[how](alias)) for _ in range(3)]
        with override_settings(REST_FRAMEWORK=PLAIN):
            theirs = shown(lambda: SHOWN[how](alias))
    finally:
        FIRST.clear()
        LATER.clear()
    assert ours == [theirs] * 3


@pytest.mark.fast_way
@pytest.mark.parametrize("how", SHOWN)
def test_fields_that_are_kept_are_read_by_generated_code(alias: str, how: str) -> None:
    FIRST[:] = [drop("heading"), drop("created")]
    plain: list[str] = []

    def see(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_name == "plain_representation":
            plain.append(type(frame.f_locals["serializer"]).__name__)

    try:
        for _ in range(2):
            shown(lambda: SHOWN[how](alias))
        sys.setprofile(see)
        shown(lambda: SHOWN[how](alias))
    finally:
        sys.setprofile(None)
        FIRST.clear()
    assert plain == []


@pytest.mark.fast_way
def test_a_list_inside_a_list_needs_no_more_queries(alias: str) -> None:
    FIRST[:] = [drop("heading")]
    try:
        shown(lambda: SHOWN["prefetched"](alias))
        with CaptureQueriesContext(connections[alias]) as queries:
            shown(lambda: SHOWN["prefetched"](alias))
    finally:
        FIRST.clear()
    assert len(queries) == 2


def test_a_get_fields_that_changes_its_class_is_asked_each_time(alias: str) -> None:
    class Changing(serializers.ModelSerializer):
        class Meta:
            model = Tag
            fields = ["id", "name"]

        def get_fields(self) -> Any:
            self.Meta.fields = ["name"] if self.Meta.fields == ["id", "name"] else ["id", "name"]
            return super().get_fields()

    found = [
        [*Changing(Tag.objects.using(alias).order_by("pk"), many=True).data[0]] for _ in range(30)
    ]
    assert found == [["name"], ["id", "name"]] * 15
    assert Changing._lintel_state.drafts is None


def test_our_method_that_the_project_names_makes_the_fields() -> None:
    class Bare(serializers.ModelSerializer):
        more = serializers.CharField()

        class Meta:
            model = Tag
            fields = ["id", "name", "more"]

        def get_fields(self) -> Any:
            return serializers.Serializer.get_fields(self)

    assert [*Bare().fields] == ["more"]
    assert [*Bare().get_fields()] == ["more"]


def test_drafts_belong_to_whoever_asks_for_them() -> None:
    one, other = TagSerializer(), TagSerializer()
    made = one.get_fields()
    assert one.get_fields()["name"] is not made["name"] is not other.get_fields()["name"]
    made["name"].style["rows"] = 3
    made["name"].validators.clear()
    assert other.fields["name"].style == {}
    assert len(other.fields["name"].validators) > 0
    assert made["name"].parent is None
    assert made["name"].field_name is None


@pytest.mark.fast_way
def test_a_get_fields_above_a_base_of_the_project_is_compiled_once(alias: str) -> None:
    class Base(serializers.ModelSerializer):
        """As packages have it, between the method of the project and ours."""

    class Asking(Base):
        class Meta:
            model = Tag
            fields = ["id", "name"]

        def get_fields(self) -> Any:
            fields = super().get_fields()
            del fields[self.context["hidden"]]
            return fields

    def names(hidden: str) -> list[str]:
        rows = Tag.objects.using(alias).order_by("pk")
        return [*Asking(rows, many=True, context={"hidden": hidden}).data[0]]

    assert names("id") == ["name"]
    state = Asking._lintel_state
    assert names("name") == ["id"]
    assert state.drafts is not None
    assert Asking._lintel_state is state
