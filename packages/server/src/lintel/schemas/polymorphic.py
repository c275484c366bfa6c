"""Proxies for one of several serializers: descriptions only, they read and write nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lintel import serializers
from lintel.fields.describing import Schema
from lintel.schemas.annotations import described_value
from lintel.schemas.inspection import is_reference

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema


#: The attribute that all proxies have, also those of drf-spectacular.
DISCRIMINATOR = "resource_type_field_name"


class PolymorphicProxySerializer(serializers.Serializer[Any]):
    """Describes values that one of several serializers reads or writes.

    ``serializers``: classes or instances in a list, or by the values of the discriminator in a
    mapping, or a function that returns one of these. ``resource_type_field_name``: the field that
    tells them apart, None if there is none. ``many``: whether it stands for a list of them; by
    default in the responses of operations that list.
    For serializers that also read and write such values, see ``serializers.UnionSerializer``.
    """

    def __init__(
        self,
        component_name: str,
        serializers: Any,
        resource_type_field_name: str | None,
        many: bool | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.component_name = component_name
        self.many = many
        self.serializers = serializers() if _is_function(serializers) else serializers
        self.resource_type_field_name = resource_type_field_name

    @classmethod
    def many_init(cls, *args: Any, **kwargs: Any) -> Any:
        """The list that ``many=True`` stands for."""
        kwargs.pop("many", None)
        return serializers.ListSerializer(child=cls(*args, **kwargs))


def _is_function(value: object) -> bool:
    return callable(value) and not isinstance(value, type)


def describe_polymorphic(schema: AutoSchema, proxy: Any) -> Schema:
    members, name = proxy.serializers, proxy.resource_type_field_name
    given = members.items() if isinstance(members, Mapping) else ((None, item) for item in members)
    kinds = [(kind, member, described_value(schema, member, schema.view)) for kind, member in given]
    choices: list[Schema] = []
    for _, _, described in kinds:
        choices += [] if described in choices else [described]
    written: Schema = {"oneOf": choices} if choices else {}
    named = {
        str(kind or _kind(schema, member, name)): described["$ref"]
        for kind, member, described in kinds
        if is_reference(described)
    }
    if name and len(named) == len(kinds):
        written["discriminator"] = {"propertyName": name, "mapping": named}
    return written


def _kind(schema: AutoSchema, member: Any, name: str | None) -> str:
    """The value of the discriminator: a constant of its field, else the component's name."""
    serializer = member() if isinstance(member, type) else member
    return next(_constants(serializer, name), schema.get_component_name(serializer))


def _constants(serializer: Any, name: str | None) -> Iterator[str]:
    field: Any = getattr(serializer, "fields", {}).get(name)
    if len(getattr(field, "choices", ())) == 1:
        yield str(next(iter(field.choices)))
    elif hasattr(field, "method_name"):
        try:
            constant = field.to_representation(None)
        except Exception:  # project code, which expects an object
            return
        if isinstance(constant, str):
            yield constant
