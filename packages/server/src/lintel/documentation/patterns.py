"""Short texts that regular expressions accept, for most of them.

Conditions (look-ahead, word boundaries) are left out, so whoever asks checks the text.
"""

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

#: Python's own parser of regular expressions has no public name.
_parser = import_module("re._parser")

#: Characters that are tried where a pattern leaves a choice.
_TRIED = "a1A-_. /@:"

#: The longest text made, and so the most repetitions of one part.
_LONGEST = 200


def in_python(pattern: str) -> str:
    r"""Spell the end of the text as Python before 3.14 does, ``\Z``."""
    return pattern.replace(r"\z", r"\Z")


def text_of(pattern: str, extra: int = 0) -> str | None:
    """Write a text; each part that may repeat does so ``extra`` times more than it has to.

    None for patterns of other dialects.
    """
    try:
        text = _Writer(extra).all(list(_parser.parse(in_python(pattern))))
    except (re.error, OverflowError, RecursionError, KeyError, FutureWarning):
        return None
    return text[:_LONGEST]


class _Writer:
    """Writes what the parts of a pattern accept. Raises KeyError for parts it does not know."""

    def __init__(self, extra: int) -> None:
        self.extra = extra
        self.groups: dict[int, str] = {}
        self.parts: Mapping[str, Callable[[Any], str]] = {
            "LITERAL": chr,
            "NOT_LITERAL": lambda code: _one_of([("NEGATE", None), ("LITERAL", code)]),
            "ANY": lambda value: "a",
            "IN": _one_of,
            "BRANCH": lambda value: self.all(value[1][0]),
            "SUBPATTERN": self.group,
            "ATOMIC_GROUP": self.all,
            "GROUPREF": self.groups.__getitem__,
            **dict.fromkeys(("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"), self.repeated),
            # Places and conditions are no characters; whether they hold is for the check to say.
            **dict.fromkeys(("AT", "ASSERT", "ASSERT_NOT"), lambda value: ""),
        }

    def all(self, parts: Any) -> str:
        return "".join(self.parts[str(name)](value) for name, value in parts)

    def group(self, value: Any) -> str:
        number, _added, _removed, inner = value
        text = self.all(inner)
        if number is not None:
            self.groups[number] = text
        return text

    def repeated(self, value: Any) -> str:
        least, most, inner = value
        # Repetitions of repetitions grow fast, so each is cut.
        return (self.all(inner) * min(least + self.extra, int(most), _LONGEST))[:_LONGEST]


#: Classes of characters by the parser's names for them.
_CLASSES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
}


def _one_of(choices: Any) -> str:
    accepted = re.compile(f"[{''.join(_source(str(name), value) for name, value in choices)}]")
    named = (
        value if str(name) == "LITERAL" else value[0] for name, value in choices if _is_named(name)
    )
    tried = (*_TRIED, *map(chr, named))
    return next((text for text in tried if accepted.match(text)), "")


def _is_named(name: object) -> bool:
    return str(name) in ("LITERAL", "RANGE")


def _source(name: str, value: Any) -> str:
    if name == "NEGATE":
        return "^"
    if name == "CATEGORY":
        return _CLASSES[str(value)]
    low, high = value if name == "RANGE" else (value, value)
    return f"{re.escape(chr(low))}-{re.escape(chr(high))}"
