"""What stands around the query when a row is written, and who is written that way.

Signals, transactions and the state of the instance are what ``Model.save()`` makes of them; models
with a method of their own in its place are left to that.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from django.db import models
from django.db.models.signals import post_save, pre_save
from django.db.transaction import mark_for_rollback_on_error

from lintel.orm.columns import is_plain
from lintel.orm.statements import Origin, makes_usual_querysets, methods_of_django

#: The methods of a model that take part in saving.
_HOOKS = (
    "save",
    "save_base",
    "_save_parents",
    "_save_table",
    "_do_insert",
    "_do_update",
    "_prepare_related_fields_for_save",
    "_is_pk_set",
    "_get_pk_val",
)
_hooks_of = attrgetter(*_HOOKS)
_USUAL_HOOKS = methods_of_django(models.Model, *_HOOKS)
_HOOK_NAMES = frozenset(_HOOKS)

_QUERIES = ("_insert", "_update", "filter", "_filter_or_exclude")
_queries_of = attrgetter(*_QUERIES)
_USUAL_QUERIES = methods_of_django(models.QuerySet, *_QUERIES)
# The functions of managers differ in what they ask for, not in their code.
_MANAGER_METHOD = getattr(methods_of_django(models.Manager, "create")[0], "__code__", "replaced")


def saves_plainly(model: Any) -> bool:
    """Whether instances are saved by Django's own methods; asked each time, for patches."""
    return bool(_hooks_of(model) == _USUAL_HOOKS)


def is_undressed(instance: Any) -> bool:
    """Whether the instance has none of these methods for itself."""
    return _HOOK_NAMES.isdisjoint(instance.__dict__)


def save(instance: Any, connection: Any, store: Callable[[Any, Any], bool]) -> None:
    """What ``Model.save()`` does around the query.

    ``store(instance, connection)`` writes the row and answers whether it is a new one.
    """
    using = connection.alias
    told = {"sender": type(instance), "instance": instance, "raw": False, "using": using}
    instance._prepare_related_fields_for_save(operation_name="save")
    pre_save.send(**told, update_fields=None)
    try:
        created = store(instance, connection)
    except Exception:
        with mark_for_rollback_on_error(using):
            raise
    instance._state.db = using
    instance._state.adding = False
    post_save.send(**told, created=created, update_fields=None)


def _is_one_row(model: Any) -> bool:
    """Whether an instance is one row of one table, filled with nothing but values."""
    options = model._meta
    special = (
        options.abstract
        or options.proxy
        or options.swapped
        or options.parents
        or options.auto_created
        or options.order_with_respect_to
        or options.select_on_save
        or len(options.pk_fields) != 1
    )
    return (
        not special
        and _queries_plainly(model._base_manager)
        and all(map(is_plain, options.concrete_fields))
    )


def writes_plainly(connection: Any, origin: Origin) -> bool:
    """Whether the database is one for which texts are made here."""
    return connection.vendor in ("sqlite", "postgresql") and _is_one_row(origin.model)


def hands_over(manager: Any, name: str) -> bool:
    """Whether a method of the manager does nothing but ask its queryset."""
    function: Any = getattr(getattr(manager, name), "__func__", None)
    code = getattr(function, "__code__", None)
    return code is _MANAGER_METHOD and bool(function.__name__ == name)


def _queries_plainly(manager: Any) -> bool:
    return (
        all(hands_over(manager, name) for name in ("_insert", "_update", "filter"))
        and makes_usual_querysets(manager)
        and bool(_queries_of(manager._queryset_class) == _USUAL_QUERIES)
    )
