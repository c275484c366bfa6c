"""The source of a function of a project as a syntax tree, and what names in it stand for."""

import ast
import inspect
import linecache
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import resolve_name
from types import CodeType, FunctionType, ModuleType


@dataclass(frozen=True)
class Source:
    function: FunctionType
    tree: ast.FunctionDef | ast.AsyncFunctionDef

    def meaning(self, expression: ast.expr) -> object:
        """Return what a dotted name stands for; None unless it begins in the module."""
        if isinstance(expression, ast.Attribute):
            module = self.meaning(expression.value)
            return vars(module).get(expression.attr) if isinstance(module, ModuleType) else None
        if not isinstance(expression, ast.Name):
            return None
        name = expression.id
        is_local = not self.is_global(name)
        return _imported(self, name) if is_local else self.function.__globals__.get(name)

    def is_global(self, name: str) -> bool:
        code = self.function.__code__
        return name not in (*code.co_varnames, *code.co_cellvars, *code.co_freevars)

    def is_builtin(self, name: str) -> bool:
        """Say whether a name stands for what Python itself calls so."""
        return self.is_global(name) and name not in self.function.__globals__

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """The nodes of the function, without those of functions and classes inside it."""
        return tuple(_own_nodes(self.tree))

    @cached_property
    def calls(self) -> tuple[ast.Call, ...]:
        return tuple(node for node in self.nodes if isinstance(node, ast.Call))

    @cached_property
    def returns(self) -> tuple[ast.Return, ...]:
        # Without a look at expressions, which are most of the nodes.
        return tuple(node for node in _own_statements(self.tree) if isinstance(node, ast.Return))

    @cached_property
    def blocks(self) -> dict[ast.AST, list[ast.AST]]:
        """The block that each statement stands in."""
        nodes = (self.tree, *_own_statements(self.tree))
        blocks = (block for node in nodes for block in _blocks_of(node))
        return {statement: block for block in blocks for statement in block}

    def assigned(self, name: str) -> Iterator[ast.expr | None]:
        """Yield the values of a local name; None for what no plain assignment gives it."""
        plain = set()
        for node in self.nodes:
            if isinstance(node, ast.Assign):
                targets = [target for target in node.targets if isinstance(target, ast.Name)]
                plain.update(targets)
                yield from (node.value for target in targets if target.id == name)
        for node in self.nodes:
            if node not in plain and _binds(node, name):
                yield None

    def value_before(self, statement: ast.stmt, name: str) -> ast.expr | None:
        """Return what a local name stands for at a statement; None if that is not plain."""
        step = self.assignment_before(statement, name)
        return None if step is None else step.value

    def assignment_before(self, statement: ast.stmt, name: str) -> ast.Assign | None:
        """Return what gives a local name its value at a statement; None if that is not plain.

        It is if it is assigned before in the same block, and not mentioned in between.
        """
        if name in self.function.__code__.co_cellvars:
            return None
        block = self.blocks.get(statement, [])
        for step in reversed(block[: block.index(statement)] if block else []):
            if isinstance(step, ast.Assign) and _is_name(step.targets, name):
                return step
            if any(_is_about(node, name) for node in ast.walk(step)):
                return None
        return None


def _imported(source: Source, name: str) -> object:
    """Return what a function imports by a name that it gives to nothing else."""
    statements = [node for node in source.nodes if isinstance(node, ast.ImportFrom)]
    pairs = [(node, alias) for node in statements for alias in node.names if _binds(alias, name)]
    if len(pairs) != 1 or sum(_binds(node, name) for node in source.nodes) != 1:
        return None
    ((statement, alias),) = pairs
    package = str(source.function.__globals__.get("__package__") or "")
    dotted = "." * statement.level + (statement.module or "")
    with suppress(ImportError):  # it leads out of its package, and fails when it runs
        # What has not been imported yet is not imported for this.
        return getattr(sys.modules.get(resolve_name(dotted, package)), alias.name, None)
    return None


@lru_cache(maxsize=512)
def source_of(function: FunctionType) -> Source | None:
    """Return the source of a function; None if it cannot be found, or is not what runs."""
    try:
        tree = _tree_of(function)
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    if not isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    return Source(function, tree) if _is_running(tree, function) else None


def _tree_of(function: FunctionType) -> ast.stmt:
    """Return its tree; ``inspect.getsource`` looks through all modules first, which is slow."""
    # Not the file of the function, which is that of what it wraps.
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)[code.co_firstlineno - 1 :]
    with suppress(SyntaxError):  # what ends it may not run, such as "finally: pass"
        return _parsed("".join(lines[: _last_line(code) - code.co_firstlineno + 1]))
    return _parsed("".join(inspect.getblock(lines)))


def _last_line(code: CodeType) -> int:
    """Return the last line that runs, which takes less time than to look for the next block."""
    ends = [end for _, end, _, _ in code.co_positions() if end]
    inner = [_last_line(part) for part in code.co_consts if isinstance(part, CodeType)]
    return max((*ends, *inner), default=code.co_firstlineno)


def _parsed(text: str) -> ast.stmt:
    # An indented one is inside a class; without a change, because texts in it have lines too.
    (tree,) = ast.parse(f"if True:\n{text}" if text[:1].isspace() else text).body
    return tree.body[0] if isinstance(tree, ast.If) else tree


def _is_running(tree: ast.FunctionDef | ast.AsyncFunctionDef, function: FunctionType) -> bool:
    """Say whether a function was made from a tree: files change after they are imported."""
    module = compile(ast.Module([tree], []), "", "exec", dont_inherit=True)
    made = [constant for constant in module.co_consts if isinstance(constant, CodeType)]
    return any(_words(code) == _words(function.__code__) for code in made)


def _words(code: CodeType) -> tuple[object, ...]:
    constants = [constant for constant in code.co_consts if not isinstance(constant, CodeType)]
    names = {*code.co_names, *code.co_freevars} - {"__class__"}
    return code.co_name, names, code.co_varnames, constants


def _own_statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements of a function, and what else has blocks of them, such as ``except``."""
    for block in _blocks_of(tree):
        for statement in block:
            if type(statement) not in _INNER:
                yield statement
                yield from _own_statements(statement)


def _own_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    waiting = _children(tree)
    while waiting:
        node = waiting.pop()
        yield node
        waiting += _children(node)


def _children(node: ast.AST) -> list[ast.AST]:
    """Return what stands in a node, the last first."""
    inner = [child for child in ast.iter_child_nodes(node) if type(child) not in _INNER]
    return inner[::-1]


#: What has names of its own.
_INNER = frozenset([ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef])


def _blocks_of(node: ast.AST) -> Iterator[list[ast.AST]]:
    for _, block in ast.iter_fields(node):
        if isinstance(block, list) and block and isinstance(block[0], _IN_BLOCKS):
            yield block


#: What blocks consist of.
_IN_BLOCKS = (ast.stmt, ast.excepthandler, ast.match_case)


def _is_name(targets: list[ast.expr], name: str) -> bool:
    return len(targets) == 1 and isinstance(targets[0], ast.Name) and targets[0].id == name


def _is_about(node: ast.AST, name: str) -> bool:
    return (isinstance(node, ast.Name) and node.id == name) or _binds(node, name)


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    # Arguments, exceptions, patterns and imports.
    return name in [getattr(node, word, None) for word in ("arg", "name", "asname")]
