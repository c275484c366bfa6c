"""A statement is used as long as what it was made from is as it was."""

import functools
from typing import Any

import pytest
from contract_project.models import Tag
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections, models, transaction
from django.db.models.sql.compiler import SQLCompiler, SQLInsertCompiler, SQLUpdateCompiler

from lintel.orm import create_row, row_of, save_row
from lintel.orm.statements import methods_of_django

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh() -> None:
    connections[DEFAULT_DB_ALIAS].__dict__.pop("_lintel_statements", None)


def made() -> Any:
    return create_row(Tag.objects, {"name": "one"})


def changed() -> Any:
    tag = Tag.objects.create(name="two")
    tag.name = "three"
    save_row(tag)
    return tag


def found() -> Any:
    return row_of(Tag.objects.all(), "pk", Tag.objects.create(name="four").pk)


@pytest.mark.parametrize(
    ("act", "compiler"),
    [(made, SQLInsertCompiler), (changed, SQLUpdateCompiler), (found, SQLCompiler)],
    ids=["insert", "update", "select"],
)
@pytest.mark.parametrize("when", ["before", "later"])
def test_tools_around_the_compiler_are_called(
    act: Any, compiler: Any, when: str, monkeypatch: Any
) -> None:
    if when == "later":
        act().delete()
    heard = []
    own = compiler.execute_sql

    @functools.wraps(own)
    def listening(self: Any, *args: Any, **kwargs: Any) -> Any:
        heard.append(type(self))
        return own(self, *args, **kwargs)

    monkeypatch.setattr(compiler, "execute_sql", listening)
    act().delete()
    assert compiler in heard


def test_another_table_is_another_statement(monkeypatch: Any) -> None:
    for act in (made, changed, found):
        act().delete()
    tag = found()
    monkeypatch.setattr(Tag._meta, "db_table", "nowhere")
    for act in (made, lambda: save_row(tag), lambda: row_of(Tag.objects.all(), "pk", tag.pk)):
        with pytest.raises(OperationalError, match="nowhere"), transaction.atomic():
            act()


def test_replaced_methods_are_no_methods_of_django(monkeypatch: Any) -> None:
    assert None not in methods_of_django(models.QuerySet, "create", "db")
    own = models.QuerySet.create
    monkeypatch.setattr(models.QuerySet, "create", functools.wraps(own)(lambda self: own(self)))
    assert methods_of_django(models.QuerySet, "create", "get") == (None, models.QuerySet.get)
