"""The versions of Django that ``orm`` was tested with, and the switch that disables it.

Everything in ``orm`` depends on internals of Django. With another version of Django, or with
the setting ``ORM_SHORTCUTS`` off, it answers "not known" to every question, and Django itself does
what is done faster here.
"""

from __future__ import annotations

import django

from lintel.settings import api_settings

#: Versions of Django with known internals; the test matrix runs the oldest and the newest.
TESTED = ((5, 2), (6, 0), (6, 1))


def is_tested() -> bool:
    return django.VERSION[:2] in TESTED


def is_known() -> bool:
    """Return whether anything may be assumed about Django's internals."""
    return is_tested() and bool(api_settings.ORM_SHORTCUTS)
