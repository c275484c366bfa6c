"""The URLs of the service, and those that need more than one process: health, receipts."""

from django.urls import include, path
from receipts.views import ReceiptViewSet

from lintel.routers import SimpleRouter
from service.urls import handler400 as handler400
from service.urls import handler404 as handler404
from service.urls import handler500 as handler500
from service.urls import urlpatterns as of_the_service

router = SimpleRouter()
router.register("receipts", ReceiptViewSet)

urlpatterns = [
    path("health/", include("lintel.health.urls")),
    path("", include(router.urls)),
    *of_the_service,
]
