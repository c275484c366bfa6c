"""Files at a place inside the value of a parameter: --file 'lines[0].photo=a.png'."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import click

from lintel_client.cli.values import texts, upload
from lintel_document.links import Link

__all__ = ["divided", "put_files"]

Step = str | int

_STEP = re.compile(r"\[([0-9]{1,4})\]|\.([^.\[\]]+)")


def divided(files: Iterable[str], link: Link) -> tuple[list[str], list[str]]:
    """Return the files that are parameters, and those inside the value of one."""
    names = _names(link)
    whole: list[str] = []
    inner: list[str] = []
    for text in files:
        (inner if _steps(text.partition("=")[0], names) else whole).append(text)
    return whole, inner


def put_files(params: Mapping[str, Any], files: Iterable[str], link: Link) -> dict[str, Any]:
    """Return parameters with each file at its place. Raises click.UsageError for none."""
    names = _names(link)
    found: Any = dict(params)
    for name, path in texts("--file", files).items():
        found = _with(found, _steps(name, names), upload(name, path), name)
    return dict(found)


def _names(link: Link) -> set[str]:
    """Return the names of all parameters, whichever body they are for."""
    bodies = (body.fields for body in link.bodies)
    return {field.name for fields in (link.fields, *bodies) for field in fields}


def _steps(name: str, names: set[str]) -> list[Step]:
    """Return the parameter that a name begins with and the steps inside it, empty for others."""
    if name in names:
        return []
    starts = [each for each in names if name.startswith((f"{each}[", f"{each}."))]
    start = max(starts, key=len, default="")
    rest = name[len(start) :]
    if not start or _STEP.sub("", rest):
        return []
    return [start, *(int(at) if at else key for at, key in _STEP.findall(rest))]


def _with(value: Any, steps: list[Step], file: Any, name: str) -> Any:
    """Return a value with a file at the place to which the steps lead."""
    if not steps:
        return file
    first, *rest = steps
    if isinstance(first, int):
        return _in_list([] if value is None else value, first, rest, file, name)
    if value is not None and not isinstance(value, dict):
        raise click.UsageError(f"--file {name}: there is no object that {first} could be in")
    members = value or {}
    return {**members, first: _with(members.get(first), rest, file, name)}


def _in_list(items: Any, at: int, rest: list[Step], file: Any, name: str) -> list[Any]:
    if not isinstance(items, list) or at > len(items):
        size = f"a list of {len(items)}" if isinstance(items, list) else "no list"
        raise click.UsageError(f"--file {name}: [{at}] would be in {size}")
    old = items[at] if at < len(items) else None
    return [*items[:at], _with(old, rest, file, name), *items[at + 1 :]]
