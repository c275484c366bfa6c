"""The URLs that the suite of drf-jwt needs."""

from django.urls import include, path
from rest_framework import permissions
from rest_framework.response import Response
from rest_framework.routers import DefaultRouter
from rest_framework.views import APIView
from rest_framework_jwt import views
from rest_framework_jwt.blacklist.permissions import IsNotBlacklisted
from rest_framework_jwt.blacklist.views import BlacklistView


class Closed(APIView):
    """A page for those whom the permissions let pass."""

    permission_classes = [permissions.IsAuthenticated]

    def get(self, request):
        return Response({"foo": "bar"})


router = DefaultRouter()
router.register("blacklist", BlacklistView, basename="blacklist")
urlpatterns = [
    path("auth/", views.obtain_jwt_token, name="auth"),
    path("auth/verify/", views.verify_jwt_token, name="auth-verify"),
    path("auth/refresh/", views.refresh_jwt_token, name="auth-refresh"),
    path("impersonate/", views.impersonate_jwt_token, name="impersonate"),
    path("test/", Closed.as_view(), name="test-view"),
    path(
        "superuser-test/",
        Closed.as_view(permission_classes=[permissions.IsAdminUser]),
        name="superuser-test-view",
    ),
    path(
        "blacklist-test/",
        Closed.as_view(permission_classes=[IsNotBlacklisted]),
        name="blacklist-test-view",
    ),
    path("", include(router.urls)),
]
