"""Collects what a codec could not represent, with its place."""

from lintel_document.errors import ParseError
from lintel_document.operations import Issue

__all__ = ["MAX_ISSUES", "Issues", "pointer"]

MAX_ISSUES = 1_000
_LONGEST_PLACE = 300


class Issues:
    """Collects issues, at most MAX_ISSUES; with strict, the first one is a ParseError."""

    def __init__(self, strict: bool = False) -> None:
        self.strict = strict
        self._found: list[Issue] = []

    def add(self, place: str, message: str, name: str = "") -> None:
        """Report a problem at a place. Raises ParseError if strict."""
        issue = Issue(_shortened(place), message, name)
        if self.strict:
            raise ParseError(str(issue))
        if len(self._found) < MAX_ISSUES:
            self._found.append(issue)
        elif len(self._found) == MAX_ISSUES:
            self._found.append(Issue("#", f"There are more than {MAX_ISSUES} issues"))

    def all(self) -> tuple[Issue, ...]:
        """Return all issues, in the order of the content."""
        return tuple(self._found)


def pointer(place: str, *keys: str | int) -> str:
    """Return a place below another one, as a JSON pointer (RFC 6901)."""
    escaped = [str(key).replace("~", "~0").replace("/", "~1") for key in keys]
    return "/".join([place, *escaped])


def _shortened(place: str) -> str:
    return place if len(place) <= _LONGEST_PLACE else place[:_LONGEST_PLACE] + "..."
