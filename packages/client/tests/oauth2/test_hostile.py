"""What servers may try, or get wrong: each is an error that says so, and leaks nothing."""

import asyncio
import json
import os
import pickle
import re
import threading
import time
from contextlib import nullcontext
from dataclasses import replace
from operator import itemgetter
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2
import pytest
from service_process import REPOSITORY

from lintel_client import (
    AsyncClient,
    Client,
    ConnectionFailed,
    HTTPTransport,
    LoginRequired,
    NetworkError,
    NotAuthenticated,
    OAuth2Error,
)
from lintel_client.oauth2 import (
    AuthorizationCode,
    AuthorizationServer,
    ClientCredentials,
    DeviceCode,
    FileTokens,
    MemoryTokens,
    OAuth2Authentication,
    Tokens,
)
from lintel_client.oauth2.discovery import Search, found_server, metadata_urls
from lintel_client.oauth2.loopback import Listener
from lintel_client.steps import take_steps
from lintel_document import Document, Link, SecurityScheme

CASES = json.loads((REPOSITORY / "tests/data/oauth2_cases.json").read_text())
WELL_KNOWN = "/.well-known/oauth-authorization-server"
SECRET = "a-very-secret-secret"
TOKEN = {"access_token": "abc", "token_type": "Bearer", "expires_in": 3600}


def raising(message):
    """Expect an error whose message contains this text, or none."""
    if message is None:
        return nullcontext()
    return pytest.raises(NetworkError, match=re.escape(message) or None)


@pytest.fixture
def issuer(service):
    """Make the service an authorization server and an API; return a function that changes it."""
    root = service.url().removesuffix("/")

    def _issuer(**changes):
        metadata = {
            "issuer": root,
            "token_endpoint": f"{root}/token",
            "authorization_endpoint": f"{root}/authorize",
            "device_authorization_endpoint": f"{root}/device",
        }
        service.answer(WELL_KNOWN, {**metadata, **changes})
        return root

    _issuer()
    service.answer("/token", TOKEN)
    service.answer("/api", {"done": True})
    return _issuer


def program(service, **options):
    return ClientCredentials(service.url().removesuffix("/"), "me", SECRET, **options)


def called(service, auth, path="/api"):
    with Client(auth=auth) as client:
        return client.get(service.url(path))


def tokens_sent(service):
    """Return the paths that were asked for with an access token."""
    return [
        seen.path
        for seen in service.seen
        if seen.headers.get("authorization", "").startswith("Bearer")
    ]


def test_the_secret_is_sent_as_the_server_asks(service, issuer):
    called(service, program(service))
    token = next(seen for seen in service.seen if seen.path == "/token")
    assert token.headers["authorization"].startswith("Basic ")
    assert b"client_secret" not in token.body
    issuer(token_endpoint_auth_methods_supported=["client_secret_post"])
    called(service, program(service))
    token = [seen for seen in service.seen if seen.path == "/token"][-1]
    assert "authorization" not in token.headers
    assert parse_qs(token.body.decode())["client_secret"] == [SECRET]


# Metadata


@pytest.mark.parametrize("case", CASES["metadata"], ids=itemgetter("id"))
def test_metadata_is_of_the_issuer_that_was_asked(service, issuer, case):
    root = service.url().removesuffix("/")
    changes = {
        name: value.replace("$ISSUER", root) if isinstance(value, str) else value
        for name, value in case["changes"].items()
    }
    issuer(**changes)
    with raising(case["error"]):
        assert called(service, program(service)) == {"done": True}


def test_an_endpoint_elsewhere_can_be_trusted(service, issuer):
    issuer(token_endpoint=service.url("/token", host="localhost"))
    with pytest.raises(OAuth2Error, match="another host, localhost"):
        called(service, program(service))
    assert called(service, program(service, trusted_hosts=["localhost"])) == {"done": True}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<html>", "JSON object"),
        (b"[1]", "JSON object"),
        (b"[" * 100_000, "JSON object"),
        (b"\xff\xfe", "JSON object"),
        (b'{"issuer": "' + b"x" * 300_000 + b'"}', "larger than"),
    ],
)
def test_metadata_may_be_anything(service, issuer, content, message):
    service.answer(WELL_KNOWN, content)
    with pytest.raises(NetworkError, match=message):
        called(service, program(service))


