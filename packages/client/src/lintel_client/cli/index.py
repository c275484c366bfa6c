"""The index beside the cached document: its keys, and each operation's position in one file.

Completion and help read only this file, neither the document nor the document model. Line 1
is a JSON object: ``stamp`` is size and time of the document that the index belongs to, ``about``
maps first keys to their descriptions, ``tree`` maps keys to such mappings, or to an operation:
[offset, length of its parameters, length of its document, whether it is embedded, summary]. The
lines after it hold, for each operation, its parameters and a document with only this
operation; offsets count from the end of line 1.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from lintel_client.cli.folders import chosen_folder
from lintel_client.cli.later import later

__all__ = ["DOCUMENT", "OPERATIONS", "Index", "Operation", "Parameter", "current_index", "stamp_of"]

DOCUMENT = "document.json"
OPERATIONS = "operations.jsonl"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operation.

    ``choices`` and ``examples`` are JSON values, ``kind`` is a type name. ``content_types`` are the
    media types of the body that it is part of, with "" for the first; empty outside of
    bodies. ``file_type`` is the media type in which a text of this body is a file, if there is one.
    """

    name: str
    required: bool = False
    location: str = ""
    kind: str = ""
    item: str = ""
    format: str = ""
    choices: tuple[Any, ...] = ()
    description: str = ""
    examples: tuple[Any, ...] = ()
    content_types: tuple[str, ...] = ()
    file_type: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation and its place in the file.

    An ``embedded`` one is in a document inside the document, or in an array, so that calling it
    requires the whole document.
    """

    path: Path
    offset: int
    lengths: tuple[int, int]
    embedded: bool
    summary: str

    def parameters(self, content_type: str = "") -> list[Parameter]:
        """Return the parameters, none if the file has changed in the meantime.

        Those of the body are for one media type, by default the first.
        """
        wanted = content_type.partition(";")[0].strip().lower()
        rows = self._parameters()
        if not any(wanted in each.content_types for each in rows):
            wanted = ""
        return [
            _with_file_type(each, rows)
            for each in rows
            if wanted in each.content_types or not each.content_types
        ]

    def content_types(self) -> list[str]:
        """Return the media types in which the body can be written."""
        types = [kind for each in self._parameters() for kind in each.content_types]
        return list(dict.fromkeys(filter(None, types)))

    def _parameters(self) -> list[Parameter]:
        try:
            return [_parameter(row) for row in json.loads(self._read(0))]
        except (ValueError, TypeError, KeyError, OSError):
            return []

    def document(self) -> bytes:
        """Return a document with only this operation, in its stored form."""
        try:
            return self._read(1)
        except OSError:
            return b""

    def _read(self, part: int) -> bytes:
        with self.path.open("rb") as file:
            file.readline()
            file.seek(self.offset + sum(self.lengths[:part]), 1)
            return file.read(self.lengths[part])


def _with_file_type(parameter: Parameter, rows: Sequence[Parameter]) -> Parameter:
    """Return the parameter with the media type in which it is a file, if this one has text."""
    if parameter.kind != "string" or not parameter.content_types:
        return parameter
    files = [each for each in rows if (each.name, each.kind) == (parameter.name, "file")]
    types = [kind for each in files for kind in each.content_types if kind]
    return replace(parameter, file_type=types[0]) if types else parameter


@dataclass(frozen=True, slots=True)
class Index:
    """The keys of a document; ``fresh`` if the index belongs to the stored document.

    ``about`` describes some of the first keys.
    """

    path: Path
    tree: dict[str, Any] = field(default_factory=dict)
    fresh: bool = False
    about: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> "Index":
        """Return the index in a folder, empty if there is no readable one."""
        path = folder / OPERATIONS
        try:
            with path.open("rb") as file:
                head = json.loads(file.readline())
            fresh = head["stamp"] == stamp_of(folder / DOCUMENT)
            return cls(path, head["tree"], fresh, head["about"]) if fresh else cls(path)
        except (OSError, ValueError, KeyError, TypeError):
            return cls(path)

    def find(self, keys: Sequence[str]) -> "dict[str, Any] | Operation | None":
        """Return what is at a path of keys: a mapping by key, an operation, or None."""
        found: Any = self.tree
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        return self.entry(found)

    def entry(self, found: Any) -> "dict[str, Any] | Operation | None":
        """Return an entry of the tree in the form that ``find`` returns it."""
        if not isinstance(found, list):
            return found
        offset, parameters, document, embedded, summary = found
        return Operation(self.path, offset, (parameters, document), embedded, summary)


def _parameter(row: dict[str, Any]) -> Parameter:
    values = {name: tuple(row[name]) for name in ("choices", "examples", "content_types")}
    return Parameter(**{**row, **values})


def current_index() -> Index:
    """Return the index of the current document, empty if there is no readable document."""
    folder = chosen_folder()
    index = Index.read(folder)
    if index.fresh or not (folder / DOCUMENT).exists():
        return index
    try:
        made: Index = later("state:State").index()
    except (click.ClickException, OSError):
        return index
    return made


def stamp_of(path: Path) -> list[int]:
    """Return a value that differs between two versions of a file. Raises OSError."""
    status = path.stat()
    return [status.st_size, status.st_mtime_ns]
