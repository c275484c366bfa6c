"""Media types: comparing them, and sorting them by specificity.

Both follow RFC 9110, section 12.5.1, except that ``q`` weights are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from django.utils.http import parse_header_parameters

#: Longer texts are parsed each time: the cache stays small whatever clients send.
_CACHED_LENGTH = 256


class _MediaType:
    """One media type or range: ``type/subtype`` and its parameters, in lower case."""

    __slots__ = ("full_type", "main_type", "orig", "params", "precedence", "sub_type")

    def __init__(self, media_type_str: str | None) -> None:
        self.orig: str = media_type_str or ""
        self.full_type, self.params = _parse_header(self.orig)
        self.main_type, _, self.sub_type = self.full_type.partition("/")
        self.precedence: int = _precedence(self)

    def match(self, other: _MediaType) -> bool:
        """Return whether ``other`` asks for this type: it must have each of its parameters."""
        for name, value in self.params.items():
            if name != "q" and other.params.get(name) != value:
                return False
        offered, asked = self.sub_type, other.sub_type
        if offered != asked and "*" not in (offered, asked):
            return False
        offered, asked = self.main_type, other.main_type
        return offered == asked or "*" in (offered, asked)

    def __eq__(self, other: object) -> bool:
        # Compared as text, not by meaning: the order of parameters matters, and so does case.
        return isinstance(other, _MediaType) and self.orig == other.orig

    def __hash__(self) -> int:
        return hash(self.orig)

    def __str__(self) -> str:
        parts = [f"{self.main_type}/{self.sub_type}"]
        parts.extend(f"{name}={value}" for name, value in self.params.items())
        return "; ".join(parts)


def _precedence(media_type: _MediaType) -> int:
    """Return 0 for ``*/*``, 1 for ``type/*``, 2 for ``type/subtype``, 3 with parameters."""
    if media_type.main_type == "*":
        return 0
    if media_type.sub_type == "*":
        return 1
    return 3 if media_type.params.keys() - {"q"} else 2


def _parse_header(text: str) -> tuple[str, dict[str, str]]:
    """Return the type in lower case and the parameters; undecodable ones are left out."""
    try:
        full_type, params = parse_header_parameters(text)
    except (ValueError, LookupError):  # too long, or an unknown RFC 2231 encoding
        return text.partition(";")[0].strip().lower(), {}
    return full_type, {name: str(value) for name, value in params.items()}


@lru_cache(maxsize=512)
def _remembered(text: str) -> _MediaType:
    return _MediaType(text)


def parse_media_type(text: str | None) -> _MediaType:
    """Return the parsed form of ``text``. Treat it as read-only: equal texts share one object."""
    text = text or ""
    return _remembered(text) if len(text) <= _CACHED_LENGTH else _MediaType(text)


def media_type_matches(lhs: str | None, rhs: str | None) -> bool:
    """Return whether the type ``lhs`` of a parser or renderer satisfies ``rhs`` of a request."""
    # Either may have wildcards; parameters of ``lhs`` must be in ``rhs`` with the same value.
    return parse_media_type(lhs).match(parse_media_type(rhs))


def by_precedence(media_types: Iterable[_MediaType]) -> list[list[_MediaType]]:
    """Return parsed media types in groups, the most specific group first, each in its order."""
    groups: dict[int, list[_MediaType]] = {}
    for media_type in media_types:
        groups.setdefault(media_type.precedence, []).append(media_type)
    return [groups[precedence] for precedence in sorted(groups, reverse=True)]


def order_parsed_by_precedence(media_types: Iterable[_MediaType]) -> list[set[_MediaType]]:
    return [set(group) for group in by_precedence(media_types)]


def order_by_precedence(media_type_lst: Iterable[str]) -> list[set[str]]:
    groups = by_precedence(map(parse_media_type, media_type_lst))
    return [{media_type.orig for media_type in group} for group in groups]