@pytest.mark.parametrize("path", [WELL_KNOWN, "/token"])
def test_redirects_are_not_followed(service, issuer, path):
    service.redirect(path, service.url("/elsewhere", host="localhost"), 307)
    with pytest.raises(OAuth2Error, match="redirects, which is not followed"):
        called(service, program(service))
    assert "/elsewhere" not in [seen.path for seen in service.seen]


def test_a_page_instead_of_metadata_does_not_hide_the_metadata_elsewhere(service, issuer):
    metadata = json.loads(service.answers[WELL_KNOWN][3])
    service.answer(WELL_KNOWN, b"<html>", content_type="text/html")
    service.answer("/.well-known/openid-configuration", metadata)
    assert called(service, program(service)) == {"done": True}


def test_the_places_of_metadata():
    assert metadata_urls("https://a.example/tenant/1/") == [
        "https://a.example/.well-known/oauth-authorization-server/tenant/1",
        "https://a.example/tenant/1/.well-known/openid-configuration",
        "https://a.example/.well-known/openid-configuration/tenant/1",
        "https://a.example/tenant/1/.well-known/oauth-authorization-server",
    ]
    assert metadata_urls("https://a.example") == [
        "https://a.example/.well-known/oauth-authorization-server",
        "https://a.example/.well-known/openid-configuration",
    ]
    with pytest.raises(OAuth2Error, match="must not have a query"):
        metadata_urls("https://a.example/?a=1")


@pytest.mark.parametrize("url", ["http://auth.example", "ftp://127.0.0.1", "https://a.example#b"])
def test_an_issuer_must_be_https(url):
    with Client(auth=ClientCredentials(url, "a", "b")) as client, pytest.raises(OAuth2Error):
        client.get("https://127.0.0.1:1/")
    with pytest.raises(OAuth2Error):
        AuthorizationServer(token_url=url)


def test_an_issuer_without_metadata_says_so(service):
    with pytest.raises(OAuth2Error, match="publishes no metadata"):
        called(service, program(service))


# What leads from an API to a server


def described(service, token_url, **schemes):
    flows = {"clientCredentials": {"tokenUrl": token_url, "scopes": {}}}
    scheme = SecurityScheme("oauth", "oauth2", flows=flows)
    links = {"get": Link(service.url("/api"), "get", security=[{"oauth": ["read", "write"]}])}
    return Document(service.url(), content=links, security_schemes={"oauth": scheme})


def test_a_secret_does_not_go_where_only_the_description_says(service, issuer):
    del service.answers[WELL_KNOWN]
    elsewhere = described(service, service.url("/token", host="localhost"))
    with pytest.raises(OAuth2Error, match="secret would go to localhost"):
        called(service, ClientCredentials(elsewhere, "me", SECRET))
    assert "/token" not in [seen.path for seen in service.seen]
    trusting = ClientCredentials(elsewhere, "me", SECRET, trusted_hosts=["localhost"])
    assert called(service, trusting) == {"done": True}


