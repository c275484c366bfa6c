"""Commands and options generated from the loaded document."""

import json

import pytest
from click.shell_completion import ShellComplete

from lintel_client.cli.actions import operation_command
from lintel_client.cli.index import current_index
from lintel_client.cli.state import State
from lintel_codecs.openapi import OpenAPICodec
from lintel_document import CoreJSONCodec, Document, Field, Link, schemas


@pytest.fixture
def shop(service, lintel, folder):
    """An API whose parameters have all kinds of names and types."""
    fields = [
        Field("id", True, "path", schemas.Integer(description="The number of the item.")),
        Field("title", True, "form", schemas.String(description="What it is called.\n\nMore.")),
        Field("price", False, "form", schemas.Number()),
        Field("is_new", False, "form", schemas.Boolean()),
        Field("size", False, "form", schemas.Enum(enum=["s", 2, None])),
        Field("tags", False, "form", schemas.Array()),
        Field("extra", False, "form", schemas.Object()),
        Field("output", False, "form", schemas.String()),
        Field("any", False, "form"),
        Field("odd name", False, "form"),
    ]
    document = Document(
        service.url(),
        "Shop",
        content={
            "items": {
                "change": Link(
                    "/i/{id}/", "put", "application/json", fields=fields, title="Change an item"
                ),
                "read": Link("/i/{id}/", description="Read an item.\n\nAt length."),
                "store": Link("/i/1/", "put", "application/octet-stream", fields=["file"]),
            },
            "show": {"list": Link("/i/1/")},
            "go": Link("/i/1/"),
            "inner": Document(service.url("/inner"), content={"go": Link("/i/1/", "delete")}),
        },
    )
    service.answer("/", document)
    service.answer("/i/1/", {"ok": True})
    assert lintel("get", service.url()).status == 0
    return CoreJSONCodec().decode(CoreJSONCodec().encode(document))


@pytest.mark.parametrize("command", [["action", "items", "change"], ["items", "change"]])
@pytest.mark.parametrize("words", [["--is-new", "True"], ["--is-new=false"], ["--no-is-new=1"]])
def test_a_value_after_a_switch_is_refused_with_both_spellings(lintel, shop, command, words):
    outcome = lintel(*command, "--id", "1", *words)
    assert outcome.status == 2
    said = f"{words[0].partition('=')[0]} takes no value: write --is-new for true and --no-is-new"
    assert said in " ".join(outcome.errors.split())


def test_the_value_of_another_option_may_look_like_a_switch(lintel, shop, service):
    outcome = lintel("items", "change", "--id", "1", "--title", "--is-new=true", "--no-is-new")
    assert outcome.status == 0, outcome.errors
    assert service.last.json() == {"title": "--is-new=true", "is_new": False}


def test_a_file_without_a_name_is_refused_with_the_names_of_files(lintel, service, folder):
    properties = {"plan": {"type": "string", "format": "binary"}, "note": {"type": "string"}}
    content = {"multipart/form-data": {"schema": {"type": "object", "properties": properties}}}
    paths = {"/i/": {"post": {"operationId": "send", "requestBody": {"content": content}}}}
    service.answer("/", {"openapi": "3.1.1", "info": {}, "paths": paths})
    assert lintel("get", service.url()).status == 0
    for command in ("action", "send"), ("send",):
        outcome = lintel(*command, "--file", "plan.pdf")
        assert outcome.status == 2
        assert "names no parameter: write --file plan=plan.pdf" in outcome.errors


def test_a_list_as_the_body_has_an_option_per_item_and_one_for_all(lintel, service, folder):
    whole = Field("data", True, "body", schemas.Array(description="The items."))
    bulk = Link("/i/", "post", "application/json", fields=[whole])
    service.answer("/", Document(service.url(), content={"bulk": bulk}))
    service.answer("/i/", {"ok": True})
    assert lintel("get", service.url()).status == 0
    shown = " ".join(lintel("bulk", "--help").output.split())
    assert "--body-data VALUE The items. [the whole body; one per item; or: --body JSON]" in shown
    for words in ["--body-data", '{"a": 1}', "--body-data", "2"], ["--body", '[{"a": 1}, 2]']:
        assert lintel("bulk", *words).status == 0
        assert service.last.json() == [{"a": 1}, 2]


