"""Pages beside the API: the tour, and the icon that browsers request."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

#: Two posts and a beam: a lintel.
ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32"
rx="6" fill="#1f5fbf"/><path fill="#fff" d="M5 8h22v5H5zM8 14h4v11H8zM20 14h4v11h-4z"/></svg>"""


def favicon(request: HttpRequest) -> HttpResponse:
    """Return the icon for the browser's tab."""
    headers = {"Cache-Control": "max-age=86400"}
    return HttpResponse(ICON, content_type="image/svg+xml", headers=headers)


def start(request: HttpRequest) -> HttpResponse:
    """Return the page that leads through the service."""
    return render(
        request, "rides/start.html", {"origin": f"{request.scheme}://{request.get_host()}"}
    )
