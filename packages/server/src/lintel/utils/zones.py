"""The time zone of the running request.

Where none is active, as in most requests, Django finds that out by an AttributeError: half of the
time of writing one datetime. Without Django's own functions in their place, Django is asked.
"""

from __future__ import annotations

from datetime import tzinfo
from typing import Any

from django.conf import settings
from django.utils import timezone

from lintel.utils.locals import UNKNOWN, held

_active: Any = getattr(timezone, "_active", None)
_ask_django: Any = timezone.get_current_timezone


def current_zone() -> tzinfo | None:
    """Return the zone of datetimes without one; None without ``USE_TZ``."""
    if not settings.USE_TZ:
        return None
    is_usual = timezone._active is _active and timezone.get_current_timezone is _ask_django  # type: ignore[attr-defined]
    zone = held(_active, "value") if is_usual else UNKNOWN
    if zone is UNKNOWN:
        return timezone.get_current_timezone()
    found: tzinfo = timezone.get_default_timezone() if zone is None else zone
    return found
