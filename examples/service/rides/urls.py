"""URLs of the tour, with schemas of their own."""

from typing import Any

from django.urls import include, path

from lintel.documentation import include_docs_urls
from lintel.renderers import (
    CoreJSONRenderer,
    HALRenderer,
    JSONOpenAPIRenderer,
    OpenAPIRenderer,
    StandardOpenAPIRenderer,
)
from lintel.routers import DefaultRouter
from lintel.schemas import SchemaGenerator, get_schema_view
from rides import views

app_name = "rides"

router = DefaultRouter()
router.APIRootView = views.Rides
router.register("stations", views.StationViewSet)
router.register("bikes", views.BikeViewSet)
router.register(r"bikes/(?P<bike_id>\d{1,9})/reports", views.ReportViewSet)
router.register("trips", views.TripViewSet)
router.register("bookings", views.BookingViewSet)

api = [
    path("", include(router.urls)),
    path("stations/<int:pk>/weather/", views.Weather.as_view(), name="station-weather"),
    path("v1/fares/", views.Fares.as_view(), {"version": "v1"}, name="fares-v1"),
    path("v2/fares/", views.FaresWithCurrency.as_view(), {"version": "v2"}, name="fares-v2"),
]
described = [path("rides/", include((api, "rides")))]


class OpenAPI30(SchemaGenerator):
    """For tools that know no later version."""

    openapi_version = "3.0.3"


class OpenAPI32(SchemaGenerator):
    """The newest version, which describes streams item by item."""

    openapi_version = "3.2.0"


def schema_view(generator: Any, *renderers: Any) -> Any:
    return get_schema_view(
        title="Rides",
        version="2",
        patterns=described,
        public=True,
        generator_class=generator,
        renderer_classes=renderers,
    )


formats = [OpenAPIRenderer, JSONOpenAPIRenderer, StandardOpenAPIRenderer]
urlpatterns = [
    *api,
    path("schema/", schema_view(None, *formats, CoreJSONRenderer, HALRenderer), name="schema"),
    path("schema/3.0/", schema_view(OpenAPI30, *formats), name="schema-3.0"),
    path("schema/3.2/", schema_view(OpenAPI32, *formats), name="schema-3.2"),
    path(
        "docs/",
        include_docs_urls(title="Rides", patterns=described, public=True, keeps_documents=True),
    ),
]
