"""Keeps connections away from private networks, for programs that follow the URLs of others.

Names are resolved once, and the connection goes to an address that was looked at: what a name
means a moment later does not matter.
"""

import ipaddress
import socket
from collections.abc import Iterable, Iterator
from typing import Any

import anyio
import httpcore2
import httpx2

from lintel_client.errors import NetworkError

__all__ = ["PublicAddresses", "is_public", "limit_addresses"]

_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
"""IPv6 addresses that stand for those of IPv4 (RFC 6052)."""


class PublicAddresses:
    """Lets connections lead to addresses of the public internet only.

    With ``home``, the host of an API, they may lead anywhere once that host itself was reached at
    an address that is not public. Connections to a proxy are not looked at, because it resolves the
    names; it is only asked for no host that is written as a private address. ``advice`` is added to
    the errors.
    """

    def __init__(self, home: str = "", advice: str = "") -> None:
        self._advice = advice and f"; {advice}"
        self._home = home.lower().strip("[]").rstrip(".")
        # Before the home is known, there is nobody yet who could lead elsewhere.
        self._only_public = not home
        self._is_settled = not home

    def usable(self, host: str, addresses: Iterable[str]) -> list[str]:
        """Return those addresses of a host that may be connected to. Raises NetworkError for none.

        An empty list of addresses stays empty.
        """
        found = list(dict.fromkeys(addresses))
        if not self._only_public:
            return found
        allowed = [each for each in found if is_public(each)]
        if found and not allowed:
            message = f"{host} is in a private network, so nothing was sent there"
            raise NetworkError(message + self._advice)
        return allowed

    def reached(self, host: str, address: str) -> None:
        """Note the address at which a host was reached."""
        if not self._is_settled and host.lower().rstrip(".") == self._home:
            self._is_settled, self._only_public = True, is_public(address)

    def check_written(self, host: str) -> None:
        """Reject a host that is written as a private address. Raises NetworkError."""
        if host == "localhost" or host.endswith(".localhost"):
            self.usable(host, ["127.0.0.1"])
        self.usable(host, _written(host))


def is_public(address: str) -> bool:
    """Return whether an IP address belongs to the public internet."""
    found = ipaddress.ip_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or _translated(found)
        found = inner or found
    return found.is_global and not found.is_multicast


def limit_addresses(client: Any, addresses: PublicAddresses) -> None:
    """Let a client of httpx2 connect only to what ``addresses`` allows, except to proxies."""
    pool: Any = client._transport._pool
    kind = _Backend if isinstance(client, httpx2.Client) else _AsyncBackend
    pool._network_backend = kind(pool._network_backend, addresses)


class _Backend:
    def __init__(self, inner: Any, addresses: PublicAddresses) -> None:
        self._inner = inner
        self._addresses = addresses

    def connect_tcp(self, host: str, port: int, **options: Any) -> httpcore2.NetworkStream:
        trouble: Exception = httpcore2.ConnectError(f"{host} has no address")
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        for address in self._addresses.usable(host, _addresses_in(rows)):
            try:
                stream: httpcore2.NetworkStream
                stream = self._inner.connect_tcp(address, port, **options)
            except _FAILED as error:
                trouble = error
                continue
            self._addresses.reached(host, address)
            return stream
        raise trouble

    def connect_unix_socket(self, path: str, **options: Any) -> httpcore2.NetworkStream:
        raise NetworkError(f"{path} is in no public network, so nothing was sent there")

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class _AsyncBackend:
    def __init__(self, inner: Any, addresses: PublicAddresses) -> None:
        self._inner = inner
        self._addresses = addresses

    async def connect_tcp(
        self, host: str, port: int, **options: Any
    ) -> httpcore2.AsyncNetworkStream:
        trouble: Exception = httpcore2.ConnectError(f"{host} has no address")
        try:
            rows = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        for address in self._addresses.usable(host, _addresses_in(rows)):
            try:
                stream: httpcore2.AsyncNetworkStream
                stream = await self._inner.connect_tcp(address, port, **options)
            except _FAILED as error:
                trouble = error
                continue
            self._addresses.reached(host, address)
            return stream
        raise trouble

    async def connect_unix_socket(self, path: str, **options: Any) -> httpcore2.AsyncNetworkStream:
        raise NetworkError(f"{path} is in no public network, so nothing was sent there")

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


_FAILED = (httpcore2.ConnectError, httpcore2.ConnectTimeout)


def _addresses_in(rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """Return the addresses in what ``getaddrinfo`` found."""
    return (str(row[4][0]) for row in rows)


def _written(host: str) -> Iterator[str]:
    """Return the address that a host is, in any spelling that the system reads, or nothing."""
    try:
        rows = socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return iter(())
    return _addresses_in(rows)


def _translated(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    is_translated = address in _TRANSLATED
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if is_translated else None
