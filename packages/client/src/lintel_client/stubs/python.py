"""Stubs for Python: a module with Client and AsyncClient whose calls are typed by their keys."""

import re
from collections.abc import Iterator

from lintel_client.stubs.kinds import Record
from lintel_client.stubs.reading import operations_of
from lintel_client.stubs.spelling import Spelling, is_identifier, quoted
from lintel_client.stubs.trees import TreeWriter
from lintel_document.document import Document

__all__ = ["PLAIN", "RUNTIME", "TypedDicts", "python_stubs"]

RUNTIME = '''"""The clients of lintel_client; the types of their calls stand in the stubs beside."""

from lintel_client import AsyncClient, Client

__all__ = ["AsyncClient", "Client"]
'''

HEADER = """\
# Made by `lintel stubs`; make it again when the API has changed.
# mypy: disable-error-code="override"
# pyright: reportIncompatibleMethodOverride=false
from collections.abc import Coroutine
from typing import {typing}

import lintel_client as _lintel
from lintel_client import calls as _calls
from lintel_document import Document as _Document
"""

FROM_TYPING = ("IO", "Any", "Literal", "NotRequired", "Protocol", "Required", "TypedDict")
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
    *(*FROM_TYPING, "AsyncClient", "Client", "Coroutine", "None", "True", "False"),
}


def python_stubs(document: Document) -> str:
    """Return stubs (PEP 484, for a file ``NAME.pyi``) with the types of the calls of a document.

    They declare ``Client`` and ``AsyncClient``, which are those of lintel_client at run time, whose
    ``operations(document)["key"]["key"]`` has the types of one operation. All text of the document
    is in string literals, so that none of it becomes code.
    """
    operations, records = operations_of(document)
    spelling = Spelling({record.name for record in records}, PLAIN, RESERVED)
    writer = TypedDicts(spelling)
    lines = []
    for record in records:
        lines += ["", *writer.record(record)]
    for family in ("", "Async"):
        lines += TreeWriter(spelling.text, family).lines(operations)
    text = "\n".join(lines) + "\n"
    used = [name for name in FROM_TYPING if re.search(rf"\b{name}\b", text)]
    return HEADER.format(typing=", ".join(used)) + text


class TypedDicts:
    """Writes records as typed dictionaries."""

    def __init__(self, spelling: Spelling) -> None:
        self._spelling = spelling

    def record(self, record: Record) -> Iterator[str]:
        """Return the definition of a typed dictionary, as a class if its keys can be names."""
        name = self._spelling.names[record.name]
        names = [each.name for each in record.members]
        if not all(is_identifier(each) and not each.startswith("__") for each in names):
            yield f'{name} = TypedDict("{name}", {{'
            for each in record.members:
                mark = "Required" if each.required else "NotRequired"
                yield f"    {each.name!a}: {quoted(f'{mark}[{self._spelling.text(each.kind)}]')},"
            yield "})"
            return
        yield f"class {name}(TypedDict):"
        if record.description:
            yield f"    {record.description!a}"
        for each in record.members:
            kind = self._spelling.text(each.kind)
            yield f"    {each.name}: {kind if each.required else f'NotRequired[{kind}]'}"
            if each.description:
                yield f"    {each.description!a}"
        if not record.members:
            yield "    pass"
