"""The examples of docs/guides and docs/moving run, each page from its top to its end.

The blocks of a page are one module. In an expression with a comment behind it, the comment is the
value; ``urlpatterns`` are the addresses from there on, and ``REST_FRAMEWORK`` the settings. There
are an app ``snippets`` with the rows of ``test_docs_examples.py``, and the users alice and bob.
"""

import ast
import re
import sys
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from contract_project.models import Profile, Snippet, Tag
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import override_settings
from test_docs_examples import SnippetSerializer, check

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = sorted([*(DOCS / "guides").glob("*.md"), *(DOCS / "moving").glob("*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```", re.S | re.M)

#: Pages whose examples are parts of settings, or of test modules.
READ_ONLY = {"django-rest-framework"}
#: Pages whose examples count the queries of compiled reads.
COUNTED = {"performance"}


def marked(path: Path) -> Any:
    marks = [pytest.mark.fast_way] if path.stem in COUNTED else []
    return pytest.param(path, id=f"{path.parent.name}/{path.stem}", marks=marks)


@pytest.fixture
def users(db: None, monkeypatch: pytest.MonkeyPatch) -> dict[str, User]:
    modules = {name: ModuleType(f"snippets.{name}") for name in ("models", "serializers")}
    vars(modules["models"]).update(Snippet=Snippet, Tag=Tag, Profile=Profile)
    vars(modules["serializers"]).update(SnippetSerializer=SnippetSerializer)
    monkeypatch.setitem(sys.modules, "snippets", ModuleType("snippets"))
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, f"snippets.{name}", module)
    found = {
        name: User.objects.create(id=n, username=name) for n, name in ((1, "alice"), (2, "bob"))
    }
    tags = [Tag.objects.create(id=n, name=u) for n, u in enumerate(["red", "green", "blue"], 1)]
    for number in (1, 2):
        made = Snippet.objects.create(id=number, title=f"t{number}", code="x", owner=found["alice"])
        made.tags.set(tags[:2])
    cache.clear()
    return found


@pytest.mark.parametrize("path", [marked(path) for path in PAGES])
def test_the_examples_of_a_page_run(
    path: Path, users: dict[str, User], monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    blocks = BLOCK.findall(path.read_text())
    assert blocks
    if path.stem in READ_ONLY:
        assert [compile(block, path.name, "exec") for block in blocks]
        return
    namespace: dict[str, Any] = {"__name__": "guide", **users}
    with ExitStack() as stack:
        for number, block in enumerate(blocks):
            for node in ast.parse(block).body:
                execute(node, block, namespace, f"{path.name}, block {number + 1}")
                if isinstance(node, ast.Assign):
                    follow(node.targets[0], namespace, monkeypatch, stack)


def execute(node: ast.stmt, block: str, namespace: dict[str, Any], name: str) -> None:
    text = ast.get_source_segment(block, node) or ""
    if isinstance(node, ast.Expr):
        value = eval(compile(text, name, "eval"), namespace)
        check(value, block.splitlines()[node.end_lineno - 1][node.end_col_offset :])
    else:
        exec(compile(ast.Module([node], []), name, "exec"), namespace)


def follow(
    target: ast.expr, namespace: dict[str, Any], monkeypatch: pytest.MonkeyPatch, stack: ExitStack
) -> None:
    """New addresses and settings count from here on."""
    if not isinstance(target, ast.Name):
        return
    if target.id == "REST_FRAMEWORK":
        stack.enter_context(override_settings(REST_FRAMEWORK=namespace["REST_FRAMEWORK"]))
    if target.id == "urlpatterns":
        module = ModuleType(f"guide_{id(namespace[target.id])}")
        module.urlpatterns = namespace["urlpatterns"]
        monkeypatch.setitem(sys.modules, module.__name__, module)
        stack.enter_context(override_settings(ROOT_URLCONF=module.__name__))
