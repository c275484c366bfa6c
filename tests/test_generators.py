"""Third-party generators read the description, and the generated code works."""

import json
import os
import subprocess
import sys
from pathlib import Path

import fuzz
import pytest
from service_description import VERSIONS, description
from service_process import PASSWORD, REPOSITORY, Service

pytestmark = pytest.mark.xdist_group("service")

MODULES = REPOSITORY / "tests" / "generators" / "node_modules" / ".bin"

#: Lists, creates and deletes with the generated client; prints the results.
CALLS = """
import json, sys
from snippets_api import AuthenticatedClient
from snippets_api.api.snippets import create_snippet, destroy_snippet
from snippets_api.api.snippets import list_snippets, retrieve_snippet
from snippets_api.models import Error, Snippet, SnippetLanguageEnum, SnippetRequest

url, token = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=token, prefix="Token")
before = list_snippets.sync(client=client, page_size=2)
body = SnippetRequest(code="print(1)\\n", title="made", language=SnippetLanguageEnum("python"))
made = create_snippet.sync(client=client, body=body)
assert isinstance(made, Snippet), made
after = list_snippets.sync(client=client)
deleted = destroy_snippet.sync_detailed(made.pk, client=client)
gone = retrieve_snippet.sync(made.pk, client=client)
assert isinstance(gone, Error), gone
print(json.dumps({
    "page": len(before.results),
    "more": after.count - before.count,
    "code": made.code,
    "owner": made.owner,
    "deleted": int(deleted.status_code),
    "gone": gone.detail,
}))
"""

#: What a program may rely on, and what the compiler must reject.
PROGRAM = """
import type { paths, components } from "./service.js";

type Page = paths["/snippets/"]["get"]["responses"][200]["content"]["application/json"];
type Input = paths["/snippets/"]["post"]["requestBody"]["content"]["application/json"];

export const titles = (page: Page): string[] => page.results.map((snippet) => snippet.title);
export const input: Input = { code: "print(1)", language: "python" };
export const failure = (error: components["schemas"]["Error"]): string => error.detail;
// @ts-expect-error code is required
export const incomplete: Input = { title: "x" };
// @ts-expect-error no such language
export const unknown: Input = { code: "x", language: "no such language" };
// @ts-expect-error what is read-only is not sent
export const owned: Input = { code: "x", owner: "ada" };
"""


@pytest.fixture(params=VERSIONS)
def document(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The description in a file."""
    path = tmp_path / "openapi.json"
    path.write_text(description(request.param))
    return path


def run(command: list[str], folder: Path) -> str:
    # What is generated is formatted by the ruff beside this Python.
    paths = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    ended = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


def module(name: str) -> str:
    """A program of the packages that ``make`` installs."""
    path = MODULES / name
    assert path.exists(), f"{path} is missing: run `make generators`, or npm ci beside package.json"
    return str(path)


def keep_json_bodies(document: Path) -> None:
    """Keep only JSON request bodies.

    The generator writes wrong code where media types share a schema (its issues 1276 and 1451).
    """
    content = json.loads(document.read_text())
    for item in content["paths"].values():
        for operation in item.values():
            kept = operation.get("requestBody", {}).get("content", {})
            for name in [name for name in kept if name != "application/json"]:
                del kept[name]
    document.write_text(json.dumps(content))


@pytest.mark.parametrize("document", ["3.0.3", "3.1"], indirect=True)
def test_the_generated_python_client_lists_creates_and_deletes(
    document: Path, service: Service, tmp_path: Path
) -> None:
    keep_json_bodies(document)
    generator = str(Path(sys.executable).with_name("openapi-python-client"))
    target = ["--path", str(document), "--output-path", str(tmp_path / "snippets_api")]
    said = run([generator, "generate", *target, "--meta", "none", "--fail-on-warning"], tmp_path)
    assert "Warning" not in said

    (tmp_path / "calls.py").write_text(CALLS)
    token = fuzz.token_of(service.url, "ada", PASSWORD)
    calls = [sys.executable, "calls.py", service.url.rstrip("/"), token]
    assert json.loads(run(calls, tmp_path)) == {
        "page": 2,
        "more": 1,
        "code": "print(1)\n",
        "owner": "ada",
        "deleted": 204,
        "gone": "No Snippet matches the given query.",
    }


def test_the_generated_types_compile(document: Path, tmp_path: Path) -> None:
    # A value with a default may be left out of what is sent.
    generate = [module("openapi-typescript"), str(document), "--default-non-nullable=false"]
    run([*generate, "-o", "service.ts"], tmp_path)
    (tmp_path / "program.ts").write_text(PROGRAM)
    options = ["--strict", "--noEmit", "--module", "nodenext"]
    run([module("tsc"), *options, "service.ts", "program.ts"], tmp_path)
