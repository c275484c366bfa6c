"""URLs of snippets, users and tokens: everything that the schema at the root describes."""

from django.urls import include, path

from lintel.authtoken.views import obtain_auth_token
from lintel.documentation import include_docs_urls
from lintel.schemas import get_schema_view
from snippets.views import DESCRIBED, ServiceRouter, SnippetViewSet, UserViewSet

router = ServiceRouter()
router.register("snippets", SnippetViewSet)
router.register("users", UserViewSet)

urlpatterns = [
    path("", include(router.urls)),
    # Everything is public, and made once: no view's description depends on the caller.
    path(
        "openapi/",
        get_schema_view(
            title="Snippets", version="1", public=True, keeps_documents=True, urlconf=DESCRIBED
        ),
        name="openapi",
    ),
    path("docs/", include_docs_urls(title="Snippets", urlconf=DESCRIBED, keeps_documents=True)),
    path("token/", obtain_auth_token, name="token"),
]
