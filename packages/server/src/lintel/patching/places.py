"""Which operation of a JSON Patch an error of a field concerns."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lintel.exceptions import Detail
from lintel.patching.operations import Operation

Keys = tuple[str, ...]


def at_operations(detail: Detail, operations: Sequence[Operation]) -> Detail:
    """Return errors in the shape of a patch: those of the last operation that has changed a value.

    Errors of no operation, such as those of the whole object, keep their names.
    """
    by_path = _by_path(operations)
    result: dict[str | int, Any] = {}
    for keys, texts in _leaves(detail):
        place = _place(keys, by_path, operations)
        holder = result
        for key in place[:-1]:
            holder = holder.setdefault(key, {})
            if not isinstance(holder, dict):
                break
        else:
            holder[place[-1]] = [*holder.get(place[-1], ()), *texts]
    return dict(sorted(result.items(), key=lambda pair: _order(pair[0])))


def _order(key: Any) -> tuple[int, str]:
    return (key, "") if isinstance(key, int) else (sys.maxsize, key)


def _by_path(operations: Sequence[Operation]) -> Mapping[Keys, int]:
    """Return the last operation at or below each path."""
    result = {}
    for position, operation in enumerate(operations):
        for path in () if operation.name == "test" else operation.changed():
            for end in range(1, len(path) + 1):
                result[path[:end]] = position
            if not path:
                result[path] = position
    return result


def _leaves(detail: Detail) -> Iterator[tuple[Keys, list[Any]]]:
    waiting: list[tuple[Keys, Any]] = [((), detail)]
    while waiting:
        keys, value = waiting.pop()
        if isinstance(value, Mapping):
            waiting += [((*keys, str(key)), part) for key, part in value.items()]
        elif isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
            waiting += [((*keys, str(key)), part) for key, part in enumerate(value)]
        else:
            yield keys, value if isinstance(value, list) else [value]


def _place(keys: Keys, by_path: Mapping[Keys, int], operations: Sequence[Operation]) -> list[Any]:
    for end in range(len(keys), -1, -1):
        position = by_path.get(keys[:end])
        if position is not None:
            operation = operations[position]
            member = "value" if operation.name in ("add", "replace") else "path"
            return [position, member, *keys[len(operation.path) :]]
    return list(keys) or ["non_field_errors"]
