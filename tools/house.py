"""``python tools/house.py``: the numbers of the house, counted in the server as it stands.

Prints what each number is, the limit that it must not exceed, and what is wanted. Limits are in
``house.toml``; the exit status is 1 if one is exceeded. ``--json`` prints the numbers alone, for a
record; ``--tighten`` lowers the limits to what the code has now.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
SERVER = REPOSITORY / "packages" / "server" / "src"
LIMITS = Path(__file__).with_name("house.toml")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

Number = float | int

#: Names of functions that ask whether something is what a short cut was made for.
PREDICATE = re.compile(
    r"_?(reaches_\w+|\w+_plainly"
    r"|(\w+_)?(is|are|has)_(\w+_)?(plain|ours|own|known|current|unchanged|untouched|standard"
    r"|settled|original|harmless|tested|overridden|usual|steady|steadily|certain|of_server"
    r"|of_django|of_other_framework|inlined|prompt|promptly)(_\w+)?)"
)
#: Those that say who wrote a function.
PROVENANCE = ("is_ours", "is_overridden", "is_of_django", "reaches_django")
#: A dictionary of a module that is filled later.
EMPTY = re.compile(r"(dict|OrderedDict|WeakKeyDictionary|WeakValueDictionary)\(\)|\{\}")


@dataclass(frozen=True, eq=False)
class Module:
    """One module of the server."""

    name: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @cached_property
    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        return [node for node in self.nodes if isinstance(node, FUNCTIONS)]

    @cached_property
    def bound(self) -> set[str]:
        """The names that the module defines or imports: those of the face of a package."""
        names = {getattr(node, "name", "") for node in self.tree.body}
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom):
                names.update(alias.asname or alias.name for alias in node.names)
        return names

    @cached_property
    def names(self) -> set[str]:
        """The names that the code mentions, but those of Django's models and form fields."""
        named = {node.id for node in self.nodes if isinstance(node, ast.Name)}
        for node in self.nodes:
            if isinstance(node, ast.ClassDef) or (
                isinstance(node, ast.alias) and not _is_handed_on(node)
            ):
                named.add(node.name)
            elif isinstance(node, ast.Attribute) and ast.unparse(node.value) not in FOREIGN:
                named.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                named.add(node.value)
        return named - self._of_django

    @property
    def _of_django(self) -> set[str]:
        imports = [node for node in self.nodes if isinstance(node, ast.ImportFrom)]
        return {
            alias.name
            for node in imports
            if (node.module or "").startswith("django.")
            for alias in node.names
            if alias.asname is None
        }

    def calls_of(self, functions: Iterable[str]) -> int:
        called = [node.func for node in self.nodes if isinstance(node, ast.Call)]
        names = [getattr(node, "attr", getattr(node, "id", "")) for node in called]
        return sum(name in set(functions) for name in names)

    def is_in(self, rooms: Iterable[str]) -> bool:
        return any(f"{self.name}.".startswith(f"{room}.") for room in rooms)


#: Bases, and an exception, that have names like those of fields and paginators.
NO_TYPES = {"Field", "BasePagination", "SkipField"}

#: Names of what is not a method's own.
GIVEN = re.compile(r"(\w+_)?(serializer|renderer|child)")

#: Words of this house in place of the field's, which say nothing of what a name stands for.
HOUSE_WORDS = {
    *("each", "found", "one", "known", "own", "kept", "late", "standing", "speaker", "lean"),
    *("wires", "double"),
}

#: Modules of Django whose classes have the names of fields.
FOREIGN = {"models", "forms", "django.forms", "postgres_fields"}


