"""What the text of a project says: decorators, and query parameters that views read by hand."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from lintel.checks import routed_views
from lintel.doctor.findings import GOOD, OPEN, Finding, counted
from lintel.doctor.settings_files import imported_from, spelt_out, tree_of

#: The packages whose decorators describe operations, and the pages that say what is read.
DESCRIBING = {
    "drf_spectacular": "docs/moving/drf-spectacular.md",
    "drf_yasg": "docs/server/spectacular.md",
}

#: Attributes of a request that hold its query, and methods that read one parameter.
QUERIES = frozenset(["GET", "query_params"])
READERS = frozenset(["get", "getlist", "pop"])

Read = dict[str, dict[str, None]]

#: Stands for the parameters that another function reads, which gets the whole query.
HANDED_ON = "*"


def findings_of_sources(folder: Path, files: Iterable[Path]) -> Iterator[Finding]:
    """Tell of decorators, and of the parameters that strict views would have to allow."""
    decorators: Counter[str] = Counter()
    read: Read = {}
    for path in files:
        tree = tree_of(path)
        decorators.update(decorators_in(tree))
        module = ".".join(path.relative_to(folder).with_suffix("").parts)
        read.update({f"{module}.{owner}": names for owner, names in parameters_in(tree).items()})
    yield from _of_decorators(decorators)
    views = {
        f"{base.__module__}.{base.__qualname__}": base
        for view in routed_views()
        for base in view.cls.__mro__
    }
    places = {
        owner: unnamed
        for owner, names in sorted(read.items())
        if owner in views and (unnamed := _unnamed(names, views[owner]))
    }
    if places:
        yield _of_parameters(places)


def _unnamed(names: dict[str, None], view: type) -> dict[str, None]:
    """Leave out what a view allows already."""
    allowed = getattr(view, "allowed_query_params", ())
    if not allowed or not isinstance(allowed, list | tuple | set | frozenset):
        return names
    return {name: None for name in names if name not in allowed and name != HANDED_ON}


def _of_decorators(decorators: Counter[str]) -> Iterator[Finding]:
    for package, page in DESCRIBING.items():
        matching = {name: n for name, n in decorators.items() if name.partition(".")[0] == package}
        if matching:
            listed = ", ".join(f"{name.rpartition('.')[2]} {n}" for name, n in matching.items())
            hint = f"what lintel reads of them: {page}"
            text = f"{counted(sum(matching.values()), 'decorator')} of {package}: {listed}"
            yield Finding(GOOD, "decorators", text, (hint,))


def _of_parameters(read: Read) -> Finding:
    count = len({name for names in read.values() for name in names} - {HANDED_ON})
    text = f"query parameters that views read by hand: {count}"
    text = text if count else "views pass the whole query on"
    return Finding(
        OPEN,
        "query_parameters",
        f"{text}. Before STRICT_QUERY_PARAMS, name them",
        tuple(f"{owner}: {_advice(names)}" for owner, names in read.items()),
    )


def _advice(names: Iterable[str]) -> str:
    listed = ", ".join(f'"{name}"' for name in names if name != HANDED_ON)
    if not listed:
        return "allowed_query_params: the names that the called code reads from the query"
    more = " and the names that the called code reads from the query" if HANDED_ON in names else ""
    return f"allowed_query_params = [{listed}]{more}"


def decorators_in(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted name of each decorator of a package that describes operations."""
    imported = imported_from(ast.walk(tree))
    for node in ast.walk(tree):
        for decorator in getattr(node, "decorator_list", ()):
            function = decorator.func if isinstance(decorator, ast.Call) else decorator
            name = spelt_out(function, imported)
            if name.startswith(tuple(DESCRIBING)):
                yield name


def parameters_in(tree: ast.Module) -> Read:
    """Return the parameters that are read from a request's query, by class or function."""
    result: Read = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names = dict.fromkeys(_parameters_below(node))
            if names:
                result[node.name] = names
    return result


def _parameters_below(owner: ast.AST) -> Iterator[str]:
    nodes = list(ast.walk(owner))
    aliases = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and _is_query(node.value, frozenset())
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes:
        name = _name_read(node, frozenset(aliases))
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield name.value
        if isinstance(node, ast.Call):
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            if any(_is_query(argument, frozenset(aliases)) for argument in given):
                yield HANDED_ON


def _is_query(node: ast.AST, aliases: frozenset[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in aliases
    return isinstance(node, ast.Attribute) and node.attr in QUERIES


def _name_read(node: ast.AST, aliases: frozenset[str]) -> ast.AST | None:
    """Find what names the parameter in ``GET.get(name)``, ``GET[name]`` and ``name in GET``."""
    match node:
        case ast.Call(func=ast.Attribute(value=query, attr=method), args=[name, *_]):
            return name if method in READERS and _is_query(query, aliases) else None
        case ast.Subscript(value=query, slice=name):
            return name if _is_query(query, aliases) else None
        case ast.Compare(left=name, ops=[ast.In() | ast.NotIn()], comparators=[query]):
            return name if _is_query(query, aliases) else None
    return None
