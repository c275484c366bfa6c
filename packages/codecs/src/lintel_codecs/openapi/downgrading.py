"""Converts OpenAPI 3.1 to 3.0 and 2.0; what these cannot express goes into extensions."""

from collections.abc import Callable, Mapping
from typing import Any

from lintel_codecs.openapi.bodies import FORMS
from lintel_codecs.openapi.decoding import DATA
from lintel_codecs.openapi.security import SCHEME
from lintel_codecs.openapi.servers import SERVERS

__all__ = ["VERSIONS"]

MAX_DEPTH = 100

_OLD_STYLES = {"spaceDelimited": "ssv", "pipeDelimited": "pipes", "tabDelimited": "tsv"}
_OLD_FLOWS = {"authorizationCode": "accessCode", "clientCredentials": "application"}
_ONLY_IN_3_1 = ("$schema", "$id", "$anchor", "$defs", "$comment", "patternProperties", "contains")
_ONLY_IN_3 = ("oneOf", "anyOf", "not", "nullable", "writeOnly", "deprecated")
_IS_DATA = (DATA, "example", "examples", "default", "enum")
_OLD_METHODS = ("get", "put", "post", "delete", "options", "head", "patch")


def _in_3_1(whole: dict[str, Any]) -> dict[str, Any]:
    return whole


def _in_3_0(whole: dict[str, Any]) -> dict[str, Any]:
    tree: dict[str, Any] = _mapped(whole, _schema_3_0)
    return {**tree, "openapi": "3.0.4"}


def _in_2_0(whole: dict[str, Any]) -> dict[str, Any]:
    components = whole.get("components", {})
    tree: dict[str, Any] = {"swagger": "2.0", "info": whole["info"], **_host(whole)}
    if "tags" in whole:
        tree["tags"] = whole["tags"]
    tree["paths"] = {path: _item(item) for path, item in whole["paths"].items()}
    schemes = components.get("securitySchemes", {})
    tree["securityDefinitions"] = {name: _scheme(raw) for name, raw in schemes.items()}
    tree["definitions"] = {
        name: _schema_2_0(schema, 0) for name, schema in components.get("schemas", {}).items()
    }
    extensions = {name: value for name, value in whole.items() if name.startswith("x-")}
    if len(whole.get("servers", ())) > 1 or any("{" in s["url"] for s in whole.get("servers", ())):
        extensions[SERVERS] = whole["servers"]
    kept = {name: value for name, value in tree.items() if value or name in ("paths", "info")}
    return _renamed({**kept, **extensions}, 0)


VERSIONS: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "3.1": _in_3_1,
    "3.0": _in_3_0,
    "2.0": _in_2_0,
}


def _mapped(node: Any, schema: Callable[[Any, int], Any], depth: int = 0) -> Any:
    """Copy a description; values of ``schema`` and named schemas are rewritten."""
    if isinstance(node, list):
        return [_mapped(item, schema, depth + 1) for item in node]
    if not isinstance(node, dict) or depth > MAX_DEPTH:
        return node
    copied = {}
    for key, value in node.items():
        if key.startswith("x-") or key in ("example", "examples"):
            # Extensions and examples are data, whatever their keys are.
            copied[key] = value
        elif key == "schema":
            copied[key] = schema(value, 0)
        elif key == "schemas" and isinstance(value, dict):
            copied[key] = {name: schema(inner, 0) for name, inner in value.items()}
        else:
            copied[key] = _mapped(value, schema, depth + 1)
    return copied


def _schema_3_0(schema: Any, depth: int) -> Any:
    if isinstance(schema, list):
        return [_schema_3_0(item, depth + 1) for item in schema]
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return {} if isinstance(schema, bool) and depth == 0 else schema
    changed = {
        key: value if key in ("enum", "default", "example") else _schema_3_0(value, depth + 1)
        for key, value in schema.items()
        if key not in _ONLY_IN_3_1
    }
    _split_types(changed)
    if "const" in changed:
        changed["enum"] = [changed.pop("const")]
    for bound in ("Minimum", "Maximum"):
        limit = changed.get(f"exclusive{bound}")
        if isinstance(limit, int | float) and not isinstance(limit, bool):
            changed |= {bound.lower(): limit, f"exclusive{bound}": True}
    if isinstance(changed.get("examples"), list):
        changed |= {"example": next(iter(changed.pop("examples")), None)}
    return changed


