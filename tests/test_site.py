"""The pages of the documentation, and the site that is made of them, are for their readers."""

import importlib.util
import json
import re
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client, override_settings
from service_process import REPOSITORY

DOCS = REPOSITORY / "docs"
#: Pages for those who work on lintel itself.
INSIDE = ("internals/",)
PAGES = sorted(
    path for path in DOCS.rglob("*.md") if not path.relative_to(DOCS).as_posix().startswith(INSIDE)
)
#: What a package is installed with that no registry has.
UNPUBLISHED = re.compile(
    r"(?:pip install|npm i(?:nstall)?)\b(?! ~)[^\n`]*"
    r"\b(?:django-lintel|lintel-(?:client|codecs|contract|document))\b"
)
#: Names of tests and files that only a clone of the repository has.
INTERNAL = re.compile(
    r"\btest_(?!orders)\w+\.py\b|\bpackages/\w+/(?:src|tests)\b|(?<![\w/])tests/(?!test_orders)\w|\btools/(?!list\b|call\b)\w|\bshared/"
)


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        name, REPOSITORY / "tools" / "site" / f"{name}.py"
    )
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


for_readers = module("reading").for_readers
polish = module("polish")


def name_of(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_pages_for_users_name_no_tests_and_no_files_of_the_repository(page: Path) -> None:
    assert INTERNAL.findall(for_readers(page.read_text())) == []


@pytest.mark.parametrize(
    "page",
    [
        *PAGES,
        *REPOSITORY.glob("packages/*/README.md"),
        REPOSITORY / "README.md",
        *REPOSITORY.glob("packages/server/src/lintel/templates/**/*.html"),
    ],
    ids=lambda page: page.relative_to(REPOSITORY).as_posix(),
)
def test_nobody_is_told_to_install_from_a_registry_what_is_not_there(page: Path) -> None:
    found = [line for line in UNPUBLISHED.findall(page.read_text()) if "wheels/*.whl" not in line]
    assert found == []


# ---- the front page ----


def front_page() -> str:
    return (DOCS / "README.md").read_text()


@pytest.mark.django_db
@pytest.mark.usefixtures("made_urls")
def test_the_code_of_the_front_page_does_what_it_shows(made_urls: ModuleType) -> None:
    (session,) = re.findall(r"```console\n(.*?)```", front_page(), re.S)
    exchanges = re.findall(
        r"^\$ curl -s http://127.0.0.1:8000(\S+) -d (\w+)=(\w+)\n(.*)\n", session, re.M
    )
    assert len(exchanges) == 2
    with override_settings(ROOT_URLCONF=made_urls):
        for address, name, value, shown in exchanges:
            assert Client().post(address, {name: value}).json() == json.loads(shown)
        page = Client().get("/groups/", headers={"accept": "text/html"})
        assert b'name="name"' in page.content
    assert Group.objects.get().name == "editors"


@pytest.fixture
def made_urls() -> ModuleType:
    (code,) = re.findall(r"```python\n(.*?)```", front_page(), re.S)
    assert len([line for line in code.splitlines() if line and not line.startswith("#")]) <= 12
    made = ModuleType("front_page_urls")
    exec(compile(code, "docs/README.md", "exec"), made.__dict__)
    return made


def test_the_front_page_has_a_picture_and_three_ways_in() -> None:
    ways = re.findall(r"^\* \*\*(.+?)\*\*(.*?)(?=^\*|^#)", front_page(), re.S | re.M)
    assert [title for title, _ in ways] == ["Start an API.", "Move an API.", "Call an API."]
    for _, text in ways:
        assert re.search(r"\]\(\S+\.md\)", text)
    for place in re.findall(r'(?:src|srcset)="([^"]+)"', front_page()):
        assert (DOCS / place).is_file()


def test_the_environment_of_the_site_has_the_extras_of_the_modules_that_it_describes() -> None:
    makefile = (REPOSITORY / "Makefile").read_text()
    (line,) = (
        line for line in makefile.splitlines() if line.startswith("\t.venv-docs/bin/python -m pip")
    )
    (extras,) = re.findall(r"\./packages/server\[(\S+)\]", line)
    modules = (REPOSITORY / "packages/server/src/lintel").glob("*.py")
    described = [path for path in modules if path.name != "schemadiff.py"]
    needed = {
        extra
        for path in described
        for extra in re.findall(r"install django-lintel\[(\w+)\]", path.read_text())
    }
    assert needed
    assert needed <= set(extras.split(","))


# ---- what the site changes ----


def test_pictures_follow_the_switch_of_the_site() -> None:
    text = for_readers(front_page())
    assert "<picture>" not in text
    light, dark = re.findall(r"```\{image\} (\S+)\n:class: (\S+)\n:alt: .+\n```", text)
    assert light == ("pictures/list-desk-light.webp", "only-light")
    assert dark == ("pictures/list-desk-dark.webp", "only-dark")


def test_readers_get_the_differences_without_the_ledger_of_maintainers() -> None:
    page = (DOCS / "differences.md").read_text()
    text = for_readers(page)
    assert text.count("| <a id=") == page.count("| <a id=") > 50
    assert "contract/differences.json" not in text
    for row in re.findall(r"^\| <a id=.*$", text, re.M):
        assert row.count(" | ") == 2


def test_other_tables_stay_as_they_are() -> None:
    table = "| a | b | c | d |\n| --- | --- | --- | --- |\n| 1 | 2 | 3 | 4 |\n"
    assert for_readers(table) == table


def test_what_the_theme_writes_is_corrected_for_screen_readers(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("\n".join(polish.CORRECTIONS))
    (tmp_path / "search.html").write_text(polish.SEARCH)
    polish.polish(tmp_path)
    assert (tmp_path / "page.html").read_text().count("aria-l") == 3
    assert "<h1" in (tmp_path / "search.html").read_text()
    (tmp_path / "page.html").write_text("a new version of the theme")
    with pytest.raises(LookupError, match="toc-drawer"):
        polish.polish(tmp_path)


def test_cells_of_wide_tables_name_their_column_for_phones() -> None:
    head = '<thead><tr class="row-odd">{}</tr></thead>'
    table = '<table class="docutils align-default">{}<tbody><tr class="row-even">{}</tr></table>'
    names, cells = ("<th><p>a &amp; b</p></th>", "<th>c</th>", "<th>d</th>"), ("<td>1</td>",) * 3
    wide = polish.corrected(table.format(head.format("".join(names)), "".join(cells)))
    assert re.findall(r'data-label="(.*?)">1', wide) == ["a &amp; b", "c", "d"]
    assert wide.count('role="row"') == 2
    assert 'class="stacks docutils' in wide
    narrow = table.format(head.format("".join(names[:2])), "".join(cells[:2]))
    assert polish.corrected(narrow) == narrow


def projects() -> list[dict[str, Any]]:
    files = sorted(REPOSITORY.glob("packages/*/pyproject.toml"))
    return [tomllib.loads(path.read_text())["project"] for path in files]


def test_every_extra_of_a_distribution_is_on_the_page_about_installing() -> None:
    page = (DOCS / "install.md").read_text()
    for project in projects():
        named = [project["name"], *project.get("optional-dependencies", {})]
        assert [each for each in named if f"`{each}`" not in page] in ([], ["lintel-document"])


def test_names_are_reserved_before_a_release() -> None:
    page = (REPOSITORY / "CONTRIBUTING.md").read_text()
    reserved = page.split("reserve the names")[1].split("\n\n")[1]
    assert len(projects()) == 5
    assert [each["name"] for each in projects() if f"`{each['name']}`" not in reserved] == []
    assert "npm registry: `lintel-client`" in reserved
