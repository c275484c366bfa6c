"""What is known of Django: its version, and whether its functions are still its own.

A project or a tool may replace any of them at any time: to trace, to mask rows, to choose a tenant.
So whatever does the work of some of them asks first. They are looked up as a call does, examined
once, and then compared by a generated warrant. With a version of Django that was not tested, or
with the setting ``ORM_SHORTCUTS`` off, Django itself does what is done faster here.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import BuiltinFunctionType, ModuleType, WrapperDescriptorType
from typing import Any

import django

from lintel.overrides import looks_up_plainly, package_of, packages_of, reached
from lintel.settings import api_settings, blocks_without
from lintel.trust.warrants import definitions, warrant

#: Versions of Django with known internals; the test matrix runs the oldest and the newest.
TESTED = ((5, 2), (6, 0), (6, 1))


def is_known() -> bool:
    """Return whether anything may be assumed about Django's internals."""
    is_on = api_settings.ORM_SHORTCUTS and api_settings.SHORTCUTS and not blocks_without
    return is_on and django.VERSION[:2] in TESTED


@contextmanager
def off() -> Iterator[None]:
    """Answer everything in the plain way inside of the block, in all threads."""
    block = object()
    blocks_without.append(block)
    try:
        yield
    finally:
        blocks_without.remove(block)


#: A class, a module or another object, and the name of one of its functions.
Place = tuple[Any, str]


class Originals:
    """Some functions of Django; says whether they are all Django's own now."""

    __slots__ = ("_is_original", "_title", "_verdict", "places")

    def __init__(
        self, title: str, find: Callable[[], Iterable[Place]], is_original: Callable[[Place], bool]
    ) -> None:
        self._title = title
        #: Returns where the functions are.
        self.places = find
        self._is_original = is_original
        #: A warrant over what the answer was made from, and the answer.
        self._verdict: tuple[Callable[[], bool], bool] = (lambda: False), False

    @property
    def still_holds(self) -> Callable[[], bool]:
        """The warrant that nothing has changed since the last question."""
        return self._verdict[0]

    def may_be_replaced(self) -> bool:
        """Whether a shortcut may do their work: nothing has changed, in a version that is known."""
        return is_known() and self.are_untouched()

    def are_untouched(self) -> bool:
        still_holds, are_original = self._verdict
        if still_holds():
            return are_original
        self._verdict = still_holds, are_original = self._examined([*self.places()])
        return are_original

    def _examined(self, places: list[Place]) -> tuple[Callable[[], bool], bool]:
        if not all(hasattr(*place) for place in places):
            # A release of Django that lacks one of them is not known.
            return (lambda: True), False
        # Made before the examination, so that it notices what another thread patches meanwhile.
        still_holds = warrant_of(self._title, places)
        return still_holds, all(map(self._is_original, places)) and _have_own_bases(places)


def _have_own_bases(places: Iterable[Place]) -> bool:
    """Return whether classes of Django inherit, and reach by ``super()``, Django's code alone."""
    owners = {owner for owner, _ in places if isinstance(owner, type)}
    bases = {base for owner in owners if package_of(owner) == "django" for base in owner.__mro__}
    return {package_of(base) for base in bases} <= _PACKAGES


#: Those of Django, of the drivers whose classes its backends extend, and of Python.
_PACKAGES = {"django", "psycopg", "psycopg_binary", "psycopg_c", *sys.stdlib_module_names}


def is_original(place: Place) -> bool:
    """Return whether a name leads to code of Django or Python, to nothing or to a constant."""
    result = _held(*place)
    if isinstance(result, type):
        return package_of(result) == "django"
    is_constant = not callable(result) and not hasattr(type(result), "__get__")
    return is_constant or type(result) in _OF_PYTHON or is_of_django(result)


#: What classes inherit from those of Python.
_OF_PYTHON = (WrapperDescriptorType, BuiltinFunctionType)


def _held(owner: Any, name: str) -> Any:
    if isinstance(owner, ModuleType):
        return vars(owner).get(name)
    held = reached(owner, name)
    # Some descriptors of Django lead to one function on classes, and to another one on objects.
    return getattr(held, "instance_method", held) if package_of(type(held)) == "django" else held


def warrant_of(
    title: str, functions: Iterable[Place], entries: Iterable[tuple[object, str]] = (), **more: Any
) -> Callable[[], bool]:
    """Return a warrant of functions of classes, modules and other objects.

    What is not in the class itself may come from another one, if it gets one more attribute.
    ``entries`` and ``more`` are other arguments of :func:`lintel.trust.warrants.warrant`.
    """
    places = [*functions]
    of_classes = [place for place in places if isinstance(place[0], type)]
    return warrant(
        title,
        [lookup for place in of_classes for lookup in definitions(*place)],
        entries=[*(place for place in places if not isinstance(place[0], type)), *entries],
        classes=dict.fromkeys(owner for owner, _ in of_classes),
        **more,
    )


def is_of_django(member: object) -> bool:
    """Whether Django wrote a function, and what it wraps as well."""
    return packages_of(member) == {"django"}


def reaches_django(owner: object, *names: str) -> bool:
    return looks_up_plainly(owner) and all(
        map(is_of_django, [reached(owner, name) for name in names])
    )
