"""Links between the parts of a form: ids, descriptions of inputs, a summary of errors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lintel import serializers
from lintel.renderers.form_values import error_lines, lines_of
from lintel.settings import api_settings


class Problem(NamedTuple):
    """One line of the summary of a form's errors; ``target`` is the id of an input, or empty."""

    target: str
    label: str
    text: str


def prefix_of(form: Any) -> str:
    """Return the prefix of a form's ids: its method, so that they are unique on the page."""
    view = (getattr(form, "context", None) or {}).get("view")
    method = getattr(getattr(view, "request", None), "method", None)
    return str(method or "form").lower()


def marks_of(bound: Any, prefix: str) -> dict[str, Any]:
    """Return the context for the template of a field, in addition to the field itself.

    ``input_id``, the ids of the texts that describe the input, and whether a value is required.
    """
    input_id = _id_of(bound, prefix)
    texts = [f"{input_id}-error"] if error_lines(bound) else []
    if getattr(bound, "help_text", None):
        texts.append(f"{input_id}-help")
    return {
        "input_id": input_id,
        "described_by": " ".join(texts),
        "is_required": _is_required(bound),
    }


def _id_of(bound: Any, prefix: str) -> str:
    return re.sub(r"[^\w-]+", "-", f"{prefix}-{bound.name}")


def _is_required(bound: Any) -> bool:
    """Return whether an empty input is rejected; an unchecked box is a valid value."""
    field = bound._field
    if not field.required or isinstance(field, serializers.BooleanField):
        return False
    root = field.root if hasattr(field, "root") else field
    may_be_empty = ("allow_null", "allow_blank", "allow_empty")
    return not (
        getattr(root, "partial", False) or any(getattr(field, name, False) for name in may_be_empty)
    )


def problems_of(form: Any, prefix: str) -> list[Problem]:
    """Return all errors of a form in the order of its fields.

    Those of the form as a whole come first.
    """
    errors = getattr(form, "_errors", None)
    if not isinstance(errors, Mapping):
        return []
    known = {name for name, field in form.fields.items() if _is_shown(field)}
    rest = {name: error for name, error in errors.items() if name not in known}
    whole = rest.pop(api_settings.NON_FIELD_ERRORS_KEY, [])
    of_the_form = [*lines_of(whole), *lines_of(rest)]
    return [Problem("", *line) for line in of_the_form] + list(_problems(form, prefix))


def _problems(form: Any, prefix: str) -> Iterator[Problem]:
    for bound in form:
        if not _is_shown(bound._field):
            continue
        target, label = _id_of(bound, prefix), str(bound.label or bound.name)
        yield from (Problem(target, label, text) for text in error_lines(bound))
        if hasattr(bound._field, "fields"):
            yield from _problems(bound, prefix)


def _is_shown(field: Any) -> bool:
    return not (field.read_only or isinstance(field, serializers.HiddenField))
