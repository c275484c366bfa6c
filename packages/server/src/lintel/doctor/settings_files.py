"""Where ``dropin.enable()`` belongs: the file that all settings of a project import."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec, resolve_name
from itertools import chain
from pathlib import Path

from django.conf import settings as used_settings

from lintel import dropin
from lintel.doctor.findings import BROKEN, GOOD, OPEN, Finding
from lintel.doctor.names import names_in

#: Programs that say, beside a Dockerfile, which settings a deployment uses.
DEPLOYMENTS = frozenset(["wsgi.py", "asgi.py"])

CALL = "from lintel import dropin; dropin.enable()"

_NAMED = re.compile(r"""DJANGO_SETTINGS_MODULE["']?\s*[\],=\s]\s*["']?([A-Za-z_][\w.]*)""")


def finding_of_urls(settings: str, folder: Path, files: Iterable[Path]) -> Finding | None:
    """Tell that these are not the settings of a project; None if they name its URLs."""
    if hasattr(used_settings, "ROOT_URLCONF"):
        return None
    text = f"{settings} has no ROOT_URLCONF, so it is not the whole settings of a project"
    places = settings_of_deployments(folder, files)
    if name := named_settings(folder / "manage.py"):
        places.setdefault(name, "manage.py")
    hints = (f"{place} uses {name}: --settings {name}" for name, place in places.items())
    return Finding(BROKEN, "settings", text, tuple(hints))


def named_settings(path: Path) -> str | None:
    """Return the settings that a file such as ``manage.py`` names; None without any."""
    result = _NAMED.search(path.read_text(errors="replace")) if path.is_file() else None
    return result and result.group(1)


def finding_of_enabling(settings: str, folder: Path, files: Sequence[Path]) -> Finding:
    """Tell whether the settings, and those of production, call ``dropin.enable()``."""
    if dropin.OWN_NAME in used_settings.INSTALLED_APPS and not names_in(files):
        hint = "dropin.enable() is only for packages that import rest_framework"
        return Finding(GOOD, "settings", "the project itself is written for lintel", (hint,))
    deployed = settings_of_deployments(folder, files)
    used = {name: chain_of(name) for name in dict.fromkeys([settings, *deployed])}
    chains = {name: files for name, files in used.items() if files}
    lacking = {name: files for name, files in chains.items() if not any(map(enables, files))}
    places = tuple(f"{place} uses {name}" for name, place in deployed.items() if name in chains)
    if not lacking:
        return Finding(GOOD, "settings", "the settings call dropin.enable()", places)
    where = _shared_file(lacking)
    text = f"still to do: {', '.join(lacking)} {'do' if len(lacking) > 1 else 'does'} not call"
    hint = f"put at the top of {where}: {CALL}"
    return Finding(OPEN, "settings", f"{text} dropin.enable()", (hint, *places))


def settings_of_deployments(folder: Path, files: Iterable[Path]) -> dict[str, str]:
    """Return modules of settings, each with the file that names it, relative to the folder."""
    result: dict[str, str] = {}
    programs = [path for path in files if path.name in DEPLOYMENTS]
    for path in [*programs, *folder.glob("Dockerfile*")]:
        for name in _NAMED.findall(path.read_text(errors="replace")):
            result.setdefault(name, str(path.relative_to(folder)))
    return result


def chain_of(module: str, seen: frozenset[str] = frozenset()) -> list[Path]:
    """Return the files that a module imports with ``*``, then its own, as Python runs them."""
    path = None if module in seen else _file_of(module)
    if path is None:
        return []
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    inner = (chain_of(name, seen | {module}) for name in _star_imports(path, package))
    return list(dict.fromkeys([*chain.from_iterable(inner), path]))


def _file_of(module: str) -> Path | None:
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return None
    origin = getattr(spec, "origin", None)
    return Path(origin) if origin and origin.endswith(".py") else None


def tree_of(path: Path) -> ast.Module:
    """Return what is in a file of Python; nothing if Python could not read it either."""
    try:
        return ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], [])


def _star_imports(path: Path, package: str) -> Iterator[str]:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            try:
                yield resolve_name(f"{'.' * node.level}{node.module or ''}", package)
            except ImportError:
                continue  # Python could not import it either


def enables(path: Path) -> bool:
    """Tell whether a file calls ``enable()`` of ``lintel.dropin``, by whatever name."""
    nodes = list(ast.walk(tree_of(path)))
    names = imported_from(nodes)
    calls = [node.func for node in nodes if isinstance(node, ast.Call)]
    return any(spelt_out(call, names) == "lintel.dropin.enable" for call in calls)


def imported_from(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """Return where names come from, by what a module calls them."""
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
        for alias in node.names
    }


def spelt_out(function: ast.expr, names: Mapping[str, str]) -> str:
    first, dot, rest = ast.unparse(function).partition(".")
    return f"{names.get(first, first)}{dot}{rest}"


def _shared_file(chains: Mapping[str, Sequence[Path]]) -> Path:
    """Choose the file that all chains run first, or else the first of the first chain."""
    first, *others = chains.values()
    shared = [path for path in first if all(path in other for other in others)]
    return (shared or list(first))[0]
