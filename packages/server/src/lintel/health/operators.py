"""Who sees what only operators should see."""

from django.http import HttpRequest

from lintel.addresses import address_in, client_address, networks_of
from lintel.settings import api_settings

#: Headers of proxies: who sends one has not asked through the socket itself.
FORWARDING = ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP", "HTTP_VIA")


def is_operator(request: HttpRequest) -> bool:
    """Return whether a request comes from a network in HEALTH_OPERATORS."""
    operators = networks_of(tuple(api_settings.HEALTH_OPERATORS))
    address = address_in(client_address(request))
    if address is None:
        return operators.holds_unix and _is_from_socket(request)
    return operators.hold(address)


def _is_from_socket(request: HttpRequest) -> bool:
    """Return whether nobody stands between the client and a socket in the file system."""
    header = f"HTTP_{api_settings.CLIENT_IP_HEADER.upper().replace('-', '_')}"
    return not any(request.META.get(name) for name in ("REMOTE_ADDR", header, *FORWARDING))
