"""The mixin of views: which requests have a key, and where the answers to them are kept."""

from collections.abc import Callable

from lintel.annotations import AnyView, Setting
from lintel.cycle.chains import chain
from lintel.cycle.steps import Steps, blocking, complete
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
    idempotency_methods: Setting = ("POST", "PATCH")

    #: Whether these methods raise IdempotencyKeyError (400) without a key.
    idempotency_key_required: bool = False

    #: Where responses are kept: "database" or "cache".
    idempotency_store: Setting = SettingDefault("IDEMPOTENCY_STORE")

    #: Seconds for which responses are kept.
    idempotency_seconds: Setting = SettingDefault("IDEMPOTENCY_SECONDS")

    #: The size of the largest body that is kept; None: any.
    idempotency_max_bytes: int | None = 1_000_000

    #: The alias of the database that the handler writes to; None: that of ``get_queryset()``.
    idempotency_database: str | None = None

    #: The alias of the cache, which all processes must share.
    idempotency_cache: Setting = SettingDefault("IDEMPOTENCY_CACHE")

    #: Seconds that a request may take with the cache; after that its process is assumed dead.
    idempotency_lock_seconds: Setting = 60

    def get_idempotency_scope(self, request: Request) -> object:
        """Return the owner of a key: the user; for anonymous users, session and address."""
        return scope_of(request)

    @staticmethod
    def _lintel_wrap(view: object, request: Request) -> None:
        if counts_keys(view, request.method):
            wrap_handler(view, request, _keyed_steps)

    def finalize_response(
        self, request: Request, response: Response, *args: object, **kwargs: object
    ) -> Response:
        finalize = super().finalize_response  # type: ignore[misc]
        final: Response = complete(finalize(request, response, *args, **kwargs))
        caches.keep_when_rendered(self, final)
        return final


def counts_keys(view: AnyView, method: str | None) -> bool:
    return method in view.idempotency_methods


@chain
def _keyed_steps(view: AnyView, request: Request, answer: Callable[[], object]) -> Steps[object]:
    key = key_of(view, request)
    if key is None:
        return (yield blocking(answer))
    if view.idempotency_store == IN_CACHE:
        return (yield from caches.answer_steps(view, request, key, answer))
    # A transaction belongs to one thread: the handler's work in threads happens in this one.
    return (yield blocking(rows.answer_once, view, request, key, answer))
