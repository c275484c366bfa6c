"""The URLs that the suite of drf-flex-fields needs."""

from rest_framework.routers import DefaultRouter
from tests.testapp.views import PetViewSet, TaggedItemViewSet

router = DefaultRouter()
router.register("pets", PetViewSet, basename="pet")
router.register("tagged-items", TaggedItemViewSet, basename="tagged-item")
urlpatterns = router.urls