@pytest.mark.parametrize(
    ("items", "words", "sent"),
    [
        (None, ['[{"a": 1}, 2]'], [{"a": 1}, 2]),
        (None, ["[]"], []),
        (None, ['{"a": 1}'], [{"a": 1}]),
        (None, ["[1]", "[2]"], [[1], [2]]),
        ("integer", [" [1, 2]"], [1, 2]),
        ("integer", ["1"], [1]),
        ("object", ['[{"a": 1}]'], [{"a": 1}]),
        ("array", ["[[1], [2]]"], [[1], [2]]),
        ("array", ["[1, 2]"], [[1, 2]]),
        ("string", ["[1]"], ["[1]"]),
    ],
)
def test_a_list_is_one_option_per_item_or_one_list(lintel, service, folder, items, words, sent):
    rows = {"type": "array", **({"items": {"type": items}} if items else {})}
    content = {"application/json": {"schema": {"type": "object", "properties": {"rows": rows}}}}
    paths = {"/i/": {"post": {"operationId": "fill", "requestBody": {"content": content}}}}
    service.answer("/", {"openapi": "3.1.1", "info": {}, "paths": paths})
    service.answer("/i/", {"ok": True})
    assert lintel("get", service.url()).status == 0
    outcome = lintel("fill", *[word for text in words for word in ("--rows", text)])
    assert outcome.status == 0, outcome.errors
    assert service.last.json() == {"rows": sent}


def test_help_says_how_a_list_is_written(lintel, service, folder):
    fields = [Field("rows", schema=schemas.Array(description="Guests.")), Field("id")]
    service.answer("/", Document(service.url(), content={"fill": Link("/i/", fields=fields)}))
    assert lintel("get", service.url()).status == 0
    shown = " ".join(lintel("fill", "--help").output.split())
    assert "--rows VALUE Guests. [one per item, or a list in JSON]" in shown


def test_a_list_that_is_no_json_says_so(lintel, service, folder):
    link = Link("/i/", "post", fields=[Field("rows", schema=schemas.Array())])
    service.answer("/", Document(service.url(), content={"fill": link}))
    assert lintel("get", service.url()).status == 0
    outcome = lintel("fill", "--rows", "[1")
    assert outcome.status == 2
    assert "rows looks like JSON but is not" in outcome.errors


def test_parameters_are_options(lintel, shop, service):
    call = ["--id", "1", "--title", "007", "--price", "1.5", "--is-new", "--tags", "a", "--tags"]
    more = ["2", "--extra", '{"a": null}', "--any", "3", "--form-output", "x"]
    outcome = lintel("items", "change", *call, *more)
    assert outcome.status == 0, outcome.errors
    assert (service.last.method, service.last.path) == ("PUT", "/i/1/")
    assert service.last.json() == {
        "title": "007",
        "price": 1.5,
        "is_new": True,
        "tags": ["a", 2],
        "extra": {"a": None},
        "output": "x",
        "any": 3,
    }


def test_the_same_options_come_with_action(lintel, shop, service):
    call = ["action", "items", "change", "--id", "1", "--title", "x", "--no-is_new"]
    assert lintel(*call, "-p", "odd name=1").status == 0
    assert service.last.json() == {"title": "x", "is_new": False, "odd name": 1}


@pytest.mark.parametrize(("text", "sent"), [("s", "s"), ("2", 2), ("null", None)])
def test_choices_are_values(lintel, shop, service, text, sent):
    assert lintel("items", "change", "--id", "1", "--title", "x", "--size", text).status == 0
    assert service.last.json()["size"] == sent


