"""``python -m lintel doctor``: try out the move of a project from Django REST framework.

Tries the move in a separate process: ``dropin.enable()``, the project's settings, its apps and
its system checks, and every name of ``rest_framework`` that the project and its packages import.
Nothing is changed, and the project needs no preparation.
"""

import ast
import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path

import django
from django.core.checks import CheckMessage, run_checks

from lintel import dropin, pinned

#: Distributions of the framework itself.
FRAMEWORKS = frozenset({"django-lintel", "djangorestframework"})

#: Folders of a project with other people's code.
FOREIGN = frozenset({"node_modules", "site-packages", "build", "dist"})

#: Levels: fine, worth a look, broken.
GOOD, OPEN, BROKEN = "ok", "??", "!!"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; ``details`` are printed below it."""

    mark: str
    text: str
    details: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"[{self.mark}] {self.text}", *(f"     {each}" for each in self.details)])


def imported_names(source: str) -> set[str]:
    """Return dotted names of ``rest_framework`` that Python text imports, outside of ``try``."""
    found: set[str] = set()
    for node in _outside_of_try(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.update(
                node.module if each.name == "*" else f"{node.module}.{each.name}"
                for each in node.names
            )
    return {name for name in found if dropin.own_name(name) != name}


def _outside_of_try(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.Try):
            yield node
            yield from _outside_of_try(node)


def missing_names(names: Iterable[str]) -> list[str]:
    """Return the names that lintel lacks, after ``dropin.enable()`` and ``django.setup()``."""
    return sorted(name for name in names if not _exists(name))


def _exists(name: str) -> bool:
    try:
        import_module(name)
    except ImportError:
        module, _, attribute = name.rpartition(".")
        return bool(module) and _exists(module) and hasattr(import_module(module), attribute)
    return True


def _names_in(files: Iterable[Path]) -> set[str]:
    found: set[str] = set()
    for path in files:
        try:
            content = path.read_bytes()
            if b"rest_framework" in content:
                found |= imported_names(content.decode())
        except (OSError, SyntaxError, ValueError):
            continue  # Python could not import it either
    return found


def _files_of_project(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        inner = [each for each in folders if each not in FOREIGN and not each.startswith(".")]
        folders[:] = [each for each in inner if not (Path(parent) / each / "pyvenv.cfg").exists()]
        yield from (Path(parent) / name for name in names if name.endswith(".py"))


def _packages() -> Iterator[tuple[str, set[str]]]:
    """Name and version of installed packages that import ``rest_framework``, with the names."""
    for distribution in metadata.distributions():
        title = str(distribution.metadata["Name"])
        if title.lower() in FRAMEWORKS:
            continue
        sources = [each for each in distribution.files or [] if each.suffix == ".py"]
        own = [each for each in sources if not {"tests", "test"} & set(each.parts)]
        if names := _names_in(Path(str(each.locate())) for each in own):
            yield f"{title} {distribution.version}", names


def examine(folder: Path) -> Iterator[Finding]:
    """Check the project in ``folder``, whose settings ``DJANGO_SETTINGS_MODULE`` names."""
    dropin.enable()
    try:
        django.setup()
    except Exception as error:  # any exception in the project's code is the finding
        yield Finding(BROKEN, f"Django does not start: {type(error).__name__}: {error}")
        return
    yield Finding(GOOD, f"Django starts with lintel in place of {dropin.DISTRIBUTION}")
    yield _of_enabling()
    if found := pinned.compare(folder):
        yield Finding(GOOD if found.is_kept else OPEN, found.text, found.details)
    yield _of_names("this project", _names_in(_files_of_project(folder)), BROKEN)
    for title, names in sorted(_packages(), key=lambda each: each[0].lower()):
        # Packages may contain imports that only other versions of theirs, or of Django, reach.
        yield _of_names(title, names, OPEN)
    yield from _of_checks(run_checks())


def _of_enabling() -> Finding:
    file = import_module(os.environ["DJANGO_SETTINGS_MODULE"]).__file__ or ""
    if "dropin" in Path(file).read_text():
        return Finding(GOOD, "the settings call dropin.enable()")
    hint = ("put at its top: from lintel import dropin; dropin.enable()",)
    return Finding(OPEN, f"still to do: {file} does not call dropin.enable()", hint)


def _of_names(title: str, names: set[str], mark: str) -> Finding:
    missing = missing_names(names)
    text = f"{title} imports {len(names)} names of rest_framework"
    if not missing:
        return Finding(GOOD, f"{text}: lintel has all of them")
    return Finding(mark, f"{text}: lintel lacks {len(missing)}", tuple(missing))


def _of_checks(messages: Sequence[CheckMessage]) -> Iterator[Finding]:
    for message in messages:
        details = (f"hint: {message.hint}",) if message.hint else ()
        mark = BROKEN if message.is_serious() else OPEN
        yield Finding(mark, f"{message.id}: {message.msg}", details)
    if not messages:
        yield Finding(GOOD, "the system checks find nothing")


def main(arguments: Sequence[str]) -> int:
    """Print the report; return 1 if something is broken, as an exit status."""
    parser = ArgumentParser(prog="python -m lintel doctor", description=__doc__)
    parser.add_argument("--settings", help="default: the variable DJANGO_SETTINGS_MODULE")
    chosen = parser.parse_args(arguments).settings or os.environ.get("DJANGO_SETTINGS_MODULE")
    if not chosen:
        parser.error("no settings given: use --settings project.settings")
    os.environ["DJANGO_SETTINGS_MODULE"] = chosen
    sys.path.insert(0, str(Path.cwd()))
    is_broken = False
    for finding in examine(Path.cwd()):
        print(finding)
        is_broken = is_broken or finding.mark == BROKEN
    if not is_broken:
        print("\nNo obstacles found. Run your tests with dropin.enable() in the settings.")
    return int(is_broken)
