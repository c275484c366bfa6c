"""The context of the documentation page: operations with all details, and authentication."""

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from django.template import loader
from django.urls import NoReverseMatch, URLResolver, get_resolver, get_urlconf, reverse
from django.utils.translation import gettext as _

from lintel.renderers.descriptions import described
from lintel.renderers.documentation import Item, groups, in_words, plain
from lintel.renderers.documentation_kept import KEPT, OPERATION, are_ours, key_of
from lintel.renderers.samples import name_of, samples_of
from lintel.request import Request
from lintel.utils.urls import remove_query_param, replace_query_param
from lintel.versioning import QueryParameterVersioning, URLPathVersioning
from lintel_document import Document

Section = dict[str, Any]
Field = Mapping[str, Any]

JSON, MULTIPART = "application/json", "multipart/form-data"

#: A page of more operations loads them on request, with one of these query parameters.
MOST_AT_ONCE, ASKED_FOR, GROUP = 100, "operation", "group"


#: Of more operations than these, those out of sight are laid out when they come near.
MOST_LAID_OUT = 40


def complete(context: Section, document: Document, renderer_context: Field) -> dict[str, object]:
    request = renderer_context.get("request")
    find = renderer_context.get("reference")
    navigation = detailed(context.get("sections", []), find(document) if find else {})
    items = items_of(navigation)
    part = chosen_of(navigation, getattr(request, "query_params", {}))
    ids = {item["id"] for item in part}
    chosen = [] if len(part or items) > MOST_AT_ONCE else part or items
    if part or not chosen:
        link_to_parts(navigation, {item["id"] for item in chosen})
    base = page_address(document.url)
    templates = context.get("lang_htmls", ())
    write(chosen, base, templates)
    return {
        **context,
        "tabs": tabs_of(templates),
        "intro_tabs": tabs_of(context.get("lang_intro_htmls", ())),
        "navigation": navigation,
        "sections": only(navigation, lambda item: item["id"] in ids) if part else navigation,
        "is_part": bool(part),
        "is_list": not part and not chosen,
        "is_long": len(chosen) > MOST_LAID_OUT,
        "loads_parts": renderer_context.get("loads_parts", False),
        "described": described(document.description),
        "base": base,
        "host": urlsplit(base).netloc,
        "page_url": page_address(request.get_full_path()) if request is not None else "",
        "login_url": login_address(),
        "versions": versions_of(request),
        "texts": texts(),
        **ways_of_all(items, getattr(request, "user", None)),
    }


def chosen_of(sections: Sequence[Section], query: Mapping[str, str]) -> list[Item]:
    """Return the operations of the part that a query asks for, by the name of a group, if any."""
    wanted, group = query.get(ASKED_FOR), query.get(GROUP)
    if wanted is not None:
        return [item for item in items_of(sections) if item["id"] == wanted]
    return items_of(section for section in sections if section["name"] == group)


def link_to_parts(sections: Iterable[Section], shown: Container[str]) -> None:
    """Let operations that are not ``shown`` link to pages of their own, and so groups."""
    for section in sections:
        section["href"] = f"?{urlencode({GROUP: section['name']})}#{quote(section['id'])}"
        for item in section["links"]:
            item["is_shown"] = item["id"] in shown
            item["href"] = f"?{urlencode({ASKED_FOR: item['id']})}"


def items_of(sections: Iterable[Section]) -> list[Item]:
    return [item for section in sections for item in section["links"]]


def only(sections: Iterable[Section], is_chosen: Callable[[Item], bool]) -> list[Section]:
    result = [{**item, "links": list(filter(is_chosen, item["links"]))} for item in sections]
    return [section for section in result if section["links"]]


def detailed(sections: list[Section], reference: Mapping[tuple[str, ...], object]) -> list[Section]:
    for item in items_of(sections):
        item["parts"] = reference.get(tuple(item["keys"]), {})
        details = item["parts"] or {}
        summary = details.get("summary") or ""
        if summary.upper() not in ("", item["method"]):
            item["title"] = summary
        item.update(ways_in(details.get("security", ())))
        item["is_open"] = details.get("is_open", True)
    return only(sections, lambda item: item["parts"] is not None)


def mark_repeated(items: Iterable[Item]) -> None:
    """Mark operations under whose title the text of a class would stand once more."""
    seen = set()
    for item in items:
        operation = getattr(item["parts"], "operation", None)
        text = item["link"].description
        item["is_repeated"] = text in seen and operation is not None and not operation.description
        seen.add(text)


def versions_of(request: Any) -> list[Section]:
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


def address_of_version(request: Request, scheme: Any, name: str) -> str:
    """Return the URL of the page in another version; empty if no URL selects it."""
    parameter = str(scheme.version_param)
    match = request.resolver_match
    if isinstance(scheme, QueryParameterVersioning):
        return replace_query_param(page_address(request.get_full_path()), parameter, name)
    if isinstance(scheme, URLPathVersioning) and match and parameter in match.kwargs:
        return reverse(match.view_name, kwargs={**match.kwargs, parameter: name})
    return ""


def page_address(url: str) -> str:
    for name in (ASKED_FOR, GROUP):
        url = remove_query_param(url, name) if f"{name}=" in url else url
    return url


def address_of(name: str, /, *args: object, **kwargs: object) -> str:
    try:
        return reverse(name, args=args, kwargs=kwargs)
    except NoReverseMatch:
        return ""


