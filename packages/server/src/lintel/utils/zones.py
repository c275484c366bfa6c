"""The time zone of the running request.

Django asks a ``Local`` of asgiref for the active zone. Where none is active, as in most requests,
that raises and formats an AttributeError: half of the time of writing one datetime. The variable
behind the ``Local`` says so at once. With an asgiref that keeps its values elsewhere, or if a part
of Django was replaced, Django is asked.
"""

from __future__ import annotations

from contextvars import ContextVar
from datetime import tzinfo
from typing import Any

from django.conf import settings
from django.utils import timezone

_active: Any = getattr(timezone, "_active", None)
_ask_django: Any = timezone.get_current_timezone
_found: Any = getattr(getattr(_active, "_storage", None), "_data", None)
#: Where asgiref keeps what is active in this context; None if it is not known.
_variable: ContextVar[Any] | None = _found if isinstance(_found, ContextVar) else None


def current_zone() -> tzinfo | None:
    """Return the zone of datetimes without one; None without ``USE_TZ``."""
    if not settings.USE_TZ:
        return None
    if (
        _variable is not None
        and _variable.get(None) is None
        and timezone._active is _active  # type: ignore[attr-defined]
        and timezone.get_current_timezone is _ask_django
    ):
        return timezone.get_default_timezone()
    return timezone.get_current_timezone()
