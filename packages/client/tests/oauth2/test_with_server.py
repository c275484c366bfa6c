"""Tokens from a real authorization server, django-oauth-toolkit."""

import asyncio
import multiprocessing
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from lintel_client import AsyncClient, Client, LoginRequired, NotAuthenticated, OAuth2Error
from lintel_client.oauth2 import AuthorizationServer, FileTokens, MemoryTokens, OAuth2Authentication


def called(authorization, auth):
    with Client(auth=auth) as client:
        return client.get(authorization.api)


def test_a_program_authenticates_as_itself(authorization):
    assert called(authorization, authorization.program()) == {
        "user": None,
        "scope": "read",
        "client": "program",
    }


def test_the_secret_can_go_in_the_form(authorization):
    auth = authorization.program(method="client_secret_post", scopes=["read", "write"])
    assert called(authorization, auth)["scope"] == "read write"


def test_a_wrong_secret_is_an_error_that_does_not_show_it(authorization):
    auth = authorization.program()
    auth.client = replace(auth.client, client_secret="wrong-secret")
    with pytest.raises(OAuth2Error, match="invalid_client") as caught:
        called(authorization, auth)
    assert caught.value.code == "invalid_client"
    assert "wrong-secret" not in f"{caught.value!r} {auth.client!r}"


def test_a_person_signs_in_in_the_browser(authorization):
    pages = []

    def open_page(url):
        pages.append(url)
        authorization_page(url)

    authorization_page = authorization.browser()._open_page
    auth = authorization.browser(open_page=open_page, scopes=["read", "write"])
    assert called(authorization, auth) == {
        "user": "ada",
        "scope": "read write",
        "client": "browser",
    }
    assert called(authorization, auth)["user"] == "ada"
    assert len(pages) == 1
    assert "code_challenge_method=S256" in pages[0]


def test_a_client_with_a_secret_signs_a_person_in(authorization):
    auth = authorization.browser()
    auth.client = replace(
        auth.client, client_id=authorization.clients["trusted"], client_secret=authorization.secret
    )
    assert called(authorization, auth)["client"] == "trusted"


def test_a_person_may_refuse(authorization):
    from authorization_server.browser import allow

    auth = authorization.browser(open_page=lambda url: allow(url, button=""))
    with pytest.raises(OAuth2Error, match="access_denied") as caught:
        called(authorization, auth)
    assert caught.value.code == "access_denied"


def test_a_person_signs_in_on_another_device(authorization):
    document = authorization.description()
    auth = authorization.device(document)
    with Client(auth=auth) as client:
        assert client.action(document, "me_read")["user"] == "ada"


def test_a_person_may_refuse_on_another_device(authorization):
    auth = authorization.device(authorization.description(), action="deny")
    with pytest.raises(OAuth2Error, match="access_denied"):
        called(authorization, auth)


def test_tasks_get_one_token(authorization):
    before = authorization.state()["access"]

    async def calls():
        async with AsyncClient(auth=authorization.program()) as client:
            return await asyncio.gather(*(client.get(authorization.api) for _ in range(8)))

    assert len(asyncio.run(calls())) == 8
    assert authorization.state()["access"] == before + 1


def test_a_person_signs_in_for_an_asynchronous_client(authorization):
    document = authorization.description()

    async def calls(auth):
        async with AsyncClient(auth=auth) as client:
            return await client.action(document, "me_read")

    assert asyncio.run(calls(authorization.browser()))["user"] == "ada"
    assert asyncio.run(calls(authorization.device(document)))["user"] == "ada"


@pytest.mark.parametrize("source", ["issuer", "document", "resource", "server"])
def test_the_server_is_found(authorization, source):
    document = authorization.description()
    found = {
        "issuer": authorization.issuer,
        "document": document,
        # A description without security schemes leads to the metadata of the API (RFC 9728).
        "resource": replaced(document),
        "server": AuthorizationServer(token_url=f"{authorization.url}/o/token/"),
    }[source]
    assert called(authorization, authorization.program(found))["client"] == "program"


def replaced(document):
    from lintel_document import Document

    return Document(document.url, "No schemes", content={})


def test_scopes_are_those_that_the_operations_ask_for(authorization):
    assert authorization.program(authorization.description()).client.scopes == ("read",)
    assert authorization.program().client.scopes == ()


def test_a_token_is_renewed_shortly_before_its_end(authorization):
    store = MemoryTokens()
    auth = authorization.browser(store=store)
    called(authorization, auth)
    first = store.load()
    due = replace(first, received_at=time.time() - 3600, expires_at=time.time() + 30)
    auth.use(due)
    store.save(due)
    called(authorization, auth)
    second = store.load()
    assert second.access_token != first.access_token
    assert second.refresh_token != first.refresh_token
    called(authorization, auth)
    assert store.load() == second


