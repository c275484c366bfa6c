"""One component for both directions, for projects that ask for it instead of two.

It says what is true of objects in both: a property of one direction is read-only or write-only, and
constraints of one direction are left out. A serializer that cannot be said so keeps its two.
"""

from collections.abc import Iterator, Mapping

from lintel.schemas import tree
from lintel.schemas.components import without_demands
from lintel.schemas.document_settings import spectacular_settings
from lintel.schemas.tree import PATCH, REQUEST, RESPONSE, Schema
from lintel.schemas.values import NOTES
from lintel.settings import api_settings

#: Keywords without which a schema allows more, and is no less true.
CONSTRAINTS = frozenset(
    [
        *("minLength", "maxLength", "pattern", "format", "not", "enum"),
        *("minimum", "maximum", "multipleOf", "minItems", "maxItems", "uniqueItems"),
    ]
)


def splits_components() -> bool:
    """Whether serializers whose directions differ have a component for each."""
    said = api_settings.OPENAPI_SPLIT_COMPONENTS
    if said is None:
        said = spectacular_settings.COMPONENT_SPLIT_REQUEST
    return said is None or bool(said)


def join_directions(components: dict[str, dict[str | None, tree.Schema]]) -> None:
    """Replace the directions of components by one that is true of both, where there is one."""
    for name, by_direction in components.items():
        received, sent = by_direction.get(RESPONSE), by_direction.get(REQUEST)
        if received is None or sent is None:
            continue
        both = joined(received, sent)
        if both is not None:
            components[name] = {RESPONSE: both, PATCH: without_demands(both)}


def joined(received: tree.Schema, sent: tree.Schema) -> Schema | None:
    """Return what is true of an object in both directions; None if they have to be told apart."""
    if received == sent:
        return received if isinstance(received, Mapping) else None
    if not (_has_properties(received) and _has_properties(sent)):
        return None
    properties = dict(_joined_properties(received["properties"], sent["properties"]))
    if None in properties.values():
        return None
    required = _required(received, sent)
    words = {**sent, **received}
    words.pop("additionalProperties", None)
    words.pop("required", None)
    return {**words, "properties": properties, **({"required": required} if required else {})}


def _has_properties(schema: tree.Schema) -> bool:
    return isinstance(schema, Mapping) and "properties" in schema


def _joined_properties(received: Schema, sent: Schema) -> Iterator[tuple[str, Schema | None]]:
    for name in dict.fromkeys([*received, *sent]):
        if name not in sent:
            yield name, {**received[name], "readOnly": True}
        elif name not in received:
            yield name, {**sent[name], "writeOnly": True}
        else:
            yield name, _joined_value(received[name], sent[name])


def _joined_value(received: Schema, sent: Schema) -> Schema | None:
    if received == sent:
        return received
    left, right = _without_blank(received), _without_blank(sent)
    if _kind(left) != _kind(right):
        return None
    shared = {word: value for word, value in left.items() if right.get(word) == value}
    if "items" in left and "items" not in shared:
        shared["items"] = _joined_value(left["items"], right["items"])
        if shared["items"] is None:
            return None
    notes = {word: value for word, value in {**right, **left}.items() if word in NOTES}
    return {**shared, **notes}


def _kind(schema: Schema) -> Schema:
    """Return what two schemas have to share to be one."""
    words = {word: value for word, value in schema.items() if word not in CONSTRAINTS | NOTES}
    words["is_binary"] = schema.get("format") == "binary"
    return {**words, "items": None} if "items" in words else words


def _without_blank(schema: Schema) -> Schema:
    """Return a text that may be empty, instead of a constrained one or the empty one."""
    either = schema.get("anyOf") or ()
    if any(choice.get("type") != "string" for choice in either) or not either:
        return schema
    return {"type": "string", **{word: said for word, said in schema.items() if word != "anyOf"}}


def _required(received: Schema, sent: Schema) -> list[str]:
    """Return the names that are always there, in each direction that knows them.

    ``required`` counts for read-only names in responses alone (OpenAPI 3.0.3, section 4.7.24.2).
    """
    left, right = received.get("required", ()), sent.get("required", ())
    named = received["properties"], sent["properties"]
    return [
        name
        for name in dict.fromkeys([*left, *right])
        if (name in left or name not in named[0]) and (name in right or name not in named[1])
    ]
