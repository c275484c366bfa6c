"""The mixin of views: everything that its handlers write is recorded."""

from collections.abc import Callable

from django.db import router, transaction

from lintel.annotations import AnyView
from lintel.audit.changes import Changes, noticing, watching
from lintel.cycle.chains import chain
from lintel.cycle.steps import Steps, blocking, complete
from lintel.cycle.wrapping import WrappingMixin, wrap_handler
from lintel.request import Request

SAFE = ("GET", "HEAD", "OPTIONS", "TRACE", "QUERY")


class AuditedMixin(WrappingMixin):
    """Records each object that a request creates, updates or deletes; put it before the base class.

    The handler runs in a transaction that also stores the entries: a write that fails leaves
    neither. Objects count that Django saves or deletes one by one, whichever code does it; what
    ``QuerySet.update()`` and ``bulk_create()`` write is for :func:`lintel.audit.record`.
    """

    #: The alias of the database that the handler writes to; None: that of the view's queryset.
    audit_database: str | None = None

    @staticmethod
    def _lintel_wrap(view: object, request: Request) -> None:
        if request.method not in SAFE:
            wrap_handler(view, request, _audited_steps)


@chain
def _audited_steps(view: AnyView, request: Request, answer: Callable[[], object]) -> Steps[object]:
    # A transaction belongs to one thread: the handler's work in threads happens in this one.
    return (yield blocking(_answer, view, request, answer))


def _answer(view: AnyView, request: Request, answer: Callable[[], object]) -> object:
    watching.begin()
    with transaction.atomic(using=database_of(view)):
        changes = Changes()
        with noticing(changes):
            response = complete(answer())
        changes.store(request)
    return response


def database_of(view: AnyView) -> str | None:
    if view.audit_database is not None:
        return view.audit_database
    model = getattr(getattr(view, "queryset", None), "model", None)
    return None if model is None else router.db_for_write(model)
