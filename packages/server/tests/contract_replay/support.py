"""The namespace in which the expressions of the facts are evaluated."""

import ast
import functools
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from contract_replay import target

NAME = "contract_project.support"


@functools.cache
def namespace() -> dict[str, Any]:
    """Names of the sample project's support module, over those of the serializers module."""
    names: dict[str, Any] = {}
    try:
        names.update(vars(target.current.module("serializers")))
    except Exception as error:
        target.problems.append(f"module serializers: {type(error).__name__}: {error}")
    names.update(vars(support_module()))
    return names


def support_module() -> ModuleType:
    """Return the support module; if it cannot be imported as a whole, the parts that can."""
    try:
        return importlib.import_module(NAME)
    except Exception as error:
        target.problems.append(f"module {NAME}: {type(error).__name__}: {error}; run in parts")
        return run_in_parts(target.current.project / "contract_project" / "support.py")


def run_in_parts(path: Path) -> ModuleType:
    """Execute a module statement by statement and record those that fail."""
    module = ModuleType(NAME)
    module.__file__ = str(path)
    sys.modules[NAME] = module
    for statement in statements(path.read_text()):
        code = compile(ast.Module([statement], []), str(path), "exec")
        try:
            exec(code, vars(module))
        except Exception as error:
            place = f"{path.name} line {statement.lineno}"
            target.problems.append(f"{place}: {type(error).__name__}: {error}")
    return module


def statements(source: str) -> Iterator[ast.stmt]:
    """Statements of a module, with one import statement for each imported name."""
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                single = ast.ImportFrom(statement.module, [alias], statement.level)
                yield ast.copy_location(single, statement)
        else:
            yield statement


@functools.cache
def compiled(expression: str) -> CodeType:
    """Return the code of an expression; many cases share one."""
    return compile(expression, "<expression of the facts>", "eval")


def evaluate(expression: str) -> Any:
    """Value of an expression in the namespace; it may name modules of the package."""
    own = expression.replace("rest_framework.", f"{target.current.package}.")
    return eval(compiled(own), namespace())
