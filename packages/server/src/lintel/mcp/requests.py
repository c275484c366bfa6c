"""The request to a view that a call of a tool stands for.

It has the caller's own headers: cookies, Authorization, language, address. So the project's
middleware, authentication, permissions, throttles and versioning see who calls.
"""

import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from posixpath import basename
from typing import Any
from urllib.parse import unquote, urlencode

from django.core.exceptions import SuspiciousFileOperation
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.utils import validate_file_name
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest
from django.test.client import encode_multipart
from django.urls import Resolver404, get_script_prefix, resolve

from lintel.request import Request
from lintel.schemas.generators import Endpoint, EndpointEnumerator
from lintel.versioning import QueryParameterVersioning
from lintel_document import Link
from lintel_document.agents.inputs import GivenFile, Input, Inputs, given_file
from lintel_document.uritemplates import expand

#: What belongs to the message of the protocol, and not to the request that it stands for.
_OF_THE_MESSAGE = frozenset(
    {
        *("CONTENT_TYPE", "CONTENT_LENGTH", "HTTP_CONTENT_LENGTH", "HTTP_CONTENT_TYPE"),
        *("HTTP_CONTENT_ENCODING", "HTTP_TRANSFER_ENCODING", "HTTP_CONTENT_DIGEST", "HTTP_EXPECT"),
        *("HTTP_RANGE", "HTTP_IF_MATCH", "HTTP_IF_NONE_MATCH", "HTTP_IF_MODIFIED_SINCE"),
        *("HTTP_IF_UNMODIFIED_SINCE", "HTTP_IF_RANGE", "HTTP_LAST_EVENT_ID", "HTTP_PREFER"),
        *("HTTP_X_HTTP_METHOD_OVERRIDE", "HTTP_X_METHOD_OVERRIDE", "HTTP_X_HTTP_METHOD"),
        *("HTTP_IDEMPOTENCY_KEY", "HTTP_ACCEPT", "HTTP_ACCEPT_ENCODING"),
        *("QUERY_STRING", "REQUEST_METHOD", "REQUEST_URI", "RAW_URI", "PATH_TRANSLATED"),
        *("SCRIPT_URL", "REDIRECT_URL", "HTTP_X_ORIGINAL_URL", "HTTP_X_REWRITE_URL"),
    }
)
_OF_THE_PROTOCOL = "HTTP_MCP_"
#: How tests log callers in.
_TEST_ATTRIBUTES = ("_force_auth_user", "_force_auth_token", "_dont_enforce_csrf_checks")
_ANY_TYPE = "*/*;q=0.1"
_PARAMETER = re.compile(r"\{[^{}]*\}")


