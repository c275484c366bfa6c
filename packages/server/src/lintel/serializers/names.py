"""The field names of a model serializer, from ``fields`` and ``exclude`` of its Meta."""

from collections.abc import Iterable
from typing import Any

from lintel.fields.base import developer_error
from lintel.serializers.types import Fields, OfModel
from lintel.utils.model_meta import FieldInfo

#: ``Meta.fields`` for "all columns and forward relations".
ALL_FIELDS = "__all__"


def chosen_names(serializer: OfModel, declared_fields: Fields, info: FieldInfo) -> Any:
    """The names that ``Meta`` asks for. Raises TypeError, AssertionError for wrong options."""
    name = type(serializer).__name__
    fields, exclude = _options(serializer.Meta, name)
    if fields is not None and fields != ALL_FIELDS:
        _check_listed(serializer, declared_fields, fields)
        return fields
    names = serializer.get_default_field_names(declared_fields, info)
    return names if exclude is None else _without(names, exclude, declared_fields, name)


def _options(meta: object, name: str) -> tuple[Any, Any]:
    fields = getattr(meta, "fields", None)
    exclude = getattr(meta, "exclude", None)
    if fields and fields != ALL_FIELDS and not isinstance(fields, list | tuple):
        raise TypeError(
            f'The `fields` option must be a list or tuple or "{ALL_FIELDS}". Got '
            f"{type(fields).__name__}. Correct it in {name}.Meta."
        )
    if exclude and not isinstance(exclude, list | tuple):
        raise TypeError(
            f"The `exclude` option must be a list or tuple. Got {type(exclude).__name__}. Correct "
            f"it in {name}.Meta."
        )
    if fields and exclude:
        developer_error(
            f"Cannot set both 'fields' and 'exclude' options on serializer {name}. Remove one of "
            "them from its Meta."
        )
    if fields is None and exclude is None:
        developer_error(
            "Creating a ModelSerializer without either the 'fields' attribute or the 'exclude' "
            "attribute has been deprecated since 3.3.0, and is now disallowed. Add an explicit "
            f"fields = '{ALL_FIELDS}' to the {name} serializer. Better still, list the fields: a "
            "column that the model gets later is then not shown by accident."
        )
    return fields, exclude


def _check_listed(serializer: OfModel, declared: Fields, fields: Iterable[str]) -> None:
    """Check that fields declared in the class itself are listed; inherited ones may be omitted."""
    expected = set(declared)
    for base in type(serializer).__bases__:
        expected.difference_update(getattr(base, "_declared_fields", ()))
    for missing in sorted(expected.difference(fields)):
        developer_error(
            f"The field '{missing}' was declared on serializer {type(serializer).__name__}, but "
            "has not been included in the 'fields' option. Add it there, or remove the "
            "declaration."
        )


def _without(
    names: Iterable[str], exclude: Iterable[str], declared: Fields, name: str
) -> list[str]:
    remaining = list(names)
    for excluded in exclude:
        if excluded in declared:
            developer_error(
                f"Cannot both declare the field '{excluded}' and include it in the {name} "
                "'exclude' option. Remove the field or, if inherited from a parent serializer, "
                f"disable with `{excluded} = None`."
            )
        if excluded not in remaining:
            developer_error(
                f"The field '{excluded}' was included on serializer {name} in the 'exclude' "
                "option, but does not match any model field. Remove it from the option."
            )
        remaining.remove(excluded)
    return remaining
