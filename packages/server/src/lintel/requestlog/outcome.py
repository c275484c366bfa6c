"""What the line of a request says. Neither queries of URLs nor bodies, which may hold secrets."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.functional import LazyObject, empty

from lintel.requestlog.operations import operation_of
from lintel.requestlog.statements import Tally
from lintel.settings import api_settings


def outcome_of(
    request: HttpRequest, response: HttpResponseBase, tally: Tally, seconds: float
) -> dict[str, Any]:
    """Return the members of the line, in the order in which people read them."""
    members: dict[str, Any] = {
        "method": request.method,
        "path": request.path,
        **_place_of(request),
        "operation_id": operation_of(request),
        "status": response.status_code,
        "code": _error_code(response),
        "duration_ms": round(seconds * 1000, 1),
        "queries": tally.queries,
        "query_ms": round(tally.seconds * 1000, 1),
        "rows": tally.rows,
        "bytes": len(response.content) if isinstance(response, HttpResponse) else None,
        "user": _user_of(request),
    }
    return {name: value for name, value in members.items() if value is not None}


def _place_of(request: HttpRequest) -> dict[str, Any]:
    """The route, its name, the view and the action: those that many requests share."""
    match = request.resolver_match
    if match is None:
        return {}
    view = getattr(match.func, "cls", None) or match.func
    actions = getattr(match.func, "actions", None) or {}
    return {
        "route": match.route,
        "name": match.view_name or None,
        "view": getattr(view, "__name__", None),
        "action": actions.get((request.method or "").lower()),
    }


def _error_code(response: HttpResponseBase) -> str | None:
    """The code of an error: ``throttled``, ``permission_denied``, ``not_authenticated``, …"""
    data = getattr(response, "data", None)
    if response.status_code < 400 or not isinstance(data, dict):
        return None
    code = data.get("code") or getattr(data.get("detail"), "code", None)
    return str(code) if code else "invalid"


def _user_of(request: HttpRequest) -> str | None:
    """The key of the user if REQUEST_LOG_USER is on; asks for no user that nobody has asked for."""
    user: Any = request.__dict__.get("user") if api_settings.REQUEST_LOG_USER else None
    if isinstance(user, LazyObject) and user.__dict__.get("_wrapped") is empty:
        return None
    key = getattr(user, "pk", None)
    return None if key is None else str(key)
