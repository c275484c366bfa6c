"""From the named parameters of a call to values sorted by location.

All errors are collected and raised at once, keyed by the name of the parameter.
"""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from lintel_client.conversions import as_data
from lintel_client.errors import ParameterError
from lintel_client.files import is_file
from lintel_client.forms import FORM, MULTIPART, essence, form_value
from lintel_client.headers import checked_header
from lintel_client.retries import is_key
from lintel_client.styles import (
    cookie_texts,
    filled,
    form_encoded,
    header_text,
    is_json,
    path_text,
    query_texts,
)
from lintel_client.values import as_json, as_text, as_texts, is_list, json_text, named
from lintel_document.links import Field, Link
from lintel_document.methods import is_safe
from lintel_document.uritemplates import Variable, variables

__all__ = ["JSON", "OCTET_STREAM", "UNSET", "Parameters", "distinguished", "sort_parameters"]

JSON = "application/json"
OCTET_STREAM = "application/octet-stream"
JSON_LINES = frozenset({"application/x-ndjson", "application/jsonl", "application/ndjson"})

QUERY_METHODS = frozenset({"", "GET", "DELETE", "HEAD", "OPTIONS"})
LOCATIONS = frozenset({"path", "query", "header", "cookie", "form", "body", "querystring"})
_BODY = frozenset({"form", "body"})
_QUERY = frozenset({"query", "querystring"})
# These frame the message or name the host; parameters must not change them.
FRAMING_HEADERS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "content-type", "upgrade"}
)


