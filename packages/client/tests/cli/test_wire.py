"""The options of commands that send requests."""

import ssl
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

CALL = ("action", "snippets", "list")


def test_headers_of_one_call(lintel, snippets, service):
    lintel("headers", "add", "127.0.0.1", "X-Key", "stored")
    lintel("credentials", "add", f"127.0.0.1:{service.port}", "Token stored")
    own = ["-H", "X-Key: mine", "--header", "Authorization:Token mine", "-H", "x-b:"]
    assert lintel(*CALL, *own).status == 0
    assert service.last.headers["x-key"] == "mine"
    assert service.last.headers["authorization"] == "Token mine"
    assert service.last.headers["x-b"] == ""
    lintel(*CALL)
    assert service.last.headers["x-key"] == "stored"


def test_headers_of_one_call_stay_on_the_host(lintel, snippets, service):
    service.redirect("/s/", service.url("/s2/", host="localhost"))
    service.answer("/s2/", {})
    assert lintel(*CALL, "-H", "X-Key: mine").status == 0
    assert service.last.path == "/s2/"
    assert "x-key" not in service.last.headers


@pytest.mark.parametrize("header", ["X-Key", "X Key: a", "Host: other", "X-A: b\nc", ": a"])
def test_headers_that_cannot_be_sent(lintel, snippets, service, header):
    before = len(service.seen)
    assert lintel(*CALL, "-H", header).status == 2
    assert len(service.seen) == before


def test_status_and_headers_are_shown(lintel, snippets, service):
    service.answer("/s/", {"a": "s3cret"}, ETag='"1"', Set_Cookie="s3cret")
    outcome = lintel(*CALL, "-i")
    assert outcome.errors.startswith("200 OK\n")
    assert 'etag: "1"\n' in outcome.errors
    assert "s3cret" not in outcome.errors
    assert outcome.output == '{\n    "a": "s3cret"\n}\n'


def test_a_refusal_shows_its_headers_too(lintel, snippets, service):
    service.answer("/s/", {"detail": "No."}, status=403, X_Request_Id="r1")
    outcome = lintel(*CALL, "--include")
    assert outcome.status == 1
    assert "x-request-id: r1\n" in outcome.errors


def test_what_a_request_took_is_shown(lintel, snippets, service):
    service.redirect("/s/", service.url("/s2/?token=s3cret"))
    service.answer("/s2/", b"12345", content_type="text/plain")
    outcome = lintel(*CALL, "-v")
    assert outcome.output == "12345"
    assert f"GET {service.url('/s2/?token=***')}: 200, answered after " in outcome.errors
    assert " ms, 5 bytes after " in outcome.errors


@pytest.fixture
def secure(tmp_path):
    """A server over TLS with a certificate of its own; returns its address and certificate."""
    pem = tmp_path / "server.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run([*command, *names, "-keyout", pem, "-out", tmp_path / "cert.pem"], check=True)
    pem.write_bytes(pem.read_bytes() + (tmp_path / "cert.pem").read_bytes())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    context.load_verify_locations(pem)
    context.verify_mode = ssl.CERT_OPTIONAL
    with HTTPServer(("127.0.0.1", 0), Certified) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"https://127.0.0.1:{server.server_port}/", pem
        server.shutdown()
        thread.join()


class Certified(BaseHTTPRequestHandler):
    def do_GET(self):
        shown = b"certificate" if self.connection.getpeercert() else b"none"
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(shown)))
        self.end_headers()
        self.wfile.write(shown)

    def log_message(self, *arguments):
        """Keep test output quiet."""


def test_certificates(lintel, secure):
    url, pem = secure
    assert lintel("get", url).status == 3
    assert lintel("get", url, "--insecure").output == "none"
    assert lintel("get", url, "--ca", str(pem)).output == "none"
    outcome = lintel("get", url, "--ca", str(pem), "--cert", str(pem))
    assert outcome.output == "certificate"


