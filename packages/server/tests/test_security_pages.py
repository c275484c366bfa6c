"""What pages and headers show is text, whatever it contains.

One test for each kind of security fix that frameworks like this one have needed.
"""

import json
import re
from urllib.parse import quote

import pytest
from contract_project.models import Snippet
from django.contrib.auth.models import User
from django.test import Client
from security_views import EVIL, Page, page, user_with_snippets

pytestmark = [pytest.mark.django_db, pytest.mark.urls("security_views")]


@pytest.fixture(autouse=True)
def alice() -> User:
    return user_with_snippets()


# What a page shows is text


@pytest.mark.parametrize(
    "url",
    [
        "/snippets/",
        "/snippets/?search=" + quote(EVIL),
        "/snippets/?ordering=" + quote(EVIL) + "&" + quote(EVIL) + "=" + quote(EVIL),
        "/snippets/?page=" + quote(EVIL),
        "/snippets/?size=1&page=2&x=" + quote(EVIL),
        "/snippets/?format=" + quote(EVIL),
        "/snippets/?format=api&format=" + quote(EVIL),
        "/snippets/1/?next=javascript:alert(1)",
        "/forms/?x=" + quote(EVIL),
        "/echo/" + quote(EVIL),
        "/echo/" + quote("javascript:alert(1)"),
        "/cursors/?cursor=" + quote(EVIL),
        "/router/set/?" + quote(EVIL),
        "/router/set/1/" + quote(EVIL),
        "//evil.example/snippets/",
        "/snippets/?limit=" + quote('" onmouseover="alert(1)'),
    ],
)
def test_pages_hold_nothing_that_runs(url: str) -> None:
    response = Client().get(url, headers={"accept": "text/html"})
    assert Page(response.content.decode()).is_safe
    assert "<script>alert" not in response.content.decode()


@pytest.mark.parametrize("kind", ["parse", "missing", "denied", "invalid", "slow"])
def test_error_pages_hold_nothing_that_runs(kind: str) -> None:
    html = page(f"/failing/?kind={kind}")
    assert Page(html).is_safe
    assert "<script>alert" not in html


@pytest.mark.parametrize("kind", ["parse", "missing", "denied", "invalid", "slow"])
def test_errors_are_json_unless_a_page_was_asked_for(kind: str) -> None:
    response = Client().get(f"/failing/?kind={kind}")
    assert response["Content-Type"] == "application/json"
    assert json.loads(response.content)


def test_names_of_users_are_text(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(username=EVIL)
    client = Client()
    client.force_login(User.objects.get(pk=alice.pk))
    html = client.get("/snippets/", headers={"accept": "text/html"}).content.decode()
    assert Page(html).is_safe
    assert "&lt;script&gt;" in html


def test_forms_are_text_and_hold_no_password() -> None:
    sent = {"name": EVIL, "password": "secret-secret", "kind": EVIL}
    response = Client().post("/forms/", sent, headers={"accept": "text/html"})
    assert response.status_code == 400
    html = response.content.decode()
    assert Page(html).is_safe
    assert "secret-secret" not in html


def test_addresses_in_content_become_links_of_the_web_only() -> None:
    for text in ("javascript:alert(1)", 'http://x/"onmouseover="alert(1)', "http://x/<script>"):
        Snippet.objects.update(title=text[:90])
        assert Page(page("/snippets/")).is_safe


# Headers


def test_a_realm_cannot_end_its_quotes() -> None:
    response = Client().get("/guarded/")
    assert response["WWW-Authenticate"] == 'Basic realm="the \\"inner\\" \\\\ circle"'


@pytest.mark.parametrize(
    "url", ["http://x/\r\nSet-Cookie: a=b", "x\ny", "a\u2028b", "é", "x" * 9000]
)
def test_an_address_that_a_client_wrote_cannot_break_the_response(url: str) -> None:
    data = {"name": "x", "password": "y", "url": url}
    response = Client().post("/named/", data, content_type="application/json")
    assert response.status_code == 201
    assert not response.cookies
    assert not {"\r", "\n"} & set(response.headers.get("Location", ""))


def test_links_in_a_header_stay_in_their_brackets() -> None:
    odd = quote('>; rel="evil", <http://evil.example\r\n')
    link = Client().get(f"/linking/?x={odd}")["Link"]
    assert re.fullmatch(r'<http://testserver/linking/\?[^<>"\s]+>; rel="next"', link)


@pytest.mark.parametrize(
    "accept",
    [
        'application/json; x="a\r\nSet-Cookie: b=c"',
        "text/html\r\nX-Own: 1",
        "application/json;q=\n",
    ],
)
def test_the_accept_header_breaks_no_header_of_the_response(accept: str) -> None:
    response = Client().get("/host/", HTTP_ACCEPT=accept)
    assert response.status_code in (200, 406)
    assert "X-Own" not in response.headers
    assert "\n" not in "".join(response.headers.values())


def test_a_format_suffix_is_one_of_those_that_exist() -> None:
    for suffix in (".json", "..json", ".exe", ".%2e%2e%2fjson", ".json%00", ".json%0d%0aX-Own:1"):
        response = Client().get(f"/echo{suffix}")
        assert response.status_code == (200 if suffix == ".json" else 404)
        assert "X-Own" not in response.headers


# Expressions that take forever


@pytest.mark.parametrize(
    "accept",
    ["application/json" + ";" * 100_000, "a/b;" + 'c="\\' * 50_000, "*/*," * 50_000, " " * 100_000],
)
def test_long_accept_headers_take_no_time(accept: str) -> None:
    assert Client().get("/host/", headers={"accept": accept}).status_code in (200, 406)


def test_long_text_on_a_page_takes_no_time() -> None:
    text = "http://" * 20_000 + "(" * 20_000 + "&" * 20_000 + '"' * 20_000
    Snippet.objects.update(code=text)
    assert Page(page("/snippets/")).is_safe


def test_long_addresses_take_no_time() -> None:
    for word in ("." * 20_000, "a." * 10_000, "/" * 20_000, "json." * 5_000):
        assert Client().get(f"/echo/{word}").status_code in (200, 404)


def test_indexes_in_the_names_of_a_form_take_no_time() -> None:
    names = ["tags" + "[0]" * 5000, "[" * 20_000, "tags[" + "9" * 20_000 + "]", "a." * 10_000]
    body = "&".join(f"{quote(name)}=1" for name in names)
    response = Client().post("/forms/", body, "application/x-www-form-urlencoded")
    assert response.status_code == 400
