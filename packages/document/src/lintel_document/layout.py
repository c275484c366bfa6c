"""A tree as text for people: titles, data, and links with the names of their parameters."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lintel_document.links import Link

__all__ = ["scalar", "signature", "text"]

_INDENT = "    "

_Signature = Callable[[Link], str]


def signature(link: Link) -> str:
    """Return the names of a link's parameters: required ones first, the others in brackets."""
    named = [field for field in link.fields if field.name]
    required = [field.name for field in named if field.required]
    optional = [f"[{field.name}]" for field in named if not field.required]
    return ", ".join(dict.fromkeys([*required, *optional]))


def text(value: Any, signature: _Signature = signature) -> str:
    """Return a document, or a part of one, as indented lines: data first, then links."""
    return "\n".join(_lines("", value, "", signature))


def _lines(label: str, value: Any, indent: str, signature: _Signature) -> Iterator[str]:
    if isinstance(value, Link):
        yield f"{indent}{label}({signature(value)})"
    elif isinstance(value, Mapping):
        yield from _mapping_lines(label, value, indent, signature)
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes | tuple):
        yield f"{indent}{_labelled(label)}["
        for item in value:
            yield from _lines("", item, indent + _INDENT, signature)
        yield f"{indent}]"
    else:
        yield f"{indent}{_labelled(label)}{scalar(value)}"


def _mapping_lines(label: str, node: Any, indent: str, signature: _Signature) -> Iterator[str]:
    title, url = getattr(node, "title", None), getattr(node, "url", None)
    if title is None:
        yield f"{indent}{_labelled(label)}{{"
    else:
        address = "" if url is None else f' "{url}"'
        yield f"{indent}{_labelled(label)}<{title or type(node).__name__}{address}>"
    for key, value in sorted(node.items(), key=_is_link):
        yield from _lines(key or '""', value, indent + _INDENT, signature)
    if title is None:
        yield f"{indent}}}"


def _is_link(item: tuple[str, Any]) -> bool:
    return isinstance(item[1], Link)


def _labelled(label: str) -> str:
    return f"{label}: " if label else ""


def scalar(value: Any) -> str:
    """Return a value that is neither a link nor a container as JSON."""
    return json.dumps(value, ensure_ascii=False, default=list)
