"""Editors of lists and dictionaries: an input, or a group of inputs, for each item.

Their names are those that fields read from forms: ``tags[0]``, ``lines[0]amount``, ``sizes.width``.
``tags[]`` marks the editor, so that a list without items is empty and not missing.
Values that a form cannot express exactly have no editor: files, JSON, multiple choices, null,
"""

from collections.abc import Mapping
from typing import Any

from lintel import serializers
from lintel.fields.base import is_secret
from lintel.renderers.forms.inputs import is_shown
from lintel.utils.html import is_html_input, parse_html_list
from lintel.utils.serializer_helpers import BoundField, NestedBoundField

#: Longer lists are edited as raw data.
MOST_ITEMS = 50

#: Levels of fields inside an item.
MOST_LEVELS = 6

#: Templates that show editors; a field with another one is left unchanged.
EDITORS = ("list_field.html", "list_fieldset.html", "dict_field.html")


class ItemBoundField(NestedBoundField):
    """An object in a list: the names of its fields follow the index without a dot."""

    def __getitem__(self, key: str) -> BoundField:
        bound = super().__getitem__(key)
        value = bound.value
        if is_html_input(self.value):
            given = bound._field.get_value(self.value)
            value = None if given is serializers.empty else given
        return type(bound)(bound._field, value, bound.errors, self.name)

    def as_form_field(self) -> BoundField:
        """Return the same; form input keeps the shape that its fields read."""
        if not is_html_input(self.value):
            return super().as_form_field()
        return type(self)(self._field, self.value, self.errors, self._prefix)


def editor_of(renderer: Any, bound: BoundField, style: Mapping[str, Any]) -> dict[str, object]:
    """Return context for the template of a list or dictionary; empty if there is no editor.

    ``items``: the HTML of each item, with its key in a dictionary; ``blank_item``: a template for
    new ones, with ``placeholder`` for its index or key in names and ids; ``marker``: the name of
    the input that marks the editor. Without a known value there is no editor: submitting it
    unchanged must not empty the stored value.
    """
    field, child = bound._field, getattr(bound._field, "child", None)
    if style.get("base_template") not in EDITORS or "template" in style or child is None:
        return {}
    is_dictionary = isinstance(field, serializers.DictField)
    if is_html_input(bound.value) and not is_dictionary:
        bound.value = parse_html_list(bound.value, default=[])  # a submitted list inside a list
    values = _values(bound.value, is_dictionary)
    if values is None or not _fits(child) or (is_dictionary and hasattr(child, "fields")):
        return {}
    depth = style.get("list_depth", 0)
    placeholder = f"__{depth}__"
    inner = {**style, "list_depth": depth + 1}

    def html(key: object, value: object, errors: object) -> str:
        label = f"{field.label or field.field_name} {key + 1 if isinstance(key, int) else key}"
        prefix = f"{bound.name}.{key}" if is_dictionary else f"{bound.name}[{key}]"
        kind = ItemBoundField if hasattr(child, "fields") else BoundField
        shown = {**inner, "item_label": label.replace(placeholder, "").strip()}
        return str(renderer.render_field(kind(child, value, errors, prefix), shown))

    return {
        "items": [(key, html(key, value, _errors_at(bound.errors, key))) for key, value in values],
        "blank_item": html(placeholder, child.get_initial(), None),
        "placeholder": placeholder,
        "is_dictionary": is_dictionary,
        "marker": _marker(bound, is_dictionary),
    }


def _marker(bound: BoundField, is_dictionary: bool) -> str:
    if not isinstance(bound.value, list | tuple | Mapping) or is_secret(bound._field):
        return ""
    return str(bound.name if is_dictionary else f"{bound.name}[]")


def _values(value: object, is_dictionary: bool) -> list[tuple[object, object]] | None:
    if value in (None, "", serializers.empty):
        return []
    if is_dictionary:
        pairs = list(value.items()) if isinstance(value, Mapping) else None
    else:
        pairs = list(enumerate(value)) if isinstance(value, list | tuple) else None
    if pairs is None or len(pairs) > MOST_ITEMS or any(item is None for _key, item in pairs):
        return None
    return pairs


def _errors_at(errors: object, key: object) -> object:
    if isinstance(errors, list) and isinstance(key, int) and key < len(errors):
        return errors[key] if isinstance(errors[key], dict | list) else None
    return (errors.get(key) or errors.get(str(key))) if isinstance(errors, dict) else None


def _fits(field: Any, depth: int = 0) -> bool:
    """Return whether a form can express an item; serializers that nest themselves have no end."""
    if depth > MOST_LEVELS or not field.form_is_exact:
        return False
    if hasattr(field, "fields"):
        written = [part for part in field.fields.values() if is_shown(part)]
        # An unchecked box sends nothing: an item of only boxes would be lost.
        others = [part for part in written if not isinstance(part, serializers.BooleanField)]
        return bool(others) and all(_fits(part, depth + 1) for part in others)
    child = getattr(field, "child", None)
    return not isinstance(field, serializers.BooleanField) and (
        child is None or _fits(child, depth + 1)
    )