def _split_types(schema: dict[str, Any]) -> None:
    """Write one type and ``nullable`` instead of a list of types."""
    if "prefixItems" in schema:
        schema["items"] = {"anyOf": schema.pop("prefixItems")}
    kinds = schema.get("type")
    if kinds == "null":
        schema |= {"nullable": True, "enum": [None], "type": "string"}
    if not isinstance(kinds, list):
        return
    named = [kind for kind in kinds if kind != "null"]
    if "null" in kinds:
        schema["nullable"] = True
    schema.pop("type")
    if len(named) == 1:
        schema["type"] = named[0]
    elif named:
        schema["anyOf"] = [{"type": kind} for kind in named]


def _schema_2_0(schema: Any, depth: int) -> Any:
    lowered = _schema_3_0(schema, depth)
    return _without_unions(lowered, 0)


def _without_unions(node: Any, depth: int) -> Any:
    if isinstance(node, list):
        return [_without_unions(item, depth + 1) for item in node]
    if not isinstance(node, dict) or depth > MAX_DEPTH:
        return node
    kept = {}
    for key, value in node.items():
        # Names of properties are not keywords.
        is_names = key == "properties" and isinstance(value, dict)
        inner = (
            {name: _without_unions(each, depth + 1) for name, each in value.items()}
            if is_names
            else _without_unions(value, depth + 1)
        )
        kept[f"x-{key}" if key in _ONLY_IN_3 else key] = inner
    return kept


def _host(whole: Mapping[str, Any]) -> dict[str, Any]:
    url = next((server["url"] for server in whole.get("servers", ())), "")
    scheme, separator, rest = url.partition("://")
    if not separator or "{" in url:
        return {"basePath": url} if url.startswith("/") and "{" not in url else {}
    host, _, path = rest.partition("/")
    return {"schemes": [scheme], "host": host, "basePath": f"/{path}"}


def _item(item: Mapping[str, Any]) -> dict[str, Any]:
    lowered = {method: _operation(raw) for method, raw in item.items() if method in _OLD_METHODS}
    extra = {name: raw for name, raw in item.items() if name in ("trace", "query")}
    extra |= item.get("x-additionalOperations", {})
    if extra:
        raised = {method: _operation(raw) for method, raw in extra.items()}
        return {**lowered, "x-additionalOperations": raised}
    return lowered


def _operation(operation: Mapping[str, Any]) -> dict[str, Any]:
    lowered = {
        name: value
        for name, value in operation.items()
        if name not in ("parameters", "requestBody", "responses", "servers")
    }
    raw = operation.get("parameters", ())
    parameters = [_parameter(each) for each in raw if each["in"] in ("path", "query", "header")]
    content = operation.get("requestBody", {}).get("content", {})
    parameters += _body_parameters(operation.get("requestBody", {}), content)
    if parameters:
        lowered["parameters"] = parameters
    if content:
        lowered["consumes"] = list(content)
    if "servers" in operation:
        lowered[SERVERS] = operation["servers"]
    responses = operation["responses"]
    kinds = [kind for each in responses.values() for kind in each.get("content", {})]
    if kinds:
        lowered["produces"] = list(dict.fromkeys(kinds))
    lowered["responses"] = {status: _response(each) for status, each in responses.items()}
    return lowered


def _parameter(raw: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: raw[name] for name in ("name", "in", "required", "description") if name in raw}
    schema = _schema_2_0(raw.get("schema", {}), 0)
    simple = schema if isinstance(schema.get("type"), str) and schema["type"] != "object" else {}
    kept |= {"type": "string"} | {name: simple[name] for name in simple if name in _SIMPLE}
    if kept["type"] != "array":
        return kept
    items = simple.get("items")
    inner = items if isinstance(items, dict) and "type" in items else {"type": "string"}
    kept["items"] = {name: inner[name] for name in inner if name in _SIMPLE}
    explode = raw.get("explode", raw["in"] == "query")
    multi = raw["in"] == "query" and explode
    kept["collectionFormat"] = "multi" if multi else _OLD_STYLES.get(raw.get("style", ""), "csv")
    return kept


