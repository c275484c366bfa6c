"""Breadcrumbs: the views at the URLs above a URL."""

import re

from django.urls import Resolver404, ResolverMatch, get_script_prefix, resolve
from django.utils.encoding import escape_uri_path
from django.utils.http import escape_leading_slashes

from lintel.annotations import AnyRequest, AnyView, Setting
from lintel.utils.urls import preserve_builtin_query_params

#: What no browser takes for the beginning of a host: it reads ``\`` as ``/``, and no tabs.
_ON_THIS_SITE = re.compile(r"/(?:[^/\\\s]|$)")

#: The most parts of a path for which breadcrumbs are shown.
MAX_PARTS = 50


def get_breadcrumbs(url: str, request: AnyRequest = None) -> list[tuple[str, str]]:
    """Return ``(name, URL)`` of each API view from the root of the site down to ``url``."""
    prefix = get_script_prefix().rstrip("/")
    if not url.startswith(prefix + "/") or url.count("/") > MAX_PARTS:
        return []
    result: list[tuple[str, str]] = []
    last_view = None
    for path in _paths_from_the_root(url[len(prefix) :]):
        match = _match_of(path, getattr(request, "urlconf", None))
        if match is not None and match.func is not last_view:
            name = _name_of(match, request)
            address = _on_this_site(prefix + path)
            result.append((name, preserve_builtin_query_params(address, request)))
            last_view = match.func
    return result


def _on_this_site(path: str) -> str:
    if _ON_THIS_SITE.match(path):
        return path
    return escape_leading_slashes(escape_uri_path(path))


def _name_of(match: ResolverMatch, request: AnyRequest) -> str:
    func: AnyView = match.func
    view = func.cls(**getattr(func, "initkwargs", {}))
    view.request, view.args, view.kwargs = request, match.args, match.kwargs
    return view.get_view_name()


def _paths_from_the_root(path: str) -> list[str]:
    """Return every path above ``path`` and itself, shortest first: ``/a/b/`` adds four."""
    paths = []
    while path:
        paths.append(path)
        if path == "/":
            break
        path = path.rstrip("/") if path.endswith("/") else path[: path.rfind("/") + 1]
    return paths[::-1]


def _match_of(path: str, urlconf: Setting) -> ResolverMatch | None:
    """Return the match of an API view; middleware may set ``urlconf`` per host."""
    try:
        match = resolve(path, urlconf)
    except Resolver404:
        return None
    # Checking the attribute, not the class, keeps this module below the views.
    is_api_view = hasattr(getattr(match.func, "cls", None), "get_view_name")
    return match if is_api_view else None
