"""Nested serializers that write: their items may name their rows by a key that is read-only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lintel.fields.columns import column_schema
from lintel.fields.describing import Schema
from lintel.serializers import Serializer
from lintel.serializers.item_keys import KeyOfItems
from lintel.serializers.parts import places_of
from lintel.serializers.unknown import forbids_unknown

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema


def add_keys_of_parts(
    schema: AutoSchema, serializer: Serializer, properties: dict[str, Schema]
) -> None:
    """Add the key of items to their descriptions in requests, if no field has it, and limits."""
    for place in places_of(serializer):
        name = schema.get_field_name(place.field)
        if place.field.read_only or name not in properties:
            continue
        properties[name] = _with_limit(properties[name], place.nested.max_items)
        if place.nested.match is None:
            continue
        key = KeyOfItems(place.nested.match, place.relation.model, "", place.child)
        if not key.foreign:
            continue
        added = {"type": "object", "properties": {key.name: column_schema(key.column)}}
        properties[name] = _with_key(schema, place.child, properties[name], added)


def _with_limit(described: Schema, most: int | None) -> Schema:
    if described.get("type") != "array" or most is None:
        return described
    return {**described, "maxItems": min(most, described.get("maxItems", most))}


def _with_key(schema: AutoSchema, child: Serializer, described: Schema, added: Schema) -> Schema:
    if described.get("type") == "array":
        items = _with_key(schema, child, described["items"], added)
        return {**described, "items": items}
    if forbids_unknown(child):
        # A key beside the known ones is unknown to a schema of its own.
        inner: Mapping[str, object] = schema.map_serializer(child)
        return {**inner, "properties": {**added["properties"], **inner["properties"]}}  # type: ignore[dict-item]
    around = {word: value for word, value in described.items() if word == "nullable"}
    return {"allOf": [described, added], **around}
