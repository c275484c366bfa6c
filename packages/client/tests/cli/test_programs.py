"""Printed programs make the request that lintel would have made; the tests run them."""

import socket
import subprocess
import sys

import pytest

from lintel_client.cli.programs import PROGRAMS, program_of
from lintel_client.cli.state import State
from lintel_client.headers import Headers
from lintel_client.messages import Request
from lintel_document import Document, Link

# What clients add by themselves.
OWN = {
    "host",
    "connection",
    "content-length",
    "accept-encoding",
    "accept-language",
    "sec-fetch-mode",
}
LANGUAGES = ["http", "curl", "python", "javascript"]


def run(language, program, port):
    if language == "http":
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(program)
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        return answer.partition(b"\r\n\r\n")[2]
    command = {"curl": ["bash"], "python": [sys.executable, "-"], "javascript": ["node", "-"]}
    done = subprocess.run(command[language], input=program, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.removesuffix(b"\n") if language == "javascript" else done.stdout


def sent(seen):
    headers = {name: text for name, text in seen.headers.items() if name not in OWN}
    return seen.method, seen.path, headers, seen.body


BODIES = [
    ("application/json", '{"a":"é \' \\" $x `y` \\u2028","b":[1,null]}'.encode()),
    ("text/plain", b"@not-a-file\r\nline\n\n"),
    ("application/octet-stream", bytes(range(256))),
    ("text/plain", b""),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("media_type", "body"), BODIES)
def test_bodies_arrive_to_the_byte(service, language, media_type, body):
    service.answer("/s/", b"fine", content_type="text/plain")
    headers = Headers([("Accept", "*/*"), ("User-Agent", "t"), ("Content-Type", media_type)])
    request = Request("PUT", service.url("/s/?a=1&b=x%20y"), headers, body)
    assert run(language, program_of(request, language), service.port) == b"fine"
    expected = {"accept": "*/*", "user-agent": "t", "content-type": media_type}
    assert sent(service.last) == ("PUT", "/s/?a=1&b=x%20y", expected, body)


@pytest.mark.parametrize("language", LANGUAGES)
def test_urls_and_headers_arrive(service, language):
    service.answer("/s/é[1]{2}", b"fine", content_type="text/plain")
    service.answer("/s/%C3%A9[1]%7B2%7D", b"fine", content_type="text/plain")
    fields = [("Accept", "a/b"), ("User-Agent", "t"), ("X-Quote", 'it\'s "$HOME" \\ `x`')]
    request = Request("GET", service.url("/s/é[1]{2}?q='$(x)'"), Headers(fields))
    assert run(language, program_of(request, language), service.port) == b"fine"
    method, path, headers, body = sent(service.last)
    # Browsers and Node write a quote in a query as %27.
    path = path.replace("%27", "'")
    assert (method, path, body) == ("GET", "/s/%C3%A9[1]%7B2%7D?q='$(x)'", b"")
    assert headers == {name.lower(): text for name, text in fields}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_dry_run_prints_what_would_be_sent(lintel, snippets, service, language):
    lintel("credentials", "add", "127.0.0.1", "Token s3cret")
    call = ["snippets", "create", "--code", "x = 'é'\n", "--language", "el"]
    assert lintel(*call).status == 0
    expected = sent(service.last)
    program = lintel(*call, "--dry-run", "--as", language, "--reveal").output
    service.seen.clear()
    assert run(language, program.encode(), service.port)
    # A program is for people without our codecs.
    if language != "http":
        expected[2]["accept"] = "application/json"
    assert sent(service.last) == expected


@pytest.mark.parametrize("language", sorted(PROGRAMS))
def test_secrets_are_left_out(lintel, snippets, service, language):
    lintel("credentials", "add", "127.0.0.1", "Token s3cret")
    lintel("headers", "add", "127.0.0.1", "X-Plain", "s3cret")
    body = '{"code": "x", "language": "el"}'
    call = ["action", "snippets", "create", "--body", body, "-H", "X-Api-Key: s3cret"]
    outcome = lintel(*call, "--dry-run", "--as", language)
    assert outcome.status == 0
    assert "s3cret" not in outcome.output
    assert "Token ***" in outcome.output


def test_secrets_in_bodies_and_urls_are_left_out(lintel, service, folder):
    login = Link("/login?api_key=s3cret", "post", "application/json", fields=["user", "password"])
    forms = {
        "form": login.replace(encoding="application/x-www-form-urlencoded"),
        "parts": login.replace(encoding="multipart/form-data"),
        "json": login,
    }
    State().visit(Document(service.url(), content=forms))
    for key in ("form", "json"):
        outcome = lintel(key, "--user", "ada", "--password", "s3cret", "--dry-run", "--as", "curl")
        assert outcome.status == 0
        assert "s3cret" not in outcome.output
        assert "ada" in outcome.output
    call = ["parts", "--user", "ada", "--password", "s3cret", "--dry-run", "--as", "curl"]
    outcome = lintel(*call)
    assert outcome.status == 2
    assert "--reveal" in outcome.errors
    assert "s3cret" in lintel(*call, "--reveal").output


@pytest.mark.parametrize("options", [["--as", "curl"], ["--reveal"], ["--dry-run", "--as", "odd"]])
def test_wrong_options(lintel, snippets, options):
    assert lintel("snippets", "list", *options).status == 2
