"""The first example of each documentation page runs and gives the documented results.

Examples are modules of a project that has an app ``snippets``: here, the models of the sample
project. In an expression with a comment behind it, the comment is the value.
"""

import ast
import re
import subprocess
import sys
import unittest
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.core.management import BaseCommand, get_commands, load_command_class
from django.test import override_settings

from lintel import serializers
from lintel.settings import DEFAULTS, api_settings
from lintel.test import APIClient

REPOSITORY = Path(__file__).resolve().parents[3]
PAGES = sorted((REPOSITORY / "docs" / "server").glob("*.md"))
SOURCE = REPOSITORY / "packages" / "server" / "src" / "lintel"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.S | re.M)
COMMENT = re.compile(r"\s#\s+(?P<value>.+)$")

TEXT = "\n".join(path.read_text() for path in PAGES)
COMMANDS = ["generateschema", "explainserializer", "schemadiff", "drf_create_token"]

#: Modules of classes and functions that projects name in their code and settings.
PUBLIC = [
    *(
        "authentication",
        "jwt",
        "bulk",
        "sessions",
        "conditional",
        "idempotency",
        "patching",
        "streaming",
        "decorators",
        "documentation",
        "exceptions",
        "filters",
        "generics",
    ),
    *(
        "mcp",
        "metadata",
        "mixins",
        "negotiation",
        "pagination",
        "parsers",
        "permissions",
        "renderers",
    ),
    *("reverse", "routers", "schemas", "test", "throttling", "urlpatterns", "validators"),
    *("versioning", "views", "viewsets", "fields", "relations", "serializers"),
]

#: Ends of the names of classes that projects derive from or name in settings.
KINDS = (
    *("View", "ViewSet", "ModelMixin", "Serializer", "Field", "Validator", "Filter"),
    *("Authentication", "Permission", "Permissions", "Throttle", "Pagination", "Parser"),
    *("Renderer", "Negotiation", "Metadata", "Versioning", "Router", "Client", "TestCase"),
)

#: Pages whose example changes the whole process.
ALONE = {"dropin", "ecosystem"}

#: Requests to the addresses of an example, with what they answer.
REQUESTS: dict[str, list[tuple[str, str, Any, int, Any]]] = {
    "access-tokens": [
        ("get", "/profile/", None, 401, None),
        ("get", "/.well-known/oauth-protected-resource", None, 404, None),
    ],
    "authentication": [("get", "/profile/", None, 401, None)],
    "sessions": [
        ("get", "/session/", None, 200, {"user": None}),
        ("post", "/session/login/", {}, 400, None),
    ],
    "browsable-pages": [
        ("get", "/snippets/?format=api", None, 200, None),
        ("get", "/account/login/", None, 200, None),
    ],
    "errors": [("post", "/orders/", {"lines": [{"count": 1}]}, 201, {"lines": [{"count": 1}]})],
    "exceptions": [
        ("post", "/orders/", {"count": 9}, 409, {"detail": "Nothing is left."}),
        ("post", "/orders/", {"count": 1}, 201, None),
    ],
    "filtering": [("get", "/snippets/?search=alice&ordering=title", None, 200, None)],
    "generic-views": [
        ("get", "/snippets/", None, 200, None),
        ("get", "/snippets/1/", None, 200, None),
        ("delete", "/snippets/1/", None, 204, None),
    ],
    "idempotency": [("post", "/orders/", {"count": 1}, 400, None)],
    "health": [
        ("get", "/health/live/", None, 200, {"status": "alive"}),
        ("get", "/health/ready/", None, 200, {"status": "ready"}),
        ("get", "/health/started/", None, 200, {"status": "started"}),
    ],
    "querying": [("get", "/snippets/?search=t1", None, 200, None)],
    "scoping": [("get", "/snippets/", None, 403, None)],
    "sparse": [
        (
            "get",
            "/snippets/?fields=title,owner.username&expand=owner",
            None,
            200,
            [{"title": f"t{number}", "owner": {"username": "alice"}} for number in (1, 2)],
        )
    ],
    "mcp": [
        (
            "post",
            "/mcp/",
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "get_snippets_id", "arguments": {"id": 1}},
            },
            200,
            None,
        ),
        ("get", "/.well-known/oauth-protected-resource/mcp/", None, 404, None),
    ],
    "metadata": [
        (
            "options",
            "/weather/",
            None,
            200,
            {"name": "Weather", "description": "What the wind does."},
        )
    ],
    "negotiation": [("get", "/report/", None, 200, {"sold": 3})],
    "pagination": [("get", "/snippets/?page=1&page_size=100", None, 200, None)],
    "parsers": [("post", "/import/", [1, 2], 200, {"lines": 2})],
    "permissions": [
        ("get", "/snippets/1/", None, 200, None),
        ("delete", "/snippets/1/", None, 403, None),
    ],
    "renderers": [
        ("get", "/report/", None, 200, [{"city": "Oslo", "wind": 3.5}]),
        ("get", "/report/?format=csv", None, 200, None),
    ],
    "requests": [
        (
            "post",
            "/echo/?page=2",
            {"a": 1},
            200,
            {"data": {"a": 1}, "page": "2", "user": "AnonymousUser"},
        )
    ],
    "responses": [("post", "/orders/", {}, 201, {"id": 1})],
    "routers": [
        ("get", "/api/", None, 200, None),
        ("get", "/api/recent.json", None, 200, None),
        ("get", "/api/snippets/1/", None, 200, None),
    ],
    "schemas": [("get", "/openapi/", None, 200, None)],
    "conditional": [
        ("get", "/snippets/1/", None, 200, None),
        ("put", "/snippets/1/", {"title": "b", "code": "x"}, 428, None),
    ],
    "documentation": [("get", "/docs/", None, 200, None)],
    "bulk": [
        ("post", "/tags/", [{"name": "new"}, {"name": "newer"}], 201, None),
        ("delete", "/tags/", [1], 204, None),
        ("delete", "/tags/", None, 400, None),
    ],
    "patching": [("patch", "/snippets/1/", {"title": "b"}, 200, None)],
    "streaming": [("get", "/snippets/?format=ndjson", None, 200, None)],
    "versioning": [
        ("get", "/v1/orders/", None, 200, {"total": 30}),
        ("get", "/v2/orders/", None, 200, {"amount": 30}),
    ],
    "views": [("get", "/weather/oslo/", None, 200, {"city": "oslo", "wind": 3.5})],
    "viewsets": [
        ("get", "/snippets/", None, 200, None),
        ("post", "/snippets/1/number_lines/", {}, 204, None),
    ],
}

