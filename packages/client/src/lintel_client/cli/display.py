"""Documents as text for people."""

from collections.abc import Iterator
from typing import Any

from lintel_client.cli.indexing import short_examples
from lintel_client.parameters import distinguished
from lintel_document import layout, schemas
from lintel_document.document import Array, Document, Node
from lintel_document.links import Field, Link

__all__ = ["changes", "described", "displayed", "links_of"]

INDENT = "    "
MOST_VALUES = 12
"""Longer lists of values are cut, to fewer, so that what is left out is worth a word."""
VALUES_OF_LONG_LISTS = 8


def displayed(value: Any) -> str:
    """Return a document, or a part of one, as indented text: data first, then links."""
    return layout.text(value, _signature)


def described(name: str, value: Any, full: bool = False) -> str:
    """Return what is known about a link, or the title and description of anything else.

    ``full``: show all possible values of a parameter, however many they are.
    """
    if isinstance(value, Link):
        return "\n".join(_link_lines(name, value, full))
    texts = [getattr(value, "title", ""), getattr(value, "description", "")]
    return "\n".join([*filter(None, texts), displayed(value)])


def changes(before: Document, after: Document) -> list[str]:
    """Return one line for each link added (+), removed (-) or changed (~)."""
    old, new = dict(links_of(before)), dict(links_of(after))
    return (
        [f"+ {_path(path)}" for path in new if path not in old]
        + [f"- {_path(path)}" for path in old if path not in new]
        + [f"~ {_path(path)}" for path in new if path in old and new[path] != old[path]]
    )


def _signature(link: Link) -> str:
    return layout.signature(distinguished(link))


def _link_lines(name: str, link: Link, full: bool) -> Iterator[str]:
    yield f"{name}({_signature(link)})"
    yield from filter(
        None, ["Deprecated." if link.deprecated else "", link.title, link.description]
    )
    yield ""
    if link.problem:
        yield f"{INDENT}cannot be called: {link.problem}"
    yield f"{INDENT}{(link.action or 'get').upper()} {link.url}"
    if link.encoding:
        yield f"{INDENT}body: {link.encoding}"
    if link.transform:
        yield f"{INDENT}transform: {link.transform}"
    if link.fields:
        yield ""
    for field in distinguished(link).fields:
        yield f"{INDENT}{_field_line(field, full)}"


def _field_line(field: Field, full: bool) -> str:
    kind = schemas.type_name(field.schema) if field.schema is not None else field.type
    facts = ["required" if field.required else "optional", field.location, kind]
    line = f"{field.name}: {', '.join(fact for fact in facts if fact)}"
    values = getattr(field.schema, "enum", None)
    if values:
        line += f" ({_choices(list(values), full)})"
    text = field.description or getattr(field.schema, "description", "")
    line = f"{line}. {text}" if text else line
    examples = [layout.scalar(value) for value in short_examples(field)]
    return f"{line} Such as: {', '.join(examples)}" if examples else line


def _choices(values: list[Any], full: bool) -> str:
    shown = values if full or len(values) <= MOST_VALUES else values[:VALUES_OF_LONG_LISTS]
    text = " | ".join(layout.scalar(value) for value in shown)
    left = len(values) - len(shown)
    return f"{text} … and {left} more" if left else text


def links_of(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Link]]:
    """Yield all links below a value, each with its keys."""
    if isinstance(value, Link):
        yield path, value
    elif isinstance(value, Node):
        for key, inner in value.items():
            yield from links_of(inner, (*path, key))
    elif isinstance(value, Array):
        for number, inner in enumerate(value):
            yield from links_of(inner, (*path, str(number)))


def _path(path: tuple[str, ...]) -> str:
    return " ".join(key or '""' for key in path)
