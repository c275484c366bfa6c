"""House rules of CONTRIBUTING.md that no linter checks, and the contents of the wheels."""

import ast
import re
import runpy
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGES = sorted(path.parent for path in REPOSITORY.glob("packages/*/pyproject.toml"))
SOURCES = sorted(path for package in PACKAGES for path in (package / "src").rglob("*.py"))
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def functions() -> Iterator[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, FUNCTIONS):
                yield path, node


def test_functions_are_short() -> None:
    sizes = sorted(node.end_lineno - node.lineno + 1 for _, node in functions())
    assert sizes[len(sizes) // 2] <= 6
    assert sizes[len(sizes) * 95 // 100] <= 18


def test_late_imports_are_three_at_most() -> None:
    late = {
        f"{path.relative_to(REPOSITORY)}:{inner.lineno}"
        for path, node in functions()
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    }
    assert len(late) <= 3, sorted(late)


def test_two_files_know_the_fast_json_library() -> None:
    found = [
        path.as_posix().partition("/src/")[2]
        for path in SOURCES
        if re.search(r"^\s*(import|from) orjson", path.read_text(), re.MULTILINE)
    ]
    assert found == ["lintel/fast/compiler/kinds/base.py", "lintel/fast/json_texts.py"]


def floors() -> list[set[str]]:
    """The modules of each group between arrows in ARCHITECTURE.md, from top to bottom."""
    page = (REPOSITORY / "ARCHITECTURE.md").read_text()
    rows = re.findall(r"^\| [A-Z]+ \| (.*) \|$", page, re.MULTILINE)
    groups = [group for row in rows for group in row.split("→")]
    return [set(re.findall(r"`([\w.]+)`", group)) for group in groups]


def test_the_modules_of_the_architecture_are_the_modules_that_exist() -> None:
    server = REPOSITORY / "packages" / "server" / "src" / "lintel"
    here = {path.stem for path in server.iterdir() if not path.stem.startswith("_")}
    listed = {name.partition(".")[0] for names in floors() for name in names}
    assert listed == here - {"locale", "py", "starter", "static", "templates"}


def test_the_floors_of_the_architecture_are_those_that_the_linter_holds() -> None:
    contract = (REPOSITORY / ".importlinter").read_text().split("[importlinter:contract:")[1]
    lines = re.findall(r"^ +(\(.*)$", contract, re.MULTILINE)
    assert floors() == [set(re.findall(r"\(([\w.]+)\)", line)) for line in lines]


def test_the_decisions_list_what_the_face_of_the_fast_way_offers() -> None:
    page = (REPOSITORY / "docs" / "internals" / "architecture.md").read_text()
    table = page.split("## The face of the fast way")[1].split("\n## ")[0]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    listed = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    face = REPOSITORY / "packages" / "server" / "src" / "lintel" / "fast" / "__init__.py"
    assert sorted(listed) == sorted(re.findall(r" as (\w+)$", face.read_text(), re.MULTILINE))


def test_the_page_of_what_is_kept_names_every_module_that_keeps_something() -> None:
    page = (REPOSITORY / "docs" / "internals" / "trust.md").read_text()
    server = REPOSITORY / "packages" / "server" / "src" / "lintel"
    keeps = re.compile(
        r"= (fast\.)?Store\(\)|^ *@(lru_)?cache\b|\bOriginals\(\n|WeakValueDictionary\(\)", re.M
    )
    kept = {
        path.relative_to(server).as_posix()
        for path in server.rglob("*.py")
        if keeps.search(path.read_text())
    }
    assert len(kept) > 20
    assert sorted(name for name in kept if f"`{name}`" not in page) == []


def test_suppressions_are_rare() -> None:
    lines = [line for path in SOURCES for line in path.read_text().splitlines()]
    suppressions = [line for line in lines if "# type: ignore" in line or "# noqa" in line]
    assert len(suppressions) / len(lines) < 3 / 1000


def test_no_bare_assert_guards_an_api() -> None:
    found = [
        f"{path.relative_to(REPOSITORY)}:{node.lineno}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Assert)
    ]
    assert not found


def test_no_file_names_a_package_registry() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    hosts = ["pypi." + "org", "pythonhosted." + "org", "registry.npmjs." + "org"]
    for name in filter(None, tracked):
        path = REPOSITORY / name
        content = path.read_bytes() if path.is_file() else b""
        assert not [host for host in hosts if host.encode() in content], name


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_a_wheel_holds_the_package_and_nothing_else(package: Path, tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=package, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    (source,) = (package / "src").iterdir()
    for path in source.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert path.relative_to(package / "src").as_posix() in names
    assert f"{source.name}/py.typed" in names
    assert all(name.startswith(source.name) or ".dist-info/" in name for name in names)


def test_all_places_name_one_version() -> None:
    release = runpy.run_path(str(REPOSITORY / "tools" / "release.py"))
    version = (REPOSITORY / "VERSION").read_text().strip()
    named = list(release["versions"]())
    assert {name for name, _ in named} == set(release["PLACES"])
    assert [name for name, found in named if found != version] == []


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_packages_carry_the_licence_of_the_repository(package: Path) -> None:
    assert (package / "LICENSE").read_text() == (REPOSITORY / "LICENSE").read_text()


def test_every_page_is_reached_from_the_contents() -> None:
    contents = (REPOSITORY / "docs" / "README.md").read_text()
    pages = [path.relative_to(REPOSITORY / "docs") for path in REPOSITORY.glob("docs/**/*.md")]
    missing = [page for page in pages if f"({page.as_posix()})" not in contents]
    assert [page.as_posix() for page in missing] == ["README.md"]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page: its headings, and those it defines itself."""
    text = re.sub(r"(?s)^```.*?^```", "", page.read_text(), flags=re.MULTILINE)
    headings = re.findall(r"^#+ (.+?)\s*$", text, re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", one).lower() for one in headings]
    slugs = {re.sub(r"[^\w\- ]", "", one).replace(" ", "-") for one in plain}
    return slugs | set(re.findall(r"""(?:id|name)=["']([^"']+)""", text))


def test_links_lead_to_headings_that_exist() -> None:
    pages = [*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md")]
    broken = [
        f"{page.relative_to(REPOSITORY)}: {target}#{anchor}"
        for page in pages
        for target, anchor in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", page.read_text())
        if "://" not in target
        and (goal := (page.parent / target).resolve() if target else page).suffix == ".md"
        and anchor not in anchors(goal)
    ]
    assert not broken


def test_links_between_pages_hold() -> None:
    pages = [*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md")]
    broken = [
        f"{page.relative_to(REPOSITORY)}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text())
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert not broken


def test_the_readme_has_the_ratios_that_were_measured() -> None:
    """Its row of a scenario has lintel's rate on PostgreSQL and the ratios to three others."""
    page = (REPOSITORY / "docs" / "benchmarks.md").read_text()
    measured = page.partition("Requests per second ·")[2].partition("Start and memory")[0]
    readme = (REPOSITORY / "README.md").read_text()
    names = _cells(next(line for line in measured.splitlines() if line.startswith("| contender")))
    rates = {
        cells[0]: dict(zip(names[1:], map(_rate, cells[1:]), strict=True))
        for cells in map(_cells, re.findall(r"^\| (?!contender|---).*$", measured, re.MULTILINE))
    }
    shown = {"list of 100": "page of 100", "list of 50 with relations": "nested 50"}
    shown["50 items validated"] = "validate 50 items"
    for scenario in ("one row", *shown, "create", "empty view"):
        row = next(line for line in readme.splitlines() if line.startswith(f"| {scenario} |"))
        own, *others = (rates[name][shown.get(scenario, scenario)] for name in SHOWN)
        wanted = [f"{own:,}", *(f"{own / other:.1f}" for other in others)]
        assert _cells(row)[1:] == wanted


#: The ways of serving whose rates the README compares.
SHOWN = ("lintel (serving, WSGI)", "DRF", "django-ninja", "Litestar")


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def _rate(cell: str) -> int:
    return int(cell.partition("·")[0].replace(",", ""))
