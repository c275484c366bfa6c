"""Whether Django alone finds a row by a unique column.

What classes decide is examined once and kept with a warrant; what one manager or queryset holds is
examined at each use.
"""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django.core.exceptions import FieldDoesNotExist
from django.db import models, router
from django.db.models import manager as manager_module
from django.db.models import query as query_module
from django.db.models.manager import BaseManager

from lintel.fast.originals import ONE, places_of_lookup
from lintel.fast.vocabulary import (
    COMPARING,
    GETTING,
    MANAGING,
    OF_OBJECTS,
    PREPARING,
    ROUTING,
    Methods,
    holds_plainly,
    is_compared_plainly,
    selects_all_rows,
)
from lintel.trust.originals import is_original, warrant_of
from lintel.trust.store import Store

#: Columns whose values compare in Python as in the database, and the types of these values.
COLUMN_TYPES = (models.IntegerField, models.CharField, models.UUIDField)
VALUE_TYPES = (int, str, UUID)
#: The lookup that compares them.
EXACT = "exact"


#: By the class of the manager (None for a queryset), that of its querysets, model and name: the
#: column, and the warrant that Django alone finds rows by it.
_columns: Store[tuple[Any, Any, Any, str], tuple[Any, Callable[[], bool]]] = Store()


def unique_column(source: Any, name: str) -> Any:
    """Return the column by which Django alone finds one of all rows of a manager or a queryset."""
    if not ONE.may_be_replaced():
        return None
    # Lazy objects and mocks only claim to be instances.
    cls: Any = type(source)
    if issubclass(cls, models.QuerySet):
        column = _column_of(None, cls, source.model, name)
        is_plain = column is not None and selects_all_rows(source)
        return column if is_plain and GETTING.names.isdisjoint(source.__dict__) else None
    if not issubclass(cls, BaseManager) or not MANAGING.names.isdisjoint(source.__dict__):
        return None
    return _column_of(cls, getattr(source, "_queryset_class", None), source.model, name)


def _column_of(manager_class: Any, queryset_class: Any, model: Any, name: str) -> Any:
    key = manager_class, queryset_class, model, name
    entry = _columns.get(key)
    if entry is not None and entry[1]():
        return entry[0]
    column = _column(model, name)
    is_class = isinstance(queryset_class, type) and issubclass(queryset_class, models.QuerySet)
    if column is None or not is_class or not _django_decides(manager_class, queryset_class, column):
        return None
    still_holds = _warrant_of(manager_class, queryset_class, column, partial(_column, model, name))
    # Examined again: what another thread patches meanwhile must not become part of the warrant.
    if not _django_decides(manager_class, queryset_class, column):
        return None
    _columns.keep(key, (column, still_holds))
    return column


def _parts(manager_class: Any, queryset_class: Any, column: Any) -> list[tuple[Methods, Any]]:
    """Return the methods that find the row, and the class that has them."""
    parts = [(GETTING, queryset_class), (PREPARING, type(column)), (ROUTING, type(router))]
    return parts if manager_class is None else [(MANAGING, manager_class), *parts]


def _have_no_methods(column: Any) -> bool:
    """Return whether neither the column nor the router has methods in place of its class's."""
    return _OF_COLUMN.isdisjoint(vars(column)) and ROUTING.names.isdisjoint(vars(router))


def _django_decides(manager_class: Any, queryset_class: Any, column: Any) -> bool:
    parts = _parts(manager_class, queryset_class, column)
    return (
        all(methods.are_of_django(cls) for methods, cls in parts)
        and _have_no_methods(column)
        and is_compared_plainly(column, EXACT)
        # Django asks the routers of the project, and nothing else, for a database.
        and vars(manager_module).get("router") is router
        and vars(query_module).get("router") is router
        # These take longest, and hold nearly always.
        and holds_plainly(queryset_class)
        and all(map(is_original, places_of_lookup(_lookup_of(column))))
    )


def _lookup_of(column: Any) -> Any:
    return column.get_class_lookups().get(EXACT)


def _warrant_of(
    manager_class: Any, queryset_class: Any, column: Any, find: Callable[[], Any]
) -> Callable[[], bool]:
    cls, routing = type(column), type(router)
    compared = _lookup_of(column)

    def is_same() -> bool:
        return (
            find() is column
            and type(column) is cls
            and type(router) is routing
            and _lookup_of(column) is compared
            and _have_no_methods(column)
        )

    parts = [*_parts(manager_class, queryset_class, column), (COMPARING, compared)]
    places = [
        *(place for methods, owner in parts for place in methods.places(owner)),
        *places_of_lookup(compared),
        *((queryset_class, name) for name in OF_OBJECTS),
        (cls, "get_class_lookups"),
        (compared, "lookup_name"),
    ]
    return warrant_of(
        # Without the name of the model: models made at run time share their text.
        "row by a unique column",
        places,
        [(manager_module, "router"), (query_module, "router")],
        others=[is_same],
    )


#: What a column may have of its own, in place of the methods of its class.
_OF_COLUMN = PREPARING.names | {"instance_lookups"}


def _column(model: Any, name: str) -> Any:
    try:
        options = model._meta
        column = options.pk if name == "pk" else options.get_field(name)
    except (AttributeError, FieldDoesNotExist):
        return None
    is_unique = isinstance(column, COLUMN_TYPES) and column.unique and not column.remote_field
    return column if is_unique else None