class _Unset:
    """Marks the absence of a body, because None is a body: null."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET = _Unset()


@dataclass(slots=True)
class Parameters:
    """Checked values by location: text for URL and headers, Python values for bodies.

    ``path_texts``, ``query_texts`` and ``cookie_texts`` are in described styles, and already
    encoded.
    """

    path: dict[str, Any] = field(default_factory=dict)
    path_texts: dict[str, str] = field(default_factory=dict)
    query_texts: list[str] = field(default_factory=list)
    cookie_texts: list[str] = field(default_factory=list)
    query: list[tuple[str, str]] = field(default_factory=list)
    headers: list[tuple[str, str]] = field(default_factory=list)
    cookies: list[tuple[str, str]] = field(default_factory=list)
    form: dict[str, Any] = field(default_factory=dict)
    body: Any = UNSET


def sort_parameters(link: Link, params: Mapping[str, Any], validate: bool = True) -> Parameters:
    """Return the values of a call, checked and sorted by location.

    A name shared by several fields gives its value to all of them, except to one in the query of a
    write that has it in the body; "path.id" addresses only the one in the path. Variables of the
    link's URL are parameters even without a field. With ``validate`` off, unknown names go to the
    default location and required ones may be missing, unless the URL needs them. Raises
    ParameterError, which names every invalid parameter.
    """
    link = distinguished(link)
    assigned, errors = _assign(link, params, validate)
    if validate:
        errors.update(_missing(link, assigned))
    errors = {**_holes(link, assigned), **errors}
    sorted_values = Parameters()
    for found, value in assigned:
        try:
            _PLACE[_location(link, found)](sorted_values, link, found, as_data(value))
        except (ValueError, RecursionError) as error:
            errors[found.name] = str(error) or "This value cannot be sent."
    errors.update(_clashes(link, sorted_values))
    _complete_body(link, sorted_values)
    if errors:
        raise ParameterError(errors)
    return sorted_values


def distinguished(link: Link) -> Link:
    """Return a link with the names that callers use.

    What a write takes in both the query and the body is the value to write: the parameter of the
    query, or the variable in the query of the URL's template, is called "query.status" instead.
    """
    in_body = {found.name for found in link.fields if _location(link, found) in _BODY}
    if is_safe(link.action) or not in_body:
        return link
    fields = [*link.fields, *(found for found in _implied_fields(link) if found.name in in_body)]
    templated = {each.name for each in _url_variables(link) if each.operator in ("?", "&")}
    hidden = {
        at: replace(found, name=f"{place}.{found.name}", wire_name=found.sent_name)
        for at, found in enumerate(fields)
        if found.name in in_body and (place := _place_in_query(link, found, templated))
    }
    renamed = [hidden.get(at, found) for at, found in enumerate(fields)]
    return link.replace(fields=renamed) if hidden else link


def _place_in_query(link: Link, found: Field, templated: set[str]) -> str:
    """Return where in the query a field is sent, empty for elsewhere."""
    place = _location(link, found)
    if place == "path" and found.sent_name in templated:
        return "query"
    return place if place in _QUERY else ""


# Fields by name

_Assigned = list[tuple[Field, Any]]


def _assign(
    link: Link, params: Mapping[str, Any], validate: bool
) -> tuple[_Assigned, dict[str, str]]:
    values: dict[int, Any] = {}
    fields = [found for found in link.fields if found.name] + _implied_fields(link)
    errors = {}
    extra: _Assigned = []
    # Shorter names first, so that "path.id" overrides "id".
    for name in sorted(params, key=lambda name: "." in name):
        positions = _positions(fields, name)
        values.update(dict.fromkeys(positions, params[name]))
        if not positions and validate:
            errors[name] = _unknown(name, fields)
        elif not positions:
            extra.append((Field(name), params[name]))
    return [(fields[at], value) for at, value in sorted(values.items())] + extra, errors


def _implied_fields(link: Link) -> list[Field]:
    """Return path fields for the variables of the URL that no field describes."""
    described = {found.sent_name for found in link.fields if found.location == "path"}
    names = {variable.name: variable for variable in _url_variables(link)}
    return [
        Field(name, required=not variable.optional, location="path")
        for name, variable in names.items()
        if name not in described
    ]


def _positions(fields: list[Field], name: str) -> list[int]:
    exact = [at for at, found in enumerate(fields) if found.name == name]
    if exact:
        return exact
    location, dot, bare = name.partition(".")
    if not dot:
        return []
    return [
        at
        for at, found in enumerate(fields)
        if found.location == location and bare in (found.name, found.sent_name)
    ]


def _unknown(name: str, fields: list[Field]) -> str:
    known = sorted({found.name for found in fields})
    near = difflib.get_close_matches(name, known, n=3)
    if near:
        return f"Unknown parameter. Did you mean {' or '.join(near)}?"
    return f"Unknown parameter. Known parameters: {', '.join(known) or 'none'}."


def _missing(link: Link, assigned: _Assigned) -> dict[str, str]:
    given = {id(found) for found, _ in assigned}
    whole = link.bodies and any(found.location == "body" for found, _ in assigned)
    return {
        found.name: "This parameter is required."
        for found in link.fields
        if found.required and found.name and id(found) not in given
        # The client generates a key if the caller gives none.
        if not is_key(found)
        # A whole body replaces all parameters of the body.
        if not (whole and found.location == "form")
    }


def _holes(link: Link, assigned: _Assigned) -> dict[str, str]:
    """Return variables without which the path of the URL would have a gap."""
    given = {found.sent_name for found, _ in assigned if _location(link, found) == "path"}
    needed = [variable.name for variable in _url_variables(link) if not variable.optional]
    needed += [found.sent_name for found in _styled_in_url(link)]
    return {name: "This parameter is required." for name in needed if name not in given}


def _url_variables(link: Link) -> list[Variable]:
    """Return the variables of the URL as a template, without names of described fields.

    A description may call a parameter "+path" or "rest*", which is not an operator there.
    """
    styled = {found.sent_name: "" for found in _styled_in_url(link)}
    return variables(filled(link.url, styled))


def _styled_in_url(link: Link) -> list[Field]:
    return [
        found
        for found in link.fields
        if found.location == "path" and _is_styled(found) and f"{{{found.sent_name}}}" in link.url
    ]


def _clashes(link: Link, values: Parameters) -> dict[str, str]:
    if link.encoding == OCTET_STREAM and len(values.form) > 1:
        return dict.fromkeys(values.form, "Only one value can be the body of this link.")
    return {}


def _complete_body(link: Link, values: Parameters) -> None:
    """Send an empty object if a body is required but all of its properties are optional."""
    if values.body is not UNSET or values.form:
        return
    required = any(each.required and each.media_type == link.encoding for each in link.bodies)
    if required and any(found.location == "form" for found in link.fields):
        values.body = {}


def _location(link: Link, found: Field) -> str:
    if found.location in LOCATIONS:
        return found.location
    return "query" if link.action.upper() in QUERY_METHODS else "form"


# Checks by location


def _is_styled(found: Field) -> bool:
    return bool(found.style or found.content_type)


def _put_in_path(values: Parameters, link: Link, found: Field, value: Any) -> None:
    if _is_styled(found):
        _put_styled_in_path(values, link, found, value)
        return
    variable = next((each for each in variables(link.url) if each.name == found.sent_name), None)
    if variable is None:
        raise ValueError("The URL of the link has no place for this parameter.")
    values.path[found.sent_name] = _path_value(variable, value)


def _put_styled_in_path(values: Parameters, link: Link, found: Field, value: Any) -> None:
    if f"{{{found.sent_name}}}" not in link.url:
        raise ValueError("The URL of the link has no place for this parameter.")
    text = path_text(found, value)
    if not text or (text == "." and found.style == "label"):
        raise ValueError("This parameter must not be empty.")
    if _is_dot_segment(text):
        raise ValueError("This parameter must not be a dot segment.")
    values.path_texts[found.sent_name] = text


def _is_dot_segment(text: str) -> bool:
    return text in (".", "..")


def _path_value(variable: Variable, value: Any) -> Any:
    if isinstance(value, Mapping) and (variable.explode or variable.operator):
        return {str(key): as_text(item) for key, item in value.items()}
    texts = as_texts(value)
    if not variable.optional and not "".join(texts):
        raise ValueError("This parameter must not be empty.")
    # A lone dot segment would be treated as a step in the path, even percent-encoded.
    if variable.operator in ("", "/") and any(text in (".", "..") for text in texts):
        raise ValueError("This parameter must not be a dot segment.")
    return texts if is_list(value) else texts[0]


def _put_in_query(values: Parameters, link: Link, found: Field, value: Any) -> None:
    if not _is_styled(found):
        values.query += [(found.sent_name, text) for text in as_texts(value)]
        return
    texts = query_texts(found, value)
    _check_some(found, texts)
    values.query_texts += texts


def _put_in_querystring(values: Parameters, link: Link, found: Field, value: Any) -> None:
    if not isinstance(value, Mapping) or is_json(found.content_type):
        text = json_text(value) if is_json(found.content_type) else as_text(value)
        values.query_texts.append(quote(text, safe=""))
        return
    pairs = [(as_text(name), text) for name, inner in value.items() for text in as_texts(inner)]
    values.query_texts.append(form_encoded(pairs))


def _put_in_header(values: Parameters, link: Link, found: Field, value: Any) -> None:
    if found.sent_name.lower() in FRAMING_HEADERS:
        raise ValueError("A parameter must not set this header.")
    if _is_styled(found):
        text = header_text(found, value)
        _check_some(found, [] if text is None else [text])
    else:
        text = ",".join(as_texts(value))
    if text is not None:
        values.headers.append(checked_header(found.sent_name, text))


def _put_in_cookie(values: Parameters, link: Link, found: Field, value: Any) -> None:
    name, _ = checked_header(found.sent_name, "")
    if not _is_styled(found):
        values.cookies += [(name, text) for text in as_texts(value)]
        return
    texts = cookie_texts(found, value)
    _check_some(found, texts)
    for text in texts:
        checked_header(text.partition("=")[0], "")
    values.cookie_texts += texts


def _check_some(found: Field, texts: list[str]) -> None:
    """Reject a required parameter without a value: null, an empty list, an empty object."""
    if found.required and not texts:
        raise ValueError("This parameter is required.")


def _put_in_form(values: Parameters, link: Link, found: Field, value: Any) -> None:
    values.form[found.sent_name] = _body_value(link, found, value, whole=False)


def _put_in_body(values: Parameters, link: Link, found: Field, value: Any) -> None:
    values.body = _body_value(link, found, value, whole=True)


_PLACE: dict[str, Callable[[Parameters, Link, Field, Any], None]] = {
    "path": _put_in_path,
    "query": _put_in_query,
    "querystring": _put_in_querystring,
    "header": _put_in_header,
    "cookie": _put_in_cookie,
    "form": _put_in_form,
    "body": _put_in_body,
}


def _body_value(link: Link, found: Field, value: Any, whole: bool) -> Any:
    kind = essence(link.encoding)
    if kind in (FORM, MULTIPART) or (link.bodies and kind.startswith("multipart/")):
        described = found if link.bodies and not whole else None
        return _form_mapping(link, value) if whole else form_value(kind, value, described)
    if kind == OCTET_STREAM and not link.bodies:
        if not is_file(value) and not isinstance(value, bytes | bytearray):
            raise ValueError("This parameter must be a file.")
        return value
    if link.bodies and not is_json(kind):
        return _plain_body(kind, value)
    return as_json(value)


def _plain_body(kind: str, value: Any) -> Any:
    """Return a body that is neither JSON nor a form: text, bytes, a file, or lines of JSON."""
    if is_file(value) or isinstance(value, bytes | bytearray):
        return value
    if kind in JSON_LINES and is_list(value):
        return "".join(json_text(item) + "\n" for item in value)
    is_structured = isinstance(value, Mapping) or is_list(value)
    is_json_value = is_structured or value is None or isinstance(value, bool | int | float)
    if is_json_value and kind in ("*/*", "application/*"):
        return as_json(value)
    if is_structured:
        raise ValueError(f"The body must be text or a file: it is sent as {kind}, {named(value)}.")
    return as_text(value)


def _form_mapping(link: Link, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError("The body of a form must be an object.")
    fields = {found.sent_name: found for found in link.fields if found.location == "form"}
    kind = essence(link.encoding)
    return {
        str(name): form_value(
            kind, inner, fields.get(str(name), Field(str(name))) if link.bodies else None
        )
        for name, inner in value.items()
    }
