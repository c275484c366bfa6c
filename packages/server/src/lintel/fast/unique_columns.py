"""Whether Django alone finds a row by a unique column: the verdict, kept with a guard.

The classes are examined once, and a generated guard compares everything that the verdict depends
on at each use: methods of the queryset, the manager and the router, the column and how it is
compared. What one manager or queryset holds is not part of the verdict; it is examined each time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.exceptions import FieldDoesNotExist
from django.db import models, router
from django.db.models import manager as manager_module
from django.db.models import query as query_module
from django.db.models.manager import BaseManager

from lintel.fast.originals import ONE, guard_of, is_itself
from lintel.fast.vocabulary import (
    COMPARING,
    GETTING,
    MANAGING,
    PREPARING,
    ROUTING,
    is_compared_as_usual,
    is_plain_column,
    is_routed_plainly,
    selects_all_rows,
)
from lintel.provenance import reached
from lintel.trust.guards import Lookup
from lintel.trust.store import keep_of_class

#: Columns whose values compare in Python as in the database, and the types of these values.
COLUMN_TYPES = (models.IntegerField, models.CharField, models.UUIDField)
VALUE_TYPES = (int, str, UUID)
#: The lookup that compares them.
EXACT = "exact"
#: What returns the registered lookups of a class of columns.
_REGISTERED = reached(models.Field, "get_class_lookups")


@dataclass(frozen=True, slots=True)
class _Verdict:
    """A unique column, or None if code of the project takes part in looking rows up by it."""

    column: Any
    is_current: Callable[[], bool]


#: By the class of the manager (None for a queryset), that of the queryset, model and name.
_verdicts: dict[tuple[Any, ...], _Verdict] = {}


def unique_column(source: Any, name: str) -> Any:
    """Return the column by which Django alone finds one of all rows of ``source``, else None.

    ``source`` is a manager or a queryset. A queryset has None if it holds more than a model, a
    database and ``select_related()``.
    """
    if not is_itself(ONE):
        return None
    # Lazy objects and mocks only claim to be instances.
    manager_class: Any = None
    queryset_class: Any = type(source)
    if not issubclass(queryset_class, models.QuerySet):
        if not issubclass(queryset_class, BaseManager):
            return None
        manager_class, queryset_class = queryset_class, getattr(source, "_queryset_class", None)
    key = manager_class, queryset_class, source.model, name
    verdict = _verdicts.get(key)
    if verdict is None or not verdict.is_current():
        verdict = _examined(*key)
        if verdict is None:
            return None
        keep_of_class(_verdicts, key, verdict)
    names = GETTING.names if manager_class is None else MANAGING.names
    if not names.isdisjoint(source.__dict__):
        return None
    return verdict.column if manager_class is not None or selects_all_rows(source) else None


def _examined(manager_class: Any, queryset_class: Any, model: Any, name: str) -> _Verdict | None:
    """Examine the classes; return None for columns that never qualify, which are not kept."""
    if not isinstance(queryset_class, type) or not issubclass(queryset_class, models.QuerySet):
        return None
    try:
        options = model._meta
        column = options.pk if name == "pk" else options.get_field(name)
    except (AttributeError, FieldDoesNotExist):
        return None
    if not isinstance(column, COLUMN_TYPES) or not column.unique or column.remote_field:
        return None
    if reached(type(column), "get_class_lookups") is not _REGISTERED:
        # It may return a new dictionary each time, so a guard would never hold.
        return None
    lookups = [*GETTING.lookups(queryset_class), *PREPARING.lookups(type(column))]
    lookups += ROUTING.lookups(type(router))
    lookups += () if manager_class is None else MANAGING.lookups(manager_class)
    lookup = column.get_class_lookups().get(EXACT)
    lookups += () if lookup is None else COMPARING.lookups(lookup)
    # Made before the examination, so that it notices what another thread patches meanwhile.
    is_current = _guard_of(options, column, lookups)
    is_plain = (
        (manager_class is None or MANAGING.are_of_django(manager_class))
        and GETTING.are_of_django(queryset_class)
        and is_routed_plainly()
        and is_plain_column(column)
        and is_compared_as_usual(column, EXACT)
    )
    return _Verdict(column if is_plain else None, is_current)


def _guard_of(options: Any, column: Any, lookups: list[Lookup]) -> Callable[[], bool]:
    held = vars(column)
    names = {*PREPARING.names, "instance_lookups"}
    routing = vars(router)
    bases = [base for base in type(column).__mro__ if "class_lookups" in vars(base)]
    registered = [vars(base)["class_lookups"] for base in bases]
    facts = ("__class__", "unique", "remote_field", *sorted(names & held.keys()))
    return guard_of(
        # Without the name of the model: models made at run time share their text.
        "row by a unique column",
        [*lookups, *((base, "class_lookups") for base in bases)],
        known=frozenset(ONE.places()),
        entries=[
            (options, "concrete_fields"),
            (options, "pk"),
            (manager_module, "router"),
            (query_module, "router"),
            *((column, fact) for fact in facts),
            *((router, each) for each in sorted(ROUTING.names & routing.keys())),
        ],
        # Projects may register lookups at any time.
        contents=[(each, EXACT) for each in registered if EXACT in each],
        missing=[
            *((each, EXACT) for each in registered if EXACT not in each),
            *((held, each) for each in sorted(names - held.keys())),
            *((routing, each) for each in sorted(ROUTING.names - routing.keys())),
        ],
    )
