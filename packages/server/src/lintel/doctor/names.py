"""Which names of ``rest_framework`` a project and its packages import, and which lintel lacks."""

import ast
import os
from collections.abc import Iterable, Iterator
from importlib import import_module, metadata
from pathlib import Path

from lintel import dropin
from lintel.doctor.findings import BROKEN, GOOD, OPEN, Finding, counted

#: Distributions of the framework itself.
FRAMEWORKS = frozenset({"django-lintel", "djangorestframework"})

#: Folders of a project with other people's code.
FOREIGN = frozenset({"node_modules", "site-packages", "build", "dist"})


def findings_of_names(files: Iterable[Path]) -> Iterator[Finding]:
    """Tell of the project's own files, then of each installed package."""
    yield _of_names("this project", names_in(files), BROKEN)
    for title, names in sorted(_packages(), key=lambda package: package[0].lower()):
        # Packages may contain imports that only other versions of theirs, or of Django, reach.
        yield _of_names(title, names, OPEN)


def _of_names(title: str, names: set[str], mark: str) -> Finding:
    missing = sorted(name for name in names if not _exists(name))
    text = f"{title} imports {counted(len(names), 'name')} of rest_framework"
    if not missing:
        return Finding(GOOD, "names", f"{text}: lintel has all of them")
    if all(map(_is_in_neither, missing)):
        text = f"{text}: lintel has all of them that {dropin.DISTRIBUTION} has"
        return Finding(GOOD, "names", text, tuple(missing))
    return Finding(mark, "names", f"{text}: lintel lacks {len(missing)}", tuple(missing))


def imported_names(source: str) -> set[str]:
    """Return dotted names of ``rest_framework`` that Python text imports, outside of ``try``."""
    names: set[str] = set()
    for node in _outside_of_try(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.update(
                node.module if alias.name == "*" else f"{node.module}.{alias.name}"
                for alias in node.names
            )
    return {name for name in names if dropin.own_name(name) != name}


def _outside_of_try(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.Try):
            yield node
            yield from _outside_of_try(node)


def _exists(name: str) -> bool:
    try:
        import_module(name)
    except ImportError:
        module, _, attribute = name.rpartition(".")
        return bool(module) and _exists(module) and hasattr(import_module(module), attribute)
    return True


def _is_in_neither(name: str) -> bool:
    """Return whether the installed framework does not define a name either."""
    module, _, attribute = name.rpartition(".")
    for installed in metadata.distributions(name=dropin.DISTRIBUTION):
        path = Path(str(installed.locate_file(f"{module.replace('.', '/')}.py")))
        # The first may be the one that stands for the framework, and has no files.
        if isinstance(installed, metadata.PathDistribution) and path.is_file():
            return {attribute, "*"}.isdisjoint(_defined_in(path.read_bytes()))
    return False


def _defined_in(source: bytes) -> set[str]:
    """Return every name that a module binds anywhere, and ``*`` if it imports that."""
    nodes = list(ast.walk(ast.parse(source)))
    aliases = {alias.asname or alias.name for alias in nodes if isinstance(alias, ast.alias)}
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    blocks = {node.name for node in nodes if isinstance(node, kinds)}
    return aliases | blocks | {node.id for node in nodes if isinstance(node, ast.Name)}


def names_in(files: Iterable[Path]) -> set[str]:
    """Return the names of ``rest_framework`` that files import."""
    result: set[str] = set()
    for path in files:
        try:
            content = path.read_bytes()
            if b"rest_framework" in content:
                result |= imported_names(content.decode())
        except (OSError, SyntaxError, ValueError):
            continue  # Python could not import it either
    return result


def files_of_project(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        inner = [name for name in folders if name not in FOREIGN and not name.startswith(".")]
        folders[:] = [name for name in inner if not (Path(parent) / name / "pyvenv.cfg").exists()]
        yield from (Path(parent) / name for name in names if name.endswith(".py"))


def _packages() -> Iterator[tuple[str, set[str]]]:
    """Name and version of installed packages that import ``rest_framework``, with the names."""
    for distribution in metadata.distributions():
        title = str(distribution.metadata["Name"])
        if title.lower() in FRAMEWORKS:
            continue
        sources = [file for file in distribution.files or [] if file.suffix == ".py"]
        packages = [source for source in sources if not {"tests", "test"} & set(source.parts)]
        if names := names_in(Path(str(package.locate())) for package in packages):
            yield f"{title} {distribution.version}", names
