"""Characters of other people's texts that act on their surroundings: on a terminal, or on a reader.

Controls (C0, DEL, C1: U+009B is the start of a terminal command) and the characters that turn the
direction of the text around them (Unicode Bidirectional Algorithm, UAX 9).
"""

import re

__all__ = ["escaped_json", "printable"]

_BEYOND_ASCII = "\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_ACTING = re.compile(rf"[\x00-\x08\x0b-\x1f{_BEYOND_ASCII}]")
_UNESCAPED = re.compile(rf"[{_BEYOND_ASCII}]")


def printable(text: str) -> str:
    """Return text with a mark in place of each such character; line breaks and tabs stay."""
    return _ACTING.sub("\N{REPLACEMENT CHARACTER}", text)


def escaped_json(text: str) -> str:
    r"""Return the same JSON with these characters as escapes (``\u202e``), as it has the rest."""
    return _UNESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
