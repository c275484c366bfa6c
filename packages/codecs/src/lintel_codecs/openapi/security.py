"""Security schemes, and the requirements of each operation."""

from collections.abc import Mapping
from typing import Any

from lintel_codecs.issues import pointer
from lintel_codecs.openapi.description import Description, as_list, as_mapping, as_text
from lintel_document.links import Security
from lintel_document.operations import SecurityScheme

__all__ = ["SCHEME", "read_schemes", "read_security"]

SCHEME = "x-lintel-scheme"
"""The extension that holds a scheme which version 2.0 has no words for."""

_OLD_FLOWS = {"accessCode": "authorizationCode", "application": "clientCredentials"}


def read_schemes(description: Description) -> dict[str, SecurityScheme]:
    """Return the security schemes by name; report an issue for each invalid one."""
    root = description.root
    if description.is_old:
        at, raw = "#/securityDefinitions", root.get("securityDefinitions")
    else:
        at = "#/components/securitySchemes"
        raw = as_mapping(root.get("components")).get("securitySchemes")
    schemes = {}
    for name, node in as_mapping(raw).items():
        part = description.part(node, description.place, pointer(at, name), "security scheme", name)
        if part and isinstance(part.inner("type"), str):
            schemes[name] = _scheme(name, as_mapping(part.inner(SCHEME)) or part.node)
        elif part:
            description.note(part.at, "A security scheme must have a type", name)
    return schemes


def read_security(
    description: Description, node: Any, at: str, schemes: Mapping[str, SecurityScheme]
) -> Security | None:
    """Return the alternatives of a list of requirements; None if there is no list."""
    if node is None:
        return None
    if not isinstance(node, list):
        description.note(at, "Security must be a list of requirements")
        return None
    alternatives = []
    for number, raw in enumerate(node):
        if not isinstance(raw, dict):
            description.note(pointer(at, number), "A security requirement must be an object")
            continue
        for name in raw.keys() - schemes.keys():
            description.note(pointer(at, number), f"There is no security scheme {name!r}")
        alternatives.append({name: _scopes(scopes) for name, scopes in raw.items()})
    return tuple(alternatives)


def _scopes(raw: Any) -> tuple[str, ...]:
    return tuple(scope for scope in as_list(raw) if isinstance(scope, str))


def _scheme(name: str, raw: Mapping[str, Any]) -> SecurityScheme:
    kind = as_text(raw.get("type"))
    return SecurityScheme(
        name=name,
        type="http" if kind == "basic" else kind,
        location=as_text(raw.get("in")),
        parameter=as_text(raw.get("name")),
        scheme="basic" if kind == "basic" else as_text(raw.get("scheme")).lower(),
        description=as_text(raw.get("description")),
        bearer_format=as_text(raw.get("bearerFormat")),
        flows=_flows(raw),
        openid_url=as_text(raw.get("openIdConnectUrl")),
        deprecated=raw.get("deprecated") is True,
    )


def _flows(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    if "flow" not in raw:
        flows = as_mapping(raw.get("flows"))
        return {name: flow for name, flow in flows.items() if isinstance(flow, Mapping)}
    flow = as_text(raw.get("flow"))
    known = ("authorizationUrl", "tokenUrl", "scopes")
    return {_OLD_FLOWS.get(flow, flow): {key: raw[key] for key in known if key in raw}}
