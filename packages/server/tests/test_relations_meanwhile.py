"""Related keys of a list of input that were read together, and what happens between two items."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from contract_project.models import Tag
from django.db import connections
from django.test.utils import CaptureQueriesContext
from servers import another_alias

from lintel import serializers


def validated(alias: str, meanwhile: Callable[[], Any]) -> list[str]:
    """The names of the tags of three items; something happens after the first was validated."""

    class Named(serializers.Serializer):
        tag = serializers.PrimaryKeyRelatedField(queryset=Tag.objects.using(alias))

        def validate(self, attrs: Any) -> Any:
            if attrs["tag"].pk == 1:
                meanwhile()
            return attrs

    serializer = Named(data=[{"tag": number} for number in (1, 2, 3)], many=True)
    serializer.is_valid(raise_exception=True)
    return [row["tag"].name for row in serializer.validated_data]


def run(alias: str, sql: str) -> None:
    with connections[alias].cursor() as cursor:
        cursor.execute(sql)


RENAME = "UPDATE contract_project_tag SET name = 'new' WHERE id = 3"


@pytest.fixture
def tags_of_postgresql(postgresql: str, django_db_blocker: Any) -> Iterator[str]:
    """Three tags, functions that write, and a schema with other tags."""
    with django_db_blocker.unblock():
        Tag.objects.using(postgresql).bulk_create(Tag(id=n, name=f"t{n}") for n in (1, 2, 3))
        run(
            postgresql,
            f"""
            CREATE FUNCTION rename() RETURNS integer LANGUAGE sql AS $$ {RENAME} RETURNING 1 $$;
            CREATE SCHEMA other;
            CREATE TABLE other.contract_project_tag AS
                SELECT id, 'other ' || name AS name FROM contract_project_tag;
            """,
        )
        yield postgresql
        run(
            postgresql,
            "RESET search_path; DROP SCHEMA other CASCADE; "
            "DROP FUNCTION rename; DELETE FROM contract_project_tag",
        )


def copy_in(alias: str) -> None:
    run(alias, "DELETE FROM contract_project_tag WHERE id = 3")
    to_tags = "COPY contract_project_tag (id, name) FROM STDIN"
    with connections[alias].cursor() as cursor, cursor.copy(to_tags) as copy:
        copy.write_row((3, "new"))


MEANWHILE: dict[str, Callable[[str], Any]] = {
    "row": lambda alias: Tag.objects.using(alias).filter(pk=3).update(name="new"),
    "function": lambda alias: run(alias, "SELECT rename()"),
    "procedure": lambda alias: connections[alias].cursor().callproc("rename"),
    "copy": copy_in,
    "raw": lambda alias: list(
        Tag.objects.using(alias).raw("SELECT rename() AS id, name FROM contract_project_tag")
    ),
}


@pytest.mark.parametrize("name", MEANWHILE)
def test_later_items_see_what_was_written(name: str, tags_of_postgresql: str) -> None:
    alias = tags_of_postgresql
    assert validated(alias, lambda: MEANWHILE[name](alias)) == ["t1", "t2", "new"]


@pytest.mark.parametrize("is_open", [False, True])
def test_later_items_see_what_was_written_through_another_alias(
    is_open: bool, tags_of_postgresql: str
) -> None:
    with another_alias(tags_of_postgresql) as alias:
        if is_open:
            Tag.objects.using(alias).count()
        rename = Tag.objects.using(alias).filter(pk=3).update
        assert validated(tags_of_postgresql, lambda: rename(name="new")) == ["t1", "t2", "new"]


@pytest.mark.parametrize(
    "sql", ["SET search_path = other", "SELECT set_config('search_path', 'other', false)"]
)
def test_later_items_come_from_the_schema_of_now(sql: str, tags_of_postgresql: str) -> None:
    alias = tags_of_postgresql
    assert validated(alias, lambda: run(alias, sql)) == ["t1", "other t2", "other t3"]


@pytest.mark.fast_way
def test_reading_in_between_costs_no_further_query(tags_of_postgresql: str) -> None:
    alias = tags_of_postgresql
    with CaptureQueriesContext(connections[alias]) as queries:
        names = validated(alias, lambda: Tag.objects.using(alias).filter(name="t2").exists())
    assert (names, len(queries)) == (["t1", "t2", "t3"], 2)