@pytest.mark.parametrize(
    "options",
    [
        ["--id", "x"],
        ["--id", "1.5"],
        ["--id", "true"],
        ["--price", "x"],
        ["--size", "3"],
        ["--extra", "{"],
        ["--title", "@nowhere"],
        ["--nothing", "1"],
        ["--form-nothing"],
    ],
)
def test_values_that_do_not_fit_are_refused(lintel, shop, service, options):
    before = len(service.seen)
    outcome = lintel("items", "change", *options)
    assert (outcome.status, outcome.output) == (2, "")
    assert len(service.seen) == before


def test_required_ones_are_missed_by_name(lintel, shop):
    outcome = lintel("items", "change", "--price", "1")
    assert outcome.status == 2
    assert "title: This parameter is required." in outcome.errors
    assert "id: This parameter is required." in outcome.errors


def test_an_option_wins_over_params(lintel, shop, service):
    call = ["--id", "1", "--title", "flag", "-p", "title=param", "-d", 'title="data"']
    assert lintel("items", "change", *call, "-s", "title=string").status == 0
    assert service.last.json() == {"title": "flag"}


def test_text_and_files_are_read(lintel, shop, service, tmp_path):
    path = tmp_path / "title.txt"
    path.write_bytes(b"a\r\nb")
    assert lintel("items", "change", "--id", "1", "--title", f"@{path}").status == 0
    assert service.last.json() == {"title": "a\r\nb"}
    assert lintel("items", "store", "--file", str(path)).status == 2
    assert lintel("items", "store", "--param-file", str(path)).status == 0
    assert service.last.body == b"a\r\nb"


def test_variables_of_the_url_are_options(lintel, shop, service):
    assert lintel("items", "read", "--id", "1").status == 0
    assert service.last.path == "/i/1/"


def test_help_is_made_of_the_description(lintel, shop):
    for call in (["items", "change"], ["action", "items", "change"]):
        shown = lintel(*call, "--help").output
        assert "Change an item" in shown
        assert "--id INTEGER" in shown
        assert "The number of the item.  [required]" in " ".join(shown.split(" " * 2)) or (
            "[required]" in shown
        )
        assert "--size [s|2|null]" in shown
        assert "--is-new / --no-is-new" in shown
        assert "--form-output" in shown
        assert "More." not in shown
    shown = lintel("items", "read", "--help").output
    assert "Read an item." in shown
    assert "At length." in shown
    assert "Read an item." in lintel("action", "items", "read", "--help").output
    assert "Call an operation: " in lintel("action", "--help").output


def test_groups_list_their_operations(lintel, shop):
    shown = lintel("items", "--help").output
    assert "change" in shown
    assert "Change an item" in shown
    shown = lintel("--help").output
    assert "Operations of the current document" in shown
    assert "change, read, store" in shown


def test_commands_are_never_shadowed(lintel, shop, service):
    assert lintel("show").output.startswith("<Shop ")
    assert lintel("action", "show", "list").status == 0
    assert service.last.path == "/i/1/"


def test_operations_of_inner_documents_act_in_place(lintel, shop, service):
    service.answer("/i/1/", b"", status=204)
    outcome = lintel("inner", "go")
    assert outcome.status == 0, outcome.errors
    assert outcome.output.startswith("<Shop ")
    assert "inner" not in lintel("show").output


def test_without_a_document_there_are_no_more_commands(lintel):
    assert lintel("items").status == 2
    assert "Operations of" not in lintel("--help").output


def test_a_damaged_document_does_not_break_help(lintel, shop, folder):
    (folder / "document.json").write_text("{")
    assert lintel("--help").status == 0
    assert "damaged" in lintel("action", "items", "read").errors
    assert lintel("items", "read").status == 2


def test_a_document_of_an_older_version_gets_its_index(lintel, shop, folder, service):
    (folder / "operations.jsonl").unlink()
    assert lintel("items", "read", "--id", "1").status == 0
    assert (folder / "operations.jsonl").exists()


@pytest.mark.parametrize("key", ["issues", "doctor"])
def test_commands_without_arguments_give_way_to_keys(lintel, service, folder, key):
    State().visit(Document(service.url(), content={key: {"list": Link(service.url("/i/"))}}))
    service.answer("/i/", {"ok": True})
    assert lintel(key, "list").output == '{\n    "ok": true\n}\n'
    assert lintel(key, "--help").output.startswith(f"Usage: program {key} [OPTIONS]\n")