_SIMPLE = ("type", "format", "enum", "default", "minimum", "maximum", "pattern", "maxLength")


def _body_parameters(body: Mapping[str, Any], content: Mapping[str, Any]) -> list[dict[str, Any]]:
    if not content:
        return []
    kind, media = next(iter(content.items()))
    schema = _schema_2_0(media.get("schema", {}), 0)
    if kind in FORMS and isinstance(schema.get("properties"), dict):
        needed = schema.get("required", ())
        return [
            _form_parameter(name, inner, name in needed)
            for name, inner in schema["properties"].items()
        ]
    required = {"required": True} if body.get("required") else {}
    return [{"name": "body", "in": "body", "schema": schema, **required}]


def _form_parameter(name: str, schema: Any, required: bool) -> dict[str, Any]:
    inner = schema if isinstance(schema, dict) else {}
    parameter = _parameter({"name": name, "in": "formData", "schema": inner})
    if inner.get("format") == "binary":
        parameter = {"name": name, "in": "formData", "type": "file"}
    return {**parameter, "required": True} if required else parameter


def _response(raw: Mapping[str, Any]) -> dict[str, Any]:
    lowered: dict[str, Any] = {"description": raw.get("description", "")}
    schemas = [media["schema"] for media in raw.get("content", {}).values() if "schema" in media]
    if schemas:
        lowered["schema"] = _schema_2_0(schemas[0], 0)
    if "headers" in raw:
        lowered["headers"] = {
            name: {**_header(header), "description": header.get("description", "")}
            for name, header in raw["headers"].items()
        }
    shown = {
        kind: media["example"]
        for kind, media in raw.get("content", {}).items()
        if "example" in media
    }
    if shown:
        lowered["examples"] = shown
    return {**lowered, "x-links": raw["links"]} if "links" in raw else lowered


def _header(raw: Mapping[str, Any]) -> dict[str, Any]:
    parameter = _parameter({"name": "", "in": "header", "schema": raw.get("schema", {})})
    return {key: value for key, value in parameter.items() if key not in ("name", "in")}


def _scheme(raw: Mapping[str, Any]) -> dict[str, Any]:
    if raw.get("type") == "http" and raw.get("scheme") == "basic":
        return {"type": "basic"}
    if raw.get("type") == "apiKey" and raw.get("in") in ("header", "query"):
        return {name: raw[name] for name in ("type", "in", "name", "description") if name in raw}
    if raw.get("type") == "oauth2" and len(raw.get("flows", {})) == 1:
        flow, about = next(iter(raw["flows"].items()))
        return {"type": "oauth2", "flow": _OLD_FLOWS.get(flow, flow), "scopes": {}, **about}
    # Schemes that 2.0 lacks become a key in the header that they use.
    return {"type": "apiKey", "in": "header", "name": "Authorization", SCHEME: raw}


def _has_names(key: str) -> bool:
    return key in ("properties", "definitions", "parameters", "responses")


def _renamed(node: Any, depth: int, names: bool = False) -> Any:
    """Make references point to the definitions of 2.0. The keys of ``names`` are not keywords."""
    if isinstance(node, list):
        return [_renamed(item, depth + 1) for item in node]
    if not isinstance(node, dict) or depth > MAX_DEPTH * 2:
        return node
    copied = {
        key: value if key in _IS_DATA and not names else _renamed(value, depth + 1, _has_names(key))
        for key, value in node.items()
    }
    reference = copied.get("$ref")
    if isinstance(reference, str):
        name = reference.removeprefix("#/components/schemas/")
        copied["$ref"] = reference if name == reference else f"#/definitions/{name}"
    return copied
