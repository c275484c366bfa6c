"""Whose address a request has, whatever a client writes into the headers of proxies."""

from typing import Any

import pytest
from django.core.cache import cache
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.test import RequestFactory, override_settings

from lintel.addresses import client_address, client_network
from lintel.response import Response
from lintel.throttling import AnonRateThrottle
from lintel.views import APIView

PROXIES = ["10.0.0.0/8", "2001:db8:1::/48"]
XFF = "X-Forwarded-For"


def address(remote: str, value: str | None = None, header: str = XFF, **own: Any) -> str:
    meta = {"REMOTE_ADDR": remote}
    if value is not None:
        meta[f"HTTP_{header.upper().replace('-', '_')}"] = value
    settings = {"TRUSTED_PROXIES": PROXIES, "CLIENT_IP_HEADER": header, **own}
    with override_settings(REST_FRAMEWORK=settings):
        return client_address(RequestFactory().get("/", **meta))


@pytest.mark.parametrize(
    ("remote", "forwarded", "found"),
    [
        # nobody in between
        ("203.0.113.7", None, "203.0.113.7"),
        ("2001:db8::7", None, "2001:db8::7"),
        # a client that connects directly claims what it likes
        ("203.0.113.7", "198.51.100.1", "203.0.113.7"),
        ("203.0.113.7", "10.0.0.1", "203.0.113.7"),
        ("203.0.113.7", "198.51.100.1, 10.0.0.2", "203.0.113.7"),
        # one proxy
        ("10.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "198.51.100.1, 203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "10.0.0.9, 203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "1.1.1.1,2.2.2.2,3.3.3.3, 203.0.113.7", "203.0.113.7"),
        # several
        ("10.0.0.1", "198.51.100.1, 203.0.113.7, 10.0.0.2", "203.0.113.7"),
        ("10.0.0.1", "203.0.113.7, 2001:db8:1::5", "203.0.113.7"),
        # clients of the same network
        ("10.0.0.1", "10.0.0.7", "10.0.0.7"),
        ("10.0.0.1", "10.0.0.7, 10.0.0.8", "10.0.0.7"),
        # ports, brackets, zones, mapped addresses
        ("10.0.0.1", "203.0.113.7:4711", "203.0.113.7"),
        ("10.0.0.1", "[2001:db8::7]:4711", "2001:db8::7"),
        ("10.0.0.1", "fe80::7%eth0", "fe80::7"),
        ("10.0.0.1", "::ffff:203.0.113.7", "203.0.113.7"),
        ("::ffff:10.0.0.1", "203.0.113.7", "203.0.113.7"),
        # what no address is: the last one known
        ("10.0.0.1", "unknown", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "203.0.113.7, ", "10.0.0.1"),
        ("10.0.0.1", "203.0.113.7, <script>", "10.0.0.1"),
        ("10.0.0.1", "203.0.113.7, 10.0.0.2, x" * 3, "10.0.0.1"),
        ("", "203.0.113.7", ""),
        ("10.0.0.1", "0" * 100_000, "10.0.0.1"),
        ("10.0.0.1", "1.1.1.1," * 10_000 + "203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "203.0.113.7," + "10.0.0.2," * 100 + "10.0.0.3", "10.0.0.2"),
    ],
)
def test_the_first_address_that_no_trusted_proxy_vouches_for(
    remote: str, forwarded: str | None, found: str
) -> None:
    assert address(remote, forwarded) == found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("for=203.0.113.7", "203.0.113.7"),
        ('For="203.0.113.7:4711";proto=https;by=10.0.0.1', "203.0.113.7"),
        ('proto=https; for="[2001:db8::7]:4711"', "2001:db8::7"),
        ("for=198.51.100.1, for=203.0.113.7, for=10.0.0.2", "203.0.113.7"),
        # an open quote of the client does not swallow the entry of the proxy
        ('for="198.51.100.1, for=203.0.113.7', "203.0.113.7"),
        # nor does a comma or a semicolon inside of quotes begin another one
        ('for=203.0.113.7;host="a,for=198.51.100.1"', "203.0.113.7"),
        ('for=203.0.113.7;by="a,for=198.51.100.1;x="', "203.0.113.7"),
        (r'for=203.0.113.7;host="a\",for=198.51.100.1;b=\""', "203.0.113.7"),
        ('host="a;for=198.51.100.1";for=203.0.113.7', "203.0.113.7"),
        ('for=203.0.113.7;host="' + "a," * 40 + '"', "10.0.0.1"),
        ("for=203.0.113.7;for=198.51.100.1", "10.0.0.1"),
        ('for="' * 20_000, "10.0.0.1"),
        (" ;" * 20_000 + "for=203.0.113.7", "203.0.113.7"),
        ("for=_hidden", "10.0.0.1"),
        ("for=unknown", "10.0.0.1"),
        ("proto=https", "10.0.0.1"),
        ("203.0.113.7", "10.0.0.1"),
    ],
)
def test_the_header_of_rfc_7239(value: str, found: str) -> None:
    assert address("10.0.0.1", value, "Forwarded") == found


