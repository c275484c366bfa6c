"""Operations that take lists of objects (``lintel.bulk``): their bodies and responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintel.annotations import AnyView
from lintel.bulk import BulkCreateModelMixin
from lintel.bulk.matching import key_of_view
from lintel.fields.columns import column_schema
from lintel.fields.describing import Schema
from lintel.negotiation import writes_many
from lintel.schemas.columns import model_of_serializer
from lintel.schemas.errors import is_structured
from lintel.schemas.utils import model_of
from lintel.serializers.item_keys import KeyOfItems

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema

_STATUS: Schema = {"type": "integer", "description": "The status of this item."}
_ERRORS: Schema = {"description": "Why it was not written, as in the response to a single one."}


def takes_lists(view: object, method: str) -> bool:
    """Return whether a list may be the body of an operation."""
    creates = method == "POST" and getattr(view, "action", None) == "create"
    return writes_many(view, method) or (creates and isinstance(view, BulkCreateModelMixin))


def body_of_list(schema: AutoSchema, path: str, method: str, body: Schema) -> Schema:
    """Return the body of an operation with a list of what it describes."""
    if method == "DELETE":
        names = [parser for parser in schema.map_parsers(path, method) if is_structured(parser)]
        described = _list_of(schema, _key_or_object(schema))
        return {"content": {name: {"schema": described} for name in names}, "required": True}
    content = {}
    for name, value in body.get("content", {}).items():
        if not is_structured(name):
            # The parts of a form are those of one object.
            if method == "POST":
                content[name] = value
            continue
        item = value.get("schema", {})
        if method == "POST":
            content[name] = {**value, "schema": {"oneOf": [item, _list_of(schema, item)]}}
        else:
            content[name] = {**value, "schema": _list_of(schema, _with_key(schema, item))}
    return {**body, "content": content, **({} if method == "POST" else {"required": True})}


def responses_of_list(schema: AutoSchema, method: str, responses: Schema) -> Schema:
    view: AnyView = schema.view
    result = dict(responses)
    status = next(iter(result), "204" if method == "DELETE" else "200")
    success = result.pop(status, {})
    contents = success.get("content", {})
    if not contents and not view.atomic:
        contents = {name: {"schema": {}} for name in schema.map_renderers("", method)}
    single: dict[str, object] = {}
    many: dict[str, object] = {}
    for name, value in contents.items():
        item = value.get("schema", {})
        rows: Schema = {"type": "array", "items": item}
        single[name] = {**value, "schema": item if method == "POST" else rows}
        many[name] = {**value, "schema": rows if view.atomic else _results(item, method)}
        if view.atomic and method == "POST":
            single[name] = {**value, "schema": {"oneOf": [item, rows]}}
    if view.atomic:
        return {status: {**success, **({"content": single} if contents else {})}, **result}
    told: dict[str, object] = {"207": {"description": "Multi-Status", "content": many}}
    return {**({status: success} if method == "POST" else {}), **told, **result}


def _results(item: Schema, method: str) -> Schema:
    properties: dict[str, Schema] = {"status": _STATUS}
    if method != "DELETE":
        properties["data"] = item
    properties |= {"errors": _ERRORS, "problem": _ERRORS}
    result = {"type": "object", "properties": properties, "required": ["status"]}
    return {"type": "array", "items": result}


def _list_of(schema: AutoSchema, item: Schema) -> Schema:
    most = getattr(schema.view, "max_items", None)
    limit = {} if most is None else {"maxItems": most}
    return {"type": "array", "items": item, "minItems": 1, **limit}


def _key_of(schema: AutoSchema) -> KeyOfItems | None:
    serializer = schema.get_serializer("", "PUT")
    model = model_of(schema.view) or model_of_serializer(serializer)
    return None if model is None else key_of_view(schema.view, model, "", serializer)


def _with_key(schema: AutoSchema, item: Schema) -> Schema:
    key = _key_of(schema)
    if key is None:
        return item
    named = {"properties": {key.name: column_schema(key.column)}, "required": [key.name]}
    return {"allOf": [item, {"type": "object", **named}]}


def _key_or_object(schema: AutoSchema) -> Schema:
    key = _key_of(schema)
    if key is None:
        return {}
    value = column_schema(key.column)
    named = {"properties": {key.name: value}, "required": [key.name]}
    return {"oneOf": [value, {"type": "object", **named}]}
