"""What code of a project names: the attributes, functions and texts in it, and in what it calls."""

from collections.abc import Iterable, Iterator
from types import CellType, CodeType, FunctionType

from lintel.overrides import function_of, is_ours, packages_of

#: What classes define by some names, as far as it is a project's.
Known = dict[tuple[type, frozenset[str]], list[object]]


def project_members(cls: type, names: Iterable[str], members: Known) -> Iterator[object]:
    """Yield what classes of a project define by some names, the most derived first.

    ``members`` is kept for one document: most classes have the same bases.
    """
    wanted = frozenset(names)
    for base in cls.__mro__[:-1]:
        place = base, wanted
        if place not in members:
            members[place] = _members_of(base, wanted)
        yield from members[place]


def _members_of(base: type, names: frozenset[str]) -> list[object]:
    members = vars(base)
    present = [members[name] for name in names & members.keys()]
    return [member for member in present if member is not None and _comes_from_a_project(member)]


def _comes_from_a_project(member: object) -> bool:
    return not is_ours(member) and packages_of(member) != {"django"}


def names_in(cls: type, members: Iterable[str], cache: Known) -> frozenset[str]:
    """Return what code of a project names in members of a class, and in what they call."""
    seen: set[object] = set()
    result: set[str] = set()
    waiting = list(project_members(cls, members, cache))
    while waiting:
        function = function_of(waiting.pop())
        if function is None or function in seen:
            continue
        seen.add(function)
        names = set(_names_in(function.__code__))
        result |= names
        waiting += [*project_members(cls, names, cache), *_functions_beside(function, names)]
    return frozenset(result)


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, CodeType):
            yield from _names_in(constant)


def _functions_beside(function: FunctionType, names: Iterable[str]) -> Iterator[FunctionType]:
    """Yield functions that a function may call: those of its module, and those it wraps."""
    cells = function.__closure__ or ()
    inside = [cell.cell_contents for cell in cells if cell != CellType()]
    for value in [*map(function.__globals__.get, names), *inside]:
        if isinstance(value, FunctionType) and _comes_from_a_project(value):
            yield value
