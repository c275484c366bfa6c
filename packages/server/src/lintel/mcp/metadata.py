"""The challenge of a view of tools, which names its metadata (RFC 9728)."""

from django.http import HttpRequest

from lintel.protected_resources import WELL_KNOWN as WELL_KNOWN
from lintel.protected_resources import protected_resource as protected_resource
from lintel.settings import api_settings


def challenge(request: HttpRequest) -> str | None:
    """The challenge that names the metadata of a view; None if no server issues tokens."""
    if not api_settings.MCP_AUTHORIZATION_SERVERS:
        return None
    where = request.build_absolute_uri(WELL_KNOWN + request.path)
    scopes = " ".join(map(str, api_settings.MCP_SCOPES))
    return f'Bearer resource_metadata="{where}"' + (f', scope="{scopes}"' if scopes else "")
