import json

import pytest

from lintel_client.cli.state import State
from lintel_document import Document, Link, Server, ServerVariable


def test_results_are_json(lintel, snippets, service):
    outcome = lintel("action", "snippets", "list", "--param", "page=2")
    assert outcome.output == '{\n    "results": [\n        1\n    ],\n    "next": null\n}\n'
    assert outcome.errors == ""
    assert service.last.path == "/s/?page=2"


def test_values_of_all_kinds_are_sent(lintel, snippets, service, tmp_path):
    path = tmp_path / "code.py"
    path.write_bytes("print('é')\r\n".encode())
    call = ["action", "snippets", "update", "-p", "id=1", "-s", f"code=@{path}"]
    assert lintel(*call, "-d", 'language="el"').status == 0
    assert (service.last.method, service.last.path) == ("PUT", "/s/1/")
    assert service.last.json() == {"code": "print('é')\r\n", "language": "el"}


def test_strings_and_params_differ(lintel, snippets, service):
    lintel("action", "snippets", "create", "--param", "code=1", "--string", "language=1")
    assert service.last.json() == {"code": 1, "language": "1"}


def test_no_content_prints_nothing(lintel, snippets):
    outcome = lintel("action", "snippets", "destroy", "--param", "id=1")
    assert (outcome.status, outcome.output, outcome.errors) == (0, "", "")


def test_files_are_uploaded(lintel, snippets, service, tmp_path):
    path = tmp_path / 'a"b.png'
    path.write_bytes(b"\x89PNG")
    assert lintel("action", "snippets", "upload", "--file", f"file={path}").status == 0
    assert b'filename="a%22b.png"\r\nContent-Type: image/png' in service.last.body
    assert lintel("action", "snippets", "put_file", "-f", f"file={path}").status == 0
    assert service.last.body == b"\x89PNG"
    assert lintel("action", "snippets", "put_file", "-f", "file=-", stdin=b"\x00").status == 0
    assert service.last.body == b"\x00"


def test_a_file_does_not_fit_json(lintel, snippets, tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"")
    outcome = lintel("action", "snippets", "create", "--file", f"code={path}")
    assert outcome.status == 2
    assert "choose the encoding multipart/form-data" in " ".join(outcome.errors.split())


def test_overrides(lintel, snippets, service):
    call = ["action", "snippets", "create", "-s", "code=x", "-a", "put", "-t", "new"]
    lintel(*call, "-e", "application/x-www-form-urlencoded")
    assert (service.last.method, service.last.body) == ("PUT", b"code=x")
    outcome = lintel("action", "snippets", "create", "-s", "code=x", "-e", "text/odd")
    assert outcome.status == 3
    assert "'text/odd'" in outcome.errors


def test_text_is_printed_to_the_byte(lintel, snippets, service):
    service.answer("/s/", "<b>é</b>\r\n", content_type="text/html; charset=utf-8")
    assert lintel("action", "snippets", "list").output == "<b>é</b>\r\n"


def test_results_can_be_written_to_a_file(lintel, snippets, service, tmp_path):
    service.answer("/s/", b"\x00\xff", content_type="application/zip")
    path = tmp_path / "out.zip"
    outcome = lintel("action", "snippets", "list", "--output", str(path))
    assert (outcome.status, outcome.output) == (0, "")
    assert path.read_bytes() == b"\x00\xff"
    outcome = lintel("action", "snippets", "list", "-o", str(tmp_path / "no" / "out"))
    assert outcome.status == 2
    assert "No such file" in outcome.errors


def test_a_document_becomes_the_current_one(lintel, snippets, service):
    service.answer("/s/", Document(service.url("/s/"), "Next", content={"up": Link("/")}))
    assert lintel("action", "snippets", "list").output.startswith("<Next ")
    assert lintel("show").output.startswith("<Next ")
    assert len(json.loads(lintel("history", "show").output)) == 2


def test_digits_address_items(lintel, snippets, service):
    assert lintel("action", "items", "0", "go").status == 0
    assert service.last.path == "/s/"


def test_an_empty_key_is_a_key(lintel, snippets):
    assert lintel("action", "", "list").output.startswith("<Snippets ")


