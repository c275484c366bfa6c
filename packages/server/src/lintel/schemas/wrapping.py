"""Whether anything around a handler may change the response that it returns."""

import ast
from collections.abc import Iterator
from types import FunctionType

from lintel.annotations import AnyView
from lintel.schemas.handlers import HARMLESS, code_of, enclosed_by, is_decorated
from lintel.schemas.response_calls import response_call
from lintel.schemas.sources import Source, source_of

#: Methods of views that see each response.
_AFTER = ("finalize_response", "dispatch")

#: What code names that makes another response, or another body.
_CHANGING = frozenset(["data", "status_code", "content", "Response", "JsonResponse"])


def may_change_responses(view: AnyView, handler: FunctionType) -> bool:
    if is_decorated(handler) or not all(map(_hands_on, _wrappers(handler))):
        return True
    of_project = [cls for cls in type(view).__mro__ if _package(cls.__module__) not in HARMLESS]
    return any(_changes(vars(cls).get(name)) for cls in of_project for name in _AFTER)


def _package(module: object) -> str:
    return str(module).partition(".")[0]


def _changes(member: object) -> bool:
    code = code_of(member)
    return code is not None and (is_decorated(member) or not _CHANGING.isdisjoint(code.co_names))


def _wrappers(handler: object) -> Iterator[FunctionType]:
    """Yield the decorators of the project around a handler, from outside."""
    while isinstance(handler, FunctionType) and hasattr(handler, "__wrapped__"):
        if _package(handler.__globals__.get("__name__")) not in HARMLESS:
            yield handler
        handler = handler.__wrapped__


def _hands_on(wrapper: FunctionType) -> bool:
    """Say whether a decorator returns what it wraps returns, or failures."""
    source = source_of(wrapper)
    if source is None or not _CHANGING.isdisjoint({*wrapper.__code__.co_names} - {"Response"}):
        return False
    inner = getattr(wrapper, "__wrapped__", None)
    names = [name for name, value in enclosed_by(wrapper) if value is inner]
    return all(_is_handed_on(statement.value, names, source) for statement in source.returns)


def _is_handed_on(value: ast.expr | None, names: list[str], source: Source) -> bool:
    if isinstance(value, ast.Name):
        made = list(source.assigned(value.id))
        return bool(made) and all(_calls(call, names) for call in made)
    failure = response_call(value, source)
    return _calls(value, names) or (failure is not None and failure.is_failure)


def _calls(value: ast.expr | None, names: list[str]) -> bool:
    if isinstance(value, ast.Await):
        value = value.value
    return isinstance(value, ast.Call) and ast.unparse(value.func) in names
