"""Cases, their outcomes, and the comparison of the two."""

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Case:
    """One recorded fact: what to do and what came out."""

    id: str
    group: str
    facts: dict[str, Any] = field(repr=False)
    boot: str = ""
    """Package settings needed before import, as JSON; such cases get a process of their own."""


@dataclass(frozen=True, slots=True)
class Suite:
    """The cases of one kind and how to run them.

    `expected` gives the recorded outcome in plain form, `play` what happens now; the two are
    compared after `relax`, which drops what is informational.
    """

    name: str
    load: Callable[[Path], list[Case]]
    expected: Callable[[Case], Any]
    play: Callable[[Case], Any]
    relax: Callable[[Any], Any] = lambda outcome: outcome


@dataclass(frozen=True, slots=True)
class Result:
    """Outcome of one case; `failed` holds the differing places, none when it passed."""

    case: Case
    failed: list[str]

    def told(self) -> str:
        """The case and what differs, for a person."""
        return "\n".join([f"{self.case.id}: {short(self.case.facts, 600)}", *self.failed])


LEFT_OUT = "(docstring of the package)"

NOT_BUILT = (ImportError, NameError)
"""What a package raises that lacks a part; never an outcome, always a case that cannot run."""


@functools.cache
def read(path: Path) -> Any:
    """Content of a JSON file, read once a process."""
    return json.loads(path.read_text())


def prefix(identifier: str) -> str:
    """Group of an id: what stands before its number."""
    return identifier.rsplit("-", 1)[0]


def any_error(outcome: Any) -> Any:
    """Outcome of which an exception's class is dropped, unless it is `fields.SkipField`."""
    if isinstance(outcome, dict) and "raises" in outcome:
        return {"raises": outcome["raises"] if outcome["raises"] == "fields.SkipField" else "error"}
    return outcome


def raised(error: Exception, package: str) -> dict[str, Any]:
    """Outcome of an exception: its class as the facts write it, relative to the package.

    Raises the exception again when it only says that the package is not complete.
    """
    if isinstance(error, NOT_BUILT):
        raise error
    kind = type(error)
    if kind.__module__ == "builtins":
        return {"raises": kind.__qualname__, "note": str(error)}
    module = kind.__module__
    if module.startswith(f"{package}."):
        module = module.removeprefix(f"{package}.").split(".")[0]
    return {"raises": f"{module}.{kind.__qualname__}", "note": str(error)}


def differences(expected: Any, got: Any, path: str = "") -> list[str]:
    """Places where two plain values differ.

    The order of object keys does not count, and any text goes for one that was left out.
    """
    if isinstance(expected, dict) and isinstance(got, dict):
        return object_differences(expected, got, path)
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        pairs = enumerate(zip(expected, got, strict=True))
        return [line for i, (a, b) in pairs for line in differences(a, b, f"{path}[{i}]")]
    if type(expected) is type(got) and expected in (got, LEFT_OUT):
        return []
    return [f"{path or 'outcome'}: expected {short(expected)}, got {short(got)}"]


def object_differences(expected: dict[str, Any], got: dict[str, Any], path: str) -> list[str]:
    lines: list[str] = []
    for key in expected:
        where = f"{path}.{key}" if path else key
        if key in got:
            lines += differences(expected[key], got[key], where)
        else:
            lines.append(f"{where}: expected {short(expected[key])}, missing")
    for key in got:
        if key not in expected:
            lines.append(f"{path}.{key}: unexpected {short(got[key])}".lstrip("."))
    return lines


def short(value: Any, limit: int = 160) -> str:
    """One line that shows a value."""
    text = ascii(value) if isinstance(value, str) else json.dumps(value, default=repr)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
