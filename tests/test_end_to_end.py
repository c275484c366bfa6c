"""From end to end: a real server process, driven by the installed command line."""

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from service_process import PASSWORD, REPOSITORY, CommandLine, Outcome, Service

from lintel_client import Client
from lintel_client.codecs import JSONCodec
from lintel_codecs.hal import HALCodec
from lintel_codecs.openapi import OpenAPICodec
from lintel_document import Codec, CoreJSONCodec

pytestmark = pytest.mark.xdist_group("service")

FILES = [
    REPOSITORY / "tests" / "data" / "greetings.py",
    REPOSITORY / "packages" / "server" / "src" / "lintel" / "settings.py",
    REPOSITORY / "Makefile",
    REPOSITORY / "ARCHITECTURE.md",
]


@pytest.fixture
def ada(lintel: CommandLine, service: Service) -> CommandLine:
    """The command line with the schema loaded and the token of user ada stored."""
    sign_in(lintel, service, "ada")
    return lintel


def sign_in(lintel: CommandLine, service: Service, user: str) -> None:
    succeed(lintel("get", service.url))
    answer = succeed(lintel(*token_call(user, PASSWORD)))
    token = answer.json()["token"]
    succeed(lintel("credentials", "add", service.address, f"Token {token}"))


def token_call(user: str, password: str) -> list[str]:
    return [
        *("action", "token", "create"),
        *("--string", f"username={user}", "--string", f"password={password}"),
    ]


def succeed(outcome: Outcome) -> Outcome:
    assert outcome.status == 0, outcome.errors or outcome.output
    return outcome


def create(lintel: CommandLine, path: Path, **more: str) -> dict:
    fields = {"title": path.name, **more}
    strings = [part for name, text in fields.items() for part in ("--string", f"{name}={text}")]
    call = lintel("action", "snippets", "create", "--string", f"code=@{path}", *strings)
    return succeed(call).json()


def refused(service: Service, call: Callable[[], Outcome], status: str, *expected: str) -> Outcome:
    """Check that a call fails with a message on stderr, no traceback, and no change."""
    before = service.rows()
    outcome = call()
    assert outcome.status != 0
    assert "Traceback" not in outcome.errors
    for text in (status, *expected):
        assert text in outcome.errors
    assert service.rows() == before
    return outcome


def test_the_schema_shows_every_operation(lintel: CommandLine, service: Service) -> None:
    shown = succeed(lintel("get", service.url)).output
    operations = ["list", "create", "retrieve", "update", "partial_update", "destroy", "highlight"]
    assert all(operation in shown for operation in operations)
    assert "Snippets" in shown
    assert succeed(lintel("show")).output == shown
    assert succeed(lintel("reload")).output == shown


@pytest.mark.parametrize("codec", [CoreJSONCodec(), HALCodec(), OpenAPICodec()])
def test_the_root_is_read_by_every_codec_that_writes(service: Service, codec: Codec) -> None:
    with Client(decoders=[codec]) as client:
        document = client.get(service.url)
        assert (document.title, document.issues) == ("Snippets", ())
        assert len(document["snippets"]) == 7
        (listing,) = [
            key
            for key, link in document["snippets"].links.items()
            if (link.action, urlsplit(link.url).path) == ("get", "/snippets/")
        ]
        page = Client(decoders=[JSONCodec()]).action(document, ["snippets", listing])
        assert page["results"]
    form = httpx2.get(service.url, headers={"Accept": codec.media_type})
    assert form.headers["Content-Type"] == codec.media_type
    named = {"openapi": "openapi-json"}.get(codec.format, codec.format)
    answer = httpx2.get(f"{service.url}?format={named}", headers={"Accept": codec.media_type})
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, codec.media_type)


def test_the_token_is_kept_for_its_domain_and_private(ada: CommandLine) -> None:
    for path in ada.folder.iterdir():
        assert path.stat().st_mode & 0o077 == 0, path
    succeed(ada("clear"))
    assert ada("show").status != 0 or "snippets" not in ada("show").output


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_comes_back_byte_for_byte(ada: CommandLine, service: Service, path: Path) -> None:
    made = create(ada, path)
    read = succeed(ada("action", "snippets", "retrieve", "--param", f"id={made['pk']}")).json()
    assert read["code"].encode() == path.read_bytes()
    assert dict(service.rows())[made["pk"]].encode() == path.read_bytes()
    assert read["owner"] == "ada"


def test_every_page_together_holds_every_snippet_once(ada: CommandLine, service: Service) -> None:
    found: list[int] = []
    page = 1
    while True:
        call = ("action", "snippets", "list", "--param", f"page={page}", "--param", "page_size=100")
        body = succeed(ada(*call)).json()
        found += [row["pk"] for row in body["results"]]
        if body["next"] is None:
            break
        page += 1
    expected = sorted(key for key, _ in service.rows())
    assert sorted(found) == expected
    assert body["count"] == len(expected) >= 1000


def test_highlight_is_the_page_that_pygments_makes(ada: CommandLine) -> None:
    made = create(ada, FILES[0], language="python", style="monokai")
    shown = succeed(ada("action", "snippets", "highlight", "--param", f"id={made['pk']}")).output
    assert "<title>greetings.py</title>" in shown
    assert "Καλημέρα κόσμε" in shown
    assert "<script>alert" not in shown


