"""Arguments of nested URLs, such as ``room_pk``, from the objects that the URLs lead to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.core.exceptions import FieldDoesNotExist
from django.db.models import ForeignKey, Model

from lintel.annotations import AnyView, Instance

if TYPE_CHECKING:
    from lintel.relations.hyperlinks import HyperlinkedRelatedField


def outer_lookups(field: HyperlinkedRelatedField, view_name: str) -> Mapping[str, str]:
    """Return the arguments of a URL beside its last, with the attributes that have their values.

    A nested view knows those of its own URLs.
    """
    if field.parent_lookups:
        return field.parent_lookups
    view: AnyView = field.context.get("view")
    route = getattr(view, "parent_route", None)
    if route is None or not view_name.rpartition(":")[2].startswith(f"{view.basename}-"):
        return {}
    return dict(route.paths())


def lookups_of_rows(field: HyperlinkedRelatedField, instance: Instance) -> Mapping[str, str]:
    """The same for the rows of a nested view, whatever name their URL has."""
    view: AnyView = field.context.get("view")
    route: AnyView = getattr(view, "parent_route", None)
    model = getattr(getattr(view, "queryset", None), "model", None)
    is_row = route is not None and model is not None and isinstance(instance, model)
    return dict(route.paths()) if is_row else {}


def outer_values(
    field: HyperlinkedRelatedField, instance: Instance, lookups: Mapping[str, str]
) -> dict[str, Instance]:
    return {name: _value(field, instance, name, path) for name, path in lookups.items()}


def _value(field: HyperlinkedRelatedField, instance: Instance, name: str, path: str) -> Instance:
    """Return the value of an argument; that of the current URL if a row has many parents."""
    *owners, last = path.split(".")
    try:
        for owner in owners[:-1]:
            instance = getattr(instance, owner)
        if owners and last == "pk":
            return _key(instance, owners[-1])
        return getattr(getattr(instance, owners[-1]) if owners else instance, last)
    except AttributeError:
        view: AnyView = field.context.get("view")
        if name in getattr(view, "kwargs", {}):
            return view.kwargs[name]
        raise


def _key(instance: Instance, name: str) -> Instance:
    """Return the key of a related row, without reading the row if a column holds it."""
    try:
        column = instance._meta.get_field(name) if isinstance(instance, Model) else None
    except FieldDoesNotExist:
        column = None
    if isinstance(column, ForeignKey) and column.target_field.primary_key:
        return getattr(instance, column.attname)
    return getattr(instance, name).pk
