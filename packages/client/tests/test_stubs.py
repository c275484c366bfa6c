"""mypy and pyright read the stubs, and then distinguish valid calls from invalid ones."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintel_client import Client, LinkLookupError
from lintel_client.stubs import RUNTIME, python_stubs, typescript_schemas, typescript_types
from lintel_codecs.openapi import OpenAPICodec
from lintel_document import Array, Document, Field, Link, schemas
from lintel_document.controls import printable

ROOT = Path(__file__).parents[3]

PET = {
    "type": "object",
    "required": ["id"],
    "description": 'A "pet" """ \\ */',
    "properties": {
        "id": {"type": "integer"},
        "class": {"type": "string"},
        "tag": {"type": ["string", "null"], "enum": ["a", "b", None]},
        "friends": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}},
    },
}
PETS = {
    "type": "object",
    "required": ["results"],
    "properties": {
        "next": {"type": "string", "nullable": True},
        "results": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}},
    },
}


def answer(schema, status="200", kind="application/json"):
    return {status: {"description": "", "content": {kind: {"schema": schema}}}}


def items(kind, schema):
    return {"200": {"description": "", "content": {kind: {"itemSchema": schema}}}}


PET_REF = {"$ref": "#/components/schemas/Pet"}
EVENT = {
    "type": "object",
    "properties": {
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": PET_REF,
        }
    },
}
DESCRIPTION = {
    "openapi": "3.2.0",
    "info": {"title": "Pets", "version": "1"},
    "servers": [{"url": "https://x.org"}],
    "components": {"schemas": {"Pet": PET}},
    "paths": {
        "/pets": {
            "get": {
                "operationId": "list",
                "summary": "List pets",
                "tags": ["pets"],
                "parameters": [
                    {"name": "limit", "in": "query", "schema": {"type": "integer"}},
                    {"name": "order", "in": "query", "schema": {"enum": ["id", "-id"]}},
                ],
                "responses": answer(PETS),
            },
            "post": {
                "operationId": "add",
                "tags": ["pets"],
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}
                    },
                },
                "responses": answer({"$ref": "#/components/schemas/Pet"}, "201"),
            },
        },
        "/pets/{id}": {
            "delete": {
                "operationId": "delete",
                "tags": ["pets"],
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
                ],
                "responses": {"204": {"description": ""}},
            }
        },
        "/photo": {"get": {"operationId": "photo", "responses": answer({}, kind="image/png")}},
        "/note": {"get": {"operationId": "note", "responses": answer({}, kind="text/plain")}},
        "/log": {"get": {"operationId": "log", "responses": items("application/jsonl", PET_REF)}},
        "/news": {"get": {"operationId": "news", "responses": items("text/event-stream", EVENT)}},
    },
}

CALLS = """
from typing_extensions import assert_type
from lintel_client import Download
from lintel_document import Document
from api import AsyncClient, Client

client = Client()
document = Document()
api = client.operations(document)
page = api["pets"]["list"]({"limit": 1, "order": "-id"})
assert_type(page["results"][0]["id"], int)
assert_type(page["results"][0].get("friends", [])[0]["id"], int)
api["pets"]["list"]()
api["pets"]["add"]({"id": 1, "tag": None}, timeout=3.0)
api["pets"]["add"]({"body": {"id": 1}}, validate=False)
api["pets"]["delete"]({"id": 1})
assert_type(api["photo"](), Download)
assert_type(api["note"](), str)
for pet in api["pets"]["list"].pages():
    assert_type(pet["id"], int)
for entry in api["log"].stream(reconnect=False):
    assert_type(entry["id"], int)
with api["news"].stream(last_event_id="1") as news:
    for event in news:
        assert_type(event.data["id"], int)
        assert_type(event.event, str)


async def main() -> None:
    async with AsyncClient() as other:
        operations = other.operations(document)
        async for event in operations["news"].stream():
            assert_type(event.data["id"], int)
        made = await operations["pets"]["add"]({"id": 1})
        assert_type(made["id"], int)
        async for pet in operations["pets"]["list"].pages({"limit": 1}):
            assert_type(pet["id"], int)
"""
MISTAKES = """
from lintel_document import Document
from api import Client

api = Client().operations(Document())
api["pets"]["gone"]()
api["pets"]["list"]({"limit": "many"})
api["pets"]["list"]({"colour": 1})
api["pets"]["list"]({"order": "name"})
api["pets"]["delete"]()
api["pets"]["delete"]({})
api["pets"]["add"]({"tag": "c", "id": 1})
api["note"]().count_all
api["pets"]["delete"].pages()
api["note"].stream()
api["log"].stream(reconect=False)
"""