@pytest.mark.parametrize("kind", [AuthorizationCode, DeviceCode])
def test_what_one_server_issues_does_not_go_to_another(service, kind):
    names = ("authorizationUrl", "deviceAuthorizationUrl")
    pages = dict.fromkeys(names, service.url("/page", host="localhost"))
    flow = {**pages, "tokenUrl": service.url("/token"), "scopes": {}}
    scheme = SecurityScheme("oauth", "oauth2", flows={kind.grant: flow})
    document = Document(service.url(), security_schemes={"oauth": scheme})
    told = []
    option = {"open_page" if kind is AuthorizationCode else "show": told.append}
    with pytest.raises(OAuth2Error, match=r"What localhost issues would go to 127\.0\.0\.1"):
        called(service, kind(document, "me", **option))
    assert not told
    assert not [seen for seen in service.seen if seen.path in ("/token", "/page")]
    for search in (
        Search(kind.grant, ("127.0.0.1",)),
        Search(kind.grant, given=AuthorizationServer(token_url=service.url("/token"))),
    ):
        found = take_steps(found_server(document, search))
        assert found.token_url == service.url("/token")


@pytest.mark.parametrize(("iss", "is_right"), [("$OWN", True), ("https://honest.example", False)])
def test_an_answer_names_the_host_of_endpoints_without_an_issuer(service, issuer, iss, is_right):
    root = issuer()
    server = AuthorizationServer(token_url=f"{root}/token", authorization_url=f"{root}/authorize")
    given = {"iss": iss.replace("$OWN", root)}
    with raising(None if is_right else "is not from http://127.0.0.1"):
        signing_in(service, given, source=server)
    assert ("/token" in [seen.path for seen in service.seen]) is is_right


def test_a_description_may_name_a_relative_url(service, issuer):
    auth = ClientCredentials(described(service, "/token"), "me", SECRET)
    assert called(service, auth) == {"done": True}
    form = parse_qs(next(seen.body for seen in service.seen if seen.path == "/token").decode())
    assert form["scope"] == ["read write"]


def test_a_description_may_name_openid_metadata(service, issuer):
    metadata = json.loads(service.answers[WELL_KNOWN][3])
    del service.answers[WELL_KNOWN]
    place = service.url("/.well-known/openid-configuration")
    service.answer("/.well-known/openid-configuration", metadata)
    scheme = SecurityScheme("id", "openIdConnect", openid_url=place)
    document = Document(service.url(), security_schemes={"id": scheme})
    assert called(service, ClientCredentials(document, "me", SECRET)) == {"done": True}
    service.answer(
        "/.well-known/openid-configuration", {**metadata, "issuer": "https://evil.example"}
    )
    with pytest.raises(OAuth2Error, match="metadata of another issuer"):
        called(service, ClientCredentials(document, "me", SECRET))


@pytest.mark.parametrize("flow", [None, [], "x", {"tokenUrl": 1}, {"tokenUrl": "http://a.example"}])
def test_a_description_may_be_damaged(service, flow):
    scheme = SecurityScheme("oauth", "oauth2", flows={"clientCredentials": flow})
    document = Document(service.url(), security_schemes={"oauth": scheme})
    with pytest.raises(OAuth2Error):
        called(service, ClientCredentials(document, "me", SECRET))


@pytest.mark.parametrize(
    ("challenge", "metadata", "message"),
    [
        ("https://evil.example/m", {}, "names metadata on another host"),
        ("", {"resource": "https://evil.example/"}, "about another resource"),
        ("", {"resource": 1}, "about another resource"),
        ("", {"authorization_servers": ["http://evil.example"]}, "must be https"),
        ("", {"authorization_servers": "x"}, "names no authorization server"),
    ],
)
def test_metadata_of_a_resource_may_lie(service, challenge, metadata, message):
    named = {"WWW_Authenticate": f'Bearer resource_metadata="{challenge}"'} if challenge else {}
    service.answer("/", {}, status=401, **named)
    own = {"resource": service.url(), "authorization_servers": [service.url()]}
    service.answer("/.well-known/oauth-protected-resource", {**own, **metadata})
    document = Document(service.url(), "No schemes")
    with pytest.raises(OAuth2Error, match=message):
        called(service, ClientCredentials(document, "me"))


