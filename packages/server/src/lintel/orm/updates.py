"""A changed row: the same UPDATE again and again, compiled once.

``save_row(instance)`` does what ``instance.save()`` does, with a text that stays with the
connection. What holds for new rows (:mod:`lintel.orm.inserts`) holds here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django.db import connections, models, router

from lintel.orm.columns import Column, written
from lintel.orm.rows import bounds, is_found_plainly
from lintel.orm.saving import is_undressed, save, saves_plainly, writes_plainly
from lintel.orm.statements import Origin, kept

_KEY_FIELDS = (models.IntegerField, models.CharField, models.UUIDField)


def save_row(instance: Any) -> None:
    """Store all columns of an instance that has a row. Raises what ``instance.save()`` raises."""
    update = _of_row(instance)
    if update is None:
        instance.save()
    else:
        save(instance, update.connection, update.store)


def _of_row(instance: Any) -> _Update | None:
    """The update that the instance needs; None where only its own ``save()`` will do."""
    model = type(instance)
    if not issubclass(model, models.Model) or not saves_plainly(model):
        return None
    if instance._state.adding or not is_undressed(instance):
        return None
    update = _Update.kept(connections[router.db_for_write(model, instance=instance)], model)
    if update is None or not update.names <= instance.__dict__.keys():
        # A deferred column keeps what it has.
        return None
    return update if update.may_have(instance.pk) else None


@dataclass(frozen=True, slots=True)
class _Update:
    """How rows of one model change in one database."""

    origin: Origin
    connection: Any
    sql: str
    key: Any
    #: The numbers that the key may be; None for keys of other kinds.
    bounds: tuple[int | None, int | None]
    columns: list[Column]
    #: The attributes of the columns.
    names: frozenset[str]

    @classmethod
    def kept(cls, connection: Any, model: Any) -> _Update | None:
        """The update that the connection keeps; None for a model that only Django can save."""
        make = partial(cls.of, connection)
        return kept(connection, (model, "UPDATE"), make, "SQLUpdateCompiler")

    @classmethod
    def of(cls, connection: Any, origin: Origin) -> _Update | None:
        """Make the text; None for a model that only Django can save."""
        options = origin.model._meta
        fields = [field for field in options.concrete_fields if field is not options.pk]
        if not (fields and isinstance(options.pk, _KEY_FIELDS)):
            return None
        if not is_found_plainly(options.pk) or not writes_plainly(connection, origin):
            return None
        quote = connection.ops.quote_name
        table, changes = quote(options.db_table), [f"{quote(one.column)} = %s" for one in fields]
        row = f"{table}.{quote(options.pk.column)} = %s"
        return cls(
            origin=origin,
            connection=connection,
            sql=" ".join(["UPDATE", table, "SET", ", ".join(changes), "WHERE", row]),
            key=options.pk,
            bounds=bounds(options.pk, connection),
            columns=[Column.of(field, connection) for field in fields],
            names=frozenset(field.attname for field in options.concrete_fields),
        )

    def may_have(self, key: Any) -> bool:
        """Whether a row may have this key."""
        lowest, highest = self.bounds
        if lowest is None or highest is None:
            return type(key) in (str, UUID)
        return type(key) is int and lowest <= key <= highest

    def store(self, instance: Any, connection: Any) -> bool:
        """Write the row; answers whether it had gone, and is a new one now."""
        values = None
        if is_undressed(instance) and self.may_have(instance.pk):  # after receivers of pre_save
            values = written(self.columns, instance, connection, is_new=False)
        if values is None:
            return not instance._save_table(
                False, self.origin.model, False, False, connection.alias, None
            )
        values.append(self.key.get_db_prep_value(instance.pk, connection))
        with connection.cursor() as cursor:
            cursor.execute(self.sql, tuple(values))
            is_gone = cursor.rowcount < 1
        if is_gone:
            instance._save_table(False, self.origin.model, True, False, connection.alias, None)
        return bool(is_gone)