def decoded(description):
    return OpenAPICodec().decode(json.dumps(description).encode(), base_url="https://x.org/")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "api.pyi").write_text(python_stubs(decoded(DESCRIPTION)))
    (tmp_path / "api.py").write_text(RUNTIME)
    (tmp_path / "calls.py").write_text(CALLS)
    (tmp_path / "mistakes.py").write_text(MISTAKES)
    return tmp_path


MISTAKEN = [number for number, line in enumerate(MISTAKES.splitlines(), 1) if line[:4] == "api["]


def checked(folder, *command):
    """Return what a checker says of a folder's files."""
    sources = [str(ROOT / "packages" / name / "src") for name in ("client", "document")]
    (folder / "pyrightconfig.json").write_text(
        json.dumps({"typeCheckingMode": "strict", "extraPaths": sources})
    )
    environment = {**os.environ, "MYPYPATH": ":".join(sources)}
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def complaints(folder, *command):
    """Return a checker's output: the lines of mistakes.py, and anything else."""
    output = checked(folder, *command, "api.pyi", "calls.py", "mistakes.py")
    errors = [line for line in output.splitlines() if re.search(r":\d+(:\d+)?( -|:) error", line)]
    lines = {int(found) for found in re.findall(r"mistakes\.py:(\d+)", "\n".join(errors))}
    return sorted(lines), [line for line in errors if "mistakes.py" not in line]


def test_mypy_reads_them(folder):
    assert complaints(folder, "mypy", "--strict", "--cache-dir", "cache") == (MISTAKEN, [])


def test_pyright_reads_them(folder):
    assert complaints(folder, "pyright") == (MISTAKEN, [])


def long_description(count):
    """Return the description of an API of so many operations, in groups of 40."""
    number = {"type": "integer"}
    query = {"name": "limit", "in": "query", "required": True, "schema": number}
    paths = {
        f"/g{at // 40}/o{at}": {
            "get": {
                "operationId": f"o{at}",
                "tags": [f"g{at // 40}"],
                "parameters": [query],
                "responses": answer({"type": "object", "properties": {f"p{at}": number}}),
            }
        }
        for at in range(count)
    }
    return {**DESCRIPTION, "paths": paths}


LONG_MISTAKES = (
    'api["g3"]["gone"]({"limit": 1})',
    'api["gone"]["o1"]({"limit": 1})',
    'api["g29"]["o1199"]({"limit": "many"})',
    'api["g29"]["o1199"]({"limit": 1, "colour": 1})',
    'api["g29"]["o1199"]()',
    'api["g29"]["o1199"]({"limit": 1})["p1"]',
    'api["g29"]["o1199"].stream({"limit": 1})',
)


@pytest.mark.parametrize("checker", [("mypy", "--strict", "--cache-dir", "cache"), ("pyright",)])
def test_an_error_is_short_however_many_operations_there_are(tmp_path, checker):
    (tmp_path / "api.pyi").write_text(python_stubs(decoded(long_description(1200))))
    (tmp_path / "api.py").write_text(RUNTIME)
    opening = "from lintel_document import Document\nfrom api import Client\n"
    lines = ["api = Client().operations(Document())", *LONG_MISTAKES]
    (tmp_path / "mistakes.py").write_text(opening + "\n".join(lines) + "\n")
    output = checked(tmp_path, *checker, "mistakes.py")
    said = [re.split(r"mistakes\.py:(\d+)", line)[1:2] for line in output.splitlines()]
    assert {int(found[0]) for found in said if found} == set(range(4, 11))
    about = [line for line in output.splitlines() if "summary" not in line]
    assert len(about) <= 2 * len(LONG_MISTAKES) + 2
    assert max(map(len, about)) < 400


def test_operations_are_called_by_their_keys():
    calls = []

    class Recorder(Client):
        def action(self, *values, **options):
            calls.append(("action", *values[1:], options))

        def pages(self, *values, **options):
            calls.append(("pages", *values[1:], options))

        def stream(self, *values, **options):
            calls.append(("stream", *values[1:], options))

    api = Recorder().operations(decoded(DESCRIPTION))
    assert list(api["pets"]) == ["list", "add", "delete"]
    api["pets"]["list"]({"limit": 1}, timeout=2)
    api["pets"]["list"].pages()
    api["log"].stream(reconnect=False)
    assert calls == [
        ("action", ("pets", "list"), {"limit": 1}, {"timeout": 2}),
        ("pages", ("pets", "list"), None, {}),
        ("stream", ("log",), None, {"reconnect": False}),
    ]
    assert repr(api["pets"]["add"]) == "<Operation pets > add>"
    with pytest.raises(LinkLookupError, match="Did you mean list"):
        api["pets"]["lst"]


def test_operations_lead_through_arrays_and_end_at_other_values():
    notes = Array([Document("/", content={"read": Link("/n/", "get")})])
    operations = Client().operations(Document(content={"notes": notes, "size": 1}))
    assert list(operations) == ["notes"]
    assert list(operations["notes"]) == [0]
    assert operations["notes"][0]["read"].keys == ("notes", 0, "read")
    with pytest.raises(LinkLookupError, match="'size' is not an operation"):
        operations["size"]


