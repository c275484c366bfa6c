"""The findings of exchanges: known and unknown departures, and exercised operations."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

#: Operation, kind and detail of a departure, and the test file that showed it.
Row = tuple[str, str, str, str]


class DeparturesError(ValueError):
    """The file of known departures cannot be read."""


@dataclass(frozen=True, slots=True)
class Known:
    """A known departure and its reason; ``*`` stands for any text."""

    operation: str
    kind: str
    detail: str
    file: str
    reason: str

    def covers(self, row: Row) -> bool:
        wanted = (self.operation, self.kind, self.detail, self.file)
        return all(_fits(text, pattern) for text, pattern in zip(row, wanted, strict=True))


def _fits(text: str, pattern: str) -> bool:
    # Paths contain brackets only in braces; fnmatch would read [ as a set.
    return fnmatchcase(text, pattern.replace("[", "[[]"))


def read_known(path: Path) -> list[Known]:
    """Return the entries of a TOML file: tables ``[[departure]]``.

    Each has a ``reason`` and some of ``operation``, ``kind``, ``detail`` and ``file``, the
    test file that shows it. Raises DeparturesError.
    """
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("departure", [])
    except (OSError, ValueError) as error:
        raise DeparturesError(f"{path} cannot be read: {error}") from error
    if not isinstance(entries, list):
        raise DeparturesError(f"{path}: departures are tables [[departure]].")
    return [_known(path, number, entry) for number, entry in enumerate(entries, 1)]


def _known(path: Path, number: int, entry: Any) -> Known:
    names = {"operation", "kind", "detail", "file", "reason"}
    if not isinstance(entry, dict) or not all(isinstance(text, str) for text in entry.values()):
        raise DeparturesError(f"{path}: entry {number} is not a table of texts.")
    if unknown := sorted(entry.keys() - names):
        raise DeparturesError(f"{path}: entry {number} has the unknown key {unknown[0]!r}.")
    if not entry.get("reason", "").strip():
        raise DeparturesError(f"{path}: entry {number} gives no reason.")
    values = {name: entry.get(name, "*") for name in names}
    return Known(**values)


@dataclass(slots=True)
class Ledger:
    """Counts over a test run; ``data`` and ``add`` transfer them between processes."""

    exchanges: int = 0
    #: How often each departure was seen, and in which test first.
    departures: Counter[Row] = field(default_factory=Counter)
    tests: dict[Row, str] = field(default_factory=dict)
    #: Described and exercised (operation, status).
    described: set[tuple[str, str]] = field(default_factory=set)
    exercised: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def is_used(self) -> bool:
        return bool(self.exchanges or self.departures)

    def note(self, operation: str, kind: str, detail: str, test: str, count: int = 1) -> None:
        row = (operation, kind, detail, test.partition("::")[0])
        self.departures[row] += count
        self.tests.setdefault(row, test)

    def data(self) -> dict[str, Any]:
        """Return the counts as plain values."""
        return {
            "exchanges": self.exchanges,
            "departures": [[*row[:3], n, self.tests[row]] for row, n in self.departures.items()],
            "described": sorted(map(list, self.described)),
            "exercised": [[*pair, n] for pair, n in self.exercised.items()],
        }

    def add(self, data: dict[str, Any]) -> None:
        """Add the counts of another process."""
        self.exchanges += data["exchanges"]
        for operation, kind, detail, count, test in data["departures"]:
            self.note(operation, kind, detail, test, count)
        self.described.update((operation, status) for operation, status in data["described"])
        for operation, status, count in data["exercised"]:
            self.exercised[(operation, status)] += count

    def unknown(self, known: Iterable[Known]) -> list[Row]:
        """Return the departures that no entry covers."""
        entries = list(known)
        return sorted(
            row for row in self.departures if not any(entry.covers(row) for entry in entries)
        )

    def unused(self, known: Iterable[Known]) -> list[Known]:
        """Return the entries that cover no departure seen."""
        return [entry for entry in known if not any(map(entry.covers, self.departures))]

    def operations(self) -> tuple[set[str], set[str]]:
        """Return the described operations, and those of them that were exercised."""
        described = {operation for operation, _ in self.described}
        return described, described & {operation for operation, _ in self.exercised}
