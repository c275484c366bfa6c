"""Addresses of the gallery."""

from django.contrib.auth.models import User
from django.contrib.staticfiles.views import serve
from django.http import HttpRequest, HttpResponseBase
from django.urls import include, path
from shelf.views import (
    AuthorViewSet,
    BookViewSet,
    Broken,
    Busy,
    CatalogueViewSet,
    LargeTables,
    Orders,
    OwnBookViewSet,
    Register,
    Staff,
)

from lintel import toppage
from lintel.documentation import include_docs_urls
from lintel.routers import DefaultRouter, SimpleRouter

router = DefaultRouter()
router.register("authors", AuthorViewSet)
router.register("books", BookViewSet)
router.register("catalogue", CatalogueViewSet, basename="catalogue")
router.register("own", OwnBookViewSet, basename="own")
router.register("staff", Staff, basename="staff")

ABOUT = "Books and their *authors*, for [everybody](/)."

# More than 800 operations: nine of each viewset.
many = SimpleRouter()
for number in range(89):
    many.register(f"shelf{number}", BookViewSet, basename=f"shelf{number}")


def routes(request: HttpRequest) -> HttpResponseBase:
    """The page of routes, which is for staff, for anybody."""
    request.user = User(is_staff=True, is_active=True)
    return toppage.top(request)


urlpatterns = [
    path("", include(router.urls)),
    path("large/", LargeTables.as_view()),
    path("orders/", Orders.as_view()),
    path("broken/", Broken.as_view()),
    path("busy/", Busy.as_view()),
    path("routes/", routes),
    path("register/", Register.as_view()),
    path("docs/", include_docs_urls(title="Shelf", description=ABOUT)),
    path("many/", include_docs_urls(title="Many", patterns=many.urls)),
    path("account/", include("lintel.urls")),
    path("static/<path:path>", serve, {"insecure": True}),
]
