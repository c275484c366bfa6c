"""From the named parameters of a call to values sorted by the place in which they travel.

All that is wrong is collected and raised at once, keyed by the name of the parameter.
"""

import difflib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lintel_client.errors import ParameterError
from lintel_client.files import is_file
from lintel_client.headers import checked_header
from lintel_document.document import Array
from lintel_document.links import Field, Link
from lintel_document.uritemplates import Variable, variables

__all__ = ["FORM", "JSON", "MULTIPART", "OCTET_STREAM", "UNSET", "Parameters", "sort_parameters"]

JSON = "application/json"
MULTIPART = "multipart/form-data"
OCTET_STREAM = "application/octet-stream"
FORM = "application/x-www-form-urlencoded"

QUERY_METHODS = frozenset({"", "GET", "DELETE", "HEAD", "OPTIONS"})
LOCATIONS = frozenset({"path", "query", "header", "cookie", "form", "body"})
# These frame the message or name the host; a parameter must not be able to change them.
FRAMING_HEADERS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "content-type", "upgrade"}
)


class _Unset:
    """The absence of a body, since None is a body: null."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET = _Unset()


@dataclass(slots=True)
class Parameters:
    """Checked values by place: text for URL and headers, Python values for bodies."""

    path: dict[str, Any] = field(default_factory=dict)
    query: list[tuple[str, str]] = field(default_factory=list)
    headers: list[tuple[str, str]] = field(default_factory=list)
    cookies: list[tuple[str, str]] = field(default_factory=list)
    form: dict[str, Any] = field(default_factory=dict)
    body: Any = UNSET


def sort_parameters(link: Link, params: Mapping[str, Any], validate: bool = True) -> Parameters:
    """Return the values of a call, checked and sorted by location.

    A name that several fields share gives its value to all of them; "path.id" addresses the one in
    the path alone. Variables of the link's URL are parameters even without a field. With
    `validate` off, unknown names travel in the default location and required ones may be missing,
    unless the URL needs them. Raises ParameterError naming every parameter that is wrong.
    """
    assigned, errors = _assign(link, params, validate)
    if validate:
        errors.update(_missing(link, assigned))
    errors = {**_holes(link, assigned), **errors}
    sorted_values = Parameters()
    for found, value in assigned:
        try:
            _PLACE[_location(link, found)](sorted_values, link, found, value)
        except (ValueError, RecursionError) as error:
            errors[found.name] = str(error) or "This value cannot be sent."
    errors.update(_clashes(link, sorted_values))
    if errors:
        raise ParameterError(errors)
    return sorted_values


# Which field does a name mean?

_Assigned = list[tuple[Field, Any]]


def _assign(
    link: Link, params: Mapping[str, Any], validate: bool
) -> tuple[_Assigned, dict[str, str]]:
    values: dict[int, Any] = {}
    fields = [found for found in link.fields if found.name] + _implied_fields(link)
    errors = {}
    extra: _Assigned = []
    # Shorter names first, so that "path.id" has the last word over "id".
    for name in sorted(params, key=lambda name: "." in name):
        positions = _positions(fields, name)
        values.update(dict.fromkeys(positions, params[name]))
        if not positions and validate:
            errors[name] = _unknown(name, fields)
        elif not positions:
            extra.append((Field(name), params[name]))
    return [(fields[at], value) for at, value in sorted(values.items())] + extra, errors


def _implied_fields(link: Link) -> list[Field]:
    """Path fields for the variables of the URL that no field describes."""
    described = {found.name for found in link.fields if found.location == "path"}
    names = {variable.name: variable for variable in variables(link.url)}
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
        at for at, found in enumerate(fields) if found.name == bare and found.location == location
    ]


def _unknown(name: str, fields: list[Field]) -> str:
    known = sorted({found.name for found in fields})
    near = difflib.get_close_matches(name, known, n=3)
    if near:
        return f"Unknown parameter. Did you mean {' or '.join(near)}?"
    return f"Unknown parameter. Known are: {', '.join(known) or 'none'}."


def _missing(link: Link, assigned: _Assigned) -> dict[str, str]:
    given = {id(found) for found, _ in assigned}
    return {
        found.name: "This parameter is required."
        for found in link.fields
        if found.required and found.name and id(found) not in given
    }


def _holes(link: Link, assigned: _Assigned) -> dict[str, str]:
    """Variables whose absence would leave a hole in the path of the URL."""
    given = {found.name for found, _ in assigned if _location(link, found) == "path"}
    return {
        variable.name: "This parameter is required."
        for variable in variables(link.url)
        if not variable.optional and variable.name not in given
    }


def _clashes(link: Link, values: Parameters) -> dict[str, str]:
    if link.encoding == OCTET_STREAM and len(values.form) > 1:
        return dict.fromkeys(values.form, "Only one value can be the body of this link.")
    return {}


def _location(link: Link, found: Field) -> str:
    if found.location in LOCATIONS:
        return found.location
    return "query" if link.action.upper() in QUERY_METHODS else "form"


# What may a value be in each place?


def _put_in_path(values: Parameters, link: Link, found: Field, value: Any) -> None:
    variable = next((each for each in variables(link.url) if each.name == found.name), None)
    if variable is None:
        raise ValueError("The URL of the link has no place for this parameter.")
    values.path[found.name] = _path_value(variable, value)


def _path_value(variable: Variable, value: Any) -> Any:
    if isinstance(value, Mapping) and (variable.explode or variable.operator):
        return {str(key): _text(item) for key, item in value.items()}
    texts = _texts(value)
    if not variable.optional and not "".join(texts):
        raise ValueError("This parameter must not be empty.")
    # A lone dot segment would be taken for a step in the path, even when it is percent-encoded.
    if variable.operator in ("", "/") and any(text in (".", "..") for text in texts):
        raise ValueError("This parameter must not be a dot segment.")
    return texts if _is_list(value) else texts[0]


def _put_in_query(values: Parameters, link: Link, found: Field, value: Any) -> None:
    values.query += [(found.name, text) for text in _texts(value)]


def _put_in_header(values: Parameters, link: Link, found: Field, value: Any) -> None:
    if found.name.lower() in FRAMING_HEADERS:
        raise ValueError("A parameter must not set this header.")
    values.headers.append(checked_header(found.name, ",".join(_texts(value))))


def _put_in_cookie(values: Parameters, link: Link, found: Field, value: Any) -> None:
    name, _ = checked_header(found.name, "")
    values.cookies += [(name, text) for text in _texts(value)]


def _put_in_form(values: Parameters, link: Link, found: Field, value: Any) -> None:
    values.form[found.name] = _body_value(link.encoding, value, whole=False)


def _put_in_body(values: Parameters, link: Link, found: Field, value: Any) -> None:
    values.body = _body_value(link.encoding, value, whole=True)


_PLACE: dict[str, Callable[[Parameters, Link, Field, Any], None]] = {
    "path": _put_in_path,
    "query": _put_in_query,
    "header": _put_in_header,
    "cookie": _put_in_cookie,
    "form": _put_in_form,
    "body": _put_in_body,
}


def _body_value(encoding: str, value: Any, whole: bool) -> Any:
    if encoding == OCTET_STREAM:
        if not is_file(value) and not isinstance(value, bytes | bytearray):
            raise ValueError("This parameter must be a file.")
        return value
    if encoding in (FORM, MULTIPART):
        return _form_mapping(encoding, value) if whole else _form_value(encoding, value)
    return _json_value(value)


def _form_mapping(encoding: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError("The body of a form must be an object.")
    return {str(name): _form_value(encoding, inner) for name, inner in value.items()}


def _form_value(encoding: str, value: Any) -> Any:
    if encoding == MULTIPART:
        if is_file(value):
            return value
        if _is_list(value):
            return [item if is_file(item) else _text(item) for item in value]
    return _texts(value) if _is_list(value) else _text(value)


def _json_value(value: Any) -> Any:
    """Return plain dictionaries and lists. Raises ValueError for what JSON cannot hold."""
    if isinstance(value, Mapping):
        return {_json_key(key): _json_value(inner) for key, inner in value.items()}
    if _is_list(value):
        return [_json_value(item) for item in value]
    if is_file(value) or isinstance(value, bytes | bytearray):
        raise ValueError("A file cannot travel in JSON: this link takes no upload.")
    if isinstance(value, str):
        return _encodable(value)
    if value is None or isinstance(value, bool | int | float):
        json.dumps(value, allow_nan=False)
        return value
    raise ValueError(f"A value of type {type(value).__name__} cannot travel in JSON.")


def _json_key(key: Any) -> str:
    if not isinstance(key, str):
        raise ValueError("The keys of an object must be strings.")
    return _encodable(key)


def _texts(value: Any) -> list[str]:
    return [_text(item) for item in value] if _is_list(value) else [_text(value)]


def _text(value: Any) -> str:
    """The text of one value in a URL, a header or a form."""
    if isinstance(value, str):
        return _encodable(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    raise ValueError(f"This parameter must be text, a number or a boolean, {_named(value)}.")


def _named(value: Any) -> str:
    if isinstance(value, Mapping):
        return "not an object"
    if _is_list(value):
        return "not a list of lists"
    return "not a file" if is_file(value) else f"not {type(value).__name__}"


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("This text has no UTF-8 form.") from None
    return text


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple | Array)
