"""The sync form of a chain: ``some_steps.run(…)`` does what ``run(some_steps(…))`` does, faster.

A chain is written once, as a generator of steps, which the event loop needs. Without a loop each
step is just a call, so a plain function is generated from the source of the chain:

    instance = yield hook(view, "get_object")     →   instance = view.get_object()
    return (yield blocking(_retrieved, view))     →   return _retrieved(view)
    yield from identity_steps(request)            →   identity_steps.run(request)

and a coroutine, if a hook returns one, is completed. File and line numbers are those of the chain,
so tracebacks and debuggers show its lines; names of its module are looked up at each call. A
StopIteration of a hook passes through, where a generator turns it into a RuntimeError.

Only functions of a module whose source can be read are generated. For others, and if the
environment variable ``LINTEL_GENERATED_CHAINS`` is ``off``, ``run`` drives the generator
(:func:`lintel.cycle.steps.run`). Chains that only the event loop runs are not marked: without a
loop, the sync form of their hook does the same.
"""

import ast
import linecache
import os
from collections.abc import Callable
from functools import update_wrapper
from types import CellType, CodeType, CoroutineType, FunctionType
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from lintel.cycle.steps import Steps, complete, run

ParametersT = ParamSpec("ParametersT")
ResultT = TypeVar("ResultT")
_ResultT_co = TypeVar("_ResultT_co", covariant=True)

#: What generated code uses besides the names of the chain.
_HELPERS: dict[str, object] = {"_complete": complete, "_Coroutine": CoroutineType}


class Chain(Protocol[ParametersT, _ResultT_co]):
    """A generator function of steps that also runs without an event loop."""

    @property
    def run(self) -> Callable[ParametersT, _ResultT_co]:
        """Return the function that runs the chain without a loop and returns its result."""

    def __call__(self, *args: ParametersT.args, **kwargs: ParametersT.kwargs) -> Steps[_ResultT_co]:
        """Return the steps, for the event loop."""


def chain(function: Callable[ParametersT, Steps[ResultT]]) -> Chain[ParametersT, ResultT]:
    """Add ``run`` to a generator function of a module.

    Each ``yield`` in it must be ``yield hook(…)``, ``yield blocking(…)`` or ``yield from
    other_chain(…)``, under these names, where the other chain has ``run`` as well. Raises TypeError
    for any other ``yield``. Without a loop, a hook is looked up before its arguments are evaluated.
    """
    made: Any = function
    may_generate = os.environ.get("LINTEL_GENERATED_CHAINS") != "off"
    made.run = (generated(made) if may_generate else None) or driven(function)
    return cast("Chain[ParametersT, ResultT]", made)


def driven(function: Callable[..., Steps[ResultT]]) -> Callable[..., ResultT]:
    def drive(*args: object, **kwargs: object) -> ResultT:
        return run(function(*args, **kwargs))

    return update_wrapper(drive, function)


def generated(function: FunctionType) -> Callable[..., ResultT] | None:
    """Return the plain function made from the source of a chain; None without a source."""
    definition = _definition(function)
    if definition is None:
        return None
    plain = FunctionType(
        code := _compiled(definition, function.__code__),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        tuple(CellType(_HELPERS[name]) for name in code.co_freevars),
    )
    plain.__kwdefaults__ = function.__kwdefaults__
    return update_wrapper(plain, function)


def _definition(function: FunctionType) -> ast.FunctionDef | None:
    """Return the syntax tree of a function; None if its source is missing, nested or changed."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    # The first line is that of the decorators; the last ones may be without code.
    start, end = code.co_firstlineno - 1, max(line or 0 for *_, line in code.co_lines())
    while end < len(lines) and lines[end].startswith((" ", "\n")):
        end += 1
    try:
        (result,) = ast.parse("".join(lines[start:end])).body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(result, ast.FunctionDef) or result.name != function.__name__:
        return None
    ast.increment_lineno(result, start)
    return result


def _compiled(definition: ast.FunctionDef, steps: CodeType) -> CodeType:
    plain = _Calls(definition.name, steps.co_filename).visit(definition)
    plain.decorator_list = []
    # The helpers are variables of the function around it.
    outer = ast.parse(f"def make({', '.join(_HELPERS)}): pass")
    outer.body[0].body = [plain]  # type: ignore[attr-defined]
    code = compile(ast.fix_missing_locations(outer), steps.co_filename, "exec")
    inside = _code_of(definition.name, _code_of("make", code))
    return inside.replace(co_qualname=steps.co_qualname)


def _code_of(name: str, code: CodeType) -> CodeType:
    inside = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return next(part for part in inside if part.co_name == name)


class _Calls(ast.NodeTransformer):
    def __init__(self, name: str, filename: str) -> None:
        self._chain, self._filename = name, filename

    def visit_Yield(self, node: ast.Yield) -> ast.expr:
        self.generic_visit(node)
        match node.value:
            case ast.Call(ast.Name("hook"), [target, ast.Constant(str(name)), *arguments], named):
                function: ast.expr = ast.Attribute(target, name, ast.Load())
            case ast.Call(ast.Name("hook"), [target, name, *arguments], named):
                function = ast.Call(_name("getattr"), [target, name], [])
            case ast.Call(ast.Name("blocking"), [function, *arguments], named):
                pass
            case _:
                raise self._refusal(node, "yield hook(…) or yield blocking(…)")
        return ast.copy_location(_completed(ast.Call(function, arguments, named)), node)

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.expr:
        self.generic_visit(node)
        match node.value:
            case ast.Call(function, arguments, named):
                run_other = ast.Attribute(function, "run", ast.Load())
                return ast.copy_location(ast.Call(run_other, arguments, named), node)
        raise self._refusal(node, "yield from other_chain(…)")

    def _refusal(self, node: ast.Yield | ast.YieldFrom, advice: str) -> TypeError:
        return TypeError(
            f"{self._filename}, line {node.lineno}: {self._chain}() yields something that cannot "
            f"be turned into a call. Write it as {advice}."
        )


def _completed(call: ast.expr) -> ast.expr:
    made = ast.NamedExpr(ast.Name("_result", ast.Store()), call)
    test = ast.Compare(ast.Call(_name("type"), [made], []), [ast.IsNot()], [_name("_Coroutine")])
    completed = ast.Call(_name("_complete"), [_name("_result")], [])
    return ast.IfExp(test, _name("_result"), completed)


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())
