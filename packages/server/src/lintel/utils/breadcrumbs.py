"""Breadcrumbs: the views at the addresses above one address."""

from __future__ import annotations

from typing import Any

from django.urls import Resolver404, get_script_prefix, resolve

from lintel.settings import api_settings
from lintel.utils.urls import replace_query_param

#: A path with more parts than this is nothing to walk up through.
MAX_PARTS = 50


def get_breadcrumbs(url: str, request: Any = None) -> list[tuple[str, str]]:
    """``(name, address)`` of each API view from the root of the site down to ``url``.

    With a request the addresses keep its format override. Empty for a path of absurd depth.
    """
    prefix = get_script_prefix().rstrip("/")
    if not url.startswith(prefix + "/") or url.count("/") > MAX_PARTS:
        return []
    found: list[tuple[str, str]] = []
    last_view = None
    for path in _paths_from_the_root(url[len(prefix) :]):
        match = _match_of(path, getattr(request, "urlconf", None))
        if match is not None and match.func is not last_view:
            name = _name_of(match, request)
            found.append((name, _in_the_same_format(prefix + path, request)))
            last_view = match.func
    return found


def _name_of(match: Any, request: Any) -> str:
    """The name of a view as it calls itself, which may depend on who asks and for what."""
    view = match.func.cls(**getattr(match.func, "initkwargs", {}))
    view.request, view.args, view.kwargs = request, match.args, match.kwargs
    name: str = view.get_view_name()
    return name


def _paths_from_the_root(path: str) -> list[str]:
    """Every address above ``path`` and itself, shortest first: ``/a/b/`` gives four more."""
    paths = []
    while path:
        paths.append(path)
        if path == "/":
            break
        path = path.rstrip("/") if path.endswith("/") else path[: path.rfind("/") + 1]
    return paths[::-1]


def _match_of(path: str, urlconf: Any) -> Any:
    """Where an API view answers at ``path``: its function, and the arguments of the address.

    ``urlconf`` is that of the request: middleware may set one for each host.
    """
    try:
        match = resolve(path, urlconf)
    except Resolver404:
        return None
    # Asking for the attribute, not for the class, keeps this module below the views.
    is_api_view = hasattr(getattr(match.func, "cls", None), "get_view_name")
    return match if is_api_view else None


def _in_the_same_format(url: str, request: Any) -> str:
    name = api_settings.URL_FORMAT_OVERRIDE
    if request is None or not name or name not in request.GET:
        return url
    return replace_query_param(url, name, request.GET[name])
