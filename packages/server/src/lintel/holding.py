"""Views that read the row at their URL once: for a comparison under a lock, and for the handler."""

from collections.abc import Awaitable, Callable, Coroutine
from contextlib import ExitStack
from typing import Any

from django.db import models, router, transaction

from lintel.annotations import AnyView, Instance
from lintel.cycle.steps import complete
from lintel.serializers.storing import lock


class HoldingMixin:
    """Gives the handler the row that a mixin around it has locked."""

    def get_object(self) -> Any:
        """Return the row at the URL, once for the comparison and the handler."""
        held = self.__dict__.pop("_lintel_held", None)
        return super().get_object() if held is None else held  # type: ignore[misc]

    def aget_object(self) -> Coroutine[object, object, Any]:
        return _held_or(self, super().aget_object)  # type: ignore[misc]


async def _held_or(view: object, find: Callable[[], Awaitable[Instance]]) -> Instance:
    held = view.__dict__.pop("_lintel_held", None)
    return await find() if held is None else held


def answer_holding(view: AnyView, instance: Instance, answer: Callable[[], object]) -> object:
    """Call the handler, whose ``get_object()`` returns the instance."""
    view._lintel_held = instance
    try:
        return complete(answer())
    finally:
        view.__dict__.pop("_lintel_held", None)


def locked(view: AnyView, instance: Instance, stack: ExitStack) -> Instance:
    """Lock a row in a transaction that the stack ends; return it as it is then."""
    if not isinstance(instance, models.Model) or instance.pk is None:
        return instance
    database = router.db_for_write(type(instance), instance=instance)
    stack.enter_context(transaction.atomic(using=database))
    lock(type(instance)._base_manager.using(database).filter(pk=instance.pk))
    fresh = complete(view.get_object())
    if isinstance(fresh, models.Model) and fresh._state.db != database:
        fresh.refresh_from_db(using=database)  # a database replica may be behind
    return fresh
