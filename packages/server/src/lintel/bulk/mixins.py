"""The actions of bulk requests.

Actions have comments instead of docstrings: schema generators publish the docstring of a handler as
the description of the operation.
"""

from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from functools import partial

from django.db import IntegrityError

from lintel import fast, mixins, status
from lintel.annotations import AnyView, HookResult, Instance, Setting
from lintel.bulk.answers import answer_deleted, answer_saved
from lintel.bulk.batches import Batch, Item, check, raise_errors, transaction_of
from lintel.bulk.matching import key_of_view, match, refused
from lintel.cycle.chains import chain
from lintel.cycle.steps import Steps, arun, blocking, called, complete, is_left_to_us
from lintel.exceptions import ErrorDetail, ValidationError
from lintel.nesting import parent_values
from lintel.request import Request
from lintel.scoping import within_view
from lintel.serializers import ListSerializer
from lintel.serializers.deadlocks import repeated
from lintel.serializers.refusals import is_referred_to, refer_to_this, refusal
from lintel.serializers.storing import Rows
from lintel.serializers.uniqueness import missing_rows
from lintel.settings import api_settings

# The actions, in steps


@chain
def _create_steps(view: object, request: Request) -> Steps[HookResult]:
    if not (yield blocking(_is_list, request)):
        return (yield from mixins.create_steps(view, request))
    # A transaction belongs to one thread: hooks that are async run from this one.
    return (yield blocking(_created, view, request))


@chain
def _update_steps(view: object, request: Request, partial: bool) -> Steps[HookResult]:
    return (yield blocking(_updated, view, request, partial))


@chain
def _destroy_steps(view: object, request: Request) -> Steps[HookResult]:
    return (yield blocking(_destroyed, view, request))


# Their parts


def _is_list(request: Request) -> bool:
    return isinstance(request.data, list)


def _created(view: AnyView, request: Request) -> object:
    items = [Item(sent) for sent in _sent(view, request)]
    for item in items:
        item.serializer = view.get_serializer(data=item.sent)
    check(items)
    for item in items:
        if item.error is None:
            values = item.serializer.validated_data
            item.error = refused(view, "check_create_permissions", values)
    batch = Batch(items, view.atomic)
    return _saved(view, batch, "perform_bulk_create", status.HTTP_201_CREATED)


def _updated(view: AnyView, request: Request, partial: bool) -> object:
    items = [Item(sent) for sent in _sent(view, request)]
    rows = _rows(view)
    key = key_of_view(view, rows.model, rows.db, view.get_serializer())
    match(view, rows, key, items)
    for item in items:
        if item.error is None:
            data: Instance = key.without(item.sent)  # type: ignore[arg-type]
            item.serializer = view.get_serializer(item.instance, data=data, partial=partial)
    check(items)
    batch = Batch(items, view.atomic, key)
    return _saved(view, batch, "perform_bulk_update", status.HTTP_200_OK)


def _saved(view: AnyView, batch: Batch, hook: str, code: int) -> object:
    if batch.atomic:
        raise_errors(batch.items)
    if batch.valid:
        first = batch.valid[0].serializer
        batch.parent_values = parent_values(view, first)
        model = getattr(getattr(first, "Meta", None), "model", None)
        with _saving(model, batch):
            called(view, hook, batch)
    return answer_saved(view, batch, code)


@contextmanager
def _saving(model: Instance, batch: Batch) -> Iterator[None]:
    """A transaction. Raises ValidationError if related rows are gone at its end."""
    try:
        with transaction_of(model, batch.atomic):
            yield
    except IntegrityError:
        if batch.atomic and api_settings.UNIQUE_RACE_STATUS:
            for item in batch.items:
                errors = missing_rows(item.serializer, item.serializer.validated_data)
                item.error = ValidationError(errors) if errors else None
            raise_errors(batch.items)
        raise


def _destroyed(view: AnyView, request: Request) -> object:
    rows = _rows(view)
    key = key_of_view(view, rows.model, rows.db, None)
    # An item may be a key alone.
    items = [
        Item(sent if isinstance(sent, dict) else {key.name: sent}) for sent in _sent(view, request)
    ]
    match(view, rows, key, items)
    batch = Batch(items, view.atomic)
    if batch.atomic:
        raise_errors(items)
    with _deleting(rows, batch):
        if batch.valid:
            _destroy(view, rows, batch)
    return answer_deleted(view, batch)


@contextmanager
def _deleting(rows: Rows, batch: Batch) -> Iterator[None]:
    """A transaction. Raises ValidationError if others have begun to refer to a row at its end."""
    try:
        with transaction_of(rows.model, batch.atomic):
            yield
    except IntegrityError as error:
        if not is_referred_to(error):
            raise
        raise _of_all(refer_to_this(), "protected") from error


def _destroy(view: AnyView, rows: Rows, batch: Batch) -> None:
    instances = [item.instance for item in batch.valid]
    is_plain = is_left_to_us(view, "perform_destroy") and fast.django_deletes(rows.model)
    if is_plain:
        chosen = rows.model._base_manager.using(instances[0]._state.db)
        delete = chosen.filter(pk__in=[row.pk for row in instances]).delete
        error = repeated(chosen.db, partial(refusal, None, delete, model=rows.model))
        if error is None:
            return
    for item in batch.valid:
        item.error = refusal(None, called, view, "perform_destroy", item.instance, model=rows.model)
    if batch.atomic:
        raise_errors(batch.items)