class Misfit(ValueError):
    """Arguments that make no request: ``errors`` has a message for each."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__("Some arguments are missing or wrong")
        self.errors = errors


@dataclass(slots=True)
class _Sent:
    """The values of a call by location."""

    path: dict[str, Any] = field(default_factory=dict)
    query: list[tuple[str, str]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    form: dict[str, Any] = field(default_factory=dict)
    body: list[Any] = field(default_factory=list)


def request_for(
    caller: Request, link: Link, endpoint: Endpoint, arguments: Mapping[str, Any]
) -> WSGIRequest:
    """Build the request for an operation. Raises Misfit for arguments that do not fit."""
    inputs = Inputs(link)
    wrong = {**inputs.unknown(arguments), **inputs.missing(arguments)}
    wrong = wrong or inputs.misplaced(arguments) or _unwritable(arguments)
    if wrong:
        raise Misfit(wrong)
    sent, outer = _sorted(inputs, arguments), caller._request
    path = unquote(expand(link.url, sent.path))
    _check_place(path, endpoint, outer, list(arguments))
    content_type, content = _body(link, sent)
    request = WSGIRequest(
        {
            **_surroundings(outer),
            "REQUEST_METHOD": link.action.upper() or "GET",
            "SCRIPT_NAME": _latin(get_script_prefix().rstrip("/")),
            "PATH_INFO": _latin(path),
            "QUERY_STRING": urlencode([*_version(caller), *sent.query]),
            "HTTP_ACCEPT": _accepted(outer),
            "CONTENT_TYPE": content_type,
            "CONTENT_LENGTH": str(len(content)),
            "wsgi.input": BytesIO(content),
            "wsgi.url_scheme": "https" if outer.is_secure() else "http",
            **sent.headers,
            **({} if link.action in ("", "get") else {"HTTP_IDEMPOTENCY_KEY": str(uuid.uuid4())}),
        }
    )
    for name in _TEST_ATTRIBUTES:
        if hasattr(outer, name):
            setattr(request, name, getattr(outer, name))
    return request


def _unwritable(arguments: Mapping[str, Any]) -> dict[str, str]:
    """A message for each argument that UTF-8 cannot write: half of a surrogate pair."""
    message = "This argument has characters that are not Unicode text."
    return {name: message for name, value in arguments.items() if not _is_unicode(value)}


def _is_unicode(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_place(path: str, endpoint: Endpoint, outer: HttpRequest, names: list[str]) -> None:
    """Raise Misfit if arguments make the path that of another view, or of another of its routes."""
    template, _, callback = endpoint
    try:
        match = resolve(path, getattr(outer, "urlconf", None))
    except Resolver404:
        match = None
    if match is None or match.func is not callback or _shape(match.route) != _shape(template):
        message = "With these arguments the path is that of no operation, or of another."
        raise Misfit(dict.fromkeys(names, message))


def _shape(route: str) -> str:
    """A route as a path without the names of its parameters, which descriptions change."""
    return _PARAMETER.sub("{}", EndpointEnumerator([]).get_path_from_regex(route))


def _surroundings(outer: HttpRequest) -> dict[str, str]:
    return {
        name: value
        for name, value in outer.META.items()
        if isinstance(value, str)
        and name not in _OF_THE_MESSAGE
        and not name.startswith((_OF_THE_PROTOCOL, "wsgi."))
    }


def _accepted(outer: HttpRequest) -> str:
    """JSON first, with the parameters that the caller sends, such as a version."""
    given = outer.headers.get("Accept", "").split(",")
    media_types = [media_type.strip() for media_type in given if "json" in media_type]
    return ", ".join([*(media_types or ["application/json"]), _ANY_TYPE])


def _version(caller: Request) -> list[tuple[str, str]]:
    """The version that the caller asks for in the query, where the project reads it."""
    scheme = caller.versioning_scheme
    if not isinstance(scheme, QueryParameterVersioning):
        return []
    given = caller.query_params.get(scheme.version_param)
    return [] if given is None else [(scheme.version_param, given)]


def _sorted(inputs: Inputs, arguments: Mapping[str, Any]) -> _Sent:
    sent, wrong = _Sent(), {}
    for name, value in arguments.items():
        try:
            _PLACES.get(inputs[name].field.location, _put_in_query)(sent, inputs[name], value)
        except ValueError as error:
            wrong[name] = str(error)
    if wrong:
        raise Misfit(wrong)
    return sent


def _put_in_path(sent: _Sent, place: Input, value: Any) -> None:
    text = _text(value)
    if not text:
        raise ValueError("This parameter must not be empty.")
    sent.path[place.field.sent_name] = text


def _put_in_query(sent: _Sent, place: Input, value: Any) -> None:
    values = value if isinstance(value, list) else [value]
    sent.query += [(place.field.sent_name, _text(item)) for item in values if item is not None]


def _put_in_header(sent: _Sent, place: Input, value: Any) -> None:
    text = _text(value)
    if not text.isprintable() or not text.isascii():
        raise ValueError("A header must be printable ASCII.")
    sent.headers[f"HTTP_{place.field.sent_name.upper().replace('-', '_')}"] = text


def _put_in_form(sent: _Sent, place: Input, value: Any) -> None:
    sent.form[place.field.sent_name] = _given(place, value)


def _put_in_body(sent: _Sent, place: Input, value: Any) -> None:
    sent.body.append(_given(place, value))


def _given(place: Input, value: Any) -> Any:
    """A value of the body; text in place of a file is its content."""
    result = given_file(place, value) if place.is_file else value
    if isinstance(result, GivenFile):
        _check_file(result)
    return GivenFile(place.field.sent_name, result) if isinstance(result, bytes) else result


def _check_file(given: GivenFile) -> None:
    """Raise ValueError for a file whose name or media type no form can hold."""
    kind = given.content_type or ""
    if not (kind.isascii() and kind.isprintable()):
        raise ValueError("The content type must be printable ASCII.")
    try:
        validate_file_name(basename(given.name))
    except SuspiciousFileOperation:
        raise ValueError("The name is not that of a file.") from None


_PLACES = {
    "path": _put_in_path,
    "query": _put_in_query,
    "header": _put_in_header,
    "form": _put_in_form,
    "body": _put_in_body,
}


def _body(link: Link, sent: _Sent) -> tuple[str, bytes]:
    """The media type and the content of the body, both empty without one."""
    if sent.body and isinstance(sent.body[0], GivenFile):
        return link.encoding, sent.body[0].content
    fields = [item for item in link.fields if item.location in ("form", "body")]
    if not fields:
        return "", b""
    value = sent.body[0] if sent.body else sent.form
    if link.encoding == "application/x-www-form-urlencoded" and not sent.body:
        return link.encoding, urlencode(_pairs(value)).encode()
    if link.encoding == "multipart/form-data" and not sent.body:
        parts = {name: _part(inner) for name, inner in value.items() if inner is not None}
        boundary = uuid.uuid4().hex  # that no content has, unlike a fixed one
        content_type = f"multipart/form-data; boundary={boundary}"
        return content_type, encode_multipart(boundary, parts)
    return "application/json", json.dumps(value).encode()


def _pairs(form: Mapping[str, Any]) -> list[tuple[str, str]]:
    listed = [
        (name, item)
        for name, value in form.items()
        for item in (value if isinstance(value, list) else [value])
    ]
    return [(name, _text(item)) for name, item in listed if item is not None]


def _part(value: Any) -> Any:
    if isinstance(value, GivenFile):
        kind = value.content_type or "application/octet-stream"
        return SimpleUploadedFile(_escaped(value.name), value.content, kind)
    if isinstance(value, list):
        return [_part(item) for item in value if item is not None]
    return _text(value)


def _escaped(name: str) -> str:
    """A file's name that cannot end its header (HTML, 4.10.21.8)."""
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value)


def _latin(path: str) -> str:
    """A path as the interface of servers has it (PEP 3333): its bytes as characters."""
    return path.encode("utf-8", "replace").decode("latin-1")
