"""From the tree of a description to a document."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lintel_codecs.issues import pointer
from lintel_codecs.openapi.answers import (
    accepted,
    operation_links,
    pagination,
    read_answers,
    responses,
)
from lintel_codecs.openapi.bodies import read_bodies
from lintel_codecs.openapi.dangling import note_dangling
from lintel_codecs.openapi.description import Description, Part, as_list, as_mapping, as_text
from lintel_codecs.openapi.names import Named, key_paths
from lintel_codecs.openapi.parameters import BODIES, merged_parameters, read_parameters
from lintel_codecs.openapi.security import read_schemes, read_security
from lintel_codecs.openapi.servers import (
    SERVERS,
    operation_url,
    read_servers,
    root_servers,
    scheme_servers,
)
from lintel_codecs.openapi.swagger import new_body
from lintel_codecs.openapi.tags import read_tags
from lintel_document.document import Document, Error
from lintel_document.errors import ParseError
from lintel_document.extension import (
    EXTENSION,
    completed_document,
    completed_link,
    uncompleted_link,
)
from lintel_document.links import Link, Security
from lintel_document.operations import Body, SecurityScheme, Server, usable
from lintel_document.stored import DOCUMENT_ATTRIBUTES

__all__ = ["DATA", "INNER", "KEYS", "METHODS", "read_document"]

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
KEYS = "x-lintel-keys"
"""The extension that says under which keys an operation stands."""
DATA = "x-lintel-data"
"""The extension that holds what a document has beside operations."""
INNER = "documents"
"""The member of the extension that lists what was a document or an error inside the document."""
MAX_KEYS = 100


@dataclass(frozen=True, slots=True)
class _Item:
    """A path of the description, and the parts that its operations share."""

    path: str
    part: Part
    servers: tuple[Server, ...]


@dataclass(frozen=True, slots=True)
class _Whole:
    """Defaults for all operations that specify nothing else."""

    servers: tuple[Server, ...]
    schemes: Mapping[str, SecurityScheme]
    security: Security | None


def read_document(description: Description, media_type: str) -> Document:
    """Return the document of a description, with a link for each of its operations."""
    root = description.root
    schemes = read_schemes(description)
    security = read_security(description, root.get("security"), "#/security", schemes)
    whole = _Whole(root_servers(description), schemes, security)
    found = list(_operations(description, whole))
    _note_calls(description, root.get("webhooks"), "#/webhooks", "webhook")
    info = as_mapping(root.get("info"))
    _note_shared_ids(description, [named for named, _ in found])
    tags = read_tags(description)
    content = _content(found, {tag.name for tag in tags}, root.get(DATA))
    extension = as_mapping(root.get(EXTENSION))
    _put_inner(description, content, extension.get(INNER))
    document = Document(
        url=description.url,
        title=as_text(info.get("title")),
        description=as_text(info.get("description")),
        media_type=media_type,
        content=content,
        version=str(info.get("version") or ""),
        servers=whole.servers,
        security_schemes=schemes,
        tags=tags,
    )
    if extension:
        document = _completed_whole(description, document, extension)
    attributes = {name: getattr(document, name) for name in DOCUMENT_ATTRIBUTES}
    # Last, when no more issues can be added.
    note_dangling(description)
    attributes["issues"] = description.issues.all()
    # Responses are read late, when issues can no longer be reported.
    description.issues.strict = False
    return Document(content=document, **attributes)


def _completed_whole(
    description: Description, document: Document, extension: Mapping[str, Any]
) -> Document:
    left = {name: value for name, value in extension.items() if name != "url"}
    try:
        return completed_document(document, left, description.unpacker)
    except ParseError as error:
        description.note(f"#/{EXTENSION}", str(error))
        return document


def _put_inner(description: Description, content: dict[str, Any], raw: Any) -> None:
    """Restore documents and errors from the groups that they were written as."""
    for number, entry in enumerate(as_list(raw)):
        try:
            _put(description, content, entry)
        except (ParseError, LookupError, TypeError) as error:
            description.note(pointer(f"#/{EXTENSION}/{INNER}", number), f"It is left out: {error}")


def _put(description: Description, content: dict[str, Any], entry: Any) -> None:
    *above, last = as_list(as_mapping(entry).get("keys"))[:MAX_KEYS]
    holder: Any = content
    for key in above:
        holder = holder[key]
    if not isinstance(holder[last], dict):
        raise ParseError("there is no group")
    if "error" in entry:
        holder[last] = Error(as_text(entry["error"]), holder[last])
    else:
        inner = Document(content=holder[last])
        holder[last] = completed_document(inner, entry, description.unpacker)


def _note_calls(description: Description, node: Any, at: str, kind: str) -> None:
    """Report callbacks and webhooks, which no client can call."""
    for name in as_mapping(node):
        if not name.startswith("x-"):
            message = f"The {kind} is a call that the API makes: no operation stands for it"
            description.note(pointer(at, name), message, name)


def _note_shared_ids(description: Description, named: list[Named]) -> None:
    first: dict[str, Named] = {}
    for each in named:
        known = first.setdefault(each.operation_id, each) if each.operation_id else each
        if known is not each:
            place = pointer("#/paths", each.path, each.method)
            message = f"The operation id is that of {known.method} {known.path}, too"
            description.note(place, message, each.operation_id)


def _content(found: list[tuple[Named, Link]], described: set[str], data: Any) -> dict[str, Any]:
    """Return the operations under their keys, together with the data of the extension."""
    tree: dict[Any, Any] = {}
    paths = key_paths([named for named, _ in found], described)
    for path, (_, link) in zip(paths, found, strict=True):
        holder = tree
        for key in path[:-1]:
            holder = holder.setdefault(key, {})
        holder[path[-1]] = link
    return _group(tree, as_mapping(data), 0)


def _merged(tree: Any, data: Any, depth: int) -> Any:
    """Merge data and operations, which win. Groups with list positions as keys become one."""
    if tree is None or isinstance(tree, Link) or depth > MAX_KEYS:
        return data if tree is None else tree
    if isinstance(data, list) and tree.keys() <= set(range(len(data))):
        return [_merged(tree.get(at), item, depth + 1) for at, item in enumerate(data)]
    if not isinstance(data, Mapping) and tree.keys() == set(range(len(tree))):
        return [_merged(tree[at], None, depth + 1) for at in range(len(tree))]
    return _group(tree, as_mapping(data), depth)


def _group(tree: dict[Any, Any], data: Mapping[str, Any], depth: int) -> dict[str, Any]:
    group: dict[str, Any] = {str(key): data[key] for key in data if key not in tree}
    for key, inner in sorted(tree.items(), key=lambda pair: not isinstance(pair[0], str)):
        name = str(key)
        while name in group:
            name += "_"
        group[name] = _merged(inner, data.get(key), depth + 1)
    return group


def _operations(description: Description, whole: _Whole) -> Iterator[tuple[Named, Link]]:
    paths = description.root.get("paths")
    if paths is not None and not isinstance(paths, Mapping):
        description.note("#/paths", "Paths must be an object")
    for path, node in as_mapping(paths).items():
        if path.startswith("x-"):
            continue
        at = pointer("#/paths", path)
        part = _item_part(description, node, at, path)
        if part is None:
            continue
        servers = read_servers(description, part.inner("servers"), pointer(at, "servers"))
        item = _Item(path if path.startswith("/") else f"/{path}", part, servers)
        yield from _item_operations(description, whole, item)


def _item_part(description: Description, node: Any, at: str, path: str) -> Part | None:
    part = description.part(node, description.place, at, "path", path)
    if part and part.node is not node and isinstance(node, Mapping):
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return Part({**part.node, **beside}, part.place, at) if beside else part
    return part


def _item_operations(
    description: Description, whole: _Whole, item: _Item
) -> Iterator[tuple[Named, Link]]:
    for method, node, at in _methods(item.part):
        name, problems = f"{method} {item.path}", list[str]()
        part = description.part(node, item.part.place, at, "operation", name, problems)
        if part is None:
            # An empty operation lacks nothing, unlike one that is elsewhere.
            problems = [] if node is None else problems
            part = Part({}, item.part.place, at)
        tags = tuple(tag for tag in as_list(part.inner("tags")) if isinstance(tag, str) and tag)
        named = Named(
            method,
            item.path,
            as_text(part.inner("operationId")),
            tags[0] if tags else "",
            _asked_keys(part),
        )
        link = _link(description, whole, item, part, method, tags, problems)
        yield named, _completed(description, part, link)


def _completed(description: Description, part: Part, link: Link) -> Link:
    """Return a link with the contents of its extension, if it has one."""
    if EXTENSION not in part.node:
        return link
    try:
        return completed_link(link, part.inner(EXTENSION), description.unpacker)
    except ParseError as error:
        description.note(pointer(part.at, EXTENSION), str(error), link.operation_id)
        return uncompleted_link(link, part.inner(EXTENSION))


def _methods(part: Part) -> Iterator[tuple[str, Any, str]]:
    for key, node in part.node.items():
        if key in METHODS:
            yield key, node, pointer(part.at, key)
    for extra in ("additionalOperations", "x-additionalOperations"):
        for method, node in as_mapping(part.inner(extra)).items():
            yield method.lower(), node, pointer(part.at, extra, method)


def _asked_keys(part: Part) -> tuple[str | int, ...]:
    keys = as_list(part.inner(KEYS))[:MAX_KEYS]
    legal = all(type(key) in (str, int) for key in keys)
    return tuple(keys) if legal else ()


def _link(
    description: Description,
    whole: _Whole,
    item: _Item,
    part: Part,
    method: str,
    tags: Any,
    problems: list[str],
) -> Link:
    key = SERVERS if description.is_old else "servers"
    servers = read_servers(description, part.inner(key), pointer(part.at, key))
    if description.is_old:
        servers = servers or scheme_servers(description, part.inner("schemes"))
    servers = servers or item.servers or whole.servers
    parts = _parameter_parts(description, item, part, problems)
    fields = read_parameters(description, parts, item.path)
    bodies = _bodies(description, part, parts, {field.name for field in fields}, problems)
    found = responses(description, part)
    _note_calls(description, part.inner("callbacks"), pointer(part.at, "callbacks"), "callback")
    security = read_security(
        description, part.inner("security"), pointer(part.at, "security"), whole.schemes
    )
    return Link(
        url=operation_url(usable(servers), item.path, description.url),
        action=method,
        encoding=bodies[0].media_type if bodies else "",
        title=as_text(part.inner("summary")) or as_text(item.part.inner("summary")),
        description=as_text(part.inner("description")) or as_text(item.part.inner("description")),
        fields=(*fields, *(bodies[0].fields if bodies else ())),
        operation_id=as_text(part.inner("operationId")),
        tags=tags,
        deprecated=part.inner("deprecated") is True,
        bodies=bodies,
        accept=accepted(found),
        path=item.path,
        servers=servers,
        security=whole.security if security is None else security,
        answers=lambda: read_answers(description, found),
        links=operation_links(description, found),
        pagination=pagination(description, fields, found) if method == "get" else None,
        problem=problems[0] if problems else "",
    )


def _parameter_parts(
    description: Description, item: _Item, part: Part, problems: list[str]
) -> list[Part]:
    own = (part.inner("parameters"), part.place, pointer(part.at, "parameters"))
    shared = (item.part.inner("parameters"), item.part.place, pointer(item.part.at, "parameters"))
    return merged_parameters(description, [own, shared], problems)


def _bodies(
    description: Description, part: Part, parts: list[Part], taken: set[str], problems: list[str]
) -> tuple[Body, ...]:
    at = pointer(part.at, "requestBody")
    if description.is_old:
        in_body = [each for each in parts if each.inner("in") in BODIES]
        node: Any = new_body(description, part.node, in_body)
        place = in_body[0].place if in_body else part.place
    else:
        node, place = part.inner("requestBody"), part.place
    if node is None:
        return ()
    body = description.part(node, place, at, "request body", problems=problems)
    return read_bodies(description, body, taken, problems) if body else ()
