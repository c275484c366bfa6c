"""Answers in the database, written by the transaction that carries out the request.

The row of a key is inserted before the handler runs and gets the answer after it. A crash at
any moment therefore leaves either the write and its answer, or neither. Until the commit the key is
held by the transaction itself, so there is no lock that could outlive its process.
"""

from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NoReturn

from asgiref.sync import async_to_sync
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.db import (
    DEFAULT_DB_ALIAS,
    IntegrityError,
    OperationalError,
    connections,
    router,
    transaction,
)
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, Model, QuerySet
from django.utils import timezone

from lintel.annotations import AnyView, HookResult, Instance
from lintel.cycle.steps import complete, run_hook
from lintel.idempotency.answers import Kept, is_final, kept_of, replayed
from lintel.idempotency.errors import IdempotencyKeyInUse
from lintel.idempotency.keys import digest_of_key, fingerprint_of
from lintel.marks import prompt
from lintel.renderers.forms.disclosure import has_rows
from lintel.request import Request
from lintel.response import Response
from lintel.settings import SETTINGS_NAME

_APP = "lintel.idempotency"

#: How databases name a row that another transaction holds: SQLite, MySQL, and SQLSTATE.
_HELD = frozenset([5, 6, 1205, 1213, 3572, "40001", "40P01", "55P03"])

#: One key in so many also removes expired ones, at most this number of them.
_KEYS_PER_CLEARING = 100
BATCH = 1000


def answer_once(
    view: AnyView, request: Request, key: str, answer: Callable[[], object]
) -> Response:
    """Return the kept response, or that of the handler, committed together with its writes."""
    fingerprint, digest = fingerprint_of(request), digest_of_key(view, request, key)
    using = database_of(view)
    rows = rows_in(using).filter(digest=digest)
    with ExitStack() as stack:
        stored = _take(rows, using, stack, {"digest": digest, "fingerprint": fingerprint})
        if stored is not None:
            return replayed(stored, fingerprint)
        response = _rendered(view, request, _response_of(view, using, answer))
        _settle(view, rows, using, fingerprint, response)
        if int(digest, 16) % _KEYS_PER_CLEARING == 0:
            clear = partial(clear_expired, using, timezone.now())
            transaction.on_commit(clear, using=using, robust=True)
    # It is final: headers that were added now would be missing in repetitions.
    view.finalize_response = _as_it_is
    return response


def rows_in(using: str) -> QuerySet[Any]:
    """Return the keys in a database. Raises ImproperlyConfigured without their app."""
    return _model()._default_manager.using(using)


def _model() -> type[Model]:
    if not apps.is_installed(_APP):
        raise ImproperlyConfigured(
            f"Answers to an Idempotency-Key are kept in the database, and {_APP} is not installed: "
            f'add "{_APP}" to INSTALLED_APPS and run migrate, or set '
            f"{SETTINGS_NAME}['IDEMPOTENCY_STORE'] = \"cache\"."
        )
    return apps.get_model("lintel_idempotency", "IdempotencyKey")


# The database


def database_of(view: AnyView) -> str:
    if view.idempotency_database is not None:
        return view.idempotency_database
    if len(list(connections)) == 1:
        return DEFAULT_DB_ALIAS
    queryset = complete(view.get_queryset()) if has_rows(view) else None
    model = getattr(queryset, "model", None)
    if queryset is None or model is None:
        return router.db_for_write(_model())
    lookup = getattr(view, "lookup_url_kwarg", None) or getattr(view, "lookup_field", None)
    if lookup not in view.kwargs:
        return router.db_for_write(model)
    # What is saved is a row of the queryset, which knows where it came from.
    row = model()
    row._state.db = queryset.db
    return router.db_for_write(model, instance=row)


# Taking a key


