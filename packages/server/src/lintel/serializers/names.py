"""Which fields a model serializer has: the options ``fields`` and ``exclude`` of its Meta."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lintel.fields.base import developer_error

#: ``Meta.fields`` for "all columns and forward relations".
ALL_FIELDS = "__all__"


def chosen_names(serializer: Any, declared: Mapping[str, Any], info: Any) -> Any:
    """The names of the fields, in order.

    Raises TypeError for options of a wrong type and AssertionError for options that exclude each
    other or name no field.
    """
    name = type(serializer).__name__
    fields, exclude = _options(serializer.Meta, name)
    if fields is not None and fields != ALL_FIELDS:
        _check_listed(serializer, declared, fields)
        return fields
    names = serializer.get_default_field_names(declared, info)
    return names if exclude is None else _without(names, exclude, declared, name)


def _options(meta: Any, name: str) -> tuple[Any, Any]:
    fields = getattr(meta, "fields", None)
    exclude = getattr(meta, "exclude", None)
    if fields and fields != ALL_FIELDS and not isinstance(fields, list | tuple):
        raise TypeError(
            f"`fields` of {name}.Meta must be a list, a tuple or '{ALL_FIELDS}', not "
            f"{type(fields).__name__}."
        )
    if exclude and not isinstance(exclude, list | tuple):
        raise TypeError(
            f"`exclude` of {name}.Meta must be a list or a tuple, not {type(exclude).__name__}."
        )
    if fields and exclude:
        developer_error(f"{name}.Meta has both `fields` and `exclude`: remove one of them.")
    if fields is None and exclude is None:
        developer_error(
            f"{name}.Meta has neither `fields` nor `exclude`, so it is not clear what to show: "
            f"list the fields, or set `fields = '{ALL_FIELDS}'`."
        )
    return fields, exclude


def _check_listed(serializer: Any, declared: Mapping[str, Any], fields: Iterable[str]) -> None:
    """Fields that the class declares itself must be listed; inherited ones may be left out."""
    expected = set(declared)
    for base in type(serializer).__bases__:
        expected.difference_update(getattr(base, "_declared_fields", ()))
    for missing in sorted(expected.difference(fields)):
        developer_error(
            f"`{missing}` is declared on {type(serializer).__name__} but not listed in "
            "`Meta.fields`: add it to the list, or remove the declaration."
        )


def _without(
    names: Iterable[str], exclude: Iterable[str], declared: Mapping[str, Any], name: str
) -> list[str]:
    remaining = list(names)
    for excluded in exclude:
        if excluded in declared:
            developer_error(
                f"`{excluded}` is declared on {name} and also in `Meta.exclude`: remove one of "
                f"them. An inherited field is taken away by `{excluded} = None`."
            )
        if excluded not in remaining:
            developer_error(
                f"`{excluded}` in `Meta.exclude` of {name} is no field of the model that the "
                "serializer would show: remove it from the list."
            )
        remaining.remove(excluded)
    return remaining
