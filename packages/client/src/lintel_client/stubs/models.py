"""A module of models for Python, with clients whose results they are."""

import re
import textwrap
from collections.abc import Iterable, Iterator

from lintel_client.stubs.kinds import ANY, Kind, Literals, Member, Plain, Record, Union
from lintel_client.stubs.layout import WIDTH, laid_out
from lintel_client.stubs.python import PLAIN, TypedDicts
from lintel_client.stubs.reading import Operation, operations_of
from lintel_client.stubs.spelling import Spelling, is_identifier, literal, quoted
from lintel_client.stubs.styles import STYLES, Style
from lintel_client.stubs.trees import TreeWriter
from lintel_document.document import Document

__all__ = ["python_models"]

MODEL_PLAIN = {
    **PLAIN,
    "unset": "Unset",
    "date": "dt.date",
    "date-time": "dt.datetime",
    "time": "dt.time",
    "uuid": "UUID",
    "decimal": "Decimal",
}
# Names of types that an annotation may contain, which no member may hide, and those of methods.
TAKEN = (
    *("Any", "Decimal", "IO", "Literal", "None", "True", "False", "UNSET", "UUID", "Unset"),
    *("bool", "bytes", "dict", "dt", "float", "int", "list", "str", "field", "define"),
    *("self", "from_json", "to_json", "mro"),
)
# Names that the module has.
RESERVED = {
    *(*TAKEN, "TYPE_CHECKING", "AsyncClient", "Client", "Coroutine", "Document", "Protocol"),
    *("Required", "NotRequired", "TypedDict", "Model", "ModelOperations", "Results", "dataclass"),
    *("attrs", "BaseModel", "ConfigDict", "Field", "cache"),
}
OPENING = '''\
"""{title}

Made by `lintel stubs --models`; make it again when the API has changed.
"""
# mypy: disable-error-code="override"
# pyright: reportIncompatibleMethodOverride=false, reportPrivateUsage=false
# ruff: noqa

from __future__ import annotations

'''
CLIENTS = """\
else:

    @cache
    def _results() -> dict[tuple[str | int, ...], Results]:
        return {table}

    class Client(_lintel.Client):
        def operations(self, document):
            return ModelOperations(self, document, _results())

    class AsyncClient(_lintel.AsyncClient):
        def operations(self, document):
            return ModelOperations(self, document, _results())
"""


def python_models(document: Document, style: str = "dataclasses") -> str:
    """Return a module with a class for each object that operations take or return.

    ``style`` is "dataclasses", "attrs" or "pydantic". The module also has ``Client`` and
    ``AsyncClient``, whose ``operations(document)["key"]["key"]`` take these classes in bodies and
    return them. All text of the document is in string literals, so that none of it becomes code.
    """
    operations, records = operations_of(document, models=True)
    spelling = Spelling({each.name for each in records}, MODEL_PLAIN, RESERVED)
    writer = _Writer(spelling, STYLES[style])
    models = [line for record in records if not record.is_params for line in writer.model(record)]
    table = list(_table(operations, spelling))
    # What only type checkers read may use names that are imported for them alone.
    needed = set(spelling.used) | writer.used
    checked = list(_checked(operations, records, spelling))
    title = _escaped(f"Models of {document.title or document.url or 'an API'}.")
    head = OPENING.format(title=title)
    imports = "\n".join(_imports(needed, spelling.used, "\n".join(checked), STYLES[style]))
    shared = "\n".join(STYLES[style].shared)
    body = "\n".join([*models, "", "", "# fmt: off", *_indented(checked)])
    names = [spelling.names[each.name] for each in records if not each.is_params]
    exported = "\n".join(_exported(["AsyncClient", "Client", *names]))
    clients = CLIENTS.replace("{table}", _dictionary(table))
    return f"{head}{imports}\n\n{exported}\n{shared}{body}\n{clients}"


