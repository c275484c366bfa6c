"""What the templates of the documentation page read: groups of operations and their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from lintel_document import Field, Link
from lintel_document.schemas import type_name

#: Tables of parameters: the title of each, and the locations that belong to it.
GROUPS = (
    ("Path parameters", ("path",)),
    ("Query parameters", ("query", "")),
    ("Request body", ("form", "body")),
    ("Headers and cookies", ("header", "cookie")),
)

#: Bodies that are not JSON.
_FORMS = ("multipart/form-data", "application/x-www-form-urlencoded")


def walk(
    node: Mapping[str, Any], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Link]]:
    """Every link of a tree with its keys, in the order of the document."""
    for key, value in node.items():
        keys = (*above, key)
        if isinstance(value, Link):
            yield keys, value
        elif isinstance(value, Mapping):
            yield from walk(value, keys)


def sections(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Groups of the document with their operations; those of no group come first."""
    by_name: dict[str, list[dict[str, Any]]] = {"": []}
    for keys, link in walk(document):
        name = keys[0] if len(keys) > 1 else ""
        by_name.setdefault(name, []).append(operation(keys, link))
    return [{"name": name, "links": links} for name, links in by_name.items() if links]


def operation(keys: tuple[str, ...], link: Link) -> dict[str, Any]:
    """One operation; ``facts`` is what the script of the page reads."""
    identifier = "-".join(keys)
    fields = [parameter(field) for field in link.fields]
    path = urlsplit(link.url).path
    label = " / ".join(keys[1:]) or keys[0]
    method = (link.action or "get").upper()
    return {
        "keys": list(keys),
        "id": identifier,
        "script_id": f"facts-{identifier}",
        "label": label,
        "link": link,
        "path": path,
        "method": method,
        "fields": fields,
        "groups": groups(fields),
        "has_form": link.encoding in _FORMS,
        "has_body": any(field["location"] == "form" for field in fields),
        "facts": {
            "keys": list(keys),
            "label": " / ".join(keys),
            "path": path,
            "method": method,
            "fields": fields,
        },
    }


def groups(fields: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tables of parameters that have rows."""
    tables = [
        {"title": title, "fields": [field for field in fields if field["location"] in locations]}
        for title, locations in GROUPS
    ]
    return [table for table in tables if table["fields"]]


def parameter(field: Field) -> dict[str, Any]:
    """One parameter, in values that JSON can carry."""
    schema = field.schema
    return {
        "name": field.name,
        "required": field.required,
        "location": field.location,
        "type": "string" if schema is None else type_name(schema),
        "format": getattr(schema, "format", None) or "",
        "is_file": any(
            getattr(each, "is_file", False) for each in (schema, getattr(schema, "items", None))
        ),
        "description": str(getattr(schema, "description", "") or field.description or ""),
        "choices": [_plain(choice) for choice in getattr(schema, "enum", ())],
    }


def _plain(choice: Any) -> Any:
    return choice if choice is None or isinstance(choice, str | int | float) else str(choice)
