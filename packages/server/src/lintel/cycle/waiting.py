"""What Django does without a wait: whether a hook that calls it may run on the event loop."""

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from lintel.trust.originals import is_of_django, reaches_django


def needs_no_database(queryset: object) -> bool:
    """Whether filters and orders are only added to a queryset."""
    return isinstance(queryset, QuerySet) and all(
        map(is_of_django, (queryset.filter, queryset.order_by))
    )


def needs_no_session(request: HttpRequest) -> bool:
    """Whether the user of a request is known, or is that of a session without a key."""
    user = getattr(request, "user", None)
    if not isinstance(user, SimpleLazyObject):
        return True
    # A user set by other middleware may come from a database, whatever the session is.
    return is_of_django(user.__dict__.get("_setupfunc")) and _is_empty(request)


def _is_empty(request: HttpRequest) -> bool:
    """Return whether reading the session needs no store: it has no key, of any origin."""
    session = getattr(request, "session", None)
    parts = ("_get_session", "get", "__getitem__", "session_key")
    return session is not None and reaches_django(session, *parts) and session.session_key is None
