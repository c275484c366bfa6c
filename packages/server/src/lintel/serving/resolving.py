"""Hands the match of a path, found before the middleware runs, to Django's handler.

Middleware may change the path of a request or its ``urlconf``, or load the routes again: then
Django resolves it.
"""

from functools import partial
from typing import Any

from django.core.handlers.base import BaseHandler
from django.http import HttpRequest
from django.urls import ResolverMatch, URLResolver, get_resolver

#: The key of a ``Given`` in the attributes of a request.
_FOUND = "_found_by_lintel"


class Given:
    """Where the path of a request led to; copies and pickled requests know nothing of it."""

    __slots__ = ("match", "path", "resolver")

    def __init__(
        self,
        path: str | None = None,
        match: ResolverMatch | None = None,
        resolver: URLResolver | None = None,
    ) -> None:
        self.path, self.match, self.resolver = path, match, resolver

    def __reduce__(self) -> tuple[type["Given"], tuple[()]]:
        return Given, ()


def give(request: HttpRequest, given: Given) -> None:
    vars(request)[_FOUND] = given


def given_view(request: HttpRequest) -> object:
    """Return the view that the path of a request led to, whatever middleware does with it."""
    return vars(request)[_FOUND].match.func


def resolves_given(handler: BaseHandler) -> None:
    """Let a handler take the match that a request was given."""
    vars(handler)["resolve_request"] = partial(_resolve, handler)


def _resolve(handler: BaseHandler, request: Any) -> ResolverMatch:
    given = vars(request).pop(_FOUND, None)
    if given is None or not _holds(given, request):
        return type(handler).resolve_request(handler, request)
    match: ResolverMatch = given.match
    request.resolver_match = match
    return match


def _holds(given: Given, request: Any) -> bool:
    return (
        request.path_info == given.path
        and not hasattr(request, "urlconf")
        and get_resolver() is given.resolver
    )
