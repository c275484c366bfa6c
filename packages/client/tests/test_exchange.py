import pytest

from lintel_client.auth import SessionAuthentication, TokenAuthentication
from lintel_client.errors import TooManyRedirects
from lintel_client.exchange import MAX_REDIRECTS, exchange
from lintel_client.headers import Headers
from lintel_client.messages import Request, Response
from lintel_client.steps import Close


def converse(request, auth, answers):
    """Run an exchange with prepared responses; return the requests and the last response."""
    conversation = exchange(request, auth)
    sent = [next(conversation)]
    try:
        for answer in answers:
            step = conversation.send(answer)
            while isinstance(step, Close):
                step = conversation.send(step.response.close())
            sent.append(step)
    except StopIteration as stop:
        return sent, stop.value
    return sent, None


def to(url, status=302, **headers):
    return Response(status, Headers({"Location": url, **headers}))


HOME = "https://x.org/"


def test_credentials_are_decided_for_every_step():
    answers = [to("/b"), to("https://evil.example/"), to("https://x.org/c"), Response(200)]
    sent, last = converse(
        Request("GET", HOME, home=HOME), TokenAuthentication("Token", "a"), answers
    )
    assert [request.headers.get("Authorization") for request in sent] == [
        "Token a",
        "Token a",
        None,
        "Token a",
    ]
    assert last is answers[-1]


def test_cookies_set_on_the_way_are_used():
    answers = [to("/b", **{"Set-Cookie": "sessionid=1"}), Response(200)]
    sent, _ = converse(Request("GET", HOME, home=HOME), SessionAuthentication(), answers)
    assert [request.headers.get("Cookie") for request in sent] == [None, "sessionid=1"]


def test_without_auth_nothing_is_added():
    sent, _ = converse(Request("GET", HOME, home=HOME), None, [Response(204)])
    assert sent[0] == Request("GET", HOME, home=HOME)


def test_responses_on_the_way_are_closed():
    closed = []
    first = to("/b")
    first.close = lambda: closed.append("first")
    last = Response(200, close=lambda: closed.append("last"))
    converse(Request("GET", HOME, home=HOME), None, [first, last])
    assert closed == ["first"]


def test_endless_redirects_end():
    answers = [to("/again?key=secret") for _ in range(MAX_REDIRECTS + 2)]
    with pytest.raises(TooManyRedirects, match=r"More than 20.*/again$"):
        converse(Request("GET", HOME, home=HOME), None, answers)
