import asyncio
import base64
import pickle

import pytest

from lintel_client import (
    AsyncClient,
    AsyncHTTPTransport,
    Client,
    HTTPTransport,
    NotAuthenticated,
)
from lintel_client.auth import (
    Auth,
    BasicAuthentication,
    SessionAuthentication,
    TokenAuthentication,
    basic_credentials,
)
from lintel_client.headers import Headers
from lintel_client.messages import Request, Response

HOME = "https://api.example.org/"


def fields(auth, url, home=HOME, method="GET", headers=()):
    return dict(auth.headers(Request(method, url, Headers(headers), home=home)))


def test_a_token_is_sent_with_its_scheme():
    auth = TokenAuthentication("Token", "abc")
    assert fields(auth, HOME + "a/") == {"Authorization": "Token abc"}
    assert fields(TokenAuthentication(token="abc"), HOME) == {"Authorization": "Bearer abc"}
    assert fields(TokenAuthentication(scheme="JWT", token="x"), HOME) == {"Authorization": "JWT x"}


def test_basic_credentials_are_utf8():
    auth = BasicAuthentication("jürgen", "pässword:€")
    value = fields(auth, HOME)["Authorization"]
    assert value.startswith("Basic ")
    assert base64.b64decode(value[6:]).decode() == "jürgen:pässword:€"


def test_a_user_name_with_a_colon_is_refused():
    with pytest.raises(ValueError, match="must not contain a colon"):
        basic_credentials("a:b", "c")


@pytest.mark.parametrize("token", ["", "a\r\nX-Evil: 1"])
def test_tokens_that_cannot_be_sent_are_refused(token):
    with pytest.raises(ValueError, match=r"token is missing|line break"):
        TokenAuthentication("Token", token)


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        (HOME, True),
        ("https://API.example.org/x", True),
        ("https://evil.example/", False),
        ("https://api.example.org:8443/", False),
        ("https://sub.api.example.org/", False),
        ("http://api.example.org/", False),
    ],
)
def test_without_a_domain_credentials_stay_at_home(url, sent):
    assert bool(fields(TokenAuthentication("Token", "a"), url)) is sent


@pytest.mark.parametrize(
    ("domain", "url", "sent"),
    [
        ("other.example", "https://other.example:8443/", True),
        ("other.example", HOME, False),
        ("*.example.org", HOME, True),
        ("*", "https://anywhere.example/", True),
        # An https conversation never falls back to plain text with a secret.
        ("api.example.org", "http://api.example.org/", False),
        ("*", "http://api.example.org/", False),
    ],
)
def test_with_a_domain_credentials_go_there(domain, url, sent):
    assert bool(fields(TokenAuthentication("Token", "a", domain=domain), url)) is sent
    assert bool(fields(BasicAuthentication("a", "b", domain=domain), url)) is sent


def test_what_is_no_domain_is_refused():
    with pytest.raises(ValueError, match="not a domain"):
        TokenAuthentication("Token", "a", domain="https://example.org/")


def test_the_base_class_asks_for_credentials():
    with pytest.raises(NotImplementedError, match="Auth must define"):
        Auth().headers(Request("GET", HOME, home=HOME))


def session(*cookies, url=HOME):
    auth = SessionAuthentication()
    headers = Headers([("Set-Cookie", cookie) for cookie in cookies])
    auth.observe(Request("GET", url, home=HOME), Response(200, headers))
    return auth


def test_a_session_sends_the_cookies_it_was_given():
    auth = session("sessionid=1; Path=/; HttpOnly", "csrftoken=t; Path=/")
    sent = fields(auth, HOME + "a/")
    assert set(sent["Cookie"].split("; ")) == {"sessionid=1", "csrftoken=t"}
    assert "X-CSRFToken" not in sent
    assert fields(auth, "https://evil.example/") == {}
    assert fields(auth, "http://api.example.org/") == {}


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_unsafe_methods_carry_the_csrf_token_of_the_moment(method):
    auth = session("csrftoken=one")
    assert fields(auth, HOME, method=method)["X-CSRFToken"] == "one"
    assert fields(auth, HOME, method=method)["Referer"] == HOME
    later = Response(200, Headers([("Set-Cookie", "csrftoken=two")]))
    auth.observe(Request("GET", HOME, home=HOME), later)
    assert fields(auth, HOME, method=method)["X-CSRFToken"] == "two"


def test_names_of_cookie_and_header_can_be_chosen():
    auth = SessionAuthentication(csrf_cookie_name="c", csrf_header_name="X-C")
    auth.observe(Request("GET", HOME, home=HOME), Response(200, Headers({"Set-Cookie": "c=1"})))
    assert fields(auth, HOME, method="POST")["X-C"] == "1"


def test_cookies_of_a_call_are_kept_beside_those_of_the_session():
    auth = session("sessionid=1")
    sent = fields(auth, HOME, headers=[("Cookie", "mine=2")])
    assert sent["Cookie"] == "sessionid=1; mine=2"


def test_cookies_of_other_hosts_are_not_taken():
    assert fields(session("sessionid=1", url="https://evil.example/"), HOME) == {}


def test_nothing_is_sent_before_a_cookie_was_set():
    assert fields(SessionAuthentication(), HOME, method="POST") == {}


@pytest.mark.parametrize("kind", ["auth", "transport", "both", "scheme"])
def test_a_refusal_says_that_credentials_were_sent(service, kind):
    service.answer("/", {"detail": "Expired."}, status=401)
    auth = TokenAuthentication("Token", "old") if kind in ("auth", "both") else None
    credentials = {"127.0.0.1": "Token old"} if kind in ("transport", "both") else {}
    if kind == "scheme":
        auth = SessionAuthentication()
        service.answer("/in", {}, Set_Cookie="sessionid=old")
    with Client(auth=auth, transports=[HTTPTransport(credentials)]) as client:
        if kind == "scheme":
            client.get(service.url("/in"))
        with pytest.raises(NotAuthenticated) as caught:
            client.get(service.url())
    told = f"The credentials for 127.0.0.1:{service.port} were refused"
    assert caught.value.refused == told
    assert str(caught.value).endswith(f"detail: Expired.\n{told}")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_refusal_without_credentials_says_nothing_of_them(service):
    service.answer("/", {"detail": "Who?"}, status=401)
    transport = HTTPTransport({"other.example": "Token x"}, {"X-Trace": "1"})
    with Client(transports=[transport]) as client, pytest.raises(NotAuthenticated) as caught:
        client.get(service.url(), headers={"Authorization": "Token mine"})
    assert caught.value.refused == ""
    assert "refused" not in str(caught.value)


def test_an_asynchronous_refusal_says_that_credentials_were_sent(service):
    service.answer("/", {"detail": "Expired."}, status=401)

    async def asked(client):
        async with client:
            with pytest.raises(NotAuthenticated, match="were refused"):
                await client.get(service.url())

    asyncio.run(asked(AsyncClient(auth=TokenAuthentication("Token", "old"))))
    transport = AsyncHTTPTransport({"127.0.0.1": "Token old"})
    asyncio.run(asked(AsyncClient(transports=[transport])))