def test_the_module_is_there_at_run_time(folder):
    import_it = "import api, lintel_client; assert api.Client is lintel_client.Client"
    subprocess.run([sys.executable, "-c", import_it], cwd=folder, check=True)


def test_documents_without_schemas_have_stubs_too():
    kinds = [
        Field("id", True, "path", schemas.Integer()),
        Field("kind", schema=schemas.Enum(enum=["a", 1])),
    ]
    notes = Array([Document("/", content={"read": Link("/n/{id}/", "get", fields=kinds)})])
    text = python_stubs(Document("https://x.org/", content={"": Link("/"), "notes": notes}))
    ast.parse(text)
    assert "'notes': \"Any\"" in text
    assert 'kind: NotRequired[Literal["a", 1]]' in text
    assert "_calls.OptionalCall[RootParams, Any]" in text


def test_typescript_has_the_same_calls():
    text = typescript_types(decoded(DESCRIPTION))
    assert 'keys: readonly ["pets", "list"], params?: {' in text
    assert 'order?: "id" | "-id"' in text
    assert 'keys: readonly ["note"]' in text
    assert "*/ " not in text.replace("/** ", "").replace(" */", "")


def test_typescript_is_that_of_the_javascript_client():
    data = Path(__file__).parents[3] / "tests" / "data"
    document = OpenAPICodec().decode((data / "client_types.json").read_bytes())
    assert typescript_types(document) == (data / "client_types.d.ts").read_text()


def schemas_of(schema):
    """The lines of the schemas for zod of one operation's result."""
    described = {"A": schema, "B": {"type": "object", "properties": {"a": ref("A")}}}
    description = {**DESCRIPTION, "components": {"schemas": described}}
    description["paths"] = {"/a": {"get": {"operationId": "a", "responses": answer(ref("A"))}}}
    lines = typescript_schemas(decoded(description)).splitlines()
    return [line.partition("= ")[2] for line in lines if re.match("export const [AB]\\b", line)]


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (
            {"type": "integer", "minimum": 1},
            "z.number().refine(globalThis.Number.isInteger).min(1);",
        ),
        ({"type": "number", "minimum": 0, "exclusiveMinimum": True}, "z.number().gt(0);"),
        ({"type": "number", "exclusiveMaximum": 2.5}, "z.number().lt(2.5);"),
        ({"type": "number", "minimum": "1", "maximum": True}, "z.number();"),
        ({"type": "string", "maxLength": 3}, "z.string().refine(lengths(0, 3));"),
        ({"type": "string", "pattern": "^'\n"}, r"""z.string().refine(matches("^'\n"));"""),
        ({"type": "string", "format": "uuid", "nullable": True}, "z.guid().nullable();"),
        ({"enum": ["a", 1, None]}, 'z.literal(["a", 1, null]);'),
        ({"enum": [{}]}, "z.unknown();"),
        ({"type": ["string", "null"]}, "z.union([z.string(), z.null()]);"),
        ({"type": "array", "items": {"type": "boolean"}}, "z.array(z.boolean());"),
        (
            {"properties": {"__proto__": {}}},
            'z.looseObject({ ["__proto__"]: z.unknown().optional() });',
        ),
        ({"additionalProperties": {"type": "null"}}, "z.record(z.string(), z.null());"),
    ],
)
def test_schemas_for_zod(schema, expected):
    assert schemas_of(schema) == [expected]


def test_schemas_for_zod_that_contain_each_other():
    both = schemas_of({"type": "object", "required": ["b"], "properties": {"b": ref("B")}})
    assert both == [
        "z.looseObject({ a: z.lazy(() => A).optional() });",
        "z.looseObject({ b: B });",
    ]


def test_schemas_for_zod_of_what_goes_one_way():
    property = {"type": "string", "readOnly": True}
    (text,) = schemas_of({"required": ["id"], "properties": {"id": property}})
    assert text == "(z.looseObject({ id: z.string().optional() })) as z.ZodType as z.ZodType<A>;"


def test_schemas_for_zod_of_operations():
    text = typescript_schemas(decoded(DESCRIPTION))
    assert '  ["pets delete"]: { params: z.looseObject({ id: ' in text
    assert '["photo"]: { params: z.looseObject({}), result: z.unknown() }' in text
    assert "result: z.null() }," in text
    assert 'action(document: Document, keys: readonly ["pets", "list"]' in text
    keys = Document(content={"a b": Document(content={"c": Link("/c/")})})
    assert '["[\\"a b\\",\\"c\\"]"]: { params' in typescript_schemas(keys)


