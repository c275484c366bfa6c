"""The guard of ``create()`` and ``update()``: no silent partial writes of related objects."""

from lintel.fields.base import Field, developer_error
from lintel.serializers.base import BaseSerializer
from lintel.serializers.types import OfModel, ReadValues
from lintel.serializers.usual_values import unusual
from lintel.utils import model_meta

_CONTAINERS = (list, dict)


def raise_errors_on_nested_writes(
    method_name: str, serializer: OfModel, validated_data: ReadValues
) -> None:
    """Reject input for related objects, which only the project knows how to store.

    Raises AssertionError for a nested serializer on a relation, or a field with a dotted source
    that starts at one, if ``validated_data`` holds lists or dicts for it. Values for columns
    (a nested serializer over a JSON column) pass.
    """
    if not any(isinstance(value, _CONTAINERS) for value in unusual(validated_data.values())):
        return
    relations = model_meta.known_field_info(serializer.Meta.model).relations
    for field in serializer._writable_fields:
        first, *further = field.source_attrs or [""]
        if first not in relations or not isinstance(validated_data.get(first), _CONTAINERS):
            continue
        if isinstance(field, BaseSerializer) and not further:
            _refuse(method_name, serializer, field, "nested")
        if further:
            _refuse(method_name, serializer, field, "dotted-source")


def _refuse(method_name: str, serializer: OfModel, field: Field, kind: str) -> None:
    cls = type(serializer)
    developer_error(
        f"The `.{method_name}()` method does not support writable {kind} fields by default.\n"
        f"Write an explicit `.{method_name}()` method for serializer "
        f"`{cls.__module__}.{cls.__qualname__}`, or set `read_only=True` on {kind} serializer "
        f"fields. The field is `{field.field_name}`, and its input belongs to `{field.source}`."
    )