def test_only_the_header_of_the_setting_is_read() -> None:
    meta = {"REMOTE_ADDR": "10.0.0.1", "HTTP_X_FORWARDED_FOR": "198.51.100.1"}
    own = {"TRUSTED_PROXIES": PROXIES, "CLIENT_IP_HEADER": "CF-Connecting-IP"}
    with override_settings(REST_FRAMEWORK=own):
        assert client_address(RequestFactory().get("/", **meta)) == "10.0.0.1"
    assert address("10.0.0.1", "203.0.113.7", "CF-Connecting-IP") == "203.0.113.7"


def test_a_socket_in_the_file_system_is_trusted_by_name() -> None:
    assert address("", "203.0.113.7", TRUSTED_PROXIES=["unix"]) == "203.0.113.7"
    assert address("10.0.0.1", "203.0.113.7", TRUSTED_PROXIES=["unix"]) == "10.0.0.1"


def test_nobody_is_trusted_without_networks() -> None:
    assert address("10.0.0.1", "203.0.113.7", TRUSTED_PROXIES=[]) == "10.0.0.1"


def test_a_subscriber_of_ipv6_is_one_client() -> None:
    with override_settings(REST_FRAMEWORK={"TRUSTED_PROXIES": []}):
        found = {
            client_network(RequestFactory().get("/", REMOTE_ADDR=remote))
            for remote in ("2001:db8:5:6::1", "2001:db8:5:6:ffff::2", "2001:db8:5:7::1")
        }
    assert found == {"2001:db8:5:6::", "2001:db8:5:7::"}


class Few(AnonRateThrottle):
    rate = "3/day"


class View(APIView):
    throttle_classes = [Few]
    authentication_classes: list[Any] = []

    def get(self, request: Any) -> Response:
        return Response("passed")


@pytest.mark.parametrize("remote", ["203.0.113.7", "10.0.0.1"])
def test_changing_headers_lifts_no_limit(remote: str) -> None:
    """What the client sends comes first, what a proxy appends comes last."""
    cache.clear()
    seen = ", 203.0.113.7" if remote == "10.0.0.1" else ""
    with override_settings(REST_FRAMEWORK={"TRUSTED_PROXIES": PROXIES}):
        statuses = [
            View.as_view()(
                RequestFactory().get(
                    "/", REMOTE_ADDR=remote, HTTP_X_FORWARDED_FOR=f"198.51.100.{number}{seen}"
                )
            ).status_code
            for number in range(6)
        ]
    assert statuses == [200] * 3 + [429] * 3


def test_a_network_that_is_none_is_an_error_with_its_name() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"TRUSTED_PROXIES: '10.0.0/8'"):
        address("10.0.0.1", "203.0.113.7", TRUSTED_PROXIES=["10.0.0/8"])


@pytest.mark.parametrize(
    ("proxies", "ids"),
    [
        (PROXIES, []),
        (["unix"], []),
        ("10.0.0.0/8", ["lintel.E018"]),
        (["10.0.0/8"], ["lintel.E018"]),
        ([7.5], ["lintel.E018"]),
        (["0.0.0.0/0"], ["lintel.W007"]),
    ],
)
def test_checks_of_the_setting(proxies: Any, ids: list[str]) -> None:
    with override_settings(REST_FRAMEWORK={"TRUSTED_PROXIES": proxies}):
        found = [
            each.id
            for each in run_checks(databases=[])
            if each.id in ("lintel.E018", "lintel.W007")
        ]
    assert found == ids
