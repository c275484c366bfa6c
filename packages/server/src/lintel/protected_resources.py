"""Which servers issue tokens for this API (RFC 9728), and the challenges that say so.

The agents' view (:mod:`lintel.mcp`) and :class:`lintel.jwt.JWTAuthentication` have one piece of
metadata: a resource is the URL of the API, or of a view of tools.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from django.http import Http404, HttpRequest, JsonResponse
from django.urls import Resolver404, get_script_prefix, resolve
from django.views.decorators.http import require_safe

from lintel.annotations import AnyRequest
from lintel.settings import api_settings

WELL_KNOWN = "/.well-known/oauth-protected-resource"

#: A challenge (RFC 9110, 11.6.1): the token of a scheme, and parameters without line breaks.
CHALLENGE = re.compile(r"[\w!#$%&'*+.^`|~-]+( [\x20-\x7E]+)?", re.ASCII)

#: The name of a scope (RFC 6749, 3.3): neither spaces nor what ends a quoted string.
SCOPE = re.compile(r"[\x21\x23-\x5B\x5D-\x7E]+")


@require_safe
def protected_resource(request: HttpRequest, resource: str = "") -> JsonResponse:
    """Describe the API, or the view of tools at a path, for URLs below WELL_KNOWN.

    404 if nobody issues tokens for it: see JWT_ISSUER and MCP_AUTHORIZATION_SERVERS.
    """
    offer = _offer_of_tools(request, f"/{resource}") or _offer_of_api(request, f"/{resource}")
    if offer is None:
        raise Http404
    content: dict[str, object] = {
        "resource": offer.resource,
        "authorization_servers": list(offer.servers),
        "bearer_methods_supported": ["header"],
    }
    if offer.scopes:
        content["scopes_supported"] = list(offer.scopes)
    if api_settings.API_TITLE:
        content["resource_name"] = str(api_settings.API_TITLE)
    return JsonResponse(content, headers={"Access-Control-Allow-Origin": "*"})


@dataclass(frozen=True, slots=True)
class _Offer:
    resource: str
    servers: Iterable[str]
    scopes: Iterable[str]


def _offer_of_tools(request: HttpRequest, path: str) -> _Offer | None:
    servers = api_settings.MCP_AUTHORIZATION_SERVERS
    if not servers or not (path == "/" or serves_tools(path)):
        return None
    return _Offer(request.build_absolute_uri(path), servers, api_settings.MCP_SCOPES)


def _offer_of_api(request: HttpRequest, path: str) -> _Offer | None:
    servers = dict.fromkeys(_issuers())
    resource = resource_of(request, api_settings.JWT_AUDIENCE)
    if not servers or (urlsplit(resource).path or "/") != path:
        return None
    return _Offer(resource, servers, api_settings.SCOPES)


def _issuers() -> Iterable[str]:
    """Yield the issuers of the default authentication classes, and that of the settings."""
    if api_settings.JWT_ISSUER:
        yield api_settings.JWT_ISSUER
    for authenticator in api_settings.DEFAULT_AUTHENTICATION_CLASSES:
        issuer = getattr(authenticator, "issuer", None)
        if issuer and isinstance(issuer, str):
            yield issuer


def serves_tools(path: str) -> bool:
    """Whether the view at a path serves tools."""
    callback = _callback_at(path.removeprefix(get_script_prefix().rstrip("/")))
    return hasattr(getattr(callback, "cls", None), "stream_limits")


def _callback_at(path: str) -> Any:
    try:
        return resolve(path).func
    except Resolver404:
        return None


def resource_of(request: AnyRequest, audience: str | Iterable[str] | None) -> str:
    """Return the identifier of the API: its audience if that is a URL, else its root."""
    given = [audience] if isinstance(audience, str) else list(audience or ())
    urls = [url for url in given if urlsplit(url).scheme in ("http", "https")]
    return urls[0] if urls else request.build_absolute_uri("/")


def _metadata_url(resource: str) -> str:
    """Return where the metadata of a resource is: before its path (RFC 9728, 3.1)."""
    parts = urlsplit(resource)
    path = WELL_KNOWN + (parts.path if parts.path != "/" else "")
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def bearer_challenge(
    request: AnyRequest,
    *,
    audience: str | Iterable[str] | None = None,
    error: str | None = None,
    scopes: Iterable[str] = (),
) -> str:
    """Return a value of WWW-Authenticate. It names the metadata if a URL pattern leads to it."""
    parameters: dict[str, str] = {}
    url = _metadata_url(resource_of(request, audience)) if request is not None else ""
    if url and _callback_at(urlsplit(url).path) is protected_resource:
        parameters["resource_metadata"] = url
    if error:
        parameters["error"] = error
    if names := " ".join(filter(SCOPE.fullmatch, scopes)):
        parameters["scope"] = names
    return written("Bearer", parameters)


def written(scheme: str, parameters: Mapping[str, str]) -> str:
    """Return a challenge (RFC 9110, 11.6.1), with the realm if there is nothing else to say."""
    named = parameters or {"realm": "api"}
    return f"{scheme} " + ", ".join(f'{name}="{value}"' for name, value in named.items())
