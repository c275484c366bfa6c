"""``python tools/docs.py``: build the documentation site in ``site/VERSION``, and the version list.

The pages are those of ``docs/`` and of the root of the repository, unchanged; the reference of
the modules comes from their docstrings. The site needs no server and no other host.
"""

from __future__ import annotations

import html
import inspect
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import django

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "tools" / "site"))

from polish import polish  # noqa: E402 -- beside the configuration of the site
from reading import for_readers  # noqa: E402

DOCS = REPOSITORY / "docs"
SITE = REPOSITORY / "site"
STAGE = REPOSITORY / "build" / "docs"
CONFIGURATION = REPOSITORY / "tools" / "site"

#: Pages at the root of the repository that belong to the documentation.
ROOT_PAGES = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")

#: The packages whose docstrings form the reference, and modules that are never imported.
PACKAGES = ("lintel", "lintel_client", "lintel_document", "lintel_codecs")
INTERNAL = re.compile(
    r"\.(_|compiler|orm|cycle|management|migrations|templatetags|starter|cli|mcp|checks|apps"
    r"|overrides|other_framework|patches|iso8601|steps|core|exchange|schemadiff|problems|static|locale)"
)
#: Further modules of the reference, whose packages have no other public ones.
MODULES = ("lintel_contract", "lintel_contract.plugin", "lintel_contract.testing")

#: The part of the front page whose links are in the other parts as well.
SHORT_CUTS = "Three ways in"

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)")


def pages() -> dict[Path, Path]:
    """Return the source of each page, and its place on the site."""
    found = {path: STAGE / path.relative_to(DOCS) for path in DOCS.rglob("*") if path.is_file()}
    found[DOCS / "README.md"] = STAGE / "index.md"
    for name in ROOT_PAGES:
        found[REPOSITORY / name] = STAGE / "project" / name
    return found


def staged(path: Path, places: dict[Path, Path]) -> str:
    """Return the text of a page for readers, with links to the pages of the site.

    Files that are only in the repository (folders, sources) are named, not linked.
    """

    def relink(found: re.Match[str]) -> str:
        image, text, target, anchor = found[1], found[2], found[3], found[4] or ""
        if not target or "://" in target or target.startswith("mailto:"):
            return found[0]
        goal = places.get((path.parent / target).resolve())
        if goal is None:
            return text
        relative = os.path.relpath(goal, places[path].parent)
        return f"{image}[{text}]({relative}{anchor})"

    return _LINK.sub(relink, for_readers(path.read_text()))


def modules() -> Iterator[str]:
    """The modules that the reference describes."""
    for name in PACKAGES:
        package = import_module(name)
        yield name
        for each in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not INTERNAL.search(each.name[len(name) :]) and each.name.count(".") == 1:
                yield each.name
    yield from MODULES


def described(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Return the public names of a module and its parts, each with its documentation."""
    inside = f"{module.__name__}."
    for name, value in vars(module).items():
        home = getattr(value, "__module__", None) or ""
        if name.startswith("_") or not (home == module.__name__ or home.startswith(inside)):
            continue
        if not inspect.getdoc(value):
            continue
        if isinstance(value, type):
            kind = "autoexception" if issubclass(value, BaseException) else "autoclass"
            yield (
                name,
                f"{kind}:: {inside}{name}\n   :members:\n   :exclude-members: SchemaGenerator",
            )
        elif inspect.isroutine(value):
            yield name, f"autofunction:: {inside}{name}"


def reference() -> None:
    """Write one page per module, and their index."""
    folder = STAGE / "reference"
    folder.mkdir()
    listed = []
    for name in modules():
        module = import_module(name)
        names = sorted(described(module))
        if not names:
            continue
        title = f"``{name}``"
        text = f"{title}\n{'=' * len(title)}\n\n.. automodule:: {name}\n\n"
        text += "".join(f".. {directive}\n\n" for _, directive in names)
        (folder / f"{name}.rst").write_text(text)
        listed.append(f"   {name}\n")
    title = "Reference by module\n===================\n\n"
    tree = f".. toctree::\n   :maxdepth: 1\n\n{''.join(listed)}"
    (folder / "index.rst").write_text(title + tree)


def contents() -> str:
    """Write the index: the page of contents, with the same pages in the side bar, part by part."""
    text = (STAGE / "index.md").read_text()
    parts = re.split(r"(?m)^## (.+)$", text)[1:]
    trees = []
    for title, body in zip(parts[::2], parts[1::2], strict=True):
        if title == SHORT_CUTS:
            continue
        names = [found.removesuffix(".md") for found in re.findall(r"\]\(([^)#:\s]+\.md)\)", body)]
        if names:
            trees.append(_tree(title, *dict.fromkeys(names)))
    trees.append(_tree("Reference", "reference/index"))
    trees.append(_tree("Project", "project/CHANGELOG", "project/CONTRIBUTING"))
    return text + "\n" + "\n".join(trees)


def _tree(title: str, *names: str) -> str:
    listed = "\n".join(names)
    return f"```{{toctree}}\n:hidden:\n:caption: {title}\n\n{listed}\n```\n"


def stage() -> None:
    """Arrange all pages as Sphinx expects them."""
    shutil.rmtree(STAGE, ignore_errors=True)
    places = pages()
    for path, goal in places.items():
        goal.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            goal.write_text(staged(path, places))
        else:
            shutil.copyfile(path, goal)
    reference()
    (STAGE / "index.md").write_text(contents())


def list_versions() -> None:
    """Write a page with a link to each version on the site."""
    versions = sorted((path.name for path in SITE.iterdir() if path.is_dir()), reverse=True)
    items = "".join(
        f'<li><a href="{html.escape(one)}/index.html">lintel {html.escape(one)}</a></li>'
        for one in versions
    )
    (SITE / "index.html").write_text(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        '<meta name="color-scheme" content="light dark"><title>lintel documentation</title>'
        "</head><body><main><h1>lintel documentation</h1>"
        f"<ul>{items}</ul></main></body></html>\n"
    )


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "project_settings"
    django.setup()
    version = (REPOSITORY / "VERSION").read_text().strip()
    stage()
    goal = SITE / version
    shutil.rmtree(goal, ignore_errors=True)
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q"]
    command += ["-c", str(CONFIGURATION), "-d", str(REPOSITORY / "build" / "doctrees")]
    path = os.pathsep.join([str(CONFIGURATION), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "LINTEL_DOCS_VERSION": version, "PYTHONPATH": path}
    done = subprocess.run([*command, str(STAGE), str(goal)], env=environment, check=False)
    if done.returncode:
        raise SystemExit("the site was not built without warnings")
    polish(goal)
    list_versions()
    print(f"open {goal.relative_to(REPOSITORY)}/index.html")


if __name__ == "__main__":
    main()
