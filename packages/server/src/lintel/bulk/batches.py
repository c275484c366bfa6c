"""The items of one request: what was sent, the object it is about, its serializer, its error."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import router, transaction

from lintel.annotations import Instance
from lintel.exceptions import APIException, NotFound, ValidationError
from lintel.serializers.item_keys import KeyOfItems
from lintel.serializers.together import Errors, check_together, save_each, save_together


@dataclass(slots=True)
class Item:
    """One entry of the list; ``error`` says why it is not written."""

    sent: object
    instance: Instance = None
    serializer: Instance = None
    error: APIException | None = None


class Batch:
    """The items of a request that may be written; iterating yields their serializers.

    A view's ``perform_bulk_create(batch)`` and ``perform_bulk_update(batch)`` save it.
    """

    def __init__(self, items: list[Item], atomic: bool, key: KeyOfItems | None = None) -> None:
        self.items = items
        self.atomic = atomic
        #: What says which row an item is about; None for new rows.
        self.key = key
        #: What a nested view adds to the values of each item.
        self.parent_values: dict[str, Any] = {}

    def __iter__(self) -> Iterator[Instance]:
        return (item.serializer for item in self.valid)

    @property
    def valid(self) -> list[Item]:
        return [item for item in self.items if item.error is None]

    @property
    def validated_data(self) -> list[Instance]:
        return [item.validated_data for item in self]

    def save(self, **kwargs: Any) -> list[Instance]:
        """Save all items, each with these values besides its own; return the objects.

        One statement saves them all if no code of the project takes part. Raises ValidationError
        for items that the database refuses; if not ``atomic``, the items keep their errors.
        """
        return _kept(self, save_together(list(self), {**kwargs, **self.parent_values}))

    def save_each(self, save: Callable[[Instance], object]) -> list[Instance]:
        """Call ``save(serializer)`` for one item after the other, each in a savepoint."""
        if self.parent_values:
            for serializer in self:
                serializer.save = partial(serializer.save, **self.parent_values)
        return _kept(self, save_each(list(self), save))


def _kept(batch: Batch, errors: Errors) -> list[Instance]:
    """Return the stored objects; the items keep their errors, or all errors are raised."""
    valid = batch.valid
    note(valid, {place: _told(batch.key, valid[place], errors[place]) for place in errors})
    if batch.atomic:
        raise_errors(batch.items)
    return [item.serializer.instance for item in batch.valid]


def _told(key: KeyOfItems | None, item: Item, error: APIException) -> APIException:
    """Return the error of an item: of a row that has gone meanwhile, as if it had been gone."""
    if key is None or not isinstance(error, NotFound):
        return error
    sent: Instance = item.sent
    return key.missing(key.value_in(sent)[0])


def note(items: list[Item], errors: Errors) -> None:
    for place, error in errors.items():
        items[place].error = error


def check(items: list[Item]) -> None:
    """Validate the input of the items that have no error so far."""
    valid = [item for item in items if item.error is None]
    note(valid, check_together([item.serializer for item in valid]))


def raise_errors(items: list[Item]) -> None:
    """Raise the errors of all items, in their order; that of a permission alone."""
    errors = [item.error for item in items if item.error is not None]
    for error in errors:
        if not isinstance(error, ValidationError):
            raise error
    if errors:
        details = [{} if item.error is None else item.error.detail for item in items]
        raise ValidationError(details)


def transaction_of(model: Instance, atomic: bool) -> AbstractContextManager[object]:
    if not atomic:
        return nullcontext()
    return transaction.atomic(using=None if model is None else router.db_for_write(model))