def login_address() -> str:
    """Return the URL of the login page; empty without one.

    It looks for it first, because the first ``reverse()`` of a process compiles every pattern.
    """
    is_there = _is_included("rest_framework", get_resolver(get_urlconf()))
    return address_of("rest_framework:login") if is_there else ""


def _is_included(namespace: str, resolver: URLResolver) -> bool:
    waiting, seen = [resolver], set[int]()
    while waiting:
        patterns = waiting.pop().url_patterns
        inner = [part for part in patterns if isinstance(part, URLResolver)]
        if any(namespace in (part.namespace, part.app_name) for part in inner):
            return True
        # A module may include itself.
        waiting += inner if id(patterns) not in seen else ()
        seen.add(id(patterns))
    return False


def write(items: list[Item], base: str, templates: Sequence[str]) -> None:
    """Add the HTML of operations, each written once; with other templates, only what they need."""
    mark_repeated(items)
    may_keep = are_ours(*templates)
    for item in items:
        key = key_of(item, base, templates) if may_keep else None
        html = None if key is None else KEPT.get(key)
        if html is None:
            fill(item, base)
        if key is not None and html is None:
            shown = {"item": item, "lang_htmls": templates, "tabs": tabs_of(templates)}
            html = loader.render_to_string(OPERATION, shown)
            KEPT.put(key, html)
        item["html"] = html


#: Names of languages that are no words with a capital letter.
_SPELLED = {"javascript": "JavaScript", "typescript": "TypeScript", "php": "PHP", "csharp": "C#"}


def tabs_of(templates: Sequence[str]) -> list[dict[str, str]]:
    """The name, the title and the template of each language."""
    names = [PurePosixPath(template).stem.removesuffix("-intro") for template in templates]
    return [
        {"name": name, "title": _SPELLED.get(name, in_words(name)), "template": template}
        for name, template in zip(names, templates, strict=True)
    ]


def fill(item: Item, base: str) -> None:
    parts = item["parts"]
    details = parts.fields if parts else {}
    body = (parts.body if parts else None) or {"values": (), "media_types": ()}
    by_location = {"body": getattr(parts, "whole", {})}
    fields = [
        with_details(field, details.get(field["name"]) or by_location.get(field["location"], {}))
        | {"client_name": name_of(field, item)}
        for field in item["fields"]
    ]
    encoding = form_encoding(fields, item["link"].encoding, body["media_types"])
    item["form_encoding"] = encoding
    item["fields"] = fields
    item["facts"] |= {"title": item["title"], "fields": fields, "form_encoding": encoding}
    item["groups"] = groups(fields, any(value["table"] for value in body["values"]))
    item["samples"] = samples_of(item, base)
    item["described"] = described(item["link"].description)


def form_encoding(fields: Iterable[Field], first: str, accepted: Iterable[str]) -> str:
    """Return the media type for files of an operation whose first choice of body holds none."""
    is_needed = (first or JSON) == JSON and any(field["is_file"] for field in fields)
    return MULTIPART if is_needed and MULTIPART in accepted else ""


def with_details(field: Field, details: Field) -> dict[str, object]:
    described = field["description"] or details.get("note", "")
    if in_words(described).lower() == in_words(field["name"]).lower():
        described = ""
    choices = field["choices"] or [plain(choice) for choice in details.get("choices", ())]
    return {**field, **details, "description": described, "choices": choices}


#: The word before a token, as quoted in the description of its scheme.
_WORD = re.compile(r'"([\w.~+-]+)"')


def ways_in(schemes: Iterable[Mapping[str, object]]) -> dict[str, object]:
    ways: dict[str, object] = {"token_scheme": "", "key_header": ""}
    ways |= {"takes_basic": False, "takes_session": False}
    for scheme in schemes:
        kind = scheme.get("type"), str(scheme.get("scheme", scheme.get("in", ""))).lower()
        if kind == ("http", "basic"):
            ways["takes_basic"] = True
        elif kind == ("apiKey", "cookie"):
            ways["takes_session"] = True
        elif kind == ("apiKey", "header") and scheme.get("name") != "Authorization":
            ways["key_header"] = ways["key_header"] or str(scheme.get("name", ""))
        elif kind == ("http", "bearer"):
            ways["token_scheme"] = ways["token_scheme"] or "Bearer"
        elif kind == ("apiKey", "header"):
            quoted = _WORD.search(str(scheme.get("description", "")))
            ways["token_scheme"] = ways["token_scheme"] or (quoted[1] if quoted else "Token")
    return ways


def ways_of_all(items: list[Item], user: object) -> dict[str, object]:
    """Return the ways in that most samples need; ``has_session``: the session is accepted."""
    closed = [item for item in items if not item["is_open"]]
    takes_session = any(item["takes_session"] for item in items)
    return {
        "token_scheme": _first(closed, "token_scheme"),
        "key_header": _first(items, "key_header"),
        "has_session": takes_session and bool(getattr(user, "is_authenticated", False)),
        "takes_basic": any(item["takes_basic"] for item in closed),
        "takes_session": any(item["takes_session"] for item in closed),
    }


def _first(items: list[Item], name: str) -> str:
    return next((str(item[name]) for item in items if item[name]), "")


def texts() -> dict[str, str]:
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
