"""Which servers issue the tokens for the tools of a project (RFC 9728)."""

from django.http import Http404, HttpRequest, JsonResponse
from django.urls import Resolver404, get_script_prefix, resolve
from django.views.decorators.http import require_safe

from lintel.settings import api_settings

__all__ = ["WELL_KNOWN", "challenge", "protected_resource"]

WELL_KNOWN = "/.well-known/oauth-protected-resource"


@require_safe
def protected_resource(request: HttpRequest, resource: str = "") -> JsonResponse:
    """Describe the view at a path, for URLs below WELL_KNOWN.

    404 without the setting MCP_AUTHORIZATION_SERVERS, and for other views.
    """
    servers = api_settings.MCP_AUTHORIZATION_SERVERS
    path = f"/{resource}"
    if not servers or not (resource == "" or _serves_tools(path)):
        raise Http404
    content = {
        "resource": request.build_absolute_uri(path),
        "authorization_servers": list(servers),
        "bearer_methods_supported": ["header"],
    }
    if api_settings.MCP_SCOPES:
        content["scopes_supported"] = list(api_settings.MCP_SCOPES)
    if api_settings.API_TITLE:
        content["resource_name"] = str(api_settings.API_TITLE)
    return JsonResponse(content, headers={"Access-Control-Allow-Origin": "*"})


def challenge(request: HttpRequest) -> str | None:
    """The challenge that names the metadata of a view; None if no server issues tokens."""
    if not api_settings.MCP_AUTHORIZATION_SERVERS:
        return None
    where = request.build_absolute_uri(WELL_KNOWN + request.path)
    scopes = " ".join(map(str, api_settings.MCP_SCOPES))
    return f'Bearer resource_metadata="{where}"' + (f', scope="{scopes}"' if scopes else "")


def _serves_tools(path: str) -> bool:
    """Whether the view at a path serves tools: nothing else has this metadata."""
    prefix = get_script_prefix().rstrip("/")
    try:
        callback = resolve(path.removeprefix(prefix)).func
    except Resolver404:
        return False
    return hasattr(getattr(callback, "cls", None), "stream_limits")