def test_metadata_of_a_resource_leads_to_its_server(service, issuer):
    place = service.url("/metadata")
    service.answer(
        "/", {}, status=401, WWW_Authenticate=f'Bearer a="b", resource_metadata="{place}"'
    )
    root = service.url().removesuffix("/")
    service.answer("/metadata", {"resource": service.url(), "authorization_servers": [root]})
    auth = ClientCredentials(Document(service.url(), "No schemes"), "me", SECRET)
    assert called(service, auth) == {"done": True}


# Answers of the token endpoint


@pytest.mark.parametrize("case", CASES["tokens"], ids=itemgetter("id"))
def test_answers_with_tokens_may_be_anything(service, issuer, case):
    store = MemoryTokens()
    service.answer("/token", case["answer"] if case["id"] != "text" else b'"abc"')
    with raising(case["error"]) as caught:
        called(service, program(service, store=store))
    if caught is None:
        assert (store.load().expires_at is not None) is case["expires"]


def test_a_token_has_a_largest_size(service, issuer):
    service.answer("/token", {**TOKEN, "access_token": "a" * 70_000})
    with pytest.raises(OAuth2Error, match="no usable access_token"):
        called(service, program(service))


def test_a_life_beyond_all_numbers_is_unknown(service, issuer):
    store = MemoryTokens()
    service.answer("/token", {**TOKEN, "expires_in": 10**400})
    called(service, program(service, store=store))
    assert store.load().expires_at is None


def test_errors_do_not_repeat_secrets(service, issuer):
    said = {"error": f"x {SECRET}", "error_description": f"{SECRET} {'a' * 5000}"}
    service.answer("/token", said, status=400)
    with pytest.raises(OAuth2Error, match=r"\*\*\*") as caught:
        called(service, program(service))
    assert SECRET not in f"{caught.value} {caught.value.code}"
    assert len(str(caught.value)) < 1000


def test_an_error_without_json_names_the_status(service, issuer):
    service.answer("/token", b"<h1>oops", status=500)
    with pytest.raises(OAuth2Error, match="status 500"):
        called(service, program(service))


def test_errors_can_be_pickled():
    error = pickle.loads(pickle.dumps(LoginRequired("ended", "invalid_grant")))
    assert (type(error), str(error), error.code) == (LoginRequired, "ended", "invalid_grant")


# Where tokens go


def test_tokens_go_to_no_other_host(service, issuer):
    service.redirect("/away", service.url("/api", host="localhost"))
    auth = program(service)
    with Client(auth=auth) as client:
        assert client.get(service.url("/away")) == {"done": True}
        assert tokens_sent(service) == ["/away"]
        # Nor does the token follow the client to the next API.
        assert client.get(service.url("/api", host="localhost")) == {"done": True}
        assert tokens_sent(service) == ["/away"]
        assert client.get(service.url("/api")) == {"done": True}
    assert tokens_sent(service) == ["/away", "/api"]


def test_no_token_is_obtained_for_hosts_that_do_not_get_it(service, issuer):
    called(service, program(service, domain="api.example"))
    assert [seen.path for seen in service.seen] == ["/api"]


def test_the_server_sees_nothing_that_is_meant_for_the_api(service, issuer):
    headers = {"X-Key": "for the API", "*": {"X-All": "for all"}}
    transport = HTTPTransport({"127.0.0.1": "Token for-the-api"}, headers)
    seen_by_hook = []

    class Hook:
        def after(self, request, response):
            seen_by_hook.append(urlsplit(request.url).path)

    with Client(auth=program(service), transports=[transport], hooks=[Hook()]) as client:
        client.get(service.url("/api"))
    asked = [seen for seen in service.seen if seen.path != "/api"]
    assert [seen.path for seen in asked] == [WELL_KNOWN, "/token"]
    assert not any("x-key" in seen.headers or "x-all" in seen.headers for seen in asked)
    assert asked[1].headers["authorization"].startswith("Basic ")
    assert seen_by_hook == ["/api"]


