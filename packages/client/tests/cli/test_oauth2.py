"""`lintel login --oauth2` with a real authorization server, and with one that obeys the test."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

import anyio
import authorization_server
import httpx2
import pytest
from authorization_server import browser
from mcp import Client as MCPClient
from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client
from service_process import LINTEL, CommandLine, free_port

from lintel_client.cli.state import State

BROWSER = f"{sys.executable} {Path(browser.__file__)} %s"
TOKEN = re.compile(r"\b[A-Za-z0-9]{30}\b")


@pytest.fixture(scope="module")
def authorization(tmp_path_factory):
    with authorization_server.running(tmp_path_factory.mktemp("authorization")) as known:
        yield known


@pytest.fixture
def shell(tmp_path, authorization):
    """The installed command line, with the API as its document and a browser that signs in."""
    command = CommandLine(tmp_path / "state", {"BROWSER": BROWSER})
    outcome = command("get", f"{authorization['url']}/openapi.json")
    assert outcome.status == 0, outcome.errors
    return command


def entry(shell):
    (found,) = json.loads((shell.folder / "credentials.json").read_text()).values()
    return found


def change(shell, **changes):
    """Change the stored tokens."""
    path = shell.folder / "credentials.json"
    stored = json.loads(path.read_text())
    for each in stored.values():
        each["secrets"]["tokens"].update(changes)
    path.write_text(json.dumps(stored))


def state(authorization, **asked):
    return httpx2.get(f"{authorization['url']}/state/", params=asked).json()


def logged_in(shell, authorization, *options):
    outcome = shell("login", "--oauth2", "--client-id", authorization["browser"], *options)
    assert outcome.status == 0, outcome.errors
    return outcome


def test_a_person_signs_in_in_the_browser_and_out_again(shell, authorization):
    outcome = logged_in(shell, authorization)
    host = authorization["url"].removeprefix("http://")
    assert "Signing in at http://127.0.0.1" in outcome.errors
    assert outcome.errors.endswith(f"Signed in (scope: read); the tokens are stored for {host}.\n")
    tokens = entry(shell)["secrets"]["tokens"]
    assert tokens["access_token"] not in outcome.errors
    assert (shell.folder / "credentials.json").stat().st_mode & 0o777 == 0o600
    assert shell("me", "read").json()["user"] == "ada"
    living = state(authorization)["living"]
    outcome = shell("logout")
    assert outcome.errors.endswith(f"Signed out of {host}.\n")
    assert shell("me", "read").status == 1
    assert json.loads((shell.folder / "credentials.json").read_text()) == {}
    # The description names no endpoint for revocation.
    assert "names no way to revoke tokens" in outcome.errors
    assert state(authorization)["living"] == living


def test_signing_out_revokes_the_tokens_where_the_server_can(shell, authorization):
    logged_in(shell, authorization, "--issuer", f"{authorization['url']}/o")
    living = state(authorization)["living"]
    outcome = shell("logout")
    assert outcome.status == 0
    assert "revoke" not in outcome.errors
    assert state(authorization)["living"] == living - 1


def test_a_server_that_is_gone_does_not_keep_anybody_signed_in(shell, authorization):
    logged_in(shell, authorization, "--endpoint", "revocation=http://127.0.0.1:1/revoke")
    outcome = shell("logout")
    assert outcome.status == 0
    assert "could not be revoked, and are only deleted here" in outcome.errors
    assert json.loads((shell.folder / "credentials.json").read_text()) == {}


def test_a_program_signs_in(shell, authorization):
    options = ["--flow", "client", "--client-id", authorization["program"]]
    secret = authorization["secret"]
    outcome = shell("login", "--oauth2", *options, "--client-secret-stdin", stdin=f"{secret}\n")
    assert outcome.status == 0, outcome.errors
    assert secret not in outcome.errors
    assert shell("me", "read").json()["client"] == "program"
    change(shell, expires_at=1.0, received_at=0.0)
    assert shell("me", "read").json()["client"] == "program"


def test_a_person_signs_in_on_another_device(shell, authorization):
    command = [LINTEL, "login", "--oauth2", "--flow", "device", "--client-id"]
    process = subprocess.Popen(
        [*map(str, command), authorization["device"]],
        env={**os.environ, "LINTEL_CONFIG_DIR": str(shell.folder)},
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        lines = [process.stderr.readline(), process.stderr.readline()]
        code = re.search(r"enter the code (\w+)", lines[1])[1]
        browser.enter(authorization["url"], code)
        rest = process.stderr.read()
    assert process.returncode == 0, rest
    assert shell("me", "read").json()["user"] == "ada"


def test_tokens_are_renewed_and_kept(shell, authorization):
    logged_in(shell, authorization)
    change(shell, expires_at=1.0, received_at=0.0)
    first = entry(shell)["secrets"]["tokens"]
    assert shell("me", "read").json()["user"] == "ada"
    second = entry(shell)["secrets"]["tokens"]
    assert second["access_token"] != first["access_token"]
    assert second["refresh_token"] != first["refresh_token"]
    assert second["expires_at"] > time.time()
    state(authorization, expire=1)
    assert shell("me", "read").json()["user"] == "ada"


def test_commands_in_parallel_renew_once(shell, authorization):
    logged_in(shell, authorization)
    change(shell, expires_at=1.0, received_at=0.0)
    before = state(authorization)["refresh"]
    environment = {**os.environ, "LINTEL_CONFIG_DIR": str(shell.folder)}
    running = [
        subprocess.Popen([str(LINTEL), "me", "read"], env=environment, stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    assert [json.loads(each.communicate(timeout=60)[0])["user"] for each in running] == ["ada"] * 4
    assert state(authorization)["refresh"] == before + 1


def test_an_ended_sign_in_says_what_to_do(shell, authorization):
    logged_in(shell, authorization)
    state(authorization, revoke=1, expire=1)
    outcome = shell("me", "read")
    assert outcome.status == 1
    assert "has ended: log in again (invalid_grant)" in outcome.errors
    assert "Sign in with: lintel login --oauth2" in outcome.errors
    # Who and where is known from the last time.
    assert shell("login", "--oauth2").status == 0
    assert shell("me", "read").json()["user"] == "ada"


@pytest.mark.parametrize(
    "options",
    [
        ["--debug"],
        ["--dry-run"],
        ["--dry-run", "--as", "curl"],
        ["--dry-run", "--as", "http"],
        ["--include", "--verbose"],
    ],
)
def test_no_token_is_shown(shell, authorization, options):
    logged_in(shell, authorization)
    change(shell, expires_at=1.0, received_at=0.0)
    outcome = shell("me", "read", *options)
    assert outcome.status == 0, outcome.errors
    shown = outcome.output + outcome.errors
    stored = entry(shell)["secrets"]["tokens"]
    assert stored["access_token"] not in shown
    assert stored["refresh_token"] not in shown
    assert not TOKEN.search(shown), TOKEN.search(shown)
    assert ("Bearer ***" in shown) is (options[0] != "--include")


def test_a_code_for_a_device_is_shown_and_its_secret_is_not(lintel, described):
    secret = "secret-of-the-device"
    page = {"user_code": "ABCD", "verification_uri": "https://auth.example/device"}
    described.answer("/device", {"device_code": secret, "interval": 1, **page})
    endpoints = [f"{name}={described.url(f'/{name}')}" for name in ("token", "device")]
    options = ["--endpoint", endpoints[0], "--endpoint", endpoints[1], "--flow", "device"]
    outcome = lintel("login", "--oauth2", "--client-id", "me", "--debug", *options)
    assert outcome.status == 0, outcome.errors
    assert secret not in outcome.errors
    assert "open https://auth.example/device and enter the code ABCD" in outcome.errors


def test_signing_in_shows_no_secret_either(shell, authorization):
    outcome = logged_in(shell, authorization, "--debug")
    tokens = entry(shell)["secrets"]["tokens"]
    for secret in (tokens["access_token"], tokens["refresh_token"]):
        assert secret not in outcome.errors
    assert "code=***" in outcome.errors
    assert "code_verifier=***" in outcome.errors


def test_the_token_can_be_revealed(shell, authorization):
    logged_in(shell, authorization)
    token = entry(shell)["secrets"]["tokens"]["access_token"]
    assert token in shell("me", "read", "--dry-run", "--as", "curl", "--reveal").output
    shown = shell("credentials", "show").output
    assert "OAuth 2: tokens of http://127.0.0.1" in shown
    assert token not in shown
    checks = shell("doctor")
    assert token not in checks.output
    assert checks.status == 0, checks.output


def test_the_place_that_the_browser_returns_to_is_repeated(shell, authorization):
    uri = f"http://127.0.0.1:{free_port()}/callback"
    logged_in(shell, authorization, "--redirect-uri", uri)
    outcome = shell("login", "--oauth2")
    assert outcome.status == 0, outcome.errors
    assert f"redirect_uri={quote(uri, safe='')}" in outcome.errors


def test_agents_use_the_tokens_and_renew_them(shell, authorization):
    logged_in(shell, authorization)
    change(shell, expires_at=1.0, received_at=0.0)
    url = f"{authorization['url']}/openapi.json"
    environment = {**os.environ, "LINTEL_CONFIG_DIR": str(shell.folder)}
    command = StdioServerParameters(
        command=str(LINTEL), args=["mcp", "serve", url], env=environment
    )

    async def texts():
        async with MCPClient(stdio_client(command)) as client:
            for asked in ({}, {"expire": 1}, {"expire": 1, "revoke": 1}):
                state(authorization, **asked)
                yield (await client.call_tool("get_me", {})).content[0].text

    async def collected():
        return [text async for text in texts()]

    renewed, recovered, ended = anyio.run(collected)
    assert json.loads(renewed)["user"] == json.loads(recovered)["user"] == "ada"
    assert "log in again (invalid_grant)" in ended
    assert entry(shell)["secrets"]["tokens"]["refresh_token"] not in ended


def test_no_auth_sends_no_token(shell, authorization):
    logged_in(shell, authorization)
    assert shell("me", "read", "--no-auth").status == 1


# With a service that is told what to answer


@pytest.fixture
def described(service, lintel):
    """An API whose description names its authorization server, itself."""
    flows = {"clientCredentials": {"tokenUrl": "/token", "scopes": {}}}
    service.answer(
        "/openapi.json",
        {
            "openapi": "3.1.0",
            "info": {"title": "A", "version": "1"},
            "paths": {"/a": {"get": {"operationId": "get_a", "tags": ["a"]}}},
            "components": {"securitySchemes": {"o": {"type": "oauth2", "flows": flows}}},
        },
        content_type="application/vnd.oai.openapi+json",
    )
    service.answer("/token", {"access_token": "first", "token_type": "Bearer"})
    service.answer("/a", {"a": 1})
    assert lintel("get", service.url("/openapi.json")).status == 0
    return service


def client_login(lintel, *options, secret="s3cret"):
    return lintel(
        *("login", "--oauth2", "--client-id", "me", "--client-secret-stdin", *options),
        stdin=f"{secret}\n",
    )


def test_other_credentials_of_the_host_do_not_go_to_the_token_endpoint(lintel, described):
    lintel("credentials", "add", "127.0.0.1", "Token old")
    assert client_login(lintel).status == 0
    token = next(seen for seen in described.seen if seen.path == "/token")
    assert token.headers["authorization"].startswith("Basic ")
    assert lintel("a", "get_a").status == 0
    assert described.last.headers["authorization"] == "Bearer first"


def test_a_token_does_not_follow_a_redirect(lintel, described):
    assert client_login(lintel).status == 0
    described.redirect("/a", described.url("/b", host="localhost"))
    described.answer("/b", {"b": 1})
    assert lintel("a", "get_a").status == 0
    assert described.last.path == "/b"
    assert "authorization" not in described.last.headers


def test_a_token_that_is_refused_is_replaced_while_a_call_runs(lintel, described):
    assert client_login(lintel).status == 0
    described.answer("/token", {"access_token": "second", "token_type": "Bearer"})
    described.mishaps["/a"] = [lambda handler: handler.fail(401)]
    assert lintel("a", "get_a").status == 0
    assert described.last.headers["authorization"] == "Bearer second"
    stored = State().credentials()[f"127.0.0.1:{described.port}"]
    assert stored["secrets"]["tokens"]["access_token"] == "second"


def test_further_parameters_are_sent_and_repeated(lintel, described):
    options = ["--extra", "audience=api", "--scope", "a", "--scope", "b"]
    assert client_login(lintel, *options).status == 0
    assert b"audience=api" in described.last.body
    assert b"scope=a+b" in described.last.body
    assert lintel("login", "--oauth2").status == 0
    assert b"audience=api" in described.last.body


def test_the_keyring_holds_the_secrets(lintel, described, ring):
    assert client_login(lintel, "--keyring").status == 0
    stored = (State().folder / "credentials.json").read_text()
    assert "first" not in stored
    assert "s3cret" not in stored
    assert lintel("a", "get_a").status == 0
    assert described.last.headers["authorization"] == "Bearer first"
    described.answer("/token", {"access_token": "second", "token_type": "Bearer"})
    described.mishaps["/a"] = [lambda handler: handler.fail(401)]
    assert lintel("a", "get_a").status == 0
    (kept,) = ring.values()
    assert json.loads(kept)["tokens"]["access_token"] == "second"
    # Secrets that move to the file leave the keyring.
    assert client_login(lintel).status == 0
    assert ring == {}
    assert client_login(lintel, "--keyring").status == 0
    assert lintel("logout").status == 0
    assert ring == {}


def test_a_secret_goes_only_where_it_is_trusted(lintel, described):
    flows = {"clientCredentials": {"tokenUrl": described.url("/token", host="localhost")}}
    content = json.loads(described.answers["/openapi.json"][3])
    content["components"]["securitySchemes"]["o"]["flows"] = flows
    described.answer("/openapi.json", content, content_type="application/vnd.oai.openapi+json")
    assert lintel("reload").status == 0
    outcome = client_login(lintel)
    assert outcome.status == 3
    assert "The client secret would go to localhost" in outcome.errors
    assert "s3cret" not in outcome.errors
    assert client_login(lintel, "--trust", "localhost").status == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--client-id is missing"),
        (["--client-id", "a", "--basic"], "--basic does not go with --oauth2"),
        (["--client-id", "a", "me"], "KEYS does not go with --oauth2"),
        (["--client-id", "a", "--endpoint", "x=https://a.example"], "the names are"),
        (["--client-id", "a", "--endpoint", "token=http://a.example"], "must be https"),
        (["--client-id", "a", "--trust", "https://a.example/"], "--trust"),
        (["--client-id", "a", "--extra", "state=1"], "--extra"),
        (["--client-id", "a", "--issuer", "http://a.example"], "must be https"),
        (["--client-id", "a"], "names no authorization server"),
        (
            ["--client-id", "a", "--endpoint", "token=https://a.example", "--flow", "code"],
            "names no authorization server",
        ),
        (
            [
                *("--client-id", "a", "--endpoint", "token=https://a.example", "--flow", "code"),
                *("--endpoint", "authorization=https://a.example"),
                *("--redirect-uri", "https://example.org/"),
            ],
            "must be on this machine",
        ),
    ],
)
def test_mistakes_are_named(lintel, described, options, message):
    outcome = lintel("login", "--oauth2", *options)
    assert outcome.status in (2, 3)
    assert message in outcome.errors


def test_options_of_oauth2_need_it(lintel, described):
    outcome = lintel("login", "--client-id", "a")
    assert outcome.status == 2
    assert "--client-id goes with --oauth2" in outcome.errors


@pytest.mark.parametrize(
    "damage",
    [
        {"oauth2": []},
        {"oauth2": {}},
        {"secrets": None},
        {"secrets": {}},
        {"secrets": {"client_secret": "", "tokens": {"access_token": 1}}},
    ],
)
def test_damaged_tokens_say_so(lintel, described, damage):
    assert client_login(lintel).status == 0
    state = State()
    domain, stored = next(iter(state.credentials().items()))
    state.save_credentials({domain: {**stored, **damage}})
    for command in (["a", "get_a"], ["a", "get_a", "--dry-run"]):
        outcome = lintel(*command)
        assert outcome.status == 2
        assert "tokens" in outcome.errors
        assert "damaged" in outcome.errors
    assert lintel("doctor").status in (0, 1)
    assert lintel("credentials", "show").status == 0
    assert client_login(lintel).status == 0
    state.save_credentials({domain: {**stored, **damage}})
    assert lintel("logout").status == 0


def test_signing_out_of_other_credentials_deletes_them(lintel, described):
    lintel("credentials", "add", "example.org", "Token a")
    assert lintel("logout", "example.org").status == 0
    assert State().credentials() == {}
    outcome = lintel("logout")
    assert outcome.status == 2
    assert "There are no credentials for" in outcome.errors
