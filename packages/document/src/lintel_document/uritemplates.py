"""URI templates, all four levels (RFC 6570): parsed, checked, expanded and written.

An invalid expression stays in the URL unchanged (section 3), and ``problems`` says what is
wrong with it. All work is linear in the length of a template.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import quote

__all__ = ["Variable", "expand", "problems", "variables", "with_query"]

MAX_PROBLEMS = 20
_LONGEST_SHOWN = 60

_EXPRESSION = re.compile(r"\{([+#./;?&]?)([^{}]*)\}")
# Beyond the characters of the RFC, templates in use contain `$`, `-` and letters of any alphabet.
_VARIABLE = re.compile(
    r"((?:[A-Za-z0-9_.$\-]|[^\x00-\x7f]|%[0-9A-Fa-f]{2})+)(?:\*|:([1-9]\d{0,3}))?"
)
_QUERY = re.compile(r"\{\?[^{}]+\}")
_BRACE = re.compile(r"[{}]")
_TRIPLET = re.compile(r"(%[0-9A-Fa-f]{2})")
_RESERVED = ":/?#[]@!$&'()*+,;="


@dataclass(frozen=True, slots=True)
class _Style:
    """How an operator writes its variables: the table in appendix A of the RFC."""

    first: str = ""
    separator: str = ","
    named: bool = False
    if_empty: str = ""
    reserved: bool = False


_STYLES = {
    "": _Style(),
    "+": _Style(reserved=True),
    "#": _Style(first="#", reserved=True),
    ".": _Style(first=".", separator="."),
    "/": _Style(first="/", separator="/"),
    ";": _Style(first=";", separator=";", named=True),
    "?": _Style(first="?", separator="&", named=True, if_empty="="),
    "&": _Style(first="&", separator="&", named=True, if_empty="="),
}


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of a template; ``optional`` if the URL remains valid without it."""

    name: str
    operator: str
    explode: bool
    prefix: int | None

    @property
    def optional(self) -> bool:
        return self.operator in ("?", "&", ";", "#", ".", "/")


def variables(template: str) -> list[Variable]:
    """Return the variables of a template in order. Invalid expressions are literal."""
    return [
        variable
        for expression in _EXPRESSION.finditer(template)
        for variable in _variables_of(expression) or []
    ]


def expand(template: str, values: Mapping[str, Any]) -> str:
    """Return the URL of a template. Values are strings, lists of strings or mappings of strings.

    Variables without a value, and members that are None, expand to nothing. Literal text is
    unchanged.
    """
    return _EXPRESSION.sub(lambda expression: _expanded(expression, values), template)


def problems(template: str) -> list[str]:
    """Return what is wrong with a template, at most MAX_PROBLEMS messages with their position."""
    return list(islice(_problems(template), MAX_PROBLEMS))


def with_query(template: str, names: Iterable[str]) -> str:
    """Return a template that also takes the named variables in its query.

    A name may have a modifier ("tags*"). A fragment at the end stays at the end.
    """
    listed = ",".join(names)
    if not listed:
        return template
    start, fragment = _without_fragment(template)
    query = _QUERY.search(start)
    if query:
        # One expression for all: the first variable with a value writes the question mark.
        return f"{start[: query.end() - 1]},{listed}}}{start[query.end() :]}{fragment}"
    operator = "&" if "?" in start else "?"
    return f"{start}{{{operator}{listed}}}{fragment}"


def _without_fragment(template: str) -> tuple[str, str]:
    """Split before the first ``#``, whether literal or an operator."""
    at = template.find("#")
    if at < 0:
        return template, ""
    at -= template[:at].endswith("{")
    return template[:at], template[at:]


def _problems(template: str) -> Iterator[str]:
    end = 0
    for expression in _EXPRESSION.finditer(template):
        yield from _stray_braces(template, end, expression.start())
        if _variables_of(expression) is None:
            shown = expression[0][:_LONGEST_SHOWN]
            yield f"character {expression.start()}: {shown!r} is not an expression of RFC 6570"
        end = expression.end()
    yield from _stray_braces(template, end, len(template))


def _stray_braces(template: str, start: int, end: int) -> Iterator[str]:
    for brace in _BRACE.finditer(template, start, end):
        yield f"character {brace.start()}: a brace that belongs to no expression"


def _variables_of(expression: re.Match[str]) -> list[Variable] | None:
    found = [_VARIABLE.fullmatch(part) for part in expression[2].split(",")]
    matches = [match for match in found if match]
    if len(matches) < len(found):
        return None
    return [
        Variable(
            name=match[1],
            operator=expression[1],
            explode=match[0].endswith("*"),
            prefix=int(match[2]) if match[2] else None,
        )
        for match in matches
    ]


def _expanded(expression: re.Match[str], values: Mapping[str, Any]) -> str:
    found = _variables_of(expression)
    if found is None:
        return expression[0]
    style = _STYLES[expression[1]]
    parts = [
        part
        for variable in found
        if values.get(variable.name) is not None
        for part in _parts(variable, values[variable.name], style)
    ]
    return style.first + style.separator.join(parts) if parts else ""


def _parts(variable: Variable, value: Any, style: _Style) -> list[str]:
    if isinstance(value, Mapping):
        return _mapping_parts(variable, value, style)
    if isinstance(value, list | tuple):
        return _list_parts(variable, value, style)
    text = _quoted(value[: variable.prefix] if variable.prefix else value, style)
    return [_named(variable.name, text, style)]


def _list_parts(variable: Variable, value: Any, style: _Style) -> list[str]:
    texts = [_quoted(item, style) for item in value if item is not None]
    if not texts:
        return []
    if variable.explode:
        return [_named(variable.name, text, style) for text in texts]
    return [_named(variable.name, ",".join(texts), style)]


def _mapping_parts(variable: Variable, value: Mapping[str, Any], style: _Style) -> list[str]:
    pairs = [
        (_quoted(key, style), _quoted(item, style))
        for key, item in value.items()
        if item is not None
    ]
    if variable.explode:
        return [_named(key, item, style) if style.named else f"{key}={item}" for key, item in pairs]
    joined = ",".join(text for pair in pairs for text in pair)
    return [_named(variable.name, joined, style)] if pairs else []


def _named(name: str, text: str, style: _Style) -> str:
    if not style.named:
        return text
    return f"{name}={text}" if text else name + style.if_empty


def _quoted(text: str, style: _Style) -> str:
    if not style.reserved:
        return quote(text, safe="")
    # Reserved expansion does not change percent-encoded text (section 3.2.3).
    pieces = _TRIPLET.split(text)
    return "".join(
        piece if at % 2 else quote(piece, safe=_RESERVED) for at, piece in enumerate(pieces)
    )
