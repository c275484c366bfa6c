"""The versions of Django that the fast way was tested with, and the switch that disables it.

It depends on internals of Django. With another version of Django, or with the setting
``ORM_SHORTCUTS`` off, every question about these is answered "not known", and Django itself does
what is done faster here.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import django

from lintel.settings import api_settings

#: Versions of Django with known internals; the test matrix runs the oldest and the newest.
TESTED = ((5, 2), (6, 0), (6, 1))

#: The blocks in which nothing is done in the fast way.
blocks_without: list[object] = []


def is_known() -> bool:
    """Return whether anything may be assumed about Django's internals."""
    return django.VERSION[:2] in TESTED and not blocks_without and bool(api_settings.ORM_SHORTCUTS)


@contextmanager
def off() -> Iterator[None]:
    """Answer everything in the plain way inside of the block, in all threads."""
    block = object()
    blocks_without.append(block)
    try:
        yield
    finally:
        blocks_without.remove(block)
