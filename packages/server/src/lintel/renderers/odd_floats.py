"""Find the float in the data of a response that JSON cannot represent, or replace all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import is_
from typing import Any

from lintel.settings import NULL


@dataclass(frozen=True, slots=True)
class Place:
    """A value, the keys and positions that lead to it, and the serializer that wrote it."""

    value: object
    path: tuple[object, ...] = ()
    serializer: object = None

    def inside(self) -> Iterator[Place]:
        """Yield the members of a container; a float key counts as its member."""
        serializer = getattr(self.value, "serializer", None) or self.serializer
        if isinstance(self.value, Mapping):
            for key, value in self.value.items():
                yield Place(key if _is_odd(key) else value, (*self.path, key), serializer)
        elif isinstance(self.value, list | tuple):
            for number, value in enumerate(self.value):
                yield Place(value, (*self.path, number), serializer)

    def __str__(self) -> str:
        row = next((f"row {part}" for part in self.path if type(part) is int), "")
        names = [str(part) for part in self.path if type(part) is str]
        field = f"field {'.'.join(names)!r}" if names else ""
        owner = getattr(self.serializer, "child", self.serializer)
        writer = "" if owner is None else f"of {type(owner).__name__}"
        return " ".join(filter(None, (", ".join(filter(None, (row, field))), writer)))


def odd_float(data: object) -> Place | None:
    """Return the first NaN or infinity in the order of the output."""
    pending = [iter([Place(data)])]
    seen: set[int] = set()
    while pending:
        place = next(pending[-1], None)
        if place is None:
            pending.pop()
        elif _is_odd(place.value):
            return place
        elif id(place.value) not in seen and isinstance(place.value, Mapping | list | tuple):
            # Containers may contain themselves.
            seen.add(id(place.value))
            pending.append(place.inside())
    return None


def _is_odd(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def finite(value: Any, form: str) -> Any:
    """Return the data with None or text in place of NaN and the infinities; ``form``: NON_FINITE.

    Keys become text, because JSON has no others. Data without such floats is not copied.
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None if form == NULL else name_of(value)
    if isinstance(value, dict):
        made = {_finite_key(key): finite(item, form) for key, item in value.items()}
        same = all(map(is_, made.values(), value.values())) and all(map(is_, made, value))
        return value if same and len(made) == len(value) else made
    if isinstance(value, list | tuple):
        items = [finite(item, form) for item in value]
        return value if all(map(is_, items, value)) else items
    return value


def _finite_key(key: object) -> object:
    return name_of(key) if isinstance(key, float) and _is_odd(key) else key


def name_of(value: float) -> str:
    """Return the name of a number that is not finite, as JavaScript and Python's json write it."""
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
