"""Where clients find the descriptions of the API: links (RFC 8631) and the catalog (RFC 9727)."""

from contextlib import suppress

from django.http import HttpRequest, JsonResponse
from django.urls import NoReverseMatch, reverse
from django.views.decorators.http import require_safe

from lintel.checks import names_in
from lintel.request import Request
from lintel.settings import api_settings

LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'


@require_safe
def api_catalog(request: HttpRequest) -> JsonResponse:
    """Return the catalog of a host, for the URL ``/.well-known/api-catalog``.

    It is a linkset (RFC 9264) with the descriptions that SERVICE_DESCRIPTION names.
    """
    descriptions = [{"href": url} for url in _description_urls(request)]
    root = {"anchor": request.build_absolute_uri("/"), "service-desc": descriptions}
    here = request.build_absolute_uri(request.path)
    return JsonResponse(
        {"linkset": [root]},
        content_type=LINKSET,
        headers={"Link": f'<{here}>; rel="api-catalog"'},
    )


def description_headers(request: Request) -> dict[str, str] | None:
    """Return a Link header that names the descriptions, None if SERVICE_DESCRIPTION names none."""
    links = [f'<{url}>; rel="service-desc"' for url in _description_urls(request)]
    return {"Link": ", ".join(links)} if links else None


def _description_urls(request: HttpRequest | Request) -> list[str]:
    """Return the URLs of the views, without those of names that the check lintel.E020 reports."""
    urls = []
    for name in names_in(api_settings.SERVICE_DESCRIPTION):
        with suppress(NoReverseMatch):
            urls.append(request.build_absolute_uri(reverse(name)))
    return urls
