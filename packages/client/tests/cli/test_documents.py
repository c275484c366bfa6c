import json

import pytest

from lintel_client.cli.output import print_loaded
from lintel_client.cli.state import State
from lintel_client.cli.words import absolute_url
from lintel_document import CoreJSONCodec, Document, Field, Issue, Link, schemas


def test_get_shows_and_remembers(lintel, snippets, service):
    shown = lintel("get", service.url())
    assert shown.status == 0
    assert shown.output.startswith(f'<Snippets "{service.url()}">\n')
    assert "        create(code, [language])\n" in shown.output
    assert '    "": {\n        list()\n    }\n' in shown.output
    assert lintel("show").output == shown.output


@pytest.mark.parametrize("url", ["/path", "http://a:b@x.org/", "a:b@x.org"])
def test_a_url_needs_a_host_and_no_password(lintel, url):
    outcome = lintel("get", url)
    assert outcome.status == 2
    assert "URL" in outcome.errors


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "a.localhost", "0.0.0.0"])
def test_this_machine_is_asked_over_http(lintel, service, host):
    assert absolute_url(f"{host}:{service.port}/x") == f"http://{host}:{service.port}/x"


def test_others_are_asked_over_https():
    assert absolute_url("example.org") == "https://example.org"
    assert absolute_url("127.example.org/a?b=1") == "https://127.example.org/a?b=1"
    assert absolute_url("[::1]:8000/") == "http://[::1]:8000/"


def test_a_url_without_a_scheme_is_fetched(lintel, service):
    service.answer("/", Document(title="T"))
    assert lintel("get", f"127.0.0.1:{service.port}").output.startswith("<T ")


def test_data_does_not_replace_the_document(lintel, snippets, service):
    service.answer("/data", {"a": 1})
    outcome = lintel("get", service.url("/data"))
    assert json.loads(outcome.output) == {"a": 1}
    assert "did not return an API description" in outcome.errors
    assert "<Snippets" in lintel("show").output


def test_a_failed_get_keeps_the_document(lintel, snippets, service):
    assert lintel("get", service.url("/missing")).status == 1
    assert "<Snippets" in lintel("show").output


def test_a_format_is_forced(lintel, service):
    service.answer("/doc", CoreJSONCodec().encode(Document(title="T")), content_type="text/plain")
    assert lintel("get", service.url("/doc"), "--format", "corejson").output.startswith("<T ")
    outcome = lintel("get", service.url("/doc"), "--format", "nothing")
    assert outcome.status == 3
    assert "available: " in outcome.errors


def test_debug_goes_to_standard_error(lintel, service):
    service.answer("/", Document(service.url(), "T"))
    outcome = lintel("get", service.url(), "--debug")
    assert outcome.output == f'<T "{service.url()}">\n'
    assert outcome.errors.startswith(f"GET {service.url()}\nAccept: application/coreapi+json")
    assert "\n200 OK\n" in outcome.errors
    assert '"_type": "document"' in outcome.errors


def test_reload_says_what_changed(lintel, snippets, service):
    assert lintel("reload").errors == ""
    service.answer("/", Document(service.url(), "New", content={"fresh": Link("/f/")}))
    outcome = lintel("reload")
    assert outcome.output.startswith("<New ")
    assert "+ fresh\n" in outcome.errors
    assert "- snippets list\n" in outcome.errors
    assert lintel("show").output == outcome.output


def test_reload_keeps_the_document_when_none_is_there(lintel, snippets, service):
    service.answer("/", {"a": 1})
    outcome = lintel("reload")
    assert outcome.status == 2
    assert "no longer has a document" in outcome.errors
    assert "<Snippets" in lintel("show").output


@pytest.mark.parametrize(
    "line", ["show", "reload", "dump", "describe a", "action a", "bookmarks add x"]
)
def test_a_document_is_needed(lintel, line):
    outcome = lintel(*line.split())
    assert outcome.status == 2
    assert outcome.errors == "Error: No document is loaded. Start with: lintel get URL\n"


@pytest.mark.parametrize(
    ("keys", "output"),
    [
        (["snippets", "list"], "([page])\n"),
        (["items", "0"], "{\n    go()\n}\n"),
        (["items", "0", "go"], "()\n"),
        (["count"], "3\n"),
        (["nothing"], "null\n"),
        (["", "list"], "()\n"),
    ],
)
def test_parts_are_shown(lintel, snippets, keys, output):
    assert lintel("show", *keys).output == output


@pytest.mark.parametrize("keys", [["zzz"], ["items", "7"], ["items", "-1"], ["count", "0"]])
def test_parts_that_are_not_there(lintel, snippets, keys):
    outcome = lintel("show", *keys) if "-1" not in keys else lintel("show", "--", *keys)
    assert outcome.status == 2
    assert outcome.errors.startswith("Error: ")


def test_describe_tells_about_parameters(lintel, snippets, service):
    outcome = lintel("describe", "snippets", "create")
    assert outcome.output == (
        "create(code, [language])\n\n"
        f"    POST {service.url('/s/')}\n"
        "    body: application/json\n\n"
        "    code: required, form, string. The source.\n"
        '    language: optional, form, enum ("python" | "el")\n'
    )


