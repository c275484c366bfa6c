"""Alternatives of types."""

from collections.abc import Iterable

from lintel_client.stubs.kinds import ANY, Kind, Union

__all__ = ["union"]


def union(kinds: Iterable[Kind]) -> Kind:
    """Return one type for several, each once; ANY if one of them is."""
    options: dict[Kind, None] = {}
    for kind in kinds:
        options.update(dict.fromkeys(kind.options if isinstance(kind, Union) else (kind,)))
    if ANY in options or not options:
        return ANY
    return Union(tuple(options)) if len(options) > 1 else next(iter(options))
