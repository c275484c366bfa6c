"""The endpoints in the API that lintel and Django REST framework share."""

from __future__ import annotations

import itertools
import os
from importlib import import_module
from typing import Any

from django.contrib.auth.models import User
from django.urls import path

from benchmarks.project.models import Article
from benchmarks.project.orders import make_serializers

PACKAGE = os.environ["BENCHMARK_FRAMEWORK"]
authentication: Any = import_module(f"{PACKAGE}.authentication")
generics: Any = import_module(f"{PACKAGE}.generics")
permissions: Any = import_module(f"{PACKAGE}.permissions")
serializers: Any = import_module(f"{PACKAGE}.serializers")
throttling: Any = import_module(f"{PACKAGE}.throttling")
views: Any = import_module(f"{PACKAGE}.views")
Response: Any = import_module(f"{PACKAGE}.response").Response


class ArticleSerializer(serializers.ModelSerializer):
    class Meta:
        model = Article
        fields = [field.name for field in Article._meta.fields if field.name != "id"]


class ArticleList(generics.ListCreateAPIView):
    queryset = Article.objects.order_by("pk")
    serializer_class = ArticleSerializer


class ArticleDetail(generics.RetrieveUpdateAPIView):
    queryset = Article.objects.all()
    serializer_class = ArticleSerializer


class Empty(views.APIView):
    def get(self, request: Any) -> Any:
        return Response({"ok": True})


OrderSerializer, _ = make_serializers(serializers)


class Order(views.APIView):
    def post(self, request: Any) -> Any:
        OrderSerializer(data=request.data).is_valid(raise_exception=True)
        return Response({"ok": True})


# One second passes between two requests, however fast they are answered: each window is full, and
# no request is refused.
throttling.SimpleRateThrottle.timer = itertools.count(1_800_000_000).__next__
throttling.UserRateThrottle.rate = "100/minute"


class RememberedUser(authentication.BaseAuthentication):
    """Knows its user without a query, so that only the framework's work is measured."""

    user = User(pk=1, username="remembered")

    def authenticate(self, request: Any) -> Any:
        return self.user, None

    def authenticate_header(self, request: Any) -> str:
        return "Remembered"


class Guarded(Empty):
    authentication_classes = (RememberedUser,)
    permission_classes = (permissions.IsAuthenticated,)
    throttle_classes = (throttling.UserRateThrottle,)


class GuardedByToken(Guarded):
    authentication_classes = (authentication.TokenAuthentication,)


urlpatterns = [
    path("articles/", ArticleList.as_view()),
    path("articles/<int:pk>/", ArticleDetail.as_view()),
    path("empty/", Empty.as_view()),
    path("orders/", Order.as_view()),
    path("guarded/", Guarded.as_view()),
    path("token/", GuardedByToken.as_view()),
]
