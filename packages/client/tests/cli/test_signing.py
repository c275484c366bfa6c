import base64
import json

import pytest

from lintel_client.cli.state import State
from lintel_document import Document, Link, SecurityScheme


@pytest.fixture
def api(service, folder):
    """Make an API with operations that take a user name and a password."""

    def _api(*paths, user="username", **described):
        links = {
            path: Link(
                service.url(f"/{path}/"), "post", "application/json", fields=[user, "password"]
            )
            for path in paths
        }
        State().visit(Document(service.url(), content=links, **described))

    return _api


def stored(lintel):
    return {row["domain"]: row["credentials"] for row in shown(lintel)}


def shown(lintel):
    return json.loads(lintel("credentials", "show", "--reveal").output)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ({"token": "abc"}, "Token abc"),
        ({"access": "a.b", "refresh": "c"}, "Bearer a.b"),
        ({"access_token": "abc", "token_type": "bearer"}, "Bearer abc"),
        ({"key": "abc"}, "Token abc"),
    ],
)
def test_a_token_is_kept(lintel, api, service, answer, value):
    api("token")
    service.answer("/token/", answer)
    outcome = lintel("login", stdin="ada\ns3cret\n")
    assert outcome.status == 0, outcome.errors
    assert outcome.output == ""
    assert f"Password of ada for http://127.0.0.1:{service.port}" in outcome.errors
    assert "s3cret" not in outcome.errors
    assert service.last.json() == {"username": "ada", "password": "s3cret"}
    assert stored(lintel) == {f"127.0.0.1:{service.port}": value}


def test_old_credentials_are_not_sent_and_are_replaced(lintel, api, service):
    api("token", user="email")
    lintel("credentials", "add", f"127.0.0.1:{service.port}", "Token expired")
    service.answer("/token/", {"token": "new"})
    call = ["login", "-u", "ada@x.org", "--password-stdin", "--scheme", "JWT"]
    assert lintel(*call, stdin="s3cret\n").status == 0
    assert "authorization" not in service.last.headers
    assert service.last.json() == {"email": "ada@x.org", "password": "s3cret"}
    assert stored(lintel) == {f"127.0.0.1:{service.port}": "JWT new"}


def test_the_description_says_the_scheme(lintel, api, service):
    api("token", security_schemes={"b": SecurityScheme("b", "http", scheme="bearer")})
    service.answer("/token/", {"token": "abc"})
    lintel("login", "-u", "ada", "--password-stdin", stdin="x\n")
    assert list(stored(lintel).values()) == ["Bearer abc"]


def test_the_likely_operation_is_taken(lintel, api, service):
    api("register", "login")
    service.answer("/login/", {"token": "abc"})
    assert lintel("login", "-u", "ada", "--password-stdin", stdin="x\n").status == 0
    assert service.last.path == "/login/"


def test_several_operations_are_named(lintel, api, service):
    api("token", "login")
    outcome = lintel("login", "-u", "ada", "--password-stdin", stdin="x\n")
    assert outcome.status == 2
    assert "lintel login token\n" in outcome.errors
    service.answer("/login/", {"token": "abc"})
    assert lintel("login", "login", "-u", "ada", "--password-stdin", stdin="x\n").status == 0


def test_without_a_token_operation(lintel, snippets):
    outcome = lintel("login", "-u", "ada")
    assert outcome.status == 2
    assert "--basic" in outcome.errors
    assert lintel("login", "snippets", "list").status == 2


@pytest.mark.parametrize("answer", [{"odd": 1}, ["token"], {"token": 5}, {"token": "a\nb"}])
def test_an_answer_without_a_token(lintel, api, service, answer):
    api("token")
    service.answer("/token/", answer)
    outcome = lintel("login", "-u", "ada", "--password-stdin", stdin="x\n")
    assert outcome.status == 2
    assert stored(lintel) == {}


def test_a_refused_password_keeps_nothing(lintel, api, service):
    api("token")
    service.answer("/token/", {"non_field_errors": ["No."]}, status=400)
    outcome = lintel("login", "-u", "ada", "--password-stdin", stdin="x\n")
    assert outcome.status == 1
    assert "No." in outcome.errors
    assert stored(lintel) == {}


def test_basic_is_checked_before_it_is_kept(lintel, snippets, service):
    call = ["login", "--basic", "-u", "ada", "--password-stdin"]
    assert lintel(*call, stdin="s3cret\n").status == 0
    expected = "Basic " + base64.b64encode(b"ada:s3cret").decode()
    assert service.last.headers["authorization"] == expected
    assert stored(lintel) == {f"127.0.0.1:{service.port}": expected}
    service.answer("/", {"detail": "No."}, status=401)
    lintel("credentials", "remove", f"127.0.0.1:{service.port}")
    assert lintel(*call, stdin="wrong\n").status == 1
    assert stored(lintel) == {}
    assert lintel("login", "--basic", "-u", "a:b", "--password-stdin", stdin="x\n").status == 2


def test_a_document_without_a_url(lintel, folder):
    State().visit(Document(content={"token": Link("http://x.org/")}))
    assert lintel("login").status == 2