def _exported(names: Iterable[str]) -> Iterator[str]:
    yield "__all__ = ["
    yield from (f"    {quoted(name)}," for name in sorted(names))
    yield "]"


class _Writer:
    """Writes models in one style."""

    def __init__(self, spelling: Spelling, style: Style) -> None:
        self._spelling, self._style = spelling, style
        self.used: set[str] = set()

    def model(self, record: Record) -> Iterator[str]:
        """Return the lines of a class."""
        yield from ["", ""]
        if self._style.decorator:
            yield self._style.decorator
        opening = f"class {self._spelling.names[record.name]}("
        whole = f"{opening}{self._style.base}):"
        yield from [whole] if len(whole) <= WIDTH else [opening, f"    {self._style.base}", "):"]
        yield from _docstring(record.description)
        names = self._names(record.members)
        for at, (name, member) in enumerate(zip(names, record.members, strict=True)):
            if at == 0 and record.description.strip():
                yield ""
            yield from self._member(name, member)
        if not record.members and not record.description.strip():
            yield "    pass"

    def _member(self, name: str, member: Member) -> Iterator[str]:
        kind, default = self._typed(member)
        value = self._style.value(default, member.name if name != member.name else "")
        if "field(" in value or "Field(" in value:
            self.used.add("field")
        yield from _assigned(f"    {name}: ", self._spelling, kind, value)
        yield from _docstring(member.description)

    def _typed(self, member: Member) -> tuple[Kind, str]:
        """Return the type of a member and its default, empty without one."""
        kind = member.kind
        if member.required:
            is_tag = isinstance(kind, Literals) and len(kind.values) == 1
            return kind, literal(kind.values[0]) if is_tag and isinstance(kind, Literals) else ""
        if _takes_null(kind):
            self.used.add("Unset")
            return (kind if kind == ANY else _or(kind, Plain("unset"))), "UNSET"
        return _or(kind, Plain("null")), "None"

    def _names(self, members: Iterable[Member]) -> list[str]:
        """Return names for Python: without what it does not allow, or what hides something."""
        found: dict[str, None] = {}
        hidden = {*TAKEN, *self._style.taken, *self._spelling.names.values()}
        for member in members:
            base = name = _free(member.name, hidden)
            number = 2
            while name in found:
                name, number = f"{base}_{number}", number + 1
            found[name] = None
        return list(found)


def _free(text: str, hidden: set[str]) -> str:
    name = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_")
    if not name or name[0].isdigit():
        name = f"field_{name}".strip("_")
    return name if is_identifier(name) and name not in hidden else f"{name}_"


def _takes_null(kind: Kind) -> bool:
    options = kind.options if isinstance(kind, Union) else (kind,)
    return any(
        each in (ANY, Plain("null")) or (isinstance(each, Literals) and None in each.values)
        for each in options
    )


def _or(kind: Kind, other: Kind) -> Kind:
    return Union((*kind.options, other) if isinstance(kind, Union) else (kind, other))


def _assigned(before: str, spelling: Spelling, kind: Kind, value: str) -> list[str]:
    """Return an assignment: what does not fit is broken in the value first, then in the type."""
    layout = spelling.layout(kind)
    if not value:
        return laid_out(before, layout)
    whole = laid_out(before, layout, f" = {value}")
    head, bracket, inner = value.partition("(")
    opened = laid_out(before, layout, f" = {head if bracket else ''}(")
    if len(whole) == 1 and len(whole[0]) <= WIDTH:
        return whole
    if len(opened) == 1 or (bracket and len(whole[-1]) > WIDTH):
        return [*opened, f"        {inner[:-1] if bracket else value}", "    )"]
    return whole


