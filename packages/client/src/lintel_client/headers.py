"""Header fields: case-insensitive names, with any number of values (RFC 9110, 5)."""

import re
from collections.abc import Iterable, Iterator, Mapping

__all__ = ["Headers", "checked_header"]

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


class Headers(Mapping[str, str]):
    """An immutable list of header fields that reads like a mapping.

    Looking up a name joins its values with ", "; ``get_all`` returns them one by one.
    """

    __slots__ = ("_pairs",)

    def __init__(self, fields: Mapping[str, str] | Iterable[tuple[str, str]] = ()) -> None:
        pairs = fields.items() if isinstance(fields, Mapping) else fields
        self._pairs = tuple((name, value) for name, value in pairs)

    def __getitem__(self, name: str) -> str:
        values = self.get_all(name)
        if not values:
            raise KeyError(name)
        return ", ".join(values)

    def __iter__(self) -> Iterator[str]:
        seen = set()
        for name, _ in self._pairs:
            if name.lower() not in seen:
                seen.add(name.lower())
                yield name

    def __len__(self) -> int:
        return len({name.lower() for name, _ in self._pairs})

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(self.get_all(name))

    def get_all(self, name: str) -> list[str]:
        """Return all values of a name in order."""
        return [value for key, value in self._pairs if key.lower() == name.lower()]

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Return all fields in order."""
        return self._pairs

    def setting(self, fields: Iterable[tuple[str, str]]) -> "Headers":
        """Return headers in which these fields replace those of the same name."""
        added = list(fields)
        names = {name.lower() for name, _ in added}
        kept = [pair for pair in self._pairs if pair[0].lower() not in names]
        return Headers([*kept, *added])

    def keeping(self, names: Iterable[str]) -> "Headers":
        """Return only the fields with these names."""
        wanted = {name.lower() for name in names}
        return Headers([pair for pair in self._pairs if pair[0].lower() in wanted])

    def __repr__(self) -> str:
        # Values are left out: they may be secret.
        return f"Headers({list(self)!r})"


def checked_header(name: str, value: str) -> tuple[str, str]:
    """Return a field that is safe to send. Raises ValueError if it would break the message."""
    if not _TOKEN.fullmatch(name):
        raise ValueError(f"{name!r} is not a header name")
    if _CONTROL.search(value):
        raise ValueError(
            f"The value of the header {name} contains a line break or control character"
        )
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise ValueError(f"The value of the header {name} cannot be encoded as UTF-8")
    return name, value.strip(" \t")
