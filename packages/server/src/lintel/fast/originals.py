"""The functions of Django that each shortcut stands for; it asks about them at its entrance.

They are listed in :mod:`lintel.fast.participants`.
"""

import sys
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from lintel.fast.participants import participants
from lintel.trust.originals import Originals, Place, is_original


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
#: the relations of instances; annotations.
USES = ONE, JOINED, MANY, COUNT, PREFETCHED, ANNOTATED = [
    *map(_of, ("one", "joined", "many", "count", "prefetched", "annotated"))
]


#: Reading attributes of instances.
DESCRIPTORS = Originals(
    "of Django's descriptors",
    lambda: (place for place in _places("many") if hasattr(place[0], "__get__")),
    is_original,
)


def places_of_backend(connection: Any) -> list[Place]:
    """Return the functions of modules of the package of Django that a connection comes from."""
    packages = {base.__module__.rpartition(".")[0] for base in type(connection).__mro__}
    places = _places("a database")
    return [place for place in places if _module_of(place[0]).rpartition(".")[0] in packages]
