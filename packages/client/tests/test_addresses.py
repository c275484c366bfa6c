"""Connections that stay out of private networks."""

import socket
from contextlib import contextmanager
from unittest.mock import AsyncMock

import anyio
import pytest

from lintel_client import AsyncClient, AsyncHTTPTransport, Client, HTTPTransport, NetworkError
from lintel_client import addresses as module
from lintel_client.addresses import PublicAddresses, is_public


@pytest.fixture
def inside(monkeypatch):
    """Take 127.0.0.1 for an address of the internet; the rest of the loopback is private."""
    monkeypatch.setattr(module, "is_public", lambda address: address == "127.0.0.1")


@contextmanager
def client_of(limits):
    with Client(transports=[HTTPTransport(addresses=limits, trust_env=False)]) as client:
        yield client


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        *[(each, True) for each in ("93.184.216.34", "2606:4700::1111", "::ffff:93.184.216.34")],
        *[(each, False) for each in ("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1")],
        *[(each, False) for each in ("169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1")],
        *[(each, False) for each in ("::1", "::", "fe80::1", "fe80::1%eth0", "fd00::1", "ff02::1")],
        *[(each, False) for each in ("::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::")],
        ("64:ff9b::5db8:d822", True),
    ],
)
def test_what_is_public(address, expected):
    assert is_public(address) is expected


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "2130706433",
        "0x7f.1",
        "127.1",
        "[::1]",
    ],
)
def test_no_spelling_of_this_machine_is_connected_to(service, host):
    service.answer("/", {"reached": True})
    with client_of(PublicAddresses()) as client, pytest.raises(NetworkError, match="private"):
        client.get(f"http://{host}:{service.port}/")
    assert not service.seen


def test_a_name_is_resolved_before_it_is_judged(service, monkeypatch):
    resolve = socket.getaddrinfo

    def answer(host, port, *rest, **options):
        is_name = str(host).endswith(".example")
        return resolve("127.0.0.1" if is_name else host, port, *rest, **options)

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    with client_of(PublicAddresses()) as client, pytest.raises(NetworkError, match="private"):
        client.get(f"http://harmless.example:{service.port}/")
    assert not service.seen


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize("status", [302, 307])
def test_a_redirect_leads_into_no_private_network(service, status):
    service.redirect("/", service.url("/inner", "127.0.0.2"), status)
    for limits in (PublicAddresses(), PublicAddresses("127.0.0.1")):
        with client_of(limits) as client, pytest.raises(NetworkError, match=r"127\.0\.0\.2 is in"):
            client.get(service.url())
    assert [request.path for request in service.seen] == ["/", "/"]


def test_an_api_in_a_private_network_may_lead_anywhere(service):
    service.redirect("/", service.url("/inner", "localhost"))
    service.answer("/inner", {"reached": True})
    with client_of(PublicAddresses("127.0.0.1")) as client:
        assert client.get(service.url()) == {"reached": True}


@pytest.mark.usefixtures("inside")
def test_of_several_addresses_the_public_ones_are_used(service, monkeypatch):
    rows = [(2, 1, 6, "", (address, service.port)) for address in ("127.0.0.9", "127.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: rows)
    service.answer("/", {"reached": True})
    with client_of(PublicAddresses()) as client:
        assert client.get(f"http://two.example:{service.port}/") == {"reached": True}


def test_asynchronous_clients_stay_outside_as_well(service, monkeypatch):
    rows = [(2, 1, 6, "", ("127.0.0.1", service.port))]
    monkeypatch.setattr(anyio, "getaddrinfo", AsyncMock(return_value=rows))
    service.answer("/", {"reached": True})

    async def asked(limits, url):
        transport = AsyncHTTPTransport(addresses=limits, trust_env=False)
        async with AsyncClient(transports=[transport]) as client:
            return await client.get(url)

    for url in (service.url(), f"http://harmless.example:{service.port}/"):
        with pytest.raises(NetworkError, match="private"):
            anyio.run(asked, PublicAddresses(), url)
    assert not service.seen
    home = PublicAddresses("own.example")
    url = f"http://own.example:{service.port}/"
    assert anyio.run(asked, home, url) == {"reached": True}


def test_a_proxy_is_not_judged_but_what_it_is_asked_for(service):
    service.answer("http://api.example/", {"reached": True})
    proxy = HTTPTransport(proxy=service.url(), addresses=PublicAddresses(), trust_env=False)
    with Client(transports=[proxy]) as client:
        assert client.get("http://api.example/") == {"reached": True}
        with pytest.raises(NetworkError, match="private"):
            client.get("http://169.254.169.254/")


def test_a_session_connects_by_itself():
    with pytest.raises(ValueError, match="by itself"):
        HTTPTransport(session=object(), addresses=PublicAddresses())


def test_http2_stays_outside_as_well(service):
    transport = HTTPTransport(http2=True, addresses=PublicAddresses(), trust_env=False)
    with Client(transports=[transport]) as client, pytest.raises(NetworkError, match="private"):
        client.get(f"https://localhost:{service.port}/")
