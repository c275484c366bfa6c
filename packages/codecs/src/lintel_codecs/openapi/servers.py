"""The servers of a description's operations."""

from typing import Any

from lintel_codecs.issues import pointer
from lintel_codecs.openapi.description import Description, as_list, as_mapping, as_text
from lintel_document.operations import Server, ServerVariable
from lintel_document.urls import joined, resolve

__all__ = ["SERVERS", "operation_url", "read_servers", "root_servers", "scheme_servers"]

SERVERS = "x-servers"
"""The extension of version 2.0 for the servers that it has no words for."""


def root_servers(description: Description) -> tuple[Server, ...]:
    """Return the servers of the whole description; by default the root of its own host."""
    if description.is_old:
        listed = read_servers(description, description.root.get(SERVERS), f"#/{SERVERS}")
        return listed or tuple(_old_servers(description, description.root.get("schemes")))
    servers = read_servers(description, description.root.get("servers"), "#/servers")
    return servers or (Server(resolve(description.url, "/")),)


def scheme_servers(description: Description, schemes: Any) -> tuple[Server, ...]:
    """Return the servers of a 2.0 operation that lists its own schemes."""
    return tuple(_old_servers(description, schemes)) if as_list(schemes) else ()


def read_servers(description: Description, node: Any, at: str) -> tuple[Server, ...]:
    """Return servers with resolved URLs; () if none is described."""
    if node is None:
        return ()
    if not isinstance(node, list):
        description.note(at, "Servers must be a list")
    servers = [
        _server(description, raw, pointer(at, number)) for number, raw in enumerate(as_list(node))
    ]
    return tuple([server for server in servers if server])


def operation_url(server: Server, path: str, base: str) -> str:
    """Return the URL of a path on a server, its variables at their defaults."""
    return resolve(base, joined(server.expanded(), path))


def _server(description: Description, raw: Any, at: str) -> Server | None:
    if not isinstance(raw, dict) or not isinstance(raw.get("url"), str):
        description.note(at, "A server must be an object with a url")
        return None
    # The server of a description without any (OpenAPI 3.1.1, 4.8.1), which is what "" means.
    url = raw["url"] or "/"
    variables = {
        str(name): _variable(as_mapping(variable))
        for name, variable in as_mapping(raw.get("variables")).items()
    }
    # A URL that starts with a variable is resolved once its value is known.
    absolute = url if url.startswith("{") else resolve(description.url, url)
    return Server(absolute, as_text(raw.get("description")), variables, as_text(raw.get("name")))


def _variable(raw: Any) -> ServerVariable:
    legal = tuple(_text_of(value) for value in as_list(raw.get("enum")))
    default = raw.get("default", legal[0] if legal else None)
    return ServerVariable(_text_of(default), legal, as_text(raw.get("description")))


def _text_of(value: Any) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value)


def _old_servers(description: Description, named: Any) -> list[Server]:
    """Return the server of version 2.0 in each scheme, the description's own scheme first."""
    root, base = description.root, description.url
    scheme, _, rest = base.partition("://")
    # Some descriptions write the scheme or a slash with the host.
    host = as_text(root.get("host")).rpartition("://")[2].rstrip("/")
    host = host or (rest.partition("/")[0] if rest else "")
    path = "/" + as_text(root.get("basePath")).strip("/")
    listed = [name for name in as_list(named) if isinstance(name, str)]
    schemes = [name for name in listed if name in ("http", "https")]
    fetched = scheme if rest and scheme in ("http", "https") else ""
    schemes = sorted(
        schemes or [fetched or "https"], key=lambda name: (name != fetched, name < "https")
    )
    return [Server(f"{name}://{host}{path}") for name in schemes] if host else [Server(path)]
