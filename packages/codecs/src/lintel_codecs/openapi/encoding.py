"""Writes a document as OpenAPI 3.1, and converts that to 3.0 and 2.0."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from lintel_codecs.issues import Issues
from lintel_codecs.openapi.bodies import NESTED, is_json
from lintel_codecs.openapi.decoding import DATA, INNER, KEYS, METHODS, read_document
from lintel_codecs.openapi.description import Description
from lintel_codecs.openapi.examples import written_examples
from lintel_codecs.openapi.names import Named, key_paths
from lintel_codecs.openapi.references import Place, References
from lintel_codecs.openapi.tags import written_tag
from lintel_codecs.relations import Names
from lintel_document.document import Array, Document, Error, Node
from lintel_document.errors import EncodeError
from lintel_document.extension import EXTENSION, SCOPES, Remainder
from lintel_document.fields import Example, Field
from lintel_document.jsonschema import SchemaWriter
from lintel_document.links import Link
from lintel_document.operations import Answer, Body, SecurityScheme, Server
from lintel_document.urls import resolve

__all__ = ["encoded", "read_tree"]

MAX_DEPTH = 100
MAX_NODES = 5_000_000

Keys = tuple[str | int, ...]
Lowering = Callable[[dict[str, Any]], dict[str, Any]]

_EXPRESSION = re.compile(r"\{([+#./;?&]?)([^{}]*)\}")
_QUERY_METHODS = ("get", "head", "delete", "options")
_PARAMETERS = ("path", "query", "header", "cookie")


def encoded(document: Document, lowered: Lowering) -> dict[str, Any]:
    """Return a document as OpenAPI; ``lowered`` converts 3.1 to the requested version.

    The result is read again, and whatever differs is added in extensions. Raises
    EncodeError for values that JSON cannot represent.
    """
    found = list(_links(document, document, ()))
    whole, places = _described(document, found)
    tree = lowered(whole)
    again = read_tree(tree, document.url)
    remainder = Remainder()
    for (keys, link, base), place in zip(found, places, strict=True):
        written = again.get_in(keys)
        absolute = link.replace(url=resolve(base, link.url))
        left = remainder.of_link(absolute, written if isinstance(written, Link) else None)
        if left:
            _operation_at(tree, *place)[EXTENSION] = left
    extension = _extension(document, again, remainder)
    return {**tree, EXTENSION: extension} if extension else tree


def read_tree(tree: dict[str, Any], url: str) -> Document:
    """Return the document that a tree of OpenAPI is read as."""
    is_old = "swagger" in tree
    description = Description(Place(tree, url), References(), is_old, Issues(), url)
    return read_document(description, "")


def _extension(document: Document, again: Document, remainder: Remainder) -> dict[str, Any]:
    """Return the extension of the whole document, with what the extensions of links refer to."""
    extension = remainder.of_document(document, again)
    if document.url:
        extension["url"] = document.url
    inner = [
        {"keys": list(keys), **_attributes(node, remainder)} for keys, node in _inner(document, ())
    ]
    if inner:
        extension[INNER] = inner
    scopes = remainder.scopes()
    return {**extension, SCOPES: scopes} if scopes else extension


def _attributes(node: Document | Error, remainder: Remainder) -> dict[str, Any]:
    if isinstance(node, Error):
        return {"error": node.title}
    return remainder.of_document(node)


def _inner(node: Any, keys: Keys) -> Iterator[tuple[Keys, Document | Error]]:
    """Return the documents and errors inside a document, the innermost first."""
    if isinstance(node, Node):
        for key, value in node.items():
            yield from _inner(value, (*keys, key))
    elif isinstance(node, Array):
        for number, value in enumerate(node):
            yield from _inner(value, (*keys, number))
    if keys and isinstance(node, Document | Error):
        yield keys, node


def _described(
    document: Document, found: list[tuple[Keys, Link, str]]
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Return a document as OpenAPI 3.1, and path and method of each of its links."""
    writer = SchemaWriter("#/components/schemas/", MAX_NODES)
    paths: dict[str, Any] = {}
    named, placed = [], []
    identifiers, places = Names(), Names()
    for keys, link, base in found:
        url = resolve(base, link.url)
        operation = _operation(keys, link, url, writer, identifiers)
        path, method = _placed(paths, places, link, url, operation)
        placed.append((path, method))
        identifier = operation.get("operationId", "")
        named.append((Named(method, path, identifier, _first(operation)), operation))
    described = {tag.name for tag in document.tags}
    _keep_keys(named, [keys for keys, _, _ in found], described)
    return _whole(document, paths, writer), placed