def test_a_value_that_is_none_of_many_gets_a_short_answer(lintel, tmp_path):
    names = [f"lang{number}" for number in range(500)]
    link = Link("/s/", "post", fields=[Field("language", schema=schemas.Enum(enum=names))])
    path = tmp_path / "api.json"
    path.write_bytes(CoreJSONCodec().encode(Document("http://h/", content={"create": link})))
    lintel("load", str(path))
    outcome = lintel("create", "--language", "lanng7")
    assert outcome.status == 2
    assert "not one of the 500 values. Did you mean lang7" in outcome.errors
    assert "lang300" not in outcome.errors
    assert "describe --full" in lintel("create", "--language", "???").errors


DESCRIBED = """
openapi: 3.1.0
info: {title: Zoo, version: "1"}
tags: [{name: cats, description: "Cats, large and small"}]
paths:
  /cats:
    get:
      tags: [cats]
      operationId: list
      parameters:
        - {name: name, in: query, description: Its name., example: Tom, schema: {type: string}}
        - name: page
          in: query
          schema: {type: integer}
          examples: {first: {value: 1}, far: {value: 12}}
        - {name: age, in: query, schema: {type: integer, examples: [3, 4]}}
      responses: {"200": {description: ok}}
"""


def test_examples_and_tags_help(lintel, tmp_path):
    path = tmp_path / "zoo.yaml"
    path.write_text(DESCRIBED)
    assert lintel("load", str(path), "--url", "http://zoo.example/").status == 0
    shown = lintel("cats", "list", "--help").output
    assert "Its name.  [such as: Tom]" in shown
    assert "[such as: 1]" in shown
    assert "[such as: 3]" in shown
    assert "Cats, large and small" in lintel("cats", "--help").output
    assert "Cats, large and small" in lintel("describe", "cats").output
    assert (
        "page: optional, query, integer Such as: 1, 12" in lintel("describe", "cats", "list").output
    )


def test_examples_complete_values(lintel, tmp_path):
    path = tmp_path / "zoo.yaml"
    path.write_text(DESCRIBED)
    lintel("load", str(path), "--url", "http://zoo.example/")
    command = operation_command(("cats", "list"), current_index().find(("cats", "list")))
    found = ShellComplete(command, {}, "lintel", "X").get_completions(["--page"], "1")
    assert [item.value for item in found] == ["1", "12"]
    found = ShellComplete(command, {}, "lintel", "X").get_completions(["-p"], "name=")
    assert [item.value for item in found] == ["name=Tom"]


BODIES = """
openapi: 3.1.0
info: {title: Zoo, version: "1"}
paths:
  /cats:
    post:
      operationId: add
      requestBody:
        content:
          application/json:
            schema: {type: object, properties: {name: {type: string}, photo: {type: string}}}
          multipart/form-data:
            schema: {type: object, properties: {photo: {type: string, format: binary}}}
          application/xml: {schema: {type: object}}
      responses: {"200": {description: ok}}
"""


@pytest.fixture
def cats(lintel, tmp_path):
    path = tmp_path / "zoo.yaml"
    path.write_text(BODIES)
    assert lintel("load", str(path), "--url", "http://zoo.example/").status == 0


def test_the_options_are_those_of_the_chosen_body(lintel, cats, tmp_path):
    (tmp_path / "cat.png").write_bytes(b"picture")
    first = " ".join(lintel("add", "--help").output.split())
    assert "--name TEXT --photo TEXT [a file with --encoding multipart/form-data]" in first
    shown = lintel("add", "--content-type", "multipart/form-data", "--help").output
    assert "--photo FILE" in shown
    assert "--name" not in shown
    call = ["add", "--content-type=multipart/form-data", "--photo", str(tmp_path / "cat.png")]
    sent = lintel(*call, "--dry-run", "--as", "http").output
    assert "content-type: multipart/form-data" in sent.lower()
    assert "picture" in sent


