"""Values that a schema accepts: candidates are tried, and a text is made from the pattern."""

import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial

from lintel.documentation.patterns import in_python, text_of
from lintel.schemas.tree import Schema

#: Plain texts for fields whose names say nothing.
_TEXTS = ("text", "a-slug", "AB12", "1", "1.5", "0.5", "0", "A", "abc", "123456", "+12025550100")

#: The longest text that a pattern is tried on: some take a time that doubles with each character.
_TRIED = 40


def text_for(schema: Schema, candidates: Iterable[str]) -> str:
    """The first text that fits, else one made from the pattern or the limits."""
    texts = list(candidates)
    fit = partial(accepts_text, schema)
    result = next(filter(fit, (*texts, *_TEXTS, *_from_pattern(schema))), None)
    if result is not None:
        return result
    first = texts[0] if texts and "format" not in schema else "text"
    shortest, longest = schema.get("minLength", 0), schema.get("maxLength", 100)
    return first.ljust(min(shortest, 10_000), first[-1:])[: max(longest, 0)]


def _from_pattern(schema: Schema) -> Iterator[str]:
    pattern, shortest = schema.get("pattern"), schema.get("minLength", 0)
    if isinstance(pattern, str):
        # The text is as short as possible, or as long as is asked for.
        made = (text_of(pattern, extra) for extra in (0, 1, shortest))
        yield from filter(None, made)


def accepts_text(schema: Schema, text: str) -> bool:
    pattern = schema.get("pattern")
    if not schema.get("minLength", 0) <= len(text) <= schema.get("maxLength", len(text)):
        return False
    return not isinstance(pattern, str) or (len(text) <= _TRIED and _matches(pattern, text))


def _matches(pattern: str, text: str) -> bool:
    try:
        return re.search(in_python(pattern), text) is not None
    except (re.error, FutureWarning):
        return False


def number_for(schema: Schema, candidates: Iterable[float]) -> float:
    """The first number that fits, else one between the limits or at one of them."""
    low, high = _limit(schema, "minimum", max), _limit(schema, "maximum", min)
    step = schema.get("multipleOf") or 1
    usual = (*candidates, 1, 0)
    tried = (*usual, *_between(low, high), *_steps(low, high, step))
    result = next((value for value in tried if accepts_number(schema, value)), None)
    return result if result is not None else next(iter(usual))


def _limit(schema: Schema, name: str, stricter: Callable[[Iterable[float]], float]) -> float | None:
    names = name, f"exclusive{name.capitalize()}"
    limits = [schema[word] for word in names if _is_number(schema.get(word))]
    return stricter(limits) if limits else None


def _between(low: float | None, high: float | None) -> Iterator[float]:
    yield from (limit for limit in (low, high) if limit is not None)
    if low is not None and high is not None:
        yield low + (high - low) / 2


def _steps(low: float | None, high: float | None, step: float) -> Iterator[float]:
    """Multiples of the step, upwards from the lower limit or downwards from the upper one."""
    size = Fraction(str(step))
    start, sign = (low, 1) if low is not None else (high or 0, -1)
    first = Fraction(str(start)) // size
    for count in range(9):
        value = (first + sign * count) * size
        yield int(value) if value.denominator == 1 else float(value)


def accepts_number(schema: Schema, value: float) -> bool:
    step = schema.get("multipleOf")
    checks = (
        "integer" not in schema.get("type", "") or value == int(value),
        value >= schema.get("minimum", value),
        value <= schema.get("maximum", value),
        "exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"],
        "exclusiveMaximum" not in schema or value < schema["exclusiveMaximum"],
        not step or (Fraction(str(value)) / Fraction(str(step))).denominator == 1,
    )
    return all(checks)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
