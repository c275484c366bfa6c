"""Who sees what only operators should see."""

from django.http import HttpRequest

from lintel.addresses import address_in, client_address, networks_of
from lintel.settings import api_settings


def is_operator(request: HttpRequest) -> bool:
    """Return whether a request comes from a network in HEALTH_OPERATORS."""
    address = address_in(client_address(request))
    return address is not None and networks_of(tuple(api_settings.HEALTH_OPERATORS)).hold(address)