def test_a_session_of_ones_own_adds_nothing_either(service, issuer):
    with (
        httpx2.Client(headers={"X-Key": "a"}, auth=("a", "b")) as session,
        Client(auth=program(service), session=session) as client,
    ):
        client.get(service.url("/api"))
    token = next(seen for seen in service.seen if seen.path == "/token")
    assert "x-key" not in token.headers


def test_tokens_are_not_shown():
    tokens = Tokens("access-secret", "refresh-secret")
    assert "secret" not in repr(tokens)


# Refreshing


def kept(service, **changes):
    root = service.url().removesuffix("/")
    tokens = Tokens(
        "old",
        "refresh-me-please",
        expires_at=time.time() - 10,
        received_at=time.time() - 100,
        issuer=root,
        token_url=f"{root}/token",
        client_id="me",
    )
    return replace(tokens, **changes)


def test_a_server_that_does_not_rotate_keeps_its_refresh_token(service, issuer):
    store = MemoryTokens(kept(service))
    root = service.url().removesuffix("/")
    called(service, OAuth2Authentication(root, "me", store=store))
    assert (store.load().access_token, store.load().refresh_token) == ("abc", "refresh-me-please")


def test_a_refresh_token_goes_only_to_the_endpoint_that_issued_it(service, issuer):
    issuer(token_endpoint=service.url("/other"))
    store = MemoryTokens(kept(service))
    auth = OAuth2Authentication(service.url().removesuffix("/"), "me", store=store)
    with pytest.raises(LoginRequired):
        called(service, auth)
    assert not any(b"refresh-me-please" in seen.body for seen in service.seen)


def test_a_refresh_that_fails_early_does_not_matter_yet(service, issuer):
    service.answer("/token", {"error": "temporarily_unavailable"}, status=503)
    store = MemoryTokens(kept(service, expires_at=time.time() + 5))
    root = service.url().removesuffix("/")
    assert called(service, OAuth2Authentication(root, "me", store=store)) == {"done": True}
    store = MemoryTokens(kept(service))
    with pytest.raises(OAuth2Error, match="temporarily_unavailable"):
        called(service, OAuth2Authentication(root, "me", store=store))


def test_a_token_without_refresh_token_that_is_refused_is_an_error_of_the_call(service, issuer):
    service.answer("/api", {}, status=401, WWW_Authenticate='Bearer error="invalid_token"')
    store = MemoryTokens(kept(service, refresh_token=""))
    auth = OAuth2Authentication(service.url().removesuffix("/"), "me", store=store)
    with pytest.raises(NotAuthenticated):
        called(service, auth)
    assert [seen.path for seen in service.seen] == ["/api"]


@pytest.mark.parametrize(
    "changes", [{"client_id": "other"}, {"issuer": "https://a.example"}, {"asked": "more"}]
)
def test_tokens_of_something_else_are_not_used(service, issuer, changes):
    auth = program(service, store=MemoryTokens(kept(service, **changes)))
    assert called(service, auth) == {"done": True}
    assert service.last.headers["authorization"] == "Bearer abc"


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"access_token": 1}', '{"access_token": "a", "expires_at": "x"}']
)
def test_a_damaged_file_of_tokens_says_so(service, issuer, tmp_path, content):
    path = tmp_path / "tokens"
    path.write_text(content)
    with pytest.raises(OAuth2Error, match="holds no tokens: remove it"):
        called(service, program(service, store=FileTokens(path)))


def test_the_lock_ends_with_its_holder(tmp_path):
    path = tmp_path / "tokens"
    first, second = FileTokens(path), FileTokens(path)
    assert first.acquire()
    assert not second.acquire()
    first.release()
    assert second.acquire()
    second.release()


# The browser


def signing_in(service, answer, source=None):
    """Return the error of a sign-in whose browser comes back with this answer."""

    def open_page(page):
        asked = {name: values[0] for name, values in parse_qs(urlsplit(page).query).items()}
        given = {"code": "c", "state": asked["state"], **answer}
        query = urlencode({name: value for name, value in given.items() if value is not None}, True)
        pages = [f"{asked['redirect_uri'][:-9]}/favicon.ico", f"{asked['redirect_uri']}?{query}"]
        statuses = [httpx2.get(each).status_code for each in pages]
        assert statuses == [404, 200]

    source = source or service.url().removesuffix("/")
    return called(service, AuthorizationCode(source, "me", open_page=open_page))