def test_a_body_is_read_as_its_media_type_asks(lintel, cats):
    sent = lintel("add", "-e", "application/xml", "--body", "<cat/>", "--dry-run", "--as", "http")
    assert "content-type: application/xml" in sent.output.lower()
    assert sent.output.endswith("<cat/>")


def test_media_types_are_completed(lintel, cats):
    command = operation_command(("add",), current_index().find(("add",)))
    found = ShellComplete(command, {}, "lintel", "X").get_completions(["--content-type"], "")
    types = ["application/json", "multipart/form-data", "application/xml"]
    assert [item.value for item in found] == types


def test_two_forms_of_output_are_refused(lintel, shop, service):
    call = ["items", "change", "--id", "1", "--title", "x"]
    outcome = lintel(*call, "--json", "--csv")
    assert outcome.status == 2
    assert "--json and --csv are output formats: choose one of them" in outcome.errors
    assert lintel(*call, "--json", "--json").status == 0
    # The value of another option is no form.
    assert lintel("items", "change", "--id", "1", "--title=--csv", "--json").status == 0
    assert lintel("items", "change", "--id", "1", "--title", "--csv", "--json").status == 0


@pytest.fixture
def bookings(service, lintel, folder):
    """An API that filters its writes by a property of what is written."""
    fields = [
        Field("id", True, "path", schemas.Integer()),
        Field("status", False, "query", schemas.String(description="The filter.")),
        Field("status", False, "form", schemas.String(description="The value.")),
    ]
    link = Link("/b/{id}/", "patch", "application/json", fields=fields)
    service.answer("/", Document(service.url(), content={"bookings": {"partial_update": link}}))
    service.answer("/b/1/", {"ok": True})
    assert lintel("get", service.url()).status == 0


@pytest.mark.parametrize(
    ("words", "query"),
    [
        (["--status", "firm"], ""),
        (["--param", "status=firm"], ""),
        (["--body", '{"status": "firm"}'], ""),
        (["--status", "firm", "--query.status", "draft"], "?status=draft"),
        (["--status", "firm", "--param", "query.status=draft"], "?status=draft"),
    ],
)
def test_a_value_to_write_goes_into_the_body(lintel, bookings, service, words, query):
    outcome = lintel("bookings", "partial_update", "--id", "1", *words)
    assert outcome.status == 0, outcome.errors
    assert (service.last.path, service.last.json()) == (f"/b/1/{query}", {"status": "firm"})


def test_help_names_the_value_and_the_query_apart(lintel, bookings):
    shown = " ".join(lintel("bookings", "partial_update", "--help").output.split())
    assert "--query.status TEXT The filter. [in the query; --status is in the body]" in shown
    assert "--status TEXT The value." in shown
    described = lintel("describe", "bookings", "partial_update").output
    assert "partial_update(id, [query.status], [status])" in described


def test_a_header_is_an_option_in_every_case(lintel, folder, service):
    names = [("X-A", "header"), ("x-b", "query"), ("X-B", "header")]
    fields = [Field(name, location=location) for name, location in names]
    State().visit(Document(service.url(), content={"go": Link("/go", fields=fields)}))
    service.answer("/go?x-b=2", {})
    assert lintel("action", "go", "--x-a", "1", "--x-b", "2", "--X-B", "3").status == 0
    assert (service.last.headers["x-a"], service.last.headers["x-b"]) == ("1", "3")


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        ('{"a":[1]}', ("application/json", b'{"a":[1]}')),
        ("7", ("application/json", b"7")),
        ("null", ("application/json", b"null")),
        ("plain text", ("application/octet-stream", b"plain text")),
    ],
)
def test_a_body_in_any_media_type_is_json_if_it_can_be(lintel, folder, service, body, sent):
    operation = {"operationId": "put", "requestBody": {"content": {"*/*": {"schema": {}}}}}
    tree = {"openapi": "3.1.0", "paths": {"/up": {"post": operation}}}
    document = OpenAPICodec().decode(json.dumps(tree).encode(), base_url=service.url())
    State().visit(document)
    service.answer("/up", {})
    assert lintel("action", "put", "--body", body).status == 0
    assert (service.last.headers["content-type"], service.last.body) == sent


