"""Clients send files inside objects and lists, as the server describes the forms that it reads."""

import json
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner
from django.urls import path
from parity.clients import build_module

from lintel import serializers
from lintel.generics import GenericAPIView
from lintel.parsers import JSONParser, MultiPartParser, NestedMultiPartParser
from lintel.request import Request
from lintel.response import Response
from lintel.schemas import get_schema_view
from lintel.schemas.openapi import AutoSchema
from lintel_client import Client, File, InvalidInput
from lintel_client.cli.program import program
from lintel_codecs.openapi import OpenAPICodec
from lintel_document import Document

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls(__name__)]


@pytest.fixture(autouse=True)
def full(settings: Any) -> None:
    settings.REST_FRAMEWORK = {"OPENAPI_VERSION": "3.1"}


class Page(serializers.Serializer):
    number = serializers.IntegerField(allow_null=True)
    is_last = serializers.BooleanField(default=False)
    scan = serializers.FileField(required=False)
    images = serializers.ListField(child=serializers.FileField(), required=False)


class Scan(serializers.Serializer):
    title = serializers.CharField()
    pages = Page(many=True)
    tags = serializers.ListField(child=serializers.CharField(), required=False)
    grid = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()), required=False
    )
    labels = serializers.DictField(child=serializers.CharField(), required=False)
    id = serializers.IntegerField(read_only=True)
    owner = Page(read_only=True)


class NamesParser(NestedMultiPartParser):
    json_part = None


class Scans(GenericAPIView):
    serializer_class = Scan
    parser_classes = [NestedMultiPartParser, JSONParser]
    authentication_classes: list[Any] = []

    def post(self, request: Request) -> Response:
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        return Response(shown({**serializer.validated_data, "parts": sorted(request.POST)}))


class Names(Scans):
    schema = AutoSchema(operation_id_base="Names")
    parser_classes = [NamesParser]


class Plain(Scans):
    schema = AutoSchema(operation_id_base="Plain")
    parser_classes = [MultiPartParser]


