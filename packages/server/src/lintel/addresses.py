"""The address of a client, which proxies of the project hide behind their own.

Each proxy appends the address that it was connected from to a header. What it found there may have
been invented by the client, so addresses are read from the right, as long as the address so far is
that of a proxy in TRUSTED_PROXIES. Without such an entry the client is who connected.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias

from django.core.exceptions import ImproperlyConfigured

from lintel.annotations import AnyRequest
from lintel.settings import api_settings

Address: TypeAlias = IPv4Address | IPv6Address

#: The entry of TRUSTED_PROXIES for servers that are reached through a socket in the file system.
UNIX = "unix"

#: The header whose entries are lists of pairs (RFC 7239).
FORWARDED = "forwarded"

#: A parameter, and an element of ``Forwarded`` (RFC 7239, section 4), also with addresses unquoted.
_PAIR = re.compile(r"([\w!#$%&'*+.^`|~-]+)\s*=\s*([\w!#$%&'*+.^`|~:\[\]-]+|\"(?:[^\"\\]|\\.)*\")")
_ELEMENT = re.compile(rf"\s*(?:{_PAIR.pattern}\s*)?(?:;\s*(?:{_PAIR.pattern}\s*)?)*")

#: How many entries of a header are read, from the right.
MAX_PROXIES = 32

#: The part of an IPv6 address that its provider assigns; the rest is the client's to choose.
PREFIX = 64


class Networks:
    """The networks of trusted proxies. Raises ImproperlyConfigured for what is none."""

    def __init__(self, names: Sequence[str]) -> None:
        self.holds_unix = UNIX in names
        try:
            self.networks = [ip_network(name) for name in names if name != UNIX]
        except ValueError as error:
            raise ImproperlyConfigured(
                f"TRUSTED_PROXIES: {error}. List networks such as '10.0.0.0/8', addresses, or "
                f"'{UNIX}' for a socket in the file system."
            ) from None

    @property
    def hold_everybody(self) -> bool:
        return any(network.prefixlen == 0 for network in self.networks)

    def hold(self, address: Address | None) -> bool:
        if address is None:
            return self.holds_unix
        return any(address in network for network in self.networks)


@lru_cache(maxsize=8)
def networks_of(names: tuple[str, ...]) -> Networks:
    return Networks(names)


def client_address(request: AnyRequest) -> str:
    """The address of a client by TRUSTED_PROXIES; "" if nobody knows it."""
    address = _client(request.META)
    return "" if address is None else str(address)


def client_network(request: AnyRequest) -> str:
    """The same, but one text for all addresses that one subscriber of IPv6 has."""
    address = _client(request.META)
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, PREFIX), strict=False).network_address)
    return "" if address is None else str(address)


def is_from_proxy(meta: dict[str, str]) -> bool:
    """Return whether a connection comes from TRUSTED_PROXIES, so that its headers are believed."""
    proxies = networks_of(tuple(api_settings.TRUSTED_PROXIES or ()))
    return proxies.hold(address_in(meta.get("REMOTE_ADDR") or ""))


def _client(meta: dict[str, str]) -> Address | None:
    proxies = networks_of(tuple(api_settings.TRUSTED_PROXIES or ()))
    address = address_in(meta.get("REMOTE_ADDR") or "")
    header: str = api_settings.CLIENT_IP_HEADER
    value = meta.get(f"HTTP_{header.upper().replace('-', '_')}", "")
    entries = reversed(value.rsplit(",", MAX_PROXIES)[-MAX_PROXIES:])
    for entry in _forwarded_for(entries) if header.lower() == FORWARDED else entries:
        if not proxies.hold(address):
            break
        client = address_in(entry)
        if client is None:
            break
        address = client
    return address


def _forwarded_for(parts: Iterable[str]) -> Iterator[str]:
    """The values of ``for`` in elements such as ``for="[2001:db8::1]:80";proto=https``.

    From the right, as they come. A quoted value may hold commas, and whatever a client sent that
    a proxy repeats (``host``): what follows such a comma is no element, because it ends with a
    quote that nothing has opened.
    """
    element = ""
    for part in parts:
        element = f"{part},{element}" if element else part
        if _ELEMENT.fullmatch(element):
            values = [value for name, value in _PAIR.findall(element) if name.lower() == "for"]
            yield values[0].strip('"') if len(values) == 1 else ""
            element = ""


def address_in(text: str) -> Address | None:
    """The address at the start of ``address:port``; None for anything else."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