def test_help_shows_the_parameters_first_and_little_else(lintel, snippets):
    short = lintel("snippets", "create", "--help").output
    whole = lintel("snippets", "create", "--help-all").output
    assert short.index("--code") < short.index("--help-all")
    assert "The source." in short
    assert len(short.splitlines()) < 30 < len(whole.splitlines())
    assert "--insecure" in whole
    assert "--insecure" not in short
    assert "--insecure" in lintel("action", "--help").output
    assert lintel("action", "snippets", "create", "--help").output.count("--insecure") == 0


def test_programs_for_others_ask_for_json(lintel, snippets):
    for language in ("curl", "python", "javascript"):
        text = lintel("snippets", "list", "--dry-run", "--as", language).output
        assert "application/json" in text
        assert "hal+json" not in text
    assert "hal+json" in lintel("snippets", "list", "--dry-run", "--as", "http").output


def bookmarks(service, lintel):
    links = {
        "list": Link("/b/"),
        "add": Link("/b/", "post"),
        "tags": {"list": Link("/b/tags/")},
    }
    service.answer("/", Document(service.url(), "Links", content={"bookmarks": links}))
    lintel("get", service.url())


def test_a_group_of_commands_gives_way_to_operations_that_are_none_of_its_own(service, lintel):
    bookmarks(service, lintel)
    service.answer("/b/", ["listed"])
    service.answer("/b/tags/", ["tagged"])
    assert json.loads(lintel("bookmarks", "list").output) == ["listed"]
    assert json.loads(lintel("bookmarks", "tags", "list").output) == ["tagged"]
    assert "list" in lintel("bookmarks", "list", "--help").output
    assert json.loads(lintel("action", "bookmarks", "list").output) == ["listed"]
    lintel("bookmarks", "add", "mine")
    assert service.last.method == "GET"
    assert "mine" in lintel("bookmarks", "show").output
    assert "No such command 'lst'" in lintel("bookmarks", "lst").errors


def test_the_help_names_the_operations_behind_a_command(service, lintel):
    bookmarks(service, lintel)
    assert "action bookmarks  list, add, tags" in lintel("--help").output


@pytest.mark.parametrize("option", ["--starts-gte", "--starts--gte", "--starts__gte"])
def test_a_lookup_has_an_option_with_single_dashes(lintel, service, folder, option):
    fields = [Field("starts__gte", False, "query", schemas.String())]
    service.answer("/", Document(service.url(), content={"list": Link("/l/", fields=fields)}))
    service.answer("/l/", [])
    assert lintel("get", service.url()).status == 0
    assert "--starts-gte TEXT" in lintel("list", "--help").output
    assert lintel("list", option, "2026-12-01").status == 0
    assert service.last.path == "/l/?starts__gte=2026-12-01"


def test_single_dashes_stay_with_the_parameter_that_has_them(lintel, service, folder):
    names = ["starts_gte", "starts__gte"]
    fields = [Field(name, False, "query", schemas.String()) for name in names]
    service.answer("/", Document(service.url(), content={"list": Link("/l/", fields=fields)}))
    service.answer("/l/", [])
    assert lintel("get", service.url()).status == 0
    assert lintel("list", "--starts-gte", "1", "--starts__gte", "2").status == 0
    assert service.last.path == "/l/?starts_gte=1&starts__gte=2"


def test_an_unknown_command_says_where_operations_come_from(lintel, service, folder):
    assert "For the operations of an API: lintel get URL" in lintel("rooms", "list").errors
    service.answer("/", Document(service.url(), content={"token": Link("/t/", "post")}))
    assert lintel("get", service.url()).status == 0
    said = " ".join(lintel("rooms", "list").errors.split())
    assert "No such command 'rooms'. The current document has no such operation either" in said
    assert "lintel reload fetches it again" in said
