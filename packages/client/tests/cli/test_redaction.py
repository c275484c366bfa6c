import pytest

from lintel_client.cli.redaction import hidden_credentials, shown_request, shown_response
from lintel_client.headers import Headers
from lintel_client.messages import Request, Response

SECRET = "s3cret"


def request(body=b"", content_type="application/json", url="http://x.org/", **headers):
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    return Request("POST", url, Headers({"Content-Type": content_type, **fields}), body)


def test_a_request_is_shown_in_full():
    shown = shown_request(request('{"code":"é"}'.encode(), X_Trace="1"))
    assert shown == (
        'POST http://x.org/\nContent-Type: application/json\nX-Trace: 1\n\n{\n    "code": "é"\n}'
    )


@pytest.mark.parametrize(
    "name",
    ["Authorization", "Cookie", "X-CSRFToken", "X-Api-Key", "X-Auth-Token", "Proxy-Authorization"],
)
def test_secret_headers_are_hidden(name):
    assert SECRET not in shown_request(request(**{name: f"Token {SECRET}"}))


def test_the_scheme_of_credentials_stays_readable():
    assert "Authorization: Token ***" in shown_request(request(Authorization=f"Token {SECRET}"))
    assert hidden_credentials(SECRET) == "***"


def test_headers_that_the_user_stored_are_hidden():
    assert SECRET not in shown_request(request(X_Plain=SECRET), ["x-plain"])


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (f'{{"password": "{SECRET}", "a": {{"api_key": "{SECRET}"}}}}', "application/json"),
        (f'[{{"token": "{SECRET}"}}]', "application/json; charset=utf-8"),
        (f'{{"passwords": ["{SECRET}", ["{SECRET}"]]}}', "application/json"),
        (f'{{"tokens": [{{"api_key": "{SECRET}"}}]}}', "application/json"),
        (f"password={SECRET}&a=1", "application/x-www-form-urlencoded"),
        (f'name="password"\r\n\r\n{SECRET}', "multipart/form-data; boundary=x"),
    ],
)
def test_secrets_in_bodies_are_hidden(body, content_type):
    assert SECRET not in shown_request(request(body.encode(), content_type))


def test_secrets_in_urls_are_hidden():
    url = f"http://x.org/a?page=2&access_token={SECRET}&api_key={SECRET}"
    shown = shown_request(request(url=url))
    assert "POST http://x.org/a?page=2&access_token=***&api_key=***\n" in shown
    redirect = Response(302, Headers({"Location": url}))
    assert SECRET not in shown_response(redirect, b"")


@pytest.mark.parametrize("name", ["author", "author_id", "authors", "monkey", "code"])
def test_ordinary_names_are_shown(name):
    assert "plain" in shown_request(request(f'{{"{name}": "plain"}}'.encode()))


def test_binary_bodies_are_counted():
    assert "(3 bytes)" in shown_request(request(b"\x00\xff\x01", "image/png"))
    assert "(3 bytes)" in shown_request(request(b"abc", "image/svg+xml"))


def test_long_bodies_are_cut():
    shown = shown_request(request(b"x" * 20_000, "text/plain"))
    assert "(10000 more characters)" in shown
    assert len(shown) < 11_000


@pytest.mark.parametrize("body", [b"{broken", b"[" * 100_000])
def test_broken_json_is_shown_as_text(body):
    assert body.decode()[:7] in shown_request(request(body))


def test_a_response_is_shown_in_full():
    headers = Headers(
        {"Set-Cookie": SECRET, "WWW-Authenticate": "Token", "Content-Type": "application/json"}
    )
    shown = shown_response(Response(401, headers, reason="Unauthorized"), b'{"detail": "No."}')
    assert shown == (
        "401 Unauthorized\nSet-Cookie: ***\nWWW-Authenticate: Token\n"
        'Content-Type: application/json\n\n{\n    "detail": "No."\n}'
    )
    assert shown_response(Response(204), b"") == "204"
    assert shown_response(Response(200), None).endswith("(binary content)")