def _whole(document: Document, paths: dict[str, Any], writer: SchemaWriter) -> dict[str, Any]:
    info = {"title": document.title, "version": document.version}
    if document.description:
        info["description"] = document.description
    whole: dict[str, Any] = {"openapi": "3.1.1", "info": info}
    if document.tags:
        whole["tags"] = [written_tag(tag) for tag in document.tags]
    servers = document.servers or _origin_servers(document.url)
    if servers:
        whole["servers"] = [_server(server) for server in servers]
    whole["paths"] = paths
    schemes = {name: _scheme(scheme) for name, scheme in document.security_schemes.items()}
    components = {"schemas": writer.definitions, "securitySchemes": schemes}
    whole["components"] = {name: part for name, part in components.items() if part}
    data = _data(document, 0)
    return {**whole, DATA: data} if data else whole


def _links(node: Any, holder: Document, keys: Keys) -> Iterator[tuple[Keys, Link, str]]:
    if len(keys) > MAX_DEPTH:
        raise EncodeError(f"nested too deeply: more than {MAX_DEPTH} levels")
    if isinstance(node, Link):
        yield keys, node, holder.url
    elif isinstance(node, Node):
        holder = node if isinstance(node, Document) else holder
        for key, inner in node.items():
            yield from _links(inner, holder, (*keys, key))
    elif isinstance(node, Array):
        for number, inner in enumerate(node):
            yield from _links(inner, holder, (*keys, number))


def _data(node: Any, depth: int) -> Any:
    """Return the data of a document without links; None if there is none."""
    if depth > MAX_DEPTH:
        raise EncodeError(f"nested too deeply: more than {MAX_DEPTH} levels")
    if isinstance(node, Node):
        inner = {
            key: _data(value, depth + 1) for key, value in node.items() if not _is_empty(value)
        }
        return {key: value for key, value in inner.items() if not _holds_nothing(node[key], value)}
    if isinstance(node, Array | list | tuple):
        # An operation restores its own position.
        return [None if isinstance(item, Link) else _data(item, depth + 1) for item in node]
    if node is None or isinstance(node, str | int | float):
        return node
    raise EncodeError(f"OpenAPI cannot represent a value of type {type(node).__name__}")


def _is_empty(value: Any) -> bool:
    is_links = isinstance(value, Array) and len(value) > 0
    return isinstance(value, Link) or (is_links and all(isinstance(item, Link) for item in value))


def _holds_nothing(node: Any, data: Any) -> bool:
    """Return whether a group contains only links, which restore it."""
    return isinstance(node, Node) and not data and len(node) > 0


def _identifier(keys: Keys, link: Link) -> str:
    return link.operation_id or "_".join(str(key) for key in keys) or "operation"


def _operation(
    keys: Keys, link: Link, url: str, writer: SchemaWriter, identifiers: Names
) -> dict[str, Any]:
    operation: dict[str, Any] = {}
    if link.operation_id or not link.path:
        operation["operationId"] = identifiers.unused(_identifier(keys, link))
    tags = list(link.tags) or [str(key) for key in keys[:-1][:1] if str(key)]
    for name, value in (
        ("tags", tags),
        ("summary", link.title),
        ("description", link.description),
        ("deprecated", link.deprecated),
        ("parameters", list(_parameters(link, url, writer))),
    ):
        if value:
            operation[name] = value
    content = {body.media_type: _media(body, writer) for body in _bodies(link)}
    if content:
        required = any(body.required for body in link.bodies)
        about = next((body.fields[-1].description for body in link.bodies if body.fields), None)
        operation["requestBody"] = {
            **({"description": about} if about else {}),
            "content": content,
            **({"required": True} if required else {}),
        }
    if link.security is not None:
        operation["security"] = [
            {name: list(scopes) for name, scopes in alternative.items()}
            for alternative in link.security
        ]
    if link.path and link.servers:
        operation["servers"] = [_server(server) for server in link.servers]
    operation["responses"] = _responses(link, writer)
    return operation


