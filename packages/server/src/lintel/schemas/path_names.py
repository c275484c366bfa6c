"""Identifiers of operations from their paths, as generators of clients know them: ``books_list``.

They are those that drf-spectacular gives, so that clients generated from its documents keep their
names.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import count, takewhile

from lintel.annotations import AnyView
from lintel.mixins import ListModelMixin
from lintel.schemas.generators import Endpoint
from lintel.schemas.texts import ACTIONS
from lintel.schemas.tree import Operation, replace

#: The value of the setting OPENAPI_OPERATION_IDS that asks for these identifiers.
BY_PATH = "path"


def prefix_of(endpoints: Iterable[Endpoint], given: str | None) -> str:
    """Return the pattern of what no identifier says: ``given``, or what all paths share.

    Paths of one view class share its name, which says something.
    """
    paths = list(endpoints)
    if given is not None or len({type(view) for _, _, view in paths}) < 2:
        return given or ""
    segments = [path.rstrip("/").split("/") for path, _, _ in paths]
    alike = takewhile(lambda column: len(set(column)) == 1, zip(*segments, strict=False))
    return re.escape("/".join(names[0] for names in alike))


def name_by_path(path: str, method: str, is_list: bool, prefix: str) -> str:
    """Return the segments of a path, without variables, and what the method does there."""
    rest = re.sub(prefix, "", path, count=1) if prefix else path
    fixed = re.sub(r"\{[^}]*\}", "", rest)
    words = [word.replace("-", "_") for word in fixed.split("/") if word]
    action = "list" if is_list else ACTIONS.get(method, method.lower())
    return "_".join([*(words or ["root"]), action])


def is_named_list(view: AnyView, method: str) -> bool:
    """Tell whether an operation is called a list: by the action, else by the class of the view."""
    action = getattr(view, "action", None)
    if action is not None:
        return bool(action == "list")
    return method in ("GET", "QUERY") and isinstance(view, ListModelMixin)


def renamed_list(operation: Operation, prefix: str) -> Operation:
    """Return an operation that returns several objects, called a list if its path has named it."""
    place = operation.path, operation.method
    if operation.identifier != name_by_path(*place, is_list=False, prefix=prefix):
        return operation
    return replace(operation, identifier=name_by_path(*place, is_list=True, prefix=prefix))


def numbered_by_path(operations: list[Operation]) -> list[Operation]:
    """Return the operations; those that share an identifier get numbers, in order of paths."""
    taken = {operation.identifier for operation in operations}
    seen: set[str | None] = {None}
    named: dict[int, Operation] = {}
    for operation in sorted(operations, key=lambda item: item.path):
        name = operation.identifier
        if name in seen and name is not None:
            name = next(free for free in numbered(name) if free not in taken)
        seen.add(name)
        taken.add(name)
        named[id(operation)] = replace(operation, identifier=name)
    return [named[id(operation)] for operation in operations]


def numbered(name: str) -> Iterator[str]:
    return (f"{name}_{number}" for number in count(2))