def test_debug_shows_the_exchange_and_no_secret(lintel, snippets, service):
    lintel("credentials", "add", "127.0.0.1", "Token s3cret")
    lintel("headers", "add", "127.0.0.1", "X-Plain", "s3cret")
    service.answer("/s/", {"token": "s3cret", "name": "shown"}, Set_Cookie="s3cret")
    outcome = lintel("action", "snippets", "create", "-s", "code=s", "--debug")
    assert "s3cret" not in outcome.errors
    assert "Authorization: Token ***" in outcome.errors
    assert '"name": "shown"' in outcome.errors
    assert json.loads(outcome.output)["token"] == "s3cret"
    assert service.last.headers["authorization"] == "Token s3cret"


def test_debug_works_with_uploads_and_downloads(lintel, snippets, service, tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(b"\x89\xff")
    service.answer("/up/", b"\x00\xff", content_type="application/zip")
    out = tmp_path / "out"
    call = ["action", "snippets", "upload", "-f", f"file={path}", "--debug", "-o", str(out)]
    outcome = lintel(*call)
    assert outcome.status == 0
    assert "bytes)" in outcome.errors
    assert "(binary content)" in outcome.errors
    assert out.read_bytes() == b"\x00\xff"


def test_a_dry_run_sends_nothing(lintel, snippets, service):
    lintel("credentials", "add", f"127.0.0.1:{service.port}", "Token s3cret")
    before = len(service.seen)
    outcome = lintel("action", "snippets", "create", "-s", "code=é", "--dry-run")
    assert outcome.status == 0
    assert len(service.seen) == before
    assert outcome.output.startswith(f"POST {service.url('/s/')}\n")
    assert '"code": "é"' in outcome.output
    assert "Authorization: Token ***" in outcome.output


@pytest.mark.parametrize("domain", ["127.0.0.1", "127.0.0.1:{port}", "*"])
def test_credentials_are_sent_to_their_domain(lintel, snippets, service, domain):
    lintel("credentials", "add", domain.format(port=service.port), "Token a")
    lintel("action", "snippets", "list")
    assert service.last.headers["authorization"] == "Token a"


@pytest.mark.parametrize("domain", ["localhost", "127.0.0.1:1", "*.0.0.1", "*.org"])
def test_credentials_are_sent_nowhere_else(lintel, snippets, service, domain):
    lintel("credentials", "add", domain, "Token a")
    lintel("headers", "add", domain, "X-Key", "a")
    lintel("action", "snippets", "list")
    assert "authorization" not in service.last.headers
    assert "x-key" not in service.last.headers


@pytest.mark.parametrize(
    "options",
    [["-p", "page"], ["-p", "page=[1"], ["-d", "page=x"], ["-s", "page=@nowhere"], ["-t", "odd"]],
)
def test_wrong_options(lintel, snippets, service, options):
    before = len(service.seen)
    outcome = lintel("action", "snippets", "list", *options)
    assert outcome.status == 2
    assert outcome.output == ""
    assert len(service.seen) == before


def test_stored_values_that_are_not_valid_are_named(lintel, snippets, folder):
    (folder / "credentials.json").write_text('{"http://x": "a"}')
    outcome = lintel("action", "snippets", "list")
    assert outcome.status == 2
    assert "credentials.json" in outcome.errors


def test_a_download_goes_on_where_it_stopped(lintel, snippets, service, tmp_path):
    service.answer("/s/", b"0123456789", content_type="application/zip", ETag='"1"')
    path = tmp_path / "out.zip"
    call = ["snippets", "list", "--output", str(path), "--resume"]
    assert lintel(*call).status == 0
    assert path.read_bytes() == b"0123456789"
    assert lintel("snippets", "list", "--resume").status == 2


def test_servers_are_chosen(lintel, folder):
    server = Server("http://{host}/v1", variables={"host": ServerVariable("a.org")}, name="test")
    link = Link("http://a.org/v1/x", path="/x", servers=[server])
    State().visit(Document("http://a.org/", content={"go": link}))

    def asked(*options):
        return lintel("go", *options, "--dry-run").output.partition("\n")[0]

    assert asked() == "GET http://a.org/v1/x"
    assert asked("--server-variable", "host=b.org") == "GET http://b.org/v1/x"
    assert asked("--server", "https://c.org/") == "GET https://c.org/x"
    assert asked("--server", "0", "--server-variable", "host=d.org") == "GET http://d.org/v1/x"
    assert lintel("go", "--server", "odd").status == 2
    assert lintel("go", "--server-variable", "odd").status == 2
