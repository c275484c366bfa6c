"""Instances made from a row, and several instances of the same row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import models
from django.db.models import base, query
from django.db.models.query import RelatedPopulator
from django.db.models.signals import post_init, pre_init

from lintel.fast.relations import COLUMNS
from lintel.fast.vocabulary import FETCH_ONE, has_listeners, has_plain_instances, is_plain_model
from lintel.provenance import is_of_django


def can_be_doubled(model: Any) -> bool:
    """Return whether two instances of a row differ only in identity."""
    return is_plain_model(model) and model.__getstate__ is models.Model.__getstate__


def double(instance: Any) -> Any:
    """Return another instance of the same row, as a second query would make it."""
    made = object.__new__(type(instance))
    made.__dict__.update(models.Model.__getstate__(instance))
    return made


def stores_columns_plainly() -> bool:
    """Return whether setting a column of an instance only stores the value."""
    own, foreign = COLUMNS
    return "__set__" not in vars(own) and is_of_django(foreign.__set__)


def _holds_only_columns(model: Any, columns: Sequence[str]) -> bool:
    """Return whether an instance is nothing but its columns, apart from receivers of signals.

    Django sets each column as an attribute, which its own descriptors only store.
    """
    held = vars(model)
    return (
        has_plain_instances(model)
        and stores_columns_plainly()
        and not hasattr(model, "_state")
        and list(columns) == [field.attname for field in model._meta.concrete_fields]
        and all(type(held.get(name)) in COLUMNS for name in columns)
    )


#: Since Django 6.1 a queryset passes on how instances fetch what they lack.
_with_fetch_mode: Any = getattr(query, "_get_from_db", None)


def _from_db_of(model: Any) -> Any:
    return model.from_db if _with_fetch_mode is None else _with_fetch_mode(model, FETCH_ONE)


class Maker:
    """Makes the instances that ``from_db()`` would make of rows with these columns.

    It is valid as long as the guard of :class:`lintel.fast.statements.Origin` holds.
    """

    __slots__ = ("columns", "is_plain", "model")

    def __init__(self, model: Any, columns: Sequence[str]) -> None:
        self.model = model
        self.columns: list[str] = list(columns)
        self.is_plain: bool = _holds_only_columns(model, columns)

    def make(self, database: str, values: Sequence[Any]) -> Any:
        """Return an instance, without Django's constructor if it is nothing but its columns."""
        model = self.model
        if not self.is_plain or (
            (pre_init.receivers or post_init.receivers) and has_listeners(model)
        ):
            return _from_db_of(model)(database, self.columns, values)
        made = object.__new__(model)
        state = base.ModelState()
        state.adding = False
        state.db = database
        if FETCH_ONE is not None:
            state.fetch_mode = FETCH_ONE
        held = made.__dict__
        held["_state"] = state
        held.update(zip(self.columns, values, strict=True))
        return made


class RelatedMaker:
    """Does what a populator of Django does: makes a related instance of the same row."""

    __slots__ = ("_maker", "_populator")

    def __init__(self, populator: Any) -> None:
        self._populator = populator
        is_plain = (
            type(populator) is RelatedPopulator
            and is_of_django(RelatedPopulator.populate)
            and populator.reorder_for_init is None
            and not populator.related_populators
        )
        self._maker: Maker | None = (
            Maker(populator.model_cls, populator.init_list) if is_plain else None
        )

    def add(self, row: Sequence[Any], instance: Any) -> None:
        """Make the related instance and set it on ``instance``; None if there is no such row."""
        populator, maker = self._populator, self._maker
        if maker is None or not maker.is_plain:
            populator.populate(row, instance)
            return
        values = row[populator.cols_start : populator.cols_end]
        if values[populator.pk_idx] is None:
            populator.local_setter(instance, None)
            return
        related = maker.make(populator.db, values)
        populator.local_setter(instance, related)
        populator.remote_setter(related, instance)