@pytest.mark.parametrize("case", CASES["callbacks"], ids=itemgetter("id"))
def test_answers_of_the_browser_may_be_anything(service, issuer, case):
    root = service.url().removesuffix("/")
    answer = {name: root if value == "$ISSUER" else value for name, value in case["answer"].items()}
    with raising(case["error"]):
        signing_in(service, answer)
    asked = "/token" in [seen.path for seen in service.seen]
    assert asked is (case["error"] is None)


def test_a_server_that_names_itself_must_do_so(service, issuer):
    root = issuer(authorization_response_iss_parameter_supported=True)
    with pytest.raises(OAuth2Error, match="lacks its issuer"):
        signing_in(service, {})
    assert signing_in(service, {"iss": root}) == {"done": True}


def test_the_proof_of_the_browser_is_checked_against_the_page(service, issuer):
    assert signing_in(service, {}) == {"done": True}
    token = next(seen for seen in service.seen if seen.path == "/token")
    form = parse_qs(token.body.decode())
    assert form["grant_type"] == ["authorization_code"]
    assert 43 <= len(form["code_verifier"][0]) <= 128
    assert form["redirect_uri"][0].startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    "uri",
    [
        "http://example.org/callback",
        "https://127.0.0.1/callback",
        "http://127.0.0.1.example.org/",
        "http://0.0.0.0/",
        "http://127.0.0.1/callback?a=1",
        "http://127.0.0.1/callback#a",
        "custom-scheme://127.0.0.1/",
    ],
)
def test_the_browser_returns_to_this_machine_only(uri):
    with pytest.raises(OAuth2Error, match="must be on this machine"):
        Listener(uri)


def test_a_port_in_use_is_named():
    first = Listener()
    try:
        with pytest.raises(OAuth2Error, match="No answer can be received"):
            Listener(first.redirect_uri)
    finally:
        first.close()


@pytest.mark.parametrize("uri", ["http://localhost/a", "http://[::1]/a", "http://127.0.0.1"])
def test_the_listener_has_a_port_of_its_own(uri):
    if "::1" in uri and not os.path.exists("/proc/net/if_inet6"):
        pytest.skip("this machine has no IPv6")
    listener = Listener(uri)
    try:
        assert urlsplit(listener.redirect_uri).port
        answer = httpx2.get(f"{listener.redirect_uri}?state=1&code=2")
        assert "state" not in answer.text
        assert answer.headers["Cache-Control"] == "no-store"
        assert listener.poll() == {"state": ["1"], "code": ["2"]}
    finally:
        listener.close()


def test_a_connection_that_says_nothing_does_not_block(service, issuer):
    import socket

    listener = Listener()
    port = urlsplit(listener.redirect_uri).port
    try:
        with socket.create_connection(("127.0.0.1", port)):
            assert httpx2.get(f"{listener.redirect_uri}?state=1").status_code == 200
            assert listener.poll() == {"state": ["1"]}
    finally:
        listener.close()


# Other devices

DEVICE = {
    "device_code": "device-secret",
    "user_code": "ABCD",
    "verification_uri": "https://auth.example/device",
    "interval": 0,
    "expires_in": 600,
}


def on_a_device(service, answer, replies):
    """Return the result of a sign-in whose polling gets these replies."""
    service.answer("/device", {**DEVICE, **answer})
    shown, waiting = [], list(replies)

    def reply(handler):
        status, content = waiting.pop(0)
        body = json.dumps(content).encode()
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
        return True

    service.mishaps["/token"] = [reply] * len(replies)
    auth = DeviceCode(service.url().removesuffix("/"), "me", show=shown.append)
    return called(service, auth), shown