class House:
    """The modules of the server, and what can be counted in them."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.rooms: dict[str, list[str]] = plan["rooms"]
        self.plan = plan
        self.modules = {name: Module(name, path.read_text()) for name, path in _files()}

    def arrows(self, inside: str) -> Iterator[tuple[Module, Module]]:
        """Imports of modules that are inside of rooms by modules that are not."""
        rooms, face = self.rooms[inside], self.rooms.get("face", [])
        for module in self.modules.values():
            if not module.is_in(rooms):
                for name in sorted(self._imports(module)):
                    target = self.modules[name]
                    if target.is_in(rooms) and name not in face:
                        yield module, target

    def _is_exception(self, module: Module, target: Module) -> bool:
        return f"{module.name} -> {target.name}" in self.plan["exceptions"]

    def _imports(self, module: Module) -> set[str]:
        names: set[str] = set()
        for node in module.nodes:
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.update(self._imported(node.module, alias.name) for alias in node.names)
        return names & set(self.modules)

    def _imported(self, package: str, name: str) -> str:
        inner = f"{package}.{name}"
        is_of_face = package in self.modules and name in self.modules[package].bound
        return inner if inner in self.modules and not is_of_face else package

    def doors(self) -> Iterator[tuple[str, Number]]:
        """Who knows the fast way and trust from outside."""
        arrows = {room: list(self.arrows(room)) for room in ("fast", "trust", "overrides")}
        arrows["trust"] = [arrow for arrow in arrows["trust"] if not self._is_exception(*arrow)]
        faces = {name for name in self.rooms["face"] if name in self.modules}
        yield "fast_importers", len({module.name for module, _ in arrows["fast"]})
        yield "fast_doors", len(faces | {target.name for _, target in arrows["fast"]})
        yield "trust_importers", len({module.name for module, _ in arrows["trust"]})
        yield "trust_packages", len({_room(module.name) for module, _ in arrows["trust"]})
        yield "overrides_packages", len({_room(module.name) for module, _ in arrows["overrides"]})
        broken = [
            any(module.is_in(sources) for module, _ in arrows[room])
            for sources, room in self.plan["nevers"].values()
        ]
        yield "nevers", sum(broken)

    def questions(self) -> Iterator[tuple[str, Number]]:
        """Predicates and stores of the short cuts."""
        modules = self.modules.values()
        functions = [node for module in modules for node in module.functions]
        predicates = [node.name for node in functions if PREDICATE.fullmatch(node.name)]
        yield "predicates", len(predicates)
        yield "predicate_calls", sum(module.calls_of(predicates) for module in modules)
        yield "provenance_calls", sum(module.calls_of(PROVENANCE) for module in modules)
        yield "stores", sum(_is_store(node) for module in modules for node in module.tree.body)
        yield "cached_functions", sum(map(_is_cached, functions))
        changed = [owner for module in modules for node in module.nodes for owner in _changed(node)]
        yield "assigned", sum(GIVEN.fullmatch(name) is not None for name in changed)

    def words(self) -> Iterator[tuple[str, Number]]:
        """Types, names, docstrings and the lengths of functions."""
        text = "\n".join(module.text for module in self.modules.values())
        lines = sum(module.text.count("\n") for module in self.modules.values())
        yield "lines", lines
        yield "any_per_kloc", round(len(re.findall(r"\bAny\b", text)) / lines * 1000, 1)
        yield "any_keys", len(re.findall(r"\b(?:dict|Mapping|MutableMapping)\[Any\b", text))
        bound = [name for module in self.modules.values() for name in map(_bound, module.nodes)]
        yield "house_words", sum(name in HOUSE_WORDS for name in bound)
        yield "private_names", len(set(re.findall(r"\b_lintel_\w+", text)))
        functions = [node for module in self.modules.values() for node in module.functions]
        sizes = sorted((node.end_lineno or 0) - node.lineno + 1 for node in functions)
        yield "function_median", sizes[len(sizes) // 2]
        yield "function_p95", sizes[len(sizes) * 95 // 100]
        docstrings = list(filter(None, map(ast.get_docstring, functions)))
        returning = sum(docstring.startswith("Return") for docstring in docstrings)
        yield "return_docstrings", round(100 * returning / len(functions), 1)

    def places(self) -> Iterator[tuple[str, Number]]:
        """How many modules would have to change for one more field or paginator."""
        yield "field_places", self._naming("lintel.fields", "Field")
        yield "paginator_places", self._naming("lintel.pagination", "Pagination")

    def _naming(self, package: str, suffix: str) -> Number:
        names = {
            name
            for name in self.modules[package].bound
            if name.endswith(suffix) and name not in NO_TYPES
        }
        counts = [
            sum(name in module.names for module in self.modules.values()) for name in sorted(names)
        ]
        return round(sum(counts) / len(counts), 1)


def _bound(node: ast.AST) -> str:
    """The name of a variable or parameter where it gets its value; nothing elsewhere."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    return node.arg if isinstance(node, ast.arg) else ""


