"""Hands the match of a path, found before the middleware runs, to Django's handler.

Middleware may change the path of a request or its ``urlconf``: then Django resolves it.
"""

from functools import partial
from typing import Any

from django.core.handlers.base import BaseHandler
from django.http import HttpRequest
from django.urls import ResolverMatch

#: The key of a path and its match in the attributes of a request.
_FOUND = "_found_by_lintel"


def give(request: HttpRequest, path: str, match: ResolverMatch) -> None:
    vars(request)[_FOUND] = path, match


def given_view(request: HttpRequest) -> object:
    """Return the view that the path of a request led to, whatever middleware does with it."""
    _, match = vars(request)[_FOUND]
    return match.func


def resolves_given(handler: BaseHandler) -> None:
    """Let a handler take the match that a request was given."""
    vars(handler)["resolve_request"] = partial(_resolve, handler)


def _resolve(handler: BaseHandler, request: Any) -> ResolverMatch:
    path, match = vars(request).pop(_FOUND, (None, None))
    if match is None or request.path_info != path or hasattr(request, "urlconf"):
        return type(handler).resolve_request(handler, request)
    request.resolver_match = match
    return match
