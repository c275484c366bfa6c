"""Reports references in schemas that are broken, or lead to files that are not read.

Schemas are resolved on demand, so broken references would only show then; here they are reported
while the description is read.
"""

from collections.abc import Iterator
from typing import Any

from lintel_codecs.issues import pointer
from lintel_codecs.openapi.description import Description
from lintel_codecs.openapi.references import BrokenReference
from lintel_document.jsonschema import DATA_KEYWORDS, NAMING_KEYWORDS

__all__ = ["note_dangling"]

# Objects of OpenAPI whose keys are names, in addition to those of JSON Schema.
_NAMING = NAMING_KEYWORDS | {"schemas", "parameters", "responses", "headers", "content", "examples"}
_DATA = DATA_KEYWORDS | {"value", "mapping"}

# Parsed trees consist of these types; checking for them is faster than for any mapping.
_INNER = (dict, list)
# A node, its parent, and the key between them.
_Step = tuple[Any, Any, str]


def note_dangling(description: Description) -> None:
    """Report each broken reference once, at its first place."""
    seen: set[int] = set()
    waiting = [description.place]
    while waiting:
        place = waiting.pop()
        if id(place) in seen:
            continue
        seen.add(id(place))
        for reference, step in _references(place.root):
            try:
                waiting.append(description.references.follow({"$ref": reference}, place)[1])
            except BrokenReference as error:
                at = _pointer(step)
                own = place is description.place
                description.note(at if own else f"{place.url}{at}", str(error))


def _references(root: Any) -> Iterator[tuple[str, _Step]]:
    """Return each value of ``$ref`` in a file once, with the step to its first holder."""
    found: set[str] = set()
    waiting: list[tuple[_Step, bool]] = [((root, None, ""), False)]
    while waiting:
        step, is_names = waiting.pop()
        node = step[0]
        if isinstance(node, dict):
            reference = node.get("$ref")
            if isinstance(reference, str) and not is_names and reference not in found:
                found.add(reference)
                yield reference, step
            waiting += _below(step, is_names)
        elif isinstance(node, list):
            waiting += [
                ((inner, step, str(number)), False)
                for number, inner in enumerate(node)
                if isinstance(inner, _INNER)
            ]


def _below(step: _Step, is_names: bool) -> list[tuple[_Step, bool]]:
    return [
        ((inner, step, str(key)), not is_names and key in _NAMING)
        for key, inner in step[0].items()
        if isinstance(inner, _INNER) and (is_names or not _is_data(str(key)))
    ][::-1]


def _is_data(key: str) -> bool:
    return key in _DATA or key.startswith("x-")


def _pointer(step: _Step) -> str:
    keys = []
    while step[1] is not None:
        keys.append(step[2])
        step = step[1]
    return pointer("#", *reversed(keys))
