"""Model serializers that use URLs instead of keys."""

from lintel.compat import InstanceT
from lintel.fields import Field
from lintel.relations import HyperlinkedRelatedField
from lintel.serializers.model import ModelSerializer, nested_serializer
from lintel.serializers.types import BuiltField, Fields
from lintel.utils.field_mapping import get_nested_relation_kwargs
from lintel.utils.model_meta import FieldInfo, RelationInfo


class HyperlinkedModelSerializer(ModelSerializer[InstanceT]):
    """A ModelSerializer with URLs instead of keys; needs ``request`` in the context."""

    serializer_related_field: type[Field] = HyperlinkedRelatedField

    def get_default_field_names(self, declared_fields: Fields, model_info: FieldInfo) -> list[str]:
        return [
            str(self.url_field_name),
            *declared_fields,
            *model_info.fields,
            *model_info.forward_relations,
        ]

    def build_nested_field(
        self, field_name: str, relation_info: RelationInfo, nested_depth: int
    ) -> BuiltField:
        nested = nested_serializer(HyperlinkedModelSerializer, relation_info, nested_depth)
        return nested, get_nested_relation_kwargs(relation_info)
