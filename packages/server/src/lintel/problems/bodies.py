"""The bodies of errors as problem details (RFC 9457), and which requests receive them."""

from collections.abc import Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from http.client import responses
from math import isfinite
from typing import Any, TypeAlias
from urllib.parse import quote
from uuid import UUID

from lintel.annotations import AnyRequest
from lintel.problems.catalogue import PROBLEM_MEDIA_TYPE, RESPONSE_CODES, VALIDATION_STATUSES
from lintel.problems.places import MAX_DEPTH, error_entries, is_structured, parameter_of, text_of
from lintel.settings import BOTH, PROBLEM, api_settings
from lintel.utils.mediatypes import parse_media_type

#: Members with a fixed meaning: a project's values of these names go below ``context``.
OWN_MEMBERS = frozenset(
    ["type", "title", "status", "instance", "errors", "errors_left_out", "context"]
)

#: How much of an Accept header is parsed.
MAX_ACCEPT_LENGTH = 8192

#: The entry of META under which the middleware of lintel.requestlog leaves the id of a request.
REQUEST_ID = "lintel.request_id"

#: That of the id of its trace, if lintel.telemetry records it.
TRACE_ID = "lintel.trace_id"

#: Values that renderers write natively.
WRITTEN = (str, int, date, time, timedelta, Decimal, UUID)

_STATUS_CODES = {entry.status: entry.code for entry in reversed(RESPONSE_CODES)}

#: Members of problem details by name (RFC 9457, section 3).
Members: TypeAlias = dict[str, Any]


def takes_problems(request: object) -> bool:
    """Return whether errors of this request have problem details as their body."""
    # With "both" the Accept header must name the media type itself: ``*/*`` does not.
    chosen = api_settings.ERROR_FORMAT
    if chosen != BOTH:
        return bool(chosen == PROBLEM)
    accept = getattr(request, "META", {}).get("HTTP_ACCEPT", "")[:MAX_ACCEPT_LENGTH]
    if PROBLEM_MEDIA_TYPE not in accept.lower():
        return False
    return any(_names_problems(entry) for entry in accept.split(","))


def _names_problems(entry: str) -> bool:
    media_type = parse_media_type(entry.strip())
    if media_type.full_type != PROBLEM_MEDIA_TYPE:
        return False
    try:
        return float(media_type.params.get("q", 1)) > 0
    except ValueError:
        return True


def problem_body(exc: Any, request: AnyRequest = None) -> Members:
    """Return the problem details of an APIException, of any shape of its ``detail``."""
    detail = getattr(exc, "detail", None)
    status = int(exc.status_code)
    if not is_structured(detail):
        members = _told(exc, detail, request)
    elif isinstance(detail, Mapping) and _holds_members(detail, status):
        members = _with_members(exc, detail)
    else:
        members = _with_errors(exc, request)
    code = members.pop("code", None) or text_of(getattr(exc, "default_code", None) or "error")
    return {**_head(status, code, request, members.pop("detail", None)), **members}


def problem_of_status(status: int, request: object = None) -> Members:
    return _head(status, _STATUS_CODES.get(status, "error"), request, None)


def _head(status: int, code: str, request: object, detail: str | None) -> Members:
    phrase = responses.get(status) or ("Client Error" if status < 500 else "Server Error")
    base = api_settings.PROBLEM_TYPE_BASE
    head: dict[str, object] = {
        "type": f"{base}{quote(code, safe='')}" if base else "about:blank",
        # Each type has one title; that of about:blank is the phrase of the status (4.2.1).
        "title": code.replace("_", " ").capitalize() if base else phrase,
        "status": status,
    }
    if detail is not None:
        head["detail"] = detail
    path = getattr(request, "path", None)
    if isinstance(path, str):
        # Without the query, which may contain secrets.
        head["instance"] = quote(path, safe="/:@!$&'()*+,;=~", errors="replace")
    head["code"] = code
    request_id = getattr(request, "META", {}).get(REQUEST_ID)
    if request_id:
        head["request_id"] = request_id
    return head


def _told(exc: Exception, detail: object, request: object) -> Members:
    members: Members = {} if detail is None else {"detail": text_of(detail)}
    code = getattr(detail, "code", None)
    if code:
        members["code"] = text_of(code)
    if parameter_of(exc) is not None:
        members["errors"], _more = error_entries(exc, request)
    limit = getattr(exc, "limit", None)
    if limit is not None:
        members["limit"] = {"name": limit.name, "quota": limit.quota, "window": limit.window}
    return members


def _holds_members(detail: Mapping[str, object], status: int) -> bool:
    """Return whether a mapping holds members of one error, not messages by field."""
    text = detail.get("detail")
    if text is not None and not is_structured(text) and len(detail) == 1:
        return True
    return status not in VALIDATION_STATUSES


def _with_members(exc: Exception, detail: Mapping[str, object]) -> Members:
    members: Members = {}
    context: Members = {}
    for key, value in detail.items():
        name = text_of(key)
        if name in ("detail", "code"):
            is_text = value is not None and not is_structured(value)
            (members if is_text else context)[name] = text_of(value) if is_text else plain(value)
        else:
            (context if name in OWN_MEMBERS else members)[name] = plain(value)
    code = getattr(detail.get("detail"), "code", None)
    if code and "code" not in members:
        members["code"] = text_of(code)
    if context:
        members["context"] = context
    return members


def plain(value: Any, around: tuple[int, ...] = ()) -> object:
    """Return a value for JSON; None for what is deeper than ``MAX_DEPTH`` or inside itself."""
    if is_structured(value):
        if id(value) in around or len(around) >= MAX_DEPTH:
            return None
        around = (*around, id(value))
        if isinstance(value, Mapping):
            return {text_of(key): plain(part, around) for key, part in value.items()}
        return [plain(part, around) for part in value]
    if isinstance(value, float):
        return value if isfinite(value) else text_of(value)
    return value if value is None or isinstance(value, WRITTEN) else text_of(value)


def _with_errors(exc: Exception, request: object) -> Members:
    entries, more = error_entries(exc, request)
    members: Members = {"errors": entries}
    if more:
        members["errors_left_out"] = more
    if len(entries) == 1 and not entries[0].get("pointer"):
        members["detail"] = entries[0]["detail"]
    else:
        default = getattr(type(exc), "default_detail", None)
        if default is not None and not is_structured(default):
            members["detail"] = text_of(default)
    return members
