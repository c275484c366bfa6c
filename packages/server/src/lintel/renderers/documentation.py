"""What the templates of the documentation page read: groups of operations and their parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lintel.renderers.descriptions import described
from lintel.renderers.samples import samples_of
from lintel.utils.urls import remove_query_param, replace_query_param
from lintel.versioning import QueryParameterVersioning, URLPathVersioning
from lintel_document import Document, Field, Link
from lintel_document.schemas import type_name

#: Tables of parameters: the title of each, and the locations that belong to it.
GROUPS = (
    (gettext_lazy("Path parameters"), ("path",)),
    (gettext_lazy("Query parameters"), ("query", "")),
    (gettext_lazy("Request body"), ("form", "body")),
    (gettext_lazy("Headers and cookies"), ("header", "cookie")),
)

#: A page of more operations shows each of them when it is asked for, by this query parameter.
MOST_AT_ONCE, ASKED_FOR = 100, "operation"

#: What stands in an example where nothing is known but the type.
BY_TYPE: Mapping[str, Any] = {
    "integer": 1,
    "number": 1.5,
    "boolean": True,
    "array": [],
    "object": {},
}

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
    known: set[str] = set()
    for keys, link in walk(document):
        name = keys[0] if len(keys) > 1 else ""
        item = operation(keys, link)
        # Two lists of keys may look alike once they are joined.
        item["id"] = unused(item["id"], known)
        item["script_id"] = f"facts-{item['id']}"
        by_name.setdefault(name, []).append(item)
    return [
        {"name": name, "id": unused(name, known), "links": links}
        for name, links in by_name.items()
        if links
    ]


def unused(identifier: str, known: set[str]) -> str:
    """An identifier that nothing has yet, which is added to ``known``."""
    found, number = identifier, 2
    while found in known:
        found, number = f"{identifier}-{number}", number + 1
    known.add(found)
    return found


def operation(keys: tuple[str, ...], link: Link) -> dict[str, Any]:
    """One operation as the native schema has it; ``facts`` is what the script of the page reads."""
    identifier = "-".join(keys)
    fields = [parameter(field) for field in link.fields]
    path = urlsplit(link.url).path
    label = " / ".join(keys[1:]) or keys[0]
    method = (link.action or "get").upper()
    return {
        "keys": list(keys),
        "id": identifier,
        "script_id": f"facts-{identifier}",
        "href": f"#{quote(identifier)}",
        "label": label,
        "link": link,
        "path": path,
        "method": method,
        "is_shown": True,
        "parts": {},
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


def groups(fields: list[dict[str, Any]], has_body_of_its_own: bool = False) -> list[dict[str, Any]]:
    """The tables of parameters that have rows; the body has one unless it is shown elsewhere."""
    tables = [
        {
            "title": str(title),
            "fields": [field for field in fields if field["location"] in locations],
        }
        for title, locations in GROUPS
        if not (has_body_of_its_own and "body" in locations)
    ]
    return [table for table in tables if table["fields"]]


def parameter(field: Field) -> dict[str, Any]:
    """One parameter, in values that JSON can carry."""
    schema = field.schema
    choices = [_plain(choice) for choice in getattr(schema, "enum", ())]
    kind = "string" if schema is None else type_name(schema)
    return {
        "name": field.name,
        "required": field.required,
        "location": field.location,
        "type": kind,
        "type_text": kind,
        "format": getattr(schema, "format", None) or "",
        "is_file": any(
            getattr(each, "is_file", False) for each in (schema, getattr(schema, "items", None))
        ),
        "description": str(getattr(schema, "description", "") or field.description or ""),
        "choices": choices,
        "example": next((each for each in choices if each), BY_TYPE.get(kind, "text")),
    }


def _plain(choice: Any) -> Any:
    return choice if choice is None or isinstance(choice, str | int | float) else str(choice)


# ---- what the page shows of them ----


def complete(
    context: dict[str, Any], document: Document, renderer_context: Mapping[str, Any]
) -> dict[str, Any]:
    """The context of the page with all that is known of the operations that it shows.

    ``reference`` of the renderer context gives parts by keys, beyond the native schema.
    """
    request = renderer_context.get("request")
    find = renderer_context.get("reference")
    navigation = described_sections(context.get("sections", []), find(document) if find else {})
    known = [item for section in navigation for item in section["links"]]
    wanted = getattr(request, "query_params", {}).get(ASKED_FOR)
    chosen = [item for item in known if item["id"] == wanted]
    is_part = bool(chosen)
    if not chosen and len(known) <= MOST_AT_ONCE:
        chosen = known
    else:
        refer_to_pages(known, chosen)
    base = page_address(document.url)
    for item in chosen:
        fill(item, base)
    return {
        **context,
        "navigation": navigation,
        "sections": only(navigation, chosen) if is_part else navigation,
        "is_part": is_part,
        "described": described(document.description),
        "base": base,
        "host": urlsplit(base).netloc,
        "page_url": page_address(request.get_full_path()) if request is not None else "",
        "login_url": login_url(),
        "versions": versions_of(request),
        "texts": texts(),
        **known_ways(known),
    }


def described_sections(
    shown: list[dict[str, Any]], reference: Mapping[tuple[str, ...], Any]
) -> list[dict[str, Any]]:
    """The sections, their operations with their parts, without those that are left out."""
    for item in (item for section in shown for item in section["links"]):
        parts = reference.get(tuple(item["keys"]), {})
        item["is_left_out"] = parts is None
        item["parts"] = parts = parts or {}
        item.update(ways_in(parts.get("security", ())))
        item["is_open"] = parts.get("is_open", True)
    kept = [
        {**each, "links": [item for item in each["links"] if not item["is_left_out"]]}
        for each in shown
    ]
    return [each for each in kept if each["links"]]


def versions_of(request: Any) -> list[dict[str, Any]]:
    """The versions of the API, each with the address of its page where that can be told."""
    scheme = getattr(request, "versioning_scheme", None)
    names = list(getattr(scheme, "allowed_versions", None) or ())
    return [
        {
            "name": name,
            "is_current": name == request.version,
            "url": address_of_version(request, scheme, name),
        }
        for name in names
        if len(names) > 1
    ]


def address_of_version(request: Any, scheme: Any, name: str) -> str:
    """The address of the page in another version; empty where no address chooses it."""
    parameter = str(scheme.version_param)
    match = request.resolver_match
    if isinstance(scheme, QueryParameterVersioning):
        return replace_query_param(page_address(request.get_full_path()), parameter, name)
    if isinstance(scheme, URLPathVersioning) and match and parameter in match.kwargs:
        return reverse(match.view_name, kwargs={**match.kwargs, parameter: name})
    return ""


def refer_to_pages(known: list[dict[str, Any]], chosen: list[dict[str, Any]]) -> None:
    """Have the operations that are not on this page lead to theirs."""
    for item in known:
        item["is_shown"] = item in chosen
        item["href"] = f"?{urlencode({ASKED_FOR: item['id']})}#{quote(item['id'])}"


def only(shown: list[dict[str, Any]], chosen: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The sections of some operations, without the others."""
    found = [
        {**each, "links": [item for item in each["links"] if item in chosen]} for each in shown
    ]
    return [each for each in found if each["links"]]


