"""Which value of a request each text of an error concerns.

The details of an exception have the shape of the input; here they become a flat list of entries,
each with a JSON Pointer into the body (RFC 6901) or with the name of a parameter.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from django.core.exceptions import NON_FIELD_ERRORS
from django.utils.encoding import force_str

from lintel.settings import api_settings

#: Limits of the report: each pointer repeats keys that the client sent.
MAX_ERRORS = 1000
MAX_DEPTH = 100
MAX_POINTER_LENGTH = 1000

#: Codes that concern the query whatever the method of the request.
QUERY_CODES = frozenset(["unknown_query_parameter"])

#: Methods whose requests have no body that a view would read (RFC 9110, section 9.3).
BODILESS_METHODS = frozenset(["GET", "HEAD", "OPTIONS", "TRACE"])

ExceptionT = TypeVar("ExceptionT", bound=Exception)


@dataclass(frozen=True)
class Found:
    """One text of the details, and the path of keys to it."""

    keys: tuple[str, ...]
    code: str
    detail: str


def about_parameter(exc: ExceptionT, name: str) -> ExceptionT:
    """Record on an exception which parameter of the query, path or headers it concerns."""
    exc._lintel_parameter = name  # type: ignore[attr-defined]
    return exc


def parameter_of(exc: Exception) -> str | None:
    return getattr(exc, "_lintel_parameter", None)


def error_entries(exc: Any, request: object) -> tuple[list[dict[str, str]], int]:
    """Return the entries of ``errors`` for an exception, and how many more were found."""
    result = texts_of(exc.detail, text_of(getattr(exc, "default_code", None) or "error"))
    place_of = partial(_place, parameter_of(exc), _names_parameters(exc, request))
    entries = [
        {**place_of(error), "code": error.code, "detail": error.detail}
        for error in islice(result, MAX_ERRORS)
    ]
    return entries, sum(1 for _rest in result)


def text_of(value: object) -> str:
    """Return a text of the details, which may be lazy, bytes or of any other type."""
    try:
        return force_str(value, errors="replace")
    except Exception:
        return f"({type(value).__name__})"


def is_structured(detail: object) -> bool:
    return isinstance(detail, Mapping | list | tuple)


def texts_of(detail: object, default_code: str) -> Iterator[Found]:
    """Yield each text of the details, in order; mappings and lists in a list have an index."""
    # What is nested deeper than MAX_DEPTH, or inside itself, is left out.
    waiting: list[tuple[int, Iterator[tuple[tuple[str, ...], object]]]] = [
        (0, iter([((), detail)]))
    ]
    while waiting:
        for keys, value in waiting[-1][1]:
            if not is_structured(value):
                code = getattr(value, "code", None) or default_code
                yield Found(keys, text_of(code), text_of(value))
            elif len(waiting) <= MAX_DEPTH and id(value) not in (address for address, _ in waiting):
                waiting.append((id(value), _parts(keys, value)))
                break
        else:
            waiting.pop()


def _parts(keys: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], object]]:
    if isinstance(value, Mapping):
        nowhere = (api_settings.NON_FIELD_ERRORS_KEY, NON_FIELD_ERRORS)
        for key, part in value.items():
            yield (keys if key in nowhere else (*keys, text_of(key))), part
    else:
        for index, part in enumerate(value):
            yield ((*keys, str(index)) if is_structured(part) else keys), part


def _place(
    parameter: str | None, is_parameter: Callable[[str], bool], failure: Found
) -> dict[str, str]:
    if parameter is not None:
        return {"parameter": parameter}
    name = failure.keys[0] if failure.keys else ""
    if is_parameter(name) or failure.code in QUERY_CODES:
        return {"parameter": name} if name else {}
    return {"pointer": pointer_to(failure.keys)}


def pointer_to(keys: tuple[str, ...]) -> str:
    """Return the JSON Pointer (RFC 6901, section 3), truncated if it would be too long."""
    pointer = ""
    for key in keys:
        longer = f"{pointer}/{key[:MAX_POINTER_LENGTH].replace('~', '~0').replace('/', '~1')}"
        if len(key) > MAX_POINTER_LENGTH or len(longer) > MAX_POINTER_LENGTH:
            return pointer
        pointer = longer
    return pointer


def _names_parameters(exc: Any, request: object) -> Callable[[str], bool]:
    serializer = getattr(exc.detail, "serializer", None)
    if request is None:
        return lambda key: False
    query = getattr(getattr(request, "_request", request), "GET", {})
    if serializer is not None:
        is_query = getattr(serializer, "initial_data", None) is query
        return lambda key: is_query
    if getattr(request, "method", None) in BODILESS_METHODS:
        return lambda key: True
    body = getattr(request, "__dict__", {}).get("_full_data")
    names = body if isinstance(body, Mapping) else {}
    return lambda key: key in query and key not in names
