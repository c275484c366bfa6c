"""The URLs that the suite of django-rest-knox needs."""

from django.urls import include, path
from knox.auth import TokenAuthentication
from rest_framework.permissions import IsAuthenticated
from rest_framework.response import Response
from rest_framework.views import APIView


class RootView(APIView):
    authentication_classes = [TokenAuthentication]
    permission_classes = [IsAuthenticated]

    def get(self, request):
        return Response("api root")


urlpatterns = [
    path("api/", include("knox.urls")),
    path("api/", RootView.as_view(), name="api-root"),
]
