"""Stubs for Python: a module with Client and AsyncClient whose calls are typed by their keys."""

import keyword
import re
from collections.abc import Iterator, Sequence

from lintel_client.stubs.kinds import (
    EventOf,
    Kind,
    ListOf,
    Literals,
    MapOf,
    Plain,
    Record,
    Ref,
    Union,
)
from lintel_client.stubs.reading import Operation, operations_of
from lintel_document.document import Document

__all__ = ["RUNTIME", "python_stubs"]

RUNTIME = '''"""The clients of lintel_client; the types of their calls stand in the stubs beside."""

from lintel_client import AsyncClient, Client

__all__ = ["AsyncClient", "Client"]
'''

HEADER = """\
# Made by `lintel stubs`; make it again when the API has changed.
# mypy: disable-error-code="override,overload-overlap"
# pyright: reportIncompatibleMethodOverride=false, reportOverlappingOverload=false
from collections.abc import Mapping
from typing import {typing}

import lintel_client as _lintel
from lintel_client.core import CallOptions as _CallOptions
from lintel_document import Document as _Document
from lintel_document import Pagination as _Pagination
"""

FROM_TYPING = ("IO", "Any", "Literal", "NotRequired", "Required", "TypedDict", "Unpack", "overload")
PLAIN = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "any": "Any",
    "file": "IO[bytes] | _lintel.File | bytes",
    "download": "_lintel.Download",
}
# Names that the module already has; a record must not hide one.
RESERVED = {
    *(*FROM_TYPING, "AsyncClient", "Client", "Mapping", "None", "True", "False"),
}
OPTIONS = (
    "validate: bool = ...",
    "overrides: Mapping[str, Any] | None = ...",
)
STREAM = (
    "*",
    "format: str | None = ...",
    "max_item: int = ...",
    "reconnect: bool = ...",
    "last_event_id: str = ...",
)


def python_stubs(document: Document) -> str:
    """Return stubs (PEP 484, for a file ``NAME.pyi``) with the types of the calls of a document.

    They declare ``Client`` and ``AsyncClient``, which are those of lintel_client at run time, with
    overloads of ``action``, ``pages`` and ``stream`` by literal keys: a list or a tuple. All text
    of the document is in string literals, so that none of it becomes code.
    """
    operations, records = operations_of(document)
    writer = _Writer({record.name for record in records})
    lines = []
    for record in records:
        lines += ["", *writer.record(record)]
    for name, base, prefix in (
        ("Client", "_lintel.Client", "def"),
        ("AsyncClient", "_lintel.AsyncClient", "async def"),
    ):
        lines += ["", f"class {name}({base}):", *writer.methods(operations, prefix)]
    text = "\n".join(lines) + "\n"
    used = [name for name in FROM_TYPING if re.search(rf"\b{name}\b", text)]
    return HEADER.format(typing=", ".join(used)) + text


class _Writer:
    def __init__(self, names: set[str]) -> None:
        # A record named like a keyword or a name of the header gets an underscore.
        self._names = {name: f"{name}_" if _is_taken(name) else name for name in names}

    def record(self, record: Record) -> Iterator[str]:
        """Return the definition of a typed dictionary, as a class if its keys can be names."""
        name = self._names[record.name]
        plain = all(
            each.name.isidentifier()
            and each.name.isascii()
            and not keyword.iskeyword(each.name)
            and not each.name.startswith("__")
            for each in record.members
        )
        if not plain:
            yield f'{name} = TypedDict("{name}", {{'
            for each in record.members:
                mark = "Required" if each.required else "NotRequired"
                yield f'    {each.name!a}: "{mark}[{self.text(each.kind, quoted=True)}]",'
            yield "})"
            return
        yield f"class {name}(TypedDict):"
        if record.description:
            yield f"    {record.description!a}"
        for each in record.members:
            kind = self.text(each.kind)
            yield f"    {each.name}: {kind if each.required else f'NotRequired[{kind}]'}"
            if each.description:
                yield f"    {each.description!a}"
        if not record.members:
            yield "    pass"

    def text(self, kind: Kind, quoted: bool = False) -> str:
        """Return the type in Python; ``quoted`` inside a string literal."""
        match kind:
            case Plain(name):
                return PLAIN[name]
            case Ref(name):
                return self._names[name]
            case ListOf(item):
                return f"list[{self.text(item, quoted)}]"
            case MapOf(value):
                return f"dict[str, {self.text(value, quoted)}]"
            case EventOf(data):
                return f"_lintel.Event[{self.text(data, quoted)}]"
            case Union(options):
                return " | ".join(self.text(option, quoted) for option in options)
            case Literals(values):
                texts = ", ".join(ascii(value) for value in values)
                return f"Literal[{_escaped(texts) if quoted else texts}]"

    def methods(self, operations: Sequence[Operation], prefix: str) -> Iterator[str]:
        if not operations:
            yield "    pass"
        for operation in operations:
            head = [f"keys: {_keys(operation.keys)}", self._params(operation), *OPTIONS]
            result = self.text(operation.result)
            yield from self._overload(operations, prefix, "action", head, result, operation)
        paged = [operation for operation in operations if operation.item is not None]
        family = "Pages" if prefix == "def" else "AsyncPages"
        for operation in paged:
            head = [f"keys: {_keys(operation.keys)}", self._params(operation), *OPTIONS]
            head += ["*", "pagination: _Pagination | None = ..."]
            item = self.text(operation.item) if operation.item else "Any"
            result = f"_lintel.{family}[{item}]"
            yield from self._overload(paged, "def", "pages", head, result, operation)
        yield from self._streams(operations, prefix)

    def _streams(self, operations: Sequence[Operation], prefix: str) -> Iterator[str]:
        described = [operation for operation in operations if operation.streamed is not None]
        family = "Stream" if prefix == "def" else "AsyncStream"
        for operation in described:
            head = [f"keys: {_keys(operation.keys)}", self._params(operation), *OPTIONS, *STREAM]
            item = self.text(operation.streamed) if operation.streamed else "Any"
            result = f"_lintel.{family}[{item}]"
            yield from self._overload(described, "def", "stream", head, result, operation)

    def _overload(
        self,
        among: Sequence[Operation],
        prefix: str,
        name: str,
        arguments: Sequence[str],
        result: str,
        operation: Operation,
    ) -> Iterator[str]:
        if len(among) > 1:
            yield "    @overload"
        everything = ["self", "document: _Document", *arguments, "**options: Unpack[_CallOptions]"]
        yield f"    {prefix} {name}({', '.join(everything)}) -> {result}:"
        yield f"        {operation.summary!a}" if operation.summary else "        ..."

    def _params(self, operation: Operation) -> str:
        kinds = " | ".join(self.text(way) for way in operation.params)
        return f"params: {kinds}" if operation.required else f"params: {kinds} | None = ..."


def _keys(keys: Sequence[str | int]) -> str:
    """Return the types of a path of keys: exactly as a tuple, by its members as a list."""
    exact = ", ".join(f"Literal[{key!a}]" for key in keys)
    members = ", ".join(ascii(key) for key in dict.fromkeys(keys))
    either = f"tuple[{exact}] | list[Literal[{members}]]"
    return f"{either} | Literal[{keys[0]!a}]" if len(keys) == 1 and keys[0] != 0 else either


def _escaped(text: str) -> str:
    """Return Python text for use inside a string literal with double quotes."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _is_taken(name: str) -> bool:
    return keyword.iskeyword(name) or name in RESERVED