def _take(rows: QuerySet[Any], using: str, stack: ExitStack, values: dict[str, str]) -> Kept | None:
    """Open a transaction that holds the key; return what is kept. Raises IdempotencyKeyInUse."""
    try:
        stack.enter_context(transaction.atomic(using=using))
        held = _held(rows, connections[using], values["digest"])
        if held is not None and held.expires > timezone.now():
            body = None if held.body is None else bytes(held.body)
            return Kept(held.fingerprint, held.status, held.headers, body)
        if held is not None:
            rows.delete()
        # No signals: their receivers would be told of answers, and of what is undone later.
        rows.bulk_create([rows.model(expires=timezone.now(), **values)])
    except IntegrityError as error:
        raise IdempotencyKeyInUse from error
    except OperationalError as error:
        if _code_of(error) in _HELD:
            raise IdempotencyKeyInUse from error
        raise
    return None


def _held(rows: QuerySet[Any], connection: BaseDatabaseWrapper, digest: str) -> Instance | None:
    # Databases that have none of these locks wait at the insertion that follows.
    if connection.vendor == "postgresql":
        # Its transactions do not see the rows that others are inserting.
        with connection.cursor() as cursor:
            number = int(digest[:16], 16) - 2**63
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [number])
            if not cursor.fetchone()[0]:
                raise IdempotencyKeyInUse
    elif connection.vendor == "sqlite":
        # SQLite locks as soon as something is written, and reads the current state from then on.
        rows.update(fingerprint=F("fingerprint"))
    elif connection.features.has_select_for_update_nowait:
        rows = rows.select_for_update(nowait=True)
    # Without LIMIT, which Oracle cannot lock with.
    return next(iter(rows), None)


def _code_of(error: OperationalError) -> object:
    cause = error.__cause__
    code = getattr(cause, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF  # without the reason, such as that of a snapshot
    first = error.args[0] if error.args else None
    return getattr(cause, "sqlstate", None) or first


# Answering


def _response_of(view: AnyView, using: str, answer: Callable[[], object]) -> Response:
    """Return the response of the handler, or that to its exception, which undoes its writes."""
    try:
        with transaction.atomic(using=using):
            return complete(answer())
    except Exception as error:
        if isinstance(error, RuntimeError) and "durable" in str(error):
            error.add_note(
                "IdempotentMixin runs the handler in a transaction, to store its response with its "
                'writes. Leave `durable` out, or set idempotency_store = "cache" on the view.'
            )
        if transaction.get_rollback(using):  # its writes could not be undone alone
            raise
        response = _response_to(view, error)
    # Under ATOMIC_REQUESTS the exception handler has given up the transaction that holds the key.
    transaction.set_rollback(False, using=using)
    return response


def _response_to(view: AnyView, error: Exception) -> HookResult:
    try:
        return _call(view, "handle_exception", error)
    except Exception:
        # The cycle of the request asks once more, and the exception handler may count or report.
        view.handle_exception = _raise_again
        raise


def _rendered(view: AnyView, request: Request, response: Response) -> Response:
    arguments = (request, response, *view.args)
    final = _call(view, "finalize_response", *arguments, **view.kwargs)
    return final if getattr(final, "is_rendered", True) else final.render()


def _call(view: AnyView, name: str, *args: object, **kwargs: object) -> HookResult:
    """Call a hook of a view from this thread, in its async form if the view is async."""
    told = view._lintel_is_async
    if type(view).view_is_async if told is None else told:
        return async_to_sync(run_hook)(view, name, *args, **kwargs)
    return complete(getattr(view, name)(*args, **kwargs))


@prompt
def _as_it_is(request: Request, response: Response, *args: object, **kwargs: object) -> object:
    return response


@prompt
def _raise_again(error: Exception) -> NoReturn:
    raise error


# Keeping the answer


def _settle(
    view: AnyView, rows: QuerySet[Any], using: str, fingerprint: str, response: Response
) -> None:
    if not is_final(response):
        transaction.set_rollback(True, using=using)
        return
    stored = kept_of(fingerprint, response, set(view.headers), view.idempotency_max_bytes)
    rows.update(
        status=stored.status,
        headers=stored.headers,
        body=stored.body,
        expires=timezone.now() + timedelta(seconds=view.idempotency_seconds),
    )


def clear_expired(using: str, moment: datetime) -> int:
    """Delete up to BATCH expired keys; return how many."""
    rows = rows_in(using)
    expired = list(rows.filter(expires__lte=moment).values_list("pk", flat=True)[:BATCH])
    return rows.filter(pk__in=expired).delete()[0]