def _docstring(text: str) -> Iterator[str]:
    lines = [line for each in text.strip().splitlines() for line in _filled(each)]
    if not lines:
        return
    shown = [_escaped(line) for line in lines]
    last = f"{shown[-1]} " if shown[-1].endswith(('"', "\\")) else shown[-1]
    if len(shown) == 1:
        yield f'    """{last}"""'
        return
    yield f'    """{shown[0]}'
    yield from (f"    {line}".rstrip() for line in shown[1:])
    yield '    """'


def _filled(line: str) -> list[str]:
    return textwrap.wrap(line.rstrip(), WIDTH - 8, break_long_words=False) or [""]


def _escaped(text: str) -> str:
    """Return a line for a docstring: nothing in it ends the string or acts on a terminal."""
    return quoted(text)[1:-1].replace('\\"', '"').replace('"""', '\\"\\"\\"')


def _table(operations: Iterable[Operation], spelling: Spelling) -> Iterator[str]:
    """Return the entries for all operations that return something known."""
    for each in operations:
        kinds = {"result": each.result, "item": each.item, "streamed": each.streamed}
        known = {name: kind for name, kind in kinds.items() if kind not in (None, ANY)}
        shown = [f"{name}={spelling.text(kind)}" for name, kind in known.items() if kind]
        keys = "".join(f"{literal(key)}, " for key in each.keys).rstrip()
        keys = keys if len(each.keys) == 1 else keys.rstrip(",")
        if shown:
            yield f"({keys}): Results({', '.join(shown)}),"


def _dictionary(entries: list[str]) -> str:
    if not entries:
        return "{}"
    return "\n".join(["{", *(f"            {each}" for each in entries), "        }"])


def _checked(
    operations: list[Operation], records: list[Record], spelling: Spelling
) -> Iterator[str]:
    """Return what type checkers alone read: parameters, operations and clients."""
    dictionaries = TypedDicts(spelling)
    yield "if TYPE_CHECKING:"
    for record in records:
        if record.is_params:
            yield from ["", *dictionaries.record(record)]
    for family in ("", "Async"):
        yield from TreeWriter(spelling.text, family).lines(operations)


def _indented(lines: Iterable[str]) -> Iterator[str]:
    first, *others = lines
    yield first
    yield from (f"    {line}" if line else "" for line in others)
    yield ""


def _imports(needed: set[str], used: set[str], checked: str, style: Style) -> Iterator[str]:
    """Return the imports: those of all, then those for type checkers."""

    def known(*names: str) -> list[str]:
        return [name for name in names if name in needed]

    for_checkers = [
        name
        for name in ("NotRequired", "Protocol", "Required", "TypedDict")
        if re.search(rf"\b{name}\b", checked)
    ]
    if "dt" in {name.partition(".")[0] for name in used}:
        yield "import datetime as dt"
    yield from style.standard(needed)
    if known("Decimal"):
        yield "from decimal import Decimal"
    yield "from functools import cache"
    found = [name for name in ("Any", "IO", "Literal") if re.search(rf"\b{name}\b", checked)]
    typing = {*known("Any", "IO", "Literal"), *found, "TYPE_CHECKING"}
    yield f"from typing import {', '.join(sorted(typing, key=_order))}"
    if known("UUID") or "UUID" in used:
        yield "from uuid import UUID"
    yield ""
    yield "import lintel_client as _lintel"
    ours = [
        "Model",
        "ModelOperations",
        "Results",
        *(["UNSET", "Unset"] if "Unset" in needed else []),
    ]
    mine = f"from lintel_client.models import {', '.join(sorted(ours, key=_order))}"
    yield from sorted([mine, *style.foreign(needed)])
    yield ""
    yield "if TYPE_CHECKING:"
    yield "    from collections.abc import Coroutine"
    if for_checkers:
        yield f"    from typing import {', '.join(for_checkers)}"
    yield ""
    yield "    from lintel_client import calls as _calls"
    yield "    from lintel_document import Document as _Document"


def _order(name: str) -> tuple[bool, str]:
    """Constants before classes, as formatters sort names."""
    return (not name.isupper(), name)