def _changed(node: ast.AST) -> Iterator[str]:
    """The name of the object whose attribute a part of the code sets or takes away."""
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        yield _last_name(node.value)
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        yield _owner_of_namespace(node.value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("clear", "pop", "setdefault", "update"):
            yield _owner_of_namespace(node.func.value)
    elif isinstance(node, ast.Call) and _last_name(node.func) in ("setattr", "delattr"):
        yield _last_name(node.args[0])


def _last_name(node: ast.AST) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _owner_of_namespace(node: ast.AST) -> str:
    """``serializer`` for ``vars(serializer)`` and ``self.serializer.__dict__``; else nothing."""
    if isinstance(node, ast.Call) and _last_name(node.func) == "vars":
        return "".join(map(_last_name, node.args))
    is_namespace = isinstance(node, ast.Attribute) and node.attr == "__dict__"
    return _last_name(node.value) if is_namespace else ""


def _files() -> Iterator[tuple[str, Path]]:
    for path in sorted((SERVER / "lintel").rglob("*.py")):
        parts = path.relative_to(SERVER).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def _is_handed_on(alias: ast.alias) -> bool:
    """``import X as X``: the face of a package says so of what it exports."""
    return alias.asname == alias.name


def _room(name: str) -> str:
    return ".".join(name.split(".")[:2])


def _is_store(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return False
    return EMPTY.fullmatch(ast.unparse(node.value)) is not None


def _is_cached(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = [ast.unparse(decorator).partition("(")[0] for decorator in function.decorator_list]
    return any(name.rpartition(".")[2] in ("cache", "lru_cache") for name in names)


def walks() -> Iterator[tuple[str, Number]]:
    """What a list and a document touch, in a project in memory."""
    sys.path[:0] = [str(path) for path in REPOSITORY.glob("packages/*/src")]
    import house_walks

    listing, document = house_walks.walks()
    yield "list_calls", listing.calls
    yield "list_modules", len(listing.modules)
    yield "list_stays", listing.stays
    yield "list_climbs", listing.climbs
    yield "document_stays", document.stays
    yield "document_climbs", document.climbs


def measured(plan: dict[str, Any]) -> dict[str, Number]:
    """Count everything; returns the numbers by key, in the order of the plan."""
    house = House(plan)
    parts: list[Callable[[], Iterator[tuple[str, Number]]]]
    parts = [house.doors, house.questions, house.words, house.places, walks]
    numbers = dict(pair for part in parts for pair in part())
    return {key: numbers[key] for key in plan["numbers"]}


def table(plan: dict[str, Any], numbers: dict[str, Number]) -> Iterator[str]:
    """The lines of the table; a number that exceeds its limit has a mark."""
    yield f"{'':48}{'now':>8}{'limit':>8}{'wanted':>8}"
    for key, number in numbers.items():
        row = plan["numbers"][key]
        mark = "  too much" if number > row["limit"] else ""
        yield f"{row['title']:48}{number:8}{row['limit']:8}{row.get('wanted', '-'):>8}{mark}"


def tighten(numbers: dict[str, Number]) -> None:
    """Lower the limits to the numbers; raises none."""
    text = LIMITS.read_text()
    for key, number in numbers.items():
        before = re.search(rf"^{key} = .*limit = ([\d.]+)", text, re.MULTILINE)
        if before and float(before[1]) > number:
            text = f"{text[: before.start(1)]}{number}{text[before.end(1) :]}"
    LIMITS.write_text(text)


def main() -> int:
    command = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    command.add_argument("--json", action="store_true", help="print the numbers as JSON")
    command.add_argument("--tighten", action="store_true", help="lower the limits to the numbers")
    options = command.parse_args()
    plan = tomllib.loads(LIMITS.read_text())
    numbers = measured(plan)
    if options.tighten:
        tighten(numbers)
    print(json.dumps(numbers, indent=2) if options.json else "\n".join(table(plan, numbers)))
    return int(any(number > plan["numbers"][key]["limit"] for key, number in numbers.items()))


if __name__ == "__main__":
    sys.exit(main())
