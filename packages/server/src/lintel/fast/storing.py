"""What saves and deletes rows of a model: Django alone, or code of the project as well.

Many rows are stored by one statement only if the project would notice nothing: it has replaced no
method that takes part, and listens to no signal that one statement does not send.
"""

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from django.db import models
from django.db.models import signals

from lintel.settings import is_off
from lintel.trust.originals import reaches_django

#: A model class, a column: they are Django's or the project's.
ModelClass: TypeAlias = Any
Column: TypeAlias = Any
#: A class, and the names of some of its methods.
Methods: TypeAlias = tuple[Any, tuple[str, ...]]

#: What saves one object of a model, and what its querysets do for many.
_SAVING = (
    *("save", "save_base", "_save_parents", "_save_table", "_do_insert", "_do_update"),
    *("_prepare_related_fields_for_save", "_get_pk_val"),
)
_OF_QUERYSETS = ("create", "bulk_create", "bulk_update", "update", "_insert", "_update")
_SIGNALS = (signals.pre_save, signals.post_save)


def django_stores(model: ModelClass) -> bool:
    """Return whether no code of the project takes part if a row of a model is saved."""
    options = model._meta.concrete_model._meta
    columns = options.local_concrete_fields
    return (
        not is_off()
        and not options.parents
        and not any(signal.has_listeners(model) for signal in _SIGNALS)
        # A file is written before its row.
        and not any(isinstance(column, models.FileField) for column in columns)
        and all(reaches_django(owner, *names) for owner, names in _saving(model, columns))
    )


def _saving(model: ModelClass, columns: Iterable[Column]) -> Iterator[Methods]:
    yield model, _SAVING
    for manager in (model._default_manager, model._base_manager):
        yield type(manager.get_queryset()), _OF_QUERYSETS
        yield type(manager), ("create", "bulk_create")
    for column in columns:
        yield type(column), ("pre_save", "contribute_to_class")


def django_deletes(model: ModelClass) -> bool:
    """Return whether deleting rows of a model together does the same as deleting each."""
    querysets = type(model._base_manager.all())
    deleting: list[Methods] = [(model, ("delete",)), (querysets, ("delete", "_raw_delete"))]
    return not is_off() and all(reaches_django(owner, *names) for owner, names in deleting)


def django_links(field: Column) -> bool:
    """Return whether Django alone changes the rows of a many-to-many field, and nobody listens."""
    through = field.remote_field.through
    related = type(field.related_model._default_manager)
    return (
        not is_off()
        and type(field) is models.ManyToManyField
        and bool(through._meta.auto_created)
        and not signals.m2m_changed.has_listeners(through)
        and reaches_django(related, "get_queryset")
    )