def _parameters(link: Link, url: str, writer: SchemaWriter) -> Iterator[dict[str, Any]]:
    seen = set()
    variables = [] if link.path else list(_plain_variables(url))
    for field in link.fields:
        location = _location(field, link)
        key = (location, field.sent_name)
        known = location in ("querystring", *_PARAMETERS) and field.sent_name and key not in seen
        if known and (location != "path" or link.path or field.sent_name in variables):
            seen.add(key)
            yield _parameter(field, location, writer)
    for name in variables:
        if ("path", name) not in seen:
            seen.add(("path", name))
            yield {"name": name, "in": "path", "required": True, "schema": {}}


def _location(field: Field, link: Link) -> str:
    if field.location:
        return field.location
    return "query" if (link.action or "get").lower() in _QUERY_METHODS else "form"


def _parameter(field: Field, location: str, writer: SchemaWriter) -> dict[str, Any]:
    written: dict[str, Any] = {"name": field.sent_name, "in": location}
    if field.required or location == "path":
        written["required"] = True
    if field.description:
        written["description"] = field.description
    if field.deprecated:
        written["deprecated"] = True
    schema = writer.write(field.schema)
    if field.content_type:
        media = {"schema": schema, **written_examples(field.example, field.examples)}
        return {**written, "content": {field.content_type: media}}
    written |= written_examples(field.example, field.examples)
    return {**written, **_style(field), "schema": schema}


def _style(field: Field) -> dict[str, Any]:
    written: dict[str, Any] = {"style": field.style} if field.style else {}
    if field.explode is not None:
        written["explode"] = field.explode
    return {**written, "allowReserved": True} if field.allow_reserved else written


def _bodies(link: Link) -> tuple[Body, ...]:
    if link.bodies:
        return link.bodies
    fields = tuple(field for field in link.fields if _location(field, link) in ("form", "body"))
    return (Body(link.encoding or "application/json", fields),) if fields else ()


def _media(body: Body, writer: SchemaWriter) -> dict[str, Any]:
    whole = next((field for field in body.fields if field.location == "body"), None)
    properties = [field for field in body.fields if field is not whole and field.name]
    encoding = {field.sent_name: _encoding(field, writer) for field in properties}
    encoding = {name: part for name, part in encoding.items() if part}
    schema = writer.write(whole.schema) if whole and whole.schema is not None else None
    if schema is None:
        schema = _object_schema(properties, writer) if properties else {}
    media: dict[str, Any] = {"schema": schema}
    if whole:
        media |= written_examples(whole.example, whole.examples)
    return {**media, "encoding": encoding} if encoding and not is_json(body.media_type) else media


def _object_schema(fields: list[Field], writer: SchemaWriter) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {field.sent_name: writer.write(field.schema) for field in fields},
    }
    required = list(dict.fromkeys(field.sent_name for field in fields if field.required))
    return {**schema, "required": required} if required else schema


def _encoding(field: Field, writer: SchemaWriter) -> dict[str, Any]:
    style, _, document = field.style.partition(":")
    encoding: dict[str, Any] = {NESTED: document} if style == "nested" else _style(field)
    if field.content_type:
        encoding["contentType"] = field.content_type
    if field.headers:
        encoding["headers"] = {
            header.sent_name: {
                **({"required": True} if header.required else {}),
                **written_examples(header.example, header.examples),
                "schema": writer.write(header.schema),
            }
            for header in field.headers
        }
    return encoding


def _responses(link: Link, writer: SchemaWriter) -> dict[str, Any]:
    answers = {answer.status: _response(answer, writer) for answer in link.answers}
    if not answers:
        content: dict[str, Any] = {kind: {} for kind in link.accept}
        answers["default"] = {"description": "", **({"content": content} if content else {})}
    for follow in link.links:
        holder = answers.get(follow.status) or next(iter(answers.values()))
        written = {
            "operationId": follow.operation_id,
            "operationRef": follow.operation_ref,
            "parameters": dict(follow.parameters),
            "requestBody": follow.body,
            "description": follow.description,
        }
        kept = {name: value for name, value in written.items() if value not in ("", None, {})}
        holder.setdefault("links", {})[follow.name] = kept
    return answers


