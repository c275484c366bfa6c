"""Addresses of the service: two collections, the token endpoint, login for browsers."""

from django.contrib.staticfiles.views import serve
from django.urls import include, path
from snippets.views import ServiceRouter, SnippetViewSet, UserViewSet

from lintel.authtoken.views import obtain_auth_token

router = ServiceRouter()
router.register("snippets", SnippetViewSet)
router.register("users", UserViewSet)

urlpatterns = [
    path("", include(router.urls)),
    path("token/", obtain_auth_token, name="token"),
    path("auth/", include("lintel.urls")),
    # For the demonstration on loopback; a deployment lets its web server send static files.
    path("static/<path:path>", serve, {"insecure": True}),
]

handler404 = "service.errors.not_found"
