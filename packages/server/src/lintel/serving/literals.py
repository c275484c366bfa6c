"""What every path that a URL pattern matches begins with, as far as its text says so."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from django.urls import converters
from django.urls.resolvers import RegexPattern, RoutePattern

#: Converters that do nothing but convert, so that it does not matter when they are called.
_OF_DJANGO = {
    converters.IntConverter,
    converters.StringConverter,
    converters.UUIDConverter,
    converters.SlugConverter,
    converters.PathConverter,
}

#: A character that stands for itself, escaped or not, and is not repeated.
_LITERAL = re.compile(r"(?:([\w/\-@~,;:!=%&\"'<> ])|\\([^\w\s]))(?![*?+{])", re.ASCII)
#: What is skipped to find the alternatives of a whole expression: escapes and classes.
_SKIPPED = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)

#: The rest of a path behind a pattern, and its positional and named arguments.
MatchedPath = tuple[str, tuple[Any, ...], dict[str, Any]]


class Literal(NamedTuple):
    """How the paths of a pattern begin."""

    text: str
    #: Whether this is the whole path.
    is_whole: bool
    #: Whether matching calls nothing but Django's own code, and depends on the path alone.
    is_certain: bool
    #: Whether the pattern has no parameters, so that it says nothing but this text.
    is_fixed: bool = False


UNKNOWN = Literal("", False, False)


def literal_of(pattern: Any) -> Literal:
    """Return what is known of a pattern; translated patterns and other classes are unknown."""
    cls = type(pattern)
    if cls is RoutePattern and type(pattern._route) is str:
        return _of_route(pattern)
    if cls is RegexPattern and type(pattern._regex) is str:
        return _of_expression(pattern._regex, pattern._is_endpoint)
    return UNKNOWN


def matcher(pattern: Any, literal: Literal) -> Callable[[str], MatchedPath | None]:
    """Return what ``pattern.match`` does, for paths that the tree leads to this pattern."""
    if not literal.is_fixed:
        match: Callable[[str], MatchedPath | None] = pattern.match
        return match
    text, length = literal.text, len(literal.text)
    if literal.is_whole:
        return lambda path: ("", (), {})
    return lambda path: (path[length:], (), {}) if path.startswith(text) else None


def _of_route(pattern: Any) -> Literal:
    text, parameter, _ = pattern._route.partition("<")
    is_certain = all(type(converter) in _OF_DJANGO for converter in pattern.converters.values())
    return Literal(text, pattern._is_endpoint and not parameter, is_certain, not parameter)


def _of_expression(expression: str, is_endpoint: bool) -> Literal:
    if not expression.startswith("^") or _has_alternatives(expression):
        return Literal("", False, True)
    text, position = "", 1
    while match := _LITERAL.match(expression, position):
        text += match[1] or match[2]
        position = match.end()
    rest = expression[position:]
    is_whole = is_endpoint and rest in ("$", r"\Z")
    return Literal(text, is_whole, True, is_whole or not rest)


def _has_alternatives(expression: str) -> bool:
    depth = 0
    for character in _SKIPPED.sub("", expression):
        depth += (character == "(") - (character == ")")
        if character == "|" and depth == 0:
            return True
    return False
