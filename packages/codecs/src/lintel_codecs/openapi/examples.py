"""Examples of parameters, bodies and responses: one without a name, or any number with names."""

from collections.abc import Iterable, Mapping
from typing import Any

from lintel_codecs.issues import pointer
from lintel_codecs.openapi.description import Description, Part, as_mapping, as_text
from lintel_document.fields import Example

__all__ = ["read_examples", "written_examples"]


def read_examples(
    description: Description, raw: Mapping[str, Any], part: Part
) -> tuple[Any, tuple[Example, ...]]:
    """Return the value of the first example, None without one, and all named ones.

    ``raw`` contains them, ``part`` is the part of the description that it belongs to.
    """
    listed = as_mapping(raw.get("examples"))
    named = tuple(
        example
        for name, node in listed.items()
        if (example := _example(description, str(name), node, part))
    )
    first = named[0].value if named else None
    return raw.get("example", first), named


def _example(description: Description, name: str, node: Any, part: Part) -> Example | None:
    at = pointer(part.at, "examples", name)
    found = description.part(node, part.place, at, "example", name)
    if found is None:
        return None
    return Example(
        name,
        # In 3.2, the value may be given as data, or as the text that is sent.
        found.node.get("value", found.node.get("dataValue", found.node.get("serializedValue"))),
        as_text(found.inner("summary")),
        as_text(found.inner("description")),
        as_text(found.inner("externalValue")),
    )


def written_examples(example: Any, named: Iterable[Example]) -> dict[str, Any]:
    """Return the member with examples: all named ones, else the unnamed one."""
    examples = {each.name: _written(each) for each in named if each.name}
    if examples:
        return {"examples": examples}
    return {} if example is None else {"example": example}


def _written(example: Example) -> dict[str, Any]:
    texts = {
        "summary": example.summary,
        "description": example.description,
        "externalValue": example.url,
    }
    kept = {name: text for name, text in texts.items() if text}
    return kept if example.value is None and example.url else {**kept, "value": example.value}
