"""The keys that HAL and HAL-FORMS reserve, and relations as keys."""

import re

from lintel_codecs.relations import short_relation

__all__ = ["MEDIA_TYPE", "escaped", "relation_of", "unescaped"]

MEDIA_TYPE = "application/hal+json"

_RESERVED = re.compile(r"_+(?:links|embedded|templates)\Z")
# Relations about the resource itself; a key with this name is written as a CURIE.
_OWN = frozenset({"self", "curies"})


def escaped(key: str) -> str:
    """Return a key of data as written: reserved ones get an underscore."""
    return "_" + key if _RESERVED.match(key) else key


def unescaped(key: str) -> str:
    """Return a key of data as it was before ``escaped``."""
    return key[1:] if key.startswith("__") and _RESERVED.match(key) else key


def relation_of(key: str) -> str:
    """Return the relation that is read as this key."""
    return f"key:{key}" if key in _OWN or short_relation(key) != key else key
