"""A new row: the same INSERT again and again, compiled once.

``create_row(manager, values)`` answers what ``manager.create(**values)`` does. Django spends more
than half of the time of that call on making the text; here it stays with the connection for which
it was made. Signals, ``get_db_prep_save()`` of the fields, routers, wrappers and logs of the
connection take part as ever. Only models that Django's own methods save qualify, those of their
fields included; everything else goes to ``create``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

from django.db import connections, models, router

from lintel.orm.columns import AUTO_FIELDS, Column, written
from lintel.orm.saving import (
    hands_over,
    is_undressed,
    save,
    saves_plainly,
    writes_plainly,
)
from lintel.orm.statements import Origin, kept, makes_usual_querysets, methods_of_django

_creation_of = attrgetter("create", "db")
_USUAL_CREATION = methods_of_django(models.QuerySet, "create", "db")


def create_row(manager: Any, values: Mapping[str, Any]) -> Any:
    """A new stored instance with these values, by name of the field or of its column.

    Raises what ``manager.create()`` raises.
    """
    if not hands_over(manager, "create"):
        return manager.create(**values)
    # The queryset of most managers would only repeat what they know.
    is_plain = makes_usual_querysets(manager)
    source = manager if is_plain else manager.get_queryset()
    kind = manager._queryset_class if is_plain else type(source)
    model = source.model
    if _creation_of(kind) != _USUAL_CREATION or not saves_plainly(model):
        return source.create(**values)
    connection = connections[source._db or router.db_for_write(model, **source._hints)]
    insert = _Insert.kept(connection, model)
    if insert is None or not values.keys() <= insert.names:
        return source.create(**values)
    instance = model(**values)
    if is_undressed(instance):
        save(instance, connection, insert.store)
    else:
        instance.save(force_insert=True, using=connection.alias)
    if hasattr(source, "_fetch_mode"):  # since Django 6.1
        instance._state.fetch_mode = source._fetch_mode
    return instance


@dataclass(frozen=True, slots=True)
class _Text:
    """The INSERT with these columns; ``returning`` is the attribute that the database fills."""

    sql: str
    columns: list[Column]
    returning: str | None


@dataclass(frozen=True, slots=True)
class _Insert:
    """How rows of one model get into one database."""

    origin: Origin
    names: frozenset[str]
    key: Any
    #: Where the database numbers the rows: the text without the key.
    without_key: _Text
    with_key: _Text

    @classmethod
    def kept(cls, connection: Any, model: Any) -> _Insert | None:
        """The insert that the connection keeps; None for a model that only Django can save."""
        make = partial(cls.of, connection)
        return kept(connection, (model, "INSERT"), make, "SQLInsertCompiler")

    @classmethod
    def of(cls, connection: Any, origin: Origin) -> _Insert | None:
        """Make the texts; None for a model that only Django can save."""
        options = origin.model._meta
        fields = [field for field in options.concrete_fields if field is not options.auto_field]
        if not (fields and _hands_keys_out(connection, options)):
            return None
        if not writes_plainly(connection, origin):
            return None
        with_key = _text(connection, options, options.concrete_fields)
        without_key = _text(connection, options, fields) if options.auto_field else with_key
        names = {name for field in options.concrete_fields for name in (field.name, field.attname)}
        return cls(origin, frozenset(names), options.pk, without_key, with_key)

    def store(self, instance: Any, connection: Any) -> bool:
        """Write the row, which is a new one, and note the key that the database gave it."""
        key = self.key.attname
        if getattr(instance, key) is None:
            setattr(instance, key, self.key.get_pk_value_on_save(instance))
        text = self.without_key if getattr(instance, key) is None else self.with_key
        values = None
        if is_undressed(instance):  # receivers of pre_save may have changed that
            values = written(text.columns, instance, connection, is_new=True)
        if values is None:
            instance._save_table(False, self.origin.model, True, False, connection.alias, None)
            return True
        with connection.cursor() as cursor:
            cursor.execute(text.sql, tuple(values))
            if text.returning is not None:
                for row in cursor:
                    setattr(instance, text.returning, row[0])
        return True


def _text(connection: Any, options: Any, fields: Any) -> _Text:
    quote, ops = connection.ops.quote_name, connection.ops
    columns = ", ".join(quote(field.column) for field in fields)
    values = ops.bulk_insert_sql(fields, (["%s"] * len(fields),))
    parts = [ops.insert_statement(), quote(options.db_table), f"({columns})", values]
    if options.db_returning_fields:
        # The older name is that of Django 5.2.
        returning = getattr(ops, "returning_columns", None) or ops.return_insert_columns
        parts.append(returning(options.db_returning_fields)[0])
    return _Text(
        " ".join(parts),
        [Column.of(field, connection) for field in fields],
        options.auto_field.attname if options.db_returning_fields else None,
    )


def _hands_keys_out(connection: Any, options: Any) -> bool:
    """Whether the database answers an INSERT with the key, and with nothing else."""
    features = connection.features
    return (
        features.can_return_columns_from_insert
        and features.can_return_rows_from_bulk_insert
        and all(field is options.auto_field for field in options.db_returning_fields)
        and (options.auto_field is None or type(options.auto_field) in AUTO_FIELDS)
    )
