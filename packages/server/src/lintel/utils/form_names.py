"""Names of the parts of forms that lead into nested data: ``lines[0].photo``, ``address.city``.

A step into an object is a key after a dot, a step into a list is an index in brackets.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from lintel.utils.html import FormItem

Step: TypeAlias = str | int
Value: TypeAlias = Any  # JSON, text, a file
Parts: TypeAlias = MultiValueDict[str, Any]

_KEY = r"[^.\[\]]+"
_INDEX = r"\[[0-9]{1,6}\]"
_NAME = re.compile(rf"({_KEY})((?:\.{_KEY}|{_INDEX})*)")
_STEP = re.compile(rf"\.({_KEY})|\[([0-9]+)\]")


def steps_of(name: str) -> list[Step]:
    """Return the steps of a name. One that leads nowhere is a single step."""
    match = _NAME.fullmatch(name)
    if match is None:
        return [name]
    inside = _STEP.finditer(match[2])
    return [match[1], *(step[1] if step[1] is not None else int(step[2]) for step in inside)]


def depth_of(name: str) -> int:
    return name.count(".") + name.count("[")


# ---- forms without a part of JSON ----


class NestedForm(QueryDict, FormItem):
    """A form whose names are as serializers read them: ``a[0].b`` is ``a[0]b``."""


def nested_form(form: QueryDict) -> NestedForm:
    result = NestedForm("", mutable=True, encoding=form.encoding)
    _rename(form, result)
    result._mutable = False
    return result


def nested_files(files: Parts) -> FormItem:
    result = FormItem()
    _rename(files, result)
    return result


def _rename(sent: Parts, result: FormItem) -> None:
    for name, values in sent.lists():
        for value in values:
            result.appendlist(name.replace("].", "]"), value)


# ---- a part of JSON with files beside it ----


class FormDocument(dict[str, Value]):
    """The document in a form, with the files and texts of other parts at their places."""

    def __init__(self, document: Mapping[str, Value], form: QueryDict) -> None:
        super().__init__(document)
        #: The form as it was sent.
        self.form = form


def place_all(document: FormDocument, parts: Iterable[tuple[str, Sequence[Value]]]) -> None:
    """Put the values of parts where their names lead: one value, or the list of several.

    Raises LookupError with the name of a part that leads through a value that is no object or
    list, or behind the end of a list.
    """
    places = [(steps_of(name), name, values) for name, values in parts]
    for steps, name, values in sorted(places, key=lambda entry: list(map(_order, entry[0]))):
        try:
            _place(document, steps, values[0] if len(values) == 1 else list(values))
        except LookupError:
            raise LookupError(name) from None


def _order(step: Step) -> tuple[bool, Step]:
    return isinstance(step, int), step


def _place(document: FormDocument, steps: Sequence[Step], value: Value) -> None:
    target: Value = document
    for step, following in pairwise(steps):
        target = _entered(target, step, [] if isinstance(following, int) else {})
    _entered(target, steps[-1], None)
    target[steps[-1]] = value


def _entered(target: Value, step: Step, new: Value) -> Value:
    """Return what is at a step, which is made if it is missing or the next of a list."""
    if isinstance(step, str) and isinstance(target, dict):
        return target.setdefault(step, new)
    if isinstance(step, int) and isinstance(target, list) and step <= len(target):
        target += [new] if step == len(target) else []
        return target[step]
    raise LookupError


# ---- writing ----


def flattened(data: Mapping[str, Value], before: str = "") -> Iterator[tuple[str, Value]]:
    """Yield the names and values of a form.

    A list of plain values is one name with all of them, but in another list a name for each. None
    is an empty text, and an empty list has the name ``name[]``.
    """
    for key, value in data.items():
        yield from _named(f"{before}.{key}" if before else str(key), value)


def _named(name: str, value: Value) -> Iterator[tuple[str, Value]]:
    if isinstance(value, Mapping):
        yield from flattened(value, name)
    elif not isinstance(value, list | tuple):
        yield name, "" if value is None else value
    elif name.endswith("]") or any(isinstance(item, Mapping | list | tuple) for item in value):
        for index, item in enumerate(value):
            yield from _named(f"{name}[{index}]", item)
    else:
        plain = ["" if item is None else item for item in value]
        yield (name, plain) if plain else (f"{name}[]", "")
