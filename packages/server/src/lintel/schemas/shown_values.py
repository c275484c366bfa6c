"""The descriptions of what the source of a project's methods shows that they return."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from lintel.fields import Field
from lintel.fields.describing import Schema
from lintel.overrides import reached
from lintel.schemas.inspection import Inspection
from lintel.schemas.named import project_members
from lintel.schemas.shown import Inherited, Made, NotPlain, Shown, Told, told_by
from lintel.schemas.sources import Source
from lintel.serializers import BaseSerializer, ListSerializer, Serializer

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema

#: Arguments of serializers that change none of their fields.
_PLAIN = frozenset(["instance", "context", "read_only", "required"])


def shown_values(schema: AutoSchema, method: object, owner: Any, field: Field) -> Schema | None:
    """Return the schema of what a method of ``owner`` returns; None if its source is not plain.

    ``field``: whose values these are.
    """
    told: Told | None = schema.document_form.inspection.once((told_by, method), told_by, method)
    if told is None:
        return None
    values = [value for value in told.values if value is not None]
    try:
        described = [_described(schema, value, told.source, owner, field) for value in values]
    except NotPlain:
        return None
    different = [schema for at, schema in enumerate(described) if schema not in described[:at]]
    return _union(different, may_be_null=None in told.values)


def _union(schemas: list[Schema], *, may_be_null: bool) -> Schema | None:
    if not schemas:
        return None
    union = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    return {**union, "nullable": True} if may_be_null else union


def shown_instead(schema: AutoSchema, serializer: Serializer) -> Serializer | None:
    """Return the serializer whose data a project's ``to_representation`` returns instead."""
    inspection, cls = schema.document_form.inspection, type(serializer)
    told: Told | None = inspection.once((shown_instead, cls), _told_by_class, inspection, cls)
    if told is None:
        return None
    try:
        other = _instance(told.values[0], told.source, serializer)
    except NotPlain:
        return None
    return other if isinstance(other, Serializer) and type(other) is not cls else None


def _told_by_class(inspection: Inspection, cls: type) -> Told | None:
    """Return what the source of ``to_representation`` tells, if that is one serializer."""
    method = next(project_members(cls, ("to_representation",), inspection.members), None)
    if method is None or method is not reached(cls, "to_representation"):
        return None
    told = told_by(method)
    made = () if told is None else told.values
    return told if len(made) == 1 and isinstance(made[0], Made) else None


def _described(
    schema: AutoSchema, value: Shown, source: Source, owner: object, field: Field
) -> Schema:
    if isinstance(value, Made):
        return _reference(schema, _instance(value, source, owner))
    if not isinstance(value, Inherited):
        return dict(value or {})
    members = schema.document_form.inspection.members
    if len(list(project_members(type(owner), (source.tree.name,), members))) != 1:
        raise NotPlain  # another method of the project
    return dict(field.describe_values(schema))


def _reference(schema: AutoSchema, serializer: BaseSerializer) -> Schema:
    if isinstance(serializer, ListSerializer):
        return {"type": "array", "items": _reference(schema, serializer.child)}
    if not isinstance(serializer, Serializer):
        raise NotPlain
    return dict(schema.document_form.type_reference(schema, serializer))


def _instance(made: Any, source: Source, owner: Any) -> BaseSerializer:
    """Return a serializer without an object, made with the arguments that change its fields."""
    call: ast.Call = made.call
    cls = _meaning(call.func, source, owner)
    if not isinstance(cls, type) or not issubclass(cls, BaseSerializer) or len(call.args) > 1:
        raise NotPlain
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    context = {"context": owner.context} if "context" in given else {}
    values = [(name, value) for name, value in given.items() if name not in _PLAIN]
    try:
        arguments = {str(name): _constant(value, source, owner) for name, value in values}
        return cls(**arguments, **context)
    except Exception as error:  # project code
        raise NotPlain from error


def _meaning(expression: ast.expr, source: Source, owner: object) -> object:
    """Return what a dotted name stands for, also as an attribute of ``self``."""
    name = _own_name(expression, source)
    if name is None:
        return source.meaning(expression)
    return vars(owner)[name] if name in vars(owner) else reached(type(owner), name)


def _own_name(expression: ast.expr, source: Source) -> str | None:
    value = expression.value if isinstance(expression, ast.Attribute) else None
    first = source.function.__code__.co_varnames[:1]
    is_owned = isinstance(value, ast.Name) and value.id in first
    return expression.attr if isinstance(expression, ast.Attribute) and is_owned else None


def _constant(expression: ast.expr, source: Source, owner: object) -> object:
    if _own_name(expression, source) is None:
        return ast.literal_eval(expression)
    value = _meaning(expression, source, owner)
    if value is None or isinstance(value, bool | str | int | list | tuple | set):
        return value
    raise NotPlain
