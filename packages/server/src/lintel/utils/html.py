"""Lists and dictionaries written as the names of form inputs.

items[0]=a&items[1]=b            a list of values
items[0]name=a&items[0]size=1    a list of dictionaries
address.city=a&address.zip=b     a dictionary
"""

import re
from typing import Any

from django.utils.datastructures import MultiValueDict

#: No default was passed: the result for missing input is then an empty dictionary.
NOT_PROVIDED = object()

# int() of a longer number takes quadratic time, and no form has this many rows.
_MAX_INDEX_DIGITS = 1000


class FormItem(MultiValueDict[str, Any]):
    """A part of a form that keeps all values of a name, also inside of lists."""


def is_html_input(dictionary: object) -> bool:
    """Return whether this is form data (keys may repeat) rather than parsed JSON."""
    return hasattr(dictionary, "getlist")


def parse_html_list(dictionary: Any, prefix: str = "", default: object = None) -> Any:
    """Return the values named ``prefix[0]``, ordered by index, or ``default`` if there are none."""
    # A value named ``prefix[0]name`` makes its entry a MultiValueDict. Gaps are ignored.
    pattern = re.compile(rf"^{re.escape(prefix)}\[([0-9]{{1,{_MAX_INDEX_DIGITS}}})\](.*)$")
    keeps_all = isinstance(dictionary, FormItem)
    new: type[MultiValueDict[str, Any]] = FormItem if keeps_all else MultiValueDict
    entries: dict[int, Any] = {}
    for name, value in dictionary.items():
        match = pattern.match(name)
        if match is None:
            continue
        index, key = int(match[1]), match[2]
        if not key:
            entries[index] = value
            continue
        if not isinstance(entries.get(index), MultiValueDict):
            entries[index] = new()
        entries[index].setlist(key, dictionary.getlist(name) if keeps_all else [value])
    return [entries[index] for index in sorted(entries)] if entries else default


def parse_html_dict(dictionary: Any, prefix: str = "", default: object = NOT_PROVIDED) -> Any:
    """Return the values named ``prefix.key`` as a MultiValueDict by ``key``, or ``default``."""
    pattern = re.compile(rf"^{re.escape(prefix)}\.(.+)$")
    keeps_all = isinstance(dictionary, FormItem)
    result: MultiValueDict[str, Any] = FormItem() if keeps_all else MultiValueDict()
    for name in dictionary:
        matched = pattern.match(name)
        if matched is not None:
            result.setlist(matched[1], dictionary.getlist(name))
    return result if result or default is NOT_PROVIDED else default
