"""Settings to turn on after the move, one at a time; connections that are worth keeping."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from lintel.checks import reconnecting
from lintel.doctor.findings import NEXT, OPEN, Finding
from lintel.settings import SETTINGS_NAME

#: Name, value and use of each, those first that clients notice least.
STEPS: tuple[tuple[str, object, str], ...] = (
    ("SIGN_CURSORS", True, "forged cursors are 404"),
    ("UNIQUE_RACE_STATUS", 409, "a race for a unique value is a 409, not a 500"),
    ("RATE_LIMIT_HEADERS", "draft", "clients see how many requests remain"),
    ("ERROR_FORMAT", "both", "problem details for clients that ask for them"),
    ("OPENAPI_VERSION", "3.1", "errors, security and both directions described"),
    ("STRICT_QUERY_PARAMS", "report", "logs misspelt parameters; True refuses them"),
    ("EXTRA_INPUT", "report", 'logs unknown keys of the input; "forbid" refuses them'),
)


#: For projects whose clients were generated from documents of drf-spectacular.
OF_SPECTACULAR = ("OPENAPI_OPERATION_IDS", "path", "operations keep the names of drf-spectacular")


def finding_of_next_steps() -> Finding | None:
    """List the settings that the project leaves at their defaults; None for none."""
    given: Any = getattr(settings, SETTINGS_NAME, None)
    options = given if isinstance(given, Mapping) else {}
    advice = [*STEPS, OF_SPECTACULAR] if "drf_spectacular" in settings.INSTALLED_APPS else STEPS
    steps = [f"{name!r}: {value!r},  # {why}" for name, value, why in advice if name not in options]
    if not steps:
        return None
    text = f"next, one at a time, in {SETTINGS_NAME}"
    return Finding(NEXT, "next", text, tuple(step.replace("'", '"') for step in steps))


def finding_of_connections() -> Finding | None:
    """Name the databases to which each request connects anew; None for none."""
    aliases = reconnecting()
    if not aliases:
        return None
    text = f"each request opens a new connection to PostgreSQL: {', '.join(aliases)}"
    details = (
        "WSGI: CONN_MAX_AGE = 60 and CONN_HEALTH_CHECKS = True in DATABASES",
        'ASGI or many threads: install psycopg[pool], and OPTIONS = {"pool": True} in DATABASES',
    )
    return Finding(OPEN, "connections", text, details)
