"""Groups of operations and their parameters from the native document, for templates."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from django.utils.translation import gettext_lazy

from lintel_document import Field, Link
from lintel_document.schemas import type_name

#: Tables of parameters: the title of each, and its locations.
GROUPS = (
    (gettext_lazy("Path parameters"), ("path",)),
    (gettext_lazy("Query parameters"), ("query", "")),
    (gettext_lazy("Request body"), ("form", "body")),
    (gettext_lazy("Headers and cookies"), ("header", "cookie")),
)

#: Example values if only the type is known.
BY_TYPE: Mapping[str, object] = {
    "integer": 1,
    "number": 1.5,
    "boolean": True,
    "array": [],
    "object": {},
}

Item = dict[str, Any]

_FORMS = ("multipart/form-data", "application/x-www-form-urlencoded")


def walk(
    node: Mapping[str, object], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Link]]:
    for key, value in node.items():
        keys = (*above, key)
        if isinstance(value, Link):
            yield keys, value
        elif isinstance(value, Mapping):
            yield from walk(value, keys)


def sections(document: Mapping[str, object]) -> list[Item]:
    by_name: dict[str, list[Item]] = {"": []}
    taken: set[str] = set()
    for keys, link in walk(document):
        # Different lists of keys may look alike once they are joined.
        item = operation(keys, link, unused("-".join(keys), taken))
        by_name.setdefault(keys[0] if len(keys) > 1 else "", []).append(item)
    return [
        {"name": name, "title": in_words(name), "id": unused(name, taken), "links": links}
        for name, links in by_name.items()
        if links
    ]


def in_words(name: str) -> str:
    """``partial_update`` becomes ``Partial update``."""
    words = re.sub(r"[_\s-]+", " ", name).strip()
    return words[:1].upper() + words[1:]


def title_of(keys: tuple[str, ...], link: Link) -> str:
    """The title of an operation without a summary."""
    name = " / ".join(keys[1:]) or keys[0]
    if name.partition("_")[0] != link.action:
        return in_words(name)
    # Without any better name, the keys are the method and a number.
    parts = [part for part in urlsplit(link.url).path.split("/") if part and "{" not in part]
    return in_words(parts[-1] if parts else name)


def unused(identifier: str, taken: set[str]) -> str:
    result, number = identifier, 2
    while result in taken:
        result, number = f"{identifier}-{number}", number + 1
    taken.add(result)
    return result


def operation(keys: tuple[str, ...], link: Link, identifier: str = "") -> Item:
    """Return an operation of the native schema; ``facts`` is what the page's script reads."""
    identifier = identifier or "-".join(keys)
    fields = [parameter(field) for field in link.fields]
    shared = {
        "path": urlsplit(link.url).path,
        "method": (link.action or "get").upper(),
        "fields": fields,
    }
    return {
        **shared,
        "keys": list(keys),
        "id": identifier,
        "script_id": f"facts-{identifier}",
        "href": f"#{quote(identifier)}",
        "label": " / ".join(keys[1:]) or keys[0],
        "title": title_of(keys, link),
        "link": link,
        "is_shown": True,
        "parts": {},
        "groups": groups(fields),
        "has_form": link.encoding in _FORMS,
        "has_body": any(field["location"] == "form" for field in fields),
        "facts": {"keys": list(keys), "label": " / ".join(keys), **shared},
    }


def groups(fields: list[Item], has_body_of_its_own: bool = False) -> list[Item]:
    """Return the tables of parameters that have rows, without the body if it is shown elsewhere."""
    return [
        {"title": str(title), "fields": rows}
        for title, locations in GROUPS
        if not (has_body_of_its_own and "body" in locations)
        and (rows := [field for field in fields if field["location"] in locations])
    ]


def parameter(field: Field) -> Item:
    schema = field.schema
    items = getattr(schema, "items", None)
    choices = [plain(choice) for choice in getattr(schema, "enum", ())]
    kind = "string" if schema is None else type_name(schema)
    return {
        "name": field.name,
        "required": field.required,
        "location": field.location,
        "type": kind,
        "type_text": kind,
        "format": getattr(schema, "format", None) or "",
        "is_file": getattr(schema, "is_file", False) or getattr(items, "is_file", False),
        "description": str(getattr(schema, "description", "") or field.description or ""),
        "choices": choices,
        "example": next(filter(None, choices), BY_TYPE.get(kind, "text")),
    }


def plain(choice: object) -> object:
    return choice if choice is None or isinstance(choice, str | int | float) else str(choice)
