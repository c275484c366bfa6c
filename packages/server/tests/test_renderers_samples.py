"""Calls as code. That they run as printed is tested against the example service."""

import shlex
from types import SimpleNamespace

from django.template.loader import render_to_string

from lintel.renderers.documentation import operation
from lintel.renderers.documentation_page import fill
from lintel_document import Field, Link, schemas


def item(link: Link, **values):
    found = {**operation(("things", "make it"), link), **values}
    fill(found, "https://api.example.com/v1/docs/")
    return found


def test_values_are_quoted_for_the_shell():
    fields = [Field("it's", True, "form"), Field("count", True, "form", schema=schemas.Integer())]
    samples = item(Link("/things/", "post", "application/json", fields=fields))["samples"]
    assert shlex.split(samples["shell"].replace("\\\n", "")) == [
        *("lintel", "action", "things", "make it", "--string", "it's=text", "--count", "1"),
    ]
    assert '{"it\'s": "text", "count": 1}' in shlex.split(samples["curl"].replace("\\\n", ""))


def test_an_address_starts_from_that_of_the_page():
    fields = [Field("id", True, "path"), Field("q", True, "query")]
    samples = item(Link("/things/{id}/", "get", fields=fields))["samples"]
    assert samples["curl"] == "curl 'https://api.example.com/things/text/?q=text'"


def test_files_are_uploaded():
    file = schemas.String(is_file=True)
    link = Link(
        "/up/",
        "post",
        "multipart/form-data",
        fields=[Field("file", True, "form", schema=file), Field("note", True, "form")],
    )
    samples = item(link)["samples"]
    assert "-F file=@file.bin" in samples["curl"]
    assert "--file file=file.bin" in samples["shell"]
    assert '"file": open("file.bin", "rb"),' in samples["python"]
    assert 'new File(["content"], "file.bin")' in samples["javascript"]


def test_files_are_sent_in_a_form_where_json_comes_first():
    file = schemas.String(is_file=True)
    link = Link("/up/", "post", "application/json", fields=[Field("file", True, "form", file)])
    accepted = ["application/json", "multipart/form-data"]
    parts = SimpleNamespace(fields={}, body={"media_types": accepted, "values": []})
    samples = item(link, parts=parts)["samples"]
    assert "-F file=@file.bin" in samples["curl"]
    assert samples["shell"].endswith("--encoding multipart/form-data")
    assert 'overrides = {"encoding": "multipart/form-data"}' in samples["python"]
    assert 'const overrides = { encoding: "multipart/form-data" };' in samples["javascript"]
    parts.body["media_types"] = ["application/json"]
    assert "multipart" not in str(item(link, parts=parts)["samples"])


def test_secrets_come_from_the_environment():
    link = Link("/things/", "get")
    token = item(link, is_open=False, token_scheme="Token")["samples"]["curl"]
    assert '-H "Authorization: Token $API_TOKEN"' in token
    basic = item(link, is_open=False, takes_basic=True)["samples"]["curl"]
    assert '-u "$API_USER:$API_PASSWORD"' in basic
    key = item(link, is_open=False, key_header="X-Key")["samples"]["curl"]
    assert '-H "X-Key: $API_KEY"' in key
    assert "$" not in item(link, is_open=True, token_scheme="Token")["samples"]["curl"]


def test_a_name_that_several_parameters_share_has_its_place():
    fields = [Field("id", True, "path"), Field("id", True, "query")]
    samples = item(Link("/{id}/", "get", fields=fields))["samples"]
    assert "--string path.id=text" in samples["shell"]
    assert '"query.id": "text"' in samples["python"]


def test_what_a_write_takes_in_query_and_body_is_the_value_in_the_body():
    fields = [Field("status", True, "query"), Field("status", True, "form")]
    samples = item(Link("/", "patch", "application/json", fields=fields))["samples"]
    assert shlex.split(samples["shell"].replace("\\\n", ""))[-3:] == [
        *("query.status=text", "--status", "text")
    ]
    assert '"query.status": "text",\n    "status": "text",' in samples["python"]


def test_the_page_shows_what_clients_call_such_a_parameter():
    fields = [Field("status", True, "query"), Field("status", True, "form"), Field("page")]
    found = item(Link("/", "patch", "application/json", fields=fields))
    assert [each["client_name"] for each in found["facts"]["fields"]] == [
        *("query.status", "status", "page")
    ]
    page = render_to_string("rest_framework/docs/told.html", {"item": found})
    assert '<code>status</code> <code class="alias">query.status</code>' in page
    assert page.count("alias") == 1


def command(keys, *fields):
    link = Link("/", "get", fields=list(fields))
    found = operation(keys, link)
    fill(found, "https://api.example.com/")
    return found["samples"]["shell"]


def test_commands_are_as_short_as_can_be():
    page_size = Field("page_size", True, "query", schema=schemas.Integer())
    assert command(("things", "list"), page_size) == "lintel things list --page-size 1"
    # What is a command or an option of every call is spelled at length.
    assert command(("show", "list")) == "lintel action show list"
    assert command(("", "list")) == "lintel action '' list"
    body = Field("body", True, "query")
    assert command(("things", "list"), body) == "lintel things list --string body=text"
    switch = Field("open", True, "query", schema=schemas.Boolean())
    assert command(("things", "list"), switch) == "lintel things list --data open=true"