def page_address(url: str) -> str:
    """The address of the page without the operation that it shows."""
    return remove_query_param(url, ASKED_FOR) if f"{ASKED_FOR}=" in url else url


def login_url() -> str:
    """The address of the login page of the browsable interface; empty without one."""
    try:
        return reverse("rest_framework:login")
    except NoReverseMatch:
        return ""


def fill(item: dict[str, Any], base: str) -> None:
    """Add to one operation what the page shows in full."""
    parts = item["parts"]
    known = parts["fields"] if parts else {}
    fields = [with_known(field, known.get(field["name"], {})) for field in item["fields"]]
    has_table = bool(parts and parts["body"] and any(v["table"] for v in parts["body"]["values"]))
    item["fields"] = item["facts"]["fields"] = fields
    item["groups"] = groups(fields, has_body_of_its_own=has_table)
    item["samples"] = samples_of(item, base)
    item["described"] = described(item["link"].description)


def with_known(field: dict[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """A parameter with what the schema of its values tells."""
    described = field["description"] or known.get("note", "")
    choices = field["choices"] or [_plain(each) for each in known.get("choices", ())]
    return {**field, **known, "description": described, "choices": choices}


# ---- ways in ----

#: The word before a token, as the description of its scheme quotes it.
_WORD = re.compile(r'"([\w.~+-]+)"')


def ways_in(schemes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The credentials that schemes of OpenAPI take: the word before a token, basic, a session."""
    found: dict[str, Any] = {"token_scheme": "", "takes_basic": False, "takes_session": False}
    for scheme in schemes:
        kind = (scheme.get("type"), str(scheme.get("scheme", scheme.get("in", ""))).lower())
        if kind == ("http", "basic"):
            found["takes_basic"] = True
        elif kind == ("apiKey", "cookie"):
            found["takes_session"] = True
        elif not found["token_scheme"]:
            found["token_scheme"] = _token_word(kind, scheme)
    return found


def _token_word(kind: tuple[Any, str], scheme: Mapping[str, Any]) -> str:
    if kind == ("http", "bearer"):
        return "Bearer"
    if kind == ("apiKey", "header") and scheme.get("name") == "Authorization":
        quoted = _WORD.search(str(scheme.get("description", "")))
        return quoted[1] if quoted else "Token"
    return ""


def known_ways(known: list[dict[str, Any]]) -> dict[str, Any]:
    """The ways into the API: what most samples need stands once above them."""
    closed = [item for item in known if not item["is_open"]]
    return {
        "token_scheme": next((each["token_scheme"] for each in closed if each["token_scheme"]), ""),
        "takes_basic": any(each["takes_basic"] for each in closed),
        "takes_session": any(each["takes_session"] for each in closed),
    }


def texts() -> dict[str, str]:
    """What the script of the page says to people."""
    return {
        "none": _("Nothing found."),
        "found": _("{count} found"),
        "noParameters": _("This operation takes no parameters."),
        "required": _("required"),
        "noAnswer": _("No answer came"),
        "bytes": _("{count} bytes"),
        "notText": _("{count} bytes that are not text"),
        "inAll": _("… {count} bytes in all"),
        "copied": _("Copied"),
        "loading": _("Loading …"),
        "failed": _("It could not be loaded."),
        "refused": _("The login was refused."),
    }
