"""The options of a select: the choices, always including the current value.

A select lists at most ``html_cutoff`` options. Without the current value among them, a browser
would select the first one, and saving a title would change the author.
"""

from __future__ import annotations

from typing import Any

from lintel import serializers
from lintel.fields.choices import Option
from lintel.renderers.choices import is_searchable, name_of

#: Template packs with a search input for tables that are too large for a select.
PACKS = ("rest_framework/horizontal", "rest_framework/vertical", "rest_framework/inline")


def options_of(bound: Any, listed_before: dict[int, list[Any]] | None = None) -> list[Any]:
    """Return the options of a bound field, adding current values that the list lacks.

    ``listed_before`` holds those of the same form by field: the items of a list share a field, and
    its choices are looked up once.
    """
    if not hasattr(bound._field, "iter_options"):
        return []
    options = None if listed_before is None else listed_before.get(id(bound._field))
    if options is None:
        options = list(bound.iter_options())
        if listed_before is not None:
            listed_before[id(bound._field)] = options
    listed = {str(option.value) for option in options if type(option) is Option}
    left_out = [value for value in _chosen(bound.value) if str(value) not in listed]
    if not left_out:
        return options
    kept = [
        Option(value=value, display_text=text)
        for value, text in zip(left_out, _texts(bound._field, left_out), strict=True)
    ]
    # The line that says how many are listed stays last.
    has_note = bool(options) and getattr(options[-1], "disabled", False)
    place = len(options) - 1 if has_note else len(options)
    return [*options[:place], *kept, *options[place:]]


def search_of(bound: Any, style: dict[str, Any], options: list[Any]) -> dict[str, Any]:
    """Return context for the template of a relation with more rows than a select may list.

    A single choice becomes an input for its value, and ``style`` is changed to that; both kinds
    get a search by the page's script, which asks for ``searched_field``.
    """
    is_cut_off = bool(options) and getattr(options[-1], "disabled", False)
    if not is_cut_off or "template" in style or not is_searchable(bound._field):
        return {}
    context = {"searched_field": name_of(bound._field)}
    is_ours = style["template_pack"].strip("/") in PACKS
    if style["base_template"] == "select.html" and is_ours:
        style["base_template"] = "relation.html"
        context["chosen_text"] = _text_of(bound.value, options)
    return context


def _text_of(value: Any, options: list[Any]) -> str:
    for option in options:
        if type(option) is Option and not option.disabled and str(option.value) == str(value):
            return "" if option.display_text == option.value else str(option.display_text)
    return ""


def _chosen(value: Any) -> list[Any]:
    values = value if isinstance(value, list | tuple | set) else [value]
    return [one for one in values if one not in (None, "") and not isinstance(one, dict | list)]


def _texts(field: Any, values: list[Any]) -> list[str]:
    """Return the displayed texts of values not in the list; the value itself if unknown."""
    relation = getattr(field, "child_relation", field)
    if not isinstance(relation, serializers.RelatedField):
        return [str(value) for value in values]
    many = relation is not field
    try:
        # Looked up like input, so nobody sees a row that could not be chosen.
        found = field.to_internal_value(values) if many else [field.to_internal_value(values[0])]
        return [relation.display_value(each) for each in found]
    except Exception:  # saving will report what is wrong with the value
        return [str(value) for value in values]
