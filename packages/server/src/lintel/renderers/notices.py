"""The notice at the top of a page: that something was deleted, or what a refusal requires."""

import shlex
from collections.abc import Iterable

from django.contrib.auth import REDIRECT_FIELD_NAME
from django.core.exceptions import DisallowedHost
from django.http import HttpResponse

from lintel.renderers.documentation_page import address_of
from lintel.request import Request
from lintel.settings import api_settings
from lintel.utils.breadcrumbs import get_breadcrumbs
from lintel.utils.urls import remove_query_param


def is_deleted(request: Request, response: HttpResponse) -> bool:
    return request.method == "DELETE" and response.status_code in (200, 202, 204)


def notice_of(
    request: Request, response: HttpResponse, user: object, forms: Iterable[object]
) -> dict[str, object] | None:
    """Return ``notice`` for templates: its ``kind``, and where it links to; None for none.

    ``deleted``: the object is gone, ``address`` is that of the list above it. ``login``: an
    anonymous caller was refused, ``address`` is that of the login, ``next`` the page to return to.
    ``form``: this URL has no GET, and the forms on the page are its purpose.
    """
    if is_deleted(request, response):
        above = get_breadcrumbs(request.path, request)[:-1]
        return {"kind": "deleted", "address": above[-1][1] if above else None}
    if response.status_code in (401, 403):
        return _login(request, user)
    is_for_forms = response.status_code == 405 and request.method in ("GET", "HEAD") and any(forms)
    return {"kind": "form"} if is_for_forms else None


def _login(request: Request, user: object) -> dict[str, object] | None:
    authenticators = getattr(request, "authenticators", ()) or ()
    takes_session = any(hasattr(authenticator, "enforce_csrf") for authenticator in authenticators)
    address = address_of("rest_framework:login")
    if getattr(user, "is_authenticated", False) or not takes_session or not address:
        return None
    return {
        "kind": "login",
        "address": address,
        "field": REDIRECT_FIELD_NAME,
        "next": request.get_full_path(),
    }


def as_curl(request: Request, media_type: str | None) -> str:
    """Return the request of a page for the shell; empty if it needs a body."""
    if request.method not in ("GET", "HEAD", "OPTIONS", "DELETE"):
        return ""
    try:
        address = request.build_absolute_uri()
    except DisallowedHost:
        return ""
    method = {"GET": [], "HEAD": ["--head"]}.get(request.method, ["--request", request.method])
    header = ["--header", f"Accept: {media_type}"] if media_type else []
    if api_settings.URL_FORMAT_OVERRIDE and media_type:
        address = remove_query_param(address, api_settings.URL_FORMAT_OVERRIDE)
    return shlex.join(["curl", *method, *header, address])