def test_a_certificate_that_is_none(lintel, tmp_path):
    path = tmp_path / "no.pem"
    path.write_text("no certificate")
    for option in ("--ca", "--cert"):
        outcome = lintel("get", "https://127.0.0.1:1/", option, str(path))
        assert outcome.status == 2
        assert "certificate cannot be read" in outcome.errors
    assert lintel("get", "https://127.0.0.1:1/", "--ca", str(tmp_path / "none")).status == 2


def test_declaring_commands_loads_neither_http_nor_the_document_model():
    script = (
        "import sys\n"
        "from lintel_client.cli import actions, documents, program\n"
        "heavy = ('httpx2', 'rich', 'lintel_document.document')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_calls_are_tried_again(lintel, snippets, service):
    failure = [lambda handler: handler.fail(503, Retry_After="0")]
    service.mishaps["/s/"] = failure * 2
    assert lintel(*CALL).status == 1
    assert lintel(*CALL, "--retry", "1").status == 0
    service.mishaps["/s/"] = failure * 2
    assert lintel(*CALL, "--retry", "1").status == 1
    service.mishaps["/s/"] = failure[:1]
    created = lintel("action", "snippets", "create", "-p", "code=x", "--retry", "1")
    assert created.status == 1, "a write may not arrive twice"
    assert lintel(*CALL, "--retry", "-1").status == 2


@pytest.mark.parametrize(
    ("version", "path", "accept"),
    [
        ("2.1", "/s/", "application/json; version=2.1"),
        ("accept:v=2.1", "/s/", "application/json; v=2.1"),
        ("query=2.1", "/s/?version=2.1", "application/json"),
        ("query:api-version=2.1", "/s/?api-version=2.1", "application/json"),
        ("path=v2", "/v2/s/", "application/json"),
    ],
)
def test_a_version_is_asked_for(lintel, snippets, service, version, path, accept):
    service.answer("/v2/s/", {})
    assert lintel(*CALL, "--api-version", version).status == 0
    assert service.last.path == path
    assert accept in service.last.headers["accept"].split(", ")


@pytest.mark.parametrize("version", ["", "a b", "nowhere=2", "query:a b=2"])
def test_a_version_that_cannot_be_asked_for(lintel, snippets, service, version):
    before = len(service.seen)
    outcome = lintel(*CALL, "--api-version", version)
    assert outcome.status == 2
    assert "--api-version" in outcome.errors
    assert len(service.seen) == before


@pytest.mark.parametrize(
    ("content", "mode", "said"),
    [
        (None, 0, "does not exist"),
        ("machine 127.0.0.1 login ada password lovelace", 0o644, "chmod 600"),
        ("machine 127.0.0.1 surname lovelace", 0o600, "not valid in line 1"),
    ],
)
def test_a_netrc_that_cannot_be_used_is_wrong_usage(
    lintel, snippets, service, tmp_path, monkeypatch, content, mode, said
):
    file = tmp_path / "passwords"
    if content is not None:
        file.write_text(content)
        file.chmod(mode)
    monkeypatch.setenv("NETRC", str(file))
    before = len(service.seen)
    outcome = lintel("snippets", "list", "--netrc", "--retry", "2")
    assert (outcome.status, len(service.seen)) == (2, before)
    assert said in outcome.errors
    assert "lovelace" not in outcome.errors


def test_passwords_of_netrc(lintel, snippets, service, tmp_path, monkeypatch):
    file = tmp_path / "passwords"
    file.touch(mode=0o600)
    file.write_text("machine 127.0.0.1 login ada password lovelace\n")
    monkeypatch.setenv("NETRC", str(file))
    assert lintel("snippets", "list").status == 0
    assert "authorization" not in service.last.headers
    assert lintel("snippets", "list", "--netrc").status == 0
    assert service.last.headers["authorization"] == "Basic YWRhOmxvdmVsYWNl"
    assert "lovelace" not in lintel("snippets", "list", "--netrc", "--debug").errors
    assert lintel("snippets", "list", "--netrc", "--no-auth").status == 0
    assert "authorization" not in service.last.headers
    lintel("credentials", "add", "127.0.0.1", "Token mine")
    assert lintel("snippets", "list", "--netrc").status == 0
    assert service.last.headers["authorization"] == "Token mine"
