"""What the source of a handler shows of its success: the status, the serializer, and how many.

``return Response(SnippetSerializer(rows, many=True).data)`` says more than the view's attributes,
and so does ``return Response({"count": 3})``. Anything less plain than these says nothing.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import lru_cache
from http import HTTPStatus
from textwrap import dedent
from types import FunctionType
from typing import NamedTuple

from lintel.annotations import AnyView
from lintel.decorators import api_view
from lintel.fields.describing import Schema
from lintel.schemas.handlers import code_of, is_decorated
from lintel.serializers import BaseSerializer

#: A status as an attribute of ``lintel.status``.
_STATUS = re.compile(r"HTTP_(\d\d\d)_")


class Written(NamedTuple):
    """``serializer``: a class, or its name while only the code is known; None: that of the view."""

    serializer: type[BaseSerializer] | str | None = None
    many: bool = False
    #: The keys of an object that is written as it stands, with the types of their values.
    keys: tuple[tuple[str, str | None], ...] = ()
    is_empty: bool = False
    status: int = 200

    @property
    def described(self) -> Schema | None:
        """A body without a serializer."""
        properties = {name: {"type": kind} if kind else {} for name, kind in self.keys}
        described = {"type": "object", "properties": properties, "required": list(properties)}
        return described if properties else None


def written_by(view: AnyView, method: str) -> Written | None:
    """Return what writes the success of a handler of the project; None if its code is not plain."""
    function = _function_of(view, method)
    code = None if function is None or is_decorated(function) else code_of(function)
    if function is None or code is None or "Response" not in code.co_names:
        return None
    found = _read(inspect.unwrap(function))
    if found is None or found.keys or found.is_empty:
        return found
    if found.serializer is None:
        return found if hasattr(view, "get_serializer") else None
    cls = inspect.unwrap(function).__globals__.get(found.serializer)
    is_serializer = isinstance(cls, type) and issubclass(cls, BaseSerializer)
    return found._replace(serializer=cls) if is_serializer else None


def _function_of(view: AnyView, method: str) -> FunctionType | None:
    handler = getattr(type(view), getattr(view, "action", None) or method.lower(), None)
    module = str(getattr(handler, "__module__", ""))
    if module == api_view.__module__:
        cells = getattr(handler, "__closure__", None) or ()
        handler = next((each.cell_contents for each in cells), None)
    elif module.startswith("lintel."):
        return None
    return handler if isinstance(handler, FunctionType) else None


@lru_cache(maxsize=512)
def _read(function: FunctionType) -> Written | None:
    try:
        (tree,) = ast.parse(dedent(inspect.getsource(function))).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    if not isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    if tree.name != function.__name__:  # the file has changed since it was imported
        return None
    found = {_of_return(each, tree) for each in _own_nodes(tree) if isinstance(each, ast.Return)}
    found.discard(FAILURE)
    return found.pop() if len(found) == 1 else None


#: What a return statement says that is no success.
FAILURE = Written("")


def _own_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function, without those of functions and classes inside it."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield node
            yield from _own_nodes(node)


def _of_return(statement: ast.Return, tree: ast.AST) -> Written | None:
    call = statement.value
    if not isinstance(call, ast.Call) or _name(call.func) != "Response":
        return None
    named = [*call.args[1:2], *(each.value for each in call.keywords if each.arg == "status")]
    statuses = [_number(each) for each in named] or [200]
    status = statuses[0]
    if len(statuses) > 1 or status is None or status < 200:
        return None
    if status >= 300:
        return FAILURE
    data = [*call.args[:1], *(each.value for each in call.keywords if each.arg in ("data", None))]
    found = _of_data(data[0], tree) if data else Written(is_empty=True)
    return None if found is None else found._replace(status=status)


def _of_data(data: ast.expr, tree: ast.AST) -> Written | None:
    if isinstance(data, ast.Dict):
        return _of_display(data)
    if not isinstance(data, ast.Attribute) or data.attr != "data":
        return None
    return _of_serializer(data.value, tree)


def _of_display(data: ast.Dict) -> Written | None:
    names = [each.value if isinstance(each, ast.Constant) else None for each in data.keys]
    if not names or not all(isinstance(each, str) for each in names):
        return None
    kinds = [_kind(each) for each in data.values]
    return Written(keys=tuple(zip(map(str, names), kinds, strict=True)))


#: Types of constants, as JSON names them.
KINDS: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


def _kind(value: ast.expr) -> str | None:
    if isinstance(value, ast.JoinedStr):
        return "string"
    return KINDS.get(type(value.value)) if isinstance(value, ast.Constant) else None


def _number(status: ast.expr) -> int | None:
    named = _STATUS.match(_name(status))
    number = named[1] if named else getattr(status, "value", None)
    try:
        return HTTPStatus(int(number)) if isinstance(number, str | int) else None
    except ValueError:
        return None


def _of_serializer(made: ast.expr, tree: ast.AST) -> Written | None:
    if isinstance(made, ast.Name):
        kinds = {_of_call(value) for value in _assigned(made.id, tree)}
        return kinds.pop() if len(kinds) == 1 else None
    return _of_call(made)


def _assigned(name: str, tree: ast.AST) -> Iterator[ast.expr | None]:
    """Yield the values of a local name; None for what no plain assignment gives it."""
    for node in _own_nodes(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id == name:
                    yield node.value
                elif any(
                    isinstance(each, ast.Name) and each.id == name for each in ast.walk(target)
                ):
                    yield None
        elif isinstance(node, ast.For | ast.With | ast.AugAssign | ast.AnnAssign | ast.NamedExpr):
            stored = (each for each in ast.walk(node) if isinstance(each, ast.Name))
            if any(each.id == name and isinstance(each.ctx, ast.Store) for each in stored):
                yield None


def _of_call(made: ast.expr | None) -> Written | None:
    if not isinstance(made, ast.Call):
        return None
    name = ast.unparse(made.func)
    is_own = name in ("self.get_serializer", "self.get_serializer_class()")
    if not is_own and not isinstance(made.func, ast.Name):
        return None
    many = [each.value for each in made.keywords if each.arg in ("many", None)]
    value = False if not many else getattr(many[0], "value", None)
    return Written(None if is_own else name, many=value) if isinstance(value, bool) else None


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
