"""Documents as text for people."""

import json
from collections.abc import Iterator
from typing import Any

from lintel_client.cli.indexing import short_examples
from lintel_client.parameters import distinguished
from lintel_document import schemas
from lintel_document.document import Array, Document, Error, Node
from lintel_document.links import Field, Link

__all__ = ["changes", "described", "displayed", "links_of"]

INDENT = "    "
MOST_VALUES = 12
"""Longer lists of values are cut, to fewer, so that what is left out is worth a word."""
VALUES_OF_LONG_LISTS = 8


def displayed(value: Any) -> str:
    """Return a document, or a part of one, as indented text: data first, then links."""
    return "\n".join(_lines("", value, ""))


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


def _lines(label: str, value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, Link):
        yield f"{indent}{label}({_signature(value)})"
    elif isinstance(value, Node):
        yield from _node_lines(label, value, indent)
    elif isinstance(value, Array):
        yield from _array_lines(label, value, indent)
    else:
        yield f"{indent}{_labelled(label)}{_scalar(value)}"


def _node_lines(label: str, node: Node, indent: str) -> Iterator[str]:
    inner = indent + INDENT
    if isinstance(node, Document | Error):
        url = f' "{node.url}"' if isinstance(node, Document) else ""
        yield f"{indent}{_labelled(label)}<{node.title or type(node).__name__}{url}>"
    else:
        yield f"{indent}{_labelled(label)}{{"
    for key, value in [*node.data.items(), *node.links.items()]:
        yield from _lines(key or '""', value, inner)
    if not isinstance(node, Document | Error):
        yield f"{indent}}}"


def _array_lines(label: str, array: Array, indent: str) -> Iterator[str]:
    yield f"{indent}{_labelled(label)}["
    for item in array:
        yield from _lines("", item, indent + INDENT)
    yield f"{indent}]"


def _labelled(label: str) -> str:
    return f"{label}: " if label else ""


def _scalar(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=list)


def _signature(link: Link) -> str:
    named = [field for field in distinguished(link).fields if field.name]
    required = [field.name for field in named if field.required]
    optional = [f"[{field.name}]" for field in named if not field.required]
    return ", ".join(dict.fromkeys([*required, *optional]))


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
    examples = [_scalar(value) for value in short_examples(field)]
    return f"{line} Such as: {', '.join(examples)}" if examples else line


def _choices(values: list[Any], full: bool) -> str:
    shown = values if full or len(values) <= MOST_VALUES else values[:VALUES_OF_LONG_LISTS]
    text = " | ".join(_scalar(value) for value in shown)
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