def _response(answer: Answer, writer: SchemaWriter) -> dict[str, Any]:
    written: dict[str, Any] = {"description": answer.description}
    if answer.headers:
        written["headers"] = {
            header.name: {
                **({"description": header.description} if header.description else {}),
                "schema": writer.write(header.schema),
            }
            for header in answer.headers
        }
    if answer.content:
        written["content"] = {
            kind: {
                **({} if schema is None else {"schema": writer.write(schema)}),
                **_shown(answer.examples.get(kind, ())),
            }
            for kind, schema in answer.content.items()
        }
    return written


def _shown(examples: tuple[Example, ...]) -> dict[str, Any]:
    return written_examples(examples[0].value if examples else None, examples)


def _placed(
    paths: dict[str, Any], places: Names, link: Link, url: str, operation: dict[str, Any]
) -> tuple[str, str]:
    """Put an operation where its path and method are free; a fragment distinguishes equal paths."""
    method = (link.action or "get").lower()
    path = places.unused(f"{method} {link.path or _plain_path(url)}", "#").partition(" ")[2]
    _operations_at(paths, path, method)[method] = operation
    return path, method


def _operations_at(paths: dict[str, Any], path: str, method: str) -> dict[str, Any]:
    item: dict[str, Any] = paths.setdefault(path, {})
    if method in METHODS and method != "query":
        return item
    extra: dict[str, Any] = item.setdefault("x-additionalOperations", {})
    return extra


def _operation_at(tree: dict[str, Any], path: str, method: str) -> dict[str, Any]:
    """Return an operation of a description; older versions have fewer methods."""
    item: dict[str, Any] = tree["paths"][path]
    found: dict[str, Any] = item.get(method) or item["x-additionalOperations"][method]
    return found


def _plain_variables(url: str) -> Iterator[str]:
    """Return the names of the variables that stay in the path of a URL."""
    path = _EXPRESSION.sub(_plain, url)
    for found in re.finditer(r"\{([^{}/]+)\}", urlsplit(path).path):
        yield found[1]


def _plain_path(url: str) -> str:
    try:
        parts = urlsplit(_EXPRESSION.sub(_plain, url))
    except ValueError:
        return "/"
    path = parts.path if parts.path.startswith("/") else f"/{parts.path}"
    return f"{path}?{parts.query}" if parts.query else path


def _plain(found: re.Match[str]) -> str:
    if found[1] in ("?", "&", "#"):
        return ""
    names = [name.partition(":")[0].rstrip("*") for name in found[2].split(",") if name]
    joint = "/" if found[1] == "/" else ""
    return "".join(f"{joint}{{{name}}}" for name in names)


def _first(operation: Mapping[str, Any]) -> str:
    tags = operation.get("tags") or [""]
    return str(tags[0])


def _keep_keys(
    named: list[tuple[Named, dict[str, Any]]], wanted: list[Keys], described: set[str]
) -> None:
    """Write the keys of operations that readers would otherwise derive differently."""
    known = [each for each, _ in named]
    while True:
        paths = key_paths(known, described)
        wrong = [at for at, each in enumerate(known) if paths[at] != wanted[at] and not each.keys]
        if not wrong:
            return
        # Written keys leave their group, which may change what readers derive for others.
        for at in wrong:
            known[at] = replace(known[at], keys=wanted[at])
            named[at][1][KEYS] = list(wanted[at])


def _origin_servers(url: str) -> tuple[Server, ...]:
    found = re.match(r"https?://[^/?#]+", url)
    return (Server(found[0]),) if found else ()


def _server(server: Server) -> dict[str, Any]:
    written: dict[str, Any] = {"url": server.url}
    if server.name:
        written["name"] = server.name
    if server.description:
        written["description"] = server.description
    if server.variables:
        written["variables"] = {
            name: {
                "default": variable.default,
                **({"enum": list(variable.enum)} if variable.enum else {}),
                **({"description": variable.description} if variable.description else {}),
            }
            for name, variable in server.variables.items()
        }
    return written


def _scheme(scheme: SecurityScheme) -> dict[str, Any]:
    written = {
        "type": scheme.type,
        "in": scheme.location,
        "name": scheme.parameter,
        "scheme": scheme.scheme,
        "description": scheme.description,
        "bearerFormat": scheme.bearer_format,
        "flows": dict(scheme.flows),
        "openIdConnectUrl": scheme.openid_url,
        "deprecated": scheme.deprecated,
    }
    return {name: value for name, value in written.items() if value}
