"""Version tags of classes: one number each, which changes with any attribute of it or its bases.

CPython gives a class a tag when an attribute is first looked up, and takes it away when the class
or one of its bases is changed (``tp_version_tag``; its cache of attributes rests on it). No tag is
given twice. So a warrant that held for some tags still holds for the same tags, whatever the
classes contain: one number is read for each class instead of a comparison for each attribute.

Where an interpreter has no such tags or no ``ctypes``, or the environment variable
``LINTEL_CLASS_TAGS`` is ``off``, warrants compare every time.
"""

import os
import sys
from collections.abc import Callable, Iterable
from operator import attrgetter, itemgetter
from struct import calcsize
from typing import Any, TypeAlias

try:
    import ctypes
except ImportError:  # Python was built without libffi
    _CAN_READ = False
else:
    _CAN_READ = True

#: Where the tag stands in a class: the head of an object of variable size, and the 45 members
#: before ``tp_version_tag`` in ``PyTypeObject``, each as long as a pointer.
_POINTER = calcsize("P")
_PLACE = object.__basicsize__ + _POINTER + 45 * _POINTER

#: A view of the tag of one class. It does not keep the class, whose owner has to.
Tag: TypeAlias = "ctypes.Array[ctypes.c_uint32]"

#: Every class has it, and no class makes a descriptor of it.
_ANY_NAME = "__sizeof__"


def _have_tags_given(classes: Iterable[type]) -> None:
    """Have the interpreter give a tag to each class, which a look-up does."""
    for cls in classes:
        # Past a __getattr__ of the metaclass.
        type.__getattribute__(cls, _ANY_NAME)


def _tags_of(classes: Iterable[type]) -> list[Tag]:
    """Return views of the places of tags."""
    return [(ctypes.c_uint32 * 1).from_address(id(cls) + _PLACE) for cls in classes]


def _behave() -> bool:
    base = type("Base", (), {})
    cls = type("Class", (base,), {})
    others = type("Other", (), {}), type("Another", (), {})
    tags = _tags_of([cls, *others])

    def numbers() -> list[int]:
        _have_tags_given([cls, *others])
        return [tag[0] for tag in tags]

    def changes(change: Callable[[], None]) -> bool:
        before = numbers()[0]
        change()
        is_taken = before and tags[0][0] == 0
        return bool(is_taken) and numbers()[0] not in (0, before)

    return (
        changes(lambda: setattr(cls, "name", 1))
        and changes(lambda: setattr(base, "other", 1))
        and changes(lambda: delattr(cls, "name"))
        and changes(lambda: setattr(cls, "__bases__", others))
        and changes(lambda: setattr(others[1], "name", 1))
        and len({*numbers()}) == 3
    )


#: Whether tags are asked for: those of this interpreter behave as they should.
HAS_TAGS = (
    os.environ.get("LINTEL_CLASS_TAGS") != "off"
    and sys.implementation.name == "cpython"
    and _CAN_READ
    and _behave()
)

#: Reads a tag.
NUMBER = itemgetter(0)


class Tags:
    """The tags that some classes had when ``compare()`` was last true of them.

    ``state`` is for generated text: views of the tags, and the numbers seen then. If these differ
    now, :meth:`renewed` answers.
    """

    __slots__ = ("_classes", "_compare", "_leaves", "state")

    def __init__(self, classes: Iterable[type], compare: Callable[[], bool]) -> None:
        self._classes, self._compare = [*dict.fromkeys(classes)], compare
        #: The bases of all classes, the leaves among these for them, and views of their tags.
        self._leaves: tuple[list[Any], list[type], list[Tag]] = [], [], []
        self.state: list[list[Any] | None] = [[], None]

    def renewed(self) -> bool:
        """Compare; if that is true, note the tags."""
        orders = [*map(_ORDER, self._classes)]
        then, leaves, views = self._leaves
        if orders != then:
            leaves = _leaves(self._classes)
            views = _tags_of(leaves)
            self._leaves = orders, leaves, views
        _have_tags_given(leaves)
        # Read before, so that a change by another thread meanwhile is noticed the next time.
        seen = [*map(NUMBER, views)]
        if not self._compare():
            return False
        # A class that was changed very often is given none any more: nothing equals None.
        self.state[:] = views, seen if all(seen) else None
        return True


#: The bases of a class, in the order of a look-up.
_ORDER = attrgetter("__mro__")


def _leaves(classes: list[type]) -> list[type]:
    """Return the classes that no other one inherits from: its tag tells of them, too."""
    inherited = {base for cls in classes for base in cls.__mro__[1:]}
    return [cls for cls in classes if cls not in inherited]
