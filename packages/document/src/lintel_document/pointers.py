"""JSON pointers (RFC 6901)."""

from collections.abc import Iterable
from urllib.parse import unquote

__all__ = ["pointer_of", "steps_of"]


def steps_of(place: str) -> list[str]:
    """Return the keys of a JSON pointer (RFC 6901), also as a fragment; a plain name is one key."""
    pointer = unquote(place.removeprefix("#")) if place.startswith("#") else place
    if not pointer.startswith("/"):
        return [pointer] if pointer else []
    return [key.replace("~1", "/").replace("~0", "~") for key in pointer[1:].split("/")]


def pointer_of(steps: Iterable[str]) -> str:
    """Return keys as a JSON pointer, the inverse of ``steps_of``."""
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)