#: Modules whose public names are explained on the page of another one, or which have no page.
#: Other tests have added databases that these may not use: the checks ask caches alone.
OWN_SETTINGS = {"health": {"HEALTH_CHECKS": ["lintel.health.caches"]}}
ON_OTHER_PAGES = {
    "phases": "telemetry",
    "toppage": "requestlog",
    "top": "requestlog",
    "outages": "errors",
    "addresses": "throttling",
    "annotations": None,  # names in our annotations; nothing for projects
    "apps": "settings",
    "authtoken": "authentication",
    "checks": "settings",
    "compatible": "settings",
    "compat": None,  # what libraries are there; nothing for projects
    "doctor": "dropin",
    "deprecation": None,  # categories for warning filters
    "cycle": "views",
    "decorators": "views",
    "fast": None,  # shortcuts for what projects call; the internals describe them
    "generics": "generic-views",
    "holding": "conditional",
    "hashedtokens": "authentication",
    "inspectors": "schemas",
    "jwt": "access-tokens",
    "protected_resources": "access-tokens",
    "accounts": None,  # the guide about accounts
    "periods": "throttling",
    "security_checks": "settings",
    "inherited_scopes": "scoping",
    "installation": "dropin",
    "pinned": "dropin",
    "iso8601": None,  # how moments are written; nothing for projects
    "management": "schemas",
    "marks": None,  # what faster code knows methods of ours by; nothing for projects
    "mixins": "generic-views",
    "other_framework": None,  # its names; nothing for projects
    "patches": None,  # what is patched on a package counts in its modules
    "overrides": None,  # whether code of a project stands in the place of ours; nothing for them
    "problems": "errors",
    "query_parameters": "filtering",
    "reports": "filtering",
    "request": "requests",
    "response": "responses",
    "nesting": "routers",
    "querying": "querying",
    "composite_keys": "model-serializers",
    "query_counts": "testing",
    "reverse": "versioning",
    "retirement": "versioning",
    "filters": "filtering",
    "status": "status-codes",
    "yasg": "spectacular",
    "templatetags": "browsable-pages",
    "test": "testing",
    "trust": None,  # generated functions and their guards; nothing for projects
    "urlpatterns": "routers",
    "urls": "authentication",
    "utils": None,  # for packages that take names from there
}


class SnippetSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ["id", "title", "code", "owner"]


