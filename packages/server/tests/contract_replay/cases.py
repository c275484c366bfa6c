"""Cases, their outcomes, and the comparison of the two."""

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Case:
    """One recorded fact: what to do and the outcome."""

    id: str
    group: str
    facts: dict[str, Any] = field(repr=False)
    boot: str = ""
    """Package settings needed before import, as JSON; such cases get a process of their own."""


@dataclass(frozen=True, slots=True)
class Suite:
    """The cases of one kind and how to run them.

    `expected` returns the recorded outcome in plain form, `play` the current one; the two are
    compared after `relax`, which drops informational parts.
    """

    name: str
    load: Callable[[Path], list[Case]]
    expected: Callable[[Case], Any]
    play: Callable[[Case], Any]
    relax: Callable[[Any], Any] = lambda outcome: outcome


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one case; `failed` lists the differing places, none if it passed."""

    case: Case
    failed: list[str]

    def told(self) -> str:
        """Return the case and its differences, for people."""
        return "\n".join([f"{self.case.id}: {short(self.case.facts, 600)}", *self.failed])


LEFT_OUT = "(docstring of the package)"

NOT_BUILT = (ImportError, NameError)
"""What a package raises that lacks a part; never an outcome, always a case that cannot run."""


@functools.cache
def read(path: Path) -> Any:
    """Return the content of a JSON file, read once per process."""
    return json.loads(path.read_text())


def prefix(identifier: str) -> str:
    """Return the group of an id: the part before its number."""
    return identifier.rsplit("-", 1)[0]


def any_error(outcome: Any) -> Any:
    """Drop the class of an exception from an outcome, unless it is `fields.SkipField`."""
    if isinstance(outcome, dict) and "raises" in outcome:
        return {"raises": outcome["raises"] if outcome["raises"] == "fields.SkipField" else "error"}
    return outcome


def raised(error: Exception, package: str) -> dict[str, Any]:
    """Return the outcome of an exception: its class as recorded, relative to the package.

    Raise the exception again if it only means that the package is incomplete.
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
    """Return the places where two plain values differ.

    The order of object keys is ignored, and any text matches one that was left out.
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
    """Return a value on one line."""
    text = ascii(value) if isinstance(value, str) else json.dumps(value, default=repr)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