def test_change_then_delete(ada: CommandLine, service: Service) -> None:
    made = create(ada, FILES[2])
    key = ("--param", f"id={made['pk']}")
    changed = ada("action", "snippets", "partial_update", *key, "--data", "linenos=true")
    assert succeed(changed).json() == {**made, "linenos": True}
    replaced = ada("action", "snippets", "update", *key, "--string", "code=x = 1\n")
    assert succeed(replaced).json()["code"] == "x = 1\n"
    succeed(ada("action", "snippets", "destroy", *key))
    assert made["pk"] not in dict(service.rows())
    refused(service, lambda: ada("action", "snippets", "retrieve", *key), "404")


def test_wrong_credentials(lintel: CommandLine, service: Service) -> None:
    succeed(lintel("get", service.url))
    succeed(lintel("credentials", "add", service.address, "Token 0123456789"))
    call = ("action", "snippets", "create", "--string", "code=x")
    refused(service, lambda: lintel(*call), "401", "WWW-Authenticate", "Token", "Invalid token.")
    succeed(lintel("credentials", "remove", service.address))
    refused(service, lambda: lintel(*token_call("ada", "wrong")), "400", "Unable to log in")


def test_basic_credentials(lintel: CommandLine, service: Service) -> None:
    succeed(lintel("get", service.url))
    succeed(lintel("credentials", "add", service.address, f"ada:{PASSWORD}", "--auth", "basic"))
    assert create(lintel, FILES[2])["owner"] == "ada"
    succeed(lintel("credentials", "add", service.address, "ada:wrong", "--auth", "basic"))
    call = ("action", "snippets", "create", "--string", "code=x")
    refused(service, lambda: lintel(*call), "401", "Invalid username/password.")


def test_without_credentials(lintel: CommandLine, service: Service) -> None:
    succeed(lintel("get", service.url))
    call = ("action", "snippets", "create", "--string", "code=x")
    refused(service, lambda: lintel(*call), "401", "credentials were not provided")


def test_a_non_owner_is_refused(lintel: CommandLine, service: Service, tmp_path: Path) -> None:
    sign_in(lintel, service, "ada")
    key = ("--param", f"id={create(lintel, FILES[2])['pk']}")
    grace = CommandLine(tmp_path / "grace")
    sign_in(grace, service, "grace")
    change = ("action", "snippets", "partial_update", *key, "--string", "title=mine")
    refused(service, lambda: grace(*change), "403", "permission")
    refused(service, lambda: grace("action", "snippets", "destroy", *key), "403", "permission")


def test_invalid_data_is_answered_by_field(ada: CommandLine, service: Service) -> None:
    call = (
        *("action", "snippets", "create", "--string", "code="),
        *("--string", "language=klingon", "--string", f"title={'x' * 101}"),
    )
    refused(
        service,
        lambda: ada(*call),
        "400",
        *("code", "This field may not be blank."),
        *("language", '"klingon" is not a valid choice.'),
        *("title", "Ensure this field has no more than 100 characters."),
    )


def test_malformed_json_is_400(ada: CommandLine, service: Service) -> None:
    token = succeed(ada(*token_call("ada", PASSWORD))).json()["token"]
    headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
    before = service.rows()
    for body in (b'{"code": ', b"\xff\xfe", b'{"code": NaN}', b"[" * 100_000, b'"\\ud800'):
        answer = httpx2.post(f"{service.url}snippets/", content=body, headers=headers)
        assert answer.status_code == 400, body[:20]
        assert answer.json()["detail"].startswith("JSON parse error - ")
    assert service.rows() == before


def test_the_401_carries_its_challenge(service: Service) -> None:
    answer = httpx2.post(f"{service.url}snippets/", json={"code": "x"})
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Token"
    assert answer.json() == {"detail": "Authentication credentials were not provided."}


def test_problem_details_for_a_client_that_asks_for_them(service: Service) -> None:
    headers = {"Accept": "application/json, application/problem+json"}
    refused = httpx2.post(f"{service.url}snippets/", json={"code": "x"}, headers=headers)
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert refused.headers["WWW-Authenticate"] == "Token"
    assert refused.json()["code"] == "not_authenticated"
    wrong = httpx2.post(f"{service.url}token/", json={"username": "ada"}, headers=headers)
    assert [(each["pointer"], each["code"]) for each in wrong.json()["errors"]] == [
        ("/password", "required")
    ]
    nowhere = httpx2.get(f"{service.url}nowhere/", headers=headers)
    assert (nowhere.status_code, nowhere.json()["code"]) == (404, "not_found")
    assert "Accept" in nowhere.headers["Vary"]


def test_unknown_keys_and_parameters_are_named(ada: CommandLine, service: Service) -> None:
    refused(service, lambda: ada("action", "snippets", "highlihgt"), "highlihgt", "highlight")
    refused(service, lambda: ada("action", "snippets", "create"), "code")
    wrong = ("action", "snippets", "create", "--string", "code=x", "--string", "titel=y")
    refused(service, lambda: ada(*wrong), "titel")
    refused(service, lambda: ada("get", "http://127.0.0.1:1/"), "127.0.0.1:1")


def test_debug_shows_the_exchange_without_the_secret(ada: CommandLine, service: Service) -> None:
    outcome = succeed(ada("action", "users", "list", "--debug"))
    everything = outcome.output + outcome.errors
    assert f"GET {service.url}users/" in outcome.errors
    assert "200 OK" in outcome.errors
    credentials = json.loads((ada.folder / "credentials.json").read_text())
    token = json.dumps(credentials).partition("Token ")[2].partition('"')[0]
    assert len(token) == 40
    assert token not in everything