def shown(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: shown(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [shown(item) for item in value]
    return [value.name, value.read().decode()] if hasattr(value, "read") else value


urlpatterns = [
    path("document/", Scans.as_view(), name="document"),
    path("names/", Names.as_view(), name="names"),
    path("plain/", Plain.as_view(), name="plain"),
    path("schema/", get_schema_view(title="Scans", public=True)),
]

KEYS = {"document": "createScan", "names": "createNames"}
VALUES: dict[str, Any] = {
    "title": "Überblick",
    "pages": [
        {"number": 7, "is_last": True, "scan": {"$file": "a.png"}},
        {"number": 8, "images": [{"$file": "b.png"}, {"$file": "c.png"}]},
    ],
    "tags": ["x", "y"],
    "grid": [[1], [2, 3]],
    "labels": {"a": "b"},
}
READ: dict[str, Any] = {
    **VALUES,
    "pages": [
        {"number": 7, "is_last": True, "scan": ["a.png", "of a.png"]},
        {
            "number": 8,
            "is_last": False,
            "images": [["b.png", "of b.png"], ["c.png", "of c.png"]],
        },
    ],
}


def with_files(value: Any) -> Any:
    if isinstance(value, dict) and "$file" in value:
        return File(value["$file"], f"of {value['$file']}")
    if isinstance(value, dict):
        return {name: with_files(inner) for name, inner in value.items()}
    return [with_files(item) for item in value] if isinstance(value, list) else value


def called(url: str, place: str, values: Any) -> Any:
    with Client() as client:
        schema = client.get(f"{url}/schema/", format="openapi")
        overrides = {"encoding": "multipart/form-data"}
        return client.action(schema, [place, KEYS[place]], with_files(values), overrides=overrides)


SCRIPT = """
const [module, url, place, key, values] = process.argv.slice(1);
const { Client, OpenAPICodec } = await import(`file://${module}`);
const filled = (value) => {
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== "object" || value === null) return value;
  if (value.$file) return new File([`of ${value.$file}`], value.$file);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner)]));
};
const client = new Client();
const text = await (await fetch(`${url}/schema/?format=openapi-json`)).text();
const schema = new OpenAPICodec().decode(text, { baseUrl: `${url}/schema/` });
const overrides = { encoding: "multipart/form-data" };
const given = filled(JSON.parse(values));
console.log(JSON.stringify(await client.action(schema, [place, key], given, { overrides })));
"""


def called_in_javascript(url: str, place: str, values: Any) -> Any:
    command = ["node", "--input-type=module", "-e", SCRIPT, "--"]
    with TemporaryDirectory() as folder:
        module = Path(folder) / "lintel-client.mjs"
        build_module(module)
        given = [str(module), url, place, KEYS[place], json.dumps(values)]
        done = subprocess.run([*command, *given], check=True, capture_output=True, timeout=60)
    return json.loads(done.stdout)


def called_in_the_shell(url: str, place: str, values: Any) -> Any:
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINTEL_CONFIG_DIR", str(Path(name) / "lintel"))
        patch.chdir(name)
        words = [place, KEYS[place], "--encoding", "multipart/form-data"]
        for parameter, value in values.items():
            plain = json.dumps(without_files(value, parameter, words))
            words += ["--data", f"{parameter}={plain}"]
        in_shell("get", f"{url}/schema/?format=openapi-json")
        return json.loads(in_shell(*words))


def in_shell(*words: str) -> bytes:
    result = CliRunner().invoke(program, words)
    assert result.exit_code == 0, result.stderr
    return result.stdout_bytes


def without_files(value: Any, name: str, words: list[str]) -> Any:
    """Return a value without its files, which are written and named in further words."""
    if isinstance(value, list):
        found = [without_files(item, f"{name}[{at}]", words) for at, item in enumerate(value)]
        return [item for item in found if item is not None]
    if not isinstance(value, dict):
        return value
    if "$file" in value:
        Path(value["$file"]).write_text(f"of {value['$file']}")
        words += ["--file", f"{name}={value['$file']}"]
        return None
    found = {key: without_files(each, f"{name}.{key}", words) for key, each in value.items()}
    return {key: each for key, each in found.items() if each is not None}


@pytest.mark.parametrize("call", [called, called_in_javascript, called_in_the_shell])
@pytest.mark.parametrize(
    ("place", "parts"), [("document", ["json", "tags", "title"]), ("names", None)]
)
def test_nested_values_arrive(live_server: Any, call: Any, place: str, parts: Any) -> None:
    found = call(live_server.url, place, VALUES)
    names = found.pop("parts")
    assert found == READ
    assert parts is None or names == parts
    assert parts is not None or "pages[0]number" in names


@pytest.mark.parametrize("call", [called, called_in_javascript])
def test_null_and_nothing_arrive_in_documents(live_server: Any, call: Any) -> None:
    values = {"title": "t", "pages": [{"number": None}], "grid": [], "labels": {}}
    found = call(live_server.url, "document", values)
    assert found["pages"] == [{"number": None, "is_last": False}]
    assert (found["grid"], found["labels"]) == ([], {})


def test_messages_about_nested_values(live_server: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        called(live_server.url, "document", {"title": "t", "pages": [{"number": "x"}]})
    assert caught.value.messages == {"pages": ["0: number: A valid integer is required."]}


def described(url: str) -> Any:
    with Client() as client:
        return json.loads(client.get(f"{url}/schema/?format=openapi-json", format="text"))


def test_the_description_says_how_forms_are_read(live_server: Any) -> None:
    paths = described(live_server.url)["paths"]
    bodies = {name: paths[f"/{name}/"]["post"]["requestBody"] for name in paths_of_forms()}
    nested = ["pages", "grid", "labels"]
    encodings = {
        name: body["content"]["multipart/form-data"].get("encoding")
        for name, body in bodies.items()
    }
    assert encodings == {
        "document": {name: {"x-lintel-nested": "json"} for name in nested},
        "names": {name: {"x-lintel-nested": ""} for name in nested},
        "plain": None,
    }
    assert "the part `json` holds the object" in bodies["document"]["description"]
    assert "`lines[0].photo`" in bodies["names"]["description"]
    assert "description" not in bodies["plain"]


def paths_of_forms() -> list[str]:
    return ["document", "names", "plain"]


def test_the_form_survives_a_round_trip(live_server: Any) -> None:
    codec = OpenAPICodec()
    read = codec.decode(json.dumps(described(live_server.url)).encode(), base_url=live_server.url)
    again = codec.decode(codec.encode(read), base_url=live_server.url)
    assert isinstance(again, Document)
    styles = {
        field.name: field.style
        for body in again["document"]["createScan"].bodies
        for field in body.fields
        if field.style
    }
    assert styles == {"pages": "nested:json", "grid": "nested:json", "labels": "nested:json"}
