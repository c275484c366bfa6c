"""The keys of an issuer, whose server is slow, wrong or away."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import path
from issuers import Issuer, jwk_of, rsa_key, served_issuer, token

from lintel.jwt import JWTAuthentication, keys
from lintel.jwt.keys import KeySet, KeysUnavailable
from lintel.response import Response
from lintel.test import APIClient
from lintel.views import APIView


class Who(APIView):
    authentication_classes = [JWTAuthentication]

    def get(self, request: Any) -> Response:
        return Response({"user": str(request.user)})


urlpatterns = [path("who/", Who.as_view())]


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with served_issuer() as found:
        yield found


def of(issuer: Issuer) -> KeySet[Any]:
    return KeySet(issuer.url, lambda body: [key["kid"] for key in json.loads(body)["keys"]])


def test_keys_are_fetched_once(issuer: Issuer) -> None:
    held = of(issuer)
    assert [held.keys() for _ in range(3)] == [["first"]] * 3
    assert issuer.asked == 1


def test_unknown_keys_are_looked_for_once_in_a_while(issuer: Issuer) -> None:
    held = of(issuer)
    assert held.keys() == ["first"]
    issuer.keys.append(jwk_of(rsa_key("other"), "second"))
    assert held.searched() == ["first", "second"]
    assert [held.searched() for _ in range(5)] == [["first", "second"]] * 5
    assert issuer.asked == 2


def test_threads_share_a_fetch(issuer: Issuer) -> None:
    issuer.pause = 0.3
    held = of(issuer)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(held.keys())) for _ in range(12)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [["first"]] * 12
    assert issuer.asked == 1


def test_old_keys_are_fetched_again(issuer: Issuer, monkeypatch: Any) -> None:
    held = of(issuer)
    held.keys()
    monkeypatch.setattr(keys, "LIFETIME", -1)
    issuer.keys = [jwk_of(rsa_key(), "second")]
    assert held.keys() == ["second"]


def test_old_keys_are_used_while_the_server_is_away(
    issuer: Issuer, monkeypatch: Any, caplog: Any
) -> None:
    held = of(issuer)
    held.keys()
    monkeypatch.setattr(keys, "LIFETIME", -1)
    issuer.status = 500
    assert [held.keys() for _ in range(4)] == [["first"]] * 4
    assert issuer.asked == 2
    assert len(caplog.records) == 1
    monkeypatch.setattr(keys, "LONGEST_USE", -1)
    with pytest.raises(KeysUnavailable):
        held.keys()


def _small(issuer: Issuer) -> None:
    issuer.pieces = [b"{}"]


def _huge(issuer: Issuer) -> None:
    issuer.pieces = [b'{"keys": [' + b" " * 300_000]


def _slow(issuer: Issuer) -> None:
    issuer.pieces, issuer.pause = [b" "] * 100, 0.1


def _redirect(where: str) -> Any:
    def change(issuer: Issuer) -> None:
        issuer.status, issuer.headers = 302, {"Location": where.format(issuer.url)}

    return change


FAILURES = {
    "no keys": _small,
    "no JSON": lambda issuer: setattr(issuer, "pieces", [b"<html>"]),
    "deep": lambda issuer: setattr(issuer, "pieces", [b"[" * 100_000]),
    "many": lambda issuer: setattr(issuer, "keys", [jwk_of(rsa_key())] * 101),
    "huge": _huge,
    "slow": _slow,
    "missing": lambda issuer: setattr(issuer, "status", 404),
    "to a file": _redirect("file:///etc/passwd"),
    "to a private host": _redirect("http://169.254.169.254/latest/meta-data"),
    "to itself": _redirect("{0}"),
}


@pytest.mark.django_db
@pytest.mark.urls(__name__)
@pytest.mark.parametrize("change", FAILURES.values(), ids=FAILURES.keys())
def test_without_keys_nobody_is_let_in(
    issuer: Issuer, change: Any, settings: Any, monkeypatch: Any
) -> None:
    User.objects.create_user("alice")
    settings.REST_FRAMEWORK = issuer.settings
    monkeypatch.setattr(keys, "TIMEOUT", 1.0)
    change(issuer)
    header = {"Authorization": f"Bearer {token()}"}
    answers = [APIClient().get("/who/", headers=header) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [503] * 3
    assert answers[0].headers["Retry-After"] == "30"
    assert issuer.asked == 1


@pytest.mark.django_db
@pytest.mark.urls(__name__)
def test_a_server_that_is_down_lets_nobody_in(settings: Any) -> None:
    with served_issuer() as issuer:
        settings.REST_FRAMEWORK = issuer.settings
    header = {"Authorization": f"Bearer {token()}"}
    assert APIClient().get("/who/", headers=header).status_code == 503
