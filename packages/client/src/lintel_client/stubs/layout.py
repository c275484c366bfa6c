"""Types as text in lines of at most WIDTH characters, as formatters of Python lay them out."""

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["WIDTH", "Alternatives", "Brackets", "Layout", "flat", "laid_out"]

WIDTH = 88


@dataclass(frozen=True, slots=True)
class Brackets:
    """``head[item, item]``."""

    head: str
    items: tuple["Layout", ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """``one | other``."""

    options: tuple["Layout", ...]


Layout = str | Brackets | Alternatives


def flat(layout: Layout) -> str:
    """Return the text in one line."""
    match layout:
        case Brackets(head, items):
            return f"{head}[{', '.join(map(flat, items))}]"
        case Alternatives(options):
            return " | ".join(map(flat, options))
    return layout


def laid_out(before: str, layout: Layout, after: str = "") -> list[str]:
    """Return the lines of a type between texts, of which ``before`` has the indentation."""
    line = f"{before}{flat(layout)}{after}"
    if len(line) <= WIDTH or isinstance(layout, str):
        return [line]
    indent = " " * (len(before) - len(before.lstrip()))
    if isinstance(layout, Brackets):
        return [f"{before}{layout.head}[", *_items(layout, indent + "    "), f"{indent}]{after}"]
    return [f"{before}(", *_options(layout, indent + "    "), f"{indent}){after}"]


def _items(layout: Brackets, indent: str) -> Iterator[str]:
    is_alone = len(layout.items) == 1
    whole = f"{indent}{', '.join(map(flat, layout.items))}"
    if is_alone and len(whole) <= WIDTH and "[" not in whole:
        yield whole
        return
    for item in layout.items:
        comma = "" if is_alone else ","
        if isinstance(item, Alternatives):
            yield from _alternatives(item, indent, comma)
        else:
            yield from laid_out(indent, item, comma)


def _options(layout: Alternatives, indent: str) -> Iterator[str]:
    yield from _alternatives(layout, indent, "")


def _alternatives(layout: Alternatives, indent: str, after: str) -> Iterator[str]:
    if len(f"{indent}{flat(layout)}{after}") <= WIDTH:
        yield f"{indent}{flat(layout)}{after}"
        return
    last = len(layout.options) - 1
    for at, option in enumerate(layout.options):
        bar = "| " if at else ""
        yield from laid_out(f"{indent}{bar}", option, after if at == last else "")
