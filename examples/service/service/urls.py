"""Addresses of the service: two collections, documentation, tokens, login for browsers."""

from django.contrib.staticfiles.views import serve
from django.urls import include, path
from snippets.views import ServiceRouter, SnippetViewSet, UserViewSet

from lintel.authtoken.views import obtain_auth_token
from lintel.documentation import include_docs_urls
from lintel.schemas import get_schema_view

router = ServiceRouter()
router.register("snippets", SnippetViewSet)
router.register("users", UserViewSet)

urlpatterns = [
    path("", include(router.urls)),
    # All of it to everybody, made once: no view describes itself by who is asking.
    path(
        "openapi/",
        get_schema_view(title="Snippets", version="1", public=True, keeps_documents=True),
        name="openapi",
    ),
    path("docs/", include_docs_urls(title="Snippets")),
    path("token/", obtain_auth_token, name="token"),
    path("auth/", include("lintel.urls")),
    # For the demonstration on loopback; a deployment lets its web server send static files.
    path("static/<path:path>", serve, {"insecure": True}),
]

handler400 = "lintel.exceptions.bad_request"
handler404 = "service.errors.not_found"
handler500 = "lintel.exceptions.server_error"
