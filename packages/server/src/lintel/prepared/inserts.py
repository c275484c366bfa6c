"""A new row: the same INSERT again and again, compiled once.

``create_row(manager, values)`` answers what ``manager.create(**values)`` does. Django spends more
than half of the time of that call on making the text; here it stays with the connection for which
it was made. Signals, ``pre_save()`` and ``get_db_prep_save()`` of the fields, routers, wrappers and
logs of the connection take part as ever. Only models that Django's own methods save qualify,
everything else goes to ``create``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from operator import attrgetter
from typing import Any
from uuid import UUID

from django.db import connections, models, router
from django.db.models.manager import BaseManager
from django.db.models.signals import post_save, pre_save
from django.db.transaction import mark_for_rollback_on_error

from lintel.prepared.statements import keep, kept_statements

#: The methods of a model that take part in saving a new row.
_HOOKS = (
    "save",
    "save_base",
    "_save_parents",
    "_save_table",
    "_do_insert",
    "_prepare_related_fields_for_save",
    "_is_pk_set",
    "_get_pk_val",
)
_hooks_of = attrgetter(*_HOOKS)
_USUAL_HOOKS = _hooks_of(models.Model)
_HOOK_NAMES = frozenset(_HOOKS)

_creation_of = attrgetter("create", "db")
_USUAL_CREATION = _creation_of(models.QuerySet)
_MANAGER_METHOD = models.Manager.create.__code__


def create_row(manager: Any, values: Mapping[str, Any]) -> Any:
    """A new stored instance with these values, by name of the field or of its column.

    Raises what ``manager.create()`` raises.
    """
    if not _hands_over(manager, "create"):
        return manager.create(**values)
    # The queryset of most managers would only repeat what they know.
    is_usual = type(manager).get_queryset is BaseManager.get_queryset
    source = manager if is_usual else manager.get_queryset()
    kind = manager._queryset_class if is_usual else type(source)
    model = source.model
    if _creation_of(kind) != _USUAL_CREATION or _hooks_of(model) != _USUAL_HOOKS:
        return source.create(**values)
    using = source._db or router.db_for_write(model, **source._hints)
    connection = connections[using]
    insert = _Insert.kept(connection, model)
    if insert is None or not values.keys() <= insert.names:
        return source.create(**values)
    instance = model(**values)
    if _HOOK_NAMES.isdisjoint(instance.__dict__):
        insert.save(instance, connection)
    else:
        instance.save(force_insert=True, using=using)
    if hasattr(source, "_fetch_mode"):  # since Django 6.1
        instance._state.fetch_mode = source._fetch_mode
    return instance


def _hands_over(manager: Any, name: str) -> bool:
    """Whether a method of the manager does nothing but ask its queryset."""
    function: Any = getattr(getattr(manager, name), "__func__", None)
    code = getattr(function, "__code__", None)
    return code is _MANAGER_METHOD and bool(function.__name__ == name)


@dataclass(frozen=True, slots=True)
class _Column:
    """One column; ``kind`` is the type of values of which ``get_db_prep_save()`` is known.

    It is what ``adapt`` does, or nothing.
    """

    field: Any
    attname: str
    keeps_own: bool
    kind: type | None
    adapt: Callable[[Any], Any] | None

    @classmethod
    def of(cls, field: Any, connection: Any) -> _Column:
        return cls(field, field.attname, _keeps_own(field), *_known_kind(field, connection))


@dataclass(frozen=True, slots=True)
class _Text:
    """The INSERT with these columns; ``returning`` is the attribute that the database fills."""

    sql: str
    columns: list[_Column]
    returning: str | None

    def params(self, instance: Any, connection: Any) -> tuple[Any, ...] | None:
        """The values for the placeholders; None where the database has to work one of them out."""
        params = []
        for column in self.columns:
            if column.keeps_own:
                value = column.field.pre_save(instance, True)
            else:
                value = getattr(instance, column.attname)
            if type(value) is not column.kind:
                if hasattr(value, "resolve_expression"):
                    return None
                value = column.field.get_db_prep_save(value, connection=connection)
                if hasattr(value, "as_sql"):
                    return None
            elif column.adapt is not None:
                value = column.adapt(value)
            params.append(value)
        return tuple(params)


@dataclass(frozen=True, slots=True)
class _Insert:
    """How rows of one model get into one database."""

    model: Any
    names: frozenset[str]
    key: Any
    #: Where the database numbers the rows: the text without the key.
    without_key: _Text
    with_key: _Text
    #: The columns that the model had when the texts were made.
    fields: Any

    @classmethod
    def kept(cls, connection: Any, model: Any) -> _Insert | None:
        """The insert that the connection keeps; None for a model that only Django can save."""
        kept = kept_statements(connection)
        key = (model, "INSERT")
        if key in kept:
            found: _Insert | None = kept[key]
            if found is None or found.fields is model._meta.concrete_fields:
                return found
        made = cls.of(connection, model)
        keep(kept, key, made)
        return made

    @classmethod
    def of(cls, connection: Any, model: Any) -> _Insert | None:
        options = model._meta
        if not (_is_plain(model) and _is_known(connection)):
            return None
        fields = [field for field in options.concrete_fields if field is not options.auto_field]
        if not fields:
            return None
        with_key = _text(connection, options, options.concrete_fields)
        without_key = _text(connection, options, fields) if options.auto_field else with_key
        names = {name for field in options.concrete_fields for name in (field.name, field.attname)}
        return cls(
            model=model,
            names=frozenset(names),
            key=options.pk,
            without_key=without_key,
            with_key=with_key,
            fields=options.concrete_fields,
        )

    def save(self, instance: Any, connection: Any) -> None:
        """What ``instance.save(force_insert=True)`` does with this database."""
        using = connection.alias
        instance._prepare_related_fields_for_save(operation_name="save")
        saving = {"sender": self.model, "instance": instance, "raw": False, "using": using}
        pre_save.send(**saving, update_fields=None)
        try:
            self.store(instance, connection)
        except Exception:
            with mark_for_rollback_on_error(using):
                raise
        instance._state.db = using
        instance._state.adding = False
        post_save.send(**saving, created=True, update_fields=None)

    def store(self, instance: Any, connection: Any) -> None:
        key = self.key.attname
        if getattr(instance, key) is None:
            setattr(instance, key, self.key.get_pk_value_on_save(instance))
        text = self.without_key if getattr(instance, key) is None else self.with_key
        params = text.params(instance, connection)
        if params is None:
            instance._save_table(False, self.model, True, False, connection.alias, None)
            return
        with connection.cursor() as cursor:
            cursor.execute(text.sql, params)
            if text.returning is not None:
                for row in cursor:
                    setattr(instance, text.returning, row[0])


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
        [_Column.of(field, connection) for field in fields],
        options.auto_field.attname if options.db_returning_fields else None,
    )


def _is_known(connection: Any) -> bool:
    """Whether the database hands new keys out, and its texts are those of Django."""
    features = connection.features
    return (
        connection.vendor in ("sqlite", "postgresql")
        and features.can_return_columns_from_insert
        and features.can_return_rows_from_bulk_insert
        and connection.ops.compiler("SQLInsertCompiler").__module__.startswith("django.db.")
    )


def _is_plain(model: Any) -> bool:
    """Whether a row is one row of one table, filled with nothing but values."""
    options = model._meta
    special = (
        options.abstract
        or options.proxy
        or options.swapped
        or options.parents
        or options.auto_created
        or options.order_with_respect_to
        or len(options.pk_fields) != 1
    )
    return (
        not special
        and _inserts_plainly(model._base_manager)
        and all(map(_is_plain_column, options.concrete_fields))
        and all(field is options.auto_field for field in options.db_returning_fields)
        and (options.auto_field is None or type(options.auto_field) in _AUTO_FIELDS)
    )


def _is_plain_column(field: Any) -> bool:
    """Whether its placeholder is that of any column, and its values are made in Python."""
    return not (
        field.generated
        or field.has_db_default()
        or hasattr(field, "get_placeholder")
        or hasattr(field, "get_placeholder_sql")
    )


def _inserts_plainly(manager: Any) -> bool:
    return (
        _hands_over(manager, "_insert")
        and type(manager).get_queryset is BaseManager.get_queryset
        and manager._queryset_class._insert is _INSERT
    )


_INSERT = attrgetter("_insert")(models.QuerySet)
_AUTO_FIELDS = (models.AutoField, models.BigAutoField, models.SmallAutoField)

_NUMBERS = (
    *_AUTO_FIELDS,
    models.BigIntegerField,
    models.IntegerField,
    models.PositiveBigIntegerField,
    models.PositiveIntegerField,
    models.PositiveSmallIntegerField,
    models.SmallIntegerField,
)
_DATED = (models.DateField.pre_save, models.DateTimeField.pre_save, models.TimeField.pre_save)


#: A type of values, and what makes them fit for the database; None where the field has to do it.
_Known = tuple[type | None, Callable[[Any], Any] | None]


def _keeps_own(field: Any) -> bool:
    """Whether ``pre_save()`` does more than read the attribute."""
    method = type(field).pre_save
    if method in _DATED:
        return bool(field.auto_now or field.auto_now_add)
    return method is not models.Field.pre_save


def _known_kind(field: Any, connection: Any) -> _Known:
    while type(field) in (models.ForeignKey, models.OneToOneField):
        field = field.target_field
    if type(field) in _NUMBERS:
        # PostgreSQL is told the size of each integer.
        return (int, None) if connection.vendor == "sqlite" else (None, None)
    known = _KINDS.get(type(field))
    return (None, None) if known is None else known(field, connection)


def _as_it_is(kind: type) -> Callable[[Any, Any], _Known]:
    return lambda field, connection: (kind, None)


def _date(field: Any, connection: Any) -> _Known:
    return date, connection.ops.adapt_datefield_value


def _datetime(field: Any, connection: Any) -> _Known:
    def adapt(value: datetime) -> Any:
        if value.utcoffset() is None:
            return field.get_db_prep_save(value, connection=connection)
        return connection.ops.adapt_datetimefield_value(value)

    return datetime, adapt


def _decimal(field: Any, connection: Any) -> _Known:
    def adapt(value: Decimal) -> Any:
        if not value.is_finite():
            return field.get_db_prep_save(value, connection=connection)
        return connection.ops.adapt_decimalfield_value(
            value, field.max_digits, field.decimal_places
        )

    return Decimal, adapt


def _uuid(field: Any, connection: Any) -> _Known:
    return UUID, None if connection.features.has_native_uuid_field else attrgetter("hex")


_KINDS: dict[type, Callable[[Any, Any], _Known]] = {
    models.BooleanField: _as_it_is(bool),
    models.CharField: _as_it_is(str),
    models.DateField: _date,
    models.DateTimeField: _datetime,
    models.DecimalField: _decimal,
    models.EmailField: _as_it_is(str),
    models.FloatField: _as_it_is(float),
    models.SlugField: _as_it_is(str),
    models.TextField: _as_it_is(str),
    models.URLField: _as_it_is(str),
    models.UUIDField: _uuid,
}