def _rows(view: AnyView) -> Rows:
    rows = called(view, "get_queryset")
    return called(view, "filter_queryset", within_view(view, rows))


def _sent(view: AnyView, request: Request) -> list[object]:
    """Return the items of a request. Raises ValidationError for no list, none, or too many."""
    sent, messages = request.data, ListSerializer.default_error_messages
    if not isinstance(sent, list):
        raise _of_all(messages["not_a_list"].format(input_type=type(sent).__name__), "not_a_list")
    if not sent:
        raise _of_all(messages["empty"], "empty")
    if view.max_items is not None and len(sent) > view.max_items:
        raise _of_all(messages["max_length"].format(max_length=view.max_items), "max_length")
    return sent


def _of_all(text: str, code: str) -> ValidationError:
    return ValidationError({api_settings.NON_FIELD_ERRORS_KEY: [ErrorDetail(text, code)]})


# The public interface


class BulkModelMixin:
    """What all bulk actions share."""

    #: The most items of one request; more are refused with 400. None: any number.
    max_items: int | None = 1000

    #: Whether all items are written or none. Otherwise each valid one is, and the status is 207.
    atomic: bool = True

    #: The field that says which row an item is about; None: ``lookup_field``.
    bulk_lookup_field: str | None = None

    #: Whether a request counts ``throttle_cost`` for each of its items.
    throttle_items: bool = False

    def check_throttles(self, request: Request) -> None:
        if self.throttle_items:
            cost: int = getattr(type(self), "throttle_cost", 1)
            self.throttle_cost = cost * _count(request)
        complete(super().check_throttles(request))  # type: ignore[misc]


def _count(request: Request) -> int:
    if request.method not in ("POST", "PUT", "PATCH", "DELETE"):
        return 1
    try:
        return max(1, len(request.data)) if isinstance(request.data, list) else 1
    except Exception:  # whoever reads the body next gets the error again
        return 1


class BulkCreateModelMixin(BulkModelMixin, mixins.CreateModelMixin):
    """POST of a list creates a row for each item; any other body creates one row."""

    def create(self, request: Request, *args: Setting, **kwargs: Setting) -> HookResult:
        # Returns 201 with the new rows, or 207. Raises ValidationError.
        return _create_steps.run(self, request)

    def acreate(
        self, request: Request, *args: Setting, **kwargs: Setting
    ) -> Coroutine[object, object, HookResult]:
        return arun(_create_steps(self, request))

    def perform_bulk_create(self, batch: Batch) -> HookResult:
        """Save; override to add values: ``batch.save(owner=self.request.user)``.

        A view that overrides ``perform_create(serializer)`` gets it called for each item.
        """
        _perform(self, batch, "perform_create")


class BulkUpdateModelMixin(BulkModelMixin, mixins.UpdateModelMixin):
    """PUT and PATCH of a list update the row of each item."""

    def bulk_update(self, request: Request, *args: Setting, **kwargs: Setting) -> HookResult:
        # Returns 200 with the changed rows, or 207. Raises ValidationError.
        return _update_steps.run(self, request, kwargs.pop("partial", False))

    def partial_bulk_update(
        self, request: Request, *args: Setting, **kwargs: Setting
    ) -> HookResult:
        # Updates only the fields that each item contains.
        kwargs["partial"] = True
        return self.bulk_update(request, *args, **kwargs)

    def abulk_update(
        self, request: Request, *args: Setting, **kwargs: Setting
    ) -> Coroutine[object, object, HookResult]:
        return arun(_update_steps(self, request, kwargs.pop("partial", False)))

    def apartial_bulk_update(
        self, request: Request, *args: Setting, **kwargs: Setting
    ) -> Coroutine[object, object, HookResult]:
        kwargs["partial"] = True
        return self.abulk_update(request, *args, **kwargs)

    def perform_bulk_update(self, batch: Batch) -> HookResult:
        """Save; override to add values: ``batch.save(editor=self.request.user)``.

        A view that overrides ``perform_update(serializer)`` gets it called for each item.
        """
        _perform(self, batch, "perform_update")


class BulkDestroyModelMixin(BulkModelMixin, mixins.DestroyModelMixin):
    """DELETE with a list of keys deletes these rows; without one, it deletes nothing."""

    def bulk_destroy(self, request: Request, *args: Setting, **kwargs: Setting) -> HookResult:
        # Returns 204, or 207. Raises ValidationError.
        return _destroy_steps.run(self, request)

    def abulk_destroy(
        self, request: Request, *args: Setting, **kwargs: Setting
    ) -> Coroutine[object, object, HookResult]:
        return arun(_destroy_steps(self, request))


def _perform(view: AnyView, batch: Batch, hook: str) -> None:
    if is_left_to_us(view, hook):
        batch.save()
        return

    def save(serializer: Instance) -> None:
        called(view, hook, serializer)

    batch.save_each(save)