def test_describe_shows_all_values_when_asked(lintel, tmp_path):
    field = Field("style", False, "form", schemas.Enum(enum=[f"s{n}" for n in range(40)]))
    path = tmp_path / "schema.json"
    path.write_bytes(CoreJSONCodec().encode(Document(content={"go": Link("/", fields=[field])})))
    lintel("load", str(path))
    assert '"s7" … and 32 more)' in lintel("describe", "go").output
    assert '"s38" | "s39")' in lintel("describe", "go", "--full").output


def test_dump_and_load(lintel, snippets, tmp_path):
    dumped = lintel("dump").output
    assert json.loads(dumped)["_meta"]["title"] == "Snippets"
    assert dumped.startswith('{\n    "_type": "document",\n')
    path = tmp_path / "schema.json"
    path.write_text(dumped)
    lintel("clear")
    shown = lintel("load", str(path))
    assert shown.status == 0
    assert "create(code, [language])" in shown.output
    assert lintel("dump").output == dumped
    assert lintel("load", "-", "--format", "corejson", stdin=dumped).output == shown.output


@pytest.mark.parametrize(
    ("content", "message"),
    [("{", "Malformed JSON"), ('{"_type": "error"}', "is not an API description")],
)
def test_files_that_hold_no_document(lintel, tmp_path, content, message):
    path = tmp_path / "schema.json"
    path.write_text(content)
    outcome = lintel("load", str(path))
    assert outcome.status in (2, 3)
    assert message in outcome.errors


def test_files_that_are_not_there(lintel, tmp_path):
    outcome = lintel("load", str(tmp_path / "missing"))
    assert outcome.status == 2
    assert "No such file" in outcome.errors


@pytest.mark.parametrize("command", [["dump"], ["load", "x"]])
def test_formats_must_be_able(lintel, snippets, command):
    outcome = lintel(*command, "--format", "json")
    assert outcome.status == 3
    assert "'json'; available: corejson" in outcome.errors


def test_clear_forgets_everything(lintel, snippets, folder):
    lintel("credentials", "add", "x.org", "Token a")
    lintel("headers", "add", "x.org", "X-A", "b")
    lintel("bookmarks", "add", "mine")
    assert lintel("clear").status == 0
    assert list(folder.iterdir()) == []
    assert lintel("credentials", "show").output == "[]\n"


def test_a_file_in_place_of_the_folder(lintel, folder):
    folder.parent.mkdir(parents=True)
    folder.write_text("precious")
    outcome = lintel("credentials", "add", "x.org", "Token a")
    assert outcome.status == 2
    assert "is not a folder" in outcome.errors
    assert folder.read_text() == "precious"


def test_issues_are_counted_and_listed(lintel, folder):
    assert lintel("issues").status == 2
    issues = [Issue("#/paths/~1a", "is odd", "op"), Issue("#/b", "too")]
    State().visit(Document(title="T", issues=issues))
    assert json.loads(lintel("issues").output) == [
        {"place": "#/paths/~1a", "name": "op", "message": "is odd"},
        {"place": "#/b", "name": "", "message": "too"},
    ]


def test_a_document_that_lacks_parts_says_so(capsys):
    print_loaded(Document(title="T", issues=[Issue("#/a", "is odd"), Issue("#/b", "too")]))
    assert capsys.readouterr().err == "2 parts could not be represented; see: lintel issues\n"


def test_a_file_is_read_in_the_format_that_it_names(lintel, tmp_path):
    path = tmp_path / "api.yml"
    path.write_text(
        "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths:\n"
        "  /pets: {get: {operationId: pets, deprecated: true, responses: {}}}\n"
    )
    assert "pets()" in lintel("load", str(path)).output
    assert "Deprecated." in lintel("describe", "pets").output
    assert "Deprecated." in lintel("pets", "--help").output
    path.write_text('{"_links": {"self": {"href": "http://h/"}, "x": {"href": "/x"}}}')
    assert "x()" in lintel("load", str(path)).output
    path.write_bytes(CoreJSONCodec().encode(Document(content={"openapi": Link("/o/")})))
    assert "openapi()" in lintel("load", str(path)).output
    path.write_text("neither")
    assert "Malformed JSON" in lintel("load", str(path)).errors


def test_a_format_that_cannot_be_written_is_named_as_such(lintel, snippets):
    outcome = lintel("dump", "--format", "jsonhyperschema")
    assert "The codec 'jsonhyperschema' cannot encode; those that can: corejson" in outcome.errors
    assert outcome.status == 3


def test_an_operation_without_its_body_is_not_called(lintel, service, folder, tmp_path):
    post = {"operationId": "add", "requestBody": {"$ref": "#/components/requestBodies/gone"}}
    api = {"openapi": "3.1.1", "info": {}, "servers": [{"url": service.url()}]}
    path = tmp_path / "api.json"
    path.write_text(json.dumps({**api, "paths": {"/x": {"post": post}}}))
    assert lintel("load", str(path)).status == 0
    assert "    cannot be called: The reference" in lintel("describe", "add").output
    outcome = lintel("add", "--param", "a=1")
    assert (outcome.status, service.seen) == (2, [])
    assert "This operation cannot be called: The reference" in outcome.errors
