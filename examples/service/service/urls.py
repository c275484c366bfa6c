"""URLs: the snippets, the tour beside them, an admin, login for browsers."""

from django.contrib import admin
from django.contrib.staticfiles.views import serve
from django.urls import include, path
from snippets.urls import urlpatterns as snippets

from service.pages import favicon, start

urlpatterns = [
    *snippets,
    path("rides/", include("rides.urls")),
    path("start/", start, name="start"),
    path("admin/", admin.site.urls),
    path("auth/", include("lintel.urls")),
    path("favicon.ico", favicon),
    # For the demonstration on loopback; deployments serve static files with their web server.
    path("static/<path:path>", serve, {"insecure": True}),
]

handler400 = "lintel.exceptions.bad_request"
handler404 = "service.errors.not_found"
handler500 = "lintel.exceptions.server_error"
