"""From bytes in JSON or YAML to dictionaries and lists, in bounded time and memory.

Reading is tolerant: parts that only Python cannot handle (excessive nesting,
integers of thousands of digits) are left out and reported, so that the rest can be used.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lintel_codecs.yaml_trees import MAX_DEPTH, read_yaml
from lintel_document.errors import ParseError
from lintel_document.operations import Issue

__all__ = ["Tree", "read_tree"]

LONGEST_INTEGER = 4000
"""The most digits of an integer that is read; Python itself refuses longer ones."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]|\n')


@dataclass(slots=True)
class Tree:
    """The tree of a text, and the parts that were left out."""

    root: Any
    issues: list[Issue] = field(default_factory=list)


def read_tree(content: bytes | str) -> Tree:
    """Return the tree of JSON or YAML text. Raises ParseError with the line for anything else."""
    text = _decoded(content)
    start = text.lstrip()[:1]
    if start not in ("{", "["):
        return Tree(read_yaml(text))
    try:
        return Tree(_json(text))
    except RecursionError:
        return _read_deep(text)
    except ValueError as error:
        return _read_odd(text, error)


def _decoded(content: bytes | str) -> str:
    if isinstance(content, str):
        return content.removeprefix("\ufeff")
    marks = (b"\xff\xfe", b"\xfe\xff")
    try:
        return content.decode("utf-16" if content.startswith(marks) else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise ParseError(f"The text is not valid {error.encoding}: {error.reason}") from None


def _json(text: str, **options: Any) -> Any:
    return json.loads(text, parse_constant=lambda name: None, parse_float=_finite, **options)


def _finite(digits: str) -> float | None:
    number = float(digits)
    return None if math.isinf(number) else number


def _read_odd(text: str, error: ValueError) -> Tree:
    """Read text that plain JSON is not: with too long integers, or YAML starting with a brace."""
    if not isinstance(error, json.JSONDecodeError):
        issue = Issue("", f"An integer of more than {LONGEST_INTEGER} digits is left out")
        return Tree(_json(text, parse_int=_integer), [issue])
    try:
        return Tree(read_yaml(text))
    except ParseError:
        place = f"line {error.lineno}, column {error.colno}"
        raise ParseError(f"Malformed JSON at {place}: {error.msg}") from None


def _integer(digits: str) -> int | None:
    return int(digits) if len(digits) <= LONGEST_INTEGER else None


def _read_deep(text: str) -> Tree:
    issues: list[Issue] = []
    shallow = "".join(_shallow(text, issues))
    try:
        return Tree(_json(shallow), issues)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"Malformed JSON, nested too deeply: {error}") from None


def _shallow(text: str, issues: list[Issue]) -> Iterator[str]:
    """Yield the text with null in place of values nested deeper than MAX_DEPTH."""
    depth, line, kept_from = 0, 1, 0
    for found in _TOKEN.finditer(text):
        mark = found[0]
        if mark == "\n":
            line += 1
        elif mark in ("{", "["):
            depth += 1
            if depth == MAX_DEPTH + 1:
                yield text[kept_from : found.start()] + "null"
                message = f"Content nested more than {MAX_DEPTH} levels deep is left out"
                issues.append(Issue(f"line {line}", message))
        elif mark in ("}", "]"):
            if depth == MAX_DEPTH + 1:
                kept_from = found.end()
            depth -= 1
    if depth <= MAX_DEPTH:
        yield text[kept_from:]