def test_typescript_of_chains_of_named_schemas():
    description = json.loads(json.dumps(DESCRIPTION))
    named = description["components"]["schemas"]
    for at in range(2000):
        named[f"C{at}"] = {
            "type": "object",
            "properties": {"next": {"$ref": f"#/components/schemas/C{at + 1}"}},
        }
    named["C2000"] = {"type": ["string", "null"], "enum": ["\ud800", 1.0, None]}
    first = answer({"$ref": "#/components/schemas/C0"})
    description["paths"]["/c"] = {"get": {"operationId": "c", "responses": first}}
    text = typescript_types(decoded(description))
    assert 'export type C2000 = "\\ud800" | 1 | null;' in text
    assert "export type C999 = { next?: C1000 };" in text
    schemas = typescript_schemas(decoded(description))
    assert schemas.index("export const C1999:") < schemas.index("export const C0:")
    assert schemas.count("z.lazy(") == schemas.count("z.lazy(() => Pet)") == 1


def test_references_in_circles_and_deep_schemas_end():
    deep = {"type": "object"}
    for _ in range(300):
        deep = {"type": "array", "items": {"type": "object", "properties": {"a": deep}}}
    circle = {"$ref": "#/components/schemas/A"}
    description = json.loads(json.dumps(DESCRIPTION))
    description["components"]["schemas"]["A"] = {"$ref": "#/components/schemas/B"}
    description["components"]["schemas"]["B"] = circle
    description["paths"]["/a"] = {"get": {"operationId": "a", "responses": answer(circle)}}
    description["paths"]["/b"] = {"get": {"operationId": "b", "responses": answer(deep)}}
    ast.parse(python_stubs(decoded(description)))
    typescript_types(decoded(description))
    typescript_schemas(decoded(description))


names = st.text(min_size=1) | st.sampled_from(
    ["Client", "class", "__a", "None", "a-b", '"', "\\", "*/"]
)


@given(st.lists(st.tuples(names, names, st.text()), min_size=1, max_size=4))
def test_no_text_of_a_document_becomes_code(found):
    links = {
        key: Link(
            "/",
            title=text,
            fields=[Field(name, description=text, schema=schemas.Enum(enum=[text]))],
        )
        for key, name, text in found
    }
    document = Document("https://x.org/", content=links)
    tree = ast.parse(python_stubs(document))
    plain = {key: Link("/", fields=[Field("a")]) for key in links}
    expected = ast.parse(python_stubs(Document("https://x.org/", content=plain)))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert {ast.unparse(call.func) for call in calls} <= {"TypedDict"}
    functions = [
        sum(isinstance(node, ast.AsyncFunctionDef) for node in ast.walk(each))
        for each in (tree, expected)
    ]
    assert functions[0] == functions[1]
    without_strings = re.sub(
        r'"(\\.|[^"\\])*"', '""', re.sub(r"/\*\*.*?\*/", "", typescript_types(document))
    )
    plain_text = re.sub(
        r'"(\\.|[^"\\])*"', '""', typescript_types(Document("https://x.org/", content=plain))
    )
    assert without_strings.count(";") <= plain_text.count(";") + 2 * len(links)
    assert set(re.sub(r"\w", "", without_strings)) <= set(re.sub(r"\w", "", plain_text)) | set("|$")


def test_a_value_to_write_and_its_query_have_names_of_their_own():
    number, text = schemas.Integer(), schemas.String()
    fields = [Field("status", False, "query", number), Field("status", False, "form", text)]
    document = Document(content={"change": Link("/b", "patch", "application/json", fields=fields)})
    written = python_stubs(document)
    assert "'query.status': \"NotRequired[int]\"" in written
    assert "'status': \"NotRequired[str]\"" in written
    assert '{ "query.status"?: number; status?: string }' in typescript_types(document)


def test_nothing_in_stubs_acts_on_a_terminal_or_turns_code():
    acting = "".join(map(chr, [0x9B, 0x7F, 0x202E, 0x2066, 0x1B, 0x85]))
    content = {f"k{acting}": Link(url="https://x.org/", title=f"t{acting}")}
    document = Document("https://x.org/", title=f"d{acting}", content=content)
    typescript = typescript_types(document)
    for text in (typescript, typescript_schemas(document), python_stubs(document)):
        assert printable(text) == text
    assert r'"k\u009b\u007f\u202e\u2066\u001b\u0085"' in typescript


def test_enums_of_any_size_are_literals():
    zones = [f"Area/Place_{number}" for number in range(600)]
    fields = [Field("zone", location="query", schema=schemas.Enum(enum=zones))]
    document = Document("http://x.org/", "T", content={"list": Link("/", fields=fields)})
    text = python_stubs(document)
    literals = ", ".join(f'"{zone}"' for zone in zones)
    assert f"zone: NotRequired[Literal[{literals}]]" in text
