"""Types in Python."""

import json
import keyword
import re
from collections.abc import Iterable, Mapping

from lintel_client.stubs.kinds import (
    EventOf,
    Kind,
    Later,
    ListOf,
    Literals,
    MapOf,
    Plain,
    Ref,
    Union,
)
from lintel_client.stubs.layout import Alternatives, Brackets, Layout, flat

__all__ = ["Spelling", "is_identifier", "literal", "quoted"]


class Spelling:
    """Writes types; ``plain`` are those without parts, ``taken`` names that no record can have.

    ``used`` collects the names that are written, apart from those of records.
    """

    def __init__(
        self, names: Iterable[str], plain: Mapping[str, str], taken: Iterable[str]
    ) -> None:
        reserved = {*taken, *keyword.kwlist}
        self.names = {name: f"{name}_" if name in reserved else name for name in names}
        self.used: set[str] = set()
        self._plain = plain

    def text(self, kind: Kind) -> str:
        """Return a type in one line."""
        return flat(self.layout(kind))

    def layout(self, kind: Kind) -> Layout:
        match kind:
            case Plain(name=name) | Later(name=name):
                return self._known(name)
            case Ref(name):
                return self.names[name]
            case ListOf(item):
                return Brackets("list", (self.layout(item),))
            case MapOf(value):
                return Brackets("dict", ("str", self.layout(value)))
            case EventOf(data):
                return Brackets(self._noted("_lintel.Event"), (self.layout(data),))
            case Union(options):
                return Alternatives(tuple(self._options(options)))
            case Literals(values):
                return Brackets(self._noted("Literal"), tuple(map(literal, values)))

    def _options(self, options: Iterable[Kind]) -> Iterable[Layout]:
        """Return the alternatives, None last, as people write it."""
        kinds = sorted(options, key=lambda each: each == Plain("null"))
        for layout in map(self.layout, kinds):
            yield from layout.options if isinstance(layout, Alternatives) else (layout,)

    def _known(self, name: str) -> Layout:
        text = self._plain[name]
        self.used.update(re.findall(r"\w+(?:\.\w+)?", text))
        parts = text.split(" | ")
        return Alternatives(tuple(parts)) if len(parts) > 1 else text

    def _noted(self, name: str) -> str:
        self.used.add(name)
        return name


def literal(value: object) -> str:
    """Return a value as Python: text, a number, True, False or None."""
    return quoted(value) if isinstance(value, str) else repr(value)


def quoted(text: str) -> str:
    """Return a text as a literal with double quotes; what does not print is escaped."""
    shown = json.dumps(text, ensure_ascii=False)
    return "".join(each if each.isprintable() else _escape(each) for each in shown)


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def is_identifier(text: str) -> bool:
    return text.isidentifier() and text.isascii() and not keyword.iskeyword(text)
