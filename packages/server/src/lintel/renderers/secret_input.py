"""Write-only input: neither forms nor error messages repeat it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lintel.exceptions import ErrorDetail
from lintel.fields.base import HIDDEN, is_secret, takes_secrets
from lintel.renderers.disclosure import has_errors
from lintel.utils.serializer_helpers import ReturnDict, ReturnList


def without_secrets(serializer: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return raw input of a serializer to refill a form; secrets must be entered again."""
    fields = serializer.fields
    return {name: _kept(fields[name], value) for name, value in values.items() if name in fields}


def _kept(field: Any, value: Any) -> Any:
    if takes_secrets(field):
        return field.get_initial()
    child = getattr(field, "child", None)
    if hasattr(field, "fields") and isinstance(value, Mapping):
        return without_secrets(field, value)
    if hasattr(child, "fields") and isinstance(value, list):
        return [_kept(child, item) for item in value]
    return value


def shown_errors(data: Any) -> Any:
    """Return errors of a serializer without ``write_only`` input repeated in their texts."""
    serializer = getattr(data, "serializer", None)
    if serializer is None or not has_errors(serializer) or not hasattr(serializer, "initial_data"):
        return data
    hidden = _without_input(serializer, serializer.initial_data, data)
    if isinstance(data, dict):
        return ReturnDict(hidden, serializer=serializer)
    return ReturnList(hidden, serializer=serializer)


def errors_of(bound: Any) -> Any:
    """Return the errors of one field of a form, without ``write_only`` input."""
    field = bound._field
    if is_secret(field):
        return hide(bound.errors, sent_to(field))
    is_list = hasattr(getattr(field, "child", None), "fields")
    return _without_input(field, sent_to(field), bound.errors) if is_list else bound.errors


def was_filled(field: Any) -> bool:
    """Return whether the form of a field holds raw input."""
    while getattr(field, "parent", None) is not None:
        field = field.parent
    return hasattr(field, "initial_data")


def sent_to(field: Any) -> Any:
    """Return the raw input of a field at any depth; None if there was none."""
    parent = getattr(field, "parent", None)
    if parent is None:
        return getattr(field, "initial_data", None)
    around = sent_to(parent)
    return field.get_value(around) if isinstance(around, Mapping) else None


_WORD = re.compile(r"\w+")
_WHOLE = re.compile(r".+", re.DOTALL)

#: Beyond so many characters to look for, messages are hidden whole: the search is not linear.
_MOST_SOUGHT = 10_000


def hide(errors: Any, value: Any) -> Any:
    """Return errors whose texts contain nothing of ``value``."""
    words = {word for text in _texts(errors) for word in _WORD.findall(text)}
    found = {text for text in _texts(value) if text and words.issuperset(_WORD.findall(text))}
    if not found:
        return errors
    if sum(map(len, found)) > _MOST_SOUGHT:
        return _replaced(errors, _WHOLE)
    texts = sorted(found, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, texts))})(?!\w)")
    return _replaced(errors, pattern)


def _without_input(serializer: Any, sent: Any, errors: Any) -> Any:
    child = getattr(serializer, "child", None)
    if child is not None and isinstance(sent, list):
        return _without_items(child, sent, errors)
    if not isinstance(errors, dict) or not isinstance(sent, Mapping):
        return errors
    hidden = dict(errors)
    for name, field in getattr(serializer, "fields", {}).items():
        if name in hidden:
            hidden[name] = _errors_of_part(field, field.get_value(sent), hidden[name])
    return hidden


def _without_items(child: Any, sent: list[Any], errors: Any) -> Any:
    """Return errors of a list: one entry per item, or by index of those that have some."""
    if isinstance(errors, list) and len(errors) == len(sent):
        return [_without_input(child, *each) for each in zip(sent, errors, strict=True)]
    if not isinstance(errors, dict):
        return errors
    items = dict(enumerate(sent))
    return {key: _without_input(child, items.get(key), error) for key, error in errors.items()}


def _errors_of_part(field: Any, sent: Any, errors: Any) -> Any:
    if takes_secrets(field):
        return hide(errors, sent)
    is_nested = hasattr(field, "fields") or hasattr(getattr(field, "child", None), "fields")
    return _without_input(field, sent, errors) if is_nested else errors


def _texts(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list | tuple | set):
        return [text for item in value for text in _texts(item)]
    return [] if value is None or isinstance(value, type) else [str(value)]


def _replaced(errors: Any, pattern: re.Pattern[str]) -> Any:
    if isinstance(errors, Mapping):
        return {key: _replaced(value, pattern) for key, value in errors.items()}
    if isinstance(errors, list | tuple):
        return [_replaced(value, pattern) for value in errors]
    if not isinstance(errors, str):
        return errors
    return ErrorDetail(pattern.sub(HIDDEN, str(errors)), code=getattr(errors, "code", None))