def test_a_refused_token_is_renewed_once(authorization):
    auth = authorization.browser()
    called(authorization, auth)
    authorization.state(expire=1)
    before = authorization.state()["refresh"]
    assert called(authorization, auth)["user"] == "ada"
    assert authorization.state()["refresh"] == before + 1


def test_a_token_that_stays_refused_is_the_error_of_the_call(authorization, service):
    service.answer("/", {"detail": "Never."}, status=401)
    auth = authorization.program(domain=f"127.0.0.1:{service.port}")
    before = authorization.state()["access"]
    with Client(auth=auth) as client, pytest.raises(NotAuthenticated):
        client.get(service.url())
    assert authorization.state()["access"] == before + 2
    assert len(service.seen) == 2


def test_a_body_is_sent_again_with_the_new_token(authorization, service):
    from lintel_document import Document, Link

    service.mishaps["/up/"] = [lambda handler: handler.fail(401)]
    service.answer("/up/", {"size": 3})
    document = Document(
        service.url(), content={"up": Link("/up/", "post", "application/json", fields=["a"])}
    )
    auth = authorization.program()
    with Client(auth=auth) as client:
        assert client.action(document, ["up"], {"a": 1}) == {"size": 3}
    first, second = service.seen
    assert first.json() == second.json() == {"a": 1}
    assert first.headers["authorization"] != second.headers["authorization"]


def signed_in(authorization, path, **changes):
    """Put tokens of a person into a file; return the authentication that finds them there."""
    store = FileTokens(path)
    called(authorization, authorization.browser(store=store))
    store.save(replace(store.load(), **changes))
    return authorization.browser(store=FileTokens(path), open_page=nobody)


def nobody(url):
    raise AssertionError("nobody is there to sign in")


def test_tokens_in_a_file_are_found_by_the_next_run(authorization, tmp_path):
    path = tmp_path / "tokens.json"
    auth = signed_in(authorization, path)
    assert called(authorization, auth)["user"] == "ada"
    assert path.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "tokens.json.lock").stat().st_mode & 0o777 == 0o600


def test_threads_renew_a_token_once(authorization, tmp_path):
    auth = signed_in(authorization, tmp_path / "tokens", expires_at=time.time() - 1)
    before = authorization.state()["refresh"]
    with Client(auth=auth) as client, ThreadPoolExecutor(8) as pool:
        results = list(pool.map(client.get, [authorization.api] * 16))
    assert {each["user"] for each in results} == {"ada"}
    assert authorization.state()["refresh"] == before + 1


def test_processes_renew_a_token_once(authorization, tmp_path):
    path = tmp_path / "tokens"
    signed_in(authorization, path, expires_at=time.time() - 1)
    before = authorization.state()["refresh"]
    arguments = (authorization.issuer, authorization.clients["browser"], authorization.api, path)
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        results = pool.starmap(call_with_file, [arguments] * 8)
    assert results == ["ada"] * 8
    assert authorization.state()["refresh"] == before + 1


def call_with_file(issuer, client_id, url, path):
    auth = OAuth2Authentication(issuer, client_id, store=FileTokens(path))
    with Client(auth=auth) as client:
        return client.get(url)["user"]


def test_an_ended_sign_in_asks_to_log_in_again(authorization, tmp_path):
    path = tmp_path / "tokens"
    signed_in(authorization, path)
    authorization.state(revoke=1, expire=1)
    arguments = (authorization.issuer, authorization.clients["browser"], authorization.api, path)
    with pytest.raises(LoginRequired, match=r"log in again \(invalid_grant\)") as caught:
        call_with_file(*arguments)
    assert caught.value.code == "invalid_grant"


def test_a_person_signs_in_again_when_the_sign_in_has_ended(authorization):
    auth = authorization.browser()
    called(authorization, auth)
    authorization.state(revoke=1, expire=1)
    assert called(authorization, auth)["user"] == "ada"


def test_a_clock_that_is_ahead_does_not_stop_a_token_without_refresh_token(authorization):
    store = MemoryTokens()
    called(authorization, authorization.browser(store=store))
    store.save(replace(store.load(), refresh_token="", expires_at=time.time() - 999))
    auth = OAuth2Authentication(authorization.issuer, authorization.clients["browser"], store=store)
    assert called(authorization, auth)["user"] == "ada"


def test_a_clock_that_is_behind_costs_one_refusal(authorization):
    store = MemoryTokens()
    auth = authorization.browser(store=store)
    called(authorization, auth)
    auth.use(replace(store.load(), expires_at=time.time() + 10**6))
    store.save(replace(store.load(), expires_at=time.time() + 10**6))
    authorization.state(expire=1)
    assert called(authorization, auth)["user"] == "ada"


def test_another_client_does_not_use_the_tokens(authorization, tmp_path):
    signed_in(authorization, tmp_path / "tokens")
    store = FileTokens(tmp_path / "tokens")
    assert called(authorization, authorization.program(store=store))["client"] == "program"
