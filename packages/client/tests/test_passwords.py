"""Passwords from a .netrc file, sent to a real server."""

import asyncio
import base64

import pytest

from lintel_client import (
    AsyncClient,
    Client,
    HTTPTransport,
    NetworkError,
    NotFound,
    TokenAuthentication,
)

ENTRIES = "machine 127.0.0.1 login ada password lovelace\n"


def basic(text):
    return "Basic " + base64.b64encode(text.encode()).decode()


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a .netrc file and returns its path."""

    def _written(text, mode=0o600):
        path = tmp_path / "passwords"
        path.write_text(text)
        path.chmod(mode)
        return path

    return _written


@pytest.fixture
def answers(service):
    service.answer("/", {})
    return service


def sent(service, **options):
    with Client(**options) as client:
        client.get(service.url())
    return service.last.headers.get("authorization")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ENTRIES, basic("ada:lovelace")),
        ("machine 127.0.0.1\n  login ada\n  password 'lovelace'\n", basic("ada:'lovelace'")),
        ("machine other.org login x password y\n", None),
        ("machine 0.0.1 login x password y\nmachine 27.0.0.1 login x password y\n", None),
        (f"{ENTRIES}default login any password one\n", basic("ada:lovelace")),
        (
            "machine other.org login x password y\ndefault login any password one\n",
            basic("any:one"),
        ),
        ("# nothing but a comment\n", None),
        ("", None),
    ],
)
def test_entries(answers, written, text, expected):
    assert sent(answers, netrc=written(text)) == expected


def test_an_asynchronous_client_sends_them(answers, written):
    async def main():
        async with AsyncClient(netrc=written(ENTRIES)) as client:
            await client.get(answers.url())

    asyncio.run(main())
    assert answers.last.headers["authorization"] == basic("ada:lovelace")


def test_the_file_of_the_environment(answers, written, monkeypatch, tmp_path):
    monkeypatch.setenv("NETRC", str(written(ENTRIES)))
    assert sent(answers, netrc=True) == basic("ada:lovelace")
    assert sent(answers) is None
    monkeypatch.setenv("NETRC", "~/passwords")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert sent(answers, netrc=True) == basic("ada:lovelace")


def test_the_file_at_home_may_be_missing(answers, written, monkeypatch, tmp_path):
    monkeypatch.delenv("NETRC", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert sent(answers, netrc=True) is None
    written(ENTRIES).rename(tmp_path / ".netrc")
    assert sent(answers, netrc=True) == basic("ada:lovelace")


def test_other_credentials_win(answers, written):
    path = written(ENTRIES)
    assert sent(answers, netrc=path, auth=TokenAuthentication("Token", "a")) == "Token a"
    stored = HTTPTransport({"127.0.0.1": "Token b"}, netrc=path)
    assert sent(answers, transports=[stored]) == "Token b"


def test_redirects_to_other_hosts_carry_none(answers, written):
    text = ENTRIES + "machine localhost login eve password 1\ndefault login any password one\n"
    answers.redirect("/away/", answers.url("/there/", host="localhost"))
    answers.redirect("/near/", answers.url("/here/"))
    with Client(netrc=written(text)) as client:
        for path, expected in (("/away/", None), ("/near/", basic("ada:lovelace"))):
            with pytest.raises(NotFound):
                client.get(answers.url(path))
            assert answers.last.headers.get("authorization") == expected


@pytest.mark.parametrize(
    ("text", "mode", "message"),
    [
        (ENTRIES, 0o640, "chmod 600"),
        (ENTRIES, 0o604, "chmod 600"),
        ("machine x login y secret1 secret2\n", 0o600, "is not valid in line 1"),
        ("machine 127.0.0.1 login a:b password secret1\n", 0o600, "must not contain a colon"),
    ],
)
def test_files_that_cannot_be_used(answers, written, text, mode, message):
    with pytest.raises(NetworkError, match=message) as raised:
        sent(answers, netrc=written(text, mode))
    assert "secret" not in str(raised.value)
    assert not answers.seen


def test_a_named_file_must_exist(answers, tmp_path):
    with pytest.raises(NetworkError, match="does not exist"):
        sent(answers, netrc=tmp_path / "missing")
    (tmp_path / "folder").mkdir(mode=0o700)
    with pytest.raises(NetworkError, match="cannot be read"):
        sent(answers, netrc=tmp_path / "folder")


def test_own_transports_have_their_own_file(written):
    with pytest.raises(ValueError, match="HTTPTransport"):
        Client(transports=[HTTPTransport()], netrc=True)
