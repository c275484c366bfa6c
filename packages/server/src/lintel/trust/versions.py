"""The versions of Django that the fast way was tested with, and the switch that disables it.

It depends on internals of Django. With another version of Django, or with the setting
``ORM_SHORTCUTS`` off, every question about these is answered "not known", and Django itself does
what is done faster here.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import django

from lintel.settings import OFF, api_settings

#: Versions of Django with known internals; the test matrix runs the oldest and the newest.
TESTED = ((5, 2), (6, 0), (6, 1))

_blocks_without: list[object] = []


def is_known() -> bool:
    """Return whether anything may be assumed about Django's internals."""
    return django.VERSION[:2] in TESTED and not _blocks_without and bool(api_settings.ORM_SHORTCUTS)


@contextmanager
def off() -> Iterator[None]:
    """Answer everything in the plain way inside of the block, in all threads."""
    block = object()
    _blocks_without.append(block)
    try:
        yield
    finally:
        _blocks_without.remove(block)


def is_allowed(setting: str) -> bool:
    """Return whether a setting allows its shortcuts, and no block is without any."""
    return not _blocks_without and getattr(api_settings, setting) not in OFF