@pytest.fixture(autouse=True)
def project(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The app of the examples, with rows."""
    modules = {name: ModuleType(name) for name in ("models", "serializers")}
    vars(modules["models"]).update(Snippet=Snippet, Tag=Tag)
    vars(modules["serializers"]).update(SnippetSerializer=SnippetSerializer)
    monkeypatch.setitem(sys.modules, "snippets", ModuleType("snippets"))
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, f"snippets.{name}", module)
    alice, _bob = (User.objects.create(id=n, username=u) for n, u in ((1, "alice"), (2, "bob")))
    tags = [Tag.objects.create(id=n, name=u) for n, u in enumerate(["red", "green", "blue"], 1)]
    for number in (1, 2):
        snippet = Snippet.objects.create(id=number, title=f"t{number}", code="x", owner=alice)
        snippet.tags.set(tags[:2])


def blocks(page: str) -> list[str]:
    return BLOCK.findall((REPOSITORY / "docs" / "server" / f"{page}.md").read_text())


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs an example as a module, and holds its expressions to their comments."""

    def execute(name: str, code: str) -> ModuleType:
        module = ModuleType(f"example_{name.replace('-', '_')}")
        monkeypatch.setitem(sys.modules, module.__name__, module)
        for node in ast.parse(code).body:
            text = ast.get_source_segment(code, node) or ""
            if isinstance(node, ast.Expr):
                value = eval(compile(text, name, "eval"), vars(module))
                check(value, code.splitlines()[node.end_lineno - 1][node.end_col_offset :])
            else:
                exec(compile(ast.Module([node], []), name, "exec"), vars(module))
        return module

    return execute


def check(value: Any, rest: str) -> None:
    """Compare a value with the comment behind it, unless that is a sentence."""
    comment = COMMENT.search(rest)
    text = comment["value"].strip() if comment else ""
    try:
        assert value == ast.literal_eval(text)
    except (SyntaxError, ValueError):
        if text.startswith(("True,", "False,")):
            assert repr(value) == text.partition(",")[0]
        elif "..." not in text and text.endswith((")", "}", "]", ">")):
            assert repr(value) == text


@pytest.mark.parametrize("page", [path.stem for path in PAGES])
def test_the_first_example_runs(page: str, run: Any, capsys: Any) -> None:
    code = blocks(page)[0]
    if page in ALONE:
        subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)
        return
    module = run(page, code)
    if hasattr(module, "REST_FRAMEWORK"):
        assert module.REST_FRAMEWORK.keys() <= DEFAULTS.keys()
        with override_settings(REST_FRAMEWORK=module.REST_FRAMEWORK):
            assert all(getattr(api_settings, name) for name in module.REST_FRAMEWORK)
    if page in REQUESTS:
        with override_settings(REST_FRAMEWORK=OWN_SETTINGS.get(page, {})):
            ask(module, REQUESTS[page])
    else:
        assert not hasattr(module, "urlpatterns")


def ask(module: ModuleType, requests: Any) -> None:
    with override_settings(ROOT_URLCONF=module.__name__):
        for method, url, data, status, expected in requests:
            response = getattr(APIClient(), method)(url, data, format="json")
            assert response.status_code == status, response.content
            assert expected is None or response.json() == expected


def test_the_test_case_of_the_example_passes(run: Any) -> None:
    module = run("testing", blocks("testing")[0])
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(module.SnippetTests).run(result)
    assert (result.testsRun, result.errors, result.failures) == (1, [], [])


def test_every_public_module_has_a_page() -> None:
    pages = {path.stem for path in PAGES}
    names = {path.stem for path in SOURCE.iterdir() if not path.stem.startswith("_")}
    names -= {"py", "locale", "starter", "templates", "static"}
    homes = {name: ON_OTHER_PAGES.get(name, name) for name in names}
    assert {name for name, page in homes.items() if page and page not in pages} == set()
    assert ON_OTHER_PAGES.keys() <= names


def own_options(name: str) -> list[str]:
    """The options of a command that Django does not give to every command."""
    app = get_commands()[name]
    parser = load_command_class(app, name).create_parser("manage.py", name)
    common = BaseCommand().create_parser("manage.py", "x")._option_string_actions
    return [option for option in parser._option_string_actions if option not in common]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(name: str) -> None:
    assert name in TEXT
    assert [option for option in own_options(name) if option not in TEXT] == []


@pytest.mark.parametrize("module", PUBLIC)
def test_every_class_that_projects_name_is_on_some_page(module: str) -> None:
    found = vars(import_module(f"lintel.{module}"))
    # The twins on the event loop are explained together.
    names = {
        name.removeprefix("Async")
        for name, value in found.items()
        if name.endswith(KINDS) and not name.startswith("_") and not name.endswith("BoundField")
        if getattr(value, "__module__", "").startswith("lintel.")
    }
    assert [name for name in names if not re.search(rf"\b{name}\b", TEXT)] == []
