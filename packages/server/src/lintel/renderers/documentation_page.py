"""The context of the documentation page: operations with all details, and authentication."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from django.template import loader
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from lintel.renderers.descriptions import described
from lintel.renderers.documentation import groups, plain
from lintel.renderers.documentation_kept import KEPT, OPERATION, Keys, are_ours
from lintel.renderers.samples import samples_of
from lintel.utils.urls import remove_query_param, replace_query_param
from lintel.versioning import QueryParameterVersioning, URLPathVersioning
from lintel_document import Document

#: The media type of forms with files.
MULTIPART = "multipart/form-data"

#: A page of more operations loads each of them on request, with this query parameter.
MOST_AT_ONCE, ASKED_FOR = 100, "operation"


def complete(
    context: dict[str, Any], document: Document, renderer_context: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the context of the page with all details of the operations that it shows.

    ``reference`` of the renderer context returns parts by keys, beyond the native schema.
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
    templates = context.get("lang_htmls", ())
    keys = Keys(base, templates) if are_ours(*templates) else None
    for item in chosen:
        write(item, base, templates, keys)
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
        **known_ways(known, getattr(request, "user", None)),
    }


def described_sections(
    shown: list[dict[str, Any]], reference: Mapping[tuple[str, ...], Any]
) -> list[dict[str, Any]]:
    """Return the sections and their operations with details, without those that are left out."""
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
    """Return the versions of the API, each with the URL of its page if that is known."""
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
    """Return the URL of the page in another version; empty if no URL selects it."""
    parameter = str(scheme.version_param)
    match = request.resolver_match
    if isinstance(scheme, QueryParameterVersioning):
        return replace_query_param(page_address(request.get_full_path()), parameter, name)
    if isinstance(scheme, URLPathVersioning) and match and parameter in match.kwargs:
        return reverse(match.view_name, kwargs={**match.kwargs, parameter: name})
    return ""


def refer_to_pages(known: list[dict[str, Any]], chosen: list[dict[str, Any]]) -> None:
    """Make operations that are not on this page link to theirs."""
    for item in known:
        item["is_shown"] = item in chosen
        item["href"] = f"?{urlencode({ASKED_FOR: item['id']})}#{quote(item['id'])}"


def only(shown: list[dict[str, Any]], chosen: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the sections with only these operations."""
    found = [
        {**each, "links": [item for item in each["links"] if item in chosen]} for each in shown
    ]
    return [each for each in found if each["links"]]


def page_address(url: str) -> str:
    """Return the URL of the page without the operation that it shows."""
    return remove_query_param(url, ASKED_FOR) if f"{ASKED_FOR}=" in url else url


def login_url() -> str:
    """Return the URL of the login page of the browsable interface; empty without one."""
    try:
        return reverse("rest_framework:login")
    except NoReverseMatch:
        return ""


def write(item: dict[str, Any], base: str, templates: Any, keys: Keys | None) -> None:
    """Add the HTML of an operation, written once; with other templates, only what they need."""
    key = None if keys is None else keys.of(item)
    html = None if key is None else KEPT.get(key)
    if html is None:
        fill(item, base)
        if key is None:
            return
        shown = {"item": item, "lang_htmls": templates}
        html = loader.render_to_string(OPERATION, shown)
        KEPT.put(key, html)
    item["html"] = html


def fill(item: dict[str, Any], base: str) -> None:
    """Add the full details to one operation."""
    parts = item["parts"]
    known = parts["fields"] if parts else {}
    fields = [with_known(field, known.get(field["name"], {})) for field in item["fields"]]
    has_table = bool(parts and parts["body"] and any(v["table"] for v in parts["body"]["values"]))
    item["fields"] = item["facts"]["fields"] = fields
    item["form_encoding"] = item["facts"]["form_encoding"] = form_encoding(item)
    item["groups"] = groups(fields, has_body_of_its_own=has_table)
    item["samples"] = samples_of(item, base)
    item["described"] = described(item["link"].description)


def form_encoding(item: Mapping[str, Any]) -> str:
    """Return the media type for files of an operation whose first choice of body holds none.

    Empty if the first choice is a form or a file, or if the operation accepts no form.
    """
    parts, first = item["parts"], item["link"].encoding or "application/json"
    accepted = parts["body"]["media_types"] if parts and parts["body"] else ()
    is_needed = first == "application/json" and any(field["is_file"] for field in item["fields"])
    return MULTIPART if is_needed and MULTIPART in accepted else ""


def with_known(field: dict[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return a parameter with the details of its schema."""
    described = field["description"] or known.get("note", "")
    choices = field["choices"] or [plain(each) for each in known.get("choices", ())]
    return {**field, **known, "description": described, "choices": choices}


# ---- authentication ----

#: The word before a token, as quoted in the description of its scheme.
_WORD = re.compile(r'"([\w.~+-]+)"')


def ways_in(schemes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the credentials of OpenAPI schemes.

    These are the word before a token, the name of a header for a key, basic and a session.
    """
    found: dict[str, Any] = {"token_scheme": "", "key_header": ""}
    found |= {"takes_basic": False, "takes_session": False}
    for scheme in schemes:
        kind = (scheme.get("type"), str(scheme.get("scheme", scheme.get("in", ""))).lower())
        if kind == ("http", "basic"):
            found["takes_basic"] = True
        elif kind == ("apiKey", "cookie"):
            found["takes_session"] = True
        elif kind == ("apiKey", "header") and scheme.get("name") != "Authorization":
            found["key_header"] = found["key_header"] or str(scheme.get("name", ""))
        elif not found["token_scheme"]:
            found["token_scheme"] = _token_word(kind, scheme)
    return found


def _token_word(kind: tuple[Any, str], scheme: Mapping[str, Any]) -> str:
    if kind == ("http", "bearer"):
        return "Bearer"
    if kind == ("apiKey", "header"):
        quoted = _WORD.search(str(scheme.get("description", "")))
        return quoted[1] if quoted else "Token"
    return ""


def known_ways(known: list[dict[str, Any]], user: Any) -> dict[str, Any]:
    """Return the authentication schemes; what most samples need is shown once above them.

    ``has_session`` tells whether the session of ``user`` is accepted.
    """
    closed = [item for item in known if not item["is_open"]]
    is_taken = any(each["takes_session"] for each in known)
    return {
        "token_scheme": _first(closed, "token_scheme"),
        "key_header": _first(known, "key_header"),
        "has_session": is_taken and bool(getattr(user, "is_authenticated", False)),
        "takes_basic": any(each["takes_basic"] for each in closed),
        "takes_session": any(each["takes_session"] for each in closed),
    }


def _first(known: list[dict[str, Any]], name: str) -> str:
    return next((str(each[name]) for each in known if each[name]), "")


def texts() -> dict[str, str]:
    """Return the texts that the script of the page displays."""
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