def test_polling_goes_on_until_the_person_has_signed_in(service, issuer):
    pending = (400, {"error": "authorization_pending"})
    result, shown = on_a_device(
        service,
        {"verification_uri_complete": "https://auth.example/d?c=A"},
        [pending, (200, TOKEN)],
    )
    assert result == {"done": True}
    assert (shown[0].url, shown[0].code) == ("https://auth.example/device", "ABCD")
    assert shown[0].complete_url == "https://auth.example/d?c=A"
    assert [seen.path for seen in service.seen].count("/token") == 2


def test_a_server_may_ask_for_patience(service, issuer, monkeypatch):
    waits = []
    monkeypatch.setattr("lintel_client.steps.time.sleep", waits.append)
    slow = (400, {"error": "slow_down"})
    on_a_device(service, {"interval": 2}, [slow, slow, (200, TOKEN)])
    assert waits == [2.0, 7.0, 12.0]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ({"error": "expired_token"}, LoginRequired),
        ({"error": "access_denied"}, OAuth2Error),
        ({"error": "invalid_grant", "error_description": "device-secret"}, OAuth2Error),
    ],
)
def test_polling_ends_with_an_error(service, issuer, answer, error):
    with pytest.raises(error, match=answer["error"]) as caught:
        on_a_device(service, {}, [(400, answer)])
    assert "device-secret" not in str(caught.value)


def test_a_code_expires_by_itself(service, issuer):
    pending = (400, {"error": "authorization_pending"})
    with pytest.raises(LoginRequired, match="expired before anybody"):
        on_a_device(service, {"expires_in": 1}, [pending] * 3)


@pytest.mark.parametrize(
    "answer",
    [
        {"device_code": None},
        {"user_code": 1},
        {"verification_uri": None},
        {"verification_uri": "javascript:alert(1)"},
        {"verification_uri": "http://evil.example/"},
        {"verification_uri_complete": "file:///etc/passwd"},
    ],
)
def test_answers_for_devices_may_be_anything(service, issuer, answer):
    with pytest.raises(NetworkError):
        on_a_device(service, answer, [])


# Several calls at once


def test_a_cancelled_call_leaves_the_lock_free(service, issuer):
    service.mishaps["/token"] = [lambda handler: handler.hang()]

    async def calls():
        async with AsyncClient(auth=program(service)) as client:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.get(service.url("/api")), 1)
            return await client.get(service.url("/api"))

    assert asyncio.run(calls()) == {"done": True}


def test_a_call_that_fails_leaves_the_lock_free(service, issuer):
    auth = program(service)
    service.mishaps["/token"] = [lambda handler: handler.drop()]
    with pytest.raises(ConnectionFailed):
        called(service, auth)
    assert called(service, auth) == {"done": True}


# Arguments


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"scopes": "read"}, TypeError),
        ({"trusted_hosts": "auth.example"}, TypeError),
        ({"client_secret": None}, TypeError),
        ({"client_id": ""}, TypeError),
        ({"method": "private_key_jwt"}, ValueError),
        ({"parameters": {"state": "x"}}, ValueError),
        ({"trusted_hosts": ["https://a.example/"]}, ValueError),
        ({"domain": "https://a.example/"}, ValueError),
    ],
)
def test_arguments_are_checked(options, error):
    with pytest.raises(error):
        ClientCredentials("https://a.example", **{"client_id": "id", **options})


def test_further_parameters_are_sent(service, issuer):
    called(service, program(service, parameters={"audience": "https://api.example"}))
    token = next(seen for seen in service.seen if seen.path == "/token")
    assert parse_qs(token.body.decode())["audience"] == ["https://api.example"]


def test_a_lock_that_is_held_is_waited_for(service, issuer):
    store = MemoryTokens()
    assert store.acquire()
    threading.Timer(0.2, store.release).start()
    assert called(service, program(service, store=store)) == {"done": True}
