"""A statement is used as long as everything it was made from is unchanged."""

import functools
from typing import Any

import pytest
from contract_project.models import Tag
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections, transaction
from django.db.models.sql.compiler import SQLCompiler

from lintel.orm import row_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh() -> None:
    connections[DEFAULT_DB_ALIAS].__dict__.pop("_lintel_statements", None)


def found() -> Any:
    return row_of(Tag.objects.all(), "pk", Tag.objects.create(name="four").pk)


@pytest.mark.parametrize("when", ["before", "later"])
def test_tools_around_the_compiler_are_called(when: str, monkeypatch: Any) -> None:
    if when == "later":
        found().delete()
    heard = []
    own = SQLCompiler.execute_sql

    @functools.wraps(own)
    def listening(self: Any, *args: Any, **kwargs: Any) -> Any:
        heard.append(type(self))
        return own(self, *args, **kwargs)

    monkeypatch.setattr(SQLCompiler, "execute_sql", listening)
    found().delete()
    assert SQLCompiler in heard


def test_another_table_is_another_statement(monkeypatch: Any) -> None:
    tag = found()
    monkeypatch.setattr(Tag._meta, "db_table", "nowhere")
    with pytest.raises(OperationalError, match="nowhere"), transaction.atomic():
        row_of(Tag.objects.all(), "pk", tag.pk)
