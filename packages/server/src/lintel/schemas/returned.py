"""What the source of a handler shows of its success: the status, the serializer, and how many.

``return Response(SnippetSerializer(rows, many=True).data)`` says more than the view's attributes,
and so does ``return Response({"count": 3})``. Anything less plain than these says nothing.
"""

import ast
import inspect
from types import CodeType, FunctionType
from typing import NamedTuple, TypeAlias

from lintel.annotations import AnyView
from lintel.fields.describing import Schema
from lintel.schemas.handlers import code_of, keywords_of
from lintel.schemas.inspection import Inspection
from lintel.schemas.response_calls import name_of, response_call
from lintel.schemas.sources import Source, source_of
from lintel.schemas.wrapping import may_change_responses
from lintel.serializers import BaseSerializer

#: The keys of an object that is written as it stands, with the types of their values.
Keys: TypeAlias = tuple[tuple[str, str | None], ...]


class Returned(NamedTuple):
    """``serializer``: its class; None: what ``get_serializer()`` returns."""

    serializer: type[BaseSerializer] | None = None
    many: bool = False
    keys: Keys | None = None
    is_empty: bool = False
    status: int = 200


class Written(NamedTuple):
    """``serializer``: None for that of the view, ``described``: a body without one."""

    serializer: type[BaseSerializer] | None = None
    #: None if the view's ``get_serializer()`` may decide.
    many: bool | None = None
    described: Schema | None = None
    is_empty: bool = False
    status: int = 200


def written_by(inspection: Inspection, view: AnyView, function: FunctionType) -> Written | None:
    """Return what writes the success of a handler of the project; None if its code is not plain."""
    result = _returned_by(function)
    if result is None or may_change_responses(view, function):
        return None
    if result.keys is not None:
        return Written(described=object_of(result.keys), status=result.status)
    if result.is_empty:
        return Written(is_empty=True, status=result.status)
    if result.serializer is None:
        return _written_by_own(inspection, view, result)
    return Written(result.serializer, result.many, status=result.status)


def _written_by_own(inspection: Inspection, view: AnyView, returned: Returned) -> Written | None:
    if not hasattr(view, "get_serializer"):
        return None
    many = None if inspection.replaces(view, "get_serializer") else False
    return Written(many=returned.many or many, status=returned.status)


def reads_partially(function: FunctionType) -> bool:
    """Say whether a handler makes each serializer that reads with ``partial=True``."""
    code = code_of(function)
    if code is None or "partial" not in keywords_of(code):
        return False
    source = source_of(inspect.unwrap(function))
    given = [] if source is None else [_keywords(call) for call in source.calls]
    reading = [keywords["partial"] for keywords in given if "partial" in keywords]
    return bool(reading) and all(map(_is_true, reading))


def _keywords(call: ast.Call) -> dict[str | None, ast.expr]:
    """The keyword arguments of a call that hands on data; ``partial`` is there, if only as None."""
    if "Response" in name_of(call.func):
        return {}
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    return {"partial": ast.Constant(None), **given} if "data" in given else given


def _is_true(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is True


def object_of(keys: Keys) -> Schema:
    properties = {name: {"type": kind} if kind else {} for name, kind in keys}
    required = {"required": list(properties)} if properties else {}
    return {"type": "object", "properties": properties, **required}


def _returned_by(function: FunctionType) -> Returned | None:
    code = code_of(function)
    if not names_responses(code):
        return None
    source = source_of(inspect.unwrap(function))
    results = set() if source is None else {_of_return(node, source) for node in source.returns}
    results.discard(FAILURE)
    return results.pop() if len(results) == 1 else None


def names_responses(code: CodeType | None) -> bool:
    """Say whether code may make a response: most handlers call methods of ours, which do."""
    return code is not None and any("Response" in name for name in code.co_names)


#: What a return statement says that is no success.
FAILURE = Returned(status=0)


def _of_return(statement: ast.Return, source: Source) -> Returned | None:
    call = response_call(statement.value, source)
    if call is None or call.is_failure:
        return FAILURE if call else None
    if call.media_type is not None:
        return None
    result = _of_data(call.data, statement, source) if call.data else Returned(is_empty=True)
    return None if result is None else result._replace(status=call.status)


def _of_data(data: ast.expr, statement: ast.Return, source: Source) -> Returned | None:
    if isinstance(data, ast.Name):
        data = source.value_before(statement, data.id) or data
    if isinstance(data, ast.Dict):
        keys = keys_of(data)
        return None if keys is None else Returned(keys=keys)
    if not isinstance(data, ast.Attribute) or data.attr != "data":
        return None
    return _of_serializer(data.value, source)


def keys_of(data: ast.Dict) -> Keys | None:
    names = [key.value if isinstance(key, ast.Constant) else None for key in data.keys]
    if not all(isinstance(name, str) for name in names):
        return None
    kinds = [kind_of(value) for value in data.values]
    return tuple(zip(map(str, names), kinds, strict=True))


#: Types of constants, as JSON names them.
KINDS: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


def kind_of(value: ast.expr) -> str | None:
    if isinstance(value, ast.JoinedStr):
        return "string"
    return KINDS.get(type(value.value)) if isinstance(value, ast.Constant) else None


def _of_serializer(made: ast.expr, source: Source) -> Returned | None:
    if not isinstance(made, ast.Name):
        return _of_call(made, source)
    kinds = {_of_call(value, source) for value in source.assigned(made.id)}
    return kinds.pop() if len(kinds) == 1 and not changes_fields(made.id, source) else None


def changes_fields(name: str, source: Source) -> bool:
    """Say whether a handler may change the fields of a serializer, as in ``fields.pop("name")``."""
    asked = [node for node in source.nodes if isinstance(node, ast.Attribute)]
    return any(node.attr == "fields" and name_of(node.value) == name for node in asked)


def _of_call(made: ast.expr | None, source: Source) -> Returned | None:
    if not isinstance(made, ast.Call):
        return None
    cls = source.meaning(made.func)
    if isinstance(cls, type) and issubclass(cls, BaseSerializer):
        serializer: type[BaseSerializer] | None = cls
    elif ast.unparse(made.func) in ("self.get_serializer", "self.get_serializer_class()"):
        serializer = None
    else:
        return None
    many = [keyword.value for keyword in made.keywords if keyword.arg in ("many", None)]
    if not many:
        return Returned(serializer)
    value = many[0].value if isinstance(many[0], ast.Constant) else None
    return Returned(serializer, many=value) if isinstance(value, bool) else None
