"""Whether the functions that a shortcut stands for are still Django's own.

A project or a tool may replace any of them at any time: to trace, to mask rows, to choose a tenant.
So every shortcut asks at its entrance. The functions are those of :mod:`lintel.fast.participants`,
looked up as a call does; they are examined once and then compared by a generated warrant.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import BuiltinFunctionType, ModuleType, WrapperDescriptorType
from typing import Any

from django.db.models.query_utils import class_or_instance_method

from lintel.fast.participants import participants
from lintel.provenance import is_of_django, package_of, reached
from lintel.trust.versions import is_known
from lintel.trust.warrants import definitions, warrant

#: A class or a module, and the name of one of its functions.
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

    def are_untouched(self) -> bool:
        still_holds, are_original = self._verdict
        if still_holds():
            return are_original
        self._verdict = still_holds, are_original = self._examined([*self.places()])
        return are_original

    def _examined(self, found: list[Place]) -> tuple[Callable[[], bool], bool]:
        if not all(hasattr(*place) for place in found):
            # A release of Django that lacks one of them is not known.
            return (lambda: True), False
        # Made before the examination, so that it notices what another thread patches meanwhile.
        still_holds = warrant_of(self._title, found)
        return still_holds, all(map(self._is_original, found)) and _have_own_bases(found)


def _have_own_bases(places: Iterable[Place]) -> bool:
    """Return whether classes of Django inherit, and reach by ``super()``, Django's code alone."""
    owners = {owner for owner, _ in places if isinstance(owner, type)}
    bases = {base for owner in owners if package_of(owner) == "django" for base in owner.__mro__}
    return {package_of(base) for base in bases} <= _PACKAGES


#: Those of Django, of the drivers whose classes its backends extend, and of Python.
_PACKAGES = {"django", "psycopg", "psycopg_binary", "psycopg_c", *sys.stdlib_module_names}


def is_original(place: Place) -> bool:
    """Return whether a name leads to code of Django or Python, to nothing or to a constant."""
    found = _held(*place)
    is_constant = not callable(found) and not hasattr(type(found), "__get__")
    return is_constant or type(found) in _OF_PYTHON or is_of_django(found)


#: What classes inherit from those of Python.
_OF_PYTHON = (WrapperDescriptorType, BuiltinFunctionType)


def _held(owner: Any, name: str) -> Any:
    if isinstance(owner, ModuleType):
        return vars(owner).get(name)
    held = reached(owner, name)
    return held.instance_method if type(held) is class_or_instance_method else held


def warrant_of(
    title: str, found: Iterable[Place], entries: Iterable[tuple[object, str]] = (), **more: Any
) -> Callable[[], bool]:
    """Return a warrant of functions of classes and modules.

    What is not in the class itself may come from another one, if it gets one more attribute.
    ``entries`` and ``more`` are other arguments of :func:`lintel.trust.warrants.warrant`.
    """
    places = [*found]
    of_classes = [place for place in places if isinstance(place[0], type)]
    return warrant(
        title,
        [lookup for place in of_classes for lookup in definitions(*place)],
        entries=[*(place for place in places if isinstance(place[0], ModuleType)), *entries],
        classes=dict.fromkeys(owner for owner, _ in of_classes),
        **more,
    )


def _places(use: str) -> Iterator[Place]:
    names_by_owner = _names_by_owner(use)
    for owner, names in names_by_owner.items():
        if isinstance(owner, type):
            yield from _places_on(owner, names_by_owner)
        else:
            yield from ((owner, name) for name in names)


def _names_by_owner(use: str) -> dict[object, list[str]]:
    result: dict[object, list[str]] = {}
    for module, owner, names in participants(use):
        if module in sys.modules:
            held: Any = sys.modules[module]
            cls = getattr(held, owner, None) if owner else held
            # A class that a release lacks is asked for itself.
            result.setdefault(held if cls is None else cls, []).extend(
                (owner,) if cls is None else names
            )
    return result


def _places_on(cls: type, names_by_owner: Mapping[object, list[str]]) -> Iterator[Place]:
    """``as_sqlite()`` and its kin take the place of ``as_sql()`` for one database."""
    names = [name for base in cls.__mro__ for name in names_by_owner.get(base, ())]
    if "as_sql" in names:
        names += [name for name in dir(cls) if name.startswith("as_")]
    yield from ((cls, name) for name in dict.fromkeys([*names, *_OF_OBJECTS]))


def places_of_lookup(cls: type) -> list[Place]:
    return [*_places_on(cls, _names_by_owner("one"))]


#: What every class inherits from ``object``, unless somebody replaces it.
_OF_OBJECTS = ("__getattribute__", "__setattr__")


def _module_of(owner: Any) -> str:
    name: str = owner.__name__ if isinstance(owner, ModuleType) else owner.__module__
    return name


def _of(use: str) -> Originals:
    return Originals(f"of Django for {use}", lambda: _places(use), is_original)


#: Finding one row by conditions; rows joined to others; many rows and instances; counting; loading
#: the relations of instances.
USES = ONE, JOINED, MANY, COUNT, PREFETCHED = [
    *map(_of, ("one", "joined", "many", "count", "prefetched"))
]


_READING = Originals(
    "of Django's descriptors",
    lambda: (place for place in _places("many") if hasattr(place[0], "__get__")),
    is_original,
)


def is_itself(use: Originals) -> bool:
    return is_known() and use.are_untouched()


def reads_itself() -> bool:
    return is_itself(_READING)


def places_of_backend(connection: Any) -> list[Place]:
    """Return the functions of modules of the package of Django that a connection comes from."""
    packages = {base.__module__.rpartition(".")[0] for base in type(connection).__mro__}
    found = _places("a database")
    return [place for place in found if _module_of(place[0]).rpartition(".")[0] in packages]
