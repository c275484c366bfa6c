"""Third-party generators read the description, and the generated code works."""

import json
import os
import subprocess
import sys
from pathlib import Path

import fuzz
import pytest
from parity.clients import PACKAGE, build_module
from service_description import VERSIONS, description
from service_process import PASSWORD, REPOSITORY, Service

from lintel_client.stubs import typescript_schemas
from lintel_codecs.openapi import OpenAPICodec

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

#: The same for the client and the schemas of ``lintel stubs --zod``.
CHECKED = """
import { Client, type Document } from "lintel-client";
import { z } from "zod";
import { checked, operations, Snippet } from "./api.js";

export async function titles(document: Document): Promise<string[]> {
  const client = checked(new Client());
  const page = await client.action(document, ["snippets", "listSnippets"], { page_size: 2 });
  return page.results.map((snippet) => snippet.title);
}
export const snippet: z.infer<typeof Snippet> = Snippet.parse({});
export const isOwner: boolean = snippet.owner === "ada";
export const parameters: z.ZodType = operations["snippets createSnippet"].params;
const { params } = operations["snippets listSnippets"];
export const size: number | undefined = params.parse({}).page_size;
// @ts-expect-error there is no such operation
export const nothing = operations["snippets nothing"];
"""

#: Prints what the checking client does with good and bad calls.
CHECKS = """
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { checked, operations } from "./api.mjs";

const [module, url, text] = process.argv.slice(2);
const { BasicAuthentication, Client, OpenAPICodec } = await import(pathToFileURL(module));
const auth = new BasicAuthentication({ username: "ada", password: text });
const client = checked(new Client({ auth }));
const document = new OpenAPICodec().decode(readFileSync("openapi.json", "utf8"), { baseUrl: url });
const call = (name, params) => client.action(document, ["snippets", `${name}`], params);
const failure = (params) => call("createSnippet", params).then(() => null, (error) => error);
const made = await call("createSnippet", { code: "print(1)", language: "python" });
const wrong = await failure({ code: 1, language: "python" });
const unknown = await failure({ code: "x", language: "no such language" });
const page = await call("listSnippets", { page_size: 2 });
await call("destroySnippet", { id: made.pk });
const naming = ([error, name]) => [error.name, error.message.includes(name)];
const { result } = operations["snippets listSnippets"];
const answers = [page, { ...page, count: "many" }, { ...page, added: 1 }];
console.log(JSON.stringify({
  code: made.code,
  page: page.results.length,
  errors: [[wrong, '"code"'], [unknown, '"language"']].map(naming),
  results: answers.map((each) => result.safeParse(each).success),
}));
"""

COMPILER = {
    "strict": True,
    "target": "es2022",
    "module": "nodenext",
    "noEmit": True,
    "skipLibCheck": True,
    "types": [],
    "paths": {"lintel-client": [str(PACKAGE / "src" / "index.ts")]},
}


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


@pytest.mark.parametrize("document", ["3.1"], indirect=True)
def test_the_schemas_for_zod_compile_and_check(
    document: Path, service: Service, tmp_path: Path
) -> None:
    (tmp_path / "node_modules").symlink_to(MODULES.parent)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "api.ts").write_text(
        typescript_schemas(OpenAPICodec().decode(document.read_bytes()))
    )
    (tmp_path / "program.ts").write_text(CHECKED)
    (tmp_path / "checks.mjs").write_text(CHECKS)
    settings = {"compilerOptions": COMPILER, "files": ["program.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings))
    programs = PACKAGE / "node_modules" / ".bin"
    run([str(programs / "tsc")], tmp_path)
    # What compilers are told to believe is true.
    believed = (tmp_path / "api.ts").read_text()
    (tmp_path / "api.ts").write_text(believed.replace("// @ts-nocheck", ""))
    run([str(programs / "tsc")], tmp_path)
    run([str(programs / "esbuild"), "api.ts", "--log-level=warning", "--outfile=api.mjs"], tmp_path)
    built = tmp_path / "lintel-client.mjs"
    build_module(built)
    assert json.loads(run(["node", "checks.mjs", str(built), service.url, PASSWORD], tmp_path)) == {
        "code": "print(1)",
        "page": 2,
        "errors": [["ZodError", True], ["ZodError", True]],
        "results": [True, False, True],
    }
