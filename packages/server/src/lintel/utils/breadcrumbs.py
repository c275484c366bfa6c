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
        view = _view_at(path, getattr(request, "urlconf", None))
        if view is not None and view is not last_view:
            name = view.cls(**getattr(view, "initkwargs", {})).get_view_name()
            found.append((name, _in_the_same_format(prefix + path, request)))
        last_view = view or last_view
    return found


def _paths_from_the_root(path: str) -> list[str]:
    """Every address above ``path`` and itself, shortest first: ``/a/b/`` gives four more."""
    paths = []
    while path:
        paths.append(path)
        if path == "/":
            break
        path = path.rstrip("/") if path.endswith("/") else path[: path.rfind("/") + 1]
    return paths[::-1]


def _view_at(path: str, urlconf: Any) -> Any:
    """The view function that an API view class made, if one answers at ``path``.

    ``urlconf`` is that of the request: middleware may set one for each host.
    """
    try:
        view = resolve(path, urlconf).func
    except Resolver404:
        return None
    # Asking for the attribute, not for the class, keeps this module below the views.
    is_api_view = hasattr(getattr(view, "cls", None), "get_view_name")
    return view if is_api_view else None


def _in_the_same_format(url: str, request: Any) -> str:
    name = api_settings.URL_FORMAT_OVERRIDE
    if request is None or not name or name not in request.GET:
        return url
    return replace_query_param(url, name, request.GET[name])
