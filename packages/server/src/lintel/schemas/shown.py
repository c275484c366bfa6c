"""What the source of a method shows of the values it returns: whose data, or of which type.

``return OwnerSerializer(value, context=self.context).data`` says as much as an annotation, and so
does ``return f"{row.first} {row.last}"``. Anything less plain says nothing.
"""

import ast
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from django.urls import reverse as reverse_of_django

from lintel.fields.describing import Schema
from lintel.overrides import function_of
from lintel.reverse import reverse
from lintel.schemas.response_calls import name_of
from lintel.schemas.returned import changes_fields, keys_of, kind_of, object_of
from lintel.schemas.sources import Source, source_of


class Made(NamedTuple):
    """The data of a serializer, by the call that makes it."""

    call: ast.Call


class Inherited(NamedTuple):
    """What the method of the base class returns."""


#: What a method may return: data, or values with a schema; None for null.
Shown: TypeAlias = Made | Inherited | Schema | None


class Told(NamedTuple):
    source: Source
    values: tuple[Shown, ...]


class NotPlain(Exception):
    """The source leaves open what is returned."""


#: Functions of Python, by the type of what they return.
_FUNCTIONS = {"str": "string", "int": "integer", "len": "integer", "float": "number"}
_FUNCTIONS |= dict.fromkeys(("bool", "any", "all", "isinstance"), "boolean")

#: Methods that have their name from Python or Django, whatever they are called on.
_METHODS = dict.fromkeys(("build_absolute_uri", "strftime"), "string")

#: Methods of a text that stands in the source, as in ``", ".join(names)``.
_OF_TEXTS = ("format", "join")


def told_by(method: object) -> Told | None:
    """Return what a method of a project may return; None if its source is not plain."""
    function = function_of(method)
    is_wrapper = hasattr(function, "__wrapped__")
    source = None if function is None or is_wrapper else source_of(function)
    if source is None or not _returns_itself(source):
        return None
    try:
        values = [value for node in source.returns for value in _values(node.value, node, source)]
    except NotPlain:
        return None
    end = [] if _returns_always(source.tree.body) else [None]
    return Told(source, tuple(_different([*values, *end])))


def _returns_itself(source: Source) -> bool:
    """Say whether what a function returns is what a call of it returns."""
    yields = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in source.nodes)
    return isinstance(source.tree, ast.FunctionDef) and not yields


def _different(values: list[Shown]) -> Iterator[Shown]:
    seen: list[object] = []
    for value in values:
        key = ast.dump(value[0]) if isinstance(value, Made) else value
        if key not in seen:
            seen.append(key)
            yield value


def _returns_always(block: list[ast.stmt]) -> bool:
    """Say whether a block never falls off its end, where Python returns None."""
    last = block[-1] if block else None
    if isinstance(last, ast.If):
        return _returns_always(last.body) and _returns_always(last.orelse)
    if isinstance(last, ast.With):
        return _returns_always(last.body)
    if isinstance(last, ast.Try):
        blocks = [last.orelse or last.body, *(handler.body for handler in last.handlers)]
        return all(map(_returns_always, blocks))
    return isinstance(last, ast.Return | ast.Raise)


def _values(value: ast.expr | None, statement: ast.stmt, source: Source) -> Iterator[Shown]:
    """Yield what an expression may be; raise :class:`NotPlain` if it may be anything else."""
    before = source.assignment_before(statement, value.id) if isinstance(value, ast.Name) else None
    if before is not None:
        yield from _values(before.value, before, source)
    elif value is None or (isinstance(value, ast.Constant) and value.value is None):
        yield None
    elif isinstance(value, ast.IfExp):
        yield from _values(value.body, statement, source)
        yield from _values(value.orelse, statement, source)
    elif isinstance(value, ast.Attribute) and value.attr == "data":
        yield from _data(value.value, source)
    elif isinstance(value, ast.Call) and name_of(value.func) == "to_representation":
        yield from _represented(value.func, source)
    else:
        yield _typed(value, source)


def _represented(method: ast.expr, source: Source) -> Iterator[Shown]:
    """Yield what ``to_representation`` returns: that of a base class, or of a serializer."""
    owner = method.value if isinstance(method, ast.Attribute) else method
    if ast.unparse(owner) != "super()":
        yield from _data(owner, source)
    elif source.tree.name == "to_representation":
        yield Inherited()
    else:
        raise NotPlain


def _data(made: ast.expr, source: Source) -> Iterator[Made]:
    """Yield the calls that a serializer may come from."""
    name = made.id if isinstance(made, ast.Name) else None
    if name is not None and changes_fields(name, source):
        raise NotPlain
    for call in [made] if name is None else source.assigned(name):
        if not isinstance(call, ast.Call):
            raise NotPlain
        yield Made(call)


def _typed(value: ast.expr, source: Source) -> Schema:
    keys = keys_of(value) if isinstance(value, ast.Dict) else None
    if keys is not None:
        return object_of(keys)
    kind = kind_of(value) or _kind_of_operation(value, source)
    if kind is None:
        raise NotPlain
    return {"type": kind}


def _kind_of_operation(value: ast.expr, source: Source) -> str | None:
    if isinstance(value, ast.Call):
        return _kind_of_call(value.func, source)
    if isinstance(value, ast.BinOp):
        return "string" if kind_of(value.left) == "string" else None
    if isinstance(value, ast.UnaryOp):
        return "boolean" if isinstance(value.op, ast.Not) else None
    # Anything else may be compared to an array of truths, as those of pandas.
    identities = ast.Is | ast.IsNot | ast.In | ast.NotIn
    is_identity = isinstance(value, ast.Compare) and isinstance(value.ops[0], identities)
    return "boolean" if is_identity else None


def _kind_of_call(called: ast.expr, source: Source) -> str | None:
    if source.meaning(called) in (reverse, reverse_of_django):
        return "string"
    if isinstance(called, ast.Name):
        return _FUNCTIONS.get(called.id) if source.is_builtin(called.id) else None
    if not isinstance(called, ast.Attribute):
        return None
    is_of_text = called.attr in _OF_TEXTS and kind_of(called.value) == "string"
    return "string" if is_of_text else _METHODS.get(called.attr)
