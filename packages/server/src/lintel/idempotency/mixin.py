"""The mixin of views: which requests have a key, and where the answers to them are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asgiref.sync import sync_to_async

from lintel.cycle.steps import arun, complete
from lintel.cycle.wrapping import WrappingMixin, wrap_handler
from lintel.idempotency import caches, rows
from lintel.idempotency.keys import key_of, scope_of
from lintel.request import Request
from lintel.response import Response
from lintel.settings import IN_CACHE, SettingDefault


class IdempotentMixin(WrappingMixin):
    """Carries out a write with an ``Idempotency-Key`` once; put it before the base class.

    The same key with the same body gets the first response again, including client errors;
    with another body it raises IdempotencyKeyReused (422). While the first request is in progress,
    others raise IdempotencyKeyInUse (409). Responses from 500 on are not kept.

    In the database, the handler runs in a transaction that also stores the response: either all
    of it is there afterwards, or nothing. In the cache, a crash between the two loses the response.
    """

    #: The methods that keys apply to.
    idempotency_methods: Any = ("POST", "PATCH")

    #: Whether these methods raise IdempotencyKeyError (400) without a key.
    idempotency_key_required: bool = False

    #: Where responses are kept: "database" or "cache".
    idempotency_store: Any = SettingDefault("IDEMPOTENCY_STORE")

    #: Seconds for which responses are kept.
    idempotency_seconds: Any = SettingDefault("IDEMPOTENCY_SECONDS")

    #: The size of the largest body that is kept; None: any.
    idempotency_max_bytes: int | None = 1_000_000

    #: The alias of the database that the handler writes to; None: that of ``get_queryset()``.
    idempotency_database: str | None = None

    #: The alias of the cache, which all processes must share.
    idempotency_cache: Any = SettingDefault("IDEMPOTENCY_CACHE")

    #: Seconds that a request may take with the cache; after that its process is assumed dead.
    idempotency_lock_seconds: Any = 60

    def get_idempotency_scope(self, request: Request) -> Any:
        """Return the owner of a key: the user; for anonymous users, session and address."""
        return scope_of(request)

    @staticmethod
    def _lintel_wrap(view: object, request: Request) -> None:
        if counts_keys(view, request.method):
            wrap_handler(view, request, _answer, _answer_on_the_loop)

    def finalize_response(
        self, request: Request, response: Response, *args: object, **kwargs: object
    ) -> Any:
        """Prepare the response for rendering, and keep it in the cache once it is rendered."""
        finalize = super().finalize_response  # type: ignore[misc]
        final = complete(finalize(request, response, *args, **kwargs))
        caches.keep_when_rendered(self, final)
        return final


def counts_keys(view: Any, method: str | None) -> bool:
    return method in view.idempotency_methods


def _answer(view: Any, request: Request, answer: Callable[[], object]) -> object:
    key = key_of(view, request)
    if key is None:
        return answer()
    if view.idempotency_store == IN_CACHE:
        return caches.answer_steps.run(view, request, key, answer)
    return rows.answer_once(view, request, key, answer)


async def _answer_on_the_loop(view: Any, request: Request, answer: Callable[[], Any]) -> object:
    key = key_of(view, request)
    if key is None:
        return await answer()
    if view.idempotency_store == IN_CACHE:
        return await arun(caches.answer_steps(view, request, key, answer))
    # A transaction belongs to one thread: the handler's work in threads happens in this one.
    in_a_thread = sync_to_async(rows.answer_once, thread_sensitive=True)
    return await in_a_thread(view, request, key, answer)
